#include "runtime/rma/traffic.h"

#include "runtime/channel/pieces.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

void check_rma(int code, const char* call, int peer) {
  if (code != MPI_SUCCESS)
    check_mpi(code, fmt::format("one-sided communication with rank {}: {}", peer, call).c_str());
}

MPI_Aint slot_start(const channel_shape& shape, std::uint32_t slot) {
  return static_cast<MPI_Aint>(slot) * shape.stride;
}

/// The flag is the last word of a slot.
MPI_Aint flag_of(const channel_shape& shape, std::uint32_t slot) {
  return slot_start(shape, slot + 1) - static_cast<MPI_Aint>(sizeof(std::uint64_t));
}

/// Where piece number `number`, from 0 over all runs, is acknowledged.
MPI_Aint acknowledgement_of(const channel_shape& shape, std::uint64_t number) {
  return static_cast<MPI_Aint>(number % shape.slots * sizeof(std::uint64_t));
}

std::uint64_t bytes_of_piece(const channel_shape& shape, std::uint32_t piece) {
  return std::min(shape.piece_bytes, shape.bytes - piece * shape.piece_bytes);
}

} // namespace

void rma_traffic::put(const std::byte* from, std::uint64_t bytes, int peer, MPI_Aint into) {
  if (bytes == 0)
    return;
  const int n = static_cast<int>(bytes); // a piece
  check_rma(MPI_Put(from, n, MPI_BYTE, peer, into, n, MPI_BYTE, peers_.window()), "MPI_Put", peer);
  targets_.push_back(peer);
}

void rma_traffic::mark(std::uint64_t value, int peer, MPI_Aint into) {
  marks_.push_back({value, peer, into});
}

void rma_traffic::flush_targets() {
  std::sort(targets_.begin(), targets_.end());
  targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
  for (const int peer : targets_)
    check_rma(MPI_Win_flush(peer, peers_.window()), "MPI_Win_flush", peer);
  targets_.clear();
}

void rma_traffic::flush() {
  if (marks_.empty()) // every payload has a flag
    return;
  sync();
  flush_targets();
  for (const marked& m : marks_) {
    check_rma(MPI_Accumulate(&m.value, 1, MPI_UINT64_T, m.peer, m.into, 1, MPI_UINT64_T, MPI_REPLACE,
                             peers_.window()),
              "MPI_Accumulate", m.peer);
    targets_.push_back(m.peer);
  }
  flush_targets();
  marks_.clear();
}

std::uint64_t rma_traffic::read(MPI_Aint at) const {
  if (peers_.unified())
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(own(at))).load(std::memory_order_acquire);
  std::uint64_t value = 0;
  const std::uint64_t unused = 0;
  check_rma(MPI_Fetch_and_op(&unused, &value, MPI_UINT64_T, peers_.rank(), at, MPI_NO_OP, peers_.window()),
            "MPI_Fetch_and_op", peers_.rank());
  check_rma(MPI_Win_flush(peers_.rank(), peers_.window()), "MPI_Win_flush", peers_.rank());
  return value;
}

void rma_traffic::sync() const {
  check_rma(MPI_Win_sync(peers_.window()), "MPI_Win_sync", peers_.rank());
}

rma_source_port::rma_source_port(const message_location& location, std::vector<graphs::segment> bytes,
                                 rma_traffic& traffic)
    : location_(location), traffic_(&traffic),
      staging_(std::make_shared_for_overwrite<std::byte[]>(channel_bytes(location.shape))),
      packing_(location.shape, staging_.get(), std::move(bytes)) {}

std::uint64_t rma_source_port::acknowledged() {
  const std::uint64_t awaited = published_ - location_.shape.slots; // the piece in the slot that comes next
  const std::uint64_t seen = traffic_->read(location_.here + acknowledgement_of(location_.shape, awaited));
  return seen == awaited + 1 ? seen : 0;
}

void rma_source_port::fill(std::uint32_t slot, std::uint32_t piece) {
  packing_.fill(slot, piece);
  traffic_->put(staging_.get() + slot_start(location_.shape, slot), bytes_of_piece(location_.shape, piece),
                location_.peer, location_.there + slot_start(location_.shape, slot));
}

void rma_source_port::publish(std::uint32_t slot, std::uint64_t number) {
  traffic_->mark(number, location_.peer, location_.there + flag_of(location_.shape, slot));
  published_ = number;
}

rma_destination_port::rma_destination_port(const message_location& location,
                                           std::vector<graphs::segment> bytes, rma_traffic& traffic)
    : location_(location), traffic_(&traffic),
      unpacking_(location.shape, traffic.own(location.here), std::move(bytes)) {}

std::uint64_t rma_destination_port::published(std::uint32_t slot) const {
  return traffic_->read(location_.here + flag_of(location_.shape, slot));
}

void rma_destination_port::drain(std::uint32_t slot, std::uint32_t piece) {
  traffic_->sync();
  unpacking_.drain(slot, piece);
}

void rma_destination_port::acknowledge(std::uint64_t number) const {
  traffic_->mark(number, location_.peer, location_.there + acknowledgement_of(location_.shape, number - 1));
}

rma_source make_rma_source(const message_location& location, std::span<const graphs::segment> bytes,
                           rma_traffic& traffic) {
  return {location.shape, rma_source_port(location, {bytes.begin(), bytes.end()}, traffic)};
}

rma_destination make_rma_destination(const message_location& location, std::span<const graphs::segment> bytes,
                                     rma_traffic& traffic) {
  return {location.shape, rma_destination_port(location, first_bytes(bytes, location.shape.bytes), traffic)};
}

} // namespace tacit::runtime
