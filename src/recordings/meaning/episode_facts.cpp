// Single messages and groups of two ranks are never judged: no collective is there. Without content hashes
// nothing is judged at all, because a broadcast could not be told from a scatter. Consecutive broadcasts of
// memory that continues where the last one ended, same root, tag and messages, are the segments of one
// pipelined broadcast.
#include "recordings/meaning/episode_facts.h"

#include "recordings/meaning/agreement.h"
#include "recordings/meaning/broadcast_shape.h"
#include "recordings/meaning/shapes.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace tacit::recordings {
namespace {

class fact_gatherer {
public:
  fact_gatherer(const recording_set& recorded, const message_table& table, const provenance& data,
                const episode_list& episodes, const analysis_options& options)
      : recorded_(recorded), table_(table), data_(data), episodes_(episodes), options_(options),
        positions_(table) {}

  fact_table run() {
    list_probes();
    out_.of_episode.reserve(episodes_.size());
    for (std::uint32_t e = 0; e < episodes_.size(); ++e) {
      if (options_.progress && e % 1024 == 0)
        options_.progress("detecting", static_cast<double>(e) / static_cast<double>(episodes_.size()));
      out_.of_episode.push_back(facts_of(e));
    }
    join_segments();
    return std::move(out_);
  }

  /// `facts` are those of the episodes as they are.
  regrouped regroup(fact_table facts, const std::vector<shaped_messages>& shapes) {
    out_.path_sets = facts.path_sets;
    out_.algorithms = facts.algorithms;
    out_.probes = facts.probes;
    for (std::uint32_t i = 0; i < out_.path_sets.size(); ++i)
      path_set_ids_.emplace(out_.path_sets[i], i);
    std::vector<std::uint32_t> shape_of(table_.messages.size(), none);
    std::vector<std::vector<std::uint32_t>> begins(
        episodes_.size()); // shapes by the first episode they are from
    std::vector<std::uint32_t> first(shapes.size(), none);
    for (std::uint32_t s = 0; s < shapes.size(); ++s)
      for (const std::uint32_t id : shapes[s].messages)
        shape_of[id] = s;
    for (std::uint32_t e = 0; e < episodes_.size(); ++e)
      for (const std::uint32_t id : episodes_.of(e))
        if (const std::uint32_t s = shape_of[id]; s != none && first[s] == none) {
          first[s] = e;
          begins[e].push_back(s);
        }
    regrouped now;
    std::vector<std::uint32_t> moved(episodes_.size(), none); // old episodes → new ones
    for (std::uint32_t e = 0; e < episodes_.size(); ++e) {
      for (const std::uint32_t s : begins[e])
        append(now, shapes[s].messages, true, shaped_facts(shapes[s]));
      std::vector<std::uint32_t> rest;
      for (const std::uint32_t id : episodes_.of(e))
        if (shape_of[id] == none)
          rest.push_back(id);
      if (rest.empty())
        continue;
      moved[e] = static_cast<std::uint32_t>(out_.of_episode.size());
      const bool whole = rest.size() == episodes_.of(e).size();
      append(now, rest, episodes_.simultaneous[e], whole ? facts.of_episode[e] : sum_of(rest).facts);
    }
    now.episodes.first.push_back(now.episodes.messages.size());
    for (episode_facts& f : out_.of_episode)
      if (f.head != none)
        f.head = moved[f.head];
    for (auto& [e, joint] : facts.joint)
      if (moved[e] != none && out_.of_episode[moved[e]].seen)
        out_.joint.emplace(moved[e], std::move(joint));
    now.facts = std::move(out_);
    return now;
  }

private:
  void append(regrouped& now, std::span<const std::uint32_t> messages, bool simultaneous,
              const episode_facts& f) {
    now.episodes.first.push_back(now.episodes.messages.size());
    now.episodes.messages.insert(now.episodes.messages.end(), messages.begin(), messages.end());
    now.episodes.simultaneous.push_back(simultaneous);
    out_.of_episode.push_back(f);
  }

