// `tacit bench neighbor`: tries every variant of a neighborhood exchange (src/surface/trial) on a pattern
// from the command line or from a matrix, and shows which one tacit takes, why, and how far it is from the
// best.
#include "surface/cli/bench_result.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/machine_load.h"
#include "surface/cli/mpi_program.h"
#include "surface/cli/one_of.h"
#include "surface/cli/partition.h"
#include "surface/report/html.h"
#include "surface/report/text.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

namespace tacit::surface {
namespace {

namespace fs = std::filesystem;

constexpr int most_ranks = 1 << 16;

struct bench_options {
  std::string matrix, cart, random, graph, parts = "metis", family, program, output, format = "text";
  bool open = false, periodic = false, json = false, progress = false;
  int ranks = 0, reach = 0;
  double seconds = 1;
  std::vector<std::uint64_t> bytes{8, 64, 1024, 8192, 65536};
  std::vector<std::string> launcher;
};

/// Numbers separated by `by`; throws user_error naming the option.
std::vector<std::uint64_t> numbers(const std::string& text, char by, const char* option, std::uint64_t most) {
  std::vector<std::uint64_t> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end || value > most)
      throw user_error(wrong_usage, fmt::format("{} is '{}', but needs numbers up to {}, separated by '{}'",
                                                option, text, most, by));
    list.push_back(value);
    at = end + 1;
  }
  return list;
}

/// What is tried: words for the program, and a name.
struct bench_case {
  int ranks = 0;
  std::string name;
  std::vector<std::string> words;
  std::string edges; ///< content of the file for --graph
};

std::string text_of(const std::vector<neighbors::halo_edge>& edges) {
  std::string text;
  for (const neighbors::halo_edge& e : edges)
    text += fmt::format("{} {} {}\n", e.from, e.to, e.values);
  return text;
}

bench_case cart_case(const bench_options& o) {
  const auto dims = numbers(o.cart, 'x', "--cart", most_ranks);
  std::uint64_t product = 1, neighbors = 1;
  for (const std::uint64_t d : dims) {
    product = std::min<std::uint64_t>(product * d, std::uint64_t{1} << 32);
    neighbors = std::min<std::uint64_t>(neighbors * static_cast<std::uint64_t>(2 * o.reach + 1), 1u << 20);
  }
  if (product == 0 || product > most_ranks)
    throw user_error(wrong_usage, fmt::format("--cart {} has {} ranks; every dimension needs 1 or more, all "
                                              "together at most {}",
                                              o.cart, product == 0 ? "no" : "too many", most_ranks));
  if (neighbors > 10000)
    throw user_error(wrong_usage,
                     fmt::format("--reach {} in {} dimensions gives more than 10000 neighbors; choose less",
                                 o.reach, dims.size()));
  if (o.ranks != 0 && static_cast<std::uint64_t>(o.ranks) != product)
    throw user_error(wrong_usage, fmt::format("--cart {} needs {} ranks, but -n is {}; give one of them",
                                              o.cart, product, o.ranks));
  bench_case c;
  c.ranks = static_cast<int>(product);
  c.name =
      fmt::format("grid {}, {}, {}", o.cart, o.open ? "open" : "periodic",
                  o.reach == 0 ? fmt::format("{} neighbors", 2 * dims.size())
                               : fmt::format("{} neighbors up to {} steps away", neighbors - 1, o.reach));
  c.words = {"--stencil",  fmt::format("{}", fmt::join(dims, ",")),
             "--reach",    std::to_string(o.reach),
             "--periodic", o.open ? "0" : "1"};
  return c;
}

