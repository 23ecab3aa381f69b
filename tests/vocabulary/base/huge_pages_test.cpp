#include "vocabulary/base/huge_pages.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tacit::vocabulary {
namespace {

/// The kernel refuses advice about memory that is not there; a program that calls us must not see that in errno.
TEST(huge_pages, advice_that_is_refused_leaves_errno_alone) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(munmap(memory, bytes), 0);
  errno = 42;
  prefer_huge_pages(memory, bytes);
  EXPECT_EQ(errno, 42);
  move_to_huge_pages(memory, bytes);
  EXPECT_EQ(errno, 42);
}

} // namespace
} // namespace tacit::vocabulary
