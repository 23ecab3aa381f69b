// Compiling together, in the order in which it happens: read this first.
//
// A graph that was compiled on this communicator before is not compiled again (kept_graphs.h). For others rank 0 alone decides (E7): it
// gets the parts of all ranks, makes one graph of them, compiles it and tells every rank its steps. Every rank reports success or an
// error (mpi/agreement.h) three times: before anything is done together, before the ranks connect, and when all is prepared. So a rank
// that fails, be it for want of memory, leaves none waiting; what is collective in between is tried by all ranks, and a rank that
// lacks what another one has failed to give does nothing until then. Cost on rank 0: the sum of all parts; it receives and sends log2 p
// messages.
#include "runtime/schedule/compile_together.h"

#include "runtime/mpi/agreement.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/node_identity.h"
#include "runtime/mpi/packer.h"
#include "runtime/mpi/private_communicator.h"
#include "runtime/schedule/bound_graph.h"
#include "runtime/schedule/compile_in_parts.h"
#include "runtime/schedule/compile_on_root.h"
#include "runtime/schedule/computations.h"
#include "runtime/schedule/kept_graphs.h"
#include "runtime/schedule/measured_before.h"
#include "runtime/schedule/wire.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace tacit::runtime {
namespace {

rank_facts facts_of(int rank) {
  const bool attended = mpi_progresses() || only_waits_progress();
  return {node_identity(rank), find_driver("shm")->longest_in_memory(false), attended ? 1u : 0u};
}

/// Up to so many ranks send to rank 0 themselves: more of them through a tree, so that rank 0 receives log2 p messages.
constexpr int few_ranks = 8;

/// This rank's message and those of the ranks behind it in the tree, in order, as lists.
class bundle {
public:
  void add(const message& one) { bytes_.put_list(one); }
  void add_bundle(const message& more) { bytes_.put_bytes(more); }
  message take() { return bytes_.take(); }
  static std::vector<message> opened(const message& all, int count) {
    std::vector<message> out;
    unpacker from(all);
    for (int i = 0; i < count; ++i)
      out.push_back(from.get_list<std::byte>());
    return out;
  }

private:
  packer bytes_;
};

/// The messages of ranks r … r + reach - 1 come together on rank r, with reach 1, 2, 4 … Empty if some rank has failed.
message gather_by_tree(message mine, const kept_graphs& own, agreement& all) {
  bundle so_far;
  all.here("packing the graph", [&] {
    so_far.add(mine);
    message().swap(mine);
  });
  bool lacks = false;
  for (int reach = 1; reach < own.size(); reach *= 2) {
    if (own.rank() % (2 * reach) != 0) {
      const message bytes = so_far.take();
      all.always("sending the graphs towards rank 0", [&] {
        send_bytes(lacks || all.failed() ? nullptr : &bytes, own.rank() - reach, own.comm());
      });
      return {};
    }
    if (own.rank() + reach >= own.size())
      continue;
    message more;
    all.always("receiving graphs", [&] { receive_bytes(more, own.rank() + reach, own.comm()); });
    lacks = lacks || more.empty();
    all.here("making room for the graphs of all ranks", [&] { so_far.add_bundle(more); });
  }
  return lacks || all.failed() ? message() : so_far.take();
}

/// Collective: the messages of all ranks at rank 0, in order; none if some rank has failed. Does not agree.
std::vector<message> gather(message mine, const kept_graphs& own, agreement& all) {
  std::vector<message> received;
  if (own.size() > few_ranks) {
    const message bytes = gather_by_tree(std::move(mine), own, all);
    if (own.rank() == 0 && !bytes.empty())
      all.here("opening the graphs of all ranks", [&] { received = bundle::opened(bytes, own.size()); });
    return received;
  }
  if (own.rank() != 0) {
    all.always("sending the graph to rank 0",
               [&] { send_bytes(all.failed() ? nullptr : &mine, 0, own.comm()); });
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
  if (std::any_of(received.begin(), received.end(), [](const message& m) { return m.empty(); }))
    received.clear();
  return received;
}

/// What ranks `begin` … `end` - 1 get of a list that begins with the explanation, which all get, and what rank `first` gets.
message bundle_of(const std::vector<message>& list, int first, int begin, int end) {
  bundle out;
  out.add(list.front());
  for (int r = begin; r < end; ++r)
    out.add(list[static_cast<std::size_t>(1 + r - first)]);
  return out.take();
}

/// The list of ranks r … r + reach - 1 comes to rank r, which passes half of it on, then a quarter, and so on. `list` is that of rank 0;
/// empty: all ranks get nothing.
std::vector<message> scatter_by_tree(std::vector<message> list, const kept_graphs& own, agreement& all) {
  const int rank = own.rank(), size = own.size();
  int reach = 1; // ranks from this one on whose part of the list comes here
  while (reach < size && rank % (2 * reach) == 0)
    reach *= 2;
  if (rank != 0) {
    message bytes;
    all.always("receiving the schedule", [&] { receive_bytes(bytes, rank - reach, own.comm()); });
    if (!bytes.empty())
      all.here("opening schedules",
               [&] { list = bundle::opened(bytes, 1 + std::min(size, rank + reach) - rank); });
  }
  for (reach /= 2; reach > 0; reach /= 2) {
    if (rank + reach >= size)
      continue;
    message bytes;
    if (!list.empty())
      all.here("passing schedules on",
               [&] { bytes = bundle_of(list, rank, rank + reach, std::min(size, rank + 2 * reach)); });
    all.always("passing schedules on",
               [&] { send_bytes(bytes.empty() ? nullptr : &bytes, rank + reach, own.comm()); });
  }
  return list;
}

/// Collective: the explanation, and what each rank shall do. Does not agree; empty if this rank gets nothing.
std::vector<message> scatter(const kept_graphs& own, agreement& all,
                             const std::optional<compiled_graph>& compiled) {
  std::vector<message> list;
  if (compiled)
    all.here("making the schedules of all ranks", [&] {
      std::vector<message> made{packed_explanation(compiled->why)};
      for (int r = 0; r < own.size(); ++r)
        made.push_back(packed_part(part_of(*compiled, static_cast<std::uint32_t>(r))));
      list = std::move(made);
    });
  return scatter_by_tree(std::move(list), own, all);
}

/// Collective: what of the parts is known to all, and whether all ranks look into them together.
parts_answer agree_with(const kept_graphs& kept, kept_graphs::lookup& found, const parts_question& mine,
                        agreement& all) {
  const std::size_t before = kept.words_of(found).size();
  const std::span<std::uint64_t> words = std::span(found.words).first(before + parts_question::words);
  words[before] = mine.wanted;
  words[before + 1] = mine.refused;
  words[before + 2] = mine.all_but_size;
  words[before + 3] = mine.undeclared;
  all.agree(words);
  return answer_of(words.subspan(before));
}

/// Collective: this rank's part of what rank 0 makes of the parts of all by `compile`. Does not agree; without variants if this rank gets
/// nothing.
rank_part compiled_on_rank_0(const rank_facts& facts, const local_graph& part, const kept_graphs& own,
                             agreement& all,
                             function_ref<std::optional<compiled_graph>(std::vector<message>)> compile) {
  message bytes;
  all.here("packing the graph", [&] { bytes = packed_graph(facts, part); });
  std::vector<message> parts = gather(std::move(bytes), own, all);
  std::optional<compiled_graph> compiled;
  all.here("compiling the graph", [&] {
    if (!parts.empty())
      compiled = compile(std::move(parts));
  });
  const std::vector<message> told = scatter(own, all, compiled);
  compiled.reset();
  rank_part mine;
  all.here("reading the schedule", [&] {
    if (told.empty())
      return;
    rank_part read = unpacked_part(told[1]);
    read.why = unpacked_explanation(told[0]);
    mine = std::move(read);
  });
  return mine;
}

std::shared_ptr<graph_computations> computations_of(const rank_part& mine, const graph_builder& part) {
  auto table = std::make_shared<graph_computations>();
  for (const auto& [global, local] : mine.computations)
    table->by_operation[global] = part.computation_of(local);
  return table;
}

/// As they are when it is called.
std::function<void(op_id)> calling(std::shared_ptr<const graph_computations> table) {
  return [table = std::move(table)](op_id op) {
    const running_computation scope;
    table->by_operation.at(op)();
  };
}

/// All but the graph that the compiler looks at: equal for graphs of which one may be used for the other.
message circumstances(int rank, const rank_facts& facts, const compile_request& wanted,
                      const graph_builder& part) {
  packer out;
  out.put(facts);
  out.put_list(part.reducer_identities());
  for (const setting each : {setting::shm, setting::rma_model, setting::progress, setting::message_cost})
    out.put_text(std::string(given(each)));
  if (rank == 0) // whose options count
    out.put_list(packed_request(wanted));
  return out.take();
}

std::map<graphs::reducer_id, bound_reducer> reducers_of(const rank_part& mine, const graph_builder& part) {
  std::map<graphs::reducer_id, bound_reducer> table;
  for (const auto& [global, local] : mine.reducers)
    table[global] = part.reducer_of(local);
  for (const auto& [global, reducer] : mine.others_reducers)
    table[global] = bind_predefined(reducer);
  return table;
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

/// A graph that is bound to drivers on this rank.
struct binding {
  std::unique_ptr<bound_graph> plan;
  std::vector<private_communicator> of_candidates; ///< for `plan`
  std::shared_ptr<graph_computations> calls;
};

/// What ranks say in the agreement before they connect: which variants they can run, or which drivers they can use.
using able_words = std::array<std::uint64_t, agreement::most_words>;

/// In the order in which they are tried; null ones are not.
using driver_list = std::array<const driver*, driver_count + 1>;

driver_list drivers_for(const rank_part& mine) {
  driver_list out{find_driver(mine.variants.front().driver)};
  std::copy(drivers().begin(), drivers().end(), out.begin() + 1);
  for (const driver*& d : out)
    if (d && !mine.driver.empty() && d->name() != mine.driver)
      d = nullptr;
  return out;
}

const program& first_steps(const rank_part& mine) {
  return mine.candidates[mine.variants.front().candidate].steps;
}

/// The drivers that can run the first variant here; why the others cannot is added to `why`.
able_words able_drivers(const rank_part& mine, MPI_Comm comm, std::string& why) {
  able_words out{};
  const driver_list list = drivers_for(mine);
  const program& steps = first_steps(mine);
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

/// One of several variants of what the graph means, on a communicator of its own: a run of one cannot meet a run of another.
struct candidate {
  const named_program* what;
  const driver* by;
  double predicted;
  private_communicator own;
  std::unique_ptr<connection> peers;
  std::string name() const { return name_of_variant(what->name, by->name()); }
};

std::vector<candidate> candidates_of(const rank_part& mine, const able_words& able) {
  std::vector<candidate> out;
  for (std::size_t i = 0; i < std::min(mine.variants.size(), able.size()); ++i)
    if (const program_variant& w = mine.variants[i]; able[i])
      out.push_back({&mine.candidates[w.candidate], find_driver(w.driver), w.predicted, {}, nullptr});
  return out;
}

/// Collective: all of them prepared, to be measured in place. Does not agree in the end.
binding measured_in_place(const rank_part& mine, std::vector<candidate> list, const private_communicator& own,
                          const char* function, agreement& all) {
  for (candidate& c : list) {
    all.always("making a communicator", [&] { c.own = private_communicator::like(own.comm()); });
    all.here("preparing to connect", [&] { c.peers = c.by->offer(c.what->steps, c.own.comm()); });
    all.agree();
    all.always("connecting", [&] {
      if (c.peers)
        c.peers->create();
    });
    all.agree();
  }
  binding out; // its communicators outlive what runs on them
  all.here("preparing the schedule", [&] {
    std::vector<tuned_candidate> prepared;
    std::vector<explanation> why;
    for (candidate& c : list) {
      why.push_back(explain_on(mine.why, c.what->steps, *c.by, c.peers.get()));
      auto run = c.by->prepare(c.what->steps, c.own.comm(), c.peers.get());
      prepared.push_back({c.name(), std::move(c.peers), std::move(run),
                          c.predicted < 0 ? -1 : c.predicted * 1e-9, c.what->name == graphs::written_name});
      out.of_candidates.push_back(std::move(c.own));
    }
    auto run = std::make_unique<tuned_run>(std::move(prepared), own.comm());
    if (!mine.measured_as.graph.empty())
      run->when_decided([as = mine.measured_as](const tuned_run& t) { return keep_measured(as, t); });
    out.plan = std::make_unique<bound_graph>(own.rank(), function, std::move(run), std::move(why));
  });
  return out;
}

/// Collective: by the first driver that all ranks can use. `ready` is what the first of the list has offered here. Does not agree in the
/// end.
binding by_one_driver(const rank_part& mine, const able_words& able, std::unique_ptr<connection> ready,
                      const std::string& why_not, const private_communicator& own, const char* function,
                      agreement& all) {
  const driver_list list = drivers_for(mine);
  std::size_t at = 0;
  while (at < list.size() && !able[at])
    ++at;
  if (at == list.size())
    throw call_error(call_error::kind::environment, "no driver can run this schedule" + why_not, true);
  const program& steps = first_steps(mine);
  if (at > 0) { // else all have offered
    all.here("preparing to connect", [&] { ready = list[at]->offer(steps, own.comm()); });
    all.agree();
  }
  all.always("connecting", [&] {
    if (ready)
      ready->create();
  });
  binding out;
  all.here("preparing the schedule",
           [&] { out.plan = prepare(mine.why, steps, *list[at], std::move(ready), own, function); });
  return out;
}

/// Collective: the schedule of this rank, connected. Agrees on all that was done before, but not on its own last step. `mine` has no
/// variants on ranks to which others, which have failed, had nothing to tell.
binding bind_together(rank_part& mine, const graph_builder& part, const private_communicator& own,
                      const char* function, agreement& all) {
  std::shared_ptr<graph_computations> calls;
  able_words able{};
  std::string why_not;
  std::unique_ptr<connection> ready;
  const auto look_for_drivers = [&] {
    able = able_drivers(mine, own.comm(), why_not);
    if (able[0])
      ready = drivers_for(mine)[0]->offer(first_steps(mine), own.comm());
  };
  all.here("choosing a driver", [&] {
    if (mine.variants.empty())
      return;
    calls = computations_of(mine, part);
    for (named_program& c : mine.candidates) {
      c.steps.call = calling(calls);
      c.steps.reducers = reducers_of(mine, part);
    }
    if (mine.variants.size() > 1)
      able = able_ways(mine, own.comm());
    else
      look_for_drivers();
  });
  all.agree(able);
  // From here on every rank knows its own steps.
  binding out;
  std::vector<candidate> list;
  if (mine.variants.size() > 1) {
    all.here("looking for candidates", [&] { list = candidates_of(mine, able); });
    if (std::count(able.begin(), able.end(), std::uint64_t{1}) < 2) {
      all.here("choosing a driver", look_for_drivers);
      all.agree(able);
      list.clear();
    } else {
      all.agree();
    }
  }
  out = list.empty() ? by_one_driver(mine, able, std::move(ready), why_not, own, function, all)
                     : measured_in_place(mine, std::move(list), own, function, all);
  out.calls = std::move(calls);
  return out;
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
  const std::shared_ptr<kept_graphs> kept = kept_graphs::of_all(part.comm(), function);
  agreement all(kept->comm(), kept->rank(), kept->size(), function);

  compile_request wanted;
  rank_facts facts;
  kept_graphs::lookup found;
  parts_question question;
  all.here("reading its arguments", [&] {
    wanted = arguments();
    facts = facts_of(kept->rank());
    found = kept->look(circumstances(kept->rank(), facts, wanted, part), part, wanted);
    question = parts_question::of(kept->rank(), kept->size(), wanted, part.values());
  });
  parts_answer in_parts = agree_with(*kept, found, question, all);
  // From here on every rank has a part without errors of its own, and all know what they have of it.
  if (std::unique_ptr<schedule> again = kept->lend(found))
    return again;
  rank_part mine;
  std::string note;
  std::optional<std::size_t> same;
  if (kept->may_have_moved(found)) {
    all.here("comparing buffers", [&] { kept->compare_places(found, part); });
    all.agree(kept->words_of(found));
    same = kept->known(found);
  }
  if (same)
    all.here("moving the schedule", [&] {
      mine = kept->steps_of(*same, found, part);
      note = "an equal graph was compiled before on this communicator; its steps are used";
    });
  kept_graphs::room room = kept->make_room(found, same);
  private_communicator own = std::move(room.own); // E6
  std::optional<duplicate_under_way> duplicate;
  if (own.comm() == MPI_COMM_NULL)
    all.always("making a communicator", [&] { duplicate.emplace(part.comm()); });
  if (!same && in_parts.why == graphs::part_refusal::none)
    all.always("compiling in parts", [&] {
      const auto by_one = [&](const local_graph& remaining, const graph_size& whole) {
        return compiled_on_rank_0(facts, remaining, *kept, all, [&](std::vector<message> parts) {
          return compile_remaining(std::move(parts), wanted, whole);
        });
      };
      mine = compiled_in_parts(facts, part.values(), wanted, {kept->rank(), kept->size(), kept->comm()},
                               by_one, in_parts);
    });
  if (!same && in_parts.why != graphs::part_refusal::none) {
    mine = compiled_on_rank_0(facts, part.values(), *kept, all, [&](std::vector<message> parts) {
      return std::optional(compile_parts(std::move(parts), wanted));
    });
    if (const std::string words = in_parts.words(); !words.empty() && !mine.variants.empty())
      all.here("explaining", [&] { mine.why = with_note(mine.why, "analysis", words); });
  }
  if (duplicate)
    all.always("making a communicator", [&] { own = duplicate->finish(); });
  duplicate.reset();
  binding bound = bind_together(mine, part, own, function, all);

  std::shared_ptr<kept_plan> plan;
  std::unique_ptr<schedule> made;
  lent_graph* lent = nullptr; // in `made`
  kept_graphs::entry entry;
  std::array<std::uint64_t, 2> words{};
  all.here("keeping the schedule", [&] {
    if (room.keep) {
      entry = kept_graphs::make_entry(found, part, std::move(mine));
      words = kept_graphs::words_of(entry);
    }
    plan = std::make_shared<kept_plan>(std::move(bound.plan), bound.calls);
    auto handle = std::make_unique<lent_graph>(plan, note);
    lent = handle.get();
    made = std::make_unique<schedule>(std::move(handle));
  });
  all.agree(words);
  // From here on every rank can start.
  lent->hold();
  plan->plan().take(std::move(bound.of_candidates));
  plan->plan().take(std::move(own));
  entry.made = plan;
  if (!room.keep || !kept->keep(room, std::move(entry), words))
    plan->let_go();
  return made;
}

} // namespace tacit::runtime
