/* test_wrapped 0|1: whether the hooks find that the program puts functions in MPI's place. (MPI is loaded, and not begun.)
 * With OWN it has one, with WRAP the linker puts one there; as a library (TOOL) it is a tool with all functions that hooks stand for or call, or but for one (SOME). Waiting and asking changes errno there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(TOOL)
#include <errno.h>

/* As MPI libraries may, where they wait or ask the system. */
static int changes_errno(int error) {
  errno = EAGAIN;
  return error;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}
#ifndef SOME
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}
#endif
int MPI_Sendrecv(const void* out, int sent, MPI_Datatype send_type, int dest, int send_tag, void* in,
                 int received, MPI_Datatype recv_type, int source, int recv_tag, MPI_Comm comm,
                 MPI_Status* status) {
  return PMPI_Sendrecv(out, sent, send_type, dest, send_tag, in, received, recv_type, source, recv_tag, comm,
                       status);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return changes_errno(PMPI_Wait(request, status));
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return changes_errno(PMPI_Waitall(count, requests, statuses));
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return changes_errno(PMPI_Test(request, flag, status));
}
int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return changes_errno(PMPI_Testall(count, requests, flag, statuses));
}
#else
#include "compiler/hooks/program.h"

#ifdef OWN
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return PMPI_Test(request, flag, status);
}
#endif

#ifdef WRAP
int __wrap_MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                    MPI_Status* status) {
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}
#endif

/* An executable at fixed addresses then has a jump with the address that everybody takes for the function's. */
void (*volatile address)(void);

int main(int argc, char** argv) {
  address = (void (*)(void))MPI_Recv;
  const int found = tacit_program_wraps(), expected = argc > 1 ? atoi(argv[1]) : 0;
  if (found != expected)
    printf("the hooks find %d instead of %d\n", found, expected);
  return found != expected;
}
#endif
