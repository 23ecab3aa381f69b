// Fences with packed messages, and what MPI's standard allows beside them: windows without memory on some processes or all, of some
// processes in another order, with different units, several at once; assertions; error handlers that return; a region that ends and another
// that begins; gets alone in an epoch. What is in the memory afterwards is what MPI's own calls leave there.
#include "expect.h"
#include "own_window.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {
int me, processes, failures;
int packed_seen, own_seen, handled;
bool fails = false; ///< waiting for messages, after they have come
} // namespace

extern "C" {
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  packed_seen += type == MPI_UINT64_T; // words; what processes agree on beforehand are bytes
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Accumulate(const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt,
                   MPI_Op op, MPI_Win w) {
  ++own_seen;
  return PMPI_Accumulate(o, oc, ot, t, d, tc, tt, op, w);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const int error = PMPI_Waitall(count, requests, statuses);
  return fails ? MPI_ERR_OTHER : error;
}
}

namespace {

class window {
public:
  window(int longs, MPI_Comm comm = MPI_COMM_WORLD, int unit = sizeof(long)) {
    const MPI_Aint bytes = longs * static_cast<MPI_Aint>(sizeof(long));
    memory = make_window<long>(bytes, unit, comm, &win);
    for (int i = 0; i < longs; ++i)
      memory[i] = i;
    packed_seen = own_seen = 0;
    MPI_Barrier(comm);
  }
  ~window() { free_window(memory, &win); }
  window(const window&) = delete;
  window& operator=(const window&) = delete;
  long* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

tacit_coalesce* begin() {
  return tacit_coalesce_begin(0, 0, TACIT_COALESCE_COLLECTIVE, "program.c", 17);
}

void add(tacit_coalesce* r, long value, int target, MPI_Aint at, MPI_Win win) {
  static std::vector<long> values; // MPI's own call reads its value until the epoch ends
  values.reserve(100000);
  values.push_back(value);
  EXPECT(tacit_accumulate(r, &values.back(), 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_SUM, win) ==
         MPI_SUCCESS);
}

void nobody_has_memory() {
  window w(0);
  tacit_coalesce* r = begin();
  for (int i = 0; i < 3; ++i)
    EXPECT(tacit_win_fence(r, 0, w.win) == MPI_SUCCESS);
  tacit_coalesce_end(&r);
}

void some_have_memory() {
  const bool has = me % 2 == 0;
  window w(has ? 10 : 0);
  tacit_coalesce* r = begin();
  tacit_win_fence(r, MPI_MODE_NOPRECEDE, w.win);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int target = 0; target < processes; target += 2)
      for (int i = 0; i < 10; ++i)
        add(r, 1, target, i, w.win);
    tacit_win_fence(r, 0, w.win);
  }
  for (int i = 0; has && i < 10; ++i)
    EXPECT(w.memory[i] == i + 2 * processes);
  EXPECT(own_seen == 0 && (packed_seen > 0 || (me == 0 && processes <= 2)));
  tacit_coalesce_end(&r);
}

/// Ranks of the window are those of the world from the last one down, without the first.
void of_some_processes() {
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, me > 0 || processes == 1 ? 0 : MPI_UNDEFINED, -me, &some);
  if (some == MPI_COMM_NULL)
    return;
  int rank, size;
  MPI_Comm_rank(some, &rank);
  MPI_Comm_size(some, &size);
  {
    window w(4, some);
    MPI_Comm_free(&some);
    tacit_coalesce* r = begin();
    tacit_win_fence(r, 0, w.win);
    for (int target = 0; target < size; ++target)
      add(r, 1 + rank, target, target % 4, w.win);
    tacit_win_fence(r, MPI_MODE_NOSUCCEED, w.win);
    EXPECT(w.memory[rank % 4] == rank % 4 + size * (size + 1) / 2);
    tacit_coalesce_end(&r);
  }
}

/// Each epoch of the two windows ends in another order than it began, and windows of overlapping groups are passed in turns.
void windows_in_turns() {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, me / 2, me, &half);
  int partners;
  MPI_Comm_size(half, &partners);
  {
    window a(8), b(8, half), c(8);
    tacit_coalesce* r = begin();
    tacit_win_fence(r, MPI_MODE_NOPRECEDE, a.win);
    tacit_win_fence(r, 0, b.win);
    tacit_win_fence(r, MPI_MODE_NOPRECEDE, c.win);
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (int i = 0; i < 8; ++i) {
        add(r, 1, (me + 1) % processes, i, a.win);
        add(r, 10, partners - 1, i, b.win);
        add(r, 100, (me + 1) % processes, i, c.win);
      }
      tacit_win_fence(r, epoch == 2 ? MPI_MODE_NOSUCCEED : 0, c.win);
      tacit_win_fence(r, 0, a.win);
      tacit_win_fence(r, 0, b.win);
    }
    int rank;
    MPI_Comm_rank(half, &rank);
    for (int i = 0; i < 8; ++i) {
      EXPECT(a.memory[i] == i + 3 && c.memory[i] == i + 300);
      EXPECT(b.memory[i] == i + (rank == partners - 1 ? 30 * partners : 0));
    }
    EXPECT(own_seen == 0);
    tacit_coalesce_end(&r);
  }
  MPI_Comm_free(&half);
}

