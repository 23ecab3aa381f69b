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
using clang::isa_and_nonnull;

/// MPI_WIN_NULL, which is a number in some libraries and an address in others, and what zeroes a variable.
bool gives_no_window(const clang::Expr* value, clang::ASTContext& context) {
  const std::string written = source(context).text(value->getSourceRange());
  return written.find_first_not_of(" (){}0") == std::string::npos || same_code(written, "MPI_WIN_NULL") ||
         same_code(written, "{MPI_WIN_NULL}") || written == "NULL" || written == "nullptr";
}

} // namespace

/// A variable is named to load it, to give it a value, or for a call of MPI to give it one; else somebody else may do so, too.
class window_names::finder : public ast_visitor {
public:
  explicit finder(window_names& into) : into_(into) {}

  bool VisitVarDecl(clang::VarDecl* v) override {
    if (v->getInit())
      into_.values_.emplace(v->getCanonicalDecl(), v->getInit());
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
    if (const auto* call = dyn_cast<clang::CallExpr>(s); call && mpi_use_of(call))
      for (const clang::Expr* argument : call->arguments())
        if (const auto* u = dyn_cast<clang::UnaryOperator>(argument->IgnoreParenCasts());
            u && u->getOpcode() == clang::UO_AddrOf)
          plain_.insert(u->getSubExpr()->IgnoreParens());
    if (const auto* named = dyn_cast<clang::DeclRefExpr>(s); named && !plain_.contains(named))
      if (const auto* v = dyn_cast<clang::VarDecl>(named->getDecl()))
        into_.in_other_hands_.insert(v->getCanonicalDecl());
    return true;
  }

private:
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
    const bool is_argument =
        isa_and_nonnull<clang::ParmVarDecl>(from) && from->getDeclContext() != variable->getDeclContext();
    if (from && !is_argument)
      add(from, into);
    else // who calls that function may give it any
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
