#include "recordings/meaning/division.h"

#include "recordings/meaning/successions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tacit::recordings {
namespace {

constexpr std::size_t tags_that_divide = 4; ///< a phase with more tags numbers its messages by them

/// Tags by which messages of a phase that are no collective are told apart. Those that always follow each other are one:
/// a loop over the directions of a halo, or over the rounds of an algorithm, may count its tag up.
class dividing_tags {
public:
  dividing_tags(const recording_set& recorded, const message_table& table, const episode_list& episodes,
                const fact_table& facts, const std::vector<phase>& phases)
      : table_(table), episodes_(episodes), phases_(phases) {
    std::vector<std::uint32_t> episode_of(table.messages.size(), none);
    for (std::uint32_t e = 0; e < phases.size(); ++e) {
      std::set<std::int32_t>& tags = of_phase_[phases[e]];
      for (const std::uint32_t id : episodes.of(e)) {
        if (tags.size() <= tags_that_divide)
          tags.insert(table.messages[id].tag);
        if (!facts.of_episode[e].seen && facts.of_episode[e].shape == message_shape::no_shape)
          episode_of[id] = e;
      }
    }
    const auto tag_of = [&](std::uint32_t id) {
      return episode_of[id] == none || !divide(phases[episode_of[id]])
                 ? std::nullopt
                 : std::optional<tag_in_phase>({phases[episode_of[id]], table.messages[id].tag});
    };
    for (const auto& [first, next] : successions<tag_in_phase>(recorded, table, tag_of))
      if (first.first == next.first)
        join(first, next);
  }

  std::int64_t of(std::uint32_t episode) const {
    const phase& in = phases_[episode];
    return divide(in) ? root({in, table_.messages[episodes_.of(episode)[0]].tag}).second
                      : activity_key::no_tag;
  }

private:
  using tag_in_phase = std::pair<phase, std::int32_t>;

  bool divide(const phase& in) const { return !in.joined && of_phase_.at(in).size() <= tags_that_divide; }

  tag_in_phase root(tag_in_phase one) const {
    for (auto at = parent_.find(one); at != parent_.end() && at->second != one; at = parent_.find(one))
      one = at->second;
    return one;
  }
  void join(const tag_in_phase& a, const tag_in_phase& b) {
    const tag_in_phase x = root(a), y = root(b);
    parent_[std::max(x, y)] = std::min(x, y);
  }

  const message_table& table_;
  const episode_list& episodes_;
  const std::vector<phase>& phases_;
  std::map<phase, std::set<std::int32_t>> of_phase_;
  std::map<tag_in_phase, tag_in_phase> parent_;
};

} // namespace

std::map<activity_key, std::vector<std::uint32_t>>
divide_episodes(const recording_set& recorded, const message_table& table, const episode_list& episodes,
                const fact_table& facts, const std::vector<phase>& phases, const std::vector<doubt>& doubts) {
  const dividing_tags tags(recorded, table, episodes, facts, phases);
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
    key.tag = tags.of(e);
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
