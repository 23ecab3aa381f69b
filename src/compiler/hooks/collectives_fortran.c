/* The collectives of collectives.c for Fortran: posted through the Fortran functions of MPI, which know what
 * MPI_IN_PLACE and MPI_BOTTOM look like there. */
#include "compiler/hooks/check.h"
#include "compiler/hooks/collectives.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/statistics.h"

typedef const MPI_Fint* integer;

void mpi_ibcast_(void* buffer, integer count, integer datatype, integer root, integer comm, MPI_Fint* request,
                 MPI_Fint* ierror);
void mpi_ireduce_(const void* send_buffer, void* recv_buffer, integer count, integer datatype, integer op,
                  integer root, integer comm, MPI_Fint* request, MPI_Fint* ierror);
void mpi_iallreduce_(const void* send_buffer, void* recv_buffer, integer count, integer datatype, integer op,
                     integer comm, MPI_Fint* request, MPI_Fint* ierror);
void mpi_ialltoall_(const void* send_buffer, integer send_count, integer send_type, void* recv_buffer,
                    integer recv_count, integer recv_type, integer comm, MPI_Fint* request, MPI_Fint* ierror);
void mpi_ialltoallv_(const void* send_buffer, integer send_counts, integer send_displs, integer send_type,
                     void* recv_buffer, integer recv_counts, integer recv_displs, integer recv_type,
                     integer comm, MPI_Fint* request, MPI_Fint* ierror);
void mpi_iallgather_(const void* send_buffer, integer send_count, integer send_type, void* recv_buffer,
                     integer recv_count, integer recv_type, integer comm, MPI_Fint* request,
                     MPI_Fint* ierror);
void mpi_iallgatherv_(const void* send_buffer, integer send_count, integer send_type, void* recv_buffer,
                      integer recv_counts, integer recv_displs, integer recv_type, integer comm,
                      MPI_Fint* request, MPI_Fint* ierror);
void mpi_igather_(const void* send_buffer, integer send_count, integer send_type, void* recv_buffer,
                  integer recv_count, integer recv_type, integer root, integer comm, MPI_Fint* request,
                  MPI_Fint* ierror);
void mpi_igatherv_(const void* send_buffer, integer send_count, integer send_type, void* recv_buffer,
                   integer recv_counts, integer recv_displs, integer recv_type, integer root, integer comm,
                   MPI_Fint* request, MPI_Fint* ierror);
void mpi_iscatter_(const void* send_buffer, integer send_count, integer send_type, void* recv_buffer,
                   integer recv_count, integer recv_type, integer root, integer comm, MPI_Fint* request,
                   MPI_Fint* ierror);
void mpi_iscatterv_(const void* send_buffer, integer send_counts, integer send_displs, integer send_type,
                    void* recv_buffer, integer recv_count, integer recv_type, integer root, integer comm,
                    MPI_Fint* request, MPI_Fint* ierror);
void mpi_get_address_(const void* location, MPI_Aint* address, MPI_Fint* ierror);

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on as they are");

/* Fortran's MPI_IN_PLACE: a common block of Open MPI, or a pointer that MPICH sets; each is there with its
 * own MPI only. */
extern char mpi_fortran_in_place_ __attribute__((weak));
extern void* MPIR_F_MPI_IN_PLACE __attribute__((weak));

/* The buffer as C has it. */
static const void* in_place_or(const void* buffer) {
  if ((&mpi_fortran_in_place_ && buffer == &mpi_fortran_in_place_) ||
      (&MPIR_F_MPI_IN_PLACE && buffer == MPIR_F_MPI_IN_PLACE))
    return MPI_IN_PLACE;
  MPI_Aint address = 0;
  MPI_Fint error = MPI_SUCCESS;
  mpi_get_address_(buffer, &address, &error);
  return (const void*)address;
}

