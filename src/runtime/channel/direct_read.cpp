#include "runtime/channel/direct_read.h"

#include "vocabulary/base/hash.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <sys/uio.h>

namespace tacit::runtime {
namespace {

/// A list of segments, handed out in groups that one system call takes.
class pieces {
public:
  explicit pieces(std::span<const graphs::segment> list) : list_(list) {}
  /// The next at most `room` pieces, and how many bytes they are.
  std::size_t next(iovec* out, std::size_t room, std::uint64_t& bytes) const {
    std::size_t n = 0;
    std::uint64_t skip = done_;
    bytes = 0;
    for (std::size_t i = at_; i < list_.size() && n < room; ++i, skip = 0) {
      if (list_[i].length == skip)
        continue;
      out[n++] = {reinterpret_cast<void*>(list_[i].address + skip), list_[i].length - skip};
      bytes += list_[i].length - skip;
    }
    return n;
  }
  void advance(std::uint64_t bytes) {
    while (at_ < list_.size() && bytes >= list_[at_].length - done_) {
      bytes -= list_[at_].length - done_;
      ++at_;
      done_ = 0;
    }
    done_ += bytes;
  }
  /// Copies the bytes into the next pieces, and advances.
  void fill(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const graphs::segment& to = list_[at_];
      const std::size_t n = std::min<std::size_t>(bytes.size(), to.length - done_);
      std::memcpy(reinterpret_cast<void*>(to.address + done_), bytes.data(), n);
      bytes = bytes.subspan(n);
      advance(n);
    }
  }

private:
  std::span<const graphs::segment> list_;
  std::size_t at_ = 0;
  std::uint64_t done_ = 0;
};

constexpr std::size_t pieces_per_call = 64;
static_assert(pieces_per_call <= IOV_MAX);
/// A call costs some microseconds whatever it brings: if one cannot fill this with pieces, they are copied from a buffer.
constexpr std::size_t worth_a_call = 32 * 1024;

} // namespace

bool read_memory(std::int64_t process, std::span<const graphs::segment> from,
                 std::span<const graphs::segment> into) {
  pieces there(from), here(into);
  iovec remote[pieces_per_call], local[pieces_per_call];
  std::array<std::byte, worth_a_call> buffer;
  while (true) {
    std::uint64_t offered = 0, wanted = 0;
    const std::size_t n = there.next(remote, pieces_per_call, offered);
    const std::size_t m = here.next(local, pieces_per_call, wanted);
    if (n == 0 || m == 0)
      return n == 0 && m == 0;
    const bool buffered = m == pieces_per_call && wanted < buffer.size();
    if (buffered)
      local[0] = {buffer.data(), buffer.size()};
    // As many bytes as both groups have; the call itself may do fewer (2 GiB, or a page that is not there).
    const ssize_t got =
        ::process_vm_readv(static_cast<pid_t>(process), local, buffered ? 1 : m, remote, n, 0);
    if (got <= 0)
      return false;
    there.advance(static_cast<std::uint64_t>(got));
    if (buffered)
      here.fill({buffer.data(), static_cast<std::size_t>(got)});
    else
      here.advance(static_cast<std::uint64_t>(got));
  }
}

readable_word make_readable(std::uint64_t& word, const process_identity& me) {
  const auto address = reinterpret_cast<std::uint64_t>(&word);
  hashed_words unlike_others;
  for (const std::uint64_t part : {me.started, static_cast<std::uint64_t>(me.pid), address})
    unlike_others.add(part);
  word = unlike_others.value();
  return {address, word};
}

std::string why_not_readable(const process_identity& owner, const readable_word& word) {
  std::uint64_t seen = 0;
  const graphs::segment from{word.address, sizeof seen},
      into{reinterpret_cast<std::uint64_t>(&seen), sizeof seen};
  errno = 0;
  if (!read_memory(owner.pid, {&from, 1}, {&into, 1}))
    return fmt::format("process_vm_readv: {}", std::strerror(errno));
  return seen == word.value ? "" : "process_vm_readv reads another process";
}

} // namespace tacit::runtime
