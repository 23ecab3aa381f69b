// Trees: to a root, from it, and to it and back.
#include "recordings/meaning/known_shapes.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tacit::recordings {
namespace {

bool every_rank_reaches(std::uint32_t root, const std::vector<std::uint32_t>& parent) {
  for (std::uint32_t r = 0; r < parent.size(); ++r) {
    std::uint32_t at = r, steps = 0;
    while (at != root && at != none && steps++ < parent.size())
      at = parent[at];
    if (at != root)
      return false;
  }
  return true;
}

/// The rank hears from all children, asks the parent, hears from it, tells all children.
bool is_up_and_down(const known_messages& known, const stream& in, std::uint32_t r, std::uint32_t root,
                    const std::vector<std::uint32_t>& parent, std::uint32_t children) {
  const std::uint32_t up = children + (r == root ? 0 : 1);
  const auto next = in.next(r, 2 * up);
  if (next.size() != std::size_t{2} * up)
    return false;
  std::multiset<std::uint32_t> heard, told;
  for (std::uint32_t k = 0; k < next.size(); ++k) {
    const bool asks = r != root && k == children, is_asked = r != root && k == children + 1;
    const bool receives = k < children || is_asked;
    if (known.of(next[k]).bytes > 0 || next[k].receives != receives)
      return false;
    if (asks || is_asked) {
      if (next[k].peer != parent[r])
        return false;
    } else {
      (receives ? heard : told).insert(next[k].peer);
      if (next[k].peer == root || parent[next[k].peer] != r)
        return false;
    }
  }
  return heard == told && std::set(heard.begin(), heard.end()).size() == heard.size();
}

std::optional<shaped_portion> up_and_down(const known_messages& known, const stream& in, std::uint32_t root,
                                          const std::vector<std::uint32_t>& parent) {
  const std::uint32_t ranks = in.ranks();
  std::vector<std::uint32_t> children(ranks, 0);
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (r != root)
      ++children[parent[r]];
  portion count(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    count[r] = 2 * children[r] + (r == root ? 0 : 2);
    if (!is_up_and_down(known, in, r, root, parent, children[r]))
      return {};
  }
  return every_rank_reaches(root, parent) ? if_closed(in, {count, message_shape::no_shape, pattern::barrier})
                                          : std::nullopt;
}

bool receives_into_one_place(const known_messages& known, const stream& in, std::uint32_t rank,
                             std::uint32_t count) {
  std::set<std::pair<std::uint32_t, std::int64_t>> places;
  for (const stream_operation& o : in.next(rank, count)) {
    const message& m = known.of(o);
    const call& c = known.recorded.recordings[known.table.recording_of_rank[m.to]].calls[m.recv_call];
    places.emplace(c.allocation, c.offset);
  }
  return count > 1 && places.size() == 1;
}

std::optional<message_shape> shape_to_root(const known_messages& known, const stream& in,
                                           const std::vector<std::uint32_t>& parent, std::uint32_t root,
                                           const portion& count) {
  const std::uint32_t ranks = in.ranks();
  bool star = true, upward = true, downward = true;
  std::uint64_t bytes = 0;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (const stream_operation& o : in.next(r, count[r])) {
      if (o.receives)
        continue;
      if (known.of(o).bytes == 0 || known.passes_on(o.message) || !known.is_hashed(o.message) ||
          (bytes != 0 && known.of(o).bytes != bytes))
        return {};
      bytes = known.of(o).bytes;
      star = star && parent[r] == root;
      upward = upward && parent[r] == r + 1;
      downward = downward && r > 0 && parent[r] == r - 1;
    }
  if (ranks > 2 && (upward || downward))
    return message_shape::chain;
  if (!star)
    return message_shape::reduce;
  return receives_into_one_place(known, in, root, count[root])
             ? std::optional(message_shape::gather_or_reduce)
             : std::nullopt;
}

/// Of each tree to a root in the next operations, until `shape_of(parent, root, count)` is satisfied with one.
template <typename ShapeOf>
std::optional<shaped_portion> find_tree_to_root(const stream& in, ShapeOf shape_of) {
  const std::uint32_t ranks = in.ranks();
  std::vector<std::uint32_t> parent(ranks, none), before(ranks, 0), children(ranks, 0);
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (const stream_operation& o : in.next(r, ranks)) {
      if (!o.receives) {
        parent[r] = o.peer;
        break;
      }
      ++before[r];
    }
  for (std::uint32_t root = 0; root < ranks; ++root) {
    if (before[root] == 0)
      continue;
    std::fill(children.begin(), children.end(), 0);
    bool tree = true;
    for (std::uint32_t r = 0; r < ranks && tree; ++r)
      if (r != root) {
        tree = parent[r] != none;
        children[tree ? parent[r] : 0] += 1;
      }
    portion count(ranks);
    for (std::uint32_t r = 0; r < ranks && tree; ++r) {
      tree = r == root ? children[r] > 0 && children[r] <= before[r] : children[r] == before[r];
      count[r] = children[r] + (r == root ? 0 : 1);
    }
    if (!tree || !every_rank_reaches(root, parent))
      continue;
    if (auto shape = shape_of(parent, root, count))
      if (auto found = if_closed(in, std::move(*shape)))
        return found;
  }
  return {};
}

std::uint64_t bytes_of(const known_messages& known, std::span<const stream_operation> operations) {
  std::uint64_t bytes = 0;
  for (const stream_operation& o : operations)
    bytes += known.of(o).bytes;
  return bytes;
}

/// The send carries all bytes of each message, as its rank got them.
bool hands_on(const known_messages& known, std::uint32_t sent, std::span<const stream_operation> got) {
  return std::ranges::all_of(got, [&](const stream_operation& o) {
    std::uint64_t bytes = 0;
    for (const piece& p : known.data.of(sent))
      bytes += p.source == o.message ? p.length : 0;
    return bytes == known.of(o).bytes;
  });
}

/// Parts of what the rank got, no byte twice; where contents can be known they have to be what it got.
bool hands_out(const known_messages& known, const stream_operation& got,
               std::span<const stream_operation> sent) {
  const message& m = known.of(got);
  const rank_recording& r = known.recorded.recordings[known.table.recording_of_rank[m.to]];
  const auto whole = memory_runs(r, r.calls[m.recv_call], m.bytes);
  if (whole.size() != 1)
    return false;
  std::vector<graphs::segment> parts;
  for (const stream_operation& o : sent) {
    const std::uint64_t bytes = known.of(o).bytes;
    const auto runs = memory_runs(r, known.sent_by(o.message), bytes);
    if (runs.size() != 1 || !known.is_hashed(o.message) ||
        (bytes >= known.smallest_evidence && known.data.own_bytes[o.message] > 0))
      return false;
    parts.push_back(runs[0]);
  }
  std::ranges::sort(parts, {}, &graphs::segment::address);
  std::uint64_t at = whole[0].address;
  for (const graphs::segment& part : parts) {
    if (part.address < at)
      return false;
    at = part.address + part.length;
  }
  return at <= whole[0].address + whole[0].length;
}

/// Blocks that each rank has of its own, or keeps.
struct kept_blocks {
  bool equal = true;
  std::uint64_t bytes = 0;
  bool add(std::uint64_t block) {
    equal = equal && (bytes == 0 || bytes == block);
    bytes = block;
    return block > 0;
  }
};

/// The rank, which is not the root, receives first; then only sends follow.
std::span<const stream_operation> sends_after_receive(const stream& in, std::uint32_t rank,
                                                      std::uint32_t count) {
  const auto next = in.next(rank, count + 1);
  if (next.size() != count + 1 || std::ranges::any_of(next.subspan(1), &stream_operation::receives))
    return {};
  return next.subspan(1);
}

} // namespace

