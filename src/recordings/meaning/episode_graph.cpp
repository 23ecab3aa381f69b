// Every received message and every version of an original send gets virtual addresses of its own, so the
// graph is in single-transfer form from the start: a send reads, where forwarding was observed, the addresses
// of the earlier receive, and elsewhere those of its version. Matching is known, so each message has a tag of
// its own. On each rank, sends come after the receives that were complete when they were made; real time
// orders these, so there is no cycle (in a damaged recording there can be one: then nothing is found). The
// core does the rest.
//
// Found collectives count only if together they explain everything: what remains must be bytes that their
// receivers get from the collectives anyway (pieces that travel twice, or return to where they came from).
// Cost that of the core.
#include "recordings/meaning/episode_graph.h"

#include "graphs/flow/flow.h"
#include "graphs/match/match.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace tacit::recordings {

std::uint32_t group_positions::operator()(std::uint32_t group, std::uint32_t rank) {
  auto& positions = of_group_[group];
  const std::vector<std::uint32_t>& members = table_.groups[group].members;
  if (positions.empty()) {
    for (std::uint32_t at = 0; at < members.size(); ++at)
      positions.emplace_back(members[at], at);
    std::sort(positions.begin(), positions.end());
  }
  const auto found = std::lower_bound(positions.begin(), positions.end(), std::pair{rank, 0u});
  return found != positions.end() && found->first == rank ? found->second : none;
}

std::uint32_t group_of(const message_table& table, std::span<const std::uint32_t> episode) {
  const std::uint32_t first = table.messages[episode[0]].comm;
  for (const std::uint32_t m : episode)
    if (table.messages[m].comm != first)
      return 0;
  return first;
}

namespace {

/// An operation of the episode on one rank, in the order in which the program saw them.
struct episode_event {
  std::uint32_t rank;     ///< position in the group
  std::uint32_t position; ///< in the rank's calls; receives: where complete
  bool receives;
  std::uint32_t message;
};

class graph_builder {
public:
  graph_builder(const recording_set& recorded, const message_table& table, const provenance& data,
                std::span<const std::uint32_t> episode, std::uint32_t group, group_positions& positions)
      : recorded_(recorded), table_(table), data_(data), episode_(episode), group_(group),
        positions_(positions), graph_(static_cast<std::uint32_t>(table.groups[group].members.size())) {}

  /// False if a message lies outside the group.
  bool build() {
    if (!list_events())
      return false;
    std::uint32_t rank = none;
    op_id last_receive = no_op;
    for (const episode_event& e : events_) {
      if (e.rank != rank) {
        rank = e.rank;
        last_receive = no_op;
        assumed_ = assumed_ || versions_.assumed_unchanged();
        versions_ = {};
      }
      const op_id op = e.receives ? add_receive(e) : add_send(e);
      if (last_receive != no_op)
        graph_.depend(last_receive, op);
      if (e.receives)
        last_receive = op;
    }
    assumed_ = assumed_ || versions_.assumed_unchanged();
    return true;
  }

  const graphs::graph& product() const { return graph_; }
  bool assumed() const { return assumed_; }

private:
  const rank_recording& recording(std::uint32_t world_rank) const {
    return recorded_.recordings[table_.recording_of_rank[world_rank]];
  }

  bool list_events() {
    for (const std::uint32_t id : episode_) {
      const message& m = table_.messages[id];
      const std::uint32_t from = positions_(group_, m.from), to = positions_(group_, m.to);
      if (from == none || to == none)
        return false;
      const std::uint32_t done =
          m.completion == none ? none
                               : static_cast<std::uint32_t>(recording(m.to).completions[m.completion].call);
      events_.push_back({from, m.send_call, false, id});
      events_.push_back({to, done, true, id});
    }
    std::sort(events_.begin(), events_.end(), [](const episode_event& a, const episode_event& b) {
      return std::tie(a.rank, a.position, a.receives, a.message) <
             std::tie(b.rank, b.position, b.receives, b.message);
    });
    for (std::size_t i = 0; i < episode_.size(); ++i)
      tag_of_[episode_[i]] = static_cast<std::int32_t>(i);
    return true;
  }

