// Components of messages that are tied together, and what each does on the ranks it touches.
//
// Union-find; each component keeps, for each rank it touches, four positions in that rank's calls, merged
// small to large; a single message keeps none. Cost O(messages · log messages), about 300 bytes for each
// message in components of more than one.
#pragma once

#include "recordings/meaning/known_messages.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tacit::recordings {

constexpr std::uint32_t never = none;

/// What a component does on one rank, as positions in the rank's calls.
struct footprint {
  std::uint32_t rank = 0;
  std::uint32_t first = never; ///< first and last operation
  std::uint32_t last = 0;
  std::uint32_t first_foreign = never; ///< where it first knew of a message with data from elsewhere
  std::uint32_t last_original = 0;     ///< latest send of data not sent before; 0 and !has_original: none
  bool has_original = false;

  void add(const footprint& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    first_foreign = std::min(first_foreign, other.first_foreign);
    last_original = std::max(last_original, other.last_original);
    has_original = has_original || other.has_original;
  }
  bool conflicts(const footprint& other) const {
    return (other.has_original && first_foreign < other.last_original) ||
           (has_original && other.first_foreign < last_original);
  }
};

using footprints = std::vector<footprint>; ///< by rank

class components {
public:
  /// `content_sent`, per message: the call that first sent what it sends.
  components(const known_messages& known, const std::vector<std::uint32_t>& content_sent);

  /// The message that stands for the component of `m`.
  std::uint32_t root(std::uint32_t m) {
    while (parent_[m] != m)
      m = parent_[m] = parent_[parent_[m]];
    return m;
  }
  bool has_several(std::uint32_t root) const { return stored_.contains(root); }
  /// No rank contributes after it got foreign data.
  bool is_simultaneous(std::uint32_t root) const;

  void join_strongly(std::uint32_t a, std::uint32_t b);
  /// Joins the two unless a rank would contribute after it got foreign data; true if they are together now.
  bool join_weakly(std::uint32_t a, std::uint32_t b);

private:
  footprints of_message(std::uint32_t id) const;
  footprints take(std::uint32_t component);
  /// What is not stored is made in `room`.
  const footprints& look(std::uint32_t component, footprints& room) const;
  bool are_simultaneous(std::uint32_t a, std::uint32_t b) const;
  void unite(std::uint32_t a, std::uint32_t b);

  const known_messages known_;
  const std::vector<std::uint32_t>& content_sent_;
  std::vector<std::uint32_t> parent_;
  std::unordered_map<std::uint32_t, footprints> stored_; ///< of components with more than one message
};

/// The position at which a message's receive was complete, or never.
std::uint32_t received_at(const known_messages& known, const message& m);
/// The position from which on the receiver may do something because of the message, or never.
std::uint32_t known_at(const recording_set& recorded, const message_table& table, const message& m);

} // namespace tacit::recordings
