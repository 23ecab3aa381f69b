// Counting what a recording near its limit has no more room for: a row for each shape of calls and messages.
//
// Rows are records in the tail of the recording, counted up in place, so that kill -9 loses none. When the tail is full they
// go to the file like all others and new rows begin: rows of equal shape add up. How much of a shape is
// told follows from the room that is left (writer.h), so both the file and the memory here are bounded.
#pragma once

#include "recordings/record/writer.h"

#include <cstdint>
#include <vector>

namespace tacit::interpose {

class tally {
public:
  explicit tally(recordings::writer& out) : out_(out) {}

  /// Adds times, bytes and ticks of `row` to the row of its shape, to which the length of each message belongs; `end`
  /// becomes the later one.
  void add(recordings::tally_record row, std::uint64_t length);

private:
  struct known_row {
    recordings::tally_record shape; ///< without amounts
    recordings::tally_record* at;
  };
  void forget();

  recordings::writer& out_;
  std::uint64_t flushes_ = ~std::uint64_t{0};
  std::vector<known_row> rows_;
  std::vector<std::uint32_t> cells_; ///< open addressing: number of the row plus 1
};

} // namespace tacit::interpose
