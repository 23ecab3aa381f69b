#include "graphs/choice/scaling.h"

#include "graphs/choice/form_bound.h"
#include "graphs/cost/makespan.h"
#include "graphs/match/match.h"
#include "graphs/plan/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tacit::graphs {
namespace {

/// What an operation is, by its place in its rank.
struct shape {
  op_kind kind;
  rank_id peer;
  std::uint64_t bytes;
  std::vector<std::uint32_t> after; ///< places, ascending
  friend bool operator==(const shape&, const shape&) = default;
};

std::vector<std::vector<shape>> shapes_of(const graph& g) {
  std::vector<std::vector<shape>> made(g.ranks());
  std::vector<std::uint32_t> place(g.size());
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const operation& op = g[op_id{i}];
    auto& mine = made[index(op.rank)];
    place[i] = static_cast<std::uint32_t>(mine.size());
    mine.push_back({op.kind,
                    op.peer,
                    total_length(op.kind == op_kind::recv ? g.writes(op_id{i}) : g.reads(op_id{i})),
                    {}});
  }
  for (const dependency& d : g.dependencies())
    made[index(g[d.after].rank)][place[index(d.after)]].after.push_back(place[index(d.before)]);
  for (auto& rank : made)
    for (shape& one : rank) {
      std::sort(one.after.begin(), one.after.end());
      one.after.erase(std::unique(one.after.begin(), one.after.end()), one.after.end());
    }
  return made;
}

bool in_segments(algorithm form) {
  return form == algorithm::pipelined || form == algorithm::pipelined_binomial;
}

std::size_t messages_of(const graph& g) {
  return static_cast<std::size_t>(
      std::ranges::count_if(g.operations(), [](const operation& op) { return op.kind == op_kind::send; }));
}

std::optional<graph> made_by(recipe r, std::uint32_t ranks) {
  r.ranks = ranks;
  r.root = std::min(r.root, ranks - 1);
  diagnostics ignored;
  return generate(r, ignored);
}

/// How much there is to play: messages, and the pieces of which their bytes consist.
struct amounts {
  double messages = 0, pieces = 0;
};

amounts amounts_of(const graph& g) {
  amounts all{static_cast<double>(messages_of(g)), 0};
  for (std::uint32_t i = 0; i < g.size(); ++i)
    all.pieces += static_cast<double>(g.reads(op_id{i}).size() + g.writes(op_id{i}).size());
  return all;
}

/// From `few` ranks on, where there are `at_few`, and `at_twice` on twice as many: by a power of the number of ranks.
double grown(double at_few, double at_twice, std::uint32_t few, std::uint32_t ranks) {
  const double exponent = std::log2(std::max(at_twice, 1.0) / std::max(at_few, 1.0));
  return std::max(at_few, 1.0) * std::pow(static_cast<double>(ranks) / few, std::max(exponent, 1.0));
}

/// Of the algorithm on many ranks, from how it grows from `few` ranks to twice as many.
amounts grown_amounts(const recipe& r, std::uint32_t few, std::uint32_t ranks) {
  const auto small = made_by(r, few), twice = made_by(r, 2 * few);
  if (!small || !twice)
    return {};
  const amounts one = amounts_of(*small), two = amounts_of(*twice);
  return {grown(one.messages, two.messages, few, ranks), grown(one.pieces, two.pieces, few, ranks)};
}

/// Logarithms look like a higher power among few ranks than among many, so it is looked at among more where that takes no time.
amounts estimated_amounts(const recipe& r, std::uint32_t ranks) {
  constexpr std::uint32_t few = 32, more = 256;
  constexpr double quickly_made = 20'000, quickly_listed = 4'000'000;
  if (ranks <= 2 * few)
    return {};
  if (ranks > 2 * more)
    if (const amounts far = grown_amounts(r, few, 2 * more);
        far.messages < quickly_made && far.pieces < quickly_listed)
      return grown_amounts(r, more, ranks);
  return grown_amounts(r, few, ranks);
}

/// Lists of pieces take memory: those of an alltoall by Bruck's algorithm on 65,536 ranks more than any machine has.
constexpr double most_pieces_a_message = 4;

/// Where a recipe is played, and by which drivers.
struct stage_of_ranks {
  std::uint32_t ranks;
  const machine_costs& costs;
  const process_map& where;
  std::span<const std::string_view> drivers;
};

