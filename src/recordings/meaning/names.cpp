#include "recordings/meaning/names.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t most_members = 1u << 20; ///< of a world named without a record

location location_at(const rank_recording& r, std::uint32_t of_site) {
  location p;
  if (of_site == none)
    return p;
  const site_info& site = r.sites[of_site];
  p.offset = site.offset;
  if (site.module != none) {
    p.module_path = r.modules[site.module].path;
    p.build_id = r.modules[site.module].build_id;
  }
  return p;
}

} // namespace

run_names::run_names(message_table& table) : out_(table) {
  out_.groups.emplace_back();
}

run_names::run_names(const run_names& known, message_table& table)
    : out_(table), group_ids_(known.group_ids_), location_ids_(known.location_ids_),
      caller_ids_(known.caller_ids_), path_ids_(known.path_ids_) {}

void run_names::world(std::uint32_t ranks) {
  out_.groups[0].members.resize(std::min(ranks, most_members));
  std::iota(out_.groups[0].members.begin(), out_.groups[0].members.end(), 0u);
}

std::uint32_t run_names::group(const rank_recording& r, const communicator_info& c) {
  if (c.id == 1 && c.members.size() == r.size)
    return 0;
  const auto [at, is_new] = group_ids_.try_emplace(std::make_tuple(c.key, c.inter, c.members),
                                                   static_cast<std::uint32_t>(out_.groups.size()));
  if (is_new)
    out_.groups.push_back({c.key, c.inter, c.members});
  return at->second;
}

run_names::location_key run_names::key_of(const recordings::location& where) {
  return {where.build_id.empty() ? where.module_path : where.build_id, where.offset, where.call};
}

std::uint32_t run_names::location(const rank_recording& r, std::uint32_t site, std::uint16_t call) {
  recordings::location p = location_at(r, site);
  p.call = call;
  const auto [at, is_new] =
      location_ids_.try_emplace(key_of(p), static_cast<std::uint32_t>(out_.locations.size()));
  if (is_new) {
    out_.locations.push_back(std::move(p));
    out_.location_seconds.push_back(0);
    out_.location_calls.push_back(0);
  }
  return at->second;
}

std::uint32_t run_names::caller(const rank_recording& r, std::uint32_t site) {
  recordings::location p = location_at(r, site);
  const auto [at, is_new] =
      caller_ids_.try_emplace(key_of(p), static_cast<std::uint32_t>(out_.callers.size()));
  if (is_new)
    out_.callers.push_back(std::move(p));
  return at->second;
}

std::uint32_t run_names::path(const rank_recording& r, const call& c) {
  call_path p;
  p.location = location(r, c.site, c.id);
  if (c.path != none)
    for (const std::uint32_t site : std::span(r.paths[c.path].sites).subspan(1))
      p.callers.push_back(caller(r, site));
  const auto [at, is_new] = path_ids_.try_emplace(std::make_pair(p.location, p.callers),
                                                  static_cast<std::uint32_t>(out_.paths.size()));
  if (is_new) {
    out_.paths.push_back(std::move(p));
    out_.path_seconds.push_back(0);
  }
  return at->second;
}

} // namespace tacit::recordings
