// Collectives of all ranks as a program might write them: blocks in several pieces, at different places at each rank, cut into
// several messages, some of them by way of a third rank, with copies through memory that is scratch, or not among what is declared to be
// read afterwards. `spoiled` makes it not quite one.
#pragma once

#include "graphs/graph/graph.h"
#include "vocabulary/calls/patterns.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tacit::test {

using namespace graphs;

class disguised_collective {
public:
  explicit disguised_collective(std::uint64_t seed) : random_(seed) {}

  pattern kind = pattern::bcast;
  rank_id root{0};
  bool declared = false;   ///< what is read afterwards, and nothing is scratch
  std::uint64_t block = 1; ///< bytes of a block; of the largest one, if they differ

  graph make(std::uint32_t least_ranks, std::uint32_t most_ranks, bool spoiled) {
    const std::uint32_t p = least_ranks + below(most_ranks - least_ranks + 1);
    constexpr pattern kinds[] = {pattern::bcast, pattern::scatter, pattern::gather, pattern::allgather,
                                 pattern::alltoall};
    kind = kinds[below(5)];
    root = rank_id{below(p)};
    next_.assign(p, 0x1000);
    choose_lengths(p);
    graph g(p);
    order_.clear();
    wrong_ = spoiled ? 1 + below(3) : 0;
    wrong_pair_ = below(p * p);
    in_pieces_ = below(3) == 0;
    declared = below(4) == 0;
    std::vector<std::uint32_t> all(p);
    for (std::uint32_t r = 0; r < p; ++r)
      all[r] = p - 1 - r;
    add_communicator(g, all);
    std::vector<std::vector<segment>> shared(p);
    for (std::uint32_t from = 0; from < p; ++from)
      if (is_shared(kind))
        shared[from] = pieces(from, length(from, from));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t from = 0; from < p; ++from)
      for (std::uint32_t to = 0; to < p; ++to)
        if (from != to && sends(from, to))
          pairs.emplace_back(from, to);
    std::shuffle(pairs.begin(), pairs.end(), random_);
    for (const auto& [from, to] : pairs)
      add_pair(g, from, to, is_shared(kind) ? shared[from] : pieces(from, length(from, to)));
    return g;
  }

  /// Up to three patterns, of all ranks or of some, one after the other or side by side, that may pass on what the one before has brought.
  graph make_several(std::uint32_t least_ranks, std::uint32_t most_ranks) {
    const std::uint32_t p = least_ranks + below(most_ranks - least_ranks + 1);
    graph g(p);
    next_.assign(p, 0x1000);
    brought_.assign(p, {});
    wrong_ = 0;
    declared = below(4) == 0;
    for (std::uint32_t patterns = 1 + below(3); patterns > 0; --patterns)
      add_pattern(g);
    return g;
  }

