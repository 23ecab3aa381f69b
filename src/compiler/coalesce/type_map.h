// Which bytes of memory some elements of a datatype are.
#pragma once

#include <cstdlib>
#include <mpi.h>

namespace tacit::compiler {

struct type_map {
  MPI_Aint low = 0;              ///< the first byte, counted from the buffer's address
  MPI_Aint bytes = 0;            ///< from the first to the last
  unsigned char* mask = nullptr; ///< nonzero where a byte belongs to the elements; null: all do
  bool known = false;            ///< false: there are none, too many, or no memory

  bool has(MPI_Aint byte) const { return !mask || mask[byte]; }
  void release() {
    std::free(mask);
    mask = nullptr;
  }
};

/// Calls f(from, to) for each run of bytes that belong to the elements, counted from the buffer's address.
template <typename F>
void each_run(const type_map& map, F f) {
  for (MPI_Aint from = 0, to = 0; map.known && from < map.bytes; from = to) {
    for (to = map.mask ? from : map.bytes; to < map.bytes && map.has(to) == map.has(from);)
      ++to;
    if (map.has(from))
      f(map.low + from, map.low + to);
  }
}

/// Calls MPI, but raises no error for what MPI takes. The caller releases it.
type_map map_of(MPI_Count count, MPI_Datatype type);

} // namespace tacit::compiler
