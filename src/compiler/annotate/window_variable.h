// What is written for `rma` and `local_ldst` finds out in front of the annotated statement what can be reached in a window. So the
// variable of the window's handle must have a value there, and keep it in the statement.
#pragma once

#include "compiler/annotate/rewriting.h"

namespace clang {
class VarDecl;
} // namespace clang

namespace tacit::compiler {

class function_facts;

/// Assigned, or given to MPI by its address, on every way to the statement; global variables and parameters have a value from the
/// beginning. Looks at what stands in front of the statement in its block and in those around it, and sees no jumps between them.
bool has_value_at(const clang::VarDecl& variable, const clang::Stmt* statement, const function_facts& facts);

/// What may change the variable in the statement without naming it: a call of which nothing is known, where the variable is global or its
/// address is in other hands, or a way to it that is not its name. Null: nothing does. Statements that are said to be independent of the
/// window do not.
const clang::Stmt* unseen_change(const unit& of, const annotated_statement& at, const window_buffer& window,
                                 const clang::VarDecl& variable, const function_facts& facts);

} // namespace tacit::compiler
