// Random graphs as loops of programs make them: a linear collective, its memory laid out and its loops written in many ways, and then,
// often, one thing that is not as it should be.
#pragma once

#include "graphs/graph/graph.h"
#include "vocabulary/calls/patterns.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace tacit::test {

using namespace graphs;

struct loop_case {
  graph g{1};
  std::string what; ///< for messages of failing tests
  pattern kind = pattern::alltoall;
  bool spoiled = false;
  bool by_loops = true; ///< no order of messages was random
};

class loop_maker {
public:
  explicit loop_maker(std::uint64_t seed) : random_(seed) {}

  /// `ranks`: 0 for any number.
  loop_case make(std::uint32_t ranks = 0, bool spoils = true) {
    p_ = ranks > 0 ? ranks : 3 + below(7);
    kind_ =
        one_of({pattern::alltoall, pattern::allgather, pattern::bcast, pattern::scatter, pattern::gather});
    root_ = below(p_);
    length_ = 1 + below(12);
    tag_ = static_cast<std::int32_t>(below(3));
    own_ = below(2) == 0;
    ops_.assign(p_, {});
    loop_case out;
    for (std::uint32_t r = 0; r < p_; ++r)
      add_rank(r, out.by_loops);
    if (spoils && below(3) > 0)
      spoil(out);
    out.kind = kind_;
    out.what = std::to_string(p_) + " ranks, " + std::string(name(kind_)) + ", root " +
               std::to_string(root_) + ", " + std::to_string(length_) + " B, own " + std::to_string(own_) +
               " " + out.what;
    out.g = built();
    return out;
  }

private:
  struct op {
    op_kind kind;
    std::uint32_t peer;
    segment data;
    std::int32_t tag;
  };
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(list.size()));
  }
  bool sends(std::uint32_t from, std::uint32_t to) const {
    if (from == to)
      return own_ && (!is_rooted(kind_) || from == root_) && kind_ != pattern::bcast;
    switch (row_of(kind_).moves) {
    case signature::root_to_all:
    case signature::root_to_each:
      return from == root_;
    case signature::each_to_root:
      return to == root_;
    default:
      return true;
    }
  }

  /// Peers in the order of a loop.
  std::vector<std::uint32_t> order(std::uint32_t self, bool& by_loop) {
    std::vector<std::uint32_t> out(p_);
    const std::uint32_t first = one_of({0u, self + 1, self, below(p_)});
    const bool down = below(3) == 0;
    for (std::uint32_t k = 0; k < p_; ++k)
      out[k] = (first + (down ? p_ - k : k)) % p_;
    if (below(12) == 0) {
      std::shuffle(out.begin(), out.end(), random_);
      by_loop = false;
    }
    return out;
  }

  /// Addresses of blocks for all ranks, by the rank or by the iteration.
  std::vector<std::uint64_t> addresses(std::uint64_t base, const std::vector<std::uint32_t>& peers,
                                       bool shared) {
    const std::uint64_t distance = length_ + (below(3) == 0 ? below(5) : 0);
    const bool by_peer = below(3) > 0, down = below(6) == 0;
    std::vector<std::uint64_t> out(p_);
    for (std::uint32_t k = 0; k < p_; ++k) {
      const std::uint64_t at = by_peer ? peers[k] : k;
      out[peers[k]] = shared ? base : base + distance * (down ? p_ - at : at);
    }
    return out;
  }

  void add_rank(std::uint32_t self, bool& by_loops) {
    const std::vector<std::uint32_t> to = order(self, by_loops), from = below(2) ? to : order(self, by_loops);
    const bool shared = kind_ == pattern::allgather || kind_ == pattern::bcast;
    const auto out = addresses(0x1000 + 0x1000 * below(3), to, shared), in = addresses(0x8000, from, false);
    const auto add = [&](op_kind kind, std::uint32_t peer) {
      const bool there = kind == op_kind::send ? sends(self, peer) : sends(peer, self);
      const auto& at = kind == op_kind::send ? out : in;
      if (there)
        ops_[self].push_back({kind, peer, {at[peer], length_}, tag_});
    };
    const std::uint32_t style = below(3);
    for (std::uint32_t k = 0; k < p_; ++k) {
      add(style == 1 ? op_kind::recv : op_kind::send, style == 1 ? from[k] : to[k]);
      if (style == 2)
        add(op_kind::recv, from[k]);
    }
    for (std::uint32_t k = 0; k < p_ && style != 2; ++k)
      add(style == 1 ? op_kind::send : op_kind::recv, style == 1 ? to[k] : from[k]);
  }

  op& any_op(std::uint32_t& rank, std::size_t& number) {
    do
      rank = below(p_);
    while (ops_[rank].empty());
    number = below(ops_[rank].size());
    return ops_[rank][number];
  }
  void erase(std::uint32_t rank, std::size_t number) {
    ops_[rank].erase(ops_[rank].begin() + static_cast<std::ptrdiff_t>(number));
  }

  void spoil(loop_case& out) {
    out.spoiled = true;
    std::uint32_t rank = 0;
    std::size_t number = 0;
    op& one = any_op(rank, number);
    const std::uint32_t how = below(14);
    out.what = "spoiled " + std::to_string(how) + " at rank " + std::to_string(rank) + " operation " +
               std::to_string(number);
    const auto partner = [&](auto&& change) { // the other side of the message
      auto& there = ops_[one.peer];
      for (std::size_t i = 0; i < there.size(); ++i)
        if (there[i].kind != one.kind && there[i].peer == rank)
          return change(one.peer, i);
    };
    switch (how) {
    case 0: // a wrong place
      one.data.address += 1 + below(64);
      break;
    case 1: // no such pair
      partner([&](std::uint32_t r, std::size_t i) { erase(r, i); });
      if (rank != one.peer)
        erase(rank, number);
      break;
    case 2:
      erase(rank, number);
      break;
    case 3:
      one.tag += 1;
      break;
    case 4: // both sides
      partner([&](std::uint32_t r, std::size_t i) { ops_[r][i].tag += 1; });
      one.tag += 1;
      break;
    case 5: // shorter on both sides
      partner([&](std::uint32_t r, std::size_t i) { ops_[r][i].data.length -= length_ > 1; });
      one.data.length -= length_ > 1;
      break;
    case 6: // twice
      partner([&](std::uint32_t r, std::size_t i) {
        ops_[r].push_back(ops_[r][i]);
        ops_[r].back().data.address += 0x4000;
      });
      ops_[rank].push_back(ops_[rank][number]);
      break;
    case 7: // into what the rank itself sends
      for (op& o : ops_[rank])
        if (o.kind == op_kind::recv)
          o.data.address -= 0x6f00;
      break;
    case 8:
      for (op& o : ops_[rank]) // a block of all ranks where the others have one for each, or the reverse
        if (o.kind == op_kind::send)
          o.data.address =
              kind_ == pattern::alltoall || kind_ == pattern::scatter ? 0x1000 : 0x1000 + 16 * o.peer;
      break;
    case 9: // blocks that lie half in each other
      for (op& o : ops_[rank])
        if (o.kind == op_kind::send)
          o.data.address = 0x1000 + o.peer * std::max<std::uint64_t>(1, length_ / 2);
      break;
    default:
      declared_ = how;
      spoiled_rank_ = rank;
    }
  }

  graph built() {
    graph g(p_);
    std::vector<op_id> of_rank;
    for (std::uint32_t r = 0; r < p_; ++r)
      for (const op& o : ops_[r]) {
        const op_id made = o.kind == op_kind::send ? g.send(rank_id{r}, o.data, rank_id{o.peer}, o.tag)
                                                   : g.recv(rank_id{r}, o.data, rank_id{o.peer}, o.tag);
        if (r == spoiled_rank_)
          of_rank.push_back(made);
      }
    const rank_id r{spoiled_rank_};
    const segment memory[] = {{0x8000, length_}}, other[] = {{0xf000, length_}};
    if (declared_ == 10 && of_rank.size() > 1)
      g.depend(of_rank.front(), of_rank.back());
    else if (declared_ == 10 || declared_ == 11)
      below(2) ? g.scratch(r, memory[0]) : g.live_out(r, memory[0]);
    else if (declared_ == 12)
      below(2) ? g.opaque(r, other, other)
               : g.reduce(r, other, memory, g.add_reducer({"or", "byte", 1, true, false, true}));
    else if (declared_ == 13)
      spoil_by_communicator(g, r);
    return g;
  }
  void spoil_by_communicator(graph& g, rank_id r) {
    std::vector<rank_id> all;
    for (std::uint32_t i = 0; i < p_; ++i)
      all.push_back(rank_id{p_ - 1 - i});
    const comm_id other = g.add_communicator("other", all);
    const rank_id to{(static_cast<std::uint32_t>(index(r)) + 1) % p_};
    g.send(r, segment{0xe000, length_}, to, tag_, other);
    g.recv(to, segment{0xe000, length_}, r, tag_, other);
  }

  std::mt19937_64 random_;
  std::uint32_t p_ = 3, root_ = 0, declared_ = 0, spoiled_rank_ = 0;
  std::uint64_t length_ = 1;
  std::int32_t tag_ = 0;
  pattern kind_ = pattern::alltoall;
  bool own_ = false;
  std::vector<std::vector<op>> ops_;
};

} // namespace tacit::test
