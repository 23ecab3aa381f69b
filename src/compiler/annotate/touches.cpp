#include "compiler/annotate/touches.h"

#include "compiler/annotate/containers.h"
#include "compiler/annotate/function_facts.h"

#include <array>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/SourceManager.h>
#include <map>
#include <memory>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Functions of numbers: they have no way to memory.
bool touches_no_memory(const clang::CallExpr* call, clang::ASTContext& context) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (!callee || isa<clang::CXXMethodDecl>(callee))
    return false;
  for (const clang::Expr* argument : call->arguments())
    if (!argument->getType()->isArithmeticType() || argument->isLValue())
      return false;
  const unsigned id = callee->getBuiltinID();
  return callee->hasAttr<clang::ConstAttr>() ||
         (callee->isInStdNamespace() && callee->hasBody() && is_harmless(call, context)) || // std::sin(int)
         (id != 0 && (context.BuiltinInfo.isConst(id) ||
                      (context.BuiltinInfo.isPredefinedLibFunction(id) &&
                       llvm::StringRef(context.BuiltinInfo.getHeaderName(id)) == "math.h")));
}

/// A function that the statement calls, while it is looked into: what its parameters lead to, in words of the function with the message.
struct callee_view {
  const clang::FunctionDecl& function;
  block_view view;
  std::map<const clang::VarDecl*, std::optional<memory>> given; ///< nothing: apart from all that one has
  const callee_view* caller;                                    ///< null: the function with the message
};

/// The body that runs when the function is called by this name, if it can be seen. Another definition may be linked in the place of a weak
/// one, or of an inline one in C.
const clang::FunctionDecl* seen_body(const clang::CallExpr* call) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  const clang::FunctionDecl* defined = nullptr;
  if (!callee || !callee->hasBody(defined) || defined->isWeak() || defined->isVariadic() ||
      (isa<clang::CXXMethodDecl>(callee) && !llvm::cast<clang::CXXMethodDecl>(callee)->isStatic()))
    return nullptr;
  const bool elsewhere = !callee->getASTContext().getLangOpts().CPlusPlus && defined->isInlineSpecified() &&
                         defined->getStorageClass() != clang::SC_Static;
  return elsewhere ? nullptr : defined;
}

class walker {
public:
  walker(const pending_message& message, const unit& of, const block_view& in, const listed_message& listed)
      : message_(message), of_(of), in_(in), listed_(listed) {
    for (const annotated_statement& a : of.annotated)
      if (a.function == &in.facts.function() && a.by.says.kind == annotation_kind::indep)
        claimed_.push_back(&a);
  }

  /// Depth first in the order of the text; stops at the first obstacle.
  void walk(const clang::Stmt* s, bool writes = false) {
    if (!s || found || is_independent(s))
      return;
    if (const auto use = mpi_use_of(s))
      return walk_mpi(*use);
    if (const auto part = container_part_of(s))
      return walk_part(*llvm::cast<clang::CallExpr>(s), *part, writes);
    if (const auto* call = dyn_cast<clang::CallExpr>(s); call && !touches_no_memory(call, in_.context))
      return walk_call(call, writes);
    if (const auto* given = dyn_cast<clang::CXXDefaultArgExpr>(s))
      return walk(given->getExpr());
    if (const auto* given = dyn_cast<clang::CXXDefaultInitExpr>(s))
      return walk(given->getExpr());
    if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(s))
      return walk_range(*loop);
    if (is_opaque(s))
      return stop(reason::unknown_effect, wording(remark::not_followed), s->getBeginLoc());
    if (const auto* declaration = dyn_cast<clang::DeclStmt>(s))
      return walk_declaration(declaration);
    if (const auto* b = dyn_cast<clang::BinaryOperator>(s); b && b->isAssignmentOp()) {
      walk(b->getRHS());
      return walk(b->getLHS(), true);
    }
    if (const auto* u = dyn_cast<clang::UnaryOperator>(s); u && u->isIncrementDecrementOp())
      return walk(u->getSubExpr(), true);
    if (const auto* u = dyn_cast<clang::UnaryOperator>(s); u && u->getOpcode() == clang::UO_AddrOf)
      return walk_address(u->getSubExpr());
    if (const auto* cast = dyn_cast<clang::CastExpr>(s);
        cast && cast->getCastKind() == clang::CK_ArrayToPointerDecay)
      return walk_address(cast->getSubExpr());
    if (const auto* e = dyn_cast<clang::Expr>(s); e && is_access(e)) {
      touch_at(e, writes);
      return walk_address(e);
    }
    // A store into what is made of a place (a conversion, a part, one of two) is one into that place.
    for (const clang::Stmt* child : s->children()) {
      const auto* place = llvm::dyn_cast_or_null<clang::Expr>(child);
      walk(child, writes && place && place->isGLValue());
    }
  }

  std::optional<obstacle> found;

