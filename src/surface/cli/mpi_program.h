// Programs of this installation that need MPI: the command itself links none, so each has one program per MPI
// library and launches it.
#pragma once

#include "surface/cli/child.h"
#include "surface/cli/progress.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tacit::surface {

struct mpi_program {
  std::string family; ///< "openmpi", "mpich", "other"
  std::filesystem::path program;
  std::vector<std::string> launcher; ///< without the number of ranks
  /// The command line up to the program's name.
  std::vector<std::string> on_ranks(int ranks) const;
};

/// Those whose names begin so: for each MPI that tacit was built for, or for `family` only. `program`, if not
/// empty, is taken instead. `what` is what they are, for messages. `spin`: every rank has a core of its own,
/// so waiting need not give it away. Throws user_error if there is none.
std::vector<mpi_program> find_mpi_programs(const std::string& start, const std::string& what,
                                           const std::string& family, const std::string& program,
                                           const std::vector<std::string>& launcher, bool spin = false);

/// A folder in the folder for temporary files, that goes with its contents.
class temporary_folder {
public:
  explicit temporary_folder(const char* purpose);
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  std::filesystem::path path;
};

/// The end of a log, for error messages.
std::string last_lines(const std::filesystem::path& log);

/// Shows what the program writes into `file`, lines of a share and words; to be called now and then.
void show_progress_of(const std::filesystem::path& file, const std::string& who, progress_line& line);

/// Runs it with its output in a log, showing progress; throws user_error with the end of the log if it fails
/// or a signal came.
void run_mpi_program(const std::vector<std::string>& words, const temporary_folder& folder,
                     const std::string& who, progress_line& line);

} // namespace tacit::surface
