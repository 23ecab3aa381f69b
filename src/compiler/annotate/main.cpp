// tacit-transform: parses files as a compiler does, transforms what is annotated, and writes what was asked for. `tacit transform`
// and `tacit cc` launch it; its command line is theirs alone.
//
//   tacit-transform print|diff|write|json|overlay=FOLDER [-p FOLDER] [option…] FILE… [-- flag…]
#include "compiler/annotate/edits.h"
#include "compiler/annotate/inferred_commands.h"
#include "compiler/annotate/transform.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace tacit::compiler {
namespace {

namespace fs = std::filesystem;

// As the command `tacit`.
enum exit_code : int { done = 0, input_has_errors = 1, wrong_usage = 2 };

struct request {
  std::string mode, overlay, database;
  std::vector<std::string> files, flags, extra; ///< extra: for all files, behind what the database says
  bool has_flags = false;
  bool quiet = false;          ///< no remarks
  bool only_unchecked = false; ///< of remarks those that say what check mode does not check
  target_platform platform;
};

bool takes(std::string_view name, const std::string& word, std::string& into) {
  if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=')
    return false;
  into = word.substr(name.size() + 1);
  return true;
}

wish wish_of(const std::string& word) {
  return word == "never"      ? wish::never
         : word == "always"   ? wish::always
         : word == "puts"     ? wish::puts
         : word == "measured" ? wish::measured
                              : wish::as_platform;
}

/// The program's own command line says only what there is.
post_rule assumption_of(const std::string& word) {
  static const std::pair<const char*, post_rule> names[] = {
      {"data", post_rule::data},           {"calls", post_rule::calls},
      {"claims", post_rule::claims},       {"control", post_rule::control},
      {"arguments", post_rule::arguments}, {"messages", post_rule::messages},
      {"order", post_rule::order},         {"completion", post_rule::completion},
  };
  for (const auto& [name, rule] : names)
    if (word == name)
      return rule;
  return post_rule::none;
}

/// Numbers with commas between; false if they are not so many.
bool read_numbers(const std::string& text, std::initializer_list<double*> into) {
  const char* at = text.c_str();
  for (double* const number : into) {
    char* end = nullptr;
    if (number != *into.begin() && *at++ != ',')
      return false;
    *number = std::strtod(at, &end);
    if (end == at)
      return false;
    at = end;
  }
  return *at == '\0'; // else a number is mistyped
}

std::optional<exchange_costs> exchange_costs_of(const std::string& text) {
  exchange_costs c;
  return read_numbers(text, {&c.latency, &c.of_byte, &c.progress, &c.send, &c.receive, &c.put, &c.put_latency,
                             &c.put_of_byte, &c.put_progress, &c.copy, &c.cores})
             ? std::optional(c)
             : std::nullopt;
}

std::optional<one_sided_costs> one_sided_costs_of(const std::string& text) {
  one_sided_costs c;
  double cores = 1;
  if (!read_numbers(text, {&c.put.alone, &c.put.together, &c.get.alone, &c.get.together, &c.accumulate.alone,
                           &c.accumulate.together, &c.flush, &c.copy, &cores}))
    return std::nullopt;
  c.cores = static_cast<int>(cores);
  return c;
}

/// What the command says of the platform; false if the word is about something else.
bool takes_choice(const std::string& word, platform_choices& into) {
  std::string value;
  if (takes("--pipeline", word, value))
    into.exchange = wish_of(value);
  else if (takes("--coalesce", word, value))
    into.coalescing = wish_of(value);
  else if (takes("--coalesce-factor", word, value))
    into.factor = std::strtoull(value.c_str(), nullptr, 10);
  else if (takes("--coalesce-memory", word, value))
    into.memory_limit = std::strtoull(value.c_str(), nullptr, 10);
  else if (takes("--exchange-costs", word, value))
    into.exchanges = exchange_costs_of(value);
  else if (takes("--described-eager-limit", word, value))
    into.eager_limit = std::strtoull(value.c_str(), nullptr, 10);
  else if (takes("--eager-limit", word, value))
    into.asked_eager_limit = std::strtoull(value.c_str(), nullptr, 10);
  else if (takes("--one-sided-costs", word, value))
    into.one_sided = one_sided_costs_of(value);
  else if (takes("--windows", word, value))
    into.windows = value == "unified"    ? window_memory::unified
                   : value == "separate" ? window_memory::separate
                                         : window_memory::unknown;
  else if (word == "--no-shared-memory")
    into.shares_memory = false;
  else if (word == "--coherent" || word == "--incoherent")
    into.caches = word == "--coherent" ? coherence::coherent : coherence::incoherent;
  else
    return false;
  return true;
}

request read_words(const std::vector<std::string>& words) {
  request made;
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (i == 0)
      made.mode = takes("overlay", word, made.overlay) ? "overlay" : word;
    else if (word == "--") {
      made.flags.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      made.has_flags = true;
      break;
    } else if (takes("--database", word, made.database) || word == "--quiet")
      made.quiet |= word == "--quiet";
    else if (word == "--only-unchecked")
      made.only_unchecked = true;
    else if (takes("--extra", word, value))
      made.extra.push_back(value);
    else if (takes("--assume", word, value))
      made.platform.assumed = assumption_of(value);
    else if (word == "--checked")
      made.platform.checked = true;
    else if (!takes_choice(word, made.platform.choices))
      made.files.push_back(word);
  }
  return made;
}

