// What messages cost when they go by one driver between ranks in their places: shared by makespan.h, which lets them wait for each other,
// and by least_makespan.h, which only adds them up.
#pragma once

#include "graphs/cost/makespan.h"
#include "graphs/cost/message_price.h"

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

/// A process gives its core to another one: an exchange of 64 B among four ranks on two cores took 2.5 us, between two 0.1 us.
inline constexpr double change_of_process = 1000;
/// In which shm cuts long messages.
inline constexpr double bytes_of_a_piece = 8192;
/// Beyond this a message on its way through memory drives the buffers of both ends out of their caches, and one of MPI's, which is
/// copied once, does not: exchanges of 256 KiB between two ranks took 2.4 to 3.4 times what the model, which measures what has just
/// been written, says of the copies, while MPI's took 0.5 to 0.9 times what it says.
inline constexpr double bytes_that_stay = 131072, beyond_caches = 4;

class driver_prices {
public:
  /// Refers to both; the driver must be one that has prices.
  driver_prices(std::string_view driver, const machine_costs& costs, const process_map& where,
                std::uint32_t ranks);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(ranks_on_.size()); }
  std::uint32_t node_of(std::uint32_t rank) const { return node_[rank]; }
  /// More ranks than cores.
  bool crowded(std::uint32_t node) const { return ranks_on_[node] > cores_; }
  std::uint32_t ranks_on(std::uint32_t node) const { return ranks_on_[node]; }
  std::uint32_t cores() const { return cores_; }

  medium medium_of(std::uint32_t rank, std::uint32_t peer, double bytes) const {
    if (node_[rank] != node_[peer])
      return medium::network;
    const bool shares = shares_ && bytes <= longest_in_memory_;
    return shares || peer == rank ? medium::memory : medium::node;
  }
  const machine_model& model(medium by) const { return *media_[number(by)].model; }
  double latency(medium by) const { return media_[number(by)].latency; }
  bool puts(medium by) const { return by != medium::memory && by_puts_ && !model(by).puts.empty(); }
  bool shares() const { return shares_; }

  /// That the sender's core is busy with a message that lies in so many pieces of memory there.
  double send(medium by, double bytes, std::size_t pieces) {
    const machine_model& m = model(by);
    const double message = media_[number(by)].send.of(bytes, [&](double n) {
      if (by == medium::memory)
        return through_caches(to_memory(m, n), n);
      return puts(by) ? by_put(m, n) : handling + send_at(m, n);
    });
    return message + in_pieces(by, bytes, pieces);
  }
  /// Likewise the receiver's.
  double receive(medium by, double bytes, std::size_t pieces) {
    const machine_model& m = model(by);
    const double message = media_[number(by)].receive.of(bytes, [&](double n) {
      if (by == medium::memory)
        return through_caches(from_memory(m, n), n);
      if (puts(by))
        return handling + copy_at(m, n);
      const double moving = by == medium::node ? gap_at(m, n) - send_at(m, n) : 0;
      return handling + std::max(receive_at(m, n), moving);
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
  static double through_caches(double price, double bytes) {
    return bytes > bytes_that_stay ? price * beyond_caches : price;
  }
  double in_pieces(medium by, double bytes, std::size_t pieces) const {
    const bool packs = by != medium::memory && !puts(by) && pieces > 1;
    return beyond_one(pieces) + (packs ? packing(model(by), bytes) : 0);
  }
  double latency_of(medium by) const;
  void find_nodes(const process_map& where);

  bool by_puts_, shares_;
  double longest_in_memory_;
  std::uint32_t cores_;
  std::array<medium_state, 3> media_;
  std::vector<std::uint32_t> node_;     ///< by rank, counted from 0
  std::vector<std::uint32_t> ranks_on_; ///< by node
};

} // namespace tacit::graphs
