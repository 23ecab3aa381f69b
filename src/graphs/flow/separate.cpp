// Problem: a plan moves bytes straight from where they were at first; a byte that a reduction or a computation makes is
// nowhere at first. Such operations run as they are, and the question is which others may still be replaced around them.
//
// Idea: two operations belong together if one writes a byte that the other touches, or if one receives what the
// other sends. Closed under that, the operations fall into parts that share no byte of which any is written. A
// part without either is an assignment of its own: it may be replaced as a whole, in whatever order with
// the rest, because nothing it reads is written by another part, and nothing it writes is touched by one. A
// part with a reduction or computation is kept. Orders that messages without bytes and fences express are the
// synchronization of the whole graph, not of a part (SEMANTICS E4).
//
// A computation is the program's own code, and promised to run after whatever it depends on, bytes or not: all
// that dependencies lead to it from, or from it to, on its rank, belongs to its part.
//
// Per rank, the bytes that are written fall into runs, unions of overlapping writes: all writers of a run
// belong together, and so does every reader with each run that it touches. Cost O(accesses log accesses).
#include "graphs/flow/separate.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tacit::graphs {
namespace {

class parts {
public:
  explicit parts(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t of(std::uint32_t x) {
    while (parent_[x] != x)
      x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[of(a)] = of(b); }

private:
  std::vector<std::uint32_t> parent_;
};

struct access {
  rank_id rank;
  std::uint64_t begin, end;
  std::uint32_t op;
};

struct accesses {
  std::vector<access> reads, writes;
};

/// The right operand of a reduction lies where it writes, so it is covered by the write.
accesses collect(const graph& g, const matching& m) {
  accesses all;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const op_id op{i};
    for (const segment& s : g.reads(op))
      if (s.length > 0)
        all.reads.push_back({g[op].rank, s.address, s.address + s.length, i});
    std::uint64_t left = ~std::uint64_t{0};
    if (g[op].kind == op_kind::recv)
      left = m.partner[i] == no_op ? 0 : g.message_length(m.partner[i]);
    for (const segment& s : g.writes(op)) {
      const std::uint64_t length = std::min(s.length, left);
      left -= length;
      if (length > 0)
        all.writes.push_back({g[op].rank, s.address, s.address + length, i});
    }
  }
  return all;
}

bool before(const access& a, const access& b) {
  return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
}

/// Unions of overlapping writes, sorted; `op` is one of the writers, with which all others are joined.
/// Where each operation stands in run order.
std::vector<std::uint32_t> places_in(const graph& g, const run_order& o) {
  std::vector<std::uint32_t> place(g.size(), 0);
  for (std::uint32_t at = 0; at < o.order.size(); ++at)
    place[index(o.order[at])] = at;
  return place;
}

/// What comes before and behind computations on their ranks.
void join_along_dependencies(const graph& g, const run_order& o, parts& together) {
  const std::vector<std::uint32_t> place = places_in(g, o);
  std::vector<dependency> edges(g.dependencies().begin(), g.dependencies().end());
  std::vector<char> of_computation(g.size());
  const auto spread = [&](auto from, auto to, auto earlier) {
    std::sort(edges.begin(), edges.end(), [&](const dependency& a, const dependency& b) {
      return earlier(place[index(to(a))], place[index(to(b))]);
    });
    for (std::uint32_t i = 0; i < g.size(); ++i)
      of_computation[i] = g[op_id{i}].kind == op_kind::opaque;
    for (const dependency& d : edges)
      if (of_computation[index(from(d))]) {
        of_computation[index(to(d))] = 1;
        together.join(static_cast<std::uint32_t>(index(from(d))), static_cast<std::uint32_t>(index(to(d))));
      }
  };
  const auto before = [](const dependency& d) { return d.before; };
  const auto after = [](const dependency& d) { return d.after; };
  spread(before, after, std::less<>());
  spread(after, before, std::greater<>());
}

std::vector<access> runs_of(std::vector<access> writes, parts& together) {
  std::sort(writes.begin(), writes.end(), before);
  std::vector<access> runs;
  for (const access& w : writes) {
    if (runs.empty() || runs.back().rank != w.rank || runs.back().end <= w.begin) {
      runs.push_back(w);
      continue;
    }
    runs.back().end = std::max(runs.back().end, w.end);
    together.join(runs.back().op, w.op);
  }
  return runs;
}

/// The first run of that rank that ends behind the address, or a later one.
std::vector<access>::const_iterator first_behind(const std::vector<access>& runs, rank_id rank,
                                                 std::uint64_t address) {
  return std::partition_point(runs.begin(), runs.end(), [&](const access& r) {
    return r.rank < rank || (r.rank == rank && r.end <= address);
  });
}

bool continued(const transfer& a, const transfer& b) {
  return a.destination == b.destination && a.source == b.source &&
         a.destination_address + a.length == b.destination_address &&
         b.source_address == a.source_address + (a.source == no_rank ? 0 : a.length);
}

/// Cuts the transfers at the ends of the runs and moves those into runs that are kept.
/// `op` of a run is the number of its part.
void split(transfers& t, const std::vector<access>& kept_runs) {
  std::vector<transfer> moved;
  const auto piece = [](const transfer& x, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t offset = x.source == no_rank ? 0 : from - x.destination_address;
    return transfer{from, x.source_address + offset, to - from, x.source, x.destination};
  };
  const auto move = [&](const transfer& x, std::uint64_t from, std::uint64_t to) {
    if (from != to)
      moved.push_back(piece(x, from, to));
  };
  const auto keep = [&](const transfer& x, std::uint64_t from, std::uint64_t to, std::uint32_t part) {
    if (from == to)
      return;
    const transfer one = piece(x, from, to);
    if (!t.kept.empty() && t.kept_part.back() == part && continued(t.kept.back(), one)) { // runs may touch
      t.kept.back().length += one.length;
      return;
    }
    t.kept.push_back(one);
    t.kept_part.push_back(part);
  };
  for (const transfer& x : t.list) {
    const std::uint64_t end = x.destination_address + x.length;
    std::uint64_t at = x.destination_address;
    for (auto run = first_behind(kept_runs, x.destination, at);
         run != kept_runs.end() && run->rank == x.destination && run->begin < end; ++run) {
      const std::uint64_t from = std::max(at, run->begin), to = std::min(end, run->end);
      move(x, at, from);
      keep(x, from, to, run->op);
      at = to;
    }
    move(x, at, end);
  }
  t.list = std::move(moved);
}

} // namespace

