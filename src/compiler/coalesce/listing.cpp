#include "compiler/coalesce/listing.h"

#include <algorithm>

namespace tacit::compiler {
namespace {

constexpr std::uint32_t dropped = UINT32_MAX;
constexpr std::uint32_t largest_entry =
    1u << 20; ///< of merged neighbors; keeps lengths far from the limits of int

MPI_Aint end_of(const listed& e) {
  return e.offset + static_cast<MPI_Aint>(e.bytes);
}
bool by_place(const listed& a, const listed& b) {
  return a.offset != b.offset ? a.offset < b.offset : a.order < b.order;
}
bool by_order(const listed& a, const listed& b) {
  return a.order < b.order;
}
bool by_layer(const listed& a, const listed& b) {
  return a.layer != b.layer ? a.layer < b.layer : by_place(a, b);
}
bool overlap(const listed& a, const listed& b) {
  return a.offset < end_of(b) && b.offset < end_of(a);
}

} // namespace

bool listing::append(budget& memory, MPI_Aint offset, std::uint32_t bytes, const char* data, char* result) {
  if (data && (!reserve(memory, reserved_, data_.size + bytes) || !data_.make_room(memory, bytes)))
    return false;
  if (!entries_.make_room(memory, 1))
    return false;
  const std::size_t packed = data_.size;
  if (data) {
    std::memcpy(data_.data + packed, data, bytes);
    data_.size += bytes;
  }
  if (entries_.size) {
    listed& last = entries_.back();
    if (end_of(last) == offset && last.bytes + bytes <= largest_entry &&
        (!result || last.result + last.bytes == result)) {
      last.bytes += bytes;
      return true;
    }
  }
  entries_.push({offset, bytes, 0, packed, entries_.size, result});
  return true;
}

/// Entries [from, to) touch each other, perhaps through others of them. Each gets the first layer behind all earlier ones
/// that it overlaps; in large clusters a layer of its own, which is right, too, and takes no quadratic time.
std::uint32_t listing::layer_cluster(std::size_t from, std::size_t to, bool last_wins) {
  listed* const first = entries_.data + from;
  listed* const last = entries_.data + to;
  const bool same_place = std::all_of(
      first, last, [&](const listed& e) { return e.offset == first->offset && e.bytes == first->bytes; });
  if (same_place && last_wins) { // in order of the program already
    for (listed* e = first; e + 1 < last; ++e)
      e->layer = dropped;
    return 1;
  }
  std::sort(first, last, by_order);
  constexpr std::ptrdiff_t small = 64;
  std::uint32_t layers = 0;
  for (listed* e = first; e < last; ++e) {
    if (same_place || last - first > small)
      e->layer = static_cast<std::uint32_t>(e - first);
    else
      for (const listed* earlier = first; earlier < e; ++earlier)
        if (overlap(*earlier, *e))
          e->layer = std::max(e->layer, earlier->layer + 1);
    layers = std::max(layers, e->layer + 1);
  }
  return layers;
}

std::uint32_t listing::arrange(bool last_wins, bool& stay) {
  stay = std::is_sorted(begin(), end(), by_place);
  if (!stay)
    std::sort(entries_.data, entries_.data + entries_.size, by_place);
  std::uint32_t layers = 1;
  bool clustered = false;
  for (std::size_t from = 0, to = 1; from < entries_.size; from = to++) {
    MPI_Aint reach = end_of(entries_.data[from]);
    for (; to < entries_.size && entries_.data[to].offset < reach; ++to)
      reach = std::max(reach, end_of(entries_.data[to]));
    if (to - from > 1) {
      layers = std::max(layers, layer_cluster(from, to, last_wins));
      clustered = true;
    }
  }
  if (clustered) {
    stay = false;
    std::sort(entries_.data, entries_.data + entries_.size, by_layer);
    while (entries_.size && entries_.back().layer == dropped)
      --entries_.size;
  }
  return layers;
}

void listing::release(budget& memory) {
  entries_.release(memory);
  data_.release(memory);
  memory.give(reserved_);
  reserved_ = 0;
}

} // namespace tacit::compiler
