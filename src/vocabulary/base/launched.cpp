#include "vocabulary/base/launched.h"

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <unistd.h>

namespace tacit::vocabulary {
namespace {

/// What the first of these variables that is a whole number says.
std::optional<int> first_of(std::initializer_list<const char*> variables) {
  for (const char* const variable : variables)
    if (const char* const value = std::getenv(variable)) {
      const std::string_view text(value);
      int number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc{} && end == text.data() + text.size() && number >= 0)
        return number;
    }
  return std::nullopt;
}

} // namespace

std::optional<int> launched_rank() {
  return first_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"});
}

std::optional<int> launched_ranks() {
  return first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

std::optional<int> launched_ranks_here() {
  return first_of({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"});
}

bool launched_more_ranks_than_cores() {
  return launched_ranks_here().value_or(0) > sysconf(_SC_NPROCESSORS_ONLN);
}

} // namespace tacit::vocabulary
