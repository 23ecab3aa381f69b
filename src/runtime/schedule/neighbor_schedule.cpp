#include "surface/capi/neighbor.h"

#include "runtime/mpi/mpi_error.h"
#include "runtime/run/progress.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace tacit::surface {
namespace {

int rank_in(MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL && mpi_is_running())
    MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Runs `body`; its errors get rank and function, and go to the communicator.
template <typename Body>
int guarded_call(const runtime::neighbor_call& call, MPI_Comm comm, Body&& body) {
  try {
    require_calls_allowed();
    if (comm == MPI_COMM_NULL)
      throw api_error(TACIT_ERR_ARGUMENT,
                      fmt::format("{}: the communicator is MPI_COMM_NULL", call.function));
    body();
    return TACIT_SUCCESS;
  } catch (...) {
    const runtime::call_error e = runtime::current_error();
    std::array<char, runtime::call_error::most_text> text{}; // there may be no memory for another one
    if (!e.complete)
      std::snprintf(text.data(), text.size(), "rank %d: %s: %s", rank_in(comm), call.function, e.what());
    return report(comm, code_of(e.why), e.complete ? e.what() : text.data());
  }
}

void require_place(const runtime::neighbor_call& call, MPI_Comm comm, tacit_schedule* schedule) {
  if (!schedule)
    throw api_error(TACIT_ERR_ARGUMENT,
                    fmt::format("rank {}: {}: the place for the schedule is a null pointer", rank_in(comm),
                                call.function));
  *schedule = TACIT_SCHEDULE_NULL;
}

std::unique_ptr<tacit_schedule_s> schedule_of(runtime::neighbor_operation operation, MPI_Comm comm) {
  auto made = std::make_unique<tacit_schedule_s>();
  made->rank = operation.rank();
  made->neighbor = std::move(operation);
  runtime::check_mpi(MPI_Comm_get_errhandler(comm, &made->handler), "MPI_Comm_get_errhandler");
  return made;
}

} // namespace

void explain_neighbor(tacit_schedule_s& schedule) {
  const runtime::neighbor_operation& o = schedule.neighbor;
  schedule.text = o.describe();
  schedule.json =
      fmt::format("{{\"function\": \"{}\", \"rank\": {}, \"incoming_edges\": {}, \"outgoing_edges\": "
                  "{}, \"driver\": \"{}\", \"steps\": \"{}\"}}\n",
                  o.function(), o.rank(), o.edges().sources.size(), o.edges().destinations.size(),
                  o.driver_name(), o.steps());
}

int run_blocking(const runtime::neighbor_call& call, MPI_Comm comm) {
  return guarded_call(call, comm, [&] {
    runtime::neighbor_operation operation = runtime::neighbor_communicator::of(comm)->operation(call, true);
    runtime::execution& run = operation.run();
    try {
      run.start();
      runtime::begin_progress(run);
      runtime::wait_for(run);
    } catch (...) {
      run.failure = std::current_exception();
      runtime::end_progress(run);
      std::string unused;
      const int code = code_of_exception(unused);
      throw api_error(code, fmt::format("rank {}: {}: {}", operation.rank(), call.function,
                                        operation.explain(run.failure)));
    }
  });
}

int start_nonblocking(const runtime::neighbor_call& call, MPI_Comm comm, tacit_schedule* schedule) {
  return guarded_call(call, comm, [&] {
    require_place(call, comm, schedule);
    auto made = schedule_of(runtime::neighbor_communicator::of(comm)->operation(call, false), comm);
    start_schedule(made.get());
    made->only_once = true;
    *schedule = made.release();
  });
}

int make_persistent(const runtime::neighbor_call& call, MPI_Comm comm, MPI_Info info,
                    tacit_schedule* schedule) {
  return guarded_call(call, comm, [&] {
    require_place(call, comm, schedule);
    *schedule = schedule_of(runtime::neighbor_communicator::of(comm)->persistent(call, info), comm).release();
  });
}

int set_info(MPI_Comm comm, MPI_Info info) {
  return guarded_call({"tacit_comm_set_info", {}, {}}, comm,
                      [&] { runtime::neighbor_communicator::set_info(comm, info); });
}

} // namespace tacit::surface