/// What was said, with its places spelled out: locations of Clang end with the translation unit.
struct spelled_finding {
  std::string level, file, code, text, note, decided_by;
  unsigned line = 0, column = 0;
};

struct results {
  std::vector<changed_file> files;
  std::vector<spelled_finding> said;
  bool wrong = false;
};

std::string_view word_of(severity level) {
  return level == severity::error ? "error" : level == severity::warning ? "warning" : "remark";
}

class reporter {
public:
  reporter(clang::DiagnosticsEngine& engine, const clang::SourceManager& sources, const request& asked)
      : engine_(engine), sources_(sources), asked_(asked) {}

  void say(const finding& f, results& into) {
    const clang::PresumedLoc at = sources_.getPresumedLoc(sources_.getExpansionLoc(f.where));
    const std::string code = f.code == reason::none ? "" : vocabulary::reason_label(f.code);
    const std::string text =
        f.text + (asked_.platform.checked && f.unchecked ? wording(remark::claims_unchecked) : "");
    into.said.push_back({std::string(word_of(f.level)), at.isValid() ? at.getFilename() : "", code, text,
                         f.note, f.decided_by, at.isValid() ? at.getLine() : 0,
                         at.isValid() ? at.getColumn() : 0});
    into.wrong |= f.level == severity::error;
    if (f.level == severity::remark && (asked_.quiet || (asked_.only_unchecked && !f.unchecked)))
      return;
    using level = clang::DiagnosticsEngine::Level;
    print(f.level == severity::error     ? level::Error
          : f.level == severity::warning ? level::Warning
                                         : level::Remark,
          f.where, text + (code.empty() ? "" : " [" + code + "]"));
    if (!f.note.empty())
      print(level::Note, f.note_at.isValid() ? f.note_at : f.where, f.note);
  }

private:
  void print(clang::DiagnosticsEngine::Level level, clang::SourceLocation at, const std::string& text) {
    engine_.Report(at, engine_.getDiagnosticIDs()->getCustomDiagID(
                           static_cast<clang::DiagnosticIDs::Level>(level), "%0"))
        << text;
  }

  clang::DiagnosticsEngine& engine_;
  const clang::SourceManager& sources_;
  const request& asked_;
};

/// Clang prints a line of source character by character, each by a system call: hundreds of warnings took half as long as the parse.
class buffered_errors {
public:
  buffered_errors() { llvm::errs().SetBuffered(); }
  ~buffered_errors() { llvm::errs().SetUnbuffered(); } // writes what is left
  buffered_errors(const buffered_errors&) = delete;
  buffered_errors& operator=(const buffered_errors&) = delete;
};

class consumer : public clang::ASTConsumer {
public:
  consumer(clang::CompilerInstance& compiler, const request& asked, results& into)
      : asked_(asked), into_(into), pragmas_(std::make_shared<collected_pragmas>()),
        without_warnings_(compiler.getDiagnostics().getIgnoreAllWarnings()) {
    collect_pragmas(compiler.getPreprocessor(), pragmas_);
    // What is compiled next is warned of then.
    if (asked.mode == "overlay")
      compiler.getDiagnostics().setIgnoreAllWarnings(true);
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) {
      into_.wrong = true; // the compiler has said why
      return;
    }
    context.getDiagnostics().setIgnoreAllWarnings(without_warnings_);
    transformation made = transform(context, *pragmas_, asked_.platform);
    const buffered_errors whole_lines;
    reporter report(context.getDiagnostics(), context.getSourceManager(), asked_);
    for (const finding& f : made.said)
      report.say(f, into_);
    for (changed_file& f : made.files)
      into_.files.push_back(std::move(f));
  }

