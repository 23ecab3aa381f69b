// What goes wrong when a message is posted before what stands in front of it (step 7 of Figure 8), one case for each condition of the rule.
// Process 0 runs the case. What process 1 sends to it is there before the case begins, so that a receive which is posted too early is
// complete at once; a short message that is sent too early has left at once.
//
//     posts CASE      prints one number of each process
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 8, LONG = 1 << 18, TAG = 1, OTHER = 2 };

static double sum_of(const double* of) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += of[i] * (i + 1);
  return sum;
}
/* Receives, where nobody sees it. */
static void take(double* to, MPI_Comm comm) {
  MPI_Recv(to, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
}

/* data: the loop reads what the receive overwrites. */
static double data_read(MPI_Comm comm) {
  double a[N], x = 0;
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma mpi cco MPI_Recv
  {
    for (int i = 0; i < N; ++i)
      x += a[i];
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a);
  }
  return x;
}
/* data: the loop writes what the receive overwrites. */
static double data_write(MPI_Comm comm) {
  double a[N], x = 0;
#pragma mpi cco MPI_Recv
  {
    for (int i = 0; i < N; ++i)
      a[i] = -1;
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a);
  }
  return x;
}
/* data: the loop computes what is sent. */
static double data_sent(MPI_Comm comm) {
  double a[N] = {0}, x = 0;
#pragma mpi cco MPI_Send
  {
    for (int i = 0; i < N; ++i)
      a[i] = i + 3;
    MPI_Send(a, N, MPI_DOUBLE, 1, TAG, comm);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
  }
  return x + sum_of(a);
}
/* calls: the function takes the first message. */
static double calls(MPI_Comm comm) {
  double a[N], b[N], x = 0;
#pragma mpi cco MPI_Recv
  {
    take(b, comm);
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a) + 1000 * sum_of(b);
  }
  return x;
}
/* claims: the function neither uses nor changes what is received, as it says, but it receives. */
static double claims(MPI_Comm comm) {
  double a[N], b[N], x = 0;
#pragma mpi cco MPI_Recv
  {
#pragma mpi indep MPI_Recv
    take(b, comm);
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a) + 1000 * sum_of(b);
  }
  return x;
}
/* control: the first time nothing is received. */
static double control(MPI_Comm comm) {
  static double a[N];
  double x = 0;
#pragma mpi cco MPI_Recv
  for (int round = 0; round < 2; ++round) {
    if (round == 0) {
      for (int i = 0; i < N; ++i)
        x += i;
      continue;
    }
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a);
  }
  return x;
}
/* arguments: the loop computes the tag. */
static double arguments(MPI_Comm comm) {
  double a[N], x = 0;
  int tag = TAG;
#pragma mpi cco MPI_Recv
  {
    for (int i = 0; i < 2; ++i)
      tag += i;
    MPI_Recv(a, N, MPI_DOUBLE, 1, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a);
  }
  return x;
}
/* messages: the first receive stays behind the loop that reads its buffer. */
static double messages_received(MPI_Comm comm) {
  double a[N] = {0}, b[N], x = 0;
#pragma mpi cco MPI_Recv
  {
    for (int i = 0; i < N; ++i)
      x += a[i];
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Recv(b, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a) + 1000 * sum_of(b);
  }
  return x;
}
/* messages: the first send stays behind the loop that computes it. */
static double messages_sent(MPI_Comm comm) {
  double a[N], b[N], x = 0;
  for (int i = 0; i < N; ++i)
    b[i] = i;
#pragma mpi cco MPI_Send
  {
    for (int i = 0; i < N; ++i)
      a[i] = i + 5;
    MPI_Send(a, N, MPI_DOUBLE, 1, TAG, comm);
    MPI_Send(b, N, MPI_DOUBLE, 1, TAG, comm);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
  }
  return x + sum_of(a) + sum_of(b);
}
/* order: both are posted earlier, but the first one not before the loop that writes its buffer. */
static double order(MPI_Comm comm) {
  double a[N] = {0}, b[N], x = 0;
#pragma mpi cco MPI_Recv
  {
    for (int i = 0; i < N; ++i)
      a[i] += i;
    for (int i = 0; i < N; ++i)
      x += i;
    MPI_Recv(a, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Recv(b, N, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += sum_of(a) + 1000 * sum_of(b);
  }
  return x;
}
/* completion: the last element is received into what is still being sent. */
static double completion(MPI_Comm comm) {
  double *a = (double*)calloc(LONG, sizeof(double)), x = 0;
#pragma mpi cco MPI_SendRecv
  {
    MPI_Send(a, LONG, MPI_DOUBLE, 1, TAG, comm);
    for (int i = 0; i < N; ++i)
      x += i;
    MPI_Recv(a + LONG - 1, 1, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; ++i)
      x += sqrt(i);
    x += a[LONG - 1];
  }
  free(a);
  return x;
}

static void give(int tag, double value, int count, MPI_Comm comm) {
  double a[N];
  for (int i = 0; i < N; ++i)
    a[i] = value + i;
  MPI_Send(a, count, MPI_DOUBLE, 0, tag, comm);
}
static double receive(MPI_Comm comm) {
  double a[N];
  MPI_Recv(a, N, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE);
  return sum_of(a);
}
/* Process 0 has come to its wait meanwhile. */
static double receive_late(MPI_Comm comm) {
  double* a = (double*)malloc(LONG * sizeof(double));
  usleep(300000);
  MPI_Recv(a, LONG, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE);
  const double last = a[LONG - 1];
  free(a);
  return last;
}
/* What a case has left. */
static void drain(MPI_Comm comm) {
  int flag = 1;
  double a[N];
  while (flag) {
    MPI_Iprobe(1, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    if (flag)
      MPI_Recv(a, N, MPI_DOUBLE, 1, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  }
}

static const struct {
  const char* name;
  double (*run)(MPI_Comm);
  int given;    /* messages */
  int received; /* by process 1; LONG: one of that length */
} cases[] = {
    {"data_read", data_read, 1, 0},
    {"data_write", data_write, 1, 0},
    {"data_sent", data_sent, 0, 1},
    {"calls", calls, 2, 0},
    {"claims", claims, 2, 0},
    {"control", control, 2, 0},
    {"arguments", arguments, 2, 0},
    {"messages_received", messages_received, 2, 0},
    {"messages_sent", messages_sent, 0, 2},
    {"order", order, 2, 0},
    {"completion", completion, 1, LONG},
};

int main(int argc, char** argv) {
  int rank;
  MPI_Comm comm;
  double mine = 0, all[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (unsigned c = 0; argc > 1 && c < sizeof cases / sizeof *cases; ++c) {
    if (strcmp(argv[1], cases[c].name) != 0)
      continue;
    for (int i = 0; rank == 1 && i < cases[c].given; ++i)
      give(strcmp(argv[1], "arguments") == 0 && i == 1 ? OTHER : TAG, 10 * (i + 1),
           cases[c].received == LONG ? 1 : N, comm);
    MPI_Barrier(comm);
    if (rank == 0)
      mine = cases[c].run(comm);
    else if (cases[c].received == LONG)
      mine = receive_late(comm);
    else
      for (int i = 0; i < cases[c].received; ++i)
        mine = 1000 * mine + receive(comm);
    MPI_Barrier(comm);
    if (rank == 0)
      drain(comm);
  }
  MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
  if (rank == 0)
    printf("%.17g %.17g\n", all[0], all[1]);
  MPI_Finalize();
  return 0;
}
