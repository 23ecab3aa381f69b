// The signatures of the collectives in what ranks get (seed 000 section 2.4, Appendix B), for p ranks, B bytes from one rank to another:
//
//   bcast      all but the root get B bytes from the root alone, all the same ones
//   scatter    all but the root get B bytes from the root alone, and none goes to all of them
//   gather     the root alone gets anything: B bytes from every other rank
//   allgather  every rank gets B bytes from every other one, and each sends all the same ones
//   alltoall   every rank gets B bytes from every other one, and none goes to all others
//
// With blocks of different lengths they are the vector collectives. What graphs/detect finds then depends on the pieces that blocks consist
// of: lengths that all have in common, or parts of blocks that add up to the smallest one, would make a collective with equal blocks, and
// one of what is left. Neither is there if two blocks that are one piece each differ, which two minima tell; else this is refused. An
// allgatherv is known only if all blocks are one piece, as their pieces are cut where any receiver's are.
//
// Which of two that differ in what is sent only is told by the origins, who hear from their receivers. Between bcast and scatter a hash
// tells what to expect; every receiver then compares bytes with those that rank 0 or 1 has proposed, so a collision is a refusal.
#include "graphs/part/facts.h"

#include "graphs/graph/segments.h"
#include "graphs/plan/plan.h"
#include "vocabulary/base/hash.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tacit::graphs {

namespace {

std::uint64_t last_byte_of(const segment& s) {
  return s.address + (s.length - 1);
}

/// Adjacent pieces joined; true if some byte is in two of them. `bytes` is not empty.
bool join_sorted(std::vector<segment>& bytes) {
  const auto before = [](const segment& a, const segment& b) { return a.address < b.address; };
  if (!std::is_sorted(bytes.begin(), bytes.end(), before))
    std::sort(bytes.begin(), bytes.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i].address <= last_byte_of(bytes[kept]))
      return true;
    if (bytes[i].address == last_byte_of(bytes[kept]) + 1)
      bytes[kept].length += bytes[i].length;
    else
      bytes[++kept] = bytes[i];
  }
  bytes.resize(kept + 1);
  return false;
}

/// Not negative, and less than what `least_hash` starts from.
std::int64_t hash_of(const std::vector<segment>& bytes) {
  static_assert(std::has_unique_object_representations_v<segment>);
  return static_cast<std::int64_t>(vocabulary::hash_of(bytes.data(), bytes.size() * sizeof(segment)) >> 3);
}

bool is_reserved(std::span<const segment> list) {
  return std::any_of(list.begin(), list.end(), [](const segment& s) {
    return s.length > 0 && (last_byte_of(s) >= user_memory_end || last_byte_of(s) < s.address);
  });
}

/// What is sent to one rank at once is one message, of fewer bytes than an int counts.
constexpr std::size_t most_operations = std::size_t{1} << 25;

/// Who waits for ever may do so because of what another rank refuses, which is told then.
constexpr std::int64_t behind_others = 1ll << 40;

/// What the lowest rank says counts, but reasons that leave another way only if there are no others.
std::int64_t level_of(part_refusal why) {
  return why == part_refusal::stuck ? behind_others : is_about_shape(why) ? 2 * behind_others : 0;
}

void add_source(received& to, rank_id source) {
  to.from.push_back({source, {}});
  to.pieces.push_back(0);
}

/// The pattern in which one block goes to all where this one has a block for each.
pattern shared_of(pattern kind) {
  switch (kind) {
  case pattern::scatter:
    return pattern::bcast;
  case pattern::alltoallv:
    return pattern::allgatherv;
  default:
    return pattern::allgather;
  }
}

bool has_no_bytes(const graph& g, std::uint32_t op) {
  return total_length(g.reads(op_id{op})) == 0;
}

} // namespace

received sort_by_source(std::span<const transfer> list, rank_id self) {
  received out;
  std::vector<std::uint32_t> order(list.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return list[a].source < list[b].source; });
  for (const std::uint32_t i : order) {
    const transfer& t = list[i];
    if (t.source == self)
      out.why = part_refusal::local_moves;
    if (out.from.empty() || out.from.back().source != t.source)
      add_source(out, t.source);
    out.from.back().bytes.push_back({t.source_address, t.length});
    ++out.pieces.back();
  }
  for (taken_bytes& t : out.from)
    if (join_sorted(t.bytes) && out.why == part_refusal::none)
      out.why = part_refusal::repeated;
  return out;
}

