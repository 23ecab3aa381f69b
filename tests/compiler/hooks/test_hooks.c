/* The hooks as transformed programs call them: each case posts through a hook, computes, completes, and looks
 * at the data and at what is still pending. Every case runs on all ranks around a ring. */
#include "compiler/hooks/check.h"
#include "compiler/hooks/copies.h"
#include "compiler/hooks/slot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, right, left, failures;
static int duplicates; /* of datatypes, that nobody has freed */

int MPI_Type_dup(MPI_Datatype type, MPI_Datatype* made) {
  ++duplicates;
  return PMPI_Type_dup(type, made);
}
int MPI_Type_free(MPI_Datatype* type) {
  --duplicates;
  return PMPI_Type_free(type);
}

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      ++failures;                                                                                            \
      fprintf(stderr, "rank %d: %s:%d: not true: %s\n", rank, __FILE__, __LINE__, #condition);               \
    }                                                                                                        \
  } while (0)

enum { big = 1 << 16 };

static void fill(double* data, int count, double from) {
  for (int i = 0; i < count; ++i)
    data[i] = from + i;
}

static int filled(const double* data, int count, double from) {
  for (int i = 0; i < count; ++i)
    if (data[i] != from + i)
      return 0;
  return 1;
}

static int holds(tacit_slot* slot) {
  return state_of(slot)->pending;
}

/* What is deferred before anybody has sent stays pending; check mode completes it there, so that the send has
 * to come first. Both are called around a deferral, with the same message. */
static void send_before(const void* data, int count, int tag) {
  if (tacit_checks())
    MPI_Send(data, count, MPI_DOUBLE, right, tag, MPI_COMM_WORLD);
}
static void send_behind(const void* data, int count, int tag) {
  if (tacit_checks())
    return;
  MPI_Barrier(MPI_COMM_WORLD); /* everybody has deferred */
  MPI_Send(data, count, MPI_DOUBLE, right, tag, MPI_COMM_WORLD);
}

/* As compiled code makes it: the first word is cleared, and the second has the place, or null. */
static tacit_slot fresh_slot(void) {
  tacit_slot made;
  memset(&made, 0xab, sizeof made);
  made.word[0] = made.word[1] = 0;
  return made;
}

static void empty_slots_do_nothing(void) {
  tacit_slot slot = fresh_slot();
  __tacit_wait(&slot, NULL);
  __tacit_wait_overlap(&slot, NULL, NULL, (void*)1, 1);
  __tacit_poke(&slot);
  MPI_Request none = MPI_REQUEST_NULL;
  EXPECT(__tacit_defer(&slot, &none) == MPI_SUCCESS);
  EXPECT(__tacit_defer_all(&slot, 0, NULL) == MPI_SUCCESS);
  EXPECT(!holds(&slot));
}

