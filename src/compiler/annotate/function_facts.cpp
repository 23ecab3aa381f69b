#include "compiler/annotate/function_facts.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/containers.h"
#include "compiler/annotate/finding.h"
#include "compiler/annotate/mpi_use.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/Builtins.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// What becomes of a variable at one place where it is named.
enum class use_kind { read, written, given_as_status, given_to_mpi, escapes };

struct variable_use {
  use_kind kind = use_kind::escapes;
  bool of_elements = false; ///< of what the variable, a container, owns elsewhere
  const clang::VarDecl* loop_variable =
      nullptr; ///< read, but for what becomes of this one, which is its elements
};

use_kind use_from(const clang::Stmt* name, bool address, const clang::ParentMap& parents, variable_use& into);

/// Of `++x` and `x = y`, which are the variable itself in C++: `&++x`, `int& other = (x = y)`.
use_kind use_of_store(const clang::Expr* store, const clang::ParentMap& parents) {
  const clang::Expr* value = store;
  while (value->isGLValue()) {
    const auto* up = dyn_cast_or_null<clang::Expr>(parents.getParent(value));
    const auto* cast = dyn_cast_or_null<clang::CastExpr>(up);
    if (!up || (cast &&
                (cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_ToVoid)))
      break;
    const auto* binary = dyn_cast<clang::BinaryOperator>(up);
    if (!isa<clang::ParenExpr, clang::ExprWithCleanups>(up) && !(binary && binary->isCommaOp()))
      return use_kind::escapes;
    value = up;
  }
  const auto* bound = dyn_cast_or_null<clang::DeclStmt>(parents.getParent(value));
  return value->isGLValue() && (bound || isa_and_nonnull<clang::ReturnStmt>(parents.getParent(value)))
             ? use_kind::escapes
             : use_kind::written;
}

/// Looks into a container; nothing if that is all.
std::optional<use_kind> use_of_part(const clang::Stmt* call, const container_part& part,
                                    const clang::ParentMap& parents, variable_use& into) {
  const container_kind kind = kind_of_container(part.container->getType());
  if (part.gives == container_part::what::number || kind == container_kind::view)
    return use_kind::read; // of a pointer, as it were
  into.of_elements |= kind == container_kind::owner;
  return use_from(call, part.gives == container_part::what::address, parents, into);
}

/// Elements of a range go to the variable of a loop.
use_kind use_of_range(const clang::CXXForRangeStmt& loop, variable_use& into) {
  const clang::VarDecl* variable = loop.getLoopVariable();
  const container_kind kind = kind_of_container(loop.getRangeInit()->getType());
  if (kind == container_kind::none)
    return use_kind::escapes;
  if (!variable->getType()->isReferenceType())
    return variable->getType()->isScalarType() ? use_kind::read : use_kind::escapes;
  if (kind != container_kind::view && !range_of(variable))
    return use_kind::escapes;
  into.of_elements |= kind == container_kind::owner;
  into.loop_variable = kind == container_kind::view ? nullptr : variable;
  return use_kind::read;
}

