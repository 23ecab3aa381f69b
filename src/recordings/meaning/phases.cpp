// Union-find over call paths.
//
// Two paths may belong together if their lines are near each other and so are the outermost places where they differ:
// four lines of a halo, or four calls of a function that sends.
#include "recordings/meaning/phases.h"

#include "recordings/meaning/successions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace tacit::recordings {

namespace {

class phase_joiner {
public:
  phase_joiner(const recording_set& recorded, const message_table& table, const episode_list& episodes,
               const fact_table& facts, const std::vector<phase>& phases)
      : recorded_(recorded), table_(table), phases_(phases), episode_of_(table.messages.size(), none) {
    for (std::uint32_t e = 0; e < episodes.size(); ++e) {
      const episode_facts& f = facts.of_episode[e];
      if (f.seen || f.shape != message_shape::no_shape)
        other_.insert(phases[e]); // it is something already
      for (const std::uint32_t id : episodes.of(e))
        episode_of_[id] = e;
    }
  }

  std::vector<phase> run() {
    const auto phase_of = [&](std::uint32_t id) {
      return episode_of_[id] == none ? std::nullopt // at the edge of what was kept
                                     : std::optional<phase>(phases_[episode_of_[id]]);
    };
    for (const auto& [first, next] : successions<phase>(recorded_, table_, phase_of))
      if (are_near(first, next))
        join(first, next);
    std::vector<phase> joined = phases_;
    for (phase& one : joined)
      if (const auto at = parent_.find(one); at != parent_.end()) {
        one = root(one);
        one.joined = true;
      }
    return joined;
  }

private:
  bool are_near(const phase& a, const phase& b) const {
    if (other_.contains(a) || other_.contains(b) || a.group_size != b.group_size)
      return false;
    const call_path &x = table_.paths[a.path], &y = table_.paths[b.path];
    std::size_t same = 0; // callers from here on are the same
    const std::size_t known = std::min(x.callers.size(), y.callers.size());
    for (std::size_t depth = 0; depth < known; ++depth)
      if (x.callers[depth] != y.callers[depth])
        same = depth + 1;
    return are_nearby(table_.locations[x.location], table_.locations[y.location]) &&
           (same == 0 ||
            are_nearby(table_.callers[x.callers[same - 1]], table_.callers[y.callers[same - 1]]));
  }

  phase root(phase one) {
    while (parent_.at(one) != one)
      one = parent_.at(one);
    return one;
  }
  void join(const phase& a, const phase& b) {
    parent_.try_emplace(a, a);
    parent_.try_emplace(b, b);
    parent_[root(b)] = root(a);
  }

  const recording_set& recorded_;
  const message_table& table_;
  const std::vector<phase>& phases_;
  std::vector<std::uint32_t> episode_of_;
  std::set<phase> other_;
  std::map<phase, phase> parent_;
};

} // namespace

std::vector<phase> join_phases(const recording_set& recorded, const message_table& table,
                               const episode_list& episodes, const fact_table& facts,
                               const std::vector<phase>& phases) {
  return phase_joiner(recorded, table, episodes, facts, phases).run();
}

namespace {

/// Phases of the sets of paths that `parent` begins with.
std::vector<phase> joined_by_episodes(const message_table& table, const fact_table& facts,
                                      std::vector<std::uint32_t> parent) {
  const auto root = [&](std::uint32_t path) {
    while (parent[path] != path)
      path = parent[path] = parent[parent[path]];
    return path;
  };
  for (const episode_facts& f : facts.of_episode)
    for (const std::uint32_t path : facts.paths_of(f))
      parent[root(path)] = root(facts.paths_of(f)[0]);
  std::vector<phase> phases;
  phases.reserve(facts.of_episode.size());
  for (const episode_facts& f : facts.of_episode)
    phases.push_back({root(facts.paths_of(f)[0]),
                      static_cast<std::uint32_t>(table.groups[f.group].members.size()), false});
  return phases;
}

} // namespace

std::vector<phase> find_phases(const message_table& table, const fact_table& facts) {
  std::vector<std::uint32_t> parent(table.paths.size());
  std::iota(parent.begin(), parent.end(), 0u);
  return joined_by_episodes(table, facts, std::move(parent));
}

std::vector<phase> find_phases_by_site(const message_table& table, const fact_table& facts) {
  std::vector<std::uint32_t> first(table.locations.size(), none), parent(table.paths.size());
  for (std::uint32_t path = 0; path < parent.size(); ++path) {
    std::uint32_t& known = first[table.paths[path].location];
    known = known == none ? path : known;
    parent[path] = known;
  }
  return joined_by_episodes(table, facts, std::move(parent));
}

} // namespace tacit::recordings
