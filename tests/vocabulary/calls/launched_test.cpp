#include "vocabulary/base/launched.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace tacit::vocabulary {
namespace {

struct launched : testing::Test {
  static void forget() {
    for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
      unsetenv(name);
  }
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }
};

TEST_F(launched, nobody_says_anything) {
  EXPECT_EQ(launched_ranks(), std::nullopt);
}

TEST_F(launched, any_launcher_is_asked_in_their_order) {
  setenv("SLURM_NTASKS", "8", 1);
  EXPECT_EQ(launched_ranks(), 8);
  setenv("PMI_SIZE", "4", 1);
  EXPECT_EQ(launched_ranks(), 4);
}

TEST_F(launched, what_is_no_whole_number_is_no_answer) {
  setenv("SLURM_NTASKS", "8", 1);
  for (const char* const value : {"", "x", "4x", "-1", "4.5", "99999999999"}) {
    setenv("PMI_SIZE", value, 1);
    EXPECT_EQ(launched_ranks(), 8) << value;
  }
}

} // namespace
} // namespace tacit::vocabulary
