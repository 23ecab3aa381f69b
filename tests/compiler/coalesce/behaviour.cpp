// What regions and local loads and stores do, seen from the calls that reach MPI and from the memory afterwards. Every process
// works on the next one, so that one process alone works on itself.
//
//     coalesce_behaviour                 all
//     coalesce_behaviour true|false|elsewhere [true]|lost  one claim or mistake, for the words that are said about it
#include "expect.h"
#include "own_window.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>

namespace {
int me, processes, next, failures;
int puts_seen, gets_seen, accumulates_seen, blocks_seen, large_puts_seen;
} // namespace

static int blocks_of(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_HINDEXED ? addresses : 1;
}

extern "C" {
int MPI_Put(const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt, MPI_Win w) {
  ++puts_seen;
  blocks_seen += blocks_of(tt);
  return PMPI_Put(o, oc, ot, t, d, tc, tt, w);
}
int MPI_Get(void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt, MPI_Win w) {
  ++gets_seen;
  return PMPI_Get(o, oc, ot, t, d, tc, tt, w);
}
int MPI_Accumulate(const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt,
                   MPI_Op op, MPI_Win w) {
  ++accumulates_seen;
  blocks_seen += blocks_of(tt);
  return PMPI_Accumulate(o, oc, ot, t, d, tc, tt, op, w);
}
#if MPI_VERSION >= 4
int MPI_Put_c(const void* o, MPI_Count oc, MPI_Datatype ot, int t, MPI_Aint d, MPI_Count tc, MPI_Datatype tt,
              MPI_Win w) {
  ++large_puts_seen;
  return PMPI_Put_c(o, oc, ot, t, d, tc, tt, w);
}
#endif
}

