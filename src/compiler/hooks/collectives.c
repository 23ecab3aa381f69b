/* Blocking collectives started as nonblocking ones, for C and C++. A nonblocking collective matches only
 * nonblocking ones (MPI-3.1, 5.12), so that the pass replaces every call of these functions; where the
 * completion cannot move it passes no slot. An object of its own in the archive: only programs that ask for
 * it take it in. */
#include "compiler/hooks/collectives.h"

#include "compiler/hooks/check.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/statistics.h"

#include <limits.h>

/* Who is told of each piece of memory that an operation uses; null: of pieces that are not known. */
typedef struct listener {
  void (*tell)(const struct listener* to, const message* piece);
  slot_state* slot;
  int synchronous;
  MPI_Request request; /* of a note, as is what follows */
  const void* variable;
  int* pieces;
} listener;

static void describe(const listener* to, const void* buffer, int count, MPI_Datatype datatype, int receives) {
  to->tell(to, &(message){buffer, count, datatype, receives, to->synchronous});
}

static void describe_parts(const listener* to, const side* of, int ranks, int receives) {
  describe(to, of->counts, ranks, MPI_INT, 0);
  describe(to, of->displacements, ranks, MPI_INT, 0);
  MPI_Aint lower, extent;
  if (MPI_Type_get_extent(of->datatype, &lower, &extent) != MPI_SUCCESS) {
    to->tell(to, NULL);
    return;
  }
  for (int i = 0; i < ranks; ++i)
    if (of->counts[i] > 0)
      describe(to, (const char*)of->buffer + of->displacements[i] * extent, of->counts[i], of->datatype,
               receives);
}

static void describe_side(const listener* to, const side* of, int ranks, int receives) {
  if (of->buffer == MPI_IN_PLACE)
    return;
  if (of->counts)
    describe_parts(to, of, ranks, receives);
  else if (!of->per_rank)
    describe(to, of->buffer, of->count, of->datatype, receives);
  else if (of->count <= INT_MAX / ranks)
    describe(to, of->buffer, of->count * ranks, of->datatype, receives);
  else
    to->tell(to, NULL);
}

static void describe_collective(const listener* to, const collective* posted) {
  int between_groups = 1, ranks = 0, me = 0;
  MPI_Comm_test_inter(posted->comm, &between_groups);
  if (between_groups) {
    to->tell(to, NULL);
    return;
  }
  MPI_Comm_size(posted->comm, &ranks);
  MPI_Comm_rank(posted->comm, &me);
  const int at_root = me == posted->root;
  if (posted->shape == broadcast) {
    describe_side(to, &posted->received, ranks, !at_root);
    return;
  }
  if (posted->shape != from_root || at_root)
    describe_side(to, &posted->sent, ranks, 0);
  if (posted->shape != to_root || at_root)
    describe_side(to, &posted->received, ranks, 1);
}

static void to_slot(const listener* to, const message* piece) {
  if (piece)
    tacit_describe(to->slot, piece);
  else
    to->slot->unknown_bytes = 1;
}

static void to_check_mode(const listener* to, const message* piece) {
  if (piece)
    tacit_check_note(to->slot, to->request, to->variable, piece, (*to->pieces)++ > 0);
}

/* Counts of each rank of a reduction whose result is scattered: what this rank sends, and what it gets. */
static collective scattered(const collective* posted) {
  collective own = *posted;
  int between_groups = 1, ranks = 0, me = 0, all = 0;
  MPI_Comm_test_inter(posted->comm, &between_groups);
  if (!between_groups) {
    MPI_Comm_size(posted->comm, &ranks);
    MPI_Comm_rank(posted->comm, &me);
  }
  for (int i = 0; i < ranks; ++i)
    all += posted->received.counts[i];
  own.sent.count = all;
  own.received.count = ranks > 0 ? posted->received.counts[me] : 0;
  own.received.counts = NULL;
  return own;
}

void tacit_note_parts(tacit_slot* slot, int kind, const collective* posted, MPI_Request request,
                      const void* variable) {
  int pieces = 0;
  const listener to = {to_check_mode, tacit_open(slot), !(kind & parts_pair), request, variable, &pieces};
  collective own = kind & parts_scattered ? scattered(posted) : *posted;
  own.shape = kind & parts_shape;
  own.sent.per_rank = (kind & parts_sent_per_rank) != 0;
  own.received.per_rank = (kind & parts_received_per_rank) != 0;
  if (kind & parts_pair) {
    describe_side(&to, &own.sent, 1, 0);
    describe_side(&to, &own.received, 1, 1);
  } else {
    describe_collective(&to, &own);
  }
}

void __tacit_note_parts(tacit_slot* slot, int kind, const void* send_buffer, int send_count,
                        const int* send_counts, const int* send_displs, MPI_Datatype send_type,
                        const void* recv_buffer, int recv_count, const int* recv_counts,
                        const int* recv_displs, MPI_Datatype recv_type, int root, MPI_Comm comm,
                        const MPI_Request* request) {
  if (!tacit_checks() || tacit_calls_as_written())
    return;
  const collective posted = {.sent = {send_buffer, send_count, send_type, 0, send_counts, send_displs},
                             .received = {recv_buffer, recv_count, recv_type, 0, recv_counts, recv_displs},
                             .root = root,
                             .comm = comm};
  tacit_note_parts(slot, kind, &posted, *request, request);
}

