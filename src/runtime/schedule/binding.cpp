#include "runtime/schedule/binding.h"

#include "runtime/run/tuned_run.h"
#include "runtime/schedule/measured_before.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace tacit::runtime {
namespace {

/// As they are when it is called.
std::function<void(op_id)> calling(std::shared_ptr<const graph_computations> table) {
  return [table = std::move(table)](op_id op) {
    const running_computation scope;
    table->by_operation.at(op)();
  };
}

explanation explain_on(const explanation& shared, const named_program& what, const driver& by,
                       const connection* peers) {
  std::string here = summarize(what.steps);
  if (const std::string how = peers ? peers->describe() : std::string(); !how.empty())
    here += "; " + how;
  return explain_here(shared, what.name, by.name(), here);
}

std::unique_ptr<bound_graph> prepare(const explanation& known, const named_program& what,
                                     const driver& chosen, std::unique_ptr<connection> peers,
                                     const rank_position& here, const char* function) {
  explanation why = explain_on(known, what, chosen, peers.get());
  auto run = chosen.prepare(what.steps, here.comm, peers.get());
  return std::make_unique<bound_graph>(here.rank, function, std::move(peers), std::move(run), std::move(why));
}

/// What ranks say in the agreement before they connect: which variants they can run, or which drivers they can use.
using able_words = std::array<std::uint64_t, agreement::most_words>;

/// Who runs a schedule no more often than that has nothing to gain by measuring it.
constexpr std::uint64_t runs_of_the_first = 10;

/// In the order in which they are tried; null ones are not.
using driver_list = std::array<const driver*, driver_count + 1>;

driver_list drivers_for(const rank_part& mine) {
  driver_list out{find_driver(mine.variants.front().driver)};
  std::copy(drivers().begin(), drivers().end(), out.begin() + 1);
  for (const driver*& d : out)
    if (d && ((&d != &out[0] && d == out[0]) || (!mine.driver.empty() && d->name() != mine.driver)))
      d = nullptr;
  return out;
}

const named_program& first_plan(const rank_part& mine) {
  return mine.candidates[mine.variants.front().candidate];
}

/// The drivers that can run the first variant here; why the others cannot is added to `why`.
able_words able_drivers(const rank_part& mine, MPI_Comm comm, std::string& why) {
  able_words out{};
  const driver_list list = drivers_for(mine);
  const program& steps = first_plan(mine).steps;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i])
      continue;
    const bool unasked = mine.driver.empty() && i > 0 && !list[i]->automatic(steps);
    const std::string reason = unasked ? "only by name" : list[i]->can_run(steps, comm);
    out[i] = reason.empty() ? 1 : 0;
    why += fmt::format("; {}: {}", list[i]->name(), reason.empty() ? "cannot run on another rank" : reason);
  }
  return out;
}

able_words able_ways(const rank_part& mine, MPI_Comm comm) {
  able_words out{};
  for (std::size_t i = 0; i < std::min(mine.variants.size(), out.size()); ++i) {
    const driver* const d = find_driver(mine.variants[i].driver);
    out[i] = d && d->can_run(mine.candidates[mine.variants[i].candidate].steps, comm).empty() ? 1 : 0;
  }
  return out;
}

/// One of several variants of what the graph means.
struct candidate {
  const named_program* what;
  const driver* by;
  double predicted;
  std::unique_ptr<connection> peers;
  std::string name() const { return name_of_variant(what->name, by->name()); }
};

/// What a rank that is out of memory has before others wait for it.
struct candidates_to_prepare {
  std::vector<candidate> list;
  std::vector<private_communicator> communicators; ///< room for one
};

std::vector<candidate> candidates_of(const rank_part& mine, const able_words& able) {
  std::vector<candidate> out;
  for (std::size_t i = 0; i < std::min(mine.variants.size(), able.size()); ++i)
    if (const program_variant& w = mine.variants[i]; able[i])
      out.push_back({&mine.candidates[w.candidate], find_driver(w.driver), w.predicted, nullptr});
  return out;
}

/// Collective: all of them prepared, to be measured in place. They share a communicator, which communicators are too few to have each for
/// itself: a run of one cannot meet a run of another, as each receives all that it sends, and MPI's messages of one sender with one tag, and
/// collectives, match in the order in which they were begun. `here.comm` is left to those who agree. Does not agree in the end.
binding measured_in_place(const rank_part& mine, candidates_to_prepare those, const rank_position& here,
                          const char* function, agreement& all) {
  binding out; // its communicator outlives what runs on it
  out.of_candidates = std::move(those.communicators);
  private_communicator& own = out.of_candidates.emplace_back();
  std::vector<candidate> list = std::move(those.list);
  all.always("making a communicator", [&] { own = private_communicator::like(here.comm); });
  all.here("preparing to connect", [&] {
    for (candidate& c : list)
      c.peers = c.by->offer(c.what->steps, own.comm());
  });
  all.agree();
  for (candidate& c : list)
    all.always("connecting", [&] {
      if (c.peers)
        c.peers->create();
    });
  all.here("preparing the schedule", [&] {
    std::vector<tuned_candidate> prepared;
    std::vector<explanation> why;
    for (candidate& c : list) {
      why.push_back(explain_on(mine.why, *c.what, *c.by, c.peers.get()));
      auto run = c.by->prepare(c.what->steps, own.comm(), c.peers.get());
      prepared.push_back({c.name(), std::move(c.peers), std::move(run),
                          c.predicted < 0 ? -1 : c.predicted * 1e-9,
                          mine.trial.of_finalists ? prepared.empty() : c.what->name == graphs::written_name});
    }
    // What is kept for later programs is measured once.
    const graph_trials trials = mine.trial.of_finalists
                                    ? graph_trials{runs_of_the_first, mine.trial.crowded, true}
                                    : graph_trials{0, mine.trial.crowded, false};
    auto run = std::make_unique<tuned_run>(std::move(prepared), trials, here.comm);
    if (!mine.measured_as.graph.empty())
      run->when_decided([as = mine.measured_as](const tuned_run& t) { return keep_measured(as, t); });
    out.plan = std::make_unique<bound_graph>(here.rank, function, std::move(run), std::move(why));
  });
  return out;
}