  episode_facts shaped_facts(const shaped_messages& s) {
    episode_facts f = sum_of(s.messages).facts;
    const bool tiny_and_equal =
        s.if_equal_by_chance != message_shape::no_shape && s.block < options_.smallest_evidence;
    f.shape = tiny_and_equal ? message_shape::no_shape : s.shape;
    f.kind = s.kind;
    f.root = is_rooted(s.kind) ? s.root : none;
    f.operations = 1;
    f.block = s.block;
    if (f.shape != message_shape::no_shape)
      return f;
    f.seen = true;
    if (s.kind == pattern::bcast) {
      f.why_not = s.block < options_.smallest_evidence ? doubt::tiny : doubt::no_doubt;
      f.algorithm = intern_algorithm(algorithm_of(s.messages, f));
    } else if (s.kind != pattern::barrier) {
      f.why_not = doubt::dependent;
      f.dependent = true;
    }
    if (tiny_and_equal)
      doubt_tiny(s.messages, f);
    return f;
  }

  static bool is_each_to_all(pattern kind) { return row_of(kind).moves == signature::each_to_all; }

  /// Blocks below `smallest_evidence`: doubts.h says when they count all the same.
  void doubt_tiny(std::span<const std::uint32_t> messages, episode_facts& f) const {
    f.why_not = doubt::tiny;
    if (!is_each_to_all(f.kind))
      return;
    const auto ranks = static_cast<std::uint32_t>(table_.groups[f.group].members.size());
    const contributions all = weigh_contributions({recorded_, table_, data_}, messages, ranks);
    f.content = all.content;
    f.agreement = all.bits;
  }

  const rank_recording& recording(std::uint32_t world_rank) const {
    return recorded_.recordings[table_.recording_of_rank[world_rank]];
  }

