#include "graphs/platform/selftest_verdict.h"

#include "graphs/platform/kept_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

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

std::string plain(const json& object, const char* key) {
  const std::string text = object.at(key);
  return is_plain(text) ? text : std::string("?");
}

/// Throws json::exception.
std::string cells_of(const json& file, std::string_view kind) {
  std::string cells = ",";
  for (const json& cell : file.at("cells").get_ref<const json::array_t&>()) {
    if (cell.at("implementation") != "mpi" || cell.at("mode") != kind)
      continue;
    std::string verdict = plain(cell, "verdict");
    const auto cases = cell.at("cases").get<std::int64_t>(), wrong = cell.at("wrong").get<std::int64_t>();
    if (verdict == "right" && (cases <= 0 || wrong != 0))
      verdict = "without cases";
    cells += fmt::format("{} {} {},", plain(cell, "topology"), plain(cell, "call"), verdict);
  }
  return cells;
}

/// On one rank there is nobody to send to.
bool has_several_ranks(const json& file) {
  const json::array_t& ranks = file.at("ranks").get_ref<const json::array_t&>();
  return std::any_of(ranks.begin(), ranks.end(), [](const json& n) { return n.get<std::int64_t>() > 1; });
}

selftest_verdict judge(const json& file, const fs::path& path, std::string_view library,
                       std::string_view kind) {
  if (file.at("tacit") != "selftest" || file.at("format") != 1)
    return nothing_because(
        fmt::format("{} is no verdict of this version; {}", path.string(), selftest_remedy));
  const std::string tested = file.at("mpi").at("version");
  if (tested != library)
    return nothing_because(fmt::format("{} is of another library ({}, not {}); {}", path.string(), tested,
                                       library, selftest_remedy));
  if (file.contains("machine") && file.at("machine") != selftest_machine())
    return nothing_because(fmt::format("{} is of another machine ({}); {}", path.string(),
                                       file.at("machine").get<std::string>(), selftest_remedy));
  if (file.contains("sampled") && file.at("sampled") != false)
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
    return judge(json::parse(text), path, library, kind);
  } catch (const json::exception&) {
    return nothing_because(fmt::format("{} is damaged; {}", path.string(), selftest_remedy));
  }
}

} // namespace tacit::graphs
