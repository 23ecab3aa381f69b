#include "runtime/schedule/background_analysis.h"

#include "runtime/mpi/attributes.h"

#include <csignal>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tacit::runtime {
namespace {

struct not_wanted {};

/// Those of this process. Never destroyed: schedules that are never freed have some.
struct registry {
  std::mutex guard;
  std::vector<background_analysis*> list;
};
registry& all() {
  static registry* const one = new registry;
  return *one;
}

int stop_all(MPI_Comm, int, void*, void*) {
  std::vector<background_analysis*> left;
  {
    const std::lock_guard lock(all().guard);
    left.swap(all().list);
  }
  for (background_analysis* each : left)
    each->stop();
  return MPI_SUCCESS;
}

void enlist(background_analysis* one) {
  [[maybe_unused]] static const bool ends_with_mpi = (call_at_finalize(stop_all), true);
  const std::lock_guard lock(all().guard);
  all().list.push_back(one);
}

void strike_off(background_analysis* one) noexcept {
  const std::lock_guard lock(all().guard);
  std::erase(all().list, one);
}

/// Of this thread, for those that it makes meanwhile.
class all_signals_blocked {
public:
  all_signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~all_signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  all_signals_blocked(const all_signals_blocked&) = delete;
  all_signals_blocked& operator=(const all_signals_blocked&) = delete;

private:
  sigset_t before_{};
};

} // namespace

background_analysis::background_analysis(work what) : process_(getpid()) {
  enlist(this);
  const all_signals_blocked
      for_the_thread; // they are the program's, whose threads block and wait for them as they like
  try {
    thread_ = std::thread([this, what = std::move(what)]() mutable {
      run(what);
      what = nullptr; // what it holds is large
    });
  } catch (const std::system_error& e) {
    fault_ = std::string("there can be no further thread: ") + e.what();
    state_.store(state::failed, std::memory_order_release);
  } catch (...) {
    strike_off(this);
    throw;
  }
}

background_analysis::~background_analysis() {
  strike_off(this);
  stop();
}

void background_analysis::run(const work& what) noexcept {
  state end = state::failed;
  try {
    result_ = what([this] {
      if (unwanted_.load(std::memory_order_relaxed))
        throw not_wanted();
    });
    end = state::ready;
  } catch (const not_wanted&) { // nobody will ask
  } catch (const std::bad_alloc&) {
    fault_ = "no memory"; // short: kept in place
  } catch (const std::exception& e) {
    try {
      fault_ = e.what();
    } catch (...) {
      fault_.clear();
    }
  } catch (...) {
    fault_ = "unknown error"; // likewise
  }
  state_.store(end, std::memory_order_release);
}

void background_analysis::stop() noexcept {
  unwanted_.store(true, std::memory_order_relaxed);
  if (!thread_.joinable())
    return;
  if (getpid() == process_)
    thread_.join();
  else
    static_cast<void>(new (std::nothrow) std::thread(std::move(thread_))); // which is not there
}

} // namespace tacit::runtime
