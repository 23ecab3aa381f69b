#include "compiler/annotate/strided_stores.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/containers.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/moved_arguments.h"
#include "compiler/annotate/source.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtOpenMP.h>
#include <tuple>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

polynomial sum(polynomial to, const polynomial& other, std::int64_t times) {
  for (const auto& [product, factor] : other)
    if (const std::int64_t sum = to[product] + factor * times; sum != 0)
      to[product] = sum;
    else
      to.erase(product);
  return to;
}

/// One product in 64 bits; `times` is not negative.
std::string product_of(const std::vector<const clang::VarDecl*>& product, std::int64_t times) {
  std::string made;
  for (const clang::VarDecl* v : product)
    made += std::string(made.empty() ? "" : " * ") +
            (made.empty() || v->getType()->isUnsignedIntegerType() ? "(long long)" : "") +
            v->getNameAsString();
  if (product.empty())
    return std::to_string(times);
  return times == 1 ? made : std::to_string(times) + " * " + made;
}

/// The variable that the loop begins with, and its first value.
std::pair<const clang::VarDecl*, const clang::Expr*> beginning_of(const clang::ForStmt* loop) {
  if (const auto* declared = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
      declared && declared->isSingleDecl()) {
    const auto* variable = dyn_cast<clang::VarDecl>(declared->getSingleDecl());
    return {variable, variable ? variable->getInit() : nullptr};
  }
  if (const auto* set = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getInit());
      set && set->getOpcode() == clang::BO_Assign)
    return {variable_of(set->getLHS()), set->getRHS()};
  return {nullptr, nullptr};
}

/// How far the counter goes up; nothing if that is not a positive constant.
std::optional<std::int64_t> step_of(const clang::Expr* step, const clang::VarDecl* counter,
                                    const clang::ASTContext& context) {
  if (const auto* u = llvm::dyn_cast_or_null<clang::UnaryOperator>(step))
    return u->isIncrementOp() && variable_of(u->getSubExpr()) == counter ? std::optional(1) : std::nullopt;
  const auto* b = llvm::dyn_cast_or_null<clang::CompoundAssignOperator>(step);
  clang::Expr::EvalResult by;
  return b && b->getOpcode() == clang::BO_AddAssign && variable_of(b->getLHS()) == counter &&
                 !b->getRHS()->isValueDependent() && b->getRHS()->EvaluateAsInt(by, context) &&
                 by.Val.getInt().isStrictlyPositive() && by.Val.getInt().getSignificantBits() < 32
             ? std::optional(by.Val.getInt().getExtValue())
             : std::nullopt;
}

/// After its largest value a counter that is unsigned, or narrower than int, begins again: a loop without end, but for a `break`.
/// Signed ones may not overflow, and 64 bits are never counted through.
bool may_wrap(const clang::VarDecl* counter, const clang::BinaryOperator* until, std::int64_t step,
              const clang::ASTContext& context) {
  const clang::QualType type = counter->getType();
  const bool is_signed = type->isSignedIntegerType();
  const unsigned width = context.getIntWidth(type);
  if (width >= (is_signed ? context.getIntWidth(context.IntTy) : 64U))
    return false;
  const clang::Expr* bound = until->getRHS()->IgnoreParenImpCasts();
  const bool below = until->getOpcode() == clang::BO_LT;
  clang::Expr::EvalResult value;
  if (!bound->isValueDependent() && bound->EvaluateAsInt(value, context) &&
      value.Val.getInt().getSignificantBits() < 48)
    return value.Val.getInt().getExtValue() - (below ? 1 : 0) + step >=
           1LL << (is_signed ? width - 1 : width);
  return !(below && step == 1 && keeps_value(bound->getType(), type, context));
}

/// Every product with the counter, without it; nothing if one has it twice.
std::optional<polynomial> coefficient(polynomial& of, const clang::VarDecl* counter) {
  polynomial made;
  for (auto term = of.begin(); term != of.end();) {
    const auto times = std::count(term->first.begin(), term->first.end(), counter);
    if (times > 1)
      return std::nullopt;
    if (times == 0) {
      ++term;
      continue;
    }
    std::vector<const clang::VarDecl*> rest = term->first;
    rest.erase(std::find(rest.begin(), rest.end(), counter));
    made[rest] = term->second;
    term = of.erase(term);
  }
  return made;
}

