#include "runtime/executor/native_exchange.h"

#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/rank_and_size.h"

#include <numeric>
#include <utility>

namespace tacit::runtime {

namespace {

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> out(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), out.begin(), 0);
  return out;
}

std::size_t sum(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

} // namespace

native_exchange::native_exchange(kind what, int root, std::byte* base, MPI_Datatype element,
                                 std::size_t element_bytes, std::vector<int> counts, std::vector<int> offsets)
    : what_(what), root_(root), base_(base), element_(element), element_bytes_(element_bytes),
      counts_(std::move(counts)), offsets_(std::move(offsets)) {}

native_exchange::native_exchange(std::vector<int> send_bytes, std::vector<int> receive_bytes)
    : what_(kind::alltoall), send_counts_(std::move(send_bytes)), send_offsets_(offsets_of(send_counts_)),
      counts_(std::move(receive_bytes)), offsets_(offsets_of(counts_)), types_(counts_.size(), MPI_BYTE) {}

native_exchange::~native_exchange() {
  release();
}

void native_exchange::make_room() {
  if (!packed())
    return;
  sent_.resize(sum(send_counts_));
  received_.resize(sum(counts_));
}

void native_exchange::release() {
  if (persistent_ != MPI_REQUEST_NULL)
    MPI_Request_free(&persistent_);
  sent_ = {};
  received_ = {};
}

void native_exchange::keep() noexcept {
  leave_under_way(std::move(sent_));
  leave_under_way(std::move(received_));
  persistent_ = MPI_REQUEST_NULL;
}

void native_exchange::prepare(MPI_Comm comm) {
  if (persistent_calls() != nullptr && persistent_ == MPI_REQUEST_NULL)
    call(*persistent_calls(), comm, &persistent_);
}

MPI_Request native_exchange::start(MPI_Comm comm) {
  MPI_Request started = persistent_;
  if (persistent_ != MPI_REQUEST_NULL)
    check_mpi(MPI_Start(&started), "MPI_Start");
  else
    call(nonblocking_calls(), comm, &started);
  return started;
}

void native_exchange::call(const collective_calls& calls, MPI_Comm comm, MPI_Request* made) {
  const auto me = static_cast<std::size_t>(rank_in(comm));
  const bool root = static_cast<int>(me) == root_;
  const auto at = [&](std::size_t rank) {
    return base_ + static_cast<std::size_t>(offsets_[rank]) * element_bytes_;
  };
  switch (what_) {
  case kind::alltoall:
    return calls.alltoallw(sent_.data(), send_counts_.data(), send_offsets_.data(), types_.data(),
                           received_.data(), counts_.data(), offsets_.data(), types_.data(), comm, made);
  case kind::allgather:
    return calls.allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, base_, counts_.data(), offsets_.data(),
                            element_, comm, made);
  case kind::gather:
    return calls.gatherv(root ? MPI_IN_PLACE : at(me), counts_[me], element_, base_, counts_.data(),
                         offsets_.data(), element_, root_, comm, made);
  case kind::scatter:
    return calls.scatterv(base_, counts_.data(), offsets_.data(), element_, root ? MPI_IN_PLACE : at(me),
                          counts_[me], element_, root_, comm, made);
  case kind::broadcast: { // where all others have it
    const std::size_t other = root_ == 0 ? 1 : 0;
    return calls.bcast(at(other), counts_[other], element_, root_, comm, made);
  }
  }
}

} // namespace tacit::runtime
