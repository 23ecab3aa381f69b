// The wrappers add as little as possible to a command line: the plugin when something is compiled, the hooks
// when something is linked. C and C++ go through MPI's own wrapper, which is told to run clang; Fortran does
// not, because those wrappers add options that only gfortran knows: MPI's C wrapper is asked where the
// library is. Everything else is passed on as it is, and the process becomes the compiler where it can.
#include "surface/cli/compiler_wrapper.h"

#include "surface/cli/annotation_choices.h"
#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/flang_module.h"
#include "surface/cli/mpi_program.h"
#include "surface/cli/own_files.h"
#include "surface/cli/transform_command.h"
#include "vocabulary/base/nearest.h"
#include "vocabulary/calls/reasons.h"
#include "vocabulary/calls/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace tacit::surface {
namespace {

enum class language : std::uint8_t { c, cxx, fortran };

struct request {
  language of = language::c;
  std::string act;                      ///< off, report, apply; empty: TACIT_OVERLAP decides
  std::string mpi;                      ///< openmpi or mpich
  std::string hooks;                    ///< an archive of another build
  std::string annotations;              ///< off, report, apply, check; what becomes of `#pragma mpi`
  std::string platform;                 ///< file with the description of the machine, by which they decide
  std::vector<std::string> words;       ///< for the compiler
  std::vector<std::string> chosen = {}; ///< what comes before the platform, as tacit-transform takes it
};

/// "--name=value".
bool takes(std::string_view name, const std::string& word, std::string& into) {
  if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=') {
    into = word.substr(name.size() + 1);
    return true;
  }
  return false;
}

void expect(std::string_view option, const std::string& value,
            std::initializer_list<std::string_view> known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw user_error(wrong_usage, fmt::format("{}={} is not understood; expected {}", option, value,
                                              fmt::join(known, ", ")));
}

void expect_setting(std::string_view option, const std::string& value, setting name) {
  if (const std::string fault = fault_of(row_of(name), option, value); !fault.empty())
    throw user_error(wrong_usage, fault);
}

bool has_value_of_its_own(const std::string& word) {
  static constexpr std::array options{
      "-o",       "-I",       "-D",          "-U",      "-L",      "-l",
      "-include", "-isystem", "-x",          "-Xclang", "-MF",     "-MT",
      "-MQ",      "-Xlinker", "-mllvm",      "-Xflang", "-J",      "-module-dir",
      "-T",       "-u",       "-idirafter",  "-iquote", "-target", "-Xpreprocessor",
      "-arch",    "-imacros", "-Xassembler", "--param", "-z"};
  return std::find(options.begin(), options.end(), word) != options.end();
}

constexpr std::string_view name_of(language of) {
  return of == language::c ? "cc" : of == language::cxx ? "cxx" : "fc";
}

/// The compiler would call a mistyped option of ours unknown, and could not say which one was meant. No long option of clang, flang or
/// GCC is as near to one of ours as `nearest` asks for; with the dashes, which are always right, clang's --vfsoverlay would be.
void expect_no_mistyped_option(language of, const std::string& word) {
  if (!word.starts_with("--"))
    return;
  const std::string_view name = std::string_view(word).substr(2, word.find('=') - 2);
  std::vector<std::string_view> known{"overlap", "annotations", "platform", "mpi", "hooks"};
  for (const annotation_choice& c : annotation_choices())
    known.push_back(std::string_view(c.name).substr(2));
  const std::string_view meant = nearest(name, known);
  if (meant.empty())
    return;
  const std::string fault = name == meant
                                ? fmt::format("--{0} needs a value, in one word with it: --{0}=…", name)
                                : fmt::format("there is no option '--{}' (did you mean --{}?)", name, meant);
  throw user_error(wrong_usage, fmt::format("{}; 'tacit {} --help' lists them", fault, name_of(of)));
}

