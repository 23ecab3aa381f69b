// Random messages around a pattern: seed 000 section 3 tests detection among "p random messages with
// dependencies".
//
// Every rank has a stretch of memory behind the pattern's. A disjoint message takes fresh bytes on both
// sides. A dependent one may read any bytes written before (results of the pattern, earlier extra messages)
// and may overwrite what earlier extra messages delivered; it depends on every earlier operation of its rank
// that touches a common byte in conflict, and now and then on one that does not. Cost O(extra · operations of
// a rank).
#include "graphs/generate/generate.h"

#include <algorithm>
#include <random>

namespace tacit::graphs {

namespace {

class extra_weaver {
public:
  extra_weaver(graph& g, const recipe& r)
      : g_(g), r_(r), random_(r.seed), next_(g.ranks(), layout_of(r, g.ranks()).extra), ops_(g.ranks()),
        written_(g.ranks()), delivered_(g.ranks()) {
    for (std::uint32_t id = 0; id < g.size(); ++id)
      note(op_id{id});
  }

  void add() {
    const std::uint32_t from = pick(g_.ranks());
    const std::uint32_t to = (from + 1 + pick(g_.ranks() - 1)) % g_.ranks();
    const std::uint64_t length = 1 + pick64(std::max<std::uint64_t>(r_.extra_bytes, 1));
    const bool dependent = r_.extra_kind == extra_messages::dependent;
    const segment source = dependent && !written_[from].empty() && pick(2) == 0
                               ? within(written_[from], length)
                               : fresh(from, length);
    const segment target = dependent && !delivered_[to].empty() && pick(3) == 0
                               ? within(delivered_[to], source.length)
                               : fresh(to, source.length);
    const segment sent{source.address, std::min(source.length, target.length)};
    order(g_.send(rank_id{from}, sent, rank_id{to}), dependent);
    order(g_.recv(rank_id{to}, segment{target.address, sent.length}, rank_id{from}), dependent);
    delivered_[to].push_back({target.address, sent.length});
  }

private:
  // The remainder is taken by hand: std::uniform_int_distribution gives other numbers on other libraries.
  std::uint64_t pick64(std::uint64_t below) { return random_() % below; }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(pick64(below)); }

  segment fresh(std::uint32_t rank, std::uint64_t length) {
    const segment s{next_[rank], length};
    next_[rank] += length;
    return s;
  }

  segment within(const std::vector<segment>& choices, std::uint64_t length) {
    const segment whole = choices[pick64(choices.size())];
    const std::uint64_t offset = pick64(whole.length);
    return {whole.address + offset, std::min(length, whole.length - offset)};
  }

  void note(op_id id) {
    const std::size_t rank = index(g_[id].rank);
    ops_[rank].push_back(id);
    for (const segment& s : g_.writes(id))
      if (s.length > 0)
        written_[rank].push_back(s);
  }

  void order(op_id id, bool dependent) {
    const auto& earlier = ops_[index(g_[id].rank)];
    for (const op_id before : earlier)
      if (conflict(before, id))
        g_.depend(before, id);
    if (dependent && !earlier.empty() && pick(2) == 0) {
      const op_id any = earlier[pick64(earlier.size())];
      if (!conflict(any, id))
        g_.depend(any, id);
    }
    note(id);
  }

  bool conflict(op_id a, op_id b) const {
    return overlap(g_.writes(a), g_.writes(b)) || overlap(g_.writes(a), g_.reads(b)) ||
           overlap(g_.reads(a), g_.writes(b));
  }

  static bool overlap(std::span<const segment> a, std::span<const segment> b) {
    for (const segment& x : a)
      for (const segment& y : b)
        if (x.address < y.address + y.length && y.address < x.address + x.length)
          return true;
    return false;
  }

  graph& g_;
  const recipe& r_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> next_;
  std::vector<std::vector<op_id>> ops_;
  std::vector<std::vector<segment>> written_;
  std::vector<std::vector<segment>> delivered_;
};

} // namespace

void add_extra_messages(graph& g, const recipe& r) {
  if (r.extra == 0 || g.ranks() < 2)
    return;
  extra_weaver w(g, r);
  for (std::uint32_t k = 0; k < r.extra; ++k)
    w.add();
}

} // namespace tacit::graphs
