#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/report/wrap.h"
#include "vocabulary/base/nearest.h"
#include "vocabulary/calls/patterns.h"
#include "vocabulary/calls/reasons.h"
#include "vocabulary/calls/settings.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace tacit::surface {
namespace {

struct explain_options {
  std::string code;
  bool json = false;
};

nlohmann::ordered_json as_json(const reason_page& page) {
  return {{"code", reason_label(page.code)}, {"name", page.name}, {"title", page.title}, {"text", page.text}};
}

/// The number in "TACIT-017", "tacit-17", "17", "017" (lower case), if that is what it is.
std::optional<std::uint16_t> numbered(std::string_view digits) {
  if (digits.starts_with("tacit-"))
    digits.remove_prefix(6);
  std::uint16_t code = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code);
  const bool whole = error == std::errc{} && stop == digits.data() + digits.size();
  return whole ? std::optional(code) : std::nullopt;
}

std::string lower(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// By number or by name.
const reason_page* find_page(const std::string& typed) {
  const std::string text = lower(typed);
  for (const reason_page& page : reason_pages())
    if (page.name == text)
      return &page;
  const auto code = numbered(text);
  return code ? find_reason(*code) : nullptr;
}

/// Whose code is another number means no other: numbers are near to nothing.
std::string suggestion(const std::string& typed) {
  if (numbered(lower(typed)))
    return "";
  const std::vector<std::string> known = known_to_explain();
  return did_you_mean(typed, {known.begin(), known.end()});
}

int explain(const pattern_row& row, bool json) {
  const nlohmann::ordered_json page = {{"pattern", row.name}, {"call", row.call}, {"text", row.meaning}};
  write_file({}, json ? page.dump(2) + "\n"
                      : fmt::format("{} ({})\n\n{}\n", row.name, row.call, wrapped(row.meaning, 80)));
  return done;
}

int explain(const setting_row& row, bool json) {
  const nlohmann::ordered_json page = {{"variable", row.variable}, {"info_key", row.key},
                                       {"read_by", row.reader},    {"values", expected(row)},
                                       {"default", row.standard},  {"text", row.meaning}};
  const std::string text = fmt::format(
      "{}{} (read by: {})\n\n{}\nIt must be {}{}.\n", row.variable,
      row.key.empty() ? "" : fmt::format(", info key {}", row.key), row.reader, wrapped(row.meaning, 80),
      expected(row), row.standard.empty() ? "" : fmt::format("; without it, {}", row.standard));
  write_file({}, json ? page.dump(2) + "\n" : text);
  return done;
}

int explain(const explain_options& options) {
  std::string text;
  if (options.code.empty()) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const reason_page& page : reason_pages()) {
      all.push_back(as_json(page));
      text += fmt::format("{}  {:<22} {}\n", reason_label(page.code), page.name, page.title);
    }
    write_file({}, options.json ? all.dump(2) + "\n" : text);
    return done;
  }
  if (const auto kind = find_pattern(options.code))
    return explain(row_of(*kind), options.json);
  if (const setting_row* row = find_setting(options.code))
    return explain(*row, options.json);
  const reason_page* page = find_page(options.code);
  if (!page)
    throw user_error(wrong_usage,
                     fmt::format("there is no reason code '{}'{}; 'tacit explain' lists them all",
                                 options.code, suggestion(options.code)));
  text = fmt::format("{} {}: {}\n\n{}\n", reason_label(page->code), page->name, page->title,
                     surface::wrapped(page->text, 80));
  write_file({}, options.json ? as_json(*page).dump(2) + "\n" : text);
  return done;
}

} // namespace

std::vector<std::string> known_to_explain() {
  std::vector<std::string> names;
  for (const reason_page& page : reason_pages()) {
    names.push_back(reason_label(page.code));
    names.emplace_back(page.name);
  }
  for (const pattern_row& row : patterns)
    names.emplace_back(row.name);
  for (const setting_row& row : settings())
    names.emplace_back(row.variable);
  return names;
}

command add_explain(CLI::App& app) {
  auto options = std::make_shared<explain_options>();
  CLI::App* sub = app.add_subcommand("explain", "say what a reason code means and what to do");
  sub->add_option("CODE", options->code,
                  "TACIT-017, 17, or the name; also a pattern (bcast) or a variable (TACIT_DRIVER); without "
                  "it all codes are listed");
  sub->add_flag("--json", options->json, "as JSON");
  return [options] { return explain(*options); };
}

} // namespace tacit::surface
