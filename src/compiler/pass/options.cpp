#include "compiler/pass/options.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

namespace tacit::compiler {

namespace {

llvm::cl::OptionCategory category("tacit: overlap of communication and computation");
llvm::cl::opt<std::string> act("tacit-overlap", llvm::cl::desc("off, report (default) or apply"),
                               llvm::cl::cat(category));
llvm::cl::opt<std::string> mode("tacit-overlap-mode", llvm::cl::desc("conservative or aggressive (default)"),
                                llvm::cl::cat(category));
llvm::cl::opt<std::string> rename_sends("tacit-overlap-rename",
                                        llvm::cl::desc("send from copies: on (default) or off"),
                                        llvm::cl::cat(category));
llvm::cl::opt<std::string> poke("tacit-overlap-poke",
                                llvm::cl::desc("progress calls in windows: on (default) or off"),
                                llvm::cl::cat(category));
llvm::cl::opt<std::string> hoist("tacit-overlap-hoist",
                                 llvm::cl::desc("post messages earlier: on (default) or off"),
                                 llvm::cl::cat(category));
llvm::cl::opt<std::string> collectives(
    "tacit-overlap-collectives",
    llvm::cl::desc("nonblocking forms of blocking collectives: on, for all files of a program and "
                   "the libraries it calls; or off (default)"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> errors(
    "tacit-overlap-errors",
    llvm::cl::desc("MPI errors end the program: fatal (default); or return: error codes are looked at"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> graph("tacit-overlap-graph",
                                 llvm::cl::desc("file for the WaitGraph (.dot, or text)"),
                                 llvm::cl::cat(category));
llvm::cl::opt<std::string> window("tacit-overlap-window",
                                  llvm::cl::desc("smallest window worth a move, in instructions (40)"),
                                  llvm::cl::cat(category));
llvm::cl::opt<std::string>
    disable("tacit-overlap-disable",
            llvm::cl::desc("stages to leave out, separated by commas: inline, hoist, apart, copy, "
                           "compare, chunks, tests, poke"),
            llvm::cl::cat(category));

/// The option's value, else the environment variable's; empty if neither is given.
std::string value_of(const llvm::cl::opt<std::string>& option, const char* variable) {
  if (!option.empty())
    return option;
  return llvm::sys::Process::GetEnv(variable).value_or("");
}

void complain(const char* variable, const std::string& value, const char* expected) {
  llvm::errs() << "tacit: " << variable << "=" << value << " is not understood; expected " << expected
               << " [TACIT-082]\n";
}

template <class T>
T choose(const llvm::cl::opt<std::string>& option, const char* variable, T normal,
         std::initializer_list<std::pair<const char*, T>> values, const char* expected) {
  const std::string given = value_of(option, variable);
  for (const auto& [name, value] : values)
    if (given == name)
      return value;
  if (!given.empty())
    complain(variable, given, expected);
  return normal;
}

constexpr std::pair<const char*, stage> stages[] = {
    {"inline", stage::inlining}, {"hoist", stage::hoist},   {"apart", stage::apart}, {"copy", stage::copy},
    {"compare", stage::compare}, {"chunks", stage::chunks}, {"tests", stage::tests}, {"poke", stage::poke},
};

unsigned read_disabled() {
  const std::string given = value_of(disable, "TACIT_OVERLAP_DISABLE");
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::StringRef(given).split(names, ',', -1, /*KeepEmpty=*/false);
  unsigned bits = 0;
  for (const llvm::StringRef name : names) {
    const auto* found = llvm::find_if(stages, [&](const auto& one) { return name == one.first; });
    if (found == std::end(stages))
      complain("TACIT_OVERLAP_DISABLE", name.str(),
               "inline, hoist, apart, copy, compare, chunks, tests or poke");
    else
      bits |= 1U << static_cast<unsigned>(found->second);
  }
  return bits;
}

options read() {
  options made;
  made.act = choose(act, "TACIT_OVERLAP", action::report,
                    {{"off", action::off}, {"report", action::report}, {"apply", action::apply}},
                    "off, report or apply");
  made.mode = choose(mode, "TACIT_OVERLAP_MODE", motion::aggressive,
                     {{"conservative", motion::conservative}, {"aggressive", motion::aggressive}},
                     "conservative or aggressive");
  made.rename =
      choose(rename_sends, "TACIT_OVERLAP_RENAME", true, {{"on", true}, {"off", false}}, "on or off");
  made.poke = choose(poke, "TACIT_OVERLAP_POKE", true, {{"on", true}, {"off", false}}, "on or off");
  made.hoist = choose(hoist, "TACIT_OVERLAP_HOIST", true, {{"on", true}, {"off", false}}, "on or off");
  made.collectives =
      choose(collectives, "TACIT_OVERLAP_COLLECTIVES", false, {{"on", true}, {"off", false}}, "on or off");
  made.errors_return =
      choose(errors, "TACIT_OVERLAP_ERRORS", false, {{"fatal", false}, {"return", true}}, "fatal or return");
  made.disabled = read_disabled();
  made.rename &= made.has(stage::copy);
  made.poke &= made.has(stage::poke);
  made.hoist &= made.has(stage::hoist);
  made.graph = value_of(graph, "TACIT_OVERLAP_GRAPH");
  if (const std::string given = value_of(window, "TACIT_OVERLAP_WINDOW"); !given.empty())
    if (llvm::StringRef(given).getAsInteger(10, made.min_window))
      complain("TACIT_OVERLAP_WINDOW", given, "a number of instructions");
  return made;
}

} // namespace

const options& current_options() {
  static const options once = read();
  return once;
}

} // namespace tacit::compiler
