// Episodes are connected components of messages.
//
// Strong ties, from the data: (1) a message carries bytes of another one that were seen unchanged
// (forwarding); (2) a rank sends the same memory with the same content to several ranks (one version of a
// buffer); (3) a rank sends overlapping memory on one channel family (communicator, and tag or call path) with no
// foreign data received in between, from lines of one function. Weak ties, from the program: (4) requests completed
// in one call, both halves of a Sendrecv; (5) consecutive operations of one call path, same direction and communicator, to or from
// different ranks, whatever their tags: a loop may count them up; (6) components whose operations interleave on a rank, on one communicator and tag.
//
// A collective is simultaneous: what a rank contributes must not depend on what it gets. The recording cannot
// see local computation, so an original send after a completed receive of foreign data may depend on it. A
// weak tie is made only if the joined component has no such pair. Thus broadcasts from one root after the
// other stay apart (root k+1 got the data of root k before it sent its own), while a ring allgather, where
// all send first, is one episode. Collective calls end all ties (2), (3) and (5).
#include "recordings/meaning/episodes.h"

#include "recordings/meaning/components.h"
#include "recordings/meaning/sent_contents.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tacit::recordings {
namespace {

/// A message that mostly consists of forwarded bytes belongs to where they came from; a few unchanged bytes
/// in a buffer that was otherwise computed anew are only a weak tie.
void join_forwards(const known_messages& known, components& parts, std::uint64_t smallest_evidence) {
  for (const bool strong : {true, false}) {
    for (std::uint32_t m = 0; m < known.table.messages.size(); ++m) {
      if ((known.data.own_bytes[m] <= known.table.messages[m].bytes / 2) != strong)
        continue;
      for (const piece& p : known.data.of(m)) {
        if (p.length < smallest_evidence && p.length != known.table.messages[m].bytes)
          continue;
        if (strong && p.length >= smallest_evidence)
          parts.join_strongly(m, p.source);
        else
          parts.join_weakly(m, p.source);
      }
    }
  }
}

/// Requests completed together, and the two halves of a Sendrecv.
void join_batches(const known_messages& known, components& parts, std::uint32_t i) {
  const rank_recording& r = known.recorded.recordings[i];
  const rank_index& ids = known.table.of_recording[i];
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
        const auto [at, is_first] = last_of_group.try_emplace(known.table.messages[id].comm, id);
        if (!is_first && parts.join_weakly(at->second, id))
          at->second = id;
      }
    } else if ((kind == call_class::sendrecv || kind == call_class::isendrecv) && c + 1 < r.calls.size() &&
               r.calls[c + 1].begin == r.calls[c].begin && r.calls[c + 1].id == r.calls[c].id) {
      const std::uint32_t sent = ids.message_of_call[c], received = ids.message_of_call[c + 1];
      if (sent != none && received != none)
        parts.join_weakly(sent, received);
    }
  }
}

/// Consecutive operations of one call path with different peers.
void join_runs(const known_messages& known, components& parts, std::uint32_t i) {
  struct run {
    std::uint32_t message = none, path = none;
    bool sends = false;
    std::vector<std::uint32_t> peers;
  };
  const rank_recording& r = known.recorded.recordings[i];
  const rank_index& ids = known.table.of_recording[i];
  const auto me = static_cast<std::uint32_t>(index(r.rank));
  std::unordered_map<std::uint32_t, run> runs; // per communicator; looked up, never iterated
  for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
    if (is_collective(class_of(r.calls[c])))
      runs.clear();
    const std::uint32_t id = ids.message_of_call[c];
    if (id == none)
      continue;
    const message& m = known.table.messages[id];
    const bool sending = is_sent_by(m, me, c);
    const std::uint32_t peer = sending ? m.to : m.from;
    run& now = runs[m.comm];
    const bool continues = now.message != none && now.path == ids.path_of_call[c] && now.sends == sending &&
                           !(m.wildcard && !sending) &&
                           std::find(now.peers.begin(), now.peers.end(), peer) == now.peers.end();
    if (!continues || !parts.join_weakly(now.message, id)) {
      now.peers.clear();
      now.path = ids.path_of_call[c];
      now.sends = sending;
    }
    now.message = id;
    now.peers.push_back(peer);
  }
}

