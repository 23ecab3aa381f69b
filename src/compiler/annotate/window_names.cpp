#include "compiler/annotate/window_names.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/mpi_use.h"
#include "compiler/annotate/source.h"

#include <algorithm>
#include <clang/Basic/SourceManager.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;
using clang::isa_and_nonnull;

/// MPI_WIN_NULL, which is a number in some libraries and an address in others, and what zeroes a variable.
bool gives_no_window(const clang::Expr* value, clang::ASTContext& context) {
  const std::string written = source(context).text(value->getSourceRange());
  if (written.empty()) // out of a macro
    return false;
  return written.find_first_not_of(" (){}0") == std::string::npos || same_code(written, "MPI_WIN_NULL") ||
         same_code(written, "{MPI_WIN_NULL}") || written == "NULL" || written == "nullptr";
}

/// Functions that a library calls by the type of their object, as algorithms and containers do.
bool is_called_out_of_sight(const clang::DeclContext* function) {
  const auto* method = dyn_cast<clang::CXXMethodDecl>(function);
  return method &&
         (method->isVirtual() || method->isOverloadedOperator() || isa<clang::CXXConstructorDecl>(method));
}

/// Parameters count as what their names say, and what they are given in this file; of others that get their values callers in other files are
/// not known.
bool gets_what_others_give(const clang::VarDecl& variable, const clang::VarDecl& from) {
  const auto* function =
      isa<clang::ParmVarDecl>(from) ? dyn_cast<clang::FunctionDecl>(from.getDeclContext()) : nullptr;
  return function && !isa<clang::ParmVarDecl>(variable) && function != variable.getDeclContext() &&
         function->isExternallyVisible();
}

} // namespace

/// A variable is named to load it, to give it a value, or for a call of MPI that makes or frees a window; else somebody else may give it one,
/// too. Calls by name give parameters their values; where a function is named for anything else, who calls it may give them any.
class window_names::finder : public ast_visitor {
public:
  explicit finder(window_names& into) : into_(into) {}

