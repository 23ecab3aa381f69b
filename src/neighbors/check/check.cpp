#include "neighbors/check/check.h"

#include "graphs/flow/flow.h"
#include "graphs/match/match.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

namespace tacit::neighbors {
namespace {

/// An edge as both of its ends know it: source, destination, channel.
using edge_key = std::tuple<rank_id, rank_id, std::uint32_t>;

std::map<edge_key, std::uint64_t> bytes_sent(std::span<const rank_piece> ranks) {
  std::map<edge_key, std::uint64_t> out;
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    for (std::size_t i = 0; i < ranks[r].edges.destinations.size(); ++i)
      if (const edge& e = ranks[r].edges.destinations[i]; e.peer != no_rank)
        out[{rank_id{r}, e.peer, e.channel}] = graphs::total_length(ranks[r].blocks.out[i]);
  return out;
}

/// What the ends of an edge contradict each other in.
std::string first_contradiction(std::span<const rank_piece> ranks) {
  std::map<edge_key, std::uint64_t> sent = bytes_sent(ranks);
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    for (std::size_t i = 0; i < ranks[r].edges.sources.size(); ++i) {
      const edge& e = ranks[r].edges.sources[i];
      if (e.peer == no_rank)
        continue;
      const auto found = sent.find({e.peer, rank_id{r}, e.channel});
      const std::uint64_t expected = graphs::total_length(ranks[r].blocks.in[i]);
      if (found == sent.end() || found->second != expected)
        return fmt::format("rank {}, incoming edge {} from rank {}: {} B expected, {} B sent", r, i,
                           index(e.peer), expected, found == sent.end() ? 0 : found->second);
      sent.erase(found);
    }
  for (const auto& [edge, bytes] : sent)
    return fmt::format("rank {} sends {} B to rank {}, which does not expect them", index(std::get<0>(edge)),
                       bytes, index(std::get<1>(edge)));
  return {};
}

/// The collective as the standard has it: the tag tells parallel edges apart.
graphs::graph as_the_standard_says(std::span<const rank_piece> ranks) {
  graphs::graph g(static_cast<std::uint32_t>(ranks.size()));
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const auto& [edges, blocks, plan] = ranks[r];
    for (std::size_t i = 0; i < edges.sources.size(); ++i)
      if (const edge& e = edges.sources[i]; e.peer != no_rank && graphs::total_length(blocks.in[i]) > 0)
        g.recv(rank_id{r}, blocks.in[i], e.peer, static_cast<std::int32_t>(e.channel));
    for (std::size_t i = 0; i < edges.destinations.size(); ++i)
      if (const edge& e = edges.destinations[i]; e.peer != no_rank && graphs::total_length(blocks.out[i]) > 0)
        g.send(rank_id{r}, blocks.out[i], e.peer, static_cast<std::int32_t>(e.channel));
  }
  return g;
}

bool covers(const std::vector<graphs::segment>& block, std::uint64_t address) {
  return std::any_of(block.begin(), block.end(), [&](const graphs::segment& s) {
    return address >= s.address && address - s.address < s.length;
  });
}

/// "rank 3, incoming edge 2 from rank 1"; the rank alone if the byte belongs to no edge.
std::string name_of(const graphs::fault_location& where, std::span<const rank_piece> ranks) {
  if (where.rank == no_rank)
    return {};
  const auto& [edges, blocks, plan] = ranks[index(where.rank)];
  for (std::size_t i = 0; i < blocks.in.size(); ++i)
    if (edges.sources[i].peer != no_rank && covers(blocks.in[i], where.address))
      return fmt::format("rank {}, incoming edge {} from rank {}: ", index(where.rank), i,
                         index(edges.sources[i].peer));
  for (std::size_t i = 0; i < blocks.out.size(); ++i)
    if (edges.destinations[i].peer != no_rank && covers(blocks.out[i], where.address))
      return fmt::format("rank {}, outgoing edge {} to rank {}: ", index(where.rank), i,
                         index(edges.destinations[i].peer));
  return fmt::format("rank {}: ", index(where.rank));
}

std::string first_error(const diagnostics& problems) {
  for (const diagnostic& d : problems)
    if (d.level == severity::error)
      return d.message;
  return {};
}

graphs::plan plan_of(std::span<const rank_piece> ranks) {
  graphs::plan out;
  for (const rank_piece& piece : ranks)
    out.ranks.push_back(piece.plan);
  return out;
}

} // namespace

check_result check_plans(std::span<const rank_piece> ranks) {
  if (std::string fault = first_contradiction(ranks); !fault.empty())
    return {{}, std::move(fault)};
  const graphs::graph g = as_the_standard_says(ranks);
  diagnostics problems = graphs::check_operations(g);
  if (has_errors(problems))
    return {{}, first_error(problems)};
  // From here on every operation is well formed by itself.
  const graphs::matching m = graphs::match(g, problems);
  const graphs::run_order o = graphs::order_operations(g, m, problems);
  graphs::check_races(g, m, o, problems);
  if (has_errors(problems))
    return {{}, first_error(problems)};
  // From here on the call means one simultaneous assignment of bytes.
  const graphs::transfers moved = graphs::follow(g, m, o, problems);
  if (!moved.complete)
    return {{}, "the bytes of the call could not be followed within the budget"};
  graphs::fault_location where;
  const std::string fault = graphs::validate(g, m, o, moved, plan_of(ranks), {}, &where);
  return {fault.empty() ? fault : name_of(where, ranks) + fault, {}};
}

} // namespace tacit::neighbors