  op_id add_receive(const episode_event& e) {
    const message& m = table_.messages[e.message];
    const graphs::segment into = versions_.fresh(m.bytes);
    received_[e.message] = into;
    const rank_recording& r = recording(m.to);
    versions_.received(r, r.calls[m.recv_call], m.bytes);
    return graph_.recv(rank_id{e.rank}, into, rank_id{positions_(group_, m.from)}, tag_of_[e.message]);
  }

  op_id add_send(const episode_event& e) {
    const message& m = table_.messages[e.message];
    const std::vector<graphs::segment> from = read_by(m, e.message);
    return graph_.send(rank_id{e.rank}, from, rank_id{positions_(group_, m.to)}, tag_of_[e.message]);
  }

  std::vector<graphs::segment> read_by(const message& m, std::uint32_t id) {
    if (m.bytes == 0)
      return {};
    std::uint64_t forwarded = 0;
    for (const piece& p : data_.of(id))
      if (received_.contains(p.source))
        forwarded += p.length;
    std::vector<graphs::segment> own;
    const rank_recording& r = recording(m.from);
    if (forwarded < m.bytes)
      own = versions_.sent(r, r.calls[m.send_call], m.bytes);
    std::vector<graphs::segment> from;
    std::uint64_t at = 0;
    for (const piece& p : data_.of(id)) {
      const auto source = received_.find(p.source);
      if (source == received_.end())
        continue;
      cut(own, at, p.offset, from);
      from.push_back({source->second.address + p.source_offset, p.length});
      at = p.offset + p.length;
    }
    cut(own, at, m.bytes, from);
    return from;
  }

  /// Appends packed bytes [begin, end) of `all`.
  static void cut(const std::vector<graphs::segment>& all, std::uint64_t begin, std::uint64_t end,
                  std::vector<graphs::segment>& to) {
    std::uint64_t at = 0;
    for (const graphs::segment& s : all) {
      const std::uint64_t low = std::max(begin, at), high = std::min(end, at + s.length);
      if (low < high)
        to.push_back({s.address + (low - at), high - low});
      at += s.length;
      if (at >= end)
        return;
    }
  }

  const recording_set& recorded_;
  const message_table& table_;
  const provenance& data_;
  std::span<const std::uint32_t> episode_;
  const std::uint32_t group_;
  group_positions& positions_;
  graphs::graph graph_;
  std::vector<episode_event> events_;
  std::unordered_map<std::uint32_t, std::int32_t> tag_of_;
  std::unordered_map<std::uint32_t, graphs::segment>
      received_; ///< virtual addresses of received messages, looked up only
  version_map versions_;
  bool assumed_ = false;
};

/// Bytes of `source` that `destination` got.
struct delivered {
  rank_id source, destination;
  std::uint64_t begin, end;
  friend auto operator<=>(const delivered&, const delivered&) = default;
};

delivered delivery(const graphs::transfers& t, const graphs::slice& s) {
  const graphs::transfer& whole = t.list[s.transfer];
  const std::uint64_t begin = whole.source_address + s.offset;
  return {whole.source, whole.destination, begin, begin + s.length};
}

/// By position in the group: the rank passes on every byte that the episode brings it, as inner nodes of the tree of
/// a gather do. What it keeps is a copy on the way.
std::vector<bool> find_relays(const message_table& table, const provenance& data,
                              std::span<const std::uint32_t> episode, std::uint32_t group,
                              group_positions& positions) {
  std::unordered_map<std::uint32_t, std::uint64_t>
      passed; // message → bytes of it that were sent on, looked up only
  for (const std::uint32_t id : episode)
    for (const piece& p : data.of(id))
      passed[p.source] += p.length;
  std::vector<bool> relays(table.groups[group].members.size(), true);
  for (const std::uint32_t id : episode) {
    const auto at = passed.find(id);
    if (at == passed.end() || at->second < table.messages[id].bytes)
      relays[positions(group, table.messages[id].to)] = false;
  }
  return relays;
}

/// Bytes of the residual that the findings do not deliver as well, and that do not only pass by.
std::uint64_t unexplained_bytes(const graphs::transfers& t, const graphs::findings& f,
                                const std::vector<bool>& relays) {
  std::vector<delivered> known;
  for (const graphs::finding& one : f.found)
    for (const graphs::slice s : one.slices)
      known.push_back(delivery(t, s));
  std::sort(known.begin(), known.end());
  std::vector<delivered> merged;
  for (const delivered& d : known) {
    const bool continues = !merged.empty() && merged.back().source == d.source &&
                           merged.back().destination == d.destination && d.begin <= merged.back().end;
    if (continues)
      merged.back().end = std::max(merged.back().end, d.end);
    else
      merged.push_back(d);
  }
  std::uint64_t unexplained = 0;
  for (const graphs::slice& s : f.residual) {
    const delivered d = delivery(t, s);
    if (d.source == d.destination || relays[index(d.destination)])
      continue;
    auto at =
        std::upper_bound(merged.begin(), merged.end(), delivered{d.source, d.destination, d.begin, ~0ull});
    const bool any = at != merged.begin();
    if (any)
      --at;
    const bool inside = any && at->source == d.source && at->destination == d.destination &&
                        at->begin <= d.begin && d.end <= at->end;
    if (!inside)
      unexplained += s.length;
  }
  return unexplained;
}

/// Nearly every rank has something of its own for nearly every other. If no rank has for all or from all, and nobody sends
/// without being sent to, each has few partners, and it is an exchange with neighbors.
bool may_be_sparse_alltoall(const message_table& table, const provenance& data,
                            std::span<const std::uint32_t> episode, std::uint32_t group) {
  const std::size_t ranks = table.groups[group].members.size();
  std::map<std::uint32_t, std::size_t> to, from;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const std::uint32_t id : episode) {
    const message& m = table.messages[id];
    if (m.bytes == 0 || data.own_bytes[id] < m.bytes || m.from == m.to || !pairs.emplace(m.from, m.to).second)
      return false;
    ++to[m.from];
    ++from[m.to];
  }
  const auto is_full = [&](const auto& one) { return one.second == ranks - 1; };
  const auto is_answered = [&](const auto& pair) { return pairs.contains({pair.second, pair.first}); };
  return static_cast<double>(pairs.size()) >=
             graphs::default_density * static_cast<double>(ranks * (ranks - 1)) &&
         to.size() == ranks && from.size() == ranks &&
         (std::ranges::any_of(to, is_full) || std::ranges::any_of(from, is_full) ||
          !std::ranges::all_of(pairs, is_answered));
}

