// tacit_compile, the life of a schedule, and what the library says about itself.
#include "surface/capi/handles.h"

#include "runtime/schedule/compile_together.h"
#include "runtime/schedule/computations.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tacit::surface {

void require_calls_allowed() {
  if (!mpi_is_running())
    throw api_error(error_kind::state, "MPI is not running; call tacit between MPI_Init and MPI_Finalize");
  if (runtime::running_computation::on_this_thread())
    throw api_error(error_kind::state,
                    "a computation of a graph must not call tacit; do it after the schedule is complete");
}

void keep_error_handler(tacit_schedule_s& schedule, MPI_Comm comm) {
  runtime::check_mpi(MPI_Comm_get_errhandler(comm, &schedule.handler), "MPI_Comm_get_errhandler");
}

namespace {

/// Through the error handler that the user's communicator had when the schedule was made; that communicator
/// may have been freed since. The one of the schedule borrows the handler for the call.
int report_for(tacit_schedule schedule, const runtime::call_error& e) {
  if (!mpi_is_running())
    return report(MPI_COMM_NULL, e);
  MPI_Comm comm = schedule->made->comm();
  if (comm == MPI_COMM_NULL) // still being set up
    comm = MPI_COMM_SELF;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &before);
  MPI_Comm_set_errhandler(comm, schedule->handler);
  const int code = report(comm, e);
  MPI_Comm_set_errhandler(comm, before);
  MPI_Errhandler_free(&before);
  return code;
}

template <typename Body>
int guarded_for(tacit_schedule schedule, Body&& body) {
  return guarded_with([&](const runtime::call_error& e) { return report_for(schedule, e); }, body);
}

int report_null(const char* name, const char* what) {
  return report(MPI_COMM_NULL, told({error_kind::argument, ""}, "{}: the {} is null", name, what));
}

template <typename Body>
int with(tacit_schedule schedule, const char* name, Body&& body) {
  if (!schedule)
    return report_null(name, "schedule handle");
  return guarded_for(schedule, [&] {
    require_calls_allowed();
    body(*schedule->made);
  });
}

/// At most `size` bytes of the text, with a zero at the end.
void copy_text(const std::string& all, char* text, size_t size, size_t* needed) {
  if (needed)
    *needed = all.size() + 1;
  if (size == 0)
    return;
  const std::size_t n = std::min(all.size(), size - 1);
  std::memcpy(text, all.data(), n);
  text[n] = '\0';
}

} // namespace
} // namespace tacit::surface

using namespace tacit;
using namespace tacit::surface;

extern "C" {

int tacit_compile(tacit_graph graph, MPI_Info info, tacit_schedule* schedule) {
  if (!graph)
    return report_null("tacit_compile", "graph handle");
  const runtime::graph_builder& part = graph->part;
  return guarded(part.comm(), [&] {
    require_calls_allowed();
    if (schedule)
      *schedule = TACIT_SCHEDULE_NULL;
    std::unique_ptr<tacit_schedule_s> handle;
    auto made = runtime::compile_together(part, "tacit_compile", [&] {
      if (graph->first_error)
        throw runtime::call_error(*graph->first_error);
      if (!schedule)
        refuse(
            fmt::format("rank {}: tacit_compile: the place for the schedule is a null pointer", part.rank()));
      handle = std::make_unique<tacit_schedule_s>();
      return runtime::read_options(info);
    });
    handle->made = std::move(made);
    keep_error_handler(*handle, part.comm());
    *schedule = handle.release();
  });
}

int tacit_start(tacit_schedule schedule) {
  return with(schedule, "tacit_start", [](runtime::schedule& s) { s.start(); });
}

int tacit_test(tacit_schedule schedule, int* flag) {
  return with(schedule, "tacit_test", [&](runtime::schedule& s) {
    if (!flag)
      refuse("tacit_test: the place for the flag is a null pointer");
    *flag = 0;
    *flag = s.test() ? 1 : 0;
  });
}

int tacit_wait(tacit_schedule schedule) {
  return with(schedule, "tacit_wait", [](runtime::schedule& s) { s.wait(); });
}

int tacit_run(tacit_schedule schedule) {
  return with(schedule, "tacit_run", [](runtime::schedule& s) {
    s.start();
    s.wait();
  });
}

int tacit_schedule_free(tacit_schedule* schedule) {
  if (!schedule)
    return report_null("tacit_schedule_free", "pointer to the handle");
  const tacit_schedule s = *schedule;
  if (!s)
    return TACIT_SUCCESS;
  return guarded_for(s, [&] {
    if (mpi_is_running()) {
      require_calls_allowed();
      if (s->made->active())
        throw api_error(error_kind::state,
                        "tacit_schedule_free: the schedule is active; complete it with tacit_wait first");
      s->made->end();
      MPI_Errhandler_free(&s->handler);
    }
    delete s;
    *schedule = TACIT_SCHEDULE_NULL;
  });
}

int tacit_explain(tacit_schedule schedule, int format, char* text, size_t size, size_t* needed) {
  if (!schedule)
    return report_null("tacit_explain", "schedule handle");
  return guarded_for(schedule, [&] {
    if (format != TACIT_EXPLAIN_TEXT && format != TACIT_EXPLAIN_JSON)
      refuse(fmt::format("tacit_explain: format {} does not exist", format));
    if (!text && size > 0)
      refuse("tacit_explain: the text is a null pointer, but its size is not 0");
    const runtime::explanation why = schedule->made->explain();
    copy_text(format == TACIT_EXPLAIN_JSON ? why.json : why.text, text, size, needed);
  });
}

const char* tacit_error_string(int code) {
  switch (code) {
  case TACIT_SUCCESS:
    return "success";
  case TACIT_ERR_ARGUMENT:
    return "invalid argument";
  case TACIT_ERR_GRAPH:
    return "malformed communication graph";
  case TACIT_ERR_STATE:
    return "not allowed in this state";
  case TACIT_ERR_MPI:
    return "an MPI function failed";
  case TACIT_ERR_MEMORY:
    return "out of memory";
  case TACIT_ERR_ENVIRONMENT:
    return "info key or environment variable not understood";
  case TACIT_ERR_INTERNAL:
    return "internal error in tacit";
  default:
    return "unknown error code";
  }
}

const char* tacit_last_error(void) {
  return last_error_text();
}

int tacit_version(int* major, int* minor, int* patch) {
  if (major)
    *major = TACIT_VERSION_MAJOR;
  if (minor)
    *minor = TACIT_VERSION_MINOR;
  if (patch)
    *patch = TACIT_VERSION_PATCH;
  return TACIT_SUCCESS;
}

} // extern "C"
