#include "graphs/plan/computation_order.h"

#include <cstdint>

namespace tacit::graphs {

computations_before::computations_before(const graph& g, const run_order& o) {
  std::vector<std::uint32_t> of_rank(g.ranks(), 0);
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (g[op_id{i}].kind == op_kind::opaque)
      ++of_rank[index(g[op_id{i}].rank)];
  std::vector<std::size_t> begin(g.size() + 1, 0);
  for (std::uint32_t i = 0; i < g.size(); ++i)
    begin[i + 1] = begin[i] + (of_rank[index(g[op_id{i}].rank)] + 63) / 64;
  if (begin.back() > most_words)
    return;
  known_ = true;
  std::vector<std::uint64_t> words(begin.back(), 0);
  std::vector<std::vector<op_id>> calls(g.ranks());
  std::vector<std::vector<op_id>> waits(g.size());
  for (const dependency& d : g.dependencies())
    waits[index(d.after)].push_back(d.before);
  for (const op_id op : o.order) {
    const std::size_t count = begin[index(op) + 1] - begin[index(op)];
    std::uint64_t* const mine = words.data() + begin[index(op)];
    for (const op_id before : waits[index(op)])
      for (std::size_t w = 0; w < count; ++w)
        mine[w] |= words[begin[index(before)] + w];
    if (g[op].kind != op_kind::opaque)
      continue;
    std::vector<op_id>& here = calls[index(g[op].rank)];
    std::vector<op_id>& list = before_[op];
    for (std::size_t k = 0; k < here.size(); ++k)
      if (mine[k / 64] >> (k % 64) & 1)
        list.push_back(here[k]);
    mine[here.size() / 64] |= std::uint64_t{1} << (here.size() % 64);
    here.push_back(op);
  }
}

} // namespace tacit::graphs
