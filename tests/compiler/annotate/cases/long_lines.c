// What is inserted and too long for a line is taken apart as Clang's formatter does it, also where it is not asked
// (annotate/settled_lines.h).
#include <mpi.h>
void copies(MPI_Win win, int* b, int n, int to) {
#pragma mpi rma(win, b, int, MPI_INT)
  {
    MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
    MPI_Put(b, n, MPI_INT, to, 0, n, MPI_INT, win);
    MPI_Win_unlock(to, win);
  }
}
void collects(MPI_Win win, int* b, int n, int to) {
#pragma mpi osc_coalesce(win, b, int, MPI_INT)
  for (int i = 0; i < n; ++i) {
    MPI_Win_fence(0, win);
    MPI_Put(b, 1, MPI_INT, to, i, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
  }
}
// RUN: rm -rf %t && mkdir %t && grep -v '^//' %s > %t/a.c && echo '{BasedOnStyle: LLVM, ColumnLimit: 70, PointerAlignment: Left}' > %t/.clang-format
// RUN: %transform -q %t/a.c | grep -v '^[^ ]' | %filecheck %s.check --match-full-lines --strict-whitespace --check-prefix=STYLE
// RUN: echo 'DisableFormat: true' > %t/.clang-format
// RUN: %transform -q %t/a.c | grep -v '^[^ ]' | %filecheck %s.check --match-full-lines --strict-whitespace --check-prefix=HABITS
