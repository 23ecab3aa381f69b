#include "runtime/executor/node_channels.h"

#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/driver.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <utility>

namespace tacit::runtime {

namespace {

/// Channels of different sources in different pairs of lines: cores fetch lines in pairs.
constexpr std::size_t channel_alignment = 128;

std::size_t round_up(std::size_t offset) {
  return (offset + channel_alignment - 1) / channel_alignment * channel_alignment;
}

/// What counts for longer ones is copying, and MPI reads them from the other process in one copy where it may. A step of
/// N-body with empty kernels took 0.73 to 0.77 of the time through channels for 12 and 24 KiB under both libraries, 0.90 (MPICH) and 1.07 (Open
/// MPI) for 48 KiB (bench/results/papers-s3-channels-*.json).
constexpr std::size_t longest_in_channel = 32 * 1024;

channel_shape shape_of(std::size_t bytes, bool both_ways) {
  channel_shape shape = shape_for(bytes, both_ways);
  shape.direct = false;
  return shape;
}

std::vector<graphs::segment> memory_of(const node_channels::message& m) {
  if (m.bytes == 0)
    return {};
  return {{reinterpret_cast<std::uint64_t>(m.at), m.bytes}};
}

} // namespace

node_channels::node_channels(std::vector<message> sends, std::vector<message> receives,
                             const process_of& near, bool willing)
    : willing_(willing), sends_(std::move(sends)), receives_(std::move(receives)) {
  const auto add = [&](const std::vector<message>& messages, int peer::* number) {
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (const process_identity* process = near(messages[i].rank)) {
        auto& of = peers_.try_emplace(messages[i].rank, std::make_unique<peer>()).first->second;
        of->process = *process;
        (*of).*number = static_cast<int>(i);
      }
  };
  add(sends_, &peer::send);
  add(receives_, &peer::receive);
  // Both ends see the same lengths, those of the one's sends as the other one's receives.
  std::erase_if(peers_, [&](const auto& entry) {
    const peer& p = *entry.second;
    return (p.send >= 0 && sends_[static_cast<std::size_t>(p.send)].bytes > longest_in_channel) ||
           (p.receive >= 0 && receives_[static_cast<std::size_t>(p.receive)].bytes > longest_in_channel);
  });
}

void node_channels::keep() noexcept {
  leave_under_way(std::move(mine_));
  leave_under_way(std::move(peers_));
}

/// Of this process, also by the user. Who records a run wants to see its messages, which in memory nobody sees.
bool node_channels::may_share_memory() const {
  return willing_ && vocabulary::given(vocabulary::setting::record).empty() &&
         find_driver("shm")->longest_in_memory(false) > 0;
}

/// Memory for what comes, if there is some.
void node_channels::lend() {
  if (!may_share_memory())
    return;
  std::size_t end = 0;
  for (auto& [rank, p] : peers_)
    if (p->receive >= 0) {
      p->mine.offset = end;
      const std::size_t bytes = receives_[static_cast<std::size_t>(p->receive)].bytes;
      end += round_up(channel_bytes(shape_of(bytes, p->send >= 0)));
    }
  if (end == 0 || !mine_.take(end).empty())
    return;
  for (auto& [rank, p] : peers_)
    if (p->receive >= 0) {
      p->mine.where = mine_.show();
      p->mine.made = true;
    }
}

void node_channels::connect(pending_requests& with, MPI_Comm comm, int number, std::function<void()> then) {
  when_connected_ = std::move(then);
  const int offers = 2 * number, answers = offers + 1;
  lend();
  for (auto& [rank, each] : peers_) {
    peer* const p = each.get();
    if (p->receive >= 0) {
      left_ += 2;
      send_bytes_to(with, reinterpret_cast<const std::byte*>(&p->mine), sizeof p->mine, rank, offers, comm,
                    [this] { one_is_there(); });
      receive_bytes_from(with, reinterpret_cast<std::byte*>(&p->answered), sizeof p->answered, rank, answers,
                         comm, [this] { one_is_there(); });
    }
    if (p->send >= 0) {
      left_ += 2;
      receive_bytes_from(
          with, reinterpret_cast<std::byte*>(&p->theirs), sizeof p->theirs, rank, offers, comm,
          [this, &with, comm, answers, rank = rank, p] { take_offer(with, comm, answers, rank, *p); });
    }
  }
  one_is_there();
}

void node_channels::take_offer(pending_requests& with, MPI_Comm comm, int tag, int rank, peer& of) {
  if (of.theirs.made) {
    of.memory = shown_part(of.process, of.theirs.where);
    of.opened = may_share_memory() && of.memory.open().empty();
  }
  of.answer = of.opened;
  send_bytes_to(with, reinterpret_cast<const std::byte*>(&of.answer), sizeof of.answer, rank, tag, comm,
                [this] { one_is_there(); });
  one_is_there();
}

void node_channels::one_is_there() {
  if (--left_ > 0)
    return;
  make_channels();
  std::exchange(when_connected_, nullptr)();
}

void node_channels::make_channels() {
  mine_.all_have_opened();
  for (auto& [rank, p] : peers_) {
    if (!p->usable())
      continue;
    const bool both_ways = p->send >= 0 && p->receive >= 0;
    if (p->send >= 0) {
      const message& m = sends_[static_cast<std::size_t>(p->send)];
      const channel_shape shape = shape_of(m.bytes, both_ways);
      out_.try_emplace(static_cast<std::size_t>(p->send), shape,
                       source_port(shape, p->memory.at(p->theirs.offset), memory_of(m)));
    }
    if (p->receive >= 0) {
      const message& m = receives_[static_cast<std::size_t>(p->receive)];
      const channel_shape shape = shape_of(m.bytes, both_ways);
      in_.try_emplace(static_cast<std::size_t>(p->receive), shape,
                      destination_port(shape, mine_.at(p->mine.offset), memory_of(m)));
    }
  }
}

void node_channels::start(pending_requests& with, std::function<void()> then) {
  for (auto& [number, channel] : out_)
    if (!channel.post())
      sending_.push_back(&channel);
  for (auto& [number, channel] : in_) {
    channel.post();
    receiving_.push_back(&channel);
  }
  with.add_polled([this] { return poll(); }, std::move(then));
}

/// True when all is complete.
bool node_channels::poll() {
  std::erase_if(receiving_, [](destination_channel* channel) { return channel->poll(); });
  if (!sending_.empty())
    std::erase_if(sending_, [](source_channel* channel) { return channel->poll(); });
  return sending_.empty() && receiving_.empty();
}

} // namespace tacit::runtime
