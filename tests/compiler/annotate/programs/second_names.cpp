// ranks=2
// One window under two names, which C++ and macros give it in ways of their own, and synchronizations that nobody wrote where they run.
#include <cstdint>
#include <cstdio>
#include <mpi.h>

namespace {

int rank;
MPI_Win win, another;
const int one = 1;

void say_and_clear(const char* name, int before) {
  int got = -1;
  MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
  MPI_Win_flush(rank, win);
  if (rank == 0)
    std::printf("%s: %d %d\n", name, before, got);
  const int zero = 0;
  MPI_Put(&zero, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
  MPI_Win_flush(rank, win);
}

#define GIVEN(function) function(win)
void by_macro(MPI_Win listed) {
  int got = -1;
#pragma mpi osc_coalesce(listed, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, listed);
    MPI_Win_flush(rank, win);
    MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
  }
  say_and_clear("macro", got);
}

void by_assignment_to_an_assignment() {
  MPI_Win other = MPI_WIN_NULL;
  (other = another) = win;
  int got = -1;
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, other);
    MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
  say_and_clear("assignment to an assignment", got);
}

void by_reference_to_an_assignment() {
  MPI_Win other = MPI_WIN_NULL;
  MPI_Win& same = (other = another);
  same = win;
  int got = -1;
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, other);
    MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
  say_and_clear("reference to an assignment", got);
}

void by_attribute() {
  static int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, (void*)(std::intptr_t)win);
  void* kept = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_SELF, key, &kept, &found);
  MPI_Win other = (MPI_Win)(std::intptr_t)kept;
  int got = -1;
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, other);
    MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, other);
    MPI_Win_flush(rank, other);
  }
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  say_and_clear("attribute", got);
}

int seen;
struct looks {
  looks() {
    MPI_Win_flush(rank, win);
    MPI_Get(&seen, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
  }
};
void by_elements_without_values() {
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    const looks all[2] = {};
    static_cast<void>(all);
    MPI_Win_flush(rank, win);
  }
  say_and_clear("elements without values", seen);
}

int look() {
  const looks here;
  return 0;
}
thread_local int at_first_use = look();
void by_first_use_of_thread_local() {
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    rank += at_first_use;
    MPI_Win_flush(rank, win);
  }
  say_and_clear("first use of thread_local", seen);
}
const looks* used_by_function() {
  thread_local const looks here;
  return &here;
}
void by_first_use_in_a_function() {
#pragma mpi osc_coalesce(win, base, int, MPI_INT)
  {
    MPI_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    used_by_function();
    MPI_Win_flush(rank, win);
  }
  say_and_clear("first use in a function", seen);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* base = nullptr;
  int* base_of_another = nullptr;
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base_of_another, &another);
  base[0] = 0;
  MPI_Win_lock_all(0, win);
  MPI_Win_lock_all(0, another);
  GIVEN(by_macro);
  by_assignment_to_an_assignment();
  by_reference_to_an_assignment();
  by_attribute();
  by_elements_without_values();
  by_first_use_of_thread_local();
  by_first_use_in_a_function();
  MPI_Win_unlock_all(another);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&another);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
