// What buffers contain, for all ranks at once: which task produced each region, who owns it, and who has copies.
//
// A copy never takes ownership from the producer: a region has a set of valid distributions, and it is the producer's that data
// are sent from. The state is the same on every rank, whatever the rank does itself. Copies are kept in a canonical form (what
// all ranks have is the whole box for all of them), so that equal neighbors join and loops do not make it grow.
#pragma once

#include "tasks/layout/compare.h"
#include "tasks/space/by_buffer.h"
#include "tasks/space/region_map.h"

#include <optional>

namespace tacit::tasks {

struct version {
  bool initialized = false;
  task_id producer{};
  distribution owner;                     ///< of partial values: the chunks that contribute
  std::optional<std::uint32_t> operation; ///< of partial values that are still to be combined: how
  std::vector<distribution> copies;
  friend bool operator==(const version&, const version&) = default;
};

class contents {
public:
  /// More copies of a region than these are forgotten, the earliest first, and brought again.
  static constexpr std::size_t most_copies = 16;

  explicit contents(std::uint32_t ranks);

  void add_buffer(const buffer& b);
  /// Nobody asks for it any more.
  void drop_buffer(buffer_id buffer) { buffers_.drop(buffer); }
  const range& extent(buffer_id buffer) const { return extents_[index(buffer)]; }
  /// Calls visit(box, version) for what lies in the region.
  template <typename Visit>
  void query(buffer_id buffer, const region& where, Visit&& visit) const {
    buffers_[buffer].query(where, visit);
  }
  void write(buffer_id buffer, const region& where, const version& made) {
    buffers_[buffer].assign(where, made);
  }
  void add_copy(buffer_id buffer, const box& where, const distribution& copy);
  /// Every rank has all of a buffer.
  distribution everywhere(const range& extent) const;
  std::size_t entries(buffer_id buffer) const { return buffers_[buffer].entries().size(); }
  const region_map<version>& of(buffer_id buffer) const { return buffers_[buffer]; }
  region_map<version>& of(buffer_id buffer) { return buffers_[buffer]; }
  /// Of what was produced before the horizon, the producer is the horizon: neighbors that are equal then become one.
  void forget_before(task_id horizon);

private:
  std::shared_ptr<const split> ranks_;
  std::vector<range> extents_;
  by_buffer<region_map<version>> buffers_;
};

} // namespace tacit::tasks
