// What functions call without the look of a call: destructors, functions named for the end of a scope, default arguments, initial values of
// members, iterators of ranges, operators that others are made of.
// RUN: %transform %s -- -std=c++20 2>&1 >/dev/null | %said
#include <mpi.h>
#include <vector>

extern MPI_Win ended;
void end_epoch(MPI_Win* w);
int complete() {
  return MPI_Win_unlock_all(ended);
}

struct epoch {
  int number;
  ~epoch() { complete(); }
};
struct epochs {
  epoch one;
};
inline void aggregate() {
  epoch e{1};
}
inline void cleaned() {
  __attribute__((cleanup(end_epoch))) MPI_Win w = ended;
}
inline int number(int n = complete()) {
  return n;
}
inline void by_default() {
  number();
}
struct numbered {
  int number = complete();
};
inline int initialized() {
  numbered n{};
  return n.number;
}
struct counter {
  int at;
  int operator*() const { return at; }
  void operator++() { at += complete(); }
  bool operator!=(const counter& other) const { return at != other.at; }
};
struct range {
  counter first, last;
  const counter& begin() const { return first; }
  const counter& end() const { return last; }
};
inline int ranged(const counter& from, range& all) {
  all.first.at = from.at;
  int sum = 0;
  for (int x : all)
    sum += x;
  return sum;
}
struct compared {
  int value;
  bool operator==(const compared& other) const { return value == other.value + complete(); }
};
inline bool differ(const compared& a, const compared& b) {
  return a != b;
}

void collected(MPI_Win win, long* memory, std::vector<epochs>& several, epochs& one,
               range& all, compared& a) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD)
  {
    MPI_Put(memory, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    aggregate();
    cleaned();
    by_default();
    initialized();
    ranged(all.first, all);
    differ(a, a);
    several.clear();
    one.~epochs();
    MPI_Win_fence(0, win);
  }
}

void leaves(MPI_Win win, long* memory) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG, MPI_COMM_WORLD)
  {
    __attribute__((cleanup(end_epoch))) MPI_Win w = win;
    MPI_Put(memory, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
  }
}

void change(double** a);

double received(double* a, MPI_Comm c) {
  double sum = 0;
#pragma mpi cco MPI_Recv(c)
  {
    MPI_Recv(a, 10, MPI_DOUBLE, 1, 0, c, MPI_STATUS_IGNORE);
    {
      __attribute__((cleanup(change))) double* copy = nullptr;
      sum += 1;
    }
    sum += a[3];
  }
  return sum;
}

void locked(MPI_Win win, double* local, int size, int me, int rank, double x) {
#pragma mpi local_ldst(win, local, double, MPI_DOUBLE, size, me) no_overlap
  {
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    {
      __attribute__((cleanup(end_epoch))) MPI_Win other = ended;
      local[0] = x;
    }
    MPI_Win_unlock(rank, win);
  }
}

void locked_around_nothing_named(MPI_Win win, double* local, int size, int me, int rank, double x) {
#pragma mpi local_ldst(win, local, double, MPI_DOUBLE, size, me) no_overlap
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    (void)epoch{1};
    local[0] = x;
    MPI_Win_unlock(rank, win);
  }
#pragma mpi local_ldst(win, local, double, MPI_DOUBLE, size, me) no_overlap
  {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    int* made = new int(1);
    local[0] = *made;
    MPI_Win_unlock(rank, win);
  }
}
