// Buffers in device memory are MPI's alone. The device is a library (tests/runtime/mpi/fake_device.c) that is loaded as programs load
// theirs: late, and privately. What our code reads or writes by itself shows: the memory is closed while no call of MPI is on the stack.
#include "expect.h"
#include "own_window.h"

#include "runtime/mpi/closed_memory.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

namespace {

constexpr std::size_t room = 1 << 18;
char* device = nullptr;
int failures = 0, operations = 0, me = 0, processes = 1;

using at_work = tacit::test::at_work_on<device, room>;

struct operation_at_work : at_work {
  operation_at_work() { ++operations; }
};

} // namespace

extern "C" {
int MPI_Put(const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt, MPI_Win w) {
  const operation_at_work now;
  return PMPI_Put(o, oc, ot, t, d, tc, tt, w);
}
int MPI_Get(void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt, MPI_Win w) {
  const operation_at_work now;
  return PMPI_Get(o, oc, ot, t, d, tc, tt, w);
}
int MPI_Accumulate(const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt,
                   MPI_Op op, MPI_Win w) {
  const operation_at_work now;
  return PMPI_Accumulate(o, oc, ot, t, d, tc, tt, op, w);
}
int MPI_Fetch_and_op(const void* o, void* r, MPI_Datatype type, int t, MPI_Aint d, MPI_Op op, MPI_Win w) {
  const operation_at_work now;
  return PMPI_Fetch_and_op(o, r, type, t, d, op, w);
}
int MPI_Win_fence(int assertion, MPI_Win w) {
  const at_work now;
  return PMPI_Win_fence(assertion, w);
}
int MPI_Alltoall(const void* o, int oc, MPI_Datatype ot, void* r, int rc, MPI_Datatype rt, MPI_Comm c) {
  const at_work now;
  return PMPI_Alltoall(o, oc, ot, r, rc, rt, c);
}
int MPI_Ialltoall(const void* o, int oc, MPI_Datatype ot, void* r, int rc, MPI_Datatype rt, MPI_Comm c,
                  MPI_Request* q) {
  const at_work now;
  return PMPI_Ialltoall(o, oc, ot, r, rc, rt, c, q);
}
int MPI_Allreduce(const void* o, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  const at_work now; // messages of others make progress in any call
  return PMPI_Allreduce(o, r, n, t, op, c);
}
int MPI_Isend(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q) {
  const at_work now;
  return PMPI_Isend(b, n, t, to, tag, c, q);
}
int MPI_Irecv(void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* q) {
  const at_work now;
  return PMPI_Irecv(b, n, t, from, tag, c, q);
}
int MPI_Testall(int n, MPI_Request* q, int* f, MPI_Status* s) {
  const at_work now;
  return PMPI_Testall(n, q, f, s);
}
int MPI_Wait(MPI_Request* q, MPI_Status* s) { // likewise
  const at_work now;
  return PMPI_Wait(q, s);
}
int MPI_Waitall(int n, MPI_Request* q, MPI_Status* s) {
  const at_work now;
  return PMPI_Waitall(n, q, s);
}
}

