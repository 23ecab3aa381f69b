#include "cli/own_files.h"

namespace tacit::cli {

namespace fs = std::filesystem;

fs::path find_own_file(const char* name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {"../lib", "../" TACIT_LIBRARY_FOLDER, "../" TACIT_LIBRARY_FOLDER "/tacit", "."})
    if (fs::exists(program / folder / name, error))
      return fs::canonical(program / folder / name, error);
  return {};
}

} // namespace tacit::cli
