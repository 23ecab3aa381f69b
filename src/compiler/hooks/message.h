/* The message of one operation, and the bytes that it uses. */
#ifndef TACIT_HOOKS_MESSAGE_H
#define TACIT_HOOKS_MESSAGE_H

#include <mpi.h>
#include <stdint.h>

typedef struct byte_range {
  uintptr_t low, high; /* [low, high); low == high: no bytes */
} byte_range;

/* The message of one operation, as it was posted. */
typedef struct message {
  const void* buffer;
  int count;
  MPI_Datatype datatype;
  int receives;
  int synchronous; /* check mode: completion tells that another rank has got somewhere, though nothing is received */
} message;

/* Nonzero if the bytes of the message are known. */
int tacit_byte_range(const message* posted, byte_range* bytes);

#endif
