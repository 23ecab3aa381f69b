#include "surface/capi/errors.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/datatype.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <tacit/tacit.h>

namespace tacit::surface {
namespace {

thread_local std::string last_text;

int code_of(runtime::neighbor_error::kind why) {
  switch (why) {
  case runtime::neighbor_error::kind::argument:
  case runtime::neighbor_error::kind::pieces:
    return TACIT_ERR_ARGUMENT;
  case runtime::neighbor_error::kind::graph:
    return TACIT_ERR_GRAPH;
  case runtime::neighbor_error::kind::environment:
    return TACIT_ERR_ENVIRONMENT;
  case runtime::neighbor_error::kind::mpi:
    return TACIT_ERR_MPI;
  case runtime::neighbor_error::kind::memory:
    return TACIT_ERR_MEMORY;
  case runtime::neighbor_error::kind::internal:
    break;
  }
  return TACIT_ERR_INTERNAL;
}

/// MPI error codes of our own class, one per return code, made at the first error.
int mpi_code(int code, const std::string& text) {
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
  std::string cut = ("tacit: " + text).substr(0, MPI_MAX_ERROR_STRING - 1);
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

int report(MPI_Comm comm, int code, const std::string& text) {
  last_text = text;
  if (mpi_is_running())
    MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, mpi_code(code, text));
  return code;
}

int code_of_exception(std::string& text, bool* complete) {
  if (complete)
    *complete = false;
  try {
    throw;
  } catch (const api_error& e) {
    text = e.what();
    if (complete)
      *complete = true;
    return e.code;
  } catch (const runtime::neighbor_error& e) {
    text = e.what();
    if (complete)
      *complete = e.complete;
    return code_of(e.why);
  } catch (const runtime::datatype_error& e) {
    text = std::string("datatype: ") + e.what();
    return TACIT_ERR_ARGUMENT;
  } catch (const runtime::mpi_error& e) {
    text = e.what();
    return TACIT_ERR_MPI;
  } catch (const runtime::memory_error& e) {
    text = std::string("out of memory: ") + e.what();
    return TACIT_ERR_MEMORY;
  } catch (const std::bad_alloc&) {
    text = "out of memory";
    return TACIT_ERR_MEMORY;
  } catch (const std::length_error&) {
    text = "out of memory: more elements than a list can hold";
    return TACIT_ERR_MEMORY;
  } catch (const std::exception& e) {
    text = std::string("internal error: ") + e.what();
    return TACIT_ERR_INTERNAL;
  } catch (...) {
    text = "an exception of an unknown type, perhaps thrown by a computation of the graph";
    return TACIT_ERR_INTERNAL;
  }
}

const char* last_error_text() {
  return last_text.c_str();
}

} // namespace tacit::surface
