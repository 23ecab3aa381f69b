// `tacit cc`, `tacit cxx`, `tacit fc`: the compilers of MPI with the overlap pass in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App; // NOLINT(readability-identifier-naming): CLI11's name
} // namespace CLI

namespace tacit::surface {

/// What the words of a compiler's command line say about what it will do.
struct compilation {
  bool asks = false;      ///< only a question about the compiler or the wrapper (-show, --version, …)
  bool links = false;     ///< an executable or a shared library is made
  bool whole = false;     ///< link-time optimization
  bool has_input = false; ///< there is something to compile or link
};
compilation look_at(const std::vector<std::string>& words);

/// The wrapper of an MPI family ("mpicc", "mpicxx"). Debian has both side by side, under names with the family in them.
std::string mpi_wrapper(const std::string& family, const char* plain);

/// Compiles or prints a path if that is what the command line asks for, and gives the exit code. Their
/// command lines belong to the compilers, so that this comes before all other reading of options.
std::optional<int> compiler_command(const std::vector<std::string>& line);

/// Lists the commands and options above in `tacit --help`.
void describe_compiler_commands(CLI::App& app);

} // namespace tacit::surface
