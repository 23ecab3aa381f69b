#include "compiler/annotate/memory.h"

#include "compiler/annotate/containers.h"
#include "compiler/annotate/function_facts.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

bool owns_elements(const clang::VarDecl& variable) {
  return kind_of_container(variable.getType()) == container_kind::owner;
}

void add(polynomial& to, const polynomial& other, std::int64_t times) {
  for (const auto& [product, factor] : other)
    if (const std::int64_t sum = to[product] + factor * times; sum != 0)
      to[product] = sum;
    else
      to.erase(product);
}

polynomial multiplied(const polynomial& a, const polynomial& b) {
  polynomial made;
  for (const auto& [one, times] : a)
    for (const auto& [other, more] : b) {
      std::vector<const clang::VarDecl*> product = one;
      product.insert(product.end(), other.begin(), other.end());
      std::sort(product.begin(), product.end());
      add(made, {{product, times * more}}, 1);
    }
  return made;
}

polynomial constant(std::int64_t value) {
  return value == 0 ? polynomial{} : polynomial{{{}, value}};
}

/// Larger numbers are not added and multiplied, so that nothing overflows.
constexpr std::int64_t largest = 1LL << 31;

bool is_small(const polynomial& p) {
  return p.size() <= 16 && std::all_of(p.begin(), p.end(), [](const auto& term) {
           return std::abs(term.second) < largest && term.first.size() <= 4;
         });
}

bool stays_as_it_is(const clang::VarDecl* variable, const block_view& in) {
  if (in.counters && in.counters->contains(variable))
    return true;
  if (variable->getType().isVolatileQualified())
    return false;
  const bool known = variable->getType().isConstQualified() || in.facts.is_private(variable) ||
                     (in.steady && in.steady->contains(variable));
  return known && !in.facts.changes(in.block, variable);
}

std::optional<polynomial> value_of(const clang::Expr* expression, const block_view& in);

/// Arithmetic is that of integers without bounds: signed types may not overflow, and 64 bits wrap as addresses do.
bool is_exact(clang::QualType type, const block_view& in) {
  return type->isIntegerType() && (type->isSignedIntegerType() || in.context.getIntWidth(type) >= 64);
}

std::optional<polynomial> combined(const clang::BinaryOperator* b, const block_view& in) {
  if (!is_exact(b->getType(), in))
    return std::nullopt;
  const auto left = value_of(b->getLHS(), in);
  const auto right = value_of(b->getRHS(), in);
  if (!left || !right)
    return std::nullopt;
  polynomial made = *left;
  if (b->getOpcode() == clang::BO_Add)
    add(made, *right, 1);
  else if (b->getOpcode() == clang::BO_Sub)
    add(made, *right, -1);
  else if (b->getOpcode() == clang::BO_Mul)
    made = multiplied(*left, *right);
  else
    return std::nullopt;
  return is_small(made) ? std::optional(made) : std::nullopt;
}

/// Sums and products with a variable are no constants, which Clang takes longer to find out.
bool has_variable(const clang::Expr* expression) {
  const clang::Expr* e = expression->IgnoreParenImpCasts();
  if (const auto* b = dyn_cast<clang::BinaryOperator>(e);
      b && (b->isAdditiveOp() || b->getOpcode() == clang::BO_Mul))
    return has_variable(b->getLHS()) || has_variable(b->getRHS());
  const auto* name = dyn_cast<clang::DeclRefExpr>(e);
  const auto* variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && !variable->getType().isConstQualified() && !variable->getType()->isReferenceType();
}

std::optional<polynomial> value_of(const clang::Expr* expression, const block_view& in) {
  const clang::Expr* e = expression->IgnoreParens();
  clang::Expr::EvalResult value;
  if (!has_variable(e) && !e->isValueDependent() && e->EvaluateAsInt(value, in.context) &&
      value.Val.getInt().getSignificantBits() < 32)
    return constant(value.Val.getInt().getExtValue());
  if (const auto* cast = dyn_cast<clang::CastExpr>(e)) {
    const clang::Expr* inner = cast->getSubExpr();
    return cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp ||
                   (cast->getCastKind() == clang::CK_IntegralCast &&
                    keeps_value(inner->getType(), cast->getType(), in.context))
               ? value_of(inner, in)
               : std::nullopt;
  }
  if (const auto* b = dyn_cast<clang::BinaryOperator>(e))
    return combined(b, in);
  const clang::VarDecl* variable = e->getType()->isIntegerType() ? variable_of(e) : nullptr;
  return variable && stays_as_it_is(variable, in) ? std::optional(polynomial{{{variable}, 1}}) : std::nullopt;
}

