#include "vocabulary/base/whole_file.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace tacit::vocabulary {
namespace {

/// A file larger than the limit of the shell is an error like a full disk, not a reason to die half-way.
class no_size_signal {
public:
  no_size_signal() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~no_size_signal() { std::signal(SIGXFSZ, before_); }
  no_size_signal(const no_size_signal&) = delete;
  no_size_signal& operator=(const no_size_signal&) = delete;

private:
  void (*before_)(int);
};

/// Whoever runs beside us has another number; what a killed process of the same number has left behind is passed over.
int open_beside(const std::string& path, std::string& temporary) {
  int file = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = path + "." + std::to_string(::getpid()) + "." + std::to_string(attempt);
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      break;
  }
  return file;
}

} // namespace

int write_all(int file, std::string_view content) {
  const no_size_signal guard;
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_whole_file(const std::string& path, std::string_view content) {
  std::string temporary;
  const int file = open_beside(path, temporary);
  if (file < 0)
    return errno;
  int error = write_all(file, content);
  if (::close(file) != 0 && error == 0)
    error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error != 0)
    ::unlink(temporary.c_str());
  return error;
}

} // namespace tacit::vocabulary