const reduction& made_by(const transfers& t, std::uint64_t address) {
  return *std::prev(std::upper_bound(t.reductions.begin(), t.reductions.end(), address,
                                     [](std::uint64_t at, const reduction& r) { return at < r.base; }));
}

namespace {

enum class concerning : std::uint8_t { reductions, computations_too };

void separate(const graph& g, const matching& m, const run_order& o, concerning what, transfers& t) {
  const bool computations = what == concerning::computations_too;
  parts together(g.size());
  accesses all = collect(g, m);
  const std::vector<access> runs = runs_of(std::move(all.writes), together);
  for (const access& r : all.reads)
    for (auto run = first_behind(runs, r.rank, r.begin);
         run != runs.end() && run->rank == r.rank && run->begin < r.end; ++run)
      together.join(run->op, r.op);
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (g[op_id{i}].kind == op_kind::recv && m.partner[i] != no_op && g.message_length(m.partner[i]) > 0)
      together.join(i, static_cast<std::uint32_t>(index(m.partner[i])));
  if (computations)
    join_along_dependencies(g, o, together);

  std::vector<bool> kept(g.size(), false); // by representative
  for (std::uint32_t i = 0; computations && i < g.size(); ++i)
    if (g[op_id{i}].kind == op_kind::opaque)
      kept[together.of(i)] = true;
  for (const reduction& r : t.reductions)
    kept[together.of(static_cast<std::uint32_t>(index(r.op)))] = true;
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(g.size(), unknown); // by representative
  std::uint32_t parts_kept = 0;
  for (const op_id op : o.order) {
    const std::uint32_t part = together.of(static_cast<std::uint32_t>(index(op)));
    if (!kept[part])
      continue;
    if (number[part] == unknown)
      number[part] = parts_kept++;
    t.kept_operations.push_back(op);
    t.part_of_kept.push_back(number[part]);
  }
  std::vector<access> kept_runs;
  for (access run : runs)
    if (kept[together.of(run.op)]) {
      run.op = number[together.of(run.op)];
      kept_runs.push_back(run);
    }
  split(t, kept_runs);
}

} // namespace

void separate(const graph& g, const matching& m, const run_order& o, transfers& t) {
  separate(g, m, o, concerning::reductions, t);
}

std::vector<transfer> with_kept(const transfers& t) {
  std::vector<transfer> all(t.list.size() + t.kept.size());
  std::merge(t.list.begin(), t.list.end(), t.kept.begin(), t.kept.end(), all.begin(),
             [](const transfer& a, const transfer& b) {
               return std::pair(a.destination, a.destination_address) <
                      std::pair(b.destination, b.destination_address);
             });
  return all;
}

transfers apart_from_computations(const graph& g, const matching& m, const run_order& o, transfers t) {
  t.list = with_kept(t);
  t.kept.clear();
  t.kept_part.clear();
  t.kept_operations.clear();
  t.part_of_kept.clear();
  separate(g, m, o, concerning::computations_too, t);
  return t;
}

} // namespace tacit::graphs
