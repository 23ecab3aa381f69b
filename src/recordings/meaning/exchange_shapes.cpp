// Shapes in which all ranks do alike: as many sends as receives, in rounds.
//
// In an allreduce by recursive doubling the ranks of each group that has exchanged hold the same value, so they send the same
// bytes on; the same exchanges in a halo send different ones. In an allgather by recursive doubling each rank sends all that it has,
// twice as much each time, and in Bruck's algorithm to the rank 2^k before it: that is seen by memory where blocks are too small to be
// known by content.
#include "graphs/detect/detect.h"
#include "recordings/meaning/known_shapes.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace tacit::recordings {
namespace {

/// The k-th send and receive of a rank among its next operations.
struct step {
  const stream_operation* send = nullptr;
  const stream_operation* receive = nullptr;
};
using all_ranks_steps = std::vector<std::vector<step>>;

/// Empty unless the next 2 · count operations of the rank are as many sends as receives.
std::vector<step> steps_of(const stream& in, std::uint32_t rank, std::uint32_t count) {
  const auto next = in.next(rank, 2 * count);
  if (next.size() != std::size_t{2} * count)
    return {};
  std::vector<step> steps(count);
  std::size_t sends = 0, receives = 0;
  for (const stream_operation& o : next) {
    std::size_t& at = o.receives ? receives : sends;
    if (at == count)
      return {};
    (o.receives ? steps[at].receive : steps[at].send) = &o;
    ++at;
  }
  return steps;
}

/// Those of all ranks; empty if one has none.
all_ranks_steps all_steps(const stream& in, std::uint32_t count) {
  all_ranks_steps all;
  for (std::uint32_t r = 0; r < in.ranks(); ++r) {
    all.push_back(steps_of(in, r, count));
    if (all.back().empty())
      return {};
  }
  return all;
}

std::uint32_t rounds_of_doubling(std::uint32_t ranks) {
  return static_cast<std::uint32_t>(std::bit_width(ranks - 1));
}

/// From the second step on, ranks that have exchanged with each other send the same bytes; in the first one they
/// do not all.
bool agrees_by_groups(const known_messages& known, const all_ranks_steps& steps) {
  bool differ = false;
  std::uint32_t mask = 0;
  for (std::uint32_t k = 0; k < steps[0].size(); ++k) {
    for (std::uint32_t r = 0; r < steps.size(); ++r) {
      const std::uint32_t id = steps[r][k].send->message, first = steps[r & ~mask][k].send->message;
      if (!known.is_hashed(id) || !known.is_hashed(first))
        return false;
      if (known.sent_by(id).hash != known.sent_by(first).hash)
        return false;
      differ = differ || (k == 0 && known.sent_by(id).hash != known.sent_by(steps[0][0].send->message).hash);
    }
    mask |= steps[0][k].send->peer;
  }
  return differ;
}

bool nothing_passed_on(const known_messages& known, const all_ranks_steps& steps) {
  for (const auto& rank : steps)
    for (const step& s : rank)
      if (known.passes_on(s.send->message) || !known.is_hashed(s.send->message))
        return false;
  return true;
}

/// No two sends of the next operations read the same memory.
bool sends_from_everywhere_else(const known_messages& known, const stream& in, std::uint32_t rank,
                                std::uint32_t count) {
  std::vector<graphs::segment> read;
  for (const stream_operation& o : in.next(rank, count)) {
    if (o.receives)
      continue;
    const message& m = known.of(o);
    const rank_recording& r = known.recorded.recordings[known.table.recording_of_rank[m.from]];
    const std::vector<graphs::segment> runs = sorted_memory_runs(r, r.calls[m.send_call], m.bytes);
    read.insert(read.end(), runs.begin(), runs.end());
  }
  std::sort(read.begin(), read.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  for (std::size_t i = 1; i < read.size(); ++i)
    if (read[i - 1].address + read[i - 1].length > read[i].address)
      return false;
  return !read.empty();
}

/// A send of the next operations reads where an earlier one of them received.
bool sends_what_came(const known_messages& known, const stream& in, std::uint32_t rank, std::uint32_t count) {
  std::vector<graphs::segment> came;
  for (const stream_operation& o : in.next(rank, count)) {
    const message& m = known.of(o);
    const rank_recording& r =
        known.recorded.recordings[known.table.recording_of_rank[o.receives ? m.to : m.from]];
    for (const graphs::segment& s :
         sorted_memory_runs(r, r.calls[o.receives ? m.recv_call : m.send_call], m.bytes)) {
      if (o.receives)
        came.push_back(s);
      else if (std::any_of(came.begin(), came.end(), [&](const graphs::segment& c) {
                 return c.address < s.address + s.length && s.address < c.address + c.length;
               }))
        return true;
    }
  }
  return false;
}

/// Each block arrives where the last one did.
bool receives_into_one_place(const known_messages& known, const std::vector<step>& steps) {
  const call& first = known.received_by(steps[0].receive->message);
  return std::all_of(steps.begin(), steps.end(), [&](const step& s) {
    const call& c = known.received_by(s.receive->message);
    return c.allocation == first.allocation && c.offset == first.offset;
  });
}

/// Lowest and highest address of what a rank sends or receives.
bool hull_of(const known_messages& known, const stream_operation& o, std::uint64_t& begin,
             std::uint64_t& end) {
  const message& m = known.of(o);
  const rank_recording& r =
      known.recorded.recordings[known.table.recording_of_rank[o.receives ? m.to : m.from]];
  return memory_hull(r, r.calls[o.receives ? m.recv_call : m.send_call], begin, end);
}

/// Each send reads exactly the memory of the step before: what was sent there and what was received.
bool sends_all_it_has(const known_messages& known, const all_ranks_steps& steps) {
  for (const auto& rank : steps)
    for (std::size_t k = 1; k < rank.size(); ++k) {
      std::uint64_t begin = 0, end = 0, sent = 0, sent_end = 0, got = 0, got_end = 0;
      if (!hull_of(known, *rank[k].send, begin, end) || !hull_of(known, *rank[k - 1].send, sent, sent_end) ||
          !hull_of(known, *rank[k - 1].receive, got, got_end))
        return false;
      const bool side_by_side = sent_end == got || got_end == sent;
      if (!side_by_side || begin != std::min(sent, got) || end != std::max(sent_end, got_end))
        return false;
    }
  return true;
}

} // namespace

std::optional<shaped_portion> exchanges_by_bits(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks();
  if (!std::has_single_bit(ranks) || ranks < 4)
    return {};
  const std::uint32_t rounds = rounds_of_doubling(ranks);
  const auto steps = all_steps(in, rounds);
  if (steps.empty())
    return {};
  std::uint32_t seen = 0;
  std::vector<std::uint64_t> bytes;
  for (std::uint32_t k = 0; k < rounds; ++k) {
    const std::uint32_t bit = steps[0][k].send->peer;
    if (!std::has_single_bit(bit) || (seen & bit) != 0)
      return {};
    seen |= bit;
    bytes.push_back(known.of(*steps[0][k].send).bytes);
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (steps[r][k].send->peer != (r ^ bit) || steps[r][k].receive->peer != (r ^ bit) ||
          known.of(*steps[r][k].send).bytes != bytes[k])
        return {};
  }
  const portion all(ranks, 2 * rounds);
  const auto sizes = [&](auto&& next) {
    for (std::uint32_t k = 1; k < rounds; ++k)
      if (bytes[k] != next(bytes[k - 1]))
        return false;
    return true;
  };
  if (sizes([](std::uint64_t b) { return b; })) {
    if (bytes[0] == 0)
      return if_closed(in, {all, message_shape::no_shape, pattern::barrier});
    return agrees_by_groups(known, steps) ? if_closed(in, {all, message_shape::allreduce}) : std::nullopt;
  }
  if (sizes([](std::uint64_t b) { return 2 * b; }))
    return sends_all_it_has(known, steps) ? if_closed(in, {all, message_shape::no_shape, pattern::allgather})
                                          : std::nullopt;
  if (bytes.back() > 0 && sizes([](std::uint64_t b) { return b / 2; }))
    return nothing_passed_on(known, steps) ? if_closed(in, {all, message_shape::reduce_scatter})
                                           : std::nullopt;
  return {};
}

std::optional<shaped_portion> blocks_by_doubling(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks(), rounds = rounds_of_doubling(ranks);
  const auto steps = all_steps(in, rounds);
  if (ranks < 4 || steps.empty())
    return {};
  const bool upward = steps[0][0].send->peer == 1; // to the rank so many further on, else so many before
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::uint64_t block = known.of(*steps[r][0].send).bytes;
    std::uint64_t own = 0, own_end = 0;
    if (block == 0 || block != known.of(*steps[0][0].send).bytes ||
        !hull_of(known, *steps[r][0].send, own, own_end))
      return {};
    for (std::uint32_t k = 0; k < rounds; ++k) {
      const std::uint32_t have = 1u << k, count = std::min(have, ranks - have);
      const std::uint32_t up = (r + have) % ranks, down = (r + ranks - have) % ranks;
      std::uint64_t sent = 0, sent_end = 0, got = 0, got_end = 0;
      if (steps[r][k].send->peer != (upward ? up : down) ||
          steps[r][k].receive->peer != (upward ? down : up) ||
          known.of(*steps[r][k].send).bytes != count * block ||
          !hull_of(known, *steps[r][k].send, sent, sent_end) ||
          !hull_of(known, *steps[r][k].receive, got, got_end) || sent != own ||
          sent_end - sent != count * block || got != own + have * block)
        return {};
      if (block >= known.smallest_evidence && known.data.own_bytes[steps[r][k].send->message] > block)
        return {}; // what came was changed
    }
  }
  return if_closed(in, {portion(ranks, 2 * rounds), message_shape::no_shape, pattern::allgather});
}

