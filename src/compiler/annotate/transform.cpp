#include "compiler/annotate/transform.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/coalesce_windows.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/local_windows.h"
#include "compiler/annotate/memory.h"
#include "compiler/annotate/mpi_use.h"
#include "compiler/annotate/overlap_messages.h"
#include "compiler/annotate/pipeline_collective.h"
#include "compiler/annotate/rewriting.h"
#include "vocabulary/base/nearest.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/StmtCXX.h>
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

/// Made of constants and of classes of the standard library, as the allocators of containers are.
bool is_of_constants(const clang::Stmt* s) {
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(s);
  return !llvm::isa<clang::CallExpr, clang::DeclRefExpr, clang::LambdaExpr, clang::CXXThisExpr>(s) &&
         !(made && !made->getConstructor()->getParent()->isInStdNamespace()) &&
         std::all_of(s->child_begin(), s->child_end(),
                     [](const clang::Stmt* child) { return !child || is_of_constants(child); });
}

/// Default arguments and member initializers: what they do stands elsewhere in the text, once for all calls.
bool has_hidden_arguments(const clang::Stmt* s) {
  if (!s)
    return false;
  if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(s))
    return !is_of_constants(argument->getExpr());
  return llvm::isa<clang::CXXDefaultInitExpr>(s) ||
         std::any_of(s->child_begin(), s->child_end(), has_hidden_arguments);
}

/// Names that an annotation gives to communicators, buffers, requests and windows.
std::vector<std::string> names_in(const annotation& says) {
  std::vector<std::string> made;
  for (const communication_group& g : says.groups)
    for (const written& e : g.expressions)
      made.push_back(e.text);
  for (const window_buffer& w : says.windows)
    made.push_back(w.window.text);
  return made;
}

/// The first identifier of an expression: "grid" of `grid->comm[0]`.
std::string first_word(const std::string& text) {
  const auto starts = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  const auto begin = std::find_if(text.begin(), text.end(), starts);
  return {begin, std::find_if(begin, text.end(), [&](char c) {
            return !starts(c) && !std::isdigit(static_cast<unsigned char>(c));
          })};
}

/// What the calls of MPI in the function have as arguments, an address as what it is the address of.
std::vector<std::string> arguments_in(const unit& of, const clang::FunctionDecl& function) {
  std::set<std::string> made;
  for (const mpi_use& use : mpi_uses_in(function.getBody()))
    for (const clang::Expr* argument : use.call->arguments()) {
      const std::string text = text_of(of, argument);
      const std::string name = text.starts_with('&') ? text.substr(1) : text;
      if (!first_word(name).empty() && name.starts_with(first_word(name)))
        made.insert(name);
    }
  return {made.begin(), made.end()};
}

/// Of declarations of all kinds, also of those that bring names in from elsewhere.
class declared_names : public ast_visitor {
public:
  bool VisitNamedDecl(clang::NamedDecl* d) override {
    found.insert(d->getNameAsString());
    brings_more |= llvm::isa<clang::UsingDirectiveDecl>(d);
    return true;
  }
  std::set<std::string> found;
  bool brings_more = false;
};

/// Visible in the function: declared in it, around it, or a macro. True in doubt: bases of classes, `using namespace` and templates are not
/// looked through.
bool is_known(const unit& of, const clang::FunctionDecl& function, const std::string& name) {
  const clang::IdentifierInfo& word = of.context.Idents.get(name);
  if (word.hadMacroDefinition() || function.isTemplated())
    return true;
  for (const clang::DeclContext* in = function.getDeclContext(); in; in = in->getParent()) {
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(in);
    if (!in->lookup(&word).empty() || !in->using_directives().empty() ||
        (record && record->getNumBases() > 0))
      return true;
  }
  declared_names declared;
  declared.TraverseDecl(const_cast<clang::FunctionDecl*>(&function));
  return declared.brings_more || declared.found.contains(name);
}

/// What is written for the annotation has its datatypes in it, which would not compile.
std::optional<finding> unknown_datatype(const unit& of, const annotated_statement& at) {
  for (const window_buffer& w : at.by.says.windows) {
    const std::string& type = w.more.front().text;
    if (first_word(type) != type || is_known(of, *at.function, type))
      continue;
    std::vector<std::string_view> known;
    for (const auto& [name, size] : sized_datatypes(of.context))
      known.push_back(name);
    return finding{severity::error,
                   at.by.begin,
                   reason::bad_pragma,
                   wording(remark::datatype_unknown, {type, vocabulary::did_you_mean(type, known)}),
                   "",
                   {}};
  }
  return std::nullopt;
}

