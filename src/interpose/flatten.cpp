#include "interpose/flatten.h"

#include "interpose/mpi_library.h"

#include <vector>

namespace tacit::interpose {

namespace {

struct contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

contents contents_of(MPI_Datatype type) {
  contents c;
  int integers = 0, addresses = 0, types = 0;
  TACIT_PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &c.combiner);
  if (c.combiner == MPI_COMBINER_NAMED)
    return c;
  c.integers.resize(static_cast<std::size_t>(integers) + 1);
  c.addresses.resize(static_cast<std::size_t>(addresses) + 1);
  c.types.resize(static_cast<std::size_t>(types) + 1);
  TACIT_PMPI(Type_get_contents)
  (type, integers, addresses, types, c.integers.data(), c.addresses.data(), c.types.data());
  c.types.resize(static_cast<std::size_t>(types));
  return c;
}

void free_if_derived(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  TACIT_PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED)
    TACIT_PMPI(Type_free)(&type);
}

bool add(data_layout& to, std::int64_t at, std::uint64_t length) {
  if (length == 0)
    return true;
  if (!to.segments.empty()) {
    layout_segment& last = to.segments.back();
    if (last.displacement + static_cast<std::int64_t>(last.length) == at) {
      last.length += length;
      return true;
    }
  }
  if (to.segments.size() == max_listed_segments)
    return false;
  to.segments.push_back({at, length});
  return true;
}

bool add_type(data_layout& to, MPI_Datatype type, std::int64_t at);

bool add_block(data_layout& to, MPI_Datatype type, std::int64_t at, std::int64_t count) {
  MPI_Aint lower = 0, extent = 0;
  TACIT_PMPI(Type_get_extent)(type, &lower, &extent);
  for (std::int64_t i = 0; i < count; ++i)
    if (!add_type(to, type, at + i * extent))
      return false;
  return true;
}

bool add_parts(data_layout& to, const contents& c, std::int64_t at) {
  const auto& n = c.integers;
  MPI_Aint lower = 0, extent = 0;
  if (!c.types.empty())
    TACIT_PMPI(Type_get_extent)(c.types[0], &lower, &extent);
  bool fits = true;
  switch (c.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    return add_type(to, c.types[0], at);
  case MPI_COMBINER_CONTIGUOUS:
    return add_block(to, c.types[0], at, n[0]);
  case MPI_COMBINER_VECTOR:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[0], at + i * n[2] * extent, n[1]);
    return fits;
  case MPI_COMBINER_HVECTOR:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[0], at + i * c.addresses[0], n[1]);
    return fits;
  case MPI_COMBINER_INDEXED:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[0], at + n[static_cast<std::size_t>(1 + n[0] + i)] * extent,
                       n[static_cast<std::size_t>(1 + i)]);
    return fits;
  case MPI_COMBINER_HINDEXED:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[0], at + c.addresses[static_cast<std::size_t>(i)],
                       n[static_cast<std::size_t>(1 + i)]);
    return fits;
  case MPI_COMBINER_INDEXED_BLOCK:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[0], at + n[static_cast<std::size_t>(2 + i)] * extent, n[1]);
    return fits;
  case MPI_COMBINER_HINDEXED_BLOCK:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[0], at + c.addresses[static_cast<std::size_t>(i)], n[1]);
    return fits;
  case MPI_COMBINER_STRUCT:
    for (int i = 0; i < n[0] && fits; ++i)
      fits = add_block(to, c.types[static_cast<std::size_t>(i)],
                       at + c.addresses[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(1 + i)]);
    return fits;
  default:
    return false;
  }
}

bool add_type(data_layout& to, MPI_Datatype type, std::int64_t at) {
  const contents c = contents_of(type);
  if (c.combiner == MPI_COMBINER_NAMED) {
    int size = 0;
    TACIT_PMPI(Type_size)(type, &size);
    return add(to, at, static_cast<std::uint64_t>(size));
  }
  const bool fits = add_parts(to, c, at);
  for (MPI_Datatype part : c.types)
    free_if_derived(part);
  return fits;
}

} // namespace

data_layout flatten(MPI_Datatype type) {
  data_layout layout;
  MPI_Count size = 0, lower = 0, extent = 0;
  TACIT_PMPI(Type_size_x)(type, &size);
  TACIT_PMPI(Type_get_extent_x)(type, &lower, &extent);
  layout.size = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  layout.extent = extent;
  layout.known = add_type(layout, type, 0);
  if (!layout.known)
    layout.segments.clear();
  return layout;
}

} // namespace tacit::interpose
