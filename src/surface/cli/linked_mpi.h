// Which MPI library a program is linked with, and which of its functions the program and its libraries call.
#pragma once

#include "vocabulary/calls/dynamic_symbols.h"

#include <string>
#include <vector>

namespace tacit::surface {

struct linked_objects {
  bool dynamic = false;   ///< a dynamically linked ELF program; otherwise the rest is empty
  bool is_static = false; ///< an ELF program that loads nothing
  std::string family;     ///< "openmpi", "mpich", another name, or empty: no MPI library
  std::string library;    ///< path of the MPI library
  std::vector<std::string>
      objects; ///< paths of the program and of the libraries it loads, MPI's own left out
};

/// Asks the dynamic loader (ldd).
linked_objects inspect_program(const std::string& path);

/// "openmpi", "mpich", "mpi-abi" (the standard ABI), or empty if that cannot be told.
std::string linked_mpi_family(const std::string& path);

/// The library of the standard ABI (libmpi_abi.so.1) that stands beside an MPI library; empty if there is none.
std::string abi_library_beside(const std::string& library);

/// "Open MPI v4.1.4" and the like, as the library says; empty if it cannot be asked. The library is loaded in
/// another process, which is `tacit` with the option below: there it may do what it likes.
std::string mpi_library_version(const std::string& library);

/// What that process is asked by, and what it does: it prints the version and gives the exit code.
inline constexpr const char* library_version_option = "--version-of-mpi-library";
int print_library_version(const std::string& library);

/// MPI functions that the file imports and defines; none if it cannot be read or is no ELF file of this
/// machine.
mpi_functions read_mpi_functions(const std::string& path);

} // namespace tacit::surface
