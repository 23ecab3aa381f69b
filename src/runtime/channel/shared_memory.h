// Memory shared between processes of one host without names: a memfd per owner, opened by its peers as
// /proc/<pid>/fd/<n>. Nothing exists in the file system, so nothing is left behind however the processes end.
//
// Everything here may be forbidden (memfd_create by seccomp, /proc/<pid>/fd by another user or hidepid,
// memory by a control group), and two processes may wrongly think that they see the same /proc. So each step
// says why it failed, memory is reserved before it is used (a page that cannot be had later would be a
// SIGBUS), and the opener checks a random number that the owner has told it by other means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tacit::runtime {

/// A process as its peers on the same host know it. Plain data: travels between ranks.
struct process_identity {
  std::uint64_t boot = 0;          ///< hash of this boot's id, 0 if unknown
  std::uint64_t pid_namespace = 0; ///< 0 if unknown
  std::uint64_t started = 0; ///< clock ticks since boot; tells it from a later process of the same number
  std::int64_t pid = 0;
};

process_identity this_process();

/// Empty if `b` can be found under /proc of `a`, else why not.
std::string apart(const process_identity& a, const process_identity& b);

/// True if a process of this host has ended, also if nobody has asked for its exit code yet.
bool has_ended(const process_identity& p);

/// What a peer needs to open a region. Plain data.
struct region_address {
  std::uint64_t bytes = 0;
  std::uint64_t secret = 0;
  std::int64_t descriptor = -1;
};

/// Mapped shared memory, zero when made; its first cache line is taken. Movable, unmaps itself.
class shared_region {
public:
  shared_region() = default;
  shared_region(shared_region&& other) noexcept { swap(other); }
  shared_region& operator=(shared_region&& other) noexcept {
    swap(other);
    return *this;
  }
  ~shared_region();

  /// Makes a region. Returns empty, or why it cannot be had.
  std::string make(std::size_t bytes);
  /// Opens a region of a process of this host. Returns empty, or why not.
  std::string open(const process_identity& owner, const region_address& where);
  /// After this no further process can open the region; mappings stay.
  void close_descriptor();

  region_address address() const { return {bytes_, secret_, descriptor_}; }
  std::byte* at(std::size_t offset) const { return base_ + offset; }
  explicit operator bool() const { return base_ != nullptr; }

private:
  void swap(shared_region& other) noexcept;
  std::string map(int descriptor, std::size_t bytes);

  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t secret_ = 0;
  int descriptor_ = -1;
};

/// First byte of a region that its owner may use.
inline constexpr std::size_t region_header = 128;
/// Regions are divided by pages; their first one is their own.
inline constexpr std::size_t page = 4096;
static_assert(page >= region_header);

} // namespace tacit::runtime
