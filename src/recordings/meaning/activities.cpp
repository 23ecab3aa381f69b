// Episodes are put together by call sites: sites that occur in one episode belong to one phase of the
// program; within a phase, by group size and by what was found (pattern, algorithm, or nothing). What was
// found only by the shape of its messages (scatter, gather, alltoall) counts only if nearly all messages of
// the phase agree: requests and answers can look like a gather now and then. Small blocks that are the same
// in every episode are no evidence either (reason 65). Episodes of which nothing was found are described by
// their traffic. Every message is in exactly one activity. Cost O(messages · log messages).
#include "recordings/meaning/activities.h"

#include "recordings/meaning/groups.h"
#include "recordings/meaning/sentences.h"
#include "recordings/meaning/steps.h"
#include "recordings/meaning/traffic.h"
#include "vocabulary/base/amounts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace tacit::recordings {
namespace {

constexpr std::uint64_t small_block = 4096; ///< blocks below it that never change are no evidence
constexpr double agreeing_messages = 0.9; ///< share that a pattern seen by shape alone must have of its phase
constexpr std::size_t most_tags = 16;     ///< listed in an activity
constexpr std::size_t tags_that_divide = 4; ///< a phase with more tags numbers its messages by them

/// What the episodes of one activity have in common.
struct activity_key {
  std::uint32_t phase;
  std::size_t group_size;
  bool is_collective;
  pattern kind;
  std::uint32_t algorithm;
  doubt why_not;
  std::int64_t tag; ///< no_tag if tags do not divide the phase
  auto operator<=>(const activity_key&) const = default;
};
constexpr std::int64_t no_tag = -2;

class activity_former {
public:
  activity_former(const findings_so_far& known, const std::vector<std::string>& shapes,
                  const analysis_options& options)
      : known_(known), shapes_(shapes), options_(options), phase_(known.table.places.size()) {
    for (std::uint32_t p = 0; p < phase_.size(); ++p)
      phase_[p] = p;
  }

  std::vector<activity> run() {
    for (const episode_facts& f : facts().of_episode)
      for (const std::uint32_t site : sites_of(f))
        phase_[root(site)] = root(sites_of(f)[0]);
    doubt_rare_shapes();
    doubt_constant_content();
    std::map<activity_key, std::vector<std::uint32_t>> drafts;
    count_tags();
    for (std::uint32_t e = 0; e < facts().of_episode.size(); ++e)
      drafts[key_of(e)].push_back(e);
    std::vector<activity> all;
    std::size_t done = 0;
    for (const auto& [key, episodes] : drafts) {
      if (options_.progress)
        options_.progress("describing", static_cast<double>(done++) / static_cast<double>(drafts.size()));
      all.push_back(form(key, episodes));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const activity& a, const activity& b) { return a.seconds > b.seconds; });
    return all;
  }

private:
  fact_table& facts() { return known_.facts; }
  const std::vector<std::uint32_t>& sites_of(const episode_facts& f) { return facts().site_sets[f.sites]; }

  std::uint32_t root(std::uint32_t place) {
    while (phase_[place] != place)
      place = phase_[place] = phase_[phase_[place]];
    return place;
  }

  std::size_t group_size(const episode_facts& f) const { return known_.table.groups[f.group].members.size(); }
  std::pair<std::uint32_t, std::size_t> phase_of(const episode_facts& f) {
    return {root(sites_of(f)[0]), group_size(f)};
  }
  /// The episode that speaks for this one (the first segment of a pipelined broadcast).
  const episode_facts& head_of(const episode_facts& f) {
    return f.head == none ? f : facts().of_episode[f.head];
  }

  void doubt_rare_shapes() {
    std::map<std::tuple<std::uint32_t, std::size_t, pattern>, std::uint64_t> shaped;
    std::map<std::pair<std::uint32_t, std::size_t>, std::uint64_t> all;
    for (std::uint32_t e = 0; e < facts().of_episode.size(); ++e) {
      const episode_facts& f = facts().of_episode[e];
      const auto [phase, size] = phase_of(f);
      const std::uint64_t messages = known_.episodes.of(e).size();
      all[{phase, size}] += messages;
      if (f.is_collective && f.structural)
        shaped[{phase, size, f.kind}] += messages;
    }
    for (episode_facts& f : facts().of_episode) {
      if (!f.is_collective || !f.structural)
        continue;
      const auto [phase, size] = phase_of(f);
      const auto part = static_cast<double>(shaped[{phase, size, f.kind}]);
      if (part < agreeing_messages * static_cast<double>(all[{phase, size}]))
        f.is_collective = false;
    }
  }

