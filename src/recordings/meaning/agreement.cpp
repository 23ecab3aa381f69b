#include "recordings/meaning/agreement.h"

#include "vocabulary/base/hash.h"

#include <cmath>
#include <map>
#include <utility>

namespace tacit::recordings {
namespace {

/// By rank: the position of its first send of bytes of its own, and their hash.
using first_sends = std::map<std::uint32_t, std::pair<std::uint32_t, std::uint64_t>>;

first_sends list_first_sends(const known_messages& known, std::span<const std::uint32_t> episode) {
  first_sends first;
  for (const std::uint32_t id : episode) {
    const message& m = known.table.messages[id];
    if (m.bytes == 0 || known.data.own_bytes[id] < m.bytes || !known.is_hashed(id))
      continue;
    const std::pair sent{m.send_call, known.sent_by(id).hash};
    const auto [at, is_new] = first.try_emplace(m.from, sent);
    if (!is_new)
      at->second = std::min(at->second, sent);
  }
  return first;
}

} // namespace

contributions weigh_contributions(const known_messages& known, std::span<const std::uint32_t> episode,
                                  std::uint32_t ranks) {
  vocabulary::hashed_words content;
  contributions all;
  std::map<std::uint64_t, std::uint64_t> times; // by content
  const first_sends first = list_first_sends(known, episode);
  for (const auto& [rank, sent] : first) {
    content.add(sent.second);
    ++times[sent.second];
  }
  all.content = content.value();
  if (first.empty() || ranks < 3)
    return all;
  double alike = 0;
  for (const auto& [hash, count] : times) {
    const double share = static_cast<double>(count) / static_cast<double>(first.size());
    alike += share * share;
  }
  all.bits = -static_cast<double>(ranks) * (ranks - 2) * std::log2(alike);
  return all;
}

} // namespace tacit::recordings
