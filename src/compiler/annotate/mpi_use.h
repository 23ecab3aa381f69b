// Calls of MPI in the tree: which row of the call table they are, and what stands where in them.
#pragma once

#include "compiler/pragma/annotation.h"
#include "vocabulary/calls/mpi_calls.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace tacit::compiler {

using vocabulary::call_class;
using vocabulary::mpi_call;
using vocabulary::param_role;

struct mpi_use {
  const clang::CallExpr* call = nullptr;
  const vocabulary::call_row* row = nullptr;
  std::string name; ///< as it was called: MPI_Put, MPI_Put_c

  /// Of its parameters.
  const std::vector<param_role>& roles() const;
  /// The argument of that role, or null.
  const clang::Expr* argument(param_role role) const;
  bool is(std::initializer_list<mpi_call> calls) const;
};

/// The call as one of MPI, if it is one by its own name.
std::optional<mpi_use> mpi_use_of(const clang::Stmt* statement);

/// All of them in a statement, in the order of the text.
std::vector<mpi_use> mpi_uses_in(const clang::Stmt* statement);

/// Two pieces of code alike, whatever the blanks.
bool same_code(std::string_view one, std::string_view other);

/// What a window argument is in a call of that kind: its last argument, or null.
const clang::Expr* window_argument(const mpi_use& use);

/// True if the argument is the window that an annotation lists: it is written alike, or is the variable of that name although a macro
/// wrote it, so that it has no text.
bool is_window(const clang::Expr* argument, std::string_view listed, const clang::ASTContext& context);

/// Code with the name of a macro in it: which variable it is cannot be seen.
bool has_macro(std::string_view code, const clang::ASTContext& context);

/// True if one of the groups names this call: by its kind, and by one of its arguments if the group has expressions.
bool names(const std::vector<communication_group>& groups, const mpi_use& use,
           const clang::ASTContext& context);

/// True if one of the groups is MPI_Win with this window, or with none.
bool names_window(const std::vector<communication_group>& groups, std::string_view window);

} // namespace tacit::compiler