request read_words(language of, const std::vector<std::string>& words) {
  request made{of, "", own_mpi_family(), "", "off", "", {}};
  bool is_value = false; // of the word before
  for (const std::string& word : words)
    if (word == "--annotations")
      made.annotations = "apply";
    else if (!is_value && of != language::fortran && choice_in(word))
      made.chosen.push_back(word);
    else if (!takes("--overlap", word, made.act) && !takes("--mpi", word, made.mpi) &&
             !takes("--hooks", word, made.hooks) && !takes("--annotations", word, made.annotations) &&
             !takes("--platform", word, made.platform)) {
      if (!is_value)
        expect_no_mistyped_option(of, word);
      is_value = !is_value && has_value_of_its_own(word);
      made.words.push_back(word);
    }
  if (!made.act.empty())
    expect_setting("--overlap", made.act, setting::overlap);
  if (made.mpi.empty())
    throw user_error(wrong_usage,
                     "this tacit was built without MPI; name one with --mpi=openmpi or --mpi=mpich");
  expect("--mpi", made.mpi, {"openmpi", "mpich"});
  expect("--annotations", made.annotations, {"off", "report", "apply", "check"});
  expect_one_memory(made.chosen);
  return made;
}

bool ends_with_any(std::string_view word, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view end) { return word.ends_with(end); });
}

std::string required(std::string path, const char* file, const char* remedy) {
  if (path.empty())
    throw user_error(wrong_usage,
                     fmt::format("there is no {} in the library folder of tacit; {}", file, remedy));
  return path;
}

std::string plugin() {
  return find_own_file("TacitPass.so").string();
}
std::string own_hooks() {
  return find_own_file("libtacit-hooks.a").string();
}

std::string hooks_for(const request& asked) {
  if (!asked.hooks.empty())
    return asked.hooks;
  if (asked.mpi != own_mpi_family())
    throw user_error(
        wrong_usage,
        fmt::format("the hooks of this tacit were built for {} and do not fit {}; use the tacit that was "
                    "built for {}, or name its library with --hooks=…/libtacit-hooks.a",
                    own_mpi_family(), asked.mpi, asked.mpi));
  return required(own_hooks(), "libtacit-hooks.a",
                  "build it with -DTACIT_WITH_MPI=ON, or name it with --hooks");
}

/// Checked programs are not optimized, so that nothing moves in them: that is said only to who asks for the pass, in whatever way.
bool is_off(const request& asked) {
  const std::string act(asked.act.empty() ? given(setting::overlap) : std::string_view(asked.act));
  return act == "off" || (asked.annotations == "check" && act.empty());
}

/// What the pass needs on this command line, apart from what the user wrote.
struct additions {
  std::vector<std::string> before, after;
};

void ask_for_remarks(additions& to, const compilation& what) {
  if (what.whole)
    to.before.push_back("-gline-tables-only"); // the linker knows of lines only what is in the objects
  for (const char* kind : {"missed", "analysis"}) {
    if (!what.whole)
      to.before.push_back(fmt::format("-Rpass-{}=mpi-overlap", kind));
    else if (what.links)
      to.before.push_back(fmt::format("-Wl,-mllvm,-pass-remarks-{}=mpi-overlap", kind));
  }
}

/// Whoever builds the project may have asked for the pass already (CMake's tacit_overlap), and twice is once too often.
bool loads_the_pass(const request& asked) {
  return std::any_of(asked.words.begin(), asked.words.end(), [](const std::string& word) {
    return word.find("pass-plugin=") != std::string::npos && word.ends_with("TacitPass.so");
  });
}

additions additions_for(const request& asked, const compilation& what) {
  additions made;
  if (what.asks || !what.has_input || is_off(asked))
    return made;
  const std::string pass = required(
      plugin(), "TacitPass.so", "build tacit where LLVM 19 is installed (llvm-19-dev), or use --overlap=off");
  // With link-time optimization the pass sees the whole program, and acts only then.
  const bool there = loads_the_pass(asked);
  if (!what.whole && !there)
    made.before.push_back("-fpass-plugin=" + pass);
  if (what.links && what.whole)
    made.before.push_back("-fuse-ld=lld");
  if (what.links && what.whole && !there)
    made.before.push_back("-Wl,--load-pass-plugin=" + pass);
  if (what.links)
    made.after.push_back(hooks_for(asked));
  // Who asks for the report on the command line wants to read it; who has it in the environment, or says what
  // to print, does not need more.
  const bool chosen = std::any_of(asked.words.begin(), asked.words.end(),
                                  [](const std::string& word) { return word.starts_with("-Rpass"); });
  if (asked.act == "report" && !chosen)
    ask_for_remarks(made, what);
  return made;
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  execute(words);
  throw user_error(127,
                   fmt::format("could not start {}: {}; is it installed?", words[0], std::strerror(errno)));
}

