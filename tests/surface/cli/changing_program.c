/* Traffic that does not repeat: each round the ranks draw other partners, sizes and tags from a common sequence. All kinds of
   calls that begin and complete messages, a collective, and a halo that stays the same.
   changing_program ROUNDS [threads]: the same on two threads of MPI_THREAD_MULTIPLE, each on its own communicator. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rounds;

static uint32_t next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* What is always the same goes together with what never comes again, from one line. */
static void send_in_new_company(MPI_Comm comm, int to, int from, int round) {
  static __thread char out[2][5000], in[2][5000];
  MPI_Request posted[4];
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(in[i], 5000, MPI_BYTE, from, 20 + i, comm, &posted[i]);
    MPI_Isend(out[i], i == 0 ? 48 : 1 + round, MPI_BYTE, to, 20 + i, comm, &posted[2 + i]);
  }
  MPI_Waitall(4, posted, MPI_STATUSES_IGNORE);
}

static void* play(void* argument) {
  MPI_Comm comm = *(MPI_Comm*)argument;
  int rank, size;
  static __thread char out[2][5000], in[4][5000];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  uint64_t state = 42;
  MPI_Request started[2];
  MPI_Send_init(out[1], 100, MPI_BYTE, (rank + 1) % size, 7, comm, &started[0]);
  MPI_Recv_init(in[3], 100, MPI_BYTE, (rank + size - 1) % size, 7, comm, &started[1]);
  for (int round = 0; round < rounds; ++round) {
    const int shift = 1 + (int)(next(&state) % (uint32_t)(size - 1)), bytes = 1 + (int)(next(&state) % 4000);
    const int tag = 100 + (int)(next(&state) % 1000), kind = (int)(next(&state) % 5);
    const int to = (rank + shift) % size, from = (rank + size - shift) % size;
    MPI_Request posted[2];
    memset(out[0], round ^ rank, (size_t)bytes);
    if (kind == 0) {
      MPI_Irecv(in[0], 5000, MPI_BYTE, from, tag, comm, &posted[0]);
      MPI_Isend(out[0], bytes, MPI_BYTE, to, tag, comm, &posted[1]);
      MPI_Waitall(2, posted, MPI_STATUSES_IGNORE);
    } else if (kind == 1) {
      MPI_Irecv(in[0], 5000, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &posted[0]);
      MPI_Send(out[0], bytes, MPI_BYTE, to, tag, comm);
      MPI_Wait(&posted[0], MPI_STATUS_IGNORE);
    } else if (kind == 2) {
      MPI_Sendrecv(out[0], bytes, MPI_BYTE, to, tag, in[1], 5000, MPI_BYTE, from, tag, comm,
                   MPI_STATUS_IGNORE);
    } else if (kind == 3) {
      MPI_Startall(2, started);
      MPI_Waitall(2, started, MPI_STATUSES_IGNORE);
    } else {
      MPI_Isend(out[0], bytes, MPI_BYTE, to, tag, comm, &posted[0]);
      MPI_Recv(in[1], 5000, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
      MPI_Wait(&posted[0], MPI_STATUS_IGNORE);
      MPI_Bcast(out[1], 1 + bytes / 2, MPI_BYTE, (int)(next(&state) % (uint32_t)size), comm);
    }
    MPI_Sendrecv(out[1], 64, MPI_BYTE, (rank + 1) % size, 1, in[2], 64, MPI_BYTE, (rank + size - 1) % size, 1,
                 comm, MPI_STATUS_IGNORE);
    MPI_Send(out[0], 4, MPI_BYTE, MPI_PROC_NULL, 3, comm);
    send_in_new_company(comm, (rank + 1) % size, (rank + size - 1) % size, round);
  }
  MPI_Request_free(&started[0]);
  MPI_Request_free(&started[1]);
  return NULL;
}

int main(int argc, char** argv) {
  const int threads = argc > 2;
  int level;
  rounds = atoi(argv[1]);
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm comms[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  if (threads && level == MPI_THREAD_MULTIPLE) {
    pthread_t other;
    pthread_create(&other, NULL, play, &comms[1]);
    play(&comms[0]);
    pthread_join(other, NULL);
  } else {
    play(&comms[0]);
  }
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
  MPI_Finalize();
  return 0;
}
