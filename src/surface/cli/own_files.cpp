#include "surface/cli/own_files.h"

namespace tacit::surface {

namespace fs = std::filesystem;

std::string own_mpi_family() {
  return TACIT_MPI_FAMILY;
}

fs::path find_own_file(const char* name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {"../lib", "../" TACIT_LIBRARY_FOLDER, "../" TACIT_LIBRARY_FOLDER "/tacit", "."})
    if (fs::exists(program / folder / name, error))
      return fs::canonical(program / folder / name, error);
  return {};
}

std::string own_include_folder() {
  std::error_code error;
  fs::path above = fs::read_symlink("/proc/self/exe", error).parent_path();
  // <prefix>/bin of an installation; <source>/build/<preset>/bin of a tree that was built.
  for (int levels = 0; levels < 3; ++levels) {
    above = above.parent_path();
    if (fs::exists(above / "include/tacit/coalesce.h", error))
      return (above / "include").string();
  }
  return {};
}

std::map<std::string, fs::path> find_own_programs(const std::string& start) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::map<std::string, fs::path> found;
  for (const char* folder : {"../" TACIT_LIBEXEC_FOLDER "/tacit", "."})
    for (const fs::directory_entry& entry : fs::directory_iterator(program / folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(start))
        found.emplace(name.substr(start.size()), fs::canonical(entry.path(), error));
    }
  return found;
}

} // namespace tacit::surface
