#include "surface/cli/manual.h"

#include "vocabulary/calls/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tacit::surface {
namespace {

/// Text of ours must not be taken for commands or minus signs of roff.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  return (out.starts_with('.') || out.starts_with('\'') ? "\\&" : "") + out;
}

std::string option_text(const option_entry& o) {
  std::vector<std::string> names;
  for (const std::string& name : o.names)
    names.push_back("\\fB" + plain(name) + "\\fR");
  const std::string value = o.choices.empty() ? o.value : fmt::format("{}", fmt::join(o.choices, "|"));
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                     value.empty() ? "" : fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", plain(value)),
                     plain(o.what));
}

std::string command_text(const command_entry& c) {
  std::string text = fmt::format(".SS tacit {}\n{}.\n", plain(c.path), plain(c.what));
  for (const auto* list : {&c.words, &c.options})
    for (const option_entry& o : *list)
      text += option_text(o);
  if (!c.footer.empty())
    text += ".PP\n" + plain(c.footer) + "\n";
  return text;
}

std::string values_of(const setting_row& row) {
  return row.values.kind == value_kind::words ? fmt::format("{}", fmt::join(words_of(row), ", "))
                                              : expected(row);
}

std::string setting_text(const setting_row& row) {
  return fmt::format(".TP\n\\fB{}\\fR ({})\n{} Values: {}{}{}.\n", row.variable, row.reader,
                     plain(row.meaning), plain(values_of(row)),
                     row.standard.empty() ? "" : fmt::format("; without it {}", plain(row.standard)),
                     row.key.empty() ? "" : fmt::format("; info key {}", row.key));
}

} // namespace

std::string manual_page(const command_entry& top) {
  std::string text =
      fmt::format(".TH TACIT 1 \"\" \"tacit {}\" \"User Commands\"\n.SH NAME\ntacit \\- {}\n", TACIT_VERSION,
                  "find the communication an MPI program means, explain it, and make it fast");
  text += ".SH SYNOPSIS\n\\fBtacit\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n"
          "\\fBtacit\\-cc\\fR, \\fBtacit\\-cxx\\fR, \\fBtacit\\-fc\\fR \\fIwords for the compiler\\fR\n"
          ".SH DESCRIPTION\n" +
          plain(top.what) +
          "\nResults go to standard output or to the file after \\fB\\-o\\fR, everything else to standard "
          "error.\n"
          "\\fBtacit\\-cc\\fR, \\fBtacit\\-cxx\\fR and \\fBtacit\\-fc\\fR are \\fBtacit cc\\fR, \\fBcxx\\fR "
          "and \\fBfc\\fR in one "
          "word, for build systems that take only one.\n";
  for (const option_entry& o : top.options)
    text += option_text(o);
  if (!top.footer.empty())
    text += ".PP\n" + plain(top.footer) + "\n";
  text += ".SH COMMANDS\n";
  for (const command_entry* c : flatten(top))
    if (!c->path.empty())
      text += command_text(*c);
  text += ".SH ENVIRONMENT\nAn empty value counts as not given. \\fBtacit doctor\\fR lists what is set.\n";
  for (const setting_row& row : settings())
    if (row.reader != "tests")
      text += setting_text(row);
  return text + ".SH EXIT STATUS\n0: done. 1: the input has errors, or nothing could be written. 2: wrong "
                "usage, or a file\n"
                "that cannot be read. \\fBtacit run\\fR: that of the command, 128 + the signal that killed "
                "it, or 127 if it "
                "could not be started.\n";
}

std::string settings_table() {
  std::string text =
      "| variable | info key | read by | values | without it | does |\n|---|---|---|---|---|---|\n";
  const auto code = [](std::string_view word) { return word.empty() ? "" : fmt::format("`{}`", word); };
  for (const setting_row& row : settings())
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.variable, code(row.key), row.reader,
                        values_of(row), code(row.standard), row.meaning);
  return text;
}

} // namespace tacit::surface
