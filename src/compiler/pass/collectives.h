// Starting blocking collectives as nonblocking ones (COMPILER, "Stages that pay").
#pragma once

#include <llvm/IR/Module.h>

namespace tacit::compiler {

/// Makes every collective of the module that `can_be_started` nonblocking: calls and pointers to the function
/// alike get one that starts the operation and completes it at once. Complains, as a compiler does about an
/// error, where one cannot be replaced. Returns true if it changed something.
bool start_all_collectives(llvm::Module& module);

} // namespace tacit::compiler
