#include "surface/cli/annotation_choices.h"

#include "surface/cli/commands.h"
#include "surface/cli/files.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tacit::surface {
namespace {

constexpr std::string_view coherent = "--coherent", incoherent = "--incoherent";

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What is wrong with a value; empty if nothing is.
std::string fault_of(const annotation_choice& choice, const std::string& value) {
  if (!choice.words.empty())
    return has(choice.words, value) ? "" : fmt::format("{}", fmt::join(choice.words, ", "));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool good = error == std::errc() && end == value.data() + value.size() && number >= choice.least;
  return good ? "" : fmt::format("a number of at least {}", choice.least);
}

} // namespace

const std::vector<annotation_choice>& annotation_choices() {
  static const std::vector<annotation_choice> all = {
      {std::string(coherent),
       {},
       false,
       0,
       "the program will run where caches are coherent (default: it finds out)"},
      {std::string(incoherent), {}, false, 0, "it will not: loads and stores of windows become MPI's calls"},
      {"--pipeline",
       {"never", "always", "puts", "measured"},
       false,
       0,
       "how an annotated MPI_Alltoall travels: never in parts, always in parts, in rows of puts, or as "
       "measured (default: the program measures, or predicts by --platform)"},
      {"--coalesce",
       {"never", "always"},
       false,
       0,
       "whether annotated one-sided operations are collected: never or always (default: always, or "
       "what --platform says)"},
      {"--coalesce-factor",
       {},
       true,
       1,
       "how many are collected for one target before they are sent (default: the program's, or "
       "what --platform says)"},
      {"--coalesce-memory", {}, true, 1, "how many bytes they may take (likewise)"},
      {"--eager-limit",
       {},
       true,
       0,
       "bytes that MPI takes over at once: shorter sends have nothing to hide, and stay (default: what "
       "--platform says; 0: all are posted)"},
  };
  return all;
}

const annotation_choice* choice_in(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  for (const annotation_choice& c : annotation_choices()) {
    const bool has_value = c.is_number || !c.words.empty();
    if (c.name != name || has_value != (equals != std::string::npos))
      continue;
    const std::string expected = has_value ? fault_of(c, word.substr(equals + 1)) : "";
    if (!expected.empty())
      throw user_error(wrong_usage, fmt::format("{} is not understood; expected {}", word, expected));
    return &c;
  }
  return nullptr;
}

void add_annotation_choices(CLI::App& to, std::vector<std::string>& chosen) {
  for (const annotation_choice& c : annotation_choices()) {
    if (!c.is_number && c.words.empty()) {
      to.add_flag_callback(c.name, [&chosen, name = c.name] { chosen.push_back(name); }, c.what);
      continue;
    }
    CLI::Option* made = to.add_option_function<std::string>(
        c.name,
        [&chosen, name = c.name](const std::string& value) {
          chosen.push_back(fmt::format("{}={}", name, value));
        },
        c.what);
    if (c.is_number)
      made->check([c](const std::string& value) {
            const std::string expected = fault_of(c, value);
            return expected.empty() ? expected : fmt::format("{} is not {}", value, expected);
          })
          ->type_name("UINT");
    else
      made->check(CLI::IsMember(c.words));
  }
}

void expect_one_memory(const std::vector<std::string>& chosen) {
  if (has(chosen, coherent) && has(chosen, incoherent))
    throw user_error(wrong_usage, fmt::format("{} excludes {}", coherent, incoherent));
}

} // namespace tacit::surface
