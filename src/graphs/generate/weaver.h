// Builds the operations of a generated algorithm over named blocks and finds the dependencies by itself.
//
// Every rank has blocks in three regions. For each piece of a block the weaver remembers who wrote it last
// and who has read it since; a new operation depends on the last writer of what it reads, and on the last
// writer and the readers of what it overwrites. So the graph is race-free by construction and has no
// dependency that the data do not need. Cost O(pieces touched).
#pragma once

#include "graphs/generate/generate.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tacit::graphs {

enum class region : std::uint8_t { input, output, scratch };

/// All of block `index` of a region, or one segment of it.
struct piece {
  region where = region::input;
  std::uint32_t index = 0;
  std::int32_t segment = -1; ///< −1: all of them
};

using pieces = std::vector<piece>;

inline pieces whole(region where, std::uint32_t index) {
  return {{where, index, -1}};
}
/// Where member r keeps the block of member o in an allgather: its own one in its input, the others in its output.
inline piece slot(std::uint32_t r, std::uint32_t o) {
  return r == o ? piece{region::input, 0} : piece{region::output, o};
}

class weaver {
public:
  /// Every block has `segments` segments; reductions combine by `by`.
  weaver(graph& g, comm_id comm, const memory_layout& layout, std::uint64_t block, std::uint32_t segments,
         reducer_id by = no_reducer);

  /// A message between two members (positions in the communicator) from pieces into pieces, in packing order.
  void message(std::uint32_t from, const pieces& source, std::uint32_t to, const pieces& target);
  /// A message without payload. Its send waits for the signals that `from` got in earlier rounds.
  void signal(std::uint32_t from, std::uint32_t to);
  void next_round() { ++round_; }
  void copy(std::uint32_t member, const pieces& source, const pieces& target);
  /// target = source ⊕ target
  void combine(std::uint32_t member, const pieces& source, const pieces& target);
  /// What the member does later comes after everything it has done since its last wait.
  void wait(std::uint32_t member);
  /// Declares the scratch blocks used so far.
  void declare_scratch();

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  std::uint32_t segments() const { return segments_; }

private:
  static constexpr std::uint32_t none = 0xffffffffu;
  struct piece_state {
    std::uint32_t writer = none;
    std::uint32_t readers = none; ///< list in readers_
  };
  struct reader {
    std::uint32_t op, next;
  };
  struct member_state {
    std::array<std::vector<piece_state>, 3> pieces;
    std::vector<op_id> recent;       ///< since the last wait
    std::vector<op_id> awaited;      ///< what later operations wait for
    op_id heard = no_op;             ///< last signal of an earlier round than `hearing_round`
    op_id hearing = no_op;           ///< last signal
    std::uint32_t hearing_round = 0; ///< round of `hearing`
  };

  std::vector<segment> bytes(const pieces& list) const;
  void order(std::uint32_t member, op_id op, const pieces& reads, const pieces& writes);
  template <typename Visit>
  void each_state(std::uint32_t member, const pieces& list, Visit visit);
  void remember(std::uint32_t before, op_id after);

  graph& g_;
  comm_id comm_;
  std::vector<rank_id> members_;
  memory_layout layout_;
  std::uint64_t block_;
  std::uint32_t segments_;
  reducer_id by_;
  std::uint32_t round_ = 1;
  std::vector<member_state> state_;
  std::vector<reader> readers_;
  std::vector<std::uint32_t> found_; ///< dependencies of the operation being ordered
};

} // namespace tacit::graphs
