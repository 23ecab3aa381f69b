// Two messages are tied if a rank's operation on one comes before its operation on the other and the portion has
// to be a beginning of what is left: skipping takes a rank's next operation, the other end of its message, what
// comes before that there, and so on until nothing crosses. Cost O(operations) over the life of a stream.
#include "recordings/meaning/stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tacit::recordings {
namespace {

std::uint32_t arrival(const recording_set& recorded, const message_table& table, const message& m) {
  if (m.completion == none)
    return none;
  const rank_recording& r = recorded.recordings[table.recording_of_rank[m.to]];
  return static_cast<std::uint32_t>(r.completions[m.completion].call);
}

using calls_of_members = std::vector<std::vector<std::uint32_t>>;
using calls_by_kind = std::map<call_class, calls_of_members>;

/// A kind of call that some members make more often than others is a mistake of the program (an MPI_Bcast at the
/// root only); it must not part the messages that follow.
void keep_common(const calls_by_kind& called, calls_of_members& collectives) {
  std::vector<bool> calls_some(collectives.size(), false); // others may not be recorded
  for (const auto& [kind, of_members] : called)
    for (std::size_t m = 0; m < of_members.size(); ++m)
      calls_some[m] = calls_some[m] || !of_members[m].empty();
  for (const auto& [kind, of_members] : called) {
    std::set<std::size_t> counts;
    for (std::size_t m = 0; m < of_members.size(); ++m)
      if (calls_some[m])
        counts.insert(of_members[m].size());
    for (std::size_t m = 0; m < of_members.size() && counts.size() == 1; ++m)
      collectives[m].insert(collectives[m].end(), of_members[m].begin(), of_members[m].end());
  }
  for (std::vector<std::uint32_t>& list : collectives)
    std::sort(list.begin(), list.end());
}

} // namespace

std::vector<group_activity> list_group_activity(const recording_set& recorded, const message_table& table,
                                                group_positions& positions) {
  std::vector<group_activity> of(table.groups.size());
  for (std::size_t g = 0; g < of.size(); ++g) {
    of[g].operations.resize(table.groups[g].members.size());
    of[g].collectives.resize(table.groups[g].members.size());
  }
  for (const message& m : table.messages) {
    const std::uint32_t from = positions(m.comm, m.from), to = positions(m.comm, m.to);
    const std::uint32_t done = arrival(recorded, table, m);
    if (from != none)
      of[m.comm].operations[from].push_back(m.send_call);
    if (to != none && done != none)
      of[m.comm].operations[to].push_back(done);
  }
  for (group_activity& one : of)
    for (std::vector<std::uint32_t>& list : one.operations)
      std::sort(list.begin(), list.end());
  std::vector<calls_by_kind> called(of.size());
  for (std::size_t i = 0; i < recorded.recordings.size(); ++i) {
    const rank_recording& r = recorded.recordings[i];
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      if (r.calls[c].part != 0 || r.calls[c].comm == none || !is_collective(class_of(r.calls[c])))
        continue;
      const std::uint32_t group = table.of_recording[i].group_of_comm[r.calls[c].comm];
      const std::uint32_t at = positions(group, static_cast<std::uint32_t>(index(r.rank)));
      if (at == none)
        continue;
      auto& of_kind = called[group][class_of(r.calls[c])];
      of_kind.resize(of[group].collectives.size());
      of_kind[at].push_back(c);
    }
  }
  for (std::size_t g = 0; g < of.size(); ++g)
    keep_common(called[g], of[g].collectives);
  return of;
}

stream::stream(const recording_set& recorded, const message_table& table, group_positions& positions,
               std::uint32_t group, std::span<const std::uint32_t> messages, const group_activity& around)
    : around_(around), of_(table.groups[group].members.size()) {
  for (const std::uint32_t id : messages) {
    const message& m = table.messages[id];
    const std::uint32_t from = positions(group, m.from), to = positions(group, m.to);
    const std::uint32_t done = arrival(recorded, table, m);
    if (from == none || to == none || done == none)
      continue;
    const call& received = recorded.recordings[table.recording_of_rank[m.to]].calls[m.recv_call];
    of_[from].list.push_back({m.send_call, to, id, false});
    of_[to].list.push_back({done, from, id, true, class_of(received) == call_class::sendrecv});
  }
  for (member& m : of_)
    std::sort(m.list.begin(), m.list.end(), [](const stream_operation& a, const stream_operation& b) {
      return std::tie(a.position, a.receives, a.message) < std::tie(b.position, b.receives, b.message);
    });
}

