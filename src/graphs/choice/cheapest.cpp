// Weights are prices, but of the graph as written a little less (choose.h). A variant is left out only if its weight is certainly more than
// that of another one, so ties are decided as they are among all.
#include "graphs/choice/cheapest.h"

#include "graphs/choice/finalists.h"
#include "graphs/choice/form_bound.h"
#include "graphs/choice/generated_form.h"
#include "graphs/choice/in_pieces.h"
#include "graphs/choice/plan_traits.h"
#include "graphs/choice/tried_algorithms.h"
#include "graphs/cost/least_makespan.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace tacit::graphs {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
/// What may be equal but for the last digits is played to its end.
constexpr double a_little_more = 1 + 1e-9;

/// A price, or what it is not less than.
struct known_price {
  double ns = 0;
  bool exact = false;
};

/// One plan by several drivers.
struct candidate {
  std::string name;
  plan steps;
  bool made = false;  ///< `steps` are there
  bool valid = false; ///< without asking
  bool refused = false;
  bool seen = false; ///< its variants have prices as far as it matters
  std::optional<algorithm> form;
  bool leftovers = false;             ///< another way for messages that belong to no collective
  std::vector<known_price> by_driver; ///< empty: it is no variant
  std::vector<double> beyond;         ///< its messages, by driver
  as_messages of_mpi{unknown,
                     0}; ///< if MPI carried out its collectives so; unknown: more than the cheapest variant
};

/// The messages by which collectives are carried out straight from origin to destination: what they take at least, and the steps of
/// the rank that has the most, at least.
class straight_collectives {
public:
  straight_collectives(const plan& p, const machine_costs& costs, const process_map& where)
      : least_("p2p", costs, where, static_cast<std::uint32_t>(p.ranks.size())), steps_(p.ranks.size(), 0) {
    least_.add(p);
    for (std::uint32_t r = 0; r < p.ranks.size(); ++r)
      for (const step& s : p.ranks[r].steps)
        add(rank_id{r}, s);
  }
  double least() const { return least_.value(); }
  std::size_t most_steps() const { return *std::max_element(steps_.begin(), steps_.end()); }

private:
  void add(rank_id r, const step& s) {
    if (s.kind != step_kind::collective) {
      ++steps_[index(r)];
      return;
    }
    if (is_reduction(s.collective))
      return;
    for (const block b : s.receives) {
      least_.add_message(b.peer, r, total_length(b.bytes));
      ++steps_[index(b.peer)];
      ++steps_[index(r)];
    }
  }
  least_makespan least_;
  std::vector<std::size_t> steps_;
};

class bounded_search {
public:
  bounded_search(const graph& g, const compilation& c, const compile_options& options,
                 const choice_request& wanted)
      : g_(g), c_(c), options_(options), wanted_(wanted) {
    if (wanted.where.longest_in_memory > 0)
      drivers_.push_back("shm");
    drivers_.push_back("p2p");
  }

  std::optional<choice> run() {
    if (!list_candidates())
      return std::nullopt;
    while (candidate* const next = most_promising())
      look_at(*next);
    if (undecided_ || !price_collectives())
      return std::nullopt;
    return taken();
  }

private:
  bool list_candidates();
  void add_candidate(std::string name, std::optional<algorithm> form, bool valid);
  candidate* most_promising();
  void look_at(candidate& x);
  bool make(candidate& x);
  void refine(candidate& x);
  void play(candidate& x, std::size_t driver);
  bool may_be_taken(candidate& x);
  void ask_library(candidate& x, double played_by_p2p);
  void add_leftovers();
  void bound_straight();
  bool price_collectives();
  std::optional<as_messages> best_messages();
  std::optional<choice> taken();
  struct priced {
    double weight;
    candidate* of; ///< null: MPI's collectives
    priced_variant what;
  };
  std::vector<priced> priced_variants();
  std::size_t add_plan_of(priced& w, choice& out) const;

  double share(const candidate& x) const { return &x == &all_.front() ? worth_a_change : 1; }
  double weight(const candidate& x, std::size_t driver) const { return x.by_driver[driver].ns * share(x); }
  bool is_known_costlier(const candidate& x, std::size_t driver) const { return weight(x, driver) > limit_; }
  std::size_t by_p2p() const { return drivers_.size() - 1; }

