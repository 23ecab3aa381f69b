#include "runtime/exchange/neighbor_communicator.h"

#include "runtime/exchange/check_together.h"
#include "runtime/exchange/deferred_operation.h"
#include "runtime/exchange/local_plan.h"
#include "runtime/exchange/persistent.h"
#include "runtime/exchange/topologies.h"
#include "runtime/exchange/unlisted.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"

#include <array>
#include <functional>
#include <utility>

namespace tacit::runtime {
namespace {

bool wants_coloring(const neighbor_options& o) {
  return o.passes.order && o.passes.color && o.level != persistence::none;
}

std::string promise_of(const neighbor_options& o) {
  return o.level == persistence::sizes ? "tacit_persistent=sizes" : "tacit_persistent=buffers";
}

} // namespace

neighbor_communicator::neighbor_communicator(MPI_Comm comm, const neighbor_options& options)
    : rank_(rank_in(comm)), size_(size_of(comm)), topology_(attached_topology(comm)),
      edges_(neighborhood_of(comm)),
      distances_(neighbors::rotated_rounds(edges_, rank_id{static_cast<std::uint32_t>(rank_)},
                                           static_cast<std::uint32_t>(size_))),
      options_(options), sizes_(edges_),
      setup_(comm, edges_, word_of(options), options.fault, wants_coloring(options)), opening_(setup_),
      notices_(opening_, edges_, rank_, promise_of(options)) {}

/// What is known of the communicator now: colors and the width of edges once it has been set up.
/// Needs no memory.
exchange_site neighbor_communicator::site() {
  exchange_site s;
  s.rank = rank_;
  s.size = size_;
  s.edges = &edges_;
  s.topology = topology_.get();
  s.distances = &distances_;
  s.sizes = &sizes_;
  s.model = model_.get();
  s.native_comms = native_comms_;
  if (setup_.ready()) {
    s.comm = setup_.comm();
    s.colors = setup_.rounds() ? &*setup_.rounds() : nullptr;
    s.order = setup_.order_remark();
    s.widest = setup_.widest();
  }
  return s;
}

/// Collective the first time. Throws neighbor_error, the same on all ranks: then the next operation asks
/// again.
const agreed_model& neighbor_communicator::model(const char* function) {
  if (model_)
    return *model_;
  agreement all(setup_.comm(), rank_, size_, function);
  model_ = agree_on_model(rank_, size_, setup_.comm(), all);
  return *model_;
}

neighbor_operation neighbor_communicator::operation(const neighbor_call& call, bool blocking) {
  if (blocking && prepares_calls())
    return prepared_operation(call);
  if (blocking && options_.check)
    check_call(call);
  try {
    return planned_operation(call, blocking);
  } catch (const too_many_pieces&) { // other ranks know nothing of it
  } catch (const std::bad_alloc&) {  // pieces need more memory than datatypes
  }
  return unlisted_operation(call, blocking);
}

// --- plans of one's own

neighbor_operation neighbor_communicator::planned_operation(const neighbor_call& call, bool blocking) {
  std::shared_ptr<cached_plan> plan = find_plan(call);
  const call_buffers buffers(call);
  if (blocking)
    opening_.finish();
  if (opening_.ready()) {
    bound_run run = plan->lend(buffers, opening_.comm());
    return {shared_from_this(), call.function, std::move(plan), std::move(run)};
  }
  auto source = std::make_shared<fixed_source>(plan->driver(), plan->steps());
  auto run = std::make_unique<deferred_operation>(line(), std::move(plan), buffers);
  return {shared_from_this(), call.function, std::move(source), {std::move(run), 0, 0}};
}

std::shared_ptr<cached_plan> neighbor_communicator::find_plan(const neighbor_call& call) {
  describe_call(call, edges_, scratch_);
  if (std::shared_ptr<cached_plan> found = plans_.find(scratch_))
    return found;
  neighbors::neighbor_passes passes = options_.passes;
  limit_to_level(passes, options_.level);
  program steps =
      program_of(local_plan(site(), blocks_of(call, edges_), passes, false), rank_, 0, options_.unattended);
  auto made = std::make_shared<cached_plan>(scratch_, std::move(steps), call_buffers(call), simple_driver());
  if (options_.level != persistence::none && options_.level != persistence::topology)
    plans_.keep(made);
  return made;
}

/// Check mode, of a blocking call that all ranks make with plans of their own: has every rank had its plan
/// checked with those of the others? If not, it is checked now, with all of them. After a wrong plan all
/// calls on the communicator go edge by edge: which ranks have which plans is nobody's knowledge. Collective.
void neighbor_communicator::check_call(const neighbor_call& call) {
  enum : std::uint64_t { no_plan, not_checked, is_checked };
  std::shared_ptr<cached_plan> plan;
  neighbors::neighbor_blocks blocks;
  std::array<std::uint64_t, 1> state{no_plan};
  try {
    plan = find_plan(call);
    blocks = blocks_of(call, edges_);
    state[0] = plan->checked ? is_checked : not_checked;
  } catch (const too_many_pieces&) { // the call goes without a plan
  } catch (const std::bad_alloc&) {
  }
  opening_.finish();
  agreement all(setup_.comm(), rank_, size_, call.function);
  all.agree(state);
  if (state[0] != not_checked)
    return;
  checked_together found;
  try {
    const graphs::rank_plan steps = [&]() -> graphs::rank_plan {
      graphs::rank_plan out;
      all.here([&] { out = plan->plan_for(call_buffers(call)); });
      return out;
    }();
    found = check_together(site(), call.function, blocks, steps, opening_.tags().notice(), all);
  } catch (const call_error& e) { // of all ranks
    if (e.why == call_error::kind::memory)
      return; // not checked this time; the call itself may have enough
    throw;
  }
  plan->checked = true;
  if (!found.plan_fault.empty()) {
    plans_.clear();
    options_.passes = neighbors::no_passes();
  }
}

// --- too many pieces to list

neighbor_operation neighbor_communicator::unlisted_operation(const neighbor_call& call, bool blocking) {
  neighbors::neighbor_passes passes = options_.passes;
  limit_to_level(passes, options_.level);
  auto source = std::make_shared<fixed_source>(
      simple_driver(), "messages by the caller's datatypes, which have too many pieces to list");
  if (blocking)
    opening_.finish();
  bound_run out;
  if (options_.driver == "dry") {
    out.run = find_driver("dry")->prepare(program_of({}, rank_, 0, false), opening_.comm(), nullptr);
  } else {
    std::vector<typed_message> messages = unlisted_messages(call, edges_, passes.coalesce);
    if (opening_.ready())
      out.run = std::make_unique<flat_run>(std::move(messages), opening_.comm());
    else
      out.run = std::make_unique<deferred_operation>(line(), std::move(messages), call_buffers(call));
  }
  return {shared_from_this(), call.function, std::move(source), std::move(out)};
}

// --- prepared together

bool neighbor_communicator::prepares_calls() const {
  const bool repeated = options_.level == persistence::sizes || options_.level == persistence::buffers;
  // Operations by one-sided communication cannot all be moved; nothing is prepared for dry runs, nor when all
  // tags are used up, which happens to all ranks in the same call.
  return repeated && !worn_out() &&
         (options_.driver.empty() || options_.driver == "shm" || options_.driver == "p2p" ||
          options_.driver == neighbors::native_call);
}

neighbor_operation neighbor_communicator::prepared_operation(const neighbor_call& call) {
  opening_.finish();
  notices_.begin_call();
  std::shared_ptr<prepared_call> found = find_prepared(call);
  if (!found)
    found = prepare_call(call);
  bound_run run = found->lend(call_buffers(call), opening_.comm());
  return {shared_from_this(), call.function, std::move(found), std::move(run)};
}

std::shared_ptr<prepared_call> neighbor_communicator::find_prepared(const neighbor_call& call) {
  try {
    describe_call(call, edges_, scratch_);
    return prepared_.find(scratch_, notices_.calls());
  } catch (const too_many_pieces&) { // the preparation says so to all ranks
    return nullptr;
  }
}

std::shared_ptr<prepared_call> neighbor_communicator::prepare_call(const neighbor_call& call) {
  notices_.announce();
  model(call.function);
  exchange_request request{call, options_};
  request.first_tag = opening_.tags().next();
  request.keeps_steps = true;
  std::shared_ptr<prepared_call> made;
  const keep_prepared keep = [this, &made](prepared_exchange& prepared) {
    prepared_.make_room();
    made = std::make_shared<prepared_call>(std::move(prepared), notices_);
  };
  request.keep = &keep;
  prepare(site(), request);
  made->belongs_to(std::exchange(scratch_, {}), call_buffers(call));
  prepared_.keep(made, notices_.calls());
  return made;
}

void neighbor_communicator::persistent(const neighbor_call& call, MPI_Info info,
                                       const std::function<void(neighbor_operation)>& keep) {
  opening_.finish();
  model(call.function);
  const auto prepare_one = [&](const neighbors::variant* forced, const keep_prepared* kept) {
    exchange_request request{call, options_};
    request.info = &info;
    request.forced = forced;
    request.first_tag = opening_.tags().next();
    request.keep = kept;
    return prepare(site(), request);
  };
  const auto keep_made = [&](sourced_run made) {
    keep({shared_from_this(), call.function, std::move(made.source), std::move(made.run)});
  };
  // By reference: copies of what these hold would need memory.
  prepare_persistent(
      site(), call.function, std::cref(prepare_one), [this] { return opening_.tags().next(); },
      std::cref(keep_made));
}

} // namespace tacit::runtime
