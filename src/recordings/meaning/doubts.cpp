// What was found only by the shape of its messages (scatter, gather, alltoall) counts only if nearly all
// messages of the phase agree: requests and answers can look like a gather now and then. Small blocks that
// are the same in every episode are no evidence either (reason 65).
#include "recordings/meaning/doubts.h"

#include <map>
#include <utility>

namespace tacit::recordings {
namespace {

constexpr std::uint64_t small_block = 4096; ///< blocks below it that never change are no evidence
constexpr double agreeing_messages = 0.9; ///< share that a pattern seen by shape alone must have of its phase

using pattern_of_phase = std::pair<phase, pattern>;

void doubt_rare_shapes(const episode_list& episodes, const fact_table& facts,
                       const std::vector<phase>& phases, std::vector<doubt>& doubts) {
  const auto by_shape = [&](std::size_t e) {
    return facts.of_episode[e].seen && doubts[e] == doubt::no_doubt && facts.of_episode[e].structural;
  };
  std::map<pattern_of_phase, std::uint64_t> shaped;
  std::map<phase, std::uint64_t> all;
  for (std::size_t e = 0; e < phases.size(); ++e) {
    all[phases[e]] += episodes.of(e).size();
    if (by_shape(e))
      shaped[{phases[e], facts.of_episode[e].kind}] += episodes.of(e).size();
  }
  for (std::size_t e = 0; e < phases.size(); ++e) {
    if (!by_shape(e))
      continue;
    const auto part = static_cast<double>(shaped[{phases[e], facts.of_episode[e].kind}]);
    if (part < agreeing_messages * static_cast<double>(all[phases[e]]))
      doubts[e] = doubt::rare;
  }
}

void doubt_constant_content(const fact_table& facts, const std::vector<phase>& phases,
                            std::vector<doubt>& doubts) {
  struct contents {
    std::uint64_t episodes = 0;
    std::uint64_t hash = 0;
    bool differ = false;
  };
  const auto weak = [&](std::size_t e) {
    const episode_facts& f = facts.of_episode[e];
    return f.seen && doubts[e] == doubt::no_doubt && !f.structural && f.kind != pattern::barrier &&
           f.block < small_block;
  };
  std::map<pattern_of_phase, contents> seen;
  for (std::size_t e = 0; e < phases.size(); ++e) {
    if (!weak(e))
      continue;
    contents& c = seen[{phases[e], facts.of_episode[e].kind}];
    c.differ = c.differ || (c.episodes > 0 && c.hash != facts.of_episode[e].content);
    c.hash = facts.of_episode[e].content;
    ++c.episodes;
  }
  for (std::size_t e = 0; e < phases.size(); ++e) {
    if (!weak(e))
      continue;
    const contents& c = seen[{phases[e], facts.of_episode[e].kind}];
    if (c.episodes >= 3 && !c.differ)
      doubts[e] = doubt::tiny;
  }
}

} // namespace

std::vector<doubt> doubts_of(const episode_list& episodes, const fact_table& facts,
                             const std::vector<phase>& phases) {
  std::vector<doubt> doubts;
  doubts.reserve(facts.of_episode.size());
  for (const episode_facts& f : facts.of_episode)
    doubts.push_back(f.why_not);
  doubt_rare_shapes(episodes, facts, phases, doubts);
  doubt_constant_content(facts, phases, doubts);
  return doubts;
}

} // namespace tacit::recordings
