// Preparing an operation together, in the order in which it happens: read `prepare`, at the end, first.
//
// Any rank may fail in any step; it still does what others wait for, and in the next agreement all ranks
// throw its error (agreement.h). It may fail for lack of memory, so what others wait for needs none: local
// work, which may need memory, stands in `here`; what travels has its memory before the agreement that says
// so; and whatever decides which way all ranks go is made of values of fixed size.
//
// Cost: one message per neighbor and three or four reductions of a few words, once per communicator five more
// and a broadcast; where a rank has 16 or more short messages an allgather of 24 bytes per rank, a message to
// each member of a tree, and two reductions; with several nodes two messages between any two ranks of a node,
// and three reductions.
#include "runtime/exchange/prepare.h"

#include "runtime/exchange/check_together.h"
#include "runtime/exchange/connect.h"
#include "runtime/exchange/local_plan.h"
#include "runtime/exchange/native_call.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/exchange/offers.h"
#include "runtime/exchange/spread.h"
#include "runtime/mpi/agreement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

namespace tacit::runtime {
namespace {

using neighbors::grouping;

/// What is asked of this rank.
struct local_request {
  neighbor_options options;
  neighbors::neighbor_blocks blocks;
  std::optional<graphs::machine_costs> costs; ///< as the user says, or as the model does; needs memory
};

/// The options of the communicator, but for the level: by its nature a persistent operation keeps its
/// buffers.
neighbor_options options_of_operation(const exchange_request& request) {
  neighbor_options out = request.options;
  if (request.info) {
    out.level = persistence::unsaid;
    out = read_neighbor_options(*request.info, out);
  }
  if (request.forced) {
    out.driver = request.forced->driver;
    out.blocks = request.forced->blocks;
  }
  limit_to_level(out.passes, out.level);
  if (out.driver.empty() && !out.passes.regions)
    out.driver = "p2p";
  if (out.unattended) // their steps wait for each other
    out.passes.combine = out.passes.tree = out.passes.aggregate = false;
  return out;
}

local_request read_request(const exchange_site& site, const exchange_request& request) {
  local_request out;
  out.options = options_of_operation(request);
  call_signature checked;
  describe_call(request.call, *site.edges, checked);
  out.blocks = blocks_of(request.call, *site.edges);
  out.costs = out.options.cost ? graphs::costs_of(*out.options.cost) : site.model->costs;
  return out;
}

/// Both ends of every edge agree afterwards, unless some rank has an error of its own.
void agree_on_sizes(const exchange_site& site, const neighbors::neighbor_blocks& blocks, int tag,
                    agreement& all) {
  site.sizes->put(blocks);
  all.always([&] { site.sizes->exchange(tag, site.comm); });
  all.here([&] { site.sizes->compare(*site.edges); });
}

/// What only all ranks together know of their offers; the same on all of them.
struct agreed_offers {
  variant_prices prices;
  possible_variants possible;
  std::uint64_t busiest = 0; ///< the most short messages that any rank sends or receives
};

agreed_offers agree_on_offers(const exchange_site& site, const neighbor_options& options,
                              const exchange_offer& offer, agreement& all) {
  const std::uint64_t mine = word_of(options);
  constexpr std::size_t first_price = 6;
  // The largest load is the complement of the least complement.
  std::array<std::uint64_t, first_price + std::tuple_size_v<decltype(offer.prices.words)>> words{
      mine,
      ~mine,
      offer.combining,
      ~offer.combining,
      ~offer.busiest,
      offer.why_no_native_call.empty() ? 1u : 0u};
  std::copy(offer.prices.words.begin(), offer.prices.words.end(), words.begin() + first_price);
  all.agree(words);
  if (words[0] != ~words[1]) {
    all.here([] { throw neighbor_error(neighbor_error::kind::environment, info_keys_differ); });
    all.agree();
  }
  agreed_offers out;
  const bool combinable = words[2] != 0 && words[2] == ~words[3];
  out.possible.groupings = {options.passes.coalesce, has_direct_plan(site, options.passes), combinable};
  out.possible.native_call = words[5] != 0;
  out.busiest = ~words[4];
  std::copy(words.begin() + first_price, words.end(), out.prices.words.begin());
  return out;
}

/// For people: what became of MPI's native call. `why_not`: of this rank.
std::string native_call_remark(const agreed_variants& variants, const std::string& why_not, bool possible,
                               const graphs::selftest_verdict& verdict) {
  if (!why_not.empty())
    return fmt::format("mpi, the library's native call, is not possible: {}\n", why_not);
  if (!possible)
    return "mpi, the library's native call, is not possible: another rank, whose explanation says why, "
           "cannot\n";
  return fmt::format("mpi, the library's native call, is right by {}{}\n", verdict.origin,
                     variants.is_native_call()
                         ? ""
                         : "; it has no price, so it is taken only by name or after a trial at run time");
}

/// The plan of the chosen variant before others help with it.
graphs::rank_plan plan_alone(const exchange_site& site, const local_request& mine, exchange_offer offer,
                             grouping chosen) {
  switch (chosen) {
  case grouping::coalesced:
    return std::move(offer.coalesced);
  case grouping::combined:
    return std::move(offer.combined);
  case grouping::direct:
    break;
  }
  neighbors::neighbor_passes passes = mine.options.passes;
  passes.coalesce = false;
  return local_plan(site, mine.blocks, passes, true);
}

std::string order_remark(const exchange_site& site, const neighbors::neighbor_passes& passes) {
  if (!passes.order)
    return {};
  return passes.color ? std::string(site.order) : "posted by distance";
}

/// In check mode: the plan, unless it turns out to be wrong; then a message per edge, by messages of MPI.
void check_plan(const exchange_site& site, const exchange_request& request, const local_request& mine,
                graphs::rank_plan& plan, exchange_report& said, agreement& all) {
  const checked_together found =
      check_together(site, request.call.function, mine.blocks, plan, request.first_tag, all);
  all.here([&] { add_line(said.remarks, found.remark()); });
  if (found.plan_fault.empty())
    return;
  all.here([&] { plan = plain_plan(site, mine.blocks); });
  const bool dry = said.variants.chosen().driver == "dry";
  said.variants.list.clear(); // has room for one more
  said.variants.list.push_back({grouping::direct, dry ? "dry" : "p2p", -1});
  said.variants.taken = 0;
}

/// The chosen plan as this rank's program.
program plan_together(const exchange_site& site, const exchange_request& request, const local_request& mine,
                      exchange_offer offer, const agreed_offers& agreed, exchange_report& said,
                      agreement& all) {
  const grouping chosen = said.variants.chosen().blocks;
  const neighbors::neighbor_passes& passes = mine.options.passes;
  graphs::rank_plan plan;
  all.here([&] {
    plan = plan_alone(site, mine, std::move(offer), chosen);
    add_line(said.remarks, chosen == grouping::combined ? "combined: blocks travel dimension by dimension"
                                                        : order_remark(site, passes));
  });
  if (chosen == grouping::coalesced) {
    const std::string lines =
        spread(plan, site, passes, mine.costs->messages, agreed.busiest, request.first_tag, all);
    all.here([&] { add_line(said.remarks, lines); });
  }
  if (mine.options.check)
    check_plan(site, request, mine, plan, said, all);
  program out;
  all.here([&] {
    out = program_of(std::move(plan), site.rank, request.first_tag, mine.options.unattended);
    out.canary = passes.canary;
    out.fixed_buffers = passes.place && request.info;
  });
  return out;
}

/// Feedback would need progress while ranks wait in MPI's own calls.
bool has_no_feedback(const neighbor_options& options) {
  return options.unattended && options.feedback != 0;
}

/// For people, once the variant is known.
void remark_choice(const exchange_site& site, const local_request& mine,
                   const std::string& why_no_native_call, const agreed_offers& agreed,
                   exchange_report& said) {
  said.native_call = native_call_remark(said.variants, why_no_native_call, agreed.possible.native_call,
                                        site.model->native_calls);
  said.model = mine.options.cost ? "as tacit_message_cost says" : site.model->origin;
  if (has_no_feedback(mine.options))
    add_line(said.remarks, "no feedback: it needs progress while ranks wait in MPI's own calls; "
                           "TACIT_PROGRESS=waits says that they never do");
}

} // namespace

std::string exchange_report::variant() const {
  return neighbors::name(
      {variants.list.empty() ? grouping::coalesced : variants.chosen().blocks, driver, -1});
}

std::string exchange_report::text() const {
  std::string text = remarks.empty() ? "" : remarks + "\n";
  if (!variants.list.empty())
    text += fmt::format("{}\nmachine model: {}\n{}", neighbors::reason_for(variants.list, variants.taken),
                        model, native_call);
  return text;
}

prepared_exchange prepare(const exchange_site& site, const exchange_request& request) {
  agreement all(site.comm, site.rank, site.size, request.call.function);
  local_request mine;
  exchange_offer offer;
  prepared_exchange out;
  exchange_report& said = out.report;

  all.here([&] { mine = read_request(site, request); });
  agree_on_sizes(site, mine.blocks, request.first_tag, all);
  all.here([&] {
    offer = offer_plans(site, request.call, mine.blocks, mine.options, *mine.costs);
    said.variants.make_room();
  });
  const agreed_offers agreed = agree_on_offers(site, mine.options, offer, all);
  // From here on both ends of every edge agree, and whatever follows from what is agreed all ranks do alike.
  choose_variant(agreed.prices, mine.options, agreed.possible, said.variants);
  out.feedback = has_no_feedback(mine.options) ? 0 : mine.options.feedback;
  all.here([&] { remark_choice(site, mine, offer.why_no_native_call, agreed, said); });
  // From here on it is known which variant runs. The native call has no plan.
  if (!said.variants.is_native_call())
    out.steps = plan_together(site, request, mine, std::move(offer), agreed, said, all);
  // From here on it is known what this rank does.
  const native_call_driver native(request.call, *site.edges, site.native_comms);
  agreed_driver by = agree_on_driver(out.steps, said.variants.drivers(native), site.comm, all);
  connect(by, all);
  // From here on all ranks have one driver and are connected. What follows is local; whether all could
  // connect and do it is asked once.
  all.here([&] {
    out.peers = std::move(by.peers);
    said.driver = by.chosen->name();
    said.steps = said.variants.is_native_call() ? native.steps() : summarize(out.steps);
    if (const std::string how = out.peers ? out.peers->describe() : std::string(); !how.empty())
      said.steps += "; " + how;
    program steps = request.keeps_steps ? out.steps : std::exchange(out.steps, {});
    out.run = by.chosen->prepare(std::move(steps), site.comm, out.peers.get());
    if (request.keep)
      (*request.keep)(out);
  });
  all.agree();
  return out;
}

} // namespace tacit::runtime
