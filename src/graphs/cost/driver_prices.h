// What messages cost when they go by one driver between ranks in their places: shared by makespan.h, which lets them wait for each other,
// and by least_makespan.h, which only adds them up.
#pragma once

#include "graphs/cost/makespan.h"
#include "graphs/cost/message_price.h"
#include "graphs/platform/channel_lengths.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tacit::graphs {

/// A price by bytes; most messages of a plan are as long as the one before.
class remembered {
public:
  template <typename Price>
  double of(double bytes, Price&& price) {
    if (bytes != bytes_) {
      bytes_ = bytes;
      price_ = price(bytes);
    }
    return price_;
  }

private:
  double bytes_ = -1, price_ = 0;
};

/// A process gives its core to another one. Who waits for a message on a crowded node waits for as many changes as there are ranks to a
/// core: a round of exchanges of 8 B took 0.8 to 1.2 us on three ranks of two cores, 1.7 to 2.4 on four, and 2.9 to 4 on eight.
inline constexpr double change_of_process = 1000;
/// In which shm cuts long messages.
inline constexpr double bytes_of_a_piece = 8192;
/// A rank that sends and receives so many bytes in a run drives them out of its caches if they go through memory of ours, and not if MPI
/// copies them once. A model that has not measured channels, but what has just been written, prices such traffic by what MPI takes for the
/// message: both ends are busy with it. On ranks that share cores it is handed over from process to
/// process on one core, each time with other memory in the caches.
inline constexpr double bytes_that_leave = 262144, share_of_message = 0.85, share_of_long_if_crowded = 1.2;
/// So much of a message is still in the caches when it is combined, unless other ranks have had the core: a sum of 1 and 4 MiB on two ranks took
/// 175 and 733 us in pieces of this length through memory, 266 and 1,094 whole.
inline constexpr double bytes_still_in_cache = 262144;
/// What the ranks of one core move through memory in a run leaves its caches from here on, while others have the core. Graphs as written
/// went through memory on two cores at 1.2 to 2.5 times the speed of the loop with messages of 32 KiB and at 0.9 to 1.95 with 256 KiB on four ranks,
/// on eight at 2.3 to 7.4 with 4 KiB, 0.8 to 2.3 and 0.4 to 1.9 (bench/results/graph-patterns-*).
inline constexpr double bytes_that_leave_a_shared_core = 524288;
/// A long message in pieces is not copied once by MPI, but cut, packed and unpacked on its way: an exchange of blocks of a matrix (32 KiB to
/// 4 MiB) took 1.1 to 3 times what one of contiguous blocks took.
inline constexpr double packing_of_long = 3;

/// Which ranks share a node, and which of these share no cache.
class rank_nodes {
public:
  rank_nodes(const process_map& where, std::uint32_t ranks);

  std::uint32_t count() const { return static_cast<std::uint32_t>(ranks_on_.size()); }
  /// Counted from 0.
  std::uint32_t of(std::uint32_t rank) const { return node_[rank]; }
  /// Of two ranks of a node: their cores are known to share no cache.
  bool share_no_cache(std::uint32_t a, std::uint32_t b) const { return graphs::share_no_cache(cache_, a, b); }
  /// Some ranks of a node do not.
  bool has_far_pairs() const { return has_far_pairs_; }
  std::uint32_t ranks_on(std::uint32_t node) const { return ranks_on_[node]; }
  std::uint32_t cores() const { return cores_; }
  /// More ranks than cores.
  bool crowded(std::uint32_t node) const { return ranks_on_[node] > cores_; }
  bool any_crowded() const { return most_ranks_to_a_core_ > 1; }
  /// Of any node.
  double most_ranks_to_a_core() const { return most_ranks_to_a_core_; }
  /// Ranks that share a core, at least 1.
  double ranks_to_a_core(std::uint32_t node) const {
    return crowded(node) ? static_cast<double>(ranks_on_[node]) / static_cast<double>(cores_) : 1;
  }

private:
  std::uint32_t cores_;
  double most_ranks_to_a_core_ = 1;
  std::vector<std::uint32_t> node_;     ///< by rank
  std::vector<std::uint32_t> ranks_on_; ///< by node
  std::vector<std::uint64_t> cache_;    ///< by rank; empty: nobody knows
  bool has_far_pairs_ = false;
};

class driver_prices {
public:
  /// Refers to both; the driver must be one that has prices.
  driver_prices(std::string_view driver, const machine_costs& costs, const process_map& where,
                std::uint32_t ranks);

  const rank_nodes& nodes() const { return nodes_; }

  medium medium_of(std::uint32_t rank, std::uint32_t peer, double bytes) const {
    if (nodes_.of(rank) != nodes_.of(peer))
      return medium::network;
    const bool shares = (shares_ && bytes <= longest_in_memory_) || peer == rank;
    return medium_within_node(shares, nodes_.share_no_cache(rank, peer));
  }
  const machine_model& model(medium by) const { return *media_[number(by)].model; }
  double latency(medium by) const { return media_[number(by)].latency; }
  bool puts(medium by) const { return !is_memory(by) && by_puts_ && !model(by).puts.empty(); }
  bool shares() const { return shares_; }
  /// What is known of a plan: the most that a rank sends and receives in a run through memory, and whether cores move messages while others move
  /// some, too. To be said before prices are asked for.
  void carry(double bytes, bool both_ways) {
    carried_ = bytes;
    both_ways_ = both_ways;
  }

