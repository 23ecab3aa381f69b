#include "graphs/detect/uniform.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>

namespace tacit::graphs {

namespace {

// Sums kept while looking for an exact subset. Pieces of one pair are few and mostly equal in real programs;
// with this many sums any ten pieces are searched completely.
constexpr std::size_t most_sums = 4096;

/// Indices into `candidates` whose lengths add up to `target`.
std::optional<std::vector<std::size_t>> exact_subset(std::span<const std::uint64_t> lengths,
                                                     std::span<const std::size_t> candidates,
                                                     std::uint64_t target) {
  struct step {
    std::uint64_t before;
    std::size_t piece;
  };
  std::map<std::uint64_t, step> reached{{0, {0, 0}}}; // sum → how it was first reached
  for (const std::size_t piece : candidates) {
    std::vector<std::uint64_t> sums;
    for (const auto& [sum, how] : reached)
      if (lengths[piece] <= target - sum)
        sums.push_back(sum);
    for (const std::uint64_t sum : sums)
      reached.try_emplace(sum + lengths[piece], step{sum, piece});
    if (reached.contains(target))
      break;
    if (reached.size() > most_sums)
      return std::nullopt;
  }
  if (!reached.contains(target))
    return std::nullopt;
  std::vector<std::size_t> chosen;
  for (std::uint64_t sum = target; sum > 0; sum = reached[sum].before)
    chosen.push_back(reached[sum].piece);
  return chosen;
}

} // namespace

void common_lengths::add(std::span<const std::uint64_t> lengths) {
  if (started_ && common_.empty())
    return;
  scratch_.assign(lengths.begin(), lengths.end());
  std::sort(scratch_.begin(), scratch_.end());
  if (!started_) {
    common_ = scratch_;
    started_ = true;
    return;
  }
  merged_.clear();
  std::set_intersection(common_.begin(), common_.end(), scratch_.begin(), scratch_.end(),
                        std::back_inserter(merged_));
  std::swap(common_, merged_);
}

std::uint64_t common_lengths::sum() const {
  return std::accumulate(common_.begin(), common_.end(), std::uint64_t{0});
}

std::optional<std::vector<std::uint64_t>> pick(std::span<const std::uint64_t> lengths,
                                               std::span<const std::uint64_t> common, std::uint64_t rest,
                                               completion how) {
  std::vector<std::uint64_t> taken(lengths.size(), 0);
  std::map<std::uint64_t, std::size_t> wanted;
  for (const std::uint64_t length : common)
    ++wanted[length];
  std::vector<std::size_t> others;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const auto w = wanted.find(lengths[k]);
    if (w != wanted.end() && w->second > 0) {
      taken[k] = lengths[k];
      --w->second;
    } else {
      others.push_back(k);
    }
  }
  if (rest == 0 || how == completion::none)
    return taken;
  if (how == completion::exact) {
    const auto chosen = exact_subset(lengths, others, rest);
    if (!chosen)
      return std::nullopt;
    for (const std::size_t k : *chosen)
      taken[k] = lengths[k];
    return taken;
  }
  for (const std::size_t k : others) {
    taken[k] = std::min(rest, lengths[k]);
    rest -= taken[k];
  }
  return taken;
}

std::vector<std::uint64_t> pick_chosen(std::span<const std::uint64_t> lengths,
                                       std::span<const std::uint64_t> common, std::uint64_t rest,
                                       completion how) {
  if (auto taken = pick(lengths, common, rest, how))
    return *std::move(taken);
  throw std::logic_error("a chosen block does not fit into one of its slots");
}

std::vector<std::uint64_t> lengths_of(std::span<const slice> pieces) {
  std::vector<std::uint64_t> list;
  list.reserve(pieces.size());
  for (const slice& s : pieces)
    list.push_back(s.length);
  return list;
}

std::uint64_t sum_of(std::span<const std::uint64_t> lengths) {
  std::uint64_t result = 0;
  for (const std::uint64_t x : lengths)
    result += x;
  return result;
}

std::vector<std::uint64_t> fitting(const common_lengths& common, std::uint64_t limit) {
  const auto all = common.sorted();
  if (common.sum() <= limit)
    return {all.begin(), all.end()};
  std::vector<std::uint64_t> kept;
  if (const auto exact = pick(all, {}, limit, completion::exact)) {
    for (const std::uint64_t taken : *exact)
      if (taken > 0)
        kept.push_back(taken);
    return kept;
  }
  for (std::size_t k = all.size(); k-- > 0;)
    if (all[k] <= limit) {
      limit -= all[k];
      kept.insert(kept.begin(), all[k]);
    }
  return kept;
}

} // namespace tacit::graphs
