#include "surface/capi/errors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <tacit/tacit.h>

namespace tacit::surface {
namespace {

using kind = runtime::call_error::kind;

thread_local std::array<char, runtime::call_error::most_text> last_text{};

template <std::size_t Size>
void copy_text(std::string_view text, std::array<char, Size>& into, std::size_t at = 0) {
  const std::size_t n = std::min(text.size(), Size - 1 - at);
  std::copy_n(text.data(), n, into.data() + at);
  into[at + n] = '\0';
}

/// MPI error codes of our own class, one per return code, made at the first error.
int mpi_code(int code, std::string_view text) {
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
  constexpr std::string_view head = "tacit: ";
  std::array<char, MPI_MAX_ERROR_STRING> cut{};
  copy_text(head, cut);
  copy_text(text, cut, head.size());
  MPI_Add_error_string(mine, cut.data());
  return mine;
}

/// MPI runs and will say when it ends.
std::atomic<bool> known_to_run = false;

[[maybe_unused]] int will_end(MPI_Comm, int, void*, void*) {
  known_to_run.store(false, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

/// MPI deletes the attributes of MPI_COMM_SELF first thing in MPI_Finalize (MPI-4.1 section 11.4.1), the
/// newest first. Without such an attribute MPI is asked each time.
void learn_of_end() {
#ifndef SMPI_H // many ranks in one process
  static std::once_flag once;
  std::call_once(once, [] {
    int keyval = MPI_KEYVAL_INVALID;
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, will_end, &keyval, nullptr) == MPI_SUCCESS &&
        MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr) == MPI_SUCCESS)
      known_to_run.store(true, std::memory_order_relaxed);
  });
#endif
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

int code_of(kind why) {
  switch (why) {
  case kind::argument:
  case kind::pieces:
    return TACIT_ERR_ARGUMENT;
  case kind::state:
    return TACIT_ERR_STATE;
  case kind::graph:
    return TACIT_ERR_GRAPH;
  case kind::environment:
    return TACIT_ERR_ENVIRONMENT;
  case kind::mpi:
    return TACIT_ERR_MPI;
  case kind::memory:
    return TACIT_ERR_MEMORY;
  case kind::internal:
    break;
  }
  return TACIT_ERR_INTERNAL;
}

kind kind_of(int code) {
  for (const kind k : {kind::argument, kind::state, kind::graph, kind::environment, kind::mpi, kind::memory})
    if (code_of(k) == code)
      return k;
  return kind::internal;
}

int report(MPI_Comm comm, int code, std::string_view text) noexcept {
  copy_text(text, last_text);
  if (mpi_is_running())
    MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, mpi_code(code, text));
  return code;
}

int code_of_exception(std::string& text, bool* complete) {
  const runtime::call_error e = runtime::current_error();
  text = e.what();
  if (complete)
    *complete = e.complete;
  return code_of(e.why);
}

const char* last_error_text() {
  return last_text.data();
}

} // namespace tacit::surface