/// Collective: by the first driver that all ranks can use. `ready` is what the first of the list has offered here. Does not agree in the
/// end.
binding by_one_driver(const rank_part& mine, const able_words& able, std::unique_ptr<connection> ready,
                      const std::string& why_not, const rank_position& here, const char* function,
                      agreement& all) {
  const driver_list list = drivers_for(mine);
  std::size_t at = 0;
  while (at < list.size() && !able[at])
    ++at;
  if (at == list.size())
    throw call_error(call_error::kind::environment,
                     fmt::format("no driver can run this schedule{}{}", why_not,
                                 mine.driver.empty()
                                     ? ""
                                     : "; ask for another one (TACIT_DRIVER, tacit_driver) or for none"),
                     true);
  const program& steps = first_plan(mine).steps;
  if (at > 0) { // else all have offered
    all.here("preparing to connect", [&] { ready = list[at]->offer(steps, here.comm); });
    all.agree();
  }
  all.always("connecting", [&] {
    if (ready)
      ready->create();
  });
  binding out;
  all.here("preparing the schedule", [&] {
    out.plan = prepare(mine.why, first_plan(mine), *list[at], std::move(ready), here, function);
  });
  return out;
}

/// Collective: the same, or nothing if some rank cannot prepare all of them, for want of a communicator or of memory; `why_not` is then what
/// it failed with. Agrees on it, too.
std::optional<binding> measured_if_possible(const rank_part& mine, candidates_to_prepare those,
                                            const rank_position& here, const char* function,
                                            const agreement& all, std::optional<call_error>& why_not) {
  agreement trial = all.about_a_part();
  try {
    binding out = measured_in_place(mine, std::move(those), here, function, trial);
    trial.agree();
    return out;
  } catch (const call_error& e) { // of all ranks
    why_not = e;
    return std::nullopt;
  }
}

} // namespace

own_functions functions_of(const rank_part& mine, const graph_builder& part) {
  own_functions out;
  out.calls = std::make_shared<graph_computations>();
  for (const auto& [global, local] : mine.computations)
    out.calls->by_operation[global] = part.computation_of(local);
  for (const auto& [global, local] : mine.reducers)
    out.reducers[global] = part.reducer_of(local);
  return out;
}

binding bind_together(rank_part& mine, function_ref<own_functions()> functions, const rank_position& here,
                      const char* function, agreement& all) {
  own_functions known;
  able_words able{};
  std::string why_not;
  std::unique_ptr<connection> ready;
  const auto look_for_drivers = [&] {
    able = able_drivers(mine, here.comm, why_not);
    if (able[0])
      ready = drivers_for(mine)[0]->offer(first_plan(mine).steps, here.comm);
  };
  all.here("choosing a driver", [&] {
    if (mine.variants.empty())
      return;
    known = functions();
    auto reducers = known.reducers;
    for (const auto& [global, reducer] : mine.others_reducers)
      reducers[global] = bind_predefined(reducer);
    for (named_program& c : mine.candidates) {
      c.steps.call = calling(known.calls);
      c.steps.reducers = reducers;
    }
    if (mine.variants.size() > 1)
      able = able_ways(mine, here.comm);
    else
      look_for_drivers();
  });
  all.agree(able);
  // From here on every rank knows its own steps.
  std::optional<binding> out;
  if (mine.variants.size() > 1) {
    candidates_to_prepare those;
    std::optional<call_error> not_measured;
    all.here("looking for candidates", [&] {
      those.list = candidates_of(mine, able);
      those.communicators.reserve(1);
    });
    all.agree();
    if (std::count(able.begin(), able.end(), std::uint64_t{1}) > 1)
      out = measured_if_possible(mine, std::move(those), here, function, all, not_measured);
    if (!out) {
      all.here("choosing a driver", [&] {
        if (not_measured) {
          mine.why = with_note(mine.why, "not measured", not_measured->what());
          mine.variants.resize(1); // nor when these steps are used again
        }
        look_for_drivers();
      });
      all.agree(able);
    }
  }
  if (!out)
    out = by_one_driver(mine, able, std::move(ready), why_not, here, function, all);
  out->functions = std::move(known);
  return *std::move(out);
}

} // namespace tacit::runtime
