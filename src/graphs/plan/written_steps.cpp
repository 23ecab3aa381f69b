// The order of kept operations is found by running over them in run order with a map of the bytes of each rank:
// which step wrote a byte last, and which have read it since.
#include "graphs/plan/written_steps.h"

#include "graphs/graph/segments.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tacit::graphs {
namespace {

std::vector<segment> first_bytes(std::span<const segment> list, std::uint64_t length) {
  return bytes_between(list, 0, length);
}

step step_of(const graph& g, op_id id, std::int32_t tag) {
  const operation& op = g[id];
  step s;
  s.comm = op.comm;
  s.peer = op.peer;
  s.tag = tag;
  s.reads = first_bytes(g.reads(id), ~std::uint64_t{0});
  s.writes = first_bytes(g.writes(id), ~std::uint64_t{0});
  switch (op.kind) {
  case op_kind::send:
    s.kind = step_kind::send;
    break;
  case op_kind::recv:
    s.kind = step_kind::recv;
    break;
  case op_kind::copy:
    s.kind = step_kind::copy;
    break;
  case op_kind::opaque:
    s.kind = step_kind::call;
    s.op = id;
    break;
  case op_kind::reduce:
    s.kind = step_kind::reduce;
    s.op = id;
    s.by = g.reduces_by(id);
    break;
  case op_kind::fence:
    s.kind = step_kind::collective;
    s.collective = pattern::barrier;
    break;
  }
  return s;
}

/// What the message is combined with stays where it is, so it arrives in memory of its own.
std::uint32_t add_reducing_receive(const graph& g, op_id id, std::uint64_t length, step receive,
                                   rank_plan& at) {
  constexpr std::uint64_t alignment = 64;
  const segment arrival{scratch_base + at.scratch_bytes, length};
  at.scratch_bytes += (length + alignment - 1) / alignment * alignment;
  receive.writes = {arrival};
  at.steps.push_back(std::move(receive));
  step combine;
  combine.kind = step_kind::reduce;
  combine.op = id;
  combine.by = g.reduces_by(id);
  combine.reads = {arrival};
  combine.writes = first_bytes(g.writes(id), length);
  combine.after = {static_cast<std::uint32_t>(at.steps.size() - 1)};
  at.steps.push_back(std::move(combine));
  return static_cast<std::uint32_t>(at.steps.size() - 1);
}

/// Who touched the bytes of one rank, by step.
class touched_bytes {
public:
  /// The steps after which `now` comes, which reads and writes these bytes. Sorted.
  std::vector<std::uint32_t> touch(std::uint32_t now, std::span<const segment> reads,
                                   std::span<const segment> writes) {
    std::vector<std::uint32_t> before;
    for (const segment& s : reads)
      each_cell(s, [&](cell& c) {
        if (c.writer != nobody)
          before.push_back(c.writer);
      });
    for (const segment& s : writes)
      each_cell(s, [&](cell& c) {
        if (c.writer != nobody)
          before.push_back(c.writer);
        before.insert(before.end(), c.readers.begin(), c.readers.end());
      });
    for (const segment& s : reads)
      each_cell(s, [&](cell& c) { c.readers.push_back(now); });
    for (const segment& s : writes)
      each_cell(s, [&](cell& c) {
        c.writer = now;
        c.readers.clear();
      });
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    return before;
  }

private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct cell {
    std::uint64_t end = 0;
    std::uint32_t writer = nobody;
    std::vector<std::uint32_t> readers;
  };

  /// Makes the address the beginning of a cell, if it lies in one.
  void cut(std::uint64_t at) {
    auto next = cells_.upper_bound(at);
    if (next == cells_.begin())
      return;
    auto& [begin, left] = *std::prev(next);
    if (begin == at || left.end <= at)
      return;
    cell right = left;
    left.end = at;
    cells_.emplace_hint(next, at, std::move(right));
  }

