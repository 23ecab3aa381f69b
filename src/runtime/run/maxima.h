// The largest of some numbers over all ranks, by messages with a tag of one's own: unlike MPI's reductions it
// may be under way beside any other collective of the communicator, in any order. Where nobody else uses the communicator
// it can be MPI's reduction, which goes on in all calls of MPI that wait, whatever the library.
//
// Dissemination (Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988): in round k each
// rank sends what it knows to the rank 2^k further and hears from the one 2^k before. After round k it knows
// the maximum over 2^(k+1) ranks up to itself; hearing of a rank twice does not change a maximum, so it works
// for any number of ranks. In each round the partners are others, so one tag is enough. Every rank sends in
// every round before it waits, so it terminates. Cost: log2 p rounds of a message each.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

class maxima {
public:
  /// `comm` must return errors and outlive this. Local.
  maxima(MPI_Comm comm, int tag, std::vector<double> mine);
  /// By MPI's reduction: all ranks call it, and nobody else uses the communicator meanwhile. Does not block. Throws mpi_error.
  maxima(MPI_Comm comm, std::vector<double> mine);
  ~maxima();
  maxima(const maxima&) = delete;
  maxima& operator=(const maxima&) = delete;

  /// True when `values` are the largest of all ranks. Local. Throws mpi_error.
  bool progress();
  const std::vector<double>& values() const { return values_; }

private:
  void post();

  MPI_Comm comm_;
  int tag_, rank_ = 0, size_ = 1, distance_ = 1;
  std::vector<double> values_, sent_, heard_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  bool posted_ = false, reduces_ = false;
};

} // namespace tacit::runtime
