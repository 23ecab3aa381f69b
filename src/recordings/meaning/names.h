// What the ranks of a run call differently and is the same: communicators, call sites, call paths.
#pragma once

#include "recordings/meaning/messages.h"
#include "recordings/record/reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tacit::recordings {

/// Gives names to the groups, locations and paths of all ranks, in a table that it fills, in the order of first use.
class run_names {
public:
  /// `table` must outlive this. The first group is the world.
  explicit run_names(message_table& table);
  /// Goes on with names known before; `table` is a copy of theirs.
  run_names(const run_names& known, message_table& table);
  void world(std::uint32_t ranks);
  /// Of a communicator of one rank.
  std::uint32_t group(const rank_recording& r, const communicator_info& c);
  std::uint32_t location(const rank_recording& r, std::uint32_t site, std::uint16_t call);
  std::uint32_t path(const rank_recording& r, const call& c);

private:
  using location_key = std::tuple<std::string, std::uint64_t, std::uint16_t>;
  static location_key key_of(const recordings::location& where);
  std::uint32_t caller(const rank_recording& r, std::uint32_t site);

  message_table& out_;
  std::map<std::tuple<std::uint64_t, bool, std::vector<std::uint32_t>>, std::uint32_t> group_ids_;
  std::map<location_key, std::uint32_t> location_ids_, caller_ids_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> path_ids_;
};

/// The same for one rank, whose recording may still grow: what was asked for before is looked up by its number.
class rank_names {
public:
  rank_names(run_names& names, const rank_recording& r) : names_(names), recording_(r) {}
  std::uint32_t path_of(const call& c) {
    const std::uint64_t where = c.path == none ? c.site : std::uint64_t{c.path} | 1ull << 40;
    const auto [at, is_new] = paths_.try_emplace(where << 16 | c.id, 0);
    if (is_new)
      at->second = names_.path(recording_, c);
    return at->second;
  }
  /// Of each of its communicators.
  const std::vector<std::uint32_t>& groups() {
    while (groups_.size() < recording_.communicators.size())
      groups_.push_back(names_.group(recording_, recording_.communicators[groups_.size()]));
    return groups_;
  }

private:
  run_names& names_;
  const rank_recording& recording_;
  std::unordered_map<std::uint64_t, std::uint32_t> paths_; ///< by path or site, and call
  std::vector<std::uint32_t> groups_;
};

} // namespace tacit::recordings
