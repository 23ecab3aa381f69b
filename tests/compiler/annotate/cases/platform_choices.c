#include <mpi.h>

// Single puts and gets, which no rate but the platform's says are worth collecting.
void moves(MPI_Win win, long* buf, int target, int n) {
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG)
  {
    for (int i = 0; i < n; ++i) {
      MPI_Put(buf + i, 1, MPI_LONG, target, 2 * i, 1, MPI_LONG, win);
      MPI_Get(buf + n + i, 1, MPI_LONG, target, 2 * i + 1, 1, MPI_LONG, win);
    }
    MPI_Win_fence(0, win);
  }
}
// Accumulates combine what goes to one place.
void adds(MPI_Win win, long* buf, int target, int n) {
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG)
  {
    for (int i = 0; i < n; ++i)
      MPI_Accumulate(buf + i, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
  }
}
// The pragma's own words come first.
void words(MPI_Win win, long* buf, int target, int n) {
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG) always factor(100)
  {
    for (int i = 0; i < n; ++i)
      MPI_Put(buf + i, 1, MPI_LONG, target, 2 * i, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG) never
  {
    for (int i = 0; i < n; ++i)
      MPI_Put(buf + i, 1, MPI_LONG, target, 2 * i, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}
void copies(MPI_Win win, long* buf, int target) {
#pragma mpi rma(win, buf, long, MPI_LONG)
  {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Put(buf, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(target, win);
  }
}
void exchanges(double* send, double* got, int n, int size, MPI_Comm comm) {
#pragma mpi overlap MPI_Alltoall(comm)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p)
      send[p * n + i] = i;
  MPI_Alltoall(send, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
#pragma mpi overlap MPI_Alltoall(comm) puts
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p)
      send[p * n + i] = i;
  MPI_Alltoall(send, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
#pragma mpi overlap MPI_Alltoall(comm) never
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p)
      send[p * n + i] = i;
  MPI_Alltoall(send, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}
// RUN: %transform --platform %S/Inputs/network.json %s 2>/dev/null | %filecheck %s.check --check-prefix=NETWORK
// RUN: %transform --diff --platform %S/Inputs/network.json %s 2>&1 >/dev/null | %said=SAID-NETWORK
// RUN: %transform --diff --platform %S/Inputs/one_node.json %s 2>&1 >/dev/null | %said=SAID-NODE
// RUN: %transform --diff --platform %S/Inputs/separate.json %s 2>&1 >/dev/null | %said=SAID-SEPARATE
// RUN: %transform --diff --platform %S/Inputs/one_node.json --coalesce=always --coalesce-factor=64 --coalesce-memory=4096 --pipeline=always --coherent %s 2>&1 >/dev/null | %said=SAID-FLAG
// RUN: %transform --coalesce=always --coalesce-factor=64 --coalesce-memory=4096 %s 2>/dev/null | grep -c "tacit_coalesce_begin(64, 4096, 0" | grep -x 3
// RUN: %transform --json --platform %S/Inputs/one_node.json %s | grep -c '"decided_by": "platform"' | grep -x 4
// RUN: %transform --coalesce=never --pipeline=never %s 2>/dev/null | grep -c "tacit_coalesce_begin(" | grep -x 3
// RUN: %transform --diff %s 2>&1 >/dev/null | %said=SAID