  /// Visits cells that cover exactly the bytes of a segment, made where there were none.
  template <typename Visit>
  void each_cell(const segment& s, Visit&& visit) {
    if (s.length == 0)
      return;
    const std::uint64_t end = s.address + s.length;
    cut(s.address);
    cut(end);
    auto next = cells_.lower_bound(s.address);
    for (std::uint64_t at = s.address; at < end;) {
      if (next == cells_.end() || next->first > at) {
        cell fresh;
        fresh.end = next == cells_.end() ? end : std::min(end, next->first);
        next = cells_.emplace_hint(next, at, std::move(fresh));
      }
      visit(next->second);
      at = next->second.end;
      ++next;
    }
  }

  std::map<std::uint64_t, cell> cells_; ///< by their first byte, disjoint
};

} // namespace

std::uint32_t add_written_steps(const graph& g, const matching& m, op_id id, std::int32_t tag, bool exact,
                                rank_plan& at) {
  step s = step_of(g, id, tag);
  if (g[id].kind == op_kind::recv) {
    const op_id sent = m.partner[index(id)];
    const std::uint64_t length = sent == no_op ? 0 : g.message_length(sent);
    if (g.reduces(id) && length > 0)
      return add_reducing_receive(g, id, length, std::move(s), at);
    if (exact || g.reduces(id))
      s.writes = first_bytes(s.writes, length);
  }
  at.steps.push_back(std::move(s));
  return static_cast<std::uint32_t>(at.steps.size() - 1);
}

namespace {

/// By kept operation: those that are kept, too, and that it waits for by a dependency of the graph. Only computations
/// need those: the order of all else is that of its bytes.
std::unordered_map<op_id, std::vector<op_id>> kept_dependencies(const graph& g, const transfers& t) {
  std::unordered_map<op_id, std::vector<op_id>> out;
  if (!g.has_computations())
    return out;
  for (const op_id id : t.kept_operations)
    out.try_emplace(id);
  for (const dependency& d : g.dependencies())
    if (const auto waits = out.find(d.after); waits != out.end() && out.contains(d.before))
      waits->second.push_back(d.before);
  return out;
}

} // namespace

void add_kept_operations(const graph& g, const matching& m, const transfers& t, plan& p) {
  constexpr std::int32_t first_tag = 2; // what replaces the others uses 0 and 1 between each pair of ranks
  std::unordered_map<std::uint64_t, std::int32_t> messages;
  std::unordered_map<op_id, std::int32_t> tags;
  std::vector<touched_bytes> touched(p.ranks.size());
  const auto waits = kept_dependencies(g, t);
  std::unordered_map<op_id, std::uint32_t> last_steps; ///< of what something may wait for
  for (const op_id id : t.kept_operations) {
    const operation& op = g[id];
    rank_plan& at = p.ranks[index(op.rank)];
    std::int32_t tag = 0;
    if (op.kind == op_kind::send || op.kind == op_kind::recv) {
      const op_id send = op.kind == op_kind::send ? id : m.partner[index(id)];
      const auto [known, fresh] = tags.try_emplace(send, 0);
      if (fresh)
        known->second =
            first_tag + messages[std::uint64_t{index(g[send].rank)} << 32 | index(g[send].peer)]++;
      tag = known->second;
    }
    const auto first = static_cast<std::uint32_t>(at.steps.size());
    const std::uint32_t last = add_written_steps(g, m, id, tag, true, at);
    // Scratch memory that a message arrives in is touched by nothing else; the order is that of the last step.
    std::vector<std::uint32_t> before = touched[index(op.rank)].touch(
        last, first == last ? at.steps[last].reads : segment_list{}, at.steps[last].writes);
    if (const auto also = waits.find(id); also != waits.end()) {
      last_steps[id] = last;
      for (const op_id earlier : also->second)
        before.push_back(last_steps.at(earlier));
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
    }
    at.steps[last].after.insert_at_end(before.data(), before.size());
  }
}

} // namespace tacit::graphs
