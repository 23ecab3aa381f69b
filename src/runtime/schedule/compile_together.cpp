// Compiling together, in the order in which it happens: read this first.
//
// Rank 0 alone decides (E7): it gets the parts of all ranks, makes one graph of them, compiles it and tells
// every rank its steps. Between the stages every rank reports success or an error (mpi/agreement.h), so that
// a rank that fails, be it for want of memory, leaves none waiting; what is collective in a stage itself is
// tried by all ranks. Cost on rank 0: the sum of all parts; messages are linear in the number of ranks.
#include "runtime/schedule/compile_together.h"

#include "runtime/mpi/agreement.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/node_identity.h"
#include "runtime/mpi/private_communicator.h"
#include "runtime/mpi/tags.h"
#include "runtime/schedule/bound_graph.h"
#include "runtime/schedule/compile_on_root.h"
#include "runtime/schedule/computations.h"
#include "runtime/schedule/wire.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace tacit::runtime {
namespace {

rank_facts facts_of(int rank) {
  const bool attended = mpi_progresses() || only_waits_progress();
  return {node_identity(rank), find_driver("shm")->longest_in_memory(false), attended ? 1u : 0u};
}

/// Collective: the messages of all ranks at rank 0, in order. Does not agree.
std::vector<message> gather(message mine, const private_communicator& own, agreement& all) {
  std::vector<message> received;
  if (own.rank() != 0) {
    all.always("sending the graph to rank 0", [&] { send_bytes(&mine, 0, own.comm()); });
    return received;
  }
  all.here("making room for the graphs of all ranks",
           [&] { received.resize(static_cast<std::size_t>(own.size())); });
  message unwanted;
  for (int r = 1; r < own.size(); ++r)
    all.always("receiving the graphs", [&] {
      receive_bytes(received.empty() ? unwanted : received[static_cast<std::size_t>(r)], r, own.comm());
    });
  if (!received.empty())
    received[0] = std::move(mine);
  return received;
}

/// Collective: what `message_for(rank)` makes at rank 0 for each rank. Does not agree.
template <typename Make>
message scatter(const private_communicator& own, agreement& all, Make&& message_for) {
  message mine;
  if (own.rank() != 0) {
    all.always("receiving the schedule from rank 0", [&] { receive_bytes(mine, 0, own.comm()); });
    return mine;
  }
  for (int r = 1; r < own.size(); ++r) {
    message theirs;
    const bool made = all.here("making the schedules of all ranks",
                               [&] { theirs = message_for(static_cast<std::uint32_t>(r)); });
    all.always("sending the schedules", [&] { send_bytes(made ? &theirs : nullptr, r, own.comm()); });
  }
  all.here("making the schedule of rank 0", [&] { mine = message_for(0); });
  return mine;
}

/// Collective: the driver that can run everywhere, by name or by priority. `preferred`, if it can, is the first.
const driver& choose_driver(const std::string& name, const driver* preferred, const program& steps,
                            MPI_Comm comm, agreement& all) {
  std::string why;
  std::array<const driver*, driver_count + 1> in_order{preferred};
  std::copy(drivers().begin(), drivers().end(), in_order.begin() + 1);
  for (const driver* d : in_order) {
    if (!d || (!name.empty() && d->name() != name))
      continue;
    std::array<std::uint64_t, 1> able{0};
    all.here("choosing a driver", [&] {
      const std::string reason =
          name.empty() && d != preferred && !d->automatic(steps) ? "only by name" : d->can_run(steps, comm);
      able[0] = reason.empty() ? 1 : 0;
      why += fmt::format("; {}: {}", d->name(), reason.empty() ? "cannot run on another rank" : reason);
    });
    all.agree(able);
    if (able[0])
      return *d;
  }
  throw call_error(call_error::kind::environment, "no driver can run this schedule" + why, true);
}

std::function<void(op_id)> computations_of(const rank_part& mine, const graph_builder& part) {
  std::map<op_id, graph_builder::computation> table;
  for (const auto& [global, local] : mine.computations)
    table[global] = part.computation_of(local);
  return [table = std::move(table)](op_id op) {
    const running_computation scope;
    table.at(op)();
  };
}

explanation explain_on(const explanation& shared, const program& steps, const driver& by,
                       const connection* peers) {
  std::string here = summarize(steps);
  if (const std::string how = peers ? peers->describe() : std::string(); !how.empty())
    here += "; " + how;
  return explain_here(shared, by.name(), here);
}

std::unique_ptr<bound_graph> prepare(const explanation& known, program steps, const driver& chosen,
                                     std::unique_ptr<connection> peers, const private_communicator& own,
                                     const char* function) {
  explanation why = explain_on(known, steps, chosen, peers.get());
  auto run = chosen.prepare(std::move(steps), own.comm(), peers.get());
  return std::make_unique<bound_graph>(own.rank(), function, std::move(peers), std::move(run),
                                       std::move(why));
}

/// One of several ways to do what the graph means, on a communicator of its own: a run of one cannot meet a run of another.
struct candidate {
  const named_program* what;
  const driver* by;
  double predicted;
  private_communicator own;
  std::unique_ptr<connection> peers;
  std::string name() const { return fmt::format("{} ({})", what->name, by->name()); }
};

/// Collective: the ways that all ranks can go.
std::vector<candidate> possible_candidates(const rank_part& mine, MPI_Comm comm, agreement& all) {
  std::array<std::uint64_t, agreement::most_words> able{};
  const std::size_t known = std::min(mine.ways.size(), able.size());
  all.here("looking for candidates", [&] {
    for (std::size_t i = 0; i < known; ++i) {
      const driver* const d = find_driver(mine.ways[i].driver);
      able[i] = d && d->can_run(mine.candidates[mine.ways[i].candidate].steps, comm).empty() ? 1 : 0;
    }
  });
  all.agree(able);
  std::vector<candidate> out;
  for (std::size_t i = 0; i < known; ++i)
    if (const program_way& w = mine.ways[i]; able[i])
      out.push_back({&mine.candidates[w.candidate], find_driver(w.driver), w.predicted, {}, nullptr});
  return out;
}

/// Collective: all of them prepared, to be measured in place.
std::unique_ptr<schedule> measured_in_place(const rank_part& mine, std::vector<candidate> list,
                                            private_communicator own, const char* function, agreement& all) {
  for (candidate& c : list) {
    all.always("making a communicator", [&] { c.own = private_communicator::like(own.comm()); });
    all.agree();
    all.here("preparing to connect", [&] { c.peers = c.by->offer(c.what->steps, c.own.comm()); });
    all.agree();
    all.always("connecting", [&] {
      if (c.peers)
        c.peers->create();
    });
    all.agree();
  }
  std::vector<private_communicator> communicators; // outlive what runs on them
  std::unique_ptr<schedule> made;
  bound_graph* bound = nullptr; // in `made`
  all.here("preparing the schedule", [&] {
    std::vector<tuned_candidate> prepared;
    std::vector<explanation> why;
    for (candidate& c : list) {
      why.push_back(explain_on(mine.why, c.what->steps, *c.by, c.peers.get()));
      auto run = c.by->prepare(c.what->steps, c.own.comm(), c.peers.get());
      prepared.push_back({c.name(), std::move(c.peers), std::move(run),
                          c.predicted < 0 ? -1 : c.predicted * 1e-9, c.what->name == graphs::written_name});
      communicators.push_back(std::move(c.own));
    }
    auto run = std::make_unique<tuned_run>(std::move(prepared), own.comm());
    auto plan = std::make_unique<bound_graph>(own.rank(), function, std::move(run), std::move(why));
    bound = plan.get();
    made = std::make_unique<schedule>(std::move(plan));
  });
  all.agree();
  // From here on every rank can start.
  bound->take(std::move(communicators));
  bound->take(std::move(own));
  return made;
}

} // namespace

