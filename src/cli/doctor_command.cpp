// `tacit doctor`: will `tacit run` see what this program does? Compares what the program imports with what
// the recorder wraps, before anything is run.
#include "calls/mpi_calls.h"
#include "calls/reasons.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/launch_line.h"
#include "cli/linked_mpi.h"
#include "cli/result_folder.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <unistd.h>

namespace tacit::cli {
namespace {

struct doctor_options {
  std::string program, interposer;
};

class examination {
public:
  void fact(std::string_view what, std::string_view value) {
    text_ += fmt::format("{:<12} {}\n", what, value);
  }
  void trouble(reason code, std::string_view what) {
    text_ += fmt::format("{:<12} {}: {}\n", "PROBLEM", reason_label(code), what);
    ++troubles_;
  }
  void remark(std::string_view what) { text_ += fmt::format("{:<12} {}\n", "note", what); }
  int finish() {
    if (troubles_ == 0)
      text_ += "all well: tacit run will see this program's messages\n";
    write_file({}, text_);
    return troubles_ == 0 ? done : input_has_errors;
  }

private:
  std::string text_;
  int troubles_ = 0;
};

void check_environment(examination& report) {
  constexpr std::string_view known[] = {"TACIT_RECORD", "TACIT_HASH",    "TACIT_CHAIN",
                                        "TACIT_DRIVER", "TACIT_OVERLAP", "TACIT_EXPECTED_RANKS"};
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (name.starts_with("TACIT_") && std::find(std::begin(known), std::end(known), name) == std::end(known))
      report.trouble(reason::bad_environment,
                     fmt::format("{} is no variable of tacit; it has no effect", name));
  }
}

/// Calls that neither move nor complete messages need not be recorded.
bool matters(const std::string& name) {
  const call_row* row = find_call(std::string_view(name));
  return !row || row->kind != call_class::local;
}

bool is_fortran(const std::string& name) {
  return name.starts_with("mpi_");
}

void check_coverage(examination& report, const linked_objects& linked, const std::string& interposer) {
  const std::vector<std::string> wrapped = read_mpi_symbols(interposer).defined;
  std::vector<std::string> called;
  for (const std::string& object : linked.objects) {
    const std::vector<std::string> imported = read_mpi_symbols(object).imported;
    std::copy_if(imported.begin(), imported.end(), std::back_inserter(called), matters);
  }
  std::sort(called.begin(), called.end());
  called.erase(std::unique(called.begin(), called.end()), called.end());
  std::vector<std::string> missed;
  std::set_difference(called.begin(), called.end(), wrapped.begin(), wrapped.end(),
                      std::back_inserter(missed));
  report.fact("coverage", fmt::format("{} of {} imported MPI functions that concern messages are recorded",
                                      called.size() - missed.size(), called.size()));
  const auto fortran = static_cast<std::size_t>(std::count_if(missed.begin(), missed.end(), is_fortran));
  if (fortran > 0)
    report.trouble(
        reason::recording_incomplete,
        fmt::format(
            "{} functions are called through MPI's Fortran interface, which this version does not record",
            fortran));
  std::string names;
  for (const std::string& name : missed)
    if (!is_fortran(name))
      names += (names.empty() ? "" : ", ") + name;
  if (!names.empty())
    report.remark("not recorded: " + names);
}

int examine(const doctor_options& options) {
  examination report;
  const std::string program = find_executable(options.program);
  if (program.empty())
    throw user_error(wrong_usage,
                     fmt::format("there is no program '{}'; check the name and PATH", options.program));
  report.fact("program", program);
  check_environment(report);
  const linked_objects linked = inspect_program(program);
  if (!linked.dynamic) {
    report.remark("not a dynamically linked program: if it is a script, ask about the program it starts; a "
                  "static program needs to be linked with libtacit-interpose.a");
  } else if (linked.family.empty()) {
    report.remark("not linked with an MPI library (a program that loads MPI later, such as Python, is "
                  "recorded all the same)");
  } else {
    report.fact("MPI", fmt::format("{} ({})", linked.family, linked.library));
  }
  report.fact("tacit", fmt::format("built for {}", *TACIT_MPI_FAMILY ? TACIT_MPI_FAMILY : "no MPI"));
  if (!linked.family.empty() && linked.family != TACIT_MPI_FAMILY)
    report.trouble(reason::wrong_mpi, fmt::format("use a tacit built for {}", linked.family));
  const std::string interposer = find_interposer(options.interposer).string();
  report.fact("recorder", interposer);
  if (linked.dynamic)
    check_coverage(report, linked, interposer);
  return report.finish();
}

} // namespace

command add_doctor(CLI::App& app) {
  auto options = std::make_shared<doctor_options>();
  CLI::App* sub = app.add_subcommand("doctor", "say whether tacit run fits a program");
  sub->add_option("PROGRAM", options->program, "the MPI program")->required();
  sub->add_option("--interposer", options->interposer,
                  "the recorder's library, if not the one that belongs to this tacit");
  return [options] { return examine(*options); };
}

} // namespace tacit::cli
