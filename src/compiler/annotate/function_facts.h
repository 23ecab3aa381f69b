// What is known of the variables and the control flow of one function, from its tree alone.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMap.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace tacit::compiler {

class function_facts {
public:
  explicit function_facts(const clang::FunctionDecl& function);

  const clang::FunctionDecl& function() const { return function_; }
  const clang::Stmt* parent_of(const clang::Stmt* statement) const;
  /// Its address is in nobody's hands but MPI's, and MPI's only for the call that gets it (or for the operation that it starts).
  bool is_private(const clang::VarDecl* variable) const;
  /// It has one value as long as it lives: constant, or the function's own and never assigned behind its declaration.
  bool is_set_once(const clang::VarDecl* variable) const;
  /// A container (containers.h) of the function's own, whose elements are in nobody's hands either but MPI's.
  bool has_private_elements(const clang::VarDecl* container) const;
  /// In the statement more is done to a container by its name than to look into it: its elements may be elsewhere then.
  bool reshapes(const clang::Stmt* statement, const clang::VarDecl* container) const;
  /// Every use is an argument for a status that nobody reads.
  bool is_dead_status(const clang::VarDecl* variable) const;
  /// Labels, computed jumps, setjmp: control may reach a statement in ways that its block does not show. Null: there are none.
  const clang::Stmt* odd_jump() const { return odd_jump_; }
  bool has_odd_jumps() const { return odd_jump_ != nullptr; }
  /// Assigned, incremented, or its address taken, in this statement.
  static bool may_change(const clang::VarDecl* variable, const clang::Stmt* in);
  /// The same, of a statement of the function that is asked about often.
  bool changes(const clang::Stmt* statement, const clang::VarDecl* variable) const;
  /// Each place in the function where a variable is named.
  const std::vector<const clang::DeclRefExpr*>& names() const { return names_; }
  /// A lambda has it by reference.
  bool is_captured_by_reference(const clang::VarDecl* variable) const;
  /// A jump that leaves the statement (jump_out_of).
  const clang::Stmt* jump_out(const clang::Stmt* statement) const;

private:
  const clang::FunctionDecl& function_;
  std::unique_ptr<clang::ParentMap> parents_;
  std::set<const clang::VarDecl*> escaping_, escaping_elements_, written_, read_status_, referred_to_;
  std::vector<std::pair<const clang::VarDecl*, const clang::DeclRefExpr*>>
      other_uses_; ///< of containers: more than looks into them
  std::vector<const clang::DeclRefExpr*> names_;
  mutable std::map<const clang::Stmt*, std::set<const clang::VarDecl*>>
      changed_;                                                    ///< as far as it was asked for
  mutable std::map<const clang::Stmt*, const clang::Stmt*> jumps_; ///< likewise
  const clang::Stmt* odd_jump_ = nullptr;
};

/// A jump that leaves the statement: return, break, continue, goto, throw.
const clang::Stmt* jump_out_of(const clang::Stmt* statement);

/// The call with what stands around it up to a statement of a block, or a branch: `(void)MPI_Send(…)`. Null if its value is used.
const clang::Stmt* statement_of(const clang::CallExpr* call, const function_facts& facts);

/// In the words of a remark: why that is null.
std::string why_no_statement(const clang::CallExpr* call, const function_facts& facts);

/// The variable that an expression is, without parentheses and conversions; null if it is anything else.
const clang::VarDecl* variable_of(const clang::Expr* expression);

/// Whether a function is called where the variable's scope ends: a destructor, or what `__attribute__((cleanup(…)))` names.
bool calls_at_end_of_scope(const clang::VarDecl& variable);

/// A use of a thread_local variable, the first of which in a thread calls what initializes it.
bool may_initialize(const clang::Stmt* use);

/// A function that does nothing but what its arguments say (mathematics, strings, memory), or one whose body is here and does
/// only such things.
bool is_harmless(const clang::CallExpr* call, clang::ASTContext& context);

/// Likewise, or a member function of which the same is true of its object and its arguments: it changes nobody's memory but theirs, and no
/// window, but which memory that is its arguments do not say.
bool only_computes(const clang::CallExpr* call, clang::ASTContext& context);

/// Wherever the function of the lambda is called, it does no more than that, with what it has captured.
bool only_computes(const clang::LambdaExpr& lambda, clang::ASTContext& context);

/// An exception may leave the statement. MPI's functions throw none.
bool may_throw(const clang::Stmt* statement, const clang::ASTContext& context);

/// Something may run meanwhile: a loop, or a call that does more than look into a container.
bool takes_time(const clang::Stmt* statement);

/// Evaluating it twice, or elsewhere, changes nothing: no calls, no assignments.
bool is_free_of_side_effects(const clang::Expr* expression, clang::ASTContext& context);

} // namespace tacit::compiler
