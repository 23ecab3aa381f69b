// Work that waits for other ranks, and in which nevertheless nobody is blocked: whoever has begun it goes on with it now and then, and
// whenever it would wait it gives the thread back.
//
// Problem: what ranks do together before they can run a schedule (agreeing, telling each other their memory) is written as it is thought,
// one step after the other, each with a wait for the others. In a start of a schedule, which must not block, none of them may be waited for.
// Idea: the work has a stack of its own (base/fibers.h), and all waits of ours go through await.h, which asks `pause` first. So the same
// functions serve both. What waits inside MPI still blocks (MPI_Comm_create_group, windows); who hands over work sees to it that there is
// none of that.
//
// It terminates if every rank that takes part goes on with it often enough. Nothing else is progressed from inside, where the stack is small.
#pragma once

#include "vocabulary/base/fibers.h"

#include <exception>
#include <functional>

namespace tacit::runtime {

class resumable_work {
public:
  /// Throws std::bad_alloc.
  explicit resumable_work(std::function<void()> work);
  resumable_work(const resumable_work&) = delete;
  resumable_work& operator=(const resumable_work&) = delete;
  /// The work must be over, or never be gone on with: what it holds is then leaked.
  ~resumable_work() = default;

  /// Goes on until the work is over (true) or would wait. Throws what it has thrown. Local, does not block. Not from inside of it.
  bool go_on();
  bool is_over() const { return over_; }

  /// Called where something would wait: false if that is not inside of such work; else, after others had their turn, true.
  static bool pause();
  /// Whether the caller is inside of such work, on its small stack, where nothing of the program's may run.
  static bool is_inside();

private:
  bool over_ = false;
  std::exception_ptr failure_;
  std::function<void()> work_;
  fiber stack_;
};

} // namespace tacit::runtime
