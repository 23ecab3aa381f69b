// Which cores of a node share their last-level cache, as Linux says it. Static, so all ranks can agree on it, while what cores do in fact is
// measured where it decides how bytes travel (shared_cache.h): what a virtual machine says of its caches need not be true.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace tacit::runtime {

/// The numbers of the cores that share a last-level cache, ascending; hardware threads count as cores.
using cores_of_cache = std::vector<int>;

/// All of a node, by their first cores. Without those that `devices` (of that form) does not tell; empty where there is no such folder.
std::vector<cores_of_cache> last_caches(const std::filesystem::path& devices = "/sys/devices/system/cpu");

/// 1 + the number of the cache that all these cores share; 0: there is none.
std::uint64_t common_cache(std::span<const cores_of_cache> caches, std::span<const int> cores);

/// Those on which this process may run, ascending.
std::vector<int> cores_of_this_process();

/// Of these, so 0 if it is not bound to cores of one cache. Looked up once per process.
std::uint64_t cache_of_this_process();

/// Where the two processes of a pair are measured.
enum class pair_place : std::uint8_t { one_cache, two_caches };
/// One of the `allowed` cores for each, which are no hardware threads of one core; empty: there are none.
std::vector<int> cores_for_pair(pair_place where, std::span<const int> allowed,
                                const std::filesystem::path& devices = "/sys/devices/system/cpu");
/// Lets this process run on no other core; false if the system refuses.
bool bind_to_core(int core);

} // namespace tacit::runtime
