#include "runtime/executor/message_set.h"

#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <utility>

namespace tacit::runtime {

namespace {

std::size_t packed_bytes(const std::vector<message_set::message>& messages) {
  std::size_t bytes = 0;
  for (const auto& m : messages)
    bytes += m.in_place ? 0 : m.bytes;
  return bytes;
}

/// For pending_requests: starts a persistent request, which stays its owner's.
auto start_of(MPI_Request& persistent) {
  return [&persistent] {
    check_mpi(MPI_Start(&persistent), "MPI_Start");
    return persistent;
  };
}

std::byte* lay_out(std::vector<message_set::message>& messages, std::byte* next) {
  for (auto& m : messages) {
    m.at = m.in_place ? m.in_place : next;
    next += m.in_place ? 0 : m.bytes;
  }
  return next;
}

} // namespace

message_set::message_set(std::vector<message> sends, std::vector<message> receives)
    : sends_(std::move(sends)), receives_(std::move(receives)),
      memory_(packed_bytes(sends_) + packed_bytes(receives_)) {
  lay_out(receives_, lay_out(sends_, memory_.data()));
}

message_set::~message_set() {
  for (auto* requests : {&sending_, &receiving_})
    for (MPI_Request& r : *requests)
      MPI_Request_free(&r);
}

void message_set::keep() noexcept {
  leave_under_way(std::move(memory_));
  sending_.clear();
  receiving_.clear();
  if (channels_)
    channels_->keep();
}

void message_set::prepare(MPI_Comm comm, int tag) {
  const auto is_long = [](const message& m) { return m.bytes > longest_message; };
  if (std::ranges::any_of(sends_, is_long) || std::ranges::any_of(receives_, is_long))
    return;
  for (std::size_t i = 0; i < sends_.size(); ++i)
    if (const message& m = sends_[i]; !by_channel(&node_channels::sends, i))
      check_mpi(MPI_Send_init(m.at, static_cast<int>(m.bytes), MPI_BYTE, m.rank, tag, comm,
                              &sending_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Send_init");
  for (std::size_t i = 0; i < receives_.size(); ++i)
    if (const message& m = receives_[i]; !by_channel(&node_channels::receives, i))
      check_mpi(MPI_Recv_init(m.at, static_cast<int>(m.bytes), MPI_BYTE, m.rank, tag, comm,
                              &receiving_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Recv_init");
}

bool message_set::may_share(const node_channels::process_of& near, bool willing) {
  const auto of = [](const std::vector<message>& messages) {
    std::vector<node_channels::message> out;
    for (const message& m : messages)
      out.push_back({m.rank, m.bytes, m.at});
    return out;
  };
  channels_ = std::make_unique<node_channels>(of(sends_), of(receives_), near, willing);
  if (!channels_->any())
    channels_ = nullptr;
  return channels_ != nullptr;
}

void message_set::start_receives(pending_requests& with, MPI_Comm comm, int tag,
                                 const when_one_is_complete& then) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    const message& m = receives_[i];
    if (by_channel(&node_channels::receives, i))
      continue;
    if (receiving_.empty())
      receive_bytes_from(with, m.at, m.bytes, m.rank, tag, comm, [then, i] { then(i); });
    else
      with.add(start_of(receiving_[next++]),
               [then, i, from = m.rank, bytes = m.bytes](const MPI_Status& status) {
                 check_length(status, from, bytes);
                 then(i);
               });
  }
}

void message_set::start_sends(pending_requests& with, MPI_Comm comm, int tag,
                              const when_one_is_complete& then) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    const message& m = sends_[i];
    if (by_channel(&node_channels::sends, i))
      continue;
    if (sending_.empty())
      send_bytes_to(with, m.at, m.bytes, m.rank, tag, comm, [then, i] { then(i); });
    else
      with.add(start_of(sending_[next++]), [then, i](const MPI_Status&) { then(i); });
  }
}

} // namespace tacit::runtime
