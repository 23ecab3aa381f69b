// Where pieces of the tree stand in the text, and the text itself.
#pragma once

#include "compiler/annotate/edits.h"

#include <clang/Basic/SourceLocation.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace tacit::compiler {

/// A part of a file.
struct span_of_text {
  clang::FileID file;
  unsigned begin = 0, end = 0;
};

/// The edits of all files of a translation unit.
using edits_by_file = std::map<clang::FileID, file_edits>;

class source {
public:
  explicit source(const clang::ASTContext& context) : context_(context) {}

  /// Nothing if a part of it comes out of a macro, so that there is no text of its own to change.
  std::optional<span_of_text> span(clang::SourceRange range) const;
  /// With the semicolon of a statement that has one.
  std::optional<span_of_text> span_of_statement(const clang::Stmt* statement) const;
  /// As it is written, macros unexpanded.
  std::string text(clang::SourceRange range) const;
  std::string text(const span_of_text& part) const;
  /// The beginning of the line, if nothing but blanks stands before the place; otherwise the place itself.
  unsigned line_start(const span_of_text& part) const;
  /// Valid as long as the file is open.
  std::string_view whole(clang::FileID file) const;

private:
  const clang::ASTContext& context_;
};

} // namespace tacit::compiler
