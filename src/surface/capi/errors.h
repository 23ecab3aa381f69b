// How errors leave the library: a code, a text, and the communicator's error handler.
#pragma once

#include "runtime/mpi/errors.h"

#include <mpi.h>
#include <string>
#include <string_view>

namespace tacit::surface {

/// TACIT_ERR_… of a kind of error, and back.
int code_of(runtime::call_error::kind why);
runtime::call_error::kind kind_of(int code);

/// An error of the C API on its way to the boundary, made of a code.
struct api_error : runtime::call_error {
  api_error(int code_, std::string_view text) : call_error(kind_of(code_), text, true), code(code_) {}
  int code; ///< TACIT_ERR_…
};

/// Remembers the text for tacit_last_error, calls the error handler of `comm` (MPI_COMM_NULL:
/// MPI_COMM_WORLD's) if MPI is running, and returns `code`. Needs no memory.
int report(MPI_Comm comm, int code, std::string_view text) noexcept;

/// The exception being handled, as code and text. *complete, if wanted: the text names rank and remedy where
/// that helps; others only say what happened.
int code_of_exception(std::string& text, bool* complete = nullptr);

const char* last_error_text();

/// True between MPI_Init and MPI_Finalize.
bool mpi_is_running();

/// Runs `body`; exceptions become codes given to `tell(code, text)`.
template <typename Body, typename Tell>
int guarded_with(Tell&& tell, Body&& body) {
  try {
    body();
    return 0;
  } catch (...) {
    const runtime::call_error e = runtime::current_error();
    return tell(code_of(e.why), e.what());
  }
}

/// The same, reported to `comm`. Every function of the C API ends in one of the two.
template <typename Body>
int guarded(MPI_Comm comm, Body&& body) {
  return guarded_with([&](int code, std::string_view text) { return report(comm, code, text); }, body);
}

} // namespace tacit::surface
