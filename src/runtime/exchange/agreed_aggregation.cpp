#include "runtime/exchange/agreed_aggregation.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/node_identity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace tacit::runtime {
namespace {

/// What the members of this rank's node announce to each other: first the lengths, then the words.
class node_talk {
public:
  node_talk(const std::vector<rank_id>& members, rank_id me, int tag, MPI_Comm comm)
      : members_(members), me_(me), tag_(tag), comm_(comm) {}

  /// Before the lengths travel. Local.
  void begin(std::vector<std::uint64_t> mine) {
    all_.resize(members_.size());
    lengths_.assign(members_.size(), mine.size());
    my_length_ = mine.size();
    requests_.assign(2 * members_.size(), MPI_REQUEST_NULL);
    all_[static_cast<std::size_t>(std::find(members_.begin(), members_.end(), me_) - members_.begin())] =
        std::move(mine);
  }
  /// Needs no memory. Throws mpi_error.
  void exchange_lengths() {
    exchange([&](std::size_t m) { return std::span(&lengths_[m], 1); }, std::span(&my_length_, 1));
  }
  /// Between the lengths and the words. Local.
  void make_room() {
    for (std::size_t m = 0; m < members_.size(); ++m)
      all_[m].resize(lengths_[m]);
  }
  /// Needs no memory. Throws mpi_error.
  void exchange_words() {
    const auto mine =
        static_cast<std::size_t>(std::find(members_.begin(), members_.end(), me_) - members_.begin());
    exchange([&](std::size_t m) { return std::span(all_[m]); }, std::span(all_[mine]));
  }
  /// What each member has said, in the order of the members.
  const std::vector<std::vector<std::uint64_t>>& words() const { return all_; }

private:
  template <typename Into>
  void exchange(Into&& into, std::span<const std::uint64_t> mine) {
    std::size_t next = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (members_[m] == me_)
        continue;
      const int peer = static_cast<int>(index(members_[m]));
      const std::span<std::uint64_t> theirs = into(m);
      check_mpi(MPI_Irecv(theirs.data(), static_cast<int>(theirs.size()), MPI_UINT64_T, peer, tag_, comm_,
                          &requests_[next++]),
                "MPI_Irecv");
      check_mpi(MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, peer, tag_, comm_,
                          &requests_[next++]),
                "MPI_Isend");
    }
    await(requests_, "exchanging the sizes of messages to other nodes");
  }

  const std::vector<rank_id>& members_;
  rank_id me_;
  int tag_;
  MPI_Comm comm_;
  std::vector<std::vector<std::uint64_t>> all_;
  std::vector<std::uint64_t> lengths_;
  std::uint64_t my_length_ = 0;
  std::vector<MPI_Request> requests_;
};

/// For agreements, which find minima: larger times are smaller words.
std::uint64_t word_of_time(double ns) {
  return ~std::bit_cast<std::uint64_t>(std::max(ns, 0.0));
}
double time_of_word(std::uint64_t word) {
  return std::bit_cast<double>(~word);
}

} // namespace

neighbors::node_map find_nodes(int rank, int size, MPI_Comm comm, agreement& all) {
  std::uint64_t mine = 0;
  std::vector<std::uint64_t> words;
  neighbors::node_map out;
  all.here([&] {
    mine = node_identity(rank);
    words.resize(static_cast<std::size_t>(size));
  });
  all.agree();
  all.always([&] { allgather(&mine, words.data(), 1, MPI_UINT64_T, comm); });
  all.here([&] { out = neighbors::map_of_nodes(words); });
  return out;
}

std::string aggregate(graphs::rank_plan& plan, const neighbors::node_map& nodes, int rank, int first_tag,
                      int base, const graphs::message_cost& cost, MPI_Comm comm, agreement& all) {
  std::string remark;
  if (!nodes.useful()) {
    all.here([&] {
      remark =
          fmt::format("not aggregated: {} ranks on {} nodes", nodes.node_of.size(), nodes.members.size());
    });
    return remark;
  }
  const auto me = rank_id{static_cast<std::uint32_t>(rank)};
  const auto longest = static_cast<std::uint64_t>(cost.overhead / cost.byte);
  const auto& members = nodes.members[nodes.node_of[static_cast<std::size_t>(rank)]];
  node_talk talk(members, me, base + first_tag, comm);
  all.here([&] { talk.begin(neighbors::aggregation_words(nodes, me, plan, longest)); });
  all.agree();
  all.always([&] { talk.exchange_lengths(); });
  all.here([&] { talk.make_room(); });
  all.agree();
  all.always([&] { talk.exchange_words(); });
  graphs::rank_plan through_nodes;
  std::array<std::uint64_t, 2> longest_times{}; // directly, in steps
  all.here([&] {
    through_nodes = neighbors::aggregated(plan, nodes, me, talk.words(), first_tag, longest);
    longest_times = {word_of_time(neighbors::busy_time(plan, nodes, me, cost) + cost.latency),
                     word_of_time(neighbors::busy_time(through_nodes, nodes, me, cost) +
                                  (1 + 2 * cost.node_share) * cost.latency)};
  });
  all.agree(longest_times);
  const double direct = time_of_word(longest_times[0]), in_steps = time_of_word(longest_times[1]);
  const bool pays = in_steps < graphs::worth_it * direct;
  if (pays)
    plan = std::move(through_nodes);
  all.here([&] {
    remark = pays ? fmt::format("aggregated: one message per pair of {} nodes, in three steps",
                                nodes.members.size())
                  : fmt::format("not aggregated: the busiest rank would need {:.1f} us in three steps, "
                                "{:.1f} us directly",
                                in_steps / 1000, direct / 1000);
  });
  return remark;
}

} // namespace tacit::runtime
