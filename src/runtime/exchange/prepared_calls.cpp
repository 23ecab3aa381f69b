#include "runtime/exchange/prepared_calls.h"

#include "runtime/exchange/neighbor_error.h"

#include <algorithm>
#include <utility>

namespace tacit::runtime {
namespace {

constexpr std::size_t calls_kept = 32; // as plans; equal on all ranks, which drop the same ones

} // namespace

prepared_call::prepared_call(prepared_exchange made, call_notices& notices)
    : made_(std::move(made)), notices_(notices), run_{notices.watched(std::move(made_.run)), 0, 0} {}

/// What no connection depends on can be made anew, for the buffers at hand.
bound_run prepared_call::lend(const call_buffers& buffers, MPI_Comm comm) {
  const std::ptrdiff_t reads = buffers.reads_from(buffers_), writes = buffers.writes_from(buffers_);
  if (run_.reads != reads || run_.writes != writes) {
    if (!run_.run->rebind(reads, writes)) {
      if (made_.peers) // whose channels count the messages of one execution
        throw neighbor_error(neighbor_error::kind::internal,
                             "driver shm cannot move the buffers of its messages");
      run_.run =
          notices_.watched(find_driver(driver())->prepare(moved(made_.steps, reads, writes), comm, nullptr));
    }
    run_.reads = reads;
    run_.writes = writes;
  }
  return std::move(run_);
}

void prepared_call::take_back(bound_run run) {
  if (!run.run->failure)
    run_ = std::move(run);
}

std::string prepared_call::remarks() const {
  return made_.report.remarks.empty() ? "" : made_.report.remarks + "\n";
}

std::shared_ptr<prepared_call> prepared_calls::find(const call_signature& signature, std::uint64_t call) {
  std::erase_if(entries_, [](const entry& e) { return !e.call->can_lend(); });
  for (entry& e : entries_)
    if (e.call->signature().words == signature.words) {
      e.last_use = call;
      return e.call;
    }
  return nullptr;
}

void prepared_calls::make_room() {
  entries_.reserve(calls_kept);
}

void prepared_calls::keep(std::shared_ptr<prepared_call> made, std::uint64_t call) {
  if (entries_.size() >= calls_kept)
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](const entry& a, const entry& b) { return a.last_use < b.last_use; }));
  entries_.push_back({std::move(made), call});
}

} // namespace tacit::runtime
