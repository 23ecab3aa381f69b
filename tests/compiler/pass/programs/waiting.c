// environment: OMPI_MCA_btl=self,tcp
/* A rank that sends and then waits outside MPI, in several ways, for what the receiver does when it has the message. (Over
 * TCP a large message gets on only while its sender calls MPI.) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { n = 400000, steps = 3000 };
static double data[n], work[steps];
static char folder[64], pipe_name[96], file_name[96], line[100];
static volatile int* shared;
static int round_number;
static sem_t answered;

#define COMPUTE                                                                                              \
  for (int i = 0; i < steps; i++)                                                                            \
  work[i] = work[i] * 1.0001 + i

static inline __attribute__((always_inline)) void tell(int peer) {
  MPI_Send(data, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  memset(data, 0, sizeof data);
  COMPUTE;
}
static __attribute__((noinline)) void tell_and_return(int peer) {
  tell(peer);
}

static void by_fgets(int peer, FILE* from) {
  tell(peer);
  if (!fgets(line, sizeof line, from))
    line[0] = 0;
}
static void by_fread(int peer, FILE* from) {
  tell(peer);
  line[fread(line, 1, 7, from)] = 0;
}
static void by_getline(int peer, FILE* from) {
  char* text = 0;
  size_t length = 0;
  tell(peer);
  if (getline(&text, &length, from) > 0)
    strcpy(line, text);
  free(text);
}
static void by_fscanf(int peer, FILE* from) {
  tell(peer);
  if (fscanf(from, "%99s", line) != 1)
    line[0] = 0;
}
static void by_read(int peer, FILE* from) {
  tell(peer);
  line[read(fileno(from), line, 7) == 7 ? 7 : 0] = 0;
}
static void by_return(int peer, FILE* from) {
  tell_and_return(peer);
  if (!fgets(line, sizeof line, from))
    line[0] = 0;
}
static void by_thread(int peer, FILE* from) {
  (void)from;
  tell(peer);
  sem_wait(&answered);
}
static void by_stat(int peer, FILE* from) {
  struct stat about;
  (void)from;
  tell(peer);
  while (stat(file_name, &about) != 0)
    sched_yield();
  strcpy(line, "a file");
}
static void by_volatile(int peer, FILE* from) {
  (void)from;
  tell(peer);
  while (*shared != round_number)
    ;
  strcpy(line, "memory");
}
static void by_clock(int peer, FILE* from) {
  int* plain = (int*)shared;
  (void)from;
  tell(peer);
  while (*plain != round_number && MPI_Wtime() < 1e30)
    ;
  strcpy(line, "memory");
}
static void by_yield(int peer, FILE* from) {
  int* plain = (int*)shared;
  (void)from;
  tell(peer);
  while (*plain != round_number)
    sched_yield();
  strcpy(line, "memory");
}

static void* pass_on(void* from) {
  if (!fgets(line, sizeof line, from))
    line[0] = 0;
  sem_post(&answered);
  return 0;
}

/* The receiver answers in all ways at once. */
static void answer(FILE* to) {
  MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  fputs("thanks\n", to);
  fflush(to);
  *shared = round_number;
  fclose(fopen(file_name, "w"));
}

static void run(const char* name, void (*wait)(int, FILE*), int rank) {
  pthread_t reader;
  FILE* stream = fopen(pipe_name, rank == 0 ? "r" : "w");
  round_number++;
  if (rank == 0 && wait == by_thread)
    pthread_create(&reader, 0, pass_on, stream);
  if (rank == 0) {
    strcpy(line, "nothing");
    wait(1, stream);
    printf("%s: %s\n", name, strtok(line, "\n"));
  } else {
    answer(stream);
  }
  if (rank == 0 && wait == by_thread)
    pthread_join(reader, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  fclose(stream);
  if (rank == 0)
    unlink(file_name);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The pipe itself makes the one wait who opens it first. */
static void by_open(int rank) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    tell(1);
    FILE* from = fopen(pipe_name, "r");
    printf("by_open: %s", fgets(line, sizeof line, from));
    fclose(from);
  } else {
    MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    FILE* to = fopen(pipe_name, "w");
    fputs("thanks\n", to);
    fclose(to);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  strcpy(folder, "/tmp/tacit_waiting_XXXXXX");
  if (rank == 0 && !mkdtemp(folder))
    MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  sprintf(pipe_name, "%s/pipe", folder);
  sprintf(file_name, "%s/page", folder);
  sem_init(&answered, 0, 0);
  if (rank == 0) {
    mkfifo(pipe_name, 0600);
    const int page = open(file_name, O_CREAT | O_RDWR, 0600);
    if (ftruncate(page, 4096) != 0)
      MPI_Abort(MPI_COMM_WORLD, 2);
    shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open(file_name, O_RDWR), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    unlink(file_name);
  sprintf(file_name, "%s/file", folder);
#define RUN(wait) run(#wait, wait, rank)
  RUN(by_fgets);
  RUN(by_fread);
  RUN(by_getline);
  RUN(by_fscanf);
  RUN(by_read);
  RUN(by_return);
  RUN(by_thread);
  RUN(by_stat);
  RUN(by_volatile);
  RUN(by_clock);
  RUN(by_yield);
  by_open(rank);
  if (rank == 0) {
    unlink(pipe_name);
    rmdir(folder);
  }
  MPI_Finalize();
  return 0;
}