  const graph& g_;
  const compilation& c_;
  const compile_options& options_;
  const choice_request& wanted_;
  std::vector<const char*> drivers_; ///< in the order of variants; p2p last
  std::vector<candidate> all_;       ///< in the order in which plans are compared; the graph as written first
  bool at_once_ = false;             ///< only plans whose messages leave at once
  bool collectives_ = false;
  bool called_ = false;                                    ///< MPI can carry them out
  bool undecided_ = false;                                 ///< it takes all prices
  double limit_ = unknown;                                 ///< weight of the cheapest variant so far
  std::vector<std::pair<const char*, known_price>> calls_; ///< of MPI's collectives, by driver
};

void bounded_search::add_candidate(std::string name, std::optional<algorithm> form, bool valid) {
  candidate& x = all_.emplace_back();
  x.name = std::move(name);
  x.form = form;
  x.valid = valid;
  x.by_driver.resize(drivers_.size());
}

bool bounded_search::list_candidates() {
  add_candidate(std::string(written_name), {}, true);
  all_.front().steps =
      plan_as_written(g_, c_.matched, c_.order, c_.schedule.why_as_written, c_.schedule.detail);
  all_.front().made = true;
  if (has_collectives(all_.front().steps)) // fences
    return false;
  refine(all_.front());
  at_once_ = !wanted_.attended && leaves_at_once(all_.front().steps);
  if (c_.schedule.as_written)
    return true;
  collectives_ = has_collectives(c_.schedule);
  called_ = collectives_;
  if (has_ordered(c_.schedule)) {
    called_ = false; // MPI has no calls for them
    if (has_collectives(with_ordered_by_messages(g_, c_.schedule)))
      return false; // but for others beside them
  }
  add_candidate(std::string(straight_name), {}, !collectives_);
  bound_straight();
  if (!collectives_)
    add_leftovers();
  if (!collectives_ || options_.planning.progress != region_progress::collective)
    return true;
  const std::vector<collective_shape> shapes = shapes_of(g_, c_.schedule);
  for (const algorithm form : forms_for(g_, c_.schedule, wanted_.where)) {
    if (blocks_of(shapes, form) > most_blocks)
      continue;
    add_candidate(std::string(name(form)), form, false);
    for (std::size_t d = 0; d < drivers_.size(); ++d)
      all_.back().by_driver[d].ns =
          form_bound(drivers_[d], wanted_.costs, wanted_.where, g_.ranks()).of(shapes, form);
  }
  return true;
}

/// Of graphs without collectives alone: beside those, few messages are left as a rule, and each way would mean all algorithms once more.
void bounded_search::add_leftovers() {
  if (!wanted_.leftovers)
    return;
  const bool may_wait = options_.planning.progress == region_progress::collective;
  for (named_plan& way :
       wanted_.leftovers(c_.schedule, wanted_.costs, wanted_.where, may_wait && !at_once_)) {
    add_candidate(std::move(way.name), {}, false);
    all_.back().steps = std::move(way.steps);
    all_.back().leftovers = true;
  }
}

/// All that one rank has for another one is a message, but for what is combined or computed.
void bounded_search::bound_straight() {
  if (!c_.moved.reductions.empty() || g_.has_computations())
    return;
  const std::vector<transfer>& list = c_.moved.list;
  std::vector<least_makespan> least;
  for (const char* const driver : drivers_)
    least.emplace_back(driver, wanted_.costs, wanted_.where, g_.ranks());
  std::vector<std::uint64_t> bytes(g_.ranks(), 0);
  std::vector<rank_id> sources;
  for (std::size_t i = 0; i < list.size();) { // transfers are sorted by destination
    const rank_id to = list[i].destination;
    sources.clear();
    for (; i < list.size() && list[i].destination == to; ++i) {
      std::uint64_t& sum = bytes[index(list[i].source)];
      if (sum == 0)
        sources.push_back(list[i].source);
      sum += list[i].length;
    }
    for (const rank_id from : sources) {
      const std::uint64_t sum = std::exchange(bytes[index(from)], 0);
      for (least_makespan& l : least)
        if (from != to)
          l.add_message(from, to, sum);
    }
  }
  for (std::size_t d = 0; d < drivers_.size(); ++d)
    all_.back().by_driver[d].ns = least[d].value();
}

/// The plan that may be the cheapest one; null if none can be cheaper than the cheapest variant so far.
candidate* bounded_search::most_promising() {
  candidate* best = nullptr;
  double least = limit_;
  for (candidate& x : all_)
    for (std::size_t d = 0; d < drivers_.size() && !x.seen; ++d)
      if (weight(x, d) < least || (!best && weight(x, d) <= least)) {
        best = &x;
        least = weight(x, d);
      }
  return best;
}

