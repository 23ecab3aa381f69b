// A datatype says what it is made of only by being taken apart, with as many cases as there are constructors. Here MPI does it: ones are
// unpacked over zeros, and what is one afterwards belongs to the type.
#include "compiler/coalesce/type_map.h"

#include "compiler/coalesce/datatypes.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace tacit::compiler {
namespace {

constexpr MPI_Aint largest = MPI_Aint{1} << 30;

bool fill_mask(type_map& map, int count, MPI_Datatype type) {
  int packed_bytes = 0, position = 0;
  if (MPI_Pack_size(count, type, MPI_COMM_SELF, &packed_bytes) != MPI_SUCCESS)
    return false;
  map.mask = static_cast<unsigned char*>(std::calloc(1, static_cast<std::size_t>(map.bytes)));
  void* const ones = std::malloc(static_cast<std::size_t>(packed_bytes));
  bool filled = false;
  if (map.mask && ones) {
    std::memset(ones, 0xFF, static_cast<std::size_t>(packed_bytes));
    filled = MPI_Unpack(ones, packed_bytes, &position, map.mask - map.low, count, type, MPI_COMM_SELF) ==
             MPI_SUCCESS;
  }
  std::free(ones);
  return filled;
}

} // namespace

type_map map_of(MPI_Count count, MPI_Datatype type) {
  type_map made;
  if (count <= 0 || count > INT_MAX || type == MPI_DATATYPE_NULL)
    return made;
  if (const element_type element = element_of(type); element.solid) {
    made.bytes = static_cast<MPI_Aint>(count) * static_cast<MPI_Aint>(element.extent);
    made.known = made.bytes <= largest;
    return made;
  }
  MPI_Aint low = 0, extent = 0, true_low = 0, true_extent = 0;
  int size = 0;
  if (MPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS ||
      MPI_Type_get_true_extent(type, &true_low, &true_extent) != MPI_SUCCESS ||
      MPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0)
    return made;
  const MPI_Aint last = static_cast<MPI_Aint>(count - 1) * extent;
  made.low = true_low + std::min<MPI_Aint>(0, last);
  made.bytes = true_extent + (last < 0 ? -last : last);
  // Absolute addresses span all of memory.
  const MPI_Aint data = static_cast<MPI_Aint>(count) * size;
  if (made.bytes > largest || made.bytes > 64 * data + (1 << 20))
    return made;
  made.known = fill_mask(made, static_cast<int>(count), type);
  if (!made.known)
    made.release();
  return made;
}

} // namespace tacit::compiler
