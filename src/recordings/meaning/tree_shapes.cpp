// Trees: to a root, from it, and to it and back.
#include "recordings/meaning/known_shapes.h"

#include <algorithm>
#include <set>
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
  if (next.size() != 2 * up)
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
    if (const auto shape = shape_to_root(known, in, parent, root, count))
      if (auto found = if_closed(in, {count, *shape, pattern::gather, root}))
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
