// `tacit run`: starts the program with the interposer preloaded, waits, and says what its messages mean. What
// the program reads, prints and returns is not touched; our own words go to standard error when it has ended.
// With --apply its neighborhood collectives are done by tacit; then nothing is recorded unless a folder for
// results is named, and what was taken over is said by the interposer itself, in MPI_Finalize.
#include "surface/cli/analyze_recording.h"
#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/coverage.h"
#include "surface/cli/files.h"
#include "surface/cli/launch_line.h"
#include "surface/cli/linked_mpi.h"
#include "surface/cli/mpi_program.h"
#include "surface/cli/own_files.h"
#include "surface/cli/result_folder.h"
#include "vocabulary/base/amounts.h"
#include "vocabulary/calls/reasons.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace tacit::surface {
namespace {

struct run_options {
  std::vector<std::string> words;
  std::string output, interposer, max_size;
  bool record_only = false, no_hash = false, force = false, apply = false, dry = false, progress = false;
};

/// For people: words with special characters in single quotes.
std::string as_typed(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "" : " ";
    const bool simple = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                             "@%+=:,./_-") == std::string::npos;
    if (simple) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\'' ? "'\\''" : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<std::string> assignments(const run_options& options, const std::string& interposer,
                                     const std::string& folder) {
  const char* before = std::getenv("LD_PRELOAD");
  std::vector<std::string> list{"LD_PRELOAD=" + interposer +
                                    (before && *before ? ":" + std::string(before) : ""),
                                "TACIT_RECORD=" + folder};
  if (folder.empty())
    list.pop_back();
  if (options.apply)
    list.emplace_back("TACIT_APPLY=1");
  if (options.no_hash)
    list.emplace_back("TACIT_HASH=0");
  if (!options.max_size.empty())
    list.emplace_back("TACIT_MAX_SIZE=" + options.max_size);
  return list;
}

void check_mpi_family(const std::vector<std::string>& words, const launch_line& line) {
  for (const std::size_t at : line.programs) {
    const std::string family = linked_mpi_family(find_executable(words[at]));
    if (!family.empty() && !own_mpi_family().empty() && family != own_mpi_family())
      throw user_error(
          wrong_usage,
          fmt::format(
              "TACIT-083: {} uses {}, but this tacit was built for {}; use a tacit built for {} (preset {})",
              words[at], family, own_mpi_family(), family,
              family == "mpi-abi" ? "release-abi"
              : family == "mpich" ? "release-mpich"
                                  : "release"));
  }
}

/// What the interposer cannot say after the program's end, because it had no occasion to: processes of this node
/// leave marks in a file. It lives in memory and has no name but that of our descriptor, so whatever becomes of us,
/// nothing stays behind.
class marker_file {
public:
  marker_file() : file_(::memfd_create("tacit-marks", MFD_CLOEXEC)) {}
  ~marker_file() {
    if (file_ >= 0)
      ::close(file_);
  }
  marker_file(const marker_file&) = delete;
  marker_file& operator=(const marker_file&) = delete;

