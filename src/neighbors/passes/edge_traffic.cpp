#include "neighbors/passes/edge_traffic.h"

namespace tacit::neighbors {

graphs::traffic traffic_by_edge(const neighborhood& n, rank_id rank, const neighbor_blocks& blocks,
                                const neighbor_passes& passes, const graphs::peer_class& class_of) {
  graphs::traffic t;
  const auto each = [&](const std::vector<edge>& edges,
                        const std::vector<std::vector<graphs::segment>>& bytes, auto&& visit) {
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (const std::uint64_t length = graphs::total_length(bytes[i]);
          edges[i].peer != no_rank && (length > 0 || !passes.empty))
        visit(edges[i].peer, length, bytes[i].size());
  };
  each(n.destinations, blocks.out, [&](rank_id peer, std::uint64_t length, std::size_t pieces) {
    if (peer == rank && passes.self)
      t.add_copy(length);
    else
      t.add_send(length, class_of(peer), pieces);
  });
  each(n.sources, blocks.in, [&](rank_id peer, std::uint64_t length, std::size_t pieces) {
    if (peer != rank || !passes.self)
      t.add_receive(length, class_of(peer), pieces);
  });
  t.rounds = t.sends.empty() && t.receives.empty() ? 0 : 1;
  return t;
}

} // namespace tacit::neighbors
