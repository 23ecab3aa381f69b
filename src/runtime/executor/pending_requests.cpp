#include "runtime/executor/pending_requests.h"

#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace tacit::runtime {

/// For one more of each; std::vector::reserve() alone would allocate each time.
void pending_requests::make_room() {
  const auto for_one_more = [](auto& in) {
    if (in.size() == in.capacity())
      in.reserve(2 * in.size() + 1);
  };
  for_one_more(requests_);
  for_one_more(then_);
}

void pending_requests::add_polled(std::function<bool()> poll, std::function<void()> then) {
  polled_.push_back({std::move(poll), std::move(then)});
}

bool pending_requests::test() {
  const bool any = poll();
  return test_requests() || any;
}

bool pending_requests::poll() {
  if (polled_.empty())
    return false;
  std::erase_if(polled_, [this](polled& one) {
    if (!one.poll())
      return false;
    complete_.push_back(std::move(one));
    return true;
  });
  if (complete_.empty())
    return false;
  std::vector<polled> complete; // what they call may come here again
  complete.swap(complete_);
  for (const polled& one : complete)
    one.then();
  complete.clear();
  if (complete_.empty())
    complete_.swap(complete); // for its memory
  return true;
}

bool pending_requests::test_requests() {
  if (requests_.empty())
    return false;
  done_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(),
                         statuses_.data()),
            "MPI_Testsome");
  if (count == MPI_UNDEFINED || count == 0)
    return false;
  std::vector<std::pair<when_complete, MPI_Status>> calls;
  for (int i = 0; i < count; ++i) {
    const auto done = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
    calls.emplace_back(std::move(then_[done]), statuses_[static_cast<std::size_t>(i)]);
    requests_[done] = MPI_REQUEST_NULL; // persistent ones keep their handles
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (requests_[i] != MPI_REQUEST_NULL) {
      requests_[kept] = requests_[i];
      if (kept != i)
        then_[kept] = std::move(then_[i]);
      ++kept;
    }
  requests_.resize(kept);
  then_.resize(kept);
  for (auto& [call, status] : calls)
    call(status);
  return true;
}

void pending_requests::abandon() noexcept {
  requests_.clear(); // MPI may still write where they point, so that what they hold is not freed
  leave_under_way(std::move(then_));
  then_.clear();
  polled_.clear();
}

namespace {

/// Calls `then` when the last of `parts` is complete.
std::function<void()> after_parts(std::size_t parts, std::function<void()> then) {
  return [left = std::make_shared<std::size_t>(parts), then = std::move(then)] {
    if (--*left == 0)
      then();
  };
}

std::size_t parts_of(std::size_t size) {
  return std::max<std::size_t>(1, (size + longest_message - 1) / longest_message);
}

/// Starts an operation for each part of a message: `start(offset, length, &request)`, which is MPI's `call`; `then(status, length)` when it is
/// complete.
template <typename Start, typename Then>
void add_parts(pending_requests& with, std::size_t size, const char* call, const Start& start,
               const Then& then) {
  for (std::size_t part = 0; part < parts_of(size); ++part) {
    const std::size_t offset = part * longest_message, length = std::min(longest_message, size - offset);
    const auto begin = [&] {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(start(offset, static_cast<int>(length), &request), call);
      return request;
    };
    with.add(begin, [then, length](const MPI_Status& status) { then(status, length); });
  }
}

} // namespace

void send_bytes_to(pending_requests& with, const std::byte* bytes, std::size_t size, int to, int tag,
                   MPI_Comm comm, std::function<void()> then) {
  const auto start = [=](std::size_t offset, int length, MPI_Request* request) {
    return MPI_Isend(bytes + offset, length, MPI_BYTE, to, tag, comm, request);
  };
  const auto one = after_parts(parts_of(size), std::move(then));
  add_parts(with, size, "MPI_Isend", start, [one](const MPI_Status&, std::size_t) { one(); });
}

void check_length(const MPI_Status& status, int from, std::size_t bytes) {
  int got = 0;
  MPI_Get_count(&status, MPI_BYTE, &got);
  if (static_cast<std::size_t>(got) != bytes)
    throw mpi_error(MPI_ERR_TRUNCATE,
                    fmt::format("a message from rank {} has {} bytes instead of {}", from, got, bytes));
}

void receive_bytes_from(pending_requests& with, std::byte* bytes, std::size_t size, int from, int tag,
                        MPI_Comm comm, std::function<void()> then) {
  const auto start = [=](std::size_t offset, int length, MPI_Request* request) {
    return MPI_Irecv(bytes + offset, length, MPI_BYTE, from, tag, comm, request);
  };
  const auto one = after_parts(parts_of(size), std::move(then));
  add_parts(with, size, "MPI_Irecv", start, [one, from](const MPI_Status& status, std::size_t length) {
    check_length(status, from, length);
    one();
  });
}

} // namespace tacit::runtime
