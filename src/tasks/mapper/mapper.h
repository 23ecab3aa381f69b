// Range mappers as values: which part of a buffer a part of the execution range (a chunk) touches.
//
// Every mapper of the catalogue is a union of *terms*, and a term is separable: each dimension of the buffer either is a
// constant interval, or follows one dimension of the chunk (widened, or scaled). That is what lets the runtime reason about
// all ranks at once: whom a chunk's data come from is a question about intervals in one dimension, and no loop over ranks.
// A functor of the user is compared with the catalogue (mapper/probe.h); if it is none of them, it is evaluated per rank.
//
// A mapper must be a homomorphism, r(A ∪ B) = r(A) ∪ r(B), and for writing map disjoint chunks to disjoint regions (Celerity,
// CPD paper section 1.4). Terms are homomorphisms by construction.
#pragma once

#include "tasks/space/region.h"

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tacit::tasks {

/// Where one dimension of the buffer comes from.
struct axis_map {
  enum class kind : std::uint8_t {
    constant, ///< `fixed`, whatever the chunk is
    follows,  ///< dimension `of` of the chunk, widened by `below` and `above`
    scaled, ///< the buffer's extent, divided like dimension `of` of the execution range, in multiples of `granularity`
  };
  kind what = kind::constant;
  std::uint8_t of = 0;
  bool clamp =
      false; ///< what reaches beyond the buffer is cut off; without it, it is an error of the program
  interval fixed{0, 1};
  coordinate below = 0, above = 0;
  coordinate granularity = 1;
  friend bool operator==(const axis_map&, const axis_map&) = default;
};

/// The whole extent of a dimension, clamped to the buffer.
inline constexpr interval everything{std::numeric_limits<coordinate>::min() / 4,
                                     std::numeric_limits<coordinate>::max() / 4};

/// A separable mapper: one axis_map for each dimension of the buffer.
struct term {
  std::array<axis_map, dimensions> dims{};
  const axis_map& operator[](int d) const { return dims[static_cast<std::size_t>(d)]; }
  axis_map& operator[](int d) { return dims[static_cast<std::size_t>(d)]; }
  friend bool operator==(const term&, const term&) = default;
};

/// The interval of a buffer's dimension that an interval of the execution range maps to, not clamped.
interval unclamped(const axis_map& map, interval chunk, interval global, coordinate extent);
interval image(const axis_map& map, interval chunk, interval global, coordinate extent);
/// What a chunk touches; empty for an empty chunk. `global` is the execution range, `extent` that of the buffer.
box image(const term& map, const box& chunk, const box& global, const range& extent);

/// A functor of the user: pure, and the same on every rank.
using mapper_function = std::function<region(const box& chunk, const box& global, const range& extent)>;

struct mapper {
  std::string name;
  std::vector<term> terms;                         ///< of the catalogue, or recognised
  std::shared_ptr<const mapper_function> function; ///< of the user; null for the catalogue
  bool symbolic() const { return !terms.empty(); }
};

/// Exact region; clamped where the mapper says so, else possibly beyond the buffer.
region image(const mapper& map, const box& chunk, const box& global, const range& extent);

/// The catalogue. Dimensions are numbered from 0, and the missing ones follow each other.
mapper one_to_one();
mapper all();
mapper fixed(const box& where);
/// The whole extent in dimension `dim`, one to one in the others.
mapper slice(int dim);
enum class neighborhood_shape : std::uint8_t { bounding_box, along_axes };
/// The chunk and `border` elements on both sides in each dimension, clamped to the buffer; the corners only in a bounding box.
mapper neighborhood(const point& border, neighborhood_shape shape = neighborhood_shape::bounding_box);
/// Dimension d of the buffer follows dimension order[d] of the execution range; with no_dimension it has one element.
inline constexpr int no_dimension = -1;
mapper transposed(const std::array<int, dimensions>& order);
/// Dimension 0 of the buffer divided like dimension 0 of the execution range, in multiples of `granularity`.
mapper even_split(coordinate granularity = 1);
/// A functor of the user that has not been compared with the catalogue (mapper/probe.h does).
mapper from_function(std::string name, mapper_function function);

} // namespace tacit::tasks
