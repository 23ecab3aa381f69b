#include "interpose/takeover/takeover_report.h"

#include "interpose/layer/environment.h"
#include "vocabulary/base/amounts.h"

#include <array>
#include <atomic>
#include <fmt/format.h>
#include <mpi.h>
#include <string>

namespace tacit::interpose {

namespace {

constexpr auto first_call = static_cast<std::size_t>(mpi_call::Neighbor_allgather);
constexpr auto calls = static_cast<std::size_t>(mpi_call::Neighbor_alltoallw_init) - first_call + 1;
constexpr auto outcomes = static_cast<std::size_t>(outcome::count_of_outcomes);

/// Calls by outcome, row by row; then starts of prepared operations, by tacit and by MPI's native call.
constexpr std::size_t starts_by_tacit = calls * outcomes, native_starts = starts_by_tacit + 1;
constexpr std::size_t numbers = native_starts + 1;
std::array<std::atomic<std::uint64_t>, numbers> counts{};
using outcome_counts = std::array<std::uint64_t, numbers>;

const char* reason_for(outcome what) {
  switch (what) {
  case outcome::native:
    return "MPI's native call was asked for (TACIT_DRIVER=mpi), is faster, or was tried";
  case outcome::intercommunicator:
    return "the communicator is an intercommunicator";
  case outcome::no_topology:
    return "the communicator has no topology";
  case outcome::outside_world:
    return "the communicator has members that have not agreed to it, in MPI_Init or "
           "MPI_Comm_create_from_group (dynamic processes)";
  case outcome::refused:
    return "the program on some rank of the communicator calls functions that no wrapper sees, or has called "
           "MPI_Session_finalize for its last session before; or it was made from a group of one process in "
           "a program without MPI_Init, where MPICH could crash";
  case outcome::not_prepared:
    return "a nonblocking call must not wait for other ranks, and this communicator came from MPI_Comm_idup, "
           "or tacit could not know then that there would be nonblocking calls (before MPI_Init told, or "
           "from "
           "Python); a blocking neighborhood collective on it prepares it";
  case outcome::contradiction:
    return "the ranks contradict each other in edges or sizes";
  case outcome::settings:
    return "a TACIT_ variable or an info key has a value that is not understood or not possible here, or "
           "differs between the ranks (the message above says which)";
  case outcome::trouble:
    return "a rank could not set it up (memory, resources of MPI)";
  case outcome::pieces:
    return "a datatype of some rank has too many pieces to list, which an operation that is prepared needs";
  case outcome::device:
    return "a buffer of some rank is in device memory";
  case outcome::wrong_argument:
    return "an argument is wrong; the MPI library says which";
  default:
    return "";
  }
}

outcome_counts own_counts() {
  outcome_counts mine{};
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = counts[i].load(std::memory_order_relaxed);
  return mine;
}

void tell(const outcome_counts& sum, const std::string& where) {
  std::string taken, left;
  for (std::size_t row = 0; row < calls; ++row) {
    const std::string name(call_name(static_cast<std::uint16_t>(first_call + row)));
    if (const std::uint64_t n = sum[row * outcomes]; n > 0)
      taken += fmt::format("{}{} {}", taken.empty() ? "" : ", ", n, name);
    for (std::size_t what = 1; what < outcomes; ++what)
      if (const std::uint64_t n = sum[row * outcomes + what]; n > 0)
        left += fmt::format("\n  left to the MPI library: {} {}: {}", n, name,
                            reason_for(static_cast<outcome>(what)));
  }
  if (taken.empty())
    taken = left.empty() ? "nothing: the program called no neighborhood collective" : "nothing";
  std::string starts;
  if (sum[starts_by_tacit] + sum[native_starts] > 0)
    starts = fmt::format("\n  starts of prepared operations: {} by tacit, {} by MPI's native calls",
                         sum[starts_by_tacit], sum[native_starts]);
  say(reason::applied, fmt::format("calls taken over on {}: {}{}{}", where, taken, left, starts));
}

} // namespace

void count_outcome(mpi_call call, outcome what, std::uint64_t times) {
  const std::size_t row = static_cast<std::size_t>(call) - first_call;
  counts[row * outcomes + static_cast<std::size_t>(what)].fetch_add(times, std::memory_order_relaxed);
}

void count_start(bool native) {
  counts[native ? native_starts : starts_by_tacit].fetch_add(1, std::memory_order_relaxed);
}

void report_outcomes() {
  const outcome_counts mine = own_counts();
  outcome_counts sum{};
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Reduce(mine.data(), sum.data(), static_cast<int>(sum.size()), MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    tell(sum, count_text(static_cast<std::uint64_t>(size), "rank"));
}

void report_own_outcomes() {
  tell(own_counts(), "rank 0 (ranks of MPI Sessions are not added up)");
}

} // namespace tacit::interpose
