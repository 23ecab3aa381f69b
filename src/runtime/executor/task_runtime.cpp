#include "runtime/executor/task_runtime.h"

#include "runtime/executor/shapes.h"
#include "runtime/mpi/attributes.h"
#include "runtime/mpi/mpi_error.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <future>
#include <sched.h>
#include <unistd.h>

namespace tacit::runtime {

namespace {

std::unique_ptr<task_runtime> the_runtime;
bool ended = false;
bool our_mpi = false; ///< we have initialised it

/// Threads for kernels, where the user does not say: the cores that this process may use, shared with the ranks that may use
/// the same.
int default_threads(MPI_Comm world) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const int cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(1, CPU_COUNT(&mine)) : 1;
  if (cores < sysconf(_SC_NPROCESSORS_ONLN))
    return cores; // bound by the launcher
  private_communicator node;
  check_mpi(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node.address()),
            "MPI_Comm_split_type");
  return std::max(1, cores / node.size());
}

int number_of(vocabulary::setting name, int otherwise) {
  if (const std::string fault = vocabulary::fault_of(name); !fault.empty())
    throw task_error(fault);
  const auto said = vocabulary::whole_number(vocabulary::given(name));
  return said ? static_cast<int>(*said) : otherwise;
}

std::unique_ptr<backend> make_backend(MPI_Comm world) {
  const int otherwise = default_threads(world); // collective
  return make_host_threads(number_of(vocabulary::setting::task_threads, otherwise),
                           number_of(vocabulary::setting::task_devices, 0));
}

void finalize_our_mpi() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!our_mpi || finalized)
    return;
  // After an error others may never come to MPI_Finalize; the launcher ends them when this process has ended without it.
  if (task_runtime* r = task_runtime::running(); r && r->failed())
    return;
  task_runtime::end();
  MPI_Finalize();
}

/// MPI, with threads, whoever has initialised it.
MPI_Comm ready_world() {
  int initialized = 0, finalized = 0, provided = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized || ended)
    throw task_error("tasks: MPI has been finalised, or is being");
  if (initialized) {
    MPI_Query_thread(&provided);
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    our_mpi = true;
    std::atexit(&finalize_our_mpi);
  }
  if (provided < MPI_THREAD_MULTIPLE)
    throw task_error("tasks: MPI was initialised without MPI_THREAD_MULTIPLE. Call MPI_Init_thread with it, "
                     "or leave MPI's "
                     "initialisation to tacit by making the first queue or buffer without it");
  return MPI_COMM_WORLD;
}

} // namespace

// --- one for the process

task_runtime& task_runtime::get() {
  if (!the_runtime)
    the_runtime.reset(new task_runtime());
  return *the_runtime;
}

task_runtime* task_runtime::running() {
  return the_runtime.get();
}

void task_runtime::end() {
  if (!the_runtime)
    return;
  try {
    the_runtime->wait(true);
  } catch (const task_error&) { // who waited before has heard of it
  }
  ended = true;
  the_runtime.reset();
}

task_runtime::task_runtime()
    : world_(private_communicator::like(ready_world())),
      for_groups_(private_communicator::like(world_.comm())), rank_(world_.rank()), ranks_(world_.size()),
      executor_(std::make_unique<executor>(world_.comm(), make_backend(world_.comm()))) {
  tasks::planner_options options;
  options.ranks = static_cast<std::uint32_t>(ranks_);
  options.me = static_cast<tasks::rank_id>(rank_);
  options.discover = vocabulary::given(vocabulary::setting::task_discover) != "0";
  planner_ = std::make_unique<tasks::planner>(options);
  scheduler_ = std::make_unique<serial_thread>([this] { executor_->deliver(); });
  create_collective_group(); // number 0, for tasks that name none
  call_at_finalize([](MPI_Comm, int, void*, void*) {
    end();
    return MPI_SUCCESS;
  });
}

task_runtime::~task_runtime() {
  scheduler_.reset();
  executor_.reset();
}