/// Less than zero it can only be in signed arithmetic; in unsigned arithmetic it would be larger than any place then.
bool is_never_negative(const polynomial& p) {
  return std::all_of(p.begin(), p.end(), [](const auto& term) {
    return term.second > 0 && std::all_of(term.first.begin(), term.first.end(), [](const clang::VarDecl* v) {
             return v->getType()->isUnsignedIntegerType();
           });
  });
}

/// As code in front of the outermost loop.
std::optional<std::string> value_in_front(const clang::Expr* bound, std::int64_t less, bool may_be_huge,
                                          const block_view& in) {
  const auto less_by_one = [&](const std::string& code) { return less != 0 ? code + " - 1" : code; };
  if (const auto value = polynomial_of(bound, in))
    return may_be_huge && !is_never_negative(*value)
               ? less_by_one("tacit_pipeline_bound(" + code_of(*value) + ")")
               : code_of(sum(*value, {{{}, 1}}, -less));
  const clang::Expr* e = bound->IgnoreParens();
  while (const auto* cast = dyn_cast<clang::ImplicitCastExpr>(e)) {
    if (cast->getCastKind() == clang::CK_IntegralCast &&
        !keeps_value(cast->getSubExpr()->getType(), cast->getType(), in.context))
      return std::nullopt;
    if (cast->getCastKind() != clang::CK_IntegralCast)
      break;
    e = cast->getSubExpr()->IgnoreParens();
  }
  const moved_arguments steady({e}, in.facts, in.steady);
  const std::string text = source(in.context).text(e->getSourceRange());
  if (steady.fault() || steady.changed_by(in.block) || text.empty())
    return std::nullopt;
  return less_by_one(may_be_huge ? "tacit_pipeline_bound((long long)(" + text + "))"
                                 : "(long long)(" + text + ")");
}

/// The value that a counter begins with.
std::optional<std::string> first_of(const clang::Expr* begin, const block_view& in) {
  return value_in_front(begin, 0, false, in);
}

/// The largest value that a counter may have.
std::optional<std::string> last_of(const clang::BinaryOperator* until, const block_view& in) {
  const clang::QualType compared = until->getLHS()->getType();
  const bool may_be_huge = compared->isUnsignedIntegerType() && in.context.getIntWidth(compared) >= 64;
  return value_in_front(until->getRHS(), until->getOpcode() == clang::BO_LT ? 1 : 0, may_be_huge, in);
}

bool has_any(const polynomial& p, const loop_counters& counters) {
  return std::any_of(p.begin(), p.end(), [&](const auto& term) {
    return std::any_of(term.first.begin(), term.first.end(),
                       [&](const clang::VarDecl* v) { return counters.contains(v); });
  });
}

/// memcpy, memmove, memset, by whatever name the compiler knows them.
bool writes_bytes(const clang::CallExpr* call) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (!callee || !callee->getIdentifier() || call->getNumArgs() < 3 || callee->getBuiltinID() == 0)
    return false;
  const llvm::StringRef name = callee->getName();
  return name == "memcpy" || name == "memmove" || name == "memset" || name == "__builtin_memcpy" ||
         name == "__builtin_memmove" || name == "__builtin_memset";
}

bool may_throw(const clang::CallExpr* call, const clang::ASTContext& context) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  const auto* type = callee ? callee->getType()->getAs<clang::FunctionProtoType>() : nullptr;
  return context.getLangOpts().CXXExceptions && !(type && type->isNothrow()) &&
         !(callee && callee->hasAttr<clang::NoThrowAttr>());
}

class throw_finder : public ast_visitor {
public:
  explicit throw_finder(const clang::ASTContext& context) : context_(context) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    found |= may_throw(call, context_);
    return !found;
  }
  bool VisitStmt(clang::Stmt* s) override {
    found |= context_.getLangOpts().CXXExceptions &&
             (isa<clang::CXXConstructExpr, clang::CXXNewExpr, clang::CXXThrowExpr>(s) || may_initialize(s));
    return !found;
  }
  bool found = false;