private:
  const request& asked_;
  results& into_;
  std::shared_ptr<collected_pragmas> pragmas_;
  bool without_warnings_; ///< as the command line has it
};

class action : public clang::ASTFrontendAction {
public:
  action(const request& asked, results& into) : asked_(asked), into_(into) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<consumer>(compiler, asked_, into_);
  }

private:
  const request& asked_;
  results& into_;
};

class factory : public clang::tooling::FrontendActionFactory {
public:
  factory(const request& asked, results& into) : asked_(asked), into_(into) {}
  std::unique_ptr<clang::FrontendAction> create() override { return std::make_unique<action>(asked_, into_); }

private:
  const request& asked_;
  results& into_;
};

[[noreturn]] void fail(int code, const std::string& text) {
  std::fprintf(stderr, "tacit transform: %s\n", text.c_str());
  std::exit(code);
}

/// By flags behind `--`, by the folder that was named, or by the compile_commands.json above the file; otherwise none.
std::unique_ptr<clang::tooling::CompilationDatabase> database_for(const request& asked) {
  using namespace clang::tooling;
  std::string problem;
  if (asked.has_flags)
    return std::make_unique<FixedCompilationDatabase>(".", asked.flags);
  if (!asked.database.empty()) {
    auto found = CompilationDatabase::loadFromDirectory(asked.database, problem);
    if (!found)
      fail(wrong_usage, "there is no compile_commands.json in " + asked.database +
                            "; name the folder of the build with -p");
    return found;
  }
  auto found = CompilationDatabase::autoDetectFromSource(asked.files.front(), problem);
  return found ? std::move(found)
               : std::make_unique<FixedCompilationDatabase>(".", std::vector<std::string>{});
}

/// Plugins are for compiling, and other options of other compilers are none of ours.
clang::tooling::CommandLineArguments without_plugins(const clang::tooling::CommandLineArguments& words,
                                                     llvm::StringRef) {
  clang::tooling::CommandLineArguments made;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool with_next =
        word == "-mllvm" || (word == "-Xclang" && i + 1 < words.size() && words[i + 1] == "-load");
    if (with_next)
      i += word == "-mllvm" ? 1 : 3;
    else if (!word.starts_with("-fpass-plugin=") && !word.starts_with("-fplugin=") &&
             !word.starts_with("-flto") && !word.starts_with("-Rpass"))
      made.push_back(word);
  }
  return made;
}

/// One file at a time: of several, a ClangTool says at which it is, also where quiet was asked for.
int parse(const std::string& file, const clang::tooling::CompilationDatabase& database, const request& asked,
          results& into) {
  using namespace clang::tooling;
  ClangTool tool(database, {file});
  tool.setPrintErrorMessage(false);
  tool.appendArgumentsAdjuster(without_plugins);
  std::vector<std::string> extra = asked.extra;
  extra.insert(extra.end(), {"-resource-dir=" TACIT_CLANG_FOLDER, "-Wno-unknown-warning-option",
                             "-Qunused-arguments", "-Wno-unknown-pragmas"});
  tool.appendArgumentsAdjuster(getInsertArgumentAdjuster(extra, ArgumentInsertPosition::END));
  factory make(asked, into);
  return tool.run(&make);
}

bool parse_all(const request& asked, results& into) {
  const auto database = with_languages_of_files(database_for(asked));
  bool good = true;
  for (const std::string& file : asked.files)
    good &= parse(file, *database, asked, into) == 0;
  return good;
}

/// A file with several names keeps them: it is written in place, which a crash may leave half done.
bool write_in_place(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file.good();
}

void write_whole(const std::string& path, const std::string& text) {
  std::error_code none;
  if (fs::hard_link_count(path, none) > 1 && !none && fs::exists(path, none)) {
    if (!write_in_place(path, text))
      fail(input_has_errors, "could not write " + path + "; is the disk full, or the file not writable?");
    return;
  }
  const std::string draft = path + ".tacit-" + std::to_string(::getpid());
  std::ofstream(draft, std::ios::binary) << text;
  std::error_code error;
  const fs::perms mode = fs::status(path, error).permissions();
  if (!error)
    fs::permissions(draft, mode, error);
  std::ifstream check(draft, std::ios::binary | std::ios::ate);
  if (!check || static_cast<std::size_t>(check.tellg()) != text.size()) {
    fs::remove(draft, error);
    fail(input_has_errors, "could not write " + path + "; is the disk full, or the folder not writable?");
  }
  fs::rename(draft, path);
}

