// What the MPI library of this process says about itself.
#pragma once

#include <array>
#include <mpi.h>
#include <string>

namespace tacit::runtime {

/// Local; MPI need not be initialized.
inline std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  return {version.data(), static_cast<std::size_t>(length)};
}

} // namespace tacit::runtime
