// What one message costs each of its ends, by what it travels: shared by the price of one rank's traffic (price.h), which sums,
// and by that of a whole plan (makespan.h), which lets messages wait for each other.
#pragma once

#include "graphs/cost/message_cost.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tacit::graphs {

/// A driver's own work per message beyond what the model says (finding it, a call, a branch), and per piece
/// of memory beyond the first.
inline constexpr double handling = 15, piece_handling = 10;
/// What a run costs more, by a driver that looks at shared memory while it waits, if it has messages of MPI, too. Runs of which
/// nothing goes through memory took 40 to 180 ns more by shm than by p2p.
inline constexpr double asking_both = 100;

/// By what a message travels.
enum class medium : std::uint8_t {
  memory,     ///< of ours, that both ends share
  far_memory, ///< likewise, between cores that share no cache
  node,       ///< MPI within a node
  far_node,   ///< likewise, between cores that share no cache
  network,
};
inline constexpr std::array all_media{medium::memory, medium::far_memory, medium::node, medium::far_node,
                                      medium::network};

inline pair_class class_of(medium m) {
  if (m == medium::network)
    return pair_class::other_node;
  return m == medium::far_memory || m == medium::far_node ? pair_class::other_cache : pair_class::same_node;
}
inline bool is_memory(medium m) {
  return m == medium::memory || m == medium::far_memory;
}
/// MPI's, moved by cores.
inline bool is_mpi_within_node(medium m) {
  return m == medium::node || m == medium::far_node;
}
/// Between ranks of a node.
inline medium medium_within_node(bool by_memory, bool far) {
  if (by_memory)
    return far ? medium::far_memory : medium::memory;
  return far ? medium::far_node : medium::node;
}

/// Of the shortest copy most is the clock's own time.
inline double reading_the_clock(const machine_model& m) {
  return copy_at(m, 0);
}

/// What a cache line takes beyond the read that finds it changed, which every message has anyway.
inline double line_latency(const machine_model& m) {
  return std::max(m.flag.median - std::max(fetch_at(m, 0) - reading_the_clock(m), 0.0), 0.0);
}

/// That each end of a channel is busy with a message: an exchange keeps both cores busy with one that goes and one that comes.
inline double in_channel(const machine_model& m, double bytes) {
  return std::max((channel_exchange_at(m, bytes) - line_latency(m)) / 2, handling);
}

/// Into shared memory, and out of it.
inline double to_memory(const machine_model& m, double bytes) {
  if (!m.channels.empty())
    return in_channel(m, bytes);
  return handling + std::max(fill_at(m, bytes) - reading_the_clock(m), 0.0);
}
inline double from_memory(const machine_model& m, double bytes) {
  if (!m.channels.empty())
    return in_channel(m, bytes);
  return handling + std::max(fetch_at(m, bytes) - reading_the_clock(m), 0.0);
}

/// MPI packs, or unpacks, a message that lies in several pieces.
inline double packing(const machine_model& m, double bytes) {
  return std::max(copy_at(m, bytes) - reading_the_clock(m), 0.0);
}

inline double by_put(const machine_model& m, double bytes) {
  return handling + put_at(m, bytes) + put_at(m, 8);
}

} // namespace tacit::graphs
