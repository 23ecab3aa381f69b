#include "vocabulary/base/nearest.h"
#include "vocabulary/calls/settings.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace tacit::vocabulary {
namespace {

TEST(settings, what_holds_without_a_setting_is_an_allowed_value) {
  for (const setting_row& row : settings())
    if (!row.standard.empty()) {
      EXPECT_EQ(fault_of(row, row.variable, row.standard), "");
    }
}

TEST(settings, every_variable_and_key_stands_in_one_row) {
  for (const setting_row& row : settings()) {
    EXPECT_EQ(&row_of(row.name), &row) << row.variable;
    EXPECT_EQ(find_setting(row.variable), &row);
    EXPECT_FALSE(is_unknown_variable(row.variable));
    if (!row.key.empty()) {
      EXPECT_EQ(find_setting(row.key), &row);
    }
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.variable;
  }
}

TEST(settings, a_wrong_value_is_answered_with_the_allowed_ones) {
  EXPECT_EQ(fault_of(row_of(setting::policy), "TACIT_POLICY", "date"),
            "TACIT_POLICY is \"date\", but must be data or keep_sync (did you mean data?)");
  EXPECT_TRUE(fault_of(row_of(setting::neighbor_without), "x", "color,coalesc")
                  .ends_with(" (did you mean coalesce?)"));
  EXPECT_EQ(fault_of(row_of(setting::density), "info key \"tacit_density\"", "1.5"),
            "info key \"tacit_density\" is \"1.5\", but must be a number from 0 to 1");
  EXPECT_EQ(fault_of(row_of(setting::driver), "TACIT_DRIVER", "foo"),
            "TACIT_DRIVER is \"foo\", but must be one of shm, coll, p2p, rma, dry, pcoll, mpi");
  EXPECT_NE(fault_of(row_of(setting::neighbor_without), "", "coalesce,color,foo"), "");
  EXPECT_EQ(fault_of(row_of(setting::neighbor_without), "", "coalesce,color"), "");
}

TEST(settings, numbers_are_whole_texts) {
  for (const char* rubbish : {"", "x", "12x", " 12", "-1", "0x10", "1.5", "99999999999999999999"})
    EXPECT_EQ(whole_number(rubbish), std::nullopt) << rubbish;
  EXPECT_EQ(whole_number("12"), 12u);
  EXPECT_EQ(real_number("0.5"), 0.5);
  EXPECT_EQ(real_number("0.5 "), std::nullopt);
  EXPECT_NE(fault_of(row_of(setting::density), "", "nan"), "");
  EXPECT_NE(fault_of(row_of(setting::ranks_per_node), "", "0"), "");
}

TEST(settings, bytes_may_have_a_unit) {
  EXPECT_EQ(number_of_bytes("4000"), 4000u);
  EXPECT_EQ(number_of_bytes("64M"), 64u << 20);
  EXPECT_EQ(number_of_bytes("1k"), 1024u);
  for (const char* rubbish : {"", "M", "4MB", "99999999999999999G"})
    EXPECT_EQ(number_of_bytes(rubbish), std::nullopt) << rubbish;
}

TEST(settings, an_empty_variable_counts_as_not_given) {
  ::setenv("TACIT_POLICY", "", 1);
  EXPECT_EQ(fault_of(setting::policy), "");
  ::setenv("TACIT_POLICY", "keep_sink", 1);
  EXPECT_EQ(given(setting::policy), "keep_sink");
  EXPECT_NE(fault_of(setting::policy), "");
  ::unsetenv("TACIT_POLICY");
}

TEST(settings, a_mistyped_name_is_answered_with_the_nearest) {
  EXPECT_EQ(unknown_variable("TACIT_HASCH"),
            "TACIT_HASCH is no variable of tacit (did you mean TACIT_HASH?); it has no effect");
  EXPECT_EQ(unknown_variable("TACIT_SOMETHING_ELSE"),
            "TACIT_SOMETHING_ELSE is no variable of tacit; it has no effect");
  EXPECT_EQ(
      unknown_key("tacit_polcy", "tacit_compile"),
      "info key \"tacit_polcy\" is unknown (did you mean tacit_policy?); of tacit_compile there are "
      "tacit_policy, tacit_progress, tacit_density, tacit_budget, tacit_replace, tacit_allow_reassociation, "
      "tacit_patterns, tacit_tune, tacit_graphs_kept, tacit_compile, tacit_background, tacit_plan, "
      "tacit_driver");
}

TEST(settings, keys_belong_to_those_who_read_them) {
  EXPECT_TRUE(find_key("tacit_driver", "tacit_compile"));
  EXPECT_TRUE(find_key("tacit_driver", "neighborhood collectives"));
  EXPECT_FALSE(find_key("tacit_neighbor_grouping", "tacit_compile"));
}

TEST(nearest, counts_letters_and_swaps) {
  EXPECT_EQ(typing_errors("analyze", "analyze"), 0u);
  EXPECT_EQ(typing_errors("anlayze", "analyze"), 1u);
  EXPECT_EQ(typing_errors("", "abc"), 3u);
  EXPECT_EQ(typing_errors("kitten", "sitting"), 3u);
  EXPECT_EQ(nearest("doctr", {"run", "doctor"}), "doctor");
  EXPECT_EQ(nearest("frobnicate", {"run", "doctor"}), "");
}

TEST(nearest, short_names_resemble_nothing) {
  EXPECT_EQ(nearest("w", {"a", "b"}), "");
  EXPECT_EQ(nearest("wa", {"a", "ww", "b"}), "");
  EXPECT_EQ(nearest("rn", {"a", "run"}), "run");
  EXPECT_EQ(nearest("wni", {"win", "x"}), "win");
}

TEST(nearest, what_all_names_begin_with_makes_none_of_them_alike) {
  EXPECT_EQ(nearest("MPI_XYT", {"MPI_INT", "MPI_LONG"}), "");
  EXPECT_EQ(nearest("MPI_LNG", {"MPI_INT", "MPI_LONG"}), "MPI_LONG");
  EXPECT_EQ(nearest("MPY_LONG", {"MPI_INT", "MPI_LONG"}), "MPI_LONG");
  EXPECT_EQ(nearest("left_comn", {"left_comm"}), "left_comm");
}

} // namespace
} // namespace tacit::vocabulary