  void assign(std::vector<std::string>& assignments) const {
    if (file_ >= 0)
      assignments.push_back(fmt::format("TACIT_MARKER_FILE=/proc/{}/fd/{}", ::getpid(), file_));
  }
  /// What processes reached (reached of the interposer's environment.h), one letter each time.
  std::string marks() const {
    std::string all(4096, '\0');
    const ssize_t got = file_ >= 0 ? ::pread(file_, all.data(), all.size(), 0) : 0;
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
  }

private:
  int file_;
};

/// A program that --apply found nothing to do in.
void say_if_nothing_was_taken(const marker_file& outside, const child_result& result) {
  const std::string marks = outside.marks();
  if (marks.empty() || marks.find_first_of("mx") != std::string::npos)
    return;
  std::fputs(fmt::format("tacit: nothing was taken over ({}): no process called MPI_Init or "
                         "MPI_Session_init where tacit could see "
                         "it\n  ('tacit doctor PROGRAM' says what tacit sees of a program)\n",
                         result.outcome())
                 .c_str(),
             stderr);
}

/// A started program and what it was started with.
struct finished_run {
  launch_line line;
  std::string interposer;
  std::filesystem::path folder;
  child_result result;
  std::string marks; ///< of its processes
};

std::string why_nothing(const run_options& options, const finished_run& run) {
  if (recorder_stopped(run.folder))
    return fmt::format("the recorder could not write to {} (its message is above)", run.folder.string());
  if (run.marks.find('x') != std::string::npos)
    return "the recorder refused (its message above says why)";
  for (const std::size_t at : run.line.programs)
    if (const std::string why = obstacle(find_executable(options.words[at]), run.interposer, options.apply);
        !why.empty())
      return why;
  return "no process reached MPI_Init under the recorder\n  ('tacit doctor PROGRAM' says whether the "
         "recorder fits a program)";
}

/// What the recording lacks because the recorder does not see it.
diagnostics gaps(const run_options& options, const finished_run& run) {
  diagnostics found;
  if (run.marks.find('x') != std::string::npos) {
    diagnostic d;
    d.code = number(reason::wrong_mpi);
    d.level = severity::warning;
    d.message = "only one of several processes that each ran alone was recorded";
    d.remedy = "Start the program with the mpiexec of the MPI library that it is linked to.";
    found.push_back(std::move(d));
  }
  for (const std::size_t at : run.line.programs) {
    const coverage seen = find_coverage(inspect_program(find_executable(options.words[at])), run.interposer);
    if (seen.complete())
      continue;
    std::vector<std::string> unseen = seen.missed;
    unseen.insert(unseen.end(), seen.passed_by.begin(), seen.passed_by.end());
    diagnostic d;
    d.code = number(reason::recording_incomplete);
    d.level = severity::warning;
    d.message = fmt::format("{} also calls MPI functions that the recorder does not see: {}",
                            options.words[at], fmt::join(unseen, ", "));
    d.remedy = "What they send and receive may be missing; sums are lower bounds.";
    found.push_back(std::move(d));
    break; // one is enough to know
  }
  return found;
}

int report_recording(const run_options& options, const finished_run& run) {
  const auto& [line, interposer, folder, result, marks] = run;
  if (!has_recording(folder)) {
    const std::string why = why_nothing(options, run);
    std::fputs(fmt::format("tacit: nothing was recorded ({}): {}\n", result.outcome(), why).c_str(), stderr);
    remove_empty_result(folder);
    return 0;
  }
  if (options.record_only) {
    std::fputs(
        fmt::format("tacit: recorded in {0}; 'tacit analyze {0}' says what it means\n", folder.string())
            .c_str(),
        stderr);
    return 0;
  }
  write_recording_reports(folder, {as_typed(options.words), folder.string(), result.outcome()},
                          gaps(options, run), options.progress);
  return 0;
}

bool records(const run_options& options) {
  return !options.apply || !options.output.empty() || options.record_only;
}

/// With --apply all ranks have to run the interposer: they agree in MPI_Init, where one without it would not
/// answer.
void check_all_can_apply(const run_options& options, const launch_line& line, const std::string& interposer) {
  for (const std::size_t at : line.programs)
    if (const std::string why = obstacle(find_executable(options.words[at]), interposer, true); !why.empty())
      throw user_error(wrong_usage, fmt::format("--apply needs all ranks: {}: {}", options.words[at], why));
}

int run_applied(const run_options& options, const launch_line& line, const std::string& interposer) {
  const marker_file outside;
  std::vector<std::string> list = assignments(options, interposer, "");
  outside.assign(list);
  const child_result result = run_child(with_environment(options.words, line, list));
  say_if_nothing_was_taken(outside, result);
  return result.exit_code;
}

/// The remedy where the program cannot be found on the line.
std::string by_hand(const run_options& options) {
  return records(options)
             ? ", or start it behind 'env LD_PRELOAD=… TACIT_RECORD=FOLDER' and run 'tacit analyze "
               "FOLDER'"
             : ", or start all ranks behind 'env LD_PRELOAD=… TACIT_APPLY=1'";
}

/// What cannot even be started leaves no folder.
child_result run_recorded(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  try {
    return run_child(words);
  } catch (const user_error&) {
    remove_empty_result(folder);
    throw;
  }
}

int run(const run_options& options) {
  const launch_line line = parse_launch_line(options.words);
  if (!line.trouble.empty())
    throw user_error(wrong_usage, line.trouble + (line.launcher ? by_hand(options) : ""));
  const std::string interposer = find_interposer(options.interposer).string();
  check_mpi_family(options.words, line);
  if (options.apply)
    check_all_can_apply(options, line, interposer);
  const std::filesystem::path wanted =
      options.output.empty() ? program_name(options.words, line) + ".tacit" : options.output;
  if (options.dry) {
    const std::string there = records(options) ? std::filesystem::absolute(wanted).string() : "";
    const auto words = with_environment(options.words, line, assignments(options, interposer, there));
    write_file({}, as_typed(words) + "\n");
    return done;
  }
  if (!records(options))
    return run_applied(options, line, interposer);
  const existing_folder existing = options.force            ? existing_folder::replace_results
                                   : options.output.empty() ? existing_folder::take_another_name
                                                            : existing_folder::refuse;
  const std::filesystem::path folder = make_result_folder(wanted, existing);
  const marker_file outside;
  std::vector<std::string> list = assignments(options, interposer, folder.string());
  outside.assign(list);
  const child_result result = run_recorded(with_environment(options.words, line, list), folder);
  int trouble = 0;
  try {
    trouble = report_recording(options, {line, interposer, folder, result, outside.marks()});
  } catch (const std::exception& error) { // the program's own exit code is more important
    std::fprintf(stderr, "tacit: %s\n  the recording is kept in %s\n", error.what(), folder.c_str());
    trouble = input_has_errors;
  }
  return result.exit_code != 0 ? result.exit_code : trouble;
}

} // namespace

