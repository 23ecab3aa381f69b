#include "surface/cli/files.h"

#include "surface/cli/commands.h"
#include "vocabulary/base/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tacit::surface {
namespace {

[[noreturn]] void fail(int code, std::string_view what, const std::filesystem::path& path, int error) {
  std::string remedy;
  if (error == ENOENT)
    remedy = "; check the name";
  if (error == EACCES || error == EPERM || error == EROFS)
    remedy = "; check its permissions or choose another place with -o";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    remedy = "; make room or choose another place with -o";
  throw user_error(code, fmt::format("{} {}: {}{}", what, path.string(), std::strerror(error), remedy));
}

bool is_special(const std::filesystem::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void write_directly(const std::filesystem::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    fail(input_has_errors, "could not write", path, errno);
  int error = vocabulary::write_all(file, content);
  if (::close(file) != 0 && error == 0)
    error = errno;
  if (error != 0)
    fail(input_has_errors, "could not write", path, error);
}

} // namespace

std::string read_file(const std::filesystem::path& path) {
  const bool standard_input = path == "-";
  const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    fail(wrong_usage, "could not read", path, errno);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      const int error = errno;
      if (!standard_input)
        ::close(file);
      fail(wrong_usage, "could not read", path, error);
    }
    if (got == 0)
      break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  if (!standard_input)
    ::close(file);
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  if (path.empty() || path == "-") {
    if (const int error = vocabulary::write_all(STDOUT_FILENO, content); error != 0)
      fail(input_has_errors, "could not write", "the standard output", error);
    return;
  }
  if (is_special(path))
    return write_directly(path, content);
  if (const int error = vocabulary::write_whole_file(path.string(), content); error != 0)
    fail(input_has_errors, "could not write", path, error);
}

} // namespace tacit::surface