namespace {

void load_device() {
  void* const library = dlopen(TACIT_FAKE_DEVICE, RTLD_NOW | RTLD_LOCAL);
  void* const memory =
      library ? mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "rank %d: no device: %s\n", me, dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  device = static_cast<char*>(memory);
}

long* on_device(int place, long value) {
  const at_work copy;
  long* const at = reinterpret_cast<long*>(device) + place;
  *at = value;
  return at;
}

long from_device(const long* at) {
  const at_work copy;
  return *at;
}

/// Of longs, in the host's memory; every process works on the next one.
struct window {
  MPI_Win win = MPI_WIN_NULL;
  long* memory = nullptr;
  int next = (me + 1) % processes;
  window() {
    constexpr MPI_Aint bytes = 64 * sizeof(long);
    memory = make_window<long>(bytes, sizeof(long), MPI_COMM_WORLD, &win);
    std::memset(memory, 0, bytes);
    MPI_Win_fence(0, win);
  }
  ~window() { free_window(memory, &win); }
  window(const window&) = delete;
  window& operator=(const window&) = delete;
};

/// The region and what it has combined are older than the device.
void regions_collect_nothing_of_it() {
  window w;
  tacit_coalesce* r = tacit_coalesce_begin(0, 0, 0, "program.c", 17);
  long one = 1;
  for (int i = 0; i < 3; ++i) {
    tacit_put(r, &one, 1, MPI_LONG, w.next, i, 1, MPI_LONG, w.win);
    tacit_accumulate(r, &one, 1, MPI_LONG, w.next, 10, 1, MPI_LONG, MPI_SUM, w.win);
  }
  EXPECT(operations == 0);
  load_device();
  tacit_accumulate(r, on_device(0, 20), 1, MPI_LONG, w.next, 10, 1, MPI_LONG, MPI_SUM, w.win);
  EXPECT(operations == 2); // what was collected for that place, and it
  tacit_put(r, on_device(1, 300), 1, MPI_LONG, w.next, 11, 1, MPI_LONG, w.win);
  EXPECT(operations == 3);
  tacit_fetch_and_op(r, on_device(2, 4000), on_device(3, -1), MPI_LONG, w.next, 12, MPI_SUM, w.win);
  EXPECT(operations == 4);
  tacit_win_fence(r, 0, w.win);
  EXPECT(operations == 5); // three puts
  EXPECT(w.memory[0] == 1 && w.memory[1] == 1 && w.memory[2] == 1);
  EXPECT(w.memory[10] == 23 && w.memory[11] == 300 && w.memory[12] == 4000);
  EXPECT(from_device(reinterpret_cast<long*>(device) + 3) == 0);
  long* const gotten = on_device(4, -1);
  tacit_get(r, gotten, 1, MPI_LONG, w.next, 11, 1, MPI_LONG, w.win);
  EXPECT(operations == 6);
  tacit_win_fence(r, 0, w.win);
  EXPECT(from_device(gotten) == 300);
  tacit_coalesce_end(&r);
}

/// Answers that were given before the device came are not given again.
void nothing_is_local(const window& w, const tacit_local* before) {
  const int seen = operations;
  const tacit_local* const now = tacit_local_of(w.win, MPI_LONG, 0);
  EXPECT(!tacit_local_access(now, me, 0, sizeof(long)));
  tacit_local_put(now, on_device(5, 5), 1, MPI_LONG, me, 5, 1, MPI_LONG, w.win);
  on_device(6, 6);
  tacit_local_put(before, on_device(7, 7) - 1, 2, MPI_LONG, me, 6, 2, MPI_LONG, w.win);
  EXPECT(operations == seen + 2);
  tacit_local_sync(now);
  MPI_Win_fence(0, w.win);
  EXPECT(w.memory[5] == 5 && w.memory[6] == 6 && w.memory[7] == 7);
  long* const gotten = on_device(8, -1);
  tacit_local_get(now, gotten, 1, MPI_LONG, me, 7, 1, MPI_LONG, w.win);
  MPI_Win_fence(0, w.win);
  EXPECT(operations == seen + 3 && from_device(gotten) == 7);
}

/// Nor does check mode, which keeps copies and spoils buffers, touch it.
void checks_leave_it_alone() {
  setenv("TACIT_COALESCE_CHECK", "1", 1);
  const int right = (me + 1) % processes, left = (me + processes - 1) % processes;
  long *const sent = on_device(16, 100 + me), *const received = on_device(17, -1);
  MPI_Request requests[2];
  tacit_checked_irecv(received, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, &requests[0], "program.c", 18);
  tacit_checked_isend(sent, 1, MPI_LONG, right, 0, MPI_COMM_WORLD, &requests[1], "program.c", 19);
  tacit_checked_statement("program.c", 20);
  tacit_checked_waitall(2, requests, MPI_STATUSES_IGNORE);
  tacit_checked_statement(nullptr, 0);
  EXPECT(from_device(received) == 100 + left);

  constexpr int block = 1024;
  long* const array = reinterpret_cast<long*>(device) + 64;
  long* const gathered = array + static_cast<std::ptrdiff_t>(block) * processes;
  // The first exchange is MPI_Alltoall, of which the parts are only rehearsed.
  for (int round = 0; round < 2; ++round) {
    tacit_pipeline p;
    const tacit_pipeline_store stores[] = {{0, 8, 8, {{8 * block, 0, processes - 1}, {}, {}}}};
    tacit_pipeline_begin(&p, TACIT_PIPELINE_ALWAYS, nullptr, array, block, MPI_LONG, gathered, block,
                         MPI_LONG, MPI_COMM_WORLD, 0, block - 1, stores, 1, "program.c", 21);
    for (int i = 0; i < block; ++i) {
      tacit_pipeline_reached(&p, i);
      for (int to = 0; to < processes; ++to)
        on_device(64 + to * block + i, 1000 * me + to + i + round);
    }
    EXPECT(p.parts == (processes == 1 ? 1 : 2));
    tacit_pipeline_alltoall(&p, array, block, MPI_LONG, gathered, block, MPI_LONG, MPI_COMM_WORLD);
    EXPECT(p.way == (round == 0 || processes == 1 ? 0 : 1));
    for (int from = 0; from < processes; ++from)
      for (int i = 0; i < block; ++i)
        EXPECT(from_device(gathered + from * block + i) == 1000 * from + me + i + round);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  {
    const window w;
    const tacit_local* const before = tacit_local_of(w.win, MPI_LONG, 0);
    EXPECT(tacit_local_access(before, me, 0, sizeof(long)) == w.memory);
    regions_collect_nothing_of_it();
    nothing_is_local(w, before);
  }
  checks_leave_it_alone();
  MPI_Finalize();
  return failures != 0;
}
