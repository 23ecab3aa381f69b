// What one thread finds out while the program goes on (seed 000 section 3.2: the optimization "can be offloaded to a separate core and
// optimize schedules while the (unoptimized or partially optimized) communication takes place").
//
// The thread calls nothing of MPI, so that the program need not have asked for threads, and nothing of the program's. It ends when it has
// a result, or soon after it is told to: between two passes. Whoever owns it waits for that, and so does MPI_Finalize for those
// that are never destroyed, as nothing may run while the process takes itself down. In a process that was made by fork there is no
// thread, and nobody waits for one.
#pragma once

#include "runtime/schedule/wire.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace tacit::runtime {

class background_analysis {
public:
  enum class state : std::uint8_t { under_way, ready, failed };
  /// Returns what scatter_by_tree takes. `go_on` throws when nobody wants the result any more.
  using work = std::function<std::vector<message>(const std::function<void()>& go_on)>;

  /// If there can be no further thread it has failed. Throws mpi_error and std::bad_alloc. Local.
  explicit background_analysis(work what);
  ~background_analysis();
  background_analysis(const background_analysis&) = delete;
  background_analysis& operator=(const background_analysis&) = delete;

  state now() const { return state_.load(std::memory_order_acquire); }
  /// Once, when it is ready.
  std::vector<message> take() { return std::move(result_); }
  /// Why it has failed, for people.
  const std::string& fault() const { return fault_; }
  /// It ends without a result unless it has one; returns when the thread is over.
  void stop() noexcept;

private:
  void run(const work& what) noexcept;

  std::atomic<state> state_{state::under_way};
  std::atomic<bool> unwanted_{false};
  std::vector<message> result_;
  std::string fault_;
  pid_t process_;
  std::thread thread_; ///< last: it uses the others
};

} // namespace tacit::runtime