void keep_cheaper(form_price& best, std::string_view driver, double ns) {
  if (ns < 0 || (best.ns >= 0 && ns >= best.ns))
    return;
  best.driver = driver;
  best.ns = ns;
}

/// Of what is too large to be played.
form_price bound_of(const recipe& r, const stage_of_ranks& on, std::string why) {
  form_price made{.form = r.form, .driver = {}, .ns = -1, .at_least = true, .why = std::move(why)};
  if (needs_power_of_two(r.kind, r.form) && !std::has_single_bit(on.ranks))
    return made;
  const std::vector<collective_shape> shape{{r.kind, on.ranks, r.block}};
  for (const std::string_view driver : on.drivers)
    if (has_makespan(driver, on.costs))
      keep_cheaper(made, driver, form_bound(driver, on.costs, on.where, on.ranks).of(shape, r.form));
  return made;
}

form_price price_of(const recipe& r, const stage_of_ranks& on, std::uint64_t most_messages) {
  const amounts many = estimated_amounts(r, on.ranks);
  if (many.messages > static_cast<double>(most_messages))
    return bound_of(r, on, fmt::format("about {:.1e} messages are too many to play", many.messages));
  if (many.pieces > most_pieces_a_message * static_cast<double>(most_messages))
    return bound_of(r, on,
                    fmt::format("its messages have about {:.1e} pieces, too many to play", many.pieces));
  form_price made{.form = r.form, .driver = {}, .why = {}};
  const auto g = made_by(r, on.ranks);
  if (!g) {
    made.why = fmt::format("does not exist on {} ranks", on.ranks);
    return made;
  }
  diagnostics none;
  const matching m = match(*g, none);
  const plan written = plan_as_written(*g, m, order_operations(*g, m, none), reason::none, {});
  for (const std::string_view driver : on.drivers)
    keep_cheaper(made, driver, makespan(written, driver, on.costs, on.where));
  if (made.ns < 0)
    made.why = "has no price";
  return made;
}

} // namespace

std::optional<recipe> recipe_of(const graph& g, const findings& found) {
  if (found.found.size() != 1 || found.found.front().comm != world)
    return std::nullopt;
  const finding& one = found.found.front();
  const auto asked = shapes_of(g);
  const std::size_t messages = messages_of(g);
  for (const known_algorithm& known : algorithms_of(one.kind)) {
    recipe r{.kind = known.kind,
             .form = known.form,
             .ranks = g.ranks(),
             .block = std::max<std::uint64_t>(one.bytes, 1)};
    r.root = one.root == no_rank ? 0 : index(one.root);
    if (one.by != no_reducer)
      r.by = g.reducers()[index(one.by)];
    if (in_segments(known.form)) { // as many as make as many messages
      r.segments = 1;
      const auto whole = made_by(r, g.ranks());
      if (!whole || messages_of(*whole) == 0 || messages % messages_of(*whole) != 0)
        continue;
      r.segments = static_cast<std::uint32_t>(messages / messages_of(*whole));
      if (r.segments < 2) // then it is the algorithm without segments
        continue;
    }
    for (const bool self : {false, true}) {
      r.self_block = self;
      const auto made = made_by(r, g.ranks());
      if (made && made->size() == g.size() && shapes_of(*made) == asked)
        return r;
    }
  }
  return std::nullopt;
}

scaled_prices prices_on(const recipe& r, std::uint32_t ranks, const machine_costs& costs,
                        const machine_size& machine, std::span<const std::string_view> drivers,
                        std::uint64_t most_messages) {
  process_map where{.node = {},
                    .cores = machine.cores_per_node,
                    .longest_in_memory = std::numeric_limits<std::uint64_t>::max(),
                    .cache = {}};
  if (machine.ranks_per_node < ranks)
    for (std::uint32_t i = 0; i < ranks; ++i)
      where.node.push_back(i / machine.ranks_per_node);
  scaled_prices made{ranks, {}};
  for (const known_algorithm& known : algorithms_of(r.kind)) {
    recipe next = r;
    next.form = known.form;
    next.ranks_per_node = machine.ranks_per_node;
    made.forms.push_back(price_of(next, {ranks, costs, where, drivers}, most_messages));
  }
  return made;
}

} // namespace tacit::graphs
