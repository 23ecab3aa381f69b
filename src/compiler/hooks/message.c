#include "compiler/hooks/message.h"

int tacit_byte_range(const message* posted, byte_range* bytes) {
  bytes->low = bytes->high = (uintptr_t)posted->buffer;
  if (posted->count <= 0)
    return 1;
  MPI_Aint lower, extent, true_lower, true_extent;
  if (MPI_Type_get_extent(posted->datatype, &lower, &extent) != MPI_SUCCESS ||
      MPI_Type_get_true_extent(posted->datatype, &true_lower, &true_extent) != MPI_SUCCESS || true_extent < 0)
    return 0;
  long long span, first, last;
  if (__builtin_mul_overflow((long long)extent, (long long)posted->count - 1, &span) ||
      __builtin_add_overflow((long long)true_lower, span < 0 ? span : 0, &first) ||
      __builtin_add_overflow((long long)true_lower, span > 0 ? span : 0, &last) ||
      __builtin_add_overflow(last, (long long)true_extent, &last))
    return 0;
  const uintptr_t base = (uintptr_t)posted->buffer;
  const uintptr_t low = base + (uintptr_t)first, high = base + (uintptr_t)last;
  /* Addresses that wrap around tell nothing. */
  if ((first < 0) != (low < base) || (last < 0) != (high < base) || high < low)
    return 0;
  bytes->low = low;
  bytes->high = high;
  return 1;
}
