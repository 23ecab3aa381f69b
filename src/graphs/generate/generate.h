// Well-known communication algorithms as graphs, for the command line, tests and benchmarks.
//
// Names of algorithms mean those algorithms: a combination of pattern and algorithm exists only if it is one
// that people know under this name; everything else is refused with a sentence. Apart from the butterfly
// alltoall and recursive halving, which need a power of two, every algorithm is built for any number of ranks.
//
// Memory of each rank, from `base` on: input blocks, output blocks, temporary blocks (declared scratch), then
// the bytes of extra messages (see memory_layout). A broadcast works in the input block, as MPI_Bcast does in
// its buffer.
#pragma once

#include "graphs/graph/affine_run.h"
#include "graphs/graph/graph.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/base/ids.h"
#include "vocabulary/calls/patterns.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tacit::graphs {

enum class algorithm : std::uint8_t {
  linear,
  binomial,
  bruck,
  ring,
  recursive_doubling,
  butterfly,
  pipelined,          ///< ring in several segments
  pipelined_binomial, ///< binomial tree in several segments
  dissemination,
  pairwise,
  scatter_allgather, ///< van de Geijn: binomial scatter of pieces, then ring allgather
  two_level,         ///< within nodes to a leader, among leaders, within nodes again
  recursive_halving,
  reduce_scatter_allgather, ///< each rank combines its piece of all operands, and the results are gathered (Rabenseifner's idea)
};

/// One combination that exists.
struct known_algorithm {
  pattern kind;
  algorithm form;
  std::string_view what; ///< one line for people
};

/// Lower case with hyphens, for example "recursive-doubling".
std::string_view name(algorithm form);
std::optional<algorithm> find_algorithm(std::string_view name);
/// All combinations that exist of patterns that move blocks, by pattern, simplest first.
std::span<const known_algorithm> known_algorithms();
/// Likewise of patterns that combine.
std::span<const known_algorithm> combining_algorithms();
/// Those of one pattern.
std::vector<known_algorithm> algorithms_of(pattern kind);
/// All others are built for any number of ranks.
bool needs_power_of_two(pattern kind, algorithm form);

enum class extra_messages : std::uint8_t {
  disjoint,  ///< from and into bytes that nothing else touches
  dependent, ///< may forward results of the pattern or of each other, and overwrite each other, in order
};

struct recipe {
  pattern kind = pattern::bcast;
  algorithm form = algorithm::linear;
  std::uint32_t ranks = 4;
  std::uint64_t block = 64; ///< bytes per block, at least 1 (a barrier has none)
  std::uint32_t root =
      0; ///< rooted patterns; also the meeting point of barriers and of the binomial allgather
  std::uint32_t segments = 4;            ///< pipelined forms: pieces per block, at most one per byte
  std::vector<std::uint32_t> nodes = {}; ///< two-level: the node of each position; if empty,
  std::uint32_t ranks_per_node = 4;      ///< so many positions in a row are a node
  bool self_block = false;               ///< also copy the own block to its place, as MPI's calls do
  reducer by{"or", "byte", 1,
             true, false,  true}; ///< what patterns that combine combine by; blocks are whole elements
  std::uint64_t base = 0x1000;
  std::uint32_t extra = 0; ///< number of random messages added after the pattern
  extra_messages extra_kind = extra_messages::disjoint;
  std::uint64_t extra_bytes = 64; ///< largest size of one
  std::uint64_t seed = 1;
};

/// Where the parts of a rank's memory begin; equal on all ranks.
struct memory_layout {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t scratch = 0;
  std::uint64_t extra = 0;
};
/// Layout for a communicator of `ranks` members.
memory_layout layout_of(const recipe& r, std::uint32_t ranks);

/// Whether each node holds neighboring positions: then its partial results stand in the order of ranks.
bool are_nodes_in_a_row(std::span<const std::uint32_t> node);

/// The graph of the recipe, or nothing and a diagnostic that says what does not exist or does not fit.
std::optional<graph> generate(const recipe& r, diagnostics& problems);

/// The same as affine runs, two a rank at most, in O(ranks). Nothing unless the algorithm is linear, without own blocks and extra messages,
/// and moves blocks among two ranks or more.
std::optional<affine_graph> generate_runs(const recipe& r);

/// Adds the pattern to `g` among the members of one of its communicators (`ranks` and `extra` of the recipe
/// are not used; `root` is a position in the communicator). False and a diagnostic if it does not exist.
bool add_pattern(graph& g, comm_id comm, const recipe& r, diagnostics& problems);

/// Adds `r.extra` random messages between ranks of the whole graph, after everything that is there.
void add_extra_messages(graph& g, const recipe& r);

} // namespace tacit::graphs