private:
  struct brought_bytes {
    std::vector<segment> bytes;
    op_id by = no_op;
  };
  void add_pattern(graph& g) {
    const std::uint32_t p = g.ranks();
    constexpr pattern kinds[] = {pattern::bcast,     pattern::scatter,  pattern::gather,
                                 pattern::allgather, pattern::alltoall, pattern::barrier};
    kind = kinds[below(6)];
    const bool ring = kind == pattern::barrier; // which has no bytes
    std::vector<std::uint32_t> members(p);
    for (std::uint32_t r = 0; r < p; ++r)
      members[r] = r;
    std::shuffle(members.begin(), members.end(), random_);
    if (below(2) == 0)
      members.resize(2 + below(p - 1));
    const auto n = static_cast<std::uint32_t>(members.size());
    root = rank_id{members[below(n)]};
    in_pieces_ = below(3) == 0;
    choose_lengths(p);
    add_communicator(g, members);
    const bool pass_on = below(3) == 0;
    std::vector<brought_bytes> shared(p);
    for (const std::uint32_t r : members)
      if (pass_on && !brought_[r].bytes.empty())
        shared[r] = brought_[r];
      else if (is_shared(kind))
        shared[r] = {pieces(r, length(r, r)), no_op};
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t from = members[i], to = members[k];
        if (from == to || !(ring ? k == (i + 1) % n : sends(from, to)))
          continue;
        if (shared[from].bytes.empty())
          add_pair(g, from, to, pieces(from, length(from, to)));
        else
          add_pair(g, from, to, shared[from].bytes, shared[from].by);
      }
  }
  /// One time in three.
  void add_communicator(graph& g, const std::vector<std::uint32_t>& members) {
    comm_ = world;
    members_.clear();
    if (below(3) != 0)
      return;
    for (const std::uint32_t r : members)
      members_.push_back(rank_id{r});
    comm_ = g.add_communicator("group " + std::to_string(g.communicators().size()), members_);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool sends(std::uint32_t from, std::uint32_t to) const {
    switch (row_of(kind).moves) {
    case signature::root_to_all:
    case signature::root_to_each:
      return rank_id{from} == root;
    case signature::each_to_root:
      return rank_id{to} == root;
    default:
      return true;
    }
  }
  /// One of three has blocks that may differ, be it by few bytes.
  void choose_lengths(std::uint32_t p) {
    block = 1 + below(40);
    lengths_.assign(std::size_t{p} * p, block);
    if (kind == pattern::bcast || below(3) != 0)
      return;
    const std::uint32_t most = below(2) == 0 ? 3 : 40;
    for (std::uint32_t from = 0; from < p; ++from)
      for (std::uint32_t to = 0; to < p; ++to)
        lengths_[from * p + to] = is_shared(kind) && to > 0 ? lengths_[from * p] : 1 + below(most);
    std::uint64_t least = ~std::uint64_t{0};
    block = 0;
    for (std::uint32_t from = 0; from < p; ++from)
      for (std::uint32_t to = 0; to < p; ++to)
        if (from != to && sends(from, to)) {
          block = std::max(block, lengths_[from * p + to]);
          least = std::min(least, lengths_[from * p + to]);
        }
    if (block != least)
      kind = row_of(kind).vector;
  }
  std::uint64_t length(std::uint32_t from, std::uint32_t to) const {
    return lengths_[from * next_.size() + to];
  }
  std::uint64_t take(std::uint32_t r, std::uint64_t length) {
    next_[r] += below(3) == 0 ? below(9) : 0;
    next_[r] += length;
    return next_[r] - length;
  }
  /// Fresh memory of a rank, in pieces that may lie apart and in any order.
  std::vector<segment> pieces(std::uint32_t r, std::uint64_t length) {
    std::vector<segment> out;
    while (length > 0) {
      const std::uint64_t one = in_pieces_ ? std::min<std::uint64_t>(length, 1 + below(12)) : length;
      out.push_back({take(r, one), one});
      length -= one;
    }
    if (below(2) == 0)
      std::shuffle(out.begin(), out.end(), random_);
    return out;
  }
  void message(graph& g, std::uint32_t from, const std::vector<segment>& what, std::uint32_t to,
               const std::vector<segment>& into, op_id after, op_id* got) {
    const std::int32_t tag = static_cast<std::int32_t>(below(3));
    const comm_id comm = comm_of_message(from, to);
    const op_id send = g.send(rank_id{from}, what, rank_id{to}, tag, comm);
    if (after != no_op)
      g.depend(after, send);
    *got = g.recv(rank_id{to}, into, rank_id{from}, tag, comm);
  }
  /// Some of the messages between the members of a communicator go on it.
  comm_id comm_of_message(std::uint32_t from, std::uint32_t to) {
    const auto is_member = [&](std::uint32_t r) {
      return std::find(members_.begin(), members_.end(), rank_id{r}) != members_.end();
    };
    return is_member(from) && is_member(to) && below(4) != 0 ? comm_ : world;
  }
  void scratch(graph& g, std::uint32_t r, const segment& bytes) const {
    if (!declared)
      g.scratch(rank_id{r}, bytes);
  }
  /// One message, or one for each piece, straight or by way of another rank.
  void add_pair(graph& g, std::uint32_t from, std::uint32_t to, std::vector<segment> what,
                op_id behind = no_op) {
    const bool wrong = wrong_ != 0 && wrong_pair_ % (g.ranks() * g.ranks()) == from * g.ranks() + to;
    if (wrong && wrong_ == 1)
      return;
    if (wrong && wrong_ == 2)
      what.push_back({take(from, 3), 3});
    if (wrong && wrong_ == 3)
      what = pieces(from, length(from, to)); // of which a broadcast knows nothing
    std::vector<std::vector<segment>> messages;
    if (below(3) == 0)
      for (const segment& s : what)
        messages.push_back({s});
    else
      messages.push_back(what);
    for (const std::vector<segment>& m : messages) {
      const std::uint64_t length = total_length(m);
      std::uint32_t by = below(4) == 0 ? below(g.ranks()) : from;
      op_id last = behind;
      std::vector<segment> held = m;
      if (by != from && by != to) {
        const segment there{take(by, length), length};
        message(g, from, m, by, {there}, behind, &last);
        scratch(g, by, there);
        held = {there};
        if (below(2) == 0) {
          const segment again{take(by, length), length};
          const op_id copied = g.copy(rank_id{by}, held, std::vector{again});
          g.depend(last, copied);
          scratch(g, by, again);
          held = {again};
          last = copied;
        }
      } else {
        by = from;
      }
      op_id got = no_op;
      const std::vector<segment> into = pieces(to, length);
      for (std::size_t i = 0; i < into.size() && declared; ++i)
        g.live_out(rank_id{to}, into[i]);
      message(g, by, held, to, into, last, &got);
      if (!brought_.empty())
        brought_[to] = {into, got};
    }
  }

  std::mt19937_64 random_;
  std::vector<std::uint64_t> next_;
  std::vector<brought_bytes> brought_; ///< to each rank by the last message, if patterns may pass it on
  std::vector<std::uint64_t> lengths_; ///< by source and destination
  std::vector<op_id> order_;
  comm_id comm_ = world;
  std::vector<rank_id> members_; ///< of it, if it is another one
  std::uint32_t wrong_ = 0, wrong_pair_ = 0;
  bool in_pieces_ = false;
};

} // namespace tacit::test