  void doubt_constant_content() {
    struct contents {
      std::uint64_t episodes = 0;
      std::uint64_t hash = 0;
      bool differ = false;
    };
    std::map<std::tuple<std::uint32_t, std::size_t, pattern>, contents> seen;
    const auto weak = [](const episode_facts& f) {
      return f.is_collective && !f.structural && f.kind != pattern::barrier && f.block < small_block;
    };
    for (const episode_facts& f : facts().of_episode) {
      if (!weak(f))
        continue;
      const auto [phase, size] = phase_of(f);
      contents& c = seen[{phase, size, f.kind}];
      c.differ = c.differ || (c.episodes > 0 && c.hash != f.content);
      c.hash = f.content;
      ++c.episodes;
    }
    for (episode_facts& f : facts().of_episode) {
      if (!weak(f))
        continue;
      const auto [phase, size] = phase_of(f);
      const contents& c = seen[{phase, size, f.kind}];
      if (c.episodes < 3 || c.differ)
        continue;
      f.is_collective = false;
      f.why_not = doubt::tiny;
    }
  }

  void count_tags() {
    for (std::uint32_t e = 0; e < facts().of_episode.size(); ++e) {
      const episode_facts& f = facts().of_episode[e];
      std::set<std::int32_t>& tags = tags_of_phase_[phase_of(f)];
      for (const std::uint32_t id : known_.episodes.of(e))
        if (tags.size() <= tags_that_divide)
          tags.insert(known_.table.messages[id].tag);
    }
  }

  activity_key key_of(std::uint32_t e) {
    const episode_facts& f = facts().of_episode[e];
    const episode_facts& head = head_of(f);
    const auto [phase, size] = phase_of(f);
    if (head.is_collective)
      return {phase, size, true, head.kind, head.algorithm, doubt::no_doubt, no_tag};
    const bool divides = tags_of_phase_[{phase, size}].size() <= tags_that_divide;
    const std::int64_t tag = divides ? known_.table.messages[known_.episodes.of(e)[0]].tag : no_tag;
    const bool doubted = f.why_not != doubt::no_doubt;
    return {phase,     size, false, doubted ? f.kind : pattern::bcast, doubted ? f.algorithm : none,
            f.why_not, tag};
  }

  activity form(const activity_key& key, const std::vector<std::uint32_t>& episodes) {
    activity a;
    sum_up(a, episodes);
    a.certainty = "observed in this run";
    const std::string& shape = shapes_[a.communicators[0]];
    if (key.is_collective) {
      a.kind = activity_kind::collective;
      const std::uint32_t example = typical(episodes);
      draw(a, known_.episodes.of(example));
      fill_collective(a, key, episodes, example);
      describe_collective(a, key.group_size, shape);
    } else {
      const traffic t =
          measure_traffic(known_.recorded, known_.table, known_.data, known_.episodes, episodes);
      a.kind = classify(t, key.group_size);
      const std::vector<std::uint32_t> round = example_round(episodes);
      draw(a, round);
      fill_traffic(a, t, episodes, round);
      describe_traffic(a, t, key.group_size, shape);
      doubted_pattern(a, key);
    }
    return a;
  }

