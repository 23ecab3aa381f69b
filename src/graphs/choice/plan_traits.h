// What a choice asks of plans.
#pragma once

#include "graphs/plan/plan.h"

#include <cstddef>
#include <string_view>

namespace tacit::graphs {

bool has_collectives(const plan& p);
bool has_vector_collectives(const plan& p);
/// The linear algorithm is another plan than straight messages: those of reductions that run as they are written.
bool has_linear_form(const plan& p);
/// Reductions that have to keep an order, for which no driver has a call.
bool has_ordered(const plan& p);

/// All messages leave and are expected when a run starts: no step waits for anything but copies.
bool leaves_at_once(const plan& p);
/// Both are messages alone, and the same ones.
bool same_messages(const plan& a, const plan& b);

/// Of the rank with the most of them.
std::size_t most_steps(const plan& p);
struct collective_calls {
  std::size_t all = 0, combining = 0;
};
collective_calls most_collectives(const plan& p);

/// All transfers are left to messages.
findings nothing_found(const transfers& t);

/// What the engine of actions needs beyond the messages of a plan by that driver, in ns.
double beyond_messages(const plan& messages, std::string_view driver);

} // namespace tacit::graphs
