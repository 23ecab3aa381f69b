// options: rename=off
// assume: bytes calls
/* Bytes that a call reaches without a pointer to them: absolute addresses, displacements below a buffer, streams. What is
 * printed must not depend on where the pass completes the messages. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 40000, steps = 3000 };
static struct {
  double inbox[n], outbox[n], behind[2];
} all;
double work[steps], packed[n + 10], results[100];
const char* names[100];
int cases;
static MPI_Datatype absolute_in, absolute_out;
static FILE *in_outbox, *in_memory, *from_inbox;
static const int below[1] = {-n};
static const int count[1] = {n};

#define COMPUTE                                                                                              \
  for (int i = 0; i < steps; i++)                                                                            \
  work[i] = work[i] * 1.0001 + i

static double sum_of(const double* values) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += values[i] * (1 + i % 3);
  return sum;
}

/* Each receives all.inbox, or sends all.outbox, and then reads or writes it in its own way. */
__attribute__((noinline)) static void receive_and_pack(int peer) {
  int position = 0;
  MPI_Recv(all.inbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Pack(MPI_BOTTOM, 1, absolute_in, packed, sizeof packed, &position, MPI_COMM_SELF);
  COMPUTE;
}
__attribute__((noinline)) static void wait_and_pack(int peer) {
  int position = 0;
  MPI_Request request;
  MPI_Irecv(all.inbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Pack(MPI_BOTTOM, 1, absolute_in, packed, sizeof packed, &position, MPI_COMM_SELF);
  COMPUTE;
}
__attribute__((noinline)) static void send_and_unpack(int peer) {
  int position = 0;
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Unpack(packed, sizeof packed, &position, MPI_BOTTOM, 1, absolute_out, MPI_COMM_SELF);
  COMPUTE;
}
__attribute__((noinline)) static void send_and_unpack_at(int peer, void* base) {
  int position = 0;
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Unpack(packed, sizeof packed, &position, base, 1, absolute_out, MPI_COMM_SELF);
  COMPUTE;
}
static void send_and_unpack_somewhere(int peer) {
  send_and_unpack_at(peer, MPI_BOTTOM);
}
__attribute__((noinline)) static void send_and_gather(int peer) {
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Gatherv(packed, n, MPI_DOUBLE, all.behind, count, below, MPI_DOUBLE, 0, MPI_COMM_SELF);
  COMPUTE;
}
__attribute__((noinline)) static void send_and_allgather(int peer) {
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(packed, n, MPI_DOUBLE, all.behind, count, below, MPI_DOUBLE, MPI_COMM_SELF);
  COMPUTE;
}
__attribute__((noinline)) static void send_and_exchange(int peer) {
  static const int here[1] = {0};
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Alltoallv(packed, count, here, MPI_DOUBLE, all.behind, count, below, MPI_DOUBLE, MPI_COMM_SELF);
  COMPUTE;
}
__attribute__((noinline)) static void send_and_write(int peer) {
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  fputs("this goes into the buffer of the stream, which is the message", in_outbox);
  COMPUTE;
}
__attribute__((noinline)) static void send_and_flush(int peer) {
  MPI_Send(all.outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  fprintf(in_memory, "%5d this goes into the memory of the stream, which is the message", peer);
  fflush(in_memory);
  COMPUTE;
}
__attribute__((noinline)) static void receive_and_read(int peer) {
  MPI_Recv(all.inbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (fread(packed, sizeof(double), n, from_inbox) != n)
    packed[0] = -7;
  COMPUTE;
}

static double late(void) {
  for (int round = 0; round < 100; round++)
    COMPUTE;
  return work[1] * 0;
}

static void fill(double* values, int from) {
  for (int i = 0; i < n; i++)
    values[i] = i % 7 + from;
}

static void receiving(const char* name, void (*receive)(int), int rank) {
  names[++cases] = name;
  memset(all.inbox, 0, sizeof all.inbox);
  memset(packed, 0, sizeof packed);
  if (rank == 1) {
    receive(0);
    results[cases] = sum_of(packed);
  } else {
    fill(all.outbox, 1);
    all.outbox[0] += late();
    MPI_Send(all.outbox, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  }
}

static void sending(const char* name, void (*send)(int), int rank) {
  names[++cases] = name;
  fill(packed, 100);
  if (rank == 1) {
    fill(all.outbox, 1);
    send(0);
  } else {
    MPI_Status status;
    all.inbox[0] = late();
    MPI_Recv(all.inbox, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &status);
    results[cases] = sum_of(all.inbox);
  }
}

static MPI_Datatype absolute(void* at) {
  MPI_Datatype made, kind[1] = {MPI_DOUBLE};
  MPI_Aint where[1];
  int length[1] = {n};
  MPI_Get_address(at, where);
  MPI_Type_create_struct(1, length, where, kind, &made);
  MPI_Type_commit(&made);
  return made;
}

#define RECEIVE(function) receiving(#function, function, rank)
#define SEND(function) sending(#function, function, rank)

int main(int argc, char** argv) {
  int rank;
  static double sums[100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  absolute_in = absolute(all.inbox);
  absolute_out = absolute(all.outbox);
  in_outbox = fopen("/dev/null", "w");
  setvbuf(in_outbox, (char*)all.outbox, _IOFBF, sizeof all.outbox);
  in_memory = fmemopen(all.outbox, sizeof all.outbox, "w");
  from_inbox = fmemopen(all.inbox, sizeof all.inbox, "r");
  setvbuf(from_inbox, 0, _IONBF, 0);
#ifndef MPICH_NAME /* MPICH 4.0.2 takes MPI_BOTTOM for a mistake, and ignores the displacement of one rank's Allgatherv */
  RECEIVE(receive_and_pack);
  RECEIVE(wait_and_pack);
  SEND(send_and_unpack);
  SEND(send_and_unpack_somewhere);
  SEND(send_and_allgather);
#endif
  SEND(send_and_gather);
  SEND(send_and_exchange);
  SEND(send_and_write);
  SEND(send_and_flush);
  RECEIVE(receive_and_read);
  MPI_Reduce(results, sums, 100, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i <= cases; i++)
    printf("%s: %g\n", names[i], sums[i]);
  MPI_Finalize();
  return 0;
}
