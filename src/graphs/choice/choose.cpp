#include "graphs/choice/choose.h"

#include "graphs/choice/generated_form.h"
#include "graphs/cost/message_price.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace tacit::graphs {
namespace {

/// Prices that differ by less are alike.
constexpr double worth_a_change = 0.9;
/// What MPI needs for each nonblocking collective, and for each message in it, beyond the messages; so many ns more than the loop of
/// the program took a broadcast, scatter, gather, allgather and alltoall of 64 B among four ranks under Open MPI 4.1.
constexpr double schedule_of_collective = 400, part_of_collective = 200;
/// Of those that were made before: they were faster by 0.1 to 0.4 us on two ranks and by 0.3 to 1.6 us on four.
constexpr double start_of_collective = 200, part_of_started = 90;
/// What the engine of actions needs for each step beyond its message.
constexpr double engine = 150;
/// An algorithm is tried while its messages carry at most so many blocks in all: it is generated and played.
constexpr double most_blocks = 1'500'000;
/// What is measured in place may be predicted to take so many times what the best one does.
constexpr double measured_beyond = 4;

/// Those of few rounds first: what they cost rules out most of the others.
constexpr algorithm forms[] = {
    algorithm::linear, // of scans and reduce-scatters; else it is what straight messages are
    algorithm::binomial,
    algorithm::bruck,
    algorithm::recursive_doubling,
    algorithm::recursive_halving,
    algorithm::butterfly,
    algorithm::two_level,
    algorithm::pipelined_binomial,
    algorithm::scatter_allgather,
    algorithm::pipelined,
    algorithm::ring,
    algorithm::pairwise};

/// What the messages of one member carry, about, in blocks; a message without any counts as one.
double blocks_of_member(pattern kind, double members, algorithm form) {
  const double doublings = std::ceil(std::log2(std::max(members, 2.0)));
  const bool halves = form == algorithm::binomial || form == algorithm::bruck || form == algorithm::butterfly;
  switch (kind) {
  case pattern::bcast:
    return form == algorithm::scatter_allgather ? members : 1;
  case pattern::scatter:
  case pattern::scatterv:
  case pattern::gather:
  case pattern::gatherv:
    return halves ? doublings / 2 : 1;
  case pattern::alltoall:
  case pattern::alltoallv:
    return halves ? members * doublings / 2 : members;
  case pattern::barrier:
    return doublings;
  case pattern::reduce:
    return 1;
  case pattern::allreduce:
  case pattern::scan:
  case pattern::exscan:
    return form == algorithm::recursive_doubling ? doublings : 2;
  default:
    return members;
  }
}

/// Messages of which each waits for the one before, at least.
double rounds_of(pattern kind, double members, algorithm form) {
  if (is_scan(kind) && form == algorithm::linear)
    return members - 1;
  switch (form) {
  case algorithm::ring:
  case algorithm::pipelined:
  case algorithm::scatter_allgather:
    return members - 1;
  case algorithm::linear:
  case algorithm::pairwise: // blocks that do not wait for each other
    return 1;
  default:
    return kind == pattern::barrier ? 1 : std::floor(std::log2(std::max(members, 2.0)));
  }
}

double most_rounds(const graph& g, const plan& p, algorithm form) {
  double most = 0;
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective)
        most = std::max(most, rounds_of(s.collective,
                                        static_cast<double>(g.communicators()[index(s.comm)].members.size()),
                                        form));
  return most;
}

double blocks_of(const graph& g, const plan& p, algorithm form) {
  double all = 0;
  for (const rank_plan& r : p.ranks)
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective)
        all += blocks_of_member(s.collective,
                                static_cast<double>(g.communicators()[index(s.comm)].members.size()), form);
  return all;
}

bool has_collectives(const plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(),
                       [](const step& s) { return s.kind == step_kind::collective; });
  });
}

/// All messages leave and are expected when a run starts: no step waits for anything but copies.
bool leaves_at_once(const rank_plan& p) {
  return std::all_of(p.steps.begin(), p.steps.end(), [&](const step& s) {
    return std::all_of(s.after.begin(), s.after.end(),
                       [&](std::uint32_t before) { return p.steps[before].kind == step_kind::copy; });
  });
}

bool leaves_at_once(const plan& p) {
  return std::all_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) { return leaves_at_once(r); });
}