/// `-x c++` holds for all files behind it, so for archives, too.
bool says_language(const std::string& word) {
  return word.starts_with("-x");
}

bool is_archive(const std::string& word) {
  return word.ends_with(".a");
}

std::vector<std::string> joined(std::vector<std::string> line, const request& asked, const additions& added) {
  line.insert(line.end(), added.before.begin(), added.before.end());
  line.insert(line.end(), asked.words.begin(), asked.words.end());
  if (std::any_of(asked.words.begin(), asked.words.end(), says_language) &&
      std::any_of(added.after.begin(), added.after.end(), is_archive))
    line.insert(line.end(), {"-x", "none"});
  line.insert(line.end(), added.after.begin(), added.after.end());
  return line;
}

/// The compiler that a variable of MPI's wrapper names has to be one that can load the pass.
void expect_clang(const char* variable) {
  const char* chosen = std::getenv(variable);
  if (!chosen || !*chosen)
    return;
  std::istringstream text(chosen);
  std::vector<std::string> words(std::istream_iterator<std::string>(text), {});
  words.emplace_back("--version");
  if (output_of(words).find("clang version 19.") == std::string::npos)
    throw user_error(
        wrong_usage,
        fmt::format("{}={} names a compiler that cannot load the overlap pass, which is made for "
                    "clang 19; unset {}, or compile with --overlap=off",
                    variable, chosen, variable));
}

bool is_c_source(const std::string& word) {
  return !word.starts_with("-") && ends_with_any(word, {".c", ".cc", ".cpp", ".cxx", ".C", ".c++"});
}

/// The files of C and C++ on the command line, and all other words that say how they are compiled.
void sort_words(const std::vector<std::string>& words, std::vector<std::string>& sources,
                std::vector<std::string>& flags) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_c_source(words[i])) {
      sources.push_back(words[i]);
    } else if (words[i].starts_with("-")) {
      flags.push_back(words[i]);
      if (has_value_of_its_own(words[i]) && i + 1 < words.size())
        flags.push_back(words[++i]);
    }
  }
}

bool transforms(const request& asked) {
  return asked.annotations == "apply" || asked.annotations == "check";
}

/// Every load and store calls the run time (src/compiler/coalesce/accesses.h). Optimized code also loads what the program does not ask for, and
/// what copies bytes stays a call where the compiler would make loads and stores of it that call nobody.
void add_checks(additions& to, const compilation& what) {
  to.before.insert(to.before.end(), {"-fsanitize-coverage=func,trace-loads,trace-stores", "-DTACIT_CHECKED",
                                     "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"});
  to.after.emplace_back("-O0");
  if (what.links)
    to.after.insert(to.after.end(),
                    {"-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",
                     "-Wl,--wrap=__asan_memcpy,--wrap=__asan_memmove,--wrap=__asan_memset",
                     "-Wl,-u,tacit_checks_windows",
                     required(find_own_file("libtacit-coalesce-check.a").string(),
                              "libtacit-coalesce-check.a", "build it with -DTACIT_WITH_MPI=ON")});
}

/// The annotated sources as the compiler shall read them, and what it then needs: a file for -ivfsoverlay, if anything changed.
int transform_sources(const request& asked, const std::string& folder) {
  std::vector<std::string> sources;
  std::vector<std::string> flags;
  sort_words(asked.words, sources, flags);
  if (sources.empty())
    return done;
  std::vector<std::string> line = transformer_line("overlay=" + folder, asked.mpi);
  if (asked.of == language::cxx)
    line.emplace_back("--extra=--driver-mode=g++");
  if (asked.annotations == "apply")
    line.emplace_back("--quiet");
  if (asked.annotations == "check")
    line.insert(line.end(), {"--checked", "--only-unchecked"});
  for (std::string& word : platform_words(asked.platform))
    line.push_back(std::move(word));
  line.insert(line.end(), asked.chosen.begin(), asked.chosen.end());
  line.insert(line.end(), sources.begin(), sources.end());
  line.emplace_back("--");
  line.insert(line.end(), flags.begin(), flags.end());
  return run_child(line).exit_code;
}

