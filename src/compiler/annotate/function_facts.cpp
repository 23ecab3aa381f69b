#include "compiler/annotate/function_facts.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/finding.h"
#include "compiler/annotate/mpi_use.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/Builtins.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// What becomes of a variable at one place where it is named.
enum class use_kind { read, written, given_as_status, given_to_mpi, escapes };

/// Follows the expression upwards from the name: elements and members stay the variable, an address that goes to MPI is lent.
use_kind use_of(const clang::DeclRefExpr* name, const clang::ParentMap& parents) {
  const clang::Stmt* below = name;
  bool address = false;
  for (const clang::Stmt* at = parents.getParent(name); at; below = at, at = parents.getParent(at)) {
    if (isa<clang::ParenExpr>(at) || isa<clang::ConstantExpr>(at))
      continue;
    if (const auto* cast = dyn_cast<clang::CastExpr>(at)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue)
        return address ? use_kind::escapes : use_kind::read;
      if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) {
        address = true;
        continue;
      }
      if (cast->getCastKind() == clang::CK_BitCast || cast->getCastKind() == clang::CK_NoOp)
        continue;
      return cast->getCastKind() == clang::CK_ToVoid ? use_kind::read : use_kind::escapes;
    }
    if (const auto* element = dyn_cast<clang::ArraySubscriptExpr>(at)) {
      if (!address || element->getBase() != below)
        return use_kind::escapes;
      address = false;
      continue;
    }
    if (const auto* member = dyn_cast<clang::MemberExpr>(at)) {
      if (member->isArrow() != address || !isa<clang::FieldDecl>(member->getMemberDecl()))
        return use_kind::escapes;
      address = false;
      continue;
    }
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(at)) {
      if (unary->isIncrementDecrementOp() && !address)
        return use_kind::written;
      if (unary->getOpcode() == clang::UO_AddrOf && !address)
        address = true;
      else if (unary->getOpcode() == clang::UO_Deref && address)
        address = false;
      else
        return use_kind::escapes;
      continue;
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(at)) {
      if (binary->isAssignmentOp() && binary->getLHS() == below && !address)
        return use_kind::written;
      if (binary->isAdditiveOp() && address)
        continue;
      return use_kind::escapes;
    }
    if (const auto use = mpi_use_of(at); use && address) {
      for (unsigned i = 0; i < use->call->getNumArgs(); ++i)
        if (use->call->getArg(i) == below) {
          const std::vector<param_role>& roles = use->roles();
          // Calls that only look into a status (MPI_Get_count) read it.
          const bool status = i < roles.size() &&
                              (roles[i] == param_role::status || roles[i] == param_role::statuses) &&
                              use->row->kind != call_class::local;
          if (status)
            return use_kind::given_as_status;
          // What calls outside the model do with an address is not known; the functions for windows keep it.
          return use->row->kind == call_class::unknown ? use_kind::escapes : use_kind::given_to_mpi;
        }
    }
    return use_kind::escapes;
  }
  return use_kind::escapes;
}

/// A variable may be declared again and again, and each use names the declaration that was the last one there.
const clang::VarDecl* first_of(const clang::VarDecl* variable) {
  return variable ? variable->getCanonicalDecl() : nullptr;
}

class variable_uses : public ast_visitor {
public:
  explicit variable_uses(const clang::ParentMap& parents) : parents_(parents) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (!variable)
      return true;
    const use_kind use = use_of(name, parents_);
    names.push_back(name);
    if (use == use_kind::escapes || variable->getType()->isReferenceType())
      escaping.insert(variable);
    if (use != use_kind::read)
      written.insert(variable);
    if (use != use_kind::given_as_status)
      read.insert(variable);
    return true;
  }
  bool VisitStmt(clang::Stmt* s) override {
    odd |=
        isa<clang::LabelStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::GCCAsmStmt, clang::StmtExpr>(
            s);
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) override {
    for (const clang::LambdaCapture& c : lambda->captures())
      if (c.capturesVariable())
        if (const auto* variable = dyn_cast<clang::VarDecl>(c.getCapturedVar())) {
          escaping.insert(variable);
          if (c.getCaptureKind() == clang::LCK_ByRef)
            referred_to.insert(first_of(variable));
        }
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    odd |= callee && callee->getIdentifier() && callee->getName().contains("setjmp");
    return true;
  }
  std::set<const clang::VarDecl*> escaping, written, read, referred_to;
  std::vector<const clang::DeclRefExpr*> names;
  bool odd = false;

private:
  const clang::ParentMap& parents_;
};

/// All that are assigned, incremented, declared, or whose addresses are taken.
class changed_variables : public ast_visitor {
public:
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isAssignmentOp())
      add(variable_of(b->getLHS()));
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    if (u->isIncrementDecrementOp() || u->getOpcode() == clang::UO_AddrOf)
      add(variable_of(u->getSubExpr()));
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) override {
    add(v);
    if (v->getType()->isReferenceType() && v->getInit())
      add(variable_of(v->getInit()));
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) override { // a reference parameter shows as an lvalue
    for (const clang::Expr* argument : c->arguments())
      if (argument->isLValue())
        add(variable_of(argument));
    return true;
  }
  std::set<const clang::VarDecl*> found; ///< as first declared; and null

