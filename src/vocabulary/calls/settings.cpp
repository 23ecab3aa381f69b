#include "vocabulary/calls/settings.h"

#include "vocabulary/base/nearest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace tacit::vocabulary {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

constexpr setting_values words(std::string_view allowed) {
  return {value_kind::words, allowed, 0, 0, ""};
}
constexpr setting_values list(std::string_view allowed) {
  return {value_kind::list, allowed, 0, 0, ""};
}
constexpr setting_values number(std::uint64_t least, std::uint64_t most, std::string_view description) {
  return {value_kind::number, "", least, most, description};
}
constexpr setting_values real(std::uint64_t least, std::uint64_t most, std::string_view description) {
  return {value_kind::real, "", least, most, description};
}
constexpr setting_values bytes(std::string_view description) {
  return {value_kind::bytes, "", 0, no_limit, description};
}
constexpr setting_values text(std::string_view description) {
  return {value_kind::text, "", 0, 0, description};
}

constexpr std::array setting_rows{
#define TACIT_SETTING(name, variable, key, reader, values, standard, meaning)                                \
  setting_row{setting::name, variable, key, reader, values, standard, meaning},
#include "vocabulary/calls/settings.def"
#undef TACIT_SETTING
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(at));
    parts.push_back(part);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return parts;
}

/// "a, b, c".
std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

template <typename Number>
std::optional<Number> whole_text(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

template <typename Number>
bool is_within(const setting_values& allowed, std::optional<Number> value) {
  return value && *value >= static_cast<Number>(allowed.least) && *value <= static_cast<Number>(allowed.most);
}

bool is_allowed(const setting_row& row, std::string_view value) {
  const auto is_word = [&](std::string_view word) { return word_index(row, word).has_value(); };
  switch (row.values.kind) {
  case value_kind::words:
    return is_word(value);
  case value_kind::list:
    return std::ranges::all_of(split(value, ','), is_word);
  case value_kind::number:
    return is_within(row.values, whole_number(value));
  case value_kind::real:
    return is_within(row.values, real_number(value));
  case value_kind::bytes:
    return number_of_bytes(value).has_value();
  case value_kind::text:
    return true;
  }
  return true;
}

/// What was probably meant by a word, or by one of a list, that is none of the row's.
std::string nearest_word(const setting_row& row, std::string_view value) {
  if (row.values.kind != value_kind::words && row.values.kind != value_kind::list)
    return "";
  const std::vector<std::string_view> given_words =
      row.values.kind == value_kind::list ? split(value, ',') : std::vector{value};
  const auto wrong =
      std::ranges::find_if(given_words, [&](std::string_view word) { return !word_index(row, word); });
  return wrong == given_words.end() ? "" : did_you_mean(*wrong, words_of(row));
}

/// "neighborhood collectives" reads what "tacit_compile, neighborhood collectives" read.
bool reads(const setting_row& row, std::string_view reader) {
  return row.reader.find(reader) != std::string_view::npos;
}

} // namespace

std::span<const setting_row> settings() {
  return setting_rows;
}

const setting_row& row_of(setting name) {
  return setting_rows[static_cast<std::size_t>(name)];
}

const setting_row* find_setting(std::string_view variable_or_key) {
  for (const setting_row& row : setting_rows)
    if (row.variable == variable_or_key || (!row.key.empty() && row.key == variable_or_key))
      return &row;
  return nullptr;
}

std::string_view given(setting name) {
  // A literal, so it ends with a zero. NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
  const char* const value = std::getenv(row_of(name).variable.data());
  return value ? value : "";
}

std::vector<std::string_view> words_of(const setting_row& row) {
  return split(row.values.words, ' ');
}

std::string expected(const setting_row& row) {
  const std::vector<std::string_view> all = words_of(row);
  if (row.values.kind == value_kind::list)
    return "names out of " + listed(all) + ", separated by commas";
  if (row.values.kind != value_kind::words)
    return std::string(row.values.description);
  if (all.size() > 4)
    return "one of " + listed(all);
  return listed({all.begin(), all.end() - 1}) + " or " + std::string(all.back());
}

std::string fault_of(const setting_row& row, std::string_view where, std::string_view value) {
  return is_allowed(row, value) ? ""
                                : std::string(where) + " is \"" + std::string(value) + "\", but must be " +
                                      expected(row) + nearest_word(row, value);
}

std::string fault_of(setting name) {
  const std::string_view value = given(name);
  return value.empty() ? "" : fault_of(row_of(name), row_of(name).variable, value);
}

std::optional<std::size_t> word_index(const setting_row& row, std::string_view value) {
  const std::vector<std::string_view> all = words_of(row);
  const auto found = std::ranges::find(all, value);
  if (found == all.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  return whole_text<std::uint64_t>(text);
}

std::optional<double> real_number(std::string_view text) {
  return whole_text<double>(text);
}

std::optional<std::uint64_t> number_of_bytes(std::string_view text) {
  constexpr std::string_view units = "kKmMgG";
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  if (unit == std::string_view::npos)
    return whole_number(text);
  const auto shift = static_cast<unsigned>(10 * (unit / 2 + 1));
  const std::optional<std::uint64_t> count = whole_number(text.substr(0, text.size() - 1));
  if (!count || *count > no_limit >> shift)
    return std::nullopt;
  return *count << shift;
}

bool is_unknown_variable(std::string_view name) {
  return name.starts_with("TACIT_") &&
         std::ranges::none_of(setting_rows, [&](const setting_row& row) { return row.variable == name; });
}

std::string unknown_variable(std::string_view name) {
  std::vector<std::string_view> known;
  for (const setting_row& row : setting_rows)
    known.push_back(row.variable);
  return std::string(name) + " is no variable of tacit" + did_you_mean(name, known) + "; it has no effect";
}

std::string unknown_key(std::string_view key, std::string_view reader) {
  std::vector<std::string_view> known;
  for (const setting_row& row : setting_rows)
    if (!row.key.empty() && reads(row, reader))
      known.push_back(row.key);
  return "info key \"" + std::string(key) + "\" is unknown" + did_you_mean(key, known) + "; of " +
         std::string(reader) + " there are " + listed(known);
}

const setting_row* find_key(std::string_view key, std::string_view reader) {
  for (const setting_row& row : setting_rows)
    if (!row.key.empty() && row.key == key && reads(row, reader))
      return &row;
  return nullptr;
}

} // namespace tacit::vocabulary
