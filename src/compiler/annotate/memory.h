// Which memory an expression leads to, as far as the tree shows: a variable, or what a pointer variable leads to, and which bytes of
// it. Ranges are polynomials of integer variables that stay as they are in the block, so that `ns_buf + ny * nz` and
// `ny * nz` elements from `ns_buf` on are known to be apart whatever the variables are.
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class QualType;
class Stmt;
class VarDecl;
} // namespace clang

namespace tacit::compiler {

class function_facts;

/// Sums of products of variables. Compared by difference only, so that the order of the terms does not matter.
using polynomial = std::map<std::vector<const clang::VarDecl*>, std::int64_t>;

struct memory {
  const clang::VarDecl* base = nullptr;   ///< null: not followed
  bool pointed = false;                   ///< what the variable leads to, not the variable
  std::optional<polynomial> from, length; ///< bytes; nothing: anywhere in it
};

/// One access of a statement.
struct touch {
  memory what;
  bool writes = false;
  clang::SourceLocation at;
};

/// Counters of the loops around an expression, each with the body in which its value stays as it is.
using loop_counters = std::map<const clang::VarDecl*, const clang::Stmt*>;

/// What is needed to follow expressions of one block.
struct block_view {
  clang::ASTContext& context;
  const function_facts& facts;
  const clang::Stmt* block;                ///< variables that change in it are no constants
  const loop_counters* counters = nullptr; ///< but these
  const std::set<const clang::VarDecl*>* steady =
      nullptr;       ///< variables of the file that nothing in it changes
  bool bytes = true; ///< false: which bytes of a variable is not asked for
};

/// Where an address leads to.
memory memory_at(const clang::Expr* address, const block_view& in);
/// The same for `count` elements of an MPI datatype by its name.
memory message_at(const clang::Expr* address, const clang::Expr* count, const std::string& datatype,
                  const block_view& in);
/// What an lvalue (x, a[i], *p, s.f) is.
memory memory_of(const clang::Expr* lvalue, const block_view& in);
/// Elements of a container or an array, any of them.
memory memory_of_range(const clang::Expr* container, const block_view& in);
/// What an lvalue is, but which bytes only where one of the others may be of the same variable: else they say nothing of what is shared, and take
/// longer to find out than all the rest.
memory memory_beside(const std::vector<touch>& others, const clang::Expr* lvalue, const block_view& in);

/// The conversion keeps the value, or wraps as addresses do.
bool keeps_value(clang::QualType from, clang::QualType to, const clang::ASTContext& context);
/// The value of an integer expression.
std::optional<polynomial> polynomial_of(const clang::Expr* expression, const block_view& in);
/// Predefined MPI datatypes whose size the language says, with it.
std::vector<std::pair<std::string_view, std::int64_t>> sized_datatypes(const clang::ASTContext& context);
/// Bytes of an element of one of these, by its name.
std::optional<std::int64_t> size_of_datatype(const std::string& name, const clang::ASTContext& context);

/// No byte belongs to both, whatever the values of variables.
bool are_disjoint(const memory& a, const memory& b);
/// Some byte belongs to both, if only no length is zero.
bool are_overlapping(const memory& a, const memory& b);
/// False only if it is certain.
bool may_alias(const memory& a, const memory& b, const block_view& in);

} // namespace tacit::compiler
