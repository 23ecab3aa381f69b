// The groups whose operands are combined: communicators of the graph, and guesses, which no communicator has. The order of members counts for
// scans.
#pragma once

#include "graphs/detect/subgroups.h"
#include "graphs/flow/terms.h"

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tacit::graphs {

class operand_groups {
public:
  /// Refers to the graph. Guesses get the numbers behind its communicators.
  explicit operand_groups(const graph& g) : g_(g) {}

  /// The communicator whose members give the operands, and in its order if that counts; the first one.
  std::optional<comm_id> known(std::span<const operand> operands, bool commutative);
  /// The group of these ranks: the one that was guessed before, or a new one. Nothing if they are few, if one gives two operands,
  /// or if who gets the result, `destination`, gives none.
  std::optional<comm_id> guess(std::span<const operand> operands, rank_id destination);
  /// The group of these ranks in this order, likewise.
  std::optional<comm_id> guess(const std::vector<rank_id>& members);

  bool is_guess(comm_id comm) const { return index(comm) >= g_.communicators().size(); }
  const std::vector<rank_id>& members(comm_id comm) const {
    return is_guess(comm) ? guesses_[index(comm) - g_.communicators().size()].members
                          : g_.communicators()[index(comm)].members;
  }
  /// Its number among the communicators of the graph and those of `kept`, which it joins if it is a guess.
  comm_id keep(comm_id comm, std::vector<communicator>& kept);

private:
  const graph& g_;
  std::map<std::pair<rank_set, bool>, std::optional<comm_id>> known_;
  std::vector<communicator> guesses_;
  std::map<std::vector<rank_id>, comm_id> guessed_; ///< by members in order
  std::map<comm_id, comm_id> kept_;
};

} // namespace tacit::graphs
