#include "compiler/annotate/window_variable.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/mpi_use.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <set>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

bool is_of_mpi(const clang::Stmt* s) {
  const auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(s);
  const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->getIdentifier() &&
         (callee->getName().starts_with("MPI_") || callee->getName().starts_with("PMPI_"));
}

bool is_named(const clang::Expr* e, const clang::VarDecl& variable) {
  const clang::VarDecl* named = variable_of(e);
  return named && named->getCanonicalDecl() == variable.getCanonicalDecl();
}

/// `&variable`, in parentheses or converted.
bool is_address(const clang::Expr* e, const clang::VarDecl& variable) {
  const auto* address = dyn_cast<clang::UnaryOperator>(e->IgnoreParenCasts());
  return address && address->getOpcode() == clang::UO_AddrOf && is_named(address->getSubExpr(), variable);
}

/// Whether a value is given to the variable wherever control passes through a statement.
class sure_value {
public:
  explicit sure_value(const clang::VarDecl& variable) : variable_(variable) {}

  bool in(const clang::Stmt* s) const {
    if (!s)
      return false;
    if (const auto* block = dyn_cast<clang::CompoundStmt>(s))
      return in_block(*block);
    if (const auto* conditional = dyn_cast<clang::IfStmt>(s))
      return in(conditional->getInit()) || in(conditional->getCond()) ||
             (in(conditional->getThen()) && in(conditional->getElse()));
    if (const auto* loop = dyn_cast<clang::DoStmt>(s)) // a `continue` would be seen in its block
      return in(loop->getBody());
    if (const auto* loop = dyn_cast<clang::ForStmt>(s))
      return in(loop->getInit()) || in(loop->getCond());
    if (const auto* loop = dyn_cast<clang::WhileStmt>(s))
      return in(loop->getCond());
    if (const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(s))
      return in(choice->getCond());
    if (const auto* both = dyn_cast<clang::BinaryOperator>(s); both && both->isLogicalOp())
      return in(both->getLHS());
    if (const auto* e = dyn_cast<clang::Expr>(s))
      return gives(*e) ||
             (!isa<clang::LambdaExpr>(e) &&
              std::any_of(e->child_begin(), e->child_end(), [&](const clang::Stmt* c) { return in(c); }));
    return isa<clang::DeclStmt>(s) &&
           std::any_of(s->child_begin(), s->child_end(), [&](const clang::Stmt* c) { return in(c); });
  }

private:
  bool in_block(const clang::CompoundStmt& block) const {
    for (const clang::Stmt* s : block.body()) {
      if (in(s))
        return true;
      if (jump_out_of(s))
        return false;
    }
    return false;
  }

  bool gives(const clang::Expr& e) const {
    if (const auto* assignment = dyn_cast<clang::BinaryOperator>(&e))
      return assignment->getOpcode() == clang::BO_Assign && is_named(assignment->getLHS(), variable_);
    const auto* call = dyn_cast<clang::CallExpr>(&e);
    return call && std::any_of(call->arg_begin(), call->arg_end(),
                               [&](const clang::Expr* a) { return is_address(a, variable_); });
  }

  const clang::VarDecl& variable_;
};

bool declares(const clang::Stmt* s, const clang::VarDecl& variable) {
  const auto* declaration = dyn_cast<clang::DeclStmt>(s);
  return declaration &&
         std::find(declaration->decl_begin(), declaration->decl_end(), &variable) != declaration->decl_end();
}

/// Its value, an assignment to it, or its address for a call of MPI.
bool is_plain_use(const clang::Stmt* name, const function_facts& facts) {
  bool address = false;
  const clang::Stmt* below = name;
  for (const clang::Stmt* at = facts.parent_of(name); at; below = at, at = facts.parent_of(at)) {
    const auto* cast = dyn_cast<clang::CastExpr>(at);
    if (cast && cast->getCastKind() == clang::CK_LValueToRValue)
      return !address;
    const auto* unary = dyn_cast<clang::UnaryOperator>(at);
    if (unary && unary->getOpcode() == clang::UO_AddrOf && !address) {
      address = true;
      continue;
    }
    if (isa<clang::ParenExpr>(at) || cast)
      continue;
    const auto* assignment = dyn_cast<clang::BinaryOperator>(at);
    return address ? is_of_mpi(at)
                   : assignment && assignment->isAssignmentOp() && assignment->getLHS() == below;
  }
  return false;
}

