/* The example of tacit/coalesce.h as a C99 program, linked without a C++ library. */
#include <stdio.h>
#include <tacit/coalesce.h>

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  long* memory;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(100 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 100; ++i)
    memory[i] = 1000000;
  tacit_coalesce* r = tacit_coalesce_begin(0, 0, 0, __FILE__, __LINE__);
  MPI_Win_fence(0, win);
  for (long x = 0; x < 1000; ++x) {
    const long value = x * size + rank;
    tacit_accumulate(r, &value, 1, MPI_LONG, (int)(x % size), (x / size) % 100, 1, MPI_LONG, MPI_MIN, win);
  }
  tacit_win_fence(r, 0, win);
  tacit_coalesce_end(&r);
  for (long i = 0; i < 100; ++i) {
    const long first = i * size + rank; /* the smallest x for this place, sent by rank 0 */
    wrong += memory[i] != first * size;
  }
  if (wrong)
    printf("rank %d: %d places are wrong\n", rank, wrong);
  MPI_Win_free(&win);
  MPI_Finalize();
  return wrong != 0;
}
