// Functions that call the same ones many times are followed once: 30 to the power of 7 walks would take hours.
// RUN: %transform %s 2>&1 >/dev/null | %said
#include <mpi.h>
#define TEN(x) x + x + x + x + x + x + x + x + x + x
#define CALLS(call) TEN(call) + TEN(call) + TEN(call)
static long f0(long x) {
  return x + 1;
}
static long f1(long x) {
  return CALLS(f0(x));
}
static long f2(long x) {
  return CALLS(f1(x));
}
static long f3(long x) {
  return CALLS(f2(x));
}
static long f4(long x) {
  return CALLS(f3(x));
}
static long f5(long x) {
  return CALLS(f4(x));
}
static long f6(long x) {
  return CALLS(f5(x));
}
static long f7(long x) {
  return CALLS(f6(x));
}

void collected(MPI_Win win, long* memory, long value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD)
  {
    MPI_Put(&value, 1, MPI_LONG, 0, f7(3), 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}
