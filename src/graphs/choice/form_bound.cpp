#include "graphs/choice/form_bound.h"

#include <algorithm>
#include <limits>

namespace tacit::graphs {
namespace {

/// Sums of doubles in different orders differ by far less.
constexpr double certainly = 1 - 1e-6;

/// Of no bytes, and of any number: between measured sizes the model is straight, beyond them it does not fall.
template <typename Price>
double least_of_any_size(const machine_model& m, Price price) {
  double least = std::numeric_limits<double>::infinity();
  for (const message_times& t : m.messages)
    least = std::min(least, price(t));
  return m.messages.empty() ? 0 : std::max(least, 0.0);
}

/// From the beginning of a send through a channel until the receiver sees it: of messages of any length, which come in pieces. Between
/// measured lengths it is the less of two straight lines, so it is least at one of those.
double least_in_channel(const machine_model& m) {
  const auto until_seen = [&](double bytes) {
    return std::max(channel_at(m, bytes) - in_channel(m, bytes), 0.0);
  };
  double least = std::min(until_seen(0), until_seen(bytes_of_a_piece));
  for (const channel_time& t : m.channels)
    if (const auto bytes = static_cast<double>(t.bytes); bytes < bytes_of_a_piece)
      least = std::min(least, until_seen(bytes));
  return least;
}

} // namespace

form_bound::form_bound(std::string_view driver, const machine_costs& costs, const process_map& where,
                       std::uint32_t ranks)
    : prices_(driver, costs, where, ranks), ranks_(ranks) {
  bool several = false;
  for (std::uint32_t n = 0; n < prices_.nodes().count(); ++n) {
    if (prices_.nodes().ranks_on(n) < 2)
      continue;
    several = true;
    all_crowded_ = all_crowded_ && prices_.nodes().crowded(n);
  }
  for (std::uint32_t n = 0; n < prices_.nodes().count(); ++n)
    if (prices_.nodes().crowded(n))
      share_of_a_core_ = std::max(share_of_a_core_, static_cast<double>(prices_.nodes().ranks_on(n)) /
                                                        static_cast<double>(prices_.nodes().cores()));
  const auto add_within_node = [&](bool far) {
    media_.push_back(medium_within_node(false, far));
    if (prices_.shares())
      media_.push_back(medium_within_node(true, far));
  };
  if (several)
    add_within_node(false);
  if (prices_.nodes().has_far_pairs())
    add_within_node(true);
  if (prices_.nodes().count() > 1)
    media_.push_back(medium::network);
}

/// From the beginning of a send to the end of its receive.
double form_bound::least_round() const {
  double least = std::numeric_limits<double>::infinity();
  for (const medium by : media_) {
    const machine_model& m = prices_.model(by);
    const bool by_channel = is_memory(by) && !m.channels.empty();
    double round = by_channel ? least_in_channel(m) + handling : prices_.latency(by) + 2 * handling;
    if (!is_memory(by) && !prices_.puts(by))
      round += least_of_any_size(m, [](const message_times& t) { return t.send.median; }) +
               least_of_any_size(m, [](const message_times& t) { return t.receive.median; });
    if (by != medium::network && all_crowded_)
      round += change_of_process;
    least = std::min(least, round);
  }
  return media_.empty() ? 0 : least;
}

/// Of the core and of the wires of each member, or of the cores of a node that share the work of more ranks. Nobody says which messages
/// travel within nodes. A rank is at work as long as its core and as long as a wire, so half as long as both together.
double form_bound::work_of_member(const collective_shape& s, algorithm form) {
  double core = 0, both = 0, wire = 0;
  for (const like_messages& each : messages_of_member(s, form)) {
    const double bytes = each.blocks * static_cast<double>(s.block);
    double least_core = std::numeric_limits<double>::infinity(), least_both = least_core,
           least_wire = least_core;
    for (const medium by : media_) {
      const double busy = prices_.send(by, bytes, 1) + prices_.receive(by, bytes, 1);
      const double gap = by == medium::network ? prices_.gap(bytes) : 0;
      least_core = std::min(least_core, busy);
      least_wire = std::min(least_wire, gap);
      least_both = std::min(least_both, busy + gap);
    }
    if (media_.empty())
      continue;
    core += each.count * least_core;
    wire += each.count * least_wire;
    both += each.count * least_both;
  }
  return std::max({s.members == ranks_ ? core * share_of_a_core_ : core, wire, both / 2});
}

/// That both ends are busy with a message within a node.
double form_bound::within_node(double bytes) {
  double least = std::numeric_limits<double>::infinity();
  for (const medium by : media_)
    if (by != medium::network)
      least = std::min(least, prices_.send(by, bytes, 1) + prices_.receive(by, bytes, 1));
  return least;
}

/// Of two levels: in an alltoall the leader of the largest node gets from each other member what that has for the ranks of other
/// nodes, and gives it as much, so that it does the work of both ends of as many messages.
double form_bound::work_of_leader(const collective_shape& s) {
  std::uint32_t largest = 0;
  for (std::uint32_t n = 0; n < prices_.nodes().count(); ++n)
    largest = std::max(largest, prices_.nodes().ranks_on(n));
  if (s.kind != pattern::alltoall || s.members != ranks_ || largest < 2 || prices_.nodes().count() < 2)
    return 0;
  return (largest - 1) * within_node(static_cast<double>(s.members - largest) * static_cast<double>(s.block));
}

double form_bound::of(const std::vector<collective_shape>& all, algorithm form) {
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](const auto& s) { return s != all.front(); }))
    return 0;
  const collective_shape& s = all.front();
  const double work = form == algorithm::two_level ? work_of_leader(s) : work_of_member(s, form);
  return certainly * std::max(rounds_of(s, form) * least_round(), work);
}

} // namespace tacit::graphs
