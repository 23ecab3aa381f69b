// What of a program's MPI calls the interposer can see, judged before or without running it.
#pragma once

#include "surface/cli/linked_mpi.h"

#include <string>
#include <vector>

namespace tacit::surface {

/// Imported MPI functions that concern messages, by name, and how they are seen. Sorted.
struct coverage {
  std::vector<std::string> wrapped;
  std::vector<std::string> missed;     ///< no wrapper has this name
  std::vector<std::string> passed_by;  ///< profiling names (PMPI_X): they pass tools by
  std::vector<std::string> interfaces; ///< those that are used, by their usual names

  bool complete() const { return missed.empty() && passed_by.empty(); }
  std::size_t called() const { return wrapped.size() + missed.size() + passed_by.size(); }
};

/// Compares what the program and its libraries import with what the interposer defines.
coverage find_coverage(const linked_objects& linked, const std::string& interposer);

/// Why the interposer cannot see this program at all: a clause with the remedy, or empty if nothing is known
/// against it. `apply`: calls are to be taken over, which statically linked programs cannot have.
std::string obstacle(const std::string& program, const std::string& interposer, bool apply);

} // namespace tacit::surface
