// What is kept of tuned graphs: it is there again, bounded, and a file that is not ours counts as empty.
#include "graphs/platform/graph_measurements.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;
constexpr const char* library = "An MPI 1.2";

class graph_measurements : public testing::Test {
protected:
  graph_measurements() {
    std::string name = (fs::temp_directory_path() / "tacit-graphs-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~graph_measurements() override { fs::remove_all(folder); }
  static std::string keep(std::uint64_t key, const std::string& variant) {
    return keep_graph_measurement(library, {key, variant, 1.5e-6, "", "2 ranks", "as written (p2p) 2 us"});
  }
  static std::string text() {
    std::ostringstream out;
    out << std::ifstream(graph_measurement_file(library)).rdbuf();
    return out.str();
  }
  static void write(const std::string& text) { std::ofstream(graph_measurement_file(library)) << text; }
  fs::path folder;
};

TEST_F(graph_measurements, are_there_again_and_the_last_one_counts) {
  EXPECT_TRUE(load_graph_measurements(library).list.empty());
  EXPECT_EQ(load_graph_measurements(library).trouble, "");
  EXPECT_EQ(keep(7, "ring (p2p)"), "");
  EXPECT_EQ(keep(~std::uint64_t{0}, "as written (shm)"), "");
  EXPECT_EQ(keep(7, "bruck\t(shm)\n"), "");
  const kept_graph_measurements found = load_graph_measurements(library);
  ASSERT_EQ(found.list.size(), 2u);
  ASSERT_NE(found.of(7), nullptr);
  EXPECT_EQ(found.of(7)->variant, "bruck (shm) ");
  EXPECT_DOUBLE_EQ(found.of(7)->seconds, 1.5e-6);
  EXPECT_EQ(found.of(7)->graph, "2 ranks");
  EXPECT_EQ(found.of(7)->day.size(), 10u);
  EXPECT_EQ(found.of(7)->others, "as written (p2p) 2 us");
  EXPECT_EQ(found.of(~std::uint64_t{0})->variant, "as written (shm)");
  EXPECT_EQ(found.of(8), nullptr);
  EXPECT_TRUE(load_graph_measurements("Another MPI 1.2").list.empty());
}

TEST_F(graph_measurements, the_oldest_go) {
  std::string all;
  keep(1, "a");
  const std::string head = text().substr(0, text().find('\n') + 1), line = text().substr(head.size());
  for (std::size_t i = 0; i < most_graph_measurements; ++i) {
    std::ostringstream key;
    key << std::hex << i + 1;
    all += std::string(16 - key.str().size(), '0') + key.str() + line.substr(16);
  }
  write(head + all);
  ASSERT_EQ(load_graph_measurements(library).list.size(), most_graph_measurements)
      << load_graph_measurements(library).trouble;
  EXPECT_EQ(keep(5000, "b"), "");
  const kept_graph_measurements found = load_graph_measurements(library);
  EXPECT_EQ(found.list.size(), most_graph_measurements);
  EXPECT_EQ(found.of(1), nullptr);
  EXPECT_NE(found.of(2), nullptr);
  EXPECT_EQ(found.list.back().key, 5000u);
}

TEST_F(graph_measurements, a_damaged_or_foreign_file_is_ignored_with_the_reason_and_replaced) {
  keep(1, "a");
  const std::string good = text();
  const std::string head = good.substr(0, good.find('\n') + 1);
  for (const std::string& bad :
       {std::string("\x7f\x45LF"), std::string("{}\n"), good.substr(0, good.size() - 3), head + "0001\ta\n",
        head + "000000000000000x\ta\t1\td\tg\to\n", head + "0000000000000001\ta\tnan\td\tg\to\n",
        head + "0000000000000001\ta\t1\td\tg\to\tmore\n", head + "0000000000000001\t\t1\td\tg\to\n",
        head + "\n", head + std::string(8 << 20, '\n'), "tacit graph verdicts 2" + good.substr(22),
        "tacit graph measurements 1\tsomewhere else" + good.substr(good.find('\t', 23))}) {
    write(bad);
    const kept_graph_measurements found = load_graph_measurements(library);
    EXPECT_TRUE(found.list.empty()) << bad.substr(0, 200);
    EXPECT_NE(found.trouble.find("is ignored"), std::string::npos) << bad.substr(0, 200);
    EXPECT_EQ(keep(2, "b"), "");
    EXPECT_EQ(load_graph_measurements(library).list.size(), 1u);
    EXPECT_EQ(load_graph_measurements(library).trouble, "");
  }
}

TEST_F(graph_measurements, where_nothing_can_be_written_that_is_said) {
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_NE(keep(1, "a").find("could not make /proc/nowhere/tacit"), std::string::npos);
  EXPECT_TRUE(load_graph_measurements(library).list.empty());
}

/// A limit on the size of files is to a program what a full disk is.
TEST_F(graph_measurements, what_does_not_fit_leaves_the_earlier_file) {
  EXPECT_EQ(keep(1, "a"), "");
  const std::string before = text();
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::_exit(keep(2, "b").find("could not be written") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(text(), before);
  std::size_t files = 0;
  for (const auto& each : fs::directory_iterator(folder / "tacit"))
    files += each.path().extension() == ".lock" ? 0 : 1;
  EXPECT_EQ(files, 1u);
}

TEST_F(graph_measurements, what_is_no_file_is_not_waited_for) {
  EXPECT_EQ(keep(1, "a"), "");
  fs::remove(graph_measurement_file(library));
  ASSERT_EQ(::mkfifo(graph_measurement_file(library).c_str(), 0600), 0);
  EXPECT_NE(load_graph_measurements(library).trouble.find("is ignored"), std::string::npos);
  EXPECT_EQ(keep(2, "b"), "");
  EXPECT_EQ(load_graph_measurements(library).list.size(), 1u);
}

TEST_F(graph_measurements, who_holds_the_lock_for_long_is_named_as_the_reason) {
  EXPECT_EQ(keep(1, "a"), "");
  const int lock = ::open((graph_measurement_file(library).string() + ".lock").c_str(), O_RDWR);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  EXPECT_NE(keep(2, "b").find("in use by others"), std::string::npos);
  ::close(lock);
  EXPECT_EQ(keep(2, "b"), "");
}

TEST_F(graph_measurements, of_two_processes_that_write_at_once_none_loses_anything) {
  constexpr std::uint64_t each = 60;
  keep(1, "first");
  std::vector<pid_t> children;
  for (std::uint64_t process = 1; process <= 2; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      int lost = 0;
      for (std::uint64_t i = 0; i < each; ++i) {
        std::string why;
        do // a lock that others hold for long is told, not waited for
          why = keep(1000 * process + i, "variant " + std::to_string(i));
        while (why.find("in use by others") != std::string::npos);
        lost += why.empty() && load_graph_measurements(library).trouble.empty() ? 0 : 1;
      }
      ::_exit(lost);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const kept_graph_measurements found = load_graph_measurements(library);
  EXPECT_EQ(found.list.size(), 2 * each + 1);
  for (std::uint64_t i = 0; i < each; ++i)
    EXPECT_TRUE(found.of(1000 + i) && found.of(2000 + i)) << i;
}

} // namespace
} // namespace tacit::graphs