/// False if there is no such plan.
bool bounded_search::make(candidate& x) {
  if (x.made)
    return true;
  x.made = true;
  if (x.leftovers)
    return true;
  if (x.form)
    x.steps = with_messages(g_, c_.schedule, *x.form, vector_collectives::by_algorithm, wanted_.where);
  else if (collectives_)
    x.steps = make_plan(g_, c_.matched, c_.order, c_.uncombined(), nothing_found(c_.uncombined()),
                        options_.planning);
  else
    x.steps = c_.schedule;
  return x.form || !(x.steps.as_written || same_messages(all_.front().steps, x.steps));
}

/// What is certain once the steps are there.
void bounded_search::refine(candidate& x) {
  for (std::size_t d = 0; d < drivers_.size(); ++d) {
    least_makespan least(drivers_[d], wanted_.costs, wanted_.where, g_.ranks());
    least.add(x.steps);
    x.beyond.push_back(beyond_messages(x.steps, drivers_[d]));
    x.by_driver[d].ns = std::max(x.by_driver[d].ns, least.value() + x.beyond.back());
  }
}

void bounded_search::look_at(candidate& x) {
  x.seen = true;
  const bool made_before = x.made;
  if (!make(x)) {
    x.by_driver.clear();
    x.steps = {};
    return;
  }
  if (has_collectives(x.steps)) { // straight messages with barriers, which MPI may carry out
    undecided_ = true;
    limit_ = -1;
    return;
  }
  if (!made_before)
    refine(x);
  for (std::size_t d = drivers_.size();
       d-- > 0;) // what MPI would take is known by p2p, and is often the least
    if (!x.refused)
      play(x, d);
  if (x.refused || (at_once_ && !leaves_at_once(x.steps)))
    x.by_driver.clear();
}

void bounded_search::play(candidate& x, std::size_t driver) {
  const bool is_variant = !at_once_ || leaves_at_once(x.steps);
  const bool for_mpi = x.form && driver == by_p2p() && library_knows(*x.form);
  if (!is_variant && !for_mpi)
    return;
  const double beyond = x.beyond[driver];
  known_price& price = x.by_driver[driver];
  // MPI's own work may be less than ours.
  const double most = (for_mpi ? limit_ : limit_ / share(x) - beyond) * a_little_more;
  double played = unknown;
  if (price.ns - beyond <= most)
    played = makespan(x.steps, drivers_[driver], wanted_.costs, wanted_.where, most);
  if (for_mpi)
    ask_library(x, played);
  if (played == unknown) {
    price.ns = std::max(price.ns, limit_ / share(x));
    return;
  }
  price = {played + beyond, true};
  if (is_variant && !is_known_costlier(x, driver) && may_be_taken(x))
    limit_ = weight(x, driver);
}

/// Algorithms are right as long as nothing is wrong with this library, and are validated once, in the end. Leftovers come from elsewhere
/// and may hand on what others wait for: what is refused of them must not keep others from being played.
bool bounded_search::may_be_taken(candidate& x) {
  if (x.leftovers && !x.valid) {
    x.valid = validate(g_, c_.matched, c_.order, c_.moved, x.steps, options_.planning).empty();
    x.refused = !x.valid;
  }
  return !x.refused;
}

void bounded_search::ask_library(candidate& x, double played_by_p2p) {
  const as_messages ours{played_by_p2p, most_steps(x.steps)};
  const as_messages theirs =
      of_library(g_, c_.schedule, *x.form, ours, wanted_.costs, wanted_.where, limit_ * a_little_more);
  if (theirs.price >= 0)
    x.of_mpi = theirs;
}

/// As the best algorithm for MPI's collectives, or straight. Nothing if only the prices of all algorithms tell; unknown if it is certainly
/// costlier than the cheapest variant.
std::optional<as_messages> bounded_search::best_messages() {
  as_messages best{unknown, 0};
  bool any = false;
  for (const candidate& x : all_) {
    any = any || x.form;
    if (x.of_mpi.price < best.price)
      best = x.of_mpi;
  }
  const bool known = best.price <= limit_; // else another one may be cheaper
  const bool too_many = blocks_of(shapes_of(g_, c_.schedule), algorithm::linear) > most_blocks;
  if (known && too_many)
    return best;
  const straight_collectives straight(c_.schedule, wanted_.costs, wanted_.where);
  const std::size_t least_steps = std::max<std::size_t>(straight.most_steps(), 1);
  const double least_beyond =
      beyond_messages_of_mpi(most_collectives(c_.schedule), any ? 1 : least_steps, wanted_.persistent);
  const double most = (known ? best.price : limit_ - least_beyond) * a_little_more;
  const bool cheaper = straight.least() <= most;
  if (!cheaper && (!known || least_steps >= best.steps))
    return best;
  const plan made = with_messages(g_, c_.schedule, algorithm::linear);
  const double price = cheaper ? makespan(made, "p2p", wanted_.costs, wanted_.where, most) : unknown;
  if (known)
    return as_messages{std::min(price, best.price), std::min(best.steps, most_steps(made))};
  if (price == unknown)
    return best;
  return any ? std::nullopt : std::optional(as_messages{price, most_steps(made)});
}

