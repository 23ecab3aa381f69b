// The command `tacit`: picks the command that was asked for and runs it. Results go to standard output (or
// -o), everything else to standard error.
#include "surface/cli/command_list.h"
#include "surface/cli/commands.h"
#include "surface/cli/compiler_wrapper.h"
#include "surface/cli/files.h"
#include "surface/cli/linked_mpi.h"
#include "vocabulary/base/nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <new>
#include <string_view>

namespace tacit::surface {
namespace {

/// As the user typed them, with `tacit-cc …` written as `tacit cc …` and `tacit help X` as `tacit X --help`.
std::vector<std::string> read_words(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (words.empty())
    return {"tacit"};
  const std::string name = words[0].substr(words[0].rfind('/') + 1);
  for (const std::string_view command :
       {"cc", "cxx", "fc"}) // a link may have any other name, such as tacit-0.1
    if (name == fmt::format("tacit-{}", command))
      words.insert(words.begin() + 1, std::string(command));
  if (words.size() > 1 && words[1] == "help") {
    words.erase(words.begin() + 1);
    words.emplace_back("--help");
  }
  return words;
}

CLI::App* asked_command(CLI::App& app) {
  CLI::App* asked = &app;
  while (!asked->get_subcommands().empty())
    asked = asked->get_subcommands().front();
  return asked;
}

/// "tacit bench neighbor".
std::string spelled(const CLI::App* command) {
  return command->get_parent() ? spelled(command->get_parent()) + " " + command->get_name() : "tacit";
}

/// What was said that nothing understands, if it is an option or a command: the nearest that exists.
void explain_extra_word(CLI::App& app) {
  CLI::App* const asked = asked_command(app);
  const std::vector<std::string> extra = app.remaining(true);
  if (extra.empty())
    return;
  const command_entry known = list_commands(*asked);
  const std::string command = spelled(asked);
  const std::string word = extra.front().substr(0, extra.front().find('='));
  const bool is_option = word.starts_with("-");
  if (!is_option && known.below.empty())
    throw user_error(wrong_usage, fmt::format("'{}' is one word too many; '{} --help' says what is expected",
                                              word, command));
  std::vector<std::string> names;
  for (const option_entry& o : known.options)
    names.insert(names.end(), o.names.begin(), o.names.end());
  if (!is_option) {
    names.clear();
    for (const command_entry& sub : known.below)
      names.push_back(sub.name());
  }
  throw user_error(wrong_usage, fmt::format("there is no {} '{}'{}; '{} --help' lists them",
                                            is_option ? "option" : "command", word,
                                            did_you_mean(word, {names.begin(), names.end()}), command));
}

void parse(CLI::App& app, const std::vector<std::string>& words) {
  try {
    app.parse(
        std::vector<std::string>(words.rbegin(), words.rend() - 1)); // in the order in which CLI11 takes them
  } catch (const CLI::ExtrasError&) {
    explain_extra_word(app);
    throw;
  } catch (const CLI::CallForHelp&) { // of a command that does not exist
    explain_extra_word(app);
    throw;
  } catch (const CLI::RequiredError&) { // a command that does not exist is one that is missing
    explain_extra_word(app);
    throw;
  }
}

int run(const std::vector<std::string>& words) {
  if (const auto exit = compiler_command(words))
    return *exit;
  if (words.size() == 3 && words[1] == library_version_option)
    return print_library_version(words[2]);
  CLI::App app{"Finds the communication an MPI program means, and explains it."};
  app.name("tacit");
  app.set_version_flag("-V,--version", "tacit " TACIT_VERSION);
  app.require_subcommand(1);
  app.fallthrough(false);
  const std::pair<const char*, command> commands[] = {
      {"run", add_run(app)},           {"analyze", add_analyze(app)},
      {"generate", add_generate(app)}, {"explain", add_explain(app)},
      {"doctor", add_doctor(app)},     {"view", add_view(app)},
      {"selftest", add_selftest(app)}, {"platform", add_platform(app)},
      {"bench", add_bench(app)},       {"transform", add_transform(app)},
      {"describe", add_describe(app)},
  };
  describe_compiler_commands(app);
  app.add_subcommand("help", "say what a command does: 'tacit help run' is 'tacit run --help'")
      ->add_option("COMMAND", "a command, or two words such as 'bench neighbor'");
  try {
    parse(app, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
      throw user_error(wrong_usage, fmt::format("{}; '{} --help' says what is expected", error.what(),
                                                spelled(asked_command(app))));
    app.exit(error, std::cout, std::cerr); // help, or the version
    return done;
  }
  for (const auto& [name, execute] : commands)
    if (app.got_subcommand(name))
      return execute();
  return wrong_usage;
}

} // namespace
} // namespace tacit::surface

int main(int argc, char** argv) {
  try {
    return tacit::surface::run(tacit::surface::read_words(argc, argv));
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
