// Memory for buffers that ranks of the same host can write.
#include "runtime/channel/shared_buffers.h"
#include "surface/capi/errors.h"

#include <fmt/format.h>
#include <tacit/tacit.h>

using namespace tacit;
using namespace tacit::surface;

extern "C" {

int tacit_alloc_mem(MPI_Aint size, void* base) {
  return guarded(MPI_COMM_NULL, [&] {
    if (size < 0 || !base)
      refuse(fmt::format("tacit_alloc_mem: {}; give a size of 0 or more and the address of a pointer",
                         base ? fmt::format("{} B", size) : "no place for the address"));
    void* const made = runtime::allocate_buffer(static_cast<std::size_t>(size));
    if (!made)
      throw api_error(error_kind::memory, fmt::format("tacit_alloc_mem: no memory for {} B", size));
    *static_cast<void**>(base) = made;
  });
}

int tacit_free_mem(void* base) {
  return guarded(MPI_COMM_NULL, [&] {
    if (!runtime::free_buffer(base))
      refuse("tacit_free_mem: this is no memory that tacit_alloc_mem gave, or it was freed before");
  });
}
}
