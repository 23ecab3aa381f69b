// Functions that run on stacks of their own and hand the thread to each other: what items of a work group need at a barrier, and work that
// waits for other ranks while the program goes on (runtime/mpi/resumable_work.h).
//
// A switch saves the registers that calls preserve and changes the stack, 5 ns on x86-64; elsewhere ucontext does the same with
// a system call for the signal mask. Work groups resume them on the thread that made them; whoever resumes one on several threads, one
// after the other, must see to it that it suspends itself where no exception is being handled.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace tacit::vocabulary {

class fiber {
public:
  static constexpr std::size_t usual_stack = 256 * 1024;
  /// `main` is called at the first resume(), and again at each resume() after it has returned. It must not throw.
  explicit fiber(std::function<void()> main, std::size_t stack_bytes = usual_stack);
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber();

  /// From outside: runs the fiber until it calls suspend() or its main returns.
  void resume();
  /// From inside: back to who resumed it.
  void suspend();
  /// From inside: goes on with another one that has suspended itself or handed over, which then returns to who resumed this one.
  void hand_over(fiber& to);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace tacit::vocabulary
