// Forwarding makes a graph over messages: m → s if m carries bytes of s. It has no cycle, because a rank
// sends on only what it received before; a damaged recording can pretend otherwise, so the walk that finds
// origins marks what it is in the middle of and treats an edge back into it as unknown. The walk keeps its
// own stack: chains are as long as the run. Cost O(messages + pieces · log pieces).
#include "recordings/meaning/provenance.h"

#include <algorithm>

namespace tacit::recordings {
namespace {

/// The forward records of a message as pieces, by offset, cut where they overlap. Constant bytes are no
/// evidence.
void collect(const rank_recording& sender, const rank_index& ids, const std::vector<message>& messages,
             std::uint32_t id, std::vector<piece>& to) {
  const message& m = messages[id];
  const std::size_t begin = to.size();
  for (const forward& f : sender.forwards_of(m.send_call)) {
    const std::uint32_t source = ids.message_of_completion[f.receive];
    if (source == none || source == id || f.length == 0 || messages[source].to != m.from)
      continue;
    const message& from = messages[source];
    const bool fits = f.send_offset <= m.bytes && f.length <= m.bytes - f.send_offset &&
                      f.receive_offset <= from.bytes && f.length <= from.bytes - f.receive_offset;
    if (fits && !f.constant && m.consistent && from.consistent)
      to.push_back({f.send_offset, f.length, f.receive_offset, source});
  }
  const auto first = to.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, to.end(), [](const piece& a, const piece& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.source < b.source;
  });
  std::uint64_t covered = 0;
  auto kept = first;
  for (auto p = first; p != to.end(); ++p) {
    const std::uint64_t end = p->offset + p->length;
    if (end <= covered)
      continue;
    const std::uint64_t cut = covered > p->offset ? covered - p->offset : 0;
    *kept++ = {p->offset + cut, p->length - cut, p->source_offset + cut, p->source};
    covered = end;
  }
  to.erase(kept, to.end());
}

std::uint32_t join_origins(std::uint32_t a, std::uint32_t b) {
  if (a == none)
    return b;
  if (b == none || a == b)
    return a;
  return many_origins;
}

enum class mark : std::uint8_t { fresh, open, done };

void find_origin(provenance& p, const std::vector<message>& messages, std::uint32_t start,
                 std::vector<mark>& marks, std::vector<std::uint32_t>& stack) {
  stack.assign(1, start);
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    if (marks[at] == mark::fresh) {
      marks[at] = mark::open;
      for (const piece& one : p.of(at))
        if (marks[one.source] == mark::fresh)
          stack.push_back(one.source);
      continue;
    }
    stack.pop_back();
    if (marks[at] == mark::done)
      continue;
    std::uint32_t origin = p.own_bytes[at] > 0 ? messages[at].from : none;
    for (const piece& one : p.of(at))
      origin = join_origins(origin, marks[one.source] == mark::done ? p.origin[one.source] : many_origins);
    p.origin[at] = origin;
    marks[at] = mark::done;
  }
}

} // namespace

provenance follow_forwards(const recording_set& recorded, const message_table& table) {
  provenance p;
  const std::size_t count = table.messages.size();
  p.first.reserve(count + 1);
  p.own_bytes.resize(count);
  for (std::uint32_t id = 0; id < count; ++id) {
    p.first.push_back(p.pieces.size());
    const std::uint32_t sender = table.recording_of_rank[table.messages[id].from];
    collect(recorded.recordings[sender], table.of_recording[sender], table.messages, id, p.pieces);
    std::uint64_t own = table.messages[id].bytes;
    for (std::size_t at = p.first.back(); at < p.pieces.size(); ++at)
      own -= p.pieces[at].length;
    p.own_bytes[id] = own;
  }
  p.first.push_back(p.pieces.size());
  p.origin.assign(count, none);
  std::vector<mark> marks(count, mark::fresh);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t id = 0; id < count; ++id)
    find_origin(p, table.messages, id, marks, stack);
  return p;
}

} // namespace tacit::recordings
