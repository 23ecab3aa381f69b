// The running hash of a stream: ranks that submit different programs get different numbers.
#include "tasks/stream/stream.h"

namespace tacit::tasks {
namespace {

void add(hash_input& hash, const box& b) {
  for (const interval& side : b.side) {
    hash.add(static_cast<std::uint64_t>(side.begin));
    hash.add(static_cast<std::uint64_t>(side.end));
  }
}

void add(hash_input& hash, const range& r) {
  for (const coordinate length : r.size)
    hash.add(static_cast<std::uint64_t>(length));
}

void add(hash_input& hash, const region& r) {
  hash.add(r.boxes().size());
  for (const box& b : r.boxes())
    add(hash, b);
}

void add(hash_input& hash, const axis_map& m) {
  hash.add(static_cast<std::uint64_t>(m.what) | std::uint64_t{m.of} << 8 | std::uint64_t{m.clamp} << 16);
  for (const coordinate word : {m.fixed.begin, m.fixed.end, m.below, m.above, m.granularity})
    hash.add(static_cast<std::uint64_t>(word));
}

void add(hash_input& hash, const mapper& map, const box& global, const range& extent) {
  hash.add(hash_of(map.name));
  for (const term& t : map.terms)
    for (const axis_map& m : t.dims)
      add(hash, m);
  add(hash, image(map, global, global, extent));
  if (global.empty())
    return;
  box first = global, last = global;
  for (int d = 0; d < dimensions; ++d) {
    first[d].end = first[d].begin + 1;
    last[d].begin = last[d].end - 1;
  }
  add(hash, image(map, first, global, extent));
  add(hash, image(map, last, global, extent));
}

} // namespace

std::uint64_t digest(const buffer& b) {
  hash_input hash;
  hash.add(hash_of(b.name));
  add(hash, b.extent);
  hash.add(b.element_size * 2 + (b.host_initialized ? 1 : 0));
  return hash.value();
}

std::uint64_t digest(const task& t, const std::vector<buffer>& buffers) {
  hash_input hash;
  hash.add(static_cast<std::uint64_t>(t.kind));
  hash.add(hash_of(t.name));
  add(hash, t.shape.global);
  add(hash, t.shape.granularity);
  hash.add(static_cast<std::uint64_t>(t.shape.split));
  hash.add(hash_of(t.shape.weights.get().data(), t.shape.weights.get().size_bytes()));
  for (const access& a : t.accesses) {
    hash.add(static_cast<std::uint64_t>(index(a.buffer)) * 4 + static_cast<std::uint64_t>(a.mode));
    add(hash, a.how, t.shape.global, buffers[index(a.buffer)].extent);
  }
  for (const reduction& r : t.reductions) {
    hash.add(static_cast<std::uint64_t>(index(r.buffer)) * 2 + (r.include_current ? 1 : 0));
    hash.add(r.operation);
  }
  for (const host_object_id object : t.host_objects)
    hash.add(index(object));
  hash.add(t.collective_group);
  return hash.value();
}

} // namespace tacit::tasks