namespace {

/// A window of longs.
class window {
public:
  explicit window(int longs, bool shared = false) : shared_(shared) {
    const MPI_Aint bytes = longs * static_cast<MPI_Aint>(sizeof(long));
    if (shared)
      MPI_Win_allocate_shared(bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    else
      memory = make_window<long>(bytes, sizeof(long), MPI_COMM_WORLD, &win);
    for (int i = 0; i < longs; ++i)
      memory[i] = 1000;
    MPI_Win_fence(0, win);
    puts_seen = gets_seen = accumulates_seen = blocks_seen = large_puts_seen = 0;
  }
  ~window() {
    if (win == MPI_WIN_NULL)
      return;
    if (shared_)
      MPI_Win_free(&win);
    else
      free_window(memory, &win);
  }
  window(const window&) = delete;
  window& operator=(const window&) = delete;
  long* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;

private:
  bool shared_;
};

tacit_coalesce* begin(long long factor = 0, long long memory = 0, int flags = 0) {
  return tacit_coalesce_begin(factor, memory, flags, "program.c", 17);
}

void accumulate(tacit_coalesce* r, long value, int at, MPI_Op op, MPI_Win win) {
  static std::deque<long>
      values; // where a call goes to MPI as it is, MPI reads its value until the epoch ends
  tacit_accumulate(r, &values.emplace_back(value), 1, MPI_LONG, next, at, 1, MPI_LONG, op, win);
}

void combines_what_goes_to_one_place() {
  window w(64);
  tacit_coalesce* r = begin();
  for (int i = 0; i < 1000; ++i)
    accumulate(r, 2000 - i, i % 50, MPI_MIN, w.win);
  tacit_win_fence(r, 0, w.win);
  EXPECT(accumulates_seen == 1 && blocks_seen == 1);
  for (int i = 0; i < 64; ++i)
    EXPECT(w.memory[i] == 1000);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 1000; ++i)
    accumulate(r, -i, i % 50, MPI_MIN, w.win);
  tacit_win_fence(r, 0, w.win);
  for (int i = 0; i < 64; ++i)
    EXPECT(w.memory[i] == (i < 50 ? -(950 + i) : 1000));
  EXPECT(accumulates_seen == 2);
  tacit_coalesce_end(&r);
  EXPECT(r == nullptr);
}

void keeps_the_order_of_what_cannot_be_combined() {
  window w(64);
  auto* const values = reinterpret_cast<double*>(w.memory);
  for (int i = 0; i < 64; ++i)
    values[i] = 0.1;
  MPI_Win_fence(0, w.win);
  tacit_coalesce* r = begin();
  double expected = 0.1;
  for (int i = 0; i < 4; ++i) {
    const double value = 0.3 * (i + 1);
    expected += value;
    for (int at = 0; at < 8; ++at)
      tacit_accumulate(r, &value, 1, MPI_DOUBLE, next, at, 1, MPI_DOUBLE, MPI_SUM, w.win);
  }
  tacit_win_fence(r, 0, w.win);
  EXPECT(accumulates_seen == 4); // one for each time that a place comes again
  for (int at = 0; at < 8; ++at)
    EXPECT(std::memcmp(&values[at], &expected, sizeof expected) == 0);
  tacit_coalesce_end(&r);
}

void sends_before_another_operator_touches_the_place() {
  window w(64);
  tacit_coalesce* r = begin();
  accumulate(r, 7, 3, MPI_SUM, w.win);
  accumulate(r, 5, 40, MPI_MAX, w.win); // elsewhere
  EXPECT(accumulates_seen == 0);
  accumulate(r, 2, 3, MPI_PROD, w.win);
  EXPECT(accumulates_seen == 1);
  tacit_win_fence(r, 0, w.win);
  EXPECT(accumulates_seen == 3 && w.memory[3] == 2014 && w.memory[40] == 1000);
  tacit_coalesce_end(&r);
}

void merges_neighbors_and_keeps_the_last_of_two_puts() {
  window w(64);
  tacit_coalesce* r = begin();
  for (int i = 31; i >= 0; --i) {
    const long value = i;
    tacit_put(r, &value, 1, MPI_LONG, next, i, 1, MPI_LONG, w.win);
  }
  const long again = 77;
  tacit_put(r, &again, 1, MPI_LONG, next, 5, 1, MPI_LONG, w.win);
  tacit_win_fence(r, 0, w.win);
  EXPECT(puts_seen == 1 && blocks_seen == 1);
  for (int i = 0; i < 32; ++i)
    EXPECT(w.memory[i] == (i == 5 ? 77 : i));
  tacit_coalesce_end(&r);
}

void sends_when_the_factor_is_reached() {
  window w(64);
  tacit_coalesce* r = begin(8);
  for (int i = 0; i < 32; ++i)
    accumulate(r, 1, 2 * i, MPI_SUM, w.win);
  EXPECT(accumulates_seen == 4);
  tacit_win_fence(r, 0, w.win);
  EXPECT(accumulates_seen == 4 && blocks_seen == 32);
  tacit_coalesce_end(&r);
  MPI_Barrier(MPI_COMM_WORLD);
  r = begin(1);
  for (int i = 0; i < 32; ++i)
    accumulate(r, 1, 2 * i, MPI_SUM, w.win);
  EXPECT(accumulates_seen == 36);
  tacit_win_fence(r, 0, w.win);
  EXPECT(w.memory[62] == 1002 && w.memory[63] == 1000);
  tacit_coalesce_end(&r);
}

void goes_on_without_memory() {
  constexpr int places = 20000;
  window w(places);
  tacit_coalesce* r = begin(4096, 30000);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < places; ++i)
      accumulate(r, 1, (i * 7) % places, MPI_SUM, w.win);
    tacit_win_fence(r, 0, w.win);
    EXPECT(accumulates_seen >
           places / 2 * (round + 1)); // most were MPI's own, and some were not, again after the fence
    EXPECT(accumulates_seen < (places - 100) * (round + 1));
  }
  for (int i = 0; i < places; ++i)
    EXPECT(w.memory[i] == 1002);
  tacit_coalesce_end(&r);
}

void reuses_memory_within_epochs_of_passive_target() {
  constexpr int places = 20000;
  window w(places);
  tacit_coalesce* r = begin(256, 60000);
  tacit_win_lock_all(r, 0, w.win);
  for (int i = 0; i < places; ++i)
    accumulate(r, 1, (i * 7) % places, MPI_SUM, w.win);
  tacit_win_unlock_all(r, w.win);
  EXPECT(accumulates_seen < places / 50);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w.win);
  for (int i = 0; i < places; ++i)
    EXPECT(w.memory[i] == 1001);
  MPI_Win_unlock(me, w.win);
  tacit_coalesce_end(&r);
}