private:
  const clang::ASTContext& context_;
};

/// Variables that are in nobody's scope but the function's, or that the called function does not name.
bool names_variable(const clang::FunctionDecl* function, const clang::VarDecl* variable) {
  class finder : public ast_visitor {
  public:
    explicit finder(const clang::VarDecl* of) : of_(of) {}
    bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
      found |= name->getDecl()->getCanonicalDecl() == of_->getCanonicalDecl() ||
               isa<clang::FunctionDecl>(name->getDecl()); // what that names is not looked at
      return !found;
    }
    bool found = false;

  private:
    const clang::VarDecl* of_;
  };
  if (variable->hasLocalStorage())
    return false;
  const clang::FunctionDecl* defined = nullptr;
  if (!function || !function->hasBody(defined))
    return false; // a library's
  finder walk(variable);
  walk.TraverseStmt(defined->getBody());
  return walk.found;
}

/// The same for members of objects.
bool names_member(const clang::FunctionDecl* function, const std::set<const clang::ValueDecl*>& members) {
  class finder : public ast_visitor {
  public:
    explicit finder(const std::set<const clang::ValueDecl*>& of) : of_(of) {}
    bool VisitMemberExpr(clang::MemberExpr* e) override {
      found |= of_.contains(e->getMemberDecl());
      return !found;
    }
    bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
      const auto* called = dyn_cast<clang::FunctionDecl>(name->getDecl());
      found |= called && called->hasBody(); // what that names is not looked at
      return !found;
    }
    bool found = false;

  private:
    const std::set<const clang::ValueDecl*>& of_;
  };
  const clang::FunctionDecl* defined = nullptr;
  if (members.empty() || !function || !function->hasBody(defined))
    return false;
  finder walk(members);
  walk.TraverseStmt(defined->getBody());
  return walk.found;
}

/// True if the expression names one of these otherwise than for a number in it.
class mention_finder : public clang::RecursiveASTVisitor<mention_finder> {
public:
  explicit mention_finder(const std::set<const clang::VarDecl*>& names) : names_(names) {}
  bool TraverseImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    const bool loads_number =
        cast->getCastKind() == clang::CK_LValueToRValue && cast->getType()->isArithmeticType();
    return loads_number || clang::RecursiveASTVisitor<mention_finder>::TraverseImplicitCastExpr(cast);
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) {
    const auto* v = dyn_cast<clang::VarDecl>(name->getDecl());
    found |= v && names_.contains(v);
    return !found;
  }
  bool found = false;

private:
  const std::set<const clang::VarDecl*>& names_;
};

/// The members of objects that an expression reads pointers from.
class member_finder : public ast_visitor {
public:
  explicit member_finder(std::set<const clang::ValueDecl*>& members) : members_(members) {}
  bool VisitMemberExpr(clang::MemberExpr* e) override {
    if (e->getType()->isPointerType() || e->getType()->isArrayType())
      members_.insert(e->getMemberDecl());
    return true;
  }

private:
  std::set<const clang::ValueDecl*>& members_;
};

/// Variables and members by which a place in one of these can be reached: what they are set to, and what is set to something that
/// names them.
class alias_finder : public ast_visitor {
public:
  alias_finder(const block_view& in, std::set<const clang::VarDecl*>& names,
               std::set<const clang::ValueDecl*>& members)
      : in_(in), names_(names), members_(members) {}
  bool VisitVarDecl(clang::VarDecl* v) override {
    if (v->getInit() && !v->getType()->isArithmeticType())
      meet(v, v->getInit(), v->getType()->isReferenceType());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->getOpcode() != clang::BO_Assign || b->getType()->isArithmeticType())
      return true;
    const clang::VarDecl* v = variable_of(b->getLHS());
    if (!v)
      v = memory_of(b->getLHS(), in_).base; // a member, or an element
    if (v)
      meet(v, b->getRHS(), false);
    return true;
  }

