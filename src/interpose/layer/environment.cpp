#include "interpose/layer/environment.h"

#include "vocabulary/base/amounts.h"
#include "vocabulary/base/launched.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace tacit::interpose {

namespace {

/// 0 or 1; if it is neither, what holds without it.
bool switch_value(setting name, std::vector<std::string>& problems) {
  const setting_row& row = row_of(name);
  if (const std::string fault = fault_of(name); !fault.empty())
    problems.push_back(fault + "; using " + std::string(row.standard));
  return word_index(row, given(name)).value_or(*word_index(row, row.standard)) == 1;
}

/// Bytes; 0 if none are given. What cannot be read is a limit that nothing keeps to.
std::uint64_t amount_value(setting name, std::vector<std::string>& problems) {
  const std::string_view text = given(name);
  const auto bytes = vocabulary::read_bytes(text);
  if (!text.empty() && !bytes)
    problems.push_back(std::string(row_of(name).variable) + " is \"" + std::string(text) +
                       "\", but must be an amount such as 512MiB; there is no limit");
  return bytes.value_or(0);
}

environment read_environment() {
  environment e;
  e.record = given(setting::record);
  e.apply = switch_value(setting::apply, e.problems);
  e.hash = switch_value(setting::hash, e.problems);
  e.fold = switch_value(setting::fold, e.problems);
  e.max_size = amount_value(setting::max_size, e.problems);
  e.chain = switch_value(setting::chain, e.problems);
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (is_unknown_variable(name))
      e.problems.push_back(unknown_variable(name));
  }
  std::sort(e.problems.begin(), e.problems.end());
  return e;
}

} // namespace

const environment& settings() {
  static const environment& read =
      *new environment(read_environment()); // never destroyed: used until the end
  return read;
}

void leave_mark(reached what) {
  const std::string file(given(setting::marker_file));
  const int mark = file.empty() ? -1 : open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (mark < 0)
    return;
  [[maybe_unused]] const ssize_t done = write(mark, &what, 1);
  close(mark);
}

void say(reason code, const std::string& text) {
  const std::string line = "tacit: " + reason_label(code) + ": " + text + "\n";
  // One write(): lines of several ranks must not mix, and stdio belongs to the program.
  [[maybe_unused]] const ssize_t done = write(STDERR_FILENO, line.data(), line.size());
}

bool launched_as_other_rank() {
  return launched_rank().value_or(0) != 0;
}

} // namespace tacit::interpose
