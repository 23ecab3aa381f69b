#include "surface/measure/pair.h"

#include <cstring>
#include <memory>

namespace tacit::surface {

pair_memory::pair_memory(const pair& p, std::size_t bytes) {
  char* base = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes > 0 ? bytes + alignment : 0), 1, MPI_INFO_NULL, p.comm,
                          &base, &window_);
  for (const int rank : {0, 1}) {
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, rank, &size, &unit, &base);
    void* at = base;
    auto room = static_cast<std::size_t>(size);
    if (room >= alignment)
      parts_[rank] = static_cast<std::byte*>(std::align(alignment, room - alignment, at, room));
  }
  if (bytes > 0)
    std::memset(parts_[p.rank], 0, bytes);
  MPI_Barrier(p.comm);
}

} // namespace tacit::surface
