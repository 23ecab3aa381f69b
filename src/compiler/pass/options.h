// What the user asks of the pass: -mllvm options, and environment variables of the same meaning for build
// systems in which no option can be added.
#pragma once

#include <cstdint>
#include <string>

namespace tacit::compiler {

enum class action : std::uint8_t { off, report, apply };
enum class motion : std::uint8_t { conservative, aggressive }; ///< the seed's Algorithms 1 and 2

/// What can be switched off by name, in the order in which it happens: -tacit-overlap-disable.
enum class stage : std::uint8_t {
  inlining, ///< "inline": routines with messages become part of their callers
  hoist,    ///< messages are posted earlier
  apart,    ///< the requests of a Waitall are moved one by one
  copy,     ///< sends from copies
  compare,  ///< what is not known to be the same memory is compared when the program runs
  chunks,   ///< completions between the iterations of a loop
  tests,    ///< the tests of several slots become one, in front of loops
  poke,     ///< MPI is let to progress in long windows
};

struct options {
  action act = action::report;
  motion mode = motion::aggressive;
  bool rename = true;         ///< send from copies where a buffer is reused too early
  bool poke = true;           ///< let MPI progress in long windows
  bool hoist = true;          ///< post messages earlier
  bool collectives = false;   ///< start blocking collectives as nonblocking ones: all of the program's
  bool synchronous = false;   ///< another file sends in synchronous mode, or cancels messages
  bool errors_return = false; ///< the program looks at error codes: decline where one is used
  unsigned min_window = 40;   ///< instructions that must fit into a window for a move to be worth it
  unsigned disabled = 0;      ///< a bit for each stage that is switched off by name
  bool check = false;         ///< for check mode: accesses, calls and returns say where they are
  bool silent = false;        ///< no remarks (a second look at the same program)
  std::string graph;          ///< file that the WaitGraph is written to (.dot, or text)

  [[nodiscard]] bool has(stage one) const { return (disabled & 1U << static_cast<unsigned>(one)) == 0; }
};

/// From -mllvm options and TACIT_OVERLAP* variables; says on stderr what it does not understand.
const options& current_options();

/// Conditions of docs/soundness.md that tests switch off, one at a time, by the hidden option
/// -tacit-overlap-assume: what check mode and the programs of the tests are worth shows where the pass is wrong.
enum class condition : std::uint8_t {
  data,
  bytes,
  variables,
  user_code,
  calls,
  control,
  ordering,
  waiting,
  status,
  errors
};
/// False if the option says that the condition always holds.
bool is_checked(condition one);

} // namespace tacit::compiler
