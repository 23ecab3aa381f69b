// The command `tacit`: picks the command that was asked for and runs it. Results go to standard output (or
// -o), everything else to standard error.
#include "surface/cli/commands.h"
#include "surface/cli/compiler_wrapper.h"
#include "surface/cli/files.h"
#include "surface/cli/linked_mpi.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <new>
#include <string_view>

namespace {

int run(int argc, char** argv) {
  using namespace tacit::surface;
  if (const auto exit = compiler_command(argc, argv))
    return *exit;
  if (argc == 3 && argv[1] == std::string_view(library_version_option))
    return print_library_version(argv[2]);
  CLI::App app{"Finds the communication an MPI program means, and explains it."};
  app.name("tacit");
  app.set_version_flag("--version", "tacit " TACIT_VERSION);
  app.require_subcommand(1);
  app.fallthrough(false);
  const std::pair<const char*, command> commands[] = {
      {"run", add_run(app)},           {"analyze", add_analyze(app)},   {"generate", add_generate(app)},
      {"explain", add_explain(app)},   {"doctor", add_doctor(app)},     {"view", add_view(app)},
      {"selftest", add_selftest(app)}, {"platform", add_platform(app)}, {"bench", add_bench(app)},
  };
  const auto is_asked_for = [&](const auto& known) { return std::string_view(argv[1]) == known.first; };
  if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(commands, is_asked_for))
    throw user_error(wrong_usage,
                     fmt::format("there is no command '{}'; 'tacit --help' lists them", argv[1]));
  describe_compiler_commands(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? done : wrong_usage;
  }
  for (const auto& [name, execute] : commands)
    if (app.got_subcommand(name))
      return execute();
  return wrong_usage;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const tacit::surface::user_error& error) {
    std::fprintf(stderr, "tacit: %s\n", error.what());
    return error.exit;
  } catch (const std::bad_alloc&) {
    std::fputs("tacit: not enough memory for this input; try a smaller --budget or fewer ranks\n", stderr);
    return tacit::surface::input_has_errors;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tacit: %s\n", error.what());
    return tacit::surface::input_has_errors;
  }
}
