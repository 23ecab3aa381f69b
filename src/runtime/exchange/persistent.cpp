// A persistent operation, made by all ranks together:
//
// 1. every pair exchanges the sizes of its edges and compares them, so a contradiction is found here and not
//    while the program computes, and messages that are empty can be left out;
// 2. all ranks agree that none has an error, that they leave out the same optimizations, and on what only all
//    of them together can know: whether all blocks have one size, how many messages the busiest rank has, and
//    what every way of doing it would cost the slowest one (neighbor/choice.h), by a model of the machine
//    that they have in common (agreed_model.h);
// 3. with that, all choose the same form and driver: a message per neighbor, a message per edge, or combining
//    on a stencil with blocks of one size. Messages per neighbor may get balancing trees if some rank has
//    many of them, for which the ranks exchange loads and roles, or aggregation between nodes;
// 4. they agree on the driver that can run everywhere, the chosen one first, it connects the ranks, which
//    agree again, and the operation is prepared, which they agree on last.
//
// Cost: one message per neighbor and four or five reductions of a few words, once per communicator another
// one and a broadcast; where a rank has 16 or more short messages an allgather of 24 bytes per rank, and a
// message to each member of a tree; with several nodes two messages between any two ranks of a node, and a
// reduction.
#include "neighbors/passes/combine.h"
#include "runtime/exchange/agreed_aggregation.h"
#include "runtime/exchange/agreed_trees.h"
#include "runtime/exchange/feedback.h"
#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/exchange/own_call.h"
#include "runtime/exchange/ways.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace tacit::runtime {
namespace {

/// With fewer messages than this, three steps need as many as they save.
constexpr std::uint64_t least_aggregated = 6;

/// A rank with an error of its own still takes part in the exchange, with this in place of sizes.
constexpr std::uint64_t no_size = ~std::uint64_t{0};

/// Bytes of all edges with each peer, by channel.
using peer_sizes = std::map<rank_id, std::vector<std::uint64_t>>;

peer_sizes sizes_by_peer(const std::vector<neighbors::edge>& edges,
                         const std::vector<std::vector<graphs::segment>>& blocks) {
  peer_sizes out;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank)
      continue;
    auto& list = out[edges[i].peer];
    list.resize(std::max<std::size_t>(list.size(), edges[i].channel + 1));
    list[edges[i].channel] = blocks.empty() ? no_size : graphs::total_length(blocks[i]);
  }
  return out;
}

/// What the sources of this rank say they will send.
peer_sizes exchange_sizes(const peer_sizes& out, const peer_sizes& in, int tag, MPI_Comm comm) {
  peer_sizes announced = in;
  std::vector<MPI_Request> requests(in.size() + out.size(), MPI_REQUEST_NULL);
  std::size_t next = 0;
  for (auto& [peer, list] : announced)
    check_mpi(MPI_Irecv(list.data(), static_cast<int>(list.size()), MPI_UINT64_T,
                        static_cast<int>(index(peer)), tag, comm, &requests[next++]),
              "MPI_Irecv");
  for (const auto& [peer, list] : out)
    check_mpi(MPI_Isend(list.data(), static_cast<int>(list.size()), MPI_UINT64_T,
                        static_cast<int>(index(peer)), tag, comm, &requests[next++]),
              "MPI_Isend");
  await(requests, "exchanging the sizes of edges");
  return announced;
}

void compare_sizes(const neighbors::neighborhood& n, const peer_sizes& expected,
                   const peer_sizes& announced) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    const neighbors::edge& e = n.sources[i];
    if (e.peer == no_rank)
      continue;
    const std::uint64_t here = expected.at(e.peer)[e.channel], there = announced.at(e.peer)[e.channel];
    if (there != no_size && here != there)
      throw neighbor_error(
          neighbor_error::kind::graph,
          fmt::format("incoming edge {}: {} B expected, but rank {} sends {} B; counts and datatypes on both "
                      "ends of an edge must describe equally many bytes",
                      i, here, index(e.peer), there));
  }
}

