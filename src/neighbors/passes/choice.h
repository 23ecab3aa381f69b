// Which variant of a neighborhood collective is taken when nobody forces one.
//
// A variant is a grouping of blocks into messages, and a driver. Groupings:
//     coalesced   one message per neighbor (and, where they pay, trees or aggregation between nodes on top)
//     direct      one message per edge; differs only where several edges join two ranks
//     combined    dimension by dimension on a torus (combine.h)
// Each rank predicts from its own messages and the machine model what every variant costs it (graphs/cost).
// The slowest rank counts, so the ranks reduce the predictions to their maxima (in a reduction that the
// set-up makes anyway), and from the same numbers all choose the same: `cheapest` is a pure function of what
// it is given. Drivers without a price are taken only by priority. One variant has neither grouping nor
// price: the MPI library's native call, of which nobody knows what it does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tacit::neighbors {

enum class grouping : std::uint8_t { coalesced, direct, combined };
inline constexpr std::size_t groupings = 3;
std::string_view name(grouping g);

struct variant {
  grouping blocks = grouping::coalesced;
  std::string_view driver; ///< its name
  double ns = -1;          ///< predicted, the most over all ranks; negative: no price
};

/// In place of a driver's name: the variant that is the MPI library's native call.
inline constexpr std::string_view native_call = "mpi";
/// "coalesced shm"; "mpi".
std::string name(const variant& v);

/// Position of the cheapest; among variants that differ by less than a tenth, and among those without price,
/// the first: they are given by priority. At least one variant.
std::size_t cheapest(std::span<const variant> variants);

/// One line: why that one was taken.
std::string reason_for(std::span<const variant> variants, std::size_t taken);

} // namespace tacit::neighbors
