// The linear algorithms as affine runs. One loop over all others is one run of the rank: where the weaver goes from rank to rank and adds
// both sides of each message, each rank here first receives and then sends.
#include "graphs/generate/generate.h"

#include <vector>

namespace tacit::graphs {
namespace {

struct placed_blocks {
  std::uint64_t address = 0; ///< of the block for rank 0
  std::uint64_t stride = 0;  ///< to that for the next rank
};

class lists_of_linear {
public:
  explicit lists_of_linear(const recipe& r) : r_(r), at_(layout_of(r, r.ranks)) {}

  affine_list list(std::uint32_t self) const {
    const bool root = self == r_.root;
    const placed_blocks input{at_.input, r_.block}, output{at_.output, r_.block};
    std::vector<affine_run> runs;
    switch (r_.kind) {
    case pattern::bcast:
      runs.push_back(root ? all(op_kind::send, self, {at_.input, 0}) : one(op_kind::recv, at_.input));
      break;
    case pattern::scatter:
      runs.push_back(root ? all(op_kind::send, self, input) : one(op_kind::recv, at_.output));
      break;
    case pattern::gather:
      runs.push_back(root ? all(op_kind::recv, self, output) : one(op_kind::send, at_.input));
      break;
    default:
      runs.push_back(all(op_kind::recv, self, output));
      runs.push_back(
          all(op_kind::send, self, r_.kind == pattern::allgather ? placed_blocks{at_.input, 0} : input));
    }
    std::vector<affine_list::loop> loops;
    for (std::uint32_t i = 0; i < runs.size(); ++i)
      loops.push_back({i, 1, runs[i].count});
    return {rank_id{self}, r_.ranks, std::move(runs), std::move(loops)};
  }

private:
  affine_run one(op_kind kind, std::uint64_t address) const {
    return {.kind = kind, .peer = rank_id{r_.root}, .data = {address, r_.block}};
  }
  affine_run all(op_kind kind, std::uint32_t self, placed_blocks where) const {
    const std::uint32_t first = self == 0 ? 1 : 0;
    return {.kind = kind,
            .by = advance_by::peer,
            .skips_self = self != 0,
            .count = r_.ranks - 1,
            .peer = rank_id{first},
            .peer_step = 1,
            .data = {where.address + where.stride * first, r_.block},
            .per_peer = where.stride};
  }
  const recipe& r_;
  memory_layout at_;
};

} // namespace

std::optional<affine_graph> generate_runs(const recipe& r) {
  const bool known = r.form == algorithm::linear && !is_reduction(r.kind) && r.kind != pattern::barrier &&
                     is_uniform(r.kind);
  if (!known || r.self_block || r.extra > 0 || r.ranks < 2 || r.root >= r.ranks)
    return std::nullopt;
  affine_graph out;
  out.ranks.reserve(r.ranks);
  const lists_of_linear lists(r);
  for (std::uint32_t self = 0; self < r.ranks; ++self)
    out.ranks.push_back(lists.list(self));
  return out;
}

} // namespace tacit::graphs
