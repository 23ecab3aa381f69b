// Check mode: a loop in front of a pipelined exchange that stores where an annotation claims it does not.
//
//     pipeline_claims true|send|receive      what the loop does besides
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  constexpr int block = 2048;
  std::vector<int> array(static_cast<std::size_t>(block * processes)), received(array);
  const bool into_sent = std::strcmp(argv[1], "send") == 0,
             into_received = std::strcmp(argv[1], "receive") == 0;
  for (int round = 0; round < 2; ++round) { // the first one is MPI_Alltoall
    tacit_pipeline p;
    const tacit_pipeline_store stores[] = {{0, 4, 4, {{4 * block, 0, processes - 1}}}};
    tacit_pipeline_begin(&p, TACIT_PIPELINE_MEASURED, nullptr, array.data(), block, MPI_INT, received.data(),
                         block, MPI_INT, MPI_COMM_WORLD, 0, block - 1, stores, 1, "program.c", 21);
    for (int i = 0; i < block; ++i) {
      tacit_pipeline_reached(&p, i);
      for (int to = 0; to < processes; ++to)
        array[static_cast<std::size_t>(to * block + i)] = me + to + i;
      if (i == block - 1 && me == 1 && into_sent)
        array[5] = -1;
      if (i == block / 2 && me == 0 && into_received)
        received[block - 1] = 3;
    }
    tacit_pipeline_alltoall(&p, array.data(), block, MPI_INT, received.data(), block, MPI_INT,
                            MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
