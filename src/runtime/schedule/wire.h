// What travels when a graph is compiled: the parts of the graph to rank 0, and what each rank shall do back.
//
// Everything begins with a word that changes with the format, so that ranks that run different builds notice.
#pragma once

#include "graphs/part/facts.h"
#include "runtime/run/pack.h"
#include "runtime/run/program.h"
#include "runtime/schedule/explain.h"
#include "runtime/schedule/local_graph.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tacit::runtime {

using message = std::vector<std::byte>;

/// What rank 0 has to know of a rank beside its part of the graph.
struct rank_facts {
  std::uint64_t node = 0;              ///< mpi/node_identity.h
  std::uint64_t longest_in_memory = 0; ///< bytes of messages that its driver shm takes
  std::uint64_t attended = 1;          ///< see graphs/choice/choose.h
  std::uint64_t cache = 0;             ///< known_machine.h
};

struct rank_input {
  rank_facts facts;
  local_graph graph;
};

message packed_graph(const rank_facts& facts, const local_graph& g);
/// Throws call_error: `environment` if another version wrote it.
rank_input unpacked_graph(const message& bytes);

struct named_program {
  std::string name; ///< for people
  program steps;    ///< without `call` and `reducers`
};

/// One of several executions that do the same.
struct program_variant {
  std::uint64_t candidate = 0; ///< which program
  std::string driver;
  double predicted = -1; ///< ns; negative: no price
};

/// As what the measurements of a graph are kept (measured_before.h).
struct measurement_name {
  std::uint64_t key = 0;
  std::string graph; ///< for people; empty: they are not
};

/// How several variants are measured, the same on all ranks.
struct trial_terms {
  /// They are finalists: the first one has runs of its own before, and stays unless another one is faster; else it is the graph as written
  /// that stays. What is measured of finalists is not kept.
  bool of_finalists = false;
  bool crowded = false; ///< ranks share cores
};

/// What rank 0 tells one rank.
struct rank_part {
  std::string driver; ///< that was asked for; empty: none
  explanation why;
  std::vector<named_program> candidates; ///< programs that do the same; at least one
  std::vector<program_variant> variants; ///< the one to be taken first; several are measured in place
  trial_terms trial;                     ///< of several variants
  measurement_name measured_as;          ///< of a trial that is kept; said to rank 0 alone
  /// The rank's own computations: operation in the joined graph, operation as the rank numbers them.
  std::vector<std::pair<op_id, std::int32_t>> computations;
  /// Its own operators: number in the joined graph, number as the rank has them.
  std::vector<std::pair<graphs::reducer_id, std::int32_t>> reducers;
  /// Operators of MPI's own that its steps need although its part of the graph has none of them.
  std::vector<std::pair<graphs::reducer_id, graphs::reducer>> others_reducers;
};
/// What rank 0 tells every rank instead, where the graph is one collective whose steps each rank can make from its own runs.
struct told_collective {
  graphs::part_finding what;             ///< without lengths: all blocks are equal
  std::string asked;                     ///< the driver that was asked for; empty: none
  std::vector<std::string> plans;        ///< by name (graphs/choice/choose.h)
  std::vector<program_variant> variants; ///< of those; the one to be taken first
  bool crowded = false;                  ///< ranks share cores; of several variants, which are finalists
};

message packed_explanation(const explanation& why);
explanation unpacked_explanation(const message& bytes);
/// All but the explanation, which is the same on all ranks.
message packed_part(const rank_part& part);
message packed_collective(const told_collective& told);
using told_part = std::variant<rank_part, told_collective>;
told_part unpacked_part(const message& bytes);

} // namespace tacit::runtime
