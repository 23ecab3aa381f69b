// Named types are kept by handle, for they live as long as MPI. A derived type's handle may be reused after
// MPI_Type_free, so the handle alone proves nothing: its layout is an attribute of the type. Duplicates do
// not inherit it; they are flattened again and get the same number.
#include "runtime/exchange/layouts.h"

#include "runtime/mpi/attributes.h"
#include "vocabulary/base/hash.h"

#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tacit::runtime {
namespace {

/// Of layouts that may be equal: a list of 300,000 pieces is kept once, and compared seldom.
using content_key = std::tuple<std::int64_t, std::uint64_t, std::size_t, std::uint64_t>;

content_key key_of(const layout& l) {
  static_assert(std::has_unique_object_representations_v<layout_segment>);
  return {l.extent, l.size, l.segments.size(),
          hash_of(l.segments.data(), l.segments.size() * sizeof(layout_segment))};
}

struct tables {
  std::mutex guard;
  std::uint64_t next = 1;
  std::vector<std::pair<MPI_Datatype, layout_handle>> named; ///< few: those a program uses
  type_attribute<layout_handle> derived;
  std::multimap<content_key, std::weak_ptr<const numbered_layout>> known;
};

tables& all_tables() {
  static tables* const t = new tables; // types may be freed after static objects are gone
  return *t;
}

layout_handle number(tables& t, layout l) {
  const content_key key = key_of(l);
  const auto [first, last] = t.known.equal_range(key);
  for (auto at = first; at != last; ++at)
    if (layout_handle found = at->second.lock(); found && found->element.segments == l.segments)
      return found;
  const auto fresh = std::make_shared<const numbered_layout>(numbered_layout{t.next++, std::move(l)});
  t.known.emplace(key, fresh);
  if (t.known.size() > 1024)
    std::erase_if(t.known, [](const auto& entry) { return entry.second.expired(); });
  return fresh;
}

bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  check_mpi(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  return combiner == MPI_COMBINER_NAMED;
}

} // namespace

layout_handle layout_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    throw datatype_error("MPI_DATATYPE_NULL");
  tables& t = all_tables();
  const std::lock_guard lock(t.guard);
  for (const auto& [handle, found] : t.named)
    if (handle == type)
      return found;
  if (is_named(type)) {
    t.named.emplace_back(type, number(t, flatten(type)));
    return t.named.back().second;
  }
  if (const layout_handle* const found = t.derived.of(type))
    return *found;
  return t.derived.set(type, std::make_unique<layout_handle>(number(t, flatten(type))));
}

} // namespace tacit::runtime
