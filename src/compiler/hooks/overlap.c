/* The hooks for C and C++. */
#include "compiler/hooks/check.h"
#include "compiler/hooks/copies.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/slot.h"
#include "compiler/hooks/statistics.h"

#include <stddef.h>

int __tacit_send(tacit_slot* slot, const void* buffer, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) {
  TACIT_COUNT_CALL();
  if (tacit_calls_as_written())
    return MPI_Send(buffer, count, datatype, dest, tag, comm);
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  if (tacit_sends_at_once(count, datatype))
    return MPI_Send(buffer, count, datatype, dest, tag, comm);
  MPI_Request request;
  tacit_check_enter(state);
  const int error = MPI_Isend(buffer, count, datatype, dest, tag, comm, &request);
  tacit_check_enter(NULL);
  if (error == MPI_SUCCESS)
    tacit_hold(state, request, &(message){buffer, count, datatype, 0, 0});
  return error;
}

int __tacit_recv(tacit_slot* slot, void* buffer, int count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm) {
  TACIT_COUNT_CALL();
  if (tacit_calls_as_written())
    return MPI_Recv(buffer, count, datatype, source, tag, comm, MPI_STATUS_IGNORE);
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  MPI_Request request;
  tacit_check_enter(state);
  const int error = MPI_Irecv(buffer, count, datatype, source, tag, comm, &request);
  tacit_check_enter(NULL);
  if (error == MPI_SUCCESS)
    tacit_hold(state, request, &(message){buffer, count, datatype, 1, 0});
  return error;
}

int __tacit_sendrecv(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                     int dest, int send_tag, void* recv_buffer, int recv_count, MPI_Datatype recv_type,
                     int source, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  TACIT_COUNT_CALL();
  if (tacit_calls_as_written())
    return MPI_Sendrecv(send_buffer, send_count, send_type, dest, send_tag, recv_buffer, recv_count,
                        recv_type, source, recv_tag, comm, status);
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  if (tacit_sends_at_once(send_count, send_type))
    return MPI_Sendrecv(send_buffer, send_count, send_type, dest, send_tag, recv_buffer, recv_count,
                        recv_type, source, recv_tag, comm, status);
  MPI_Request receive, send;
  tacit_check_enter(state);
  int error = MPI_Irecv(recv_buffer, recv_count, recv_type, source, recv_tag, comm, &receive);
  if (error == MPI_SUCCESS)
    error = MPI_Isend(send_buffer, send_count, send_type, dest, send_tag, comm, &send);
  const int posted = error == MPI_SUCCESS;
  if (posted)
    error = MPI_Wait(&receive, status);
  tacit_check_enter(NULL);
  if (posted)
    tacit_hold(state, send, &(message){send_buffer, send_count, send_type, 0, 0});
  return error;
}

int __tacit_send_renamed(const char* location, const void* buffer, int count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm) {
  TACIT_COUNT_CALL();
  void* copy = tacit_calls_as_written() ? NULL : tacit_copy_message(buffer, count, datatype, dest);
  if (!copy)
    return MPI_Send(buffer, count, datatype, dest, tag, comm);
  MPI_Request request;
  const int error = MPI_Isend(copy, count, datatype, dest, tag, comm, &request);
  if (error == MPI_SUCCESS)
    tacit_copy_sent(copy, request, location);
  else
    tacit_copy_unsent(copy);
  return error;
}

void __tacit_note(tacit_slot* slot, const void* buffer, int count, MPI_Datatype datatype, int how,
                  const MPI_Request* request) {
  if (tacit_is_noted(how) && !tacit_calls_as_written())
    tacit_note(tacit_open(slot), *request, request,
               &(message){buffer, count, datatype, how & 1, (how & 4) != 0});
}

static int defer(tacit_slot* slot, int count, MPI_Request* requests, int persistent) {
  if (tacit_calls_as_written())
    return MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  if (!tacit_defer(state, count, requests, requests, sizeof *requests, persistent))
    return MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count && !persistent; ++i)
    requests[i] = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

static int defer_one(tacit_slot* slot, MPI_Request* request, int persistent) {
  return tacit_calls_as_written() ? MPI_Wait(request, MPI_STATUS_IGNORE)
                                  : defer(slot, 1, request, persistent);
}

int __tacit_defer(tacit_slot* slot, MPI_Request* request) {
  TACIT_COUNT_CALL();
  return defer_one(slot, request, 0);
}

int __tacit_defer_element(tacit_slot* slot, MPI_Request* request, int started) {
  TACIT_COUNT_CALL();
  return tacit_calls_as_written() ? MPI_SUCCESS : defer(slot, 1, request, started);
}

int __tacit_defer_all(tacit_slot* slot, int count, MPI_Request* requests) {
  TACIT_COUNT_CALL();
  return defer(slot, count, requests, 0);
}

int __tacit_defer_started(tacit_slot* slot, MPI_Request* request) {
  TACIT_COUNT_CALL();
  return defer_one(slot, request, 1);
}

int __tacit_defer_all_started(tacit_slot* slot, int count, MPI_Request* requests) {
  TACIT_COUNT_CALL();
  return defer(slot, count, requests, 1);
}
