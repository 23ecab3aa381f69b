// `tacit doctor`: will `tacit run` see what this program does? Compares what the program imports with what
// the recorder wraps, before anything is run.
#include "surface/cli/commands.h"
#include "surface/cli/coverage.h"
#include "surface/cli/files.h"
#include "surface/cli/launch_line.h"
#include "surface/cli/linked_mpi.h"
#include "surface/cli/own_files.h"
#include "surface/cli/result_folder.h"
#include "vocabulary/calls/reasons.h"
#include "vocabulary/calls/settings.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace tacit::surface {
namespace {

struct doctor_options {
  std::string program, interposer;
  bool json = false;
};

/// What was found out, in order.
class examination {
public:
  void fact(std::string_view what, std::string_view value) {
    lines_.push_back({what, std::string(value), {}});
  }
  void trouble(reason code, std::string_view what) {
    lines_.push_back({"PROBLEM", std::string(what), code});
    ++troubles_;
  }
  /// Names, which are shown as JSON; as text, those of a problem are said with it.
  void list(std::string_view what, const std::vector<std::string>& names) {
    lists_.emplace_back(what, names);
  }
  void conclude(std::string_view what) { conclusion_ = what; }
  void remark(std::string_view what) { lines_.push_back({"note", std::string(what), {}}); }
  bool has_problems() const { return troubles_ > 0; }
  std::string problems() const {
    std::string text;
    for (const line& l : lines_)
      if (l.code)
        text += text_of(l);
    return text;
  }
  int finish(bool json) const {
    write_file({}, json ? as_json() : as_text());
    return troubles_ == 0 ? done : input_has_errors;
  }

private:
  struct line {
    std::string_view what;
    std::string text;
    std::optional<reason> code;
  };

  static std::string text_of(const line& l) {
    return fmt::format("{:<12} {}{}\n", l.what, l.code ? reason_label(*l.code) + ": " : "", l.text);
  }

  std::string as_text() const {
    std::string text;
    for (const line& l : lines_)
      text += text_of(l);
    if (!conclusion_.empty())
      text += fmt::format("{:<12} {}\n", "conclusion", conclusion_);
    return text + (troubles_ == 0 ? "nothing speaks against recording this program\n" : "");
  }

  std::string as_json() const {
    nlohmann::ordered_json out{{"tacit", "doctor"}, {"format", 1}, {"fits", troubles_ == 0}};
    out["facts"] = nlohmann::ordered_json::object();
    out["settings"] = out["notes"] = out["problems"] = nlohmann::ordered_json::array();
    for (const line& l : lines_)
      if (l.code)
        out["problems"].push_back({{"code", reason_label(*l.code)}, {"message", l.text}});
      else if (l.what == "setting")
        out["settings"].push_back(l.text);
      else if (l.what == "note")
        out["notes"].push_back(l.text);
      else
        out["facts"][std::string(l.what)] = l.text;
    for (const auto& [what, names] : lists_)
      out["functions"][what] = names;
    out["conclusion"] = conclusion_;
    return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  }

  std::vector<line> lines_;
  std::vector<std::pair<std::string, std::vector<std::string>>> lists_;
  std::string conclusion_;
  int troubles_ = 0;
};

/// What is set is shown; what is misspelt, or has a value that its reader will not understand, is a problem.
void check_environment(examination& report) {
  for (const setting_row& row : settings())
    if (const std::string_view value = given(row.name); !value.empty()) {
      report.fact("setting", fmt::format("{}={} (read by: {})", row.variable, value, row.reader));
      if (const std::string fault = fault_of(row.name); !fault.empty())
        report.trouble(reason::bad_environment, fault);
    }
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (is_unknown_variable(name))
      report.trouble(reason::bad_environment, unknown_variable(name));
  }
}

/// Without a program: every variable there is, with its present value.
int list_settings(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::string text;
  for (const setting_row& row : settings()) {
    if (row.reader == "tests")
      continue;
    const std::string_view value = given(row.name);
    all.push_back({{"variable", row.variable},
                   {"info_key", row.key},
                   {"read_by", row.reader},
                   {"value", value},
                   {"default", row.standard},
                   {"expected", expected(row)},
                   {"meaning", row.meaning}});
    text += fmt::format("{:<28} {}\n{:<28} {}\n", row.variable,
                        !value.empty()         ? fmt::format("= {}", value)
                        : row.standard.empty() ? "not set"
                                               : fmt::format("not set: {}", row.standard),
                        "", row.meaning);
  }
  examination report;
  check_environment(report);
  if (json)
    write_file({}, all.dump(2) + "\n");
  else
    write_file({}, text + report.problems());
  return report.has_problems() ? input_has_errors : done;
}