  void sum_up(activity& a, const std::vector<std::uint32_t>& episodes) {
    std::set<std::int32_t> tags;
    std::set<std::uint32_t> groups;
    std::map<std::uint32_t, double> sites;
    a.smallest = ~0ull;
    for (const std::uint32_t e : episodes) {
      const episode_facts& f = facts().of_episode[e];
      groups.insert(f.group);
      a.messages += known_.episodes.of(e).size();
      a.bytes += f.bytes;
      a.seconds += f.seconds;
      const bool seen = f.is_collective || f.why_not != doubt::no_doubt;
      a.episodes += f.head == none ? std::max(1u, seen ? f.operations : 1u) : 0;
      for (const std::uint32_t site : sites_of(f))
        sites.try_emplace(site, known_.table.place_seconds[site]);
      for (const std::uint32_t id : known_.episodes.of(e)) {
        tags.insert(known_.table.messages[id].tag);
        if (!f.is_collective) {
          a.smallest = std::min(a.smallest, known_.table.messages[id].bytes);
          a.largest = std::max(a.largest, known_.table.messages[id].bytes);
        }
      }
      if (f.is_collective && f.head == none) {
        a.smallest = std::min(a.smallest, f.block);
        a.largest = std::max(a.largest, f.block);
      }
    }
    a.communicators.assign(groups.begin(), groups.end());
    a.distinct_tags = tags.size();
    for (const std::int32_t tag : tags)
      if (a.tags.size() < most_tags)
        a.tags.push_back(tag);
    for (const auto& [site, seconds] : sites)
      a.sites.push_back(site);
    std::stable_sort(a.sites.begin(), a.sites.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return sites.at(x) > sites.at(y); });
  }

  /// The episode with the most messages among those of middle size: pictures show it.
  std::uint32_t typical(const std::vector<std::uint32_t>& episodes) {
    std::vector<std::uint32_t> by_bytes;
    const std::size_t most = 10000; // the typical one is among the first ones, too
    for (const std::uint32_t e : episodes)
      if (facts().of_episode[e].head == none && by_bytes.size() < most)
        by_bytes.push_back(e);
    std::stable_sort(by_bytes.begin(), by_bytes.end(), [&](std::uint32_t x, std::uint32_t y) {
      return known_.episodes.of(x).size() != known_.episodes.of(y).size()
                 ? known_.episodes.of(x).size() < known_.episodes.of(y).size()
                 : facts().of_episode[x].bytes < facts().of_episode[y].bytes;
    });
    return by_bytes.empty() ? episodes[0] : by_bytes[by_bytes.size() / 2];
  }

  void fill_collective(activity& a, const activity_key& key, const std::vector<std::uint32_t>& episodes,
                       std::uint32_t example) {
    a.found = key.kind;
    if (key.algorithm != none)
      a.algorithm = facts().algorithms[key.algorithm];
    if (is_rooted(key.kind))
      fill_roots(a, episodes);
    bool assumed = false;
    std::uint64_t wildcards = 0, probed = 0, probes = 0;
    for (const std::uint32_t e : episodes) {
      const episode_facts& f = facts().of_episode[e];
      assumed = assumed || f.assumed;
      wildcards += f.wildcard ? 1 : 0;
      probed += f.probed ? 1 : 0;
      if (!f.probed)
        continue;
      for (const std::uint32_t id : known_.episodes.of(e))
        if (const auto at = facts().probes.find(id); at != facts().probes.end())
          probes += at->second;
    }
    if (assumed)
      a.certainty += ", assuming that memory sent twice in one operation did not change in between";
    const std::string noun = pattern_noun(key.kind);
    if (probed > 0)
      a.reasons.push_back({reason::observed_probe,
                           fmt::format("The program probes for the messages of {} of {} ({}).", probed,
                                       count_text(episodes.size(), noun), count_text(probes, "probe"))});
    if (wildcards > 0)
      a.reasons.push_back(
          {reason::wildcard, fmt::format("{} of {} use a receive from any source or with any tag.", wildcards,
                                         count_text(episodes.size(), noun))});
    a.reasons.push_back({reason::observation_only,
                         "Seen in this run; a recording cannot prove that every run does the same."});
    fill_replacement(a, key, example);
  }

  void fill_roots(activity& a, const std::vector<std::uint32_t>& episodes) {
    std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
        by_group; // (time, root position)
    bool several = false;
    for (const std::uint32_t e : episodes) {
      const episode_facts& f = facts().of_episode[e];
      if (f.head != none || f.root == none)
        continue;
      const std::uint32_t time = seen_by_first_member(e, f.group);
      for (const std::uint32_t root : roots_of(e))
        by_group[f.group].emplace_back(time, root);
      several = several || roots_of(e).size() > 1;
    }
    for (auto& [group, seen] : by_group) {
      std::stable_sort(seen.begin(), seen.end(),
                       [](const auto& x, const auto& y) { return x.first < y.first; });
      std::vector<std::uint32_t> roots;
      for (const auto& [time, root] : seen) {
        roots.push_back(root);
        const rank_id world_rank{known_.table.groups[group].members[root]};
        if (std::find(a.roots.begin(), a.roots.end(), world_rank) == a.roots.end())
          a.roots.push_back(world_rank);
      }
      const std::string rule = root_rule(roots);
      a.root_rule = a.root_rule.empty() || a.root_rule == rule ? rule : "vary";
    }
    if (several)
      a.root_rule = several_roots;
  }

  std::vector<std::uint32_t> roots_of(std::uint32_t e) {
    const auto joint = facts().joint.find(e);
    if (joint == facts().joint.end() || joint->second.roots.empty())
      return {facts().of_episode[e].root};
    return joint->second.roots;
  }

  /// When an episode begins in the program order of the group's first member: clocks of ranks need not agree.
  std::uint32_t seen_by_first_member(std::uint32_t e, std::uint32_t group) const {
    const std::uint32_t rank = known_.table.groups[group].members[0];
    std::uint32_t first = none;
    for (const std::uint32_t id : known_.episodes.of(e)) {
      const message& m = known_.table.messages[id];
      if (m.from == rank)
        first = std::min(first, m.send_call);
      if (m.to == rank)
        first = std::min(first, m.recv_call);
    }
    return first;
  }

  /// The usual algorithm of each collective for `q` ranks and blocks of `n` bytes.
  void fill_replacement(activity& a, const activity_key& key, std::uint32_t example) {
    const episode_facts& f = facts().of_episode[example];
    const std::uint64_t q = key.group_size, n = f.block;
    const auto log = static_cast<std::uint32_t>(std::bit_width(q - 1));
    replacement r;
    // Operations of one episode with one root are one call.
    const std::vector<std::uint32_t> roots = roots_of(example);
    const std::uint64_t calls = is_rooted(key.kind) ? roots.size() : std::max(1u, f.operations);
    const auto joint = facts().joint.find(example);
    const std::uint64_t blocks = joint == facts().joint.end() ? n : joint->second.bytes;
    r.call = fmt::format("{}{} on a {}", calls > 1 ? fmt::format("{} × ", calls) : "", row_of(key.kind).call,
                         group_noun(shapes_[f.group]));
    r.messages_before = known_.episodes.of(example).size();
    r.steps_before = a.before.steps;
    r.bytes_before = f.bytes;
    r.steps_after = log * static_cast<std::uint32_t>(calls);
    switch (row_of(key.kind).moves) {
    case signature::root_to_all: // binomial tree
    case signature::root_to_each:
    case signature::each_to_root:
      r.messages_after = calls * (q - 1);
      r.bytes_after = (q - 1) * blocks;
      break;
    case signature::each_to_all: // Bruck
      r.messages_after = calls * q * log;
      r.bytes_after = q * (q - 1) * blocks;
      break;
    case signature::each_to_each: // pairwise
      r.messages_after = calls * q * (q - 1);
      r.bytes_after = q * (q - 1) * blocks;
      r.steps_after = static_cast<std::uint32_t>(calls * (q - 1));
      break;
    case signature::no_data: // dissemination
      r.messages_after = q * log;
      break;
    }
    a.would_be = r;
    lane_collective call;
    call.kind = key.kind;
    call.bytes = n;
    for (const std::uint32_t member : known_.table.groups[f.group].members) {
      call.members.push_back(rank_id{member});
      a.after.ranks.push_back(rank_id{member});
    }
    std::sort(a.after.ranks.begin(), a.after.ranks.end());
    for (std::uint32_t i = 0; i < calls; ++i) {
      call.step = i;
      if (f.root != none)
        call.root = call.members[roots[i]];
      a.after.collectives.push_back(call);
    }
    a.after.steps = static_cast<std::uint32_t>(calls);
  }

  void draw(activity& a, std::span<const std::uint32_t> messages) {
    a.before = lanes_before(known_.recorded, known_.table, known_.data, messages, options_.largest_picture);
  }

  /// Messages from the middle of the activity, until the same two ranks meet for the third time.
  std::vector<std::uint32_t> example_round(const std::vector<std::uint32_t>& episodes) const {
    std::vector<std::uint32_t> round;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> met;
    for (std::size_t at = episodes.size() / 2; at < episodes.size(); ++at) {
      const auto messages = known_.episodes.of(episodes[at]);
      const bool again = std::any_of(messages.begin(), messages.end(), [&](std::uint32_t id) {
        const message& m = known_.table.messages[id];
        return ++met[{m.from, m.to}] > 2;
      });
      const bool full = again || round.size() + messages.size() > options_.largest_picture;
      if (full && !round.empty())
        break;
      round.insert(round.end(), messages.begin(), messages.end());
    }
    return round;
  }

  left_alone no_pattern(const traffic& t) const {
    if (t.forwarded * 2 > t.messages)
      return {reason::no_common_block,
              fmt::format("{} of {} pass on what their sender had received; no data reaches the whole group.",
                          t.forwarded, count_text(t.messages, "message"))};
    const bool compared = std::ranges::all_of(known_.recorded.recordings, &rank_recording::hashing);
    return {reason::no_replacement_needed,
            compared ? "They form no collective, and most carry nothing that was seen to arrive before."
                     : "By their shape they form no collective; contents were not compared."};
  }

  void fill_traffic(activity& a, const traffic& t, const std::vector<std::uint32_t>& episodes,
                    const std::vector<std::uint32_t>& round) {
    switch (a.kind) {
    case activity_kind::trivial:
      a.reasons.push_back({reason::trivial_group,
                           fmt::format("The communicator has {}: a collective would be the same messages.",
                                       t.self == t.messages ? "one rank" : "two ranks")});
      break;
    case activity_kind::neighbor_exchange: {
      a.reasons.push_back(
          {reason::neighbor_exchange,
           fmt::format("Each rank has at most {} and keeps them: a neighborhood collective would say so.",
                       count_text(t.most_partners, "partner"))});
      replacement r;
      r.call = "MPI_Neighbor_alltoallv on a distributed graph topology";
      r.messages_before = r.messages_after = round.size();
      r.steps_before = a.before.steps;
      r.steps_after = std::min(a.before.steps, t.most_partners);
      for (const std::uint32_t id : round)
        r.bytes_before += known_.table.messages[id].bytes;
      r.bytes_after = r.bytes_before;
      a.would_be = r;
      break;
    }
    case activity_kind::pairwise:
      a.reasons.push_back(
          {reason::pairwise,
           one_partner_at_a_time(t)
               ? "Two ranks exchange at a time; what the next exchange sends may depend on it."
               : "Messages go both ways between pairs of ranks; together they form no collective."});
      break;
    case activity_kind::changed_exchange:
      a.reasons.push_back(
          {reason::content_changed,
           fmt::format(
               "{} of {} send other bytes from memory that was received into: computation lies in between.",
               t.changed, count_text(t.messages, "message"))});
      break;
    case activity_kind::pipeline:
      a.reasons.push_back(
          {reason::opaque_reaches_output, "Every rank computes on what it got before it sends on."});
      break;
    case activity_kind::irregular:
      a.reasons.push_back({reason::irregular, "Partners or sizes change from round to round."});
      break;
    default:
      a.reasons.push_back(no_pattern(t));
      break;
    }
    if (t.wildcards > 0)
      a.reasons.push_back(
          {reason::wildcard, fmt::format("{} of {} are received from any source or with any tag.",
                                         t.wildcards, count_text(t.messages, "message"))});
    if (std::any_of(episodes.begin(), episodes.end(),
                    [&](std::uint32_t e) { return facts().of_episode[e].probed; }))
      a.reasons.push_back(
          {reason::observed_probe, "The program probes for messages on this communicator and tag."});
  }

  /// Says which collective was seen and why it does not count.
  void doubted_pattern(activity& a, const activity_key& key) {
    if (key.why_not == doubt::no_doubt)
      return;
    const std::string noun = pattern_noun(key.kind);
    std::erase_if(a.reasons, [](const left_alone& r) { return r.why == reason::no_replacement_needed; });
    if (key.why_not == doubt::tiny) {
      const bool tree =
          key.algorithm != none && facts().algorithms[key.algorithm].find("pieces") == std::string::npos;
      const std::string title = tree ? "small messages along a tree" : "small messages, passed on";
      a.sentence.replace(0, a.title.size(), title);
      a.title = title;
      a.reasons.insert(a.reasons.begin(),
                       {reason::tiny_blocks,
                        fmt::format("It has the shape of {}, but blocks of {} that are this small or never "
                                    "change look alike by chance.",
                                    count_text(a.episodes, noun), readable_bytes(a.largest))});
    } else {
      a.reasons.insert(
          a.reasons.begin(),
          {reason::opaque_reaches_output,
           fmt::format(
               "It has the shape of {}, but a rank contributes after it got data of others, so its part "
               "may depend on theirs.",
               count_text(a.episodes, noun))});
    }
    a.sentence += fmt::format(", in the shape of {}", count_text(a.episodes, noun));
  }

  const findings_so_far& known_;
  const std::vector<std::string>& shapes_;
  const analysis_options& options_;
  std::vector<std::uint32_t> phase_; ///< union-find over places
  std::map<std::pair<std::uint32_t, std::size_t>, std::set<std::int32_t>> tags_of_phase_;
};

} // namespace

std::vector<activity> form_activities(const findings_so_far& known, const std::vector<std::string>& shapes,
                                      const analysis_options& options) {
  return activity_former(known, shapes, options).run();
}

} // namespace tacit::recordings