  /// A probe looks at the message that the next fitting receive of the same rank takes.
  void list_probes() {
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i) {
      const rank_recording& r = recorded_.recordings[i];
      const rank_index& ids = table_.of_recording[i];
      std::map<std::pair<std::uint32_t, std::int32_t>, std::uint64_t>
          pending; // (group, tag or any_tag) → calls
      for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
        const call& one = r.calls[c];
        const call_class kind = class_of(one);
        if (one.comm != none && (kind == call_class::probe || kind == call_class::mprobe)) {
          const bool merged = (one.flags & call_flag_true) == 0 && one.count > 1;
          pending[{ids.group_of_comm[one.comm], one.tag}] += merged ? one.count : 1;
        }
        const std::uint32_t id = ids.message_of_call[c];
        if (pending.empty() || id == none || table_.messages[id].to != index(r.rank) ||
            table_.messages[id].recv_call != c)
          continue;
        const message& m = table_.messages[id];
        for (const std::int32_t tag : {m.tag, any_tag})
          if (const auto at = pending.find({m.comm, tag}); at != pending.end()) {
            out_.probes[id] += at->second;
            pending.erase(at);
          }
      }
    }
  }

  struct summed_messages {
    episode_facts facts;
    bool comparable = true; ///< contents are known and agree on both sides
  };

  /// What can be counted without the core's judgement.
  summed_messages sum_of(std::span<const std::uint32_t> messages) {
    summed_messages known;
    episode_facts& f = known.facts;
    f.group = group_of(table_, messages);
    std::vector<std::uint32_t> paths;
    for (const std::uint32_t id : messages) {
      const message& m = table_.messages[id];
      f.bytes += m.bytes;
      f.seconds += m.seconds;
      f.wildcard = f.wildcard || m.wildcard;
      f.probed = f.probed || out_.probes.contains(id);
      const call& sent = recording(m.from).calls[m.send_call];
      known.comparable = known.comparable && m.consistent && m.completion != none &&
                         (m.bytes == 0 || (sent.flags & call_hash_valid) != 0);
      if (f.content == 0 && data_.own_bytes[id] > 0)
        f.content = sent.hash;
      paths.push_back(table_.of_recording[table_.recording_of_rank[m.from]].path_of_call[m.send_call]);
      paths.push_back(table_.of_recording[table_.recording_of_rank[m.to]].path_of_call[m.recv_call]);
    }
    f.paths = intern_paths(std::move(paths));
    return known;
  }

  episode_facts facts_of(std::uint32_t e) {
    const auto messages = episodes_.of(e);
    auto [f, comparable] = sum_of(messages);
    const std::size_t ranks = table_.groups[f.group].members.size();
    if (comparable && messages.size() > 1 && ranks > 2 && messages.size() + 1 >= ranks)
      judge(e, f);
    return f;
  }

  std::uint32_t intern_paths(std::vector<std::uint32_t> paths) {
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    const auto [at, is_new] =
        path_set_ids_.try_emplace(paths, static_cast<std::uint32_t>(out_.path_sets.size()));
    if (is_new)
      out_.path_sets.push_back(std::move(paths));
    return at->second;
  }

  void judge(std::uint32_t e, episode_facts& f) {
    const judgement v = judge_episode(recorded_, table_, data_, episodes_.of(e), positions_);
    if (v.found.empty())
      return;
    const collective_found& first = v.found[0];
    const bool one_kind = std::all_of(v.found.begin(), v.found.end(),
                                      [&](const collective_found& c) { return c.kind == first.kind; });
    if (!one_kind)
      return; // a mixture is described by its traffic
    f.kind = first.kind;
    f.root = first.root;
    f.operations = static_cast<std::uint32_t>(v.found.size());
    f.assumed = v.assumed_unchanged;
    f.sparse = v.sparse;
    for (const collective_found& c : v.found)
      f.block = std::max(f.block, c.bytes);
    if (v.found.size() > 1)
      out_.joint[e] = join(v.found);
    if (f.kind == pattern::scatterv && v.found.size() == 1)
      count_own_blocks(e, f);
    if (v.found.size() == 1 && combines_on_arrival(e, f))
      return; // it may as well be a reduction: the shape says so
    const bool by_content = is_shared(f.kind);
    f.structural = !by_content && f.kind != pattern::barrier;
    f.dependent = !episodes_.simultaneous[e];
    if (by_content && largest_message(e) < options_.smallest_evidence)
      doubt_tiny(episodes_.of(e), f);
    else if (f.dependent)
      f.why_not = doubt::dependent;
    f.seen = true;
    if (f.kind == pattern::bcast && v.found.size() == 1)
      f.algorithm = intern_algorithm(algorithm_of(episodes_.of(e), f));
  }

  /// A scatter along a tree: what a rank passes on is no block of its own.
  void count_own_blocks(std::uint32_t e, episode_facts& f) const {
    std::map<std::uint32_t, std::uint64_t> kept; // by rank
    for (const std::uint32_t id : episodes_.of(e)) {
      kept[table_.messages[id].to] += table_.messages[id].bytes;
      for (const piece& p : data_.of(id))
        kept[table_.messages[id].from] -= p.length;
    }
    const std::uint64_t block = kept.begin()->second;
    if (std::any_of(kept.begin(), kept.end(), [&](const auto& one) { return one.second != block; }))
      return;
    f.kind = pattern::scatter;
    f.block = block;
  }

  /// Whoever gets blocks of several ranks receives each where the last one was, so they are used, or added up, one by one.
  bool combines_on_arrival(std::uint32_t e, const episode_facts& f) const {
    const signature moves = row_of(f.kind).moves;
    if (moves != signature::each_to_root && moves != signature::each_to_each)
      return false;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::set<std::pair<std::uint32_t, std::int64_t>>>>
        places; // by receiver: messages, and where they arrive
    for (const std::uint32_t id : episodes_.of(e)) {
      const message& m = table_.messages[id];
      const call& c = recording(m.to).calls[m.recv_call];
      auto& of_rank = places[m.to];
      ++of_rank.first;
      of_rank.second.emplace(c.allocation, c.offset);
    }
    if (moves == signature::each_to_root) // along a tree others receive, too
      return places[table_.groups[f.group].members[f.root]].first > 1 &&
             places[table_.groups[f.group].members[f.root]].second.size() == 1;
    return std::all_of(places.begin(), places.end(),
                       [](const auto& one) { return one.second.first > 1 && one.second.second.size() == 1; });
  }

  static joint_operations join(std::span<const collective_found> found) {
    joint_operations all;
    for (const collective_found& c : found) {
      all.bytes += c.bytes;
      if (is_rooted(c.kind))
        all.roots.push_back(c.root);
    }
    std::sort(all.roots.begin(), all.roots.end());
    all.roots.erase(std::unique(all.roots.begin(), all.roots.end()), all.roots.end());
    return all;
  }

  std::uint64_t largest_message(std::uint32_t e) const {
    std::uint64_t largest = 0;
    for (const std::uint32_t id : episodes_.of(e))
      largest = std::max(largest, table_.messages[id].bytes);
    return largest;
  }

  broadcast_algorithm algorithm_of(std::span<const std::uint32_t> messages, const episode_facts& f) {
    const auto ranks = static_cast<std::uint32_t>(table_.groups[f.group].members.size());
    std::vector<std::uint32_t> order(messages.begin(), messages.end());
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return table_.messages[a].completion < table_.messages[b].completion;
    });
    std::vector<hop> hops;
    for (const std::uint32_t id : order) {
      const message& m = table_.messages[id];
      hops.push_back({(positions_(f.group, m.from) + ranks - f.root) % ranks,
                      (positions_(f.group, m.to) + ranks - f.root) % ranks, m.bytes});
    }
    return recognize_broadcast(ranks, hops, f.block);
  }

  std::uint32_t intern_algorithm(const broadcast_algorithm& known) {
    const auto at = std::find(out_.algorithms.begin(), out_.algorithms.end(), known);
    if (at != out_.algorithms.end())
      return static_cast<std::uint32_t>(at - out_.algorithms.begin());
    out_.algorithms.push_back(known);
    return static_cast<std::uint32_t>(out_.algorithms.size() - 1);
  }

  /// Memory of the root's first send in a broadcast that starts with a whole block.
  bool root_memory(std::uint32_t e, std::uint64_t& begin, std::uint64_t& end) {
    const episode_facts& f = out_.of_episode[e];
    const std::uint32_t root = table_.groups[f.group].members[f.root];
    for (const std::uint32_t id : episodes_.of(e)) {
      const message& m = table_.messages[id];
      if (m.from == root && m.bytes == f.block)
        return memory_hull(recording(root), recording(root).calls[m.send_call], begin, end);
    }
    return false;
  }

  void join_segments() {
    struct stream {
      std::uint32_t head = none;
      std::uint32_t root = none, algorithm = none, paths = none;
      std::int32_t tag = 0;
      std::uint64_t segment = 0; ///< size of all segments but the last
      std::uint64_t end = 0;     ///< of the memory so far
      bool closed = false;       ///< a shorter segment has been the last
    };
    std::map<std::uint32_t, stream> streams; // per group
    for (std::uint32_t e = 0; e < out_.of_episode.size(); ++e) {
      episode_facts& f = out_.of_episode[e];
      if (!f.seen || f.why_not != doubt::no_doubt || f.algorithm == none || f.kind != pattern::bcast)
        continue;
      std::uint64_t begin = 0, end = 0;
      const std::int32_t tag = table_.messages[episodes_.of(e)[0]].tag;
      stream& s = streams[f.group];
      if (!root_memory(e, begin, end)) {
        s = {};
        continue;
      }
      const bool continues = s.head != none && !s.closed && s.root == f.root && s.algorithm == f.algorithm &&
                             s.paths == f.paths && s.tag == tag && begin == s.end && f.block <= s.segment;
      if (!continues) {
        s = {e, f.root, f.algorithm, f.paths, tag, f.block, end, false};
        continue;
      }
      f.head = s.head;
      s.closed = f.block < s.segment;
      s.end = end;
      episode_facts& head = out_.of_episode[s.head];
      head.block += f.block;
      broadcast_algorithm pipelined = out_.algorithms[s.algorithm];
      pipelined.pipelined = true;
      head.algorithm = intern_algorithm(pipelined);
    }
  }

  const recording_set& recorded_;
  const message_table& table_;
  const provenance& data_;
  const episode_list& episodes_;
  const analysis_options& options_;
  group_positions positions_;
  fact_table out_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> path_set_ids_;
};

} // namespace

regrouped regroup(const recording_set& recorded, const message_table& table, const provenance& data,
                  const episode_list& episodes, fact_table facts, const std::vector<shaped_messages>& shapes,
                  const analysis_options& options) {
  return fact_gatherer(recorded, table, data, episodes, options).regroup(std::move(facts), shapes);
}

fact_table gather_facts(const recording_set& recorded, const message_table& table, const provenance& data,
                        const episode_list& episodes, const analysis_options& options) {
  return fact_gatherer(recorded, table, data, episodes, options).run();
}

} // namespace tacit::recordings
