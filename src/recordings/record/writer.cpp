#include "recordings/record/writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tacit::recordings {

namespace {

// Large enough that the write() is rare, small enough to stay in the second-level cache of the core.
constexpr std::size_t usual_half_bytes = std::size_t{128} * 1024;
constexpr std::size_t end_mark = sizeof(std::uint64_t); ///< room for the zero that ends the list of records

std::string tail_of(const std::string& path) {
  return path.substr(0, path.rfind('.')) + ".tail";
}

/// Keeps SIGXFSZ (file size limit) of this thread from reaching the program while we write.
class no_size_signal {
public:
  no_size_signal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~no_size_signal() {
    const timespec now{};
    if (!was_pending_)
      while (sigtimedwait(&signal_, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_ = false;
};

/// Makes the list of records end here.
void hide(std::byte* at) {
  std::memset(at, 0, end_mark);
  std::atomic_signal_fence(std::memory_order_release);
}

/// Writes all bytes; 0 or errno.
int write_bytes(int file, const std::byte* from, std::size_t bytes) {
  const no_size_signal guard;
  while (bytes > 0) {
    const ssize_t done = ::write(file, from, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done < 0 ? errno : ENOSPC;
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return 0;
}

/// Reserves real blocks, so that storing into the mapping cannot fail later; 0 or errno.
int reserve_blocks(int file, std::size_t bytes) {
  const no_size_signal guard;
  return posix_fallocate(file, 0, static_cast<off_t>(bytes));
}

} // namespace

std::string recording_name(std::uint32_t rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05u.rec", rank);
  return name;
}

writer::writer() : half_bytes_(usual_half_bytes) {}

void writer::limit(std::uint64_t bytes) {
  constexpr std::uint64_t page = 4096;
  half_bytes_ = std::clamp<std::uint64_t>(bytes / 16 / page * page, page, usual_half_bytes);
  most_bytes_ = bytes - std::min<std::uint64_t>(bytes, buffer_bytes());
  update_room();
}

std::size_t writer::buffer_bytes() const {
  return sizeof(tail_header) + 2 * half_bytes_;
}

/// What a half of the tail may need in the file: folding can make what never repeats a little longer.
std::uint64_t writer::most_of_a_half() const {
  return 2 * half_bytes_ + 512;
}

std::uint64_t writer::left() const {
  return most_bytes_ - std::min(most_bytes_, position_);
}

/// Each stage leaves room for one half of each later one; the first two also leave a quarter and a sixteenth of the limit.
void writer::update_room() {
  if (most_bytes_ == ~std::uint64_t{0})
    return;
  const std::uint64_t half = most_of_a_half();
  const recording_room now = left() >= std::max(most_bytes_ / 4, 4 * half) + half ? recording_room::everything
                             : left() >= std::max(most_bytes_ / 16, 3 * half) + half ? recording_room::shapes
                             : left() >= 3 * half                                    ? recording_room::paths
                             : left() >= 2 * half                                    ? recording_room::calls
                                                                                     : recording_room::sums;
  room_ = std::max(room_, now);
}

bool writer::fits(std::size_t bytes) const {
  if (most_bytes_ == ~std::uint64_t{0} || bytes + end_mark <= half_bytes_)
    return true;
  return left() >= bytes + 6 * most_of_a_half();
}

bool writer::open(const std::string& folder, std::uint32_t rank) {
  const std::string path = folder + "/" + recording_name(rank);
  tail_path_ = tail_of(path);
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file_ < 0) {
    taken_ = errno == EEXIST;
    return fail(path.c_str(), errno), false;
  }
  const auto give_up = [&](int error) { // a file without even a start is no recording
    fail(tail_path_.c_str(), error);
    unlink(path.c_str());
    return false;
  };
  const int tail = ::open(tail_path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (tail < 0)
    return give_up(errno);
  const int full = reserve_blocks(tail, buffer_bytes());
  void* mapped =
      full ? MAP_FAILED
           : mmap(nullptr, buffer_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, tail, 0);
  const int error = full ? full : errno;
  ::close(tail);
  if (mapped == MAP_FAILED)
    return give_up(error);
  madvise(mapped, buffer_bytes(), MADV_DONTFORK); // a forked child must not write into its parent's recording
  buffer_ = static_cast<std::byte*>(mapped);
  struct stat status{};
  fstat(file_, &status);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  tail_header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.half_bytes = half_bytes_;
  std::memcpy(buffer_, &header, sizeof header);
  return true;
}

std::byte* writer::half(std::size_t which) const {
  return buffer_ + sizeof(tail_header) + which * half_bytes_;
}

std::byte* writer::reserve(std::size_t bytes) {
  if (!buffer_)
    return nullptr;
  if (used_ + bytes + end_mark > half_bytes_)
    flush();
  if (!buffer_)
    return nullptr;
  if (used_ + bytes + end_mark <= half_bytes_)
    return half(half_) + used_;
  if (!fits(bytes))
    return nullptr;
  large_.resize(bytes);
  return large_.data();
}

void writer::commit(std::byte* to, const void* record, std::size_t size, std::span<const std::byte> part1,
                    std::span<const std::byte> part2) {
  record_header header;
  std::memcpy(&header, record, sizeof header);
  if (behind_) // what stands there must not be taken for a record while it is written over
    hide(half(half_) + used_);
  behind_ = false;
  // Body first, then the end mark behind it, then the header that makes it all visible.
  std::memcpy(to + sizeof header, static_cast<const std::byte*>(record) + sizeof header,
              size - sizeof header);
  if (!part1.empty())
    std::memcpy(to + size, part1.data(), part1.size());
  if (!part2.empty())
    std::memcpy(to + size + part1.size(), part2.data(), part2.size());
  const std::size_t length = size + part1.size() + part2.size();
  if (length < header.bytes)
    std::memset(to + length, 0, header.bytes - length);
  ++records_;
  if (to == large_.data())
    return write_large(header);
  std::memset(to + header.bytes, 0, end_mark);
  std::atomic_signal_fence(std::memory_order_release);
  std::memcpy(to, &header, sizeof header);
  used_ += header.bytes;
  last_ = to;
}

void writer::put_behind(const void* record, std::size_t size) {
  if (!buffer_ || used_ + size + end_mark > half_bytes_)
    return; // the newest record says where the rank was before
  std::byte* const to = half(half_) + used_;
  hide(to);
  behind_ = true;
  record_header header;
  std::memcpy(&header, record, sizeof header);
  std::memcpy(to + sizeof header, static_cast<const std::byte*>(record) + sizeof header,
              size - sizeof header);
  std::memset(to + size, 0, end_mark);
  std::atomic_signal_fence(std::memory_order_release);
  std::memcpy(to, &header, sizeof header);
}

void writer::drop_behind() {
  if (behind_ && buffer_)
    hide(half(half_) + used_);
  behind_ = false;
}

// A program may close descriptors it does not know and open files of its own under the same number.
int writer::write_all(const std::byte* from, std::size_t bytes) {
  struct stat now{};
  if (fstat(file_, &now) != 0 || now.st_dev != device_ || now.st_ino != inode_) {
    file_ = -1;
    return EBADF;
  }
  return write_bytes(file_, from, bytes);
}

void writer::write_large(const record_header& header) {
  flush();
  if (!buffer_)
    return;
  std::memcpy(large_.data(), &header, sizeof header);
  if (const int error = write_all(large_.data(), large_.size()))
    return fail("the recording", error);
  position_ += large_.size();
  large_ = {};
  update_room();
  publish_position();
}

void writer::flush() {
  behind_ = false;
  if (!buffer_ || used_ == 0)
    return;
  const std::span<const std::byte> bytes = folded({half(half_), used_});
  if (const int error = write_all(bytes.data(), bytes.size()))
    return fail("the recording", error);
  position_ += bytes.size();
  update_room();
  used_ = 0;
  ++flushes_;
  last_ = nullptr;
  half_ = 1 - half_;
  std::memset(half(half_), 0, end_mark);
  publish_position();
}

/// These records as one folded record, or as they are if that cannot be. Without memory nothing is folded any more: the
/// reader knows what had been.
std::span<const std::byte> writer::folded(std::span<const std::byte> records) {
  try {
    if (const auto bytes = folding_ ? folder_.fold(records) : std::span<const std::byte>(); !bytes.empty())
      return bytes;
  } catch (const std::bad_alloc&) {
    folding_ = false;
  }
  return records;
}

// One store says both how much of the .rec file counts and which half continues it: killed before it, the
// reader takes the old length and the full half; killed after it, the new length and the empty half. Nothing
// is lost or seen twice.
void writer::publish_position() {
  const std::uint64_t word = position_ | half_;
  std::atomic_signal_fence(std::memory_order_release);
  std::memcpy(buffer_ + offsetof(tail_header, position), &word, sizeof word);
}

void writer::close() {
  flush();
  if (!buffer_)
    return;
  unlink(tail_path_.c_str());
  abandon();
}

void writer::abandon() {
  if (buffer_ && !forked_)
    munmap(buffer_, buffer_bytes());
  buffer_ = last_ = nullptr;
  ++flushes_;
  struct stat now{};
  if (file_ >= 0 &&
      (inode_ == 0 || (fstat(file_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_)))
    ::close(file_);
  file_ = -1;
}

void writer::fail(const char* what, int error) {
  problem_ = std::string("cannot write ") + what + ": " + std::strerror(error);
  // What the tail holds is part of the recording, so it stays unless it is empty.
  const bool empty = !buffer_ || used_ == 0;
  if (empty && file_ >= 0)
    unlink(tail_path_.c_str());
  abandon();
}

namespace {

std::vector<std::byte> read_file(const std::string& path, std::string& problem) {
  std::vector<std::byte> bytes;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return problem = std::strerror(errno), bytes;
  struct stat status{};
  fstat(file, &status);
  bytes.resize(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t done = ::read(file, bytes.data() + have, bytes.size() - have);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      problem = std::strerror(errno);
    if (done <= 0)
      break;
    have += static_cast<std::size_t>(done);
  }
  ::close(file);
  bytes.resize(have);
  return bytes;
}

/// The records in the half of a tail that is in use.
std::span<const std::byte> records_of_tail(std::span<const std::byte> tail, const tail_header& header) {
  const std::uint64_t start = sizeof(tail_header) + (header.position & 1) * header.half_bytes;
  if (header.half_bytes > tail.size() || start > tail.size())
    return {};
  const std::span<const std::byte> half =
      tail.subspan(start, std::min<std::uint64_t>(header.half_bytes, tail.size() - start));
  std::size_t end = 0;
  while (half.size() - end >= sizeof(record_header)) {
    record_header record;
    std::memcpy(&record, half.data() + end, sizeof record);
    if (record.bytes < sizeof record || record.bytes % 8 != 0 || record.bytes > half.size() - end)
      break;
    end += record.bytes;
  }
  return half.first(end);
}

} // namespace

std::vector<std::byte> load_folded(const std::string& path, std::string& problem) {
  std::vector<std::byte> bytes = read_file(path, problem);
  if (!problem.empty())
    return {};
  std::string no_tail; // a finished recording has none
  const std::vector<std::byte> tail = read_file(tail_of(path), no_tail);
  tail_header header{};
  if (tail.size() < sizeof header)
    return bytes;
  std::memcpy(&header, tail.data(), sizeof header);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0)
    return bytes;
  const std::uint64_t position = header.position & ~std::uint64_t{1};
  if (position > bytes.size())
    return bytes; // the .rec file was cut: what follows the gap cannot be used
  bytes.resize(position);
  const auto newest = records_of_tail(tail, header);
  bytes.insert(bytes.end(), newest.begin(), newest.end());
  return bytes;
}

std::vector<std::byte> load_recording(const std::string& path, std::string& problem) {
  const std::vector<std::byte> file = load_folded(path, problem);
  std::vector<std::byte> all;
  record_cursor records(file);
  for (auto one = records.next(); !one.empty(); one = records.next())
    all.insert(all.end(), one.begin(), one.end());
  if (!records.at_end()) { // what comes after shows as what it is
    const auto rest = std::span(file).subspan(records.position());
    all.insert(all.end(), rest.begin(), rest.end());
  }
  return all;
}

} // namespace tacit::recordings
