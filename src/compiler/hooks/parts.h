/* Which pieces of memory an operation uses, in numbers that the pass writes into calls of __tacit_note_parts and the hooks
 * read. C, and without mpi.h, so that both can include it. */
#ifndef TACIT_HOOKS_PARTS_H
#define TACIT_HOOKS_PARTS_H

enum tacit_shape { symmetric, to_root, from_root, broadcast };

enum tacit_parts {
  parts_shape = 3, /* one of the shapes, and on top of it: */
  parts_sent_per_rank = 4,
  parts_received_per_rank = 8,
  parts_scattered = 16, /* the counts say how much is sent altogether, and each rank receives its own */
  parts_pair = 32       /* one message each way, not a collective */
};

#endif