void tacit_make_room(tacit_slot* slot) {
  if (slot)
    tacit_complete(tacit_open(slot));
}

int tacit_hold_collective(tacit_slot* slot, MPI_Request request, const collective* posted) {
  if (!slot || tacit_calls_as_written())
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  describe_collective(&(listener){.tell = to_slot, .slot = tacit_open(slot), .synchronous = 1}, posted);
  tacit_hold_described(tacit_open(slot), request);
  return MPI_SUCCESS;
}

/* The body of every form below: room in the slot, the post, its description. */
#define START(post, ...)                                                                                     \
  TACIT_COUNT_CALL();                                                                                        \
  MPI_Request request;                                                                                       \
  tacit_make_room(slot);                                                                                     \
  const int error = post;                                                                                    \
  return error != MPI_SUCCESS ? error : tacit_hold_collective(slot, request, &(collective){__VA_ARGS__})

int __tacit_bcast(tacit_slot* slot, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  START(MPI_Ibcast(buffer, count, datatype, root, comm, &request), .shape = broadcast,
        .received = {buffer, count, datatype}, .root = root, .comm = comm);
}

int __tacit_reduce(tacit_slot* slot, const void* send_buffer, void* recv_buffer, int count,
                   MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  START(MPI_Ireduce(send_buffer, recv_buffer, count, datatype, op, root, comm, &request), .shape = to_root,
        .sent = {send_buffer, count, datatype}, .received = {recv_buffer, count, datatype}, .root = root,
        .comm = comm);
}

int __tacit_allreduce(tacit_slot* slot, const void* send_buffer, void* recv_buffer, int count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  START(MPI_Iallreduce(send_buffer, recv_buffer, count, datatype, op, comm, &request), .shape = symmetric,
        .sent = {send_buffer, count, datatype}, .received = {recv_buffer, count, datatype}, .comm = comm);
}

int __tacit_alltoall(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                     void* recv_buffer, int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  START(MPI_Ialltoall(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, comm, &request),
        .shape = symmetric, .sent = {send_buffer, send_count, send_type, 1},
        .received = {recv_buffer, recv_count, recv_type, 1}, .comm = comm);
}

int __tacit_alltoallv(tacit_slot* slot, const void* send_buffer, const int* send_counts,
                      const int* send_displs, MPI_Datatype send_type, void* recv_buffer,
                      const int* recv_counts, const int* recv_displs, MPI_Datatype recv_type, MPI_Comm comm) {
  START(MPI_Ialltoallv(send_buffer, send_counts, send_displs, send_type, recv_buffer, recv_counts,
                       recv_displs, recv_type, comm, &request),
        .shape = symmetric, .sent = {send_buffer, 0, send_type, 1, send_counts, send_displs},
        .received = {recv_buffer, 0, recv_type, 1, recv_counts, recv_displs}, .comm = comm);
}

int __tacit_allgather(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                      void* recv_buffer, int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  START(
      MPI_Iallgather(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, comm, &request),
      .shape = symmetric, .sent = {send_buffer, send_count, send_type},
      .received = {recv_buffer, recv_count, recv_type, 1}, .comm = comm);
}

int __tacit_allgatherv(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                       void* recv_buffer, const int* recv_counts, const int* recv_displs,
                       MPI_Datatype recv_type, MPI_Comm comm) {
  START(MPI_Iallgatherv(send_buffer, send_count, send_type, recv_buffer, recv_counts, recv_displs, recv_type,
                        comm, &request),
        .shape = symmetric, .sent = {send_buffer, send_count, send_type},
        .received = {recv_buffer, 0, recv_type, 1, recv_counts, recv_displs}, .comm = comm);
}

int __tacit_gather(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                   void* recv_buffer, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  START(MPI_Igather(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, root, comm,
                    &request),
        .shape = to_root, .sent = {send_buffer, send_count, send_type},
        .received = {recv_buffer, recv_count, recv_type, 1}, .root = root, .comm = comm);
}

int __tacit_gatherv(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                    void* recv_buffer, const int* recv_counts, const int* recv_displs, MPI_Datatype recv_type,
                    int root, MPI_Comm comm) {
  START(MPI_Igatherv(send_buffer, send_count, send_type, recv_buffer, recv_counts, recv_displs, recv_type,
                     root, comm, &request),
        .shape = to_root, .sent = {send_buffer, send_count, send_type},
        .received = {recv_buffer, 0, recv_type, 1, recv_counts, recv_displs}, .root = root, .comm = comm);
}

int __tacit_scatter(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                    void* recv_buffer, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  START(MPI_Iscatter(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, root, comm,
                     &request),
        .shape = from_root, .sent = {send_buffer, send_count, send_type, 1},
        .received = {recv_buffer, recv_count, recv_type}, .root = root, .comm = comm);
}

int __tacit_scatterv(tacit_slot* slot, const void* send_buffer, const int* send_counts,
                     const int* send_displs, MPI_Datatype send_type, void* recv_buffer, int recv_count,
                     MPI_Datatype recv_type, int root, MPI_Comm comm) {
  START(MPI_Iscatterv(send_buffer, send_counts, send_displs, send_type, recv_buffer, recv_count, recv_type,
                      root, comm, &request),
        .shape = from_root, .sent = {send_buffer, 0, send_type, 1, send_counts, send_displs},
        .received = {recv_buffer, recv_count, recv_type}, .root = root, .comm = comm);
}
