// Loops over containers are loops, and lambdas that only compute are no calls that others do not see.
// RUN: %transform %s -- -std=c++20 2>&1 >/dev/null | %said
#include <mpi.h>
#include <vector>

extern MPI_Win win;
extern long* memory;
void unknown();

struct steps {
  int at;
  steps begin() const { return *this; }
  steps end() const { return {3}; }
  steps& operator++() {
    unknown();
    ++at;
    return *this;
  }
  int operator*() const { return at; }
  bool operator!=(const steps& other) const { return at != other.at; }
};

void ranges(std::vector<long>& values, const std::vector<int>& places) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    for (const int place : places)
      MPI_Put(&values[place], 1, MPI_LONG, 0, place, 1, MPI_LONG, win);
    for (long& value : values)
      value += 1;
    const auto half_of = [&](int i) { return values[i] / 2; };
    values[0] = half_of(1);
    MPI_Win_fence(0, win);
  }
}
void of_others(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  for (const int place : steps{0})
    MPI_Put(value, 1, MPI_LONG, 0, place, 1, MPI_LONG, win);
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    const auto later = [] { unknown(); };
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    later();
  }
}
