// Programs that call MPI's functions as transformed ones do, without a test framework: they count what is not true in `failures`, and
// say it with their rank `me`.
#pragma once

#include <cstdio>

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      ++failures;                                                                                            \
      std::fprintf(stderr, "rank %d: %s:%d: not true: %s\n", me, __FILE__, __LINE__, #condition);            \
    }                                                                                                        \
  } while (0)
