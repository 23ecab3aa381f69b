#include "runtime/exchange/neighbor_call.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/memory_kind.h"
#include "runtime/mpi/mpi_error.h"

#include <fmt/format.h>
#include <limits>

namespace tacit::runtime {

using listing = neighbor_side::listing;

std::int64_t count_at(const neighbor_side& s, std::size_t i) {
  if (s.blocks == listing::same || s.blocks == listing::equal)
    return s.count;
  return s.large_counts ? static_cast<const MPI_Count*>(s.counts)[i] : static_cast<const int*>(s.counts)[i];
}

std::int64_t displacement_at(const neighbor_side& s, std::size_t i) {
  return s.large_displacements ? static_cast<const MPI_Aint*>(s.displacements)[i]
                               : static_cast<const int*>(s.displacements)[i];
}

namespace {

/// Last word of a call's signature if a buffer is in device memory: no count, displacement or layout.
constexpr std::int64_t in_device = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void refuse_argument(const std::string& text) {
  throw neighbor_error(neighbor_error::kind::argument, text);
}

void check_side(const neighbor_side& s, const char* which, std::size_t edges) {
  if (s.buffer == MPI_IN_PLACE)
    refuse_argument(
        fmt::format("the {} buffer is MPI_IN_PLACE, which neighborhood collectives do not have; give two "
                    "buffers that do not overlap",
                    which));
  if (edges == 0 || s.blocks == listing::same || s.blocks == listing::equal)
    return;
  if (!s.counts || !s.displacements || (s.blocks == listing::typed && !s.types))
    refuse_argument(
        fmt::format("an array of {} counts, displacements or datatypes is a null pointer; give one entry "
                    "per edge ({} here)",
                    which, edges));
}

MPI_Datatype type_at(const neighbor_side& s, const char* which, std::size_t i) {
  const MPI_Datatype type = s.blocks == listing::typed ? s.types[i] : s.type;
  if (type == MPI_DATATYPE_NULL)
    refuse_argument(fmt::format("the {} datatype of edge {} is MPI_DATATYPE_NULL", which, i));
  return type;
}

std::int64_t checked_count(const neighbor_side& s, const char* which, std::size_t i) {
  const std::int64_t count = count_at(s, i);
  if (count < 0)
    refuse_argument(
        fmt::format("the {} count of edge {} is {}; counts must not be negative", which, i, count));
  return count;
}

void describe_side(const neighbor_side& s, const char* which, const std::vector<neighbors::edge>& edges,
                   call_signature& into) {
  check_side(s, which, edges.size());
  into.words.push_back(static_cast<std::int64_t>(s.blocks));
  layout_handle common;
  MPI_Datatype described = MPI_DATATYPE_NULL;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank)
      continue;
    if (s.blocks == listing::typed || !common) {
      if (const MPI_Datatype type = type_at(s, which, i);
          type != described) { // mostly it is the same one again
        common = layout_of(type);
        into.layouts.push_back(common);
        described = type;
      }
      into.words.push_back(static_cast<std::int64_t>(common->number));
      if (s.blocks == listing::same || s.blocks == listing::equal) {
        into.words.push_back(checked_count(s, which, i));
        return;
      }
    }
    into.words.push_back(checked_count(s, which, i));
    into.words.push_back(displacement_at(s, i));
  }
}

/// The address at which block `i` begins.
std::uint64_t address_of(const neighbor_side& s, std::size_t i, std::int64_t count, std::int64_t extent) {
  std::int64_t offset = 0;
  bool lost = false;
  if (s.blocks == listing::equal)
    lost = __builtin_mul_overflow(count, extent, &offset) ||
           __builtin_mul_overflow(offset, static_cast<std::int64_t>(i), &offset);
  if (s.blocks == listing::varying)
    lost = __builtin_mul_overflow(displacement_at(s, i), extent, &offset);
  if (s.blocks == listing::typed)
    offset = displacement_at(s, i);
  if (lost)
    refuse_argument(fmt::format("the block of edge {} lies beyond the address space", i));
  return reinterpret_cast<std::uint64_t>(s.buffer) + static_cast<std::uint64_t>(offset);
}

std::vector<std::vector<graphs::segment>> side_blocks(const neighbor_side& s,
                                                      const std::vector<neighbors::edge>& edges) {
  std::vector<std::vector<graphs::segment>> blocks(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank)
      continue;
    const layout_handle l = layout_of(s.blocks == listing::typed ? s.types[i] : s.type);
    const std::int64_t count = count_at(s, i);
    const std::uint64_t at = address_of(s, i, count, l->element.extent);
    blocks[i] = segments_of(reinterpret_cast<const void*>(at), static_cast<std::uint64_t>(count), l->element);
  }
  return blocks;
}

/// Whether a block of this side begins in device memory. MPI_BOTTOM with absolute types is no buffer, and
/// types may begin anywhere: what counts is the first byte of each block.
bool side_in_device_memory(const neighbor_side& s, const std::vector<neighbors::edge>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank || count_at(s, i) == 0)
      continue;
    const layout& element = layout_of(s.blocks == listing::typed ? s.types[i] : s.type)->element;
    if (element.segments.empty())
      continue;
    const std::uint64_t at = address_of(s, i, count_at(s, i), element.extent) +
                             static_cast<std::uint64_t>(element.segments.front().displacement);
    if (in_device_memory(reinterpret_cast<const void*>(at)))
      return true;
  }
  return false;
}

/// Plans for buffers in device memory are others, as nothing may be packed (flat_run). Programs without
/// devices mostly repeat their buffers, for which nothing is asked again.
void describe_memory(const neighbor_call& call, const neighbors::neighborhood& n, call_signature& into) {
  const std::array<const void*, 2> buffers{call.send.buffer, call.receive.buffer};
  if (buffers == into.in_host && buffers[0] && buffers[1])
    return;
  into.in_host = {};
  if (!has_device_library())
    into.in_host = buffers;
  else if (side_in_device_memory(call.send, n.destinations) || side_in_device_memory(call.receive, n.sources))
    into.words.push_back(in_device);
}

} // namespace

bool call_signature::in_device_memory() const {
  return !words.empty() && words.back() == in_device;
}

void describe_call(const neighbor_call& call, const neighbors::neighborhood& n, call_signature& into) {
  into.words.clear();
  into.layouts.clear();
  describe_side(call.send, "send", n.destinations, into);
  describe_side(call.receive, "receive", n.sources, into);
  describe_memory(call, n, into);
}

neighbors::neighbor_blocks blocks_of(const neighbor_call& call, const neighbors::neighborhood& n) {
  return {side_blocks(call.send, n.destinations), side_blocks(call.receive, n.sources)};
}

std::vector<typed_block> typed_blocks(const neighbor_side& s, const char* which,
                                      const std::vector<neighbors::edge>& edges) {
  check_side(s, which, edges.size());
  std::vector<typed_block> blocks(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank)
      continue;
    typed_block& b = blocks[i];
    b.type = type_at(s, which, i);
    b.count = checked_count(s, which, i);
    MPI_Count lower = 0, extent = 0;
    check_mpi(MPI_Type_get_extent_x(b.type, &lower, &extent), "MPI_Type_get_extent_x");
    b.address = address_of(s, i, b.count, extent);
  }
  return blocks;
}

} // namespace tacit::runtime