/// Follows the expression upwards from the name: elements and members stay the variable, an address that goes to MPI is lent.
use_kind use_from(const clang::Stmt* name, bool address, const clang::ParentMap& parents,
                  variable_use& into) {
  const clang::Stmt* below = name;
  for (const clang::Stmt* at = parents.getParent(name); at; below = at, at = parents.getParent(at)) {
    if (isa<clang::ParenExpr>(at) || isa<clang::ConstantExpr>(at))
      continue;
    if (const auto part = container_part_of(at); part && !address)
      return part->index == below ? use_kind::escapes : *use_of_part(at, *part, parents, into);
    if (const auto* declaration = dyn_cast<clang::DeclStmt>(at); declaration && !address)
      if (const auto* loop = dyn_cast_or_null<clang::CXXForRangeStmt>(parents.getParent(at));
          loop && loop->getRangeStmt() == declaration)
        return use_of_range(*loop, into);
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
      if (isa<clang::CXXMethodDecl>(member->getMemberDecl()) && !address && !member->isArrow() &&
          container_part_of(parents.getParent(at)))
        continue;
      if (member->isArrow() != address || !isa<clang::FieldDecl>(member->getMemberDecl()))
        return use_kind::escapes;
      address = false;
      continue;
    }
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(at)) {
      if (unary->isIncrementDecrementOp() && !address)
        return use_of_store(unary, parents);
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
        return use_of_store(binary, parents);
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

variable_use use_of(const clang::DeclRefExpr* name, const clang::ParentMap& parents) {
  variable_use made;
  made.kind = use_from(name, false, parents, made);
  return made;
}

/// A variable may be declared again and again, and each use names the declaration that was the last one there.
const clang::VarDecl* first_of(const clang::VarDecl* variable) {
  return variable ? variable->getCanonicalDecl() : nullptr;
}

class variable_uses : public ast_visitor {
public:
  explicit variable_uses(const clang::ParentMap& parents) : parents_(parents) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    if (const auto* part = dyn_cast<clang::BindingDecl>(name->getDecl()))
      if (const auto* whole = dyn_cast<clang::VarDecl>(part->getDecomposedDecl())) {
        escaping.insert(whole);
        written.insert(whole);
        read.insert(whole);
      }
    const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (!variable)
      return true;
    const variable_use use = use_of(name, parents_);
    names.push_back(name);
    if (use.kind == use_kind::escapes)
      (use.of_elements ? escaping_elements : escaping).insert(variable);
    if (use.loop_variable)
      (use.of_elements ? ranges_of_elements : ranges).emplace_back(use.loop_variable, variable);
    if (!use.of_elements && kind_of_container(variable->getType()) != container_kind::none &&
        (use.kind == use_kind::escapes || use.kind == use_kind::given_to_mpi))
      other_uses.emplace_back(first_of(variable), name);
    if (variable->getType()->isReferenceType())
      escaping.insert(variable);
    if (use.kind == use_kind::escapes)
      escaping_values.insert(variable);
    if (use.kind != use_kind::read)
      written.insert(variable);
    if (use.kind != use_kind::given_as_status)
      read.insert(variable);
    return true;
  }
  /// What becomes of the variable of a loop becomes of the elements that it stands for.
  void follow_ranges() {
    for (const auto& [element, range] : ranges)
      if (escaping_values.contains(element))
        escaping.insert(range);
    for (const auto& [element, range] : ranges_of_elements)
      if (escaping_values.contains(element))
        escaping_elements.insert(range);
    for (const auto* all : {&ranges, &ranges_of_elements})
      for (const auto& [element, range] : *all)
        if (written.contains(element))
          written.insert(range);
  }
  bool VisitStmt(clang::Stmt* s) override {
    if (isa<clang::LabelStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::GCCAsmStmt, clang::StmtExpr>(
            s) ||
        (isa<clang::SwitchCase>(s) && leads_into_block(s)))
      add_odd(s);
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
    if (callee && callee->getIdentifier() && callee->getName().contains("setjmp"))
      add_odd(call);
    return true;
  }
  std::set<const clang::VarDecl*> escaping, escaping_elements, written, read, referred_to;
  std::vector<const clang::DeclRefExpr*> names;
  std::vector<std::pair<const clang::VarDecl*, const clang::DeclRefExpr*>> other_uses;
  const clang::Stmt* odd = nullptr; ///< the first one

private:
  void add_odd(const clang::Stmt* s) {
    if (!odd)
      odd = s;
  }
  /// A label of a switch that does not stand in the switch's own block.
  bool leads_into_block(const clang::Stmt* label) const {
    const clang::Stmt* block = parents_.getParent(label);
    while (dyn_cast_or_null<clang::SwitchCase>(block))
      block = parents_.getParent(block);
    if (dyn_cast_or_null<clang::CompoundStmt>(block))
      block = parents_.getParent(block);
    return !dyn_cast_or_null<clang::SwitchStmt>(block);
  }

  const clang::ParentMap& parents_;
  std::set<const clang::VarDecl*> escaping_values; ///< also of references, all of which count as escaping
  std::vector<std::pair<const clang::VarDecl*, const clang::VarDecl*>> ranges, ranges_of_elements;
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
    if (container_part_of(c))
      return true;
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

/// A container whose elements nobody has had before it was declared: it is not made of another one, which may hand over its own.
bool allocates_anew(const clang::VarDecl& container) {
  if (isa<clang::ParmVarDecl>(container) || !container.getInit())
    return false;
  const auto* made = dyn_cast<clang::CXXConstructExpr>(container.getInit()->IgnoreImplicit());
  return made && !made->getConstructor()->isMoveConstructor() &&
         std::all_of(made->arg_begin(), made->arg_end(), [](const clang::Expr* argument) {
           return argument->isLValue() || argument->IgnoreImplicit()->getType()->isArithmeticType() ||
                  isa<clang::CXXDefaultArgExpr, clang::CXXStdInitializerListExpr>(argument);
         });
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
  bool is_of(const clang::LambdaExpr& lambda);

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
            s) ||
        may_initialize(s);
    return !found;
  }
  bool found = false;

