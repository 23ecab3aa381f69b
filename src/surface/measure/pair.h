// Two ranks that measure together: rank 0 and rank 1 of the world. The others only take part in making
// windows.
#pragma once

#include "graphs/platform/machine_model.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::surface {

/// Samples per value. Each is the mean of a short block, so that a clock tick does not matter and one
/// interruption spoils only one sample. On a busy machine fewer have to do.
inline constexpr int most_samples = 31, fewest_samples = 5;
inline constexpr double time_per_value = 1.5e8; ///< nanoseconds, for those beyond the fewest

inline double now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct pair {
  MPI_Comm comm = MPI_COMM_NULL; ///< of the two
  int rank = 0;
  int other() const { return 1 - rank; }
  bool first() const { return rank == 0; }
};

/// Counts samples alike on both ranks, and lets them begin each together.
class sampling {
public:
  explicit sampling(const pair& p) : p_(p), end_(now() + time_per_value) {}
  /// Collective: another sample is to be taken.
  bool more() {
    int wanted = taken_ < fewest_samples || (taken_ < most_samples && now() < end_);
    ++taken_;
    MPI_Bcast(&wanted, 1, MPI_INT, 0, p_.comm);
    if (wanted)
      MPI_Barrier(p_.comm);
    return wanted != 0;
  }

private:
  const pair& p_;
  double end_;
  int taken_ = 0;
};

/// Memory that both of a pair reach: a part of each, cleared by its owner, each from a multiple of `alignment` on. It comes from
/// MPI_Win_allocate_shared, which every MPI has. Making it and giving it back are collective.
class pair_memory {
public:
  /// The part of this rank has so many bytes; 0: it has none.
  pair_memory(const pair& p, std::size_t bytes);
  ~pair_memory() { MPI_Win_free(&window_); }
  pair_memory(const pair_memory&) = delete;
  pair_memory& operator=(const pair_memory&) = delete;
  /// The part of a rank of the pair.
  std::byte* of(int rank) const { return parts_[rank]; }

  static constexpr std::size_t alignment = 1024; ///< bytes, as runtime/channel/shared_cache.h wants its marks

private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* parts_[2] = {};
};

/// Sizes of messages, bytes.
const std::vector<std::uint64_t>& sizes();

/// What follows is collective over the pair; the results are complete on rank 0.
std::vector<graphs::message_times> message_costs(const pair& p);

struct eager_result {
  std::uint64_t limit = 0;
  bool always = false;
};
eager_result eager_limit(const pair& p);

/// Per cent of a large message that has moved when its receiver ends a computation which was long enough.
graphs::spread asynchronous_progress(const pair& p, const eager_result& eager);

struct window_result {
  graphs::window_model model = graphs::window_model::none;
  std::vector<graphs::put_cost> puts;
  graphs::put_overlap meanwhile;
  graphs::one_sided_rate put, get, accumulate;
};
window_result window_costs(const pair& p);

struct memory_result {
  graphs::spread flag;
  std::vector<graphs::memory_cost> costs;
};
/// Only if both are on one host.
memory_result memory_costs(const pair& p);

/// From core to core, in nanoseconds: what `memory_costs` has as its flag. Likewise.
double flag_time(const pair& p);

/// Likewise.
std::vector<graphs::channel_time> channel_times(const pair& p);

/// Not in MPI.
void compute_for(double nanoseconds);

/// One 8-byte word of every cache line: as a program that has computed new values. The sender writes them
/// before each send; the cost is part of what is measured.
void rewrite(std::vector<char>& buffer, std::uint64_t bytes, std::uint64_t value);
/// Reads them; the sum keeps the compiler from leaving it out.
std::uint64_t read_through(const std::vector<char>& buffer, std::uint64_t bytes);

} // namespace tacit::surface