std::optional<shaped_portion> central_barrier(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks();
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const auto first = in.next(r, 1);
    if (first.empty() || known.of(first[0]).bytes > 0)
      return {};
  }
  std::vector<std::uint32_t> parent(ranks, none);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const auto ahead = in.next(r, 2 * ranks);
    const auto send = std::find_if(ahead.begin(), ahead.end(), [](const auto& o) { return !o.receives; });
    if (send == ahead.end())
      return {};
    parent[r] = send->peer;
  }
  for (std::uint32_t r = 0; r < ranks; ++r) // the root first answers a rank whose parent it is
    if (parent[parent[r]] == r && in.next(r, 1)[0].receives)
      if (auto found = up_and_down(known, in, r, parent))
        return found;
  return {};
}

std::optional<shaped_portion> tree_to_root(const known_messages& known, const stream& in) {
  return find_tree_to_root(in, [&](const auto& parent, std::uint32_t root, const portion& count) {
    const auto shape = shape_to_root(known, in, parent, root, count);
    return shape ? std::optional(shaped_portion{count, *shape, pattern::gather, root}) : std::nullopt;
  });
}

std::optional<shaped_portion> blocks_to_root(const known_messages& known, const stream& in) {
  return find_tree_to_root(
      in, [&](const auto&, std::uint32_t root, const portion& count) -> std::optional<shaped_portion> {
        kept_blocks own;
        bool inner = false;
        for (std::uint32_t r = 0; r < in.ranks(); ++r) {
          if (r == root)
            continue;
          const auto all = in.next(r, count[r]);
          const auto got = all.first(all.size() - 1);
          const std::uint64_t bytes = known.of(all.back()).bytes, from_others = bytes_of(known, got);
          if (bytes <= from_others || !own.add(bytes - from_others) || !known.is_hashed(all.back().message) ||
              !hands_on(known, all.back().message, got))
            return {};
          inner = inner || !got.empty();
        }
        const pattern kind = own.equal ? pattern::gather : pattern::gatherv;
        return inner ? std::optional(shaped_portion{count, message_shape::no_shape, kind, root})
                     : std::nullopt;
      });
}

