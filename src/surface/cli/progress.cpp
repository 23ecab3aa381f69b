#include "surface/cli/progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace tacit::surface {

using namespace std::chrono_literals;

progress_line::progress_line(bool wanted)
    : terminal_(::isatty(STDERR_FILENO) == 1), wanted_(wanted), start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void progress_line::show(std::string_view part, double share) {
  const auto now = std::chrono::steady_clock::now();
  const std::string percent = share > 0 ? fmt::format(" {:.0f} %", share * 100) : "";
  if (wanted_ && !terminal_) {
    if (share > 0 && now - last_ < 1s)
      return; // a log needs no more
    std::fputs(fmt::format("tacit: {}{}\n", part, percent).c_str(), stderr);
  } else if (terminal_ && (wanted_ || now - start_ > 300ms) && (share == 0 || now - last_ > 100ms)) {
    std::fputs(fmt::format("\r\033[Ktacit: {}{} …", part, percent).c_str(), stderr);
    visible_ = true;
  } else {
    return;
  }
  last_ = now;
}

void progress_line::clear() {
  if (visible_)
    std::fputs("\r\033[K", stderr);
  visible_ = false;
}

} // namespace tacit::surface
