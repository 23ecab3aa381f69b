#include "compiler/annotate/transform.h"

#include "compiler/annotate/coalesce_windows.h"
#include "compiler/annotate/local_windows.h"
#include "compiler/annotate/overlap_messages.h"
#include "compiler/annotate/rewriting.h"

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
                   std::string(text.whole(file)),
                   {}};
    const auto found = edits.find(file);
    f.after = found == edits.end() ? f.before : edited(f.path, f.before, found->second);
    made.push_back(std::move(f));
  }
  return made;
}

/// Default arguments and member initializers: what they do stands elsewhere in the text, once for all calls.
bool has_hidden_arguments(const clang::Stmt* s) {
  if (!s)
    return false;
  return llvm::isa<clang::CXXDefaultArgExpr, clang::CXXDefaultInitExpr>(s) ||
         std::any_of(s->child_begin(), s->child_end(), has_hidden_arguments);
}

/// The optimization analysis of the paper (Figure 3): what each annotation asks for.
void transform_statement(const unit& of, const annotated_statement& at, const target_platform& platform,
                         changes& into) {
  const coherence caches = at.by.says.caches == coherence::as_platform ? platform.caches : at.by.says.caches;
  if (at.by.says.kind != annotation_kind::indep && has_hidden_arguments(at.statement))
    return into.said.push_back(stays(at, "the annotated statement", reason::epoch_unclear,
                                     "default arguments, which stand elsewhere, are part of it"));
  switch (at.by.says.kind) {
  case annotation_kind::osc_coalesce:
    return coalesce_windows(of, at, into);
  case annotation_kind::rma:
    if (caches == coherence::incoherent)
      return into.said.push_back(
          stays(at, "the statement", reason::claim_missing, "caches are not coherent there"));
    return use_local_memory(of, at, into);
  case annotation_kind::local_ldst:
    return relax_locks(of, at, caches != coherence::incoherent, into);
  case annotation_kind::overlap:
    return into.said.push_back(
        stays(at, "the collective", reason::collective_stays, "it is not taken apart"));
  case annotation_kind::cco:
    return overlap_messages(of, at, into);
  case annotation_kind::indep:
    return; // a claim for the others
  }
}

/// Collected operations first: they need all calls on a window. The order of the source is kept among equals.
std::vector<const annotated_statement*> in_order_of_need(const std::vector<annotated_statement>& annotated) {
  std::vector<const annotated_statement*> made;
  for (const annotated_statement& a : annotated)
    if (!a.by.says.transformed)
      made.push_back(&a);
  std::stable_partition(made.begin(), made.end(), [](const annotated_statement* a) {
    return a->by.says.kind == annotation_kind::osc_coalesce;
  });
  return made;
}

} // namespace

transformation transform(clang::ASTContext& context, const collected_pragmas& pragmas,
                         const target_platform& platform) {
  const clang::SourceManager& sources = context.getSourceManager();
  transformation made;
  made.said = pragmas.faults;
  const std::vector<annotated_statement> annotated = attach(pragmas.found, context, made.said);
  changes made_changes;
  const unit whole{context, annotated};
  for (const annotated_statement* a : in_order_of_need(annotated))
    transform_statement(whole, *a, platform, made_changes);
  const edits_by_file& edits = made_changes.edits;
  made.said.insert(made.said.end(), made_changes.said.begin(), made_changes.said.end());
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
