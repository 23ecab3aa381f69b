#include <mpi.h>
void unknown(void);

void fences(MPI_Win win, int* x, int n) {
#pragma mpi rma(win, buffer, int, MPI_INT, size, rank)
  {
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    for (int i = 0; i < n; ++i) {
      MPI_Put(x, 1, MPI_INT, i, 0, 1, MPI_INT, win);
      MPI_Accumulate(x, 1, MPI_INT, i, 1, 1, MPI_INT, MPI_SUM, win);
    }
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
  }
}
void shared_locks(MPI_Win win, int* x) {
#pragma mpi rma(win, buffer, int, MPI_INT)
  {
    MPI_Win_lock_all(0, win);
    MPI_Get(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
  }
}
void handle_changes(MPI_Win win, MPI_Win other, int* x) {
#pragma mpi rma(win, buffer, int, MPI_INT)
  {
    MPI_Get(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    win = other;
  }
}
void without_claim(MPI_Win win, int* buffer, int me) {
#pragma mpi local_ldst(win, buffer, int, MPI_INT, size, me)
  {
    MPI_Win_lock(2, me, 0, win);
    buffer[0] = 1;
    MPI_Win_unlock(me, win);
  }
}
void relies_on_the_lock(MPI_Win win, int* buffer, int me) {
#pragma mpi local_ldst(win, buffer, int, MPI_INT, size, me) no_overlap
  {
    MPI_Win_lock(2, me, 0, win);
    unknown();
    MPI_Win_unlock(me, win);
  }
}
void relaxed(MPI_Win win, int* buffer, int me) {
  int x = 3;
#pragma mpi local_ldst(win, buffer, int, MPI_INT, size, me) no_overlap incoherent
  {
    MPI_Win_lock(2, me, 0, win);
    buffer[2 * x] = x + 1;
    x = buffer[1];
    MPI_Win_unlock(me, win);
  }
}
void other_window_of_that_name(MPI_Win win, MPI_Win other, int* x) {
#pragma mpi rma(win, buffer, int, MPI_INT)
  {
    MPI_Get(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    {
      MPI_Win win = other;
      MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    }
  }
}
void other_lock_of_that_name(MPI_Win win, MPI_Win other, int* buffer, int me) {
#pragma mpi local_ldst(win, buffer, int, MPI_INT, size, me) no_overlap
  {
    MPI_Win win = other;
    MPI_Win_lock(2, me, 0, win);
    buffer[0] = 1;
    MPI_Win_unlock(me, win);
  }
}
void other_buffer_of_that_name(MPI_Win win, int* buffer, int me) {
#pragma mpi local_ldst(win, buffer, int, MPI_INT, size, me) no_overlap incoherent
  {
    MPI_Win_lock(2, me, 0, win);
    {
      int buffer[2];
      buffer[0] = 2;
      buffer[1] = buffer[0];
    }
    for (int i = 0; i < 3; ++i)
      buffer[i] = i;
    MPI_Win_unlock(me, win);
  }
}
void in_the_head_of_a_loop(MPI_Win win, int* buffer, int me, int i) {
#pragma mpi local_ldst(win, buffer, int, MPI_INT, size, me) no_overlap incoherent
  {
    MPI_Win_lock(2, me, 0, win);
    for (buffer[0] = 0; i < 3; buffer[1] = i)
      ++i;
    MPI_Win_unlock(me, win);
  }
}
// RUN: %transform --diff %s 2>/dev/null | %changes
// RUN: %transform --diff %s 2>&1 >/dev/null | %said
