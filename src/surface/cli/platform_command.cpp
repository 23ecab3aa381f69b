// `tacit platform`: what communication costs on this machine. Measures once per machine and MPI library by
// launching the program in src/surface/measure on two ranks, keeps the result where the libraries look for it
// (src/graphs/platform/model_file.h), and shows it.
#include "graphs/platform/model_file.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/mpi_program.h"
#include "surface/cli/one_of.h"
#include "surface/report/html.h"
#include "surface/report/platform_page.h"
#include "surface/report/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

namespace tacit::surface {
namespace {

namespace fs = std::filesystem;

struct platform_options {
  std::string family, program, output, format = "text";
  std::vector<std::string> launcher;
  bool again = false, kept_only = false, json = false, progress = false;
};

/// The MPI library's name, from the program itself: no launcher is needed for that.
std::string library_of(const mpi_program& measured) {
  const temporary_folder folder("platform");
  const fs::path log = folder.path / "library";
  const child_result ended = run_logged({measured.program.string(), "--library"}, log.string(), [] {});
  std::string text = read_file(log);
  text.erase(text.find_last_not_of('\n') + 1);
  if (ended.exit_code != 0 || text.empty() || text.size() > 200)
    throw user_error(input_has_errors, fmt::format("{} did not say which MPI library it uses ({}): {}",
                                                   measured.program.string(), ended.outcome(), text));
  return text;
}

graphs::machine_model measure(const mpi_program& measured, progress_line& progress) {
  const temporary_folder folder("platform");
  const fs::path output = folder.path / "model.json";
  std::vector<std::string> words = measured.on_ranks(2);
  words.insert(words.end(), {"--output", output.string()});
  run_mpi_program(words, folder, "measuring " + measured.family, progress);
  try {
    return graphs::parse_model(read_file(output));
  } catch (const graphs::model_error& e) {
    throw user_error(input_has_errors,
                     fmt::format("what {} measured cannot be used: {}", measured.program.string(), e.what()));
  }
}

/// Whether the launcher starts both ranks on one host. Nobody else can tell what its words mean.
bool launches_on_one_host(const mpi_program& measured, progress_line& progress) {
  const temporary_folder folder("platform");
  const fs::path output = folder.path / "hosts";
  std::vector<std::string> words = measured.on_ranks(2);
  words.insert(words.end(), {"--hosts", "--output", output.string()});
  run_mpi_program(words, folder, "looking where " + measured.family + " runs", progress);
  return read_file(output) == "1\n";
}

/// Empty, or why the model could not be kept.
std::string keep(const graphs::machine_model& m) {
  const fs::path file = graphs::model_file(m.machine, m.one_host);
  constexpr const char* remedy = "set XDG_CACHE_HOME to a folder that can be written and has room";
  if (file.empty())
    return fmt::format("the model is not kept, because neither XDG_CACHE_HOME nor HOME is set; {}", remedy);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return fmt::format("the model is not kept: could not make {}: {}; {}", file.parent_path().string(),
                       error.message(), remedy);
  try {
    write_file(file, graphs::text_of(m));
  } catch (const user_error& e) {
    return fmt::format("the model is not kept: {}; or {}", e.what(), remedy);
  }
  return {};
}

struct found_model {
  surface::shown_model shown;
  std::string trouble; ///< keeping it
};

found_model model_of(const platform_options& options, const mpi_program& measured, progress_line& progress) {
  const graphs::machine_identity here = graphs::this_machine(library_of(measured));
  const bool looks = !options.launcher.empty() && !options.kept_only && !options.again;
  const fs::path file = graphs::model_file(here, !looks || launches_on_one_host(measured, progress));
  graphs::loaded_model kept = graphs::load_model(file, &here);
  if (options.kept_only || (kept.measured && !options.again))
    return {{std::move(kept.model), kept.origin}, ""};
  if (!kept.measured && fs::exists(file))
    std::fprintf(stderr, "tacit: %s\ntacit: measuring anew\n", kept.origin.c_str());
  found_model out;
  out.shown.model = measure(measured, progress);
  out.trouble = keep(out.shown.model);
  out.shown.origin =
      out.trouble.empty()
          ? fmt::format("measured now, kept in {}",
                        graphs::model_file(out.shown.model.machine, out.shown.model.one_host).string())
          : "measured now, not kept";
  return out;
}

std::string json_of(const std::vector<surface::shown_model>& models) {
  if (models.size() == 1)
    return graphs::text_of(models[0].model);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const surface::shown_model& m : models)
    all.push_back(nlohmann::ordered_json::parse(graphs::text_of(m.model)));
  return all.dump(1) + '\n';
}

int platform(const platform_options& options) {
  progress_line progress(options.progress);
  std::vector<surface::shown_model> models;
  std::vector<std::string> troubles;
  for (const mpi_program& p :
       find_mpi_programs("tacit-platform-", "program that measures", options.family, options.program,
                         options.launcher, std::thread::hardware_concurrency() >= 2)) {
    found_model found = model_of(options, p, progress);
    models.push_back(std::move(found.shown));
    if (!found.trouble.empty())
      troubles.push_back(std::move(found.trouble));
  }
  progress.clear();
  const std::string format = options.json ? "json" : options.format;
  write_file(options.output, format == "json"   ? json_of(models)
                             : format == "html" ? surface::html_of(surface::platform_page(models))
                                                : surface::text_of(surface::platform_page(models), 0));
  for (const std::string& text : troubles)
    std::fprintf(stderr, "tacit: %s\n", text.c_str());
  return troubles.empty() ? done : input_has_errors;
}

} // namespace

command add_platform(CLI::App& app) {
  auto options = std::make_shared<platform_options>();
  CLI::App* sub = app.add_subcommand(
      "platform", "measure what communication costs on this machine (once; kept for later), and show it");
  sub->add_option("--mpi", options->family,
                  "only this MPI: openmpi, mpich (default: all tacit was built for)");
  sub->add_option("--program", options->program, "the measuring program of another build");
  sub->add_flag("--again", options->again, "measure even if there is a model");
  sub->add_flag("--kept", options->kept_only, "show what is kept, or the defaults; measure nothing");
  sub->add_option("--format", options->format, "text, json or html (with a plot)")
      ->check(one_of({"text", "json", "html"}));
  sub->add_flag("--json", options->json, "the same as --format json");
  sub->add_option("-o,--output", options->output, "file for the result");
  sub->add_flag("--progress", options->progress, "show progress on standard error even if it is no terminal");
  sub->add_option("LAUNCHER", options->launcher,
                  "the launcher and its options behind --, without the number of ranks");
  sub->positionals_at_end();
  sub->footer("The model is kept in $XDG_CACHE_HOME/tacit (~/.cache/tacit). Measure on a quiet machine.");
  return [options] { return platform(*options); };
}

} // namespace tacit::surface
