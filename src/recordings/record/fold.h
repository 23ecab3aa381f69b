// Folding: records that repeat are written as what is new in them.
//
// Problem: a program that repeats itself writes the same records again and again, 100 to 250 bytes a call, in which
// only times and content hashes differ. Nothing of that may be lost, and nothing may be known too late: the newest
// records must survive kill -9.
//
// Idea: the newest records stand in the tail as they are (writer.h); when a half of it is full, it is folded into one
// record of the file. Each record is taken apart into its *shape*, all that is the same in every round of a loop, and
// its few numbers that are new each time: times, hashes, and what is counted up (request ids, ordinals of receives,
// allocations), of which the shape holds the distance to the newest one. Shapes are kept in a table. The shapes that
// came last predict the next one, by the shape that followed them last time (prediction by a hash of the context, LZP:
// C. Bloom, "LZP: a new data compression algorithm", DCC 1996). A loop, also one inside others, thus becomes the
// number of records that came as predicted; only where a loop ends or something new happens a shape is named, or
// written out. Times are differences to the one before, in as many bytes as they need; hashes are left out where the
// content is the same as in the round before.
//
// Unfolding gives back every byte, except those of hashes of received data above the lower 32 bits (which are only
// compared with the sender's, and cost a third of a folded Sendrecv). Both sides keep the same table and the same
// counters, and forget the table when it is full: memory is bounded by about 3 MiB. Cost: a comparison of about 100
// bytes for each record; 7 to 20 bytes a call in loops with new content in every message (tests/recordings/record).
#pragma once

#include "recordings/record/format.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tacit::recordings {

/// What folding and unfolding have in common: shapes known so far, what follows what, and counters.
class fold_state {
public:
  static constexpr std::size_t longest_shape = 4096; ///< bytes; longer records are not folded

protected:
  static constexpr std::uint32_t most_shapes = 1u << 14;
  static constexpr std::size_t context_bits = 16;
  static constexpr std::uint32_t unknown = 0xffffffff;

  struct shape {
    std::uint32_t begin = 0, bytes = 0; ///< in shapes_text_
    std::uint64_t hash = 0;             ///< of the content the last time
  };

  std::span<const std::byte> text(const shape& s) const {
    return std::span(shapes_text_).subspan(s.begin, s.bytes);
  }
  /// The shape that is expected now, or `unknown`.
  std::uint32_t expected() const { return follows_[context_]; }
  /// Shape `id` has come.
  void came(std::uint32_t id);
  std::uint32_t add(std::span<const std::byte> text);
  void forget_shapes();

  std::vector<std::byte> shapes_text_;
  std::vector<shape> shapes_;
  std::vector<std::uint32_t> follows_ = std::vector<std::uint32_t>(std::size_t{1} << context_bits, unknown);
  std::uint64_t history_ = 0; ///< the last shapes, four times 16 bits
  std::size_t context_ = 0;

  // Counters and clocks.
  std::uint64_t newest_request_ = 0;
  std::uint64_t newest_allocation_ = 0;
  std::uint64_t completions_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t call_begin_ = 0, call_end_ = 0; ///< of the last call
};

class folder : private fold_state {
public:
  /// Whole records, as one folded record. The result is valid until the next call; empty if they cannot be folded (a
  /// record is too long), and then they are to be written as they are.
  std::span<const std::byte> fold(std::span<const std::byte> records);

private:
  void fold_record(std::span<const std::byte> record);
  unsigned leave_shape(const call_record& c, std::byte* to);
  unsigned leave_shape(const completion_record& d, std::byte* to);
  void leave_shape(record_kind kind, std::size_t bytes, std::byte* to);
  void put_shape(std::span<const std::byte> shape);
  void put_text(std::span<const std::byte> shape);
  void put_news(const call_record& c, unsigned marks);
  void put_news(const completion_record& d);
  void put_number(std::uint64_t n) { put(numbers_, n); }
  void put_hash(std::uint64_t hash, std::size_t bytes);
  static void put(std::vector<std::byte>& to, std::uint64_t n);
  std::uint32_t find(std::span<const std::byte> text);

  std::unordered_multimap<std::uint64_t, std::uint32_t> ids_; ///< by hash of the shape
  std::vector<std::byte> ops_, numbers_, hashes_, texts_, flags_, out_;
  std::uint64_t as_expected_ = 0;
  std::size_t flag_count_ = 0;
  shape* now_ = nullptr;
};

class unfolder : private fold_state {
public:
  /// The records of a folded record, all of it. False if it is malformed; nothing that follows can be unfolded then.
  bool unfold(std::span<const std::byte> folded, std::vector<std::byte>& records);

private:
  struct reader {
    std::span<const std::byte> bytes;
    bool failed = false;
    std::uint64_t number();
    std::span<const std::byte> take(std::size_t count);
  };
  bool next_shape(std::uint32_t& id);
  bool unfold_record(std::vector<std::byte>& records);
  bool get_hash(std::uint64_t& hash, std::size_t bytes);

  reader ops_, numbers_, hashes_, texts_, flags_;
  std::size_t flag_count_ = 0;
  std::uint64_t as_expected_ = 0;
  shape* now_ = nullptr;
};

/// The records of a file, one after the other, unfolded. Any bytes can be read.
class record_cursor {
public:
  explicit record_cursor(std::span<const std::byte> file) : file_(file) {}
  /// The next whole record, valid until the next call; empty at the end and where none begins.
  std::span<const std::byte> next();
  bool at_end() const { return at_ == file_.size() && unfolded_at_ == unfolded_.size() && !broken_; }
  bool is_broken() const { return broken_; } ///< a folded record is malformed
  std::uint64_t position() const {
    return begin_;
  } ///< in the file, of the last record, or of the folded one it is from

private:
  std::span<const std::byte> file_;
  std::uint64_t at_ = 0;
  std::uint64_t begin_ = 0;
  unfolder unfold_;
  std::vector<std::byte> unfolded_;
  std::size_t unfolded_at_ = 0;
  bool broken_ = false;
};

} // namespace tacit::recordings
