// The choice among variants (neighbors/passes/choice.h) by real ranks: what each believes they cost it, as
// words for the reduction that the set-up makes anyway.
#pragma once

#include "graphs/cost/price.h"
#include "neighbors/passes/choice.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/run/driver.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tacit::runtime {

/// One word per grouping and driver: the same number of words on all ranks, whatever they may do.
class variant_prices {
public:
  variant_prices(); ///< nothing has a price

  /// This rank's prices of a grouping in which it has this traffic, with the drivers that may be taken.
  void add(neighbors::grouping g, const graphs::traffic& t, const graphs::machine_costs& costs,
           const neighbor_options& options);

  std::vector<std::uint64_t> words;
};

/// What the ranks have compared, and which of it they take.
struct agreed_variants {
  std::vector<neighbors::variant> list; ///< those that were compared, by priority
  std::size_t taken = 0;

  const neighbors::variant& chosen() const { return list[taken]; }
  bool is_native_call() const { return !list.empty() && chosen().driver == neighbors::native_call; }
  /// Drivers that may be taken: the chosen one first, then by priority, but for MPI's native call, which is
  /// taken or not. None if nothing was compared. `native`: what stands for MPI's native call.
  std::vector<const driver*> drivers(const driver& native) const;
};

/// What all ranks together can do; the same on all of them.
struct possible_variants {
  std::array<bool, neighbors::groupings> groupings{};
  bool native_call = false;
};

/// From the minima of the words over all ranks; the same on all ranks.
agreed_variants choose_variant(const variant_prices& prices, const neighbor_options& options,
                               const possible_variants& possible);

} // namespace tacit::runtime
