// The choice among ways (neighbor/choice.h) by real ranks: what each believes they cost it, as words for the
// reduction that the set-up makes anyway.
#pragma once

#include "neighbors/passes/choice.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/run/driver.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::runtime {

/// One word per form and driver: the same number of words on all ranks, whatever they may do.
class way_prices {
public:
  way_prices(); ///< nothing has a price

  /// This rank's prices of a form in which it has this traffic, with the drivers that may be taken.
  void add(neighbors::form f, const neighbors::traffic& t, const neighbors::machine_costs& costs,
           const neighbor_options& options);

  std::vector<std::uint64_t> words;
};

struct agreed_ways {
  std::vector<neighbors::way> ways; ///< those that were compared, by priority
  std::size_t taken = 0;

  neighbors::form shape() const { return ways[taken].shape; }
  bool is_own_call() const { return !ways.empty() && ways[taken].driver == neighbors::own_call; }
  /// Drivers that may be taken: the chosen one first, then by priority, but for MPI's own call, which is
  /// taken or not. None if nothing was compared. `own`: what stands for MPI's own call.
  std::vector<const driver*> drivers(const driver& own) const;
};

/// From the minima of the words over all ranks; the same on all ranks. `possible`: forms, by their number;
/// `own_possible`: MPI's own call.
agreed_ways choose_way(const way_prices& prices, const neighbor_options& options,
                       const std::vector<bool>& possible, bool own_possible);

} // namespace tacit::runtime