private:
  void add(const clang::VarDecl* variable) { found.insert(first_of(variable)); }
};

/// Jumps that leave the statement in which the walk starts.
const clang::Stmt* find_jump(const clang::Stmt* s, bool in_loop, bool in_switch) {
  if (!s || isa<clang::LambdaExpr>(s))
    return nullptr;
  if (isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::CXXThrowExpr,
          clang::CoreturnStmt, clang::CoroutineSuspendExpr>(s) ||
      (isa<clang::BreakStmt>(s) && !in_loop && !in_switch) || (isa<clang::ContinueStmt>(s) && !in_loop))
    return s;
  const bool loop = isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(s);
  for (const clang::Stmt* child : s->children())
    if (const clang::Stmt* found = find_jump(child, in_loop || loop, in_switch || isa<clang::SwitchStmt>(s)))
      return found;
  return nullptr;
}

/// What headers tell the compiler; nothing of it runs.
bool is_only_for_the_compiler(unsigned builtin) {
  switch (builtin) {
  case clang::Builtin::BI__builtin_unreachable:
  case clang::Builtin::BI__builtin_is_constant_evaluated:
  case clang::Builtin::BI__builtin_expect:
  case clang::Builtin::BI__builtin_assume:
    return true;
  default:
    return false;
  }
}

bool is_library_function(const clang::FunctionDecl& callee, clang::ASTContext& context) {
  const unsigned id = callee.getBuiltinID();
  if (id == 0)
    return false;
  if (!context.BuiltinInfo.isPredefinedLibFunction(id)) // std::sin(int) calls __builtin_sin
    return context.BuiltinInfo.isConst(id) || context.BuiltinInfo.isPure(id) ||
           context.BuiltinInfo.isConstWithoutErrnoAndExceptions(id) || is_only_for_the_compiler(id);
  const llvm::StringRef header = context.BuiltinInfo.getHeaderName(id);
  const llvm::StringRef name = callee.getName();
  return header == "math.h" || header == "string.h" || header == "strings.h" || header == "ctype.h" ||
         name == "abs" || name == "labs" || name == "llabs" || name == "malloc" || name == "calloc" ||
         name == "realloc" || name == "free";
}

/// Whether calls do nothing that matters elsewhere, nor anything that is called in the functions that they call.
class harmlessness {
public:
  harmlessness(clang::ASTContext& context, bool methods) : context_(context), methods_(methods) {}
  /// `depth` bounds the search.
  bool is_of(const clang::CallExpr* call, int depth = 8);

private:
  class harm_finder;
  bool is_known(const clang::FunctionDecl& callee) const;
  bool is_of_body(const clang::FunctionDecl& callee, int depth);

  clang::ASTContext& context_;
  bool methods_; ///< are followed, too
  /// Depths that do. Without them functions that many call are walked exponentially often.
  std::map<const clang::FunctionDecl*, int> least_;
};

class harmlessness::harm_finder : public ast_visitor {
public:
  /// All that is called must be harmless, too.
  harm_finder(harmlessness& all, int depth) : all_(all), depth_(depth) {}
  /// Default arguments, initial values of members, iterators of ranges.
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    found |= !all_.is_of(call, depth_);
    return !found;
  }
  bool VisitVarDecl(clang::VarDecl* v) override {
    found |= calls_at_end_of_scope(*v);
    return !found;
  }
  bool VisitStmt(clang::Stmt* s) override {
    found |=
        isa<clang::GCCAsmStmt, clang::CXXConstructExpr, clang::CXXNewExpr, clang::CXXDeleteExpr,
            clang::CXXBindTemporaryExpr, clang::LambdaExpr, clang::CXXThrowExpr, clang::CoroutineSuspendExpr>(
            s);
    return !found;
  }
  bool found = false;

private:
  harmlessness& all_;
  int depth_;
};

bool harmlessness::is_of(const clang::CallExpr* call, int depth) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  if (!callee || (method && (!methods_ || method->isVirtual())))
    return false;
  if (isa<clang::CXXDestructorDecl>(callee)) // what members and bases do does not stand in its body
    return callee->isTrivial();
  return (!method && is_known(*callee)) || is_of_body(*callee, depth);
}

bool harmlessness::is_known(const clang::FunctionDecl& callee) const {
  return callee.hasAttr<clang::ConstAttr>() || callee.hasAttr<clang::PureAttr>() ||
         is_library_function(callee, context_);
}

/// Its body is here, and all of it is harmless.
bool harmlessness::is_of_body(const clang::FunctionDecl& callee, int depth) {
  const clang::FunctionDecl* defined = nullptr;
  // Another definition may be linked in the place of a weak one.
  if (depth == 0 || !callee.hasBody(defined) || defined->isWeak())
    return false;
  if (const auto known = least_.find(defined); known != least_.end() && known->second <= depth)
    return true;
  harm_finder walk(*this, depth - 1);
  walk.TraverseStmt(defined->getBody());
  if (!walk.found)
    least_[defined] = depth;
  return !walk.found;
}

} // namespace

