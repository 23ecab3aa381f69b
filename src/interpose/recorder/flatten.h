// A datatype as segments, by the flattening of room `run`.
#pragma once

#include "interpose/recorder/content.h"

#include <mpi.h>

namespace tacit::interpose {

/// More segments than this are not listed (a megabyte of them); `known` is then false and the positions are
/// unknown.
inline constexpr std::size_t max_listed_segments = 65536;

/// The layout of a datatype (id left 0).
data_layout describe_type(MPI_Datatype type);
/// What is known of a type whose positions are not: its size and extent.
data_layout size_only(MPI_Datatype type);

} // namespace tacit::interpose
