#include "graphs/compile/compile.h"
#include "graphs/graph/text.h"
#include "surface/cli/analyze_recording.h"
#include "surface/cli/analyze_scaling.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/one_of.h"
#include "surface/cli/problems.h"
#include "surface/cli/progress.h"
#include "surface/cli/result_folder.h"
#include "surface/report/graph_page.h"
#include "surface/report/html.h"
#include "surface/report/text.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace tacit::surface {
namespace {

struct analyze_options {
  std::string input, output, format = "text", policy = "data", patterns;
  graphs::compile_options passes;
  scaling_request scaling;
  bool all = false, progress = false, json = false;
};

std::string rendered(const surface::graph_analysis& a, const analyze_options& options) {
  if (options.format == "json")
    return surface::json_of(a);
  if (options.format == "dot")
    return surface::dot_of(a);
  if (options.format == "html")
    return surface::html_of(surface::page_of(a));
  if (options.format == "goal") {
    if (auto text = surface::goal_of(a))
      return *std::move(text);
    throw user_error(
        wrong_usage,
        fmt::format("{} has fences on different communicators, which --format goal cannot write", a.name));
  }
  return surface::text_of(surface::page_of(a), options.all ? 0 : 40);
}

/// False, with all mistakes printed, if the file is malformed.
bool read_described(analyze_options& options) {
  if (options.patterns.empty())
    return true;
  diagnostics problems;
  auto known = graphs::read_patterns(read_file(options.patterns), problems);
  print_problems(problems, options.patterns);
  if (!known)
    return false;
  options.passes.described = *std::move(known);
  return true;
}

int analyze_graph(analyze_options& options) {
  if (!read_described(options))
    return input_has_errors;
  diagnostics problems;
  std::vector<std::uint32_t> lines;
  const std::string name =
      options.input == "-" ? "standard input" : std::filesystem::path(options.input).filename().string();
  progress_line progress(options.progress);
  progress.show("read", 0);
  auto g = graphs::read_graph(read_file(options.input), problems, &lines);
  if (!g) {
    progress.clear();
    print_problems(problems, options.input);
    return input_has_errors;
  }
  options.passes.progress = [&](std::string_view pass) { progress.show(pass, 0); };
  options.passes.make_plan = options.scaling.ranks.empty();
  const graphs::compilation c = graphs::compile(*g, options.passes);
  *g = graphs::with_groups(std::move(*g), c.groups);
  if (!options.scaling.ranks.empty() && !has_errors(c.problems)) {
    options.scaling.reassociates = options.passes.planning.reassociate;
    const std::string text =
        predicted_scaling(name, *g, c.found, options.scaling, options.format == "json", progress);
    progress.clear();
    write_file(options.output, text);
    return done;
  }
  progress.show("report", 0);
  if (options.format != "goal" || !has_errors(c.problems))
    write_file(options.output, rendered({name, *g, c, lines}, options));
  progress.clear();
  if (options.format != "text" || !options.output.empty())
    print_problems(c.problems, options.input, lines);
  return has_errors(c.problems) ? input_has_errors : done;
}

std::string rendered(const analyzed_recording& a, const surface::run_info& run,
                     const analyze_options& options) {
  if (options.format == "json")
    return json_of(a, run);
  if (options.format == "dot")
    return surface::dot_of(a.result);
  const surface::page page = page_of(a, run);
  return options.format == "html" ? surface::html_of(page) : surface::text_of(page, options.all ? 0 : 40);
}

int analyze_folder(const analyze_options& options) {
  if (!has_recording(options.input))
    throw user_error(wrong_usage,
                     fmt::format("there is no recording in {}; 'tacit run' makes one", options.input));
  const analyzed_recording analyzed = analyze_recording(options.input, options.progress);
  write_file(options.output, rendered(analyzed, {"", options.input, ""}, options));
  if (options.format != "text" || !options.output.empty())
    print_problems(analyzed.problems, options.input);
  return has_errors(analyzed.problems) ? input_has_errors : done;
}

/// Somebody named one file of a recording.
void refuse_part_of_recording(const std::string& input) {
  const std::filesystem::path path = input;
  const std::string name = path.filename().string();
  if (name.starts_with("rank-") && (name.ends_with(".rec") || name.ends_with(".tail")))
    throw user_error(wrong_usage,
                     fmt::format("{} is the recording of one rank; name its folder: tacit analyze {}", input,
                                 path.has_parent_path() ? path.parent_path().string() : "."));
}

int analyze(analyze_options options) {
  if (options.json)
    options.format = "json";
  refuse_part_of_recording(options.input);
  options.passes.planning.policy =
      options.policy == "keep_sync" ? graphs::sync_policy::keep_sync : graphs::sync_policy::data;
  if (std::error_code error; std::filesystem::is_directory(options.input, error))
    return analyze_folder(options);
  return analyze_graph(options);
}

} // namespace

