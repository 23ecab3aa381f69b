// Two threads of each process pass collective fences of two windows at the same time, the first ones too, in which the communicators of the
// windows are made: what one adds does not get into the other's window. On every second process one thread has both windows, and passes their
// fences in turns, so that no order of the windows may be waited for.
#include "expect.h"
#include "own_window.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <thread>

namespace {

constexpr int places = 1000, epochs = 3, cases = 16, windows = 2;
int me, processes, failures;

/// Neither thread counts failures while the other does.
struct thread_result {
  int wrong = 0;
};

class user {
public:
  user(int number, long* memory, MPI_Win win)
      : number_(number), memory_(memory), win_(win),
        region_(tacit_coalesce_begin(0, 0, TACIT_COALESCE_COLLECTIVE, "program.c", 17)) {}
  ~user() { tacit_coalesce_end(&region_); }
  user(const user&) = delete;
  user& operator=(const user&) = delete;

  void pass_epoch() {
    const long value = 1 + number_ * 1000;
    for (int target = 0; target < processes; ++target)
      for (int i = 0; i < places; ++i)
        tacit_accumulate(region_, &value, 1, MPI_LONG, target, i, 1, MPI_LONG, MPI_SUM, win_);
    tacit_win_fence(region_, 0, win_);
  }
  void pass_first() { tacit_win_fence(region_, 0, win_); }
  int wrong() const {
    int count = 0;
    for (int i = 0; i < places; ++i)
      count += memory_[i] != static_cast<long>(epochs) * processes * (1 + number_ * 1000);
    return count;
  }

private:
  const int number_;
  long* const memory_;
  const MPI_Win win_;
  tacit_coalesce* region_;
};

void pass_all(user& one, thread_result& result) {
  one.pass_first();
  for (int epoch = 0; epoch < epochs; ++epoch)
    one.pass_epoch();
  result.wrong = one.wrong();
}

void pass_in_turns(user& one, user& other, thread_result& result) {
  other.pass_first();
  one.pass_first();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    one.pass_epoch();
    other.pass_epoch();
  }
  result.wrong = one.wrong() + other.wrong();
}

void in_threads(bool alone) {
  MPI_Win win[windows];
  long* memory[windows];
  for (int w = 0; w < windows; ++w) {
    memory[w] = make_window<long>(places * static_cast<MPI_Aint>(sizeof(long)), sizeof(long), MPI_COMM_WORLD,
                                  &win[w]);
    for (int i = 0; i < places; ++i)
      memory[w][i] = 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  thread_result results[windows];
  {
    user first(0, memory[0], win[0]), second(1, memory[1], win[1]);
    if (alone) {
      pass_in_turns(first, second, results[0]);
    } else {
      std::thread other([&] { pass_all(second, results[1]); });
      pass_all(first, results[0]);
      other.join();
    }
  }
  EXPECT(results[0].wrong == 0 && results[1].wrong == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int w = 0; w < windows; ++w)
    free_window(memory[w], &win[w]);
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::printf("not a library for several threads\n");
    MPI_Finalize();
    return 77; // skipped
  }
  for (int n = 0; n < cases && failures == 0; ++n)
    in_threads(n % 2 == 1 && me % 2 == 1);
  MPI_Finalize();
  return failures != 0;
}
