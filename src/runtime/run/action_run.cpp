#include "runtime/run/action_run.h"

#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <numeric>
#include <utility>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tacit::runtime {

namespace {
bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}
} // namespace

std::string describe(const action_note& note) {
  if (note.peer < 0)
    return fmt::format("{} with blocks of {} B", note.what, note.bytes);
  return fmt::format("{} rank {}, {} B", note.what, note.peer, note.bytes);
}

action_list::~action_list() {
  if (mpi_is_over())
    return;
  for (MPI_Datatype& type : types_)
    if (type != MPI_DATATYPE_NULL)
      MPI_Type_free(&type);
}

action_id action_list::add_local(std::function<void()> work) {
  actions_.push_back({std::move(work), nullptr, {}, nullptr});
  return static_cast<action_id>(actions_.size() - 1);
}

action_id action_list::add_posted(std::function<void(MPI_Request*)> post, action_note note) {
  actions_.push_back({nullptr, std::move(post), note, nullptr});
  return static_cast<action_id>(actions_.size() - 1);
}

action_id action_list::add_polled(std::unique_ptr<polled_work> work, action_note note) {
  actions_.push_back({nullptr, nullptr, note, std::move(work)});
  return static_cast<action_id>(actions_.size() - 1);
}

void action_list::leave_memory_to_mpi() {
  for (auto& piece : memory_) {
    std::byte* const left = piece.release();
#ifdef __SANITIZE_ADDRESS__
    __lsan_ignore_object(left); // meant
#else
    static_cast<void>(left);
#endif
  }
}

std::byte* action_list::allocate(std::uint64_t bytes) {
  memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(std::max<std::uint64_t>(bytes, 1)));
  return memory_.back().get();
}

MPI_Datatype action_list::absolute_type(const std::vector<graphs::segment>& bytes) {
  constexpr std::uint64_t largest_piece = std::uint64_t{1} << 30; // block lengths are int
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  for (const graphs::segment& s : bytes)
    for (std::uint64_t done = 0; done < s.length; done += largest_piece) {
      lengths.push_back(static_cast<int>(std::min(largest_piece, s.length - done)));
      displacements.push_back(static_cast<MPI_Aint>(s.address + done));
    }
  if (lengths.size() > INT_MAX)
    throw mpi_error(MPI_ERR_COUNT, "a message of more than 2^31 separate pieces");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  types_.push_back(type); // first, so that the type is not lost if there is no memory
  check_mpi(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                                     MPI_BYTE, &type),
            "MPI_Type_create_hindexed");
  types_.back() = type;
  check_mpi(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return types_.back();
}

action_run::successor_rows action_run::rows_of(const std::vector<action_list::edge>& edges,
                                               std::size_t actions) {
  successor_rows rows;
  rows.first.assign(actions + 1, 0);
  for (const auto& e : edges)
    ++rows.first[e.before + 1];
  for (std::size_t i = 0; i < actions; ++i)
    rows.first[i + 1] += rows.first[i];
  rows.list.resize(edges.size());
  std::vector<std::uint32_t> next(rows.first.begin(), rows.first.end() - 1);
  for (const auto& e : edges)
    rows.list[next[e.before]++] = e.after;
  return rows;
}

action_run::action_run(action_list actions) : actions_(std::move(actions)) {
  const std::size_t n = actions_.actions_.size();
  on_completion_ = rows_of(actions_.on_completion_, n);
  on_start_ = rows_of(actions_.on_start_, n);
  predecessors_.assign(n, 0);
  ready_.reserve(n); // so that a request that has been started is never lost for want of memory
  active_.reserve(n);
  active_actions_.reserve(n);
  polling_.reserve(n);
  for (const auto* edges : {&actions_.on_completion_, &actions_.on_start_})
    for (const auto& e : *edges)
      ++predecessors_[e.after];
  for (action_id id = 0; id < n; ++id)
    if (predecessors_[id] == 0)
      first_.push_back(id);
  // What others wait for leaves before this rank works for itself.
  const auto sends =
      std::stable_partition(first_.begin(), first_.end(), [&](action_id id) { return is_receive(id); });
  std::stable_partition(sends, first_.end(), [&](action_id id) { return !actions_.actions_[id].work; });
}

action_run::~action_run() {
  if (done())
    return;
  actions_.leave_memory_to_mpi();
  withdraw_receives();
}

bool action_run::is_receive(action_id id) const {
  return actions_.actions_[id].note.what == "receive from";
}

