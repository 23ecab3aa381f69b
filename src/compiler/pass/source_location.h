// Where something is in the source, for people.
#pragma once

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instruction.h>

#include <string>

namespace tacit::compiler {

/// The location of an instruction. One that other passes have left without a line (line 0: it stands for several)
/// has that of its nearest neighbour in the block, else that of its function.
llvm::DiagnosticLocation source_location(const llvm::Instruction& at);

/// The same as "file:line:column"; without debug information "function of file".
std::string location_name(const llvm::Instruction& at);

/// The file that a module was made of.
std::string source_of(const llvm::Module& module);

/// A function's name as its source has it.
std::string name_of(const llvm::Function& function);

} // namespace tacit::compiler
