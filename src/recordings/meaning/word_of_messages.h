// Whether a message may depend on another one that its sender never got: the word of it came another way.
#pragma once

#include "recordings/meaning/messages.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tacit::recordings {

/// Where a rank sends something for the first time, or begins to take part.
struct first_call {
  std::uint32_t rank = 0; ///< of the world
  std::uint32_t call = 0; ///< in its calls
};

class word_of_messages {
public:
  word_of_messages(const recording_set& recorded, const message_table& table);

  /// True if word of one of `messages`, which some rank got, may have come to a rank before one of `calls`: by
  /// other messages, collective calls, or calls outside the model. True, too, if that takes too long to find out.
  bool may_come_before(std::span<const std::uint32_t> messages, std::span<const first_call> calls);

private:
  void list_collectives();
  double seconds_at(std::uint32_t recording, std::uint64_t tick) const;
  void come_to(std::uint32_t recording, std::uint32_t position);
  void pass_on(std::uint32_t recording, std::uint32_t position);

  const recording_set& recorded_;
  const message_table& table_;
  std::int64_t first_start_ = 0;
  bool listed_ = false;
  /// Per recording and group, its collective calls, ascending.
  std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> collectives_;
  std::vector<std::vector<std::uint32_t>> unmodelled_; ///< per recording, ascending
  std::vector<std::uint32_t> word_; ///< per recording: from where on it may know; none: nothing yet
  std::vector<std::uint32_t> open_; ///< recordings whose calls behind that have to be looked at
};

} // namespace tacit::recordings
