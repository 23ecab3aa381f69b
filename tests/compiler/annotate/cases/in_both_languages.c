#include <mpi.h>

#include "Inputs/in_both_languages.h"

void twice(double* a, double* b, MPI_Comm c) {
  send(a, b, c);
  send(a, b, c);
}
// A header that C and C++ would have changed in different ways, as what C calls throws nothing, stays as it is; for one of them it changes.
// RUN: rm -rf %t && mkdir -p %t/Inputs && cp %S/Inputs/in_both_languages.h %t/Inputs && cp %s %t/one.c && cp %s %t/two.cpp && cp %s %t/three.c
// RUN: %transform -q --diff %t/one.c %t/two.cpp -- -O1 > %t.diff 2> %t.said && test ! -s %t.diff
// RUN: grep 'in_both_languages.h: warning: files that include it would have it changed in different ways; it stays as it is' %t.said
// RUN: %transform -q --diff %t/one.c %t/three.c -- -O1 > %t.diff 2> %t.said && test ! -s %t.said && grep MPI_Isend %t.diff
// RUN: %transform -q --diff %t/two.cpp -- -O1 > %t.diff 2> %t.said && test ! -s %t.said && grep MPI_Isend %t.diff
