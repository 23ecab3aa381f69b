#include "surface/selftest/watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tacit::surface {
namespace {

// Only what a signal handler may touch: plain memory, write() and _exit().
std::array<char, 512> doing{};
std::array<char, 64> who{};
std::array<char, 64> too_long{};
int journal_file = -1;
unsigned allowed = 0;

void say(int file, const char* start, const char* reason) {
  const int before = errno;
  std::array<char, 1024> line{};
  std::size_t length = 0;
  for (const char* part : {start, static_cast<const char*>(who.data()), reason, " in ",
                           static_cast<const char*>(doing.data()), "\n"})
    for (const char* c = part; *c && length < line.size(); ++c)
      line[length++] = *c;
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), length);
  errno = before;
}

void end_launch(int signal) {
  const char* reason = signal == SIGALRM ? too_long.data() : "crash";
  say(STDERR_FILENO, "selftest: ", reason);
  if (journal_file >= 0)
    say(journal_file, "why ", reason);
  ::_exit(98);
}

} // namespace

void install_watch(int rank, int seconds, const std::string& journal) {
  allowed = static_cast<unsigned>(seconds);
  std::snprintf(who.data(), who.size(), "rank %d: ", rank);
  std::snprintf(too_long.data(), too_long.size(), "no end within %d s", seconds);
  if (!journal.empty())
    journal_file = ::open(journal.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  struct sigaction action{};
  action.sa_handler = end_launch;
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigaction(signal, &action, nullptr);
}

void now_doing(const std::string& words) {
  const std::size_t length = std::min(words.size(), doing.size() - 1);
  std::memcpy(doing.data(), words.data(), length);
  doing[length] = '\0';
  ::alarm(allowed);
}

void watch_nothing() {
  ::alarm(0);
}

} // namespace tacit::surface
