// Single messages and groups of two ranks are never judged: no collective is there. Without content hashes
// nothing is judged at all, because a broadcast could not be told from a scatter. Consecutive broadcasts of
// memory that continues where the last one ended, same root, tag and messages, are the segments of one
// pipelined broadcast.
#include "recordings/meaning/episode_facts.h"

#include "recordings/meaning/broadcast_shape.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
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

private:
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

  episode_facts facts_of(std::uint32_t e) {
    const auto messages = episodes_.of(e);
    episode_facts f;
    f.group = group_of(table_, messages);
    std::vector<std::uint32_t> sites;
    bool hashed = true, consistent = true;
    for (const std::uint32_t id : messages) {
      const message& m = table_.messages[id];
      f.bytes += m.bytes;
      f.seconds += m.seconds;
      f.wildcard = f.wildcard || m.wildcard;
      f.probed = f.probed || out_.probes.contains(id);
      consistent = consistent && m.consistent && m.completion != none;
      const call& sent = recording(m.from).calls[m.send_call];
      hashed = hashed && (m.bytes == 0 || (sent.flags & call_hash_valid) != 0);
      if (f.content == 0 && data_.own_bytes[id] > 0)
        f.content = sent.hash;
      sites.push_back(table_.of_recording[table_.recording_of_rank[m.from]].location_of_call[m.send_call]);
      sites.push_back(table_.of_recording[table_.recording_of_rank[m.to]].location_of_call[m.recv_call]);
    }
    f.sites = intern_sites(std::move(sites));
    const bool judged =
        messages.size() > 1 && table_.groups[f.group].members.size() > 2 && hashed && consistent;
    if (judged && messages.size() + 1 >= table_.groups[f.group].members.size())
      judge(e, f);
    return f;
  }

  std::uint32_t intern_sites(std::vector<std::uint32_t> sites) {
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    const auto [at, is_new] =
        site_set_ids_.try_emplace(sites, static_cast<std::uint32_t>(out_.site_sets.size()));
    if (is_new)
      out_.site_sets.push_back(std::move(sites));
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
    for (const collective_found& c : v.found)
      f.block = std::max(f.block, c.bytes);
    if (v.found.size() > 1)
      out_.joint[e] = join(v.found);
    const bool by_content = is_shared(f.kind);
    f.structural = !by_content && f.kind != pattern::barrier;
    if (by_content && largest_message(e) < options_.smallest_evidence)
      f.why_not = doubt::tiny;
    else if (!episodes_.simultaneous[e])
      f.why_not = doubt::dependent;
    f.seen = true;
    if (f.kind == pattern::bcast && v.found.size() == 1)
      f.algorithm = intern_algorithm(algorithm_of(e, f));
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

  broadcast_algorithm algorithm_of(std::uint32_t e, const episode_facts& f) {
    const auto ranks = static_cast<std::uint32_t>(table_.groups[f.group].members.size());
    std::vector<std::uint32_t> order(episodes_.of(e).begin(), episodes_.of(e).end());
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
      std::uint32_t root = none, algorithm = none, sites = none;
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
                             s.sites == f.sites && s.tag == tag && begin == s.end && f.block <= s.segment;
      if (!continues) {
        s = {e, f.root, f.algorithm, f.sites, tag, f.block, end, false};
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
  std::map<std::vector<std::uint32_t>, std::uint32_t> site_set_ids_;
};

} // namespace

fact_table gather_facts(const recording_set& recorded, const message_table& table, const provenance& data,
                        const episode_list& episodes, const analysis_options& options) {
  return fact_gatherer(recorded, table, data, episodes, options).run();
}

} // namespace tacit::recordings
