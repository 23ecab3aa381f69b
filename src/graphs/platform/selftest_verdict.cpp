#include "graphs/platform/selftest_verdict.h"

#include "graphs/platform/json_value.h"
#include "graphs/platform/kept_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_selftest_text = 1 << 20; // of a file; about 25 KiB are written
constexpr const char* selftest_remedy = "`tacit selftest` makes one";

selftest_verdict nothing_because(std::string why) {
  return {{}, {}, std::move(why)};
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 1 << 14> buffer;
  while (text.size() <= most_selftest_text && (in.read(buffer.data(), buffer.size()) || in.gcount() > 0))
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string day_of(const fs::path& file) {
  struct stat facts{};
  std::array<char, 16> day{};
  std::tm parts{};
  if (::stat(file.c_str(), &facts) == 0 && ::gmtime_r(&facts.st_mtime, &parts))
    std::strftime(day.data(), day.size(), "%Y-%m-%d", &parts);
  return day.data();
}

/// One word of letters, digits, '-' and ' ', so that `cells` cannot be taken apart wrongly.
bool is_plain(const std::string& text) {
  return !text.empty() && text.size() < 40 &&
         std::all_of(
             text.begin(), text.end(),
             [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ' '; });
}

const json_value& at(const json_value& object, const char* key) {
  if (const json_value* found = object.find(key))
    return *found;
  throw json_error(fmt::format("there is no \"{}\"", key));
}

const json_value::array& list_at(const json_value& object, const char* key) {
  if (const json_value::array* list = at(object, key).elements())
    return *list;
  throw json_error(fmt::format("\"{}\" is no list", key));
}

const std::string& text_at(const json_value& object, const char* key) {
  if (const std::string* text = at(object, key).text())
    return *text;
  throw json_error(fmt::format("\"{}\" is no text", key));
}

std::uint64_t whole(const json_value& value) {
  if (const std::uint64_t* number = value.whole())
    return *number;
  throw json_error("a number is none, or below 0");
}

std::string plain(const json_value& object, const char* key) {
  const std::string& text = text_at(object, key);
  return is_plain(text) ? text : std::string("?");
}

/// Throws json_error.
std::string cells_of(const json_value& file, std::string_view kind) {
  std::string cells = ",";
  for (const json_value& cell : list_at(file, "cells")) {
    if (text_at(cell, "implementation") != "mpi" || text_at(cell, "mode") != kind)
      continue;
    std::string verdict = plain(cell, "verdict");
    const std::uint64_t cases = whole(at(cell, "cases")), wrong = whole(at(cell, "wrong"));
    if (verdict == "right" && (cases == 0 || wrong != 0))
      verdict = "without cases";
    cells += fmt::format("{} {} {},", plain(cell, "topology"), plain(cell, "call"), verdict);
  }
  return cells;
}

/// On one rank there is nobody to send to.
bool has_several_ranks(const json_value& file) {
  const json_value::array& ranks = list_at(file, "ranks");
  return std::any_of(ranks.begin(), ranks.end(), [](const json_value& n) { return whole(n) > 1; });
}

selftest_verdict judge(const json_value& file, const fs::path& path, std::string_view library,
                       std::string_view kind) {
  if (text_at(file, "tacit") != "selftest" || whole(at(file, "format")) != 1)
    return nothing_because(
        fmt::format("{} is no verdict of this version; {}", path.string(), selftest_remedy));
  const std::string& tested = text_at(at(file, "mpi"), "version");
  if (tested != library)
    return nothing_because(fmt::format("{} is of another library ({}, not {}); {}", path.string(), tested,
                                       library, selftest_remedy));
  if (file.find("machine") && text_at(file, "machine") != selftest_machine())
    return nothing_because(fmt::format("{} is of another machine ({}); {}", path.string(),
                                       text_at(file, "machine"), selftest_remedy));
  if (const json_value* sampled = file.find("sampled"); sampled && (!sampled->truth() || *sampled->truth()))
    return nothing_because(fmt::format("{} was made with fewer cases (--every, --graphs or --dimensions); "
                                       "`tacit selftest` without them makes one",
                                       path.string()));
  if (!has_several_ranks(file))
    return nothing_because(
        fmt::format("{} was made on one rank only; `tacit selftest` without --np makes one", path.string()));
  return {tested, cells_of(file, kind), fmt::format("the selftest of {} ({})", day_of(path), path.string())};
}

} // namespace

std::string selftest_machine() {
  return host_name();
}

fs::path selftest_file(std::string_view library) {
  return kept_file(fmt::format("selftest-{}-{}.json", selftest_machine(), library));
}

std::string_view selftest_verdict::of(std::string_view topology, std::string_view call) const {
  const std::string words = fmt::format(",{} {} ", topology, call);
  const std::size_t at = cells.find(words);
  if (at == std::string::npos)
    return {};
  const std::string_view rest = std::string_view(cells).substr(at + words.size());
  return rest.substr(0, rest.find(','));
}

selftest_verdict load_selftest(std::string_view library, std::string_view kind) {
  const fs::path path = selftest_file(library);
  std::error_code error;
  if (path.empty())
    return nothing_because("neither XDG_CACHE_HOME nor HOME names a folder for caches, where `tacit "
                           "selftest` would keep its verdict");
  if (!fs::is_regular_file(path, error))
    return nothing_because(fmt::format("there is no {}; {}", path.string(), selftest_remedy));
  const std::string text = read_text(path);
  if (text.size() > most_selftest_text)
    return nothing_because(fmt::format("{} is too long for a verdict; {}", path.string(), selftest_remedy));
  try {
    return judge(parse_json(text), path, library, kind);
  } catch (const json_error&) {
    return nothing_because(fmt::format("{} is damaged; {}", path.string(), selftest_remedy));
  }
}

} // namespace tacit::graphs
