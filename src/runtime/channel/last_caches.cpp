// Linux has a folder for each core, and in it one for each of its caches:
//
//     cpu0/cache/index3/level             "3"
//     cpu0/cache/index3/shared_cpu_list   "0-3,8-11"
//     cpu0/topology/thread_siblings_list  "0,8"
#include "runtime/channel/last_caches.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sched.h>
#include <string>
#include <string_view>

namespace tacit::runtime {
namespace {

namespace fs = std::filesystem;

constexpr int most_cores = 1 << 16;

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && rest == text.data() + text.size();
  return whole && value >= 0 && value < most_cores ? std::optional(value) : std::nullopt;
}

std::string first_word_of(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

/// "0-3,8" is 0 1 2 3 8; empty if it is anything else.
std::vector<int> cores_in(std::string_view list) {
  std::vector<int> out;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = number_in(part.substr(0, dash));
    const auto last = dash == part.size() ? first : number_in(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      return {};
    for (int core = *first; core <= *last; ++core)
      out.push_back(core);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Nothing if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    out.push_back(at->path());
  return out;
}

/// The cores with which that one shares its last-level cache.
cores_of_cache last_cache_of(const fs::path& core) {
  int highest = 0;
  cores_of_cache out;
  for (const fs::path& cache : entries_of(core / "cache")) {
    const int level = number_in(first_word_of(cache / "level")).value_or(0);
    if (level <= highest || first_word_of(cache / "type") == "Instruction")
      continue;
    highest = level;
    out = cores_in(first_word_of(cache / "shared_cpu_list"));
  }
  return out;
}

/// The first core of a cache that is no hardware thread of the cache's first one; nothing: there is none.
std::optional<int> second_core(const cores_of_cache& cache, const fs::path& devices) {
  const fs::path first = devices / ("cpu" + std::to_string(cache.front()));
  const std::vector<int> threads = cores_in(first_word_of(first / "topology" / "thread_siblings_list"));
  for (const int core : cache)
    if (core != cache.front() && !std::binary_search(threads.begin(), threads.end(), core))
      return core;
  return std::nullopt;
}

} // namespace

std::vector<cores_of_cache> last_caches(const fs::path& devices) {
  std::map<int, cores_of_cache> by_first;
  for (const fs::path& core : entries_of(devices)) {
    const std::string name = core.filename().string();
    if (!name.starts_with("cpu") || !number_in(std::string_view(name).substr(3)))
      continue;
    if (cores_of_cache cores = last_cache_of(core); !cores.empty())
      by_first.emplace(cores.front(), std::move(cores));
  }
  std::vector<cores_of_cache> out;
  for (auto& [first, cores] : by_first)
    out.push_back(std::move(cores));
  return out;
}

std::uint64_t common_cache(std::span<const cores_of_cache> caches, std::span<const int> cores) {
  for (std::size_t c = 0; c < caches.size() && !cores.empty(); ++c)
    if (std::all_of(cores.begin(), cores.end(),
                    [&](int core) { return std::binary_search(caches[c].begin(), caches[c].end(), core); }))
      return c + 1;
  return 0;
}

std::vector<int> cores_of_this_process() {
  std::vector<int> out;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed))
        out.push_back(core);
  return out;
}

std::uint64_t cache_of_this_process() {
  static const std::uint64_t found = common_cache(last_caches(), cores_of_this_process());
  return found;
}

std::vector<int> cores_for_pair(pair_place where, std::span<const int> allowed, const fs::path& devices) {
  std::vector<cores_of_cache> caches = last_caches(devices);
  for (cores_of_cache& cache : caches)
    std::erase_if(cache, [&](int core) { return std::ranges::find(allowed, core) == allowed.end(); });
  std::erase_if(caches, [](const cores_of_cache& cache) { return cache.empty(); });
  if (where == pair_place::two_caches)
    return caches.size() < 2 ? std::vector<int>() : std::vector{caches[0].front(), caches[1].front()};
  for (const cores_of_cache& cache : caches)
    if (const auto second = second_core(cache, devices))
      return {cache.front(), *second};
  return {};
}

bool bind_to_core(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  return core < CPU_SETSIZE && ::sched_setaffinity(0, sizeof only, &only) == 0;
}

} // namespace tacit::runtime
