// Random graphs that many simulated ranks compile together, and by one rank as a whole: both must find the same and move the same bytes.
// TACIT_FUZZ_COUNT graphs from TACIT_FUZZ_SEED on.
#include "built_parts.h"

#include "graphs/part/disguised_collective.h"
#include "oracle/fuzz_count.h"

#include <cstdio>
#include <cstdlib>

namespace tacit::runtime {
namespace {

/// What this rank has after a run, where somebody may read it.
std::vector<unsigned char> left_by(schedule& made, const graphs::graph& g, real_memory& memory) {
  std::vector<unsigned char> out(memory.size());
  for (std::uint64_t a = 0; a < memory.size(); ++a)
    memory[a] = initial(static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)), a, 0);
  made.start();
  made.wait();
  const std::vector<bool> unread = unread_bytes(g, memory.size());
  for (std::uint64_t a = 0; a < memory.size(); ++a)
    out[a] = unread[a] ? 0 : memory[a];
  return out;
}

/// Behind the last byte of any rank.
std::uint64_t end_of(const graphs::graph& g) {
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    for (const auto list : {g.reads(op_id{i}), g.writes(op_id{i})})
      for (const graphs::segment& s : list)
        end = std::max(end, s.address + s.length);
  return end;
}

struct counts {
  int wrong = 0, by_all = 0;
};

void compare(const graphs::graph& g, std::uint64_t seed, counts& count) {
  real_memory memory(end_of(g) + 64);
  const graph_builder part = built(g, memory);
  const auto by_all = compiled(part, compiled_by::distributed), by_one = compiled(part, compiled_by::central);
  const bool same_found = lines_of(*by_all, "found: ") == lines_of(*by_one, "found: ");
  const bool same_bytes = left_by(*by_all, g, memory) == left_by(*by_one, g, memory);
  count.by_all += !lines_of(*by_all, "analysis: all ranks").empty();
  if (!same_found || !same_bytes) {
    ++count.wrong;
    std::fprintf(stderr, "rank %d, seed %llu: other %s\n", part.rank(), static_cast<unsigned long long>(seed),
                 same_found ? "bytes" : "findings");
  }
  by_all->end();
  by_one->end();
}

constexpr std::uint32_t always_small = 72;
constexpr std::size_t most_operations = 8'000;

graphs::graph made(std::uint64_t seed, std::uint32_t ranks) {
  test::disguised_collective maker(seed);
  return seed % 2 == 0 ? maker.make(ranks, ranks, seed % 8 == 0) : maker.make_several(ranks, ranks);
}

void ignore(MPI_Comm*, int*, ...) {}

int run() {
  const auto ranks = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  const std::uint64_t first = oracle::fuzz_seed(), number = oracle::from_environment("TACIT_FUZZ_COUNT", 4);
  counts count;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first; compared < number; ++seed) {
    // Every simulated rank makes the whole graph, one after the other on one core: not if that takes long.
    int small = ranks <= always_small ||
                (rank_in(MPI_COMM_WORLD) == 0 && made(seed, ranks).size() <= most_operations);
    MPI_Bcast(&small, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (small == 0)
      continue;
    compare(made(seed, ranks), seed, count);
    ++compared;
  }
  int all = 0;
  MPI_Reduce(&count.wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank_in(MPI_COMM_WORLD) == 0)
    std::printf("%llu random graphs of %u simulated ranks, %d compiled by all: %d wrong\n",
                static_cast<unsigned long long>(number), ranks, count.by_all, all);
  return 0;
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // choices must not depend on the machine
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler =
      MPI_ERRHANDLER_NULL; // of MPI_ERRORS_RETURN SMPI calls a function that is not there
  MPI_Comm_create_errhandler(tacit::runtime::ignore, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  const int code = tacit::runtime::run();
  MPI_Finalize();
  return code;
}
