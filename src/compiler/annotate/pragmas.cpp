#include "compiler/annotate/pragmas.h"

#include "compiler/annotate/rewriting.h"
#include "compiler/pragma/parse.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <map>
#include <optional>

namespace tacit::compiler {
namespace {

/// The words behind `#pragma mpi` as one text, and where each stands.
struct spelled_pragma {
  struct piece {
    std::size_t offset;
    clang::SourceLocation at;
  };
  std::string text;
  std::vector<piece> pieces;
  clang::SourceLocation last; ///< the last token

  clang::SourceLocation location_of(std::size_t offset) const {
    clang::SourceLocation best = last;
    for (const piece& p : pieces)
      if (p.offset <= offset)
        best = p.at.isMacroID() ? p.at : p.at.getLocWithOffset(static_cast<int>(offset - p.offset));
    return best;
  }
};

spelled_pragma spell(clang::Preprocessor& preprocessor, const clang::Token& first) {
  spelled_pragma made;
  made.last = first.getLocation();
  clang::Token token;
  // Macros of MPI (MPI_INT, MPI_COMM_WORLD) stay the names that the user wrote.
  for (preprocessor.LexUnexpandedToken(token); token.isNot(clang::tok::eod) && token.isNot(clang::tok::eof);
       preprocessor.LexUnexpandedToken(token)) {
    if (token.hasLeadingSpace() || token.isAtStartOfLine())
      made.text += ' ';
    made.pieces.push_back({made.text.size(), token.getLocation()});
    made.text += preprocessor.getSpelling(token);
    made.last = token.getLocation();
  }
  return made;
}

/// True if a macro of that name stands for a _Pragma and nothing else, also by way of others: `#define DO(x) _Pragma(#x)`.
bool is_pragma_macro(clang::Preprocessor& preprocessor, const clang::IdentifierInfo* name, int depth = 0) {
  constexpr int deepest = 16; // of macros within macros; those that name themselves do not end
  const clang::MacroInfo* macro = name ? preprocessor.getMacroInfo(name) : nullptr;
  if (!macro || macro->getNumTokens() == 0 || depth == deepest)
    return false;
  const clang::IdentifierInfo* first = macro->getReplacementToken(0).getIdentifierInfo();
  if (!first || macro->getParameterNum(first) >= 0 ||
      !(first->isStr("_Pragma") || is_pragma_macro(preprocessor, first, depth + 1)))
    return false;
  int open = 0;
  for (const clang::Token& token : macro->tokens().drop_front()) {
    if (open == 0 && (token.isNot(clang::tok::l_paren) || &token != &macro->tokens()[1]))
      return false; // something stands behind the operator
    open += token.is(clang::tok::l_paren) - token.is(clang::tok::r_paren);
  }
  return open == 0;
}

/// True if the expansion that holds a _Pragma is the operator itself, or a macro that is nothing else.
bool is_nothing_but_a_pragma(clang::Preprocessor& preprocessor, clang::SourceLocation at) {
  const clang::SourceManager& sources = preprocessor.getSourceManager();
  const clang::CharSourceRange range = sources.getExpansionRange(at);
  const llvm::StringRef text = clang::Lexer::getSourceText(range, sources, preprocessor.getLangOpts());
  if (text.starts_with("_Pragma") || text.starts_with("__pragma"))
    return true;
  return is_pragma_macro(preprocessor, preprocessor.getIdentifierInfo(text.take_while(
                                           [](char c) { return clang::isAsciiIdentifierContinue(c); })));
}

class handler : public clang::PragmaHandler {
public:
  explicit handler(std::shared_ptr<collected_pragmas> into)
      : clang::PragmaHandler("mpi"), into_(std::move(into)) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& first) override {
    const clang::SourceManager& sources = preprocessor.getSourceManager();
    const spelled_pragma spelled = spell(preprocessor, first);
    if (sources.isInSystemHeader(introducer.Loc))
      return;
    parsed_pragma read = parse_pragma(spelled.text);
    if (!read.says) {
      into_->faults.push_back({severity::error,
                               spelled.location_of(read.wrong.at),
                               reason::bad_pragma,
                               read.wrong.problem,
                               wording(remark::expected_form, {read.wrong.expected}),
                               {}});
      return;
    }
    pragma made{std::move(*read.says), {}, {}, introducer.Kind != clang::PIK_HashPragma, true};
    if (made.operator_form) {
      const clang::CharSourceRange range = sources.getExpansionRange(spelled.last);
      made.begin = range.getBegin();
      made.end = range.isTokenRange() ? clang::Lexer::getLocForEndOfToken(range.getEnd(), 0, sources,
                                                                          preprocessor.getLangOpts())
                                      : range.getEnd();
      made.editable = is_nothing_but_a_pragma(preprocessor, spelled.last);
    } else {
      made.begin = introducer.Loc;
      made.end = clang::Lexer::getLocForEndOfToken(spelled.last, 0, sources, preprocessor.getLangOpts());
    }
    into_->found.push_back(std::move(made));
  }

private:
  std::shared_ptr<collected_pragmas> into_;
};

/// Walks over statements in the order of the source, outer ones first.
class attacher : public clang::RecursiveASTVisitor<attacher> {
public:
  struct candidate {
    const clang::CompoundStmt* around = nullptr;
    const clang::FunctionDecl* function = nullptr;
    const clang::Stmt* next = nullptr;
    unsigned next_at = ~0U;
    unsigned around_end = 0;
  };