bool task_runtime::failed() const {
  return executor_->failure().has_value();
}

void task_runtime::throw_failure() const {
  if (const auto why = executor_->failure())
    throw task_error(*why);
}

// --- objects

std::size_t task_runtime::create_buffer(const detail::buffer_description& what) {
  const std::size_t number = buffers_.size();
  buffers_.push_back({fmt::format("buffer {}", number), what.dims, what.range});
  executor_->add_buffer(static_cast<tasks::buffer_id>(number), what);
  tasks::buffer planned;
  planned.name = buffers_[number].name;
  planned.dims = std::max(1, what.dims);
  planned.extent = to_range(what.range);
  planned.element_size = what.element_bytes;
  planned.host_initialized = what.host_data != nullptr;
  scheduler_->post([this, number, planned] {
    if (static_cast<std::size_t>(planner_->create_buffer(planned)) != number)
      executor_->fail("buffers are not numbered as they were made");
  });
  return number;
}

void task_runtime::name_buffer(std::size_t number, const std::string& name) {
  buffers_.at(number).name = name;
}

void task_runtime::destroy_buffer(std::size_t number) {
  scheduler_->post([this, number] {
    const auto next = static_cast<tasks::task_id>(static_cast<std::uint64_t>(last_submitted_) + 1);
    executor_->drop_buffer(static_cast<tasks::buffer_id>(number), next);
  });
}

std::size_t task_runtime::create_collective_group() {
  groups_.push_back(private_communicator::like(for_groups_.comm()));
  executor_->add_collective_group(next_group_, groups_.back().comm());
  return next_group_++;
}

// --- tasks

tasks::task task_runtime::describe(const detail::command_group& group) const {
  tasks::task t;
  t.name = group.name;
  t.shape.dims = std::max(1, group.dims);
  t.shape.global = to_box(group.items);
  t.shape.granularity = to_range(group.granularity);
  if (group.split_2d)
    t.shape.split = tasks::split_rule::two_dim;
  switch (group.kind) {
  case detail::task_kind::kernel:
    t.kind = tasks::task_kind::kernel;
    break;
  case detail::task_kind::host:
    t.kind = tasks::task_kind::host;
    break;
  case detail::task_kind::first_rank_host:
    t.kind = tasks::task_kind::host;
    t.shape.split = tasks::split_rule::none;
    break;
  case detail::task_kind::collective_host:
    t.kind = tasks::task_kind::collective_host;
    t.shape = {};
    t.shape.split = tasks::split_rule::per_rank;
    t.shape.global = tasks::box_of(tasks::range{{ranks_, 1, 1}});
    t.collective_group = static_cast<std::uint32_t>(group.collective_group);
    break;
  }
  for (const detail::buffer_access& a : group.accesses)
    t.accesses.push_back(
        {static_cast<tasks::buffer_id>(a.buffer), to_mode(a.mode), to_mapper(a.where, group.dims)});
  for (const std::size_t object : group.host_objects)
    t.host_objects.push_back(static_cast<tasks::host_object_id>(object));
  return t;
}

void task_runtime::submit(detail::command_group&& group) {
  throw_failure();
  auto body = std::make_shared<task_body>();
  body->what = describe(group);
  for (const detail::reduction& r : group.reductions)
    body->what.reductions.push_back(
        {static_cast<tasks::buffer_id>(r.buffer), next_operation_++, r.include_current});
  body->group = std::move(group);
  schedule(std::move(body));
}

void task_runtime::fence(std::shared_ptr<task_body> body) {
  if (const auto why = executor_->failure())
    return body->failed(std::make_exception_ptr(task_error(*why)));
  body->what.kind = tasks::task_kind::fence;
  body->what.name = "fence";
  body->what.shape.split = tasks::split_rule::per_rank;
  body->what.shape.global = tasks::box_of(tasks::range{{ranks_, 1, 1}});
  schedule(std::move(body));
}

