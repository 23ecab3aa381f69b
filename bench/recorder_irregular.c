// Messages that do not repeat: each has a sender, receiver, tag, length and kind of call by chance, the same on all
// ranks. Arguments: messages, and different tags (8). Prints how many calls all ranks made.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint64_t below(uint64_t end) { // xorshift64
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % end;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long messages = argc > 1 ? atol(argv[1]) : 100000;
  const uint64_t tags = argc > 2 ? (uint64_t)atol(argv[2]) : 8;
  static char sent[256], received[256];
  long calls = 0;
  for (long m = 0; m < messages; ++m) {
    const int from = (int)below((uint64_t)size), to = (from + 1 + (int)below((uint64_t)size - 1)) % size;
    const int tag = (int)below(tags), length = (int)below(200), kind = (int)below(3);
    MPI_Request request;
    if (rank == from) {
      sent[length] = (char)m;
      if (kind == 0) {
        MPI_Send(sent, length, MPI_CHAR, to, tag, MPI_COMM_WORLD);
        calls += 1;
      } else {
        MPI_Isend(sent, length, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        calls += 2;
      }
    }
    if (rank == to) {
      if (kind != 2) {
        MPI_Recv(received, length, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        calls += 1;
      } else {
        MPI_Irecv(received, (int)sizeof received, MPI_CHAR, from, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        calls += 2;
      }
    }
  }
  long all = 0;
  MPI_Reduce(&calls, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("calls %ld\n", all);
  MPI_Finalize();
  return 0;
}
