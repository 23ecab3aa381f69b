// A signal must reach the program whenever it comes. While the program is being started, signals wait:
// before, there is nobody to hand them to, and in the new process our handler must never run. So they are
// blocked before the handlers are installed and until the process exists; it gets the mask we had, and the
// default actions by exec. What came meanwhile is then passed on whoever sent it: a terminal sends to the
// whole group, which the program may have joined too late.
#include "surface/cli/child.h"

#include "surface/cli/files.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
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

/// From construction to release(), signals that are to be handed on wait; then they are handed on, to the
/// end.
class forwarding {
public:
  forwarding() {
    received = 0;
    sigemptyset(&handed_on_);
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i) {
      ::sigaction(forwarded_signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) // the program would ignore it, too
        sigaddset(&handed_on_, forwarded_signals[i]);
    }
    ::sigprocmask(SIG_BLOCK, &handed_on_, &mask_);
    struct sigaction action{};
    action.sa_sigaction = hand_on;
    action.sa_flags = SA_SIGINFO; // what is interrupted below begins again by itself
    for (const int signal : forwarded_signals)
      if (sigismember(&handed_on_, signal) == 1)
        ::sigaction(signal, &action, nullptr);
  }
  ~forwarding() {
    child = 0;
    for (std::size_t i = 0; i < forwarded_signals.size(); ++i)
      ::sigaction(forwarded_signals[i], &before_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  forwarding(const forwarding&) = delete;
  forwarding& operator=(const forwarding&) = delete;

  const sigset_t& mask_before() const { return mask_; }
  void release(pid_t to) {
    child = to;
    constexpr timespec at_once{0, 0};
    for (int signal = 0; (signal = ::sigtimedwait(&handed_on_, nullptr, &at_once)) > 0;) {
      received = signal;
      ::kill(to, signal);
    }
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

private:
  std::array<struct sigaction, forwarded_signals.size()> before_{};
  sigset_t handed_on_{}, mask_{};
};

/// Where a program reads and writes; unchanged unless said.
class streams {
public:
  streams() { ::posix_spawn_file_actions_init(&actions_); }
  ~streams() { ::posix_spawn_file_actions_destroy(&actions_); }
  streams(const streams&) = delete;
  streams& operator=(const streams&) = delete;

  void into_log(const std::string& file) {
    open(STDIN_FILENO, "/dev/null", O_RDONLY);
    open(STDOUT_FILENO, file.c_str(), O_WRONLY | O_CREAT | O_APPEND);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  void into_pipe(int end) {
    ::posix_spawn_file_actions_adddup2(&actions_, end, STDOUT_FILENO);
    open(STDERR_FILENO, "/dev/null", O_WRONLY);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

private:
  void open(int as, const char* file, int flags) {
    ::posix_spawn_file_actions_addopen(&actions_, as, file, flags, 0600);
  }
  posix_spawn_file_actions_t actions_{};
};

std::vector<char*> arguments_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

/// Returns 0 or the error; that of exec, too.
int start(std::vector<std::string> words, const streams& io, const sigset_t* mask, pid_t& pid) {
  std::vector<char*> arguments = arguments_of(words);
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  if (mask) {
    ::posix_spawnattr_setsigmask(&how, mask);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  }
  int error = ::posix_spawnp(&pid, arguments[0], io.actions(), &how, arguments.data(), environ);
  if (error == ENOEXEC) { // a script that does not name its shell: as exec does
    words.insert(words.begin(), "/bin/sh");
    arguments = arguments_of(words);
    error = ::posix_spawn(&pid, arguments[0], io.actions(), &how, arguments.data(), environ);
  }
  ::posix_spawnattr_destroy(&how);
  return error;
}

/// Waits for its end; asks now and then if there is something to do meanwhile. Who has that is one of ours, which has nothing to
/// lose: if it goes on for ten seconds after a signal that was passed on, it is killed. MPICH's launcher waits for ever if the
/// signal finds it while it starts the ranks.
int wait_for(pid_t pid, const std::function<void()>& meanwhile) {
  int status = 0, rounds_since_signal = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, meanwhile ? WNOHANG : 0);
    if (ended == pid || (ended < 0 && errno != EINTR))
      return status;
    if (!meanwhile)
      continue;
    meanwhile();
    constexpr timespec pause{0, 50'000'000};
    constexpr int ten_seconds = 200;
    if (received != 0 && ++rounds_since_signal == ten_seconds)
      ::kill(pid, SIGKILL);
    ::nanosleep(&pause, nullptr);
  }
}

child_result run(const std::vector<std::string>& words, const streams& io,
                 const std::function<void()>& meanwhile) {
  forwarding signals;
  pid_t pid = 0;
  if (const int error = start(words, io, &signals.mask_before(), pid); error != 0) {
    const bool ours = error == EAGAIN || error == ENOMEM; // no process could be made at all
    throw user_error(ours ? 126 : 127, fmt::format("could not start {}: {}{}", words[0], std::strerror(error),
                                                   ours ? "" : "; check the name and PATH"));
  }
  signals.release(pid);
  const int status = wait_for(pid, meanwhile);
  if (WIFSIGNALED(status))
    return {128 + WTERMSIG(status), WTERMSIG(status), received};
  return {WEXITSTATUS(status), 0, received};
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

} // namespace

void execute(const std::vector<std::string>& words) {
  const std::vector<char*> arguments = arguments_of(words);
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
  streams io;
  io.into_log(log);
  return run(words, io, meanwhile);
}

std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return "";
  streams io;
  io.into_pipe(ends[1]);
  pid_t pid = 0;
  const int error = start(words, io, nullptr, pid);
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::close(ends[0]);
  if (error != 0)
    return "";
  const int status = wait_for(pid, {});
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

} // namespace tacit::surface