/// Whether an operation's place is known to its origin; without that fences stay MPI's.
void units_differ() {
  const int unit = me == processes - 1 ? 4 : 8;
  window w(8, MPI_COMM_WORLD, unit);
  tacit_coalesce* r = begin();
  tacit_win_fence(r, 0, w.win);
  const int to_itself = me;
  add(r, 5, to_itself, 16 / unit, w.win);
  tacit_win_fence(r, 0, w.win);
  EXPECT(w.memory[2] == 7);
  EXPECT(processes == 1 || (own_seen == 1 && packed_seen == 0));
  tacit_coalesce_end(&r);
}

void count(MPI_Win*, int*, ...) {
  ++handled;
}

void errors_are_told_to_the_window() {
  window w(8);
  MPI_Errhandler counts;
  MPI_Win_create_errhandler(count, &counts);
  MPI_Win_set_errhandler(w.win, counts);
  MPI_Errhandler_free(&counts);
  tacit_coalesce* r = begin();
  EXPECT(tacit_win_fence(r, 0, w.win) == MPI_SUCCESS && handled == 0);
  add(r, 1, (me + 1) % processes, 0, w.win);
  fails = true;
  EXPECT(tacit_win_fence(r, 0, w.win) != MPI_SUCCESS && handled == 1);
  fails = false;
  for (int i = 0; i < 2; ++i) { // goes on
    add(r, 1, (me + 1) % processes, 1, w.win);
    EXPECT(tacit_win_fence(r, 0, w.win) == MPI_SUCCESS && handled == 1);
  }
  EXPECT(w.memory[0] == 1 && w.memory[1] == 3);
  tacit_coalesce_end(&r);
}

/// Nothing but gets in an epoch that the next one does not follow: they are complete behind its fence.
void gets_alone() {
  constexpr int places = 5000;
  window w(places);
  tacit_coalesce* r = begin();
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<long> got(places, -1);
    tacit_win_fence(r, MPI_MODE_NOPRECEDE, w.win);
    for (int i = 0; i < places; ++i)
      tacit_get(r, &got[static_cast<std::size_t>(i)], 1, MPI_LONG, (me + 1) % processes, i, 1, MPI_LONG,
                w.win);
    tacit_win_fence(r, MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, w.win);
    int wrong = 0;
    for (int i = 0; i < places; ++i)
      wrong += got[static_cast<std::size_t>(i)] != i;
    EXPECT(wrong == 0);
  }
  tacit_coalesce_end(&r);
}

/// The ground of a window outlives its regions, and MPI's calls between them are no region's.
void regions_in_turns() {
  window w(8);
  const long one = 1;
  for (int i = 0; i < 3; ++i) {
    tacit_coalesce* r = begin();
    tacit_win_fence(r, 0, w.win);
    add(r, 1, (me + 1) % processes, 3, w.win);
    tacit_win_fence(r, 0, w.win);
    add(r, 1, (me + 1) % processes, 3, w.win);
    tacit_coalesce_end(&r); // sends it
    MPI_Accumulate(&one, 1, MPI_LONG, (me + 1) % processes, 3, 1, MPI_LONG, MPI_SUM, w.win);
    MPI_Win_fence(0, w.win);
    MPI_Win_lock(MPI_LOCK_SHARED, (me + 1) % processes, 0, w.win);
    MPI_Accumulate(&one, 1, MPI_LONG, (me + 1) % processes, 3, 1, MPI_LONG, MPI_SUM, w.win);
    MPI_Win_unlock((me + 1) % processes, w.win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w.win);
  EXPECT(w.memory[3] == 3 + 12);
  MPI_Win_unlock(me, w.win);
}

/// Sums of floating-point numbers that arrive in several parts, from several processes, twice at each place in an order that shows.
void sums_in_order() {
  constexpr int places = 60000;
  std::vector<double> first;
  for (int again = 0; again < 2; ++again) {
    window w(places);
    auto* const values = reinterpret_cast<double*>(w.memory);
    for (int i = 0; i < places; ++i)
      values[i] = 0.1;
    tacit_coalesce* r = begin();
    tacit_win_fence(r, 0, w.win);
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < places; ++i) {
        const double value = 0.3 * (me + 1) + k * 1e-9 * i;
        tacit_accumulate(r, &value, 1, MPI_DOUBLE, processes - 1, i, 1, MPI_DOUBLE, MPI_SUM, w.win);
      }
    tacit_win_fence(r, 0, w.win);
    if (again == 0)
      first.assign(values, values + places);
    EXPECT(std::memcmp(first.data(), values, places * sizeof(double)) == 0);
    EXPECT(own_seen == 0);
    tacit_coalesce_end(&r);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  nobody_has_memory();
  some_have_memory();
  of_some_processes();
  windows_in_turns();
  units_differ();
  errors_are_told_to_the_window();
  gets_alone();
  regions_in_turns();
  sums_in_order();
  MPI_Finalize();
  return failures != 0;
}
