// Random exchanges, each as MPI_Alltoall, in parts and in rows of one-sided puts, and with each way that the processes may agree on: the same
// bytes as MPI_Alltoall. Blocks of odd sizes, loops that fill them forwards, backwards, in other lengths on each process or again and again;
// buffers that are other ones each time; kinds in turns; communicators that come and go; processes that are late.
//
//     pipeline_ways CASES [SEED]
#include <mpi.h>
#include <tacit/coalesce.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

int me, failures;
int rounds_by_puts, rounds_in_parts, rounds_as_written;

/// Drawn alike on all processes, but for what is each one's own affair.
struct drawn {
  std::mt19937 all, own;
  int below(int end) { return static_cast<int>(all() % static_cast<unsigned>(end)); }
  int below_here(int end) { return static_cast<int>(own() % static_cast<unsigned>(end)); }
};

enum class filled { forwards, backwards, at_once, again, some };

struct kind {
  int line, count, bytes, when;
  MPI_Datatype type;
  filled how;
};

void be_late(int amount) {
  volatile double x = 1;
  for (int i = 0; i < amount; ++i)
    x = x * 0.5 + 1;
}

int syncs = 0;

} // namespace

/// The run time calls it in front of copying what has come: whoever is late there finds the rows of the next turn, if they come to the same place.
extern "C" int MPI_Win_sync(MPI_Win win) {
  if (++syncs % 4 == me % 4)
    be_late(2000000);
  return PMPI_Win_sync(win);
}

namespace {

unsigned char value_of(int from, int to, int at, int round) {
  return static_cast<unsigned char>(31 * from + 17 * to + 7 * at + 13 * round + (at >> 8));
}

/// `count` may be a little less than the kind's, which is the same kind then.
void exchange(const kind& k, int count, int round, drawn& by, MPI_Comm comm, int processes, int rank) {
  const int block = count * k.bytes;
  const auto size = static_cast<std::size_t>(block) * static_cast<std::size_t>(processes);
  std::vector<unsigned char> array(size, 0), received(size, 0), expected(size, 0);
  const int row = 1 + by.below_here(3 * k.bytes); // its length is each process's own affair
  const int rows = (block + row - 1) / row;
  const bool forwards = k.how == filled::forwards || k.how == filled::some;
  const int passes = k.how == filled::again ? 2 : 1;
  // Iteration i stores row i (or the last but i) of each block; the last one of a block is shorter, which the store need not say.
  tacit_pipeline p;
  const tacit_pipeline_store stores[] = {
      {forwards ? 0 : static_cast<long long>(rows - 1) * row,
       forwards ? row : -row,
       forwards ? std::min(row, block - (rows - 1) * row) : row,
       {{block, 0, processes - 1}}},
      {k.how == filled::at_once ? 0 : block - 1,
       0,
       k.how == filled::at_once ? block : 0,
       {{block, 0, k.how == filled::at_once ? processes - 1 : -1}}},
      {0, k.how == filled::again ? -1 : 0, 1, {{block, 0, k.how == filled::again ? processes - 1 : -1}}}};
  if (by.below_here(3) == 0)
    be_late(by.below_here(100000));
  tacit_pipeline_begin(&p, k.when, nullptr, array.data(), count, k.type, received.data(), count, k.type, comm,
                       0, static_cast<long long>(rows) * passes - 1, stores, 3, "program.c", k.line);
  for (int i = 0; i < rows * passes; ++i) {
    tacit_pipeline_reached(&p, i);
    const int number = forwards ? i % rows : rows - 1 - i % rows;
    for (int to = 0; to < processes; ++to)
      for (int at = number * row; at < std::min(block, (number + 1) * row); ++at)
        array[static_cast<std::size_t>(to) * static_cast<std::size_t>(block) + static_cast<std::size_t>(at)] =
            static_cast<unsigned char>(value_of(rank, to, at, round) + (i < rows * (passes - 1) ? 1 : 0));
  }
  const int error =
      tacit_pipeline_alltoall(&p, array.data(), count, k.type, received.data(), count, k.type, comm);
  ++(p.way == 2 ? rounds_by_puts : p.way == 1 ? rounds_in_parts : rounds_as_written);
  // Not by MPI_Alltoall, in which all would wait for each other.
  for (int from = 0; from < processes; ++from)
    for (int at = 0; at < block; ++at)
      expected[static_cast<std::size_t>(from) * static_cast<std::size_t>(block) +
               static_cast<std::size_t>(at)] = value_of(from, rank, at, round);
  if (error == MPI_SUCCESS && received == expected)
    return;
  ++failures;
  std::fprintf(
      stderr,
      "rank %d: line %d, %d of %d bytes, round %d, way %d: error %d, or other bytes than MPI_Alltoall's\n",
      me, k.line, count, k.bytes, round, p.way, error);
}

void one_case(drawn& by) {
  static const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};
  static const int bytes[] = {1, 2, 4, 8};
  static const int whens[] = {TACIT_PIPELINE_PUTS, TACIT_PIPELINE_PUTS, TACIT_PIPELINE_ALWAYS,
                              TACIT_PIPELINE_MEASURED, TACIT_PIPELINE_NEVER};
  MPI_Comm comm;
  const int part = by.below(3) == 0 ? me % 2 : 0; // the halves have windows of their own
  MPI_Comm_split(MPI_COMM_WORLD, part, by.below(2) ? me : -me, &comm);
  int processes, rank;
  MPI_Comm_size(comm, &processes);
  MPI_Comm_rank(comm, &rank);
  std::vector<kind> kinds(static_cast<std::size_t>(1 + by.below(3)));
  int line = 10;
  for (kind& k : kinds) {
    const auto type = static_cast<std::size_t>(by.below(4));
    const int most[] = {5, 300, 9000};
    k = {line++,      1 + by.below(most[by.below(3)]), bytes[type], whens[by.below(5)],
         types[type], static_cast<filled>(by.below(5))};
  }
  const int rounds = 2 + by.below(18);
  for (int round = 0; round < rounds; ++round) {
    const kind& k = kinds[static_cast<std::size_t>(by.below(static_cast<int>(kinds.size())))];
    exchange(k, k.count - (k.count > 40 ? by.below(8) : 0), round, by, comm, processes, rank);
  }
  MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int processes;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const int cases = argc > 1 ? std::atoi(argv[1]) : 20;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  for (int i = 0; i < cases; ++i) {
    drawn by{std::mt19937(seed + static_cast<unsigned>(i)),
             std::mt19937(1000 * seed + static_cast<unsigned>(100 * i + me))};
    const int before = failures;
    one_case(by);
    if (failures > before)
      std::fprintf(stderr, "rank %d: seed %u\n", me, seed + static_cast<unsigned>(i));
  }
  // One that lasts until the end.
  drawn by{std::mt19937(seed), std::mt19937(seed)};
  const kind last{9, 777, 4, TACIT_PIPELINE_PUTS, MPI_INT, filled::forwards};
  for (int round = 0; round < 3; ++round)
    exchange(last, last.count, round, by, MPI_COMM_WORLD, processes, me);
  if (processes > 1 && cases >= 10 && (!rounds_by_puts || !rounds_in_parts || !rounds_as_written)) {
    std::fprintf(stderr, "rank %d: %d by puts, %d in parts, %d as written\n", me, rounds_by_puts,
                 rounds_in_parts, rounds_as_written);
    ++failures;
  }
  MPI_Finalize();
  return failures != 0;
}
