// Episodes are connected components of messages.
//
// Strong ties, from the data: (1) a message carries bytes of another one that were seen unchanged
// (forwarding); (2) a rank sends the same memory with the same content to several ranks (one version of a
// buffer); (3) a rank sends overlapping memory on one channel family (communicator and tag) with no foreign
// data received in between, from lines of one function. Weak ties, from the program: (4) requests completed in one call, both halves of a
// Sendrecv; (5) consecutive operations of one call path, same direction, communicator and tag, to or from
// different ranks; (6) components whose operations interleave on a rank, on one communicator and tag.
//
// A collective is simultaneous: what a rank contributes must not depend on what it gets. The recording cannot
// see local computation, so an original send after a completed receive of foreign data may depend on it. A
// weak tie is made only if the joined component has no such pair. Thus broadcasts from one root after the
// other stay apart (root k+1 got the data of root k before it sent its own), while a ring allgather, where
// all send first, is one episode. Collective calls end all ties (2), (3) and (5).
//
// Union-find; each component keeps, for each rank it touches, four positions in that rank's calls, merged
// small to large; a single message keeps none. Cost O(messages · log messages), about 300 bytes for each
// message in components of more than one.
#include "recordings/meaning/episodes.h"

#include "recordings/meaning/versions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t never = none;

/// What a component does on one rank, as positions in the rank's calls.
struct footprint {
  std::uint32_t rank = 0;
  std::uint32_t first = never; ///< first and last operation
  std::uint32_t last = 0;
  std::uint32_t first_foreign = never; ///< earliest completed receive of data from elsewhere
  std::uint32_t last_original = 0;     ///< latest send of data not sent before; 0 and !has_original: none
  bool has_original = false;

  void add(const footprint& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    first_foreign = std::min(first_foreign, other.first_foreign);
    last_original = std::max(last_original, other.last_original);
    has_original = has_original || other.has_original;
  }
  bool conflicts(const footprint& other) const {
    return (other.has_original && first_foreign < other.last_original) ||
           (has_original && other.first_foreign < last_original);
  }
};

using footprints = std::vector<footprint>; ///< by rank

class episode_finder {
public:
  episode_finder(const recording_set& recorded, const message_table& table, const provenance& data,
                 std::uint64_t smallest_evidence, const progress_callback& progress)
      : recorded_(recorded), table_(table), data_(data), smallest_evidence_(smallest_evidence),
        progress_(progress), parent_(table.messages.size()), version_sent_(table.messages.size(), never) {
    for (std::uint32_t m = 0; m < parent_.size(); ++m)
      parent_[m] = m;
  }

  episode_list run() {
    join_versions(); // before the footprints are looked at: it decides which sends are original
    join_forwards();
    tell(0.3);
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i)
      join_batches(i);
    tell(0.5);
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i)
      join_runs(i);
    tell(0.7);
    for (int round = 0; round < 2; ++round)
      for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i)
        join_interleaved(i);
    tell(0.9);
    return collect();
  }

