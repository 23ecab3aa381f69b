#include "runtime/channel/shared_memory.h"

#include "vocabulary/base/hash.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <utility>

namespace tacit::runtime {
namespace {

std::string because(std::string_view what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

/// A small file of /proc; empty if it cannot be read.
std::string read_small(const char* path) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return {};
  char text[1024];
  const ssize_t n = ::read(descriptor, text, sizeof text);
  ::close(descriptor);
  return {text, n > 0 ? static_cast<std::size_t>(n) : 0};
}

struct process_line {
  char state = '?';
  std::uint64_t started = 0;
};

/// State and start time, fields 3 and 22 of /proc/<pid>/stat; the name before them may contain anything.
process_line read_process(std::int64_t pid) {
  const std::string text = read_small(fmt::format("/proc/{}/stat", pid).c_str());
  std::size_t at = text.rfind(')');
  if (at == std::string::npos || at + 2 >= text.size())
    return {};
  process_line line;
  line.state = text[at + 2];
  at += 2;
  for (int field = 3; field < 22 && at != std::string::npos; ++field)
    at = text.find(' ', at + 1);
  if (at != std::string::npos)
    line.started = std::strtoull(text.c_str() + at, nullptr, 10);
  return line;
}

/// fallocate beyond the limit would not fail but end the process by SIGXFSZ.
bool beyond_file_limit(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes;
}

/// fallocate takes what it can get before it fails, and nothing bounds a memfd but the whole machine.
bool beyond_memory(std::size_t bytes) {
  struct sysinfo machine{};
  if (::sysinfo(&machine) != 0)
    return false;
  const std::uint64_t free = (std::uint64_t{machine.freeram} + machine.bufferram) * machine.mem_unit;
  return bytes > free / 4;
}

} // namespace

namespace {

process_identity identify() {
  process_identity me;
  const std::string boot = read_small("/proc/sys/kernel/random/boot_id");
  me.boot = boot.empty() ? 0 : hash_of(boot);
  struct stat space{};
  if (::stat("/proc/self/ns/pid", &space) == 0)
    me.pid_namespace = space.st_ino;
  me.pid = ::getpid();
  me.started = read_process(me.pid).started;
  return me;
}

} // namespace

/// Asking takes 17 us, as long as making shared memory; a forked child asks anew.
process_identity this_process() {
  static std::mutex guard;
  static process_identity known;
  const std::lock_guard lock(guard);
  if (known.pid != ::getpid())
    known = identify();
  return known;
}

std::string apart(const process_identity& a, const process_identity& b) {
  if (a.boot == 0 || b.boot == 0 || a.pid_namespace == 0 || b.pid_namespace == 0)
    return "/proc cannot be read";
  if (a.boot != b.boot)
    return "another host";
  if (a.pid_namespace != b.pid_namespace)
    return "another process namespace";
  if (a.pid == b.pid)
    return "the same process";
  return {};
}

bool has_ended(const process_identity& p) {
  struct stat unused{};
  if (::stat(fmt::format("/proc/{}", p.pid).c_str(), &unused) != 0)
    return errno == ENOENT;
  const process_line line = read_process(p.pid);
  if (line.state == '?')
    return false; // not ours to read: assume that it lives
  return line.state == 'Z' || line.state == 'X' || line.started != p.started;
}

shared_region::~shared_region() {
  close_descriptor();
  if (base_)
    ::munmap(base_, bytes_);
}

void shared_region::swap(shared_region& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(secret_, other.secret_);
  std::swap(descriptor_, other.descriptor_);
}

void shared_region::close_descriptor() {
  if (descriptor_ >= 0)
    ::close(std::exchange(descriptor_, -1));
}

/// Page faults now, not in the first run.
std::string shared_region::map(int descriptor, std::size_t bytes) {
  void* const base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (base == MAP_FAILED)
    return because("mmap of shared memory");
  base_ = static_cast<std::byte*>(base);
  bytes_ = bytes;
  return {};
}

std::string shared_region::make(std::size_t bytes) {
  if (beyond_memory(bytes))
    return fmt::format("{} B are more than a quarter of the memory that is free", bytes);
  if (beyond_file_limit(bytes))
    return fmt::format("{} B are more than the limit of file sizes (ulimit -f)", bytes);
  descriptor_ = ::memfd_create("tacit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0)
    return because("memfd_create");
  // Reserved now: a page that cannot be had when it is first written would end the process.
  if (::fallocate(descriptor_, 0, 0, static_cast<off_t>(bytes)) != 0)
    return because(fmt::format("{} B of shared memory", bytes));
  ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL); // nobody can take it away again
  if (std::string why = map(descriptor_, bytes); !why.empty())
    return why;
  if (::getrandom(&secret_, sizeof secret_, GRND_NONBLOCK) != sizeof secret_)
    return because("getrandom");
  std::memcpy(base_, &secret_, sizeof secret_);
  return {};
}

std::string shared_region::open(const process_identity& owner, const region_address& where) {
  const std::string path = fmt::format("/proc/{}/fd/{}", owner.pid, where.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return because("opening memory of another process through /proc");
  struct stat found{};
  std::string why;
  if (::fstat(descriptor, &found) != 0 || static_cast<std::uint64_t>(found.st_size) != where.bytes)
    why = "memory of another process is not what it said";
  else
    why = map(descriptor, where.bytes);
  ::close(descriptor);
  if (why.empty() && std::memcmp(base_, &where.secret, sizeof where.secret) != 0)
    why = "memory of another process is not what it said";
  secret_ = where.secret;
  return why;
}

} // namespace tacit::runtime