/// Bytes of every block of this rank, or 0 if they differ.
std::uint64_t common_size(const neighbors::neighbor_blocks& blocks) {
  std::uint64_t common = 0;
  for (const auto* side : {&blocks.out, &blocks.in})
    for (const auto& bytes : *side) {
      const std::uint64_t size = graphs::total_length(bytes);
      if (size == 0 || (common != 0 && size != common))
        return 0;
      common = size;
    }
  return common;
}

/// One word for what all ranks must have alike for combining; 0: this rank cannot.
std::uint64_t combining_word(const neighbors::topology* t, const neighbors::neighbor_blocks& blocks,
                             bool same_block) {
  const std::uint64_t size = common_size(blocks);
  if (!t || size == 0 || !neighbors::can_combine(*t))
    return 0;
  std::uint64_t word = same_block ? 2 : 1;
  const auto add = [&](std::uint64_t x) { word = (word ^ (x + 77)) * 0x9e3779b97f4a7c15ull + (word >> 29); };
  add(size);
  for (const int d : t->shape.dims)
    add(static_cast<std::uint64_t>(d));
  for (const auto& offset : t->offsets)
    for (const int steps : offset)
      add(static_cast<std::uint64_t>(std::int64_t{steps}));
  return word == 0 ? 1 : word;
}

/// For people: what became of MPI's own call. `why_not`: of this rank.
std::string own_call_remark(const agreed_ways& ways, const std::string& why_not, bool possible,
                            const graphs::selftest_verdict& verdict) {
  if (!why_not.empty())
    return fmt::format("mpi, the library's own call, is not possible: {}\n", why_not);
  if (!possible)
    return "mpi, the library's own call, is not possible: another rank, whose explanation says why, cannot\n";
  return fmt::format("mpi, the library's own call, is right by {}{}\n", verdict.origin,
                     ways.is_own_call()
                         ? ""
                         : "; it has no price, so it is taken only by name or after a trial at run time");
}

void add_line(std::string& text, const std::string& line) {
  text += (text.empty() || line.empty() ? "" : "\n") + line;
}

} // namespace

struct neighbor_communicator::agreed_program {
  program steps;
  agreed_ways ways;
  std::string remarks, own_call;
  bool by_model = true; ///< else by what the user says of messages
  std::uint64_t feedback = 0;
};

/// Collective: part 3 for messages per neighbor. `busiest`: the most short messages that any rank sends or
/// receives.
std::string neighbor_communicator::spread(graphs::rank_plan& plan, const neighbors::neighbor_passes& passes,
                                          const graphs::message_cost& cost, std::uint64_t busiest, int base) {
  neighbors::tree_rule rule;
  rule.cost = cost;
  const int first_tag = setup_.widest() + 1;
  std::string remarks;
  if (passes.tree && busiest < rule.least_messages)
    remarks = fmt::format("no trees: no rank has {} short messages", rule.least_messages);
  if (passes.tree && busiest >= rule.least_messages) {
    const tree_outcome trees = add_trees(plan, rank_, size_, first_tag, base, rule, setup_.comm());
    if (trees.any)
      return trees.remark; // helpers are chosen for their load, not for their node
    remarks = trees.remark;
  }
  if (!passes.aggregate || busiest < least_aggregated || model_->one_node)
    return remarks;
  add_line(remarks, aggregate(plan, model_->nodes, rank_, first_tag, base, cost, setup_.comm()));
  return remarks;
}

/// This rank's plans, except the one with a message per edge, and what all of them would cost it.
struct neighbor_communicator::offered_plans {
  graphs::rank_plan coalesced, combined;
  way_prices prices;
  std::uint64_t combining = 0; ///< see combining_word
  std::uint64_t busiest = 0;   ///< short messages sent or received, whichever are more
};

