// Where `tacit run` leaves its results.
#pragma once

#include <filesystem>
#include <string>

namespace tacit::surface {

/// What to do if the folder is there already.
enum class existing_folder {
  refuse,            ///< the user named it
  take_another_name, ///< the next free one: app.2.tacit, …
  replace_results,   ///< remove those of an earlier run, and nothing else
};
/// Makes an empty folder. Throws user_error.
std::filesystem::path make_result_folder(const std::filesystem::path& wanted, existing_folder existing);

/// Whether the recorder left the mark that it could not write.
bool recorder_stopped(const std::filesystem::path& folder);

/// Whether the folder holds files of a recording.
bool has_recording(const std::filesystem::path& folder);

/// Removes a folder of make_result_folder in which nothing was recorded, unless it holds something else.
void remove_empty_result(const std::filesystem::path& folder);

/// The interposer library that belongs to this program (build tree or installed), or `wanted` if that is not
/// empty. Throws user_error if there is none, or if LD_PRELOAD cannot hold its path.
std::filesystem::path find_interposer(const std::filesystem::path& wanted);

} // namespace tacit::surface
