#include "compiler/annotate/rewriting.h"

#include "compiler/annotate/window_names.h"
#include "compiler/pragma/parse.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace tacit::compiler {
namespace {

unsigned offset_of(const unit& of, clang::SourceLocation at) {
  return of.context.getSourceManager().getFileOffset(at);
}

bool contains(const clang::Stmt* outer, const clang::Stmt* inner) {
  if (outer == inner)
    return true;
  return std::any_of(outer->child_begin(), outer->child_end(),
                     [&](const clang::Stmt* child) { return child && contains(child, inner); });
}

std::string escaped(const std::string& text) {
  std::string made;
  for (const char c : text)
    made += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return made;
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

/// Where the line begins in front of this beginning of a line; nothing if there is none.
std::optional<unsigned> line_before(std::string_view text, unsigned line_begin) {
  if (line_begin < 2)
    return std::nullopt;
  const std::size_t last = text.rfind('\n', line_begin - 2);
  return last == std::string::npos ? 0U : static_cast<unsigned>(last) + 1;
}

/// The words behind `#pragma` of a line that is a pragma of somebody else; empty for all other lines.
std::string foreign_pragma(std::string_view text, unsigned line_begin) {
  std::string line(line_at(text, line_begin));
  std::replace(line.begin(), line.end(), '\t', ' ');
  const std::size_t word = line.find("pragma");
  if (!line.starts_with("#") || word == std::string::npos)
    return {};
  const std::size_t from = line.find_first_not_of(' ', word + 6);
  const std::string words = from == std::string::npos ? " " : line.substr(from);
  return words.starts_with("mpi ") ? std::string() : words;
}

/// Pragmas that say something of the loop behind them, and of nothing else.
bool is_about_a_loop(const std::string& words) {
  for (const char* known : {"GCC ivdep", "GCC unroll", "clang loop", "unroll", "nounroll", "ivdep"})
    if (words.starts_with(known))
      return true;
  return false;
}

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !continues_name(text[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end >= text.size() || !continues_name(text[end])))
      return true;
  }
  return false;
}

words_of_file words_of(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  words_of_file made{has("tacit_"), has("tacit/coalesce.h"), has("MPI_LOCK_EXCLUSIVE"), {}};
  constexpr std::string_view no_store = "MPI_MODE_NOSTORE";
  for (std::size_t at = text.find(no_store); at != std::string_view::npos;
       at = text.find(no_store, at + no_store.size()))
    made.no_store.push_back(static_cast<unsigned>(at));
  return made;
}

std::vector<written_token> tokens_of(clang::FileID file, const clang::ASTContext& context) {
  const clang::SourceManager& sources = context.getSourceManager();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, context.getLangOpts());
  std::vector<written_token> made;
  bool directive = false;
  for (clang::Token token;;) {
    const bool last = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof))
      return made;
    directive = token.isAtStartOfLine() ? token.is(clang::tok::hash) : directive;
    const unsigned begin = sources.getFileOffset(token.getLocation());
    if (!directive)
      made.push_back({begin, begin + token.getLength()});
    if (last)
      return made;
  }
}

const std::vector<written_token>& tokens_in(const unit& of, clang::FileID file) {
  const auto [known, is_new] = of.tokens.try_emplace(file);
  if (is_new)
    known->second = tokens_of(file, of.context);
  return known->second;
}

/// Where a name in front of the place begins that may belong to what follows: `_Pragma("…")`, or a macro's, which may stand for one.
std::optional<unsigned> macro_before(const unit& of, const span_of_text& place) {
  const std::vector<written_token>& tokens = tokens_in(of, place.file);
  const std::string_view all = source(of.context).whole(place.file);
  const auto text = [&](const written_token& t) { return all.substr(t.begin, t.end - t.begin); };
  auto at = std::partition_point(tokens.begin(), tokens.end(),
                                 [&](const written_token& t) { return t.begin < place.begin; });
  if (at == tokens.begin())
    return std::nullopt;
  --at;
  for (int open = 0; text(*at) == ")" || open > 0; --at) {
    open += text(*at) == ")" ? 1 : text(*at) == "(" ? -1 : 0;
    if (at == tokens.begin())
      return std::nullopt;
  }
  const std::string_view name = text(*at);
  const bool macro = name == "_Pragma" || name == "__pragma" ||
                     (continues_name(name.front()) && of.context.Idents.get(name).hadMacroDefinition());
  return macro ? std::optional(at->begin) : std::nullopt;
}

