#include "compiler/hooks/settings.h"

#include <errno.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process that no other one joins is its own rank 0. */
static int is_first_rank(void) {
  int begun = 0, ended = 0, rank = 0;
  if (MPI_Initialized(&begun) == MPI_SUCCESS && MPI_Finalized(&ended) == MPI_SUCCESS && begun && !ended)
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

/* Nonzero for the first thread that asks about this variable. */
static int is_new(const char* variable) {
  static const char* _Atomic said[16]; /* at least as many as there are variables */
  for (size_t i = 0; i < sizeof said / sizeof *said; ++i) {
    const char* other = NULL;
    if (atomic_compare_exchange_strong(&said[i], &other, variable))
      return 1;
    if (strcmp(other, variable) == 0)
      return 0;
  }
  return 0;
}

static void complain(const char* variable, const char* text, const char* expected) {
  if (is_new(variable) && is_first_rank())
    fprintf(stderr, "tacit: %s is \"%s\", but must be %s [TACIT-082]\n", variable, text, expected);
}

/* How far a unit shifts its number; negative for what is no unit. */
static int shift_of(const char* unit) {
  static const char units[] = "kKmMgG";
  if (!*unit)
    return 0;
  const char* const found = strchr(units, *unit);
  return found && !unit[1] ? 10 * (int)((found - units) / 2 + 1) : -1;
}

/* Nonzero if the whole text is a number of bytes. The program's errno stays: settings are read within its calls of MPI. */
static int read_size(const char* text, size_t* value) {
  const int errno_before = errno;
  char* end;
  errno = 0;
  const unsigned long long count = strtoull(text, &end, 10);
  const int too_long = errno != 0, shift = shift_of(end);
  errno = errno_before;
  if (*text < '0' || *text > '9' || too_long || shift < 0 || count > (size_t)-1 >> shift)
    return 0;
  *value = (size_t)count << shift;
  return 1;
}

size_t tacit_size_setting(const char* variable, size_t normal, const char* expected) {
  const char* const text = getenv(variable);
  size_t value = normal;
  if (text && *text && !read_size(text, &value))
    complain(variable, text, expected);
  return value;
}

size_t tacit_count_setting(const char* variable, size_t normal, const char* expected) {
  const char* const text = getenv(variable);
  size_t value = 0;
  if (!text || !*text)
    return normal;
  if (text[strspn(text, "0123456789")] == '\0' && read_size(text, &value) && value > 0)
    return value;
  complain(variable, text, expected);
  return normal;
}

int tacit_switch_setting(const char* variable) {
  const char* const text = getenv(variable);
  if (!text || !*text || strcmp(text, "0") == 0)
    return 0;
  if (strcmp(text, "1") == 0)
    return 1;
  complain(variable, text, "0 or 1");
  return 0;
}

int tacit_word_setting(const char* variable, const char* const* words, int count, int normal,
                       const char* expected) {
  const char* const text = getenv(variable);
  if (!text || !*text)
    return normal;
  for (int i = 0; i < count; ++i)
    if (strcmp(text, words[i]) == 0)
      return i;
  complain(variable, text, expected);
  return normal;
}