/// Those that --apply takes over, by the names the program uses.
std::string neighborhood_calls(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    std::string small = name;
    for (char& c : small)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (small.find("neighbor_all") != std::string::npos)
      found.push_back(name);
  }
  return found.empty() ? "it calls no neighborhood collectives, so that 'tacit run --apply' changes nothing"
                       : fmt::format("'tacit run --apply' takes over {}", fmt::join(found, ", "));
}

/// Whether the program's library can also be had by the binary interface of MPI-5.0, which programs of several libraries
/// share.
std::string abi_in_words(const linked_objects& linked) {
  if (linked.family == "mpi-abi")
    return "the program uses it";
  const std::string library = abi_library_beside(linked.library);
  return library.empty() ? "not offered by this library" : "offered by this library, as " + library;
}

void check_coverage(examination& report, const linked_objects& linked, const std::string& interposer,
                    bool same_mpi) {
  const coverage seen = find_coverage(linked, interposer);
  if (seen.interfaces.empty())
    return;
  report.fact("interface", fmt::format("{}", fmt::join(seen.interfaces, ", ")));
  report.fact("coverage", fmt::format("{} of {} imported MPI functions that concern messages are seen",
                                      seen.wrapped.size(), seen.called()));
  report.list("wrapped", seen.wrapped);
  report.list("not wrapped", seen.missed);
  report.list("passed by", seen.passed_by);
  if (!seen.missed.empty())
    report.trouble(
        reason::record_only,
        fmt::format("no wrapper sees these functions, so that what they do is missing in a recording: {}",
                    fmt::join(seen.missed, ", ")));
  if (!seen.passed_by.empty())
    report.trouble(
        reason::record_only,
        fmt::format(
            "the program or its libraries call MPI by its profiling names, which pass every tool by: {}",
            fmt::join(seen.passed_by, ", ")));
  report.conclude(!same_mpi         ? "not with this tacit: it was built for another MPI library"
                  : seen.complete() ? "everything is seen: calls can be recorded and taken over; " +
                                          neighborhood_calls(seen.wrapped)
                                    : "record only: calls are unseen, so none will be taken over");
}

int examine(const doctor_options& options) {
  if (options.program.empty())
    return list_settings(options.json);
  examination report;
  const std::string program = find_executable(options.program);
  if (program.empty())
    throw user_error(wrong_usage,
                     fmt::format("there is no program '{}'; check the name and PATH", options.program));
  report.fact("program", program);
  check_environment(report);
  const linked_objects linked = inspect_program(program);
  if (linked.is_static) {
    report.trouble(reason::recording_incomplete,
                   "linked statically, so that the recorder cannot be loaded into it: link it with "
                   "libtacit-interpose.a");
  } else if (!linked.dynamic) {
    report.remark("no program of machine code: if it is a script, ask about the program it starts");
  } else if (linked.family.empty()) {
    report.remark("not linked with an MPI library (a program that loads MPI later, such as Python, is "
                  "recorded all the same)");
  } else {
    const std::string version = mpi_library_version(linked.library);
    report.fact("MPI", fmt::format("{}{}{} ({})", linked.family, version.empty() ? "" : ": ", version,
                                   linked.library.empty() ? "not found from here" : linked.library));
    report.fact("standard ABI", abi_in_words(linked));
  }
  report.fact("tacit", fmt::format("built for {}", own_mpi_family().empty() ? "no MPI" : own_mpi_family()));
  const bool same_mpi = linked.family.empty() || linked.family == own_mpi_family();
  if (!same_mpi)
    report.trouble(reason::wrong_mpi, fmt::format("use a tacit built for {}", linked.family));
  const std::string interposer = find_interposer(options.interposer).string();
  report.fact("recorder", interposer);
  if (linked.dynamic)
    check_coverage(report, linked, interposer, same_mpi);
  return report.finish(options.json);
}

} // namespace

command add_doctor(CLI::App& app) {
  auto options = std::make_shared<doctor_options>();
  CLI::App* sub = app.add_subcommand(
      "doctor", "say whether tacit run fits a program, and what is set in the environment");
  sub->add_option("PROGRAM", options->program,
                  "the MPI program; without it all variables are listed with their values");
  sub->add_option("--interposer", options->interposer,
                  "the recorder's library, if not the one that belongs to this tacit");
  sub->add_flag("--json", options->json, "as JSON");
  return [options] { return examine(*options); };
}

} // namespace tacit::surface
