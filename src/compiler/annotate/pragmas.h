// The pragmas of a translation unit and the statements that they annotate. Clang ignores `#pragma mpi`, so that the tree has no
// trace of it: the preprocessor is asked for the pragmas, and afterwards each is given the first statement behind it in
// the same block. Pragmas of macros (_Pragma) stand where the macro is used.
#pragma once

#include "compiler/annotate/finding.h"
#include "compiler/pragma/annotation.h"

#include <memory>
#include <vector>

namespace clang {
class ASTContext;
class CompoundStmt;
class FunctionDecl;
class Preprocessor;
class Stmt;
} // namespace clang

namespace tacit::compiler {

struct pragma {
  annotation says;
  clang::SourceLocation begin,
      end; ///< in a file: of `#` or of what expands to _Pragma, and behind the last character
  bool operator_form = false; ///< _Pragma("…")
  bool editable = true;       ///< false: in a macro that has more in it than the pragma
};

struct annotated_statement {
  pragma by;
  const clang::Stmt* statement = nullptr;
  const clang::FunctionDecl* function = nullptr;
};

struct collected_pragmas {
  std::vector<pragma> found;
  findings faults;
};

/// From here on the preprocessor puts each `#pragma mpi` into `into`, which must live as long.
void collect_pragmas(clang::Preprocessor& preprocessor, std::shared_ptr<collected_pragmas> into);

/// Each pragma with its statement; those that have none become faults. In the order of the source.
std::vector<annotated_statement> attach(const std::vector<pragma>& pragmas, clang::ASTContext& context,
                                        findings& faults);

} // namespace tacit::compiler
