// options: mode=aggressive
// assume: calls
/* What functions of the C library keep from call to call lies in memory of the program, or in theirs that they hand out: where
 * strtok goes on, the state of random, what putenv was given, the time that localtime answers, and seed48's numbers. */
#define _GNU_SOURCE
#include "../let_run.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { cases = 6 };
static char words[64], state[128], variable[64], zone[64];

static void receive(void* into, int bytes) {
  MPI_Recv(into, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Work beside which the message may come. */
static double work(void) {
  double sum = 0;
  for (int i = 0; i < 300; ++i)
    sum += i * 0.5;
  return sum;
}

static __attribute__((noinline)) long next_word(void) {
  strcpy(words, "one two three four");
  strtok(words, " ");
  receive(words + 4, 8);
  const char* next = strtok(NULL, " ");
  return (long)work() + next[0] * 100 + (long)strlen(next);
}

static __attribute__((noinline)) long next_number(void) {
  initstate(1, state, sizeof state);
  receive(state + 8, 64);
  const long next = random() % 100003;
  return (long)work() + next;
}

static __attribute__((noinline)) long value(void) {
  strcpy(variable, "KEPT=before");
  putenv(variable);
  receive(variable + 5, 8);
  const char* found = getenv("KEPT");
  return (long)work() + found[0] * 100 + (long)strlen(found);
}

static __attribute__((noinline)) long hour(void) {
  const time_t day = 86400;
  strcpy(zone, "TZ=AAA+01");
  putenv(zone);
  tzset();
  receive(zone + 3, 8);
  tzset();
  const long at = localtime(&day)->tm_hour;
  return (long)work() + at;
}

/* The answer lies where the message does, and comes later. */
static __attribute__((noinline)) long answer(void) {
  const time_t first = 0, second = 400 * 86400L;
  struct tm* const at = gmtime(&first);
  receive(at, 8);
  gmtime(&second);
  return (long)work() + at->tm_sec + at->tm_min;
}

static __attribute__((noinline)) long seeded(void) {
  unsigned short seed[3] = {1, 2, 3};
  unsigned short* const kept = seed48(seed);
  seed48(seed);
  receive(kept, 6);
  unsigned short other[3] = {5, 6, 7};
  seed48(other);
  return (long)work() + kept[0] * 3 + kept[2];
}

int main(int argc, char** argv) {
  static const char* const sent[cases] = {"xyz 123", 0, "after", "BBB+05", 0, 0};
  static const int bytes[cases] = {8, 64, 8, 8, 8, 6};
  long (*const read[cases])(void) = {next_word, next_number, value, hour, answer, seeded};
  int rank, receiver = (int)getpid();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&receiver, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < cases; ++i) {
    if (rank == 0) {
      printf("%d: %ld\n", i, read[i]());
    } else {
      char message[64] = "";
      for (int k = 0; k < bytes[i]; ++k)
        message[k] = (char)(k * 5 + 1);
      if (sent[i])
        strcpy(message, sent[i]);
      let_run(receiver);
      MPI_Send(message, bytes[i], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
