#include "runtime/mpi/collective_calls.h"

// Open MPI alone: MPICH's persistent collectives move wrong bytes from their second start on (allgather and scatter in 4.0.2, gather up to
// 4.1.2, long broadcasts as reported in 2025), which no test at run time could exclude for all sizes. None where functions are looked up
// by name: a library that lacks the extension's must not keep the interposer from being loaded.
#if defined(TACIT_MPI_BY_NAME)
#elif defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define PERSISTENT(call) MPI_##call##_init
#elif defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT(call) MPIX_##call##_init
#endif
#endif

namespace tacit::runtime {

const collective_calls& nonblocking_calls() {
  static const collective_calls all = {// not constexpr: the interposer looks them up
                                       {MPI_Ibarrier, "MPI_Ibarrier"},
                                       {MPI_Ibcast, "MPI_Ibcast"},
                                       {MPI_Iallgather, "MPI_Iallgather"},
                                       {MPI_Iallgatherv, "MPI_Iallgatherv"},
                                       {MPI_Ialltoall, "MPI_Ialltoall"},
                                       {MPI_Ialltoallw, "MPI_Ialltoallw"},
                                       {MPI_Iscatter, "MPI_Iscatter"},
                                       {MPI_Iscatterv, "MPI_Iscatterv"},
                                       {MPI_Igather, "MPI_Igather"},
                                       {MPI_Igatherv, "MPI_Igatherv"},
                                       {MPI_Iallreduce, "MPI_Iallreduce"},
                                       {MPI_Ireduce, "MPI_Ireduce"},
                                       {MPI_Ireduce_scatter_block, "MPI_Ireduce_scatter_block"},
                                       {MPI_Ireduce_scatter, "MPI_Ireduce_scatter"},
                                       {MPI_Iscan, "MPI_Iscan"},
                                       {MPI_Iexscan, "MPI_Iexscan"}};
  return all;
}

#ifdef PERSISTENT
namespace {

/// The same without the argument that all of ours leave empty.
template <typename... Arguments>
struct without_info {
  template <int (*function)(Arguments..., MPI_Info, MPI_Request*)>
  static int call(Arguments... arguments, MPI_Request* made) {
    return function(arguments..., MPI_INFO_NULL, made);
  }
};

template <auto function, typename... Arguments>
constexpr checked_call<Arguments...> persistent(const char* name, checked_call<Arguments...>) {
  return {without_info<Arguments...>::template call<function>, name};
}

} // namespace

const collective_calls* persistent_calls() {
  constexpr collective_calls like = {};
  static constexpr collective_calls all = {
      persistent<PERSISTENT(Barrier)>("MPI_Barrier_init", like.barrier),
      persistent<PERSISTENT(Bcast)>("MPI_Bcast_init", like.bcast),
      persistent<PERSISTENT(Allgather)>("MPI_Allgather_init", like.allgather),
      persistent<PERSISTENT(Allgatherv)>("MPI_Allgatherv_init", like.allgatherv),
      persistent<PERSISTENT(Alltoall)>("MPI_Alltoall_init", like.alltoall),
      persistent<PERSISTENT(Alltoallw)>("MPI_Alltoallw_init", like.alltoallw),
      persistent<PERSISTENT(Scatter)>("MPI_Scatter_init", like.scatter),
      persistent<PERSISTENT(Scatterv)>("MPI_Scatterv_init", like.scatterv),
      persistent<PERSISTENT(Gather)>("MPI_Gather_init", like.gather),
      persistent<PERSISTENT(Gatherv)>("MPI_Gatherv_init", like.gatherv),
      persistent<PERSISTENT(Allreduce)>("MPI_Allreduce_init", like.allreduce),
      persistent<PERSISTENT(Reduce)>("MPI_Reduce_init", like.reduce),
      persistent<PERSISTENT(Reduce_scatter_block)>("MPI_Reduce_scatter_block_init",
                                                   like.reduce_scatter_block),
      persistent<PERSISTENT(Reduce_scatter)>("MPI_Reduce_scatter_init", like.reduce_scatter),
      persistent<PERSISTENT(Scan)>("MPI_Scan_init", like.scan),
      persistent<PERSISTENT(Exscan)>("MPI_Exscan_init", like.exscan)};
  return &all;
}
#else
const collective_calls* persistent_calls() {
  return nullptr;
}
#endif

} // namespace tacit::runtime
