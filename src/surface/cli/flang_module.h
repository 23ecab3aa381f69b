// `use mpi` for flang: the modules that MPI libraries install can be read by gfortran only.
#pragma once

#include <string>
#include <vector>

namespace tacit::surface {

/// Where an MPI library is, as options of a compiler.
struct mpi_paths {
  std::vector<std::string> include_options; ///< -I…
  std::vector<std::string> link_options;    ///< -L…, -Wl,…
};

/// Asks MPI's wrapper for C. Throws user_error.
mpi_paths paths_of_mpi(const std::string& wrapper);

/// The folder that holds mpi.mod for this compiler and this MPI. Made when it is first asked for: a module of
/// three lines around MPI's own mpif.h, kept in the user's cache folder. Throws user_error.
std::string flang_module_folder(const std::string& compiler, const mpi_paths& mpi);

} // namespace tacit::surface