neighbor_communicator::offered_plans
neighbor_communicator::offer_plans(const neighbors::neighbor_blocks& blocks, bool same_block,
                                   const neighbor_options& options,
                                   const neighbors::machine_costs& costs) const {
  offered_plans out;
  const neighbors::neighbor_passes& passes = options.passes;
  const auto me = rank_id{static_cast<std::uint32_t>(rank_)};
  const auto is_near = [this](rank_id peer) { return model_->near(rank_, peer); };
  if (passes.coalesce) {
    out.coalesced = plan_of(blocks, passes, true);
    out.prices.add(neighbors::form::coalesced, neighbors::traffic_of(out.coalesced, is_near), costs, options);
  }
  if (has_direct_form(passes))
    out.prices.add(neighbors::form::direct, neighbors::traffic_by_edge(edges_, me, blocks, passes, is_near),
                   costs, options);
  out.combining = passes.combine ? combining_word(topology_.get(), blocks, same_block) : 0;
  if (out.combining != 0) {
    out.combined = tacit::neighbors::combined(*topology_, me, blocks, same_block);
    out.prices.add(neighbors::form::combined, neighbors::traffic_of(out.combined, is_near), costs, options);
  }
  neighbors::tree_rule rule;
  rule.cost = costs.messages;
  const neighbors::message_load load = neighbors::load_of(out.coalesced, rule);
  out.busiest = std::max(load.short_in, load.short_out);
  return out;
}

graphs::rank_plan neighbor_communicator::plan_by_edge(const neighbors::neighbor_blocks& blocks,
                                                      neighbors::neighbor_passes passes) const {
  passes.coalesce = false;
  return plan_of(blocks, passes, true);
}

/// Without parallel edges it is the coalesced one. The same on all ranks.
bool neighbor_communicator::has_direct_form(const neighbors::neighbor_passes& passes) const {
  return !passes.coalesce || setup_.widest() > 1;
}