void gets_are_complete_at_the_synchronization() {
  window w(64);
  for (int i = 0; i < 64; ++i)
    w.memory[i] = i + 64 * me;
  MPI_Win_fence(0, w.win);
  long got[64];
  tacit_coalesce* r = begin();
  for (int i = 0; i < 64; ++i)
    tacit_get(r, &got[63 - i], 1, MPI_LONG, next, i, 1, MPI_LONG, w.win);
  EXPECT(gets_seen == 0);
  tacit_coalesce_send(r, MPI_WIN_NULL, TACIT_ALL_TARGETS);
  EXPECT(gets_seen == 1);
  MPI_Win_fence(0, w.win); // as from code that nobody has transformed
  for (int i = 0; i < 64; ++i)
    EXPECT(got[63 - i] == i + 64 * next);
  tacit_coalesce_end(&r);
}

void serves_several_threads() {
  window w(4000);
  tacit_coalesce* r = begin(64, 0, TACIT_COALESCE_THREADS);
  const auto work = [&](int first) {
    for (int i = 0; i < 8000; ++i) {
      const long value = 1;
      tacit_accumulate(r, &value, 1, MPI_LONG, next, first + 2 * (i % 2000), 1, MPI_LONG, MPI_SUM, w.win);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  tacit_win_fence(r, 0, w.win);
  for (int i = 0; i < 4000; ++i)
    EXPECT(w.memory[i] == 1004);
  tacit_coalesce_end(&r);
}

int leaves_early(MPI_Win win) {
  TACIT_COALESCE_GUARDED tacit_coalesce* r = begin();
  for (int i = 0; i < 64; ++i) {
    accumulate(r, i, i, MPI_MAX, win);
    if (i == 40)
      return i;
  }
  return 0;
}

void loses_nothing_when_the_block_is_left() {
  window w(64);
  for (int i = 0; i < 64; ++i)
    w.memory[i] = -1;
  MPI_Win_fence(0, w.win);
  leaves_early(w.win);
  EXPECT(accumulates_seen == 1);
  MPI_Win_fence(0, w.win);
  for (int i = 0; i < 64; ++i)
    EXPECT(w.memory[i] == (i <= 40 ? i : -1));
  MPI_Barrier(MPI_COMM_WORLD);
  tacit_coalesce* r = begin(); // what the region above left behind is taken back by any synchronization
  tacit_win_fence(r, 0, w.win);
  tacit_coalesce_end(&r);
}

void follows_windows_that_come_and_go() {
  tacit_coalesce* r = begin();
  for (int round = 0; round < 5; ++round) {
    window w(16 << round);
    accumulate(r, round, 15, MPI_SUM, w.win);
    tacit_win_fence(r, 0, w.win);
    EXPECT(w.memory[15] == 1000 + round);
    MPI_Win_fence(0, w.win);
  }
  tacit_coalesce_end(&r);
}

void reports_errors_as_mpi_does() {
  window w(16);
  MPI_Win_set_errhandler(w.win, MPI_ERRORS_RETURN);
  long value = 1;
  tacit_coalesce* r = begin();
  const int own = MPI_Accumulate(&value, 1, MPI_LONG, processes, 0, 1, MPI_LONG, MPI_SUM, w.win);
  const int through = tacit_accumulate(r, &value, 1, MPI_LONG, processes, 0, 1, MPI_LONG, MPI_SUM, w.win);
  int own_class, class_through;
  MPI_Error_class(own, &own_class);
  MPI_Error_class(through, &class_through);
  EXPECT(own != MPI_SUCCESS && own_class == class_through);
  EXPECT(tacit_put(r, &value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, w.win) == MPI_SUCCESS);
  tacit_win_fence(r, 0, w.win);
  tacit_coalesce_end(&r);
}

#if MPI_VERSION >= 4
/// Counts beyond int take the same way as others.
void takes_large_counts() {
  window w(64);
  long values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[2] = {0, 0}, before[2] = {0, 0};
  tacit_coalesce* r = begin();
  MPI_Win_fence(0, w.win);
  for (MPI_Count i = 0; i < 4; ++i)
    EXPECT(tacit_put_c(r, &values[i], MPI_Count{1}, MPI_LONG, next, i, MPI_Count{1}, MPI_LONG, w.win) ==
           MPI_SUCCESS);
  EXPECT(tacit_put_c(r, values + 4, MPI_Count{2}, MPI_LONG, next, 4, MPI_Count{2}, MPI_LONG, w.win) ==
         MPI_SUCCESS);
  for (int again = 0; again < 3; ++again)
    EXPECT(tacit_accumulate_c(r, &values[7], MPI_Count{1}, MPI_LONG, next, 8, MPI_Count{1}, MPI_LONG, MPI_SUM,
                              w.win) == MPI_SUCCESS);
  tacit_win_fence(r, 0, w.win);
  EXPECT(w.memory[0] == 1 && w.memory[3] == 4 && w.memory[5] == 6 && w.memory[6] == 1000 &&
         w.memory[8] == 1024);
  EXPECT(accumulates_seen == 1);
  EXPECT(tacit_get_c(r, got, MPI_Count{2}, MPI_LONG, next, 4, MPI_Count{2}, MPI_LONG, w.win) == MPI_SUCCESS);
  tacit_win_fence(r, 0, w.win);
  EXPECT(got[0] == 5 && got[1] == 6);
  EXPECT(tacit_get_accumulate_c(r, values, MPI_Count{2}, MPI_LONG, before, MPI_Count{2}, MPI_LONG, next, 4,
                                MPI_Count{2}, MPI_LONG, MPI_SUM, w.win) == MPI_SUCCESS);
  tacit_win_fence(r, 0, w.win);
  EXPECT(before[0] == 5 && before[1] == 6 && w.memory[4] == 6 && w.memory[5] == 8);
  tacit_coalesce_end(&r);
}
#endif

void loads_and_stores_own_memory() {
  window w(64);
  tacit_local* const local = tacit_local_of(w.win, MPI_LONG, 0);
  EXPECT(local == tacit_local_of(w.win, MPI_LONG, 0));
  if (!tacit_local_coherent(local))
    return;
  MPI_Win_lock_all(0, w.win);
  long value = 5, got = 0;
  tacit_local_put(local, &value, 1, MPI_LONG, me, 9, 1, MPI_LONG, w.win);
  EXPECT(puts_seen == 0 && w.memory[9] == 5);
  tacit_local_get(local, &got, 1, MPI_LONG, me, 9, 1, MPI_LONG, w.win);
  EXPECT(gets_seen == 0 && got == 5);
  const int small[3] = {1, 2, 3};
  tacit_local_put(local, small, 3, MPI_INT, me, 10, 3, MPI_INT, w.win);
  EXPECT(puts_seen == 0 && std::memcmp(&w.memory[10], small, sizeof small) == 0);
  if (next != me) {
    EXPECT(tacit_local_access(local, next, 0, 8) == nullptr);
    tacit_local_put(local, &value, 1, MPI_LONG, next, 20, 1, MPI_LONG, w.win);
    EXPECT(puts_seen == 1);
  }
#if MPI_VERSION >= 4
  const MPI_Count one = 1, many = (MPI_Count{1} << 32) + 1; // the latter is one as an int
  value = 6;
  tacit_local_put_c(local, &value, one, MPI_LONG, me, 9, one, MPI_LONG, w.win);
  tacit_local_get_c(local, &got, one, MPI_LONG, me, 9, one, MPI_LONG, w.win);
  EXPECT(large_puts_seen == 0 && w.memory[9] == 6 && got == 6);
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_LONG, &nothing);
  MPI_Type_commit(&nothing);
  value = 7;
  tacit_local_put_c(local, &value, many, nothing, me, 9, many, nothing, w.win);
  EXPECT(large_puts_seen == 1 && w.memory[9] == 6);
  MPI_Type_free(&nothing);
#endif
  EXPECT(tacit_local_access(local, me, 63, 8) && !tacit_local_access(local, me, 63, 9) &&
         !tacit_local_access(local, me, -1, 8) && !tacit_local_access(local, processes, 0, 8));
  tacit_local_sync(local);
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(tacit_local_lock_type(local, MPI_LOCK_EXCLUSIVE) == MPI_LOCK_EXCLUSIVE);
  tacit_local* const apart = tacit_local_of(w.win, MPI_LONG, TACIT_LOCAL_NO_OVERLAP);
  EXPECT(tacit_local_lock_type(apart, MPI_LOCK_EXCLUSIVE) == MPI_LOCK_SHARED);
  EXPECT(tacit_local_lock_type(apart, MPI_LOCK_SHARED) == MPI_LOCK_SHARED);
  EXPECT((tacit_local_assert(local, MPI_MODE_NOSTORE | MPI_MODE_NOPUT) & MPI_MODE_NOSTORE) == 0);
}

void stores_to_neighbors_in_shared_windows() {
  window w(64, true);
  tacit_local* const local = tacit_local_of(w.win, MPI_LONG, TACIT_LOCAL_NODE);
  if (!tacit_local_coherent(local))
    return;
  MPI_Win_lock_all(0, w.win);
  const long value = 100 + me;
  tacit_local_put(local, &value, 1, MPI_LONG, next, 3, 1, MPI_LONG, w.win);
  EXPECT(puts_seen == 0);
  tacit_local_sync(local);
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w.win);
  EXPECT(w.memory[3] == 100 + (me + processes - 1) % processes);
  MPI_Win_unlock(me, w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(!tacit_local_access(tacit_local_of(w.win, MPI_LONG, 0), next, 0, 8) || next == me);
}

void claims_no_overlap(bool truly) {
  window w(64);
  tacit_coalesce* r = begin(0, 0, TACIT_COALESCE_NO_OVERLAP);
  for (int i = 0; i < 32; ++i)
    accumulate(r, 1, 2 * i, MPI_SUM, w.win);
  if (!truly)
    accumulate(r, 1, 6, MPI_SUM, w.win);
  tacit_win_fence(r, 0, w.win);
  // Within a batch nothing goes wrong even if the claim is false.
  EXPECT(w.memory[6] == (truly ? 1001 : 1002));
  MPI_Barrier(MPI_COMM_WORLD);
  accumulate(r, 1, 6, MPI_SUM, w.win); // another epoch
  tacit_win_fence(r, 0, w.win);
  tacit_coalesce_end(&r);
}

/// Out of sight of the region: in a function in front of which it sends, and behind its end.
void synchronizes_elsewhere(bool truly) {
  window w(64);
  MPI_Win_lock_all(0, w.win);
  tacit_coalesce* r = begin(0, 0, TACIT_COALESCE_NO_OVERLAP);
  accumulate(r, 1, 6, MPI_SUM, w.win);
  tacit_coalesce_send(r, MPI_WIN_NULL, TACIT_ALL_TARGETS);
  MPI_Win_flush_all(w.win);
  accumulate(r, 1, 6, MPI_SUM, w.win);
  accumulate(r, 1, truly ? 7 : 6, MPI_SUM, w.win);
  tacit_coalesce_end(&r);
  MPI_Win_unlock_all(w.win);
}

void forgets_to_send() {
  auto* const w = new window(64);
  tacit_coalesce* r = begin();
  accumulate(r, 1, 2, MPI_SUM, w->win);
  MPI_Win_fence(0, w->win);
  delete w;
  tacit_coalesce_end(&r);
}

} // namespace

