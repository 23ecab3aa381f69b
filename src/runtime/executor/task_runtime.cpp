#include "runtime/executor/task_runtime.h"

#include "runtime/executor/access_error.h"
#include "runtime/executor/exit_status.h"
#include "runtime/executor/shapes.h"
#include "runtime/mpi/attributes.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"
#include "vocabulary/base/amounts.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <future>
#include <limits>
#include <sched.h>
#include <unistd.h>

namespace tacit::runtime {

namespace {

std::unique_ptr<task_runtime> the_runtime;
thread_local task_runtime* simulated = nullptr;
bool ended = false;
bool our_mpi = false; ///< we have initialised it

/// Threads for kernels, where the user does not say: the cores that this process may use, shared with the ranks that may use
/// the same. Not node_identity: TACIT_RANKS_PER_NODE plays nodes on one machine, whose cores all of its ranks still share. Collective,
/// also where only some ranks are bound to cores.
int default_threads(MPI_Comm world) {
  private_communicator node;
  check_mpi(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node.address()),
            "MPI_Comm_split_type");
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const int cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(1, CPU_COUNT(&mine)) : 1;
  if (cores < sysconf(_SC_NPROCESSORS_ONLN))
    return cores; // bound by the launcher
  return std::max(1, cores / node.size());
}

void check(vocabulary::setting name) {
  if (const std::string fault = vocabulary::fault_of(name); !fault.empty())
    throw task_error(fault);
}

int number_of(vocabulary::setting name, int otherwise) {
  check(name);
  const auto said = vocabulary::whole_number(vocabulary::given(name));
  return said ? static_cast<int>(*said) : otherwise;
}

std::unique_ptr<backend> backend_for(MPI_Comm world) {
  const int otherwise = default_threads(world); // collective
  check(vocabulary::setting::task_backend);
  const std::string_view name = vocabulary::given(vocabulary::setting::task_backend);
  return make_backend(name.empty() ? "threads" : name,
                      number_of(vocabulary::setting::task_threads, otherwise),
                      number_of(vocabulary::setting::task_devices, 0));
}

void finalize_our_mpi() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!our_mpi || finalized)
    return;
  // After an error others may never come to MPI_Finalize; the launcher ends them when this process has ended without it.
  if (task_runtime* r = task_runtime::running(); r && r->failed() && !r->dry())
    return r->tell();
  if (task_runtime::end())
    MPI_Finalize();
}

/// MPI, with the threads that it has to allow, whoever has initialised it.
MPI_Comm ready_world(int threads) {
  int initialized = 0, finalized = 0, provided = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized || ended)
    throw task_error("tasks: MPI has been finalised, or is being");
  if (initialized) {
    MPI_Query_thread(&provided);
  } else {
    MPI_Init_thread(nullptr, nullptr, threads, &provided);
    our_mpi = true;
    std::atexit(&finalize_our_mpi);
  }
  if (provided < threads)
    throw task_error("tasks: MPI was initialised without MPI_THREAD_MULTIPLE. Call MPI_Init_thread with it, "
                     "or leave MPI's "
                     "initialisation to tacit by making the first queue or buffer without it");
  return MPI_COMM_WORLD;
}

/// What TACIT_DRY_RUN_RANKS asks for.
std::optional<dry_run> wanted_dry_run() {
  const int ranks = number_of(vocabulary::setting::dry_run_ranks, 0);
  const int rank = number_of(vocabulary::setting::dry_run_rank, 0);
  if (ranks == 0)
    return std::nullopt;
  if (rank >= ranks)
    throw task_error(fmt::format(
        "TACIT_DRY_RUN_RANK is {}, but must be below TACIT_DRY_RUN_RANKS, which is {}", rank, ranks));
  return dry_run{static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(rank)};
}

/// Of tasks, exchanges and commands each, where only a report reads them: it joins those of one name. Some MB at most.
constexpr std::size_t kept_for_reports = 10'000;

/// A tenth of what `tacit run --max-size` allows the recording, which uses most of it.
std::uint64_t room_beside_recording() {
  const auto most = vocabulary::read_bytes(vocabulary::given(vocabulary::setting::max_size));
  return most ? *most / 10 : std::numeric_limits<std::uint64_t>::max();
}

