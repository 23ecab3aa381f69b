// What a call of tacit fails with, whoever made it: a kind and a text. The C API turns kinds into codes.
//
// Keeping "out of memory" must not need memory, so the text stands in the error itself, and is cut if it is
// too long.
#pragma once

#include "runtime/mpi/mpi_error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

namespace tacit::runtime {

struct call_error : std::exception {
  enum class kind : int {
    argument,    ///< of the call: null handle, negative count …
    state,       ///< the call is not allowed now: active schedule, MPI not running
    graph,       ///< the ranks contradict each other, or the graph as a whole is malformed
    environment, ///< info key or variable; what is installed
    mpi,
    memory,
    internal,
    device, ///< a buffer is in device memory, where only the MPI library may go
    pieces, ///< a datatype has too many to list (an _init operation needs the list)
  };
  /// Characters of the text, with the zero at its end.
  static constexpr std::size_t most_text = 8192;

  call_error(kind why_, std::string_view text, bool complete_ = false) noexcept
      : call_error(why_, {}, text, complete_) {}
  /// The text is both parts.
  call_error(kind why_, std::string_view first, std::string_view second, bool complete_) noexcept;

  const char* what() const noexcept override { return text_.data(); }

  kind why;
  bool complete; ///< the text names rank and function, and the remedy where there is one

private:
  std::array<char, most_text> text_;
};

/// The exception that is being handled, of whatever type, as one of ours.
call_error current_error() noexcept;

/// What the user may do about an error whose text does not say it; empty if there is nothing to say.
const char* remedy_for(call_error::kind why);

} // namespace tacit::runtime
