// One MPI call in the making: places at the target, results at the origin, each as blocks of elements; origin data are contiguous.
#pragma once

#include "compiler/coalesce/batch.h"

#include <mpi.h>

namespace tacit::compiler {

/// Where a batch goes.
struct destination {
  MPI_Win win;
  int target;
  MPI_Aint unit; ///< displacement unit of the window
};

class message {
public:
  message(const destination& to, const batch_key& key, std::uint32_t element_bytes)
      : to_(to), key_(key), element_bytes_(element_bytes) {}
  /// Adds a place; its data must be behind those of the last one. Calls MPI if the message is full. The first error stays.
  void add(MPI_Aint offset, std::uint32_t bytes, const char* data, char* result);
  /// Calls MPI, if there is anything to send. The first error so far.
  int send();

private:
  /// Open MPI 4.1's osc/pt2pt hangs where the description of a datatype is larger than its buffers of 8 KiB, 12 B a block;
  /// MPICH gains 1.3x at most from longer ones (45 ns an element at 256 blocks, 27 at 4096).
  static constexpr int most_blocks = 512;
  struct blocks {
    int count = 0;
    int elements[most_blocks];
    MPI_Aint places[most_blocks];
    void add(MPI_Aint place, int more, std::uint32_t element_bytes);
    bool end_at(MPI_Aint place, std::uint32_t element_bytes) const;
  };
  bool is_solid() const; ///< elements without gaps
  /// Whether one call may have this place, too, whose result goes to that address.
  bool takes(MPI_Aint offset, MPI_Aint result) const;
  int call();
  int call_mpi(const void* results, int result_count, MPI_Datatype result_type, MPI_Aint disp,
               int target_count, MPI_Datatype target_type);

  const destination to_;
  const batch_key key_;
  const std::uint32_t element_bytes_;
  blocks places_, results_;
  const char* data_ = nullptr;
  char* first_result_ = nullptr;
  int elements_ = 0, error_ = MPI_SUCCESS;
};

} // namespace tacit::compiler