std::optional<shaped_portion> dissemination(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks(), rounds = rounds_of_doubling(ranks);
  const auto steps = all_steps(in, rounds);
  if (steps.empty())
    return {};
  for (std::uint32_t k = 0; k < rounds; ++k)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const std::uint32_t by = 1u << k;
      if (known.of(*steps[r][k].send).bytes > 0 || steps[r][k].send->peer != (r + by) % ranks ||
          steps[r][k].receive->peer != (r + ranks - by) % ranks)
        return {};
    }
  return if_closed(in, {portion(ranks, 2 * rounds), message_shape::no_shape, pattern::barrier});
}

std::optional<shaped_portion> every_pair(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks();
  const auto steps = all_steps(in, ranks - 1);
  if (steps.empty())
    return {};
  bool equal = true, shared = true, apart = true, one_place = true, equal_at_each = true;
  std::uint32_t empty = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<bool> to(ranks, false), from(ranks, false);
    for (const step& s : steps[r]) {
      const bool has_data = known.of(*s.send).bytes > 0;
      if (to[s.send->peer] || from[s.receive->peer] || s.send->peer == r ||
          (has_data && (!known.is_hashed(s.send->message) || known.passes_on(s.send->message))))
        return {};
      to[s.send->peer] = from[s.receive->peer] = true;
      empty += has_data ? 0 : 1;
      equal = equal && known.of(*s.send).bytes == known.of(*steps[0][0].send).bytes;
      shared = shared && known.sent_by(s.send->message).hash == known.sent_by(steps[r][0].send->message).hash;
    }
    if (sends_what_came(known, in, r, 2 * (ranks - 1)))
      return {};
    apart = apart && sends_from_everywhere_else(known, in, r, 2 * (ranks - 1));
    one_place = one_place && receives_into_one_place(known, steps[r]);
    for (const step& s : steps[r])
      equal_at_each = equal_at_each && known.of(*s.receive).bytes == known.of(*steps[r][0].receive).bytes;
  }
  if (static_cast<double>(empty) > (1 - graphs::default_density) * ranks * (ranks - 1))
    return {}; // rather signals than blocks
  shaped_portion found{portion(ranks, 2 * (ranks - 1))};
  message_shape shape = equal ? message_shape::alltoall : message_shape::alltoallv;
  if (one_place && equal_at_each)
    shape = equal ? message_shape::alltoall_or_reduce_scatter : message_shape::alltoallv_or_reduce_scatter;
  if (shared && !apart) {
    found.kind = equal ? pattern::allgather : pattern::allgatherv;
    found.if_equal_by_chance = shape;
    if (one_place && equal)
      found.shape = message_shape::allgather_or_allreduce;
    return if_closed(in, std::move(found));
  }
  found.kind = equal ? pattern::alltoall : pattern::alltoallv;
  found.refilled =
      !apart; // one buffer, filled anew for each exchange: perhaps with what the last one brought
  if (found.refilled || (one_place && equal_at_each))
    found.shape = shape;
  return if_closed(in, std::move(found));
}

