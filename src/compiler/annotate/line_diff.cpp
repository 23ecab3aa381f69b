#include "compiler/annotate/line_diff.h"

#include <algorithm>

namespace tacit::compiler {
namespace {

using lines = std::vector<std::string_view>;

/// Diagonals k = x - y from -limit to limit.
class frontier {
public:
  explicit frontier(std::ptrdiff_t limit)
      : limit_(limit), reached_(static_cast<std::size_t>(2 * limit + 3), 0) {}
  std::ptrdiff_t& operator[](std::ptrdiff_t k) { return reached_[static_cast<std::size_t>(k + limit_ + 1)]; }

private:
  std::ptrdiff_t limit_;
  std::vector<std::ptrdiff_t> reached_;
};

/// How far each number of differences reaches on each diagonal, up to the one that reaches both ends.
std::vector<frontier> trace_of(const lines& before, const lines& after) {
  const auto n = static_cast<std::ptrdiff_t>(before.size());
  const auto m = static_cast<std::ptrdiff_t>(after.size());
  std::vector<frontier> trace;
  for (std::ptrdiff_t d = 0; d <= n + m; ++d) {
    frontier now(d);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = 0;
      if (d > 0) {
        frontier& last = trace.back();
        const bool down = k == -d || (k != d && last[k - 1] < last[k + 1]);
        x = down ? last[k + 1] : last[k - 1] + 1;
      }
      while (x < n && x - k < m &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)])
        ++x;
      now[k] = x;
      if (x >= n && x - k >= m) {
        trace.push_back(std::move(now));
        return trace;
      }
    }
    trace.push_back(std::move(now));
  }
  return trace;
}

} // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  lines made;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    made.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return made;
}

std::vector<changed_lines> line_diff(const lines& before, const lines& after) {
  std::vector<frontier> trace = trace_of(before, after);
  std::vector<changed_lines> found; // from the end to the beginning
  auto x = static_cast<std::ptrdiff_t>(before.size());
  auto y = static_cast<std::ptrdiff_t>(after.size());
  for (auto d = static_cast<std::ptrdiff_t>(trace.size()) - 1; d > 0; --d) {
    frontier& last = trace[static_cast<std::size_t>(d - 1)];
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && last[k - 1] < last[k + 1]);
    const std::ptrdiff_t from_k = down ? k + 1 : k - 1;
    const std::ptrdiff_t from_x = last[from_k];
    const std::ptrdiff_t from_y = from_x - from_k;
    const changed_lines step{
        static_cast<std::size_t>(from_x), static_cast<std::size_t>(from_x + (down ? 0 : 1)),
        static_cast<std::size_t>(from_y), static_cast<std::size_t>(from_y + (down ? 1 : 0))};
    if (!found.empty() && found.back().before_from == step.before_to &&
        found.back().after_from == step.after_to) {
      found.back().before_from = step.before_from;
      found.back().after_from = step.after_from;
    } else {
      found.push_back(step);
    }
    x = from_x;
    y = from_y;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

} // namespace tacit::compiler