private:
  void meet(const clang::VarDecl* v, clang::Expr* value, bool reference) {
    mention_finder walk(names_);
    walk.TraverseStmt(value);
    if (walk.found)
      names_.insert(v);
    if (!names_.contains(v))
      return;
    if (const memory origin = reference ? memory_of(value, in_) : memory_at(value, in_); origin.base)
      names_.insert(origin.base);
    member_finder(members_).TraverseStmt(value);
  }
  const block_view& in_;
  std::set<const clang::VarDecl*>& names_;
  std::set<const clang::ValueDecl*>& members_;
};

/// What in a loop may change variables of the file.
class change_survey : public ast_visitor {
public:
  change_survey(const clang::VarDecl* buffer, const block_view& in) : buffer_(buffer), in_(in) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    if (const auto* v = dyn_cast<clang::VarDecl>(name->getDecl()); v && v->hasGlobalStorage())
      named.insert(v);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isAssignmentOp())
      store(b->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    if (u->isIncrementDecrementOp())
      store(u->getSubExpr());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (container_part_of(call))
      return true;
    if (!writes_bytes(call))
      calls.push_back(call);
    else if (const memory to = memory_at(call->getArg(0), in_);
             to.base != buffer_ && (!to.base || to.pointed))
      anything = true;
    return true;
  }
  bool VisitStmt(clang::Stmt* s) override {
    anything |= isa<clang::CXXConstructExpr, clang::CXXNewExpr, clang::CXXDeleteExpr, clang::LambdaExpr,
                    clang::GCCAsmStmt, clang::AtomicExpr>(s);
    return true;
  }

  /// A store through a pointer may be one into the variable.
  bool reaches(const clang::VarDecl* v) const {
    const clang::QualType type = v->getType();
    return anything || (integers_ && type->isIntegralOrEnumerationType()) ||
           (pointers_ && type->isPointerType());
  }

  std::set<const clang::VarDecl*> named;
  std::vector<const clang::CallExpr*> calls;
  bool anything = false;

private:
  void store(const clang::Expr* lvalue) {
    const memory to = memory_of(lvalue, in_);
    if (to.base && (!to.pointed || to.base == buffer_))
      return;
    const clang::QualType type = lvalue->getType();
    integers_ |= type->isIntegralOrEnumerationType();
    pointers_ |= type->isPointerType();
    anything |= type->isAnyCharacterType() || !(type->isArithmeticType() || type->isPointerType());
  }

  const clang::VarDecl* buffer_;
  const block_view& in_;
  bool integers_ = false, pointers_ = false;
};

/// `seen`: the survey of the statement. Functions that it calls are followed to some depth.
bool is_changed_by(const clang::Stmt* s, const change_survey& seen, const clang::VarDecl* v,
                   const block_view& in, int depth) {
  if (depth == 0 || seen.reaches(v) || function_facts::may_change(v, s))
    return true;
  return std::any_of(seen.calls.begin(), seen.calls.end(), [&](const clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const clang::FunctionDecl* defined = nullptr;
    if (!is_harmless(call, in.context))
      return true;
    if (!callee->hasBody(defined))
      return false; // a library's
    change_survey inner(nullptr, in);
    inner.TraverseStmt(defined->getBody());
    return is_changed_by(defined->getBody(), inner, v, in, depth - 1);
  });
}

bool is_opaque(const clang::Stmt* s) {
  if (const auto* made = dyn_cast<clang::CXXConstructExpr>(s))
    return !made->getConstructor()->isTrivial();
  const auto* e = dyn_cast<clang::Expr>(s);
  if (e && ((e->isGLValue() && e->getType().isVolatileQualified()) || e->getType()->isAtomicType()))
    return true;
  return isa<clang::AtomicExpr, clang::GCCAsmStmt, clang::MSAsmStmt, clang::LambdaExpr, clang::StmtExpr,
             clang::CXXNewExpr, clang::CXXDeleteExpr, clang::CXXThrowExpr, clang::CXXTryStmt,
             clang::CXXBindTemporaryExpr, clang::CXXForRangeStmt, clang::OMPExecutableDirective,
             clang::CoroutineSuspendExpr, clang::VAArgExpr, clang::BlockExpr>(s);
}

} // namespace

