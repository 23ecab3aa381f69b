// `tacit transform`: source to source, by what `#pragma mpi` says. Clang's libraries are in a program of their own
// (src/compiler/annotate), so that the command itself stays small; it is told in one word each what was asked for.
#include "surface/cli/transform_command.h"

#include "graphs/platform/machine_model.h"
#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/compiler_wrapper.h"
#include "surface/cli/files.h"
#include "surface/cli/flang_module.h"
#include "surface/cli/own_files.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace tacit::surface {
namespace {

struct transform_options {
  std::vector<std::string> words; ///< files, then the flags of the compiler
  std::string database, pipeline, platform;
  bool diff = false, write = false, json = false, quiet = false, coherent = false, incoherent = false,
       checked = false;
};

std::string mode_of(const transform_options& options) {
  return options.json ? "json" : options.diff ? "diff" : options.write ? "write" : "print";
}

/// Latency, seconds for each byte, what part of a message moves by itself, and seconds that sender and receiver are busy with one: for the
/// choice of pipelined exchanges.
std::string exchange_costs(const std::string& path) {
  try {
    const graphs::machine_model m = graphs::parse_model(read_file(path));
    constexpr double large = 1 << 20;
    return fmt::format("{:.4g},{:.4g},{:.3g},{:.4g},{:.4g}", 1e-9 * m.latency(),
                       1e-9 * graphs::gap_at(m, large) / large, m.progress.median / 100,
                       1e-9 * graphs::send_at(m, 0), 1e-9 * graphs::receive_at(m, 0));
  } catch (const graphs::model_error& wrong) {
    throw user_error(
        wrong_usage,
        fmt::format("{} is no platform description: {}; make one with tacit platform", path, wrong.what()));
  }
}

int transform(const transform_options& options) {
  std::vector<std::string> line = transformer_line(mode_of(options), own_mpi_family());
  if (!options.database.empty())
    line.push_back("--database=" + options.database);
  if (options.quiet || options.json)
    line.emplace_back("--quiet");
  if (options.coherent || options.incoherent)
    line.emplace_back(options.coherent ? "--coherent" : "--incoherent");
  if (options.checked)
    line.emplace_back("--checked");
  if (!options.pipeline.empty())
    line.push_back("--pipeline=" + options.pipeline);
  if (!options.platform.empty())
    line.push_back("--exchange-costs=" + exchange_costs(options.platform));
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
  CLI::Option* coherent =
      sub->add_flag("--coherent", options->coherent,
                    "the program will run where caches are coherent (default: it finds out)");
  sub->add_flag("--incoherent", options->incoherent,
                "it will not: loads and stores of windows become MPI's calls")
      ->excludes(coherent);
  sub->add_option("--pipeline", options->pipeline,
                  "whether an annotated MPI_Alltoall travels in parts: never, always or measured (default: "
                  "the program measures, or "
                  "predicts by --platform)")
      ->check(CLI::IsMember({"never", "always", "measured"}));
  sub->add_option("--platform", options->platform,
                  "description of the machine it will run on, of tacit platform");
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
