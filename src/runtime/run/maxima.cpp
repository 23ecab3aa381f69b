#include "runtime/run/maxima.h"

#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"

#include <algorithm>
#include <utility>

namespace tacit::runtime {

maxima::maxima(MPI_Comm comm, int tag, std::vector<double> mine)
    : comm_(comm), tag_(tag), values_(std::move(mine)), heard_(values_.size()) {
  rank_ = rank_in(comm);
  size_ = size_of(comm);
}

maxima::maxima(MPI_Comm comm, std::vector<double> mine)
    : comm_(comm), tag_(0), values_(std::move(mine)), sent_(values_), posted_(true), reduces_(true) {
  check_mpi(MPI_Iallreduce(sent_.data(), values_.data(), static_cast<int>(values_.size()), MPI_DOUBLE,
                           MPI_MAX, comm_, &requests_[0]),
            "MPI_Iallreduce");
}

/// Only after an error, or where one rank alone gives up, is anything left under way. A reduction can be neither cancelled nor freed, so its
/// memory has to stay.
maxima::~maxima() {
  int over = 0;
  MPI_Finalized(&over);
  if (over)
    return;
  if (reduces_) {
    if (requests_[0] != MPI_REQUEST_NULL)
      leave_under_way(std::array{std::move(sent_), std::move(values_)});
    return;
  }
  for (MPI_Request& r : requests_)
    if (r != MPI_REQUEST_NULL) {
      MPI_Cancel(&r);
      MPI_Request_free(&r);
    }
}

void maxima::post() {
  sent_ = values_;
  const auto count = static_cast<int>(values_.size());
  check_mpi(MPI_Irecv(heard_.data(), count, MPI_DOUBLE, (rank_ - distance_ + size_) % size_, tag_, comm_,
                      &requests_[0]),
            "MPI_Irecv");
  check_mpi(
      MPI_Isend(sent_.data(), count, MPI_DOUBLE, (rank_ + distance_) % size_, tag_, comm_, &requests_[1]),
      "MPI_Isend");
  posted_ = true;
}

bool maxima::progress() {
  if (reduces_) {
    int done = 0;
    check_mpi(MPI_Test(&requests_[0], &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  while (distance_ < size_) {
    if (!posted_)
      post();
    int done = 0;
    check_mpi(MPI_Testall(2, requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (!done)
      return false;
    for (std::size_t i = 0; i < values_.size(); ++i)
      values_[i] = std::max(values_[i], heard_[i]);
    posted_ = false;
    distance_ = distance_ > size_ / 2 ? size_ : 2 * distance_;
  }
  return true;
}

} // namespace tacit::runtime