std::optional<std::int64_t> size_of(clang::QualType type, const block_view& in) {
  if (type->isIncompleteType() || type->isDependentType() || type->isVariableArrayType())
    return std::nullopt;
  return in.context.getTypeSizeInChars(type).getQuantity();
}

void move_by(memory& m, const clang::Expr* index, clang::QualType element, std::int64_t direction,
             const block_view& in) {
  const auto by = in.bytes && m.from ? value_of(index, in) : std::nullopt;
  const auto size = by ? size_of(element, in) : std::nullopt;
  if (!size) {
    m.from = std::nullopt;
    return;
  }
  add(*m.from, *by, direction * *size);
  if (!is_small(*m.from))
    m.from = std::nullopt;
}

/// A pointer that is set once, where it is declared, is where it points to.
memory memory_of_pointer(const clang::VarDecl* variable, const block_view& in, int depth);

memory follow(const clang::Expr* address, const block_view& in, int depth);

memory element_of(const clang::ArraySubscriptExpr* e, const block_view& in, int depth) {
  memory made = follow(e->getBase(), in, depth);
  move_by(made, e->getIdx(), e->getType(), 1, in);
  return made;
}

memory memory_of_lvalue(const clang::Expr* lvalue, const block_view& in, int depth);

/// The elements of a container, from the first one on.
memory memory_of_elements(const clang::Expr* container, const block_view& in, int depth) {
  if (depth == 0)
    return {};
  const clang::Expr* e = container->IgnoreParenNoopCasts(in.context);
  const container_kind kind = kind_of_container(e->getType());
  memory made = memory_of_lvalue(e, in, depth - 1);
  if (kind == container_kind::inside || !made.base)
    return made;
  const auto* name = dyn_cast<clang::DeclRefExpr>(e);
  if (name && isa<clang::VarDecl>(name->getDecl()) && made.base == name->getDecl())
    return {made.base, true, polynomial{}, std::nullopt};
  // A container in a container: what the inner one owns belongs to the outer one.
  return kind == container_kind::owner && owns_elements(*made.base)
             ? memory{made.base, true, std::nullopt, std::nullopt}
             : memory{};
}

memory memory_of_part(const clang::Expr* call, const container_part& part, const block_view& in, int depth) {
  memory made = memory_of_elements(part.container, in, depth);
  if (part.index)
    move_by(made, part.index, call->getType(), 1, in);
  else if (!part.first)
    made.from = std::nullopt;
  return made;
}

memory memory_of_variable(const clang::VarDecl* variable, const block_view& in, int depth) {
  if (!variable->getType()->isReferenceType())
    return {variable, false, polynomial{}, std::nullopt};
  if (const clang::Expr* range = range_of(variable)) {
    memory made = memory_of_elements(range, in, depth);
    made.from = std::nullopt;
    return made;
  }
  const bool array = kind_of_container(variable->getType()) == container_kind::inside;
  return {variable, true, array ? std::optional(polynomial{}) : std::nullopt, std::nullopt};
}

