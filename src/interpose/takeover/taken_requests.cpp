#include "interpose/takeover/taken_requests.h"

#include "interpose/layer/environment.h"
#include "interpose/takeover/agreed_groups.h"
#include "interpose/takeover/request_table.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/progress.h"

#include <atomic>
#include <string_view>

namespace tacit::interpose {

namespace {

/// Requests that the program freed while they were active.
void drop_complete_freed() {
  if (!table().any_freed())
    return;
  for (taken_request* r : table().take_freed())
    if (is_complete(*r))
      delete r;
    else
      table().keep_until_complete(r);
}

} // namespace

MPI_Request adopt(runtime::neighbor_operation operation, comm_handle home, call_staging staging,
                  bool persistent) {
  auto made = std::make_unique<taken_request>();
  made->home = std::move(home);
  made->operation = std::move(operation);
  made->staging = std::move(staging);
  made->persistent = persistent;
  runtime::check_mpi(table().add(*made), "MPI_Grequest_start");
  return made.release()->handle;
}

void drop_adopted(MPI_Request handle) {
  taken_request& r = *table().find(handle);
  table().remove(r);
  delete &r;
}

int start_adopted(MPI_Request handle) {
  taken_request& r = *table().find(handle);
  const int code = start(r);
  if (code == MPI_SUCCESS)
    return code;
  const comm_handle home = r.home;
  drop_adopted(handle);
  return raise_error(*home, code);
}

void look_after_requests() {
  runtime::progress_under_way();
  drop_complete_freed();
}

void release_requests() {
  for (taken_request* r : table().take_freed()) {
    wait_until_complete(*r);
    delete r;
  }
  for (taken_request* r : table().all())
    if (!r->active) // what is active has never been waited for, and its peers may still need it
      delete r;
  table().free_handles();
}

bool is_native(const runtime::neighbor_operation& operation) {
  return operation.driver_name() == neighbors::native_call;
}

void say_failure(const std::string& text) {
  static std::atomic<bool> said = false;
  if (said.exchange(true))
    return;
  const std::optional<int> rank = rank_of_process();
  say_if_possible(reason::exchange_failed, [&] {
    return (rank ? "rank " + std::to_string(*rank) : std::string("a rank")) + ": " + text;
  });
}

int code_of_failure(const runtime::neighbor_operation* operation, std::string& text) {
  int code = MPI_ERR_OTHER;
  try {
    throw;
  } catch (const runtime::mpi_error& e) {
    code = e.code;
    text = e.what();
  } catch (const runtime::neighbor_error& e) {
    if (e.why == runtime::neighbor_error::kind::graph)
      code = MPI_ERR_TRUNCATE;
    text = e.what();
  } catch (const runtime::memory_error& e) {
    code = MPI_ERR_NO_MEM;
    text = e.what();
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
    text = "out of memory";
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
    text = "unknown exception";
  }
  if (operation)
    text = operation->function() + (": " + operation->explain(std::current_exception()));
  return code;
}

} // namespace tacit::interpose
