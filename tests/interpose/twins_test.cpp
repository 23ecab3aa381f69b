// Two programs that make the same calls, one through C and one through another interface of MPI, leave the
// same recordings: the same calls in the same order with the same data and the same completions.
#include "places.h"
#include "recordings.h"

#include "vocabulary/calls/mpi_calls.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace tacit;
using namespace tacit::interpose;
using namespace tacit::testing;

namespace {

struct twin_run {
  recording_contents ranks[2];
  std::string problems; ///< why it is no whole recording of a program that ended well
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

twin_run run_recorded(const std::string& program) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("tacit-twins-{}-{}", getpid(), program);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string command =
      fmt::format("{2} -n 2 env TACIT_RECORD={0}/rec LD_PRELOAD={3} {4}/{1} > {0}/out 2> {0}/err < /dev/null",
                  folder.string(), program, place("LAUNCHER"), place("INTERPOSER"), place("FOLDER"));
  twin_run run;
  if (std::system(command.c_str()) != 0)
    run.problems = "failed: ";
  const std::string out = text_of(folder / "out"), err = text_of(folder / "err");
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    run.ranks[rank] = read_recording((folder / "rec").string(), rank);
    const recording_contents& r = run.ranks[rank];
    if (!r.exists || !r.started || !r.finished || !r.well_formed || r.finish.records != r.records)
      run.problems += fmt::format("rank {} left no whole recording; ", rank);
    if (out.find(fmt::format("rank {} done\n", rank)) == std::string::npos)
      run.problems += fmt::format("rank {} did not end; ", rank);
  }
  if (!run.problems.empty() || err.find("tacit:") != std::string::npos)
    run.problems += err;
  std::filesystem::remove_all(folder);
  return run;
}

/// Polls that found nothing come as often as they like.
bool is_idle_poll(const seen_call& c) {
  switch (static_cast<mpi_call>(c.record.call)) {
  case mpi_call::Test:
  case mpi_call::Testany:
  case mpi_call::Testall:
  case mpi_call::Iprobe:
  case mpi_call::Improbe:
    return (c.record.header.flags & rec::call_flag_true) == 0;
  case mpi_call::Testsome:
    return c.completions.empty();
  default:
    return false;
  }
}

/// What a call did, without what differs from run to run and program to program: times, addresses, sites, and
/// how the data is described (a copy that the compiler made, or a datatype).
std::vector<std::string> calls_of(const recording_contents& r) {
  std::vector<std::string> lines;
  for (const seen_call& c : r.calls) {
    if (is_idle_poll(c))
      continue;
    const rec::call_record& call = c.record;
    auto flags = call.header.flags & ~rec::call_bottom; // copies have no absolute address
    if (call.call == static_cast<std::uint16_t>(mpi_call::Request_get_status))
      flags &= ~rec::call_flag_true; // of an inactive request: Open MPI 4.1 says no in Fortran and yes in C
    const bool data = call.layout != 0 && call.count != 0;
    std::string line = fmt::format(
        "{} part {} comm {} peer {} tag {} flags {} bytes {} hash {:x} requests {}", call_name(call.call),
        call.part, call.comm, call.peer, call.tag, flags,
        data ? call.count * r.layouts.at(call.layout).record.size : 0, call.hash, c.requests.size());
    for (const rec::completion_record& done : c.completions)
      line += fmt::format("; completes {} from {} tag {} bytes {} hash {:x} flags {}", done.request,
                          done.source, done.tag, done.bytes, done.hash, done.header.flags);
    lines.push_back(line);
  }
  return lines;
}

/// The C program's recording, made once.
const twin_run& reference() {
  static const twin_run& made = *new twin_run(run_recorded("twin_c"));
  return made;
}

void expect_same_as_in_c(const twin_run& run) {
  ASSERT_EQ(reference().problems, "");
  ASSERT_EQ(run.problems, "");
  for (int rank = 0; rank < 2; ++rank) {
    const std::vector<std::string> wanted = calls_of(reference().ranks[rank]),
                                   seen = calls_of(run.ranks[rank]);
    EXPECT_GT(wanted.size(), 90u);
    for (std::size_t i = 0; i < std::min(wanted.size(), seen.size()); ++i)
      ASSERT_EQ(wanted[i], seen[i]) << "rank " << rank << ", call " << i;
    EXPECT_EQ(wanted.size(), seen.size()) << "rank " << rank;
  }
}

/// The call sites are in the program, and not in the library's Fortran binding.
void expect_own_sites(const twin_run& run, const std::string& program) {
  for (const seen_call& call : run.ranks[0].calls) {
    const auto& site = run.ranks[0].sites.at(call.record.site);
    EXPECT_NE(run.ranks[0].modules.at(site.module).find(program), std::string::npos)
        << call_name(call.record.call);
  }
}

class fortran : public ::testing::TestWithParam<const char*> {};

TEST_P(fortran, is_recorded_like_c) {
  if (!has_place("HAS_FORTRAN"))
    GTEST_SKIP() << "no Fortran compiler for this MPI library";
  const twin_run run = run_recorded(GetParam());
  expect_same_as_in_c(run);
  if (!HasFailure())
    expect_own_sites(run, GetParam());
}

INSTANTIATE_TEST_SUITE_P(interfaces, fortran,
                         ::testing::Values("twin_mpif", "twin_use_mpi", "twin_use_mpi_f08"),
                         [](const auto& of) { return std::string(of.param); });

// MPICH's mpi_f08 is given array sections as they are, without a copy: what is recorded are the program's own
// bytes.
TEST(fortran_f08, array_sections_are_where_they_are) {
  if (place("MPI_FAMILY") != "mpich" || !has_place("HAS_FORTRAN"))
    GTEST_SKIP() << "Open MPI 4's mpi_f08 is given copies";
  const twin_run run = run_recorded("twin_use_mpi_f08");
  ASSERT_EQ(run.problems, "");
  std::vector<seen_layout> sent;
  for (const seen_call& c : run.ranks[0].calls)
    if (c.record.call == static_cast<std::uint16_t>(mpi_call::Send))
      sent.push_back(run.ranks[0].layouts.at(c.record.layout));
  ASSERT_GE(sent.size(), 3u);
  using segments = std::vector<std::pair<std::int64_t, std::uint64_t>>;
  const std::size_t first = sent.size() - 3;
  ASSERT_EQ(sent[first].segments.size(), 8u);
  EXPECT_EQ(sent[first].segments[7], (std::pair<std::int64_t, std::uint64_t>(7 * 32, 4)));
  ASSERT_EQ(sent[first + 1].segments.size(), 9u);
  EXPECT_EQ(sent[first + 1].segments[4], (std::pair<std::int64_t, std::uint64_t>(8 - 3 * 32, 4)));
  EXPECT_EQ(sent[first + 2].segments, (segments{{0, 20}, {32, 20}}));
}

TEST(large_counts, are_recorded_like_int) {
  if (!has_place("HAS_LARGE_COUNTS"))
    GTEST_SKIP() << "this MPI library has no MPI_Send_c";
  const twin_run run = run_recorded("twin_c_large");
  expect_same_as_in_c(run);
}

} // namespace
