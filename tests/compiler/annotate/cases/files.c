#include <mpi.h>
void compute(double*);
void send(double* a, double* b, MPI_Comm c) {
#pragma mpi cco MPI_Send(c)
  {
    MPI_Send(a, 10, MPI_DOUBLE, 1, 0, c);
#pragma mpi indep MPI_Send(c)
    compute(b);
  }
}
// Files that are changed keep their names, links of both kinds and the permissions; with -q nothing is said of several files.
// RUN: rm -rf %t && mkdir %t && cp %s %t/one.c && cp %s %t/two.c && ln %t/one.c %t/hard.c && ln -s one.c %t/soft.c && chmod 640 %t/two.c
// RUN: %transform -q -i %t/soft.c %t/two.c -- -O1 > %t.said 2>&1 && test ! -s %t.said
// RUN: cmp %t/one.c %t/hard.c && cmp %t/one.c %t/two.c && not cmp %t/one.c %s
// RUN: test -L %t/soft.c && test %t/one.c -ef %t/hard.c
// RUN: stat -c %a %t/two.c | grep -x 640
