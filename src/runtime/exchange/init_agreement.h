// Making a persistent operation together: any rank may fail in any stage, and then all fail with the same
// text, so that none is left waiting for another. Everything else that is under way goes on meanwhile.
#pragma once

#include "runtime/exchange/neighbor_error.h"

#include <array>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::runtime {

class init_agreement {
public:
  /// `comm` must return errors.
  init_agreement(MPI_Comm comm, int rank, int size, const char* function)
      : comm_(comm), rank_(rank), size_(size), function_(function) {}

  /// Runs `body` if this rank has no error; keeps what it throws.
  template <typename Body>
  bool here(Body&& body) {
    return why_ < 0 && always(body);
  }
  /// Runs `body` in any case: what other ranks wait for.
  template <typename Body>
  bool always(Body&& body) {
    try {
      body();
      return true;
    } catch (...) {
      keep();
      return false;
    }
  }
  bool failed() const { return why_ >= 0; }
  /// Collective. Throws neighbor_error, the one of the lowest rank that has one, on all ranks; else each of
  /// `words` becomes its minimum over all ranks.
  void agree(std::vector<std::uint64_t>& words);

private:
  void keep();

  MPI_Comm comm_;
  int rank_, size_;
  const char* function_;
  int why_ = -1;
  std::string text_;
};

} // namespace tacit::runtime
