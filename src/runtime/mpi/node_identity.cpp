#include "runtime/mpi/node_identity.h"

#include "runtime/mpi/mpi_error.h"
#include "vocabulary/base/hash.h"
#include "vocabulary/calls/settings.h"

#include <array>
#include <mpi.h>

namespace tacit::runtime {

std::uint64_t node_identity(int rank) {
  if (const std::uint64_t each = whole_number(given(setting::ranks_per_node)).value_or(0); each > 0)
    return static_cast<std::uint64_t>(rank) / each;
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return hash_of({name.data(), static_cast<std::size_t>(length)});
}

} // namespace tacit::runtime