/// Parts 1 to 3. Throws only what all ranks throw; may leave `all` with an error of this rank.
neighbor_communicator::agreed_program neighbor_communicator::agree_on_program(const neighbor_call& call,
                                                                              const MPI_Info* info,
                                                                              const neighbors::way* forced,
                                                                              int operation, agreement& all) {
  const MPI_Comm comm = setup_.comm();
  const int first_tag = operation * tags_per_operation_;
  neighbor_options options = options_;
  neighbors::neighbor_blocks blocks;
  const bool first = !model_;
  if (first)
    all.always([&] { model_ = std::make_unique<const agreed_model>(agree_on_model(rank_, size_, comm)); });
  all.here([&] {
    options = info ? options_of_operation(*info) : options_;
    if (forced) {
      options.driver = forced->driver;
      options.shape = forced->shape;
    }
    limit_to_level(options.passes, options.level);
    if (options.driver.empty() && !options.passes.regions)
      options.driver = "p2p";
    if (options.unattended) // their steps wait for each other
      options.passes.combine = options.passes.tree = options.passes.aggregate = false;
    describe_call(call, edges_, scratch_);
    blocks = blocks_of(call, edges_);
  });
  const peer_sizes expected = sizes_by_peer(edges_.sources, all.failed() ? decltype(blocks.in){} : blocks.in);
  const peer_sizes sent =
      sizes_by_peer(edges_.destinations, all.failed() ? decltype(blocks.out){} : blocks.out);
  peer_sizes announced;
  all.always([&] { announced = exchange_sizes(sent, expected, first_tag, comm); });
  const neighbors::neighbor_passes& passes = options.passes;
  offered_plans offered;
  std::string why_no_own;
  std::optional<neighbors::machine_costs> said;
  const neighbors::machine_costs* costs = nullptr;
  all.here([&] {
    compare_sizes(edges_, expected, announced);
    if (options.cost)
      said = neighbors::costs_of(*options.cost);
    costs = said ? &*said : &model_->costs;
    offered = offer_plans(blocks, call.send.shape == neighbor_side::form::same, options, *costs);
    why_no_own = why_no_own_call(call, edges_, rank_, comm, topology_ != nullptr, model_->own_calls);
    if (options.driver == neighbors::own_call && !why_no_own.empty())
      throw neighbor_error(neighbor_error::kind::environment,
                           fmt::format("driver {}, MPI's own call, is not possible here: {}",
                                       neighbors::own_call, why_no_own));
  });
  // The largest load is the complement of the least complement.
  const std::uint64_t mine = word_of(options);
  std::vector<std::uint64_t> words{
      mine, ~mine, offered.combining, ~offered.combining, ~offered.busiest, why_no_own.empty() ? 1u : 0u};
  const auto first_price = static_cast<std::ptrdiff_t>(words.size());
  words.insert(words.end(), offered.prices.words.begin(), offered.prices.words.end());
  try {
    all.agree(words);
  } catch (...) {
    if (first) // some rank may have none: the next operation asks for it again, on all ranks
      model_.reset();
    throw;
  }
  offered.prices.words.assign(words.begin() + first_price, words.end());
  agreed_program out;
  // From here on both ends of every edge agree, and whatever follows from these words all ranks do alike.
  if (words[0] != ~words[1]) {
    all.here([] {
      throw neighbor_error(
          neighbor_error::kind::environment,
          "info keys tacit_driver, tacit_neighbor_form, tacit_neighbor_without, "
          "tacit_message_cost, tacit_neighbor_feedback or tacit_persistent differ between the "
          "ranks; give all ranks the same");
    });
    return out;
  }
  const bool combinable = words[2] != 0 && words[2] == ~words[3];
  const bool own_possible = words[5] != 0;
  out.ways = choose_way(offered.prices, options, {passes.coalesce, has_direct_form(passes), combinable},
                        own_possible);
  out.own_call = own_call_remark(out.ways, why_no_own, own_possible, model_->own_calls);
  out.by_model = !options.cost;
  out.feedback = options.feedback;
  if (out.ways.is_own_call()) // which has no plan
    return out;
  graphs::rank_plan& plan =
      out.ways.shape() == neighbors::form::combined ? offered.combined : offered.coalesced;
  if (out.ways.shape() == neighbors::form::combined)
    out.remarks = "combined: blocks travel dimension by dimension";
  else
    out.remarks = order_remark(passes);
  if (out.ways.shape() == neighbors::form::coalesced)
    all.always([&] { add_line(out.remarks, spread(plan, passes, costs->messages, ~words[4], first_tag)); });
  if (options.unattended && options.feedback != 0) {
    out.feedback = 0; // nobody would progress the agreement on what was fastest
    add_line(out.remarks,
             "no feedback: it needs progress while ranks wait in MPI's own calls; TACIT_PROGRESS=waits "
             "says that they never do");
  }
  all.here([&] {
    if (out.ways.shape() == neighbors::form::direct)
      plan = plan_by_edge(blocks, passes);
    out.steps = program_of(std::move(plan), operation);
    out.steps.canary = passes.canary;
    out.steps.fixed_buffers = passes.place && info;
  });
  return out;
}

/// Those of the communicator, but for the level: by its nature a persistent operation keeps its buffers.
neighbor_options neighbor_communicator::options_of_operation(MPI_Info info) const {
  neighbor_options defaults = options_;
  defaults.level = persistence::unsaid;
  return read_neighbor_options(info, defaults);
}

/// Part 4. Each rank offers to connect by the driver that it expects, the first that it can run; mostly that
/// is the one that all agree on, and one reduction is enough. Throws neighbor_error on all ranks.
neighbor_communicator::agreed_driver
neighbor_communicator::agree_on_driver(const program& steps, const std::vector<const driver*>& wanted,
                                       std::unique_ptr<connection>& peers, agreement& all) const {
  const MPI_Comm comm = setup_.comm();
  std::vector<std::uint64_t> words(wanted.size(),
                                   0); // then: the expected one twice, whether all is connected
  std::size_t expected = 0;
  all.here([&] {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      words[i] = wanted[i]->can_run(steps, comm).empty() ? 1 : 0;
    expected = static_cast<std::size_t>(std::find(words.begin(), words.end(), 1) - words.begin());
    if (expected == wanted.size())
      throw neighbor_error(neighbor_error::kind::environment,
                           fmt::format("driver {} cannot run this operation: {}", wanted[0]->name(),
                                       wanted[0]->can_run(steps, comm)));
    peers = wanted[expected]->offer(steps, comm);
  });
  for (const std::uint64_t word : {std::uint64_t{expected}, ~std::uint64_t{expected}, peers ? 0ul : 1ul})
    words.push_back(word);
  all.agree(words);
  const std::size_t n = wanted.size();
  if (words[n] == ~words[n + 1])
    return {wanted[expected], words[n + 2] == 0};
  const auto chosen = static_cast<std::size_t>(
      std::find(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n), 1) - words.begin());
  all.here([&] {
    if (chosen == n)
      throw neighbor_error(neighbor_error::kind::environment,
                           "no driver can run this operation on all ranks");
    peers = wanted[chosen]->offer(steps, comm);
  });
  words = {peers ? 0u : 1u};
  all.agree(words);
  return {wanted[chosen], words[0] == 0};
}