static void a_split_send_and_receive_carry_data(void) {
  double* out = malloc(sizeof(double) * big);
  double* in = malloc(sizeof(double) * big);
  tacit_slot sent = fresh_slot(), received = fresh_slot();
  fill(out, big, rank * 1000.0);
  EXPECT(__tacit_recv(&received, in, big, MPI_DOUBLE, left, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(__tacit_send(&sent, out, big, MPI_DOUBLE, right, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  __tacit_wait(&received, in);
  __tacit_wait(&sent, out);
  EXPECT(filled(in, big, left * 1000.0));
  EXPECT(!holds(&sent) && !holds(&received));
  free(out);
  free(in);
}

static void what_a_slot_held_is_completed_before_it_is_used_again(void) {
  double out[4], in[8];
  tacit_slot sent = fresh_slot(), received = fresh_slot();
  fill(out, 4, rank);
  for (int round = 0; round < 2; ++round) {
    __tacit_recv(&received, in + 4 * round, 4, MPI_DOUBLE, left, 2, MPI_COMM_WORLD);
    if (round == 1)
      EXPECT(filled(in, 4, left));
    __tacit_send(&sent, out, 4, MPI_DOUBLE, right, 2, MPI_COMM_WORLD);
  }
  __tacit_wait(&sent, out);
  __tacit_wait(&received, in);
  EXPECT(filled(in + 4, 4, left));
}

static void only_accesses_that_disturb_complete(void) {
  double out[8], in[8];
  tacit_slot sent = fresh_slot(), received = fresh_slot();
  fill(out, 8, rank);
  __tacit_recv(&received, in + 2, 4, MPI_DOUBLE, left, 3, MPI_COMM_WORLD);
  __tacit_send(&sent, out + 2, 4, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
  __tacit_wait_overlap(&received, in, in, in + 2, 1);
  __tacit_wait_overlap(&received, in, in + 6, in + 8, 1);
  __tacit_wait_overlap(&received, in, in + 3, in + 3, 1); /* no bytes */
  EXPECT(holds(&received));
  __tacit_wait_overlap(&sent, out, out, out + 8, 0); /* reading does not disturb a send */
  EXPECT(holds(&sent));
  __tacit_wait_overlap(&sent, out, out + 5, out + 8, 1);
  EXPECT(!holds(&sent));
  __tacit_wait_overlap(&received, in, (char*)in + 47, (char*)in + 48, 0); /* its last byte */
  EXPECT(!holds(&received) && filled(in + 2, 4, left + 2));
  __tacit_send(&sent, out, 4, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
  MPI_Recv(in, 4, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  __tacit_wait_overlap(&sent, out, (void*)2, (void*)1, 0); /* bounds that are not understood */
  EXPECT(!holds(&sent));
}

static void ranges_follow_the_true_extent(void) {
  MPI_Datatype column, moved;
  byte_range bytes;
  char base[1];
  MPI_Type_vector(3, 1, 10, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, -16, 8, &moved);
  const uintptr_t at = (uintptr_t)base;
  EXPECT(tacit_byte_range(&(message){base, 2, moved, 0}, &bytes));
  EXPECT(bytes.low == at && bytes.high == at + 21 * 8 + 8);
  MPI_Type_free(&moved);
  MPI_Type_create_resized(column, 0, -24, &moved); /* elements go down in memory */
  EXPECT(tacit_byte_range(&(message){base, 3, moved, 0}, &bytes));
  EXPECT(bytes.low == at - 48 && bytes.high == at + 21 * 8);
  EXPECT(tacit_byte_range(&(message){base, 0, moved, 0}, &bytes) && bytes.low == bytes.high);
  EXPECT(tacit_byte_range(&(message){base, 0x7fffffff, MPI_DOUBLE, 0}, &bytes));
  EXPECT(bytes.high - bytes.low == 8 * 0x7fffffffULL);
  EXPECT(!tacit_byte_range(&(message){(void*)(UINTPTR_MAX - 15), 4, MPI_DOUBLE, 0}, &bytes));
  EXPECT(!tacit_byte_range(&(message){(void*)16, 3, moved, 0}, &bytes));
  MPI_Type_free(&moved);
  MPI_Type_free(&column);
}

static void deferred_requests_are_told_apart_by_their_handles(void) {
  double in[2][16], out[2][16];
  MPI_Request requests[2];
  tacit_slot slot = fresh_slot();
  for (int i = 0; i < 2; ++i) {
    fill(out[i], 16, rank + 100 * i);
    MPI_Irecv(in[i], 16, MPI_DOUBLE, left, 10 + i, MPI_COMM_WORLD, &requests[i]);
    __tacit_note(&slot, in[i], 16, MPI_DOUBLE, 1, &requests[i]);
  }
  send_before(out[0], 16, 10);
  __tacit_defer(&slot, &requests[0]);
  EXPECT(requests[0] == MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
  __tacit_wait_overlap(&slot, in, in[1], in[1] + 16, 1); /* the other's */
  EXPECT(holds(&slot));
  send_behind(out[0], 16, 10);
  __tacit_wait_overlap(&slot, in, in[0], in[0] + 16, 0);
  EXPECT(!holds(&slot) && filled(in[0], 16, left));
  send_before(out[1], 16, 11);
  __tacit_defer(&slot, &requests[1]);
  __tacit_wait_overlap(&slot, in, in[0], in[0] + 16, 1);
  EXPECT(holds(&slot));
  send_behind(out[1], 16, 11);
  __tacit_wait_overlap(&slot, in, in[1] + 15, in[1] + 16, 0);
  EXPECT(!holds(&slot) && filled(in[1], 16, left + 100));
}

static void what_is_complete_is_not_deferred(void) {
  double in[4], out[4];
  MPI_Request requests[2];
  tacit_slot slot = fresh_slot();
  for (int round = 0; round < 20; ++round) { /* more than a slot can keep notes of */
    fill(out, 4, rank + round);
    MPI_Irecv(in, 4, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, &requests[0]);
    __tacit_note(&slot, in, 4, MPI_DOUBLE, 1, &requests[0]);
    MPI_Isend(out, 4, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[1]);
    __tacit_note(&slot, out, 4, MPI_DOUBLE, 0, &requests[1]);
    for (int both = 0, arrived = 0; both < 2; both += arrived)
      MPI_Request_get_status(requests[both], &arrived, MPI_STATUS_IGNORE);
    __tacit_defer_all(&slot, 2, requests);
    EXPECT(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    EXPECT(holds(&slot) == tacit_checks() && state_of(&slot)->noted_used == 0 &&
           !state_of(&slot)->rest_count);
    __tacit_wait(&slot, in);
    EXPECT(filled(in, 4, left + round));
  }
}

/* The limit is 16 bytes (set by main). */
static void what_mpi_copies_itself_is_not_split(void) {
  double in[4], out[4], back[4];
  tacit_slot slot = fresh_slot();
  MPI_Request request;
  MPI_Status status;
  fill(out, 4, rank);
  for (int count = 1; count <= 4; ++count) {
    MPI_Irecv(in, count, MPI_DOUBLE, left, 12, MPI_COMM_WORLD, &request);
    __tacit_send(&slot, out, count, MPI_DOUBLE, right, 12, MPI_COMM_WORLD);
    EXPECT(holds(&slot) == (count > 2 || tacit_checks()));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    __tacit_wait(&slot, out);
    EXPECT(filled(in, count, left));
    __tacit_sendrecv(&slot, out, count, MPI_DOUBLE, right, 13, back, 4, MPI_DOUBLE, left, 13, MPI_COMM_WORLD,
                     &status);
    EXPECT(holds(&slot) == (count > 2 || tacit_checks()));
    EXPECT(filled(back, count, left) && status.MPI_SOURCE == left);
    __tacit_wait(&slot, out);
  }
}

static void a_request_without_a_note_overlaps_everything(void) {
  int in = -1;
  MPI_Request request;
  tacit_slot slot = fresh_slot();
  MPI_Irecv(&in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request);
  if (tacit_checks()) /* which completes what is deferred */
    MPI_Send(&rank, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
  __tacit_defer(&slot, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!tacit_checks()) /* nothing has arrived before: of a complete operation it does not matter */
    MPI_Send(&rank, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
  __tacit_wait_overlap(&slot, NULL, (void*)8, (void*)9, 0);
  EXPECT(in == left && (tacit_checks() || !holds(&slot)));
  __tacit_wait(&slot, &in);
}

static void long_arrays_are_copied_and_their_ranges_merged(void) {
  enum { many = 20 };
  int in[2 * many], out[many];
  MPI_Request requests[2 * many + 1];
  tacit_slot slot = fresh_slot();
  for (int i = 0; i < many; ++i) {
    out[i] = rank * 100 + i;
    MPI_Irecv(&in[2 * i], 1, MPI_INT, left, 20 + i, MPI_COMM_WORLD, &requests[i]);
    __tacit_note(&slot, &in[2 * i], 1, MPI_INT, 1, &requests[i]);
  }
  for (int i = 0; i < many; ++i) {
    MPI_Isend(&out[i], 1, MPI_INT, right, 20 + i, MPI_COMM_WORLD, &requests[many + i]);
    __tacit_note(&slot, &out[i], 1, MPI_INT, 0, &requests[many + i]);
  }
  requests[2 * many] = MPI_REQUEST_NULL;
  __tacit_defer_all(&slot, 2 * many + 1, requests);
  for (int i = 0; i < 2 * many; ++i)
    EXPECT(requests[i] == MPI_REQUEST_NULL);
  memset(requests, 0x55, sizeof requests); /* the slot has its own copy */
  __tacit_wait_overlap(&slot, in, &in[2 * (many - 1)], &in[2 * (many - 1)] + 1, 0);
  EXPECT(!holds(&slot));
  for (int i = 0; i < many; ++i)
    EXPECT(in[2 * i] == left * 100 + i);
}

static void persistent_requests_stay_and_keep_their_notes(void) {
  double in[4], out[4], late[4], third[4];
  MPI_Request requests[2];
  tacit_slot slot = fresh_slot();
  MPI_Recv_init(in, 4, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &requests[0]);
  __tacit_note(&slot, in, 4, MPI_DOUBLE, 1, &requests[0]);
  MPI_Send_init(out, 4, MPI_DOUBLE, right, 14, MPI_COMM_WORLD, &requests[1]);
  __tacit_note(&slot, out, 4, MPI_DOUBLE, 0, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    fill(out, 4, rank);
    fill(late, 4, rank + 10 * round);
    MPI_Request beside; /* of a receive: a rank's message to itself may complete only when it is received */
    MPI_Irecv(third, 4, MPI_DOUBLE, left, 14, MPI_COMM_WORLD, &beside);
    MPI_Startall(2, requests);
    send_before(late, 4, 5);
    __tacit_defer_all_started(&slot, 2, requests);
    EXPECT(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    double elsewhere[2];
    __tacit_wait_overlap(&slot, in, elsewhere, elsewhere + 2, 1);
    EXPECT(holds(&slot));
    __tacit_wait_overlap(&slot, in, out, out + 1, 1);
    EXPECT(holds(&slot));
    send_behind(late, 4, 5);
    __tacit_wait_overlap(&slot, in, in, in + 1, 0);
    EXPECT(!holds(&slot) && filled(in, 4, left + 10 * round));
    MPI_Wait(&beside, MPI_STATUS_IGNORE);
    EXPECT(filled(third, 4, left));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static __attribute__((noinline)) void receive_persistently(void) {
  double in[4], out[4];
  MPI_Request request;
  tacit_slot slot = fresh_slot();
  MPI_Recv_init(in, 4, MPI_DOUBLE, left, 15, MPI_COMM_WORLD, &request);
  __tacit_note(&slot, in, 4, MPI_DOUBLE, 1, &request);
  fill(out, 4, rank);
  MPI_Start(&request);
  send_before(out, 4, 15);
  __tacit_defer_started(&slot, &request);
  send_behind(out, 4, 15);
  __tacit_wait(&slot, in);
  EXPECT(filled(in, 4, left));
  MPI_Request_free(&request);
}

static void notes_of_functions_that_have_ended_are_forgotten(void) {
  receive_persistently();
  const int of_one = duplicates;
  for (int again = 0; again < 10; ++again)
    receive_persistently();
  EXPECT(duplicates == of_one);
}

static void a_combined_call_has_received_when_it_returns(void) {
  double* out = malloc(sizeof(double) * big);
  double* in = malloc(sizeof(double) * big);
  tacit_slot slot = fresh_slot();
  MPI_Status status;
  fill(out, big, rank);
  __tacit_sendrecv(&slot, out, big, MPI_DOUBLE, right, 6, in, big, MPI_DOUBLE, left, 6, MPI_COMM_WORLD,
                   &status);
  EXPECT(filled(in, big, left) && status.MPI_SOURCE == left && status.MPI_TAG == 6);
  EXPECT(holds(&slot));
  __tacit_wait(&slot, out);
  __tacit_sendrecv(&slot, NULL, 0, MPI_INT, MPI_PROC_NULL, 6, NULL, 0, MPI_INT, MPI_PROC_NULL, 6,
                   MPI_COMM_SELF, MPI_STATUS_IGNORE);
  __tacit_wait(&slot, NULL);
  free(out);
  free(in);
}

static void pokes_complete_and_deliver(void) {
  double* out = malloc(sizeof(double) * big);
  double* in = malloc(sizeof(double) * big);
  tacit_slot sent = fresh_slot(), received = fresh_slot();
  fill(out, big, rank);
  __tacit_recv(&received, in, big, MPI_DOUBLE, left, 7, MPI_COMM_WORLD);
  __tacit_send(&sent, out, big, MPI_DOUBLE, right, 7, MPI_COMM_WORLD);
  while (holds(&received) || holds(&sent)) {
    __tacit_poke(&received);
    __tacit_poke(&sent);
  }
  __tacit_wait(&received, in);
  __tacit_wait(&sent, out);
  EXPECT(filled(in, big, left));
  free(out);
  free(in);
}

/* Every rank sends before it receives: with rendezvous this ends only because the sends are copies, which check mode
 * completes at once. */
static void sends_from_copies_leave_the_buffer_free(void) {
  if (tacit_checks())
    return;
  double* out = malloc(sizeof(double) * big);
  double* in = malloc(sizeof(double) * big);
  for (int round = 0; round < 5; ++round) {
    fill(out, big, rank + round);
    __tacit_send_renamed(NULL, out, big, MPI_DOUBLE, right, 30 + round, MPI_COMM_WORLD);
  }
  memset(out, 0, sizeof(double) * big);
  EXPECT(tacit_copies_under_way());
  for (int round = 0; round < 5; ++round) {
    MPI_Recv(in, big, MPI_DOUBLE, left, 30 + round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(filled(in, big, left + round));
  }
  free(out);
  free(in);
}

/* Before a rank waits outside MPI it completes what it has sent from copies. */
static void copies_are_completed_when_asked_for(void) {
  double* data = malloc(sizeof(double) * big);
  MPI_Request request;
  double* in = malloc(sizeof(double) * big);
  MPI_Irecv(in, big, MPI_DOUBLE, left, 51, MPI_COMM_WORLD, &request);
  fill(data, big, rank);
  __tacit_send_renamed(NULL, data, big, MPI_DOUBLE, right, 51, MPI_COMM_WORLD);
  __tacit_complete_copies();
  EXPECT(!tacit_copies_under_way());
  __tacit_complete_copies();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(filled(in, big, left));
  free(in);
  free(data);
}

/* The cap is 4 MiB (set by main): half a MiB each, so that some find no room and are ordinary sends. Even
 * ranks send first. */
static void full_memory_means_ordinary_sends(void) {
  double* data = malloc(sizeof(double) * big);
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 12; ++i)
      if ((rank % 2 == 0) == (half == 0) && rank / 2 * 2 + 1 < size) {
        fill(data, big, i);
        __tacit_send_renamed(NULL, data, big, MPI_DOUBLE, rank ^ 1, 50, MPI_COMM_WORLD);
      } else if ((rank ^ 1) < size) {
        MPI_Recv(data, big, MPI_DOUBLE, rank ^ 1, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(filled(data, big, i));
      }
  free(data);
}

static void what_cannot_be_copied_is_sent(void) {
  int in[4] = {0}, out[4] = {1, 2, 3, 4};
  MPI_Datatype gaps;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  MPI_Request request;
  MPI_Irecv(in, 1, gaps, left, 8, MPI_COMM_WORLD, &request);
  __tacit_send_renamed(NULL, out, 1, gaps, right, 8, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(in[0] == 1 && in[1] == 0 && in[2] == 3);
  __tacit_send_renamed(NULL, NULL, 0, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
  MPI_Type_free(&gaps);
}

/* Left to MPI_Finalize: the receiver takes it only after all else (main). */
static void the_last_sends_are_completed_by_finalize(void) {
  if (tacit_checks())
    return;
  double* out = malloc(sizeof(double) * big);
  fill(out, big, rank);
  __tacit_send_renamed(NULL, out, big, MPI_DOUBLE, right, 99, MPI_COMM_WORLD);
  free(out);
  double* in = malloc(sizeof(double) * big);
  MPI_Recv(in, big, MPI_DOUBLE, left, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(filled(in, big, left));
  free(in);
}

static uintptr_t of(const double* place) {
  return (uintptr_t)place;
}

/* Several messages in one slot: what is read or written completes its own message only. */
static void each_of_several_is_completed_when_it_is_needed(void) {
  double* out = malloc(sizeof(double) * 2 * big); /* long messages: short ones may be complete at once */
  double* in = malloc(sizeof(double) * 2 * big);
  double last[4], late[4];
  MPI_Request requests[5];
  tacit_slot slot = fresh_slot();
  fill(out, 2 * big, rank);
  fill(last, 4, rank);
  for (int i = 0; i < 2; ++i) {
    double *into = in + i * big, *from = out + i * big;
    MPI_Irecv(into, big, MPI_DOUBLE, left, i, MPI_COMM_WORLD, &requests[i]);
    __tacit_note(&slot, into, big, MPI_DOUBLE, 1, &requests[i]);
    MPI_Isend(from, big, MPI_DOUBLE, right, i, MPI_COMM_WORLD, &requests[2 + i]);
    __tacit_note(&slot, from, big, MPI_DOUBLE, 0, &requests[2 + i]);
  }
  MPI_Irecv(late, 4, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[4]);
  __tacit_note(&slot, late, 4, MPI_DOUBLE, 1, &requests[4]);
  send_before(last, 4, 2);
  __tacit_defer_all(&slot, 5, requests);
  EXPECT(state_of(&slot)->range_count == 5);
  __tacit_wait_overlap(&slot, in, out, out + 2 * big, 0);
  EXPECT(state_of(&slot)->range_count == 5); /* sent data may be read */
  __tacit_wait_overlap(&slot, in, in + 3, in + 4, 0);
  EXPECT(holds(&slot) && state_of(&slot)->range_count == 4 && filled(in, big, left));
  EXPECT(__tacit_until(&slot, in, of(in), of(in + 1), 8, 0) == big);
  EXPECT(__tacit_until(&slot, in, of(in + big), of(in + big + 1), 8, 0) > big);
  EXPECT(holds(&slot) && state_of(&slot)->range_count == 3 && filled(in, 2 * big, left));
  __tacit_wait_overlap(&slot, in, out, out + big + 1, 1);
  EXPECT(holds(&slot) && state_of(&slot)->range_count == 1);
  send_behind(last, 4, 2);
  __tacit_wait_overlap(&slot, in, late, late + 1, 0);
  EXPECT(!holds(&slot) && filled(late, 4, left));
  free(out);
  free(in);
}

/* Rows of 8 doubles, of which the last of 10 is received. */
static void iterations_run_until_one_needs_the_data(void) {
  double rows[80] = {0}, out[8];
  fill(out, 8, rank);
  const int64_t row = 8 * sizeof(double);
  for (int turn = 0; turn < 3; ++turn) {
    tacit_slot slot = {{0}};
    MPI_Request request;
    MPI_Irecv(rows + 72, 8, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request);
    __tacit_note(&slot, rows + 72, 8, MPI_DOUBLE, 1, &request);
    send_before(out, 8, 1);
    EXPECT(__tacit_until(&slot, rows, of(rows), of(rows + 8), row, 0) == UINT64_MAX); /* nothing pending */
    __tacit_defer(&slot, &request);
    EXPECT(__tacit_until(&slot, rows, of(rows), of(rows + 8), row, 0) == 9);
    EXPECT(__tacit_until(&slot, rows, of(rows), of(rows + 16), row, 0) == 8);    /* looks one row ahead */
    EXPECT(__tacit_until(&slot, rows, of(rows + 1), of(rows + 9), 16, 1) == 32); /* ends at double 73 */
    EXPECT(__tacit_until(&slot, rows, of(rows), of(rows + 8), 7 * row, 0) == 2); /* jumps over the row */
    EXPECT(__tacit_until(&slot, out, of(rows + 8), of(rows + 16), 0, 1) == UINT64_MAX);
    EXPECT(__tacit_until(&slot, out, 4096, 4104, -8, 1) == 513); /* until addresses wrap */
    EXPECT(__tacit_until(&slot, out, UINTPTR_MAX - 99, UINTPTR_MAX - 79, 8, 1) == 10);
    EXPECT(__tacit_until(&slot, out, UINTPTR_MAX - 99, UINTPTR_MAX - 79, INT64_MAX, 1) == 1);
    EXPECT(__tacit_until(&slot, out, UINTPTR_MAX - 99, UINTPTR_MAX - 79, INT64_MIN, 1) <= 2);
    EXPECT(holds(&slot));
    send_behind(out, 8, 1);
    if (turn == 0)
      EXPECT(__tacit_until(&slot, rows, of(rows + 72), of(rows + 73), -row, 0) == UINT64_MAX);
    else if (turn == 1)
      EXPECT(__tacit_until(&slot, rows, 8, 4, 8, 0) == UINT64_MAX); /* not a range */
    EXPECT(holds(&slot) == turn > 1);
    __tacit_wait(&slot, rows);
    EXPECT(filled(rows + 72, 8, left));
  }
}

int main(int argc, char** argv) {
  setenv("TACIT_OVERLAP_MEMORY", "4M", 1);
  setenv("TACIT_OVERLAP_EAGER", "16", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* expected = getenv("TACIT_EXPECTED_RANKS");
  EXPECT(!expected || atoi(expected) == size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  empty_slots_do_nothing();
  if (!tacit_checks()) { /* as blocking calls, which check mode makes of them again, these would wait forever
                          */
    a_split_send_and_receive_carry_data();
    what_a_slot_held_is_completed_before_it_is_used_again();
    only_accesses_that_disturb_complete();
    pokes_complete_and_deliver();
  }
  ranges_follow_the_true_extent();
  iterations_run_until_one_needs_the_data();
  if (size > 1) /* messages to oneself are complete at once, and may share a handle */
    each_of_several_is_completed_when_it_is_needed();
  deferred_requests_are_told_apart_by_their_handles();
  what_is_complete_is_not_deferred();
  what_mpi_copies_itself_is_not_split();
  a_request_without_a_note_overlaps_everything();
  long_arrays_are_copied_and_their_ranges_merged();
  persistent_requests_stay_and_keep_their_notes();
  notes_of_functions_that_have_ended_are_forgotten();
  a_combined_call_has_received_when_it_returns();
  sends_from_copies_leave_the_buffer_free();
  copies_are_completed_when_asked_for();
  full_memory_means_ordinary_sends();
  what_cannot_be_copied_is_sent();
  the_last_sends_are_completed_by_finalize();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  EXPECT(!tacit_copies_under_way());
  return all + failures != 0;
}
