#include "runtime/exchange/variants.h"

namespace tacit::runtime {
namespace {

using neighbors::grouping;

std::size_t position(grouping g, std::size_t driver) {
  return static_cast<std::size_t>(g) * drivers().size() + driver;
}

/// Nothing in a neighborhood is a collective call, which is all that coll adds to p2p.
bool may_be_taken(const driver& d, const neighbor_options& options) {
  return options.driver.empty() ? d.automatic(program()) && d.name() != "coll" : d.name() == options.driver;
}

} // namespace

variant_prices::variant_prices() {
  words.fill(graphs::word_of_price(-1));
}

void variant_prices::add(grouping g, const graphs::traffic& t, const graphs::machine_costs& costs,
                         const neighbor_options& options) {
  for (std::size_t i = 0; i < drivers().size(); ++i) {
    const driver& d = *drivers()[i];
    if (may_be_taken(d, options))
      words[position(g, i)] = graphs::word_of_price(
          graphs::predicted(t, d.name(), costs, d.longest_in_memory(options.unattended)));
  }
}

driver_list agreed_variants::drivers(const driver& native) const {
  driver_list out;
  if (is_native_call()) {
    out.add(&native);
    return out;
  }
  if (!list.empty())
    out.add(find_driver(chosen().driver));
  for (const neighbors::variant& v : list)
    out.add(find_driver(v.driver));
  return out;
}

void choose_variant(const variant_prices& prices, const neighbor_options& options,
                    const possible_variants& possible, agreed_variants& out) {
  const auto can = [&](grouping g) { return possible.groupings[static_cast<std::size_t>(g)]; };
  const bool forced = options.blocks && can(*options.blocks);
  for (const grouping g : {grouping::coalesced, grouping::direct, grouping::combined})
    for (std::size_t i = 0; i < drivers().size(); ++i)
      if ((forced ? g == *options.blocks : can(g)) && may_be_taken(*drivers()[i], options))
        out.list.push_back({g, drivers()[i]->name(), graphs::price_of_word(prices.words[position(g, i)])});
  const bool nothing_forced = options.driver.empty() && !options.blocks;
  if (possible.native_call && (nothing_forced || options.driver == neighbors::native_call))
    out.list.push_back({grouping::coalesced, neighbors::native_call, -1});
  out.taken = neighbors::cheapest(out.list);
}

} // namespace tacit::runtime
