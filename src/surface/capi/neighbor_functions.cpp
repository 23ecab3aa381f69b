// The neighborhood collectives: 30 functions that differ only in how they describe their blocks.
#include "surface/capi/neighbor.h"

using namespace tacit;
using namespace tacit::surface;

extern "C" {

int tacit_comm_set_info(MPI_Comm comm, MPI_Info info) {
  return set_info(comm, info);
}

int tacit_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking(
      {"tacit_neighbor_allgather", same(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype)},
      comm);
}

int tacit_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                              MPI_Comm comm) {
  return run_blocking({"tacit_neighbor_allgatherv", same(sendbuf, sendcount, sendtype),
                       varying(recvbuf, recvcounts, displs, recvtype)},
                      comm);
}

int tacit_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking(
      {"tacit_neighbor_alltoall", equal(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype)},
      comm);
}

int tacit_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking({"tacit_neighbor_alltoallv", varying(sendbuf, sendcounts, sdispls, sendtype),
                       varying(recvbuf, recvcounts, rdispls, recvtype)},
                      comm);
}

int tacit_neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run_blocking({"tacit_neighbor_alltoallw", typed(sendbuf, sendcounts, sdispls, sendtypes),
                       typed(recvbuf, recvcounts, rdispls, recvtypes)},
                      comm);
}

int tacit_neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking(
      {"tacit_neighbor_allgather_c", same(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype)},
      comm);
}

int tacit_neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking({"tacit_neighbor_allgatherv_c", same(sendbuf, sendcount, sendtype),
                       varying(recvbuf, recvcounts, displs, recvtype)},
                      comm);
}

int tacit_neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking(
      {"tacit_neighbor_alltoall_c", equal(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype)},
      comm);
}

int tacit_neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run_blocking({"tacit_neighbor_alltoallv_c", varying(sendbuf, sendcounts, sdispls, sendtype),
                       varying(recvbuf, recvcounts, rdispls, recvtype)},
                      comm);
}

int tacit_neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run_blocking({"tacit_neighbor_alltoallw_c", typed(sendbuf, sendcounts, sdispls, sendtypes),
                       typed(recvbuf, recvcounts, rdispls, recvtypes)},
                      comm);
}

int tacit_ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              int recvcount, MPI_Datatype recvtype, MPI_Comm comm, tacit_schedule* schedule) {
  return start_nonblocking(
      {"tacit_ineighbor_allgather", same(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype)},
      comm, schedule);
}

int tacit_ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                               MPI_Comm comm, tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_allgatherv", same(sendbuf, sendcount, sendtype),
                            varying(recvbuf, recvcounts, displs, recvtype)},
                           comm, schedule);
}

int tacit_ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, tacit_schedule* schedule) {
  return start_nonblocking(
      {"tacit_ineighbor_alltoall", equal(sendbuf, sendcount, sendtype), equal(recvbuf, recvcount, recvtype)},
      comm, schedule);
}

int tacit_ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                              tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_alltoallv", varying(sendbuf, sendcounts, sdispls, sendtype),
                            varying(recvbuf, recvcounts, rdispls, recvtype)},
                           comm, schedule);
}

int tacit_ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                              tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_alltoallw", typed(sendbuf, sendcounts, sdispls, sendtypes),
                            typed(recvbuf, recvcounts, rdispls, recvtypes)},
                           comm, schedule);
}

int tacit_ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_allgather_c", same(sendbuf, sendcount, sendtype),
                            equal(recvbuf, recvcount, recvtype)},
                           comm, schedule);
}

int tacit_ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                 MPI_Datatype recvtype, MPI_Comm comm, tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_allgatherv_c", same(sendbuf, sendcount, sendtype),
                            varying(recvbuf, recvcounts, displs, recvtype)},
                           comm, schedule);
}

int tacit_ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_alltoall_c", equal(sendbuf, sendcount, sendtype),
                            equal(recvbuf, recvcount, recvtype)},
                           comm, schedule);
}

int tacit_ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_alltoallv_c", varying(sendbuf, sendcounts, sdispls, sendtype),
                            varying(recvbuf, recvcounts, rdispls, recvtype)},
                           comm, schedule);
}

int tacit_ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                tacit_schedule* schedule) {
  return start_nonblocking({"tacit_ineighbor_alltoallw_c", typed(sendbuf, sendcounts, sdispls, sendtypes),
                            typed(recvbuf, recvcounts, rdispls, recvtypes)},
                           comm, schedule);
}

int tacit_neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                  tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_allgather_init", same(sendbuf, sendcount, sendtype),
                          equal(recvbuf, recvcount, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Info info, tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_allgatherv_init", same(sendbuf, sendcount, sendtype),
                          varying(recvbuf, recvcounts, displs, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                 tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_alltoall_init", equal(sendbuf, sendcount, sendtype),
                          equal(recvbuf, recvcount, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                  tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_alltoallv_init", varying(sendbuf, sendcounts, sdispls, sendtype),
                          varying(recvbuf, recvcounts, rdispls, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                  MPI_Info info, tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_alltoallw_init", typed(sendbuf, sendcounts, sdispls, sendtypes),
                          typed(recvbuf, recvcounts, rdispls, recvtypes)},
                         comm, info, schedule);
}

int tacit_neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                    MPI_Info info, tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_allgather_init_c", same(sendbuf, sendcount, sendtype),
                          equal(recvbuf, recvcount, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                     tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_allgatherv_init_c", same(sendbuf, sendcount, sendtype),
                          varying(recvbuf, recvcounts, displs, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_alltoall_init_c", equal(sendbuf, sendcount, sendtype),
                          equal(recvbuf, recvcount, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_alltoallv_init_c", varying(sendbuf, sendcounts, sdispls, sendtype),
                          varying(recvbuf, recvcounts, rdispls, recvtype)},
                         comm, info, schedule);
}

int tacit_neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                    tacit_schedule* schedule) {
  return make_persistent({"tacit_neighbor_alltoallw_init_c", typed(sendbuf, sendcounts, sdispls, sendtypes),
                          typed(recvbuf, recvcounts, rdispls, recvtypes)},
                         comm, info, schedule);
}

} // extern "C"