/// Components whose operations on this rank overlap in time, on one communicator and tag.
void join_interleaved(const known_messages& known, components& parts, std::uint32_t i) {
  struct span_of {
    std::uint32_t comm;
    std::int32_t tag;
    std::uint32_t component, first, last;
  };
  const rank_recording& r = known.recorded.recordings[i];
  const rank_index& ids = known.table.of_recording[i];
  const auto me = static_cast<std::uint32_t>(index(r.rank));
  std::vector<span_of> spans;
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint32_t>, std::size_t> span_at;
  for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
    const std::uint32_t id = ids.message_of_call[c];
    if (id == none)
      continue;
    const message& m = known.table.messages[id];
    const std::uint32_t component = parts.root(id);
    if (!parts.has_several(component))
      continue; // a single message interleaves with nothing
    const std::uint32_t at =
        is_sent_by(m, me, c) || received_at(known, m) == never ? c : received_at(known, m);
    const auto [entry, is_new] = span_at.try_emplace({m.comm, m.tag, component}, spans.size());
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
    if (overlaps && parts.join_weakly(spans[open].component, spans[s].component))
      spans[open].last = std::max(spans[open].last, spans[s].last);
    else if (!overlaps || spans[s].last > spans[open].last)
      open = s;
  }
}

double sent_at(const known_messages& known, const message& m) {
  const rank_recording& r = known.recorded.recordings[known.table.recording_of_rank[m.from]];
  return static_cast<double>(r.start_unix_ns) * 1e-9 +
         static_cast<double>(static_cast<std::int64_t>(r.calls[m.send_call].begin - r.start_tick)) *
             r.seconds_per_tick;
}

/// In the order of the time at which a first message is sent, by the ranks' wall clocks; ids break ties, so that the order is the same
/// in every analysis.
episode_list list_episodes(const known_messages& known, components& parts) {
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members;
  struct entry {
    double at;
    std::uint32_t component;
  };
  std::vector<entry> order;
  for (std::uint32_t m = 0; m < known.table.messages.size(); ++m) {
    const std::uint32_t component = parts.root(m);
    const double at = sent_at(known, known.table.messages[m]);
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
      e.at = std::min(e.at, sent_at(known, known.table.messages[m]));
  std::sort(order.begin(), order.end(), [](const entry& a, const entry& b) {
    return a.at != b.at ? a.at < b.at : a.component < b.component;
  });
  episode_list list;
  list.messages.reserve(known.table.messages.size());
  for (const entry& e : order) {
    list.first.push_back(list.messages.size());
    const std::vector<std::uint32_t>& of = members[e.component];
    list.messages.insert(list.messages.end(), of.begin(), of.end());
    list.simultaneous.push_back(parts.is_simultaneous(e.component));
  }
  list.first.push_back(list.messages.size());
  return list;
}

} // namespace

episode_list find_episodes(const recording_set& recorded, const message_table& table, const provenance& data,
                           std::uint64_t smallest_evidence, const progress_callback& progress) {
  const known_messages known{recorded, table, data};
  const sent_contents sent = find_sent_contents(known, smallest_evidence);
  components parts(known, sent.since);
  const auto in_each_recording = [&](auto join) {
    for (std::uint32_t i = 0; i < recorded.recordings.size(); ++i)
      join(known, parts, i);
  };
  const auto tell = [&](double done) {
    if (progress)
      progress("grouping", done);
  };
  for (const auto& [a, b] : sent.ties)
    parts.join_strongly(a, b);
  join_forwards(known, parts, smallest_evidence);
  tell(0.3);
  in_each_recording(join_batches);
  tell(0.5);
  in_each_recording(join_runs);
  tell(0.7);
  for (int round = 0; round < 2; ++round)
    in_each_recording(join_interleaved);
  tell(0.9);
  return list_episodes(known, parts);
}

} // namespace tacit::recordings
