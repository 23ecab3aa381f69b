// Functions that run on stacks of their own and hand the thread to each other: what items of a work group need at a barrier.
//
// A switch saves the registers that calls preserve and changes the stack, 5 ns on x86-64; elsewhere ucontext does the same with
// a system call for the signal mask. Fibers stay on the thread that made them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tacit::runtime {

class fiber {
public:
  /// `main` is called at the first resume(), and again at each resume() after it has returned. It must not throw.
  explicit fiber(std::function<void()> main);
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

} // namespace tacit::runtime