  bool VisitVarDecl(clang::VarDecl* v) override {
    if (v->getInit())
      into_.values_.emplace(v->getCanonicalDecl(), v->getInit());
    const bool has_another_name = v->hasAttr<clang::AliasAttr>() || v->hasAttr<clang::WeakRefAttr>() ||
                                  v->hasAttr<clang::AsmLabelAttr>();
    if (has_another_name || (isa<clang::ParmVarDecl>(v) && is_called_out_of_sight(v->getDeclContext())))
      into_.in_other_hands_.insert(v->getCanonicalDecl());
    if (v->getType()->isReferenceType())
      look_at_assignment(v->getInit());
    return true;
  }
  bool VisitStmt(clang::Stmt* s) override { // of a tree before its parts
    if (const auto* cast = dyn_cast<clang::CastExpr>(s);
        cast && cast->getCastKind() == clang::CK_LValueToRValue)
      plain_.insert(cast->getSubExpr()->IgnoreParens());
    if (const auto* b = dyn_cast<clang::BinaryOperator>(s); b && b->getOpcode() == clang::BO_Assign) {
      plain_.insert(b->getLHS()->IgnoreParens());
      if (const clang::VarDecl* to = variable_of(b->getLHS()))
        into_.values_.emplace(to->getCanonicalDecl(), b->getRHS());
    }
    if (const auto* call = dyn_cast<clang::CallExpr>(s))
      look_at(*call);
    if (const auto* names = dyn_cast<clang::OverloadExpr>(s)) // called where a template is made
      for (const clang::NamedDecl* named : names->decls())
        look_at_another_use(named->getUnderlyingDecl());
    if (const auto* named = dyn_cast<clang::DeclRefExpr>(s); named && !plain_.contains(named))
      look_at_another_use(named->getDecl());
    look_at_assigned_again(*s);
    return true;
  }

private:
  /// An assignment of C++ is the variable itself, which may be given another value: (w = first) = second.
  void look_at_assigned_again(const clang::Stmt& s) {
    const auto* comma = dyn_cast<clang::BinaryOperator>(&s);
    const auto* cast = dyn_cast<clang::CastExpr>(&s);
    if ((!isa<clang::Expr>(s) && !isa<clang::ReturnStmt>(s)) || isa<clang::ParenExpr>(s) ||
        isa<clang::FullExpr>(s) || (cast && cast->getCastKind() == clang::CK_LValueToRValue))
      return;
    for (const clang::Stmt* part : s.children())
      if (!comma || comma->getOpcode() != clang::BO_Comma || part != comma->getLHS())
        look_at_assignment(clang::dyn_cast_or_null<clang::Expr>(part));
  }
  void look_at_assignment(const clang::Expr* e) {
    const auto* set = e ? dyn_cast<clang::BinaryOperator>(e->IgnoreParens()) : nullptr;
    if (set && set->getOpcode() == clang::BO_Assign && set->isLValue())
      if (const clang::VarDecl* variable = variable_of(set->getLHS()))
        into_.in_other_hands_.insert(variable->getCanonicalDecl());
  }
  void look_at(const clang::CallExpr& call) {
    plain_.insert(call.getCallee()->IgnoreParenImpCasts());
    if (const std::optional<mpi_use> use = mpi_use_of(&call)) {
      const clang::Expr* window = use->argument(vocabulary::param_role::window);
      const auto* u = window ? dyn_cast<clang::UnaryOperator>(window->IgnoreParenCasts()) : nullptr;
      if (u && u->getOpcode() == clang::UO_AddrOf) // it is made, or freed
        plain_.insert(u->getSubExpr()->IgnoreParens());
    } else if (const clang::FunctionDecl* called = call.getDirectCallee()) {
      const clang::FunctionDecl* body = called->getDefinition();
      for (unsigned i = 0; body && i < std::min(call.getNumArgs(), body->getNumParams()); ++i)
        into_.values_.emplace(body->getParamDecl(i), call.getArg(i));
    }
  }
  void look_at_another_use(const clang::NamedDecl* named) {
    if (const auto* v = dyn_cast<clang::VarDecl>(named))
      into_.in_other_hands_.insert(v->getCanonicalDecl());
    else if (const auto* f = dyn_cast<clang::FunctionDecl>(named))
      if (const clang::FunctionDecl* body = f->getDefinition())
        into_.in_other_hands_.insert(body->param_begin(), body->param_end());
  }

  window_names& into_;
  std::set<const clang::Expr*> plain_;
};

window_names::window_names(clang::ASTContext& context) : context_(context) {
  const clang::SourceManager& files = context.getSourceManager();
  for (clang::Decl* d : context.getTranslationUnitDecl()->decls())
    if (!files.isInSystemHeader(files.getExpansionLoc(d->getLocation())))
      finder(*this).TraverseDecl(d);
}

window_names::origins window_names::origins_of(const clang::Expr* window) const {
  origins made;
  const clang::VarDecl* variable = variable_of(window);
  if (variable)
    add(variable, made);
  else
    made.elsewhere = true;
  return made;
}

void window_names::add(const clang::VarDecl* variable, origins& into) const {
  variable = variable->getCanonicalDecl();
  if (!into.variables.insert(variable).second)
    return;
  into.elsewhere |= variable->getType()->isReferenceType() || in_other_hands_.contains(variable);
  const auto [first, last] = values_.equal_range(variable);
  for (auto value = first; value != last; ++value) {
    if (gives_no_window(value->second, context_))
      continue;
    const clang::VarDecl* from = variable_of(value->second);
    if (from && !gets_what_others_give(*variable, *from))
      add(from, into);
    else
      into.elsewhere = true;
  }
}

bool window_names::may_be_one(const clang::Expr* a, const clang::Expr* b) const {
  const origins one = origins_of(a), other = origins_of(b);
  return one.elsewhere || other.elsewhere ||
         std::any_of(one.variables.begin(), one.variables.end(),
                     [&](const clang::VarDecl* v) { return other.variables.contains(v); });
}

} // namespace tacit::compiler