/// Source to source first, then as always: the compiler finds the changed text under the name of the original.
int compile_annotated(const request& asked, const std::string& wrapper, additions added) {
  const compilation what = look_at(asked.words);
  const temporary_folder folder("annotations");
  if (!what.asks)
    if (const int failed = transform_sources(asked, folder.path.string()))
      return failed;
  added.after.emplace_back("-Wno-unknown-pragmas"); // they have been looked at
  const std::filesystem::path overlay = folder.path / "overlay.yaml";
  if (transforms(asked) && std::filesystem::exists(overlay)) {
    added.before.insert(added.before.end(), {"-ivfsoverlay", overlay.string()});
    if (const std::string include = own_include_folder(); !include.empty())
      added.before.insert(added.before.end(), {"-idirafter", include});
  }
  if (asked.annotations == "check")
    add_checks(added, what);
  if (what.links && transforms(asked))
    added.after.push_back(required(find_own_file("libtacit-coalesce.a").string(), "libtacit-coalesce.a",
                                   "build it with -DTACIT_WITH_MPI=ON"));
  return run_child(joined({wrapper}, asked, added)).exit_code;
}

int compile_c(const request& asked) {
  const bool plus = asked.of == language::cxx;
  const char* compiler = plus ? "clang++-19" : "clang-19";
  const additions added = additions_for(asked, look_at(asked.words));
  // What the user has chosen stays.
  const char* open_mpi = plus ? "OMPI_CXX" : "OMPI_CC";
  const char* mpich = plus ? "MPICH_CXX" : "MPICH_CC";
  if (!added.before.empty() || !added.after.empty() || asked.annotations != "off")
    expect_clang(asked.mpi == "openmpi" ? open_mpi : mpich);
  ::setenv(open_mpi, compiler, 0);
  ::setenv(mpich, compiler, 0);
  const std::string wrapper = mpi_wrapper(asked.mpi, plus ? "mpicxx" : "mpicc");
  if (asked.annotations != "off")
    return compile_annotated(asked, wrapper, added);
  become(joined({wrapper}, asked, added));
}

bool uses_f08(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string name;
    std::istringstream words(line);
    if (words >> name && name == "use" && line.find("mpi_f08") < line.find('!'))
      return true;
  }
  return false;
}

void explain_f08(const request& asked) {
  for (const std::string& word : asked.words)
    if (ends_with_any(word,
                      {".f90", ".F90", ".f", ".F", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".for"}) &&
        uses_f08(word))
      std::fprintf(
          stderr,
          "tacit: %s uses the module mpi_f08, which tacit fc does not offer (the module of this MPI was made "
          "by another compiler); write `use mpi` or include 'mpif.h' [%s]\n",
          word.c_str(), reason_label(reason::binding_not_followed).c_str());
}

int compile_fortran(const request& asked) {
  const compilation what = look_at(asked.words);
  const std::string_view chosen = given(setting::fc);
  const std::string compiler(chosen.empty() ? row_of(setting::fc).standard : chosen);
  if (what.asks || !what.has_input)
    become(joined({compiler}, asked, {}));
  const mpi_paths mpi = paths_of_mpi(mpi_wrapper(asked.mpi, "mpicc"));
  additions added = additions_for(asked, what);
  // First of all: beside mpif.h there may be a module that only gfortran can read.
  added.before.push_back("-I" + flang_module_folder(compiler, mpi));
  added.before.insert(added.before.end(), mpi.include_options.begin(), mpi.include_options.end());
  if (what.links) {
    added.after.insert(added.after.end(), mpi.link_options.begin(), mpi.link_options.end());
    const bool open_mpi = asked.mpi == "openmpi";
    added.after.insert(added.after.end(),
                       {open_mpi ? "-lmpi_mpifh" : "-lmpichfort", open_mpi ? "-lmpi" : "-lmpich"});
  }
  const child_result result = run_child(joined({compiler}, asked, added));
  if (result.exit_code != 0)
    explain_f08(asked);
  return result.exit_code;
}

