#include "graphs/choice/form_shape.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

namespace tacit::graphs {
namespace {

/// Of one member.
double blocks_of_member(const collective_shape& s, algorithm form) {
  const double members = s.members, doublings = std::ceil(std::log2(std::max(members, 2.0)));
  const bool halves = form == algorithm::binomial || form == algorithm::bruck || form == algorithm::butterfly;
  switch (s.kind) {
  case pattern::bcast:
    return form == algorithm::scatter_allgather ? members : 1;
  case pattern::scatter:
  case pattern::scatterv:
  case pattern::gather:
  case pattern::gatherv:
    return halves ? doublings / 2 : 1;
  case pattern::alltoall:
  case pattern::alltoallv:
    if (form == algorithm::ring)
      return members * members / 2;
    return halves ? members * doublings / 2 : members;
  case pattern::barrier:
    return doublings;
  case pattern::reduce:
  case pattern::allreduce:
  case pattern::scan:
  case pattern::exscan:
    if (form == algorithm::pairwise)
      return members;
    if (form == algorithm::reduce_scatter_allgather) // messages of less than a block
      return 2 * members;
    if (s.kind == pattern::reduce)
      return 1;
    return form == algorithm::recursive_doubling ? doublings : 2;
  default:
    return members;
  }
}

} // namespace

std::vector<collective_shape> shapes_of(const graph& g, const plan& p) {
  std::vector<collective_shape> all;
  std::set<std::pair<comm_id, std::int32_t>> known;
  std::pair<comm_id, std::int32_t> last{world, -1};
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps) {
      if (s.kind != step_kind::collective || std::exchange(last, {s.comm, s.tag}) == std::pair(s.comm, s.tag))
        continue;
      if (known.insert(last).second)
        all.push_back({s.collective,
                       static_cast<std::uint32_t>(g.communicators()[index(s.comm)].members.size()),
                       s.largest_block});
    }
  return all;
}

double blocks_of(const std::vector<collective_shape>& all, algorithm form) {
  double blocks = 0;
  for (const collective_shape& s : all)
    blocks += s.members * blocks_of_member(s, form);
  return blocks;
}

double rounds_of(const collective_shape& s, algorithm form) {
  const double members = s.members;
  if (is_scan(s.kind) && form == algorithm::linear)
    return members - 1;
  switch (form) {
  case algorithm::ring:
  case algorithm::pipelined:
  case algorithm::scatter_allgather:
    return members - 1;
  case algorithm::linear:
  case algorithm::pairwise:  // blocks that do not wait for each other
  case algorithm::two_level: // few nodes, of few members each
    return 1;
  case algorithm::reduce_scatter_allgather:
    return 2;
  default:
    return s.kind == pattern::barrier ? 1 : std::floor(std::log2(std::max(members, 2.0)));
  }
}

double most_rounds(const std::vector<collective_shape>& all, algorithm form) {
  double most = 0;
  for (const collective_shape& s : all)
    most = std::max(most, rounds_of(s, form));
  return most;
}

std::vector<like_messages> messages_of_member(const collective_shape& s, algorithm form) {
  const std::uint64_t n = s.members;
  std::vector<like_messages> out;
  const auto in_rounds = [&](auto&& blocks_of_round) {
    for (std::uint64_t d = 1; d < n; d *= 2)
      out.push_back({static_cast<double>(blocks_of_round(d)), 1});
  };
  const bool alltoall = s.kind == pattern::alltoall, allgather = s.kind == pattern::allgather;
  const bool doubles = form == algorithm::recursive_doubling || form == algorithm::butterfly;
  if (n < 2 || s.block == 0)
    return out;
  const bool pairs = alltoall || s.kind == pattern::reduce_scatter_block || s.kind == pattern::allreduce;
  const bool straight = form == algorithm::linear && (alltoall || allgather);
  if (straight || (form == algorithm::pairwise && pairs) || (form == algorithm::ring && allgather))
    out.push_back({1, static_cast<double>(n - 1)});
  else if (form == algorithm::bruck && allgather)
    in_rounds([&](std::uint64_t d) { return std::min(d, n - d); });
  else if (form == algorithm::bruck && alltoall) // the numbers below n that have this bit
    in_rounds([&](std::uint64_t d) { return n / (2 * d) * d + (n % (2 * d) > d ? n % (2 * d) - d : 0); });
  else if (doubles && std::has_single_bit(n) && allgather)
    in_rounds([](std::uint64_t d) { return d; });
  else if (doubles && std::has_single_bit(n) && s.kind == pattern::allreduce)
    in_rounds([](std::uint64_t) { return 1; });
  else if (form == algorithm::butterfly && alltoall)
    in_rounds([&](std::uint64_t) { return n / 2; });
  else if (form == algorithm::ring && alltoall)
    for (std::uint64_t step = 1; step < n; ++step)
      out.push_back({static_cast<double>(n - step), 1});
  return out;
}

} // namespace tacit::graphs
