// Seed 004's evaluation on real processes: sparse alltoall, Cartesian grids, the halos of a weather model and
// products with real matrices; tacit against every variant that a program has with MPI.
//
//   mpiexec -n N s5_real [--seconds S] [--cases A,B] [--matrices FILE,FILE] [--without VARIANT,VARIANT]
//
// Each iteration writes what is sent and reads what has come. Variants run interleaved (interleaved.h). Every variant
// is checked before and after it is timed; one that brings wrong bytes is listed under "wrong": MPI libraries
// get some periodic grids wrong. One line of JSON per case, in microseconds, on standard output.
#include "comma_list.h"
#include "interleaved.h"
#include "real_case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace {

using namespace bench;

struct options {
  double seconds = 1;
  std::vector<std::string> cases{"sparse", "cartesian2", "cartesian4", "weather", "matrix", "product"};
  std::vector<std::string> matrices, without;
};

options read_options(int argc, char** argv) {
  options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seconds")
      o.seconds = std::atof(argv[i + 1]);
    if (name == "--cases")
      o.cases = split(argv[i + 1]);
    if (name == "--matrices")
      o.matrices = split(argv[i + 1]);
    if (name == "--without")
      o.without = split(argv[i + 1]);
  }
  return o;
}

/// True if every rank has received what it must.
bool is_right(real_case& c, real_variant& w) {
  int right = 1, all = 0;
  for (const int iteration : {1, 2, 3}) {
    c.produce(iteration);
    w.exchange();
    right = right && c.right(iteration);
  }
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

void report(const real_case& c, const std::vector<std::unique_ptr<real_variant>>& variants,
            const std::vector<std::vector<double>>& times, const std::vector<std::vector<double>>& work,
            const std::vector<std::string>& wrong) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::string line =
      fmt::format("{{\"ranks\": {}, \"case\": \"{}\", \"about\": \"{}\", \"neighbors\": {}, \"blocks\": {}, "
                  "\"us\": {{",
                  ranks, c.name, c.about, c.who.destinations.size(), times[0].size());
  for (std::size_t w = 0; w < variants.size(); ++w)
    line += fmt::format("{}\"{}\": {:.4g}", w ? ", " : "", variants[w]->name, percentile10(times[w]));
  line += "}, \"cpu_us\": {";
  for (std::size_t w = 0; w < variants.size(); ++w)
    line += fmt::format("{}\"{}\": {:.4g}", w ? ", " : "", variants[w]->name, percentile10(work[w]));
  line += "}, \"wrong\": [";
  for (std::size_t i = 0; i < wrong.size(); ++i)
    line += fmt::format("{}\"{}\"", i ? ", " : "", wrong[i]);
  std::printf("%s]}\n", line.c_str());
  std::fflush(stdout);
}

void measure(real_case_handle made, const options& o, int rank) {
  real_case& c = *made;
  auto variants = real_variants(c, o.without);
  std::vector<bool> right;
  for (const auto& w : variants)
    right.push_back(is_right(c, *w));
  std::vector<std::vector<double>> work;
  const auto iterate = [&](std::size_t w, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      c.produce(i);
      variants[w]->exchange();
      c.consume();
    }
  };
  const auto times = time_interleaved(variants.size(), o.seconds, iterate, &work);
  std::vector<std::string> wrong;
  for (std::size_t w = 0; w < variants.size(); ++w) {
    if (!is_right(c, *variants[w]) || !right[w])
      wrong.push_back(variants[w]->name);
  }
  if (rank == 0)
    report(c, variants, times, work, wrong);
  if (c.sum == 0.5)
    std::fprintf(stderr, "\n"); // the compiler must keep the sums
  while (!variants.empty())
    variants.pop_back();
  free_case(c);
}

void measure_matrix(const std::string& file, bool whole, const options& o, int rank) {
  std::string why;
  if (auto made = sparse_product(file, whole, why))
    measure(std::move(made), o, rank);
  else if (rank == 0)
    fmt::print(stderr, "{}: left out: {}\n", file, why);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const options o = read_options(argc, argv);
  for (const std::string& name : o.cases) {
    if (name == "sparse")
      for (const int degree : {1, 3, 6})
        if (degree < ranks)
          measure(sparse_alltoall(degree, 16, 4), o, rank);
    for (const int dimensions : {2, 4})
      if (name == fmt::format("cartesian{}", dimensions))
        for (const int bytes : {8, 64, 1024, 8192, 65536})
          measure(cartesian(dimensions, bytes), o, rank);
    if (name == "weather")
      measure(weather(), o, rank);
    if (name == "matrix" || name == "product")
      for (const std::string& file : o.matrices)
        measure_matrix(file, name == "product", o, rank);
  }
  MPI_Finalize();
  return 0;
}
