// What one exchange with the neighbors costs, by neighborhood, size and variant.
//
//   mpiexec -n N neighbor_bench [--seconds S] [--patterns A,B] [--bytes A,B] [--memory tacit]
//
// Each iteration rewrites the send buffer, exchanges and reads the receive buffer: an exchange of data that
// nobody touches would leave them in the wrong caches. All variants run in one process, in short blocks one
// after the other, again and again, until the time of the case (S seconds) is over; a block's time is that
// of its slowest rank, and the 10th percentile over the blocks is reported, so that other programs of the
// machine disturb as little as possible. `cpu_us` is the computing time of all ranks divided by the cores
// (interleaved.h). One line of JSON per case, in microseconds, on standard output.
#include "interleaved.h"
#include "variants.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace {

using namespace bench;

struct options {
  double seconds = 1;
  std::vector<std::string> patterns;
  std::vector<std::size_t> bytes{8, 64, 1024, 8192, 65536};
  bool shared = false; ///< all variants receive in memory of tacit_alloc_mem
};

/// Leaves the process if the command line is not understood: before MPI_Init every rank may.
options read_options(int argc, char** argv) {
  options o;
  o.patterns.assign(std::begin(pattern_names), std::end(pattern_names));
  CLI::App app{"What one exchange with the neighbors costs."};
  app.add_option("--seconds", o.seconds, "of each case")->check(CLI::PositiveNumber);
  app.add_option("--patterns", o.patterns, "of neighborhoods")
      ->delimiter(',')
      ->check(CLI::IsMember(o.patterns));
  app.add_option("--bytes", o.bytes, "per edge")->delimiter(',')->check(CLI::Range(1, 1 << 30));
  std::string memory = "malloc";
  app.add_option("--memory", memory, "that all variants receive in")
      ->check(CLI::IsMember({"malloc", "tacit"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  o.shared = memory == "tacit";
  return o;
}

void iterate(variant& w, buffers& b, int iterations) {
  for (int i = 0; i < iterations; ++i) {
    b.produce(i);
    w.exchange();
    b.consume();
  }
}

/// Every variant must bring what the first one brings.
void check(const std::vector<std::unique_ptr<variant>>& variants, buffers& b, int rank) {
  std::vector<std::uint64_t> expected;
  for (const auto& w : variants) {
    if (w->name == "compute" || w->name.starts_with("neighbor")) // MPI libraries get some neighbors wrong
      continue;
    for (std::size_t i = 0; i < b.out.size(); ++i)
      b.out[i] = (static_cast<std::uint64_t>(rank) << 32) + i;
    std::fill(b.in.begin(), b.in.end(), ~std::uint64_t{0});
    w->exchange();
    if (expected.empty())
      expected.assign(b.in.begin(), b.in.end());
    if (!std::equal(b.in.begin(), b.in.end(), expected.begin())) {
      fmt::print(stderr, "rank {}: {} brings other bytes than tacit\n", rank, w->name);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

double time_of_init(const pattern& p, buffers& b) {
  std::vector<double> times;
  for (int i = 0; i < 30; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const tacit_variant made(p, b);
    times.push_back((MPI_Wtime() - start) * 1e6);
  }
  return percentile10(times);
}

void measure(const pattern& p, std::size_t bytes, const options& o, int rank, int ranks) {
  buffers b(p.destinations.size(), bytes, o.shared);
  auto variants = make_variants(p, b);
  check(variants, b, rank);
  std::vector<std::vector<double>> work;
  const auto times = time_interleaved(
      variants.size(), o.seconds,
      [&](std::size_t w, int iterations) { iterate(*variants[w], b, iterations); }, &work);
  const double init = time_of_init(p, b);
  const std::size_t blocks = times[0].size();
  std::string line =
      fmt::format("{{\"ranks\": {}, \"pattern\": \"{}\", \"edges\": {}, \"bytes\": {}, \"blocks\": {}, "
                  "\"memory\": \"{}\", \"tacit_init_us\": {:.2f}, \"us\": {{",
                  ranks, p.name, p.destinations.size(), bytes, blocks, o.shared ? "tacit" : "program", init);
  for (std::size_t w = 0; w < variants.size(); ++w)
    line += fmt::format("{}\"{}\": {:.4g}", w ? ", " : "", variants[w]->name, percentile10(times[w]));
  line += "}, \"cpu_us\": {";
  for (std::size_t w = 0; w < variants.size(); ++w)
    line += fmt::format("{}\"{}\": {:.4g}", w ? ", " : "", variants[w]->name, percentile10(work[w]));
  if (rank == 0) {
    std::printf("%s}}\n", line.c_str());
    std::fflush(stdout);
  }
  if (b.sum == 1)
    std::fprintf(stderr, "\n"); // the compiler must keep the sums
  while (!variants.empty())
    variants.pop_back();
}

} // namespace

int main(int argc, char** argv) {
  const options o = read_options(argc, argv);
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks % 2 != 0) {
    if (rank == 0)
      fmt::print(stderr, "an even number of ranks, please\n");
    MPI_Finalize();
    return 1;
  }
  constexpr std::size_t largest_buffer = 4 << 20;
  for (const std::string& name : o.patterns) {
    pattern p = make_pattern(name);
    for (const std::size_t bytes : o.bytes)
      if (bytes * p.destinations.size() <= largest_buffer)
        measure(p, bytes, o, rank, ranks);
    free_pattern(p);
  }
  MPI_Finalize();
  return 0;
}