  attacher(const std::vector<pragma>& pragmas, const clang::SourceManager& sources)
      : pragmas_(pragmas), sources_(sources), candidates_(pragmas.size()) {
    for (const pragma& p : pragmas) {
      const auto [file, begin] = offset_in_file(p.begin);
      here_.push_back(offsets_.size());
      offsets_.push_back({file, begin, offset_in_file(p.end).second});
      begins_[file].push_back(begin);
    }
    for (auto& [file, begins] : begins_)
      std::sort(begins.begin(), begins.end());
  }

  /// Declarations without a pragma in their text are most of a file: those of headers, above all.
  bool TraverseDecl(clang::Decl* d) {
    return !d || !may_have_pragma(d) || clang::RecursiveASTVisitor<attacher>::TraverseDecl(d);
  }

  bool TraverseFunctionDecl(clang::FunctionDecl* f) {
    return inside(f, &attacher::visit_function<clang::FunctionDecl>);
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* f) {
    return inside(f, &attacher::visit_function<clang::CXXMethodDecl>);
  }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl* f) {
    return inside(f, &attacher::visit_function<clang::CXXConstructorDecl>);
  }
  bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl* f) {
    return inside(f, &attacher::visit_function<clang::CXXDestructorDecl>);
  }

  bool VisitStmt(clang::Stmt* statement) {
    const auto [file, at] = offset_in_file(statement->getBeginLoc());
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement);
    const unsigned end = block ? offset_in_file(statement->getEndLoc()).second : 0;
    for (const std::size_t i : here_) {
      const auto [pragma_file, begin, behind] = offsets_[i];
      if (pragma_file != file)
        continue;
      candidate& c = candidates_[i];
      if (block && at < begin && end >= behind) {
        c = {block, function_, nullptr, ~0U, end}; // the walk reaches inner blocks later
      } else if (at >= (pragmas_[i].editable ? behind : begin) && at < c.next_at && c.around &&
                 at < c.around_end) {
        c.next = statement;
        c.next_at = at;
      }
    }
    return true;
  }

  const std::vector<candidate>& candidates() const { return candidates_; }

