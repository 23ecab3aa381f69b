#include "compiler/annotate/moved_arguments.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/containers.h"
#include "compiler/annotate/function_facts.h"

#include <algorithm>
#include <clang/AST/Expr.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

class reader : public ast_visitor {
public:
  bool VisitStmt(clang::Stmt* s) override {
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(s))
      names.push_back(name->getNameInfo().getAsString());
    else if (const auto* cast = dyn_cast<clang::CastExpr>(s))
      steady &= cast->getCastKind() != clang::CK_LValueToRValue || reads_variable(cast);
    else if (const auto* unary = dyn_cast<clang::UnaryOperator>(s))
      steady &= unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Minus;
    else if (const auto* binary = dyn_cast<clang::BinaryOperator>(s))
      steady &= binary->isAdditiveOp() || binary->isMultiplicativeOp();
    else if (const auto* member = dyn_cast<clang::MemberExpr>(s))
      steady &= isa<clang::FieldDecl>(member->getMemberDecl()) ||
                looks_.contains(member); // the call that it belongs to has been seen
    else if (const auto part = container_part_of(s))
      steady &= looks_into(*llvm::cast<clang::CallExpr>(s), *part);
    else
      steady &= isa<clang::ParenExpr, clang::IntegerLiteral, clang::ArraySubscriptExpr,
                    clang::CXXNullPtrLiteralExpr>(s);
    return true;
  }

  std::vector<const clang::VarDecl*> values;
  std::vector<const clang::VarDecl*> containers; ///< that are looked into
  std::vector<std::string> names;
  bool steady = true;

private:
  bool looks_into(const clang::CallExpr& call, const container_part& part) {
    const clang::VarDecl* container = variable_of(part.container);
    looks_.insert(call.getCallee()->IgnoreParens());
    if (container)
      containers.push_back(container);
    return container;
  }

  bool reads_variable(const clang::CastExpr* cast) {
    const auto* name = dyn_cast<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens());
    const auto* variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (variable)
      values.push_back(variable);
    return variable;
  }

  std::set<const clang::Stmt*> looks_;
};

/// Handles of Open MPI, and the like, are addresses of variables: only what is read counts. A variable that nobody may change is as
/// good as one of the function's own.
bool stays_the_functions(const clang::VarDecl* variable, const function_facts& facts) {
  return facts.is_private(variable) || variable->getType().isConstQualified();
}

class declaration_finder : public ast_visitor {
public:
  explicit declaration_finder(const std::vector<std::string>& names) : names_(names) {}
  bool VisitNamedDecl(clang::NamedDecl* d) override {
    found |= std::find(names_.begin(), names_.end(), d->getNameAsString()) != names_.end();
    return !found;
  }
  bool found = false;

private:
  const std::vector<std::string>& names_;
};

} // namespace

moved_arguments::moved_arguments(const std::vector<const clang::Expr*>& arguments,
                                 const function_facts& facts, const std::set<const clang::VarDecl*>* steady)
    : facts_(facts) {
  for (const clang::Expr* argument : arguments) {
    if (!argument)
      continue;
    reader walk;
    walk.TraverseStmt(const_cast<clang::Expr*>(argument));
    const bool own = std::all_of(walk.values.begin(), walk.values.end(),
                                 [&](const clang::VarDecl* v) {
                                   return stays_the_functions(v, facts) || (steady && steady->contains(v));
                                 }) &&
                     std::all_of(walk.containers.begin(), walk.containers.end(),
                                 [&](const clang::VarDecl* v) { return steady || facts.is_private(v); });
    if (!walk.steady || !own)
      fault_ = obstacle{reason::no_statement_of_its_own, wording(remark::completion_not_steady),
                        argument->getExprLoc()};
    values_.insert(values_.end(), walk.values.begin(), walk.values.end());
    containers_.insert(containers_.end(), walk.containers.begin(), walk.containers.end());
    names_.insert(names_.end(), walk.names.begin(), walk.names.end());
  }
}

std::optional<obstacle> moved_arguments::changed_by(const clang::Stmt* statement) const {
  for (const clang::VarDecl* variable : values_)
    if (facts_.changes(statement, variable))
      return obstacle{reason::request_touched,
                      wording(remark::variable_changes, {variable->getNameAsString()}),
                      statement->getBeginLoc()};
  for (const clang::VarDecl* container : containers_)
    if (facts_.reshapes(statement, container))
      return obstacle{reason::request_touched,
                      wording(remark::variable_changes, {container->getNameAsString()}),
                      statement->getBeginLoc()};
  if (isa<clang::DeclStmt>(statement)) { // those in blocks of their own are out of scope behind them
    declaration_finder walk(names_);
    walk.TraverseStmt(const_cast<clang::Stmt*>(statement));
    if (walk.found)
      return obstacle{reason::request_touched, wording(remark::name_redeclared), statement->getBeginLoc()};
  }
  return std::nullopt;
}

} // namespace tacit::compiler
