#include "compiler/annotate/inferred_commands.h"

#include <clang/Driver/Types.h>
#include <llvm/Support/Path.h>

namespace tacit::compiler {
namespace {

using clang::tooling::CompileCommand;

/// The word behind -x; empty where the extension does not say it, as that of a header does not.
std::string language_of(llvm::StringRef file) {
  namespace types = clang::driver::types;
  const llvm::StringRef extension = llvm::sys::path::extension(file);
  if (extension.empty())
    return {};
  const types::ID type = types::lookupTypeForExtension(extension.drop_front());
  return type == types::TY_C || type == types::TY_CXX ? types::getTypeName(type) : "";
}

class of_files : public clang::tooling::CompilationDatabase {
public:
  explicit of_files(std::unique_ptr<CompilationDatabase> commands) : commands_(std::move(commands)) {}

  std::vector<CompileCommand> getCompileCommands(llvm::StringRef file) const override {
    std::vector<CompileCommand> made = commands_->getCompileCommands(file);
    const std::string language = language_of(file);
    for (CompileCommand& c : made)
      if (!c.Heuristic.empty() && !c.CommandLine.empty() && !language.empty())
        c.CommandLine.insert(c.CommandLine.begin() + 1, {"-x", language});
    return made;
  }
  std::vector<std::string> getAllFiles() const override { return commands_->getAllFiles(); }
  std::vector<CompileCommand> getAllCompileCommands() const override {
    return commands_->getAllCompileCommands();
  }

private:
  std::unique_ptr<CompilationDatabase> commands_;
};

} // namespace

std::unique_ptr<clang::tooling::CompilationDatabase>
with_languages_of_files(std::unique_ptr<clang::tooling::CompilationDatabase> commands) {
  return std::make_unique<of_files>(std::move(commands));
}

} // namespace tacit::compiler
