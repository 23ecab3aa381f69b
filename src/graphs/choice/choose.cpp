#include "graphs/choice/choose.h"

#include "graphs/choice/cheapest.h"
#include "graphs/choice/finalists.h"
#include "graphs/choice/generated_form.h"
#include "graphs/choice/in_pieces.h"
#include "graphs/choice/plan_traits.h"
#include "graphs/choice/tried_algorithms.h"
#include "graphs/cost/driver_prices.h"
#include "graphs/cost/message_price.h"
#include "graphs/plan/synchronization.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

namespace tacit::graphs {
namespace {

/// What is measured in place may be predicted to take so many times what the best one does.
constexpr double measured_beyond = 4;

bool is_of_collectives(std::string_view driver) {
  return driver == "coll" || driver == "pcoll";
}

/// No message arrives earlier than that after it was sent, by any driver.
double least_latency(const machine_costs& costs, const process_map& where, std::uint32_t ranks) {
  const std::unordered_set<std::uint64_t> nodes(where.node.begin(), where.node.end());
  double least = where.node.empty() ? std::numeric_limits<double>::infinity() : costs.between_nodes.latency();
  if (where.node.empty() || nodes.size() < ranks)
    for (const pair_class c : {pair_class::same_node, pair_class::other_cache})
      least = std::min({least, costs.of(c).latency(), line_latency(costs.of(c))});
  return least;
}

class chooser {
public:
  chooser(const graph& g, const compilation& c, const compile_options& options, const choice_request& wanted)
      : g_(g), c_(c), options_(options), wanted_(wanted),
        least_latency_(least_latency(wanted.costs, wanted.where, g.ranks())),
        shares_cores_(has_crowded_node(wanted.where, g.ranks())) {}

  choice run() {
    add_plans();
    order();
    take();
    out_.crowded = shares_cores_;
    return std::move(out_);
  }

private:
  bool is_wanted(std::string_view driver) const { return wanted_.driver.empty() || wanted_.driver == driver; }
  void add_plans();
  void add(std::string name, plan p, bool valid, std::optional<double> played_by_p2p = {});
  bool may_pay(const std::vector<collective_shape>& collectives, algorithm form) const;
  void add_forms(const plan& collectives, std::string_view where = "");
  void add_pieces(std::string_view name, const plan& whole);
  void add_stages();
  void add_leftovers(const plan& whole, std::string_view where = "");
  double price_by_messages(const plan& messages, std::string_view driver, double played) const;
  void add_collectives(std::size_t number, const plan& p);
  as_messages best_messages(const plan& collectives) const;
  void order();
  void leave_out_failed();
  std::vector<priced_variant> priced() const; ///< all that there are now
  bool is_valid(std::size_t plan);
  std::vector<variant> finalists();
  std::vector<variant> kept();
  void take();

