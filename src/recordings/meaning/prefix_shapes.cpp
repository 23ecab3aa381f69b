// Scans: rank after rank gets what those before it have.
#include "recordings/meaning/known_shapes.h"

#include <vector>

namespace tacit::recordings {
namespace {

/// The next operations of the rank have these partners, and all are equally long. What came in a first step to the next rank
/// is passed on in the second one, by the rank that gets nothing else also later; nothing else is.
bool is_prefix_of_rank(const known_messages& known, const stream& in, std::uint32_t rank,
                       const std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from,
                       std::uint32_t first, std::uint64_t& bytes) {
  const auto next = in.next(rank, static_cast<std::uint32_t>(to.size() + from.size()));
  if (next.size() != to.size() + from.size())
    return false;
  std::size_t sends = 0, receives = 0;
  for (const stream_operation& o : next) {
    const std::vector<std::uint32_t>& wanted = o.receives ? from : to;
    std::size_t& at = o.receives ? receives : sends;
    if (at == wanted.size() || o.peer != wanted[at] || known.of(o).bytes == 0)
      return false;
    const std::uint32_t sender = o.receives ? o.peer : rank;
    const bool goes_on = first > 0 && at > 0 && (at == 1 || sender == first);
    if (known.passes_on(o.message) != goes_on)
      return false;
    ++at;
    bytes = bytes == 0 ? known.of(o).bytes : bytes;
    if (known.of(o).bytes != bytes)
      return false;
  }
  return true;
}

/// `first`: the lowest rank that takes part in the doubling.
std::optional<shaped_portion> prefix(const known_messages& known, const stream& in, std::uint32_t first) {
  const std::uint32_t ranks = in.ranks();
  if (ranks < 4)
    return {};
  portion count(ranks);
  std::uint64_t bytes = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::vector<std::uint32_t> to, from;
    const auto add_step = [&](std::uint32_t by, std::uint32_t lowest) {
      if (r >= lowest && r + by < ranks)
        to.push_back(r + by);
      if (r >= lowest + by)
        from.push_back(r - by);
    };
    if (first > 0)
      add_step(1, 0);
    for (std::uint32_t by = 1; by < ranks - first; by *= 2)
      add_step(by, first);
    count[r] = static_cast<std::uint32_t>(to.size() + from.size());
    if (!is_prefix_of_rank(known, in, r, to, from, first, bytes))
      return {};
  }
  return if_closed(in, {count, message_shape::scan});
}

} // namespace

std::optional<shaped_portion> prefix_by_doubling(const known_messages& known, const stream& in) {
  return prefix(known, in, 0);
}

std::optional<shaped_portion> prefix_of_shifted(const known_messages& known, const stream& in) {
  return prefix(known, in, 1);
}

} // namespace tacit::recordings
