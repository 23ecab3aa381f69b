#include "runtime/executor/watch.h"

#include "runtime/mpi/left_under_way.h"
#include "runtime/mpi/rank_and_size.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace tacit::runtime {

namespace {
constexpr std::size_t longest_error = 4096;
constexpr int error_tag = 1;
} // namespace

watch::watch(MPI_Comm world)
    : comparing_on_(private_communicator::like(world)), errors_on_(private_communicator::like(world)),
      rank_(rank_in(world)), size_(size_of(world)), processes_(static_cast<std::size_t>(size_)),
      heard_(longest_error) {
  const process_identity mine = this_process();
  check_mpi(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, processes_.data(), sizeof mine, MPI_BYTE,
                          comparing_on_.comm()),
            "MPI_Allgather");
  post_receive();
}

watch::~watch() {
  if (!comparisons_.empty()) // after an error: MPI may still write into them
    leave_under_way(std::move(comparisons_));
  if (hears_ != MPI_REQUEST_NULL) {
    MPI_Cancel(&hears_);
    MPI_Request_free(&hears_);
  }
}

void watch::post_receive() {
  check_mpi(MPI_Irecv(heard_.data(), static_cast<int>(heard_.size()), MPI_CHAR, MPI_ANY_SOURCE, error_tag,
                      errors_on_.comm(), &hears_),
            "MPI_Irecv");
}

void watch::compare(std::uint64_t task, std::uint64_t hash, const std::string& tasks) {
  if (size_ == 1)
    return;
  comparison& c = comparisons_.emplace_back();
  c.mine = {task, hash, {}};
  tasks.copy(c.mine.tasks.data(), c.mine.tasks.size() - 1);
  c.all.resize(static_cast<std::size_t>(size_));
  check_mpi(MPI_Iallgather(&c.mine, sizeof(said), MPI_BYTE, c.all.data(), sizeof(said), MPI_BYTE,
                           comparing_on_.comm(), &c.request),
            "MPI_Iallgather");
}

std::optional<std::string> watch::look() {
  while (!comparisons_.empty()) {
    int done = 0;
    check_mpi(MPI_Test(&comparisons_.front().request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done)
      break;
    if (auto problem = differing(comparisons_.front()))
      return problem;
    agreed_ = comparisons_.front().mine.task;
    comparisons_.pop_front();
  }
  int heard = 0;
  MPI_Status status;
  check_mpi(MPI_Test(&hears_, &heard, &status), "MPI_Test");
  if (!heard)
    return std::nullopt;
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string error(heard_.data(), static_cast<std::size_t>(length));
  post_receive();
  return error;
}

std::optional<std::string> watch::differing(const comparison& c) const {
  const auto same = [](const said& a, const said& b) { return a.task == b.task && a.hash == b.hash; };
  // What most ranks have said, of equally many the lowest rank's.
  std::size_t most = 0, reference = 0;
  for (std::size_t r = 0; r < c.all.size(); ++r) {
    const auto votes = static_cast<std::size_t>(
        std::count_if(c.all.begin(), c.all.end(), [&](const said& other) { return same(other, c.all[r]); }));
    if (votes > most)
      most = votes, reference = r;
  }
  if (most == c.all.size())
    return std::nullopt;
  std::string text = fmt::format(
      "the ranks submitted different tasks after task {}, until which all were equal. Most (rank {}): {}",
      agreed_, reference, c.all[reference].tasks.data());
  const std::string_view most_tasks = c.all[reference].tasks.data();
  for (std::size_t r = 0; r < c.all.size(); ++r)
    if (!same(c.all[r], c.all[reference]))
      text += fmt::format("; rank {} differs: {}", r,
                          most_tasks == c.all[r].tasks.data()
                              ? "tasks of the same names, but with other ranges, accesses or buffers"
                              : c.all[r].tasks.data());
  return text +
         ". Every rank has to submit the same tasks, with the same ranges and accesses, in the same order";
}

const process_identity* watch::beside(int rank) const {
  const auto& mine = processes_[static_cast<std::size_t>(rank_)];
  const auto& other = processes_[static_cast<std::size_t>(rank)];
  return rank != rank_ && apart(mine, other).empty() ? &other : nullptr;
}

/// Of ranks on other hosts nothing is known.
bool watch::ended(int rank) const {
  const process_identity* other = beside(rank);
  return other && has_ended(*other);
}

std::optional<std::string> watch::look_for_ended() {
  const double now = MPI_Wtime();
  if (now - looked_ < 1)
    return std::nullopt;
  looked_ = now;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_ || !ended(r))
      continue;
    if (ended_ == r)
      return fmt::format("rank {} has ended (process {})", r, processes_[static_cast<std::size_t>(r)].pid);
    ended_ = r;
    return std::nullopt;
  }
  return std::nullopt;
}

void watch::tell(const std::string& error) {
  // The text outlives the sends, which nobody waits for.
  const std::string& kept = leave_under_way(error.substr(0, longest_error));
  for (int r = 0; r < size_; ++r) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (r != rank_ && !ended(r) &&
        MPI_Isend(kept.data(), static_cast<int>(kept.size()), MPI_CHAR, r, error_tag, errors_on_.comm(),
                  &request) == MPI_SUCCESS)
      MPI_Request_free(&request);
  }
}

} // namespace tacit::runtime