  const graph& g_;
  const compilation& c_;
  const compile_options& options_;
  const choice_request& wanted_;
  choice out_;
  enum class check : std::uint8_t { not_made, passed, failed };
  std::vector<check> checks_; ///< by plan
  double least_latency_;
  bool at_once_ = false; ///< only plans whose messages leave at once
  bool shares_cores_;    ///< somewhere ranks do: pieces gained nothing there
  as_messages best_form_;
};

double chooser::price_by_messages(const plan& messages, std::string_view driver, double played) const {
  return played < 0 ? played : played + beyond_messages(messages, driver);
}

void chooser::add(std::string name, plan p, bool valid, std::optional<double> played_by_p2p) {
  const auto price_by = [&](const plan& messages, std::string_view driver) {
    const bool known = driver == "p2p" && played_by_p2p;
    return price_by_messages(
        messages, driver, known ? *played_by_p2p : makespan(messages, driver, wanted_.costs, wanted_.where));
  };
  const std::size_t number = out_.plans.size();
  const bool collectives = has_collectives(p);
  const bool prompt = leaves_at_once(p);
  const bool straight_too = p.as_written || wanted_.replace_always || !wanted_.driver.empty();
  for (const char* driver : {"shm", "p2p", "rma"}) {
    if (!is_wanted(driver) || (wanted_.driver.empty() && driver == std::string_view("rma")))
      continue;
    if (collectives && !straight_too) // straight messages are a plan of their own
      continue;
    if (at_once_ && wanted_.driver.empty() && (collectives || !prompt))
      continue;
    if (driver == std::string_view("shm") && wanted_.driver.empty() && wanted_.where.longest_in_memory == 0)
      continue;
    const double price = price_by(collectives ? with_messages(g_, p, algorithm::linear) : p, driver);
    out_.variants.push_back({number, driver, price});
  }
  if (collectives)
    add_collectives(number, p);
  else if (is_of_collectives(wanted_.driver))
    out_.variants.push_back({number, wanted_.driver, price_by(p, "p2p")});
  out_.plans.push_back({std::move(name), std::move(p)});
  checks_.push_back(valid ? check::passed : check::not_made);
}

/// MPI's collectives: as the best of the algorithms that are known, by MPI's messages, and MPI's own work.
void chooser::add_collectives(std::size_t number, const plan& p) {
  const bool called = is_wanted("coll");
  const bool started = wanted_.persistent ? is_wanted("pcoll") : wanted_.driver == "pcoll";
  if (!called && !started)
    return;
  const as_messages best = best_messages(p);
  const auto price = [&](bool made_before) {
    return best.price < 0 ? best.price
                          : best.price + beyond_messages_of_mpi(most_collectives(p), best.steps, made_before);
  };
  if (called)
    out_.variants.push_back({number, "coll", price(false)});
  if (started)
    out_.variants.push_back({number, "pcoll", price(true)});
}

as_messages chooser::best_messages(const plan& collectives) const {
  if (best_form_.price >= 0 && blocks_of(shapes_of(g_, collectives), algorithm::linear) > most_blocks)
    return best_form_;
  const plan straight = with_messages(g_, collectives, algorithm::linear);
  const double price = makespan(straight, "p2p", wanted_.costs, wanted_.where);
  if (best_form_.price < 0)
    return {price, most_steps(straight)};
  // What MPI does for each message was measured where none was cut into segments.
  const std::size_t steps = std::min(best_form_.steps, most_steps(straight));
  return {price < 0 ? best_form_.price : std::min(price, best_form_.price), steps};
}

/// False if making and playing the algorithm would take long, or if its rounds alone take longer than the cheapest variant so far.
bool chooser::may_pay(const std::vector<collective_shape>& collectives, algorithm form) const {
  if (blocks_of(collectives, form) > most_blocks)
    return false;
  if (!wanted_.plan.empty())
    return true;
  double cheapest = std::numeric_limits<double>::infinity();
  for (const variant& w : out_.variants)
    if (w.predicted >= 0)
      cheapest = std::min(cheapest, w.predicted);
  const double limit = wanted_.most > 1 ? measured_beyond * cheapest : cheapest;
  return most_rounds(collectives, form) * least_latency_ <= limit;
}

/// `where` is said behind the name of the algorithm.
void chooser::add_forms(const plan& collectives, std::string_view where) {
  best_form_ = {};
  const std::vector<collective_shape> shapes = shapes_of(g_, collectives);
  for (const algorithm form : forms_for(g_, collectives, wanted_.where)) {
    if (!may_pay(shapes, form))
      continue;
    plan by = with_messages(g_, collectives, form, vector_collectives::by_algorithm, wanted_.where);
    const double price = makespan(by, "p2p", wanted_.costs, wanted_.where);
    const as_messages theirs =
        library_knows(form)
            ? of_library(g_, collectives, form, {price, most_steps(by)}, wanted_.costs, wanted_.where)
            : as_messages{};
    if (theirs.price >= 0 && (best_form_.price < 0 || theirs.price < best_form_.price))
      best_form_ = theirs;
    if (is_of_collectives(wanted_.driver))
      continue;
    const std::string name_here = std::string(name(form)).append(where);
    add_pieces(name_here, by);
    add(name_here, std::move(by), false, price);
  }
}

void chooser::add_pieces(std::string_view name, const plan& whole) {
  if (is_of_collectives(wanted_.driver) || (wanted_.plan.empty() && shares_cores_))
    return;
  if (std::optional<plan> cut = in_pieces(g_, whole))
    add(std::string(name).append(cut_in_pieces), std::move(*cut), false);
}

/// Whatever travels beside collectives, or all there is, another way.
void chooser::add_leftovers(const plan& whole, std::string_view where) {
  if (!wanted_.leftovers || (is_of_collectives(wanted_.driver) && !has_collectives(whole)))
    return;
  const bool may_wait = options_.planning.progress == region_progress::collective;
  for (named_plan& way : wanted_.leftovers(whole, wanted_.costs, wanted_.where, may_wait && !at_once_)) {
    way.name += where;
    if (!has_collectives(way.steps)) {
      add(std::move(way.name), std::move(way.steps), false);
      continue;
    }
    const std::string behind = " and " + way.name;
    if (may_wait)
      add_forms(way.steps, behind);
    plan called = with_ordered_by_messages(g_, way.steps);
    if (has_collectives(called) || is_of_collectives(wanted_.driver))
      add("collectives" + behind, std::move(called), false);
  }
}

/// What the stages of the graph are by themselves. Each of them has been validated with its collectives, and may run so. What is made of
/// them here has to be compared with the whole graph, byte by byte: that takes its transfers; and where messages without bytes may say that
/// computations have run, nobody compares that.
void chooser::add_stages() {
  const plan& staged = c_.in_stages.schedule;
  if (staged.ranks.empty())
    return;
  const bool ordered_calls = g_.has_computations() && keeps_orders(g_, options_.planning.policy);
  const bool comparable = c_.moved.complete && !ordered_calls;
  if (options_.planning.progress == region_progress::collective && has_collectives(staged) && comparable)
    add_forms(staged, in_stages);
  const auto add_called = [&](plan called, bool valid) {
    const std::string_view name = has_collectives(called) ? "collectives" : straight_name;
    add(std::string(name).append(in_stages), std::move(called), valid);
  };
  plan called = with_ordered_by_messages(g_, staged);
  const plan& without_order = c_.in_stages.without_order;
  if (!has_ordered(staged))
    add_called(std::move(called), true);
  else if (without_order.ranks.empty() && comparable)
    add_called(std::move(called), false);
  else if (comparable && validate(g_, c_.matched, c_.order, c_.moved, called, options_.planning).empty())
    add_called(std::move(called), true);
  else if (!without_order.ranks.empty())
    add_called(without_order, true);
  if (comparable)
    add_leftovers(staged, in_stages);
}

void chooser::add_plans() {
  plan written = plan_as_written(g_, c_.matched, c_.order, c_.schedule.why_as_written, c_.schedule.detail);
  at_once_ = !wanted_.attended && leaves_at_once(written);
  const bool only_written = c_.schedule.as_written;
  const bool collectives = !only_written && has_collectives(c_.schedule);
  const plan made = collectives ? make_plan(g_, c_.matched, c_.order, c_.uncombined(),
                                            nothing_found(c_.uncombined()), options_.planning)
                                : plan{};
  const plan& straight = collectives ? made : c_.schedule;
  const bool is_straight = only_written || straight.as_written || same_messages(written, straight);
  const bool replaces = (collectives || has_collectives(c_.in_stages.schedule)) &&
                        (wanted_.replace_always || is_of_collectives(wanted_.driver)) && wanted_.plan.empty();
  // A graph that is not replaced because it is wrong, or relies on buffering, is not cut either.
  if (!only_written || c_.schedule.why_as_written == reason::reduction_kept)
    add_pieces(written_name, written);
  if (!replaces)
    add(std::string(written_name), std::move(written), true);
  add_stages();
  if (only_written)
    return;
  // Whoever asks for them by name gets them, also where they are the graph as written: of what all ranks compile they are told apart.
  if ((!is_straight || wanted_.plan == straight_name) && !replaces)
    add(std::string(straight_name), straight, !collectives);
  if (!collectives)
    return add_leftovers(straight);
  // No rank may wait for one that it does not wait for in the graph: trees forward what others have sent.
  if (options_.planning.progress == region_progress::collective)
    add_forms(c_.schedule);
  const bool ordered = has_ordered(c_.schedule);
  plan called = with_ordered_by_messages(g_, c_.schedule);
  if (!ordered || has_collectives(called) || is_of_collectives(wanted_.driver)) // else it is the linear form
    add("collectives", std::move(called), !ordered);
  if (!c_.found.residual.empty())
    add_leftovers(c_.schedule);
}

bool chooser::is_valid(std::size_t plan) {
  if (checks_[plan] == check::not_made)
    checks_[plan] =
        validate(g_, c_.matched, c_.order, c_.moved, out_.plans[plan].steps, options_.planning).empty()
            ? check::passed
            : check::failed;
  return checks_[plan] == check::passed;
}

/// Cheapest first, those without a price last; other plans than the graph as written behind it unless they are worth a change.
void chooser::order() {
  const auto weight = [&](const variant& w) {
    const double ns = w.predicted < 0 ? std::numeric_limits<double>::infinity() : w.predicted;
    return out_.plans[w.plan].name == written_name ? ns * worth_a_change : ns;
  };
  std::stable_sort(out_.variants.begin(), out_.variants.end(),
                   [&](const variant& a, const variant& b) { return weight(a) < weight(b); });
  out_.compared = priced();
  if (!wanted_.plan.empty())
    std::erase_if(out_.variants, [&](const variant& w) { return out_.plans[w.plan].name != wanted_.plan; });
}

std::vector<priced_variant> chooser::priced() const {
  std::vector<priced_variant> list;
  for (const variant& w : out_.variants)
    list.push_back({out_.plans[w.plan].name, w.driver, w.predicted});
  return list;
}

std::vector<variant> chooser::finalists() {
  std::vector<variant> out;
  for (const std::size_t i : finalists_among(
           priced(), wanted_, [&](std::size_t at) { return is_valid(out_.variants[at].plan); },
           [&](std::size_t at) { return most_steps(out_.plans[out_.variants[at].plan].steps); }))
    out.push_back(out_.variants[i]);
  return out;
}

/// The variants that are wanted and valid.
std::vector<variant> chooser::kept() {
  if (wanted_.most == 1)
    return finalists();
  const auto always = [&](const variant& w) {
    return out_.plans[w.plan].name == written_name || is_of_collectives(w.driver);
  };
  auto others = static_cast<std::ptrdiff_t>(wanted_.most) -
                std::count_if(out_.variants.begin(), out_.variants.end(), always);
  std::vector<variant> out;
  for (const variant& w : out_.variants) {
    if ((!always(w) && others <= 0) || !is_valid(w.plan))
      continue;
    others -= always(w) ? 0 : 1;
    out.push_back(w);
  }
  return out;
}

/// What may not run is no variant that was cheaper.
void chooser::leave_out_failed() {
  for (std::size_t i = 0; i < checks_.size(); ++i)
    if (checks_[i] == check::failed)
      std::erase_if(out_.compared, [&](const priced_variant& w) { return w.plan == out_.plans[i].name; });
}

/// Keeps those, and their plans.
void chooser::take() {
  std::vector<variant> variants = kept();
  if (wanted_.plan.empty()) // whoever asks for one by name is told why it is not taken
    leave_out_failed();
  constexpr std::size_t unused = ~std::size_t{0};
  std::vector<std::size_t> now(out_.plans.size(), unused);
  std::vector<named_plan> plans;
  for (variant& w : variants) {
    std::size_t& number = now[w.plan];
    if (number == unused) {
      number = plans.size();
      plans.push_back(std::move(out_.plans[w.plan]));
    }
    w.plan = number;
  }
  out_.variants = std::move(variants);
  out_.plans = std::move(plans);
}

} // namespace

choice choose(const graph& g, const compilation& c, const compile_options& options,
              const choice_request& wanted) {
  const std::size_t messages = std::max(g.size(), c.moved.list.size());
  if (messages > wanted.all_played_up_to && wanted.plan.empty())
    if (std::optional<choice> made = cheapest_variant(g, c, options, wanted))
      return *std::move(made);
  return chooser(g, c, options, wanted).run();
}

} // namespace tacit::graphs
