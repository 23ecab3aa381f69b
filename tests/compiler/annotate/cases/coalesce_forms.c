#include <mpi.h>
void unknown(void);
int more(void);
static int owner(long v) { return (int)(v / 10); }

void forms(MPI_Win win, MPI_Win other, long n) {
  long x = 1;
#pragma mpi osc_coalesce(win, buffer, long, MPI_LONG) no_overlap factor(64) memory(65536)
  for (long i = 0; i < n; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, owner(i), 0, win);
    MPI_Put(&x, 1, MPI_LONG, owner(i), i % 10, 1, MPI_LONG, win);
    MPI_Put(&x, 1, MPI_LONG, owner(i), i % 10, 1, MPI_LONG, other);
    if (i == 3)
      unknown();
#pragma mpi indep MPI_Win(win)
    unknown();
    while (more())
      MPI_Accumulate(&x, 1, MPI_LONG, owner(i), i % 10, 1, MPI_LONG, MPI_SUM, win);
    MPI_Rput(&x, 1, MPI_LONG, owner(i), i % 10, 1, MPI_LONG, win, &(MPI_Request){MPI_REQUEST_NULL});
    MPI_Win_unlock(owner(i), win);
    if (i == 7)
      return;
  }
}
void without_braces(MPI_Win w, int on, long* x) {
  if (on)
#pragma mpi osc_coalesce(w, buffer, long, MPI_LONG)
    for (int i = 0; i < 10; ++i)
      MPI_Put(x, 1, MPI_LONG, 0, i, 1, MPI_LONG, w);
}
void jumps(MPI_Win w, long* x) {
#pragma mpi osc_coalesce(w, buffer, long, MPI_LONG)
  {
    MPI_Put(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    if (*x)
      goto end;
    unknown();
  }
end:
  unknown();
}
void another(MPI_Win w, MPI_Win v, long* x) {
#pragma mpi osc_coalesce(v, buffer, long, MPI_LONG)
  MPI_Put(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
