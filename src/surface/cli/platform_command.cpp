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
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

namespace tacit::surface {
namespace {

namespace fs = std::filesystem;

struct platform_options {
  std::string family, program, output, format = "text";
  std::vector<std::string> launcher;
  bool again = false, kept_only = false, json = false, progress = false;
};

/// What the program says by itself, for which no launcher is needed; nothing if it does not know the question.
std::optional<std::string> answer_of(const mpi_program& measured, const char* question) {
  const temporary_folder folder("platform");
  const fs::path log = folder.path / "answer";
  const child_result ended = run_logged({measured.program.string(), question}, log.string(), [] {});
  std::string text = read_file(log);
  text.erase(text.find_last_not_of('\n') + 1);
  return ended.exit_code == 0 && text.size() <= 200 ? std::optional(text) : std::nullopt;
}

/// The MPI library's name.
std::string library_of(const mpi_program& measured) {
  const std::optional<std::string> name = answer_of(measured, "--library");
  if (!name || name->empty())
    throw user_error(input_has_errors,
                     fmt::format("{} did not say which MPI library it uses{}", measured.program.string(),
                                 name ? "" : "; is it tacit's program that measures?"));
  return *name;
}

/// Two ranks that are measured, or whose prices are kept.
struct wanted_pair {
  graphs::pair_class between = graphs::pair_class::same_node;
  std::string place, cores; ///< as the program that measures has them; empty: where the launcher places them
};

graphs::machine_model measure(const mpi_program& measured, const wanted_pair& pair, progress_line& progress) {
  const temporary_folder folder("platform");
  const fs::path output = folder.path / "model.json";
  std::vector<std::string> words = measured.on_ranks(2);
  words.insert(words.end(), {"--output", output.string()});
  if (!pair.place.empty())
    words.insert(words.end(), {"--place", pair.place, "--cores", pair.cores});
  const char* const where = pair.between == graphs::pair_class::other_cache ? " between caches" : "";
  run_mpi_program(words, folder, "measuring " + measured.family + where, progress);
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

/// The pairs of this machine whose prices differ; with a launcher, the one that it starts.
std::vector<wanted_pair> pairs_of(const platform_options& options, const mpi_program& measured,
                                  const graphs::machine_identity& here, progress_line& progress) {
  if (!options.launcher.empty()) {
    const bool looks = !options.kept_only && !options.again;
    const bool one_host = !looks || launches_on_one_host(measured, progress);
    return {{one_host ? graphs::pair_class::same_node : graphs::pair_class::other_node, "", ""}};
  }
  std::map<std::string, std::string> cores_at;
  std::istringstream places(answer_of(measured, "--places").value_or(""));
  for (std::string place, cores; places >> place >> cores;)
    cores_at[place] = cores;
  const bool is_shown =
      !options.kept_only || fs::exists(graphs::model_file(here, graphs::pair_class::other_cache));
  const auto apart = cores_at.find("two-caches"), together = cores_at.find("one-cache");
  if (apart == cores_at.end() || !is_shown)
    return {{}};
  wanted_pair near;
  if (together != cores_at.end())
    near = {graphs::pair_class::same_node, together->first, together->second};
  return {near, {graphs::pair_class::other_cache, apart->first, apart->second}};
}

/// Empty, or why the model could not be kept.
std::string keep(const graphs::machine_model& m) {
  const fs::path file = graphs::model_file(m.machine, m.between());
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

found_model model_of(const platform_options& options, const mpi_program& measured, const wanted_pair& pair,
                     const graphs::machine_identity& here, progress_line& progress) {
  const fs::path file = graphs::model_file(here, pair.between);
  graphs::loaded_model kept = graphs::load_model(file, &here);
  if (options.kept_only || (kept.measured && !options.again))
    return {{std::move(kept.model), kept.origin}, ""};
  if (!kept.measured && fs::exists(file))
    std::fprintf(stderr, "tacit: %s\ntacit: measuring anew\n", kept.origin.c_str());
  found_model out;
  out.shown.model = measure(measured, pair, progress);
  out.trouble = keep(out.shown.model);
  out.shown.origin =
      out.trouble.empty()
          ? fmt::format("measured now, kept in {}",
                        graphs::model_file(out.shown.model.machine, out.shown.model.between()).string())
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
    const graphs::machine_identity here = graphs::this_machine(library_of(p));
    for (const wanted_pair& pair : pairs_of(options, p, here, progress)) {
      found_model found = model_of(options, p, pair, here, progress);
      models.push_back(std::move(found.shown));
      if (!found.trouble.empty())
        troubles.push_back(std::move(found.trouble));
    }
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