void task_runtime::wait(bool all_ranks) {
  throw_failure();
  auto body = std::make_shared<task_body>();
  body->what.kind = tasks::task_kind::epoch;
  body->all_ranks = all_ranks;
  const auto passed =
      std::make_shared<std::promise<void>>(); // whose value is set may return after who waits for it
  body->done = [passed] { passed->set_value(); };
  body->failed = [passed](std::exception_ptr why) { passed->set_exception(std::move(why)); };
  auto waiting = passed->get_future();
  schedule(body);
  waiting.get();
  if (!all_ranks)
    return;
  executor_->wait_until_quiet();
  throw_failure(); // by now all ranks' streams of tasks have been compared
}

void task_runtime::schedule(std::shared_ptr<task_body> body) {
  constexpr std::size_t most_ahead = 4096; // tasks, many times those between two horizons
  executor_->wait_for_room(most_ahead);
  scheduler_->post([this, body = std::move(body)] {
    try {
      plan(body);
    } catch (const std::exception& e) {
      executor_->fail(fmt::format("planning '{}': {}", body->what.name, e.what()));
      executor_->add(body, {}); // its waiters hear of it
    }
  });
}

void task_runtime::plan(const std::shared_ptr<task_body>& body) {
  last_submitted_ = body->what.id = planner_->submit(body->what);
  for (; problems_told_ < planner_->problems().size(); ++problems_told_)
    if (const auto& problem = planner_->problems()[problems_told_];
        problem.level == vocabulary::severity::error)
      executor_->fail(problem.remedy.empty() ? problem.message : problem.message + ". " + problem.remedy);
  executor_->add(body, planner_->take());
}

} // namespace tacit::runtime

// --- what the headers call

namespace tacit::detail {

namespace {
runtime::task_runtime& the_runtime() {
  return runtime::task_runtime::get();
}
} // namespace

std::size_t create_buffer(const buffer_description& description) {
  return the_runtime().create_buffer(description);
}
void name_buffer(std::size_t buffer, const std::string& name) {
  the_runtime().name_buffer(buffer, name);
}
void destroy_buffer(std::size_t buffer) noexcept {
  if (runtime::task_runtime* r = runtime::task_runtime::running())
    r->destroy_buffer(buffer);
}
std::size_t create_host_object() {
  return the_runtime().create_host_object();
}
void destroy_host_object(std::size_t, std::shared_ptr<void>) noexcept {
} // tasks that use it hold its instance
std::size_t create_collective_group() {
  return the_runtime().create_collective_group();
}

void submit(command_group&& group) {
  the_runtime().submit(std::move(group));
}
void fence_buffer(std::size_t buffer, const index_box& region, void* into, std::function<void()> done,
                  std::function<void(std::exception_ptr)> failed) {
  auto body = std::make_shared<runtime::task_body>();
  body->what.accesses.push_back({static_cast<tasks::buffer_id>(buffer), tasks::access_mode::read,
                                 tasks::fixed(runtime::to_box(region))});
  body->into = into;
  body->done = std::move(done);
  body->failed = std::move(failed);
  the_runtime().fence(std::move(body));
}
void fence_host_object(std::size_t object, std::function<void()> done,
                       std::function<void(std::exception_ptr)> failed) {
  auto body = std::make_shared<runtime::task_body>();
  body->what.host_objects.push_back(static_cast<tasks::host_object_id>(object));
  body->done = std::move(done);
  body->failed = std::move(failed);
  the_runtime().fence(std::move(body));
}
void wait(bool all_ranks) {
  the_runtime().wait(all_ranks);
}

void open_queue() {
  the_runtime();
}
void close_queue() noexcept {
  try {
    if (runtime::task_runtime* r = runtime::task_runtime::running())
      r->wait(std::uncaught_exceptions() == 0); // a rank that leaves by an exception comes alone
  } catch (const std::exception&) {
    // The run has failed, and the end of a scope cannot say so: submit(), wait() and futures do.
  }
}
int rank() {
  return the_runtime().rank();
}
int ranks() {
  return the_runtime().ranks();
}

} // namespace tacit::detail
