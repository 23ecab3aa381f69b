/* Small MPI programs whose every call is known; test_interpose runs them under the recorder and compares.
   Each is a function of (rank, size); the first argument of main names it. They know nothing of the recorder.
 */
#define _GNU_SOURCE
#include "guarded_device.h"

#include <mpi.h>

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define NOT_INLINED __attribute__((noinline, noclone))

static void fill(char* buffer, int bytes, unsigned seed) {
  for (int i = 0; i < bytes; ++i) {
    seed = seed * 1103515245U + 12345U;
    buffer[i] = (char)(seed >> 16);
  }
}

static char* buffer_of(int bytes, int seed) {
  char* buffer = malloc((size_t)bytes);
  fill(buffer, bytes, seed);
  return buffer;
}

static void blocking(int rank, int size) {
  (void)size;
  char* b = buffer_of(4096, rank + 1);
  char* r = buffer_of(4096, 9);
  MPI_Status status;
  if (rank == 0) {
    MPI_Send(b, 4096, MPI_CHAR, 1, 5, W);
    MPI_Ssend(b + 16, 100, MPI_INT, 1, 6, W);
    MPI_Send(b, 0, MPI_CHAR, 1, 7, W);
    MPI_Send(b, 8, MPI_CHAR, MPI_PROC_NULL, 8, W);
    MPI_Recv(r, 8, MPI_CHAR, MPI_PROC_NULL, 8, W, &status);
  } else if (rank == 1) {
    MPI_Recv(r, 4096, MPI_CHAR, 0, 5, W, MPI_STATUS_IGNORE);
    MPI_Recv(r, 1024, MPI_INT, MPI_ANY_SOURCE, 6, W, &status);
    MPI_Recv(r, 4096, MPI_CHAR, 0, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
  }
  free(b);
  free(r);
}

static void datatypes(int rank, int size) {
  (void)size;
  double* m = malloc(100 * sizeof *m);
  for (int i = 0; i < 100; ++i)
    m[i] = rank * 1000 + i;
  MPI_Datatype column, pieces, moved;
  MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  int lengths[2] = {3, 2};
  MPI_Aint at[2];
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Get_address(&m[20], &at[0]);
  MPI_Get_address(&m[4], &at[1]);
  MPI_Type_create_struct(2, lengths, at, types, &pieces); /* absolute addresses, later memory first */
  MPI_Type_commit(&pieces);
  MPI_Aint shift[1] = {80};
  int one[1] = {10};
  MPI_Type_create_hindexed(1, one, shift, MPI_DOUBLE, &moved); /* starts 80 bytes after the buffer */
  MPI_Type_commit(&moved);
  if (rank == 0) {
    MPI_Send(m + 3, 1, column, 1, 1, W); /* ten pieces ... */
    MPI_Send(MPI_BOTTOM, 1, pieces, 1, 2, W);
    MPI_Send(m, 1, moved, 1, 3, W);
  } else if (rank == 1) {
    MPI_Recv(m, 10, MPI_DOUBLE, 0, 1, W, MPI_STATUS_IGNORE); /* ... received as one */
    MPI_Recv(MPI_BOTTOM, 1, pieces, 0, 2, W, MPI_STATUS_IGNORE);
    MPI_Recv(m, 1, moved, 0, 3, W, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&column);
  MPI_Type_free(&pieces);
  MPI_Type_free(&moved);
  free(m);
}

static void persistent(int rank, int size) {
  (void)size;
  char* b = buffer_of(2048, 3);
  MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (rank == 0) {
    MPI_Send_init(b, 1024, MPI_CHAR, 1, 1, W, &r[0]);
    MPI_Ssend_init(b + 1024, 512, MPI_CHAR, 1, 2, W, &r[2]);
  } else if (rank == 1) {
    MPI_Recv_init(b, 1024, MPI_CHAR, 0, 1, W, &r[0]);
    MPI_Recv_init(b + 1024, 1024, MPI_CHAR, MPI_ANY_SOURCE, 2, W, &r[2]);
  }
  if (rank < 2) {
    MPI_Wait(&r[0], MPI_STATUS_IGNORE); /* inactive: returns at once */
    for (int i = 0; i < 2; ++i) {
      if (rank == 0)
        fill(b, 2048, 50 + i);
      MPI_Start(&r[0]);
      MPI_Start(&r[2]);
      MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request both[2] = {r[2], r[0]};
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[2]);
  }
  free(b);
}

static void completion(int rank, int size) {
  (void)size;
  char* b = buffer_of(8 * 600, rank);
  MPI_Request r[8];
  MPI_Status s[8];
  int index, count, indices[8], flag;
  for (int i = 0; i < 8; ++i)
    r[i] = MPI_REQUEST_NULL;
  if (rank == 0) {
    for (int i = 0; i < 6; ++i)
      MPI_Isend(b + i * 600, 600, MPI_CHAR, 1, i, W, &r[i]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    for (int i = 0; i < 6; ++i)
      MPI_Irecv(b + i * 600, 600, MPI_CHAR, 0, i, W, &r[i]);
    MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(8, r, &count, indices, MPI_STATUSES_IGNORE);
    do
      MPI_Testany(8, r, &index, &flag, s);
    while (!flag);
    do
      MPI_Testall(8, r, &flag, s);
    while (!flag);
    MPI_Testsome(8, r, &count, indices, s); /* nothing left: MPI_UNDEFINED */
    MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
  }
  MPI_Request q = MPI_REQUEST_NULL;
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_Recv(b, 1, MPI_CHAR, 1, 77, W, MPI_STATUS_IGNORE);
    MPI_Send(b, 600, MPI_CHAR, 1, 78, W);
  } else if (rank == 1) {
    MPI_Irecv(b, 600, MPI_CHAR, 0, 78, W, &q);
    for (int i = 0; i < 50; ++i) { /* cannot succeed yet */
      MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
      MPI_Iprobe(0, 80, W, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Send(b + 600, 1, MPI_CHAR, 0, 77, W);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
  }
  if (rank == 0) {
    MPI_Isend(b, 4, MPI_CHAR, 1, 79, W, &q);
    MPI_Request_free(&q);
  } else if (rank == 1) {
    MPI_Recv(b, 4, MPI_CHAR, 0, 79, W, MPI_STATUS_IGNORE);
  }
  free(b);
}

/* Polls that find nothing, of each kind and from several places in turn, and then those that find something. */
static void polls(int rank, int size) {
  (void)size;
  char* b = buffer_of(3 * 600, rank);
  MPI_Request r[2];
  MPI_Status s[2];
  MPI_Message m;
  int flag, index, count, indices[2];
  if (rank == 0) {
    for (int k = 0; k < 2; ++k) {
      MPI_Recv(b, 1, MPI_CHAR, 1, 77, W, MPI_STATUS_IGNORE);
      MPI_Send(b + k * 600, 600, MPI_CHAR, 1, k, W);
    }
  } else if (rank == 1) {
    for (int k = 0; k < 2; ++k)
      MPI_Irecv(b + k * 600, 600, MPI_CHAR, 0, k, W, &r[k]);
    for (int i = 0; i < 1000; ++i) {
      MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
      MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
      MPI_Testany(1 + i % 2, r, &index, &flag, s);
    }
    for (int i = 0; i < 700; ++i) {
      MPI_Testsome(1, r + i % 2, &count, indices, s);
      MPI_Testall(1 + i % 2, r, &flag, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 600; ++i) {
      MPI_Iprobe(0, 90 + i % 2, W, &flag, s);
      MPI_Improbe(MPI_ANY_SOURCE, 90, W, &flag, &m, s);
    }
    MPI_Send(b + 1200, 1, MPI_CHAR, 0, 77, W);
    do
      MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    while (!flag);
    MPI_Send(b + 1200, 1, MPI_CHAR, 0, 77, W);
    do
      MPI_Testany(1, &r[1], &index, &flag, s);
    while (!flag);
    MPI_Get_count(s, MPI_CHAR, &count);
    if (index != 0 || s->MPI_SOURCE != 0 || s->MPI_TAG != 1 || count != 600 || r[0] != MPI_REQUEST_NULL ||
        r[1] != MPI_REQUEST_NULL)
      MPI_Abort(W, 1);
  }
  free(b);
}

static void probes(int rank, int size) {
  (void)size;
  char* b = buffer_of(4096, rank);
  MPI_Status s;
  MPI_Message m;
  MPI_Request q;
  int flag = 0;
  if (rank == 0) {
    MPI_Recv(b, 0, MPI_CHAR, 1, 1, W, MPI_STATUS_IGNORE);
    for (int tag = 10; tag < 15; ++tag)
      MPI_Send(b, 100 * tag, MPI_CHAR, 1, tag, W);
  } else if (rank == 1) {
    for (int i = 0; i < 20; ++i)
      MPI_Iprobe(0, 10, W, &flag, MPI_STATUS_IGNORE); /* nothing can be there */
    MPI_Send(b, 0, MPI_CHAR, 0, 1, W);
    MPI_Probe(MPI_ANY_SOURCE, 10, W, &s);
    MPI_Recv(b, 4096, MPI_CHAR, s.MPI_SOURCE, s.MPI_TAG, W, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &m, &s);
    MPI_Mrecv(b, 4096, MPI_CHAR, &m, MPI_STATUS_IGNORE);
    do
      MPI_Improbe(0, 12, W, &flag, &m, &s);
    while (!flag);
    MPI_Imrecv(b, 4096, MPI_CHAR, &m, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, W, &m, &s);
    MPI_Mrecv(b, 4096, MPI_CHAR, &m, &s);
    MPI_Recv(b, 4096, MPI_CHAR, 0, 13, W, &s);
    MPI_Recv(b, 4096, MPI_CHAR, 0, 14, W, &s);
  }
  free(b);
}

static void cancelled(int rank, int size) {
  (void)size;
  char* b = buffer_of(1024, rank);
  MPI_Request q;
  MPI_Irecv(b, 1024, MPI_CHAR, MPI_ANY_SOURCE, 99, W, &q); /* nobody sends this */
  MPI_Cancel(&q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  free(b);
}

static void sendrecv(int rank, int size) {
  char* b = buffer_of(4096, rank);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Sendrecv(b, 1000, MPI_CHAR, right, 1, b + 2048, 2000, MPI_CHAR, left, 1, W, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(b, 500, MPI_CHAR, right, 2, left, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
  MPI_Sendrecv(b, 10, MPI_CHAR, rank, 3, b + 100, 10, MPI_CHAR, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(b);
}

static void communicators(int rank, int size) {
  MPI_Comm half, twin, line, lone, later, chosen, inter, merged;
  MPI_Request q;
  MPI_Group all, one;
  MPI_Comm_split(W, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &twin);
  int dims[1] = {size}, periods[1] = {1}, remain[1] = {0};
  MPI_Cart_create(W, 1, dims, periods, 0, &line);
  MPI_Cart_sub(line, remain, &lone);
  MPI_Comm_split(W, rank == 0 ? MPI_UNDEFINED : 1, 0, &chosen);
  if (chosen != MPI_COMM_NULL)
    MPI_Comm_free(&chosen);
  MPI_Comm_idup(W, &later, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Barrier(later);
  MPI_Comm_group(W, &all);
  const int zero = 0;
  MPI_Group_incl(all, 1, &zero, &one);
  if (rank == 0) {
    MPI_Comm_create_group(W, one, 5, &chosen); /* only rank 0 calls it */
    MPI_Comm_free(&chosen);
  }
  MPI_Comm_create(W, all, &chosen);
  MPI_Comm_split(W, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, W, rank % 2 ? 0 : 1, 4, &inter);
  char c = (char)rank;
  if (rank == 0)
    MPI_Send(&c, 1, MPI_CHAR, 0, 3, inter);
  if (rank == 1)
    MPI_Recv(&c, 1, MPI_CHAR, 0, 3, inter, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Barrier(merged);
  MPI_Group_free(&all);
  MPI_Group_free(&one);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
}

static void collectives(int rank, int size) {
  int* a = malloc(4096 * sizeof *a);
  int* b = malloc(4096 * sizeof *b);
  int counts[64], displacements[64];
  MPI_Request q;
  for (int i = 0; i < 4096; ++i)
    a[i] = rank, b[i] = 0;
  for (int i = 0; i < size; ++i)
    counts[i] = i + 1, displacements[i] = 10 * i;
  MPI_Bcast(a, 100, MPI_INT, 1, W);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : a, 7, MPI_INT, b, 7, MPI_INT, 0, W);
  MPI_Scatterv(a, counts, displacements, MPI_INT, b, rank + 1, MPI_INT, 0, W);
  MPI_Allreduce(MPI_IN_PLACE, b, 11, MPI_INT, MPI_SUM, W);
  MPI_Alltoall(a, 3, MPI_INT, b, 3, MPI_INT, W);
  MPI_Allgatherv(a, rank + 1, MPI_INT, b, counts, displacements, MPI_INT, W);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_MAX, W);
  MPI_Ibcast(a, 5, MPI_INT, 0, W, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Ibarrier(W, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  free(a);
  free(b);
}

/* Rank 1 sends to rank 0 what rank 0 sent before: all of it, half of it, parts of two messages regrouped,
   changed content, and the same content from another place. */
static void forwards(int rank, int size) {
  (void)size;
  char* b = buffer_of(16384, 7 + rank);
  char* other = buffer_of(16384, 8);
  if (rank == 0) {
    for (int i = 0; i < 2; ++i)
      MPI_Send(b + 4096 * i, 4096, MPI_CHAR, 1, i, W);
    for (int i = 0; i < 6; ++i)
      MPI_Recv(other, 8192, MPI_CHAR, 1, 10 + i, W, MPI_STATUS_IGNORE);
    fill(b, 4096, 1234);
    MPI_Send(b, 4096, MPI_CHAR, 1, 2, W);
    MPI_Recv(other, 8192, MPI_CHAR, 1, 16, W, MPI_STATUS_IGNORE);
    MPI_Recv(other, 8192, MPI_CHAR, 1, 17, W, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(b, 4096, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE);
    MPI_Recv(b + 4096, 4096, MPI_CHAR, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Send(b, 4096, MPI_CHAR, 0, 10, W);        /* whole */
    MPI_Send(b + 1000, 2000, MPI_CHAR, 0, 11, W); /* part */
    MPI_Send(b + 2048, 4096, MPI_CHAR, 0, 12, W); /* regrouped: second half of one, first half of the other */
    memcpy(other, b, 4096);
    MPI_Send(other, 4096, MPI_CHAR, 0, 13, W); /* same content, other place */
    fill(b, 4096, 99);
    MPI_Send(b, 4096, MPI_CHAR, 0, 14, W); /* same place, other content */
    MPI_Send(b, 8192, MPI_CHAR, 0, 15, W); /* only the second half is forwarded */
    MPI_Recv(b, 4096, MPI_CHAR, 0, 2, W, MPI_STATUS_IGNORE);
    MPI_Send(b, 8192, MPI_CHAR, 0, 16, W); /* two versions of the buffer side by side */
    char copy[4096];
    memcpy(copy, b, 4096);
    free(b);
    b = malloc(16384);
    memcpy(b, copy, 4096);
    MPI_Send(b, 4096, MPI_CHAR, 0, 17, W); /* freed and allocated anew, perhaps at the same address */
  }
  free(b);
  free(other);
}

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int release(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void unmodelled(int rank, int size) {
  (void)rank, (void)size;
  MPI_File file;
  char byte = 0;
  if (MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
    MPI_File_read(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Request q;
  MPI_Grequest_start(query, release, cancel, NULL, &q);
  MPI_Grequest_complete(q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static void* ping(void* argument) {
  const int tag = (int)(long)argument;
  int rank;
  MPI_Comm_rank(W, &rank);
  char* b = buffer_of(1024, tag);
  for (int i = 0; i < 200; ++i) {
    MPI_Request q;
    if (rank == 0) {
      MPI_Isend(b, 1024, MPI_CHAR, 1, tag, W, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Irecv(b, 1024, MPI_CHAR, 0, tag, W, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
  }
  free(b);
  return NULL;
}

static void threads(int rank, int size) {
  (void)rank, (void)size;
  pthread_t t[3];
  for (long i = 0; i < 3; ++i)
    pthread_create(&t[i], NULL, ping, (void*)(i + 1));
  for (int i = 0; i < 3; ++i)
    pthread_join(t[i], NULL);
}

static void forked(int rank, int size) {
  (void)size;
  char* b = buffer_of(1024, rank);
  MPI_Sendrecv_replace(b, 1024, MPI_CHAR, rank, 1, rank, 1, W, MPI_STATUS_IGNORE);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 1000; ++i)
      free(malloc(4096));
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
    printf("child failed\n");
  MPI_Sendrecv_replace(b, 1024, MPI_CHAR, rank, 2, rank, 2, W, MPI_STATUS_IGNORE);
  free(b);
}

/* A long run that is cut short: rank 1 dies after 1000 messages. */
static void killed(int rank, int size) {
  (void)size;
  char* b = buffer_of(256, rank);
  for (int i = 0; i < 3000; ++i) {
    if (rank == 0)
      MPI_Sendrecv(b, 64, MPI_CHAR, 1, 1, b + 64, 64, MPI_CHAR, 1, 2, W, MPI_STATUS_IGNORE);
    if (rank == 1) {
      if (i == 1000)
        raise(SIGKILL);
      MPI_Sendrecv(b, 64, MPI_CHAR, 0, 2, b + 64, 64, MPI_CHAR, 0, 1, W, MPI_STATUS_IGNORE);
    }
  }
  free(b);
}

static void aborted(int rank, int size) {
  (void)size;
  char b[64] = {0};
  MPI_Sendrecv_replace(b, 64, MPI_CHAR, rank, 1, rank, 1, W, MPI_STATUS_IGNORE);
  if (rank == 0)
    MPI_Abort(W, 3);
  MPI_Recv(b, 64, MPI_CHAR, 0, 2, W, MPI_STATUS_IGNORE);
}

/* Many more records than fit under the limit on file size that the test sets. */
static void much(int rank, int size) {
  (void)size;
  char* b = buffer_of(1024, rank);
  for (int i = 0; i < 20000; ++i)
    MPI_Sendrecv_replace(b, 16, MPI_CHAR, rank, i % 7, rank, i % 7, W, MPI_STATUS_IGNORE);
  free(b);
}

static void limited(int rank, int size) {
  const struct rlimit limit = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  much(rank, size);
}

/* Buffers in device memory, amid others: what rank 0 sends from there comes back from where rank 1 received it. */
static volatile int calls_made; /* keeps calls from being the last thing that a function does */

static NOT_INLINED void send_from_here(int tag) {
  char byte = 0;
  MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, tag, W);
  ++calls_made;
}

static NOT_INLINED void send_deep_down(int depth) {
  if (depth == 0)
    send_from_here(3);
  else
    send_deep_down(depth - 1);
  ++calls_made;
}

static NOT_INLINED void send_with_room(int bytes) {
  volatile char* room = alloca((size_t)bytes);
  room[0] = 1;
  send_from_here(4);
  calls_made += room[0];
}

/* One line sends everything; what calls it differs. */
static void paths(int rank, int size) {
  (void)rank;
  (void)size;
  for (int i = 0; i < 4; ++i) {
    send_from_here(1);
    send_from_here(2);
  }
  for (int depth = 1; depth < 10; ++depth)
    send_deep_down(depth);
  for (int i = 0; i < 6; ++i)
    send_with_room(100 + 1000 * i);
}

static void device(int rank, int size) {
  enum { n = 64, times = 2 };
  (void)size;
  int* const there = guarded_device_memory(1 << 16);
  int* const back = there + 1024;
  int here[n], header = 7, lengths[2] = {1, n};
  MPI_Aint at[2];
  MPI_Datatype both;
  MPI_Request r;
  if (!there)
    MPI_Abort(W, 4);
  for (int i = 0; i < n; ++i)
    here[i] = there[i] = 100 * rank + i;
  if (rank == 0) {
    MPI_Send(there, n, MPI_INT, 1, 1, W);
    MPI_Send(here, n, MPI_INT, 1, 2, W);
    MPI_Get_address(&header, &at[0]);
    MPI_Get_address(there, &at[1]);
    MPI_Type_create_hindexed(2, lengths, at, MPI_INT,
                             &both); /* a header of the processor's, data of the device's */
    MPI_Type_commit(&both);
    MPI_Send(MPI_BOTTOM, 1, both, 1, 3, W);
    MPI_Type_free(&both);
    MPI_Send_init(there, n, MPI_INT, 1, 4, W, &r);
    for (int i = 0; i < times; ++i) {
      MPI_Start(&r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    MPI_Send(there, 0, MPI_INT, 1, 5, W);
    MPI_Sendrecv(there, n, MPI_INT, 1, 6, back, n, MPI_INT, 1, 6, W, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(back, n, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE);
    MPI_Irecv(here, n, MPI_INT, 0, 2, W, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Recv(there, n + 1, MPI_INT, 0, 3, W, MPI_STATUS_IGNORE);
    for (int i = 0; i < times; ++i) {
      MPI_Irecv(back, n, MPI_INT, 0, 4, W, &r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Recv(there, n, MPI_INT, 0, 5, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(back, n, MPI_INT, 0, 6, there, n, MPI_INT, 0, 6, W, MPI_STATUS_IGNORE);
    if (there[0] != 0 || here[n - 1] != n - 1)
      printf("rank 1 got something else\n");
  }
  for (int i = 0; i < n; ++i)
    if (back[i] != i)
      printf("rank %d got something else\n", rank);
}

struct program {
  const char* name;
  void (*run)(int rank, int size);
};

static const struct program programs[] = {
    {"blocking", blocking},       {"datatypes", datatypes}, {"persistent", persistent},
    {"completion", completion},   {"polls", polls},         {"probes", probes},
    {"cancelled", cancelled},     {"sendrecv", sendrecv},   {"communicators", communicators},
    {"collectives", collectives}, {"forwards", forwards},   {"unmodelled", unmodelled},
    {"threads", threads},         {"forked", forked},       {"killed", killed},
    {"aborted", aborted},         {"much", much},           {"limited", limited},
    {"device", device},           {"paths", paths},
};

int main(int argc, char** argv) {
  int rank, size, provided;
  const char* name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "threads") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(W, &rank);
  MPI_Comm_size(W, &size);
  if (argc > 2 && atoi(argv[2]) != size) {
    fprintf(stderr, "expected %s ranks, there are %d\n", argv[2], size);
    MPI_Abort(W, 2);
  }
  for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i)
    if (strcmp(programs[i].name, name) == 0)
      programs[i].run(rank, size);
  MPI_Finalize();
  printf("rank %d done\n", rank);
  return 0;
}
