#include "graphs/affine/stretches.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

/// How many messages from the k-th one on, itself included, go from rank to rank without a jump.
std::uint32_t without_jump(const affine_run& run, std::uint32_t k, std::uint32_t peer, rank_id self,
                           std::uint32_t ranks) {
  std::uint32_t n = std::min(run.count - k, run.peer_step == 1 ? ranks - peer : peer + 1);
  if (run.skips_self)
    if (const std::uint32_t jump = distance_to_self(run, self, ranks); k < jump)
      n = std::min(n, jump - k);
  return n;
}

void append_run(const affine_run& run, rank_id self, std::uint32_t ranks, std::vector<stretch>& into) {
  const bool up = run.peer_step == 1;
  const std::uint64_t per_iteration = up ? run.stride : 0 - run.stride;
  const std::uint64_t stride = run.by == advance_by::peer ? run.per_peer : per_iteration;
  for (std::uint32_t k = 0; k < run.count;) {
    const auto peer = static_cast<std::uint32_t>(index(message_of(run, k, self, ranks).peer));
    const std::uint32_t n = without_jump(run, k, peer, self, ranks);
    const plain_message lowest = message_of(run, up ? k : k + n - 1, self, ranks);
    into.push_back(
        {static_cast<std::uint32_t>(index(lowest.peer)), n, lowest.data.address, n > 1 ? stride : 0});
    k += n;
  }
}

/// Of a run that leaves ranks out; few of them are worth it.
bool append_one_by_one(const affine_run& run, const affine_list& list, std::vector<stretch>& into) {
  constexpr std::uint32_t most = 32;
  for (std::uint32_t k = 0; k < run.count && run.count <= most; ++k) {
    const plain_message m = message_of(run, k, list.self(), list.ranks());
    into.push_back({static_cast<std::uint32_t>(index(m.peer)), 1, m.data.address, 0});
  }
  return run.count <= most;
}

} // namespace

bool append_stretches(const affine_list& list, op_kind kind, std::vector<stretch>& into) {
  const std::size_t before = into.size();
  for (const affine_run& run : list.runs()) {
    if (run.kind != kind)
      continue;
    if (run.count == 1)
      into.push_back({static_cast<std::uint32_t>(index(run.peer)), 1, run.data.address, 0});
    else if (run.peer_step == 1 || run.peer_step == -1)
      append_run(run, list.self(), list.ranks(), into);
    else if (!append_one_by_one(run, list, into))
      return false;
  }
  std::sort(into.begin() + static_cast<std::ptrdiff_t>(before), into.end(),
            [](const stretch& a, const stretch& b) { return a.first < b.first; });
  return true;
}

std::optional<byte_range> range_of(const stretch& s, std::uint64_t length) {
  using wide = __int128;
  const wide first = s.address, last = first + wide{static_cast<std::int64_t>(s.stride)} * (s.count - 1);
  const wide begin = std::min(first, last), end = std::max(first, last) + length;
  if (begin < 0 || end > wide{~std::uint64_t{0}})
    return std::nullopt;
  return byte_range{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
}

} // namespace tacit::graphs