private:
  void stop(reason why, std::string detail, clang::SourceLocation at) {
    if (!found)
      found = obstacle{why, std::move(detail), at};
  }

  void unknown(const clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    stop(reason::unknown_effect, callee ? callee->getNameAsString() : wording(remark::some_function),
         call->getExprLoc());
  }

  /// Functions whose bodies are here are looked into, with what their parameters lead to; those that call themselves are not.
  void walk_call(const clang::CallExpr* call, bool writes) {
    constexpr int deepest = 4, most = 200;
    const clang::FunctionDecl* callee = seen_body(call);
    int depth = 0;
    for (const callee_view* c = inside_; c; c = c->caller, ++depth)
      if (callee == &c->function)
        callee = nullptr;
    if (!callee || callee == &in_.facts.function() || depth == deepest || ++looked_into_ > most)
      return unknown(call);
    walk_given(call, *callee);
    if (found)
      return;
    std::unique_ptr<function_facts>& facts = facts_[callee];
    if (!facts)
      facts = std::make_unique<function_facts>(*callee);
    if (facts->has_odd_jumps())
      return unknown(call);
    const callee_view made{
        *callee, {in_.context, *facts, callee->getBody()}, memory_given(call, *callee), inside_};
    const callee_view* outside = std::exchange(inside_, &made);
    walk(callee->getBody());
    if (call->isGLValue())
      walk_returned(callee->getBody(), writes, call->getExprLoc());
    inside_ = outside;
    if (found && in_.context.getSourceManager().isInSystemHeader(callee->getLocation())) {
      found.reset(); // whose inside says nothing to the reader
      return unknown(call);
    }
    if (found)
      found = obstacle{found->why,
                       wording(remark::within, {callee->getNameAsString(), found->detail,
                                                wording(remark::location, {location_name(of_, found->at)})}),
                       call->getExprLoc()};
  }

  /// What is done with the place that a function gives.
  void walk_returned(const clang::Stmt* s, bool writes, clang::SourceLocation at) {
    if (const auto* given = llvm::dyn_cast_or_null<clang::ReturnStmt>(s); given && given->getRetValue())
      meet_here(memory_of(given->getRetValue()->IgnoreParenNoopCasts(in_.context), view()), writes, at);
    else if (s)
      for (const clang::Stmt* child : s->children())
        walk_returned(child, writes, at);
  }

  /// Values of arguments are read, and places that references are bound to are only found.
  void walk_given(const clang::CallExpr* call, const clang::FunctionDecl& callee) {
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      const bool bound =
          i < callee.getNumParams() && callee.getParamDecl(i)->getType()->isLValueReferenceType();
      bound && call->getArg(i)->isLValue() ? walk_address(call->getArg(i)) : walk(call->getArg(i));
    }
  }

  std::map<const clang::VarDecl*, std::optional<memory>>
  memory_given(const clang::CallExpr* call, const clang::FunctionDecl& callee) const {
    std::map<const clang::VarDecl*, std::optional<memory>> made;
    for (unsigned i = 0; i < call->getNumArgs() && i < callee.getNumParams(); ++i) {
      const clang::VarDecl* parameter = callee.getParamDecl(i);
      const clang::Expr* argument = call->getArg(i)->IgnoreParenNoopCasts(in_.context);
      memory given;
      if (parameter->getType()->isPointerType())
        given = memory_at(argument, view());
      else if (parameter->getType()->isReferenceType() && argument->isLValue())
        given = kind_of_container(argument->getType()) != container_kind::none
                    ? memory_of_range(argument, view())
                    : memory_of(argument, view());
      given.from = given.length = std::nullopt; // the function may go anywhere from there
      made.emplace(parameter, seen_from_outside(given));
    }
    return made;
  }

  /// Memory of the function that is looked into, for the function with the message; nothing if it is apart from all that one has.
  std::optional<memory> seen_from_outside(memory m) const {
    if (!inside_ || !m.base)
      return m;
    m.from = m.length = std::nullopt; // depend on variables of this function
    if (!m.base->hasLocalStorage())
      return m;
    if (!m.pointed)
      return std::nullopt;
    const bool kept = m.base->getType()->isReferenceType() || inside_->view.facts.is_set_once(m.base);
    const auto given = inside_->given.find(m.base);
    return kept && given != inside_->given.end() ? given->second : std::optional(memory{});
  }

  const block_view& view() const { return inside_ ? inside_->view : in_; }

  bool is_independent(const clang::Stmt* s) const {
    return !inside_ && std::any_of(claimed_.begin(), claimed_.end(), [&](const annotated_statement* a) {
      return a->statement == s && names(a->by.says.groups, message_.use, in_.context);
    });
  }

  static bool is_opaque(const clang::Stmt* s) {
    if (const auto* made = dyn_cast<clang::CXXConstructExpr>(s))
      return !made->getConstructor()->isTrivial();
    if (may_initialize(s))
      return true;
    if (const auto* list = dyn_cast<clang::InitListExpr>(s); list && list->hasArrayFiller())
      return !isa<clang::ImplicitValueInitExpr>(list->getArrayFiller());
    if (const auto* e = dyn_cast<clang::Expr>(s); e && e->isGLValue() && e->getType().isVolatileQualified())
      return true;
    if (const auto* cast = dyn_cast<clang::ExplicitCastExpr>(s))
      return cast->getTypeAsWritten()->isVariablyModifiedType();
    if (const auto* size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(s))
      return size->getTypeOfArgument()->isVariablyModifiedType();
    return isa<clang::AtomicExpr, clang::GCCAsmStmt, clang::MSAsmStmt, clang::LambdaExpr, clang::StmtExpr,
               clang::CXXNewExpr, clang::CXXDeleteExpr, clang::CXXThrowExpr, clang::CXXTryStmt,
               clang::ArrayInitLoopExpr, clang::CXXBindTemporaryExpr, clang::OMPExecutableDirective,
               clang::CoroutineSuspendExpr, clang::VAArgExpr, clang::BlockExpr>(s) ||
           (isa<clang::Expr>(s) && llvm::cast<clang::Expr>(s)->getType()->isAtomicType());
  }

  static bool is_access(const clang::Expr* e) {
    if (!e->isGLValue() || e->getType()->isArrayType() || e->getType()->isFunctionType())
      return false;
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(e))
      return isa<clang::VarDecl, clang::BindingDecl>(name->getDecl());
    if (const auto* u = dyn_cast<clang::UnaryOperator>(e))
      return u->getOpcode() == clang::UO_Deref;
    return isa<clang::ArraySubscriptExpr, clang::MemberExpr>(e);
  }

  /// An element is a place like any other, and the rest of what a container says is in its own hands.
  void walk_part(const clang::CallExpr& call, const container_part& part, bool writes) {
    if (part.gives == container_part::what::element && !call.getType()->isArrayType())
      touch_at(&call, writes);
    walk_container(part.container);
    walk(part.index);
  }

  /// A container that is a variable is itself in no message. One in another is an element there, and is read.
  void walk_container(const clang::Expr* container) {
    const bool apart = kind_of_container(container->getType()) != container_kind::inside &&
                       !isa<clang::DeclRefExpr>(container);
    return apart ? walk(container) : walk_address(container);
  }

  /// A loop over a container is one over its indices.
  void walk_range(const clang::CXXForRangeStmt& loop) {
    const clang::Expr* range = loop.getRangeInit()->IgnoreParenNoopCasts(in_.context);
    const clang::VarDecl* variable = loop.getLoopVariable();
    const bool by_reference = variable->getType()->isReferenceType();
    if (!steps_through_container(loop))
      return stop(reason::unknown_effect, wording(remark::a_range_for), loop.getBeginLoc());
    walk(loop.getInit());
    walk_container(range);
    if (!by_reference)
      meet_here(memory_of_range(range, view()), false, range->getExprLoc());
    walk(loop.getBody());
  }

  void walk_declaration(const clang::DeclStmt* declaration) {
    for (const clang::Decl* d : declaration->decls()) {
      const auto* value = dyn_cast<clang::ValueDecl>(d);
      const auto* type = dyn_cast<clang::TypedefNameDecl>(d);
      if (value ? value->getType()->isVariablyModifiedType()
                : type && type->getUnderlyingType()->isVariablyModifiedType())
        stop(reason::unknown_effect, wording(remark::size_computed), d->getLocation());
      if (const auto* variable = dyn_cast<clang::VarDecl>(d)) {
        if (calls_at_end_of_scope(*variable))
          stop(reason::unknown_effect, wording(remark::destructor_of, {variable->getNameAsString()}),
               variable->getLocation());
        walk(variable->getInit());
      }
    }
  }

  /// Taking an address reads only what leads to the place.
  void walk_address(const clang::Expr* lvalue) {
    const clang::Expr* e = lvalue->IgnoreParens();
    if (isa<clang::DeclRefExpr>(e) || found)
      return;
    if (const auto part = container_part_of(e); part && part->gives == container_part::what::element) {
      walk_container(part->container);
      return walk(part->index);
    }
    if (const auto* member = dyn_cast<clang::MemberExpr>(e))
      return member->isArrow() ? walk(member->getBase()) : walk_address(member->getBase());
    if (const auto* cast = dyn_cast<clang::CastExpr>(e); cast && cast->getSubExpr()->isGLValue())
      return walk_address(cast->getSubExpr());
    if (!isa<clang::ArraySubscriptExpr, clang::UnaryOperator>(e))
      return walk(e);
    for (const clang::Stmt* child : e->children())
      walk(child);
  }

  void touch_at(const clang::Expr* e, bool writes) {
    block_view without_bytes = view();
    without_bytes.bytes = false;
    meet_here(inside_ ? memory_of(e, without_bytes) : memory_beside(message_.memory, e, in_), writes,
              e->getExprLoc());
  }

  /// Memory in words of the function that is looked into.
  void meet_here(const memory& what, bool writes, clang::SourceLocation at) {
    if (const auto known = seen_from_outside(what))
      meet({*known, writes, at}, false);
  }

  /// `claimed`: the annotation says that messages with buffers of different names are apart.
  void meet(const touch& other, bool claimed) {
    for (const touch& own : message_.memory) {
      if (!own.writes && !other.writes)
        continue;
      const bool named_apart =
          claimed && own.what.base && other.what.base && own.what.base != other.what.base;
      if (!named_apart && may_alias(own.what, other.what, in_))
        stop(other.writes ? reason::buffer_written : reason::buffer_read,
             own.what.base ? wording(other.writes ? remark::store_may_reach : remark::load_may_reach,
                                     {own.what.base->getNameAsString()})
                           : wording(remark::some_access),
             other.at);
    }
  }

  void walk_mpi(const mpi_use& use) {
    if (const auto other = inside_ ? std::nullopt : listed_(use)) {
      for (const touch& t : other->memory)
        meet(t, true);
      walk_arguments(use, true);
    } else if (use.row->kind == call_class::local && use.row->users.empty() && !window_argument(use)) {
      walk_arguments(use, false);
    } else {
      stop(reason::unknown_effect, use.name, use.call->getExprLoc());
    }
  }

  /// The values of arguments, and what their addresses lead to, which buffers of listed messages have been asked for already.
  void walk_arguments(const mpi_use& use, bool buffers_known) {
    const std::vector<param_role>& roles = use.roles();
    for (unsigned i = 0; i < use.call->getNumArgs(); ++i) {
      const clang::Expr* argument = use.call->getArg(i);
      const param_role role = i < roles.size() ? roles[i] : param_role::other;
      const bool known = buffers_known && (vocabulary::is_buffer(role) || role == param_role::status);
      if (argument->getType()->isPointerType() && !known && !is_handle(role)) {
        if (!argument->isNullPointerConstant(in_.context, clang::Expr::NPC_ValueDependentIsNotNull))
          meet_here(memory_at(argument, view()), true, argument->getExprLoc());
      } else if (!known) {
        walk(argument);
      }
    }
  }

  /// Handles are pointers to hidden structures in some libraries.
  static bool is_handle(param_role role) {
    return role == param_role::comm || role == param_role::datatype || role == param_role::send_type ||
           role == param_role::recv_type || role == param_role::group || role == param_role::op ||
           role == param_role::info;
  }

  const pending_message& message_;
  const unit& of_;
  std::vector<const annotated_statement*> claimed_; ///< to be independent of some messages
  const block_view& in_;                            ///< of the function with the message
  const listed_message& listed_;
  const callee_view* inside_ = nullptr; ///< what is looked into
  std::map<const clang::FunctionDecl*, std::unique_ptr<function_facts>> facts_;
  int looked_into_ = 0;
};

