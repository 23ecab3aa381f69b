#include "vocabulary/base/amounts.h"

#include <gtest/gtest.h>

namespace tacit::vocabulary {
namespace {

TEST(amounts, one_is_said_without_s) {
  EXPECT_EQ(count_text(0, "task"), "0 tasks");
  EXPECT_EQ(count_text(1, "task"), "1 task");
  EXPECT_EQ(count_text(2, "task"), "2 tasks");
}

} // namespace
} // namespace tacit::vocabulary
