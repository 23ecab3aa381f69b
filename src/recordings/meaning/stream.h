// Some messages of one communicator as their members see them: what each rank does next, and which operations
// belong together because no message leaves them.
#pragma once

#include "recordings/meaning/episode_graph.h"
#include "recordings/meaning/messages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tacit::recordings {

/// One end of a message, on one rank. Receives happen where they are complete.
struct stream_operation {
  std::uint32_t position = 0; ///< in the rank's calls
  std::uint32_t peer = 0;     ///< position in the group
  std::uint32_t message = 0;
  bool receives = false;
  bool second_half = false; ///< the receive of a Sendrecv, which is one call
};

/// How many of its next operations each rank takes.
using portion = std::vector<std::uint32_t>;

/// Everything that happens on one communicator, for each member: positions in its calls, ascending.
struct group_activity {
  std::vector<std::vector<std::uint32_t>> operations;  ///< ends of messages
  std::vector<std::vector<std::uint32_t>> collectives; ///< collective calls of kinds that all make
};
/// That of every group. Cost O(calls + messages · log messages).
std::vector<group_activity> list_group_activity(const recording_set& recorded, const message_table& table,
                                                group_positions& positions);

class stream {
public:
  /// Messages with an end outside the group, or never seen to arrive, are left out. What else happens on the group
  /// between the operations of a portion parts it.
  stream(const recording_set& recorded, const message_table& table, group_positions& positions,
         std::uint32_t group, std::span<const std::uint32_t> messages, const group_activity& around);

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(of_.size()); }
  bool at_end() const;
  /// The next operations of a rank, at most `count`.
  std::span<const stream_operation> next(std::uint32_t rank, std::uint32_t count) const;

  /// Whether every message sent in the portion is received in it and the other way round, nothing else happens on
  /// the communicator between its operations, no collective call lies within it, and its edges go through no call.
  bool is_closed(const portion& take) const;
  /// Its messages, each once, in the order of their senders.
  std::vector<std::uint32_t> messages(const portion& take) const;
  void advance(const portion& take);
  /// Passes over the next operations of a rank that nobody has to catch up with, and all that are tied to them. Returns
  /// false at the end.
  bool skip();

private:
  struct member {
    std::vector<stream_operation> list;
    std::size_t at = 0;
  };
  std::uint32_t collectives_before(std::uint32_t rank, std::uint32_t position) const;
  bool is_undisturbed(std::uint32_t rank, std::uint32_t count) const;
  static bool is_within_call(const member& m, std::size_t at);

  const group_activity& around_;
  std::vector<member> of_; ///< by position in the group
};

} // namespace tacit::recordings
