// One function per command. Each adds its options to the application and says what to do when it was chosen;
// the function returned runs the command and gives the exit code of the process.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App; // NOLINT(readability-identifier-naming): CLI11's name
} // namespace CLI

namespace tacit::surface {

/// Exit codes of every command except `run`, which passes on the exit code of the program it ran.
enum exit_code : int {
  done = 0,
  input_has_errors = 1, ///< the input was read, and something is wrong with it; or nothing could be written
  wrong_usage = 2,      ///< the command line was not understood, or a file cannot be read
};

using command = std::function<int()>;

command add_run(CLI::App& app);
command add_analyze(CLI::App& app);
command add_generate(CLI::App& app);
command add_explain(CLI::App& app);
command add_doctor(CLI::App& app);
command add_view(CLI::App& app);
command add_selftest(CLI::App& app);
command add_platform(CLI::App& app);
command add_bench(CLI::App& app);
command add_transform(CLI::App& app);
command add_describe(CLI::App& app);

/// What an argument may be that takes any text, for those who complete it: patterns and forms of `generate`; codes and
/// names that `explain` knows.
std::vector<std::string> known_patterns();
std::vector<std::string> known_forms();
std::vector<std::string> known_to_explain();

} // namespace tacit::surface