bool is_behind_statement(const unit& of, const span_of_text& place) {
  const std::vector<written_token>& tokens = tokens_in(of, place.file);
  const auto at = std::partition_point(tokens.begin(), tokens.end(),
                                       [&](const written_token& t) { return t.begin < place.begin; });
  const std::string_view all = source(of.context).whole(place.file);
  return at != tokens.begin() &&
         std::string_view(";{}").find(all[std::prev(at)->begin]) != std::string_view::npos;
}

/// From there on back over the pragmas in front of the statement, and over macros if that is wanted.
std::optional<span_of_text> with_pragmas(const unit& of, const clang::Stmt* statement, span_of_text made,
                                         bool over_macros) {
  const source text(of.context);
  for (const annotated_statement& a : of.annotated)
    if (a.statement == statement)
      made.begin = std::min(made.begin, offset_of(of, a.by.begin));
  for (auto macro = macro_before(of, made); macro; macro = macro_before(of, made)) {
    made.begin = *macro;
    if (!over_macros || (!macro_before(of, made) && !is_behind_statement(of, made)))
      return std::nullopt;
  }
  made.begin = text.line_start(made);
  const std::string_view all = text.whole(made.file);
  for (auto before = line_before(all, made.begin); before; before = line_before(all, *before)) {
    const std::string words = foreign_pragma(all, *before);
    if (words.empty())
      break;
    if (!is_about_a_loop(words))
      return std::nullopt;
    made.begin = *before;
  }
  return made;
}

} // namespace

const words_of_file& words_in(const unit& of, clang::FileID file) {
  const auto [known, is_new] = of.words.try_emplace(file);
  if (is_new)
    known->second = words_of(source(of.context).whole(file));
  return known->second;
}

const window_names& names_of_windows(const unit& of) {
  if (!of.windows)
    of.windows = std::make_shared<window_names>(of.context);
  return *of.windows;
}

