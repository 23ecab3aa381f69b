// What all transformations of annotated statements share: names that nobody has taken, texts around statements, the mark on the
// pragma, the header that the calls need, and remarks.
#pragma once

#include "compiler/annotate/finding.h"
#include "compiler/annotate/pragmas.h"
#include "compiler/annotate/source.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class Stmt;
} // namespace clang

namespace tacit::compiler {

class window_names;

/// Conditions of posting messages earlier (overlap_messages.h), of which tests take one to hold, to see what goes wrong then.
enum class post_rule : unsigned char {
  none,
  data,
  calls,
  claims,
  control,
  arguments,
  messages,
  order,
  completion
};

/// Words in the text of a file, each sought once: a file has hundreds of annotated statements.
struct words_of_file {
  bool our_names = false;         ///< that begin as ours do
  bool run_time = false;          ///< includes tacit/coalesce.h
  bool exclusive_lock = false;    ///< MPI_LOCK_EXCLUSIVE
  std::vector<unsigned> no_store; ///< where MPI_MODE_NOSTORE stands, each time
};

/// A token of a file as it is written, outside of lines of the preprocessor.
struct written_token {
  unsigned begin, end; ///< offsets
};

/// What a transformation sees: the tree, all annotations, and nothing that it could change.
struct unit {
  clang::ASTContext& context;
  const std::vector<annotated_statement>& annotated;
  bool checked = false; ///< claims are to be checked when the program runs
  post_rule assumed = post_rule::none;
  mutable std::map<clang::FileID, words_of_file> words = {}; ///< of files that were asked for
  mutable std::map<clang::FileID, std::vector<written_token>> tokens = {};
  mutable std::shared_ptr<const window_names> windows = nullptr; ///< once somebody has asked
};

/// What the file says of its variables for windows, looked for once.
const window_names& names_of_windows(const unit& of);

/// What it gives: the texts to change, and what is to be said.
struct changes {
  edits_by_file edits;
  findings said;
  std::vector<const clang::CallExpr*> calls; ///< that have been changed

  bool has(const clang::CallExpr* call) const;
};

const words_of_file& words_in(const unit& of, clang::FileID file);

/// As it is written; empty for null.
std::string text_of(const unit& of, const clang::Expr* e);

/// A name that occurs nowhere in the file, and that no other annotated statement of it gets.
std::string free_name(const unit& of, const annotated_statement& at, const std::string& wish);

/// Where a statement begins with the pragmas that belong to it, at the beginning of its line; nothing in macros, behind other
/// pragmas than those that say something of a loop, and behind _Pragma and names of macros: they may be about what would be written.
std::optional<span_of_text> span_with_pragmas(const unit& of, const clang::Stmt* statement);

/// Where something can be written before a statement of a block: likewise, and also in front of the macro that it is the beginning of.
/// `over_macros`: and in front of macros before it, which may be statements of their own.
std::optional<span_of_text> place_before(const unit& of, const clang::Stmt* statement, bool over_macros);

/// Lines of the preprocessor in a statement, other than pragmas: what is written there may be compiled elsewhere without it.
bool has_directives(const unit& of, const clang::Stmt* statement);
bool has_directives(const unit& of, const span_of_text& place);

/// The annotations of a statement, or of one around it up to `within`, of that kind.
std::vector<const annotated_statement*> annotations_around(const unit& of, const clang::Stmt* statement,
                                                           annotation_kind kind, const clang::Stmt* within);

/// Puts a text before (with what its pragmas say of it) and behind the statement, in braces where the statement has no block
/// around it. False if the statement comes out of a macro.
bool surround(const unit& of, const clang::Stmt* statement, bool in_block, const std::string& before,
              const std::string& behind, edits_by_file& edits);

/// `transformed` at the end of the pragma.
void mark(const unit& of, const pragma& which, edits_by_file& edits);
/// Empty, or why the pragma itself cannot be marked, or its statement cannot be surrounded.
std::optional<finding> fault_of_text(const unit& of, const annotated_statement& at);

/// `#include <tacit/coalesce.h>`, if the file has none.
void include_run_time(const unit& of, clang::FileID file, edits_by_file& edits);

/// What a call of the run time is told of a location: ", __FILE__, 12".
std::string location_argument(const unit& of, clang::SourceLocation at);

/// The run time's call that checks, for a nonblocking call or a wait of MPI: MPI_Irecv, MPI_Irecv_c: tacit_checked_irecv.
std::string checked_name(const std::string& mpi_name);

/// The annotated statement as a whole stays as it is.
finding stays(const annotated_statement& at, const std::string& what, reason why, const std::string& detail,
              clang::SourceLocation where = {});

/// The location in the words of a remark: "stencil.c:12".
std::string location_name(const unit& of, clang::SourceLocation at);

} // namespace tacit::compiler
