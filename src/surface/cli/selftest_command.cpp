// `tacit selftest`: launches the conformance suite of neighborhood collectives (src/surface/selftest) under the
// installed MPI and says which calls are wrong where, MPI's and ours.
//
// Faulty calls hang and crash. The suite keeps a journal; a launch that dies is followed by one that goes on
// behind the step that killed it and leaves that kind of step out. Every launch ends or loses one kind, so
// there are at most as many as there are kinds.
#include "graphs/platform/selftest_verdict.h"
#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/mpi_program.h"
#include "surface/cli/progress.h"
#include "surface/cli/selftest_result.h"
#include "surface/selftest/names.h"
#include "vocabulary/base/amounts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

namespace tacit::surface {
namespace {

namespace fs = std::filesystem;

struct selftest_options {
  std::vector<int> ranks;
  std::string family, program, output;
  std::vector<std::string> implementations, only, launcher;
  int dimensions = 0, every = 1, graphs = 6, timeout = 30, iterations = 3;
  std::uint64_t seed = 1;
  bool full = false, json = false, progress = false;
};

bool few_cores() {
  return std::thread::hardware_concurrency() < 4;
}

/// Nothing is launched for words that no suite knows.
void check_words(const selftest_options& options) {
  using namespace surface;
  const auto knows = [](const auto& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (const std::string& word : options.only)
    if (!knows(call_names, word) && !knows(mode_names, word) && !knows(class_names, word))
      throw user_error(wrong_usage,
                       fmt::format("--only: '{}' is no call ({}), mode ({}) or class of topologies ({})",
                                   word, fmt::join(call_names, ", "), fmt::join(mode_names, ", "),
                                   fmt::join(class_names, ", ")));
  for (const std::string& word : options.implementations)
    if (!knows(implementation_names, word))
      throw user_error(wrong_usage, fmt::format("--implementations: '{}' is none of {}", word,
                                                fmt::join(implementation_names, ", ")));
}

/// MPICH spins while it waits: with more ranks than cores everything takes very long.
std::vector<int> ranks_for(const selftest_options& options, const mpi_program& tested) {
  if (!options.ranks.empty())
    return options.ranks;
  const bool patient = tested.family == "openmpi" || !few_cores();
  std::vector<int> list;
  for (int n = 1; n <= (options.full ? (patient ? 16 : 4) : (patient ? 4 : 2)); ++n)
    list.push_back(n);
  return list;
}

std::vector<std::string> suite_line(const selftest_options& options, const mpi_program& tested, int ranks,
                                    const fs::path& journal, const fs::path& output) {
  std::vector<std::string> words = tested.launcher;
  words.insert(words.end(), {"-n", std::to_string(ranks), tested.program.string()});
  const auto add = [&words](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  add("--ranks", std::to_string(ranks));
  add("--seed", std::to_string(options.seed));
  add("--dimensions", std::to_string(options.dimensions > 0 ? options.dimensions : options.full ? 4 : 3));
  add("--every", std::to_string(options.every));
  add("--graphs", std::to_string(options.graphs));
  add("--iterations", std::to_string(options.iterations));
  add("--timeout", std::to_string(options.timeout));
  add("--journal", journal.string());
  add("--output", output.string());
  if (!options.implementations.empty())
    add("--implementations", fmt::format("{}", fmt::join(options.implementations, ",")));
  if (!options.only.empty())
    add("--only", fmt::format("{}", fmt::join(options.only, ",")));
  return words;
}

struct journal_state {
  long begun = 0, last = 0, steps = 0; ///< lines "begin", number of the last, and how many there will be
  double share() const { return steps > 0 ? static_cast<double>(last) / static_cast<double>(steps) : 0; }
};

journal_state read_journal(const fs::path& journal) {
  journal_state state;
  std::ifstream lines(journal);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "of")
      words >> state.steps;
    if (what == "begin") {
      words >> state.last;
      ++state.begun;
    }
  }
  return state;
}

/// Launches until the suite has come to its end.
nlohmann::ordered_json run_suite(const selftest_options& options, const mpi_program& tested, int ranks,
                                 progress_line& progress) {
  const temporary_folder folder("selftest");
  const fs::path journal = folder.path / "journal", output = folder.path / "result.json",
                 log = folder.path / "log";
  const auto line = suite_line(options, tested, ranks, journal, output);
  long begun = 0;
  std::size_t launches = 0;
  for (;;) {
    int wakes = 0;
    const child_result ended = run_logged(line, log.string(), [&] {
      if (wakes++ % 10 == 0)
        progress.show(fmt::format("{}, {}, launch {}", tested.family,
                                  count_text(static_cast<std::uint64_t>(ranks), "rank"), launches + 1),
                      read_journal(journal).share());
    });
    ++launches;
    if (ended.received != 0)
      throw user_error(128 + ended.received, "stopped by a signal; no verdict");
    if (ended.exit_code == 0 && fs::exists(output))
      return nlohmann::ordered_json::parse(read_file(output));
    const long now = read_journal(journal).begun;
    if (now == begun || ended.signal != 0)
      throw user_error(input_has_errors,
                       fmt::format("the suite could not be run under {} ({}): {}\n{}", tested.family,
                                   ended.outcome(), fmt::join(line, " "), last_lines(log)));
    begun = now;
  }
}

/// Fewer cases than the suite has if nothing is said about that.
bool leaves_cases_out(const selftest_options& o) {
  return o.every > 1 || o.graphs < 6 || (o.dimensions > 0 && o.dimensions < 3);
}

void keep(const selftest_result& result, const selftest_options& options) {
  const fs::path file = graphs::selftest_file(result.version());
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  try {
    nlohmann::ordered_json verdict = result.as_json();
    verdict["machine"] = graphs::selftest_machine();
    verdict["sampled"] = leaves_cases_out(options);
    write_file(file, verdict.dump(1) + '\n');
  } catch (const user_error& e) { // the verdict has been shown; the next run makes it again
    std::fprintf(stderr, "tacit: the verdict is not kept: %s\n", e.what());
  }
}

int test_calls(const selftest_options& options) {
  check_words(options);
  progress_line progress(options.progress);
  std::string text;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  bool right = true;
  for (const mpi_program& tested :
       find_mpi_programs("tacit-selftest-", "suite", options.family, options.program, options.launcher)) {
    selftest_result result;
    for (const int ranks : ranks_for(options, tested))
      result.add(run_suite(options, tested, ranks, progress));
    right = right && result.tacit_is_right();
    text += result.as_text();
    all.push_back(result.as_json());
    if (options.only.empty() && options.implementations.empty())
      keep(result, options);
  }
  progress.clear();
  write_file(options.output, options.json ? (all.size() == 1 ? all[0] : all).dump(1) + '\n' : text);
  return right ? done : input_has_errors;
}

} // namespace

command add_selftest(CLI::App& app) {
  auto options = std::make_shared<selftest_options>();
  CLI::App* sub = app.add_subcommand(
      "selftest", "check the neighborhood collectives of the installed MPI, and ours, against an oracle");
  sub->add_option("--np", options->ranks, "numbers of ranks (default: 1 to 4; MPICH on few cores 1 and 2)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 16));
  sub->add_option("--mpi", options->family,
                  "only this MPI: openmpi, mpich (default: all tacit was built for)");
  sub->add_option("--program", options->program, "a suite that was compiled for another MPI");
  sub->add_option("--only", options->only, "only these calls, modes or topologies, for example alltoallw")
      ->delimiter(',');
  sub->add_flag("--full", options->full, "up to 16 ranks (MPICH on few cores: 4), 4 dimensions");
  sub->add_option("--dimensions", options->dimensions, "Cartesian shapes up to so many (default 3)")
      ->check(CLI::Range(1, 6));
  sub->add_option("--every", options->every, "only each so many-th Cartesian shape")
      ->check(CLI::Range(1, 1000));
  sub->add_option("--graphs", options->graphs, "random graphs of each kind (default 6)")
      ->check(CLI::Range(0, 1000));
  sub->add_option("--iterations", options->iterations, "of each case (default 3)")
      ->check(CLI::Range(1, 1000));
  sub->add_option("--seed", options->seed, "of the random topologies (default 1)");
  sub->add_option("--timeout", options->timeout, "seconds after which a case is taken to hang (default 30)")
      ->check(CLI::Range(1, 3600));
  sub->add_option("--implementations", options->implementations,
                  "what to test, separated by commas: mpi, tacit, or sends (a naive reference)")
      ->delimiter(',');
  sub->add_flag("--json", options->json, "the verdicts as JSON");
  sub->add_option("-o,--output", options->output, "file for the result");
  sub->add_flag("--progress", options->progress, "show progress on standard error even if it is no terminal");
  sub->add_option("LAUNCHER", options->launcher,
                  "the launcher and its options behind --, without the number of ranks");
  sub->positionals_at_end();
  sub->footer("The exit code is 0 if tacit's calls are right everywhere; faults of the MPI are findings, not "
              "failures.");
  return [options] { return test_calls(*options); };
}

} // namespace tacit::surface
