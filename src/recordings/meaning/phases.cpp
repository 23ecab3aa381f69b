// Union-find over the locations of call sites.
#include "recordings/meaning/phases.h"

#include <numeric>

namespace tacit::recordings {

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
    phases.push_back(
        {root(facts.sites_of(f)[0]), static_cast<std::uint32_t>(table.groups[f.group].members.size())});
  return phases;
}

} // namespace tacit::recordings
