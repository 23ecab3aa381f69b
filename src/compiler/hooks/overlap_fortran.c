/* The hooks for Fortran. They post through the Fortran functions of MPI, which alone know what MPI_BOTTOM and
 * MPI_STATUS_IGNORE look like there, and keep the C handles. An object of its own in the archive: only
 * Fortran programs, which have MPI's Fortran library, take it in. */
#include "compiler/hooks/copies.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/slot.h"
#include "compiler/hooks/statistics.h"

#include <stdlib.h>

typedef const MPI_Fint* integer;

/* A status as large as any MPI library's: MPI_F_STATUS_IGNORE need not be known where a C program has called MPI_Init. */
typedef struct any_status {
  MPI_Fint of[16];
} any_status;

void mpi_isend_(const void* buffer, integer count, integer datatype, integer dest, integer tag, integer comm,
                MPI_Fint* request, MPI_Fint* ierror);
void mpi_irecv_(void* buffer, integer count, integer datatype, integer source, integer tag, integer comm,
                MPI_Fint* request, MPI_Fint* ierror);
void mpi_send_(const void* buffer, integer count, integer datatype, integer dest, integer tag, integer comm,
               MPI_Fint* ierror);
void mpi_sendrecv_(const void* send_buffer, integer send_count, integer send_type, integer dest,
                   integer send_tag, void* recv_buffer, integer recv_count, integer recv_type, integer source,
                   integer recv_tag, integer comm, MPI_Fint* status, MPI_Fint* ierror);
void mpi_recv_(void* buffer, integer count, integer datatype, integer source, integer tag, integer comm,
               MPI_Fint* status, MPI_Fint* ierror);
void mpi_wait_(MPI_Fint* request, MPI_Fint* status, MPI_Fint* ierror);
void mpi_waitall_(integer count, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* ierror);
void mpi_get_address_(const void* location, MPI_Aint* address, MPI_Fint* ierror);

/* Where the buffer is: MPI_BOTTOM, an address like any other here, is 0. */
static message message_of(const void* buffer, integer count, integer datatype, int receives) {
  MPI_Aint address = 0;
  MPI_Fint error = MPI_SUCCESS;
  mpi_get_address_(buffer, &address, &error);
  return (message){(const void*)address, *count, MPI_Type_f2c(*datatype), receives, 0};
}

static void hold(slot_state* slot, MPI_Fint request, const message* posted) {
  tacit_hold(slot, MPI_Request_f2c(request), posted);
}

void __tacit_send_f(tacit_slot* slot, const void* buffer, integer count, integer datatype, integer dest,
                    integer tag, integer comm, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  if (tacit_calls_as_written()) {
    mpi_send_(buffer, count, datatype, dest, tag, comm, ierror);
    return;
  }
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  if (tacit_sends_at_once(*count, MPI_Type_f2c(*datatype))) {
    mpi_send_(buffer, count, datatype, dest, tag, comm, ierror);
    return;
  }
  MPI_Fint request;
  mpi_isend_(buffer, count, datatype, dest, tag, comm, &request, ierror);
  if (*ierror != MPI_SUCCESS)
    return;
  const message posted = message_of(buffer, count, datatype, 0);
  hold(state, request, &posted);
}

void __tacit_recv_f(tacit_slot* slot, void* buffer, integer count, integer datatype, integer source,
                    integer tag, integer comm, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  if (tacit_calls_as_written()) {
    any_status status;
    mpi_recv_(buffer, count, datatype, source, tag, comm, status.of, ierror);
    return;
  }
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  MPI_Fint request;
  mpi_irecv_(buffer, count, datatype, source, tag, comm, &request, ierror);
  if (*ierror != MPI_SUCCESS)
    return;
  const message posted = message_of(buffer, count, datatype, 1);
  hold(state, request, &posted);
}

void __tacit_sendrecv_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                        integer dest, integer send_tag, void* recv_buffer, integer recv_count,
                        integer recv_type, integer source, integer recv_tag, integer comm, MPI_Fint* status,
                        MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  if (tacit_calls_as_written()) {
    mpi_sendrecv_(send_buffer, send_count, send_type, dest, send_tag, recv_buffer, recv_count, recv_type,
                  source, recv_tag, comm, status, ierror);
    return;
  }
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  if (tacit_sends_at_once(*send_count, MPI_Type_f2c(*send_type))) {
    mpi_sendrecv_(send_buffer, send_count, send_type, dest, send_tag, recv_buffer, recv_count, recv_type,
                  source, recv_tag, comm, status, ierror);
    return;
  }
  MPI_Fint receive, send;
  mpi_irecv_(recv_buffer, recv_count, recv_type, source, recv_tag, comm, &receive, ierror);
  if (*ierror != MPI_SUCCESS)
    return;
  mpi_isend_(send_buffer, send_count, send_type, dest, send_tag, comm, &send, ierror);
  if (*ierror != MPI_SUCCESS)
    return;
  mpi_wait_(&receive, status, ierror);
  const message posted = message_of(send_buffer, send_count, send_type, 0);
  hold(state, send, &posted);
}

