#include "compiler/pass/source_location.h"

#include "vocabulary/calls/remarks.h"

#include <fstream>
#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace tacit::compiler {

namespace {

/// The file that this process compiles if it is flang's front end, whose last word it is; else nothing. Modules of flang do not know it
/// unless there are lines (-g).
std::string compiled_by_flang() {
  std::ifstream in("/proc/self/cmdline");
  bool is_front_end = false;
  std::string last;
  for (std::string word; std::getline(in, word, '\0'); last = word)
    is_front_end |= word == "-fc1";
  return is_front_end ? last : "";
}

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

/// The location with which a remark is printed as it should be. Flang 19 strips from the absolute path what LLVM calls its root
/// (flang's TextDiagnosticPrinter), and with it the first slash. A root of its own in front, `//./`, is what it strips then; for
/// everybody else it means the same folder.
llvm::DiagnosticLocation printable(const llvm::DILocation& where) {
  llvm::DILocalScope* scope = where.getScope();
  const llvm::DICompileUnit* unit = scope->getSubprogram()->getUnit();
  if (!unit || !llvm::dwarf::isFortran(llvm::dwarf::SourceLanguage(unit->getSourceLanguage())) ||
      !where.getDirectory().starts_with("/"))
    return llvm::DiagnosticLocation(llvm::DebugLoc(&where));
  llvm::LLVMContext& context = where.getContext();
  auto* file = llvm::DIFile::get(context, where.getFilename(), ("//./" + where.getDirectory()).str());
  auto* block = llvm::DILexicalBlockFile::get(context, scope, file, 0);
  return llvm::DiagnosticLocation(
      llvm::DebugLoc(llvm::DILocation::get(context, where.getLine(), where.getColumn(), block)));
}

} // namespace

llvm::DiagnosticLocation source_location(const llvm::Instruction& at) {
  if (const llvm::Instruction* near = neighbour_of(at))
    return printable(*near->getDebugLoc());
  if (llvm::DISubprogram* function = at.getFunction()->getSubprogram())
    return printable(*llvm::DILocation::get(at.getContext(), function->getLine(), 0, function));
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
  if (name == "FIRModule") { // what flang calls all of them
    const std::string file = compiled_by_flang();
    return file.empty() ? wording(remark::fortran_file) : file;
  }
  return name == "ld-temp.o" ? wording(remark::linked_program) : name.str(); // what lld calls what it links
}

std::string name_of(const llvm::Function& function) {
  return llvm::demangle(function.getName().str());
}

} // namespace tacit::compiler