/// Before the compiler's own help, which follows.
void explain_wrapper(language of) {
  const char* name = name_of(of).data();
  const char* what = of == language::fortran ? "Fortran MPI programs with flang (or TACIT_FC)"
                     : of == language::cxx   ? "C++ MPI programs with MPI's mpicxx and clang"
                                             : "C MPI programs with MPI's mpicc and clang";
  std::printf(
      "tacit %s: compiles %s, with the overlap pass.\n"
      "Usage: tacit %s [--overlap=off|report|apply] [--annotations[=off|report|apply|check]] "
      "[--platform=FILE] [--mpi=openmpi|mpich "
      "--hooks=FILE] words for the compiler\n\n"
      "  --overlap=off     as if the pass were not there\n"
      "  --overlap=report  say for each MPI call what could be done and why not (default)\n"
      "  --overlap=apply   transform; else the variable TACIT_OVERLAP decides\n"
      "  --annotations     transform what `#pragma mpi` is said of, before compiling (C and C++);\n"
      "                    =report only says what could be done; the default is off;\n"
      "                    =check makes a slow program that says which claims are not true, and remarks\n"
      "                    on those that it does not check\n"
      "  --platform=FILE   of tacit platform, of the machine it will run on: what pragmas leave open is "
      "decided by it\n"
      "  --pipeline=, --coalesce=, --coalesce-factor=, --coalesce-memory=, --eager-limit=, --coherent, "
      "--incoherent\n"
      "                    likewise by you (tacit transform --help)\n"
      "  --mpi=NAME        another MPI than the one tacit was built for (%s), with the\n"
      "  --hooks=FILE      libtacit-hooks.a of a build for that MPI\n\n"
      "Add -flto when compiling and linking to look at the whole program. More options: docs/overlap.md.\n"
      "What follows is the help of the compiler.\n\n",
      name, what, name, own_mpi_family().c_str());
  std::fflush(stdout);
}

int compile(const request& asked) {
  if (std::find(asked.words.begin(), asked.words.end(), "--help") != asked.words.end())
    explain_wrapper(asked.of);
  if (!asked.act.empty())
    ::setenv("TACIT_OVERLAP", asked.act.c_str(), 1);
  return asked.of == language::fortran ? compile_fortran(asked) : compile_c(asked);
}

/// What stands in front of the compiler is ours alone.
[[noreturn]] void refuse_option_of_launch(const std::string& word) {
  std::vector<std::string_view> known{"--platform"};
  for (const annotation_choice& c : annotation_choices())
    known.emplace_back(c.name);
  const std::string name = word.substr(0, word.find('='));
  if (std::find(known.begin(), known.end(), name) != known.end())
    throw user_error(
        wrong_usage,
        fmt::format("{} is not understood: options with a value have it behind =, the others have none",
                    word));
  throw user_error(wrong_usage, fmt::format("launch has no option '{}'{}; it has {}", name,
                                            vocabulary::did_you_mean(name, known), fmt::join(known, ", ")));
}

/// What build systems put in front of a compiler: the same command line, with annotated sources transformed.
int launch(std::vector<std::string> words) {
  std::string platform;
  std::vector<std::string> chosen;
  while (!words.empty() && (takes("--platform", words[0], platform) || choice_in(words[0]))) {
    if (choice_in(words[0]))
      chosen.push_back(words[0]);
    words.erase(words.begin());
  }
  expect_one_memory(chosen);
  if (words.empty())
    throw user_error(wrong_usage, "launch is followed by the command line of a compiler");
  if (words[0].starts_with("--"))
    refuse_option_of_launch(words[0]);
  if (output_of({words[0], "--version"}).find("clang") == std::string::npos)
    throw user_error(
        wrong_usage,
        fmt::format("{} is not clang, which alone can read transformed sources under the names of the "
                    "originals; choose clang, or write them with tacit transform -i",
                    words[0]));
  const bool plus = words[0].find("++") != std::string::npos;
  const request asked{plus ? language::cxx : language::c, "",    own_mpi_family(), "", "apply", platform,
                      {words.begin() + 1, words.end()},   chosen};
  return compile_annotated(asked, words[0], {});
}

