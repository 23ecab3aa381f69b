#include "graphs/plan/transfer_pieces.h"

#include <numeric>
#include <tuple>

namespace tacit::graphs {

void sort_by_source(std::vector<transfer_piece>& pieces, std::uint32_t ranks) {
  const auto before = [](const transfer_piece& a, const transfer_piece& b) { return a.source < b.source; };
  if (pieces.size() < ranks / 16 || std::is_sorted(pieces.begin(), pieces.end(), before))
    return sort_if_needed(pieces, before);
  std::vector<std::uint32_t> next(std::size_t{ranks} + 1, 0);
  for (const transfer_piece& p : pieces)
    ++next[index(p.source) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<transfer_piece> sorted(pieces.size());
  for (const transfer_piece& p : pieces)
    sorted[next[index(p.source)]++] = p;
  pieces = std::move(sorted);
}

void cut_alike(std::vector<transfer_piece>& pieces) {
  std::vector<std::uint64_t> cuts;
  for (const transfer_piece& p : pieces) {
    cuts.push_back(p.source_address);
    cuts.push_back(p.source_address + p.length);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<transfer_piece> out;
  out.reserve(pieces.size());
  for (const transfer_piece& whole : pieces) {
    auto cut = std::upper_bound(cuts.begin(), cuts.end(), whole.source_address);
    for (std::uint64_t done = 0; done < whole.length; ++cut) {
      const std::uint64_t end = std::min(whole.length, *cut - whole.source_address);
      out.push_back({whole.source, whole.destination, whole.source_address + done,
                     whole.destination_address + done, end - done});
      done = end;
    }
  }
  std::sort(out.begin(), out.end(), [](const transfer_piece& a, const transfer_piece& b) {
    return std::tie(a.source_address, a.destination, a.destination_address) <
           std::tie(b.source_address, b.destination, b.destination_address);
  });
  pieces = std::move(out);
}

rank_id owner_of(const finding& f, const combined_piece& p, std::size_t place,
                 const std::vector<rank_id>& group) {
  if (p.owner != no_rank)
    return p.owner;
  if (f.root != no_rank)
    return f.root;
  return is_scan(f.kind) && place == 0 ? no_rank : group[place];
}

} // namespace tacit::graphs
