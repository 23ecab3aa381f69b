#include "compiler/annotate/source.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace tacit::compiler {

std::optional<span_of_text> source::span(clang::SourceRange range) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  const clang::CharSourceRange in_file = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(range), sources, context_.getLangOpts());
  if (in_file.isInvalid())
    return std::nullopt;
  const auto [file, begin] = sources.getDecomposedLoc(in_file.getBegin());
  const auto [end_file, end] = sources.getDecomposedLoc(in_file.getEnd());
  if (file != end_file || end < begin)
    return std::nullopt;
  return span_of_text{file, begin, end};
}

std::optional<span_of_text> source::span_of_statement(const clang::Stmt* statement) const {
  std::optional<span_of_text> made = span(statement->getSourceRange());
  if (!made || whole(made->file).substr(made->begin, made->end - made->begin).ends_with(";"))
    return made;
  const clang::SourceManager& sources = context_.getSourceManager();
  const std::string_view all = whole(made->file);
  // Behind the last token there may be comments before the semicolon; blocks have none.
  const clang::SourceLocation last = sources.getComposedLoc(made->file, made->end - 1);
  const auto next =
      clang::Lexer::findNextToken(clang::Lexer::GetBeginningOfToken(last, sources, context_.getLangOpts()),
                                  sources, context_.getLangOpts());
  if (next && next->is(clang::tok::semi) && !llvm::isa<clang::CompoundStmt>(statement) && !all.empty())
    made->end = sources.getFileOffset(next->getLocation()) + 1;
  return made;
}

std::string source::text(clang::SourceRange range) const {
  const std::optional<span_of_text> part = span(range);
  return part ? text(*part) : std::string();
}

std::string source::text(const span_of_text& part) const {
  return std::string(whole(part.file).substr(part.begin, part.end - part.begin));
}

unsigned source::line_start(const span_of_text& part) const {
  const std::string_view all = whole(part.file);
  unsigned at = part.begin;
  while (at > 0 && (all[at - 1] == ' ' || all[at - 1] == '\t'))
    --at;
  return at == 0 || all[at - 1] == '\n' ? at : part.begin;
}

std::string_view source::whole(clang::FileID file) const {
  return context_.getSourceManager().getBufferData(file);
}

} // namespace tacit::compiler
