#include <mpi.h>
namespace mine {
MPI_Datatype six = MPI_INT;
}
struct pair {
  MPI_Datatype type;
  int count;
};
void brought_in(MPI_Win win, int* x) {
  using mine::six;
#pragma mpi rma(win, x, int, six)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
}
void brought_in_with_all(MPI_Win win, int* x) {
  using namespace mine;
#pragma mpi rma(win, x, int, six)
  MPI_Put(x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
}
void taken_apart(MPI_Win win, int* x) {
  auto [type, count] = pair{MPI_INT, 1};
#pragma mpi rma(win, x, int, type)
  MPI_Put(x, count, MPI_INT, 0, 0, 1, MPI_INT, win);
}
// RUN: %transform --diff %s -- -std=c++17 2>&1 >/dev/null | %said
