#include "recordings/meaning/components.h"

#include <numeric>
#include <utility>

namespace tacit::recordings {
namespace {

const footprint* print_of(const footprints& all, std::uint32_t rank) {
  const auto at = std::lower_bound(all.begin(), all.end(), rank,
                                   [](const footprint& f, std::uint32_t r) { return f.rank < r; });
  return at != all.end() && at->rank == rank ? &*at : nullptr;
}

} // namespace

components::components(const known_messages& known, const std::vector<std::uint32_t>& content_sent)
    : known_(known), content_sent_(content_sent), parent_(known.table.messages.size()) {
  std::iota(parent_.begin(), parent_.end(), 0u);
}

footprints components::of_message(std::uint32_t id) const {
  const message& m = known_.table.messages[id];
  footprint send{.rank = m.from, .first = m.send_call, .last = m.send_call};
  if (known_.data.own_bytes[id] > 0) {
    send.has_original = true;
    send.last_original = content_sent_[id] == never ? m.send_call : content_sent_[id];
  }
  const std::uint32_t done = received_at(known_, m);
  footprint receive{
      .rank = m.to, .first = done == never ? m.recv_call : done, .last = done == never ? m.recv_call : done};
  if (m.bytes > 0 && known_.data.origin[id] != m.to)
    receive.first_foreign = known_at(known_.recorded, known_.table, m);
  if (m.from == m.to) {
    send.add(receive);
    return {send};
  }
  if (receive.rank < send.rank)
    return {receive, send};
  return {send, receive};
}

footprints components::take(std::uint32_t component) {
  const auto at = stored_.find(component);
  if (at == stored_.end())
    return of_message(component);
  footprints found = std::move(at->second);
  stored_.erase(at);
  return found;
}

const footprints& components::look(std::uint32_t component, footprints& room) const {
  const auto at = stored_.find(component);
  if (at != stored_.end())
    return at->second;
  room = of_message(component);
  return room;
}

bool components::are_simultaneous(std::uint32_t a, std::uint32_t b) const {
  footprints room_a, room_b;
  const footprints* small = &look(a, room_a);
  const footprints* large = &look(b, room_b);
  if (small->size() > large->size())
    std::swap(small, large);
  for (const footprint& f : *small)
    if (const footprint* other = print_of(*large, f.rank); other != nullptr && f.conflicts(*other))
      return false;
  return true;
}

bool components::is_simultaneous(std::uint32_t root) const {
  footprints room;
  const footprints& prints = look(root, room);
  return std::none_of(prints.begin(), prints.end(), [](const footprint& f) { return f.conflicts(f); });
}

void components::unite(std::uint32_t a, std::uint32_t b) {
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

void components::join_strongly(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a != b)
    unite(std::min(a, b), std::max(a, b));
}

bool components::join_weakly(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a == b)
    return true;
  if (!are_simultaneous(a, b))
    return false;
  unite(std::min(a, b), std::max(a, b));
  return true;
}

std::uint32_t received_at(const known_messages& known, const message& m) {
  if (m.completion == none)
    return never;
  const rank_recording& r = known.recorded.recordings[known.table.recording_of_rank[m.to]];
  return static_cast<std::uint32_t>(r.completions[m.completion].call);
}

std::uint32_t known_at(const recording_set& recorded, const message_table& table, const message& m) {
  if (m.completion == none)
    return never;
  const rank_recording& r = recorded.recordings[table.recording_of_rank[m.to]];
  return std::min(m.told_call, static_cast<std::uint32_t>(r.completions[m.completion].call));
}

} // namespace tacit::recordings
