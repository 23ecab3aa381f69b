#include "surface/cli/child.h"

#include "surface/cli/files.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tacit::surface {
namespace {

constexpr std::array forwarded_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
std::atomic<pid_t> child{0};
std::atomic<int> received{0};

/// What the terminal sends reaches the whole group, the program included; only what was sent to us alone is
/// handed on.
void hand_on(int signal, siginfo_t* info, void*) {
  received = signal;
  const pid_t target = child.load();
  if (target > 0 && info->si_code <= 0)
    ::kill(target, signal);
}

class forwarding {
public:
  forwarding() {
    struct sigaction action{};
    action.sa_sigaction = hand_on;
    action.sa_flags = SA_SIGINFO; // what is interrupted below begins again by itself
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i) {
      ::sigaction(forwarded_signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN)
        ::sigaction(forwarded_signals[i], &action, nullptr);
    }
  }
  ~forwarding() {
    child = 0;
    restore();
  }
  forwarding(const forwarding&) = delete;
  forwarding& operator=(const forwarding&) = delete;
  void restore() const {
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i)
      ::sigaction(forwarded_signals[i], &before_[i], nullptr);
  }

private:
  std::array<struct sigaction, forwarded_signals.size()> before_{};
};

void redirect(const std::string& log) {
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
}

/// In the child: becomes the program, or says through the pipe why not.
[[noreturn]] void become(const std::vector<std::string>& words, const std::string& log, int report) {
  if (!log.empty())
    redirect(log);
  execute(words);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &error, sizeof error);
  ::_exit(127);
}

/// Waits for its end; asks now and then if there is something to do meanwhile.
int wait_for(pid_t pid, const std::function<void()>& meanwhile) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, meanwhile ? WNOHANG : 0);
    if (ended == pid || (ended < 0 && errno != EINTR))
      return status;
    if (!meanwhile)
      continue;
    meanwhile();
    constexpr timespec pause{0, 50'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

child_result run(const std::vector<std::string>& words, const std::string& log,
                 const std::function<void()>& meanwhile) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0)
    throw user_error(126, fmt::format("could not start {}: {}", words[0], std::strerror(errno)));
  const forwarding signals;
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(report[0]);
    ::close(report[1]);
    throw user_error(126, fmt::format("could not start {}: {}", words[0], std::strerror(error)));
  }
  if (pid == 0) {
    signals.restore();
    become(words, log, report[1]);
  }
  received = 0;
  child = pid;
  ::close(report[1]);
  int error = 0;
  ssize_t told = 0;
  while ((told = ::read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  ::close(report[0]);
  const int status = wait_for(pid, meanwhile);
  if (told > 0)
    throw user_error(
        127, fmt::format("could not start {}: {}; check the name and PATH", words[0], std::strerror(error)));
  if (WIFSIGNALED(status))
    return {128 + WTERMSIG(status), WTERMSIG(status), received};
  return {WEXITSTATUS(status), 0, received};
}

} // namespace

void execute(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
}

std::string child_result::outcome() const {
  return signal != 0 ? fmt::format("killed by signal {} ({})", signal, ::strsignal(signal))
                     : fmt::format("exit code {}", exit_code);
}

child_result run_child(const std::vector<std::string>& words) {
  return run(words, {}, {});
}

child_result run_logged(const std::vector<std::string>& words, const std::string& log,
                        const std::function<void()>& meanwhile) {
  return run(words, log, meanwhile);
}

} // namespace tacit::surface