// Products are ordered by their texts, not by addresses, with positive ones and numbers where people put them.
std::string code_of(const polynomial& p) {
  std::vector<std::tuple<bool, bool, std::string>> terms; // negative, a number, text
  for (const auto& [product, factor] : p)
    terms.emplace_back(factor < 0, product.empty(), product_of(product, std::abs(factor)));
  std::sort(terms.begin(), terms.end());
  std::string made;
  for (const auto& [negative, number, text] : terms)
    made += made.empty() ? (negative ? "-" : "") + text : (negative ? " - " : " + ") + text;
  return made.empty() ? "0" : made;
}

std::optional<counted_loop> counted_loop_of(const clang::ForStmt* loop, const block_view& in) {
  const auto [counter, begin] = beginning_of(loop);
  const auto* until = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond());
  const auto step = counter ? step_of(loop->getInc(), counter, in.context) : std::nullopt;
  if (!counter || !begin || !until || loop->getConditionVariable() || !in.facts.is_private(counter) ||
      !counter->getType()->isIntegerType() || !step || function_facts::may_change(counter, loop->getBody()) ||
      variable_of(until->getLHS()) != counter ||
      (until->getOpcode() != clang::BO_LT && until->getOpcode() != clang::BO_LE) ||
      may_wrap(counter, until, *step, in.context))
    return std::nullopt;
  // A comparison in a type of another sign would not be that of the values.
  const auto* left = until->getLHS()->IgnoreParens();
  if (const auto* cast = dyn_cast<clang::CastExpr>(left);
      cast && cast->getCastKind() != clang::CK_LValueToRValue && counter->getType()->isSignedIntegerType() &&
      cast->getType()->isUnsignedIntegerType())
    return std::nullopt;
  const auto first = first_of(begin, in);
  const auto last = last_of(until, in);
  return first && last ? std::optional(counted_loop{counter, *first, *last}) : std::nullopt;
}

std::set<const clang::VarDecl*> steady_variables(const clang::Stmt* loop, const clang::CallExpr* call,
                                                 const clang::VarDecl* buffer, const block_view& in) {
  change_survey inside(buffer, in);
  inside.TraverseStmt(const_cast<clang::Stmt*>(loop));
  change_survey arguments(buffer, in);
  arguments.TraverseStmt(const_cast<clang::CallExpr*>(call));
  inside.named.merge(arguments.named);
  std::set<const clang::VarDecl*> made;
  for (const clang::VarDecl* v : inside.named)
    if (!v->getType()->isReferenceType() && !v->getType().isVolatileQualified() &&
        v->getTLSKind() == clang::VarDecl::TLS_None && !is_changed_by(loop, inside, v, in, 8))
      made.insert(v);
  return made;
}

store_search::store_search(const unit& of, const block_view& in, const mpi_use& collective,
                           const clang::Stmt* body, const memory& origin, const memory& target)
    : of_(of), in_(in), collective_(collective), origin_(origin), target_(target),
      names_{origin.base, target.base} {
  for (std::size_t before = 0; before != names_.size();) { // pointers that are set by way of others
    before = names_.size();
    alias_finder walk(in, names_, members_);
    walk.TraverseStmt(const_cast<clang::Stmt*>(body));
  }
}

void store_search::walk(const clang::ForStmt* loop, const counted_loop& counted) {
  loops_.push_back({loop, counted});
  counters_.emplace(counted.counter, loop->getBody());
  visit(loop->getBody());
}

void store_search::stop(reason why, const std::string& detail, clang::SourceLocation at) {
  if (!found)
    found = obstacle{why, detail, at};
}

bool store_search::is_independent(const clang::Stmt* s) const {
  return std::any_of(of_.annotated.begin(), of_.annotated.end(), [&](const annotated_statement& a) {
    return a.statement == s && a.by.says.kind == annotation_kind::indep &&
           names(a.by.says.groups, collective_, in_.context);
  });
}

