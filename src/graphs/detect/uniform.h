// Which pieces make the equal blocks of a uniform collective, if possible without cutting any.
//
// A collective has slots (pairs of ranks, or sources), each with a list of pieces. All slots must give the
// same number of bytes. Whole pieces are preferred: first the lengths that all slots have in common, then a
// subset of the other pieces with just the right sum, and only then a piece is cut.
#pragma once

#include "graphs/detect/detect.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacit::graphs {

std::vector<std::uint64_t> lengths_of(std::span<const slice> pieces);
std::uint64_t sum_of(std::span<const std::uint64_t> lengths);

/// The multiset of piece lengths that all slots have in common. Adding all slots costs O(pieces log pieces of
/// a slot): the common multiset is never longer than any slot seen.
class common_lengths {
public:
  void add(std::span<const std::uint64_t> lengths);
  /// Adds a slot with a single piece.
  void add(std::uint64_t length) {
    if (!started_ || common_.size() != 1 || common_.front() != length)
      add(std::span(&length, 1));
  }
  /// Adds a slot with these pieces.
  void add_pieces(std::span<const slice> pieces) {
    if (pieces.size() == 1)
      add(pieces.front().length);
    else
      add(lengths_of(pieces));
  }
  std::span<const std::uint64_t> sorted() const { return common_; }
  std::uint64_t sum() const;

private:
  bool started_ = false;
  std::vector<std::uint64_t> common_, scratch_, merged_;
};

/// How the last bytes of a block are found, after the common lengths.
enum class completion : std::uint8_t {
  none,  ///< the common lengths suffice
  exact, ///< a subset of the other pieces
  cut,   ///< pieces in order, the last one cut
};

/// Bytes taken from each piece of a slot: the common lengths, then `rest` further bytes as given.
/// Empty if there is no exact subset (or it was not found within a fixed number of steps).
std::optional<std::vector<std::uint64_t>> pick(std::span<const std::uint64_t> lengths,
                                               std::span<const std::uint64_t> common, std::uint64_t rest,
                                               completion how);
/// The same for a block that has been chosen so that every slot fits; throws std::logic_error if one does
/// not.
std::vector<std::uint64_t> pick_chosen(std::span<const std::uint64_t> lengths,
                                       std::span<const std::uint64_t> common, std::uint64_t rest,
                                       completion how);

/// The common lengths as far as they fit into a block of `limit` bytes.
std::vector<std::uint64_t> fitting(const common_lengths& common, std::uint64_t limit);

/// What a family takes from its slots.
struct block_choice {
  std::uint64_t bytes = 0; ///< uniform block, 0: none
  completion how = completion::none;
  bool vector_rest = false; ///< everything else goes into the vector variant
};

/// Decides: `smallest` is the smallest volume of a slot, `common` the sum of the common lengths; all_exact()
/// says whether every slot has an exact subset for the difference. The vector variant is taken where blocks
/// would have to be cut.
template <typename AllExact>
block_choice choose_block(std::uint64_t smallest, std::uint64_t common, bool vector_forms,
                          AllExact all_exact) {
  if (smallest == common)
    return {common, completion::none, false};
  if (all_exact())
    return {smallest, completion::exact, false};
  if (vector_forms)
    return {common, completion::none, true};
  return {smallest, completion::cut, false};
}

} // namespace tacit::graphs
