/* Arguments of benchmarks: what is mistyped is an error, and not another experiment. */
#ifndef TACIT_BENCH_WHOLE_NUMBER_H
#define TACIT_BENCH_WHOLE_NUMBER_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number at the beginning of the text, up to its end or to one of these characters. */
static inline long long whole_number_before(const char* text, const char* ends) {
  char* end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || errno != 0 || (*end && !strchr(ends, *end))) {
    fprintf(stderr, "\"%s\" is no whole number\n", text);
    exit(2);
  }
  return value;
}

static inline int whole_int_before(const char* text, const char* ends) {
  const long long value = whole_number_before(text, ends);
  if (value < INT_MIN || value > INT_MAX) {
    fprintf(stderr, "%lld is too large\n", value);
    exit(2);
  }
  return (int)value;
}

static inline int whole_int(const char* text) {
  return whole_int_before(text, "");
}

#endif