/// Of this thread: other programs on the machine do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void say(const std::string& what) {
  std::fputs(("tacit: " + what + "\n").c_str(), stderr);
}

} // namespace

// --- one for the process

task_runtime& task_runtime::get() {
  if (simulated)
    return *simulated;
  if (!the_runtime)
    the_runtime = made();
  return *the_runtime;
}

/// A dry run has MPI initialised, too, for what else the program does with it.
std::unique_ptr<task_runtime> task_runtime::made() {
  std::unique_ptr<task_runtime> out;
  if (const auto dry = wanted_dry_run()) {
    const int processes = size_of(ready_world(MPI_THREAD_SINGLE));
    if (processes > 1)
      throw task_error(
          fmt::format("TACIT_DRY_RUN_RANKS is set, but the program runs on {} processes. Start it alone: "
                      "it plans for ranks that do not exist",
                      processes));
    const std::string_view folder = vocabulary::given(vocabulary::setting::task_explain);
    out.reset(new task_runtime(*dry, !folder.empty()));
    out->explain_into_ = folder;
  } else {
    out.reset(new task_runtime());
  }
  call_at_finalize([](MPI_Comm, int, void*, void*) {
    end();
    return MPI_SUCCESS;
  });
  return out;
}

task_runtime* task_runtime::running() {
  return simulated ? simulated : the_runtime.get();
}

bool task_runtime::end() {
  if (!the_runtime)
    return true;
  try {
    the_runtime->wait(until::end);
  } catch (const task_error&) { // said by tell(), unless who waited before has heard of it
  }
  the_runtime->tell();
  const bool all_ranks_come = the_runtime->dry() || !the_runtime->failed();
  ended = true;
  the_runtime.reset();
  return all_ranks_come;
}

task_runtime::task_runtime()
    : world_(private_communicator::like(ready_world(MPI_THREAD_MULTIPLE))),
      for_groups_(private_communicator::like(world_.comm())), rank_(world_.rank()), ranks_(world_.size()),
      executor_(std::make_unique<executor>(world_.comm(), backend_for(world_.comm()))) {
  explain_into_ = vocabulary::given(vocabulary::setting::task_explain);
  if (rank_ == 0)
    record_into_ = vocabulary::given(vocabulary::setting::record);
  begin(!explain_into_.empty() || !record_into_.empty());
  if (rank_ == 0 && progress_report::wanted())
    progress_ = std::make_unique<progress_report>([this] { return progress(); });
}

task_runtime::task_runtime(dry_run as, bool keep_graphs)
    : rank_(static_cast<int>(as.rank)), ranks_(static_cast<int>(as.ranks)) {
  auto nobody = std::make_unique<dry_executor>(static_cast<tasks::rank_id>(rank_));
  dry_ = nobody.get();
  executor_ = std::move(nobody);
  begin(keep_graphs);
}

void task_runtime::begin(bool keep_graphs) {
  for (const vocabulary::setting one :
       {vocabulary::setting::task_discover, vocabulary::setting::task_exchanges,
        vocabulary::setting::task_progress})
    check(one);
  tasks::planner_options options;
  options.ranks = static_cast<std::uint32_t>(ranks_);
  options.me = static_cast<tasks::rank_id>(rank_);
  options.discover = vocabulary::given(vocabulary::setting::task_discover) != "0";
  options.keep_graphs = keep_graphs;
  if (explain_into_.empty() && !dry_)
    options.most_kept = kept_for_reports;
  planner_ = std::make_unique<tasks::planner>(options);
  if (keep_graphs)
    log_ = std::make_unique<plan_log>(options.most_kept);
  scheduler_ = std::make_unique<serial_thread>([this] { executor_->deliver(); });
  create_collective_group(); // number 0, for tasks that name none
}

task_runtime::~task_runtime() {
  progress_.reset();
  scheduler_.reset();
  executor_.reset();
}

// --- what is said of it

std::string task_runtime::progress() const {
  const std::size_t submitted = submitted_, open = executor_->open_tasks();
  return submitted == 0 ? ""
                        : fmt::format("{} submitted, {} have run", count_text(submitted, "task"),
                                      submitted - std::min(submitted, open));
}