std::optional<shaped_portion> ring_of_chunks(const known_messages& known, const stream& in) {
  const std::uint32_t ranks = in.ranks();
  const auto steps = all_steps(in, ranks - 1);
  if (steps.empty())
    return {};
  const std::uint32_t by = (steps[0][0].send->peer + ranks) % ranks;
  if (by != 1 && by != ranks - 1)
    return {};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<graphs::segment> chunks;
    for (const step& s : steps[r]) {
      const std::uint32_t id = s.send->message;
      const bool next = s.send->peer == (r + by) % ranks && s.receive->peer == (r + ranks - by) % ranks;
      if (!next || known.table.messages[id].bytes == 0 || known.passes_on(id) || !known.is_hashed(id))
        return {};
      const auto runs =
          memory_runs(known.recorded.recordings[known.table.recording_of_rank[known.table.messages[id].from]],
                      known.sent_by(id), known.table.messages[id].bytes);
      if (runs.size() != 1)
        return {};
      chunks.push_back(runs[0]);
    }
    std::sort(chunks.begin(), chunks.end(),
              [](const auto& a, const auto& b) { return a.address < b.address; });
    for (std::size_t i = 1; i < chunks.size(); ++i)
      if (chunks[i - 1].address + chunks[i - 1].length > chunks[i].address)
        return {};
  }
  return if_closed(in, {portion(ranks, 2 * (ranks - 1)), message_shape::reduce_scatter});
}

} // namespace tacit::recordings
