#include "interpose/layer/environment.h"

#include "vocabulary/calls/variables.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace tacit::interpose {

namespace {

bool switch_value(const char* name, bool standard, std::vector<std::string>& problems) {
  const char* value = std::getenv(name);
  if (!value || !*value)
    return standard;
  if (std::strcmp(value, "0") == 0)
    return false;
  if (std::strcmp(value, "1") == 0)
    return true;
  problems.push_back(std::string(name) + "=" + value + " is not understood (0 or 1); using " +
                     (standard ? "1" : "0"));
  return standard;
}

environment read_environment() {
  environment e;
  if (const char* folder = std::getenv("TACIT_RECORD"))
    e.record = folder;
  e.apply = switch_value("TACIT_APPLY", false, e.problems);
  e.hash = switch_value("TACIT_HASH", true, e.problems);
  e.chain = switch_value("TACIT_CHAIN", false, e.problems);
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (is_unknown_variable(name))
      e.problems.push_back(std::string(name) + " is no variable of tacit; it is ignored");
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

void bear_witness(witnessed what) {
  const char* const file = std::getenv("TACIT_WITNESS");
  const int place = file && *file ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (place < 0)
    return;
  [[maybe_unused]] const ssize_t done = write(place, &what, 1);
  close(place);
}

void say(reason code, const std::string& text) {
  const std::string line = "tacit: " + reason_label(code) + ": " + text + "\n";
  // One write(): lines of several ranks must not mix, and stdio belongs to the program.
  [[maybe_unused]] const ssize_t done = write(STDERR_FILENO, line.data(), line.size());
}

std::optional<int> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name))
      return std::atoi(value);
  return std::nullopt;
}

bool launched_as_other_rank() {
  return launched_rank().value_or(0) != 0;
}

} // namespace tacit::interpose
