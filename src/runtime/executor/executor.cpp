#include "runtime/executor/executor.h"

#include "runtime/executor/error_text.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"
#include "runtime/mpi/tags.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace tacit::runtime {

// --- the threads

executor::executor(MPI_Comm world, std::unique_ptr<backend> on)
    : messages_(private_communicator::like(world)), barriers_(private_communicator::like(world)),
      rank_(rank_in(world)), size_(size_of(world)), most_tags_(highest_tag(world)), on_(std::move(on)),
      watch_(world),
      exchanges_(world,
                 {[this](tasks::buffer_id b) -> local_buffer& { return buffer(b); }, on_.get(), &requests_,
                  [this](int rank) { return watch_.beside(rank); }, !more_ranks_than_cores()}),
      threads_{std::thread([this] { serve(); }), std::thread([this] { serve(); })} {}

executor::~executor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  change_.notify_all();
  for (std::thread& t : threads_)
    t.join();
  groups_.clear();
  while (elsewhere_.load() > 0) // work of the backend that an error has left behind
    std::this_thread::yield();
  if (failure_) { // MPI may still write into what is under way
    requests_.abandon();
    exchanges_.abandon();
    leave_under_way(std::move(buffers_));
  }
}

/// With the lock. Who runs a kernel looks itself when it has ended, and who leads, before it rests.
void executor::wake() {
  if (!leading_ && asleep_ > 0 && in_kernel_ != std::this_thread::get_id())
    change_.notify_one();
}

void executor::post(task_function what) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(what));
  wake();
}

bool executor::run_posted() {
  constexpr std::size_t most_lists = 256;
  {
    const std::lock_guard lock(mutex_);
    posts_.swap(posted_);
    deliveries_.swap(delivered_);
    for (; !spent_.empty(); spent_.pop_back())
      if (lists_.size() < most_lists)
        lists_.push_back(std::move(spent_.back()));
  }
  ending_.swap(ended_);
  for (const ended_part& e : ending_)
    part_ended(e.command, e.error);
  for (const auto& f : posts_)
    f();
  for (delivery& d : deliveries_)
    receive(std::move(d));
  const bool any = !ending_.empty() || !posts_.empty() || !deliveries_.empty();
  forget_taken(); // now: what they hold may be the program's
  return any;
}

void executor::forget_taken() {
  ending_.clear();
  posts_.clear();
  for (delivery& d : deliveries_)
    if (d.commands.capacity() > 0) {
      d.commands.clear();
      spent_.push_back(std::move(d.commands));
    }
  deliveries_.clear();
}

/// What has ended often makes the next thing start and end at once; asking MPI in between may cost the core.
constexpr int rounds_between_messages = 8;

/// After which a thread looks around if nobody leads.
constexpr std::chrono::milliseconds pause_comparing{1}, longest_pause{5};

void executor::serve() {
  // Who offers the core to others while it waits for messages wants it back as soon as it has slept: not 50 us later, the default.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  std::unique_lock lock(mutex_);
  for (;;) {
    take_the_lead(lock);
    lock.unlock();
    std::optional<ready_kernel> kernel = lead();
    lock.lock();
    leading_ = false;
    if (kernel) {
      run_here(lock, std::move(*kernel));
      continue;
    }
    if (stopping_ && !something_posted())
      return change_.notify_all();
    quiet_ = nothing_to_do();
    pause_ = !failure_ && watch_.open() > 0 ? pause_comparing : longest_pause;
    if (quiet_)
      room_.notify_all();
  }
}

/// Waits until there is something for who leads: posted, or, as long as anything is under way, to look for errors of others.
void executor::take_the_lead(std::unique_lock<std::mutex>& lock) {
  const auto wanted = [this] { return !leading_ && (something_posted() || stopping_); };
  ++asleep_;
  while (!wanted())
    if (quiet_) {
      ++rest_until_woken_;
      change_.wait(lock);
      --rest_until_woken_;
    } else if (change_.wait_for(lock, leading_ ? longest_pause : pause_) == std::cv_status::timeout &&
               !leading_ && !quiet_) // who led meanwhile may have left nothing to look around for
      break;
  --asleep_;
  leading_ = true;
  quiet_ = false;
}

