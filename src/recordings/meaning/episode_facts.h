// What the analysis knows about each episode before episodes are put together.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/episode_graph.h"
#include "recordings/meaning/episodes.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tacit::recordings {

struct episode_facts {
  std::uint32_t group = 0;
  std::uint32_t paths = 0; ///< index in fact_table::path_sets
  std::uint64_t bytes = 0; ///< in messages
  double seconds = 0;
  std::uint64_t times = 1; ///< how many episodes it stands for (survey.h)
  bool seen = false;       ///< the episode is a collective of one kind, as far as it can tell itself
  bool wildcard = false;   ///< a receive with any source or tag
  bool probed = false;     ///< a receiver probed for one of its messages
  bool assumed = false;    ///< judgement::assumed_unchanged
  bool sparse = false;     ///< judgement::sparse
  bool structural =
      false; ///< no content was compared: the shape of the messages alone says so (scatter, gather, alltoall)
  doubt why_not = doubt::no_doubt; ///< why what was seen does not count all the same: tiny or dependent
  bool dependent = false;          ///< a rank contributes after it got foreign data, whatever `why_not` says
  pattern kind = pattern::bcast;   ///< what was seen
  message_shape shape = message_shape::no_shape; ///< what it has the shape of, if nothing was seen
  std::uint32_t root = none;      ///< position in the group; of the first one if there are several
  std::uint32_t operations = 0;   ///< collectives in it (broadcasts from several roots: one each)
  std::uint64_t block = 0;        ///< bytes
  std::uint32_t algorithm = none; ///< index in fact_table::algorithms
  std::uint32_t head = none;      ///< episode that this one continues (a pipelined broadcast), or none
  std::uint64_t content = 0;      ///< hash of the first original send; of an allgather: of all contributions
  double agreement = 0;           ///< of an allgather of tiny blocks: contributions::bits
};

/// What an episode with more than one collective of a kind adds to its facts.
struct joint_operations {
  std::vector<std::uint32_t> roots; ///< distinct positions in the group, ascending; empty if not rooted
  std::uint64_t bytes = 0;          ///< of all their blocks
};

struct fact_table {
  std::vector<episode_facts> of_episode;
  std::map<std::uint32_t, joint_operations> joint;   ///< by episode
  std::vector<std::vector<std::uint32_t>> path_sets; ///< call paths of both ends, ascending
  std::vector<broadcast_algorithm> algorithms;
  /// Messages that their receiver probed for before it posted the receive: with how many calls.
  std::map<std::uint32_t, std::uint64_t> probes;

  const std::vector<std::uint32_t>& paths_of(const episode_facts& f) const { return path_sets[f.paths]; }
};

/// Looks at every episode by itself. Cost O(messages · log messages) and that of judging each episode.
fact_table gather_facts(const recording_set& recorded, const message_table& table, const provenance& data,
                        const episode_list& episodes, const analysis_options& options);

struct shaped_messages;

/// Episodes and what is known about them, after messages with a shape have become episodes of their own.
struct regrouped {
  episode_list episodes;
  fact_table facts;
};
/// What is left of an episode stays one, and is not judged anew. Cost O(messages · log messages).
regrouped regroup(const recording_set& recorded, const message_table& table, const provenance& data,
                  const episode_list& episodes, fact_table facts, const std::vector<shaped_messages>& shapes,
                  const analysis_options& options);

} // namespace tacit::recordings
