/* What a call costs, for bench/recorder_overhead.py: calls that do nearly nothing (to MPI_PROC_NULL), in
   short blocks; prints the fastest block of each kind in nanoseconds a call. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { calls = 20000, blocks = 40 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void send_calls(char* b, int n) {
  for (int i = 0; i < n; ++i)
    MPI_Send(b, 64, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}
static void recv_calls(char* b, int n) {
  MPI_Status s;
  for (int i = 0; i < n; ++i)
    MPI_Recv(b, 64, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s);
}
static void isend_wait_calls(char* b, int n) { /* n / 2 of each */
  MPI_Request q;
  for (int i = 0; i < n / 2; ++i) {
    MPI_Isend(b, 64, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
  }
}
static void irecv_wait_calls(char* b, int n) {
  MPI_Request q;
  for (int i = 0; i < n / 2; ++i) {
    MPI_Irecv(b, 64, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
  }
}
static void iprobe_calls(char* b, int n) {
  MPI_Status s;
  int flag;
  (void)b;
  for (int i = 0; i < n; ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &s);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(char*, int);
  } kinds[] = {{"send", send_calls},
               {"recv", recv_calls},
               {"isend_wait", isend_wait_calls},
               {"irecv_wait", irecv_wait_calls},
               {"iprobe", iprobe_calls}};
  char buffer[64] = {0};
  MPI_Init(&argc, &argv);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    double best = 1e30;
    for (int block = 0; block < blocks; ++block) {
      const double begin = now_ns();
      kinds[k].run(buffer, calls);
      const double each = (now_ns() - begin) / calls;
      if (each < best)
        best = each;
    }
    printf("%s %.2f\n", kinds[k].name, best);
  }
  MPI_Finalize();
  return 0;
}
