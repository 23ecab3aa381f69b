#include "interpose/recorder/flatten.h"

#include "interpose/layer/mpi_library.h"
#include "runtime/mpi/datatype.h"

namespace tacit::interpose {

data_layout size_only(MPI_Datatype type) {
  data_layout layout;
  MPI_Count size = 0, lower = 0, extent = 0;
  TACIT_PMPI(Type_size_x)(type, &size);
  TACIT_PMPI(Type_get_extent_x)(type, &lower, &extent);
  layout.size = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  layout.extent = extent;
  return layout;
}

data_layout describe_type(MPI_Datatype type) {
  try {
    const tacit::runtime::layout flat = runtime::flatten(type);
    if (flat.segments.size() > max_listed_segments)
      return size_only(type);
    data_layout layout;
    layout.size = flat.size;
    layout.extent = flat.extent;
    layout.known = true;
    layout.segments.reserve(flat.segments.size());
    for (const tacit::runtime::layout_segment& s : flat.segments)
      layout.segments.push_back({s.displacement, s.length});
    return layout;
  } catch (const runtime::datatype_error&) {
    return size_only(type);
  }
}

} // namespace tacit::interpose
