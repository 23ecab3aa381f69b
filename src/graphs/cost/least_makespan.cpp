#include "graphs/cost/least_makespan.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

/// Sums of doubles in different orders differ by far less.
constexpr double certainly = 1 - 1e-6;

} // namespace

least_makespan::least_makespan(std::string_view driver, const machine_costs& costs, const process_map& where,
                               std::uint32_t ranks)
    : prices_(driver, costs, where, ranks), work_(ranks, 0), out_(ranks, 0), in_(ranks, 0),
      work_of_node_(prices_.nodes().count(), 0) {}

void least_makespan::add_work(std::uint32_t rank, double busy) {
  work_of_node_[prices_.nodes().of(rank)] += busy;
  most_ = std::max(most_, work_[rank] += busy);
}

void least_makespan::add_message(rank_id from, rank_id to, std::uint64_t bytes) {
  const auto n = static_cast<double>(bytes);
  const medium by = prices_.medium_of(index(from), index(to), n);
  add_work(index(from), prices_.send(by, n, 1));
  add_work(index(to), prices_.receive(by, n, 1));
  if (by == medium::network) {
    most_ = std::max(most_, out_[index(from)] += prices_.gap(n));
    most_ = std::max(most_, in_[index(to)] += prices_.gap(n));
  }
}

void least_makespan::add(const plan& p) {
  for (std::uint32_t r = 0; r < p.ranks.size(); ++r)
    for (const step& s : p.ranks[r].steps) {
      if (s.kind != step_kind::send && s.kind != step_kind::recv)
        continue;
      const bool sends = s.kind == step_kind::send;
      const std::span<const segment> list = sends ? s.reads : s.writes;
      const auto n = static_cast<double>(total_length(list));
      const medium by = prices_.medium_of(r, index(s.peer), n);
      add_work(r, sends ? prices_.send(by, n, list.size()) : prices_.receive(by, n, list.size()));
      if (by == medium::network)
        most_ = std::max(most_, (sends ? out_ : in_)[r] += prices_.gap(n));
    }
}

double least_makespan::value() const {
  double most = most_;
  for (std::uint32_t n = 0; n < prices_.nodes().count(); ++n)
    if (prices_.nodes().crowded(n))
      most = std::max(most, work_of_node_[n] / prices_.nodes().cores());
  return most * certainly;
}

} // namespace tacit::graphs
