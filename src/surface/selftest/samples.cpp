#include "surface/selftest/samples.h"

namespace tacit::surface {
namespace {

sample_type basic(MPI_Datatype handle, std::size_t size) {
  return {handle, {{0, size}}, static_cast<std::ptrdiff_t>(size)};
}

MPI_Datatype resized(MPI_Datatype old, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(old, lower_bound, extent, &made);
  return made;
}

MPI_Datatype structure(const MPI_Aint (&places)[3]) {
  const int lengths[3] = {1, 1, 1};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype raw = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &raw);
  MPI_Datatype made = resized(raw, 0, 24);
  MPI_Type_free(&raw);
  return made;
}

MPI_Datatype vector_of_ints() {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_INT, &made);
  return made;
}

MPI_Datatype ints_backwards() {
  const int places[2] = {2, 0};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &made);
  return made;
}

MPI_Datatype contiguous(int count, MPI_Datatype old) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(count, old, &made);
  return made;
}

} // namespace

sample_type sample_types::derived(MPI_Datatype made, std::vector<element> elements, std::ptrdiff_t extent) {
  MPI_Type_commit(&made);
  made_.push_back(made);
  return {made, std::move(elements), extent};
}

sample_types::sample_types() {
  static_assert(sizeof(int) == 4 && sizeof(double) == 8);
  const sample_type one_int = basic(MPI_INT, 4);
  const sample_type gaps = derived(vector_of_ints(), {{0, 4}, {12, 4}}, 16);
  const sample_type two_ints = derived(contiguous(2, MPI_INT), {{0, 4}, {4, 4}}, 8);
  const sample_type below = derived(resized(MPI_INT, -8, 16), {{0, 4}}, 16);
  const sample_type parts = derived(structure({0, 8, 16}), {{0, 4}, {8, 8}, {16, 1}}, 24);
  const sample_type moved = derived(structure({16, 0, 21}), {{16, 4}, {0, 8}, {21, 1}}, 24);
  const sample_type apart = derived(resized(MPI_DOUBLE, 0, 16), {{0, 8}}, 16);
  const sample_type back = derived(ints_backwards(), {{8, 4}, {0, 4}}, 12);
  pairs_ = {
      {"ints", one_int, one_int, 1, 1},
      {"vectors of ints into ints", gaps, one_int, 1, 2},
      {"ints with a lower bound of -8 into vectors", below, gaps, 2, 1},
      {"structures into structures of another layout", parts, moved, 1, 1},
      {"doubles into doubles 16 bytes apart", basic(MPI_DOUBLE, 8), apart, 1, 1},
      {"ints in reverse order into pairs of ints", back, two_ints, 1, 1},
      {"characters", basic(MPI_CHAR, 1), basic(MPI_CHAR, 1), 3, 3},
  };
}

sample_types::~sample_types() {
  for (MPI_Datatype& type : made_)
    MPI_Type_free(&type);
}

} // namespace tacit::surface
