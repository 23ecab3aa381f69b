// How errors leave the library: a code, a text, and the communicator's error handler.
#pragma once

#include <mpi.h>
#include <stdexcept>
#include <string>

namespace tacit::surface {

/// An error of the C API on its way to the boundary.
struct api_error : std::runtime_error {
  api_error(int code_, const std::string& text) : std::runtime_error(text), code(code_) {}
  int code; ///< TACIT_ERR_…
};

/// Remembers the text for tacit_last_error, calls the error handler of `comm` (MPI_COMM_NULL:
/// MPI_COMM_WORLD's) if MPI is running, and returns `code`.
int report(MPI_Comm comm, int code, const std::string& text);

/// The exception being handled, as code and text. *complete, if wanted: the text names rank and remedy where
/// that helps (api_error); others only say what happened.
int code_of_exception(std::string& text, bool* complete = nullptr);

const char* last_error_text();

/// True between MPI_Init and MPI_Finalize.
bool mpi_is_running();

/// Runs `body`; exceptions become codes given to `tell(code, text)`.
template <typename Body, typename Tell>
int guarded_with(Tell&& tell, Body&& body) {
  std::string text;
  int code = 0;
  try {
    body();
    return 0;
  } catch (...) {
    code = code_of_exception(text);
  }
  return tell(code, text);
}

/// The same, reported to `comm`. Every function of the C API ends in one of the two.
template <typename Body>
int guarded(MPI_Comm comm, Body&& body) {
  return guarded_with([&](int code, const std::string& text) { return report(comm, code, text); }, body);
}

} // namespace tacit::surface
