#include "surface/cli/mpi_program.h"

#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/launch_line.h"
#include "surface/cli/own_files.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tacit::surface {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> usual_launcher(const std::string& family, bool spin) {
  std::vector<std::string> names{"mpiexec." + family, "mpiexec"};
  if (family == "mpich")
    names.insert(names.begin() + 1, "mpiexec.hydra");
  for (const std::string& name : names) {
    if (find_executable(name).empty())
      continue;
    std::vector<std::string> words{name};
    if (family == "openmpi") {
      words.insert(words.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", spin ? "0" : "1"});
      if (::geteuid() == 0)
        words.emplace_back("--allow-run-as-root");
    }
    return words;
  }
  throw user_error(
      wrong_usage,
      fmt::format("there is no {}; name the launcher behind --, for example -- /opt/mpi/bin/mpiexec",
                  fmt::join(names, " and no ")));
}

} // namespace

std::vector<std::string> mpi_program::on_ranks(int ranks) const {
  std::vector<std::string> words = launcher;
  words.insert(words.end(), {"-n", std::to_string(ranks), program.string()});
  return words;
}

std::vector<mpi_program> find_mpi_programs(const std::string& start, const std::string& what,
                                           const std::string& family, const std::string& program,
                                           const std::vector<std::string>& launcher, bool spin) {
  std::map<std::string, fs::path> programs = find_own_programs(start);
  if (!program.empty()) {
    if (find_executable(program).empty())
      throw user_error(wrong_usage, fmt::format("there is no program '{}'", program));
    programs = {{family.empty() ? "other" : family, fs::absolute(program)}};
  } else if (!family.empty()) {
    std::erase_if(programs, [&](const auto& p) { return p.first != family; });
  }
  if (programs.empty())
    throw user_error(wrong_usage,
                     family.empty()
                         ? fmt::format("this tacit was built without MPI, so there is no {} to run", what)
                         : fmt::format("this tacit has no {} for '{}'; build tacit for it, or compile the "
                                       "{} with its mpicxx and name it with --program",
                                       what, family, what));
  std::vector<mpi_program> list;
  for (const auto& [name, file] : programs)
    list.push_back({name, file, launcher.empty() ? usual_launcher(name, spin) : launcher});
  return list;
}

temporary_folder::temporary_folder(const char* purpose) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string name = (parent / fmt::format("tacit-{}-XXXXXX", purpose)).string();
  if (error || !::mkdtemp(name.data()))
    throw user_error(
        input_has_errors,
        fmt::format("could not make a folder in {}; TMPDIR names another place for temporary files",
                    parent.empty() ? "the folder for temporary files" : parent.string()));
  path = name;
}

temporary_folder::~temporary_folder() {
  std::error_code error;
  fs::remove_all(path, error);
}

std::string last_lines(const fs::path& log) {
  std::string text = read_file(log);
  constexpr std::size_t enough = 1500;
  return text.size() > enough ? "…" + text.substr(text.size() - enough) : text;
}

void show_progress_of(const fs::path& file, const std::string& who, progress_line& line) {
  std::ifstream lines(file);
  std::string last;
  for (std::string text; std::getline(lines, text);)
    last = text;
  std::istringstream words(last);
  double share = 0;
  std::string what;
  if (words >> share >> std::ws && std::getline(words, what))
    line.show(fmt::format("{}: {}", who, what), share);
}

void run_mpi_program(const std::vector<std::string>& words, const temporary_folder& folder,
                     const std::string& who, progress_line& line) {
  const fs::path log = folder.path / "log";
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--progress", (folder.path / "progress").string()});
  const child_result ended =
      run_logged(all, log.string(), [&] { show_progress_of(folder.path / "progress", who, line); });
  line.clear();
  if (ended.received != 0)
    throw user_error(128 + ended.received, "stopped by a signal; nothing was kept");
  if (ended.exit_code != 0)
    throw user_error(input_has_errors, fmt::format("{} failed ({}): {}\n{}", who, ended.outcome(),
                                                   fmt::join(words, " "), last_lines(log)));
}

} // namespace tacit::surface
