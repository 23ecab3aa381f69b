#include <mpi.h>
void unknown(void);
int failed(int);
static MPI_Win global;

void made_under_a_condition(long* m, int n) {
  MPI_Win w;
  if (n)
    MPI_Win_create(m, n, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
#pragma mpi rma(w, m, long, MPI_LONG)
  if (n) {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    MPI_Win_fence(0, w);
  }
#pragma mpi local_ldst(w, m, long, MPI_LONG) no_overlap
  if (n) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    m[0] = 1;
    MPI_Win_unlock(0, w);
  }
}
void made_by_a_pointer(long* m, int n) {
  MPI_Win w, *p = &w;
#pragma mpi rma(w, m, long, MPI_LONG)
  {
    MPI_Win_create(m, n, 8, MPI_INFO_NULL, MPI_COMM_WORLD, p);
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    MPI_Win_fence(0, w);
  }
}
void changed_by_a_pointer(long* m, MPI_Win other) {
  MPI_Win w = other, *p = &w;
#pragma mpi rma(w, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    *p = global;
    MPI_Win_fence(0, w);
  }
}
void changed_by_a_call(long* m) {
#pragma mpi rma(global, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, global);
    unknown();
    MPI_Win_fence(0, global);
  }
}
static void make(long* m) {
  MPI_Win_create(m, 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &global);
}
static long exchange(MPI_Win* w, MPI_Win with) {
  *w = with;
  return 1;
}
static long let_exchange(MPI_Win* w) { return exchange(w, global); }
static void assign(void) { global = MPI_WIN_NULL; }
static long read_only(void) { return global != MPI_WIN_NULL; }
void changed_by_a_body(long* m, MPI_Win other) {
  make(m);
#pragma mpi rma(global, m, long, MPI_LONG)
  {
    assign();
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, global);
    MPI_Win_fence(0, global);
  }
#pragma mpi rma(other, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, other);
    MPI_Win_fence(0, other);
    let_exchange(&other);
  }
}
void steady(long* m, int n, MPI_Win given) {
  MPI_Win w, v;
  if (failed(MPI_Win_create(m, n, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w)))
    return;
  if (n > 3)
    v = w;
  else {
    unknown();
    MPI_Win_create(m, n, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &v);
  }
  if (n > 5)
#pragma mpi rma(w, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    unknown();
    MPI_Win_fence(0, w);
  }
#pragma mpi rma(v, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, v);
    MPI_Win_fence(0, v);
  }
#pragma mpi rma(given, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, given);
    unknown();
    MPI_Win_fence(0, given);
  }
#pragma mpi rma(global, m, long, MPI_LONG)
  {
    MPI_Put(m, 1, MPI_LONG, 0, 0, 1, MPI_LONG, global);
    m[0] = read_only();
#pragma mpi indep MPI_Win(global)
    unknown();
    MPI_Win_fence(0, global);
  }
}
// RUN: %transform %s 2>&1 >/dev/null | %said