void store_search::visit(const clang::Stmt* s) {
  if (!s || found)
    return;
  if (is_independent(s)) {
    throw_finder throws(in_.context);
    throws.TraverseStmt(const_cast<clang::Stmt*>(s));
    if (throws.found)
      stop(reason::unknown_effect, wording(remark::exception_leaves_exchange), s->getBeginLoc());
    return;
  }
  if (const auto use = mpi_use_of(s))
    return stop(reason::unknown_effect, wording(remark::called_in_loop, {use->name}), s->getBeginLoc());
  if (const auto* call = dyn_cast<clang::CallExpr>(s))
    return visit_call(call);
  if (is_opaque(s))
    return stop(reason::unknown_effect, wording(remark::not_followed), s->getBeginLoc());
  if (const auto* loop = dyn_cast<clang::ForStmt>(s))
    return visit_loop(loop);
  if (const auto* declaration = dyn_cast<clang::DeclStmt>(s))
    return visit_declaration(declaration);
  if (const auto* b = dyn_cast<clang::BinaryOperator>(s); b && b->isAssignmentOp()) {
    visit(b->getRHS());
    return visit_place(b->getLHS(), true);
  }
  if (const auto* u = dyn_cast<clang::UnaryOperator>(s); u && u->isIncrementDecrementOp())
    return visit_place(u->getSubExpr(), true);
  if (const auto* cast = dyn_cast<clang::CastExpr>(s);
      cast && cast->getCastKind() == clang::CK_LValueToRValue)
    return visit_place(cast->getSubExpr(), false);
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(s)) {
    if (const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl()); variable && is_buffer(variable))
      stop(reason::buffer_unknown, wording(remark::another_use, {variable->getNameAsString()}),
           name->getExprLoc());
    return;
  }
  if (const auto* member = dyn_cast<clang::MemberExpr>(s);
      member && members_.contains(member->getMemberDecl()))
    stop(reason::buffer_unknown, wording(remark::another_use, {member->getMemberDecl()->getNameAsString()}),
         member->getExprLoc());
  visit_children(s);
}

void store_search::visit_children(const clang::Stmt* s) {
  for (const clang::Stmt* child : s->children())
    visit(child);
}

void store_search::visit_loop(const clang::ForStmt* loop) {
  const auto counted =
      counted_loop_of(loop, in_); // without counters: a bound that depends on one says nothing of all values
  if (!counted || counters_.contains(counted->counter))
    return visit_children(loop);
  visit(loop->getInit());
  visit(loop->getCond());
  loops_.push_back({loop, *counted});
  counters_.emplace(counted->counter, loop->getBody());
  visit(loop->getBody());
  counters_.erase(counted->counter);
  loops_.pop_back();
}

void store_search::visit_declaration(const clang::DeclStmt* declaration) {
  for (const clang::Decl* d : declaration->decls()) {
    const auto* variable = dyn_cast<clang::VarDecl>(d);
    if (!variable)
      continue;
    if (calls_at_end_of_scope(*variable) || variable->getType()->isVariablyModifiedType())
      return stop(reason::unknown_effect, wording(remark::type_of, {variable->getNameAsString()}),
                  variable->getLocation());
    const clang::Expr* init = variable->getInit();
    // A pointer into the send buffer that keeps its value: its uses are followed to where it points.
    const bool followed = init && variable->getType()->isPointerType() && in_.facts.is_set_once(variable) &&
                          memory_at(init, view()).base == origin_.base;
    if (followed)
      follow_to_base(init);
    else
      visit(init);
  }
}

void store_search::visit_call(const clang::CallExpr* call) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  const std::string name = callee ? callee->getNameAsString() : wording(remark::some_function);
  if (writes_bytes(call))
    return visit_bytes(call);
  const bool seen =
      callee && (callee->hasBody() || callee->getBuiltinID() != 0); // or it is harmless, and does not throw
  if (!seen && may_throw(call, in_.context))
    return stop(reason::unknown_effect, wording(remark::may_throw, {name}), call->getExprLoc());
  if (!is_harmless(call, in_.context) || names_member(callee, members_) ||
      std::any_of(names_.begin(), names_.end(),
                  [&](const clang::VarDecl* v) { return names_variable(callee, v); }))
    return stop(reason::unknown_effect, name, call->getExprLoc());
  for (const clang::Expr* argument : call->arguments())
    visit(argument);
}

