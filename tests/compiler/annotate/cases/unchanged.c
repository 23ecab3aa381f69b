#include <mpi.h>
	int  f(int x)  {	return x
  ; }
#pragma omp parallel
#pragma unknown thing
// no newline at the end
// RUN: %transform %s | cmp - %s