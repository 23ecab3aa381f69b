// Graphs changed in ways that change their meaning in a known way, for metamorphic tests.
#pragma once

#include "oracle/happens_before.h"

#include <functional>

namespace tacit::oracle {

struct transformed {
  graph g;
  std::vector<std::vector<op_id>> now; ///< per old operation: what has become of it
};

struct transformation {
  std::function<rank_id(rank_id)> rank = [](rank_id r) { return r; };
  std::function<std::uint64_t(rank_id, std::uint64_t)> address = [](rank_id, std::uint64_t a) { return a; };
  /// Bytes after which the message of this send is cut in two; 0 or everything: not cut.
  std::function<std::uint64_t(op_id send)> cut = [](op_id) { return std::uint64_t{0}; };
  /// Operations in this order, which must keep the order within each rank; empty: as they were made.
  std::vector<op_id> order;
};

class transformer {
public:
  transformer(const graph& g, const transformation& how)
      : g_(g), how_(how), shape_(g), out_{graph(g.ranks()), {}} {}

  transformed run() {
    for (std::size_t c = 1; c < g_.communicators().size(); ++c) {
      std::vector<rank_id> members;
      for (const rank_id r : g_.communicators()[c].members)
        members.push_back(how_.rank(r));
      out_.g.add_communicator(g_.communicators()[c].name, members);
    }
    for (const reducer& r : g_.reducers())
      out_.g.add_reducer(r);
    out_.now.resize(g_.size());
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      make(how_.order.empty() ? op_id{i} : how_.order[i]);
    for (const dependency& d : g_.dependencies())
      for (const op_id before : out_.now[index(d.before)])
        for (const op_id after : out_.now[index(d.after)])
          out_.g.depend(before, after);
    for (const auto& [rank, s] : g_.scratch_bytes())
      out_.g.scratch(how_.rank(rank), moved(rank, s));
    for (const auto& [rank, s] : g_.live_out_bytes())
      out_.g.live_out(how_.rank(rank), moved(rank, s));
    return std::move(out_);
  }

private:
  using segments = std::vector<segment>;

  segment moved(rank_id rank, const segment& s) const { return {how_.address(rank, s.address), s.length}; }

  segments moved(rank_id rank, std::span<const segment> list) const {
    segments out;
    for (const segment& s : list)
      out.push_back(moved(rank, s));
    return out;
  }

  /// The first `count` bytes of a list, and the rest.
  static std::pair<segments, segments> cut_at(const segments& list, std::uint64_t count) {
    std::pair<segments, segments> out;
    for (const segment& s : list) {
      const std::uint64_t head = std::min(count, s.length);
      count -= head;
      if (head > 0)
        out.first.push_back({s.address, head});
      if (head < s.length)
        out.second.push_back({s.address + head, s.length - head});
    }
    return out;
  }

  void make(op_id old) {
    if (!out_.now[index(old)].empty())
      return; // second half of a one-sided pair
    const operation& op = g_[old];
    const rank_id rank = how_.rank(op.rank);
    const segments reads = moved(op.rank, g_.reads(old)), writes = moved(op.rank, g_.writes(old));
    if (shape_.one_sided(old))
      return make_one_sided(old);
    std::vector<op_id>& now = out_.now[index(old)];
    switch (op.kind) {
    case op_kind::copy:
      now = {out_.g.copy(rank, reads, writes)};
      break;
    case op_kind::reduce:
      now = {out_.g.reduce(rank, reads, writes, g_.reduces_by(old))};
      break;
    case op_kind::opaque:
      now = {out_.g.opaque(rank, reads, writes)};
      break;
    case op_kind::fence:
      now = {out_.g.fence(rank, op.comm)};
      break;
    case op_kind::send:
      for (const segments& part : parts(old, reads))
        now.push_back(out_.g.send(rank, part, how_.rank(op.peer), op.tag, op.comm));
      break;
    case op_kind::recv:
      for (const segments& part : parts(shape_.partner[index(old)], writes))
        if (g_.reduces(old))
          now.push_back(
              out_.g.recv_reduce(rank, part, how_.rank(op.peer), g_.reduces_by(old), op.tag, op.comm));
        else
          now.push_back(out_.g.recv(rank, part, how_.rank(op.peer), op.tag, op.comm));
      break;
    }
  }

  std::vector<segments> parts(op_id send, const segments& list) const {
    const std::uint64_t cut = how_.cut(send);
    if (cut == 0 || cut >= shape_.carried(send))
      return {list};
    auto [head, tail] = cut_at(list, cut);
    return {head, tail};
  }

  void make_one_sided(op_id old) {
    for (const made_pair& pair : g_.made_pairs()) {
      if (pair.send != old && pair.recv != old)
        continue;
      const rank_id source = g_[pair.send].rank, destination = g_[pair.recv].rank;
      const segments from = moved(source, g_.reads(pair.send)),
                     into = moved(destination, g_.writes(pair.recv));
      if (pair.origin == pair.send)
        out_.g.put(how_.rank(source), from, how_.rank(destination), into);
      else
        out_.g.get(how_.rank(destination), into, how_.rank(source), from);
      out_.now[index(pair.send)] = {out_.g.made_pairs().back().send};
      out_.now[index(pair.recv)] = {out_.g.made_pairs().back().recv};
    }
  }

  const graph& g_;
  const transformation& how_;
  structure shape_;
  transformed out_;
};

inline transformed transform(const graph& g, const transformation& how) {
  return transformer(g, how).run();
}

} // namespace tacit::oracle
