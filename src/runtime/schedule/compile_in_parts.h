// Compiling where no rank sees more of the graph than its own part: read compile_in_parts.cpp first.
#pragma once

#include "graphs/part/part_refusal.h"
#include "runtime/schedule/local_graph.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/rank_position.h"
#include "runtime/schedule/wire.h"
#include "vocabulary/base/function_ref.h"

#include <cstdint>
#include <mpi.h>
#include <span>
#include <string>

namespace tacit::runtime {

/// What each rank says before it is known whether the ranks compile in parts: four words whose minima count.
struct parts_question {
  static constexpr std::size_t words = 4;
  static constexpr std::uint64_t in_background = 3; ///< above what rank 0 can say else
  std::uint64_t wanted = 4;                         ///< rank 0's option, or `in_background`; more on others
  std::uint64_t refused = 0;                        ///< by which rank and why; large: by none
  std::uint64_t all_but_size = 0;                   ///< a large number less the operations here
  std::uint64_t undeclared = 1;                     ///< 0 if this rank declares what is read afterwards
  /// What this rank says. `size`: ranks.
  static parts_question of(int rank, int size, const compile_request& wanted, const local_graph& part);
};

/// The answer of all ranks.
struct parts_answer {
  graphs::part_refusal why = graphs::part_refusal::not_asked; ///< none: they compile in parts
  int rank = 0;                                               ///< that refuses
  bool declared = false;                                      ///< some rank says what is read afterwards
  bool in_background = false; ///< rank 0 alone, while the graph runs as written
  /// For the explanation; empty if nobody asked.
  std::string words() const;
};
parts_answer answer_of(std::span<const std::uint64_t> minima);

/// Collective: this rank's part of what one rank makes of what remains of the graph (compile_on_root.h); without variants if it makes nothing.
using compile_by_one = function_ref<rank_part(const local_graph& remaining, const graph_size& whole)>;

/// Collective: this rank's steps, found without gathering the graph; without variants if the ranks refuse, with the reason in `answer`, which
/// is the same on all ranks. `wanted`: rank 0's counts. Throws mpi_error only.
rank_part compiled_in_parts(const rank_facts& here, const local_graph& part, const compile_request& wanted,
                            const rank_position& at, compile_by_one by_one, parts_answer& answer);

} // namespace tacit::runtime
