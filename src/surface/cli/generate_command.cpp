#include "graphs/generate/generate.h"
#include "graphs/graph/text.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/problems.h"
#include "vocabulary/base/nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace tacit::surface {
namespace {

struct generate_options {
  std::string pattern, form = "linear", of = "int", output;
  graphs::recipe wanted;
  bool dependent = false;
};

std::vector<graphs::known_algorithm> all_algorithms() {
  const auto moving = graphs::known_algorithms(), combining = graphs::combining_algorithms();
  std::vector<graphs::known_algorithm> all(moving.begin(), moving.end());
  all.insert(all.end(), combining.begin(), combining.end());
  return all;
}

std::string list_of_forms() {
  std::string text = "Patterns and forms:\n";
  for (const graphs::known_algorithm& k : all_algorithms())
    text += fmt::format("  {:<20} {:<19} {}\n", name(k.kind), graphs::name(k.form), k.what);
  return text;
}

/// What patterns that combine combine, by the name of the elements.
struct known_elements {
  std::string_view name;
  graphs::reducer by;
};

const std::vector<known_elements>& elements() {
  static const std::vector<known_elements> all{{"byte", {"or", "byte", 1, true, false, true}},
                                               {"int", {"sum", "int", 4, true, false, true}},
                                               {"double", {"sum", "double", 8, true, true, true}}};
  return all;
}

/// Each once, in the order of the list.
template <typename Name>
std::vector<std::string> names_of(Name&& name) {
  std::vector<std::string> names;
  for (const graphs::known_algorithm& k : all_algorithms())
    if (std::ranges::find(names, name(k)) == names.end())
      names.emplace_back(name(k));
  return names;
}

std::string nearest_of(const std::string& typed, const std::vector<std::string>& names) {
  return did_you_mean(typed, {names.begin(), names.end()});
}

int generate_file(generate_options options) {
  const auto kind = find_pattern(options.pattern);
  if (!kind)
    throw user_error(wrong_usage,
                     fmt::format("there is no pattern '{}'{}; 'tacit generate --help' lists them",
                                 options.pattern, nearest_of(options.pattern, known_patterns())));
  const auto form = graphs::find_algorithm(options.form);
  if (!form)
    throw user_error(wrong_usage, fmt::format("there is no form '{}'{}; 'tacit generate --help' lists them",
                                              options.form, nearest_of(options.form, known_forms())));
  for (const known_elements& e : elements())
    if (e.name == options.of)
      options.wanted.by = e.by;
  options.wanted.kind = *kind;
  options.wanted.form = *form;
  options.wanted.extra_kind =
      options.dependent ? graphs::extra_messages::dependent : graphs::extra_messages::disjoint;
  diagnostics problems;
  const auto g = graphs::generate(options.wanted, problems);
  if (!g) {
    print_problems(problems, "generate");
    return wrong_usage;
  }
  const graphs::recipe& r = options.wanted;
  write_file(options.output, fmt::format("# {} {}, {} ranks, {} bytes a block\n", graphs::name(r.form),
                                         name(r.kind), r.ranks, r.block) +
                                 graphs::write_graph(*g));
  return done;
}

} // namespace

std::vector<std::string> known_patterns() {
  return names_of([](const graphs::known_algorithm& k) { return name(k.kind); });
}

std::vector<std::string> known_forms() {
  return names_of([](const graphs::known_algorithm& k) { return graphs::name(k.form); });
}

command add_generate(CLI::App& app) {
  auto options = std::make_shared<generate_options>();
  graphs::recipe& r = options->wanted;
  CLI::App* sub = app.add_subcommand("generate", "write the graph of a well-known algorithm");
  sub->add_option("PATTERN", options->pattern, "what to communicate, for example bcast")->required();
  sub->add_option("--form", options->form, "algorithm")->capture_default_str();
  sub->add_option("-p,--ranks", r.ranks, "number of ranks")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1u << 24));
  sub->add_option("-B,--bytes", r.block, "bytes per block")->capture_default_str();
  sub->add_option("--root", r.root, "root of a rooted pattern")->capture_default_str();
  sub->add_option("--segments", r.segments, "pieces per block of pipelined forms")->capture_default_str();
  sub->add_option("--ranks-per-node", r.ranks_per_node,
                  "neighboring ranks that share a node, of two-level forms")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  sub->add_option("--of", options->of,
                  "what reductions combine: byte (bitwise or), int (sum) or double (sum, which rounds)")
      ->capture_default_str()
      ->check(CLI::IsMember({"byte", "int", "double"}));
  sub->add_flag("--self", r.self_block, "also copy each rank's own block, as MPI's calls do");
  sub->add_option("--random", r.extra, "number of random messages to add")->capture_default_str();
  sub->add_flag("--dependent", options->dependent,
                "random messages may forward results and overwrite each other");
  sub->add_option("--seed", r.seed, "seed of the random messages")->capture_default_str();
  sub->add_option("-o,--output", options->output, "file to write (default: standard output)");
  sub->footer(list_of_forms());
  return [options] { return generate_file(*options); };
}

} // namespace tacit::surface
