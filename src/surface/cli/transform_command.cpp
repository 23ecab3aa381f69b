// `tacit transform`: source to source, by what `#pragma mpi` says. Clang's libraries are in a program of their own
// (src/compiler/annotate), so that the command itself stays small; it is told in one word each what was asked for.
#include "surface/cli/transform_command.h"

#include "graphs/platform/machine_model.h"
#include "surface/cli/annotation_choices.h"
#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/compiler_wrapper.h"
#include "surface/cli/files.h"
#include "surface/cli/flang_module.h"
#include "surface/cli/own_files.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace tacit::surface {
namespace {

struct transform_options {
  std::vector<std::string> words; ///< files, then the flags of the compiler
  std::string database, platform;
  std::vector<std::string> chosen; ///< what annotation_choices offers
  bool diff = false, write = false, json = false, quiet = false, checked = false;
};

std::string mode_of(const transform_options& options) {
  return options.json ? "json" : options.diff ? "diff" : options.write ? "write" : "print";
}

constexpr double second = 1e-9; ///< of a model's nanoseconds

/// Of messages and of puts (compiler/annotate/platform_choice.h); zeros where nothing is known of puts.
std::string exchange_costs(const graphs::machine_model& m) {
  constexpr double large = 1 << 20, small = 8;
  const bool puts = m.window != graphs::window_model::none && !m.puts.empty() && m.put_meanwhile.measured();
  const double put_byte = puts ? (graphs::put_at(m, large) - graphs::put_at(m, small)) / large : 0;
  const double all[] = {second * m.latency(),
                        second * graphs::gap_at(m, large) / large,
                        m.progress.median / 100,
                        second * graphs::send_at(m, 0),
                        second * graphs::receive_at(m, 0),
                        puts ? second * m.put_meanwhile.call.median : 0,
                        puts ? second * graphs::put_at(m, small) : 0,
                        second * std::max(put_byte, 0.0),
                        puts ? m.put_meanwhile.progress.median / 100 : 0,
                        puts ? second * graphs::fetch_at(m, large) / large : 0,
                        m.one_host ? static_cast<double>(m.machine.cores) : -1};
  return fmt::format("{:.4g}", fmt::join(all, ","));
}

/// Nanoseconds: rates one by one and together, what a call and its completion take, copies of 8 bytes, and how many cores there are.
std::string one_sided_costs(const graphs::machine_model& m) {
  constexpr double element = 8;
  const double all[] = {
      m.put_rate.single.median,    m.put_rate.coalesced.median,     m.get_rate.single.median,
      m.get_rate.coalesced.median, m.accumulate_rate.single.median, m.accumulate_rate.coalesced.median,
      graphs::put_at(m, element),  graphs::copy_at(m, element),     static_cast<double>(m.machine.cores)};
  return fmt::format("{:.4g}", fmt::join(all, ","));
}

int transform(const transform_options& options) {
  std::vector<std::string> line = transformer_line(mode_of(options), own_mpi_family());
  if (!options.database.empty())
    line.push_back("--database=" + options.database);
  if (options.quiet || options.json)
    line.emplace_back("--quiet");
  expect_one_memory(options.chosen);
  if (options.checked)
    line.emplace_back("--checked");
  for (std::string& word : platform_words(options.platform))
    line.push_back(std::move(word));
  line.insert(line.end(), options.chosen.begin(), options.chosen.end());
  bool flags = false;
  int files = 0;
  for (const std::string& word : options.words) {
    if (!flags && word.starts_with("-")) {
      flags = true;
      line.emplace_back("--");
    }
    std::error_code error;
    if (!flags && !std::filesystem::is_regular_file(word, error))
      throw user_error(
          wrong_usage,
          fmt::format("there is no file {}; check the name, and give the compiler's flags behind "
                      "--, those with a dash first",
                      word));
    files += flags ? 0 : 1;
    line.push_back(word);
  }
  if (files == 0)
    throw user_error(wrong_usage, "no file was named; 'tacit transform --help' says what is expected");
  return run_child(line).exit_code;
}

} // namespace

std::vector<std::string> platform_words(const std::string& file) {
  if (file.empty())
    return {};
  try {
    const graphs::machine_model m = graphs::parse_model(read_file(file));
    std::vector<std::string> words{"--exchange-costs=" + exchange_costs(m)};
    if (m.put_rate.measured() && m.get_rate.measured() && m.accumulate_rate.measured())
      words.push_back("--one-sided-costs=" + one_sided_costs(m));
    if (m.window != graphs::window_model::none)
      words.push_back(fmt::format("--windows={}", graphs::name(m.window)));
    if (m.eager_limit > 0)
      words.push_back(fmt::format("--described-eager-limit={}", m.eager_limit));
    if (m.one_host && !(m.flag.median > 0))
      words.emplace_back("--no-shared-memory");
    return words;
  } catch (const graphs::model_error& wrong) {
    throw user_error(
        wrong_usage,
        fmt::format("{} is no platform description: {}; make one with tacit platform", file, wrong.what()));
  }
}

std::vector<std::string> transformer_line(const std::string& mode, const std::string& family) {
  const auto programs = find_own_programs("tacit-transform");
  const auto found = programs.find("");
  if (found == programs.end())
    throw user_error(wrong_usage,
                     "this tacit was built without Clang 19's libraries, so that it has no tacit-transform; "
                     "install libclang-19-dev and build it again");
  std::vector<std::string> line{found->second.string(), mode};
  if (const std::string include = own_include_folder(); !include.empty()) // of what is transformed already
    line.insert(line.end(), {"--extra=-idirafter", "--extra=" + include});
  if (!family.empty())
    for (const std::string& option : paths_of_mpi(mpi_wrapper(family, "mpicc")).include_options)
      line.insert(line.end(), {"--extra=-idirafter", "--extra=" + option.substr(2)});
  return line;
}

command add_transform(CLI::App& app) {
  auto options = std::make_shared<transform_options>();
  CLI::App* sub = app.add_subcommand(
      "transform", "transform C and C++ by what `#pragma mpi` says of them, and print the result");
  sub->add_option("FILE", options->words, "files of C or C++")->required();
  sub->add_option("FLAG", options->words,
                  "behind --: flags of the compiler"); // the first positional takes these words, too
  sub->add_option(
      "-p,--database", options->database,
      "folder with compile_commands.json (default: the nearest above the file, unless flags are given)");
  CLI::Option* diff = sub->add_flag("--diff", options->diff, "print what changes, as diff -u");
  CLI::Option* write =
      sub->add_flag("-i,--write", options->write, "change the files, and the headers that have annotations");
  sub->add_flag("--json", options->json, "the texts and all that is said of them, as JSON")
      ->excludes(diff)
      ->excludes(write);
  diff->excludes(write);
  add_annotation_choices(*sub, options->chosen);
  sub->add_option(
      "--platform", options->platform,
      "description of the machine it will run on, of tacit platform: what is said neither here nor in "
      "a pragma is decided by it");
  sub->add_flag("--checked", options->checked,
                "with calls that say which claims are not true when the program runs (as tacit cc "
                "--annotations=check does)");
  sub->add_flag("-q,--quiet", options->quiet, "only errors and warnings, not what became of each annotation");
  sub->footer("Example: tacit transform --diff stencil.c -- -O2 -Iinclude. The language: "
              "docs/annotations.md. The exit code is 1 if "
              "a pragma is malformed or a claim false; then nothing is written.");
  return [options] { return transform(*options); };
}

} // namespace tacit::surface
