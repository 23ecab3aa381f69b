// Union-find over the locations of call sites.
//
// Two phases follow each other if, on every rank that goes through both, nine of ten times that it comes to one it
// comes to the other before anything else on that communicator. A collective call ends the sequence.
#include "recordings/meaning/phases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tacit::recordings {

namespace {

constexpr std::uint64_t nearby = 2048;     ///< bytes of code between lines that may belong together
constexpr std::uint64_t enough_rounds = 3; ///< to say that phases always follow each other

/// How often one rank came to a phase, and from there to another one.
struct visits {
  std::map<phase, std::uint64_t> of;
  std::map<std::pair<phase, phase>, std::uint64_t> next;
};

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
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i)
      walk(i);
    for (const auto& [pair, ranks] : follows_)
      if (ranks.first > 0 && ranks.second == 0 && are_near(pair.first, pair.second))
        join(pair.first, pair.second);
    std::vector<phase> joined = phases_;
    for (phase& one : joined)
      if (const auto at = parent_.find(one); at != parent_.end()) {
        one = root(one);
        one.joined = true;
      }
    return joined;
  }

private:
  void walk(std::uint32_t i) {
    const rank_recording& r = recorded_.recordings[i];
    const rank_index& ids = table_.of_recording[i];
    std::map<std::uint32_t, phase> last; // per group
    visits seen;
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      if (r.calls[c].comm != none && is_collective(class_of(r.calls[c])))
        last.erase(ids.group_of_comm[r.calls[c].comm]);
      const std::uint32_t id = ids.message_of_call[c];
      if (id == none)
        continue;
      const phase& now = phases_[episode_of_[id]];
      const auto [at, is_first] = last.try_emplace(table_.messages[id].comm, now);
      if (!is_first && at->second == now)
        continue;
      ++seen.of[now];
      if (!is_first)
        ++seen.next[{at->second, now}];
      at->second = now;
    }
    for (const auto& [pair, times] : seen.next) {
      const std::uint64_t most = std::max(seen.of[pair.first], seen.of[pair.second]);
      auto& [agree, differ] = follows_[pair];
      ++(most >= enough_rounds && times * 10 >= most * 9 ? agree : differ);
    }
  }

  bool are_near(const phase& a, const phase& b) const {
    if (other_.contains(a) || other_.contains(b) || a.group_size != b.group_size)
      return false;
    const location &x = table_.locations[a.sites], &y = table_.locations[b.sites];
    const std::uint64_t between = x.offset < y.offset ? y.offset - x.offset : x.offset - y.offset;
    return x.module_path == y.module_path && between < nearby;
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
  std::map<std::pair<phase, phase>, std::pair<std::uint64_t, std::uint64_t>>
      follows_; ///< ranks that agree, or not
  std::map<phase, phase> parent_;
};

} // namespace

std::vector<phase> join_phases(const recording_set& recorded, const message_table& table,
                               const episode_list& episodes, const fact_table& facts,
                               std::vector<phase> phases) {
  return phase_joiner(recorded, table, episodes, facts, phases).run();
}

std::vector<phase> find_phases(const message_table& table, const fact_table& facts) {
  std::vector<std::uint32_t> parent(table.locations.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t location) {
    while (parent[location] != location)
      location = parent[location] = parent[parent[location]];
    return location;
  };
  for (const episode_facts& f : facts.of_episode)
    for (const std::uint32_t site : facts.sites_of(f))
      parent[root(site)] = root(facts.sites_of(f)[0]);
  std::vector<phase> phases;
  phases.reserve(facts.of_episode.size());
  for (const episode_facts& f : facts.of_episode)
    phases.push_back({root(facts.sites_of(f)[0]),
                      static_cast<std::uint32_t>(table.groups[f.group].members.size()), false});
  return phases;
}

} // namespace tacit::recordings
