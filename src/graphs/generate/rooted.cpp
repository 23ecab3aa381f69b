// Broadcast, scatter and gather. `v` is a position relative to the root; the root is 0.
#include "graphs/generate/algorithms.h"

namespace tacit::graphs {

namespace {

std::uint32_t absolute(const weaver& w, std::uint32_t v, std::uint32_t root) {
  return (v + root) % w.size();
}

pieces part(region where, std::uint32_t index, std::uint32_t segment) {
  return {{where, index, static_cast<std::int32_t>(segment)}};
}

/// Passes a segment of the broadcast's block on.
void pass_on(weaver& w, std::uint32_t from, std::uint32_t to, std::uint32_t segment, std::uint32_t root) {
  const pieces bytes = part(region::input, 0, segment);
  w.message(absolute(w, from, root), bytes, absolute(w, to, root), bytes);
}

void bcast_binomial(weaver& w, std::uint32_t root) {
  for (std::uint32_t s = 0; s < w.segments(); ++s)
    each_binomial_edge(w.size(), [&](std::uint32_t parent, std::uint32_t child, std::uint32_t) {
      pass_on(w, parent, child, s, root);
    });
}

void bcast_ring(weaver& w, std::uint32_t root) {
  for (std::uint32_t s = 0; s < w.segments(); ++s)
    for (std::uint32_t v = 0; v + 1 < w.size(); ++v)
      pass_on(w, v, v + 1, s, root);
}

// van de Geijn: the block has one segment per rank (fewer if it is short); binomial scatter of the segments,
// then a ring allgather in which the root, which has everything, receives nothing.
void bcast_scatter_allgather(weaver& w, std::uint32_t root) {
  const std::uint32_t p = w.size(), n = w.segments();
  each_binomial_edge(p, [&](std::uint32_t parent, std::uint32_t child, std::uint32_t subtree) {
    pieces moved;
    for (std::uint32_t s = child; s < child + subtree && s < n; ++s)
      moved.push_back({region::input, 0, static_cast<std::int32_t>(s)});
    if (!moved.empty())
      w.message(absolute(w, parent, root), moved, absolute(w, child, root), moved);
  });
  for (std::uint32_t step = 0; step + 1 < p; ++step)
    for (std::uint32_t v = 0; v + 1 < p; ++v)
      if (const std::uint32_t s = (v + p - step) % p; s < n)
        pass_on(w, v, v + 1, s, root);
}

/// Where v keeps the blocks of [first, first + count) while they travel through a binomial tree.
pieces tree_blocks(const weaver& w, std::uint32_t v, std::uint32_t first, std::uint32_t count,
                   std::uint32_t root, region at_root, region own) {
  pieces list;
  for (std::uint32_t u = first; u < first + count; ++u) {
    if (v == 0)
      list.push_back({at_root, absolute(w, u, root)});
    else if (v == u)
      list.push_back({own, 0});
    else
      list.push_back({region::scratch, u - v - 1});
  }
  return list;
}

void scatter_binomial(weaver& w, std::uint32_t root) {
  each_binomial_edge(w.size(), [&](std::uint32_t parent, std::uint32_t child, std::uint32_t subtree) {
    w.message(absolute(w, parent, root),
              tree_blocks(w, parent, child, subtree, root, region::input, region::output),
              absolute(w, child, root),
              tree_blocks(w, child, child, subtree, root, region::input, region::output));
  });
}

void gather_binomial(weaver& w, std::uint32_t root) {
  each_binomial_edge_up(w.size(), [&](std::uint32_t parent, std::uint32_t child, std::uint32_t subtree) {
    w.message(absolute(w, child, root),
              tree_blocks(w, child, child, subtree, root, region::output, region::input),
              absolute(w, parent, root),
              tree_blocks(w, parent, child, subtree, root, region::output, region::input));
  });
}

// The block of the farthest rank leaves first; ranks on the way forward it through two alternating buffers.
void scatter_ring(weaver& w, std::uint32_t root) {
  for (std::uint32_t d = w.size() - 1; d > 0; --d)
    for (std::uint32_t s = 0; s < w.segments(); ++s)
      for (std::uint32_t v = 0; v < d; ++v)
        w.message(absolute(w, v, root),
                  v == 0 ? part(region::input, absolute(w, d, root), s) : part(region::scratch, d % 2, s),
                  absolute(w, v + 1, root),
                  v + 1 == d ? part(region::output, 0, s) : part(region::scratch, d % 2, s));
}

// Each rank sends its own block towards the root, then forwards those from behind, the nearest first.
void gather_ring(weaver& w, std::uint32_t root) {
  for (std::uint32_t d = 1; d < w.size(); ++d)
    for (std::uint32_t s = 0; s < w.segments(); ++s)
      for (std::uint32_t v = d; v > 0; --v)
        w.message(absolute(w, v, root), v == d ? part(region::input, 0, s) : part(region::scratch, d % 2, s),
                  absolute(w, v - 1, root),
                  v == 1 ? part(region::output, absolute(w, d, root), s) : part(region::scratch, d % 2, s));
}

} // namespace

void weave_bcast(weaver& w, algorithm form, std::uint32_t root) {
  if (form == algorithm::binomial || form == algorithm::pipelined_binomial)
    return bcast_binomial(w, root);
  if (form == algorithm::ring || form == algorithm::pipelined)
    return bcast_ring(w, root);
  if (form == algorithm::scatter_allgather)
    return bcast_scatter_allgather(w, root);
  for (std::uint32_t v = 1; v < w.size(); ++v)
    pass_on(w, 0, v, 0, root);
}

void weave_scatter(weaver& w, algorithm form, std::uint32_t root) {
  if (form == algorithm::binomial)
    return scatter_binomial(w, root);
  if (form == algorithm::ring || form == algorithm::pipelined)
    return scatter_ring(w, root);
  for (std::uint32_t v = 1; v < w.size(); ++v)
    w.message(root, whole(region::input, absolute(w, v, root)), absolute(w, v, root),
              whole(region::output, 0));
}

void weave_gather(weaver& w, algorithm form, std::uint32_t root) {
  if (form == algorithm::binomial)
    return gather_binomial(w, root);
  if (form == algorithm::ring || form == algorithm::pipelined)
    return gather_ring(w, root);
  for (std::uint32_t v = 1; v < w.size(); ++v)
    w.message(absolute(w, v, root), whole(region::input, 0), root,
              whole(region::output, absolute(w, v, root)));
}

} // namespace tacit::graphs