/// Calls that prepare a persistent one only keep the address, and which buffers count where there is a root is known to its rank alone.
bool surely_accesses_buffers(const mpi_use& use) {
  switch (use.row->kind) {
  case vocabulary::call_class::send_init:
  case vocabulary::call_class::recv_init:
  case vocabulary::call_class::collective_init:
  case vocabulary::call_class::neighbor_init:
    return false;
  default:
    return use.argument(param_role::root) == nullptr;
  }
}

/// Loads and stores of the text, and calls of MPI that use a buffer; a place that is only named is not used.
class contradiction_finder {
public:
  contradiction_finder(const pending_message& message, const block_view& in) : message_(message), in_(in) {}

  void walk(const clang::Stmt* s) {
    if (!s || found ||
        isa<clang::LambdaExpr, clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::CXXTypeidExpr>(
            s))
      return;
    if (const auto* b = dyn_cast<clang::BinaryOperator>(s); b && b->isAssignmentOp()) {
      walk(b->getRHS());
      return access(b->getLHS(), true);
    }
    if (const auto* u = dyn_cast<clang::UnaryOperator>(s); u && u->isIncrementDecrementOp())
      return access(u->getSubExpr(), true);
    if (const auto* cast = dyn_cast<clang::CastExpr>(s);
        cast && cast->getCastKind() == clang::CK_LValueToRValue)
      return access(cast->getSubExpr(), false);
    if (const auto* e = dyn_cast<clang::Expr>(s); e && is_place(e))
      return walk_to(e);
    if (const auto use = mpi_use_of(s); use && surely_accesses_buffers(*use))
      for (const touch& buffer : buffers_of(*use, in_))
        if (buffer.what.base && buffer.what.from && buffer.what.length)
          meet(buffer);
    for (const clang::Stmt* child : s->children())
      walk(child);
  }

