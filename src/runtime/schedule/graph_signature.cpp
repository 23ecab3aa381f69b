#include "runtime/schedule/graph_signature.h"

#include "vocabulary/base/hash.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tacit::runtime {
namespace {

graph_signature signed_bytes(message bytes) {
  const std::uint64_t hash = hash_of(bytes.data(), bytes.size());
  return {hash, std::move(bytes)};
}

void put_numbered(packer& into, const std::vector<local_communicator>& communicators) {
  std::map<std::vector<int>, std::uint64_t> seen;
  std::vector<local_communicator> numbered = communicators;
  for (local_communicator& c : numbered)
    c.id = ++seen[c.members];
  pack(into, numbered);
}

/// All lists of bytes of a rank's part, in one order.
template <typename Visit>
void each_list(const local_graph& g, Visit&& visit) {
  for (const local_operation& op : g.operations) {
    visit(op.reads);
    visit(op.writes);
  }
  visit(g.scratch);
  visit(g.live_out);
}

/// The same, which `visit` may change.
template <typename Visit>
void change_each_list(local_graph& g, Visit&& visit) {
  const graphs::affine_list& before = g.operations.list();
  local_operations after(static_cast<int>(number(before.self())), static_cast<int>(before.ranks()));
  for (const local_operation& op : g.operations) {
    local_operation changed = op;
    visit(changed.reads);
    visit(changed.writes);
    after.push_back(std::move(changed));
  }
  g.operations = std::move(after);
  visit(g.scratch);
  visit(g.live_out);
}

/// Visits each list, and how many there are that follow each other in memory, equally long: visit(list of the first one, how many).
template <typename Program, typename Visit>
void each_list_of_program(Program& p, Visit&& visit) {
  for (auto& s : p.plan.steps) {
    visit(s.reads, 1);
    visit(s.writes, 1);
    for (auto& run : s.sends.runs())
      visit(run.bytes, run.count);
    for (auto& run : s.receives.runs())
      visit(run.bytes, run.count);
  }
}

std::uint64_t end_of(const graphs::segment& s) {
  return s.address + s.length;
}

bool is_of_user(const graphs::segment& s) {
  return s.length > 0 && s.address < graphs::user_memory_end;
}

/// Those that touch or overlap become one; by address.
std::vector<graphs::segment> joined_ranges(const local_graph& g) {
  std::vector<graphs::segment> all;
  each_list(g, [&](const std::vector<graphs::segment>& list) {
    for (const graphs::segment& s : list)
      if (s.length > 0)
        all.push_back(s);
  });
  std::sort(all.begin(), all.end(),
            [](const graphs::segment& a, const graphs::segment& b) { return a.address < b.address; });
  std::size_t kept = 0;
  for (const graphs::segment& s : all) {
    if (kept > 0 && s.address <= end_of(all[kept - 1]))
      all[kept - 1].length = std::max(end_of(all[kept - 1]), end_of(s)) - all[kept - 1].address;
    else
      all[kept++] = s;
  }
  all.resize(kept);
  return all;
}

/// Position of the last range that does not begin behind the address.
std::size_t range_at(const std::vector<graphs::segment>& ranges, std::uint64_t address) {
  const auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), address,
                       [](std::uint64_t at, const graphs::segment& range) { return at < range.address; });
  return static_cast<std::size_t>(behind - ranges.begin()) - 1;
}

} // namespace

graph_signature signature_of(const message& circumstances, const local_graph& g) {
  packer out;
  out.put_list(circumstances);
  put_numbered(out, g.communicators);
  pack_operations(out, g);
  return signed_bytes(out.take());
}

std::uint64_t hash_without_places(const local_graph& g) {
  std::vector<std::uint64_t> all; // hashed at once: one by one took as long as to pack the graph
  constexpr std::size_t words_of_message = 6;
  all.reserve(words_of_message * g.operations.size() + g.dependencies.size());
  const auto add_lengths = [&](const std::vector<graphs::segment>& list) {
    all.push_back(list.size());
    for (const graphs::segment& s : list)
      all.push_back(s.length);
  };
  const auto add_two = [&](std::int32_t a, std::int32_t b) {
    all.push_back(std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b));
  };
  for (const local_operation& op : g.operations) {
    add_two(static_cast<std::int32_t>(op.kind), op.comm);
    add_two(op.peer, op.tag);
    add_two(op.reducer, 0);
    add_lengths(op.reads);
    add_lengths(op.writes);
  }
  for (const auto& [before, after] : g.dependencies)
    add_two(before, after);
  add_lengths(g.scratch);
  add_lengths(g.live_out);
  return hash_of(all.data(), all.size() * sizeof all[0]);
}

bool is_movable(const local_graph& g) {
  return std::none_of(g.operations.begin(), g.operations.end(), [](const local_operation& op) {
    return op.kind == local_kind::put || op.kind == local_kind::get;
  });
}

relative_graph without_places(const graph_signature& exact) {
  unpacker from(exact.bytes);
  const message circumstances = from.get_list<std::byte>();
  return without_places(circumstances, unpack_local_graph(from));
}

relative_graph without_places(const message& circumstances, local_graph g) {
  const std::vector<graphs::segment> ranges = joined_ranges(g);
  constexpr std::size_t unseen = ~std::size_t{0};
  std::vector<std::size_t> number(ranges.size(), unseen);
  std::vector<std::uint64_t> place(ranges.size(), 0);
  relative_graph out;
  std::uint64_t next = 0;
  change_each_list(g, [&](std::vector<graphs::segment>& list) {
    for (graphs::segment& s : list) {
      if (s.length == 0) {
        s.address = 0;
        continue;
      }
      const std::size_t at = range_at(ranges, s.address);
      if (number[at] == unseen) {
        number[at] = out.buffers.size();
        out.buffers.push_back(ranges[at]);
        place[at] = next;
        next += ranges[at].length + 1;
      }
      s.address = place[at] + (s.address - ranges[at].address);
    }
  });
  out.signature = signature_of(circumstances, g);
  return out;
}

moved_buffers::moved_buffers(const std::vector<graphs::segment>& from,
                             const std::vector<graphs::segment>& to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    ranges_.push_back({from[i].address, end_of(from[i]), to[i].address});
  std::sort(ranges_.begin(), ranges_.end(), [](const range& a, const range& b) { return a.begin < b.begin; });
}

const moved_buffers::range* moved_buffers::find(const graphs::segment& s) const {
  const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), s.address,
                                       [](std::uint64_t at, const range& r) { return at < r.begin; });
  if (behind == ranges_.begin())
    return nullptr;
  const range& r = *(behind - 1);
  return end_of(s) <= r.end ? &r : nullptr;
}

bool moved_buffers::hold(const program& p) const {
  bool all = true;
  each_list_of_program(p, [&](std::span<const graphs::segment> list, std::uint64_t count) {
    for (const graphs::segment& s : list)
      all = all && (!is_of_user(s) || find({s.address, count * s.length}));
  });
  return all;
}

void moved_buffers::move(program& p) const {
  each_list_of_program(p, [&](graphs::segment_list& list, std::uint64_t) {
    for (graphs::segment& s : list)
      if (is_of_user(s)) {
        const range& r = *find(s);
        s.address = r.to + (s.address - r.begin);
      }
  });
}

} // namespace tacit::runtime
