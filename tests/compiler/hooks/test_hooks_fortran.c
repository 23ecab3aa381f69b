/* The Fortran forms of the hooks, called as flang calls them: all by reference. */
#include "compiler/hooks/slot.h"

#include <stdio.h>
#include <stdlib.h>

void mpi_irecv_(void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*,
                MPI_Fint*, MPI_Fint*);
void mpi_isend_(const void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*,
                const MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_init_(MPI_Fint*);
void mpi_finalize_(MPI_Fint*);

static int rank, failures;

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      ++failures;                                                                                            \
      fprintf(stderr, "rank %d: %s:%d: not true: %s\n", rank, __FILE__, __LINE__, #condition);               \
    }                                                                                                        \
  } while (0)

int main(void) {
  MPI_Fint error;
  int size;
  setenv("TACIT_OVERLAP_EAGER", "4", 1);
  mpi_init_(&error);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD), type = MPI_Type_c2f(MPI_INT);
  const MPI_Fint null = MPI_Request_c2f(MPI_REQUEST_NULL);
  const MPI_Fint right = (rank + 1) % size, left = (rank + size - 1) % size, tag = 3, two = 2, one = 1;
  int out[2] = {rank, rank + 1}, in[2] = {-1, -1};
  tacit_slot sent = {{0}}, received = {{0}};

  __tacit_recv_f(&received, in, &two, &type, &left, &tag, &comm, &error);
  EXPECT(error == MPI_SUCCESS);
  __tacit_send_f(&sent, out, &two, &type, &right, &tag, &comm, &error);
  EXPECT(error == MPI_SUCCESS && state_of(&sent)->pending);
  __tacit_wait_overlap(&received, in, out, out + 2, 1);
  EXPECT(state_of(&received)->pending);
  __tacit_wait_overlap(&received, in, in, in + 1, 0);
  __tacit_wait(&sent, out);
  EXPECT(in[0] == left && in[1] == left + 1 && !state_of(&received)->pending);

  MPI_Fint requests[12];
  int array[12];
  for (MPI_Fint i = 0; i < 6; ++i) {
    mpi_irecv_(&array[i], &one, &type, &left, &i, &comm, &requests[i], &error);
    __tacit_note_f(&received, &array[i], &one, &type, 1, &requests[i]);
    mpi_isend_(&out[0], &one, &type, &right, &i, &comm, &requests[6 + i], &error);
    __tacit_note_f(&received, &out[0], &one, &type, 0, &requests[6 + i]);
  }
  const MPI_Fint twelve = 12;
  __tacit_defer_all_f(&received, &twelve, requests, &error);
  EXPECT(error == MPI_SUCCESS);
  for (int i = 0; i < 12; ++i)
    EXPECT(requests[i] == null);
  __tacit_wait_overlap(&received, array, &array[5], &array[5] + 1, 0);
  EXPECT(array[5] == left);
  __tacit_wait(&received, array);
  EXPECT(!state_of(&received)->pending);
  for (int i = 0; i < 6; ++i)
    EXPECT(array[i] == left);

  MPI_Fint status[sizeof(MPI_Status) / sizeof(MPI_Fint) + 1];
  __tacit_sendrecv_f(&sent, out, &one, &type, &right, &tag, in, &one, &type, &left, &tag, &comm, status,
                     &error);
  EXPECT(error == MPI_SUCCESS && in[0] == left && !state_of(&sent)->pending); /* four bytes are not split */
  __tacit_sendrecv_f(&sent, out, &two, &type, &right, &tag, in, &two, &type, &left, &tag, &comm, status,
                     &error);
  EXPECT(error == MPI_SUCCESS && in[1] == left + 1 && state_of(&sent)->pending);
  __tacit_wait(&sent, out);

  enum { big = 1 << 16 };
  int* large = malloc(sizeof(int) * big);
  for (int i = 0; i < big; ++i)
    large[i] = rank + i;
  const MPI_Fint count = big;
  __tacit_send_renamed_f(NULL, large, &count, &type, &right, &tag, &comm, &error);
  for (int i = 0; i < big; ++i)
    large[i] = -1;
  __tacit_recv_f(&received, large, &count, &type, &left, &tag, &comm, &error);
  __tacit_wait(&received, large);
  EXPECT(large[0] == left && large[big - 1] == left + big - 1);
  free(large);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  mpi_finalize_(&error);
  return all != 0;
}