/// Both are messages alone, and the same ones.
bool same_messages(const plan& a, const plan& b) {
  const auto messages = [](const rank_plan& p) {
    std::vector<const step*> list;
    for (const step& s : p.steps)
      list.push_back(&s);
    const auto before = [](const step* x, const step* y) {
      const auto key = [](const step& s) {
        const std::vector<segment>& bytes = s.kind == step_kind::send ? s.reads : s.writes;
        return std::tuple(s.kind, s.peer, bytes.empty() ? 0 : bytes.front().address, s.tag);
      };
      return key(*x) < key(*y);
    };
    std::sort(list.begin(), list.end(), before);
    return list;
  };
  const auto alike = [](const step* x, const step* y) {
    return x->kind != step_kind::collective && x->after.empty() && y->after.empty() && x->kind == y->kind &&
           x->peer == y->peer && x->reads == y->reads && x->writes == y->writes;
  };
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    if (a.ranks[r].steps.size() != b.ranks[r].steps.size())
      return false;
    const auto mine = messages(a.ranks[r]), theirs = messages(b.ranks[r]);
    if (!std::equal(mine.begin(), mine.end(), theirs.begin(), alike))
      return false;
  }
  return true;
}

bool has_vector_collectives(const plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(), [](const step& s) {
      return s.kind == step_kind::collective && !is_uniform(s.collective);
    });
  });
}

/// The linear algorithm is another plan than straight messages: those of scans and reduce-scatters that run as they are written.
bool has_linear_form(const plan& p) {
  return std::any_of(p.ranks.begin(), p.ranks.end(), [](const rank_plan& r) {
    return std::any_of(r.steps.begin(), r.steps.end(), [](const step& s) {
      return s.kind == step_kind::collective &&
             (is_scan(s.collective) || row_of(s.collective).moves == signature::all_into_each);
    });
  });
}

bool is_of_collectives(std::string_view driver) {
  return driver == "coll" || driver == "pcoll";
}

std::size_t most_steps(const plan& p) {
  std::size_t most = 0;
  for (const rank_plan& r : p.ranks)
    most = std::max(most, r.steps.size());
  return most;
}

std::size_t collectives_of(const plan& p) {
  std::size_t most = 0;
  for (const rank_plan& r : p.ranks)
    most = std::max(most,
                    static_cast<std::size_t>(std::count_if(r.steps.begin(), r.steps.end(), [](const step& s) {
                      return s.kind == step_kind::collective;
                    })));
  return most;
}

findings nothing_found(const transfers& t) {
  findings none;
  for (std::uint32_t i = 0; i < t.list.size(); ++i)
    none.residual.push_back({0, t.list[i].length, i});
  return none;
}

/// No message arrives earlier than that after it was sent, by any driver.
double least_latency(const machine_costs& costs, const placement& where, std::uint32_t ranks) {
  const std::unordered_set<std::uint64_t> nodes(where.node.begin(), where.node.end());
  double least = where.node.empty() ? std::numeric_limits<double>::infinity() : costs.between_nodes.latency();
  if (where.node.empty() || nodes.size() < ranks)
    least = std::min({least, costs.within_node.latency(), line_latency(costs.within_node)});
  return least;
}

class chooser {
public:
  chooser(const graph& g, const compilation& c, const compile_options& options, const choice_request& wanted)
      : g_(g), c_(c), options_(options), wanted_(wanted),
        least_latency_(least_latency(wanted.costs, wanted.where, g.ranks())) {}

  choice run() {
    add_plans();
    order();
    take();
    return std::move(out_);
  }

private:
  /// Collectives by MPI's messages and an algorithm: the price, and the most steps of a rank.
  struct as_messages {
    double price = -1;
    std::size_t steps = 0;
  };
  bool is_wanted(std::string_view driver) const { return wanted_.driver.empty() || wanted_.driver == driver; }
  void add_plans();
  void add(std::string name, plan p, bool valid, std::optional<double> played_by_p2p = {});
  bool may_pay(const plan& collectives, algorithm form) const;
  void add_forms(const plan& collectives, std::string_view where = "");
  void add_stages();
  double price_by_messages(const plan& messages, std::string_view driver, double played) const;
  void add_collectives(std::size_t number, const plan& p);
  as_messages best_messages(const plan& collectives) const;
  as_messages of_library(const plan& collectives, algorithm form, const as_messages& ours) const;
  void order();
  bool is_valid(std::size_t plan);
  void take();

