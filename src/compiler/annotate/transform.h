// One translation unit: from its tree and its pragmas to changed texts and to what is said about them.
#pragma once

#include "compiler/annotate/platform_choice.h"
#include "compiler/annotate/pragmas.h"
#include "compiler/annotate/rewriting.h"
#include "compiler/annotate/source.h"

#include <string>
#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace tacit::compiler {

/// What is known of the machine, and of the run, when compiling.
struct target_platform {
  platform_choices choices;
  bool checked = false;                ///< not the machine, but the run: claims are checked
  post_rule assumed = post_rule::none; ///< for tests
};

struct changed_file {
  std::string path;
  bool is_main = false;
  std::string before, after;
};

struct transformation {
  std::vector<changed_file> files; ///< those with annotations, changed or not
  findings said;                   ///< in the order of the source
};

transformation transform(clang::ASTContext& context, const collected_pragmas& pragmas,
                         const target_platform& platform);

} // namespace tacit::compiler
