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
#include "runtime/schedule/background_run.h"
#include "runtime/schedule/binding.h"
#include "runtime/schedule/by_tree.h"
#include "runtime/schedule/compile_in_parts.h"
#include "runtime/schedule/compile_on_root.h"
#include "runtime/schedule/compile_runs.h"
#include "runtime/schedule/kept_graphs.h"
#include "runtime/schedule/known_machine.h"
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
  return {node_identity(rank), find_driver("shm")->longest_in_memory(false), attended ? 1u : 0u,
          known_cache()};
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

/// This rank's part of what came to it from rank 0; without variants if that is nothing.
rank_part part_told(const std::vector<message>& told, const local_graph& part) {
  rank_part mine;
  if (told.empty())
    return mine;
  told_part what = unpacked_part(told[1]);
  if (const auto* const collective = std::get_if<told_collective>(&what))
    mine = part_of_collective(*collective, part);
  else
    mine = std::get<rank_part>(std::move(what));
  mine.why = unpacked_explanation(told[0]);
  return mine;
}

/// Collective: this rank's part of what rank 0 makes of the parts of all by `compile`, which returns what scatter_by_tree takes. Does not
/// agree; without variants if this rank gets nothing.
rank_part compiled_on_rank_0(const rank_facts& facts, const local_graph& part, const rank_position& here,
                             agreement& all,
                             function_ref<std::vector<message>(std::vector<message>)> compile) {
  message bytes;
  all.here("packing the graph", [&] { bytes = packed_graph(facts, part); });
  std::vector<message> parts = gather_by_tree(std::move(bytes), here, all);
  std::vector<message> list;
  all.here("compiling the graph", [&] {
    if (!parts.empty())
      list = compile(std::move(parts));
  });
  const std::vector<message> told = scatter_by_tree(std::move(list), here, all);
  rank_part mine;
  all.here("reading the schedule", [&] { mine = part_told(told, part); });
  return mine;
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

/// Collective, in a start of a run: what rank 0 has found out takes the place of the graph as written, on the same communicators.
std::unique_ptr<bound_graph> bind_what_was_found(std::vector<message> found, const own_functions& functions,
                                                 const rank_position& here, const char* function) {
  agreement all(here.comm, here.rank, here.size, function);
  const std::vector<message> told = scatter_by_tree(std::move(found), here, all);
  rank_part mine;
  all.here("reading the schedule",
           [&] { mine = part_told(told, {}); }); // never as a collective: `told_to_all`
  binding bound = bind_together(mine, [&] { return functions; }, here, function, all);
  all.agree();
  bound.plan->take(std::move(bound.of_candidates));
  return std::move(bound.plan);
}

/// Collective: the graph as written, on a communicator of its own, until what it means is known: `found_out` by a thread of rank 0, empty on
/// others. Agrees on all that was done before, but not on its own last step.
binding bind_meanwhile(rank_part& mine, const graph_builder& part, const rank_position& here,
                       const char* function, agreement& all, background_analysis::work found_out) {
  all.agree();
  private_communicator own;
  all.always("making a communicator", [&] { own = private_communicator::like(here.comm); });
  binding bound = bind_together(
      mine, [&] { return functions_of(mine, part); }, {here.rank, here.size, own.comm()}, function, all);
  binding out;
  out.functions = bound.functions;
  all.here("preparing the analysis", [&] {
    auto analysis = found_out ? std::make_unique<background_analysis>(std::move(found_out)) : nullptr;
    bound.plan->take(std::move(bound.of_candidates));
    auto run = std::make_unique<background_run>(
        std::move(bound.plan), std::move(analysis),
        [here, function, functions = bound.functions](std::vector<message> found) {
          return bind_what_was_found(std::move(found), functions, here, function);
        },
        here.comm);
    out.plan = std::make_unique<background_graph>(here.rank, function, std::move(run));
    out.of_candidates.push_back(std::move(own));
  });
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
  const rank_position meeting{kept->rank(), kept->size(), kept->comm()};
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
  if (!same && !in_parts.in_background && in_parts.why == graphs::part_refusal::none)
    all.always("compiling in parts", [&] {
      const auto by_one = [&](const local_graph& remaining, const graph_size& whole) {
        return compiled_on_rank_0(facts, remaining, meeting, all, [&](std::vector<message> parts) {
          const auto compiled = compile_remaining(std::move(parts), wanted, whole);
          return compiled ? told_to_all(*compiled) : std::vector<message>();
        });
      };
      mine = compiled_in_parts(facts, part.values(), wanted, meeting, by_one, in_parts);
    });
  const bool meanwhile = !same && in_parts.in_background;
  background_analysis::work find_out;
  if (!same && (meanwhile || in_parts.why != graphs::part_refusal::none)) {
    mine = compiled_on_rank_0(facts, part.values(), meeting, all, [&](std::vector<message> parts) {
      if (!meanwhile)
        return compile_and_tell(std::move(parts), wanted);
      auto graph = std::make_shared<checked_graph>(check_parts(std::move(parts), wanted));
      std::vector<message> told = told_meanwhile(*graph);
      find_out = [graph](const std::function<void()>& go_on) {
        return told_to_all(find_meaning(std::move(*graph), go_on));
      };
      return told;
    });
    if (const std::string words = in_parts.words(); !words.empty() && !mine.variants.empty())
      all.here("explaining", [&] { mine.why = with_note(mine.why, "analysis", words); });
  }
  if (duplicate)
    all.always("making a communicator", [&] { own = duplicate->finish(); });
  duplicate.reset();
  const rank_position here{kept->rank(), kept->size(), own.comm()};
  binding bound = meanwhile
                      ? bind_meanwhile(mine, part, here, function, all, std::move(find_out))
                      : bind_together(mine, [&] { return functions_of(mine, part); }, here, function, all);
  if (meanwhile)
    room.keep = false; // its steps are not those that it ends with

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
    plan = std::make_shared<kept_plan>(std::move(bound.plan), bound.functions.calls);
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