proposal proposal_of(const std::vector<segment>& bytes) {
  proposal out;
  if (bytes.size() > proposal::most_pieces)
    return out;
  out.pieces = static_cast<std::int64_t>(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out.bytes[2 * i] = bytes[i].address;
    out.bytes[2 * i + 1] = bytes[i].length;
  }
  return out;
}

std::vector<segment> bytes_of(const proposal& p) {
  std::vector<segment> out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max<std::int64_t>(p.pieces, 0)); ++i)
    out.push_back({p.bytes[2 * i], p.bytes[2 * i + 1]});
  return out;
}

part_facts facts_of(const received& mine, rank_id self, std::uint32_t ranks, std::uint64_t operations,
                    std::uint64_t transfers) {
  part_facts out;
  out.operations = static_cast<std::int64_t>(operations);
  out.transfers = static_cast<std::int64_t>(transfers);
  refuse(out, self, mine.why);
  if (mine.why != part_refusal::none || mine.from.empty())
    return out;
  out.receivers = 1;
  for (std::size_t i = 0; i < mine.from.size(); ++i) {
    const auto bytes = static_cast<std::int64_t>(total_length(mine.from[i].bytes));
    out.least_bytes = std::min(out.least_bytes, bytes);
    out.most_bytes = std::max(out.most_bytes, bytes);
    out.most_pieces = std::max(out.most_pieces, static_cast<std::int64_t>(mine.pieces[i]));
    if (mine.pieces[i] > 1)
      continue;
    out.least_whole = std::min(out.least_whole, bytes);
    out.most_whole = std::max(out.most_whole, bytes);
  }
  if (mine.from.size() + 1 == ranks) {
    out.from_all = 1;
    out.last_from_all = static_cast<std::int64_t>(index(self));
  }
  if (mine.from.size() == 1) {
    out.from_one = 1;
    out.least_source = out.largest_source = static_cast<std::int64_t>(index(mine.from.front().source));
    out.least_hash = out.most_hash = hash_of(mine.from.front().bytes);
    if (index(self) < out.proposed.size())
      out.proposed[index(self)] = proposal_of(mine.from.front().bytes);
  }
  return out;
}

void refuse(part_facts& mine, rank_id self, part_refusal why) {
  if (why == part_refusal::none || mine.why != 0)
    return;
  mine.refused_rank = static_cast<std::int64_t>(index(self)) + level_of(why);
  mine.why = static_cast<std::int64_t>(why);
}

int refused_by(const part_facts& all) {
  return static_cast<int>(all.refused_rank % behind_others);
}

void merge(part_facts& into, const part_facts& other) {
  if (other.refused_rank < into.refused_rank) {
    into.refused_rank = other.refused_rank;
    into.why = other.why;
  }
  into.operations += other.operations;
  into.transfers += other.transfers;
  into.receivers += other.receivers;
  into.from_one += other.from_one;
  into.from_all += other.from_all;
  for (const auto least : {&part_facts::least_source, &part_facts::least_bytes, &part_facts::least_hash,
                           &part_facts::least_shared, &part_facts::least_whole})
    into.*least = std::min(into.*least, other.*least);
  for (const auto most :
       {&part_facts::largest_source, &part_facts::last_from_all, &part_facts::most_bytes,
        &part_facts::most_hash, &part_facts::most_shared, &part_facts::most_whole, &part_facts::most_pieces})
    into.*most = std::max(into.*most, other.*most);
  for (std::size_t i = 0; i < into.proposed.size(); ++i)
    if (other.proposed[i].pieces >= 0)
      into.proposed[i] = other.proposed[i];
}

