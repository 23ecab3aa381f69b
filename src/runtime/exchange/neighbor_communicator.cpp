#include "runtime/exchange/neighbor_communicator.h"

#include "runtime/exchange/deferred_operation.h"
#include "runtime/exchange/feedback.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/exchange/topologies.h"
#include "runtime/exchange/unlisted.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/flat_run.h"
#include "runtime/run/message_survey.h"
#include "runtime/run/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace tacit::runtime {
namespace {

constexpr std::size_t plans_kept = 32;     // per communicator; a plan of 26 neighbors takes about 10 KiB
constexpr std::size_t executions_kept = 4; // per plan: operations with equal signature under way at a time
/// Messages between one pair of ranks in one plan, beyond one per edge: above all one per tree (tree.h).
constexpr int extra_tags = 64;

using held = std::shared_ptr<neighbor_communicator>;

int forget(MPI_Comm, int, void* value, void*) {
  delete static_cast<held*>(value);
  return MPI_SUCCESS;
}

/// All that are attached to communicators. MPI calls the delete function of MPI_COMM_SELF's attributes first
/// thing in MPI_Finalize: the last chance to free what belongs to communicators that are never freed.
struct registry {
  std::mutex guard;
  int keyval = MPI_KEYVAL_INVALID, at_finalize = MPI_KEYVAL_INVALID;
  std::vector<held*> attached;
};

registry& all() {
  static registry* const r = new registry;
  return *r;
}

int forget_attached(MPI_Comm comm, int keyval, void* value, void* extra) {
  {
    const std::lock_guard lock(all().guard);
    std::erase(all().attached, static_cast<held*>(value));
  }
  if (const held& mine = *static_cast<held*>(value))
    mine->let_go();
  return forget(comm, keyval, value, extra);
}

int forget_all(MPI_Comm, int, void*, void*) {
  std::vector<held*> left;
  {
    const std::lock_guard lock(all().guard);
    left = all().attached;
  }
  for (held* h : left)
    h->reset(); // the attribute stays, and frees the empty handle if MPI still deletes it
  return MPI_SUCCESS;
}

int keyval() {
  registry& r = all();
  const std::lock_guard lock(r.guard);
  if (r.keyval == MPI_KEYVAL_INVALID) {
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_attached, &r.keyval, nullptr),
              "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &r.at_finalize, nullptr),
              "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, r.at_finalize, nullptr), "MPI_Comm_set_attr");
  }
  return r.keyval;
}

std::ptrdiff_t distance(const void* buffer, std::uint64_t from) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uint64_t>(buffer) - from);
}

} // namespace

// --- one operation

int neighbor_operation::rank() const {
  return home_->rank();
}

const neighbors::neighborhood& neighbor_operation::edges() const {
  return home_->edges();
}

MPI_Comm neighbor_operation::private_comm() const {
  return home_ ? home_->comm() : MPI_COMM_NULL;
}

void neighbor_operation::release() {
  if (prepared_) {
    if (run_.run && !run_.run->failure)
      prepared_->operation.run_ = std::move(run_);
    run_.run.reset(); // before its connection
    if (!prepared_->operation.run_.run && home_)
      std::erase(home_->prepared_, prepared_);
    prepared_.reset();
  }
  if (cache_ && run_.run && !run_.run->failure && home_ && home_->setup_.ready() &&
      cache_->idle.size() < executions_kept) {
    if (auto* d = dynamic_cast<deferred_operation*>(run_.run.get())) {
      cached_plan::execution_at inner = d->take();
      run_ = std::move(inner);
    }
    if (run_.run)
      cache_->idle.push_back(std::move(run_));
  }
  run_.run.reset();
  peers_.reset();
  cache_.reset();
  home_.reset();
}

