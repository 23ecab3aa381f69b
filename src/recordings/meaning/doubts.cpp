// What was found only by the shape of its messages (scatter, gather, alltoall) counts only if nearly all
// messages of the phase agree: requests and answers can look like a gather now and then. Small blocks that
// are the same in every episode are no evidence either (reason 65): there all episodes of a call site count, wherever it
// is called from, as a program may come to each place once.
//
// Tiny blocks count if chance is implausible. A broadcast's content must change from one to the next: then what agrees
// within each follows the root, and a common cause (all ranks count their steps) would make the same content, which a broadcast of it
// brings as well. In an allgather it must change, too, since rank numbers and other constants are known everywhere; and what
// agrees has to differ between the ranks of one episode, as measured in agreement.h. In both cases the phase does nothing else, and nowhere
// in it ranks get different blocks where the pattern would bring them the same.
#include "recordings/meaning/doubts.h"

#include <map>
#include <set>
#include <tuple>

namespace tacit::recordings {
namespace {

constexpr std::uint64_t small_block = 4096; ///< blocks below it that never change are no evidence
constexpr double agreeing_messages = 0.9; ///< share that a pattern seen by shape alone must have of its phase

/// A pattern of the core, or a shape, in a phase.
using kind_of_phase = std::tuple<phase, pattern, message_shape>;

kind_of_phase kind_of(const fact_table& facts, const std::vector<phase>& phases, std::size_t e) {
  const episode_facts& f = facts.of_episode[e];
  return {phases[e], f.shape == message_shape::no_shape ? f.kind : pattern::bcast, f.shape};
}

/// Messages of each phase: all of them, and of those of some episodes by what these are.
struct shares {
  std::map<kind_of_phase, std::uint64_t> of_kind;
  std::map<phase, std::uint64_t> all;
  bool nearly_all(const kind_of_phase& kind) const {
    const auto part = of_kind.find(kind);
    return part != of_kind.end() && static_cast<double>(part->second) >=
                                        agreeing_messages * static_cast<double>(all.at(std::get<0>(kind)));
  }
};

template <typename Wanted>
shares count_shares(const message_table& table, const episode_list& episodes, const fact_table& facts,
                    const std::vector<phase>& phases, Wanted wanted) {
  shares s;
  for (std::size_t e = 0; e < phases.size(); ++e) {
    const std::uint64_t messages = count_of(table, episodes.of(e));
    s.all[phases[e]] += messages;
    if (wanted(e))
      s.of_kind[kind_of(facts, phases, e)] += messages;
  }
  return s;
}

void doubt_rare_shapes(const message_table& table, const episode_list& episodes, const fact_table& facts,
                       const std::vector<phase>& phases, std::vector<doubt>& doubts) {
  const auto by_shape = [&](std::size_t e) {
    const episode_facts& f = facts.of_episode[e];
    return (f.seen && doubts[e] == doubt::no_doubt && f.structural) || f.shape != message_shape::no_shape;
  };
  const shares known = count_shares(table, episodes, facts, phases, by_shape);
  for (std::size_t e = 0; e < phases.size(); ++e)
    if (by_shape(e) && !known.nearly_all(kind_of(facts, phases, e)))
      doubts[e] = doubt::rare;
}

/// What the content of some episodes was: whether it ever changed.
struct contents {
  std::uint64_t episodes = 0;
  std::uint64_t hash = 0;
  bool differ = false;
  double bits = 0; ///< episode_facts::agreement of all
  void add(const episode_facts& f) {
    differ = differ || (episodes > 0 && hash != f.content);
    hash = f.content;
    bits += f.agreement;
    ++episodes;
  }
};

constexpr std::uint64_t enough_episodes = 3; ///< to see that content changes, or that it does not
constexpr double bits_beyond_chance = 20;    ///< one in a million

/// Phases in which ranks get blocks of their own from one rank (or from each): equal blocks are a coincidence there.
std::set<phase> phases_of_different_blocks(const fact_table& facts, const std::vector<phase>& phases) {
  std::set<phase> found;
  for (std::size_t e = 0; e < phases.size(); ++e) {
    const episode_facts& f = facts.of_episode[e];
    const signature moves = row_of(f.kind).moves;
    const bool exchange = f.shape == message_shape::alltoall || f.shape == message_shape::alltoallv ||
                          f.shape == message_shape::alltoall_or_reduce_scatter ||
                          f.shape == message_shape::alltoallv_or_reduce_scatter;
    if (exchange || (f.seen && (moves == signature::root_to_each || moves == signature::each_to_each)))
      found.insert(phases[e]);
  }
  return found;
}

bool is_beyond_chance(const contents& c, pattern kind) {
  return c.episodes >= enough_episodes && c.differ &&
         (kind == pattern::bcast || c.bits >= bits_beyond_chance);
}

/// Tiny blocks that agree within each operation but change from one to the next: see above.
void trust_changing_content(const message_table& table, const episode_list& episodes, const fact_table& facts,
                            const std::vector<phase>& phases, const std::vector<phase>& by_site,
                            std::vector<doubt>& doubts) {
  const auto tiny = [&](std::size_t e) { return facts.of_episode[e].seen && doubts[e] == doubt::tiny; };
  const shares known = count_shares(table, episodes, facts, phases, tiny);
  const std::set<phase> different = phases_of_different_blocks(facts, phases);
  std::map<kind_of_phase, contents> seen;
  for (std::size_t e = 0; e < phases.size(); ++e)
    if (tiny(e))
      seen[kind_of(facts, by_site, e)].add(facts.of_episode[e]);
  for (std::size_t e = 0; e < phases.size(); ++e) {
    const episode_facts& f = facts.of_episode[e];
    if (!tiny(e) || different.contains(phases[e]) || !known.nearly_all(kind_of(facts, phases, e)) ||
        !is_beyond_chance(seen[kind_of(facts, by_site, e)], f.kind))
      continue;
    doubts[e] = f.dependent && f.kind != pattern::bcast ? doubt::dependent : doubt::no_doubt;
  }
}

void doubt_constant_content(const fact_table& facts, const std::vector<phase>& phases,
                            std::vector<doubt>& doubts) {
  const auto weak = [&](std::size_t e) {
    const episode_facts& f = facts.of_episode[e];
    return f.seen && doubts[e] == doubt::no_doubt && !f.structural && f.kind != pattern::barrier &&
           f.block < small_block;
  };
  std::map<kind_of_phase, contents> seen;
  for (std::size_t e = 0; e < phases.size(); ++e)
    if (weak(e))
      seen[kind_of(facts, phases, e)].add(facts.of_episode[e]);
  for (std::size_t e = 0; e < phases.size(); ++e) {
    if (!weak(e))
      continue;
    const contents& c = seen[kind_of(facts, phases, e)];
    if (c.episodes >= enough_episodes && !c.differ)
      doubts[e] = doubt::tiny;
  }
}

} // namespace

std::vector<doubt> doubts_of(const message_table& table, const episode_list& episodes,
                             const fact_table& facts, const std::vector<phase>& phases,
                             const std::vector<phase>& by_site) {
  std::vector<doubt> doubts;
  doubts.reserve(facts.of_episode.size());
  for (const episode_facts& f : facts.of_episode)
    doubts.push_back(f.why_not);
  doubt_rare_shapes(table, episodes, facts, phases, doubts);
  trust_changing_content(table, episodes, facts, phases, by_site, doubts);
  doubt_constant_content(facts, by_site, doubts);
  return doubts;
}

} // namespace tacit::recordings
