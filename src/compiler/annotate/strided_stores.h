// The stores of a loop into one buffer, by their addresses: sums of what does not change and of products with the counters
// of the loops around them. Nothing is computed here but polynomials; what they are worth is known when the program runs.
#pragma once

#include "compiler/annotate/memory.h"
#include "compiler/annotate/mpi_use.h"
#include "compiler/annotate/touches.h"

#include <optional>
#include <set>
#include <vector>

namespace clang {
class DeclStmt;
class ForStmt;
class ValueDecl;
} // namespace clang

namespace tacit::compiler {

/// As code: sums of products in 64 bits.
std::string code_of(const polynomial& p);

/// `for` with a counter that only goes up, by a constant step, and the values that it begins and ends with, as code.
struct counted_loop {
  const clang::VarDecl* counter = nullptr;
  std::string first, last;
};

/// Variables of the file, named in the loop or in the call behind it, that nothing in the loop can change: no statement of it names them to, no function that it calls, and no
/// store through a pointer is of their type. Stores into the send buffer do not count.
std::set<const clang::VarDecl*> steady_variables(const clang::Stmt* loop, const clang::CallExpr* call,
                                                 const clang::VarDecl* buffer, const block_view& in);

/// Nothing if it is no such loop; bounds may depend on the view's counters and on what stays as it is in the view's block.
std::optional<counted_loop> counted_loop_of(const clang::ForStmt* loop, const block_view& in);

struct counter_range {
  polynomial stride; ///< bytes for each step of the counter
  std::string first, last;
};

/// Bytes from the beginning of the message.
struct strided_store {
  polynomial from, step, bytes;
  std::vector<counter_range> inner; ///< counters of loops within the outer one
};

/// Looks at a whole loop: the stores into the buffer of a collective call, or the first thing that must not be in it.
class store_search {
public:
  /// `body`: of the function, in which other names of the buffers are looked for.
  store_search(const unit& of, const block_view& in, const mpi_use& collective, const clang::Stmt* body,
               const memory& origin, const memory& target);

  void walk(const clang::ForStmt* loop, const counted_loop& counted);

  std::vector<strided_store> stores;
  std::optional<obstacle> found;

private:
  struct open_loop {
    const clang::ForStmt* loop;
    counted_loop counted;
  };

  void visit(const clang::Stmt* s);
  void visit_children(const clang::Stmt* s);
  void visit_loop(const clang::ForStmt* loop);
  void visit_call(const clang::CallExpr* call);
  void visit_bytes(const clang::CallExpr* call);
  void visit_declaration(const clang::DeclStmt* declaration);
  void visit_place(const clang::Expr* lvalue, bool writes);
  void follow_to_base(const clang::Expr* e);
  void add_store(const memory& place, clang::SourceLocation at);
  void stop(reason why, const std::string& detail, clang::SourceLocation at);
  block_view view() const { return {in_.context, in_.facts, in_.block, &counters_, in_.steady}; }
  bool is_independent(const clang::Stmt* s) const;
  bool is_buffer(const clang::VarDecl* variable) const { return names_.contains(variable); }

  const unit& of_;
  const block_view& in_;
  const mpi_use& collective_;
  memory origin_, target_;
  std::set<const clang::VarDecl*> names_;     ///< of the buffers, and of what leads into them
  std::set<const clang::ValueDecl*> members_; ///< of objects, that lead into them
  std::vector<open_loop> loops_;
  loop_counters counters_;
};

} // namespace tacit::compiler