command add_run(CLI::App& app) {
  auto options = std::make_shared<run_options>();
  CLI::App* sub = app.add_subcommand("run", "run an MPI program, record it, and say what its messages mean");
  sub->add_option("COMMAND", options->words, "the command, for example -- mpiexec -n 4 ./app")->required();
  sub->positionals_at_end();
  sub->add_option("-o,--output", options->output,
                  "folder for the results; must not exist (default: <program>.tacit, or a numbered name)");
  sub->add_flag("--force", options->force, "replace the results of an earlier run in that folder");
  sub->add_option("--max-size", options->max_size,
                  "what the recording may take on disk, for example 512MiB; when it is nearly full, calls "
                  "and messages are "
                  "only counted")
      ->check([](const std::string& text) {
        return read_bytes(text) ? std::string() : text + " is no amount such as 512MiB";
      });
  sub->add_flag("--record-only", options->record_only, "record and do not analyse");
  sub->add_flag("--no-hash", options->no_hash,
                "do not compare contents: cheaper, but forwarding cannot be observed");
  sub->add_flag(
      "--apply", options->apply,
      "do the program's neighborhood collectives by tacit and say at the end what was taken over; nothing "
      "is recorded unless -o names a folder");
  sub->add_flag("--dry-run", options->dry, "print the command that would run, and do not run it");
  sub->add_option("--interposer", options->interposer,
                  "the recorder's library, if not the one that belongs to this tacit");
  sub->add_flag("--progress", options->progress, "show progress on standard error even if it is no terminal");
  sub->footer("The exit code is that of the command. Results: report.html, report.json, summary.txt and the "
              "recording.");
  return [options] { return run(*options); };
}

} // namespace tacit::surface
