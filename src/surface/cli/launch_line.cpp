// Launchers differ in their options, so three things are known about a word behind a launcher: options in the
// table below take that many values; other options take none unless the next word is no program; the first
// word that is neither option nor value and names an executable file is the program, and all behind it is its
// own business. A ':' of its own begins the next program (MPMD) for the launchers that have this form.
#include "surface/cli/launch_line.h"

#include "vocabulary/base/python_program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tacit::surface {
namespace {

struct option_values {
  std::string_view name; ///< without leading dashes
  int values;
};

// Open MPI (mpirun(1)) and Hydra (mpiexec -help); options of both take the same number of values where both
// have them.
constexpr std::array mpiexec_options{
    option_values{"n", 1},
    option_values{"np", 1},
    option_values{"c", 1},
    option_values{"N", 1},
    option_values{"npernode", 1},
    option_values{"npersocket", 1},
    option_values{"ppn", 1},
    option_values{"H", 1},
    option_values{"host", 1},
    option_values{"hosts", 1},
    option_values{"hostlist", 1},
    option_values{"hostfile", 1},
    option_values{"machinefile", 1},
    option_values{"machine", 1},
    option_values{"default-hostfile", 1},
    option_values{"f", 1},
    option_values{"rf", 1},
    option_values{"rankfile", 1},
    option_values{"x", 1},
    option_values{"mca", 2},
    option_values{"gmca", 2},
    option_values{"prtemca", 2},
    option_values{"pmixmca", 2},
    option_values{"am", 1},
    option_values{"wdir", 1},
    option_values{"wd", 1},
    option_values{"path", 1},
    option_values{"prefix", 1},
    option_values{"bind-to", 1},
    option_values{"map-by", 1},
    option_values{"rank-by", 1},
    option_values{"cpu-list", 1},
    option_values{"cpu-set", 1},
    option_values{"cpus-per-proc", 1},
    option_values{"cpus-per-rank", 1},
    option_values{"slot-list", 1},
    option_values{"output-filename", 1},
    option_values{"stdin", 1},
    option_values{"timeout", 1},
    option_values{"report-uri", 1},
    option_values{"ompi-server", 1},
    option_values{"personality", 1},
    option_values{"genv", 2},
    option_values{"env", 2},
    option_values{"genvlist", 1},
    option_values{"envlist", 1},
    option_values{"iface", 1},
    option_values{"launcher", 1},
    option_values{"launcher-exec", 1},
    option_values{"bootstrap", 1},
    option_values{"rmk", 1},
    option_values{"outfile-pattern", 1},
    option_values{"errfile-pattern", 1},
    option_values{"umask", 1},
    option_values{"arch", 1},
    option_values{"soft", 1},
    option_values{"dpm-server", 1},
    option_values{"max-vm-size", 1},
    option_values{"max-restarts", 1},
    option_values{"tmpdir", 1},
};

// srun(1): the short options that take a value as the next word.
constexpr std::array srun_options{
    option_values{"n", 1}, option_values{"N", 1}, option_values{"c", 1}, option_values{"p", 1},
    option_values{"t", 1}, option_values{"A", 1}, option_values{"w", 1}, option_values{"x", 1},
    option_values{"J", 1}, option_values{"o", 1}, option_values{"e", 1}, option_values{"i", 1},
    option_values{"D", 1}, option_values{"C", 1}, option_values{"d", 1}, option_values{"m", 1},
    option_values{"r", 1}, option_values{"q", 1}, option_values{"G", 1}, option_values{"B", 1},
};

enum class launcher_kind { none, mpiexec, srun };

launcher_kind kind_of(const std::string& word) {
  const std::string name = std::filesystem::path(word).filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  for (const char* known : {"mpiexec", "mpirun", "orterun", "prterun", "prun"})
    if (stem == known)
      return launcher_kind::mpiexec;
  for (const char* known : {"srun", "aprun", "jsrun", "ibrun", "flux"})
    if (stem == known)
      return launcher_kind::srun;
  return launcher_kind::none;
}

int values_of(launcher_kind kind, std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  const auto look_up = [&](const auto& table) {
    const auto* found =
        std::find_if(table.begin(), table.end(), [&](const option_values& o) { return o.name == option; });
    return found == table.end() ? 0 : found->values;
  };
  return kind == launcher_kind::srun ? look_up(srun_options) : look_up(mpiexec_options);
}

/// The program is named in a file, not on the line.
bool names_a_file(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option == "app" || option == "configfile" || option == "multi-prog";
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// Position of the program in [at, end), or end.
std::size_t find_program(const std::vector<std::string>& words, launcher_kind kind, std::size_t at,
                         std::size_t end) {
  while (at < end) {
    if (words[at] == "--")
      return at + 1; // the launcher's own end of options
    if (is_option(words[at])) {
      if (names_a_file(words[at]))
        return end;
      at += 1 + static_cast<std::size_t>(values_of(kind, words[at]));
    } else {
      if (!find_executable(words[at]).empty())
        return at;
      ++at; // the value of an option that the table does not know
    }
  }
  return end;
}

bool is_assignment(const std::string& word) {
  return word.find('=') != std::string::npos && word[0] != '/' && word[0] != '.';
}

} // namespace

std::string find_executable(const std::string& word) {
  const auto runs = [](const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (word.empty())
    return "";
  if (word.find('/') != std::string::npos)
    return runs(word) ? word : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string candidate = (folder.empty() ? "." : folder) + '/' + word;
    if (runs(candidate))
      return candidate;
  }
  return "";
}

launch_line parse_launch_line(const std::vector<std::string>& words) {
  launch_line line;
  const auto launcher = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return kind_of(word) != launcher_kind::none;
  });
  if (launcher == words.end()) {
    line.programs = {0};
    if (words.empty() || find_executable(words[0]).empty())
      line.trouble = words.empty()
                         ? "there is no command to run"
                         : fmt::format("there is no program '{}'; check the name and PATH", words[0]);
    return line;
  }
  line.launcher = true;
  const launcher_kind kind = kind_of(*launcher);
  auto at = static_cast<std::size_t>(launcher - words.begin()) + 1;
  while (at <= words.size()) {
    const auto colon = std::find(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), ":");
    const auto end =
        kind == launcher_kind::srun ? words.size() : static_cast<std::size_t>(colon - words.begin());
    const std::size_t program = find_program(words, kind, at, end);
    if (program >= end) {
      line.trouble = fmt::format("no word behind {} names a program that can be run: check its name and path",
                                 *launcher);
      return line;
    }
    line.programs.push_back(program);
    at = end + 1;
  }
  return line;
}

std::vector<std::string> with_environment(const std::vector<std::string>& words, const launch_line& line,
                                          const std::vector<std::string>& assignments) {
  std::vector<std::string> out;
  auto next = line.programs.begin();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (next != line.programs.end() && *next == i) {
      out.emplace_back("env");
      out.insert(out.end(), assignments.begin(), assignments.end());
      ++next;
    }
    out.push_back(words[i]);
  }
  return out;
}

std::string program_name(const std::vector<std::string>& words, const launch_line& line) {
  std::size_t at = line.programs.empty() ? 0 : line.programs.front();
  if (words[at] == "env")
    while (at + 1 < words.size() && (words[at] == "env" || is_option(words[at]) || is_assignment(words[at])))
      ++at;
  std::filesystem::path path = words[at];
  if (is_python(words[at]))
    if (const std::string script = python_script(std::span(words).subspan(at)); !script.empty())
      path = script.ends_with(".py") ? std::filesystem::path(script).stem() : std::filesystem::path(script);
  const std::string name = path.filename().string();
  return name.empty() || name == "." || name == ".." ? "program" : name;
}

} // namespace tacit::surface
