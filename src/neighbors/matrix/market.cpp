#include "neighbors/matrix/market.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace tacit::neighbors {
namespace {

constexpr std::uint64_t most_rows = 1u << 31;
constexpr std::uint64_t most_empty_rows = 1u << 24; // memory grows with the rows

using entry = std::pair<std::uint32_t, std::uint32_t>;

class reader {
public:
  explicit reader(std::string_view text) : rest_(text) {}

  sparse_pattern run() {
    header();
    const auto [rows, columns, count] = sizes();
    if (rows != columns)
      fail(fmt::format("the matrix has {} rows and {} columns; the halo of a product needs a square one",
                       rows, columns));
    std::vector<entry> entries;
    // A file cannot hold more entries than it has bytes / 4, whatever it says.
    entries.reserve(std::min<std::size_t>(count, rest_.size() / 4) * (symmetric_ ? 2 : 1));
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!next_line())
        fail(fmt::format("the file ends after {} of {} entries", i, count));
      const auto row = number("row", rows), column = number("column", columns);
      const entry e{static_cast<std::uint32_t>(row - 1), static_cast<std::uint32_t>(column - 1)};
      entries.push_back(e);
      if (symmetric_ && row != column)
        entries.emplace_back(e.second, e.first);
    }
    if (next_line())
      fail(fmt::format("there are more than the {} entries announced", count));
    return pattern(std::move(entries), static_cast<std::uint32_t>(rows));
  }

  static sparse_pattern pattern(std::vector<entry> entries, std::uint32_t rows) {
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    sparse_pattern p;
    p.rows = rows;
    p.first.assign(std::size_t{rows} + 1, 0);
    for (const entry& e : entries) {
      ++p.first[std::size_t{e.first} + 1];
      p.columns.push_back(e.second);
    }
    for (std::size_t i = 1; i < p.first.size(); ++i)
      p.first[i] += p.first[i - 1];
    return p;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw matrix_error(fmt::format("line {}: {}", line_number_, what));
  }

  bool raw_line() {
    if (rest_.empty())
      return false;
    ++line_number_;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return true;
  }
  /// The next one that is neither empty nor a comment.
  bool next_line() {
    while (raw_line()) {
      const std::size_t start = line_.find_first_not_of(" \t\r");
      if (start != std::string_view::npos && line_[start] != '%')
        return true;
    }
    return false;
  }
  std::string_view word() {
    const std::size_t start = std::min(line_.find_first_not_of(" \t\r"), line_.size());
    line_.remove_prefix(start);
    const std::size_t end = std::min(line_.find_first_of(" \t\r"), line_.size());
    const std::string_view w = line_.substr(0, end);
    line_.remove_prefix(end);
    return w;
  }
  std::uint64_t number(const char* what, std::uint64_t most, std::uint64_t least = 1) {
    const std::string_view w = word();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
    if (error != std::errc() || end != w.data() + w.size() || value < least || value > most)
      fail(fmt::format("'{}' is no {} from {} to {}", w.substr(0, 40), what, least, most));
    return value;
  }

  void header() {
    raw_line();
    std::string words[5];
    for (std::string& w : words) {
      w = word();
      std::transform(w.begin(), w.end(), w.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    if (words[0] != "%%matrixmarket" || words[1] != "matrix")
      fail("this is no file in Matrix Market format: it has to begin with %%MatrixMarket matrix");
    if (words[2] != "coordinate")
      fail(fmt::format("the format is '{}'; only sparse matrices (coordinate) have a halo",
                       words[2].substr(0, 40)));
    symmetric_ = words[4] != "general";
    if (symmetric_ && words[4] != "symmetric" && words[4] != "skew-symmetric" && words[4] != "hermitian")
      fail(fmt::format("'{}' is no symmetry of this format", words[4].substr(0, 40)));
  }

  struct size_line {
    std::uint64_t rows, columns, entries;
  };
  size_line sizes() {
    if (!next_line())
      fail("the line with the sizes is missing");
    size_line s{};
    s.rows = number("number of rows", most_rows);
    s.columns = number("number of columns", most_rows);
    s.entries = number("number of entries", ~std::uint64_t{0}, 0);
    if (s.rows > most_empty_rows && s.rows / 64 > s.entries)
      fail(fmt::format("{} rows, but only {} entries: leave out the empty rows, which exchange nothing",
                       s.rows, s.entries));
    return s;
  }

  std::string_view rest_, line_;
  std::size_t line_number_ = 0;
  bool symmetric_ = false;
};

} // namespace

sparse_pattern read_matrix_market(std::string_view text) {
  return reader(text).run();
}

sparse_pattern adjacency(const sparse_pattern& a) {
  std::vector<entry> entries;
  for (std::uint32_t i = 0; i < a.rows; ++i)
    for (std::size_t k = a.first[i]; k < a.first[i + 1]; ++k)
      if (a.columns[k] != i) {
        entries.emplace_back(i, a.columns[k]);
        entries.emplace_back(a.columns[k], i);
      }
  return reader::pattern(std::move(entries), a.rows);
}

std::vector<std::uint32_t> blocks_of_rows(std::uint32_t rows, std::uint32_t parts) {
  std::vector<std::uint32_t> part(rows);
  for (std::uint32_t i = 0; i < rows; ++i)
    part[i] = static_cast<std::uint32_t>(std::uint64_t{i} * parts / rows);
  return part;
}

std::vector<halo_edge> halo_of(const sparse_pattern& a, const std::vector<std::uint32_t>& part) {
  // Who needs x[j]: pairs (j, rank), each once.
  std::vector<entry> needs;
  for (std::uint32_t i = 0; i < a.rows; ++i)
    for (std::size_t k = a.first[i]; k < a.first[i + 1]; ++k)
      if (part[a.columns[k]] != part[i])
        needs.emplace_back(a.columns[k], part[i]);
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  std::map<entry, std::uint64_t> values;
  for (const auto& [column, rank] : needs)
    ++values[{part[column], rank}];
  std::vector<halo_edge> edges;
  for (const auto& [pair, count] : values)
    edges.push_back({pair.first, pair.second, count});
  return edges;
}

} // namespace tacit::neighbors
