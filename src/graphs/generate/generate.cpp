#include "graphs/generate/generate.h"

#include "graphs/generate/algorithms.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace tacit::graphs {

namespace {

constexpr std::array<std::string_view, 14> algorithm_names{"linear",
                                                           "binomial",
                                                           "bruck",
                                                           "ring",
                                                           "recursive-doubling",
                                                           "butterfly",
                                                           "pipelined",
                                                           "pipelined-binomial",
                                                           "dissemination",
                                                           "pairwise",
                                                           "scatter-allgather",
                                                           "two-level",
                                                           "recursive-halving",
                                                           "reduce-scatter-allgather"};

constexpr std::array known{
    known_algorithm{pattern::bcast, algorithm::linear, "the root sends to everybody"},
    known_algorithm{pattern::bcast, algorithm::binomial, "binomial tree"},
    known_algorithm{pattern::bcast, algorithm::ring, "chain: everybody passes the block on"},
    known_algorithm{pattern::bcast, algorithm::pipelined, "chain, block in segments"},
    known_algorithm{pattern::bcast, algorithm::pipelined_binomial, "binomial tree, block in segments"},
    known_algorithm{pattern::bcast, algorithm::scatter_allgather,
                    "van de Geijn: binomial scatter, ring allgather"},
    known_algorithm{pattern::bcast, algorithm::two_level,
                    "binomial tree of node leaders, then one in each node"},
    known_algorithm{pattern::scatter, algorithm::linear, "the root sends to everybody"},
    known_algorithm{pattern::scatter, algorithm::binomial, "binomial tree, subtrees' blocks together"},
    known_algorithm{pattern::scatter, algorithm::ring, "chain, farthest block first"},
    known_algorithm{pattern::scatter, algorithm::pipelined,
                    "chain, farthest block first, blocks in segments"},
    known_algorithm{pattern::scatter, algorithm::two_level,
                    "binomial tree of node leaders, which send to their nodes"},
    known_algorithm{pattern::gather, algorithm::linear, "everybody sends to the root"},
    known_algorithm{pattern::gather, algorithm::binomial, "binomial tree, subtrees' blocks together"},
    known_algorithm{pattern::gather, algorithm::ring, "chain towards the root"},
    known_algorithm{pattern::gather, algorithm::pipelined, "chain towards the root, blocks in segments"},
    known_algorithm{pattern::gather, algorithm::two_level, "node leaders collect, binomial tree of leaders"},
    known_algorithm{pattern::allgather, algorithm::linear, "everybody sends to everybody"},
    known_algorithm{pattern::allgather, algorithm::binomial, "binomial gather, then binomial broadcast"},
    known_algorithm{pattern::allgather, algorithm::ring, "blocks travel round the ring"},
    known_algorithm{pattern::allgather, algorithm::pipelined, "blocks travel round the ring in segments"},
    known_algorithm{pattern::allgather, algorithm::bruck, "Bruck: log p rounds for any p, then a rotation"},
    known_algorithm{pattern::allgather, algorithm::recursive_doubling,
                    "exchange all with rank xor 2^k, folded"},
    known_algorithm{pattern::allgather, algorithm::butterfly, "the same as recursive doubling"},
    known_algorithm{pattern::allgather, algorithm::two_level,
                    "node leaders collect, exchange and broadcast in their nodes"},
    known_algorithm{pattern::alltoall, algorithm::linear, "everybody sends to everybody"},
    known_algorithm{pattern::alltoall, algorithm::pairwise, "one partner at a time"},
    known_algorithm{pattern::alltoall, algorithm::ring, "store and forward round the ring"},
    known_algorithm{pattern::alltoall, algorithm::bruck, "Bruck: log p rounds for any p, two rotations"},
    known_algorithm{pattern::alltoall, algorithm::butterfly, "hypercube exchange, p a power of two"},
    known_algorithm{pattern::alltoall, algorithm::two_level, "node leaders collect, exchange and deliver"},
    known_algorithm{pattern::barrier, algorithm::linear, "everybody signals the root, the root everybody"},
    known_algorithm{pattern::barrier, algorithm::binomial, "up and down a binomial tree"},
    known_algorithm{pattern::barrier, algorithm::ring, "a token goes round twice"},
    known_algorithm{pattern::barrier, algorithm::dissemination, "signal rank + 2^k in round k"},
    known_algorithm{pattern::barrier, algorithm::recursive_doubling,
                    "exchange signals with rank xor 2^k, folded"},
    known_algorithm{pattern::barrier, algorithm::butterfly, "the same as recursive doubling"},
    known_algorithm{pattern::barrier, algorithm::two_level,
                    "up and down in nodes, dissemination among leaders"},
};

constexpr std::array combining{
    known_algorithm{pattern::reduce, algorithm::linear,
                    "everybody sends to the root, which keeps the order of ranks"},
    known_algorithm{pattern::reduce, algorithm::binomial, "partial results up a binomial tree"},
    known_algorithm{pattern::reduce, algorithm::two_level,
                    "up a binomial tree in each node, then one of node leaders"},
    known_algorithm{pattern::allreduce, algorithm::linear, "the root combines and sends to everybody"},
    known_algorithm{pattern::allreduce, algorithm::binomial, "up and down a binomial tree"},
    known_algorithm{pattern::allreduce, algorithm::recursive_doubling,
                    "exchange partial results with rank xor 2^k, folded"},
    known_algorithm{pattern::allreduce, algorithm::two_level,
                    "up in nodes, recursive doubling among leaders, down in nodes"},
    known_algorithm{pattern::reduce_scatter_block, algorithm::linear,
                    "everybody sends each its block, combined in the order of ranks"},
    known_algorithm{pattern::reduce_scatter_block, algorithm::pairwise, "one partner at a time"},
    known_algorithm{pattern::reduce_scatter_block, algorithm::ring, "partial results travel round the ring"},
    known_algorithm{pattern::reduce_scatter_block, algorithm::recursive_halving,
                    "exchange half of the blocks with rank xor p/2, p/4, ..., p a power of two"},
    known_algorithm{pattern::reduce_scatter_block, algorithm::two_level,
                    "node leaders combine, exchange the blocks of their nodes and deliver"},
    known_algorithm{pattern::scan, algorithm::linear, "chain: everybody adds its operand and passes on"},
    known_algorithm{pattern::scan, algorithm::recursive_doubling,
                    "Hillis and Steele: what is there goes to rank + 2^k"},
    known_algorithm{pattern::exscan, algorithm::linear, "chain: everybody adds its operand and passes on"},
    known_algorithm{pattern::exscan, algorithm::recursive_doubling,
                    "Hillis and Steele: what is there goes to rank + 2^k"},
};

bool exists(pattern kind, algorithm form) {
  return std::ranges::any_of(algorithms_of(kind), [&](const known_algorithm& k) { return k.form == form; });
}

std::string forms_of(pattern kind) {
  std::string list;
  for (const known_algorithm& k : algorithms_of(kind))
    list += fmt::format("{}{}", list.empty() ? "" : ", ", name(k.form));
  return list;
}

bool refuse(diagnostics& problems, std::string message, std::string remedy) {
  problems.push_back({.code = number(reason::bad_command),
                      .level = severity::error,
                      .message = std::move(message),
                      .remedy = std::move(remedy)});
  return false;
}

std::uint64_t largest_group(std::vector<std::uint32_t> nodes) {
  std::ranges::sort(nodes);
  std::uint64_t most = 0, run = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    run = i > 0 && nodes[i] == nodes[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

std::vector<std::uint32_t> nodes_of(const recipe& r, std::uint32_t p) {
  if (!r.nodes.empty())
    return r.nodes;
  std::vector<std::uint32_t> made(p);
  for (std::uint32_t i = 0; i < p; ++i)
    made[i] = i / std::max(r.ranks_per_node, 1u);
  return made;
}

/// At most, at one member.
std::uint64_t scratch_blocks(const recipe& r, std::uint64_t p) {
  const bool by_leaders = (r.kind == pattern::alltoall || r.kind == pattern::reduce_scatter_block) &&
                          r.form == algorithm::two_level;
  if (!by_leaders)
    return 2 * p + 2;
  const std::uint64_t members =
      r.nodes.empty() ? std::min<std::uint64_t>(r.ranks_per_node, p) : largest_group(r.nodes);
  return 2 * p * std::max<std::uint64_t>(members, 1) + 2;
}

/// Operands are combined in the order of ranks.
bool keeps_order(const recipe& r, std::uint32_t p) {
  return is_scan(r.kind) || r.form == algorithm::linear ||
         (r.form == algorithm::two_level && are_nodes_in_a_row(nodes_of(r, p)));
}

bool check(const recipe& r, std::uint64_t p, diagnostics& problems) {
  if (!exists(r.kind, r.form)) {
    const std::string forms = forms_of(r.kind);
    return refuse(problems, fmt::format("there is no known {} {} algorithm", name(r.form), name(r.kind)),
                  forms.empty()
                      ? "choose bcast, scatter, gather, allgather, alltoall, barrier, reduce, allreduce, "
                        "reduce_scatter_block, scan or exscan"
                      : fmt::format("choose one of: {}", forms));
  }
  if (p == 0)
    return refuse(problems, "a graph needs at least one rank", "ask for one or more ranks");
  if (!r.nodes.empty() && r.nodes.size() != p)
    return refuse(problems, fmt::format("nodes of {} ranks are named, there are {}", r.nodes.size(), p),
                  "name the node of each rank");
  if (r.root >= p)
    return refuse(problems, fmt::format("root {} does not exist among {} ranks", r.root, p),
                  fmt::format("choose a root from 0 to {}", p - 1));
  if (needs_power_of_two(r.kind, r.form) && !std::has_single_bit(p))
    return r.kind == pattern::alltoall
               ? refuse(problems,
                        fmt::format("the butterfly alltoall needs a power of two of ranks, not {}", p),
                        "use bruck, which works for any number of ranks in as many rounds")
               : refuse(problems, fmt::format("recursive halving needs a power of two of ranks, not {}", p),
                        "use ring or pairwise, which work for any number of ranks");
  if (is_reduction(r.kind) && (r.by.element == 0 || r.block % r.by.element != 0))
    return refuse(problems,
                  fmt::format("a block of {} bytes is not whole elements of {} bytes", r.block, r.by.element),
                  "choose a multiple of the element");
  if (is_reduction(r.kind) && !r.by.commutative && !keeps_order(r, static_cast<std::uint32_t>(p)))
    return refuse(problems,
                  fmt::format("a {} {} exchanges operands, and the operator does not commute", name(r.form),
                              name(r.kind)),
                  "use linear, recursive-doubling for scans, or two-level with nodes of neighboring ranks, "
                  "which keep the order of ranks");
  if (r.kind != pattern::barrier && r.block == 0)
    return refuse(problems, "a block of 0 bytes moves nothing", "choose a block of at least 1 byte");
  const std::uint64_t blocks = 2 * p + scratch_blocks(r, p);
  if (blocks > std::numeric_limits<std::uint32_t>::max() ||
      r.block > ((std::uint64_t{1} << 62) - r.base % (std::uint64_t{1} << 62)) / blocks || r.base >> 62 != 0)
    return refuse(problems,
                  fmt::format("{} blocks of {} bytes do not fit into the address space", blocks, r.block),
                  "choose a smaller block or base address");
  return true;
}

std::uint32_t segments_of(const recipe& r, std::uint32_t p) {
  std::uint64_t wanted = 1;
  if (r.form == algorithm::pipelined || r.form == algorithm::pipelined_binomial)
    wanted = r.segments;
  if (r.form == algorithm::scatter_allgather)
    wanted = p;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(r.block, 1)));
}

void weave(weaver& w, const recipe& r) {
  if (r.form == algorithm::two_level) {
    const auto weave_levels = is_reduction(r.kind) ? weave_combining_in_two_levels : weave_two_levels;
    return weave_levels(w, r.kind, nodes_of(r, w.size()), r.root);
  }
  switch (r.kind) {
  case pattern::bcast:
    weave_bcast(w, r.form, r.root);
    break;
  case pattern::scatter:
    weave_scatter(w, r.form, r.root);
    break;
  case pattern::gather:
    weave_gather(w, r.form, r.root);
    break;
  case pattern::allgather:
    weave_allgather(w, r.form, r.root);
    break;
  case pattern::alltoall:
    weave_alltoall(w, r.form);
    break;
  case pattern::reduce:
    weave_reduce(w, r.form, r.root);
    break;
  case pattern::allreduce:
    weave_allreduce(w, r.form, r.root);
    break;
  case pattern::reduce_scatter_block:
    weave_reduce_scatter(w, r.form);
    break;
  case pattern::scan:
  case pattern::exscan:
    weave_scan(w, r.form, r.kind == pattern::scan);
    break;
  default:
    weave_barrier(w, r.form, r.root);
  }
}

void copy_own_block(weaver& w, const recipe& r) {
  const bool many =
      r.kind == pattern::scatter || r.kind == pattern::alltoall; // as many input blocks as ranks
  const bool single = r.kind == pattern::scatter;                // one output block
  for (std::uint32_t i = 0; i < w.size(); ++i) {
    if (is_rooted(r.kind) && i != r.root)
      continue;
    w.copy(i, {{region::input, many ? i : 0}}, {{region::output, single ? 0 : i}});
  }
}

} // namespace

