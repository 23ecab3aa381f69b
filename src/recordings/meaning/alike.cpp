// What a phase says is the set of what its episodes are: patterns with their algorithm, shapes, and the kind of all other
// traffic. Exchanges with neighbors say the same only if they are between the same ranks, of the same sizes and with the
// same tags, for each is something to replace by itself.
#include "recordings/meaning/alike.h"

#include "recordings/meaning/traffic.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tacit::recordings {
namespace {

/// What some episodes of a phase are; numbers of one kind are compared with each other only.
struct saying {
  enum class what : std::uint8_t { collective, shape, traffic } is = what::collective;
  std::uint32_t kind = 0;
  std::uint32_t detail = 0; ///< algorithm, doubt
  auto operator<=>(const saying&) const = default;
};

/// One message of an exchange, apart from when it is sent.
using exchanged = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int32_t>;

struct description {
  std::set<saying> all;
  std::set<exchanged> between; ///< of neighbors
  auto operator<=>(const description&) const = default;
};

class describer {
public:
  describer(const recording_set& recorded, const message_table& table, const provenance& data,
            const episode_list& episodes, const fact_table& facts, const std::vector<doubt>& doubts)
      : recorded_(recorded), table_(table), data_(data), episodes_(episodes), facts_(facts), doubts_(doubts) {
  }

  description of(const phase& which, const std::vector<std::uint32_t>& episodes) const {
    description d;
    std::vector<std::uint32_t> rest;
    for (const std::uint32_t e : episodes) {
      const episode_facts& f = facts_.of_episode[e];
      const episode_facts& head = facts_.of_episode[f.head == none ? e : f.head];
      const bool counts = doubts_[e] == doubt::no_doubt;
      if (head.seen && counts)
        d.all.insert({saying::what::collective, static_cast<std::uint32_t>(head.kind), head.algorithm});
      else if (f.shape != message_shape::no_shape && counts)
        d.all.insert({saying::what::shape, static_cast<std::uint32_t>(f.shape), 0});
      else
        rest.push_back(e);
    }
    if (!rest.empty())
      add_traffic(which, rest, d);
    return d;
  }

private:
  void add_traffic(const phase& which, const std::vector<std::uint32_t>& episodes, description& d) const {
    const activity_kind kind =
        classify(measure_traffic(recorded_, table_, data_, episodes_, episodes), which.group_size);
    d.all.insert({saying::what::traffic, static_cast<std::uint32_t>(kind), 0});
    if (kind != activity_kind::neighbor_exchange)
      return;
    for (const std::uint32_t e : episodes)
      for (const std::uint32_t id : episodes_.of(e)) {
        const message& m = table_.messages[id];
        d.between.insert({m.from, m.to, m.bytes, m.tag});
      }
  }

  const recording_set& recorded_;
  const message_table& table_;
  const provenance& data_;
  const episode_list& episodes_;
  const fact_table& facts_;
  const std::vector<doubt>& doubts_;
};

} // namespace

std::vector<phase> join_alike(const recording_set& recorded, const message_table& table,
                              const provenance& data, const episode_list& episodes, const fact_table& facts,
                              const std::vector<doubt>& doubts, const std::vector<phase>& by_site,
                              std::vector<phase> phases) {
  std::map<phase, std::map<phase, std::vector<std::uint32_t>>> of_sites;
  for (std::uint32_t e = 0; e < phases.size(); ++e)
    of_sites[by_site[e]][phases[e]].push_back(e);
  const describer describe(recorded, table, data, episodes, facts, doubts);
  for (const auto& [sites, parts] : of_sites) {
    if (parts.size() < 2)
      continue;
    std::map<std::pair<bool, description>, phase> first;
    for (const auto& [part, members] : parts) {
      const auto at = first.try_emplace({part.joined, describe.of(part, members)}, part).first;
      for (const std::uint32_t e : members)
        phases[e] = at->second;
    }
  }
  return phases;
}

} // namespace tacit::recordings
