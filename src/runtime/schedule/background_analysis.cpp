#include "runtime/schedule/background_analysis.h"

#include "runtime/mpi/left_at_finalize.h"

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tacit::runtime {
namespace {

struct not_wanted {};

void stop_all(const std::vector<background_analysis*>& left) {
  for (background_analysis* each : left)
    each->stop();
}

using analyses_left = left_at_finalize<background_analysis, stop_all>;

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
  analyses_left::add(this);
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
    analyses_left::remove(this);
    throw;
  }
}

background_analysis::~background_analysis() {
  analyses_left::remove(this);
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
