// What MPI libraries do wrong when many operations become one call, and each by itself right: results of operations that fetch,
// and pairs with gaps. Each process works on the next one. Windows are of memory of the program.
#include "expect.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstddef>
#include <vector>

namespace {

constexpr int places = 60;
int me, next, failures;

struct number_and_int {
  double number;
  int integer;
};
struct long_and_int {
  long number;
  int integer;
};

template <typename T>
class window {
public:
  explicit window(const std::vector<T>& values) : memory(values) {
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(T)), sizeof(T), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
  }
  ~window() { MPI_Win_free(&win); }
  window(const window&) = delete;
  window& operator=(const window&) = delete;
  void close(tacit_coalesce* region) {
    tacit_win_unlock_all(region, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::vector<T> memory;
  MPI_Win win = MPI_WIN_NULL;
};

tacit_coalesce* begin() {
  return tacit_coalesce_begin(0, 0, 0, "program.c", 17);
}

/// Some places lie side by side, some do not; so do results.
template <typename T>
void fetches(MPI_Datatype type, MPI_Op op, bool apart) {
  std::vector<T> before(places), added(places);
  for (int i = 0; i < places; ++i) {
    before[static_cast<std::size_t>(i)] = static_cast<T>(3 + i);
    added[static_cast<std::size_t>(i)] = static_cast<T>(2 * i + 1);
  }
  std::vector<T> results(2 * places, T{77}), expected(results), after(before);
  window<T> w(before);
  tacit_coalesce* r = begin();
  for (std::size_t i = 0; i < places; ++i) {
    if (i % 5 == 3)
      continue;
    const std::size_t result = apart ? 2 * i : i;
    if (i % 2)
      tacit_fetch_and_op(r, &added[i], &results[result], type, next, static_cast<MPI_Aint>(i), op, w.win);
    else
      tacit_get_accumulate(r, &added[i], 1, type, &results[result], 1, type, next, static_cast<MPI_Aint>(i),
                           1, type, op, w.win);
    expected[result] = before[i];
    if (op == MPI_REPLACE)
      after[i] = added[i];
    else if (op != MPI_NO_OP)
      MPI_Reduce_local(&added[i], &after[i], 1, type, op);
  }
  w.close(r);
  EXPECT(results == expected);
  EXPECT(w.memory == after);
  tacit_coalesce_end(&r);
}

/// Neighbors, which one call may take in.
template <typename T>
void combines_pairs(MPI_Datatype type) {
  static_assert(sizeof(T) > sizeof(T::number) + sizeof(T::integer), "pairs with gaps");
  using number = decltype(T::number);
  std::vector<T> before(places, T{-1, 7}), added(places);
  for (int i = 0; i < places; ++i)
    added[static_cast<std::size_t>(i)] = {static_cast<number>(i + 1), i + 1000};
  window<T> w(before);
  tacit_coalesce* r = begin();
  for (std::size_t i = 0; i < places - 2; ++i)
    if (i % 4 != 0)
      tacit_accumulate(r, &added[i], 1, type, next, static_cast<MPI_Aint>(i), 1, type,
                       i % 8 < 4 ? MPI_MAXLOC : MPI_REPLACE, w.win);
  w.close(r);
  for (std::size_t i = 0; i < places; ++i) {
    const T& wanted = i % 4 != 0 && i < places - 2 ? added[i] : before[i];
    EXPECT(w.memory[i].number == wanted.number && w.memory[i].integer == wanted.integer);
  }
  tacit_coalesce_end(&r);
}

template <typename T>
void fetches_all(MPI_Datatype type) {
  for (const bool apart : {false, true}) {
    fetches<T>(type, MPI_SUM, apart);
    fetches<T>(type, MPI_REPLACE, apart);
    fetches<T>(type, MPI_NO_OP, apart);
    fetches<T>(type, MPI_MAX, apart);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  next = (me + 1) % processes;
  fetches_all<int>(MPI_INT);
  fetches_all<long>(MPI_LONG);
  fetches_all<double>(MPI_DOUBLE);
  fetches_all<float>(MPI_FLOAT);
  combines_pairs<number_and_int>(MPI_DOUBLE_INT);
  combines_pairs<long_and_int>(MPI_LONG_INT);
  MPI_Finalize();
  return failures != 0;
}
