#include "graphs/plan/staging.h"

#include "graphs/graph/segments.h"
#include "graphs/plan/transfer_pieces.h"

#include <algorithm>
#include <numeric>

namespace tacit::graphs {

staging::staging(const graph& g, const transfers& t, const findings& f, std::vector<rank_plan>& ranks)
    : g_(g), t_(t), ranks_(ranks) {
  if (std::any_of(f.found.begin(), f.found.end(), [](const finding& x) { return is_reduction(x.kind); }))
    stage_with_reductions(f);
  else
    stage_transfers();
}

namespace {

/// First and last byte of all that is added; without bytes there is none.
struct stretch {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  void add(std::uint64_t address, std::uint64_t length) {
    first = std::min(first, address);
    last = std::max(last, address + (length - 1));
  }
  bool meets(const stretch& other) const { return first <= other.last && other.first <= last; }
};

} // namespace

/// Those of which what is read and what is written lie between each other; nearly always none. No list at all in that case.
std::vector<bool> staging::ranks_that_overwrite_sources() const {
  std::vector<stretch> reads(t_.list.empty() ? 0 : g_.ranks());
  for (const transfer& x : t_.list)
    reads[index(x.source)].add(x.source_address, x.length);
  std::vector<bool> out;
  for (std::size_t i = 0; i < t_.list.size();) { // sorted by destination
    const rank_id r = t_.list[i].destination;
    stretch writes;
    for (; i < t_.list.size() && t_.list[i].destination == r; ++i)
      writes.add(t_.list[i].destination_address, t_.list[i].length);
    if (!writes.meets(reads[index(r)]))
      continue;
    out.resize(g_.ranks(), false);
    out[index(r)] = true;
  }
  return out;
}

void staging::stage_transfers() {
  if (t_.apart)
    return;
  const std::vector<bool> concerned = ranks_that_overwrite_sources();
  if (concerned.empty())
    return;
  std::vector<std::uint32_t> first(std::size_t{g_.ranks()} + 1, 0);
  for (const transfer& x : t_.list)
    if (concerned[index(x.source)])
      ++first[index(x.source) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> by_source(first.back());
  for (std::uint32_t i = 0; i < t_.list.size(); ++i)
    if (concerned[index(t_.list[i].source)])
      by_source[first[index(t_.list[i].source)]++] = i;
  std::size_t write = 0; // transfers are sorted by destination
  std::vector<segment> reads, writes;
  for (std::size_t i = 0; i < by_source.size();) {
    const rank_id r = t_.list[by_source[i]].source;
    reads.clear();
    writes.clear();
    for (; i < by_source.size() && t_.list[by_source[i]].source == r; ++i)
      append(reads, {t_.list[by_source[i]].source_address, t_.list[by_source[i]].length});
    while (write < t_.list.size() && t_.list[write].destination < r)
      ++write;
    for (; write < t_.list.size() && t_.list[write].destination == r; ++write)
      append(writes, {t_.list[write].destination_address, t_.list[write].length});
    stage(r, intersection(normalized(std::move(reads)), normalized(std::move(writes))));
  }
}

/// Operands are read and results written as the bytes of transfers are.
void staging::stage_with_reductions(const findings& f) {
  constexpr std::uint64_t of_any_number = 16;
  alignment_ = of_any_number;
  std::vector<std::vector<segment>> reads(g_.ranks()), writes(g_.ranks());
  for (const transfer& x : t_.list) {
    append(reads[index(x.source)], {x.source_address, x.length});
    append(writes[index(x.destination)], {x.destination_address, x.length});
  }
  for (const finding& x : f.found)
    for (const combined_piece& p : x.combined) {
      const auto& group = g_.communicators()[index(x.comm)].members;
      for (std::size_t i = 0; i < p.operands.size(); ++i)
        append(reads[index(group[i])], {p.operands[i], p.length});
      for (std::size_t i = 0; i < p.results.size(); ++i)
        if (const rank_id owner = owner_of(x, p, i, group); owner != no_rank)
          append(writes[index(owner)], {p.results[i], p.length});
    }
  for (std::uint32_t r = 0; r < g_.ranks(); ++r)
    stage(rank_id{r}, intersection(normalized(std::move(reads[r])), normalized(std::move(writes[r]))));
}

void staging::stage(rank_id r, std::span<const segment> overwritten) {
  if (overwritten.empty())
    return;
  if (pieces_.empty())
    pieces_.resize(g_.ranks());
  step copy;
  std::uint64_t next = scratch_base;
  for (const segment& s : overwritten) {
    next += (s.address - next) % alignment_;
    pieces_[index(r)].push_back({s, next});
    append(copy.writes, {next, s.length});
    next += s.length;
  }
  copy.reads = overwritten;
  ranks_[index(r)].scratch_bytes = next - scratch_base;
  ranks_[index(r)].steps.push_back(std::move(copy));
}

bytes staging::in_scratch(rank_id r, const bytes& source) const {
  const std::vector<piece>& staged = pieces_[index(r)];
  bytes out;
  for (segment s : source) {
    auto next = std::upper_bound(staged.begin(), staged.end(), s.address,
                                 [](std::uint64_t a, const piece& p) { return a < p.user.address; });
    if (next != staged.begin())
      --next;
    while (s.length > 0) {
      while (next != staged.end() && s.address >= next->user.address &&
             s.address - next->user.address >= next->user.length)
        ++next;
      const bool inside = next != staged.end() && next->user.address <= s.address;
      const std::uint64_t room = inside                 ? next->user.length - (s.address - next->user.address)
                                 : next != staged.end() ? next->user.address - s.address
                                                        : s.length;
      const std::uint64_t length = std::min(s.length, room);
      append(out, {inside ? next->scratch + (s.address - next->user.address) : s.address, length});
      s = {s.address + length, s.length - length};
    }
  }
  return out;
}

} // namespace tacit::graphs
