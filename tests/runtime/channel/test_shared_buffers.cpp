// Buffers of a program in shared memory: found by any part of them, opened by others, freed.
#include "runtime/channel/shared_buffers.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tacit::test {

using namespace runtime;
namespace {

std::uint64_t address_of(const void* at) {
  return reinterpret_cast<std::uint64_t>(at);
}

TEST(shared_buffers, a_part_of_a_buffer_is_found_and_can_be_opened) {
  auto* const buffer = static_cast<char*>(allocate_buffer(10000));
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(address_of(buffer) % 4096, 0u);
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(buffer[i], 0);
  std::strcpy(buffer + 5000, "here");
  const auto location = find_shared(address_of(buffer + 5000), 5000);
  ASSERT_TRUE(location);
  shared_region opened;
  ASSERT_EQ(opened.open(this_process(), location->region), "");
  EXPECT_STREQ(reinterpret_cast<const char*>(opened.at(location->offset)), "here");
  EXPECT_FALSE(find_shared(address_of(buffer + 5000), 10000)) << "reaches over the end";
  EXPECT_FALSE(find_shared(address_of(buffer) - 8, 8)) << "lies before it";
  EXPECT_FALSE(find_shared(address_of(&location), 8)) << "is other memory";
  EXPECT_TRUE(free_buffer(buffer));
  EXPECT_FALSE(find_shared(address_of(buffer), 8));
  EXPECT_FALSE(free_buffer(buffer));
  EXPECT_FALSE(free_buffer(nullptr));
}

TEST(shared_buffers, operations_share_the_mapping_of_a_buffer_of_another_process) {
  auto* const buffer = static_cast<char*>(allocate_buffer(10000));
  ASSERT_NE(buffer, nullptr);
  const auto location = find_shared(address_of(buffer), 10000);
  ASSERT_TRUE(location);
  std::string why;
  auto first = open_buffer(this_process(), location->region, why);
  ASSERT_TRUE(first) << why;
  auto second = open_buffer(this_process(), location->region, why);
  EXPECT_EQ(first, second);
  const std::weak_ptr<const shared_region> mapped = first;
  first = second = nullptr;
  EXPECT_TRUE(mapped.expired()) << "nobody uses it any more";
  first = open_buffer(this_process(), location->region, why);
  ASSERT_TRUE(first) << why;
  first->at(location->offset)[9999] = std::byte{7};
  EXPECT_EQ(buffer[9999], 7);
  region_address wrong = location->region;
  ++wrong.secret;
  EXPECT_FALSE(open_buffer(this_process(), wrong, why));
  EXPECT_NE(why, "");
  EXPECT_TRUE(free_buffer(buffer));
}

TEST(shared_buffers, empty_and_impossible_sizes) {
  void* const empty = allocate_buffer(0);
  EXPECT_NE(empty, nullptr);
  EXPECT_TRUE(free_buffer(empty));
  EXPECT_EQ(allocate_buffer(static_cast<std::size_t>(-1)), nullptr);
}

/// In a child: limits stay.
TEST(shared_buffers, memory_that_cannot_be_shared_is_ordinary) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit none{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &none);
    void* const buffer = allocate_buffer(100000);
    _exit(buffer && !find_shared(address_of(buffer), 8) && free_buffer(buffer) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// In a child: limits stay.
TEST(shared_buffers, leave_descriptors_to_the_program) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit few{64, 64};
    setrlimit(RLIMIT_NOFILE, &few);
    void* const first = allocate_buffer(5000);
    if (!first || !find_shared(address_of(first), 8))
      _exit(2);
    for (int i = 0; i < 200; ++i)
      if (!allocate_buffer(5000))
        _exit(3);
    const int descriptor = dup(0);
    _exit(descriptor >= 0 ? 0 : 4);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

std::uint64_t resident_pages() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

/// In a child: limits stay.
TEST(shared_buffers, ordinary_memory_is_taken_when_it_is_written) {
  constexpr std::size_t bytes = 256 << 20;
  const pid_t child = fork();
  if (child == 0) {
    rlimit none{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &none);
    const std::uint64_t before = resident_pages();
    auto* const buffer = static_cast<char*>(allocate_buffer(bytes));
    if (!buffer || find_shared(address_of(buffer), 8) || resident_pages() > before + bytes / 4096 / 2)
      _exit(2);
    _exit(buffer[bytes - 1] == 0 && free_buffer(buffer) ? 0 : 3);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

} // namespace
} // namespace tacit::test