/// Every rank sends to `degree` others; the same graph for the same seed everywhere.
bench_case random_case(const bench_options& o) {
  const auto values = numbers(o.random, ',', "--random", 1u << 30);
  if (values.size() < 2 || values.size() > 3)
    throw user_error(wrong_usage, "--random needs ranks,degree or ranks,degree,seed");
  const std::uint64_t ranks = values[0], degree = values[1], seed = values.size() > 2 ? values[2] : 1;
  if (ranks < 2 || ranks > most_ranks || degree == 0 || degree >= ranks)
    throw user_error(wrong_usage,
                     fmt::format("--random {}: needs 2 to {} ranks and a degree from 1 to one less than "
                                 "the ranks",
                                 o.random, most_ranks));
  if (o.ranks != 0 && static_cast<std::uint64_t>(o.ranks) != ranks)
    throw user_error(wrong_usage, fmt::format("--random {} needs {} ranks, but -n is {}; give one of them",
                                              o.random, ranks, o.ranks));
  std::mt19937_64 random(seed);
  std::vector<neighbors::halo_edge> edges;
  for (std::uint32_t from = 0; from < ranks; ++from) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (r != from)
        others.push_back(r);
    for (std::uint64_t k = 0; k < degree; ++k) { // the standard fixes the generator, not its distributions
      std::swap(others[k], others[k + random() % (others.size() - k)]);
      edges.push_back({from, others[k], 1});
    }
  }
  bench_case c;
  c.ranks = static_cast<int>(ranks);
  c.name = fmt::format("random graph, degree {}, seed {}", degree, seed);
  c.edges = text_of(edges);
  return c;
}

bench_case matrix_case(const bench_options& o) {
  bench_case c;
  c.ranks = o.ranks == 0 ? 2 : o.ranks;
  try {
    const neighbors::sparse_pattern a = neighbors::read_matrix_market(read_file(o.matrix));
    const auto parts = static_cast<std::uint32_t>(c.ranks);
    if (a.rows < parts)
      throw user_error(wrong_usage, fmt::format("{} has {} rows, too few for {} ranks; lower -n", o.matrix,
                                                a.rows, parts));
    const auto edges = neighbors::halo_of(a, o.parts == "metis" ? partition(a, parts)
                                                                : neighbors::blocks_of_rows(a.rows, parts));
    c.edges = text_of(edges);
    c.name = fmt::format("halo of {} ({} rows, parts by {}, {} edges)",
                         fs::path(o.matrix).filename().string(), a.rows, o.parts, edges.size());
  } catch (const neighbors::matrix_error& e) {
    throw user_error(input_has_errors, fmt::format("{}: {}", o.matrix, e.what()));
  }
  return c;
}

/// Edges as the user wrote them; as many ranks as the highest one asks for.
bench_case graph_case(const bench_options& o) {
  bench_case c;
  std::istringstream lines(read_file(o.graph));
  std::uint64_t highest = 0, edges = 0, number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::uint64_t from = 0, to = 0, values = 1;
    if (!(words >> std::ws) || words.eof())
      continue;
    const bool pair = static_cast<bool>(words >> from >> to);
    words >> std::ws;
    const bool whole = pair && (words.eof() || (words >> values && (words >> std::ws).eof()));
    if (!whole || line.find('-') != std::string::npos || std::max(from, to) >= most_ranks ||
        values > 1u << 30)
      throw user_error(input_has_errors,
                       fmt::format("{}, line {}: must be 'from to' or 'from to values', ranks below {}",
                                   o.graph, number, most_ranks));
    c.edges += fmt::format("{} {} {}\n", from, to, values);
    highest = std::max({highest, from, to});
    ++edges;
  }
  if (edges == 0)
    throw user_error(input_has_errors, o.graph + " has no edges");
  c.ranks = std::max(o.ranks, static_cast<int>(highest) + 1);
  if (o.ranks != 0 && c.ranks != o.ranks)
    throw user_error(wrong_usage, fmt::format("{} names rank {}, but -n is {}", o.graph, highest, o.ranks));
  c.name = fmt::format("{} ({} edges)", fs::path(o.graph).filename().string(), edges);
  return c;
}

bench_case case_of(const bench_options& o) {
  const int given = !o.matrix.empty() + !o.cart.empty() + !o.random.empty() + !o.graph.empty();
  if (given != 1)
    throw user_error(wrong_usage,
                     "give one of --matrix FILE, --cart DIMS, --random RANKS,DEGREE and --graph FILE");
  return !o.matrix.empty()  ? matrix_case(o)
         : !o.cart.empty()  ? cart_case(o)
         : !o.graph.empty() ? graph_case(o)
                            : random_case(o);
}

