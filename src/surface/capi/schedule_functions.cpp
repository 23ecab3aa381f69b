// tacit_compile, the life of a schedule, and what the library says about itself.
#include "surface/capi/handles.h"

#include "runtime/run/progress.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tacit::surface {
namespace {
thread_local int computations_on_stack = 0;
}

computation_scope::computation_scope() {
  ++computations_on_stack;
}
computation_scope::~computation_scope() {
  --computations_on_stack;
}

void require_calls_allowed() {
  if (!mpi_is_running())
    throw api_error(TACIT_ERR_STATE, "MPI is not running; call tacit between MPI_Init and MPI_Finalize");
  if (computations_on_stack > 0)
    throw api_error(TACIT_ERR_STATE,
                    "a computation of a graph must not call tacit; do it after the schedule is complete");
}

namespace {

/// Runs `body` on an execution. What it throws ends the schedule: MPI cannot say what has become of the other
/// messages, so it is neither active nor complete, and every later call reports the same error until it is
/// freed.
template <typename Body>
void advance(tacit_schedule schedule, Body&& body) {
  if (schedule->failure == TACIT_SUCCESS) {
    try {
      body();
      return;
    } catch (...) {
      schedule->failure = code_of_exception(schedule->failure_text);
      schedule->executed().failure = std::current_exception();
      if (!schedule->run)
        schedule->failure_text = fmt::format("{}: {}", schedule->neighbor.function(),
                                             schedule->neighbor.explain(std::current_exception()));
    }
    schedule->active = false;
    runtime::end_progress(schedule->executed());
  }
  throw api_error(
      schedule->failure,
      fmt::format("rank {}: the schedule failed: {}. Its buffers are undefined, and other ranks may "
                  "wait for this one; free the schedule and compile again, or abort",
                  schedule->rank, schedule->failure_text));
}

} // namespace

void start_schedule(tacit_schedule schedule) {
  advance(schedule, [&] {
    schedule->executed().start();
    runtime::begin_progress(schedule->executed());
    schedule->active = true;
  });
}

namespace {

void begin(tacit_schedule schedule) {
  if (schedule->active)
    throw api_error(
        TACIT_ERR_STATE,
        "the schedule is active; complete it with tacit_wait or tacit_test before starting it again");
  if (schedule->only_once)
    throw api_error(TACIT_ERR_STATE,
                    fmt::format("the schedule of {} cannot be started again; make one with the _init form",
                                schedule->neighbor.function()));
  start_schedule(schedule);
}

void complete(tacit_schedule schedule) {
  advance(schedule, [&] {
    if (schedule->active)
      runtime::wait_for(schedule->executed());
    schedule->active = false;
  });
}

/// Through the error handler that the user's communicator had when the schedule was compiled; that
/// communicator may have been freed since. The private one borrows the handler for the call.
int report_for(tacit_schedule schedule, int code, const std::string& text) {
  if (!mpi_is_running())
    return report(MPI_COMM_NULL, code, text);
  MPI_Comm comm = schedule->run ? schedule->private_comm : schedule->neighbor.private_comm();
  if (comm == MPI_COMM_NULL) // still being set up
    comm = MPI_COMM_SELF;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &before);
  MPI_Comm_set_errhandler(comm, schedule->handler);
  report(comm, code, text);
  MPI_Comm_set_errhandler(comm, before);
  MPI_Errhandler_free(&before);
  return code;
}

template <typename Body>
int guarded_for(tacit_schedule schedule, Body&& body) {
  return guarded_with([&](int code, const std::string& text) { return report_for(schedule, code, text); },
                      body);
}

template <typename Body>
int with(tacit_schedule schedule, const char* name, Body&& body) {
  if (!schedule)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT, fmt::format("{}: the schedule handle is null", name));
  return guarded_for(schedule, [&] {
    require_calls_allowed();
    body();
  });
}

} // namespace
} // namespace tacit::surface

using namespace tacit;
using namespace tacit::surface;

extern "C" {

int tacit_compile(tacit_graph graph, MPI_Info info, tacit_schedule* schedule) {
  if (!graph)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT, "tacit_compile: the graph handle is null");
  return guarded(graph->comm, [&] {
    require_calls_allowed();
    if (schedule)
      *schedule = TACIT_SCHEDULE_NULL;
    // Throws on every rank where one rank gives no place for the handle.
    auto made = runtime::compile_collectively(*graph, info, schedule != nullptr);
    if (schedule)
      *schedule = made.release();
  });
}

int tacit_start(tacit_schedule schedule) {
  return with(schedule, "tacit_start", [&] { begin(schedule); });
}

int tacit_test(tacit_schedule schedule, int* flag) {
  return with(schedule, "tacit_test", [&] {
    if (!flag)
      throw api_error(TACIT_ERR_ARGUMENT, "tacit_test: the place for the flag is a null pointer");
    *flag = 0;
    advance(schedule, [&] {
      if (schedule->active && runtime::progress_all(schedule->executed()))
        schedule->active = false;
    });
    *flag = schedule->active ? 0 : 1;
  });
}

int tacit_wait(tacit_schedule schedule) {
  return with(schedule, "tacit_wait", [&] { complete(schedule); });
}

int tacit_run(tacit_schedule schedule) {
  return with(schedule, "tacit_run", [&] {
    begin(schedule);
    complete(schedule);
  });
}

int tacit_schedule_free(tacit_schedule* schedule) {
  if (!schedule)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT,
                  "tacit_schedule_free: the pointer to the handle is null");
  tacit_schedule s = *schedule;
  if (!s)
    return TACIT_SUCCESS;
  return guarded_for(s, [&] {
    if (mpi_is_running()) {
      require_calls_allowed();
      if (s->active)
        throw api_error(TACIT_ERR_STATE,
                        "tacit_schedule_free: the schedule is active; complete it with tacit_wait first");
    }
    runtime::end_progress(s->executed());
    s->run.reset();
    if (s->peers && mpi_is_running())
      s->peers->end();
    s->peers.reset();
    if (mpi_is_running()) {
      MPI_Errhandler_free(&s->handler);
      if (s->private_comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->private_comm);
    }
    delete s;
    *schedule = TACIT_SCHEDULE_NULL;
  });
}

int tacit_explain(tacit_schedule schedule, int format, char* text, size_t size, size_t* needed) {
  if (!schedule)
    return report(MPI_COMM_NULL, TACIT_ERR_ARGUMENT, "tacit_explain: the schedule handle is null");
  return guarded_for(schedule, [&] {
    if (format != TACIT_EXPLAIN_TEXT && format != TACIT_EXPLAIN_JSON)
      throw api_error(TACIT_ERR_ARGUMENT, fmt::format("tacit_explain: format {} does not exist", format));
    if (!text && size > 0)
      throw api_error(TACIT_ERR_ARGUMENT, "tacit_explain: the text is a null pointer, but its size is not 0");
    if (!schedule->run) // feedback may have changed it
      explain_neighbor(*schedule);
    const std::string& all = format == TACIT_EXPLAIN_JSON ? schedule->json : schedule->text;
    if (needed)
      *needed = all.size() + 1;
    if (size == 0)
      return;
    const std::size_t n = std::min(all.size(), size - 1);
    std::memcpy(text, all.data(), n);
    text[n] = '\0';
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
