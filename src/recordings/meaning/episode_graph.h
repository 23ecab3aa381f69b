// One episode as a graph of the core, and what the core finds in it.
#pragma once

#include "graphs/detect/detect.h"
#include "graphs/graph/graph.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

/// A collective in an episode. Ranks are positions in the group.
struct collective_found {
  pattern kind = pattern::bcast;
  std::uint32_t root = none;
  std::uint64_t bytes = 0; ///< per block
};

/// What the core says about an episode.
struct judgement {
  std::vector<collective_found> found; ///< empty unless they explain every byte of the episode
  std::vector<graphs::refusal> refused;
  std::uint64_t unexplained = 0;  ///< bytes moved by no collective, if some were found
  bool sparse = false;            ///< an alltoallv in which some pairs have nothing for each other
  bool assumed_unchanged = false; ///< overlapping memory sent twice was taken for the same version
};

/// Positions of world ranks in a group.
class group_positions {
public:
  explicit group_positions(const message_table& table) : table_(table), of_group_(table.groups.size()) {}
  /// Position of a world rank in a group, or none.
  std::uint32_t operator()(std::uint32_t group, std::uint32_t rank);

private:
  const message_table& table_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> of_group_; ///< sorted, made on demand
};

/// The communicator on which all messages of an episode go, or the world (0) if there are several.
std::uint32_t group_of(const message_table& table, std::span<const std::uint32_t> episode);

/// Looks for collectives on the group of the episode.
judgement judge_episode(const recording_set& recorded, const message_table& table, const provenance& data,
                        std::span<const std::uint32_t> episode, group_positions& positions);

} // namespace tacit::recordings
