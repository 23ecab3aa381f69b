// Reading and writing files, with errors that name the file and what to do.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tacit::surface {

/// Something about files or the command line is wrong; `what` is a whole sentence with the remedy.
struct user_error : std::runtime_error {
  user_error(int code, const std::string& what) : std::runtime_error(what), exit(code) {}
  int exit; ///< exit code of the command
};

/// The whole file ("-": standard input). Throws user_error.
std::string read_file(const std::filesystem::path& path);

/// Writes all or nothing: to a temporary file beside it, which is then renamed. "-" or empty: standard
/// output. Special files (/dev/full, pipes) are written directly. Throws user_error.
void write_file(const std::filesystem::path& path, std::string_view content);

} // namespace tacit::surface