function_facts::function_facts(const clang::FunctionDecl& function) : function_(function) {
  clang::Stmt* body = function.getBody();
  parents_ = std::make_unique<clang::ParentMap>(body);
  variable_uses walk(*parents_);
  walk.TraverseStmt(body);
  escaping_ = std::move(walk.escaping);
  written_ = std::move(walk.written);
  read_status_ = std::move(walk.read);
  referred_to_ = std::move(walk.referred_to);
  names_ = std::move(walk.names);
  odd_jumps_ = walk.odd;
}

const clang::Stmt* function_facts::parent_of(const clang::Stmt* statement) const {
  return parents_->getParent(statement);
}

bool function_facts::is_private(const clang::VarDecl* variable) const {
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
         !variable->getType().isVolatileQualified() && !escaping_.contains(variable);
}

bool function_facts::is_set_once(const clang::VarDecl* variable) const {
  if (variable->getType().isConstQualified() && !variable->getType()->isReferenceType())
    return true;
  const bool has_value = llvm::isa<clang::ParmVarDecl>(variable) || variable->getInit();
  return is_private(variable) && has_value && !written_.contains(variable);
}

bool function_facts::is_dead_status(const clang::VarDecl* variable) const {
  return is_private(variable) && !read_status_.contains(variable);
}

bool function_facts::may_change(const clang::VarDecl* variable, const clang::Stmt* in) {
  changed_variables walk;
  walk.TraverseStmt(const_cast<clang::Stmt*>(in));
  return walk.found.contains(first_of(variable));
}

bool function_facts::changes(const clang::Stmt* statement, const clang::VarDecl* variable) const {
  const auto [known, is_new] = changed_.try_emplace(statement);
  if (is_new) {
    changed_variables walk;
    walk.TraverseStmt(const_cast<clang::Stmt*>(statement));
    known->second = std::move(walk.found);
  }
  return known->second.contains(first_of(variable));
}

bool function_facts::is_captured_by_reference(const clang::VarDecl* variable) const {
  return referred_to_.contains(first_of(variable));
}

const clang::Stmt* function_facts::jump_out(const clang::Stmt* statement) const {
  const auto [known, is_new] = jumps_.try_emplace(statement);
  if (is_new)
    known->second = jump_out_of(statement);
  return known->second;
}

const clang::Stmt* jump_out_of(const clang::Stmt* statement) {
  return find_jump(statement, false, false);
}

const clang::Stmt* statement_of(const clang::CallExpr* call, const function_facts& facts) {
  const clang::Stmt* at = call;
  for (const clang::Stmt* up = facts.parent_of(at); up; up = facts.parent_of(at)) {
    if (isa<clang::CompoundStmt>(up))
      return at;
    if (const auto* conditional = dyn_cast<clang::IfStmt>(up))
      return conditional->getThen() == at || conditional->getElse() == at ? at : nullptr;
    const auto* cast = dyn_cast<clang::CastExpr>(up);
    if (!isa<clang::ParenExpr, clang::ExprWithCleanups>(up) &&
        !(cast && cast->getCastKind() == clang::CK_ToVoid))
      return nullptr;
    at = up;
  }
  return nullptr;
}

std::string why_no_statement(const clang::CallExpr* call, const function_facts& facts) {
  const clang::Stmt* up = facts.parent_of(call);
  const auto passes_nothing_on = [](const clang::Stmt* s) {
    const auto* cast = dyn_cast<clang::CastExpr>(s);
    return isa<clang::ParenExpr, clang::ExprWithCleanups>(s) ||
           (cast && cast->getCastKind() == clang::CK_ToVoid);
  };
  const clang::Stmt* at = call;
  for (; up && passes_nothing_on(up); up = facts.parent_of(at))
    at = up;
  const auto* loop = llvm::dyn_cast_or_null<clang::ForStmt>(up);
  const auto* again = llvm::dyn_cast_or_null<clang::WhileStmt>(up);
  const bool is_statement =
      llvm::isa_and_nonnull<clang::SwitchCase, clang::LabelStmt, clang::AttributedStmt>(up) ||
      (loop && loop->getBody() == at) || (again && again->getBody() == at);
  return wording(is_statement ? remark::no_statement_of_block : remark::value_used);
}

const clang::VarDecl* variable_of(const clang::Expr* expression) {
  if (!expression)
    return nullptr;
  const auto* name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenCasts());
  return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

bool calls_at_end_of_scope(const clang::VarDecl& variable) {
  return variable.hasAttr<clang::CleanupAttr>() ||
         variable.needsDestruction(variable.getASTContext()) == clang::QualType::DK_cxx_destructor;
}

bool is_harmless(const clang::CallExpr* call, clang::ASTContext& context) {
  return harmlessness(context, false).is_of(call);
}

bool only_computes(const clang::CallExpr* call, clang::ASTContext& context) {
  return harmlessness(context, true).is_of(call);
}

bool is_free_of_side_effects(const clang::Expr* expression, clang::ASTContext& context) {
  return expression && !expression->HasSideEffects(context);
}

} // namespace tacit::compiler