void add_finding(std::vector<collective_found>& to, const graphs::finding& f) {
  const std::uint32_t root = f.root == no_rank ? none : static_cast<std::uint32_t>(index(f.root));
  for (collective_found& known : to)
    if (known.kind == f.kind && known.root == root) {
      known.bytes += f.bytes;
      return;
    }
  to.push_back({f.kind, root, f.bytes});
}

} // namespace

judgement judge_episode(const recording_set& recorded, const message_table& table, const provenance& data,
                        std::span<const std::uint32_t> episode, group_positions& positions) {
  constexpr std::uint64_t budget = 1u << 24; // fragments: a second of work; real episodes need far fewer
  judgement v;
  const std::uint32_t group = group_of(table, episode);
  graph_builder builder(recorded, table, data, episode, group, positions);
  if (!builder.build())
    return v;
  v.assumed_unchanged = builder.assumed();
  diagnostics problems;
  const graphs::graph& g = builder.product();
  const graphs::matching m = graphs::match(g, problems);
  const graphs::run_order order = graphs::order_operations(g, m, problems);
  if (has_errors(problems))
    return v;
  const graphs::transfers t = graphs::follow(g, m, order, problems, {.fragment_budget = budget});
  if (!t.complete || has_errors(problems))
    return v;
  // What a report says of a program is what it does in full: an allgather that leaves somebody out is none.
  graphs::detect_options complete;
  complete.density = 1;
  graphs::findings f = graphs::detect(g, m, order, t, complete);
  const std::vector<bool> relays = find_relays(table, data, episode, group, positions);
  if ((f.found.empty() || unexplained_bytes(t, f, relays) > 0) &&
      may_be_sparse_alltoall(table, data, episode, group)) {
    graphs::findings sparse = graphs::detect(g, m, order, t); // an alltoallv may have empty blocks
    v.sparse = sparse.found.size() == 1 && sparse.found[0].kind == pattern::alltoallv;
    if (v.sparse)
      f = std::move(sparse);
  }
  v.refused = std::move(f.refused);
  v.unexplained = unexplained_bytes(t, f, relays);
  if (v.unexplained == 0)
    for (const graphs::finding& one : f.found)
      add_finding(v.found, one);
  return v;
}

} // namespace tacit::recordings