private:
  harmlessness& all_;
  int depth_;
};

bool harmlessness::is_of(const clang::CallExpr* call, int depth) {
  if (container_part_of(call))
    return true;
  const clang::FunctionDecl* callee = call->getDirectCallee();
  const auto* method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  if (!callee || (method && (!methods_ || method->isVirtual())))
    return false;
  if (isa<clang::CXXDestructorDecl>(callee)) // what members and bases do does not stand in its body
    return callee->isTrivial();
  return (!method && is_known(*callee)) || is_of_body(*callee, depth);
}

bool harmlessness::is_of(const clang::LambdaExpr& lambda) {
  harm_finder walk(*this, 8);
  walk.TraverseStmt(lambda.getBody());
  return !walk.found;
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

/// Something in the statement that may throw; functions whose bodies are here are looked into.
class throw_search : public ast_visitor {
public:
  explicit throw_search(int depth) : depth_(depth) {}
  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    found |= !container_part_of(call) && !mpi_use_of(call) && may_throw_from(call->getDirectCallee());
    return !found;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    found |= may_throw_from(made->getConstructor());
    return !found;
  }
  bool VisitStmt(clang::Stmt* s) override {
    found |=
        isa<clang::CXXNewExpr, clang::CXXThrowExpr, clang::CXXDynamicCastExpr, clang::CXXTypeidExpr>(s) ||
        may_initialize(s);
    return !found;
  }
  bool found = false;

private:
  bool may_throw_from(const clang::FunctionDecl* callee) const {
    if (!callee)
      return true;
    const auto* type = callee->getType()->getAs<clang::FunctionProtoType>();
    if ((type && type->isNothrow()) || callee->hasAttr<clang::NoThrowAttr>() || callee->isTrivial() ||
        callee->hasAttr<clang::ConstAttr>() || callee->hasAttr<clang::PureAttr>())
      return false;
    const clang::FunctionDecl* defined = nullptr;
    const auto* method = dyn_cast<clang::CXXMethodDecl>(callee);
    if (depth_ == 0 || (method && (method->isVirtual() || isa<clang::CXXConstructorDecl>(method))) ||
        !callee->hasBody(defined) || defined->isWeak())
      return true;
    throw_search inside(depth_ - 1);
    inside.TraverseStmt(defined->getBody());
    return inside.found;
  }

  int depth_;
};

} // namespace

