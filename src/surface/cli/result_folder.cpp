#include "surface/cli/result_folder.h"

#include "recordings/record/format.h"
#include "recordings/record/writer.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/own_files.h"
#include "vocabulary/base/task_record.h"

#include <cstdlib>
#include <fmt/format.h>
#include <system_error>
#include <vector>

namespace tacit::surface {
namespace {

namespace fs = std::filesystem;

bool is_result(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool of_rank = name.starts_with("rank-") && (name.ends_with(".rec") || name.ends_with(".tail"));
  return of_rank || name == recordings::stop_mark || name == recordings::launched_apart_mark ||
         name == vocabulary::task_record || name == "report.html" || name == "report.json" ||
         name == "summary.txt";
}

void remove_results(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (is_result(entry.path()))
      old.push_back(entry.path());
  for (const fs::path& file : old) {
    if (!error)
      fs::remove(file, error);
  }
  if (error)
    throw user_error(input_has_errors,
                     fmt::format("could not remove the earlier results in {}: {}; check its permissions",
                                 folder.string(), error.message()));
}

fs::path numbered(const fs::path& wanted, unsigned number) {
  if (number == 1)
    return wanted;
  const std::string extension = wanted.extension().string();
  fs::path name = wanted;
  name.replace_filename(fmt::format("{}.{}{}", wanted.stem().string(), number, extension));
  return name;
}

} // namespace

bool recorder_stopped(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / recordings::stop_mark, error);
}

bool has_recording(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("rank-") && (name.ends_with(".rec") || name.ends_with(".tail")))
      return true;
  }
  return false;
}

void remove_empty_result(const fs::path& folder) {
  std::error_code error;
  fs::remove(folder / recordings::stop_mark, error);
  fs::remove(folder / recordings::launched_apart_mark, error);
  fs::remove(folder, error); // fails if it is not empty
}

fs::path make_result_folder(const fs::path& given, existing_folder existing) {
  const fs::path wanted = given.has_filename() ? given : given.parent_path(); // "out/" means "out"
  std::error_code error;
  if (existing == existing_folder::refuse && fs::exists(wanted, error))
    throw user_error(wrong_usage,
                     fmt::format("{} exists; --force replaces the results of an earlier run in it, or name "
                                 "another folder with -o",
                                 wanted.string()));
  if (existing == existing_folder::replace_results && fs::is_directory(wanted, error)) {
    remove_results(wanted);
    return fs::absolute(wanted);
  }
  error.clear();
  if (wanted.has_parent_path())
    fs::create_directories(wanted.parent_path(), error);
  for (unsigned number = 1; number < 100000; ++number) {
    const fs::path name = numbered(wanted, number);
    if (!error && fs::create_directory(name, error))
      return fs::absolute(name); // false: it is there already
    if (error && error != std::errc::file_exists)
      throw user_error(input_has_errors,
                       fmt::format("could not make the folder {}: {}; choose another with -o", name.string(),
                                   error.message()));
    error.clear();
  }
  throw user_error(input_has_errors,
                   fmt::format("there are too many folders like {}; remove some or choose another with -o",
                               wanted.string()));
}

fs::path find_interposer(const fs::path& wanted) {
  constexpr const char* file = "libtacit-interpose.so";
  std::error_code error;
  fs::path found;
  if (!wanted.empty()) {
    if (!fs::exists(wanted, error))
      throw user_error(wrong_usage,
                       fmt::format("there is no interposer {}; check --interposer", wanted.string()));
    found = fs::absolute(wanted);
  } else {
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    found = find_own_file(file);
    if (found.empty())
      throw user_error(
          wrong_usage,
          fmt::format(
              "{} is neither beside {} nor in the library folder; build it, or name it with --interposer",
              file, program.string()));
  }
  if (found.string().find_first_of(" :") != std::string::npos)
    throw user_error(
        wrong_usage,
        fmt::format("LD_PRELOAD cannot hold a path with blanks or colons ({}); install tacit elsewhere",
                    found.string()));
  return found;
}

} // namespace tacit::surface
