#include "compiler/coalesce/node.h"

#include "compiler/hooks/settings.h"

#include <cstddef>
#include <mpi.h>
#define XXH_INLINE_ALL // the library of that name may be missing where programs are linked
#include <xxhash.h>

namespace tacit::compiler {

std::uint64_t node_of(int rank) {
  const std::size_t each = tacit_count_setting("TACIT_RANKS_PER_NODE", 0, "a number from 1 on");
  char name[MPI_MAX_PROCESSOR_NAME + 1];
  int length = 0;
  if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS)
    length = 0;
  const std::uint64_t words[] = {XXH3_64bits(name, static_cast<std::size_t>(length)),
                                 each > 0 ? static_cast<std::uint64_t>(rank) / each : 0};
  return XXH3_64bits(words, sizeof words);
}

} // namespace tacit::compiler