std::string_view name(algorithm form) {
  return algorithm_names[static_cast<std::size_t>(form)];
}

std::optional<algorithm> find_algorithm(std::string_view wanted) {
  const auto at = std::find(algorithm_names.begin(), algorithm_names.end(), wanted);
  if (at == algorithm_names.end())
    return std::nullopt;
  return static_cast<algorithm>(at - algorithm_names.begin());
}

std::span<const known_algorithm> known_algorithms() {
  return known;
}

std::span<const known_algorithm> combining_algorithms() {
  return combining;
}

bool needs_power_of_two(pattern kind, algorithm form) {
  return form == algorithm::recursive_halving || (kind == pattern::alltoall && form == algorithm::butterfly);
}

std::vector<known_algorithm> algorithms_of(pattern kind) {
  std::vector<known_algorithm> out;
  for (const known_algorithm& k : is_reduction(kind) ? combining_algorithms() : known_algorithms())
    if (k.kind == kind)
      out.push_back(k);
  return out;
}

memory_layout layout_of(const recipe& r, std::uint32_t ranks) {
  const auto page = [](std::uint64_t bytes) { return (bytes + 0xfff) / 0x1000 * 0x1000; };
  memory_layout m;
  m.input = r.base;
  m.output = m.input + page(ranks * r.block);
  m.scratch = m.output + page(ranks * r.block);
  m.extra = m.scratch + page(scratch_blocks(r, ranks) * r.block);
  return m;
}

bool add_pattern(graph& g, comm_id comm, const recipe& r, diagnostics& problems) {
  const auto p = static_cast<std::uint32_t>(g.communicators()[index(comm)].members.size());
  if (!check(r, p, problems))
    return false;
  weaver w(g, comm, layout_of(r, p), r.block, segments_of(r, p),
           is_reduction(r.kind) ? g.add_reducer(r.by) : no_reducer);
  weave(w, r);
  if (r.self_block && r.kind != pattern::bcast && r.kind != pattern::barrier && !is_reduction(r.kind))
    copy_own_block(w, r);
  w.declare_scratch();
  return true;
}

std::optional<graph> generate(const recipe& r, diagnostics& problems) {
  if (!check(r, r.ranks, problems))
    return std::nullopt;
  graph g(r.ranks);
  if (!add_pattern(g, world, r, problems))
    return std::nullopt;
  if (r.extra > 0 && r.ranks < 2) {
    refuse(problems, "extra messages need at least two ranks", "ask for more ranks or no extra messages");
    return std::nullopt;
  }
  add_extra_messages(g, r);
  return g;
}

} // namespace tacit::graphs
