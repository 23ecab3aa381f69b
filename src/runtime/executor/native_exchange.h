// An exchange of all ranks as one collective of MPI: its arguments, and, when it is repeated, a persistent request.
//
// The collectives of all ranks match by the order of their starts, and a persistent one matches persistent ones only. So all ranks have
// to take the same one each time: prepare() is called by all of them or by none, and who still has the one before under way waits
// for it to end, which needs nothing that comes later.
//
// Making a persistent collective may wait for other ranks, by the standard (MPI 4.0, 6.12). Open MPI, whose alone are used
// (mpi/collective_calls.h), makes a schedule and waits for nobody.
#pragma once

#include "runtime/mpi/collective_calls.h"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

class native_exchange {
public:
  enum class kind : std::uint8_t { allgather, gather, scatter, broadcast, alltoall };
  /// One buffer in place, where every rank contributes or gets elements that lie in one piece.
  native_exchange(kind what, int root, std::byte* base, MPI_Datatype element, std::size_t element_bytes,
                  std::vector<int> counts, std::vector<int> offsets);
  /// An alltoall of packed bytes, by rank; whoever uses it packs and unpacks.
  native_exchange(std::vector<int> send_bytes, std::vector<int> receive_bytes);
  native_exchange(const native_exchange&) = delete;
  native_exchange& operator=(const native_exchange&) = delete;
  /// Nothing is under way, or keep() was called.
  ~native_exchange();

  bool packed() const { return what_ == kind::alltoall; }
  std::byte* sent_to(int rank) { return sent_.data() + send_offsets_[static_cast<std::size_t>(rank)]; }
  std::byte* received_from(int rank) { return received_.data() + offsets_[static_cast<std::size_t>(rank)]; }

  /// For what is packed: to be called before it is used again.
  void make_room();
  /// Gives up memory and the request, where it is not needed for long.
  void release();
  /// Starts are persistent from now on, if the library has such collectives.
  void prepare(MPI_Comm comm);
  MPI_Request start(MPI_Comm comm);
  /// MPI may still use the memory and the request, so that they are never freed.
  void keep() noexcept;

private:
  void call(const collective_calls& calls, MPI_Comm comm, MPI_Request* made);

  kind what_;
  int root_ = 0;
  std::byte* base_ = nullptr;
  MPI_Datatype element_ = MPI_BYTE;
  std::size_t element_bytes_ = 1;
  std::vector<int> send_counts_, send_offsets_, counts_,
      offsets_; ///< by rank; those that send are of alltoall alone
  std::vector<MPI_Datatype> types_;
  std::vector<std::byte> sent_, received_;
  MPI_Request persistent_ = MPI_REQUEST_NULL;
};

} // namespace tacit::runtime
