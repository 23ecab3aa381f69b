// What is believed of a file that `tacit selftest` may have written.
#include "graphs/platform/selftest_verdict.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;

class selftest_verdicts : public testing::Test {
protected:
  selftest_verdicts() {
    std::string name = (fs::temp_directory_path() / "tacit-verdict-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~selftest_verdicts() override { fs::remove_all(folder); }
  selftest_verdict of(const std::string& text) const {
    const fs::path file = selftest_file("An MPI 1.2");
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return load_selftest("An MPI 1.2", "nonblocking");
  }
  fs::path folder;
};

std::string cell(const std::string& who, const std::string& kind, const std::string& mode,
                 const std::string& call, const std::string& verdict, int cases, int wrong) {
  return R"({"implementation":")" + who + R"(","topology":")" + kind + R"(","mode":")" + mode +
         R"(","call":")" + call + R"(","verdict":")" + verdict + R"(","cases":)" + std::to_string(cases) +
         R"(,"wrong":)" + std::to_string(wrong) + "}";
}

std::string file_with(const std::string& cells, const std::string& ranks = "[1,2]") {
  return R"({"tacit":"selftest","format":1,"mpi":{"version":"An MPI 1.2"},"ranks":)" + ranks +
         R"(,"cells":[)" + cells + "]}";
}

TEST_F(selftest_verdicts, are_those_on_the_form_and_on_mpi_itself) {
  const selftest_verdict v =
      of(file_with(cell("mpi", "graph", "nonblocking", "alltoall", "right", 3, 0) + "," +
                   cell("mpi", "graph", "nonblocking", "alltoallv", "wrong", 3, 1) + "," +
                   cell("mpi", "graph", "blocking", "alltoallw", "right", 3, 0) + "," +
                   cell("mpi", "graph-multi", "nonblocking", "alltoall", "dies", 1, 0) + "," +
                   cell("tacit", "dist-graph", "nonblocking", "alltoall", "right", 3, 0)));
  EXPECT_EQ(v.library, "An MPI 1.2");
  EXPECT_EQ(v.of("graph", "alltoall"), "right");
  EXPECT_EQ(v.of("graph", "alltoallv"), "wrong");
  EXPECT_EQ(v.of("graph", "alltoallw"), "");
  EXPECT_EQ(v.of("graph-multi", "alltoall"), "dies");
  EXPECT_EQ(v.of("dist-graph", "alltoall"), "");
  EXPECT_EQ(v.of("graph", "allto"), "");
  EXPECT_EQ(v.of("raph", "alltoall"), "");
  EXPECT_NE(v.origin.find("the selftest of 20"), std::string::npos) << v.origin;
}

TEST_F(selftest_verdicts, are_not_believed_against_their_numbers) {
  const selftest_verdict v =
      of(file_with(cell("mpi", "graph", "nonblocking", "alltoall", "right", 0, 0) + "," +
                   cell("mpi", "graph", "nonblocking", "alltoallv", "right", 3, 1) + "," +
                   cell("mpi", "gr,aph", "nonblocking", "alltoall", "right", 3, 0)));
  EXPECT_EQ(v.of("graph", "alltoall"), "without cases");
  EXPECT_EQ(v.of("graph", "alltoallv"), "without cases");
  EXPECT_EQ(v.of("aph", "alltoall"), "");
}

TEST_F(selftest_verdicts, show_nothing_if_the_file_is_not_as_it_is_written) {
  EXPECT_TRUE(load_selftest("An MPI 1.2", "nonblocking").cells.empty()) << "there is none";
  const std::string good = file_with(cell("mpi", "graph", "nonblocking", "alltoall", "right", 3, 0));
  EXPECT_EQ(of(good).of("graph", "alltoall"), "right");
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_TRUE(of(good.substr(0, length)).cells.empty()) << "cut at " << length;
  for (const std::string ranks : {"[]", "[1]", "null", "[\"2\"]", "2"})
    EXPECT_TRUE(of(file_with("", ranks)).cells.empty()) << ranks;
  for (const std::string cells : {"1", "{}", R"({"implementation":"mpi","mode":"nonblocking"})"})
    EXPECT_TRUE(of(file_with(cells)).cells.empty()) << cells;
  std::string sampled = good;
  sampled.insert(1, R"("sampled":true,)");
  EXPECT_TRUE(of(sampled).cells.empty());
  sampled.replace(sampled.find("true"), 4, "false");
  EXPECT_FALSE(of(sampled).cells.empty());
  EXPECT_TRUE(load_selftest("Another MPI", "nonblocking").cells.empty());
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_NE(load_selftest("An MPI 1.2", "nonblocking").origin.find("neither XDG_CACHE_HOME"),
            std::string::npos);
}

} // namespace
} // namespace tacit::graphs
