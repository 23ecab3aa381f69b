// What a statement may do to a message that is still under way.
#pragma once

#include "compiler/annotate/memory.h"
#include "compiler/annotate/mpi_use.h"
#include "compiler/annotate/rewriting.h"

#include <functional>
#include <optional>

namespace tacit::compiler {

/// A message between its post and its completion.
struct pending_message {
  mpi_use use;
  std::vector<touch> memory; ///< its buffers, and its status if somebody reads it; writes: it receives
};

/// The first thing in a statement that must not happen while the message is under way.
struct obstacle {
  reason why;
  std::string detail;
  clang::SourceLocation at;
};

/// The memory that a call of MPI sends from and receives into, by its arguments.
std::vector<touch> buffers_of(const mpi_use& use, const block_view& in);

/// Of an argument as it is written: what keeps a receive with it from being moved, if anything does.
std::optional<remark> wildcard_in(std::string_view argument);

/// Asked of each call of MPI in the statement: the other message, if the annotation says that it may be under way at the same time.
using listed_message = std::function<std::optional<pending_message>(const mpi_use&)>;

/// Looks at everything in the statement but what is annotated as independent of the message. Unknown calls are obstacles.
std::optional<obstacle> obstacle_in(const clang::Stmt* statement, const pending_message& message,
                                    const unit& of, const block_view& in, const listed_message& listed);

/// Where a statement surely uses the message's buffer, whatever is claimed.
std::optional<obstacle> contradiction_in(const clang::Stmt* statement, const pending_message& message,
                                         const block_view& in);

} // namespace tacit::compiler