/// A name that nobody has declared, and that no call has: the annotation would be without effect, and nobody would know why.
void warn_of_misspelled(const unit& of, const annotated_statement& at, findings& said) {
  const auto is_parameter = [&](const std::string& word) {
    return std::any_of(at.function->param_begin(), at.function->param_end(),
                       [&](const clang::ParmVarDecl* p) { return p->getName() == word; });
  };
  for (const std::string& name : names_in(at.by.says)) {
    const std::string word = first_word(name);
    if (word.empty() || is_parameter(word) || is_known(of, *at.function, word))
      continue;
    const std::vector<std::string> known = arguments_in(of, *at.function);
    const bool found =
        std::any_of(known.begin(), known.end(), [&](const std::string& k) { return same_code(k, name); });
    const std::string near =
        vocabulary::did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
    if (!found)
      said.push_back({severity::warning,
                      at.by.begin,
                      reason::nothing_annotated,
                      wording(remark::name_misspelled, {name, near}),
                      "",
                      {}});
  }
}

/// The optimization analysis of the paper (Figure 3): what each annotation asks for.
void transform_statement(const unit& of, const annotated_statement& at, const target_platform& platform,
                         changes& into) {
  if (at.by.says.groups.empty() && at.by.says.windows.empty()) { // the paper's grammar has empty lists
    into.said.push_back(
        stays(at, wording(remark::the_statement), reason::nothing_annotated, wording(remark::lists_nothing)));
    into.said.back().level = severity::warning;
    return;
  }
  if (const auto fault = unknown_datatype(of, at))
    return into.said.push_back(*fault);
  warn_of_misspelled(of, at, into.said);
  if (of.context.getLangOpts().CPlusPlus && at.by.says.kind != annotation_kind::indep &&
      has_hidden_arguments(at.statement))
    return into.said.push_back(
        stays(at, wording(remark::the_statement), reason::epoch_unclear, wording(remark::default_arguments)));
  switch (at.by.says.kind) {
  case annotation_kind::osc_coalesce:
    return coalesce_windows(of, at, platform.choices, into);
  case annotation_kind::rma:
    return use_local_memory(of, at, platform.choices, into);
  case annotation_kind::local_ldst:
    return relax_locks(of, at, platform.choices, into);
  case annotation_kind::overlap:
    return pipeline_collectives(of, at, platform.choices, into);
  case annotation_kind::cco:
    return overlap_messages(of, at, platform.choices, into);
  case annotation_kind::indep:
    return; // a claim for the others
  }
}

/// Says where statements begin and end that are independent of messages of their function, for what check mode reports.
void mark_independent(const unit& of, edits_by_file& edits) {
  const auto has_messages = [&](const annotated_statement& at) {
    return std::any_of(of.annotated.begin(), of.annotated.end(), [&](const annotated_statement& a) {
      return a.function == at.function && a.by.says.kind == annotation_kind::cco && !a.by.says.transformed;
    });
  };
  for (const annotated_statement& a : of.annotated) {
    if (a.by.says.kind != annotation_kind::indep || !has_messages(a) || fault_of_text(of, a) ||
        jump_out_of(a.statement))
      continue;
    const function_facts facts(*a.function);
    const clang::Stmt* parent = facts.parent_of(a.statement);
    const bool in_block = llvm::isa_and_nonnull<clang::CompoundStmt>(parent);
    if (!in_block && !llvm::isa_and_nonnull<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                                            clang::CXXForRangeStmt, clang::SwitchCase>(parent))
      continue;
    surround(of, a.statement, in_block,
             "tacit_checked_statement(" + location_argument(of, a.by.begin).substr(2) + ");",
             "tacit_checked_statement(NULL, 0);", edits);
    include_run_time(of, of.context.getSourceManager().getFileID(a.by.begin), edits);
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
  const unit whole{context, annotated, platform.checked, platform.assumed};
  for (const annotated_statement* a : in_order_of_need(annotated))
    transform_statement(whole, *a, platform, made_changes);
  if (platform.checked)
    mark_independent(whole, made_changes.edits);
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