/// For who waits until everything is planned.
std::string task_runtime::summary() const {
  std::string out = fmt::format("rank {} of {}: {}", rank_, ranks_, count_text(submitted_, "task"));
  if (dry_)
    out += fmt::format(", {}", text_of(dry_->summary()));
  return out + fmt::format(", {:.2f} us a task to plan",
                           planning_ * 1e6 / static_cast<double>(std::max<std::size_t>(1, submitted_)));
}

/// All ranks have the same failure: the first one says it, and the one that it names.
void task_runtime::say_unheard_failure() const {
  const auto why = executor_->failure();
  if (why && !heard_ && (rank_ == 0 || why->starts_with(fmt::format("rank {}:", rank_))))
    say(*why);
}

void task_runtime::tell() {
  if (unheard())
    fail_at_exit();
  progress_.reset();
  if (!dry_)
    say_unheard_failure();
  scheduler_.reset(); // all is planned that ever will be
  if (dry_) {
    const auto why = executor_->failure();
    say("dry run of " + (why ? fmt::format("rank {} of {} failed: {}", rank_, ranks_, *why) : summary()));
  }
  if (!log_)
    return;
  if (!explain_into_.empty())
    if (const std::string wrong = log_->write_all(explain_into_, *planner_, rank_ == 0 || dry_, summary());
        !wrong.empty())
      say(wrong);
  if (!record_into_.empty())
    if (const std::string wrong = log_->write_json(record_into_, *planner_, room_beside_recording());
        !wrong.empty())
      say(wrong);
}

simulation task_runtime::told() const {
  simulation out;
  out.ranks = static_cast<std::size_t>(ranks_);
  out.rank = static_cast<std::size_t>(rank_);
  out.tasks = submitted_;
  const tasks::plan_summary sum = dry_->summary();
  out.commands = {sum.commands.begin(), sum.commands.end()};
  out.bytes_sent = sum.bytes_sent;
  out.bytes_received = sum.bytes_received;
  out.microseconds_per_task = planning_ * 1e6 / static_cast<double>(std::max<std::size_t>(1, submitted_));
  out.summary = summary();
  out.text = explain_text(*planner_) + log_->command_text(*planner_);
  out.json = explain_json(*planner_, log_->commands());
  out.task_graph = dot_of_tasks(*planner_);
  out.command_graph = dot_of_commands(log_->commands(), planner_->buffers());
  return out;
}

simulation task_runtime::simulate(dry_run as, const std::function<void()>& program) {
  task_runtime run(as, true);
  struct on_this_thread {
    explicit on_this_thread(task_runtime* now) : before(std::exchange(simulated, now)) {}
    on_this_thread(const on_this_thread&) = delete;
    on_this_thread& operator=(const on_this_thread&) = delete;
    ~on_this_thread() { simulated = before; }
    task_runtime* before;
  } const here(&run);
  program();
  run.wait(until::all_ranks);
  run.scheduler_.reset();
  return run.told();
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
  const std::lock_guard lock(submitting_);
  const std::size_t number = next_buffer_++;
  executor_->add_buffer(static_cast<tasks::buffer_id>(number), what);
  tasks::buffer planned;
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
  executor_->name_buffer(static_cast<tasks::buffer_id>(number), name);
  scheduler_->post(
      [this, number, name] { planner_->rename_buffer(static_cast<tasks::buffer_id>(number), name); });
}

void task_runtime::destroy_buffer(std::size_t number) {
  if (!scheduler_) // after an error, at the end of the program
    return;
  scheduler_->post([this, number] {
    const auto next = static_cast<tasks::task_id>(static_cast<std::uint64_t>(last_submitted_) + 1);
    executor_->drop_buffer(static_cast<tasks::buffer_id>(number), next);
    planner_->destroy_buffer(static_cast<tasks::buffer_id>(number));
  });
}

