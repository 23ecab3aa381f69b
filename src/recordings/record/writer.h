// Writes the recording of one rank (format.h) with bounded memory, such that nothing written is lost by kill
// -9.
//
// Problem: one write() a record is too slow, an ordinary buffer dies with the process, and mapping the
// growing file costs a page fault with file-system work every 4 KiB (measured: 80 ns per 96-byte record,
// against 20 ns here). Idea: the buffer is itself a small file (the tail) mapped shared: the kernel keeps it
// whatever happens to the process, its pages are faulted in once, and a full half goes to the recording in
// one write(). A record becomes visible by its first eight bytes, stored last; a half becomes part of the
// recording by the tail's `position`, stored after the write. What is written is folded (fold.h), the tail is not.
//
// A recording may have a limit. Then there is always room for what is in the buffer, and some for counting what no longer can be
// recorded: `room` says how much may still be told, which only ever becomes less.
//
// When the disk is full (or a limit or permission forbids writing) the writer goes dead: everything is
// ignored from then on, `problem` says why. It never raises a signal (SIGXFSZ included), never throws.
#pragma once

#include "recordings/record/fold.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacit::recordings {

/// Empty file in the folder of the recordings: several processes were rank 0 of 1, because the launcher is of another
/// MPI library.
inline constexpr const char* launched_apart_mark = "launched-apart";

/// "rank-00007.rec".
std::string recording_name(std::uint32_t rank);

/// What a recording with a limit still has room for.
enum class recording_room : std::uint8_t {
  everything,
  shapes, ///< counts of calls and messages of each shape
  paths,  ///< of each call path and partner
  calls,  ///< of each MPI function
  sums,
};

class writer {
public:
  /// A limit below this, and 16 bytes for each rank of the world, cannot be kept.
  static constexpr std::uint64_t smallest_limit = std::uint64_t{64} * 1024;
  /// The files of this rank will never have more bytes together. To be called before `open`.
  void limit(std::uint64_t bytes);
  recording_room room() const { return room_; }
  /// Whether a record so long can be appended without taking the room that counting needs.
  bool fits(std::size_t bytes) const;

  writer();
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer() { close(); }

  /// Creates the files of `rank` in `folder` (which must exist); false, with `problem` set, if that cannot be
  /// done or the rank has a recording there already.
  bool open(const std::string& folder, std::uint32_t rank);
  /// Whether full halves are folded; they are unless this says otherwise.
  void fold(bool on) { folding_ = on; }
  bool alive() const { return buffer_ != nullptr; }
  const std::string& problem() const { return problem_; }
  /// The recording of this rank was there already.
  bool taken() const { return taken_; }
  std::uint64_t records() const { return records_; }
  /// How often the buffer was emptied: what `last` returned before is gone when this has changed.
  std::uint64_t flushes() const { return flushes_; }

  /// Appends one record: `record` starts with a record_header whose `bytes` this function sets; the parts
  /// follow each other without gaps and the whole is padded to 8 bytes.
  template <typename Record>
  void append(Record record, std::span<const std::byte> part1 = {}, std::span<const std::byte> part2 = {}) {
    static_assert(sizeof(Record) % 8 == 0 && alignof(Record) <= 8);
    const std::size_t bytes = (sizeof(Record) + part1.size() + part2.size() + 7) & ~std::size_t{7};
    record.header.bytes = static_cast<std::uint32_t>(bytes);
    if (std::byte* to = reserve(bytes))
      commit(to, &record, sizeof(Record), part1, part2);
  }

  /// Puts a record behind all others that the next one replaces, and that only the recording of a process that ended
  /// before holds. It is no record of the file otherwise.
  template <typename Record>
  void put_behind(Record record) {
    static_assert(sizeof(Record) % 8 == 0 && alignof(Record) <= 8);
    record.header.bytes = sizeof(Record);
    put_behind(&record, sizeof record);
  }

  /// Takes it away again, if nothing has replaced it.
  void drop_behind();

  /// The record appended last, to be changed in place (its header excepted); null if it is no longer in the
  /// buffer.
  template <typename Record>
  Record* last() {
    return reinterpret_cast<Record*>(last_);
  }

  /// Moves the buffer to the recording.
  void flush();
  /// Flushes and removes the tail: what the recording holds now is all there is.
  void close();
  /// To be called in a forked child: lets go of the files, which are its parent's.
  void forked() {
    forked_ = true;
    abandon();
  }

private:
  std::byte* half(std::size_t which) const;
  std::size_t buffer_bytes() const;
  std::uint64_t most_of_a_half() const;
  std::uint64_t left() const;
  void update_room();
  std::span<const std::byte> folded(std::span<const std::byte> records);
  int write_all(const std::byte* from, std::size_t bytes);
  std::byte* reserve(std::size_t bytes);
  void commit(std::byte* to, const void* record, std::size_t size, std::span<const std::byte> part1,
              std::span<const std::byte> part2);
  void put_behind(const void* record, std::size_t size);
  void write_large(const record_header& header);
  void publish_position();
  void abandon();
  void fail(const char* what, int error);

  int file_ = -1;
  std::uint64_t device_ = 0; ///< what file_ was when it was opened
  std::uint64_t inode_ = 0;
  std::byte* buffer_ = nullptr; ///< the mapped tail, header included; null when dead
  std::size_t half_ = 0;        ///< which half is in use
  std::size_t used_ = 0;        ///< bytes of that half in use
  bool forked_ = false;
  bool taken_ = false;
  bool behind_ = false; ///< there is a record behind the newest one
  std::uint64_t position_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t flushes_ = 0;
  std::byte* last_ = nullptr; ///< the newest record, if it is in the buffer
  folder folder_;
  bool folding_ = true;
  std::size_t half_bytes_;
  std::uint64_t most_bytes_ = ~std::uint64_t{0}; ///< of the .rec file
  recording_room room_ = recording_room::everything;
  std::vector<std::byte> large_; ///< for a record that does not fit into the buffer
  std::string tail_path_;
  std::string problem_;
};

/// All bytes of a recording, the tail of an aborted run included, as they are in the file. Empty, with `problem` set, if it
/// cannot be read.
std::vector<std::byte> load_folded(const std::string& path, std::string& problem);
/// All records, as long as they are whole.
std::vector<std::byte> load_recording(const std::string& path, std::string& problem);

} // namespace tacit::recordings
