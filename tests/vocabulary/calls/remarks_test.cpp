#include "vocabulary/calls/remarks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tacit::vocabulary {
namespace {

TEST(remarks, values_stand_where_the_text_names_them) {
  EXPECT_EQ(wording(remark::taken_apart, {"MPI_Waitall", "2", "3"}), "MPI_Waitall: 2 of 3 moved");
  const auto pieces = pieces_of(remark::stays, {"MPI_Send", "buffer is written"});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].key, "Call");
  EXPECT_EQ(pieces[0].text, "MPI_Send");
  EXPECT_EQ(pieces[1].key, "");
  EXPECT_EQ(pieces[2].key, "Reason");
}

TEST(remarks, an_empty_value_leaves_no_piece) {
  EXPECT_EQ(wording(remark::always, {"a store", "", "TACIT-104"}), "a store [TACIT-104]");
  EXPECT_EQ(pieces_of(remark::always, {"a store", "", "TACIT-104"}).size(), 4U);
}

TEST(remarks, every_placeholder_is_closed) {
  for (const std::string_view text : remark_texts())
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}')) << text;
}

TEST(remarks, every_reason_has_a_remedy) {
  for (const reason_page& page : reason_pages()) {
    EXPECT_FALSE(remedy(page).empty()) << page.name;
    EXPECT_NE(remedy(page).back(), '.') << page.name;
  }
}

TEST(remarks, labels_have_three_digits) {
  EXPECT_EQ(reason_label(reason::cycle), "TACIT-001");
  EXPECT_EQ(reason_label(reason::buffer_written), "TACIT-104");
}

} // namespace
} // namespace tacit::vocabulary
