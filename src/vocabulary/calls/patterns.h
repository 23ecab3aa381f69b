// The patterns tacit detects: MPI's collective operations, from the table patterns.def.
#pragma once

#include "vocabulary/base/spoken.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tacit::vocabulary {

/// The patterns, in the order in which detection looks for them.
enum class pattern : std::uint8_t {
#define TACIT_PATTERN(name, call, signature, vector, noun, meaning) name,
#include "vocabulary/calls/patterns.def"
#undef TACIT_PATTERN
};

/// Whose blocks go to whom. "All" get the same block, "each" gets one of its own; "into": what all give is combined.
enum class signature : std::uint8_t {
  root_to_all,
  root_to_each,
  each_to_root,
  each_to_all,
  each_to_each,
  no_data,
  all_into_root,
  all_into_all,
  all_into_each,
  up_to_each,  ///< all ranks up to it into each
  before_each, ///< all ranks before it into each
};

struct pattern_row {
  pattern kind;
  std::string_view name; ///< the lower-case MPI name without prefix, for example "allgatherv"
  std::string_view call; ///< "MPI_Allgatherv"
  signature moves;
  pattern vector;        ///< the collective with blocks of different lengths; itself if there is no other
  std::string_view noun; ///< in sentences, for example "broadcast"
  std::string_view meaning;
};

inline constexpr std::array patterns{
#define TACIT_PATTERN(name, call, signature_of, vector, noun, meaning)                                       \
  pattern_row{pattern::name, #name, call, signature::signature_of, pattern::vector, noun, meaning},
#include "vocabulary/calls/patterns.def"
#undef TACIT_PATTERN
};

constexpr const pattern_row& row_of(pattern kind) {
  return patterns[static_cast<std::size_t>(kind)];
}

constexpr std::string_view name(pattern kind) {
  return row_of(kind).name;
}

constexpr std::optional<pattern> find_pattern(std::string_view name) {
  for (const pattern_row& row : patterns)
    if (row.name == name)
      return row.kind;
  return std::nullopt;
}

/// True for patterns with a distinguished rank.
constexpr bool is_rooted(pattern kind) {
  const signature moves = row_of(kind).moves;
  return moves == signature::root_to_all || moves == signature::root_to_each ||
         moves == signature::each_to_root || moves == signature::all_into_root;
}

/// True where what the ranks give is combined element by element.
constexpr bool is_reduction(pattern kind) {
  const signature moves = row_of(kind).moves;
  return moves == signature::all_into_root || moves == signature::all_into_all ||
         moves == signature::all_into_each || moves == signature::up_to_each ||
         moves == signature::before_each;
}

/// True where each rank gets what ranks before it, or up to it, give: all of the ranks' order counts.
constexpr bool is_scan(pattern kind) {
  return row_of(kind).moves == signature::up_to_each || row_of(kind).moves == signature::before_each;
}

/// True where one block goes to all ranks, so that who sends it says it once.
constexpr bool is_shared(pattern kind) {
  return row_of(kind).moves == signature::root_to_all || row_of(kind).moves == signature::each_to_all;
}

/// True for those whose blocks are equally long.
constexpr bool is_uniform(pattern kind) {
  for (const pattern_row& row : patterns)
    if (row.vector == kind && row.kind != kind)
      return false;
  return true;
}

} // namespace tacit::vocabulary