/* The body of every form below: room in the slot, the post, its description. */
#define START(post, ...)                                                                                     \
  TACIT_COUNT_CALL();                                                                                        \
  MPI_Fint request;                                                                                          \
  tacit_make_room(slot);                                                                                     \
  post;                                                                                                      \
  if (*ierror == MPI_SUCCESS)                                                                                \
  *ierror = tacit_hold_collective(slot, MPI_Request_f2c(request), &(collective){__VA_ARGS__})

void __tacit_bcast_f(tacit_slot* slot, void* buffer, integer count, integer datatype, integer root,
                     integer comm, MPI_Fint* ierror) {
  START(mpi_ibcast_(buffer, count, datatype, root, comm, &request, ierror), .shape = broadcast,
        .received = {in_place_or(buffer), *count, MPI_Type_f2c(*datatype)}, .root = *root,
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_reduce_f(tacit_slot* slot, const void* send_buffer, void* recv_buffer, integer count,
                      integer datatype, integer op, integer root, integer comm, MPI_Fint* ierror) {
  START(mpi_ireduce_(send_buffer, recv_buffer, count, datatype, op, root, comm, &request, ierror),
        .shape = to_root, .sent = {in_place_or(send_buffer), *count, MPI_Type_f2c(*datatype)},
        .received = {in_place_or(recv_buffer), *count, MPI_Type_f2c(*datatype)}, .root = *root,
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_allreduce_f(tacit_slot* slot, const void* send_buffer, void* recv_buffer, integer count,
                         integer datatype, integer op, integer comm, MPI_Fint* ierror) {
  START(mpi_iallreduce_(send_buffer, recv_buffer, count, datatype, op, comm, &request, ierror),
        .shape = symmetric, .sent = {in_place_or(send_buffer), *count, MPI_Type_f2c(*datatype)},
        .received = {in_place_or(recv_buffer), *count, MPI_Type_f2c(*datatype)}, .comm = MPI_Comm_f2c(*comm));
}

void __tacit_alltoall_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                        void* recv_buffer, integer recv_count, integer recv_type, integer comm,
                        MPI_Fint* ierror) {
  START(mpi_ialltoall_(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, comm, &request,
                       ierror),
        .shape = symmetric, .sent = {in_place_or(send_buffer), *send_count, MPI_Type_f2c(*send_type), 1},
        .received = {in_place_or(recv_buffer), *recv_count, MPI_Type_f2c(*recv_type), 1},
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_alltoallv_f(tacit_slot* slot, const void* send_buffer, integer send_counts, integer send_displs,
                         integer send_type, void* recv_buffer, integer recv_counts, integer recv_displs,
                         integer recv_type, integer comm, MPI_Fint* ierror) {
  START(mpi_ialltoallv_(send_buffer, send_counts, send_displs, send_type, recv_buffer, recv_counts,
                        recv_displs, recv_type, comm, &request, ierror),
        .shape = symmetric,
        .sent = {in_place_or(send_buffer), 0, MPI_Type_f2c(*send_type), 1, send_counts, send_displs},
        .received = {in_place_or(recv_buffer), 0, MPI_Type_f2c(*recv_type), 1, recv_counts, recv_displs},
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_allgather_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                         void* recv_buffer, integer recv_count, integer recv_type, integer comm,
                         MPI_Fint* ierror) {
  START(mpi_iallgather_(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, comm,
                        &request, ierror),
        .shape = symmetric, .sent = {in_place_or(send_buffer), *send_count, MPI_Type_f2c(*send_type)},
        .received = {in_place_or(recv_buffer), *recv_count, MPI_Type_f2c(*recv_type), 1},
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_allgatherv_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                          void* recv_buffer, integer recv_counts, integer recv_displs, integer recv_type,
                          integer comm, MPI_Fint* ierror) {
  START(mpi_iallgatherv_(send_buffer, send_count, send_type, recv_buffer, recv_counts, recv_displs, recv_type,
                         comm, &request, ierror),
        .shape = symmetric, .sent = {in_place_or(send_buffer), *send_count, MPI_Type_f2c(*send_type)},
        .received = {in_place_or(recv_buffer), 0, MPI_Type_f2c(*recv_type), 1, recv_counts, recv_displs},
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_gather_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                      void* recv_buffer, integer recv_count, integer recv_type, integer root, integer comm,
                      MPI_Fint* ierror) {
  START(mpi_igather_(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, root, comm,
                     &request, ierror),
        .shape = to_root, .sent = {in_place_or(send_buffer), *send_count, MPI_Type_f2c(*send_type)},
        .received = {in_place_or(recv_buffer), *recv_count, MPI_Type_f2c(*recv_type), 1}, .root = *root,
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_gatherv_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                       void* recv_buffer, integer recv_counts, integer recv_displs, integer recv_type,
                       integer root, integer comm, MPI_Fint* ierror) {
  START(mpi_igatherv_(send_buffer, send_count, send_type, recv_buffer, recv_counts, recv_displs, recv_type,
                      root, comm, &request, ierror),
        .shape = to_root, .sent = {in_place_or(send_buffer), *send_count, MPI_Type_f2c(*send_type)},
        .received = {in_place_or(recv_buffer), 0, MPI_Type_f2c(*recv_type), 1, recv_counts, recv_displs},
        .root = *root, .comm = MPI_Comm_f2c(*comm));
}

void __tacit_scatter_f(tacit_slot* slot, const void* send_buffer, integer send_count, integer send_type,
                       void* recv_buffer, integer recv_count, integer recv_type, integer root, integer comm,
                       MPI_Fint* ierror) {
  START(mpi_iscatter_(send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, root, comm,
                      &request, ierror),
        .shape = from_root, .sent = {in_place_or(send_buffer), *send_count, MPI_Type_f2c(*send_type), 1},
        .received = {in_place_or(recv_buffer), *recv_count, MPI_Type_f2c(*recv_type)}, .root = *root,
        .comm = MPI_Comm_f2c(*comm));
}

void __tacit_scatterv_f(tacit_slot* slot, const void* send_buffer, integer send_counts, integer send_displs,
                        integer send_type, void* recv_buffer, integer recv_count, integer recv_type,
                        integer root, integer comm, MPI_Fint* ierror) {
  START(mpi_iscatterv_(send_buffer, send_counts, send_displs, send_type, recv_buffer, recv_count, recv_type,
                       root, comm, &request, ierror),
        .shape = from_root,
        .sent = {in_place_or(send_buffer), 0, MPI_Type_f2c(*send_type), 1, send_counts, send_displs},
        .received = {in_place_or(recv_buffer), *recv_count, MPI_Type_f2c(*recv_type)}, .root = *root,
        .comm = MPI_Comm_f2c(*comm));
}

static int count_of(integer count) {
  return count ? *count : 0;
}
static MPI_Datatype type_of(integer datatype) {
  return datatype ? MPI_Type_f2c(*datatype) : MPI_DATATYPE_NULL;
}

void __tacit_note_parts_f(tacit_slot* slot, int kind, const void* send_buffer, integer send_count,
                          integer send_counts, integer send_displs, integer send_type,
                          const void* recv_buffer, integer recv_count, integer recv_counts,
                          integer recv_displs, integer recv_type, integer root, integer comm,
                          integer request) {
  if (!tacit_checks() || tacit_calls_as_written())
    return;
  const collective posted = {.sent = {in_place_or(send_buffer), count_of(send_count), type_of(send_type), 0,
                                      send_counts, send_displs},
                             .received = {in_place_or(recv_buffer), count_of(recv_count), type_of(recv_type),
                                          0, recv_counts, recv_displs},
                             .root = count_of(root),
                             .comm = MPI_Comm_f2c(*comm)};
  tacit_note_parts(slot, kind, &posted, MPI_Request_f2c(*request), request);
}