  std::optional<obstacle> found;

private:
  static bool is_place(const clang::Expr* e) {
    const auto part = container_part_of(e);
    const auto* u = dyn_cast<clang::UnaryOperator>(e);
    return e->isGLValue() && (isa<clang::ArraySubscriptExpr, clang::DeclRefExpr, clang::MemberExpr>(e) ||
                              (u && u->getOpcode() == clang::UO_Deref) ||
                              (part && part->gives == container_part::what::element));
  }

  void access(const clang::Expr* lvalue, bool writes) {
    const clang::Expr* e = lvalue->IgnoreParens();
    if (!is_place(e))
      return walk(e);
    meet({memory_beside(message_.memory, e, in_), writes, e->getExprLoc()});
    walk_to(e);
  }

  /// What leads to a place; what the place is a part of is not used as a whole.
  void walk_to(const clang::Expr* place) {
    if (const auto part = container_part_of(place))
      return walk(part->index);
    if (const auto* member = dyn_cast<clang::MemberExpr>(place); member && !member->isArrow())
      return;
    for (const clang::Stmt* child : place->children())
      walk(child);
  }

  void meet(const touch& other) {
    const auto leads_elsewhere = [&](const memory& m) {
      return m.pointed && (in_.facts.changes(in_.block, m.base) || in_.facts.reshapes(in_.block, m.base));
    };
    for (const touch& own : message_.memory)
      if ((own.writes || other.writes) && are_overlapping(own.what, other.what) &&
          !leads_elsewhere(other.what) && !found)
        found = obstacle{reason::claim_false, own.what.base->getNameAsString(), other.at};
  }

