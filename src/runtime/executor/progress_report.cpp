#include "runtime/executor/progress_report.h"

#include "vocabulary/calls/settings.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace tacit::runtime {

progress_report::progress_report(std::function<std::string()> say)
    : say_(std::move(say)), terminal_(::isatty(STDERR_FILENO) != 0), thread_([this] { run(); }) {}

progress_report::~progress_report() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  change_.notify_one();
  thread_.join();
  if (visible_)
    std::fputs("\r\033[K", stderr);
}

bool progress_report::wanted() {
  const std::string_view said = vocabulary::given(vocabulary::setting::task_progress);
  return said.empty() ? ::isatty(STDERR_FILENO) != 0 : said == "1";
}

void progress_report::run() {
  std::unique_lock lock(mutex_);
  while (!change_.wait_for(lock, std::chrono::seconds(1), [&] { return stopping_; }))
    show();
}

void progress_report::show() {
  std::string now = say_();
  if (now == said_)
    return;
  said_ = std::move(now);
  std::fputs((terminal_ ? "\r\033[Ktacit: " + said_ : "tacit: " + said_ + "\n").c_str(), stderr);
  visible_ = terminal_;
}

} // namespace tacit::runtime