bool bounded_search::price_collectives() {
  if (!called_)
    return true;
  const std::optional<as_messages> best = best_messages();
  if (!best || best->price < 0)
    return false;
  const collective_calls calls = most_collectives(c_.schedule);
  for (const bool started : {false, true}) {
    if (started && !wanted_.persistent)
      continue;
    const bool exact = best->price != unknown && best->price <= limit_;
    const double beyond = beyond_messages_of_mpi(calls, best->steps, started);
    calls_.emplace_back(started ? "pcoll" : "coll",
                        exact ? known_price{best->price + beyond, true} : known_price{limit_, false});
  }
  return true;
}

/// Those whose price is known are before others.
std::vector<bounded_search::priced> bounded_search::priced_variants() {
  std::vector<priced> variants;
  const auto add = [&](candidate* of, std::string_view name, const char* driver, const known_price& p) {
    const double share_of_it = of ? share(*of) : 1;
    variants.push_back({p.ns * share_of_it, of, {std::string(name), driver, p.ns, !p.exact}});
  };
  for (candidate& x : all_)
    for (std::size_t d = 0; d < x.by_driver.size(); ++d)
      add(&x, x.name, drivers_[d], x.by_driver[d]);
  for (const auto& [driver, price] : calls_)
    add(nullptr, "collectives", driver, price);
  std::stable_sort(variants.begin(), variants.end(), [](const priced& a, const priced& b) {
    return std::pair(a.what.at_least, a.weight) < std::pair(b.what.at_least, b.weight);
  });
  return variants;
}

/// Its number in `out`, to which its steps move unless they are there.
std::size_t bounded_search::add_plan_of(priced& w, choice& out) const {
  const auto there = std::find_if(out.plans.begin(), out.plans.end(),
                                  [&](const named_plan& p) { return p.name == w.what.plan; });
  if (there == out.plans.end()) {
    named_plan& added = out.plans.emplace_back();
    added.name = w.what.plan;
    if (w.of)
      added.steps = std::move(w.of->steps);
    else
      added.steps = c_.schedule;
    return out.plans.size() - 1;
  }
  return static_cast<std::size_t>(there - out.plans.begin());
}

std::optional<choice> bounded_search::taken() {
  std::vector<priced> variants = priced_variants();
  if (variants.empty() || variants.front().what.at_least || variants.front().what.predicted < 0)
    return std::nullopt;
  choice out;
  for (const priced& w : variants)
    out.compared.push_back(w.what);
  const priced& first = variants.front();
  if (first.of && !first.of->valid &&
      !validate(g_, c_.matched, c_.order, c_.moved, first.of->steps, options_.planning).empty())
    return std::nullopt;
  // To validate others would take as long as to find this one.
  const auto is_right = [&](std::size_t i) {
    const candidate* const of = variants[i].of;
    return !of || of == first.of || (of->valid && of->made);
  };
  const auto steps = [&](std::size_t i) {
    return most_steps(variants[i].of ? variants[i].of->steps : c_.schedule);
  };
  for (const std::size_t i : finalists_among(out.compared, wanted_, is_right, steps)) {
    priced& w = variants[i];
    constexpr double unknown_price = -1;
    const double predicted = w.what.at_least ? unknown_price : w.what.predicted;
    out.variants.push_back({add_plan_of(w, out), w.what.driver, predicted});
  }
  out.crowded = has_crowded_node(wanted_.where, g_.ranks());
  return out;
}

} // namespace

std::optional<choice> cheapest_variant(const graph& g, const compilation& c, const compile_options& options,
                                       const choice_request& wanted) {
  if (wanted.most != 1 || !wanted.driver.empty() || wanted.replace_always || g.size() == 0 ||
      !c.in_stages.schedule.ranks.empty() || has_long_operands(g))
    return std::nullopt;
  return bounded_search(g, c, options, wanted).run();
}

} // namespace tacit::graphs
