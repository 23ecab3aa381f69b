// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cc -O2 %verify %s -o %t.ll
/* A message must not be under way where the rank may wait for others outside MPI: what they wait for may be that message. */
#include <mpi.h>
#include <sched.h>
#include <time.h>

enum { n = 4096 };
extern double *work, *flag;
extern double limit;
double a[n];

#define COMPUTE                                                                                              \
  for (int i = 0; i < n; i++)                                                                                \
  work[i] = work[i] * 1.5 + i

void until_the_clock_says_so(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (a loop that may wait for what others do}}
  while (*flag == 0 && clock() < 100)
    ;
  COMPUTE;
}
void until_mpi_says_so(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (a loop that may wait for what others do}}
  for (const double start = MPI_Wtime(); *flag == 0 && MPI_Wtime() < start + limit;)
    ;
  COMPUTE;
}
void yields(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (sched_yield}}
  while (*flag == 0)
    sched_yield();
  COMPUTE;
}
void volatile_flag(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: order is observable}}
  while (*(volatile double*)flag == 0)
    ;
  COMPUTE;
}
void forever(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (a loop that may never end}}
  for (;;)
    COMPUTE;
}
static __attribute__((noinline)) void wait_inside(void) {
  while (*flag == 0 && clock() < 100)
    work[0] += 1;
}
void inside_a_routine(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (wait_inside calls a loop that may wait for what others do}}
  wait_inside();
  COMPUTE;
}
static __attribute__((noinline)) double now(void) {
  return (double)clock();
}
void asks_a_routine(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect (a loop that may wait for what others do}}
  while (*flag == 0 && now() < 100)
    ;
  COMPUTE;
}
/* Loops that end, and loops that let MPI go on. */
void until_it_converges(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (;;) {
    double change = 0;
    for (int i = 1; i < n; i++) {
      const double next = work[i] * 0.5 + work[i - 1] * 0.25;
      change += next - work[i];
      work[i] = next;
    }
    if (change < limit)
      break;
  }
}
void timed_once(int peer) {
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  const double start = MPI_Wtime();
  COMPUTE;
  work[0] = MPI_Wtime() - start;
}
void timed_again_and_again(int peer) {
  double sum = 0;
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < 100; i++)
    sum += (double)clock();
  COMPUTE;
  work[0] = sum;
}
void polls(int peer, MPI_Comm comm) {
  int come = 0;
  MPI_Send(a, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  while (!come && MPI_Wtime() < limit)
    MPI_Iprobe(peer, 0, comm, &come, MPI_STATUS_IGNORE);
  COMPUTE;
}
