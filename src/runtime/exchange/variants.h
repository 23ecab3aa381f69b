// The choice among variants (neighbors/passes/choice.h) by real ranks: what each believes they cost it, as
// words for the reduction that the set-up makes anyway.
#pragma once

#include "graphs/cost/price.h"
#include "neighbors/passes/choice.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/run/driver.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

  std::array<std::uint64_t, neighbors::groupings * driver_count> words{};
};

/// Of each driver, and what stands for MPI's native call, one at most.
class driver_list {
public:
  void add(const driver* d) {
    if (d && std::find(begin(), end(), d) == end())
      list_[size_++] = d;
  }
  const driver* const* begin() const { return list_.data(); }
  const driver* const* end() const { return list_.data() + size_; }
  std::size_t size() const { return size_; }
  const driver* operator[](std::size_t i) const { return list_[i]; }

  static constexpr std::size_t most = driver_count + 1;

private:
  std::array<const driver*, most> list_{};
  std::size_t size_ = 0;
};

/// What the ranks have compared, and which of it they take. Whoever knows the choice goes on with it, and
/// others wait for him, so choosing needs no memory but what `make_room` has made.
struct agreed_variants {
  void make_room() { list.reserve(neighbors::groupings * driver_count + 1); }

  std::vector<neighbors::variant> list; ///< those that were compared, by priority
  std::size_t taken = 0;

  const neighbors::variant& chosen() const { return list[taken]; }
  bool is_native_call() const { return !list.empty() && chosen().driver == neighbors::native_call; }
  /// Drivers that may be taken: the chosen one first, then by priority, but for MPI's native call, which is
  /// taken or not. None if nothing was compared. `native`: what stands for MPI's native call.
  driver_list drivers(const driver& native) const;
};

/// What all ranks together can do; the same on all of them.
struct possible_variants {
  std::array<bool, neighbors::groupings> groupings{};
  bool native_call = false;
};

/// Into `out`, which has room: from the minima of the words over all ranks; the same on all ranks.
void choose_variant(const variant_prices& prices, const neighbor_options& options,
                    const possible_variants& possible, agreed_variants& out);

} // namespace tacit::runtime
