// Which variables of a file may name one window.
//
// A variable with a name of its own is another window than others, unless some function of the file gives one the value of the other, directly
// or by way of more variables; so do calls with their parameters. What gets its value from anything else, an element, a member, a call, or whose address is in other hands than
// MPI's, may be any window.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <map>
#include <set>

namespace tacit::compiler {

class window_names {
public:
  /// Looks at all that the file and its headers, but for those of the system, write. Cost as their text.
  explicit window_names(clang::ASTContext& context);

  /// Expressions for windows; null: any.
  bool may_be_one(const clang::Expr* a, const clang::Expr* b) const;

private:
  class finder;
  struct origins {
    std::set<const clang::VarDecl*> variables; ///< itself, those that it is copied from, and so on
    bool elsewhere = false;                    ///< and from what is no variable
  };
  origins origins_of(const clang::Expr* window) const;
  void add(const clang::VarDecl* variable, origins& into) const;

  clang::ASTContext& context_;
  std::multimap<const clang::VarDecl*, const clang::Expr*>
      values_; ///< that are given to variables, as first declared
  std::set<const clang::VarDecl*> in_other_hands_;
};

} // namespace tacit::compiler