std::size_t task_runtime::create_collective_group() {
  if (dry_)
    return next_group_++;
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
  if (group.weights) {
    if (group.weights->size() != static_cast<std::size_t>(ranks_))
      throw task_error(
          fmt::format("split_by_weights: {} weights for {} ranks", group.weights->size(), ranks_));
    if (std::ranges::all_of(*group.weights, [](std::uint32_t w) { return w == 0; }))
      throw task_error("split_by_weights: all weights are 0, so that nobody would execute the task");
    if (group.split_2d)
      throw task_error("split_by_weights: chunks in two dimensions have no weights; leave out split_2d()");
    t.shape.weights = group.weights;
  }
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
  t.accesses.reserve(group.accesses.size());
  for (const detail::buffer_access& a : group.accesses)
    t.accesses.push_back(
        {static_cast<tasks::buffer_id>(a.buffer), to_mode(a.mode), to_mapper(a.where, group.dims)});
  for (const std::size_t object : group.host_objects)
    t.host_objects.push_back(static_cast<tasks::host_object_id>(object));
  for (const detail::reduction& r : group.reductions) // by which operator, the task that contributes knows
    t.reductions.push_back({static_cast<tasks::buffer_id>(r.buffer), 0, r.include_current});
  return t;
}

std::shared_ptr<const tasks::task> task_runtime::said_by(const detail::command_group& group) {
  if (auto known = known_.find(group))
    return known;
  auto made = std::make_shared<const tasks::task>(describe(group));
  known_.add(group, made);
  return made;
}

void task_runtime::submit(detail::command_group&& group) {
  const std::lock_guard lock(submitting_);
  throw_failure();
  auto body = std::make_shared<task_body>();
  body->what = said_by(group);
  body->group = std::move(group);
  body->group.accesses = {}; // said, and large: what lies until the task has run leaves the caches
  schedule(std::move(body));
}

void task_runtime::fence(std::shared_ptr<task_body> body, tasks::task what) {
  const std::lock_guard lock(submitting_);
  if (const auto why = executor_->failure())
    return body->failed(std::make_exception_ptr(task_error(*why)));
  what.kind = tasks::task_kind::fence;
  what.name = "fence";
  what.shape.split = tasks::split_rule::per_rank;
  what.shape.global = tasks::box_of(tasks::range{{ranks_, 1, 1}});
  body->what = std::make_shared<const tasks::task>(std::move(what));
  schedule(std::move(body));
}

void task_runtime::wait(until when) {
  throw_failure();
  auto body = std::make_shared<task_body>();
  tasks::task what;
  what.kind = tasks::task_kind::epoch;
  what.name = when == until::end ? "end of the program" : "wait";
  body->what = std::make_shared<const tasks::task>(std::move(what));
  body->all_ranks = when != until::here;
  const auto passed =
      std::make_shared<std::promise<void>>(); // whose value is set may return after who waits for it
  body->done = [passed] { passed->set_value(); };
  body->failed = [passed](std::exception_ptr why) { passed->set_exception(std::move(why)); };
  auto waiting = passed->get_future();
  schedule(body);
  waiting.get();
  executor_->free_bodies();
  if (when == until::here)
    return;
  executor_->wait_until_quiet();
  throw_failure(); // by now all ranks' streams of tasks have been compared
}

void task_runtime::schedule(std::shared_ptr<task_body> body) {
  constexpr std::size_t most_ahead = 4096; // tasks, many times those between two horizons
  executor_->wait_for_room(most_ahead);
  if (body->what->kind != tasks::task_kind::epoch)
    ++submitted_;
  const bool planned_here = scheduler_->try_here([&] {
    const bool quick = planner_->foresees();
    if (quick && plan_or_fail(body))
      executor_->deliver();
    return quick;
  });
  if (!planned_here)
    scheduler_->post([this, body = std::move(body)] { plan_or_fail(body); });
}

/// True if there are commands.
bool task_runtime::plan_or_fail(const std::shared_ptr<task_body>& body) {
  try {
    return plan(body);
  } catch (const std::exception& e) {
    executor_->fail(fmt::format("planning {}: {}", name_of(*body), e.what()));
    commands_.clear();
    executor_->add(body, commands_); // its waiters hear of it
    return true;
  }
}

bool task_runtime::plan(const std::shared_ptr<task_body>& body) {
  const bool timed = dry_ || log_; // what nobody reads is not measured
  const double before = timed ? processor_seconds() : 0;
  body->id = planner_->next(); // for what it may throw
  last_submitted_ = body->id = planner_->submit(body->what);
  planner_->take(commands_);
  if (timed)
    planning_ += processor_seconds() - before;
  for (; problems_told_ < planner_->problems().size(); ++problems_told_)
    if (const auto& problem = planner_->problems()[problems_told_];
        problem.level == vocabulary::severity::error)
      executor_->fail(problem.remedy.empty() ? problem.message : problem.message + ". " + problem.remedy);
  if (log_)
    log_->keep(commands_);
  const bool any = !commands_.empty();
  executor_->add(body, commands_);
  return any;
}

} // namespace tacit::runtime