  const graph& g_;
  const compilation& c_;
  const compile_options& options_;
  const choice_request& wanted_;
  choice out_;
  std::vector<char> valid_; ///< by plan
  double least_latency_;
  bool at_once_ = false; ///< only plans whose messages leave at once
  as_messages best_form_;
};

double chooser::price_by_messages(const plan& messages, std::string_view driver, double played) const {
  if (played < 0)
    return played;
  const bool by_engine = driver != "shm" || !leaves_at_once(messages);
  return played + (by_engine ? engine * static_cast<double>(most_steps(messages)) : 0);
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
    out_.ways.push_back({number, driver, price});
  }
  if (collectives)
    add_collectives(number, p);
  else if (is_of_collectives(wanted_.driver))
    out_.ways.push_back({number, wanted_.driver, price_by(p, "p2p")});
  out_.plans.push_back({std::move(name), std::move(p)});
  valid_.push_back(valid ? 1 : 0);
}

/// MPI's collectives: as the best of the algorithms that are known, by MPI's messages, and MPI's own work.
void chooser::add_collectives(std::size_t number, const plan& p) {
  const bool called = is_wanted("coll");
  const bool started = wanted_.persistent ? is_wanted("pcoll") : wanted_.driver == "pcoll";
  if (!called && !started)
    return;
  const as_messages best = best_messages(p);
  const auto price = [&](double schedule, double part) {
    return best.price < 0 ? best.price
                          : best.price + schedule * static_cast<double>(collectives_of(p)) +
                                part * static_cast<double>(best.steps);
  };
  if (called)
    out_.ways.push_back({number, "coll", price(schedule_of_collective, part_of_collective)});
  if (started)
    out_.ways.push_back({number, "pcoll", price(start_of_collective, part_of_started)});
}

chooser::as_messages chooser::best_messages(const plan& collectives) const {
  if (best_form_.price >= 0 && blocks_of(g_, collectives, algorithm::linear) > most_blocks)
    return best_form_;
  const plan straight = with_messages(g_, collectives, algorithm::linear);
  const double price = makespan(straight, "p2p", wanted_.costs, wanted_.where);
  if (best_form_.price < 0)
    return {price, most_steps(straight)};
  // What MPI does for each message was measured where none was cut into segments.
  const std::size_t steps = std::min(best_form_.steps, most_steps(straight));
  return {price < 0 ? best_form_.price : std::min(price, best_form_.price), steps};
}

/// False if making and playing the algorithm would take long, or if its rounds alone take longer than the cheapest way so far.
bool chooser::may_pay(const plan& collectives, algorithm form) const {
  if (blocks_of(g_, collectives, form) > most_blocks)
    return false;
  double cheapest = std::numeric_limits<double>::infinity();
  for (const way& w : out_.ways)
    if (w.predicted >= 0)
      cheapest = std::min(cheapest, w.predicted);
  const double limit = wanted_.most > 1 ? measured_beyond * cheapest : cheapest;
  return most_rounds(g_, collectives, form) * least_latency_ <= limit;
}

/// What MPI would take if it used the algorithm, which it does not for vector collectives; `ours` is with these.
chooser::as_messages chooser::of_library(const plan& collectives, algorithm form,
                                         const as_messages& ours) const {
  if (!has_vector_collectives(collectives))
    return ours;
  if (!has_form(g_, collectives, form, vector_collectives::straight, wanted_.where))
    return {};
  const plan theirs = with_messages(g_, collectives, form, vector_collectives::straight, wanted_.where);
  return {makespan(theirs, "p2p", wanted_.costs, wanted_.where), most_steps(theirs)};
}

/// Libraries are not taken to know two levels: the defaults of Open MPI 4.1 have none, MPICH 4.0 has them for few collectives.
/// `where` is said behind the name of the algorithm.
void chooser::add_forms(const plan& collectives, std::string_view where) {
  best_form_ = {};
  constexpr auto all = vector_collectives::by_algorithm;
  for (const algorithm form : forms) {
    const bool same =
        form == algorithm::butterfly && has_form(g_, collectives, algorithm::recursive_doubling, all);
    const bool straight = form == algorithm::linear && !has_linear_form(collectives);
    if (same || straight || !has_form(g_, collectives, form, all, wanted_.where) ||
        !may_pay(collectives, form))
      continue;
    plan by = with_messages(g_, collectives, form, all, wanted_.where);
    const double price = makespan(by, "p2p", wanted_.costs, wanted_.where);
    if (const as_messages theirs = of_library(collectives, form, {price, most_steps(by)});
        form != algorithm::two_level && theirs.price >= 0 &&
        (best_form_.price < 0 || theirs.price < best_form_.price))
      best_form_ = theirs;
    if (!is_of_collectives(wanted_.driver))
      add(std::string(name(form)).append(where), std::move(by), false, price);
  }
}