void store_search::visit_bytes(const clang::CallExpr* call) {
  const bool fills = call->getDirectCallee()->getName().ends_with("memset");
  const auto length = polynomial_of(call->getArg(2), view());
  for (unsigned i = 0; i < (fills ? 1U : 2U); ++i) {
    memory place = memory_at(call->getArg(i), view());
    if (place.base == origin_.base && place.base) {
      follow_to_base(call->getArg(i));
      place.length = length;
      if (i == 0)
        add_store(place, call->getExprLoc());
    } else {
      visit(call->getArg(i));
    }
  }
  visit(call->getArg(2));
  if (fills)
    visit(call->getArg(1));
}

void store_search::visit_place(const clang::Expr* lvalue, bool writes) {
  if (is_opaque(lvalue))
    return stop(reason::unknown_effect, wording(remark::not_followed), lvalue->getExprLoc());
  const memory place = memory_of(lvalue, view());
  if (!place.base || place.base != origin_.base || place.pointed != origin_.pointed) {
    // The pointer itself, or something else; stores through it have been refused as another use.
    const clang::Expr* e = lvalue->IgnoreParens();
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(e); name && !writes) {
      const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl());
      if (variable && is_buffer(variable))
        stop(reason::buffer_unknown, wording(remark::another_use, {variable->getNameAsString()}),
             e->getExprLoc());
      return;
    }
    return visit(e);
  }
  follow_to_base(lvalue);
  if (writes)
    add_store(place, lvalue->getExprLoc());
}

/// What leads to a place in the send buffer: everything but the buffer's name is looked at.
void store_search::follow_to_base(const clang::Expr* expression) {
  const clang::Expr* e = expression->IgnoreParens();
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable != origin_.base && (!variable || !in_.facts.is_set_once(variable)))
      visit(e);
  } else if (const auto* cast = dyn_cast<clang::CastExpr>(e)) {
    follow_to_base(cast->getSubExpr());
  } else if (const auto* element = dyn_cast<clang::ArraySubscriptExpr>(e)) {
    follow_to_base(element->getBase());
    visit(element->getIdx());
  } else if (const auto* member = dyn_cast<clang::MemberExpr>(e)) {
    follow_to_base(member->getBase());
  } else if (const auto* u = dyn_cast<clang::UnaryOperator>(e);
             u && (u->getOpcode() == clang::UO_Deref || u->getOpcode() == clang::UO_AddrOf)) {
    follow_to_base(u->getSubExpr());
  } else if (const auto* b = dyn_cast<clang::BinaryOperator>(e); b && b->isAdditiveOp()) {
    const bool left = b->getLHS()->getType()->isPointerType();
    follow_to_base(left ? b->getLHS() : b->getRHS());
    visit(left ? b->getRHS() : b->getLHS());
  } else {
    visit(e);
  }
}

void store_search::add_store(const memory& place, clang::SourceLocation at) {
  const std::string name = origin_.base->getNameAsString();
  if (!place.from || !place.length)
    return stop(reason::buffer_written, wording(remark::store_not_polynomial, {name}), at);
  strided_store made{sum(*place.from, *origin_.from, -1), {}, *place.length, {}};
  for (const open_loop& l : loops_) {
    const auto by = coefficient(made.from, l.counted.counter);
    if (!by || has_any(*by, counters_))
      return stop(reason::buffer_written, wording(remark::counters_multiplied, {name}), at);
    if (&l == &loops_.front())
      made.step = *by;
    else if (!by->empty())
      made.inner.push_back({*by, l.counted.first, l.counted.last});
  }
  if (has_any(made.bytes, counters_) || made.inner.size() > 3)
    return stop(reason::buffer_written, wording(remark::store_too_complicated, {name}), at);
  stores.push_back(std::move(made));
}

} // namespace tacit::compiler
