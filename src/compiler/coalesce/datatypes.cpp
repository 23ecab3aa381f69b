#include "compiler/coalesce/datatypes.h"

namespace tacit::compiler {
namespace {

struct known_type {
  MPI_Datatype type;
  arithmetic kind;
};

template <std::size_t N>
bool is_one_of(MPI_Datatype type, const MPI_Datatype (&types)[N]) {
  for (const MPI_Datatype t : types)
    if (t == type)
      return true;
  return false;
}

// Handles are values only at run time under some MPIs, so that the lists are filled where they are asked.
// MPI_OFFSET has a sign, but Open MPI 4.1.4 compares it as if it had none.
arithmetic kind_of(MPI_Datatype type) {
  const MPI_Datatype with_sign[] = {MPI_INT,       MPI_LONG,   MPI_SHORT,   MPI_SIGNED_CHAR,
                                    MPI_LONG_LONG, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T,
                                    MPI_INT64_T,   MPI_AINT,   MPI_COUNT};
  const MPI_Datatype without_sign[] = {
      MPI_UNSIGNED,           MPI_UNSIGNED_LONG, MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT,
      MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T,       MPI_UINT16_T,      MPI_UINT32_T,
      MPI_UINT64_T,           MPI_BYTE,          MPI_OFFSET};
  const MPI_Datatype reals[] = {MPI_FLOAT, MPI_DOUBLE};
  if (is_one_of(type, with_sign))
    return arithmetic::sign;
  if (is_one_of(type, without_sign))
    return arithmetic::no_sign;
  return is_one_of(type, reals) ? arithmetic::real : arithmetic::none;
}

bool is_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  return MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

} // namespace

element_type element_of(MPI_Datatype type) {
  element_type found;
  if (type == MPI_DATATYPE_NULL || !is_predefined(type))
    return found;
  MPI_Aint low = 0, extent = 0;
  int size = 0;
  if (MPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS || MPI_Type_size(type, &size) != MPI_SUCCESS ||
      low != 0 || extent <= 0 || size <= 0)
    return found;
  found.predefined = true;
  found.solid = extent == size;
  found.kind = kind_of(type);
  found.extent = static_cast<std::size_t>(extent);
  return found;
}

} // namespace tacit::compiler
