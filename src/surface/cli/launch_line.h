// Where the programs are in a command line such as `mpiexec -n 4 ./app`, so that `env LD_PRELOAD=…` can be
// put before each of them: the launcher itself must not be preloaded, and not every launcher hands on its
// environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tacit::surface {

struct launch_line {
  bool launcher = false;             ///< an MPI launcher was found; else the line is the program itself
  std::vector<std::size_t> programs; ///< positions of the programs, ascending (several: joined by ':')
  std::string trouble;               ///< not empty: the programs could not be found, and why
};

launch_line parse_launch_line(const std::vector<std::string>& words);

/// The line with `assignments` ("LD_PRELOAD=…") set for each program.
std::vector<std::string> with_environment(const std::vector<std::string>& words, const launch_line& line,
                                          const std::vector<std::string>& assignments);

/// The name of what runs, for people and for the result folder: "hpcc", "solve" for `python3 solve.py`.
std::string program_name(const std::vector<std::string>& words, const launch_line& line);

/// The file that a command word stands for (in PATH if it has no slash), or empty.
std::string find_executable(const std::string& word);

} // namespace tacit::surface
