// A section of a Fortran array whose elements do not stand one after the other, as a block of memory where
// they do: for calls that are done in the library's place and take blocks of it per peer.
//
// MPI treats such a section as if it were contiguous (MPI-4.1 section 19.1.12). Whether a rank's section is
// contiguous the other ranks do not know, so it may not decide who does a collective call.
#pragma once

#include "interpose/layer/invocation.h"

#include <cstddef>
#include <memory>
#include <mpi.h>
#include <vector>

namespace tacit::interpose {

class staged_section {
public:
  /// For data with `scattered` set, within the wrapper that has described it. Throws std::bad_alloc.
  explicit staged_section(const data_part& part);
  ~staged_section();
  staged_section(const staged_section&) = delete;
  staged_section& operator=(const staged_section&) = delete;
  std::byte* data() const { return memory_.get(); }
  /// Where the section begins: it may lie in memory that only MPI may touch.
  const void* origin() const { return runs_.empty() ? nullptr : runs_.front().at; }
  /// The section is in device memory, the block is not: from now on MPI_Pack and MPI_Unpack copy. What they
  /// need is made here, as a copy that fails leaves other ranks waiting. Throws std::bad_alloc.
  void leave_to_mpi();
  /// Throw std::runtime_error if MPI has to and cannot.
  void gather() const;
  void scatter() const;

private:
  struct run {
    std::byte* at;
    std::size_t bytes;
  };
  /// Runs as one element of a datatype, from the first of their bytes.
  struct batch {
    std::byte* first;
    MPI_Datatype type;
    int bytes;
  };
  template <typename Copy>
  void copy_batches(Copy&& copy) const;

  std::vector<run> runs_;
  std::vector<batch> batches_; ///< all runs, if MPI copies; else none
  std::unique_ptr<std::byte[]> memory_;
};

/// What a call needs of it. Blocks that nothing arrives in keep what they hold, so both sides are gathered.
struct call_staging {
  std::unique_ptr<staged_section> send, receive; ///< null: contiguous
  void before_start() const {
    for (const auto* side : {send.get(), receive.get()})
      if (side)
        side->gather();
  }
  void after_completion() const {
    if (receive)
      receive->scatter();
  }
};

} // namespace tacit::interpose
