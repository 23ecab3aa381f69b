#include "graphs/detect/operand_groups.h"

#include <algorithm>
#include <functional>

namespace tacit::graphs {
namespace {

constexpr std::size_t smallest_guess = 3;          // two messages are no pattern
constexpr std::size_t most_communicators = 60'000; // their numbers have 16 bits

rank_set ranks_of(std::span<const operand> operands) {
  rank_set ranks;
  for (const operand& o : operands)
    ranks.push_back(o.rank);
  return ranks;
}

comm_id numbered(std::size_t number) {
  return comm_id{static_cast<std::uint16_t>(number)};
}

} // namespace

std::optional<comm_id> operand_groups::known(std::span<const operand> operands, bool commutative) {
  const rank_set ranks = ranks_of(operands);
  const auto [known, fresh] = known_.try_emplace({ranks, commutative});
  for (std::uint32_t c = 0; fresh && c < g_.communicators().size() && !known->second; ++c) {
    rank_set members = g_.communicators()[c].members;
    if (commutative)
      std::sort(members.begin(), members.end());
    if (members == ranks)
      known->second = numbered(c);
  }
  return known->second;
}

std::optional<comm_id> operand_groups::guess(std::span<const operand> operands, rank_id destination) {
  const rank_set ranks = ranks_of(operands);
  const bool ascending = std::ranges::adjacent_find(ranks, std::greater_equal()) == ranks.end();
  if (ranks.size() < smallest_guess || !ascending || !std::ranges::binary_search(ranks, destination))
    return std::nullopt;
  return guess(ranks);
}

std::optional<comm_id> operand_groups::guess(const std::vector<rank_id>& members) {
  if (const auto guessed = guessed_.find(members); guessed != guessed_.end())
    return guessed->second;
  const std::size_t next = g_.communicators().size() + guesses_.size();
  if (next >= most_communicators)
    return std::nullopt;
  guesses_.push_back({"", members});
  return guessed_[members] = numbered(next);
}

comm_id operand_groups::keep(comm_id comm, std::vector<communicator>& kept) {
  if (!is_guess(comm))
    return comm;
  const auto [known, fresh] = kept_.try_emplace(comm, numbered(g_.communicators().size() + kept.size()));
  if (fresh)
    kept.push_back({new_name(members(comm), g_.communicators(), kept), members(comm)});
  return known->second;
}

} // namespace tacit::graphs
