// Arrays of contributions, one of each rank of a group, combined element by element in the order of the ranks: the same bits
// on every rank, in every run, whatever the algorithm.
//
//   direct      Everybody sends each rank the elements that it wants, and it combines them. One step; a rank that wants all n
//               elements gets (p-1) n.
//   in slices   Rank k combines slice k of all contributions, and sends it to whom wants it: reduce-scatter and allgather. Two steps;
//               a rank sends and gets 2 (p-1)/p n elements, and combines n instead of (p-1) n.
//
// An element is combined by one rank or by several, but always as ((c0 op c1) op c2) …, so that both give the same. Rings and
// trees would need another association for each slice. Slices are chosen where they move fewer elements and the array is long.
#pragma once

#include "runtime/executor/pending_requests.h"

#include <memory>
#include <tacit/tasks/library.hpp>
#include <vector>

namespace tacit::runtime {

struct element_range {
  std::size_t first = 0, count = 0;
  std::size_t end() const { return first + count; }
};
element_range common(const element_range& a, const element_range& b);

struct contributions {
  const detail::reduction* how = nullptr;
  std::vector<std::byte> mine;       ///< of how->elements elements
  std::vector<int> ranks;            ///< of the group, in the order in which they are combined
  std::size_t me = 0;                ///< among them
  std::vector<element_range> wanted; ///< by each of them, the same on all
};

/// Whether slices are to be used.
bool in_slices(const contributions& all);

/// Starts it: all of the group do so in the same order on the communicator. `number` is the same on all, and another one than
/// those of calls that are under way. `then` gets the array, in which only this rank's wanted elements count.
void combine_together(pending_requests& with, MPI_Comm comm, std::uint64_t number, contributions all,
                      std::function<void(std::byte* result)> then);

} // namespace tacit::runtime
