// A client does calls in the library's place (taking_client.cpp), for programs in C and Fortran; and nobody
// may where some call is not seen.
#include "places.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace tacit::testing;

namespace {

struct ended_run {
  int status = 0;
  std::string out, err;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

ended_run run(const std::string& program, const std::string& arguments, bool with_taker) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("tacit-taken-{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string command =
      fmt::format("{} -n 2 env {} LD_PRELOAD={} {}/{} {} > {}/out 2> {}/err < /dev/null", place("LAUNCHER"),
                  with_taker ? "TEST_TAKER=1" : "NOTHING=1", place("INTERPOSER"), place("FOLDER"), program,
                  arguments, folder.string(), folder.string());
  ended_run ended;
  ended.status = std::system(command.c_str());
  ended.out = text_of(folder / "out");
  ended.err = text_of(folder / "err");
  std::filesystem::remove_all(folder);
  return ended;
}

void expect_well(const ended_run& ended) {
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("rank 0 done"), std::string::npos) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("rank 1 done"), std::string::npos) << ended.out << ended.err;
}

class taken : public ::testing::TestWithParam<std::string> {};

TEST_P(taken, results_arrive_in_the_callers_language) {
  const ended_run ended = run(GetParam(), "taken", true);
  expect_well(ended);
  EXPECT_EQ(ended.err.find("tacit:"), std::string::npos) << ended.err;
}

TEST_P(taken, the_library_does_it_without_a_client) {
  expect_well(run(GetParam(), "library", false));
}

INSTANTIATE_TEST_SUITE_P(programs, taken, ::testing::ValuesIn(places("TAKEN_PROGRAMS")),
                         [](const auto& of) { return of.param; });

TEST(retired, a_client_that_fails_while_other_threads_call_leaves_the_rest_to_the_library) {
  const ended_run ended = run("taken_c", "retired", true);
  expect_well(ended);
  EXPECT_NE(ended.err.find("asked to fail"), std::string::npos) << ended.err;
}

TEST(coverage_check, a_call_by_a_profiling_name_forbids_taking_over) {
  // The program of this test calls PMPI_Barrier as well, so that nothing may be taken over, and rank 0 says
  // so.
  const ended_run ended = run("taken_c_gap", "library", true);
  expect_well(ended);
  const std::size_t first = ended.err.find("tacit: TACIT-085");
  EXPECT_NE(first, std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("PMPI_Barrier (the program)"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("tacit:", first + 1), std::string::npos) << ended.err;
}

} // namespace
