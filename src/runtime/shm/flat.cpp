#include "runtime/shm/flat.h"

#include "graphs/graph/segments.h"
#include "runtime/channel/pieces.h"
#include "runtime/run/lower.h"
#include "vocabulary/base/copy_memory.h"

#include <algorithm>

namespace tacit::runtime {
namespace {

class rest_lowering : public lowering {
public:
  using lowering::lowering;

private:
  action_span collective(const graphs::step& s) override { return direct(s); }
};

void move(graphs::segment_list& list, std::ptrdiff_t by) {
  for (graphs::segment& s : list)
    s.address += static_cast<std::uint64_t>(by);
}

} // namespace

bool is_flat(const program& p) {
  return p.plan.scratch_bytes == 0 &&
         std::all_of(p.plan.steps.begin(), p.plan.steps.end(), [&](const graphs::step& s) {
           return s.after.empty() &&
                  (s.kind == graphs::step_kind::copy ? !graphs::overlap(s.reads, s.writes)
                                                     : graphs::is_message(s) && rank_of(s.peer) != p.rank);
         });
}

shm_flat::shm_flat(const program& p, MPI_Comm comm, const shm_peers& peers)
    : comm_(comm), distances_(peers.distances().is_used() ? &peers.distances() : nullptr),
      wait_(comm, peers) {
  rest_.rank = p.rank;
  for (const graphs::step& s : p.plan.steps)
    add(s, peers);
  note_distances();
  sending_.list.resize(out_.size());
  receiving_.list.resize(in_.size());
  prepare_rest(0, 0);
}

void shm_flat::add(const graphs::step& s, const shm_peers& peers) {
  const int peer = rank_of(s.peer);
  if (s.kind == graphs::step_kind::copy) {
    add_copy(s);
  } else if (const channel_location* out =
                 s.kind == graphs::step_kind::send ? peers.outgoing(peer, s.tag) : nullptr) {
    out_.push_back(make_source(*out, s.reads));
    places_ = places_ || out->shape.placed;
    out_notes_.push_back({{"send to", peer, out->shape.bytes}, peers.absence(peer)});
  } else if (const channel_location* in =
                 s.kind == graphs::step_kind::recv ? peers.incoming(peer, s.tag) : nullptr) {
    in_.push_back(make_destination(*in, s.writes));
    places_ = places_ || in->shape.placed;
    in_notes_.push_back({{"receive from", peer, in->shape.bytes}, peers.absence(peer)});
  } else {
    rest_.plan.steps.push_back(s);
  }
}

/// As one list of contiguous pieces.
void shm_flat::add_copy(const graphs::step& s) {
  each_paired_piece(s.reads, s.writes, [&](std::uint64_t from, std::uint64_t into, std::uint64_t bytes) {
    copies_.push_back({from, into, bytes});
  });
}

void shm_flat::prepare_rest(std::ptrdiff_t reads, std::ptrdiff_t writes) {
  if (rest_.plan.steps.empty())
    return;
  program moved = rest_;
  for (graphs::step& s : moved.plan.steps) {
    move(s.reads, reads);
    move(s.writes, writes);
  }
  actions_ = std::make_unique<action_run>(rest_lowering(moved, comm_).run());
}

bool shm_flat::rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) {
  const std::ptrdiff_t further = reads - reads_, also = writes - writes_;
  if (further == 0 && also == 0)
    return true;
  if (places_)
    return false;              // peers know where this rank receives
  prepare_rest(reads, writes); // first: it may throw
  for (source_channel& c : out_)
    c.port.move(further);
  for (destination_channel& c : in_)
    c.port.move(also);
  for (local_copy& c : copies_) {
    c.from += static_cast<std::uint64_t>(further);
    c.into += static_cast<std::uint64_t>(also);
  }
  reads_ = reads;
  writes_ = writes;
  return true;
}

void shm_flat::start() {
  active_ = true;
  if (distances_ && ++runs_ % runs_per_mark == 0)
    distances_->mark();
  if (actions_) {
    actions_->start(); // first, because these messages take longest
    actions_under_way_ = true;
  }
  sending_.count = 0;
  for (std::uint32_t i = 0; i < out_.size(); ++i)
    if (!out_[i].post())
      sending_.list[sending_.count++] = i;
  for (std::uint32_t i = 0; i < in_.size(); ++i) {
    in_[i].post();
    receiving_.list[i] = i;
  }
  receiving_.count = in_.size();
  for (const local_copy& c : copies_)
    copy_memory(reinterpret_cast<void*>(c.into), reinterpret_cast<const void*>(c.from), c.bytes);
  wait_.begin();
}

/// True if something has completed.
template <typename Channel>
bool shm_flat::poll(std::vector<Channel>& channels, pending& under_way) {
  const std::size_t before = under_way.count;
  for (std::size_t i = 0; i < under_way.count;) {
    if (channels[under_way.list[i]].poll())
      under_way.list[i] = under_way.list[--under_way.count];
    else
      ++i;
  }
  return under_way.count != before;
}

bool shm_flat::progress() {
  if (!active_)
    return true;
  bool news = poll(in_, receiving_);
  if (sending_.count > 0)
    news = poll(out_, sending_) || news;
  if (actions_under_way_) {
    actions_under_way_ = !actions_->progress();
    news = news || actions_->moved();
  }
  if (nothing_left()) {
    end_run();
    return true;
  }
  if (news)
    wait_.news();
  else
    wait_.nothing_new([this](auto&& visit) { each_awaited([&](const awaited& a) { visit(a.note); }); });
  return false;
}

template <typename Visit>
void shm_flat::each_awaited(Visit&& visit) const {
  for (std::size_t i = 0; i < receiving_.count; ++i)
    visit(in_notes_[receiving_.list[i]]);
  for (std::size_t i = 0; i < sending_.count; ++i)
    visit(out_notes_[sending_.list[i]]);
}

/// The peers have taken the messages before this run's, whose slots the next run writes.
void shm_flat::end_run() {
  active_ = false;
  if (distances_ && runs_ % runs_per_mark == 0 && distances_->look())
    note_distances();
  for (source_channel& c : out_)
    c.claim_next();
}

void shm_flat::note_distances() {
  for (std::size_t i = 0; distances_ && i < out_.size(); ++i)
    out_[i].port.far = distances_->shares_no_cache(out_notes_[i].note.peer);
}

double shm_flat::pause() const {
  return wait_.pause([this] {
    bool absent = false;
    each_awaited([&](const awaited& a) { absent = absent || shm_peers::is_set(a.absence); });
    return absent;
  });
}

void shm_flat::finish() {
  while (!progress()) {
    if (const double idle = pause(); idle >= 0)
      rest(idle);
    else
      let_lines_arrive();
  }
}

} // namespace tacit::runtime
