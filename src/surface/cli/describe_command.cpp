// `tacit describe`: hidden, for the build and the tests. Writes what other programs need to know of the
// command line.
#include "surface/cli/commands.h"
#include "surface/cli/completions.h"
#include "surface/cli/files.h"
#include "surface/cli/manual.h"
#include "surface/cli/one_of.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace tacit::surface {

namespace {

/// All commands, with the words that the parser takes as they come.
command_entry describe(CLI::App& app) {
  command_entry top = list_commands(app);
  offer(top, "generate", "PATTERN", known_patterns());
  offer(top, "generate", "--form", known_forms());
  offer(top, "explain", "CODE", known_to_explain());
  std::vector<std::string> commands;
  for (const command_entry& sub : top.below)
    if (sub.name() != "help")
      commands.push_back(sub.name());
  offer(top, "help", "COMMAND", std::move(commands));
  return top;
}

} // namespace

command add_describe(CLI::App& app) {
  auto what = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  CLI::App* sub =
      app.add_subcommand("describe", "write the manual page, completions, or the table of settings");
  sub->group(""); // not in the help
  sub->add_option("WHAT", *what)->required()->check(one_of({"man", "bash", "zsh", "fish", "settings"}));
  sub->add_option("-o,--output", *output);
  return [&app, what, output] {
    const command_entry top = describe(app);
    write_file(*output, *what == "man"
                            ? manual_page(list_commands(app)) // says in words what arguments may be
                        : *what == "bash" ? bash_completion(top)
                        : *what == "zsh"  ? zsh_completion(top)
                        : *what == "fish" ? fish_completion(top)
                                          : settings_table());
    return done;
  };
}

} // namespace tacit::surface
