// Check mode: a loop in front of a pipelined exchange that stores where an annotation claims it does not; processes that come to it from lines
// of their own, always from the same one (lines) or not (apart), in parts or by puts (TACIT_PIPELINE), or of which one comes with a
// datatype that cannot be cut, from the beginning (whole) or later (cut): everything arrives all the same. Or all come with such a one
// (derived). Or one comes long after the other (late). With a second word, all of that in the only exchange of the program.
//
//     pipeline_claims true|send|receive|lines|apart|whole|cut|derived|late [once]
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  constexpr int block = 2048;
  std::vector<int> array(static_cast<std::size_t>(block * processes)), received(array);
  const bool into_sent = std::strcmp(argv[1], "send") == 0,
             into_received = std::strcmp(argv[1], "receive") == 0, apart = std::strcmp(argv[1], "apart") == 0;
  const int own = std::strcmp(argv[1], "lines") == 0 ? me : 0;
  const bool whole = std::strcmp(argv[1], "whole") == 0, cut = std::strcmp(argv[1], "cut") == 0,
             derived = std::strcmp(argv[1], "derived") == 0;
  MPI_Datatype several;
  MPI_Type_contiguous(4, MPI_INT, &several);
  MPI_Type_commit(&several);
  bool right = true;
  const int rounds = argc > 2 ? 1 : into_sent || into_received ? 2 : 8;
  for (int round = 0; round < rounds; ++round) { // the first one is MPI_Alltoall
    const int line = 21 + own + (apart && me == 1 && round % 4 >= 2 ? 10 : 0);
    tacit_pipeline p;
    const tacit_pipeline_store stores[] = {{0, 4, 4, {{4 * block, 0, processes - 1}}}};
    const bool is_other = derived || (me == 1 && (whole || (cut && round >= 4)));
    const int count = is_other ? block / 4 : block;
    MPI_Datatype type = is_other ? several : MPI_INT;
    tacit_pipeline_begin(&p, TACIT_PIPELINE_MEASURED, nullptr, array.data(), count, type, received.data(),
                         block, MPI_INT, MPI_COMM_WORLD, 0, block - 1, stores, 1, "program.c", line);
    for (int i = 0; i < block; ++i) {
      tacit_pipeline_reached(&p, i);
      for (int to = 0; to < processes; ++to)
        array[static_cast<std::size_t>(to * block + i)] = 10 * me + to + i + round;
      if (i == block - 1 && me == 1 && into_sent)
        array[5] = -1;
      if (i == block / 2 && me == 0 && into_received)
        received[block - 1] = 3;
    }
    if (std::strcmp(argv[1], "late") == 0 && me == 0)
      sleep(12);
    tacit_pipeline_alltoall(&p, array.data(), count, type, received.data(), block, MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < processes; ++from)
      for (int i = 0; i < block; ++i)
        right = right && (into_sent ||
                          received[static_cast<std::size_t>(from * block + i)] == 10 * from + me + i + round);
  }
  if (!right)
    std::fprintf(stderr, "rank %d: something else arrived\n", me);
  MPI_Type_free(&several);
  MPI_Finalize();
  return !right;
}