namespace {

/// Not MPI's clock: who is woken for nothing but a buffer that has gone may not call MPI, which may be ending.
double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

/// Goes on until there is nothing to do but wait for what other threads post, or a kernel to be run by this one.
std::optional<executor::ready_kernel> executor::lead() {
  for (;;) {
    try {
      bool moved = false;
      for (int i = 0; i < rounds_between_messages && run_posted(); ++i)
        moved = true;
      if (!failure_)
        moved |= requests_.test();
      const double now = seconds_now();
      look_around(now);
      if (moved) {
        waiting_since_ = 0;
        continue;
      }
      if (auto kernel = next_kernel())
        return kernel;
      if (!poll_on(now) || stopping_)
        return std::nullopt;
    } catch (const std::exception& e) {
      forget_taken();
      end(fmt::format("rank {}: {}", rank_, e.what()), true);
    }
  }
}

/// Kernels that are ready start elsewhere, but for one, if this thread has nothing better to do.
std::optional<executor::ready_kernel> executor::next_kernel() {
  std::vector<ready_kernel> ready;
  ready.swap(kernels_);
  if (failure_) {
    elsewhere_ -= ready.size(); // they never end
    return std::nullopt;
  }
  if (ready.empty())
    return std::nullopt;
  bool here = requests_.empty();
  if (here) {
    const std::lock_guard lock(mutex_);
    here = !in_kernel_ && !stopping_;
  }
  for (std::size_t i = here ? 1 : 0; i < ready.size(); ++i)
    on_->launch(ready[i].device, std::move(ready[i].what), std::move(ready[i].done));
  if (!here)
    return std::nullopt;
  return std::move(ready[0]);
}

/// Without the lead.
void executor::run_here(std::unique_lock<std::mutex>& lock, ready_kernel&& kernel) {
  in_kernel_ = std::this_thread::get_id();
  if (something_posted() || rest_until_woken_ > 0) // from now on the other one has to look around
    change_.notify_one();
  lock.unlock();
  on_->run(kernel.device, std::move(kernel.what), std::move(kernel.done));
  lock.lock();
  in_kernel_.reset();
}

bool executor::nothing_to_do() const {
  return failure_ || (running_.empty() && requests_.empty() && watch_.open() == 0);
}

/// On this node. Then who waits for a flag in memory keeps a core from those that it waits for, and MPI hands it over sooner.
bool executor::more_ranks_than_cores() const {
  int ranks = 1;
  for (int r = 0; r < size_; ++r)
    ranks += watch_.beside(r) ? 1 : 0;
  return ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

/// With messages under way MPI has to be asked again and again; else whoever posts wakes a thread to lead, and one looks around now
/// and then for errors of others as long as anything runs.
bool executor::poll_on(double now) {
  constexpr double before_offering = 20e-6; // as long as a message within a node takes
  const bool messages = !failure_ && !requests_.empty();
  if (messages || (!failure_ && watch_.open() > 0)) {
    if (waiting_since_ == 0)
      waiting_since_ = now;
    if (messages && now - waiting_since_ > before_offering)
      offer_core_to_submitter();
    if (now - waiting_since_ > 1)
      if (const auto ended = watch_.look_for_ended())
        end(*ended, true);
  }
  return messages;
}

/// Or to other processes.
void executor::offer_core_to_submitter() {
  const std::uint64_t before = submitter_.tasks();
  if (offer_core() && submitter_.tasks() != before && submitter_.had_this_core())
    keep_yielding();
}

/// Now and then: MPI may yield the core whenever it is asked and has nothing to do. And only while something is under way: see
/// wait_until_quiet().
void executor::look_around(double now) {
  constexpr double pause = 1e-3;
  if (nothing_to_do() || size_ == 1 || now - looked_ < pause)
    return;
  looked_ = now;
  if (auto problem = watch_.look())
    end(*problem, false);
  note_comparisons();
}

void executor::note_comparisons() {
  const std::lock_guard lock(mutex_);
  if (watch_.open() < compared_)
    room_.notify_all();
  compared_ = watch_.open();
}

void executor::end(const std::string& why, bool tell_others) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_)
      return;
    failure_ = why;
  }
  room_.notify_all();
  if (tell_others)
    watch_.tell(why);
  const auto error = std::make_exception_ptr(task_error(why));
  for (const auto& body : bodies_)
    if (body && body->failed)
      std::exchange(body->failed, nullptr)(error);
}

std::optional<std::string> executor::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// --- what other threads say

void executor::add_buffer(tasks::buffer_id number, const detail::buffer_description& what) {
  auto made = std::make_unique<local_buffer>(
      *on_, what, [this](task_function f) { post(std::move(f)); },
      [this](const std::exception_ptr& e) { end(fmt::format("rank {}: {}", rank_, text_of(e)), true); });
  post([this, number, made = std::make_shared<std::unique_ptr<local_buffer>>(std::move(made))] {
    if (buffers_.size() <= index(number))
      buffers_.resize(index(number) + 1);
    buffers_[index(number)] = std::move(*made);
  });
}

void executor::name_buffer(tasks::buffer_id number, const std::string& name) {
  post([this, number, name] { names_[number] = name; });
}

void executor::drop_buffer(tasks::buffer_id number, tasks::task_id before) {
  post([this, number, before] { dropped_.emplace_back(number, before); });
}

void executor::add_collective_group(std::uint32_t number, MPI_Comm communicator) {
  post([this, number, communicator] { groups_[number] = {communicator, std::make_unique<serial_thread>()}; });
}

void executor::wait_for_room(std::size_t most) {
  std::vector<std::shared_ptr<task_body>> done; // freed without the lock: what they hold may post
  std::unique_lock lock(mutex_);
  constexpr std::size_t most_comparisons =
      256; // each is a nonblocking collective, of which MPI keeps some KiB
  room_.wait(lock, [&] { return (kept_ < most && compared_ < most_comparisons) || failure_; });
  ++kept_;
  done.swap(done_bodies_);
}

void executor::free_bodies() {
  std::vector<std::shared_ptr<task_body>> done; // freed without the lock: what they hold may post
  const std::lock_guard lock(mutex_);
  done.swap(done_bodies_);
}

std::size_t executor::open_tasks() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void executor::wait_until_quiet() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return (quiet_ && !leading_ && !something_posted()) || failure_; });
}

/// Tasks that are waited for all come with one wake-up, and those of a long program by the dozen.
void executor::add(std::shared_ptr<task_body> body, std::vector<tasks::command>& commands) {
  constexpr std::size_t most_kept = 16;
  const std::lock_guard lock(mutex_);
  submitter_.submits();
  delivered_.push_back({std::move(body), {}});
  if (!commands.empty())
    delivered_.back().commands.swap(commands);
  if (commands.capacity() == 0 && !lists_.empty()) {
    commands = std::move(lists_.back());
    lists_.pop_back();
  }
  if (delivered_.size() >= most_kept)
    wake();
}

void executor::deliver() {
  const std::lock_guard lock(mutex_);
  if (something_posted())
    wake();
}

void executor::fail(const std::string& why) {
  post([this, why] { end(why, true); });
}

} // namespace tacit::runtime
