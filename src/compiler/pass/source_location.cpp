#include "compiler/pass/source_location.h"

#include "vocabulary/calls/remarks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace tacit::compiler {

namespace {

bool has_line(const llvm::Instruction& at) {
  const llvm::DebugLoc& where = at.getDebugLoc();
  return where && where->getLine() != 0;
}

/// The nearest instruction with a line, those in front first: their statement has begun.
const llvm::Instruction* neighbour_of(const llvm::Instruction& at) {
  for (const llvm::Instruction* one = &at; one; one = one->getPrevNode())
    if (has_line(*one))
      return one;
  for (const llvm::Instruction* one = &at; one; one = one->getNextNode())
    if (has_line(*one))
      return one;
  return nullptr;
}

} // namespace

llvm::DiagnosticLocation source_location(const llvm::Instruction& at) {
  if (const llvm::Instruction* near = neighbour_of(at))
    return llvm::DiagnosticLocation(near->getDebugLoc());
  if (const llvm::DISubprogram* function = at.getFunction()->getSubprogram())
    return llvm::DiagnosticLocation(function);
  return {};
}

std::string location_name(const llvm::Instruction& at) {
  if (const llvm::DiagnosticLocation where = source_location(at); where.isValid())
    return (where.getRelativePath() + ":" + llvm::Twine(where.getLine()) + ":" +
            llvm::Twine(where.getColumn()))
        .str();
  return wording(remark::in_file, {name_of(*at.getFunction()), source_of(*at.getModule())});
}

std::string source_of(const llvm::Module& module) {
  for (const llvm::DICompileUnit* unit : module.debug_compile_units())
    return unit->getFilename().str();
  const llvm::StringRef name = module.getSourceFileName();
  if (name == "FIRModule") // what flang calls all of them
    return wording(remark::fortran_file);
  return name == "ld-temp.o" ? wording(remark::linked_program) : name.str(); // what lld calls what it links
}

std::string name_of(const llvm::Function& function) {
  return llvm::demangle(function.getName().str());
}

} // namespace tacit::compiler