int main(int argc, char** argv) {
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  next = (me + 1) % processes;
  const char* const expected = std::getenv("TACIT_EXPECTED_RANKS");
  if (expected && std::atoi(expected) != processes)
    MPI_Abort(MPI_COMM_WORLD, 2);
  if (argc > 1) {
    if (std::strcmp(argv[1], "lost") == 0)
      forgets_to_send();
    else if (std::strcmp(argv[1], "elsewhere") == 0)
      synchronizes_elsewhere(argc > 2);
    else
      claims_no_overlap(std::strcmp(argv[1], "true") == 0);
  } else {
    combines_what_goes_to_one_place();
    keeps_the_order_of_what_cannot_be_combined();
    sends_before_another_operator_touches_the_place();
    merges_neighbors_and_keeps_the_last_of_two_puts();
    sends_when_the_factor_is_reached();
    goes_on_without_memory();
    reuses_memory_within_epochs_of_passive_target();
    gets_are_complete_at_the_synchronization();
    if (threads >= MPI_THREAD_SERIALIZED) // the region lets one thread at a time call MPI
      serves_several_threads();
    loses_nothing_when_the_block_is_left();
    follows_windows_that_come_and_go();
    reports_errors_as_mpi_does();
#if MPI_VERSION >= 4
    takes_large_counts();
#endif
    loads_and_stores_own_memory();
    stores_to_neighbors_in_shared_windows();
  }
  MPI_Finalize();
  return failures != 0;
}
