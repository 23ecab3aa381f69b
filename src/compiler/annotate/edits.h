// Changes to the text of source files: kept in the order of the text, made at once, and formatted as what stands around them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::compiler {

struct edit {
  unsigned offset = 0, length = 0; ///< in the text as it was
  std::string text;                ///< instead of it
  bool formatted = true;           ///< as the lines around it; false: its line stays as the user wrote it
};

inline constexpr bool as_it_is = false;

/// Edits of one file. Insertions at one place come in the order in which they were added.
class file_edits {
public:
  void replace(unsigned offset, unsigned length, std::string text, bool formatted = true);
  void insert(unsigned offset, std::string text, bool formatted = true) {
    replace(offset, 0, std::move(text), formatted);
  }
  bool empty() const { return edits_.empty(); }
  /// The header of the run time is included by an edit. False: it is already.
  bool note_include() { return !std::exchange(has_include_, true); }

  /// The text from `begin` to `end` with the edits in it, which are edits no longer: what stood there will be moved.
  std::string take(const std::string& original, unsigned begin, unsigned end);

  /// The edits in the order of their places.
  std::vector<edit> in_order() const;

private:
  std::vector<edit> edits_;
  bool has_include_ = false;
};

/// The text with the edits made. Changed lines are formatted as .clang-format beside the file says, or as the rest of the file
/// is written where there is none; all other lines stay as they are.
std::string edited(const std::string& path, const std::string& original, const file_edits& edits);

/// The same text with `#line` directives, so that a compiler says of every line where it stands in the original.
std::string with_lines_of(const std::string& original, const std::string& changed);

/// As `diff -u` writes it, without a header for equal texts.
std::string unified_diff(const std::string& path, const std::string& before, const std::string& after);

} // namespace tacit::compiler