memory memory_of_lvalue(const clang::Expr* lvalue, const block_view& in, int depth) {
  const clang::Expr* e = lvalue->IgnoreParens();
  if (depth == 0)
    return {};
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto* part = dyn_cast<clang::BindingDecl>(name->getDecl()))
      return part->getBinding() ? memory_of_lvalue(part->getBinding(), in, depth - 1) : memory{};
    const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl());
    return variable ? memory_of_variable(variable, in, depth) : memory{};
  }
  if (const auto part = container_part_of(e); part && part->gives == container_part::what::element)
    return memory_of_part(e, *part, in, depth);
  if (const auto* element = dyn_cast<clang::ArraySubscriptExpr>(e))
    return element_of(element, in, depth);
  if (const auto* u = dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_Deref)
    return follow(u->getSubExpr(), in, depth);
  if (const auto* member = dyn_cast<clang::MemberExpr>(e)) {
    memory made = member->isArrow() ? follow(member->getBase(), in, depth)
                                    : memory_of_lvalue(member->getBase(), in, depth);
    if (const auto* shared = dyn_cast<clang::VarDecl>(member->getMemberDecl())) // of all objects
      return memory_of_variable(shared, in, depth);
    const auto* field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field && field->getType()->isReferenceType()) // somewhere else
      return {};
    if (!field || field->isBitField() || !made.from)
      made.from = std::nullopt;
    else
      add(*made.from, constant(static_cast<std::int64_t>(in.context.getFieldOffset(field) / 8)), 1);
    return made;
  }
  return {};
}

memory follow(const clang::Expr* address, const block_view& in, int depth) {
  const clang::Expr* e = address->IgnoreParens();
  if (depth == 0)
    return {};
  if (const auto* cast = dyn_cast<clang::CastExpr>(e)) {
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
      return memory_of_lvalue(cast->getSubExpr(), in, depth - 1);
    if (cast->getCastKind() == clang::CK_BitCast || cast->getCastKind() == clang::CK_NoOp ||
        cast->getCastKind() == clang::CK_LValueToRValue)
      return follow(cast->getSubExpr(), in, depth - 1);
    return {};
  }
  if (const auto* u = dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_AddrOf)
    return memory_of_lvalue(u->getSubExpr(), in, depth - 1);
  if (const auto* b = dyn_cast<clang::BinaryOperator>(e); b && b->isAdditiveOp()) {
    const bool left = b->getLHS()->getType()->isPointerType();
    const clang::Expr* pointer = left ? b->getLHS() : b->getRHS();
    if (!pointer->getType()->isPointerType())
      return {};
    memory made = follow(pointer, in, depth - 1);
    move_by(made, left ? b->getRHS() : b->getLHS(), pointer->getType()->getPointeeType(),
            b->getOpcode() == clang::BO_Add ? 1 : -1, in);
    return made;
  }
  if (const auto part = container_part_of(e); part && part->gives == container_part::what::address)
    return memory_of_part(e, *part, in, depth);
  if (const auto* call = dyn_cast<clang::CXXMemberCallExpr>(e)) { // data() of somebody's own container
    const clang::VarDecl* object = variable_of(call->getImplicitObjectArgument());
    return object && call->getNumArgs() == 0 && !owns_elements(*object)
               ? memory{object, true, std::nullopt, std::nullopt}
               : memory{};
  }
  const clang::VarDecl* variable = variable_of(e);
  if (variable && variable->getType()->isPointerType())
    return memory_of_pointer(variable, in, depth - 1);
  if (variable && variable->getType()->isArrayType())
    return {variable, false, polynomial{}, std::nullopt};
  return {};
}

/// Those that have the value that they had where the variable was declared: it is declared in the bodies of their loops.
loop_counters counters_of(const clang::VarDecl* variable, const block_view& in) {
  loop_counters made;
  if (!in.counters)
    return made;
  const clang::SourceManager& sources = in.context.getSourceManager();
  for (const auto& [counter, body] : *in.counters) {
    const clang::SourceLocation at = variable->getLocation();
    if (at.isFileID() && sources.isPointWithin(at, body->getBeginLoc(), body->getEndLoc()))
      made.emplace(counter, body);
  }
  return made;
}

/// The variables in it have the value now that they had where the pointer was set.
bool is_still_true(const polynomial& p, const block_view& in, const loop_counters& there) {
  return std::all_of(p.begin(), p.end(), [&](const auto& term) {
    return std::all_of(term.first.begin(), term.first.end(),
                       [&](const clang::VarDecl* v) { return there.contains(v) || in.facts.is_set_once(v); });
  });
}

