#include "vocabulary/calls/mpi_calls.h"
#include "vocabulary/calls/patterns.h"

#include <gtest/gtest.h>

namespace tacit::vocabulary {
namespace {

TEST(patterns, stand_where_their_number_says_and_are_found_by_name) {
  for (const pattern_row& row : patterns) {
    EXPECT_EQ(&row_of(row.kind), &row);
    EXPECT_EQ(find_pattern(row.name), row.kind);
  }
  EXPECT_EQ(find_pattern("broadcast"), std::nullopt);
}

TEST(patterns, name_a_call_of_the_table_of_calls) {
  for (const pattern_row& row : patterns)
    EXPECT_TRUE(find_call(row.call)) << row.call;
}

TEST(patterns, vector_forms_move_the_same_and_follow_their_uniform_form) {
  for (const pattern_row& row : patterns) {
    EXPECT_EQ(row_of(row.vector).moves, row.moves) << row.name;
    EXPECT_EQ(row_of(row.vector).vector, row.vector) << row.name;
    EXPECT_TRUE(is_uniform(row.kind) || !is_uniform(row.vector)) << row.name;
    if (row.vector != row.kind) {
      EXPECT_EQ(static_cast<int>(row.vector), static_cast<int>(row.kind) + 1) << row.name;
    }
  }
}

TEST(patterns, roots_and_shared_blocks_follow_from_who_sends_to_whom) {
  EXPECT_TRUE(is_rooted(pattern::gatherv));
  EXPECT_FALSE(is_rooted(pattern::barrier));
  EXPECT_TRUE(is_shared(pattern::bcast));
  EXPECT_TRUE(is_shared(pattern::allgatherv));
  EXPECT_FALSE(is_shared(pattern::scatter));
}

} // namespace
} // namespace tacit::vocabulary