command add_analyze(CLI::App& app) {
  auto options = std::make_shared<analyze_options>();
  CLI::App* sub = app.add_subcommand("analyze", "say what a graph file or a recording means");
  sub->add_option("INPUT", options->input, "graph file (- for standard input) or folder with a recording")
      ->required();
  sub->add_option("--format", options->format, "how to show the result")
      ->check(one_of({"text", "json", "dot", "html", "goal"}))
      ->capture_default_str();
  sub->add_flag("--json", options->json, "the same as --format json");
  sub->add_option("-o,--output", options->output, "file to write (default: standard output)");
  sub->add_option("--policy", options->policy, "synchronization that a replacement must keep")
      ->check(one_of({"data", "keep_sync"}))
      ->capture_default_str();
  sub->add_flag("--allow-reassociation", options->passes.planning.reassociate,
                "reductions that round may combine in another order, as collectives do");
  sub->add_option("--density", options->passes.detection.density,
                  "share of pairs with data that a vector collective must have")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  sub->add_option_function<std::vector<std::string>>(
         "--budget",
         [options](const std::vector<std::string>& budgets) {
           for (const std::string& budget : budgets)
             if (!graphs::read_budget(budget, options->passes.flow))
               throw CLI::ValidationError(
                   "--budget", budget + " is neither a number of fragments nor an amount such as 512MiB");
         },
         "what following the data may cost: fragments moved (default 268435456), or memory with a unit\n"
         "(default 2GiB); can be given for both")
      ->take_all();
  sub->add_option("--disable", options->passes.disabled, "switch a pass off (can be repeated)")
      ->check(one_of({"rendezvous", "races", "reductions", "detect", "replace", "validate", "stages"}))
      ->take_all();
  sub->add_option("--patterns", options->patterns,
                  "file with descriptions of patterns to look for in a graph, too (docs/patterns.md)")
      ->envname("TACIT_PATTERNS");
  sub->add_option(
         "--predict", options->scaling.ranks,
         "numbers of ranks, for example 64,1024: what a graph of a known algorithm, and every other\n"
         "algorithm for its pattern, would take there by the cost model")
      ->delimiter(',')
      ->check(CLI::Range(2u, 16777216u));
  sub->add_option("--ranks-per-node", options->scaling.ranks_per_node, "--predict: ranks on each node")
      ->check(CLI::Range(1u, 16777216u))
      ->capture_default_str();
  CLI::Option* models =
      sub->add_option(
             "--platform", options->scaling.models,
             "--predict: what 'tacit platform --json -o FILE' wrote, of one host, between two, or both files")
          ->check(CLI::ExistingFile)
          ->take_all();
  sub->add_option_function<std::string>(
         "--message-cost",
         [options](const std::string& said) {
           const auto cost = graphs::parse_message_cost(said);
           if (!cost)
             throw CLI::ValidationError(
                 "--message-cost",
                 said + " is not OVERHEAD,LATENCY,BYTE,NODE_SHARE, such as 300,1000,0.1,0.3");
           options->scaling.cost = *cost;
         },
         "--predict: overhead and latency of a message and time of a byte in ns, and the share of the first "
         "two\n"
         "within a node (default 300,1000,0.1,0.3)")
      ->excludes(models);
  sub->add_flag("--all", options->all, "text: show all rows of long tables");
  sub->add_flag("--progress", options->progress, "show progress on standard error even if it is no terminal");
  sub->footer("Exit codes: 0 done, 1 the input has errors or nothing could be written, 2 wrong usage.");
  return [options] { return analyze(*options); };
}

} // namespace tacit::surface