int print_path(const std::string& path, const char* file, const char* remedy) {
  std::printf("%s\n", required(path, file, remedy).c_str());
  return done;
}

/// The words of a response file, near enough to see what is asked for.
std::vector<std::string> words_in(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// For the manual page and the completions; a command line of a compiler is read by read_words.
void describe_annotation_options(CLI::App& sub) {
  static std::vector<std::string> unread;
  sub.add_option_function<std::string>(
         "--annotations", [](const std::string&) {},
         "transform what `#pragma mpi` is said of, before compiling")
      ->check(CLI::IsMember({"off", "report", "apply", "check"}));
  sub.add_option_function<std::string>(
      "--platform", [](const std::string&) {},
      "description of the machine it will run on, of tacit platform");
  add_annotation_choices(sub, unread);
}

} // namespace

std::string mpi_wrapper(const std::string& family, const char* plain) {
  std::string named = fmt::format("{}.{}", plain, family);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access(fmt::format("{}/{}", folder, named).c_str(), X_OK) == 0)
      return named;
  return plain;
}

compilation look_at(const std::vector<std::string>& words) {
  compilation seen;
  bool stops_early = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("@")) {
      const compilation inside = look_at(words_in(word.substr(1)));
      seen.has_input |= inside.has_input;
      seen.whole |= inside.whole;
      stops_early |= inside.has_input && !inside.links;
    } else if (word == "-" || !word.starts_with("-")) {
      seen.has_input = true;
    } else if (has_value_of_its_own(word)) {
      ++i;
    } else {
      seen.asks |= word.starts_with("-show") || word.starts_with("--show") || word == "--version" ||
                   word.starts_with("-print-") || word.starts_with("--print-") || word.starts_with("-dump") ||
                   word == "-###" || word == "--help" || word == "-link_info" || word == "-compile_info" ||
                   word == "-compile-info" || word == "-link-info";
      seen.whole = word.starts_with("-flto") || (seen.whole && word != "-fno-lto");
      stops_early |= word == "-c" || word == "-S" || word == "-E" || word == "-M" || word == "-MM" ||
                     word == "-fsyntax-only" || word == "-emit-ast" || word == "--precompile" || word == "-r";
    }
  }
  seen.links = seen.has_input && !stops_early;
  return seen;
}

std::optional<int> compiler_command(const std::vector<std::string>& line) {
  if (line.size() < 2)
    return std::nullopt;
  const std::string& first = line[1];
  if (first == "--pass")
    return print_path(plugin(), "TacitPass.so", "build tacit where LLVM 19 is installed (llvm-19-dev)");
  if (first == "--hooks")
    return print_path(own_hooks(), "libtacit-hooks.a", "build it with -DTACIT_WITH_MPI=ON");
  if (first == "--coalesce")
    return print_path(find_own_file("libtacit-coalesce.a").string(), "libtacit-coalesce.a",
                      "build it with -DTACIT_WITH_MPI=ON");
  const std::vector<std::string> words(line.begin() + 2, line.end());
  if (first == "launch")
    return launch(words);
  if (first == "cc")
    return compile(read_words(language::c, words));
  if (first == "cxx" || first == "c++")
    return compile(read_words(language::cxx, words));
  if (first == "fc")
    return compile(read_words(language::fortran, words));
  return std::nullopt;
}

void describe_compiler_commands(CLI::App& app) {
  CLI::App* c = app.add_subcommand(
      "cc", "compile C: MPI's compiler with clang and the overlap pass (--overlap=off|report|apply)");
  CLI::App* cxx = app.add_subcommand("cxx", "compile C++ likewise");
  for (CLI::App* sub : {c, cxx})
    describe_annotation_options(*sub);
  app.add_subcommand("fc", "compile Fortran likewise, with flang");
  app.footer("tacit --pass and tacit --hooks print where the compiler plugin and its run-time functions are, "
             "tacit --coalesce where those of annotated programs are.");
}

} // namespace tacit::surface
