// What compiling a graph takes on the rank that does it: Figure 7a of the cDAG paper, and the analysis in Figure 7c. Run by
// patterns.py.
//
//   s1_detection PATTERN ALGORITHM RANKS RUNS
//
// An object of JSON: "seconds" of each pass and "choose" (what it compares: graphs/choice), the median of RUNS, a rank to a node; "bytes"
// that are held at most, per rank; what was "found", and what was "chosen".
#include "graphs/choice/choose.h"
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "micro/heap.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <string>

using namespace tacit;
using namespace tacit::graphs;

namespace {

pattern pattern_of(std::string_view text) {
  for (const known_algorithm& known : known_algorithms())
    if (name(known.kind) == text)
      return known.kind;
  throw std::runtime_error("unknown pattern");
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

choice_request request(std::uint32_t ranks) {
  choice_request out;
  out.where.node.resize(ranks);
  std::iota(out.where.node.begin(), out.where.node.end(), std::uint64_t{0});
  return out;
}

void measure(pattern kind, algorithm form, std::uint32_t ranks, int runs) {
  diagnostics problems;
  const auto g = generate({.kind = kind, .form = form, .ranks = ranks, .block = 64}, problems);
  if (!g)
    throw std::runtime_error(problems.front().message);
  std::map<std::string, std::vector<double>> seconds;
  std::string found, chosen;
  std::int64_t peak = 0;
  const choice_request wanted = request(ranks);
  for (int run = 0; run < runs; ++run) {
    const std::int64_t before = bench::heap_bytes();
    bench::reset_heap_peak();
    const compilation c = compile(*g);
    for (const pass_time& pass : c.times)
      seconds[std::string(pass.name)].push_back(pass.seconds);
    peak = bench::heap_peak() - before;
    const auto start = std::chrono::steady_clock::now();
    const choice made = choose(*g, c, {}, wanted);
    seconds["choose"].push_back(seconds_since(start));
    found = c.found.found.empty() ? "nothing" : std::string(name(c.found.found.front().kind));
    chosen = made.plans[made.variants.front().plan].name + " by " + made.variants.front().driver;
  }
  std::string passes;
  for (const auto& [pass, times] : seconds)
    passes += fmt::format("{}\"{}\": {:.9f}", passes.empty() ? "" : ", ", pass, median(times));
  fmt::print("{{\"ranks\": {}, \"seconds\": {{{}}}, \"bytes\": {}, \"found\": \"{}\", \"chosen\": \"{}\"}}\n",
             ranks, passes, peak / ranks, found, chosen);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: {} PATTERN ALGORITHM RANKS RUNS\n", argv[0]);
    return 2;
  }
  try {
    const auto form = find_algorithm(argv[2]);
    if (!form)
      throw std::runtime_error("unknown algorithm");
    measure(pattern_of(argv[1]), *form, static_cast<std::uint32_t>(std::stoul(argv[3])), std::stoi(argv[4]));
  } catch (const std::exception& e) {
    fmt::print(stderr, "s1_detection: {}\n", e.what());
    return 1;
  }
}
