#include "surface/cli/flang_module.h"

#include "graphs/platform/kept_file.h"
#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "vocabulary/base/hash.h"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

namespace tacit::surface {

namespace fs = std::filesystem;

namespace {

/// Names one folder for each compiler and MPI.
std::uint64_t fingerprint(const std::string& compiler, const mpi_paths& mpi) {
  return hash_of(fmt::format("{} {}", compiler, fmt::join(mpi.include_options, " ")));
}

/// The cache, or where it cannot be written, as in builds of distributions, a folder for the time being.
fs::path folder_for_modules() {
  const fs::path kept = graphs::cache_folder();
  std::error_code error;
  fs::create_directories(kept, error);
  return ::access(kept.c_str(), W_OK) == 0 ? kept
                                           : fs::temp_directory_path() / fmt::format("tacit-{}", ::getuid());
}

/// Made under another name and renamed, so that compilations at the same time do not meet half a module.
void make_module(const std::string& compiler, const mpi_paths& mpi, const fs::path& folder) {
  const fs::path draft = fmt::format("{}.{}", folder.string(), ::getpid());
  fs::create_directories(draft);
  write_file(draft / "mpi.f90", "module mpi\n  include 'mpif.h'\nend module\n");
  std::vector<std::string> line{compiler, "-fsyntax-only", "-module-dir", draft.string()};
  line.insert(line.end(), mpi.include_options.begin(), mpi.include_options.end());
  line.push_back((draft / "mpi.f90").string());
  const child_result made = run_child(line);
  std::error_code error;
  if (made.exit_code == 0 && fs::exists(draft / "mpi.mod"))
    fs::rename(draft, folder, error); // fails where another process was faster
  fs::remove_all(draft, error);
  if (!fs::exists(folder / "mpi.mod"))
    throw user_error(input_has_errors,
                     fmt::format("{} could not compile MPI's mpif.h ({}), so `use mpi` cannot be offered",
                                 compiler, made.outcome()));
}

} // namespace

mpi_paths paths_of_mpi(const std::string& wrapper) {
  mpi_paths found;
  std::istringstream words(output_of({wrapper, "-show"}));
  for (std::string word; words >> word;)
    if (word.starts_with("-I"))
      found.include_options.push_back(word);
    else if (word.starts_with("-L") || word.starts_with("-Wl,"))
      found.link_options.push_back(word);
  if (found.include_options.empty())
    throw user_error(wrong_usage,
                     fmt::format("`{} -show` does not say where MPI is; is it installed?", wrapper));
  return found;
}

std::string flang_module_folder(const std::string& compiler, const mpi_paths& mpi) {
  const fs::path folder = folder_for_modules() / fmt::format("flang-{:016x}", fingerprint(compiler, mpi));
  std::error_code error;
  if (fs::exists(folder / "mpi.mod", error))
    return folder.string();
  try {
    make_module(compiler, mpi, folder);
  } catch (const fs::filesystem_error& failure) {
    throw user_error(input_has_errors,
                     fmt::format("could not keep the module mpi in {}: {}; name another folder in "
                                 "XDG_CACHE_HOME",
                                 folder.string(), failure.code().message()));
  }
  return folder.string();
}

} // namespace tacit::surface