  const pending_message& message_;
  const block_view& in_;
};

} // namespace

std::vector<touch> buffers_of(const mpi_use& use, const block_view& in) {
  static const std::pair<std::array<param_role, 3>, bool> kinds[] = {
      {{param_role::in_buf, param_role::count, param_role::datatype}, false},
      {{param_role::out_buf, param_role::count, param_role::datatype}, true},
      {{param_role::inout_buf, param_role::count, param_role::datatype}, true},
      {{param_role::send_buf, param_role::send_count, param_role::send_type}, false},
      {{param_role::recv_buf, param_role::recv_count, param_role::recv_type}, true},
  };
  const source text(in.context);
  std::vector<touch> made;
  for (const auto& [roles, receives] : kinds)
    if (const clang::Expr* buffer = use.argument(roles[0])) {
      // Reductions have one count and one datatype for both buffers, and other collectives a list of them.
      const clang::Expr* own = use.argument(roles[1]);
      const clang::Expr* count = own ? own : use.argument(param_role::count);
      const clang::Expr* type = use.argument(own ? roles[2] : param_role::datatype);
      memory what = memory_at(buffer, in);
      what.from = std::nullopt;
      if (count && type)
        what = message_at(buffer, count, text.text(type->getSourceRange()), in);
      made.push_back({what, receives, buffer->getExprLoc()});
    }
  return made;
}

std::optional<remark> wildcard_in(std::string_view argument) {
  if (argument.find("MPI_ANY_SOURCE") != std::string_view::npos)
    return remark::receives_from_anybody;
  if (argument.find("MPI_ANY_TAG") != std::string_view::npos)
    return remark::receives_any_tag;
  return std::nullopt;
}

std::optional<obstacle> obstacle_in(const clang::Stmt* statement, const pending_message& message,
                                    const unit& of, const block_view& in, const listed_message& listed) {
  if (const clang::Stmt* jump = in.facts.jump_out(statement))
    return obstacle{reason::function_ends, wording(remark::leaves_block), jump->getBeginLoc()};
  walker w(message, of, in, listed);
  w.walk(statement);
  return w.found;
}

std::optional<obstacle> contradiction_in(const clang::Stmt* statement, const pending_message& message,
                                         const block_view& in) {
  contradiction_finder search(message, in);
  search.walk(statement);
  return search.found;
}

} // namespace tacit::compiler