/// What the stages of the graph are by themselves. Each of them has been validated with its collectives; what computes between them
/// is known to a stage alone.
void chooser::add_stages() {
  const plan& staged = c_.in_stages.schedule;
  if (staged.ranks.empty())
    return;
  const bool computes = std::any_of(g_.operations().begin(), g_.operations().end(),
                                    [](const operation& o) { return o.kind == op_kind::opaque; });
  if (options_.planning.progress == region_progress::collective && has_collectives(staged) && !computes)
    add_forms(staged, in_stages);
  add(std::string(has_collectives(staged) ? "collectives" : "straight messages").append(in_stages), staged,
      true);
}

void chooser::add_plans() {
  plan written = plan_as_written(g_, c_.matched, c_.order, c_.schedule.why_as_written, c_.schedule.detail);
  at_once_ = !wanted_.attended && leaves_at_once(written);
  const bool only_written = c_.schedule.as_written;
  const bool collectives = !only_written && has_collectives(c_.schedule);
  const plan made =
      collectives ? make_plan(g_, c_.matched, c_.order, c_.moved, nothing_found(c_.moved), options_.planning)
                  : plan{};
  const plan& straight = collectives ? made : c_.schedule;
  const bool is_straight = only_written || straight.as_written || same_messages(written, straight);
  const bool replaces = (collectives || has_collectives(c_.in_stages.schedule)) &&
                        (wanted_.replace_always || is_of_collectives(wanted_.driver));
  if (!replaces)
    add(std::string(written_name), std::move(written), true);
  add_stages();
  if (only_written)
    return;
  if (!is_straight && !replaces)
    add("straight messages", straight, !collectives);
  if (!collectives)
    return;
  // No rank may wait for one that it does not wait for in the graph: trees forward what others have sent.
  if (options_.planning.progress == region_progress::collective)
    add_forms(c_.schedule);
  add("collectives", c_.schedule, true);
}

bool chooser::is_valid(std::size_t plan) {
  if (valid_[plan])
    return true;
  valid_[plan] =
      validate(g_, c_.matched, c_.order, c_.moved, out_.plans[plan].steps, options_.planning).empty();
  return valid_[plan] != 0;
}

/// Cheapest first, those without a price last; other plans than the graph as written behind it unless they are worth a change.
void chooser::order() {
  const auto weight = [&](const way& w) {
    const double ns = w.predicted < 0 ? std::numeric_limits<double>::infinity() : w.predicted;
    return out_.plans[w.plan].name == written_name ? ns * worth_a_change : ns;
  };
  std::stable_sort(out_.ways.begin(), out_.ways.end(),
                   [&](const way& a, const way& b) { return weight(a) < weight(b); });
  for (const way& w : out_.ways)
    out_.compared.push_back({out_.plans[w.plan].name, w.driver, w.predicted});
}

/// Keeps the ways that are wanted and valid, and their plans.
void chooser::take() {
  const auto always = [&](const way& w) {
    return wanted_.most > 1 && (out_.plans[w.plan].name == written_name || is_of_collectives(w.driver));
  };
  auto others =
      static_cast<std::ptrdiff_t>(wanted_.most) - std::count_if(out_.ways.begin(), out_.ways.end(), always);
  std::vector<way> kept;
  std::vector<bool> used(out_.plans.size(), false);
  for (const way& w : out_.ways) {
    if ((!always(w) && others <= 0) || !is_valid(w.plan))
      continue;
    others -= always(w) ? 0 : 1;
    used[w.plan] = true;
    kept.push_back(w);
  }
  std::vector<std::size_t> now(out_.plans.size(), 0);
  std::vector<named_plan> plans;
  for (std::size_t i = 0; i < out_.plans.size(); ++i)
    if (used[i]) {
      now[i] = plans.size();
      plans.push_back(std::move(out_.plans[i]));
    }
  for (way& w : kept)
    w.plan = now[w.plan];
  out_.ways = std::move(kept);
  out_.plans = std::move(plans);
}

} // namespace

choice choose(const graph& g, const compilation& c, const compile_options& options,
              const choice_request& wanted) {
  return chooser(g, c, options, wanted).run();
}

} // namespace tacit::graphs