/// A receive that stayed posted would take the next message that its communicator is used for.
void action_run::withdraw_receives() {
  if (mpi_is_over())
    return;
  for (std::size_t i = 0; i < active_.size(); ++i)
    if (active_[i] != MPI_REQUEST_NULL && is_receive(active_actions_[i])) {
      MPI_Cancel(&active_[i]);
      MPI_Request_free(&active_[i]);
    }
}

void action_run::release(const successor_rows& rows, action_id before) {
  for (std::uint32_t i = rows.first[before]; i < rows.first[before + 1]; ++i)
    if (--waiting_[rows.list[i]] == 0)
      ready_.push_back(rows.list[i]);
}

void action_run::begin(action_id id) {
  auto& t = actions_.actions_[id];
  if (t.work) {
    t.work();
    release(on_start_, id);
    release(on_completion_, id);
    --left_;
    return;
  }
  if (t.polled) {
    const bool complete = t.polled->begin();
    release(on_start_, id);
    if (complete) {
      release(on_completion_, id);
      --left_;
    } else {
      polling_.push_back(id);
    }
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  t.post(&request);
  active_.push_back(request);
  active_actions_.push_back(id);
  release(on_start_, id);
}

void action_run::start_ready() {
  for (std::size_t i = 0; i < ready_.size(); ++i)
    begin(ready_[i]); // grows while it runs
  ready_.clear();
}

void action_run::start() {
  waiting_ = predecessors_;
  left_ = waiting_.size();
  active_.clear();
  active_actions_.clear();
  polling_.clear();
  ready_ = first_;
  start_ready();
}

void action_run::make_room() {
  if (finished_.size() >= active_.size())
    return;
  finished_.resize(active_.size());
  statuses_.resize(active_.size());
}

void action_run::check_completion(int code, int count, const char* call) const {
  if (code == MPI_SUCCESS)
    return;
  if (code == MPI_ERR_IN_STATUS)
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int one = statuses_[at].MPI_ERROR;
      if (one != MPI_SUCCESS && one != MPI_ERR_PENDING)
        check_mpi(one,
                  describe(actions_.actions_[active_actions_[static_cast<std::size_t>(finished_[at])]].note)
                      .c_str());
    }
  check_mpi(code, call);
}

void action_run::completed(int count) {
  if (count == MPI_UNDEFINED) { // all remaining requests were complete when posted
    count = static_cast<int>(active_.size());
    for (int i = 0; i < count; ++i)
      finished_[static_cast<std::size_t>(i)] = i;
  }
  // From the back, so that moving the last entry into the gap does not disturb indices still to come.
  std::sort(finished_.begin(), finished_.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)]);
    const action_id id = active_actions_[at];
    active_[at] = active_.back();
    active_actions_[at] = active_actions_.back();
    active_.pop_back();
    active_actions_.pop_back();
    --left_;
    release(on_completion_, id);
  }
  moved_ = moved_ || count > 0;
  start_ready();
}

void action_run::progress_polled() {
  for (std::size_t i = 0; i < polling_.size();) {
    const action_id id = polling_[i];
    if (!actions_.actions_[id].polled->poll()) {
      ++i;
      continue;
    }
    polling_[i] = polling_.back();
    polling_.pop_back();
    --left_;
    release(on_completion_, id);
    moved_ = true;
  }
  start_ready();
}

bool action_run::progress() {
  if (done())
    return true;
  moved_ = false;
  if (!polling_.empty())
    progress_polled();
  if (!active_.empty())
    progress_requests();
  return done();
}

void action_run::progress_requests() {
  make_room();
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(active_.size()), active_.data(), &count, finished_.data(),
                                statuses_.data());
  check_completion(code, count, "MPI_Testsome");
  completed(count);
}

/// Only requests are left, and nothing waits for one of them alone: MPI looks at each once instead of once per completion.
void action_run::wait_for_requests() {
  const auto count = static_cast<int>(active_.size());
  std::iota(finished_.begin(), finished_.begin() + count, 0);
  const int code = MPI_Waitall(count, active_.data(), statuses_.data());
  check_completion(code, count, "MPI_Waitall");
  completed(count);
}

void action_run::wait_for_some() {
  int count = 0;
  const int code = MPI_Waitsome(static_cast<int>(active_.size()), active_.data(), &count, finished_.data(),
                                statuses_.data());
  check_completion(code, count, "MPI_Waitsome");
  completed(count);
}

void action_run::finish() {
  while (!done()) {
    if (!polling_.empty()) {
      progress();
      continue;
    }
    make_room();
    if (left_ == active_.size())
      wait_for_requests();
    else
      wait_for_some();
  }
}

} // namespace tacit::runtime