memory memory_of_pointer(const clang::VarDecl* variable, const block_view& in, int depth) {
  if (variable->hasLocalStorage() && variable->getInit() && in.facts.is_set_once(variable)) {
    const loop_counters there = counters_of(variable, in);
    memory made =
        follow(variable->getInit(), {in.context, in.facts, in.block, &there, in.steady, in.bytes}, depth);
    if (made.from && !is_still_true(*made.from, in, there))
      made.from = std::nullopt;
    const bool lasts = !made.pointed || (made.base && owns_elements(*made.base)
                                             ? in.facts.is_private(made.base)
                                             : made.base && in.facts.is_set_once(made.base));
    if (made.base && lasts)
      return made;
  }
  return {variable, true, polynomial{}, std::nullopt};
}

/// b begins where a has ended, or later.
bool is_behind(const memory& a, const memory& b) {
  if (!a.from || !a.length || !b.from)
    return false;
  polynomial gap = *b.from;
  add(gap, *a.from, -1);
  add(gap, *a.length, -1);
  return gap.empty() || (gap.size() == 1 && gap.begin()->first.empty() && gap.begin()->second > 0);
}

/// a begins in b: at its first byte, or a constant way behind it that is shorter than a constant length.
bool begins_in(const memory& a, const memory& b) {
  if (!a.from || !b.from)
    return false;
  polynomial way = *a.from;
  add(way, *b.from, -1);
  if (way.empty())
    return true;
  const bool constant_way = way.size() == 1 && way.begin()->first.empty() && way.begin()->second > 0;
  const bool constant_length = b.length && b.length->size() == 1 && b.length->begin()->first.empty();
  return constant_way && constant_length && way.begin()->second < b.length->begin()->second;
}

/// What a pointer leads to is the same memory only as long as the pointer stays as it is; the elements of a container, as long as nobody does
/// more than look into it.
bool leads_to_one_place(const memory& m, const block_view& in) {
  if (!m.pointed)
    return true;
  if (kind_of_container(m.base->getType()) == container_kind::none)
    return in.facts.is_private(m.base) && !in.facts.changes(in.block, m.base);
  const bool reference = m.base->getType()->isReferenceType();
  return !in.facts.reshapes(in.block, m.base) && !(reference && in.facts.changes(in.block, m.base));
}

/// A container's own elements (containers.h, owners and names), and memory that is surely none of them.
bool is_apart(const memory& own, const memory& other, const block_view& in) {
  if (!own.pointed || !owns_elements(*own.base))
    return false;
  if (!other.pointed)
    return true; // a variable
  if (own.base->getType()->isReferenceType())
    return false;
  if (owns_elements(*other.base) && !other.base->getType()->isReferenceType())
    return true;
  if (!own.base->hasLocalStorage())
    return false;
  const bool parameter = isa<clang::ParmVarDecl>(other.base); // bound before the function declared anything
  if (owns_elements(*other.base) && (parameter || has_scalar_elements(own.base->getType())))
    return parameter || in.facts.is_private(own.base);
  // A pointer or a reference, also to a vector that is an element itself.
  return in.facts.has_private_elements(own.base);
}

} // namespace

std::vector<std::pair<std::string_view, std::int64_t>> sized_datatypes(const clang::ASTContext& context) {
  const auto bytes = [&](clang::QualType t) { return context.getTypeSizeInChars(t).getQuantity(); };
  return {
      {"MPI_CHAR", 1},
      {"MPI_SIGNED_CHAR", 1},
      {"MPI_UNSIGNED_CHAR", 1},
      {"MPI_BYTE", 1},
      {"MPI_INT8_T", 1},
      {"MPI_UINT8_T", 1},
      {"MPI_INT16_T", 2},
      {"MPI_UINT16_T", 2},
      {"MPI_INT32_T", 4},
      {"MPI_UINT32_T", 4},
      {"MPI_INT64_T", 8},
      {"MPI_UINT64_T", 8},
      {"MPI_SHORT", bytes(context.ShortTy)},
      {"MPI_UNSIGNED_SHORT", bytes(context.ShortTy)},
      {"MPI_INT", bytes(context.IntTy)},
      {"MPI_UNSIGNED", bytes(context.IntTy)},
      {"MPI_LONG", bytes(context.LongTy)},
      {"MPI_UNSIGNED_LONG", bytes(context.LongTy)},
      {"MPI_LONG_LONG", 8},
      {"MPI_FLOAT", bytes(context.FloatTy)},
      {"MPI_DOUBLE", bytes(context.DoubleTy)},
      {"MPI_C_FLOAT_COMPLEX", 2 * bytes(context.FloatTy)},
      {"MPI_C_DOUBLE_COMPLEX", 2 * bytes(context.DoubleTy)},
  };
}