int write_json(const results& made) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const changed_file& f : made.files)
    files.push_back({{"path", f.path}, {"changed", f.before != f.after}, {"text", f.after}});
  nlohmann::ordered_json said = nlohmann::ordered_json::array();
  for (const spelled_finding& f : made.said)
    said.push_back({{"level", f.level},
                    {"file", f.file},
                    {"line", f.line},
                    {"column", f.column},
                    {"code", f.code},
                    {"text", f.text},
                    {"note", f.note},
                    {"decided_by", f.decided_by}});
  const nlohmann::ordered_json all = {{"files", files}, {"findings", said}};
  std::printf("%s\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  return made.wrong ? input_has_errors : done;
}

/// The changed texts where the compiler finds them under the names of the originals.
void write_overlay(const fs::path& folder, const results& made) {
  nlohmann::ordered_json roots = nlohmann::ordered_json::array();
  int count = 0;
  for (const changed_file& f : made.files) {
    if (f.before == f.after)
      continue;
    const fs::path copy = folder / (std::to_string(count++) + fs::path(f.path).extension().string());
    write_whole(copy.string(), with_lines_of(f.before, f.after));
    roots.push_back({{"type", "file"}, {"name", f.path}, {"external-contents", copy.string()}});
  }
  if (count == 0)
    return;
  const nlohmann::ordered_json overlay = {{"version", 0}, {"use-external-names", false}, {"roots", roots}};
  write_whole((folder / "overlay.yaml").string(), overlay.dump(2) + "\n");
}

void write_results(const request& asked, const results& made) {
  if (asked.mode == "overlay")
    return write_overlay(asked.overlay, made);
  for (const changed_file& f : made.files) {
    if (asked.mode == "print" && f.is_main)
      std::fwrite(f.after.data(), 1, f.after.size(), stdout);
    else if (asked.mode == "diff" && f.before != f.after)
      std::fputs(unified_diff(f.path, f.before, f.after).c_str(), stdout);
    else if (asked.mode == "write" && f.before != f.after)
      write_whole(f.path, f.after);
    if (asked.mode == "print" && !f.is_main && f.before != f.after)
      std::fprintf(stderr, "tacit transform: %s changes, too; --diff shows it and --write writes it\n",
                   f.path.c_str());
  }
}

/// Files that several translation units include are changed once, and only to what suits all of them: what an annotated statement does
/// may hang on macros of who includes it, and on the language.
void join_repetitions(results& made) {
  std::vector<changed_file> kept;
  std::set<std::string> differ;
  for (changed_file& f : made.files) {
    const auto same = [&](const changed_file& k) { return k.path == f.path; };
    const auto found = std::find_if(kept.begin(), kept.end(), same);
    if (found == kept.end())
      kept.push_back(std::move(f));
    else if (found->after != f.after)
      differ.insert(f.path);
  }
  for (changed_file& f : kept)
    if (differ.contains(f.path)) {
      f.after = f.before;
      const std::string text = wording(remark::differs_for_others);
      made.said.push_back({"warning", f.path, "", text, "", "", 0, 0});
      std::fprintf(stderr, "%s: warning: %s\n", f.path.c_str(), text.c_str());
    }
  made.files = std::move(kept);
}

} // namespace
} // namespace tacit::compiler

int main(int argc, char** argv) try {
  using namespace tacit::compiler;
  const request asked = read_words(std::vector<std::string>(argv + 1, argv + argc));
  if (asked.files.empty())
    fail(wrong_usage, "no file was named");
  results made;
  if (!parse_all(asked, made))
    made.wrong = true;
  join_repetitions(made);
  if (asked.mode == "json")
    return write_json(made);
  if (made.wrong)
    return input_has_errors;
  write_results(asked, made);
  return std::fflush(stdout) == 0 ? done : input_has_errors;
} catch (const std::exception& failure) { // memory lacks, or a fault of ours
  std::fprintf(stderr, "tacit transform: %s\n", failure.what());
  return tacit::compiler::input_has_errors;
}
