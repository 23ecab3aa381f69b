#include "runtime/exchange/plan_cache.h"

#include "runtime/run/flat_run.h"

#include <algorithm>
#include <utility>

namespace tacit::runtime {
namespace {

constexpr std::size_t plans_kept = 32;     // per communicator; a plan of 26 neighbors takes about 10 KiB
constexpr std::size_t executions_kept = 4; // per plan: operations with equal signature under way at a time

} // namespace

cached_plan::cached_plan(call_signature signature, program steps, const call_buffers& buffers,
                         std::string_view driver)
    : signature_(std::move(signature)), steps_(std::move(steps)), buffers_(buffers), driver_(driver) {
  steps_.in_device = signature_.in_device_memory();
}

bound_run cached_plan::lend(const call_buffers& buffers, MPI_Comm comm) {
  const std::ptrdiff_t reads = buffers.reads_from(buffers_), writes = buffers.writes_from(buffers_);
  while (!idle_.empty()) {
    bound_run found = std::move(idle_.back());
    idle_.pop_back();
    if (found.run->rebind(reads - found.reads, writes - found.writes))
      return found;
  }
  if (driver_ != "dry" && is_flat(steps_.plan)) { // long lists are not copied to be moved
    auto made = std::make_unique<flat_run>(steps_.plan, comm, steps_.in_device);
    made->rebind(reads, writes);
    return {std::move(made), 0, 0};
  }
  return {find_driver(driver_)->prepare(moved(steps_, reads, writes), comm, nullptr), reads, writes};
}

void cached_plan::take_back(bound_run run) {
  if (!run.run->failure && idle_.size() < executions_kept)
    idle_.push_back(std::move(run));
}

std::shared_ptr<cached_plan> plan_cache::find(const call_signature& signature) {
  ++uses_;
  for (entry& e : entries_)
    if (e.plan->signature().words == signature.words) {
      e.last_use = uses_;
      return e.plan;
    }
  return nullptr;
}

void plan_cache::keep(std::shared_ptr<cached_plan> plan) {
  if (entries_.size() >= plans_kept)
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](const entry& a, const entry& b) { return a.last_use < b.last_use; }));
  entries_.push_back({std::move(plan), uses_});
}

} // namespace tacit::runtime
