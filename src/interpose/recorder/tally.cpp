#include "interpose/recorder/tally.h"

#include "interpose/recorder/content.h"

#include <algorithm>
#include <cstring>

namespace tacit::interpose {

using namespace recordings;

namespace {

/// What is told of a shape with so much room; without amounts.
tally_record shape_of(tally_record row, std::uint64_t length, recording_room room) {
  if (room >= recording_room::paths) {
    if (row.what == tally_kind::sends || row.what == tally_kind::receives)
      row.header.flags |= tally_mixed;
    row.tag = any_tag;
    length = 0;
  }
  if (room >= recording_room::calls) {
    row.site = row.comm = 0;
    row.peer = peer_none;
  }
  if (room >= recording_room::sums)
    row.call = 0;
  row.times = 0;
  row.bytes = length;
  row.ticks = row.end = 0;
  return row;
}

std::size_t cell_of(const tally_record& shape, std::size_t cells) {
  return static_cast<std::size_t>(hash_bytes(&shape, sizeof shape)) & (cells - 1);
}

} // namespace

void tally::forget() {
  constexpr std::size_t most_rows = std::size_t{128} * 1024 / sizeof(tally_record); // of a half of the tail
  rows_.clear();
  cells_.assign(4 * most_rows, 0);
  static_assert((4 * most_rows & (4 * most_rows - 1)) == 0);
  flushes_ = out_.flushes();
}

void tally::add(tally_record row, std::uint64_t length) {
  row.header.kind = static_cast<std::uint16_t>(record_kind::tally);
  const tally_record shape = shape_of(row, length, out_.room());
  if (out_.flushes() != flushes_)
    forget();
  std::size_t cell = cell_of(shape, cells_.size());
  for (; cells_[cell] != 0; cell = (cell + 1) & (cells_.size() - 1)) {
    const known_row& known = rows_[cells_[cell] - 1];
    if (std::memcmp(&known.shape, &shape, sizeof shape) != 0)
      continue;
    known.at->times += row.times;
    known.at->bytes += row.bytes;
    known.at->ticks += row.ticks;
    known.at->end = std::max(known.at->end, row.end);
    return;
  }
  tally_record made = shape;
  made.times = row.times;
  made.bytes = row.bytes;
  made.ticks = row.ticks;
  made.end = row.end;
  out_.append(made);
  if (out_.flushes() != flushes_) { // the tail was full
    forget();
    cell = cell_of(shape, cells_.size());
  }
  if (auto* const at = out_.last<tally_record>()) {
    rows_.push_back({shape, at});
    cells_[cell] = static_cast<std::uint32_t>(rows_.size());
  }
}

} // namespace tacit::interpose
