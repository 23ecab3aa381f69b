// How errors leave the library: a code, a text, and the communicator's error handler.
#pragma once

#include "runtime/mpi/errors.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mpi.h>
#include <string_view>

namespace tacit::surface {

using error_kind = runtime::call_error::kind;

/// TACIT_ERR_… of a kind of error.
int code_of(error_kind why);

/// An error of the C API on its way to the boundary; its text names rank or function, and the remedy.
struct api_error : runtime::call_error {
  api_error(error_kind kind_, std::string_view text) : call_error(kind_, text, true) {}
};

/// Throws an api_error about an argument.
[[noreturn]] void refuse(std::string_view text);

/// `e` with a text that says where. Needs no memory.
template <typename... Parts>
runtime::call_error told(const runtime::call_error& e, fmt::format_string<Parts...> format,
                         Parts&&... parts) {
  std::array<char, runtime::call_error::most_text> text;
  const auto end = fmt::format_to_n(text.data(), text.size(), format, std::forward<Parts>(parts)...).size;
  return {e.why, {text.data(), std::min(end, text.size())}, true};
}

/// Remembers the text for tacit_last_error, calls the error handler of `comm` (MPI_COMM_NULL:
/// MPI_COMM_WORLD's) if MPI is running, and returns the code. Needs no memory.
int report(MPI_Comm comm, const runtime::call_error& e) noexcept;

const char* last_error_text();

/// True between MPI_Init and MPI_Finalize.
bool mpi_is_running();

/// This process in `comm`, for texts of errors; -1 if MPI cannot say.
int rank_if_known(MPI_Comm comm);

/// Runs `body`; exceptions become errors given to `tell(error)`, whose result is returned.
template <typename Body, typename Tell>
int guarded_with(Tell&& tell, Body&& body) {
  try {
    body();
    return 0;
  } catch (...) {
    return tell(runtime::current_error());
  }
}

/// The same, reported to `comm`. Every function of the C API ends in one of the two.
template <typename Body>
int guarded(MPI_Comm comm, Body&& body) {
  return guarded_with([&](const runtime::call_error& e) { return report(comm, e); }, body);
}

} // namespace tacit::surface
