/* What became of the operations that were moved, counted for each call site. */
#ifndef TACIT_HOOKS_STATISTICS_H
#define TACIT_HOOKS_STATISTICS_H

#include "compiler/hooks/slot_state.h"

/* Nonzero if TACIT_OVERLAP_STATISTICS=1. */
int tacit_counts(void);
void tacit_count_call(const void* site);
void tacit_count_copy(void);
void tacit_count_post(slot_state* slot);
void tacit_count_end(const slot_state* slot, enum ending how);
/* First in every hook that stands for a call of the program. */
#define TACIT_COUNT_CALL()                                                                                   \
  do {                                                                                                       \
    if (tacit_counts())                                                                                      \
      tacit_count_call(__builtin_return_address(0));                                                         \
  } while (0)

#endif
