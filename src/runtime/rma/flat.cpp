#include "runtime/rma/flat.h"

#include "runtime/mpi/mpi_error.h"
#include "runtime/run/lower.h"

#include <numeric>

namespace tacit::runtime {
namespace {

/// Polls all and keeps those that are not complete. True if one has completed.
template <typename Channel>
bool poll(std::vector<Channel>& channels, std::vector<std::uint32_t>& under_way) {
  return std::erase_if(under_way, [&](std::uint32_t i) { return channels[i].poll(); }) > 0;
}

} // namespace

rma_flat::rma_flat(const program& p, const rma_peers& peers)
    : let_mpi_progress_(peers.comm()), traffic_(peers) {
  for (const graphs::step& s : p.plan.steps) {
    const int peer = static_cast<int>(index(s.peer));
    if (s.kind == graphs::step_kind::copy)
      copies_.push_back({s.reads, s.writes});
    else if (s.kind == graphs::step_kind::send)
      out_.push_back(make_rma_source(peers.outgoing(peer, s.tag), s.reads, traffic_));
    else
      in_.push_back(make_rma_destination(peers.incoming(peer, s.tag), s.writes, traffic_));
  }
  sending_.reserve(out_.size());
  receiving_.reserve(in_.size());
}

void rma_flat::start() {
  for (std::uint32_t i = 0; i < out_.size(); ++i)
    if (!out_[i].post())
      sending_.push_back(i);
  for (rma_destination& c : in_)
    c.post();
  receiving_.resize(in_.size());
  std::iota(receiving_.begin(), receiving_.end(), 0u);
  traffic_.flush();
  for (const local_copy& c : copies_)
    copy_bytes(c.from, c.into);
}

bool rma_flat::progress() {
  bool news = poll(in_, receiving_);
  news = poll(out_, sending_) || news;
  traffic_.flush();
  if (receiving_.empty() && sending_.empty())
    return true;
  if (!news)
    let_mpi_progress_();
  return false;
}

void rma_flat::finish() {
  while (!progress())
    take_pause(pause());
}

bool rma_flat::rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) {
  const std::ptrdiff_t further = reads - reads_, also = writes - writes_;
  for (rma_source& c : out_)
    c.port.move(further);
  for (rma_destination& c : in_)
    c.port.move(also);
  for (local_copy& c : copies_) {
    rma_source_port::shift(c.from, further);
    rma_source_port::shift(c.into, also);
  }
  reads_ = reads;
  writes_ = writes;
  return true;
}

} // namespace tacit::runtime