std::string neighbor_operation::explain(std::exception_ptr failure) const {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const message_error& e) {
    const auto& edges = e.incoming ? home_->edges().sources : home_->edges().destinations;
    std::string slots;
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (static_cast<int>(index(edges[i].peer)) == e.peer)
        slots += fmt::format("{}{}", slots.empty() ? "" : ", ", i);
    return fmt::format("{} ({} edge {}). Counts and datatypes on both ends of an edge must describe equally "
                       "many bytes",
                       e.what(), e.incoming ? "incoming" : "outgoing", slots);
  } catch (const std::exception& e) {
    return e.what();
  }
}

const char* neighbor_operation::driver_name() const {
  return tries_ ? tries_->current().driver_name() : driver_;
}

std::string neighbor_operation::steps() const {
  if (tries_)
    return tries_->current().steps();
  return cache_ ? summarize(cache_->steps) : steps_;
}

std::string neighbor_operation::way_name() const {
  return neighbors::name(neighbors::way{ways_.shape(), driver_});
}

std::string neighbor_operation::describe() const {
  if (tries_)
    return tries_->current().describe() + tries_->describe();
  const neighbors::neighborhood& n = home_->edges();
  std::string text =
      fmt::format("{}: {} incoming and {} outgoing edges\ndriver {}: {}\n{}{}", function_, n.sources.size(),
                  n.destinations.size(), driver_, steps(), remarks_, remarks_.empty() ? "" : "\n");
  if (!ways_.ways.empty())
    text += fmt::format("{}\nmachine model: {}\n", neighbors::reason_for(ways_.ways, ways_.taken),
                        by_model_ ? home_->model_->origin : "as tacit_message_cost says") +
            own_call_;
  return text;
}

// --- the communicator

std::shared_ptr<neighbor_communicator> neighbor_communicator::of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  const int key = keyval();
  check_mpi(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  if (found && *static_cast<held*>(value) && !(*static_cast<held*>(value))->worn_out())
    return *static_cast<held*>(value);
  // Worn out: with the options of before, which may be those of set_info.
  auto made = std::make_shared<neighbor_communicator>(comm, found ? (*static_cast<held*>(value))->options_
                                                                  : options_or_fault(comm));
  attach(comm, made);
  return made;
}

