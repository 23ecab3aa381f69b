#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/report/wrap.h"
#include "vocabulary/calls/reasons.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace tacit::surface {
namespace {

struct explain_options {
  std::string code;
  bool json = false;
};

nlohmann::ordered_json as_json(const reason_page& page) {
  return {{"code", reason_label(page.code)}, {"name", page.name}, {"title", page.title}, {"text", page.text}};
}

/// "TACIT-017", "tacit-17", "17", "017" or the name.
const reason_page* find_page(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const reason_page& page : reason_pages())
    if (page.name == text)
      return &page;
  std::string_view digits = text;
  if (digits.starts_with("tacit-"))
    digits.remove_prefix(6);
  std::uint16_t code = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code);
  const bool whole = error == std::errc{} && stop == digits.data() + digits.size();
  return whole ? find_reason(code) : nullptr;
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
  const reason_page* page = find_page(options.code);
  if (!page)
    throw user_error(wrong_usage, fmt::format("there is no reason code '{}'; 'tacit explain' lists them all",
                                              options.code));
  text = fmt::format("{} {}: {}\n\n{}\n", reason_label(page->code), page->name, page->title,
                     surface::wrapped(page->text, 80));
  write_file({}, options.json ? as_json(*page).dump(2) + "\n" : text);
  return done;
}

} // namespace

command add_explain(CLI::App& app) {
  auto options = std::make_shared<explain_options>();
  CLI::App* sub = app.add_subcommand("explain", "say what a reason code means and what to do");
  sub->add_option("CODE", options->code, "TACIT-017, 17, or the name; without it all codes are listed");
  sub->add_flag("--json", options->json, "as JSON");
  return [options] { return explain(*options); };
}

} // namespace tacit::surface
