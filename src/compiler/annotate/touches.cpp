#include "compiler/annotate/touches.h"

#include "compiler/annotate/function_facts.h"

#include <array>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtOpenMP.h>

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

class walker {
public:
  walker(const pending_message& message, const unit& of, const block_view& in, const listed_message& listed)
      : message_(message), in_(in), listed_(listed) {
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
    if (const auto* call = dyn_cast<clang::CallExpr>(s); call && !touches_no_memory(call, in_.context))
      return unknown(call);
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
    if (const auto* e = dyn_cast<clang::Expr>(s); e && is_access(e))
      touch_at(e, writes);
    // What leads to the place of an access is only read.
    const bool through =
        isa<clang::ParenExpr>(s) || isa<clang::ConditionalOperator>(s) || isa<clang::MemberExpr>(s);
    for (const clang::Stmt* child : s->children())
      walk(child, writes && through);
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

  bool is_independent(const clang::Stmt* s) const {
    return std::any_of(claimed_.begin(), claimed_.end(), [&](const annotated_statement* a) {
      return a->statement == s && names(a->by.says.groups, message_.use, in_.context);
    });
  }

  static bool is_opaque(const clang::Stmt* s) {
    if (const auto* made = dyn_cast<clang::CXXConstructExpr>(s))
      return !made->getConstructor()->isTrivial();
    if (const auto* e = dyn_cast<clang::Expr>(s); e && e->isGLValue() && e->getType().isVolatileQualified())
      return true;
    if (const auto* cast = dyn_cast<clang::ExplicitCastExpr>(s))
      return cast->getTypeAsWritten()->isVariablyModifiedType();
    if (const auto* size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(s))
      return size->getTypeOfArgument()->isVariablyModifiedType();
    return isa<clang::AtomicExpr, clang::GCCAsmStmt, clang::MSAsmStmt, clang::LambdaExpr, clang::StmtExpr,
               clang::CXXNewExpr, clang::CXXDeleteExpr, clang::CXXThrowExpr, clang::CXXTryStmt,
               clang::CXXBindTemporaryExpr, clang::CXXForRangeStmt, clang::OMPExecutableDirective,
               clang::CoroutineSuspendExpr, clang::VAArgExpr, clang::BlockExpr>(s) ||
           (isa<clang::Expr>(s) && llvm::cast<clang::Expr>(s)->getType()->isAtomicType());
  }

  static bool is_access(const clang::Expr* e) {
    if (!e->isGLValue() || e->getType()->isArrayType() || e->getType()->isFunctionType())
      return false;
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(e))
      return isa<clang::VarDecl>(name->getDecl());
    if (const auto* u = dyn_cast<clang::UnaryOperator>(e))
      return u->getOpcode() == clang::UO_Deref;
    return isa<clang::ArraySubscriptExpr, clang::MemberExpr>(e);
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
    if (isa<clang::DeclRefExpr>(e))
      return;
    if (const auto* member = dyn_cast<clang::MemberExpr>(e))
      return member->isArrow() ? walk(member->getBase()) : walk_address(member->getBase());
    for (const clang::Stmt* child : e->children())
      walk(child);
  }

  void touch_at(const clang::Expr* e, bool writes) {
    meet({memory_beside(message_.memory, e, in_), writes, e->getExprLoc()}, false);
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
    if (const auto other = listed_(use)) {
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
          meet({memory_at(argument, in_), true, argument->getExprLoc()}, false);
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
  std::vector<const annotated_statement*> claimed_; ///< to be independent of some messages
  const block_view& in_;
  const listed_message& listed_;
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

void contradict(const clang::Stmt* s, bool writes, const pending_message& message, const block_view& in,
                std::optional<obstacle>& found) {
  if (!s || found)
    return;
  if (const auto* b = dyn_cast<clang::BinaryOperator>(s); b && b->isAssignmentOp()) {
    contradict(b->getRHS(), false, message, in, found);
    return contradict(b->getLHS(), true, message, in, found);
  }
  if (const auto* u = dyn_cast<clang::UnaryOperator>(s)) {
    if (u->getOpcode() == clang::UO_AddrOf)
      return;
    writes |= u->isIncrementDecrementOp();
  }
  if (isa<clang::LambdaExpr>(s) || (isa<clang::Expr>(s) && isa<clang::UnaryExprOrTypeTraitExpr>(s)))
    return;
  const auto meet = [&](const touch& other) {
    for (const touch& own : message.memory)
      if ((own.writes || other.writes) && are_overlapping(own.what, other.what) &&
          !(other.what.pointed && in.facts.changes(in.block, other.what.base)))
        found = obstacle{reason::claim_false, own.what.base->getNameAsString(), other.at};
  };
  if (const auto use = mpi_use_of(s); use && surely_accesses_buffers(*use))
    for (const touch& buffer : buffers_of(*use, in))
      if (buffer.what.base && buffer.what.from && buffer.what.length)
        meet(buffer);
  const auto* e = dyn_cast<clang::Expr>(s);
  const bool access = e && e->isGLValue() && !e->getType()->isArrayType() &&
                      isa<clang::ArraySubscriptExpr, clang::UnaryOperator, clang::DeclRefExpr>(e);
  if (access)
    meet({memory_beside(message.memory, e, in), writes, e->getExprLoc()});
  for (const clang::Stmt* child : s->children())
    contradict(child, writes && (isa<clang::ParenExpr>(s) || isa<clang::UnaryOperator>(s)), message, in,
               found);
}

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
  std::optional<obstacle> found;
  contradict(statement, false, message, in, found);
  return found;
}

} // namespace tacit::compiler