/// In place of another one, if there is one.
void neighbor_communicator::attach(MPI_Comm comm, std::shared_ptr<neighbor_communicator> made) {
  void* value = nullptr;
  int found = 0;
  const int key = keyval();
  check_mpi(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  if (found) {
    *static_cast<held*>(value) = std::move(made);
    return;
  }
  auto place = std::make_unique<held>(std::move(made));
  check_mpi(MPI_Comm_set_attr(comm, key, place.get()), "MPI_Comm_set_attr");
  const std::lock_guard lock(all().guard);
  all().attached.push_back(place.release());
}

void neighbor_communicator::set_info(MPI_Comm comm, MPI_Info info) {
  int rank = 0, size = 1;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  agreement all(comm, rank, size, "tacit_comm_set_info");
  std::shared_ptr<neighbor_communicator> made;
  std::uint64_t word = 0;
  all.here([&] {
    const neighbor_options options = read_neighbor_options(info, options_of(comm));
    word = word_of(options);
    made = std::make_shared<neighbor_communicator>(comm, options);
  });
  std::vector<std::uint64_t> words{word, ~word};
  all.agree(words);
  all.here([&] {
    if (words[0] != ~words[1])
      throw neighbor_error(neighbor_error::kind::environment,
                           "info keys tacit_driver, tacit_neighbor_form, tacit_neighbor_without, "
                           "tacit_message_cost, tacit_neighbor_feedback or tacit_persistent differ between "
                           "the ranks; give all ranks the same");
    attach(comm, std::move(made));
  });
  words.clear();
  all.agree(words);
}

neighbor_communicator::neighbor_communicator(MPI_Comm comm, const neighbor_options& options)
    : topology_(attached_topology(comm)), edges_(neighborhood_of(comm)), options_(options),
      setup_(comm, edges_, word_of(options), options.fault,
             options.passes.order && options.passes.color && options.level != persistence::none) {
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  distances_ = neighbors::rotated_rounds(edges_, rank_id{static_cast<std::uint32_t>(rank_)},
                                         static_cast<std::uint32_t>(size_));
}

neighbor_communicator::~neighbor_communicator() {
  end_progress(setup_);
}

/// A duplicate that is being made looks at the communicator until it is complete (Open MPI 4.1.4 crashes if
/// it is freed before). MPI_Comm_free is collective, so it may wait for the other ranks here.
void neighbor_communicator::let_go() {
  if (setup_.inside())
    return;
  try {
    while (setup_.duplicating() && !setup_.failure && !progress_all(setup_))
      std::this_thread::yield();
  } catch (...) { // kept by the setup for those that wait for it
    setup_.failure = std::current_exception();
  }
}

void neighbor_communicator::begin_setup() {
  if (setup_.failure)
    std::rethrow_exception(setup_.failure);
  if (setup_begun_)
    return;
  setup_begun_ = true;
  try {
    setup_.start();
    begin_progress(setup_);
  } catch (...) {
    setup_.failure = std::current_exception();
    throw;
  }
}

/// True once the communicator is ready. Operations that were started before start now, in their order, so
/// that no later one can overtake them.
bool neighbor_communicator::advance_setup() {
  if (setup_.failure)
    std::rethrow_exception(setup_.failure);
  if (!setup_.ready())
    return false;
  if (operations_limit_ == 1) {
    tags_per_operation_ = setup_.widest() + extra_tags;
    operations_limit_ = std::max(2, highest_tag(setup_.comm()) / 2 / tags_per_operation_);
  }
  while (!waiting_.empty()) {
    deferred_operation* const next = waiting_.front();
    waiting_.pop_front();
    next->begin();
  }
  return true;
}

void neighbor_communicator::finish_setup() {
  if (operations_limit_ == 1) {
    begin_setup();
    if (!setup_.ready())
      wait_for(setup_);
  }
  advance_setup();
}

const neighbors::edge_rounds& neighbor_communicator::rounds(const neighbors::neighbor_passes& passes) const {
  return passes.color && setup_.ready() && setup_.rounds() ? *setup_.rounds() : distances_;
}

std::string neighbor_communicator::order_remark(const neighbors::neighbor_passes& passes) const {
  if (!passes.order)
    return {};
  return passes.color ? setup_.order_remark() : "posted by distance";
}

graphs::rank_plan neighbor_communicator::plan_of(neighbors::neighbor_blocks blocks,
                                                 const neighbors::neighbor_passes& passes,
                                                 bool sizes_known) const {
  const auto me = rank_id{static_cast<std::uint32_t>(rank_)};
  if (const std::string fault = neighbors::own_mismatch(edges_, me, blocks); !fault.empty())
    throw neighbor_error(neighbor_error::kind::graph, fault);
  return neighbors::plan_neighbor(edges_, me, std::move(blocks), rounds(passes), passes, sizes_known);
}

program neighbor_communicator::program_of(graphs::rank_plan plan, int operation) const {
  program p;
  p.rank = rank_;
  p.exact_sizes = true;
  p.unattended = options_.unattended;
  p.plan = std::move(plan);
  for (graphs::step& s : p.plan.steps)
    s.tag += operation * tags_per_operation_;
  return p;
}

void neighbor_communicator::drop_oldest() {
  const auto oldest = std::min_element(
      plans_.begin(), plans_.end(), [](const auto& a, const auto& b) { return a->last_use < b->last_use; });
  plans_.erase(oldest);
}

std::shared_ptr<cached_plan> neighbor_communicator::find_plan(const neighbor_call& call) {
  describe_call(call, edges_, scratch_);
  ++uses_;
  const bool kept = options_.level != persistence::none && options_.level != persistence::topology;
  for (const auto& plan : plans_)
    if (plan->signature.words == scratch_.words) {
      plan->last_use = uses_;
      return plan;
    }
  auto plan = std::make_shared<cached_plan>();
  neighbors::neighbor_passes passes = options_.passes;
  limit_to_level(passes, options_.level);
  plan->steps = program_of(plan_of(blocks_of(call, edges_), passes, false), 0);
  plan->signature = scratch_;
  plan->send_buffer = reinterpret_cast<std::uint64_t>(call.send.buffer);
  plan->receive_buffer = reinterpret_cast<std::uint64_t>(call.receive.buffer);
  plan->last_use = uses_;
  if (!kept)
    return plan;
  if (plans_.size() >= plans_kept)
    drop_oldest();
  plans_.push_back(plan);
  return plan;
}

std::unique_ptr<execution> neighbor_communicator::prepare(program p) const {
  const driver* d = find_driver(options_.driver == "dry" ? "dry" : "p2p");
  return d->prepare(std::move(p), setup_.comm(), nullptr);
}

cached_plan::execution_at neighbor_communicator::execution_for(cached_plan& plan, std::ptrdiff_t reads,
                                                               std::ptrdiff_t writes) {
  while (!plan.idle.empty()) {
    cached_plan::execution_at found = std::move(plan.idle.back());
    plan.idle.pop_back();
    if (found.run->rebind(reads - found.reads, writes - found.writes))
      return found;
  }
  if (options_.driver != "dry" && is_flat(plan.steps.plan)) { // long lists are not copied to be moved
    auto made = std::make_unique<flat_run>(plan.steps.plan, setup_.comm());
    made->rebind(reads, writes);
    return {std::move(made), 0, 0};
  }
  return {prepare(moved(plan.steps, reads, writes)), reads, writes};
}

neighbor_operation neighbor_communicator::operation(const neighbor_call& call, bool blocking) {
  if (blocking && prepares_calls())
    return prepared_operation(call);
  neighbor_operation out;
  try {
    out.cache_ = find_plan(call);
  } catch (const too_many_pieces&) { // other ranks know nothing of it
    return unlisted_operation(call, blocking);
  } catch (const std::bad_alloc&) { // pieces need more memory than datatypes
    return unlisted_operation(call, blocking);
  }
  out.function_ = call.function;
  out.driver_ = options_.driver == "dry" ? "dry" : "p2p";
  const std::ptrdiff_t reads = distance(call.send.buffer, out.cache_->send_buffer);
  const std::ptrdiff_t writes = distance(call.receive.buffer, out.cache_->receive_buffer);
  if (blocking)
    finish_setup();
  if (operations_limit_ > 1)
    out.run_ = execution_for(*out.cache_, reads, writes);
  else
    out.run_ = {std::make_unique<deferred_operation>(shared_from_this(), out.cache_, reads, writes), 0, 0};
  out.home_ = shared_from_this();
  return out;
}

neighbor_operation neighbor_communicator::unlisted_operation(const neighbor_call& call, bool blocking) {
  neighbors::neighbor_passes passes = options_.passes;
  limit_to_level(passes, options_.level);
  neighbor_operation out;
  out.function_ = call.function;
  out.driver_ = options_.driver == "dry" ? "dry" : "p2p";
  out.steps_ = "messages by the caller's datatypes, which have too many pieces to list";
  if (blocking)
    finish_setup();
  if (options_.driver == "dry") {
    out.run_.run = find_driver("dry")->prepare(program_of({}, 0), setup_.comm(), nullptr);
  } else {
    std::vector<typed_message> messages = unlisted_messages(call, edges_, passes.coalesce);
    if (operations_limit_ > 1)
      out.run_.run = std::make_unique<flat_run>(std::move(messages), setup_.comm());
    else
      out.run_.run = std::make_unique<deferred_operation>(shared_from_this(), std::move(messages));
  }
  out.home_ = shared_from_this();
  return out;
}

} // namespace tacit::runtime