private:
  template <class Function>
  bool visit_function(Function* f);

  template <class Function>
  bool inside(Function* f, bool (attacher::*walk)(Function*)) {
    const clang::FunctionDecl* before = std::exchange(function_, f);
    std::vector<std::size_t> others = std::exchange(here_, in_text_of(f));
    const bool on = (this->*walk)(f);
    function_ = before;
    here_ = std::move(others);
    return on;
  }

  std::pair<clang::FileID, unsigned> offset_in_file(clang::SourceLocation at) const {
    return sources_.getDecomposedLoc(sources_.getExpansionLoc(at));
  }

  struct pragma_offsets {
    clang::FileID file;
    unsigned begin, behind;
  };

  struct text_of_decl {
    clang::FileID file;
    unsigned begin, end;
    bool has(const pragma_offsets& p) const { return p.file == file && p.begin >= begin && p.begin <= end; }
  };

  /// Nothing if it is not in one file.
  std::optional<text_of_decl> text_of(const clang::Decl* d) const {
    if (llvm::isa<clang::TranslationUnitDecl>(d) || d->getBeginLoc().isInvalid())
      return std::nullopt;
    const auto [file, begin] = offset_in_file(d->getBeginLoc());
    const auto [end_file, end] =
        sources_.getDecomposedLoc(sources_.getExpansionRange(d->getEndLoc()).getEnd());
    return file == end_file ? std::optional(text_of_decl{file, begin, end}) : std::nullopt;
  }

  /// All that may stand in the text of a declaration.
  std::vector<std::size_t> in_text_of(const clang::Decl* d) const {
    std::vector<std::size_t> made;
    const std::optional<text_of_decl> text = text_of(d);
    std::copy_if(here_.begin(), here_.end(), std::back_inserter(made),
                 [&](std::size_t i) { return !text || text->has(offsets_[i]); });
    return made;
  }

  /// In a file without pragmas, or between two: asked of each declaration of the headers.
  bool may_have_pragma(const clang::Decl* d) const {
    const std::optional<text_of_decl> text = text_of(d);
    if (!text)
      return !here_.empty();
    const auto begins = begins_.find(text->file);
    if (begins == begins_.end())
      return false;
    const auto next = std::lower_bound(begins->second.begin(), begins->second.end(), text->begin);
    return next != begins->second.end() && *next <= text->end;
  }

  const std::vector<pragma>& pragmas_;
  const clang::SourceManager& sources_;
  std::vector<pragma_offsets> offsets_;
  std::map<clang::FileID, std::vector<unsigned>> begins_; ///< in the order of the text
  std::vector<candidate> candidates_;
  std::vector<std::size_t> here_; ///< numbers of those that may stand in the function
  const clang::FunctionDecl* function_ = nullptr;
};

template <class Function>
bool attacher::visit_function(Function* f) {
  using base = clang::RecursiveASTVisitor<attacher>;
  if constexpr (std::is_same_v<Function, clang::CXXMethodDecl>)
    return base::TraverseCXXMethodDecl(f);
  else if constexpr (std::is_same_v<Function, clang::CXXConstructorDecl>)
    return base::TraverseCXXConstructorDecl(f);
  else if constexpr (std::is_same_v<Function, clang::CXXDestructorDecl>)
    return base::TraverseCXXDestructorDecl(f);
  else
    return base::TraverseFunctionDecl(f);
}

} // namespace

void collect_pragmas(clang::Preprocessor& preprocessor, std::shared_ptr<collected_pragmas> into) {
  preprocessor.AddPragmaHandler(new handler(std::move(into))); // the preprocessor frees it
}

std::vector<annotated_statement> attach(const std::vector<pragma>& pragmas, clang::ASTContext& context,
                                        findings& faults) {
  std::vector<annotated_statement> made;
  if (pragmas.empty())
    return made;
  attacher walk(pragmas, context.getSourceManager());
  walk.TraverseAST(context);
  for (std::size_t i = 0; i < pragmas.size(); ++i) {
    const attacher::candidate& c = walk.candidates()[i];
    if (c.next && c.function)
      made.push_back({pragmas[i], c.next, c.function});
    else if (!pragmas[i].editable) // its statement comes out of the same macro, as its whole function may
      faults.push_back(stays({pragmas[i], nullptr, nullptr}, wording(remark::the_statement), reason::in_macro,
                             wording(remark::out_of_macro)));
    else
      faults.push_back({severity::error,
                        pragmas[i].begin,
                        reason::pragma_without_statement,
                        wording(remark::no_statement),
                        wording(remark::expected_statement),
                        {}});
  }
  return made;
}

} // namespace tacit::compiler
