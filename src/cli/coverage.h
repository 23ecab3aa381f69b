// What of a program's MPI calls the recorder can see, judged before or without running it.
#pragma once

#include "cli/linked_mpi.h"

#include <string>
#include <vector>

namespace tacit::cli {

struct coverage {
  std::size_t called = 0;          ///< imported MPI functions that concern messages
  std::size_t fortran_missed = 0;  ///< of them, through the Fortran interface and not recorded
  std::vector<std::string> missed; ///< of the others, those that are not recorded
  std::size_t recorded() const { return called - fortran_missed - missed.size(); }
};

/// Compares what the program and its libraries import with what the recorder's library defines.
coverage find_coverage(const linked_objects& linked, const std::string& interposer);

/// Why the recorder cannot see this program at all: a clause with the remedy, or empty if nothing is known
/// against it.
std::string obstacle(const std::string& program, const std::string& interposer);

} // namespace tacit::cli