std::optional<std::int64_t> size_of_datatype(const std::string& name, const clang::ASTContext& context) {
  for (const auto& [known, size] : sized_datatypes(context))
    if (name == known)
      return size;
  return std::nullopt;
}

bool keeps_value(clang::QualType from, clang::QualType to, const clang::ASTContext& context) {
  if (!from->isIntegralOrEnumerationType() || !to->isIntegralOrEnumerationType() || to->isBooleanType())
    return false;
  const unsigned wide = context.getIntWidth(to), narrow = context.getIntWidth(from);
  if (wide >= 64)
    return true;
  return from->isSignedIntegerOrEnumerationType() == to->isSignedIntegerOrEnumerationType()
             ? wide >= narrow
             : from->isUnsignedIntegerOrEnumerationType() && wide > narrow;
}

std::optional<polynomial> polynomial_of(const clang::Expr* expression, const block_view& in) {
  return value_of(expression, in);
}

memory memory_at(const clang::Expr* address, const block_view& in) {
  return follow(address, in, 16);
}

memory message_at(const clang::Expr* address, const clang::Expr* count, const std::string& datatype,
                  const block_view& in) {
  memory made = memory_at(address, in);
  const auto elements = value_of(count, in);
  const auto size = size_of_datatype(datatype, in.context);
  if (elements && size) {
    made.length = polynomial{};
    add(*made.length, *elements, *size);
  } else {
    made.from = std::nullopt; // datatypes may also reach before the address
  }
  return made;
}

memory memory_of(const clang::Expr* lvalue, const block_view& in) {
  memory made = memory_of_lvalue(lvalue, in, 16);
  const auto size = size_of(lvalue->getType(), in);
  if (made.from && size)
    made.length = constant(*size);
  return made;
}

memory memory_of_range(const clang::Expr* container, const block_view& in) {
  memory made = memory_of_elements(container, in, 16);
  made.from = std::nullopt;
  return made;
}

memory memory_beside(const std::vector<touch>& others, const clang::Expr* lvalue, const block_view& in) {
  block_view without_bytes = in;
  without_bytes.bytes = false;
  const memory whole = memory_of_lvalue(lvalue, without_bytes, 16);
  const bool near = std::any_of(others.begin(), others.end(), [&](const touch& t) {
    return t.what.base == whole.base && t.what.pointed == whole.pointed;
  });
  return near ? memory_of(lvalue, in) : memory{whole.base, whole.pointed, std::nullopt, std::nullopt};
}

bool are_disjoint(const memory& a, const memory& b) {
  return is_behind(a, b) || is_behind(b, a);
}

bool are_overlapping(const memory& a, const memory& b) {
  return a.base && a.base == b.base && a.pointed == b.pointed && (begins_in(a, b) || begins_in(b, a));
}

bool may_alias(const memory& a, const memory& b, const block_view& in) {
  if (!a.base || !b.base)
    return true;
  if (a.base == b.base && a.pointed == b.pointed)
    return !leads_to_one_place(a, in) || !are_disjoint(a, b);
  if (!a.pointed && !b.pointed)
    return false;
  if (is_apart(a, b, in) || is_apart(b, a, in))
    return false;
  if (a.pointed && b.pointed)
    return !(a.base->getType().isRestrictQualified() && b.base->getType().isRestrictQualified());
  return !in.facts.is_private(a.pointed ? b.base : a.base);
}

} // namespace tacit::compiler
