// The datatypes that are tried. Each is written down twice: for MPI, and as the list of places of its basic
// elements, from which expected bytes are computed without asking MPI.
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

namespace tacit::surface {

struct element {
  std::ptrdiff_t offset;
  std::size_t size;
};

struct sample_type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::vector<element> elements; ///< in the order of the type map
  std::ptrdiff_t extent = 0;
};

/// A send and a receive type with the same signature: `send_count` of the one match `recv_count` of the
/// other.
struct type_pair {
  const char* words;
  sample_type send, recv;
  int send_count, recv_count;
};

/// Makes the datatypes; collective over nothing. They are freed with the object, which must be before
/// MPI_Finalize.
class sample_types {
public:
  sample_types();
  ~sample_types();
  sample_types(const sample_types&) = delete;
  sample_types& operator=(const sample_types&) = delete;

  const std::vector<type_pair>& pairs() const { return pairs_; }
  /// Where each kind of types stands in pairs().
  enum : std::size_t { ints, vectors, lower_bound, structures, doubles, backwards, characters };

private:
  sample_type derived(MPI_Datatype made, std::vector<element> elements, std::ptrdiff_t extent);
  std::vector<MPI_Datatype> made_;
  std::vector<type_pair> pairs_;
};

} // namespace tacit::surface
