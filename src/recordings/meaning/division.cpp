#include "recordings/meaning/division.h"

#include <set>

namespace tacit::recordings {
namespace {

constexpr std::size_t tags_that_divide = 4; ///< a phase with more tags numbers its messages by them

std::map<phase, std::set<std::int32_t>> first_tags(const message_table& table, const episode_list& episodes,
                                                   const std::vector<phase>& phases) {
  std::map<phase, std::set<std::int32_t>> of_phase;
  for (std::size_t e = 0; e < phases.size(); ++e) {
    std::set<std::int32_t>& tags = of_phase[phases[e]];
    for (const std::uint32_t id : episodes.of(e))
      if (tags.size() <= tags_that_divide)
        tags.insert(table.messages[id].tag);
  }
  return of_phase;
}

} // namespace

std::map<activity_key, std::vector<std::uint32_t>>
divide_episodes(const message_table& table, const episode_list& episodes, const fact_table& facts,
                const std::vector<phase>& phases, const std::vector<doubt>& doubts) {
  const std::map<phase, std::set<std::int32_t>> tags = first_tags(table, episodes, phases);
  const auto key_of = [&](std::uint32_t e) {
    const episode_facts& f = facts.of_episode[e];
    const std::uint32_t head = f.head == none ? e : f.head; // it speaks for the segments that follow
    if (facts.of_episode[head].seen && doubts[head] == doubt::no_doubt)
      return activity_key{.in = phases[e],
                          .is_collective = true,
                          .kind = facts.of_episode[head].kind,
                          .algorithm = facts.of_episode[head].algorithm};
    activity_key key{.in = phases[e]};
    if (f.shape != message_shape::no_shape && doubts[e] == doubt::no_doubt) {
      key.shape = f.shape;
      return key;
    }
    if (!phases[e].joined && tags.at(phases[e]).size() <= tags_that_divide)
      key.tag = table.messages[episodes.of(e)[0]].tag;
    if (doubts[e] == doubt::tiny || doubts[e] == doubt::dependent) {
      key.kind = f.kind;
      key.algorithm = f.algorithm;
      key.why_not = doubts[e];
    }
    return key;
  };
  std::map<activity_key, std::vector<std::uint32_t>> parts;
  for (std::uint32_t e = 0; e < phases.size(); ++e)
    parts[key_of(e)].push_back(e);
  return parts;
}

} // namespace tacit::recordings
