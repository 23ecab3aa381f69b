// How did the program come to an MPI call: the return addresses of the call and of the functions around it.
//
// Problem: a call site says little in a library, where one line sends everything. Walking the stack by unwind
// tables costs about a microsecond a frame, and frame pointers are missing in optimized code.
//
// Idea: for almost every return address the distance to the next one up the stack is always the same, because a
// function's frame has a fixed size at a given instruction. So distances are learned: the unwinder is asked once
// for each return address, and from then on a step is one look-up and one load. The word that is found must be a
// return address that is known; if it is not, the unwinder is asked. A frame of varying size (alloca, a realigned
// stack) shows when the unwinder disagrees, which is checked at every such miss and at one of `checked_once_in`
// hits; a path ends before such a frame. Functions that call themselves count once.
//
// Cost: a hash look-up and a load a frame (bench/recorder_overhead.py measures calls with it); misses are
// bounded by two for each return address of the program, and one for each `checked_once_in` calls.
#pragma once

#include "interpose/layer/handle_map.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacit::interpose {

class path_finder {
public:
  static constexpr std::size_t max_frames = 4; ///< of a path, with the call itself
  static constexpr std::size_t max_steps = 16; ///< up the stack, with repeated frames
  static constexpr std::uint32_t checked_once_in =
      4096; ///< calls: measured 2 µs a check, so below 1 ns a call

  /// The return addresses from `from`, the innermost, outwards; at least that one. `anchor` is an address in the
  /// frame of the function that returns to `from`, one of at most two places there. The result is
  /// valid until the next call.
  std::span<const std::uint64_t> find(const void* from, const void* anchor);

  /// How often the unwinder was asked.
  std::uint64_t unwound() const { return unwound_; }

private:
  /// From one frame to the next: distances from the stack pointer after a return (of the first step: from the
  /// anchor) to where the next return address is kept, and to the stack pointer after that return.
  struct step {
    std::uint32_t to_slot = 0; ///< 0: the path ends here, as the stack does
    std::uint32_t to_frame = 0;
    bool varies = false;
    bool ends() const { return varies || to_slot == 0; }
  };
  struct path {
    std::array<std::uint64_t, max_frames> address{};
    std::size_t frames = 0;
    bool whole = true; ///< all steps were known
  };

  const step* first_step(std::uint64_t from, std::uint64_t anchor);
  path walk(std::uint64_t from, std::uint64_t anchor);
  void unwind(std::uint64_t from, std::uint64_t anchor);
  void learn(handle_map<step>& steps, std::uint64_t address, step seen);

  handle_map<step> first_[2]; ///< by return address: from the anchor, of which a function may have two
  handle_map<step> next_;     ///< by return address
  path found_;
  std::uint32_t until_check_ = checked_once_in;
  std::uint64_t unwound_ = 0;
};

} // namespace tacit::interpose