function_facts::function_facts(const clang::FunctionDecl& function) : function_(function) {
  clang::Stmt* body = function.getBody();
  parents_ = std::make_unique<clang::ParentMap>(body);
  variable_uses walk(*parents_);
  walk.TraverseStmt(body);
  walk.follow_ranges();
  escaping_ = std::move(walk.escaping);
  escaping_elements_ = std::move(walk.escaping_elements);
  other_uses_ = std::move(walk.other_uses);
  written_ = std::move(walk.written);
  read_status_ = std::move(walk.read);
  referred_to_ = std::move(walk.referred_to);
  names_ = std::move(walk.names);
  odd_jump_ = walk.odd;
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

bool function_facts::has_private_elements(const clang::VarDecl* container) const {
  return is_private(container) && !escaping_elements_.contains(container) && allocates_anew(*container);
}

bool function_facts::reshapes(const clang::Stmt* statement, const clang::VarDecl* container) const {
  const auto is_inside = [&](const clang::Stmt* s) {
    while (s && s != statement)
      s = parent_of(s);
    return s != nullptr;
  };
  return std::any_of(other_uses_.begin(), other_uses_.end(), [&](const auto& use) {
    return use.first == first_of(container) && is_inside(use.second);
  });
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

bool may_initialize(const clang::Stmt* use) {
  const auto* name = dyn_cast<clang::DeclRefExpr>(use);
  const auto* member = dyn_cast<clang::MemberExpr>(use);
  const clang::ValueDecl* named = name ? name->getDecl() : member ? member->getMemberDecl() : nullptr;
  const auto* variable = dyn_cast_or_null<clang::VarDecl>(named);
  if (!variable || variable->getTLSKind() != clang::VarDecl::TLS_Dynamic || variable->isStaticLocal())
    return false;
  const clang::VarDecl* defined = variable->getInitializingDeclaration();
  if (!defined) // in another file, or without a value
    return !variable->getDefinition();
  return !defined->hasConstantInitialization();
}

bool is_harmless(const clang::CallExpr* call, clang::ASTContext& context) {
  return harmlessness(context, false).is_of(call);
}

bool only_computes(const clang::CallExpr* call, clang::ASTContext& context) {
  return harmlessness(context, true).is_of(call);
}

bool only_computes(const clang::LambdaExpr& lambda, clang::ASTContext& context) {
  return harmlessness(context, true).is_of(lambda);
}

bool may_throw(const clang::Stmt* statement, const clang::ASTContext& context) {
  if (!context.getLangOpts().CXXExceptions)
    return false;
  throw_search search(4);
  search.TraverseStmt(const_cast<clang::Stmt*>(statement)); // the visitor changes nothing
  return search.found;
}

bool takes_time(const clang::Stmt* statement) {
  class finder : public ast_visitor {
  public:
    bool VisitStmt(clang::Stmt* s) override {
      found |= isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(s) ||
               (isa<clang::CallExpr>(s) && !container_part_of(s));
      return !found;
    }
    bool found = false;
  };
  finder walk;
  walk.TraverseStmt(const_cast<clang::Stmt*>(statement)); // the visitor changes nothing
  return walk.found;
}

bool is_free_of_side_effects(const clang::Expr* expression, clang::ASTContext& context) {
  if (!expression || !expression->HasSideEffects(context))
    return expression;
  // What has them, for Clang, may be no more than a look into a container.
  const clang::Expr* e = expression->IgnoreParens();
  if (const auto part = container_part_of(e))
    return is_free_of_side_effects(part->container, context) &&
           (!part->index || is_free_of_side_effects(part->index, context));
  const auto* cast = dyn_cast<clang::CastExpr>(e);
  const auto* unary = dyn_cast<clang::UnaryOperator>(e);
  const auto* binary = dyn_cast<clang::BinaryOperator>(e);
  const bool plain = (cast && !cast->getSubExpr()->getType().isVolatileQualified() &&
                      cast->getCastKind() != clang::CK_UserDefinedConversion) ||
                     (unary && !unary->isIncrementDecrementOp()) || (binary && !binary->isAssignmentOp()) ||
                     isa<clang::ArraySubscriptExpr, clang::ConditionalOperator>(e);
  return plain && std::all_of(e->child_begin(), e->child_end(), [&](const clang::Stmt* child) {
           return is_free_of_side_effects(llvm::cast<clang::Expr>(child), context);
         });
}

} // namespace tacit::compiler
