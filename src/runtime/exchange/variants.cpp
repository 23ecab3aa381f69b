#include "runtime/exchange/ways.h"

#include <algorithm>

namespace tacit::runtime {
namespace {

std::size_t position(neighbors::form f, std::size_t driver) {
  return static_cast<std::size_t>(f) * drivers().size() + driver;
}

/// Nothing in a neighborhood is a collective call, which is all that coll adds to p2p.
bool may_be_taken(const driver& d, const neighbor_options& options) {
  return options.driver.empty() ? d.automatic(program()) && d.name() != "coll" : d.name() == options.driver;
}

} // namespace

way_prices::way_prices() : words(neighbors::forms * drivers().size(), neighbors::word_of_price(-1)) {}

void way_prices::add(neighbors::form f, const neighbors::traffic& t, const neighbors::machine_costs& costs,
                     const neighbor_options& options) {
  for (std::size_t i = 0; i < drivers().size(); ++i) {
    const driver& d = *drivers()[i];
    if (may_be_taken(d, options))
      words[position(f, i)] = neighbors::word_of_price(
          neighbors::predicted(t, d.name(), costs, d.longest_in_memory(options.unattended)));
  }
}

std::vector<const driver*> agreed_ways::drivers(const driver& own) const {
  if (is_own_call())
    return {&own};
  std::vector<const driver*> out;
  if (!ways.empty())
    out.push_back(find_driver(ways[taken].driver));
  for (const neighbors::way& w : ways)
    if (const driver* const d = find_driver(w.driver); d && std::find(out.begin(), out.end(), d) == out.end())
      out.push_back(d);
  return out;
}

agreed_ways choose_way(const way_prices& prices, const neighbor_options& options,
                       const std::vector<bool>& possible, bool own_possible) {
  agreed_ways out;
  const auto wanted = [&](neighbors::form f) {
    const bool forced = options.shape && possible[static_cast<std::size_t>(*options.shape)];
    return forced ? f == *options.shape : possible[static_cast<std::size_t>(f)];
  };
  for (const neighbors::form f :
       {neighbors::form::coalesced, neighbors::form::direct, neighbors::form::combined})
    for (std::size_t i = 0; i < drivers().size(); ++i)
      if (wanted(f) && may_be_taken(*drivers()[i], options))
        out.ways.push_back({f, drivers()[i]->name(), neighbors::price_of_word(prices.words[position(f, i)])});
  const bool any_way = options.driver.empty() && !options.shape;
  if (own_possible && (any_way || options.driver == neighbors::own_call))
    out.ways.push_back({neighbors::form::coalesced, neighbors::own_call, -1});
  out.taken = neighbors::cheapest(out.ways);
  return out;
}

} // namespace tacit::runtime
