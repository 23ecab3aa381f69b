// The choice among ways (neighbor/choice.h) by real ranks: what each believes they cost it, as words for the
// reduction that the set-up makes anyway.
#pragma once

#include "exchange/neighbor_options.h"
#include "neighbor/choice.h"
#include "run/driver.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit {

/// One word per form and driver: the same number of words on all ranks, whatever they may do.
class way_prices {
public:
  way_prices(); ///< nothing has a price

  /// This rank's prices of a form in which it has this traffic.
  void add(form f, const traffic& t, const machine_costs& costs);

  std::vector<std::uint64_t> words;
};

struct agreed_way {
  form shape = form::coalesced;
  std::vector<const driver*> drivers; ///< that may be taken: the chosen one first, then by priority
  std::string why;
};

/// From the minima of the words over all ranks; the same on all ranks. `possible`: forms, by their number.
agreed_way choose_way(const way_prices& prices, const neighbor_options& options,
                      const std::vector<bool>& possible);

} // namespace tacit
