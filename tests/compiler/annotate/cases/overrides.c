#include <mpi.h>
void locks(MPI_Win win, long* buf, int target, long x) {
#pragma mpi local_ldst(win, buf, long, MPI_LONG) no_overlap MEMORY
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    buf[3] = x;
    MPI_Win_unlock(target, win);
  }
}
void copies(MPI_Win win, long* buf, int target) {
#pragma mpi rma(win, buf, long, MPI_LONG) MEMORY
  {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Put(buf, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(target, win);
  }
}
void moves(MPI_Win win, long* buf, int target, int n) {
#pragma mpi osc_coalesce(win, buf, long, MPI_LONG) COLLECTED
  {
    for (int i = 0; i < n; ++i)
      MPI_Put(buf + i, 1, MPI_LONG, target, 2 * i, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
  }
}
void sends(const double* a, MPI_Comm c) {
  double b[10] = {0};
#pragma mpi cco MPI_Send(c) SENT
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
    for (int i = 0; i < 10; ++i)
      b[i] += i;
  }
}
void exchanges(double* send, double* got, int n, int size, MPI_Comm comm) {
#pragma mpi overlap MPI_Alltoall(comm) TRAVELS
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p)
      send[p * n + i] = i;
  MPI_Alltoall(send, n, MPI_DOUBLE, got, n, MPI_DOUBLE, comm);
}
// Whatever a description of the platform says, an option of the command comes before it, and a word of the pragma before both; for each
// thing that is decided by it, in both directions.
// RUN: sed 's/ [A-Z]*$//' %s > %t.c
// RUN: %transform --json --platform %S/Inputs/one_node.json %t.c | grep '"text": "[A-Za-z]' | %filecheck %s.check --check-prefix=NODE
// RUN: %transform --platform %S/Inputs/one_node.json --incoherent --coalesce=always --coalesce-factor=64 --coalesce-memory=65536 --eager-limit=79 --pipeline=puts %t.c 2>/dev/null | %filecheck %s.check --check-prefix=FLAGS
// RUN: %transform --platform %S/Inputs/separate.json --coherent --coalesce=never --eager-limit=0 --pipeline=never %t.c 2>/dev/null | %filecheck %s.check --check-prefix=OTHER-FLAGS
// RUN: sed 's/MEMORY/incoherent/; s/COLLECTED/always factor(8) memory(4096)/; s/SENT/always/; s/TRAVELS/always/' %s > %t.c
// RUN: %transform --platform %S/Inputs/one_node.json --coherent --coalesce=never --coalesce-factor=64 --coalesce-memory=65536 --eager-limit=80 --pipeline=never %t.c 2>/dev/null | %filecheck %s.check --check-prefix=WORDS
// RUN: sed 's/MEMORY/coherent/; s/COLLECTED/never/; s/SENT//; s/TRAVELS/never/' %s > %t.c
// RUN: %transform --platform %S/Inputs/separate.json --incoherent --coalesce=always --pipeline=always %t.c 2>/dev/null | %filecheck %s.check --check-prefix=OTHER-WORDS
// The compiler with --annotations takes the same options.
// RUN: sed 's/ [A-Z]*$//' %s > %t.c
// RUN: %cc --coalesce=never --pipeline=never -S -o - %t.c | not grep -E "call.*tacit_(put|pipeline_begin)\b"
// RUN: %cc --coalesce-factor=77 --pipeline=puts -S -o - %t.c | grep -c -E "call.*tacit_put\b" | grep -x 1
// RUN: not %cc --coherent --incoherent -S -o - %t.c 2>&1 | grep "excludes"