void __tacit_send_renamed_f(const char* location, const void* buffer, integer count, integer datatype,
                            integer dest, integer tag, integer comm, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  void* copy =
      tacit_calls_as_written() ? NULL : tacit_copy_message(buffer, *count, MPI_Type_f2c(*datatype), *dest);
  if (!copy) {
    mpi_send_(buffer, count, datatype, dest, tag, comm, ierror);
    return;
  }
  MPI_Fint request;
  mpi_isend_(copy, count, datatype, dest, tag, comm, &request, ierror);
  if (*ierror == MPI_SUCCESS)
    tacit_copy_sent(copy, MPI_Request_f2c(request), location);
  else
    tacit_copy_unsent(copy);
}

void __tacit_note_f(tacit_slot* slot, const void* buffer, integer count, integer datatype, int how,
                    integer request) {
  if (!tacit_is_noted(how) || tacit_calls_as_written())
    return;
  message posted = message_of(buffer, count, datatype, how & 1);
  posted.synchronous = (how & 4) != 0;
  tacit_note(tacit_open(slot), MPI_Request_f2c(*request), request, &posted);
}

void __tacit_request_freed_f(const MPI_Fint* request) {
  const MPI_Request handle = MPI_Request_f2c(*request);
  __tacit_request_freed(&handle);
}

void __tacit_request_made_f(const MPI_Fint* request) {
  const MPI_Request handle = MPI_Request_f2c(*request);
  __tacit_request_made(&handle);
}

static void wait_for(int count, const MPI_Request* handles, integer requests, MPI_Fint* ierror) {
  for (int i = 0; i < count; ++i) {
    MPI_Request one = handles ? handles[i] : MPI_Request_f2c(requests[i]);
    *ierror = MPI_Wait(&one, MPI_STATUS_IGNORE);
  }
}

static void wait_as_written(MPI_Fint count, MPI_Fint* requests, MPI_Fint* ierror) {
  any_status one, *all = calloc((size_t)(count > 0 ? count : 1), sizeof *all);
  if (all)
    mpi_waitall_(&count, requests, all->of, ierror);
  for (MPI_Fint i = 0; !all && i < count; ++i)
    mpi_wait_(&requests[i], one.of, ierror);
  free(all);
}

static void defer(tacit_slot* slot, MPI_Fint count, MPI_Fint* requests, int persistent, MPI_Fint* ierror) {
  if (tacit_calls_as_written()) {
    wait_as_written(count, requests, ierror);
    return;
  }
  slot_state* state = tacit_open(slot);
  tacit_complete(state);
  *ierror = MPI_SUCCESS;
  if (count <= 0)
    return;
  MPI_Request few[slot_requests];
  MPI_Request* handles = count > slot_requests ? malloc((size_t)count * sizeof *handles) : few;
  for (MPI_Fint i = 0; handles && i < count; ++i)
    handles[i] = MPI_Request_f2c(requests[i]);
  if (!handles || !tacit_defer(state, count, handles, requests, sizeof *requests, persistent))
    wait_for(count, handles, requests, ierror);
  if (handles != few)
    free(handles);
  for (MPI_Fint i = 0; i < count && !persistent; ++i)
    requests[i] = MPI_Request_c2f(MPI_REQUEST_NULL);
}

static void defer_one(tacit_slot* slot, MPI_Fint* request, int persistent, MPI_Fint* ierror) {
  any_status status;
  if (tacit_calls_as_written())
    mpi_wait_(request, status.of, ierror);
  else
    defer(slot, 1, request, persistent, ierror);
}

void __tacit_defer_f(tacit_slot* slot, MPI_Fint* request, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  defer_one(slot, request, 0, ierror);
}

void __tacit_defer_element_f(tacit_slot* slot, MPI_Fint* request, int started, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  if (!tacit_calls_as_written())
    defer(slot, 1, request, started, ierror);
}

void __tacit_defer_all_f(tacit_slot* slot, integer count, MPI_Fint* requests, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  defer(slot, *count, requests, 0, ierror);
}

void __tacit_defer_started_f(tacit_slot* slot, MPI_Fint* request, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  defer_one(slot, request, 1, ierror);
}

void __tacit_defer_all_started_f(tacit_slot* slot, integer count, MPI_Fint* requests, MPI_Fint* ierror) {
  TACIT_COUNT_CALL();
  defer(slot, *count, requests, 1, ierror);
}