bool changes::has(const clang::CallExpr* call) const {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

std::string text_of(const unit& of, const clang::Expr* e) {
  return e ? source(of.context).text(e->getSourceRange()) : std::string();
}

std::string free_name(const unit& of, const annotated_statement& at, const std::string& wish) {
  const clang::FileID file = of.context.getSourceManager().getFileID(at.by.begin);
  const std::string_view text = source(of.context).whole(file);
  const auto before =
      std::count_if(of.annotated.begin(), of.annotated.end(), [&](const annotated_statement& a) {
        return a.function == at.function && a.by.says.kind == at.by.says.kind && !a.by.says.transformed &&
               of.context.getSourceManager().isBeforeInTranslationUnit(a.by.begin, at.by.begin);
      });
  std::string name = before == 0 ? wish : wish + "_" + std::to_string(before + 1);
  while (words_in(of, file).our_names && has_word(text, name))
    name += "_";
  return name;
}

std::optional<span_of_text> span_with_pragmas(const unit& of, const clang::Stmt* statement) {
  const std::optional<span_of_text> whole = source(of.context).span_of_statement(statement);
  return whole ? with_pragmas(of, statement, *whole, false) : std::nullopt;
}

std::optional<span_of_text> place_before(const unit& of, const clang::Stmt* statement, bool over_macros) {
  const clang::SourceManager& sources = of.context.getSourceManager();
  clang::SourceLocation at = statement->getBeginLoc();
  if (at.isMacroID() && !clang::Lexer::isAtStartOfMacroExpansion(at, sources, of.context.getLangOpts(), &at))
    return std::nullopt;
  const auto [file, offset] = sources.getDecomposedLoc(at);
  return with_pragmas(of, statement, {file, offset, offset}, over_macros);
}

bool has_directives(const unit& of, const clang::Stmt* statement) {
  const std::optional<span_of_text> place = source(of.context).span_of_statement(statement);
  return place && has_directives(of, *place);
}

bool has_directives(const unit& of, const span_of_text& place) {
  const std::string_view all = source(of.context).whole(place.file);
  for (std::size_t at = all.find('\n', place.begin); at < place.end; at = all.find('\n', at + 1)) {
    const std::string_view line = line_at(all, at + 1);
    if (at + 1 < place.end && line.starts_with("#") && line.find("pragma") == std::string_view::npos)
      return true;
  }
  return false;
}

std::vector<const annotated_statement*> annotations_around(const unit& of, const clang::Stmt* statement,
                                                           annotation_kind kind, const clang::Stmt* within) {
  std::vector<const annotated_statement*> made;
  for (const annotated_statement& a : of.annotated)
    if (a.by.says.kind == kind && contains(within, a.statement) && contains(a.statement, statement))
      made.push_back(&a);
  return made;
}

bool surround(const unit& of, const clang::Stmt* statement, bool in_block, const std::string& before,
              const std::string& behind, edits_by_file& edits) {
  const std::optional<span_of_text> place = span_with_pragmas(of, statement);
  if (!place)
    return false;
  file_edits& file = edits[place->file];
  file.insert(place->begin, (in_block ? "" : "{\n") + before + "\n");
  if (!behind.empty() || !in_block)
    file.insert(place->end, "\n" + behind + (in_block ? "" : "\n}"));
  return true;
}

void mark(const unit& of, const pragma& which, edits_by_file& edits) {
  const clang::SourceManager& sources = of.context.getSourceManager();
  file_edits& file = edits[sources.getFileID(which.begin)];
  if (!which.operator_form) {
    file.insert(offset_of(of, which.end), " transformed", as_it_is);
    return;
  }
  annotation done = which.says;
  done.transformed = true;
  const unsigned begin = offset_of(of, which.begin);
  file.replace(begin, offset_of(of, which.end) - begin,
               "_Pragma(\"mpi " + escaped(write_pragma(done)) + "\")", as_it_is);
}

std::optional<finding> fault_of_text(const unit& of, const annotated_statement& at) {
  if (at.function->isDependentContext())
    return stays(at, wording(remark::the_statement), reason::unknown_effect, wording(remark::in_template));
  if (has_directives(of, at.statement))
    return stays(at, wording(remark::the_statement), reason::in_macro, wording(remark::under_conditions));
  if (at.by.editable && span_with_pragmas(of, at.statement))
    return std::nullopt;
  const bool own_text = at.by.editable && source(of.context).span_of_statement(at.statement);
  return stays(at, wording(remark::the_statement), reason::in_macro,
               wording(own_text ? remark::behind_pragma : remark::out_of_macro));
}

void include_run_time(const unit& of, clang::FileID file, edits_by_file& edits) {
  file_edits& into = edits[file];
  if (words_in(of, file).run_time || !into.note_include())
    return;
  const std::string_view text = source(of.context).whole(file);
  std::size_t at = text.find("#include <mpi.h>");
  if (at == std::string::npos)
    at = text.find("#include \"mpi.h\"");
  const std::size_t end = at == std::string::npos ? std::string::npos : text.find('\n', at);
  if (end != std::string::npos) {
    into.insert(static_cast<unsigned>(end), "\n#include <tacit/coalesce.h>", as_it_is);
    return;
  }
  at = text.find("\n#include");
  into.insert(at == std::string::npos ? 0 : static_cast<unsigned>(at) + 1, "#include <tacit/coalesce.h>\n",
              as_it_is);
}

std::string location_argument(const unit& of, clang::SourceLocation at) {
  const clang::SourceManager& sources = of.context.getSourceManager();
  return ", __FILE__, " + std::to_string(sources.getExpansionLineNumber(at));
}

std::string checked_name(const std::string& mpi_name) {
  std::string made = "tacit_checked_" +
                     mpi_name.substr(4, mpi_name.ends_with("_c") ? mpi_name.size() - 6 : std::string::npos);
  for (char& c : made)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

finding stays(const annotated_statement& at, const std::string& what, reason why, const std::string& detail,
              clang::SourceLocation where) {
  return {severity::remark,
          where.isValid() ? where : at.by.begin,
          why,
          wording(remark::as_written, {std::string(word_of(at.by.says.kind)), what, detail}),
          "",
          {},
          {},
          at.by.says.kind != annotation_kind::rma}; // which claims nothing that is checked
}

std::string location_name(const unit& of, clang::SourceLocation at) {
  const clang::SourceManager& sources = of.context.getSourceManager();
  const clang::PresumedLoc found = sources.getPresumedLoc(sources.getExpansionLoc(at));
  if (!found.isValid())
    return wording(remark::unknown_place);
  const std::string file = found.getFilename();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(found.getLine());
}

} // namespace tacit::compiler
