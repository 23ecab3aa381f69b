// Which cores share a cache, from folders such as Linux has them.
#include "runtime/channel/last_caches.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <thread>

namespace tacit::runtime {
namespace {

namespace fs = std::filesystem;

class devices : public testing::Test {
protected:
  devices() {
    std::string name = (fs::temp_directory_path() / "tacit-cores-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    write("cpufreq/boost", "1"); // no core
    write("online", "0-7");
  }
  ~devices() override { fs::remove_all(folder); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text << '\n';
  }
  void cache(int core, int index, int level, const std::string& type, const std::string& cores) {
    const std::string at = "cpu" + std::to_string(core) + "/cache/index" + std::to_string(index) + "/";
    write(at + "level", std::to_string(level));
    write(at + "type", type);
    write(at + "shared_cpu_list", cores);
  }
  /// A core with caches of its own, whose last one it shares.
  void core(int number, const std::string& shares, const std::string& threads) {
    const std::string own = std::to_string(number);
    cache(number, 0, 1, "Data", own);
    cache(number, 1, 1, "Instruction", own);
    cache(number, 2, 2, "Unified", own);
    cache(number, 3, 3, "Unified", shares);
    write("cpu" + own + "/topology/thread_siblings_list", threads);
  }

  fs::path folder;
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
};

TEST_F(devices, have_caches_that_several_cores_share) {
  for (const int number : {0, 1, 4, 5})
    core(number, "0-1,4-5", std::to_string(number % 4) + "," + std::to_string(number % 4 + 4));
  for (const int number : {2, 3, 6, 7})
    core(number, "2,3,6-7", std::to_string(number % 4) + "," + std::to_string(number % 4 + 4));
  const std::vector<cores_of_cache> caches = last_caches(folder);
  EXPECT_EQ(caches, (std::vector<cores_of_cache>{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(common_cache(caches, std::vector{0, 5}), 1u);
  EXPECT_EQ(common_cache(caches, std::vector{7}), 2u);
  EXPECT_EQ(common_cache(caches, std::vector{1, 2}), 0u);
  EXPECT_EQ(common_cache(caches, std::vector{9}), 0u);
  EXPECT_EQ(common_cache(caches, std::vector<int>()), 0u);
  EXPECT_EQ(cores_for_pair(pair_place::one_cache, all, folder), (std::vector{0, 1}));
  EXPECT_EQ(cores_for_pair(pair_place::two_caches, all, folder), (std::vector{0, 2}));
  // A part of the machine, as a container has it.
  EXPECT_EQ(cores_for_pair(pair_place::one_cache, std::vector{1, 5, 6, 7}, folder), (std::vector{6, 7}));
  EXPECT_EQ(cores_for_pair(pair_place::two_caches, std::vector{1, 5, 6, 7}, folder), (std::vector{1, 6}));
  EXPECT_TRUE(cores_for_pair(pair_place::two_caches, std::vector{0, 1, 4}, folder).empty());
  EXPECT_TRUE(cores_for_pair(pair_place::one_cache, std::vector{1, 5, 6}, folder).empty());
}

TEST_F(devices, with_one_cache_have_no_place_for_a_pair_between_two) {
  core(0, "0-1", "0");
  core(1, "0-1", "1");
  EXPECT_TRUE(cores_for_pair(pair_place::two_caches, all, folder).empty());
  EXPECT_EQ(cores_for_pair(pair_place::one_cache, all, folder), (std::vector{0, 1}));
}

TEST_F(devices, whose_threads_are_of_one_core_have_no_place_for_a_pair_in_one_cache) {
  core(0, "0-1", "0-1");
  core(1, "0-1", "0-1");
  core(2, "2", "2");
  EXPECT_TRUE(cores_for_pair(pair_place::one_cache, all, folder).empty());
  EXPECT_EQ(cores_for_pair(pair_place::two_caches, all, folder), (std::vector{0, 2}));
}

TEST_F(devices, that_say_nothing_useful_have_no_caches) {
  EXPECT_TRUE(last_caches(folder / "nothing").empty());
  EXPECT_TRUE(last_caches(folder).empty());
  for (const char* list : {"", "x", "3-1", "0-", "-2", "1,,2", "0-99999999999", "0-1;2"})
    core(0, list, "0");
  write("cpu1/cache/index0/level", "2"); // without a list
  write("cpux/cache/index0/level", "2");
  write("cpu2", "a file");
  EXPECT_TRUE(last_caches(folder).empty());
  EXPECT_TRUE(cores_for_pair(pair_place::one_cache, all, folder).empty());
}

TEST(this_process, can_be_bound_to_a_core) {
  const std::vector<cores_of_cache> caches = last_caches();
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int core = 0;
  while (!CPU_ISSET(core, &allowed))
    ++core;
  std::thread([&] { // has an affinity of its own
    EXPECT_TRUE(bind_to_core(core));
    cpu_set_t now;
    ASSERT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_TRUE(CPU_ISSET(core, &now));
  })
      .join();
  EXPECT_FALSE(bind_to_core(CPU_SETSIZE));
}

} // namespace
} // namespace tacit::runtime
