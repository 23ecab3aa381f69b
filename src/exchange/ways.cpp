#include "exchange/ways.h"

#include "run/shm_peers.h"

#include <algorithm>

namespace tacit {
namespace {

std::size_t position(form f, std::size_t driver) {
  return static_cast<std::size_t>(f) * drivers().size() + driver;
}

/// Nothing in a neighborhood is a collective call, which is all that coll adds to p2p.
bool may_be_taken(const driver& d, const neighbor_options& options) {
  return options.driver.empty() ? d.automatic(program()) && d.name() != "coll" : d.name() == options.driver;
}

} // namespace

way_prices::way_prices() : words(forms * drivers().size(), word_of_price(-1)) {}

void way_prices::add(form f, const traffic& t, const machine_costs& costs) {
  const bool memory = may_share_memory();
  for (std::size_t i = 0; i < drivers().size(); ++i)
    words[position(f, i)] = word_of_price(predicted(t, drivers()[i]->name(), costs, memory));
}

agreed_way choose_way(const way_prices& prices, const neighbor_options& options,
                      const std::vector<bool>& possible) {
  std::vector<way> ways;
  std::vector<const driver*> of_way;
  const auto wanted = [&](form f) {
    const bool forced = options.shape && possible[static_cast<std::size_t>(*options.shape)];
    return forced ? f == *options.shape : possible[static_cast<std::size_t>(f)];
  };
  for (const form f : {form::coalesced, form::direct, form::combined})
    for (std::size_t i = 0; i < drivers().size(); ++i)
      if (wanted(f) && may_be_taken(*drivers()[i], options)) {
        ways.push_back({f, drivers()[i]->name(), price_of_word(prices.words[position(f, i)])});
        of_way.push_back(drivers()[i]);
      }
  const choice taken = choose(ways);
  agreed_way out{ways[taken.taken].shape, {of_way[taken.taken]}, taken.why};
  for (const driver* d : of_way)
    if (std::find(out.drivers.begin(), out.drivers.end(), d) == out.drivers.end())
      out.drivers.push_back(d);
  return out;
}

} // namespace tacit