private:
  void tell(double done) const {
    if (progress_)
      progress_("grouping", done);
  }

  std::uint32_t root(std::uint32_t m) {
    while (parent_[m] != m)
      m = parent_[m] = parent_[parent_[m]];
    return m;
  }

  /// The position at which a message's receive was complete, or never.
  std::uint32_t received_at(const message& m) const {
    if (m.completion == none)
      return never;
    const rank_recording& r = recorded_.recordings[table_.recording_of_rank[m.to]];
    return static_cast<std::uint32_t>(r.completions[m.completion].call);
  }

  footprints of_message(std::uint32_t id) const {
    const message& m = table_.messages[id];
    footprint send{.rank = m.from, .first = m.send_call, .last = m.send_call};
    if (data_.own_bytes[id] > 0) {
      send.has_original = true;
      send.last_original = version_sent_[id] == never ? m.send_call : version_sent_[id];
    }
    const std::uint32_t done = received_at(m);
    footprint receive{.rank = m.to,
                      .first = done == never ? m.recv_call : done,
                      .last = done == never ? m.recv_call : done};
    if (m.bytes > 0 && data_.origin[id] != m.to)
      receive.first_foreign = done;
    if (m.from == m.to) {
      send.add(receive);
      return {send};
    }
    if (receive.rank < send.rank)
      return {receive, send};
    return {send, receive};
  }

  footprints take(std::uint32_t component) {
    const auto at = stored_.find(component);
    if (at == stored_.end())
      return of_message(component);
    footprints found = std::move(at->second);
    stored_.erase(at);
    return found;
  }

  const footprints& look(std::uint32_t component, footprints& room) {
    const auto at = stored_.find(component);
    if (at != stored_.end())
      return at->second;
    room = of_message(component);
    return room;
  }

  static const footprint* find(const footprints& all, std::uint32_t rank) {
    const auto at = std::lower_bound(all.begin(), all.end(), rank,
                                     [](const footprint& f, std::uint32_t r) { return f.rank < r; });
    return at != all.end() && at->rank == rank ? &*at : nullptr;
  }

  bool simultaneous(std::uint32_t a, std::uint32_t b) {
    footprints room_a, room_b;
    const footprints* small = &look(a, room_a);
    const footprints* large = &look(b, room_b);
    if (small->size() > large->size())
      std::swap(small, large);
    for (const footprint& f : *small)
      if (const footprint* other = find(*large, f.rank); other != nullptr && f.conflicts(*other))
        return false;
    return true;
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    footprints first = take(a), second = take(b);
    footprints joined;
    joined.reserve(first.size() + second.size());
    auto x = first.begin(), y = second.begin();
    while (x != first.end() || y != second.end()) {
      if (y == second.end() || (x != first.end() && x->rank < y->rank)) {
        joined.push_back(*x++);
      } else if (x == first.end() || y->rank < x->rank) {
        joined.push_back(*y++);
      } else {
        x->add(*y++);
        joined.push_back(*x++);
      }
    }
    parent_[b] = a;
    stored_[a] = std::move(joined);
  }

  void join_strongly(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a != b)
      unite(std::min(a, b), std::max(a, b));
  }

  bool join_weakly(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b)
      return true;
    if (!simultaneous(a, b))
      return false;
    unite(std::min(a, b), std::max(a, b));
    return true;
  }

  /// A message that mostly consists of forwarded bytes belongs to where they came from; a few unchanged bytes
  /// in a buffer that was otherwise computed anew are only a weak tie.
  void join_forwards() {
    for (const bool strong : {true, false}) {
      for (std::uint32_t m = 0; m < table_.messages.size(); ++m) {
        if ((data_.own_bytes[m] <= table_.messages[m].bytes / 2) != strong)
          continue;
        for (const piece& p : data_.of(m)) {
          if (p.length < smallest_evidence_ && p.length != table_.messages[m].bytes)
            continue;
          if (strong && p.length >= smallest_evidence_)
            join_strongly(m, p.source);
          else
            join_weakly(m, p.source);
        }
      }
    }
  }

  static bool sends(const message& m, std::uint32_t rank, std::uint32_t call) {
    return m.from == rank && m.send_call == call;
  }

  /// The last send of some content: who got it, and since when.
  struct version {
    std::uint64_t hash = 0;
    std::uint32_t message = none;
    std::vector<std::uint32_t> destinations;
  };
  /// Memory that was sent on one communicator, with one tag, since anything else happened there.
  struct sent_memory {
    std::int32_t tag = 0;
    std::uint64_t begin = 0, end = 0;
    std::uint32_t message = none;
    std::uint32_t path = none;
  };

  void join_versions() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ties;
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i)
      find_versions(i, ties);
    for (const auto& [a, b] : ties)
      join_strongly(a, b);
  }

  void find_versions(std::uint32_t i, std::vector<std::pair<std::uint32_t, std::uint32_t>>& ties) {
    const rank_recording& r = recorded_.recordings[i];
    const rank_index& ids = table_.of_recording[i];
    const auto me = static_cast<std::uint32_t>(index(r.rank));
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::uint32_t, std::uint64_t>, version>
        versions;
    std::map<std::uint32_t, sent_memory> areas; // per communicator
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      const call& one = r.calls[c];
      if (is_collective(class_of(one))) {
        versions.clear();
        areas.clear();
      }
      const std::uint32_t id = ids.message_of_call[c];
      if (id != none && sends(table_.messages[id], me, c) && data_.own_bytes[id] > 0) {
        const message& m = table_.messages[id];
        if ((one.flags & call_hash_valid) != 0) {
          version& v = versions[{m.comm, one.allocation, one.offset, one.layout, one.count}];
          const bool same =
              v.message != none && v.hash == one.hash &&
              std::find(v.destinations.begin(), v.destinations.end(), m.to) == v.destinations.end();
          if (same) {
            version_sent_[id] = version_sent_[v.message];
            if (m.bytes >= smallest_evidence_)
              ties.emplace_back(v.message, id);
          } else {
            version_sent_[id] = c;
            v = {one.hash, id, {}};
          }
          v.destinations.push_back(m.to);
        }
        join_area(r, one, id, ids.path_of_call[c], areas[m.comm], ties);
      }
      for (const completion& done : r.completions_of(c)) {
        const std::uint32_t got =
            ids.message_of_completion[static_cast<std::size_t>(&done - r.completions.data())];
        if (got == none)
          continue;
        const message& m = table_.messages[got];
        if (m.to == me && m.from != me && data_.origin[got] != me)
          areas.erase(m.comm);
      }
    }
  }

  /// Ties a send to an earlier one of the same area if one of the two ranges lies in the other.
  void join_area(const rank_recording& r, const call& c, std::uint32_t id, std::uint32_t path,
                 sent_memory& area, std::vector<std::pair<std::uint32_t, std::uint32_t>>& ties) {
    std::uint64_t begin = 0, end = 0;
    if (table_.messages[id].bytes < smallest_evidence_ || !memory_hull(r, c, begin, end))
      return;
    if (area.message != none &&
        (area.tag != table_.messages[id].tag || !are_lines_of_one_function(table_, path, area.path)))
      area = {};
    const bool inside = area.message != none && begin >= area.begin && end <= area.end;
    const bool around = area.message != none && begin <= area.begin && end >= area.end;
    const bool same = inside && around;
    if ((inside || around) && !same) {
      ties.emplace_back(area.message, id);
      if (version_sent_[id] == c_of(id))
        version_sent_[id] = version_sent_[area.message];
    }
    if (!inside || area.message == none)
      area = {table_.messages[id].tag, begin, end, id, path};
  }

  std::uint32_t c_of(std::uint32_t id) const { return table_.messages[id].send_call; }

  /// Requests completed together, and the two halves of a Sendrecv.
  void join_batches(std::uint32_t i) {
    const rank_recording& r = recorded_.recordings[i];
    const rank_index& ids = table_.of_recording[i];
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      const call_class kind = class_of(r.calls[c]);
      if (kind == call_class::complete) {
        std::map<std::uint32_t, std::uint32_t> last_of_group;
        const auto done = r.completions_of(c);
        if (done.size() < 2)
          continue;
        for (const completion& d : done) {
          const std::uint32_t id =
              ids.message_of_completion[static_cast<std::size_t>(&d - r.completions.data())];
          if (id == none)
            continue;
          const auto [at, is_first] = last_of_group.try_emplace(table_.messages[id].comm, id);
          if (!is_first && join_weakly(at->second, id))
            at->second = id;
        }
      } else if ((kind == call_class::sendrecv || kind == call_class::isendrecv) && c + 1 < r.calls.size() &&
                 r.calls[c + 1].begin == r.calls[c].begin && r.calls[c + 1].id == r.calls[c].id) {
        const std::uint32_t sent = ids.message_of_call[c], received = ids.message_of_call[c + 1];
        if (sent != none && received != none)
          join_weakly(sent, received);
      }
    }
  }

  /// Consecutive operations of one call path with different peers.
  void join_runs(std::uint32_t i) {
    struct run {
      std::uint32_t message = none, path = none;
      std::int32_t tag = 0;
      bool sends = false;
      std::vector<std::uint32_t> peers;
    };
    const rank_recording& r = recorded_.recordings[i];
    const rank_index& ids = table_.of_recording[i];
    const auto me = static_cast<std::uint32_t>(index(r.rank));
    std::unordered_map<std::uint32_t, run> runs; // per communicator; looked up, never iterated
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      if (is_collective(class_of(r.calls[c])))
        runs.clear();
      const std::uint32_t id = ids.message_of_call[c];
      if (id == none)
        continue;
      const message& m = table_.messages[id];
      const bool sending = sends(m, me, c);
      const std::uint32_t peer = sending ? m.to : m.from;
      run& now = runs[m.comm];
      const bool continues = now.message != none && now.path == ids.path_of_call[c] && now.tag == m.tag &&
                             now.sends == sending && !(m.wildcard && !sending) &&
                             std::find(now.peers.begin(), now.peers.end(), peer) == now.peers.end();
      if (!continues || !join_weakly(now.message, id)) {
        now.peers.clear();
        now.path = ids.path_of_call[c];
        now.tag = m.tag;
        now.sends = sending;
      }
      now.message = id;
      now.peers.push_back(peer);
    }
  }

  /// Components whose operations on this rank overlap in time, on one communicator and tag.
  void join_interleaved(std::uint32_t i) {
    struct span_of {
      std::uint32_t comm;
      std::int32_t tag;
      std::uint32_t component, first, last;
    };
    const rank_recording& r = recorded_.recordings[i];
    const rank_index& ids = table_.of_recording[i];
    const auto me = static_cast<std::uint32_t>(index(r.rank));
    std::vector<span_of> spans;
    std::map<std::tuple<std::uint32_t, std::int32_t, std::uint32_t>, std::size_t> known;
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      const std::uint32_t id = ids.message_of_call[c];
      if (id == none)
        continue;
      const message& m = table_.messages[id];
      const std::uint32_t component = root(id);
      if (!stored_.contains(component))
        continue; // a single message interleaves with nothing
      const std::uint32_t at = sends(m, me, c) || received_at(m) == never ? c : received_at(m);
      const auto [entry, is_new] = known.try_emplace({m.comm, m.tag, component}, spans.size());
      if (is_new)
        spans.push_back({m.comm, m.tag, component, at, at});
      span_of& s = spans[entry->second];
      s.first = std::min(s.first, at);
      s.last = std::max(s.last, at);
    }
    std::sort(spans.begin(), spans.end(), [](const span_of& a, const span_of& b) {
      return std::tie(a.comm, a.tag, a.first, a.component) < std::tie(b.comm, b.tag, b.first, b.component);
    });
    for (std::size_t s = 1, open = 0; s < spans.size(); ++s) {
      const bool overlaps = spans[s].comm == spans[open].comm && spans[s].tag == spans[open].tag &&
                            spans[s].first < spans[open].last;
      if (overlaps && join_weakly(spans[open].component, spans[s].component))
        spans[open].last = std::max(spans[open].last, spans[s].last);
      else if (!overlaps || spans[s].last > spans[open].last)
        open = s;
    }
  }

  episode_list collect() {
    // In the order of (sender's time since its start); ids break ties, so the order is the same in every
    // analysis.
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members;
    struct entry {
      double at;
      std::uint32_t component;
    };
    std::vector<entry> order;
    for (std::uint32_t m = 0; m < table_.messages.size(); ++m) {
      const std::uint32_t component = root(m);
      const double at = sent_at(table_.messages[m]);
      const auto found = members.find(component);
      if (found == members.end()) {
        members.emplace(component, std::vector<std::uint32_t>{m});
        order.push_back({at, component});
      } else {
        found->second.push_back(m);
      }
    }
    for (entry& e : order)
      for (const std::uint32_t m : members[e.component])
        e.at = std::min(e.at, sent_at(table_.messages[m]));
    std::sort(order.begin(), order.end(), [](const entry& a, const entry& b) {
      return a.at != b.at ? a.at < b.at : a.component < b.component;
    });
    episode_list list;
    list.messages.reserve(table_.messages.size());
    for (const entry& e : order) {
      list.first.push_back(list.messages.size());
      const std::vector<std::uint32_t>& of = members[e.component];
      list.messages.insert(list.messages.end(), of.begin(), of.end());
      footprints room;
      const footprints& prints = look(e.component, room);
      list.simultaneous.push_back(
          std::none_of(prints.begin(), prints.end(), [](const footprint& f) { return f.conflicts(f); }));
    }
    list.first.push_back(list.messages.size());
    return list;
  }

  double sent_at(const message& m) const {
    const rank_recording& r = recorded_.recordings[table_.recording_of_rank[m.from]];
    return static_cast<double>(r.start_unix_ns) * 1e-9 +
           static_cast<double>(static_cast<std::int64_t>(r.calls[m.send_call].begin - r.start_tick)) *
               r.seconds_per_tick;
  }

  const recording_set& recorded_;
  const message_table& table_;
  const provenance& data_;
  const std::uint64_t smallest_evidence_;
  const progress_callback& progress_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> version_sent_; ///< per message: when its content was sent for the first time
  std::unordered_map<std::uint32_t, footprints> stored_; ///< of components with more than one message
};

} // namespace

episode_list find_episodes(const recording_set& recorded, const message_table& table, const provenance& data,
                           std::uint64_t smallest_evidence, const progress_callback& progress) {
  return episode_finder(recorded, table, data, smallest_evidence, progress).run();
}

} // namespace tacit::recordings