bench_result try_all(const bench_options& o, const bench_case& c, const mpi_program& program,
                     progress_line& progress) {
  const temporary_folder folder("bench");
  const fs::path output = folder.path / "result";
  std::vector<std::string> words = program.on_ranks(c.ranks);
  words.insert(words.end(), c.words.begin(), c.words.end());
  if (c.words.empty()) {
    write_file(folder.path / "edges", c.edges);
    words.insert(words.end(), {"--graph", (folder.path / "edges").string()});
  }
  words.insert(words.end(), {"--bytes", fmt::format("{}", fmt::join(o.bytes, ",")), "--seconds",
                             fmt::format("{}", o.seconds), "--output", output.string()});
  constexpr std::chrono::milliseconds a_while{150}; // fifteen ticks of the kernel's clock
  const double before = busy_cores(a_while);
  run_mpi_program(words, folder, fmt::format("{}, {} ranks", program.family, c.ranks), progress);
  bench_result r{program.family, c.name, c.ranks, {}, std::max(before, busy_cores(a_while))};
  std::istringstream lines(read_file(output));
  for (std::string line; std::getline(lines, line);)
    r.sizes.push_back(nlohmann::ordered_json::parse(line));
  return r;
}

int bench(const bench_options& o) {
  const bench_case c = case_of(o);
  progress_line progress(o.progress);
  std::vector<bench_result> all;
  const bool spin = std::thread::hardware_concurrency() >= static_cast<unsigned>(c.ranks);
  for (const mpi_program& program :
       find_mpi_programs("tacit-trial-", "program for trials", o.family, o.program, o.launcher, spin))
    all.push_back(try_all(o, c, program, progress));
  progress.clear();
  const std::string format = o.json ? "json" : o.format;
  write_file(o.output, format == "json"   ? json_of(all).dump(1) + '\n'
                       : format == "csv"  ? csv_of(all)
                       : format == "html" ? surface::html_of(page_of(all))
                                          : surface::text_of(page_of(all), 0));
  return tacit_is_right(all) ? done : input_has_errors;
}

} // namespace

command add_bench(CLI::App& app) {
  auto o = std::make_shared<bench_options>();
  CLI::App* group = app.add_subcommand("bench", "measure what tacit offers on this machine");
  group->require_subcommand(1);
  CLI::App* sub = group->add_subcommand(
      "neighbor", "try every variant of a neighborhood exchange; show which one is taken, why, and the best");
  sub->add_option("--matrix", o->matrix, "the halo of a sparse matrix in Matrix Market format");
  sub->add_option("--parts", o->parts, "how its rows are distributed: metis or blocks")
      ->check(one_of({"metis", "blocks"}));
  sub->add_option("--cart", o->cart, "a grid of ranks, for example 2x2");
  auto* open = sub->add_flag("--open", o->open, "its boundaries are open");
  sub->add_flag("--periodic", o->periodic, "its boundaries are joined (default)")->excludes(open);
  sub->add_option(
         "--reach", o->reach,
         "neighbors up to so many steps away in all dimensions (3 dimensions: 1 is 26 of them, 2 is 124); "
         "default: two per dimension")
      ->check(CLI::Range(0, 100));
  sub->add_option("--random", o->random,
                  "RANKS,DEGREE or RANKS,DEGREE,SEED: each rank sends to so many others");
  sub->add_option("--graph", o->graph,
                  "any neighborhood: lines 'from to values', a block of so many values each (default 1)");
  sub->add_option("-n,--np", o->ranks, "number of ranks (default: 2, or what the pattern needs)")
      ->check(CLI::Range(1, most_ranks));
  sub->add_option("--bytes", o->bytes, "per block, or per value of the vector (default 8,64,1024,8192,65536)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 30));
  sub->add_option("--seconds", o->seconds, "per size (default 1)")->check(CLI::Range(0.0, 3600.0));
  sub->add_option("--mpi", o->family, "only this MPI: openmpi, mpich (default: all tacit was built for)");
  sub->add_option("--program", o->program, "the program for trials of another build");
  sub->add_option("--format", o->format, "text, csv, json or html (with a plot)")
      ->check(one_of({"text", "csv", "json", "html"}));
  sub->add_flag("--json", o->json, "the same as --format json");
  sub->add_option("-o,--output", o->output, "file for the result");
  sub->add_flag("--progress", o->progress, "show progress on standard error even if it is no terminal");
  sub->add_option("LAUNCHER", o->launcher,
                  "the launcher and its options behind --, without the number of ranks");
  sub->positionals_at_end();
  sub->footer("Every byte is checked. The exit code is 1 if a variant of tacit's was wrong; a wrong MPI is a "
              "finding.");
  return [o] { return bench(*o); };
}

} // namespace tacit::surface