// --- what the headers call

namespace tacit {

simulation simulate(std::size_t ranks, const std::function<void()>& program, std::size_t rank) {
  constexpr std::size_t most = 65'536;
  if (ranks < 1 || ranks > most)
    throw task_error(fmt::format("simulate: {} is no number of ranks from 1 to {}", ranks, most));
  if (rank >= ranks)
    throw task_error(fmt::format("simulate: there is no rank {} among {}", rank, ranks));
  return runtime::task_runtime::simulate(
      {static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(rank)}, program);
}

} // namespace tacit

namespace tacit::detail {

namespace {

using until = runtime::task_runtime::until;

runtime::task_runtime& the_runtime() {
  return runtime::task_runtime::get();
}

/// What the program does: it hears of a failure.
template <typename Action>
void by_program(const Action& action) {
  runtime::task_runtime& here = the_runtime();
  try {
    action(here);
  } catch (const task_error&) {
    here.has_heard();
    throw;
  }
}

/// Of who holds the future.
std::function<void(std::exception_ptr)> heard(std::function<void(std::exception_ptr)> failed) {
  return [failed = std::move(failed)](std::exception_ptr why) {
    if (auto* here = runtime::task_runtime::running())
      here->has_heard();
    failed(std::move(why));
  };
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
/// Tasks that use it hold its instance. NOLINTNEXTLINE(performance-unnecessary-value-param): the interface takes what it owned.
void destroy_host_object(std::size_t, std::shared_ptr<void>) noexcept {}
std::size_t create_collective_group() {
  return the_runtime().create_collective_group();
}

void accessed_outside(std::size_t accessor, int dims, const extents& at, const index_box& may) {
  std::string index;
  for (int d = 0; d < dims; ++d)
    index += fmt::format("[{}]", at[static_cast<std::size_t>(d)]);
  const tasks::box allowed = runtime::to_box(may);
  throw runtime::access_error(accessor, fmt::format("is accessed at {}, but here the task may access {}",
                                                    index, allowed.empty() ? "nothing" : text_of(allowed)));
}

void submit(command_group&& group) {
  by_program([&](runtime::task_runtime& here) { here.submit(std::move(group)); });
}
void fence_buffer(std::size_t buffer, const index_box& region, void* into, std::function<void()> done,
                  std::function<void(std::exception_ptr)> failed) {
  auto body = std::make_shared<runtime::task_body>();
  tasks::task what;
  what.accesses.push_back({static_cast<tasks::buffer_id>(buffer), tasks::access_mode::read,
                           tasks::fixed(runtime::to_box(region))});
  body->into = into;
  body->done = std::move(done);
  body->failed = heard(std::move(failed));
  the_runtime().fence(std::move(body), std::move(what));
}
void fence_host_object(std::size_t object, std::function<void()> done,
                       std::function<void(std::exception_ptr)> failed) {
  auto body = std::make_shared<runtime::task_body>();
  tasks::task what;
  what.host_objects.push_back(static_cast<tasks::host_object_id>(object));
  body->done = std::move(done);
  body->failed = heard(std::move(failed));
  the_runtime().fence(std::move(body), std::move(what));
}
void wait(bool all_ranks) {
  by_program([&](runtime::task_runtime& here) { here.wait(all_ranks ? until::all_ranks : until::here); });
}

void open_queue() {
  the_runtime();
}
void close_queue() noexcept {
  try {
    if (runtime::task_runtime* r = runtime::task_runtime::running())
      r->wait(std::uncaught_exceptions() == 0
                  ? until::all_ranks
                  : until::here); // a rank that leaves by an exception comes alone
  } catch (const std::exception&) {
    // The run has failed, and the end of a scope cannot say so: submit(), wait() and futures do, or the end of the program.
  }
}
int rank() {
  return the_runtime().rank();
}
int ranks() {
  return the_runtime().ranks();
}

} // namespace tacit::detail
