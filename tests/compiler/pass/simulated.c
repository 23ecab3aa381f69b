/* Linked into what SMPI runs, with --wrap for each function here. SimGrid 3.32 says for ever that a null
 * request is not complete (MPI-3.1, 3.7.3: it is), and its nonblocking collectives in place send from memory
 * that they have freed. flang's END PROGRAM calls exit(), which would end all ranks with the first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int __real_MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
void __real_mpi_test_(MPI_Fint* request, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* ierror);
int __wrap_MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
void __wrap_mpi_test_(MPI_Fint* request, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* ierror);
int __real_MPI_Iallreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request* request);
int __wrap_MPI_Iallreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request* request);
int __real_MPI_Ialltoall(const void* out, int send_count, MPI_Datatype send_type, void* in, int count,
                         MPI_Datatype type, MPI_Comm comm, MPI_Request* request);
int __wrap_MPI_Ialltoall(const void* out, int send_count, MPI_Datatype send_type, void* in, int count,
                         MPI_Datatype type, MPI_Comm comm, MPI_Request* request);
void __wrap__FortranAProgramEndStatement(void);

int __wrap_MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (*request != MPI_REQUEST_NULL)
    return __real_MPI_Test(request, flag, status);
  *flag = 1;
  return MPI_SUCCESS;
}

void __wrap_mpi_test_(MPI_Fint* request, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* ierror) {
  if (MPI_Request_f2c(*request) != MPI_REQUEST_NULL) {
    __real_mpi_test_(request, flag, status, ierror);
    return;
  }
  *flag = 1;
  *ierror = MPI_SUCCESS;
}

/* The copy stays until the program ends. */
static const void* copy_of(const void* buffer, int count, MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  const size_t bytes = (size_t)count * (size_t)size;
  void* copy = malloc(bytes);
  return copy ? memcpy(copy, buffer, bytes) : buffer;
}

int __wrap_MPI_Iallreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request* request) {
  return __real_MPI_Iallreduce(out == MPI_IN_PLACE ? copy_of(in, count, type) : out, in, count, type, op,
                               comm, request);
}

int __wrap_MPI_Ialltoall(const void* out, int send_count, MPI_Datatype send_type, void* in, int count,
                         MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  if (out != MPI_IN_PLACE)
    return __real_MPI_Ialltoall(out, send_count, send_type, in, count, type, comm, request);
  int ranks;
  MPI_Comm_size(comm, &ranks);
  return __real_MPI_Ialltoall(copy_of(in, count * ranks, type), count, type, in, count, type, comm, request);
}

void __wrap__FortranAProgramEndStatement(void) {}
