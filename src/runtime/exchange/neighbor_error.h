// What a caller of a neighborhood collective did wrong, or what its communicator lacks.
#pragma once

#include <stdexcept>
#include <string>

namespace tacit::runtime {

struct neighbor_error : std::runtime_error {
  enum class kind : int {
    argument,    ///< of the call: null handle, negative count …
    graph,       ///< the ranks contradict each other: edges or sizes
    environment, ///< info key or variable
    mpi,
    memory,
    internal,
    pieces, ///< a datatype has too many to list (an _init operation needs the list)
  };
  neighbor_error(kind why_, const std::string& text, bool complete_ = false)
      : std::runtime_error(text), why(why_), complete(complete_) {}
  kind why;
  bool complete; ///< the text names rank and function
};

} // namespace tacit::runtime