std::optional<shaped_portion> blocks_from_root(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks();
  for (std::uint32_t root = 0; root < ranks; ++root) {
    const auto first = in.next(root, 1);
    if (first.empty() || first[0].receives)
      continue;
    std::vector<std::uint32_t> children(ranks, 0), parent(ranks, none);
    bool tree = true;
    for (std::uint32_t r = 0; r < ranks && tree; ++r) {
      const auto got = in.next(r, 1);
      if (r == root)
        continue;
      tree = !got.empty() && got[0].receives && known.of(got[0]).bytes > 0;
      if (tree)
        ++children[parent[r] = got[0].peer];
    }
    if (!tree || !every_rank_reaches(root, parent))
      continue;
    kept_blocks kept;
    bool inner = false;
    portion count(ranks);
    for (std::uint32_t r = 0; r < ranks && tree; ++r) {
      count[r] = children[r] + (r == root ? 0 : 1);
      if (r == root)
        continue;
      const auto sent = sends_after_receive(in, r, children[r]);
      const stream_operation& got = in.next(r, 1)[0];
      tree = sent.size() == children[r] && bytes_of(known, sent) < known.of(got).bytes &&
             hands_out(known, got, sent) && kept.add(known.of(got).bytes - bytes_of(known, sent));
      inner = inner || children[r] > 0;
    }
    const pattern kind = kept.equal ? pattern::scatter : pattern::scatterv;
    if (tree && inner)
      if (auto found = if_closed(in, {count, message_shape::no_shape, kind, root}))
        return found;
  }
  return {};
}

std::optional<shaped_portion> tree_from_root(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks();
  for (std::uint32_t root = 0; root < ranks; ++root) {
    const auto first = in.next(root, 1);
    if (first.empty() || first[0].receives)
      continue;
    std::vector<std::uint32_t> children(ranks, 0), parent(ranks, none);
    bool tree = known.of(first[0]).bytes > 0 && known.is_hashed(first[0].message);
    const std::uint64_t bytes = known.of(first[0]).bytes, hash = known.sent_by(first[0].message).hash;
    for (std::uint32_t r = 0; r < ranks && tree; ++r) {
      const auto got = in.next(r, 1);
      if (r == root)
        continue;
      tree = !got.empty() && got[0].receives && known.of(got[0]).bytes == bytes &&
             known.is_hashed(got[0].message) && known.sent_by(got[0].message).hash == hash;
      if (!tree)
        break;
      parent[r] = got[0].peer;
      ++children[parent[r]];
    }
    if (!tree || !every_rank_reaches(root, parent))
      continue;
    portion count(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r)
      count[r] = children[r] + (r == root ? 0 : 1);
    if (auto found = if_closed(in, {count, message_shape::no_shape, pattern::bcast, root}))
      return found;
  }
  return {};
}

} // namespace tacit::recordings