neighbor_operation neighbor_communicator::persistent(const neighbor_call& call, MPI_Info info) {
  finish_setup();
  neighbor_operation predicted = prepare_together(call, &info, nullptr);
  return predicted.feedback_runs_ == 0 ? std::move(predicted)
                                       : with_feedback(std::move(predicted), call, info);
}

/// Collective. Prepares the other ways, too; those that some rank cannot go are left out on all.
neighbor_operation neighbor_communicator::with_feedback(neighbor_operation predicted,
                                                        const neighbor_call& call, MPI_Info info) {
  const agreed_ways compared = predicted.ways_;
  const std::uint64_t after = predicted.feedback_runs_;
  std::vector<neighbor_operation> ways;
  ways.push_back(std::move(predicted));
  for (std::size_t i = 0; i < compared.ways.size(); ++i)
    if (i != compared.taken && (compared.ways[i].ns >= 0 || compared.ways[i].driver == neighbors::own_call))
      try {
        ways.push_back(prepare_together(call, &info, nullptr, &compared.ways[i]));
      } catch (const neighbor_error&) { // of all ranks
      }
  if (ways.size() == 1)
    return std::move(ways.front());
  const int tag = next_operation_++ * tags_per_operation_;
  agreement all(setup_.comm(), rank_, size_, call.function);
  neighbor_operation out;
  all.here([&] {
    auto run = std::make_unique<feedback_run>(std::move(ways), after, setup_.comm(), tag);
    out.home_ = shared_from_this();
    out.function_ = call.function;
    out.tries_ = run.get();
    out.run_ = {std::move(run), 0, 0};
  });
  std::vector<std::uint64_t> nothing; // to compare but errors
  all.agree(nothing);
  return out;
}

neighbor_operation neighbor_communicator::prepare_together(const neighbor_call& call, const MPI_Info* info,
                                                           program* steps, const neighbors::way* forced) {
  const MPI_Comm comm = setup_.comm();
  const int number = next_operation_++;
  agreement all(comm, rank_, size_, call.function);
  agreed_program made = agree_on_program(call, info, forced, number, all);
  neighbor_operation out;
  const own_call_driver own(call, edges_, own_comms_);
  const auto [chosen, connects_any] = agree_on_driver(made.steps, made.ways.drivers(own), out.peers_, all);
  std::vector<std::uint64_t> nothing; // to compare but errors
  if (connects_any) {
    all.always([&] {
      if (out.peers_)
        out.peers_->create();
    });
  }
  // What follows is local; whether all could do both is asked once.
  all.here([&] {
    out.home_ = shared_from_this();
    out.function_ = call.function;
    out.driver_ = chosen->name().data();
    out.steps_ = made.ways.is_own_call() ? own.steps() : summarize(made.steps);
    if (steps)
      *steps = made.steps;
    out.remarks_ = std::move(made.remarks);
    out.ways_ = std::move(made.ways);
    out.own_call_ = std::move(made.own_call);
    out.by_model_ = made.by_model;
    out.feedback_runs_ = made.feedback;
    if (const std::string how = out.peers_ ? out.peers_->describe() : std::string(); !how.empty())
      out.steps_ += "; " + how;
    out.run_ = {chosen->prepare(std::move(made.steps), comm, out.peers_.get()), 0, 0};
  });
  all.agree(nothing);
  return out;
}

} // namespace tacit::runtime
