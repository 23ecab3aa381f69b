// A part of an exchange that MPI refuses on one process: it is tried again, as the others wait for it, and all arrives.
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <vector>

namespace {
int me, calls, refused;
} // namespace

/// Every third call fails, on process 1 only.
extern "C" int MPI_Ialltoall(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                             MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  if (me == 1 && ++calls % 3 == 0) {
    ++refused;
    return MPI_ERR_OTHER;
  }
  return PMPI_Ialltoall(from, count, type, to, to_count, to_type, comm, request);
}

int main(int argc, char** argv) {
  int processes, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  constexpr int block = 8192;
  std::vector<int> array(static_cast<std::size_t>(block * processes)), received(array);
  for (int round = 0; round < 3; ++round) { // the first one is MPI_Alltoall
    tacit_pipeline p;
    const tacit_pipeline_store stores[] = {{0, 4, 4, {{4 * block, 0, processes - 1}}}};
    tacit_pipeline_begin(&p, TACIT_PIPELINE_ALWAYS, nullptr, array.data(), block, MPI_INT, received.data(),
                         block, MPI_INT, MPI_COMM_WORLD, 0, block - 1, stores, 1, "program.c", 21);
    for (int i = 0; i < block; ++i) {
      tacit_pipeline_reached(&p, i);
      for (int to = 0; to < processes; ++to)
        array[static_cast<std::size_t>(to * block + i)] = round + 1000 * me + 7 * to + i;
    }
    wrong += tacit_pipeline_alltoall(&p, array.data(), block, MPI_INT, received.data(), block, MPI_INT,
                                     MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int from = 0; from < processes; ++from)
      for (int i = 0; i < block; ++i)
        wrong += received[static_cast<std::size_t>(from * block + i)] != round + 1000 * from + 7 * me + i;
  }
  if (wrong || (me == 1 && refused < 3))
    std::fprintf(stderr, "rank %d: %d wrong, %d calls refused\n", me, wrong, refused);
  const int failed = wrong || (me == 1 && refused < 3);
  MPI_Finalize();
  return failed;
}