bool stream::at_end() const {
  return std::all_of(of_.begin(), of_.end(), [](const member& m) { return m.at == m.list.size(); });
}

std::span<const stream_operation> stream::next(std::uint32_t rank, std::uint32_t count) const {
  const member& m = of_[rank];
  return std::span(m.list).subspan(m.at, std::min<std::size_t>(count, m.list.size() - m.at));
}

std::uint32_t stream::collectives_before(std::uint32_t rank, std::uint32_t position) const {
  const std::vector<std::uint32_t>& list = around_.collectives[rank];
  return static_cast<std::uint32_t>(std::lower_bound(list.begin(), list.end(), position) - list.begin());
}

/// Nothing but the operations themselves lies between the first and the last of them.
bool stream::is_undisturbed(std::uint32_t rank, std::uint32_t count) const {
  const member& m = of_[rank];
  const std::vector<std::uint32_t>& all = around_.operations[rank];
  const auto low = std::lower_bound(all.begin(), all.end(), m.list[m.at].position);
  const auto high = std::upper_bound(all.begin(), all.end(), m.list[m.at + count - 1].position);
  return high - low == count;
}

/// The operation and the one before it are halves of one call.
bool stream::is_within_call(const member& m, std::size_t at) {
  return at > 0 && at < m.list.size() && m.list[at].second_half &&
         m.list[at - 1].position + 1 == m.list[at].position;
}

bool stream::is_closed(const portion& take) const {
  std::vector<std::uint32_t> sent, received;
  std::uint32_t epoch = none;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    const member& m = of_[r];
    if (take[r] == 0)
      continue;
    if (m.list.size() - m.at < take[r] || !is_undisturbed(r, take[r]) || is_within_call(m, m.at) ||
        is_within_call(m, m.at + take[r]))
      return false;
    for (const std::size_t at : {m.at, m.at + take[r] - 1}) {
      const std::uint32_t now = collectives_before(r, m.list[at].position);
      if (epoch != none && epoch != now)
        return false;
      epoch = now;
    }
    for (const stream_operation& o : next(r, take[r]))
      (o.receives ? received : sent).push_back(o.message);
  }
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  return sent == received;
}

std::vector<std::uint32_t> stream::messages(const portion& take) const {
  std::vector<std::uint32_t> list;
  for (std::uint32_t r = 0; r < ranks(); ++r)
    for (const stream_operation& o : next(r, take[r]))
      if (!o.receives)
        list.push_back(o.message);
  return list;
}

void stream::advance(const portion& take) {
  for (std::uint32_t r = 0; r < ranks(); ++r)
    of_[r].at += take[r];
}

bool stream::skip() {
  std::uint32_t first = none;
  for (std::uint32_t r = 0; r < ranks();
       ++r) // the rank that has most before it: the others may be at the next round
    if (of_[r].at < of_[r].list.size() &&
        (first == none || of_[r].list.size() - of_[r].at > of_[first].list.size() - of_[first].at))
      first = r;
  if (first == none)
    return false;
  // It may be ahead of the others: go to the rank it has to wait for, until two meet, or around a circle.
  for (std::uint32_t steps = 0; steps < ranks(); ++steps) {
    const stream_operation& o = of_[first].list[of_[first].at];
    const member& other = of_[o.peer];
    if (other.at == other.list.size() || other.list[other.at].message == o.message)
      break;
    first = o.peer;
  }
  std::map<std::uint32_t, bool> open; // message → true if its sending end was taken
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted{
      {first, of_[first].list[of_[first].at].message}};
  while (!wanted.empty()) {
    const auto [rank, message] = wanted.back();
    wanted.pop_back();
    member& m = of_[rank];
    if (open.contains(message) && open[message])
      continue;
    for (bool found = false; (!found || is_within_call(m, m.at)) && m.at < m.list.size(); ++m.at) {
      const stream_operation& o = m.list[m.at];
      found = found || o.message == message;
      const auto [at, is_new] = open.try_emplace(o.message, false);
      if (is_new)
        wanted.emplace_back(o.peer, o.message);
      else
        at->second = true; // both ends are taken
    }
  }
  return true;
}

} // namespace tacit::recordings
