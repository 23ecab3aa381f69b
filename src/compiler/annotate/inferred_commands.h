// Files that a compile_commands.json lacks are parsed by the command of the file that is most like them, as Clang's tools do it
// (InterpolatingCompilationDatabase). That command may be one of a compiler of another language: `c++ file.c` takes C for C++.
#pragma once

#include <clang/Tooling/CompilationDatabase.h>
#include <memory>

namespace tacit::compiler {

/// The same commands, but those that were inferred say the language that the file's extension stands for.
std::unique_ptr<clang::tooling::CompilationDatabase>
with_languages_of_files(std::unique_ptr<clang::tooling::CompilationDatabase> commands);

} // namespace tacit::compiler
