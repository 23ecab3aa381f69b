// Containers of the standard library in expressions. `v.data()`, `v[i]` and `v.size()` are calls for the language, and for us places and
// numbers, if all of this holds:
//
//     members   the member is one of a few that change nothing: data, size, empty, capacity, front, back, [], *, get, … Everything else that
//               may be done to a container (resize, push_back, assignment, swap, a function that gets it by reference) is an unknown
//               call like any other, and no message passes one. So elements stay where they are from a post to its completion.
//     owners    a vector with std::allocator has its elements for itself: those of another vector, and variables, are apart from them.
//               Elements of an array are its own bytes. A span and a unique_ptr are pointers, and know nobody's memory for their own.
//     names     one container may have two names where references are: only one that the function itself declares, and that it gives to
//               nobody, is certainly another one than what a reference or a pointer leads to.
//     end       it lives until its block ends, and what is under way in its elements is complete before that. If an exception ends the
//               block, the guard that completes messages goes first: it is declared behind the container.
#pragma once

#include <optional>

namespace clang {
class CXXForRangeStmt;
class Expr;
class QualType;
class Stmt;
class VarDecl;
} // namespace clang

namespace tacit::compiler {

/// Where elements are: in the object itself, in memory that it alone has, or somewhere.
enum class container_kind { none, inside, owner, view };

/// Of a type, or of what a reference leads to. Arrays of the language are `inside`.
container_kind kind_of_container(clang::QualType type);

/// Elements of a vector that have no elements of their own, nor parts.
bool has_scalar_elements(clang::QualType vector);

/// A call that only looks into a container.
struct container_part {
  enum class what { element, address, number };
  what gives;
  const clang::Expr* container;       ///< an lvalue
  const clang::Expr* index = nullptr; ///< of []
  bool first = true;                  ///< without an index: the first element, and not the last one
};

/// The call as one of those; nothing if it is anything else.
std::optional<container_part> container_part_of(const clang::Stmt* call);

/// A loop over a container, with iterators that do nothing but step: its variable is a number, or a reference to an element.
bool steps_through_container(const clang::CXXForRangeStmt& loop);

/// The variable whose elements a loop over a range gives its own variable, by reference; null if this is no such variable.
const clang::Expr* range_of(const clang::VarDecl* loop_variable);

} // namespace tacit::compiler
