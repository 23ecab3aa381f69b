#include "runtime/channel/shared_buffers.h"

#include <limits>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/resource.h>
#include <tuple>

namespace tacit::runtime {
namespace {

struct buffer {
  std::uint64_t bytes = 0;
  shared_region region; ///< its first page is not the program's; none: ordinary memory
};

std::mutex buffers_guard;

/// By address. Never destroyed: programs may free after the end of main.
std::map<std::uint64_t, buffer>& buffers() {
  static auto& all = *new std::map<std::uint64_t, buffer>;
  return all;
}

std::uint64_t address_of(const void* at) {
  return reinterpret_cast<std::uint64_t>(at);
}

/// Processes of different hosts may have the same number and start; and secret.
using buffer_key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t, std::uint64_t>;

/// Buffers of other processes that operations of this one use. Never destroyed, as the others.
std::map<buffer_key, std::weak_ptr<const shared_region>>& opened() {
  static auto& all = *new std::map<buffer_key, std::weak_ptr<const shared_region>>;
  return all;
}

/// Zero pages that are taken when they are first written: filling them now could take more than there is.
void* ordinary_memory(std::size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

/// Each buffer that is shared keeps a descriptor; half of those that the process may have stay the program's.
bool takes_too_many_descriptors(const shared_region& r) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         static_cast<std::uint64_t>(r.address().descriptor) >= limit.rlim_cur / 2;
}

} // namespace

void* allocate_buffer(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * page)
    return nullptr;
  const std::size_t rounded = (bytes + page - 1) / page * page + (bytes == 0 ? page : 0);
  buffer made{rounded, {}};
  void* at = nullptr;
  if (made.region.make(page + rounded).empty() && !takes_too_many_descriptors(made.region)) {
    at = made.region.at(page);
  } else {
    made.region = {};
    at = ordinary_memory(rounded);
  }
  const std::lock_guard lock(buffers_guard);
  if (at)
    buffers().emplace(address_of(at), std::move(made));
  return at;
}

bool free_buffer(void* at) {
  const std::lock_guard lock(buffers_guard);
  const auto found = buffers().find(address_of(at));
  if (found == buffers().end())
    return false;
  if (!found->second.region)
    ::munmap(at, found->second.bytes);
  buffers().erase(found);
  return true;
}

std::optional<shared_location> find_shared(std::uint64_t address, std::uint64_t bytes) {
  const std::lock_guard lock(buffers_guard);
  auto found = buffers().upper_bound(address);
  if (found == buffers().begin())
    return std::nullopt;
  --found;
  const auto& [begin, b] = *found;
  if (!b.region || address - begin > b.bytes || bytes > b.bytes - (address - begin))
    return std::nullopt;
  return shared_location{b.region.address(), address - address_of(b.region.at(0)), bytes};
}

std::shared_ptr<const shared_region> open_buffer(const process_identity& owner, const region_address& where,
                                                 std::string& why) {
  const buffer_key key{owner.boot, owner.pid_namespace, owner.started, owner.pid, where.secret};
  const std::lock_guard lock(buffers_guard);
  auto& all = opened();
  if (const auto known = all.find(key); known != all.end())
    if (auto region = known->second.lock())
      return region;
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  auto region = std::make_shared<shared_region>();
  why = region->open(owner, where);
  if (!why.empty())
    return nullptr;
  all.emplace(key, region);
  return region;
}

} // namespace tacit::runtime