std::unique_ptr<schedule> compile_together(const graph_builder& part, const char* function,
                                           function_ref<compile_request()> arguments) {
  if (part.comm() == MPI_COMM_NULL)
    throw call_error(
        call_error::kind::argument,
        fmt::format("rank {}: {}: the graph's communicator has been freed; free it after the graph has "
                    "been compiled",
                    part.rank(), function),
        true);
  auto own = private_communicator::like(part.comm()); // E6
  agreement all(own.comm(), own.rank(), own.size(), function);

  compile_request wanted;
  message bytes;
  all.here("reading its arguments", [&] {
    wanted = arguments();
    bytes = packed_graph(facts_of(own.rank()), part.values());
  });
  all.agree();
  // From here on every rank has a part without errors of its own.
  std::vector<message> parts = gather(std::move(bytes), own, all);
  std::optional<compiled_graph> compiled;
  all.here("compiling the graph", [&] {
    if (own.rank() == 0)
      compiled = compile_parts(std::move(parts), wanted);
  });
  all.agree();
  // From here on rank 0 knows what every rank shall do.
  bytes = scatter(own, all, [&](std::uint32_t r) { return packed_part(part_of(*compiled, r)); });
  all.agree();
  compiled.reset();
  rank_part mine;
  all.here("reading the schedule", [&] {
    mine = unpacked_part(bytes);
    const auto call = computations_of(mine, part);
    for (named_program& c : mine.candidates)
      c.steps.call = call;
  });
  all.agree();
  // From here on every rank knows its own steps.
  if (mine.ways.size() > 1)
    if (auto list = possible_candidates(mine, own.comm(), all); list.size() > 1)
      return measured_in_place(mine, std::move(list), std::move(own), function, all);
  const program& steps = mine.candidates[mine.ways.front().candidate].steps;
  const driver& chosen =
      choose_driver(mine.driver, find_driver(mine.ways.front().driver), steps, own.comm(), all);
  std::unique_ptr<connection> peers;
  all.here("preparing to connect", [&] { peers = chosen.offer(steps, own.comm()); });
  all.agree();
  all.always("connecting", [&] {
    if (peers)
      peers->create();
  });
  all.agree();
  // From here on the ranks are connected.
  std::unique_ptr<schedule> made;
  bound_graph* bound = nullptr; // in `made`
  all.here("preparing the schedule", [&] {
    auto plan = prepare(mine.why, steps, chosen, std::move(peers), own, function);
    bound = plan.get();
    made = std::make_unique<schedule>(std::move(plan));
  });
  all.agree();
  // From here on every rank can start.
  bound->take(std::move(own));
  return made;
}

} // namespace tacit::runtime
