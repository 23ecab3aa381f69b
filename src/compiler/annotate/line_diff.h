// Which lines of two texts differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacit::compiler {

/// Lines [before_from, before_to) became lines [after_from, after_to); counted from 0.
struct changed_lines {
  std::size_t before_from, before_to, after_from, after_to;
};

/// The lines with their line ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// A shortest list of changes, in the order of the text. Myers 1986, "An O(ND) Difference Algorithm and Its Variations": the
/// greedy walk with its trace, whose cost is the length of the texts times the number of differences.
std::vector<changed_lines> line_diff(const std::vector<std::string_view>& before,
                                     const std::vector<std::string_view>& after);

} // namespace tacit::compiler
