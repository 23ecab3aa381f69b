#include "tasks/layout/contents.h"

namespace tacit::tasks {
namespace {

constexpr std::size_t many_entries = 8; ///< from which on joining what became equal pays

geometry one_item_a_rank() {
  geometry out;
  out.split = split_rule::per_rank;
  return out;
}

/// The same ranks have the same, said in one way only.
distribution canonical(const distribution& copy, const box& where) {
  if (!constant(copy) || !copy.image().contains(where))
    return copy;
  return {copy.across, all().terms[0], copy.extent, nullptr};
}

} // namespace

contents::contents(std::uint32_t ranks)
    : ranks_(std::make_shared<const split>(make_split(one_item_a_rank(), ranks))) {}

distribution contents::everywhere(const range& extent) const {
  return {ranks_, all().terms[0], extent, nullptr};
}

void contents::add_buffer(const buffer& b) {
  version first;
  if (b.host_initialized) {
    first.initialized = true;
    first.owner = everywhere(b.extent);
  }
  extents_.push_back(b.extent);
  buffers_.add({box_of(b.extent), std::move(first)});
}

void contents::add_copy(buffer_id buffer, const box& where, const distribution& copy) {
  for (const box& b : intersection(region(where), copy.image()).boxes()) {
    const distribution added = canonical(copy, b);
    buffers_[buffer].update(b, [&](version& v) {
      std::erase_if(v.copies, [&](const distribution& old) { return covers(added, old, b); });
      v.copies.push_back(added);
      if (v.copies.size() > most_copies)
        v.copies.erase(v.copies.begin());
    });
  }
}

void contents::forget_before(task_id horizon) {
  buffers_.visit_all([&](region_map<version>& buffer) {
    if (buffer.entries().size() > many_entries)
      buffer.update_all([&](version& v) {
        if (!v.operation) // whose partial values they are has to stay known
          v.producer = std::max(v.producer, horizon);
      });
  });
}

} // namespace tacit::tasks
