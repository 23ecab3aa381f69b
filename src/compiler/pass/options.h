// What the user asks of the pass: -mllvm options, and environment variables of the same meaning for build
// systems in which no option can be added.
#pragma once

#include <cstdint>
#include <string>

namespace tacit::compiler {

enum class action : std::uint8_t { off, report, apply };
enum class motion : std::uint8_t { conservative, aggressive }; ///< the seed's Algorithms 1 and 2

struct options {
  action act = action::report;
  motion mode = motion::aggressive;
  bool rename = true;         ///< send from copies where a buffer is reused too early
  bool poke = true;           ///< let MPI progress in long windows
  bool hoist = true;          ///< post messages earlier
  bool collectives = false;   ///< start blocking collectives as nonblocking ones: all of the program's
  bool errors_return = false; ///< the program looks at error codes: decline where one is used
  unsigned min_window = 40;   ///< instructions that must fit into a window for a move to be worth it
  bool silent = false;        ///< no remarks (a second look at the same program)
  std::string graph;          ///< file that the WaitGraph is written to (.dot, or text)
};

/// From -mllvm options and TACIT_OVERLAP* variables; says on stderr what it does not understand.
const options& current_options();

} // namespace tacit::compiler
