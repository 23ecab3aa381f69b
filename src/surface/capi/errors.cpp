#include "surface/capi/errors.h"

#include "runtime/mpi/attributes.h"
#include "runtime/mpi/library_quirks.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <tacit/tacit.h>

namespace tacit::surface {
namespace {

thread_local std::array<char, runtime::call_error::most_text> last_text{};

/// MPI error codes of our own class, one per return code, made at the first error.
int mpi_code(int code, const char* text) {
  static std::mutex guard;
  static std::array<int, 8> codes{};
  const std::lock_guard lock(guard);
  if (codes[0] == 0) {
    int error_class = 0;
    if (MPI_Add_error_class(&error_class) != MPI_SUCCESS)
      return MPI_ERR_OTHER;
    char name[] = "tacit: communication graph error"; // SMPI wants it writable, and does not write
    MPI_Add_error_string(error_class, name);
    for (int& c : codes)
      MPI_Add_error_code(error_class, &c);
  }
  const int mine = codes[static_cast<std::size_t>(code) % codes.size()];
  std::array<char, MPI_MAX_ERROR_STRING> cut{};
  std::snprintf(cut.data(), cut.size(), "tacit: %.*s", static_cast<int>(cut.size() - sizeof "tacit: "), text);
  MPI_Add_error_string(mine, cut.data());
  return mine;
}

/// MPI runs and will say when it ends.
std::atomic<bool> known_to_run = false;

int will_end(MPI_Comm, int, void*, void*) {
  known_to_run.store(false, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

/// MPI deletes the attributes of MPI_COMM_SELF first thing in MPI_Finalize (MPI-4.1 section 11.4.1), the
/// newest first. Without such an attribute MPI is asked each time.
void learn_of_end() {
  if (!runtime::has_one_rank_per_process)
    return;
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      runtime::call_at_finalize(will_end);
      known_to_run.store(true, std::memory_order_relaxed);
    } catch (...) { // then it is asked each time
    }
  });
}

} // namespace

/// In every start and wait: asking Open MPI takes 12 ns, an exchange of one line 70 ns.
bool mpi_is_running() {
  if (known_to_run.load(std::memory_order_relaxed))
    return true;
  int started = 0, over = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&over);
  if (started == 0 || over != 0)
    return false;
  learn_of_end();
  return true;
}

int rank_if_known(MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL && mpi_is_running())
    MPI_Comm_rank(comm, &rank);
  return rank;
}

int code_of(error_kind why) {
  switch (why) {
  case error_kind::argument:
  case error_kind::device:
  case error_kind::pieces:
    return TACIT_ERR_ARGUMENT;
  case error_kind::state:
    return TACIT_ERR_STATE;
  case error_kind::graph:
    return TACIT_ERR_GRAPH;
  case error_kind::environment:
    return TACIT_ERR_ENVIRONMENT;
  case error_kind::mpi:
    return TACIT_ERR_MPI;
  case error_kind::memory:
    return TACIT_ERR_MEMORY;
  case error_kind::internal:
    break;
  }
  return TACIT_ERR_INTERNAL;
}

void refuse(std::string_view text) {
  throw api_error(error_kind::argument, text);
}

int report(MPI_Comm comm, const runtime::call_error& e) noexcept {
  const int code = code_of(e.why);
  std::snprintf(last_text.data(), last_text.size(), "%s", e.what());
  if (mpi_is_running())
    MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, mpi_code(code, e.what()));
  return code;
}

const char* last_error_text() {
  return last_text.data();
}

} // namespace tacit::surface
