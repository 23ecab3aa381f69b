/* Claims about messages, true and false: each function is a program of its own (messages NAME). In front of the line that check
 * mode must name stands `said NAME RANK: words`; functions without it claim what is true. ranks=2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2000 };
static int rank, size, left, right, faults;
static double halo[N], sent[N], inner[N], other[N];

static void fill(double* to, double first) {
  for (int i = 0; i < N; ++i)
    to[i] = first + i;
}
static void expect(const double* is, int from, int to, double first) {
  for (int i = from; i < to; ++i)
    faults += is[i] != first + i;
}
static void compute(double* to) {
  for (int i = 0; i < N; ++i)
    to[i] = 0.5 * to[i] + 1;
}
static double sum(const double* of, int n) {
  double made = 0;
  for (int i = 0; i < n; ++i)
    made += of[i];
  return made;
}

static void apart(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 3; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv
    compute(inner);
#pragma mpi indep MPI_Recv
    inner[0] += sum(other, N);
    expect(halo, 0, N, left + i);
  }
}

static void loads(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 12; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
/* said loads 1: this statement loads byte 56 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    {
      compute(inner);
      if (rank == 1)
        inner[0] += sum(halo + 7, 2);
    }
  }
}

static void stores(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv
    compute(inner);
/* said stores 0: this statement stores into byte 0 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    if (rank == 0)
      fill(halo, 1);
  }
}

static void changes_what_is_sent(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
/* said changes_what_is_sent 0: this statement stores into byte 15992 of the buffer of the send */
#pragma mpi indep MPI_SendRecv
    {
      compute(inner);
      if (rank == 0)
        sent[N - 1 - i] = -1;
    }
  }
}

static void copies(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
/* said copies 1: this statement loads byte 8 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    if (rank == 1)
      memcpy(other, halo + 1, 8 * sizeof(double));
  }
}

/* What compilers make loads and stores of. */
static void moves(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
/* said moves 0: this statement loads byte 16 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    if (rank == 0)
      memmove(other, halo + 2, 4 * sizeof(double));
  }
}

/* Each statement is said, also a branch, and also the second one of a message. */
static void several(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    fill(sent, rank + i);
    MPI_Send(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
/* said several 0: this statement loads byte 8 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
      memcpy(other, halo + 1, sizeof(double));
    if (rank == 0) {
/* said several 0: this statement loads byte 24 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
      memcpy(other, halo + 3, sizeof(double));
    }
  }
}

/* Two names for one buffer: cco claims that there are no such. */
static void one_buffer(double* a, double* b, const int from) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    MPI_Recv(a, N, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* said one_name 0: byte 0 of the buffer of this receive belongs to that of the receive */
    MPI_Recv(b, N / 2, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv
    compute(inner);
  }
}
static void one_name(void) {
  MPI_Request r[4];
  for (int i = 0; i < 4; ++i)
    MPI_Isend(sent, i % 2 ? N / 2 : N, MPI_DOUBLE, right, i % 2, MPI_COMM_WORLD, &r[i]);
  one_buffer(halo, rank == 0 ? halo : other, left);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

/* The program posts and waits itself. */
static void own_requests(int lies) {
  MPI_Request r[2];
#pragma mpi cco MPI_SendRecv
  {
    fill(sent, rank);
    MPI_Irecv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(sent, N, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
/* said own_waits_lie 1: this statement loads byte 8 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    {
      compute(inner);
      if (lies && rank == 1)
        inner[1] += halo[1];
    }
    expect(halo, 0, N, left);
  }
}
static void own_waits(void) {
  own_requests(0);
}
static void own_waits_lie(void) {
  own_requests(1);
}

/* Every second element: what lies between is the program's. */
static void gaps(int place, double value) {
  MPI_Datatype column;
  MPI_Type_vector(N / 2, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  fill(halo, 5);
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 1; ++i) {
    fill(sent, rank);
    MPI_Send(sent, 1, column, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, 1, column, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
/* said gaps_touched 0: this statement stores into byte 32 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    if (rank == 0) {
      compute(inner);
      halo[place] = value;
      sent[5] += halo[7];
    }
    for (int k = 0; k < N; ++k)
      if (k != place)
        expect(halo, k, k + 1, k % 2 ? 5 : left);
  }
  MPI_Type_free(&column);
}
static void gaps_used(void) {
  gaps(3, -1);
}
static void gaps_touched(void) {
  gaps(4, -1);
}

/* What does not arrive stays. */
static void shorter(void) {
  MPI_Status status;
  fill(halo, 9);
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 1; ++i) {
    int count = 0;
    fill(sent, rank);
    MPI_Send(sent, 100, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &status);
#pragma mpi indep MPI_SendRecv
    compute(inner);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    faults += count != 100;
    expect(halo, 0, 100, left);
    expect(halo, 100, N, 9);
  }
}

static void both_ways(void) {
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 2; ++i) {
    fill(sent, rank + i);
    MPI_Sendrecv(sent, N, MPI_DOUBLE, right, 0, halo, N, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
/* said both_ways 0: this statement loads byte 0 of the buffer of the receive */
#pragma mpi indep MPI_SendRecv
    {
      compute(inner);
      if (rank == 0 && i == 1)
        compute(halo);
    }
  }
}

/* Nobody there: nothing arrives, nothing changes. */
static void nobody(void) {
  fill(halo, 3);
#pragma mpi cco MPI_SendRecv
  for (int i = 0; i < 1; ++i) {
    MPI_Recv(halo, N, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(sent, 0, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(other, 0, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma mpi indep MPI_SendRecv
    {
      compute(inner);
      compute(other);
    }
    expect(halo, 0, N, 3);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"apart", apart},         {"loads", loads},
             {"stores", stores},       {"changes_what_is_sent", changes_what_is_sent},
             {"copies", copies},       {"moves", moves},
             {"several", several},     {"one_name", one_name},
             {"own_waits", own_waits}, {"own_waits_lie", own_waits_lie},
             {"gaps_used", gaps_used}, {"gaps_touched", gaps_touched},
             {"shorter", shorter},     {"both_ways", both_ways},
             {"nobody", nobody}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
      all[i].run();
      printf("rank %d ran %s, %d faults\n", rank, all[i].name, faults);
    }
  MPI_Finalize();
  return faults != 0;
}
