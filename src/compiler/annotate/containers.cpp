#include "compiler/annotate/containers.h"

#include <algorithm>
#include <array>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <string_view>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using what = container_part::what;

bool is_std_template(const clang::TemplateArgument& argument, llvm::StringRef name) {
  if (argument.getKind() != clang::TemplateArgument::Type)
    return false;
  const clang::CXXRecordDecl* record = argument.getAsType()->getAsCXXRecordDecl();
  return record && record->isInStdNamespace() && record->getName() == name;
}

container_kind kind_of_class(const clang::CXXRecordDecl* record) {
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!made || !made->isInStdNamespace() || !made->getIdentifier())
    return container_kind::none;
  const llvm::StringRef name = made->getName();
  const clang::TemplateArgumentList& arguments = made->getTemplateArgs();
  if (name == "array")
    return container_kind::inside;
  if (name == "span")
    return container_kind::view;
  if (arguments.size() < 2)
    return container_kind::none;
  if (name == "unique_ptr")
    return is_std_template(arguments[1], "default_delete") ? container_kind::view : container_kind::none;
  const bool bits =
      arguments[0].getKind() == clang::TemplateArgument::Type && arguments[0].getAsType()->isBooleanType();
  return name == "vector" && !bits && is_std_template(arguments[1], "allocator") ? container_kind::owner
                                                                                 : container_kind::none;
}

/// Without parentheses and added const; what is made of a base class is another object than it seems.
const clang::Expr* object_of(const clang::Expr* e) {
  for (;;) {
    e = e->IgnoreParens();
    const auto* cast = dyn_cast<clang::ImplicitCastExpr>(e);
    if (!cast || cast->getCastKind() != clang::CK_NoOp)
      return e;
    e = cast->getSubExpr();
  }
}

template <std::size_t N>
bool is_one_of(llvm::StringRef name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), std::string_view(name)) != names.end();
}

constexpr std::array<std::string_view, 5> numbers = {"size", "ssize", "empty", "capacity", "size_bytes"};

std::optional<container_part> part_by_member(const clang::CXXMemberCallExpr& call) {
  const clang::CXXMethodDecl* method = call.getMethodDecl();
  if (!method || !method->getIdentifier() || call.getNumArgs() != 0 ||
      kind_of_class(method->getParent()) == container_kind::none)
    return std::nullopt;
  const clang::Expr* object = object_of(call.getImplicitObjectArgument());
  if (!object->isLValue() || kind_of_container(object->getType()) == container_kind::none)
    return std::nullopt;
  const llvm::StringRef name = method->getName();
  if (is_one_of(name, numbers))
    return container_part{what::number, object};
  if (name == "data" || name == "get")
    return container_part{what::address, object};
  if (name == "front" || name == "back")
    return container_part{what::element, object, nullptr, name == "front"};
  return std::nullopt;
}

std::optional<container_part> part_by_operator(const clang::CXXOperatorCallExpr& call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (!method || kind_of_class(method->getParent()) == container_kind::none)
    return std::nullopt;
  const clang::Expr* object = object_of(call.getArg(0));
  if (!object->isLValue() || kind_of_container(object->getType()) == container_kind::none)
    return std::nullopt;
  if (call.getOperator() == clang::OO_Subscript && call.getNumArgs() == 2)
    return container_part{what::element, object, call.getArg(1)};
  if (call.getOperator() == clang::OO_Star && call.getNumArgs() == 1)
    return container_part{what::element, object};
  return std::nullopt;
}

/// std::size(v), std::data(v).
std::optional<container_part> part_by_function(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (!callee || !callee->isInStdNamespace() || !callee->getIdentifier() || call.getNumArgs() != 1)
    return std::nullopt;
  const clang::Expr* object = object_of(call.getArg(0));
  if (!object->isLValue() || kind_of_container(object->getType()) == container_kind::none)
    return std::nullopt;
  if (is_one_of(callee->getName(), numbers))
    return container_part{what::number, object};
  return callee->getName() == "data" ? std::optional(container_part{what::address, object}) : std::nullopt;
}

} // namespace

container_kind kind_of_container(clang::QualType type) {
  const clang::QualType object = type.getNonReferenceType();
  if (object->isArrayType())
    return container_kind::inside;
  return kind_of_class(object->getAsCXXRecordDecl());
}

bool has_scalar_elements(clang::QualType vector) {
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      vector.getNonReferenceType()->getAsCXXRecordDecl());
  return made && made->getTemplateArgs()[0].getAsType()->isScalarType();
}

std::optional<container_part> container_part_of(const clang::Stmt* call) {
  if (const auto* member = llvm::dyn_cast_or_null<clang::CXXMemberCallExpr>(call))
    return part_by_member(*member);
  if (const auto* operation = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(call))
    return part_by_operator(*operation);
  const auto* function = llvm::dyn_cast_or_null<clang::CallExpr>(call);
  return function ? part_by_function(*function) : std::nullopt;
}

bool steps_through_container(const clang::CXXForRangeStmt& loop) {
  const clang::Expr* range = object_of(loop.getRangeInit());
  const clang::VarDecl* variable = loop.getLoopVariable();
  if (!range->isLValue() || kind_of_container(range->getType()) == container_kind::none)
    return false;
  return variable->getType()->isReferenceType() ? range_of(variable) != nullptr
                                                : variable->getType()->isScalarType();
}

const clang::Expr* range_of(const clang::VarDecl* loop_variable) {
  // T& x = *iterator; where `auto iterator = range.begin();` or `= range + 0`, and `auto&& range = …;`
  if (!loop_variable->isCXXForRangeDecl() || !loop_variable->getType()->isReferenceType() ||
      !loop_variable->getInit())
    return nullptr;
  const clang::Expr* init = object_of(loop_variable->getInit());
  const clang::Expr* iterator = nullptr;
  if (const auto* value = dyn_cast<clang::UnaryOperator>(init);
      value && value->getOpcode() == clang::UO_Deref)
    iterator = value->getSubExpr();
  else if (const auto* call = dyn_cast<clang::CXXOperatorCallExpr>(init);
           call && call->getOperator() == clang::OO_Star)
    iterator = call->getArg(0);
  const auto variable_in = [](const clang::Expr* e) -> const clang::VarDecl* {
    const auto* name = e ? dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts()) : nullptr;
    return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  };
  const clang::VarDecl* begin = variable_in(iterator);
  if (!begin || !begin->isImplicit() || !begin->getInit())
    return nullptr;
  const clang::Expr* from = begin->getInit()->IgnoreImplicit();
  const auto* call = dyn_cast<clang::CXXMemberCallExpr>(from);
  const clang::VarDecl* range = variable_in(call ? call->getImplicitObjectArgument() : from);
  if (!range || !range->isImplicit() || !range->getInit())
    return nullptr;
  const clang::Expr* object = object_of(range->getInit());
  return object->isLValue() && kind_of_container(object->getType()) != container_kind::none ? object
                                                                                            : nullptr;
}

} // namespace tacit::compiler