part_finding finding_of(const part_facts& all, std::uint32_t ranks) {
  part_finding out;
  const auto refused = [&](part_refusal why) {
    out.why = why;
    return out;
  };
  if (all.why != 0)
    return refused(static_cast<part_refusal>(all.why));
  if (ranks < 3)
    return refused(part_refusal::few_ranks);
  if (all.receivers == 0)
    return refused(part_refusal::nothing_moves);
  const auto p = static_cast<std::int64_t>(ranks);
  const bool from_root =
      all.receivers == p - 1 && all.from_one == p - 1 && all.least_source == all.largest_source;
  const bool to_root = all.receivers == 1 && all.from_all == 1;
  const bool to_each = all.from_all == p;
  if (!from_root && !to_root && !to_each)
    return refused(part_refusal::not_full);
  const bool uniform = all.least_bytes == all.most_bytes;
  if (!uniform && all.least_whole >= all.most_whole)
    return refused(part_refusal::not_uniform);
  if (to_each && ranks > most_ranks_of_all_to_all)
    return refused(part_refusal::too_many);
  out.bytes = static_cast<std::uint64_t>(all.most_bytes);
  out.kind = to_each ? pattern::alltoall : to_root ? pattern::gather : pattern::scatter;
  if (!uniform)
    out.kind = row_of(out.kind).vector;
  out.claims = true;
  out.whole = all.most_pieces == 1;
  if (to_root)
    out.root = rank_id{static_cast<std::uint32_t>(all.last_from_all)};
  if (!from_root)
    return out;
  out.root = rank_id{static_cast<std::uint32_t>(all.least_source)};
  const proposal& said = all.proposed[out.root == rank_id{0} ? 1 : 0];
  if (uniform && all.least_hash == all.most_hash && said.pieces > 0) {
    out.kind = pattern::bcast;
    out.claims = false;
  }
  return out;
}

void add_shared(part_facts& mine, std::span<const taken_bytes> claimed) {
  if (claimed.size() < 2)
    return;
  bool same = true;
  std::vector<segment> common = claimed.front().bytes;
  for (const taken_bytes& t : claimed) {
    same = same && t.bytes == claimed.front().bytes;
    common = intersection(common, t.bytes);
  }
  const std::int64_t found = same ? 1 : common.empty() ? 2 : 3;
  mine.least_shared = std::min(mine.least_shared, found);
  mine.most_shared = std::max(mine.most_shared, found);
}

part_finding settle(part_finding before, const part_facts& all) {
  if (all.why != 0) {
    before.why = static_cast<part_refusal>(all.why);
    return before;
  }
  if (before.kind == pattern::gather || before.kind == pattern::gatherv)
    return before;
  if (all.least_shared != all.most_shared || all.most_shared > 2)
    before.why = part_refusal::mixed;
  else if (all.most_shared == 1 &&
           (before.kind == pattern::scatterv || (before.kind == pattern::alltoallv && !before.whole)))
    before.why = part_refusal::not_uniform;
  else if (all.most_shared == 1)
    before.kind = shared_of(before.kind);
  return before;
}

std::size_t lengths_to_tell(pattern kind, std::uint32_t ranks) {
  return is_uniform(kind) ? 0 : kind == pattern::alltoallv ? ranks : 1;
}

void tell_lengths(pattern kind, const received& mine, std::span<const taken_bytes> gives,
                  std::span<std::uint64_t> into) {
  std::fill(into.begin(), into.end(), 0);
  const bool by_source = kind == pattern::alltoallv;
  const std::span<const taken_bytes> told =
      by_source || kind == pattern::scatterv ? std::span<const taken_bytes>(mine.from) : gives;
  for (const taken_bytes& t : told)
    into[by_source ? index(t.source) : 0] = total_length(t.bytes);
}

std::uint64_t length_of_block(const part_finding& what, std::uint32_t ranks, std::uint32_t from,
                              std::uint32_t to) {
  switch (what.kind) {
  case pattern::gatherv:
  case pattern::allgatherv:
    return what.lengths[from];
  case pattern::scatterv:
    return what.lengths[to];
  case pattern::alltoallv:
    return what.lengths[std::size_t{to} * ranks + from];
  default:
    return what.bytes;
  }
}

part_refusal refusal_of(const graph& part) {
  if (part.ranks() < 3)
    return part_refusal::few_ranks;
  if (part.size() > most_operations)
    return part_refusal::budget;
  if (!part.made_pairs().empty() || part.has_fences() || part.has_reductions())
    return part_refusal::kinds;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    const operation& o = part.operations()[i];
    if (o.kind == op_kind::opaque)
      return part_refusal::kinds;
    if (o.kind == op_kind::send && has_no_bytes(part, i))
      return part_refusal::synchronizing;
    if (o.kind == op_kind::copy && has_no_bytes(part, i) && !part.dependencies().empty())
      return part_refusal::synchronizing;
    if (is_reserved(part.reads(op_id{i})) || is_reserved(part.writes(op_id{i})))
      return part_refusal::malformed;
  }
  const auto reserved = [](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const auto& one) { return is_reserved(std::span(&one.second, 1)); });
  };
  if (reserved(part.scratch_bytes()) || reserved(part.live_out_bytes()))
    return part_refusal::malformed;
  return has_errors(check_operations(part)) ? part_refusal::malformed : part_refusal::none;
}

} // namespace tacit::graphs