  /// That the sender's core is busy with a message that lies in so many pieces of memory there.
  double send(medium by, double bytes, std::size_t pieces) {
    const machine_model& m = model(by);
    const double message = media_[number(by)].send.of(bytes, [&](double n) {
      if (is_memory(by))
        return through_caches(by, to_memory(m, n), fill_at(m, n), n);
      return puts(by) ? by_put(m, n) : handling + send_at(m, n);
    });
    return message + in_pieces(by, bytes, pieces);
  }
  /// Likewise the receiver's.
  double receive(medium by, double bytes, std::size_t pieces) {
    const machine_model& m = model(by);
    const double message = media_[number(by)].receive.of(bytes, [&](double n) {
      if (is_memory(by))
        return through_caches(by, from_memory(m, n), fetch_at(m, n), n);
      if (puts(by))
        return handling + copy_at(m, n);
      if (!is_mpi_within_node(by))
        return handling + receive_at(m, n);
      return handling + moving_by_mpi(m, n);
    });
    return message + in_pieces(by, bytes, pieces);
  }
  /// That both wires are busy with a message.
  double gap(double bytes) {
    return media_[number(medium::network)].gap.of(
        bytes, [&](double n) { return gap_at(model(medium::network), n); });
  }
  static double beyond_one(std::size_t pieces) {
    return pieces > 1 ? static_cast<double>(pieces - 1) * piece_handling : 0;
  }

private:
  struct medium_state {
    const machine_model* model = nullptr;
    double latency = 0;
    remembered send, receive, gap;
  };
  static std::size_t number(medium by) { return static_cast<std::size_t>(by); }
  /// `alone` is the copy by itself: ranks that share cores copy one behind the other, and not the same lines at the same time.
  double through_caches(medium by, double price, double alone, double bytes) const {
    const bool crowded = nodes_.any_crowded();
    const machine_model& mpi = model(medium_within_node(false, by == medium::far_memory));
    const bool is_long = bytes > static_cast<double>(mpi.eager_limit); // others are copied twice by MPI, too
    const double of_a_core = nodes_.most_ranks_to_a_core() * std::max(carried_, bytes);
    if (crowded && is_long && of_a_core >= bytes_that_leave_a_shared_core)
      return std::max(price, share_of_long_if_crowded * (handling + moving_by_mpi(mpi, bytes)));
    if (!model(by).channels.empty()) // what a message drives out of the caches is in their prices
      return crowded ? std::min(price, handling + alone) : std::max(price, as_part_of_all(by, bytes));
    const bool leaves = std::max(carried_, bytes) >= bytes_that_leave;
    return leaves ? std::max(price, share_of_message * (handling + moving(mpi, bytes))) : price;
  }
  /// At the price of long messages that are copied: short ones drive each other out of the caches as a long one does its own pieces.
  double as_part_of_all(medium by, double bytes) const {
    const double together =
        std::min(carried_ / 2, static_cast<double>(longest_copied)); // half of them come, as in an exchange
    return bytes < together ? in_channel(model(by), together) * bytes / together : 0;
  }
  /// That the receiver's core moves a message of MPI within the node.
  static double moving(const machine_model& m, double bytes) {
    return std::max(receive_at(m, bytes), gap_at(m, bytes) - send_at(m, bytes));
  }
  /// Likewise while both cores have one to move.
  static double moving_both(const machine_model& m, double bytes) {
    return std::max(moving(m, bytes), exchange_at(m, bytes) - send_at(m, bytes) - m.latency());
  }
  /// Likewise in this plan, on these cores. Where ranks share cores, a message is not read while another core writes it, as `tacit platform`
  /// measures it, but by a process that runs later. A stream of 256 KiB took 38 us a message between two cores, and a gather among
  /// four ranks that share them 23, where a copy from what another core has written and one to what it has read take 6 and 10
  /// (bench/results/graph-patterns-*). Between cores that share no cache a stream takes several times as long, and such a gather does not.
  double moving_by_mpi(const machine_model& m, double bytes) const {
    const double beside = both_ways_ ? moving_both(m, bytes) : moving(m, bytes);
    const bool knows_copies = !m.memory.empty(); // not a price of a few numbers
    if (!nodes_.any_crowded() || !knows_copies || bytes <= static_cast<double>(m.eager_limit))
      return beside;
    const double asking = receive_at(m, 2 * static_cast<double>(m.eager_limit)); // hardly anything is copied
    return std::min(beside, asking + fetch_at(m, bytes) + fill_at(m, bytes));
  }
  double in_pieces(medium by, double bytes, std::size_t pieces) const {
    const machine_model& m = model(by);
    const bool packs = !is_memory(by) && !puts(by) && pieces > 1;
    const bool is_long = is_mpi_within_node(by) && bytes > static_cast<double>(m.eager_limit);
    return beyond_one(pieces) + (packs ? packing(m, bytes) * (is_long ? packing_of_long : 1) : 0);
  }
  double latency_of(medium by) const;

  bool by_puts_, shares_;
  double carried_ = 0; ///< by the busiest rank through memory, as far as it is known
  bool both_ways_ = false;
  double longest_in_memory_;
  rank_nodes nodes_;
  std::array<medium_state, all_media.size()> media_;
};

} // namespace tacit::graphs