/// Whether somebody other than MPI, and MPI only for its call, gets at the variable by another way than its name.
bool has_other_ways(const clang::VarDecl& variable, const function_facts& facts) {
  if (!variable.hasLocalStorage() || variable.getType()->isReferenceType() ||
      facts.is_captured_by_reference(&variable))
    return true;
  return std::any_of(facts.names().begin(), facts.names().end(), [&](const clang::DeclRefExpr* name) {
    return is_named(name, variable) && !is_plain_use(name, facts);
  });
}

/// A pointer or a reference to handles of windows.
bool leads_to_window(clang::QualType declared) {
  const clang::QualType to =
      declared->isReferenceType() ? declared.getNonReferenceType() : declared->getPointeeType();
  const auto* written = to.isNull() ? nullptr : to->getAs<clang::TypedefType>();
  return written && written->getDecl()->getName() == "MPI_Win";
}

class change_finder : public ast_visitor {
public:
  change_finder(const unit& of, const annotated_statement& at, const window_buffer& window,
                const clang::VarDecl& variable)
      : of_(of), at_(at), window_(window), variable_(variable) {}
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    return is_of_mpi(call) || !may_change_it(call) || keep(call);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    return made->getConstructor()->isTrivial() || keep(made);
  }
  bool VisitVarDecl(clang::VarDecl* v) override { return !calls_at_end_of_scope(*v) || keep(at_.statement); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    return !leads_to_window(name->getDecl()->getType()) || keep(name);
  }
  bool VisitMemberExpr(clang::MemberExpr* member) override {
    return !leads_to_window(member->getMemberDecl()->getType()) || keep(member);
  }
  const clang::Stmt* found = nullptr;

private:
  /// What the functions that it calls do is looked at once, and said at the call in the statement.
  bool may_change_it(const clang::CallExpr* call) {
    if (!only_computes(call, of_.context))
      return true;
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const clang::Stmt* body = callee ? callee->getBody() : nullptr;
    if (!body || !seen_.insert(body).second)
      return false;
    if (function_facts::may_change(&variable_, body))
      return true;
    TraverseStmt(const_cast<clang::Stmt*>(body)); // the visitor changes nothing
    return std::exchange(found, nullptr) != nullptr;
  }

  bool keep(const clang::Stmt* s) {
    const auto around = annotations_around(of_, s, annotation_kind::indep, at_.statement);
    if (std::any_of(around.begin(), around.end(), [&](const annotated_statement* a) {
          return names_window(a->by.says.groups, window_.window.text);
        }))
      return true;
    found = s;
    return false;
  }

  const unit& of_;
  const annotated_statement& at_;
  const window_buffer& window_;
  const clang::VarDecl& variable_;
  std::set<const clang::Stmt*> seen_;
};

} // namespace

bool has_value_at(const clang::VarDecl& variable, const clang::Stmt* statement, const function_facts& facts) {
  if (!variable.hasLocalStorage() || isa<clang::ParmVarDecl>(variable) || variable.getInit())
    return true;
  const sure_value gives(variable);
  for (const clang::Stmt *at = statement, *up = facts.parent_of(at); up; at = up, up = facts.parent_of(at)) {
    const auto* block = dyn_cast<clang::CompoundStmt>(up);
    if (!block)
      continue;
    const auto end = std::find(block->body_begin(), block->body_end(), at);
    if (std::any_of(block->body_begin(), end, [&](const clang::Stmt* s) { return gives.in(s); }))
      return true;
    if (std::any_of(block->body_begin(), end, [&](const clang::Stmt* s) { return declares(s, variable); }))
      return false;
  }
  return false;
}

const clang::Stmt* unseen_change(const unit& of, const annotated_statement& at, const window_buffer& window,
                                 const clang::VarDecl& variable, const function_facts& facts) {
  if (!has_other_ways(variable, facts))
    return nullptr;
  change_finder walk(of, at, window, variable);
  walk.TraverseStmt(const_cast<clang::Stmt*>(at.statement)); // the visitor changes nothing
  return walk.found;
}

} // namespace tacit::compiler
