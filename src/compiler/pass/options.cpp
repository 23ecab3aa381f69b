#include "compiler/pass/options.h"

#include "vocabulary/calls/reasons.h"
#include "vocabulary/calls/settings.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

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
llvm::cl::opt<std::string> synchronous(
    "tacit-overlap-synchronous",
    llvm::cl::desc(
        "another file of the program sends in synchronous mode or cancels messages: on; or off (default)"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> check("tacit-overlap-check",
                                 llvm::cl::desc("for check mode, write what it looks at into the program: 0 "
                                                "(default) or 1"),
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

llvm::cl::opt<std::string>
    assume("tacit-overlap-assume", llvm::cl::Hidden,
           llvm::cl::desc("for tests: a condition that is taken to hold, so that wrong "
                          "code comes out: data, bytes, variables, user_code, calls, "
                          "control, ordering, waiting, status, errors"),
           llvm::cl::cat(category));

/// The option's value, else the environment variable's; empty if neither is given.
std::string value_of(const llvm::cl::opt<std::string>& option, setting name) {
  return option.empty() ? std::string(given(name)) : option.getValue();
}

/// Says what is wrong with a value, if something is: of the option if it was given, else of the variable.
void complain(const llvm::cl::opt<std::string>& option, const setting_row& row, const std::string& value) {
  const std::string where = option.empty() ? std::string(row.variable) : "-" + option.ArgStr.str();
  if (const std::string fault = fault_of(row, where, value); !fault.empty())
    llvm::errs() << "tacit: " << fault << " [" << reason_label(reason::bad_environment) << "]\n";
}

/// Which of the words in the table was given; if none was, the one that holds without.
std::size_t choose(const llvm::cl::opt<std::string>& option, setting name) {
  const setting_row& row = row_of(name);
  const std::string value = value_of(option, name);
  if (const auto word = word_index(row, value))
    return *word;
  if (!value.empty())
    complain(option, row, value);
  return word_index(row, row.standard).value_or(0);
}

unsigned choose_window() {
  const setting_row& row = row_of(setting::overlap_window);
  const std::string value = value_of(window, row.name);
  if (!value.empty())
    complain(window, row, value);
  return static_cast<unsigned>(whole_number(value).value_or(*whole_number(row.standard)));
}

/// A bit for each stage; the words of the table stand in their order.
unsigned read_disabled() {
  const setting_row& row = row_of(setting::overlap_disable);
  const std::string names = value_of(disable, row.name);
  llvm::SmallVector<llvm::StringRef, 8> each;
  llvm::StringRef(names).split(each, ',', -1, /*KeepEmpty=*/false);
  unsigned bits = 0;
  for (const llvm::StringRef name : each)
    if (const auto word = word_index(row, name))
      bits |= 1U << static_cast<unsigned>(*word);
  complain(disable, row, names);
  return bits;
}

options read() {
  options made;
  made.act =
      static_cast<action>(choose(act, setting::overlap)); // words stand in the order of the enumerators
  made.mode = static_cast<motion>(choose(mode, setting::overlap_mode));
  made.rename = choose(rename_sends, setting::overlap_rename) == 1;
  made.poke = choose(poke, setting::overlap_poke) == 1;
  made.hoist = choose(hoist, setting::overlap_hoist) == 1;
  made.collectives = choose(collectives, setting::overlap_collectives) == 1;
  made.errors_return = choose(errors, setting::overlap_errors) == 1;
  made.synchronous = choose(synchronous, setting::overlap_synchronous) == 1;
  made.check = choose(check, setting::overlap_check) == 1;
  made.disabled = read_disabled();
  made.rename &= made.has(stage::copy);
  made.poke &= made.has(stage::poke);
  made.hoist &= made.has(stage::hoist);
  made.graph = value_of(graph, setting::overlap_graph);
  made.min_window = choose_window();
  return made;
}

} // namespace

bool is_checked(condition one) {
  static constexpr llvm::StringLiteral names[] = {"data",    "bytes",    "variables", "user_code", "calls",
                                                  "control", "ordering", "waiting",   "status",    "errors"};
  return assume != names[static_cast<std::size_t>(one)];
}

const options& current_options() {
  static const options once = read();
  return once;
}

} // namespace tacit::compiler
