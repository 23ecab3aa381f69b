#include "runtime/exchange/agreed_aggregation.h"

#include "runtime/exchange/agreed_model.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/node_identity.h"

#include <array>
#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {
namespace {

/// What each member of this rank's node announces, in their order: first the lengths, then the words.
std::vector<std::vector<std::uint64_t>> exchange_words(const std::vector<rank_id>& members, rank_id me,
                                                       std::vector<std::uint64_t> mine, int tag,
                                                       MPI_Comm comm) {
  std::vector<std::vector<std::uint64_t>> all(members.size());
  std::vector<std::uint64_t> lengths(members.size());
  const std::uint64_t length = mine.size();
  for (const bool data : {false, true}) {
    std::vector<MPI_Request> requests;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const int peer = static_cast<int>(index(members[m]));
      if (members[m] == me)
        continue;
      if (data)
        all[m].resize(lengths[m]);
      std::uint64_t* const into = data ? all[m].data() : &lengths[m];
      check_mpi(MPI_Irecv(into, data ? static_cast<int>(lengths[m]) : 1, MPI_UINT64_T, peer, tag, comm,
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
      check_mpi(MPI_Isend(data ? mine.data() : &length, data ? static_cast<int>(length) : 1, MPI_UINT64_T,
                          peer, tag, comm, &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    }
    await(requests, "exchanging the sizes of messages to other nodes");
  }
  for (std::size_t m = 0; m < members.size(); ++m)
    if (members[m] == me)
      all[m] = std::move(mine);
  return all;
}

/// The largest of each, over all ranks.
std::array<double, 2> largest(std::array<double, 2> mine, MPI_Comm comm) {
  std::array<double, 2> out{};
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allreduce(mine.data(), out.data(), 2, MPI_DOUBLE, MPI_MAX, comm, &request),
            "MPI_Iallreduce");
  await(request, "MPI_Iallreduce");
  return out;
}

} // namespace

neighbors::node_map find_nodes(int rank, int size, MPI_Comm comm) {
  const std::uint64_t mine = node_identity(rank);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allgather(&mine, all.data(), 1, MPI_UINT64_T, comm, &request), "MPI_Iallgather");
  await(request, "MPI_Iallgather");
  return neighbors::map_of_nodes(all);
}

std::string aggregate(graphs::rank_plan& plan, const neighbors::node_map& nodes, int rank, int first_tag,
                      int base, const graphs::message_cost& cost, MPI_Comm comm) {
  if (!nodes.useful())
    return fmt::format("not aggregated: {} ranks on {} nodes", nodes.node_of.size(), nodes.members.size());
  const auto me = rank_id{static_cast<std::uint32_t>(rank)};
  const auto longest = static_cast<std::uint64_t>(cost.overhead / cost.byte);
  const auto& members = nodes.members[nodes.node_of[static_cast<std::size_t>(rank)]];
  const auto words = exchange_words(members, me, neighbors::aggregation_words(nodes, me, plan, longest),
                                    base + first_tag, comm);
  graphs::rank_plan through_nodes = neighbors::aggregated(plan, nodes, me, words, first_tag, longest);
  const auto [direct, in_steps] = largest(
      {neighbors::busy_time(plan, nodes, me, cost) + cost.latency,
       neighbors::busy_time(through_nodes, nodes, me, cost) + (1 + 2 * cost.node_share) * cost.latency},
      comm);
  if (in_steps >= graphs::worth_it * direct)
    return fmt::format(
        "not aggregated: the busiest rank would need {:.1f} us in three steps, {:.1f} us directly",
        in_steps / 1000, direct / 1000);
  plan = std::move(through_nodes);
  return fmt::format("aggregated: one message per pair of {} nodes, in three steps", nodes.members.size());
}

} // namespace tacit::runtime
