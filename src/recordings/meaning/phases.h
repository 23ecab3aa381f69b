// Phases: parts of the program, by call paths. Paths that occur in one episode belong to one phase; a phase
// is looked at apart for each size of its groups, because a program does the same on rows and columns.
//
// The path, not the site, because a library sends everything from one line. How much of the path counts follows from
// what is seen: lines of one function with the same callers become one phase if they always follow each other, and
// phases of the same lines that say the same are one, wherever they are called from.
#pragma once

#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/messages.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace tacit::recordings {

struct phase {
  std::uint32_t path = 0; ///< one that stands for all call paths of the phase
  std::uint32_t group_size = 0;
  bool joined = false; ///< of several sets of sites that always follow each other
  auto operator<=>(const phase&) const = default;
};

/// The same, after phases without a collective that always follow each other on every rank, in nearby lines, have
/// become one: a halo is often exchanged in a line for each direction. Cost O(calls).
std::vector<phase> join_phases(const recording_set& recorded, const message_table& table,
                               const episode_list& episodes, const fact_table& facts,
                               const std::vector<phase>& phases);

/// The phase of each episode. Cost O(paths of all episodes), nearly.
std::vector<phase> find_phases(const message_table& table, const fact_table& facts);
/// The same by call sites alone: parts of the program that are not told apart by where they are called from.
std::vector<phase> find_phases_by_site(const message_table& table, const fact_table& facts);

} // namespace tacit::recordings
