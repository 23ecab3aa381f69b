#include "interpose/takeover/request_table.h"

#include "interpose/layer/mpi_library.h"
#include "interpose/takeover/agreed_groups.h"
#include "runtime/run/progress.h"

namespace tacit::interpose {

namespace {

extern "C" int taken_query(void*, MPI_Status*) {
  return MPI_SUCCESS;
}
extern "C" int taken_free(void*) {
  return MPI_SUCCESS;
}
extern "C" int taken_cancel(void*, int) {
  return MPI_SUCCESS;
}

/// On while the program has requests of ours, or has freed some that are active.
struct interests_in_requests {
  interest meeting{attention::requests};
  interest blocking{attention::glances};
  void name_calls() {
    meeting.add({call_class::complete, call_class::request_query, call_class::start, call_class::cancel,
                 call_class::request_free});
    blocking.add({call_class::send, call_class::recv, call_class::sendrecv, call_class::probe,
                  call_class::mprobe, call_class::mrecv, call_class::complete, call_class::collective,
                  call_class::comm_make, call_class::comm_free, call_class::unknown});
  }
  void switch_on() {
    meeting.switch_on();
    blocking.switch_on();
  }
  void switch_off() {
    meeting.switch_off();
    blocking.switch_off();
  }
};

interests_in_requests& while_requests() {
  static interests_in_requests& only = *new interests_in_requests;
  return only;
}

#ifdef MPI_ABI_VERSION
int number_in_fortran(MPI_Request request) {
  return MPI_Request_toint(request);
}
#else
MPI_Fint number_in_fortran(MPI_Request request) {
  return MPI_Request_c2f(request);
}
#endif

} // namespace

int request_table::add(taken_request& r) {
  const std::lock_guard lock(guard_);
  if (unused_.empty()) {
    if (all_.size() == all_.capacity())
      all_.reserve(2 * all_.size() + 16);
    unused_.reserve(all_.capacity()); // so that nothing fails with a handle in hand, or in `remove`
    MPI_Request made{};
    const int code = MPI_Grequest_start(taken_query, taken_free, taken_cancel, nullptr, &made);
    if (code != MPI_SUCCESS)
      return code;
    unused_.push_back(made);
    all_.push_back(made);
    own_requests.add(bits(made));
    own_fortran_requests.add(bits(number_in_fortran(made)));
  }
  r.handle = unused_.back();
  by_handle_[bits(r.handle)] = &r;
  unused_.pop_back();
  count_requests();
  return MPI_SUCCESS;
}

void request_table::remove(taken_request& r) {
  const std::lock_guard lock(guard_);
  by_handle_.erase(bits(r.handle));
  unused_.push_back(r.handle);
  count_requests();
}

void request_table::keep_until_complete(taken_request* r) {
  const std::lock_guard lock(guard_);
  freed_.push_back(r);
  count_requests();
}

std::vector<taken_request*> request_table::take_freed() {
  const std::lock_guard lock(guard_);
  std::vector<taken_request*> list = std::exchange(freed_, {});
  count_requests();
  return list;
}

std::vector<taken_request*> request_table::all() {
  const std::lock_guard lock(guard_);
  std::vector<taken_request*> list;
  for (const MPI_Request handle : all_)
    if (taken_request* const* found = by_handle_.find(bits(handle)))
      list.push_back(*found);
  return list;
}

void request_table::free_handles() {
  const std::lock_guard lock(guard_);
  for (MPI_Request& handle : all_) {
    MPI_Grequest_complete(handle);
    MPI_Request_free(&handle);
  }
  all_.clear();
  unused_.clear();
  by_handle_ = {};
  own_requests.clear();
  own_fortran_requests.clear();
  count_requests();
}

void request_table::count_requests() {
  size_.store(by_handle_.size(), std::memory_order_release);
  any_freed_.store(!freed_.empty(), std::memory_order_relaxed);
  const bool any = by_handle_.size() > 0 || !freed_.empty();
  if (any && !watching_)
    while_requests().switch_on();
  if (!any && watching_)
    while_requests().switch_off();
  watching_ = any;
}

request_table& table() {
  static request_table* const t = new request_table;
  return *t;
}

namespace {

void keep_failure(taken_request& r) {
  r.complete = r.broken = true;
  runtime::execution& run = r.operation.run();
  run.failure = std::current_exception();
  runtime::end_progress(run);
  std::string text;
  r.error = code_of_failure(&r.operation, text);
  say_failure(text);
}

} // namespace

int start(taken_request& r) {
  if (r.active || r.broken)
    return MPI_ERR_REQUEST;
  r.active = true;
  r.complete = false;
  r.error = MPI_SUCCESS;
  try {
    r.staging.before_start();
    r.operation.run().start();
    if (r.persistent)
      count_start(is_native(r.operation)); // a run chooses its variant when it starts
    runtime::begin_progress(r.operation.run());
    return MPI_SUCCESS;
  } catch (...) {
    keep_failure(r);
    return r.error;
  }
}

/// Progresses everything; true if this one has completed.
bool is_complete(taken_request& r) {
  if (r.complete)
    return true;
  try {
    r.complete = runtime::progress_all(r.operation.run());
    if (r.complete)
      r.staging.after_completion();
  } catch (...) {
    keep_failure(r);
  }
  return r.complete;
}

void wait_until_complete(taken_request& r) {
  if (r.complete)
    return;
  try {
    runtime::wait_for(r.operation.run());
    r.complete = true;
    r.staging.after_completion();
  } catch (...) {
    keep_failure(r);
  }
}

/// The program is told that a request has completed: it becomes inactive or null.
int tell(taken_request& r, MPI_Request& handle) {
  const int code = r.error;
  r.active = r.complete = false;
  r.error = MPI_SUCCESS;
  if (!r.persistent) {
    handle = MPI_REQUEST_NULL;
    table().remove(r);
    delete &r;
  }
  return code;
}

interest_bits request_interests() {
  return static_cast<interest_bits>(while_requests().meeting.bit() | while_requests().blocking.bit());
}

void name_request_calls() {
  while_requests().name_calls();
}

} // namespace tacit::interpose
