// A section of a Fortran array whose elements do not stand one after the other, as a block of memory where
// they do: for calls that are done in the library's place and take blocks of it per peer.
//
// MPI treats such a section as if it were contiguous (MPI-4.1 section 19.1.12). Whether a rank's section is
// contiguous the other ranks do not know, so it may not decide who does a collective call.
#pragma once

#include "interpose/layer/invocation.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tacit::interpose {

class staged_section {
public:
  /// For data with `scattered` set, within the wrapper that has described it. Throws std::bad_alloc.
  explicit staged_section(const data_part& part);
  std::byte* data() const { return memory_.get(); }
  void gather() const;
  void scatter() const;

private:
  struct run {
    std::byte* at;
    std::size_t bytes;
  };
  std::vector<run> runs_;
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
