#include "surface/capi/neighbor.h"

#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/schedule/neighbor_schedule.h"

#include <fmt/format.h>

namespace tacit::surface {
namespace {

/// Runs `body`; its errors get rank and function, and go to the communicator.
template <typename Body>
int guarded_call(const runtime::neighbor_call& call, MPI_Comm comm, Body&& body) {
  try {
    require_calls_allowed();
    if (comm == MPI_COMM_NULL)
      refuse(fmt::format("{}: the communicator is MPI_COMM_NULL", call.function));
    body();
    return TACIT_SUCCESS;
  } catch (...) {
    const runtime::call_error e = runtime::current_error();
    return report(comm,
                  e.complete ? e : told(e, "rank {}: {}: {}", rank_if_known(comm), call.function, e.what()));
  }
}

void require_place(const runtime::neighbor_call& call, MPI_Comm comm, tacit_schedule* schedule) {
  if (!schedule)
    refuse(fmt::format("rank {}: {}: the place for the schedule is a null pointer", rank_if_known(comm),
                       call.function));
  *schedule = TACIT_SCHEDULE_NULL;
}

} // namespace

int run_blocking(const runtime::neighbor_call& call, MPI_Comm comm) {
  return guarded_call(call, comm, [&] { runtime::exchange_now(call, comm); });
}

int start_nonblocking(const runtime::neighbor_call& call, MPI_Comm comm, tacit_schedule* schedule) {
  return guarded_call(call, comm, [&] {
    require_place(call, comm, schedule);
    auto handle = std::make_unique<tacit_schedule_s>();
    handle->made = runtime::exchange_once(call, comm);
    handle->made->start();
    keep_error_handler(*handle, comm);
    *schedule = handle.release();
  });
}

int make_persistent(const runtime::neighbor_call& call, MPI_Comm comm, MPI_Info info,
                    tacit_schedule* schedule) {
  return guarded_call(call, comm, [&] {
    require_place(call, comm, schedule);
    std::unique_ptr<tacit_schedule_s> handle;
    runtime::prepare_exchange(call, comm, info, [&handle](std::unique_ptr<runtime::schedule> made) {
      handle = std::make_unique<tacit_schedule_s>();
      handle->made = std::move(made);
    });
    keep_error_handler(*handle, comm);
    *schedule = handle.release();
  });
}

int set_info(MPI_Comm comm, MPI_Info info) {
  return guarded_call({"tacit_comm_set_info", {}, {}}, comm,
                      [&] { runtime::neighbor_communicator::set_info(comm, info); });
}

} // namespace tacit::surface
