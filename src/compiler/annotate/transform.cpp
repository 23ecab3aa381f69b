#include "compiler/annotate/transform.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <set>

namespace tacit::compiler {
namespace {

std::vector<changed_file> apply(const edits_by_file& edits, const std::set<clang::FileID>& annotated,
                                const clang::ASTContext& context) {
  const clang::SourceManager& sources = context.getSourceManager();
  const source text(context);
  std::vector<changed_file> made;
  for (const clang::FileID file : annotated) {
    const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    if (!entry)
      continue;
    const llvm::StringRef real = entry->getFileEntry().tryGetRealPathName();
    changed_file f{real.empty() ? entry->getName().str() : real.str(),
                   file == sources.getMainFileID(),
                   text.whole(file),
                   {}};
    const auto found = edits.find(file);
    f.after = found == edits.end() ? f.before : edited(f.path, f.before, found->second);
    made.push_back(std::move(f));
  }
  return made;
}

} // namespace

transformation transform(clang::ASTContext& context, const collected_pragmas& pragmas,
                         const target_platform& platform) {
  const clang::SourceManager& sources = context.getSourceManager();
  transformation made;
  made.said = pragmas.faults;
  const std::vector<annotated_statement> annotated = attach(pragmas.found, context, made.said);
  edits_by_file edits;
  static_cast<void>(platform);
  std::stable_sort(made.said.begin(), made.said.end(), [&](const finding& a, const finding& b) {
    return sources.isBeforeInTranslationUnit(a.where, b.where);
  });
  const bool wrong = std::any_of(made.said.begin(), made.said.end(),
                                 [](const finding& f) { return f.level == severity::error; });
  std::set<clang::FileID> files{sources.getMainFileID()};
  for (const pragma& p : pragmas.found)
    files.insert(sources.getFileID(p.begin));
  made.files = apply(wrong ? edits_by_file{} : edits, files, context);
  return made;
}

} // namespace tacit::compiler
