// What keeps a failing program from hanging: the ranks compare what they were told to do, tell each other of errors, and look
// whether the others still live.
//
//   compare   At every point where the program may wait (epochs, fences), and at some horizons, each rank contributes the running hash
//             of its tasks to a nonblocking allgather, as soon as it learns of the point, not when the point is reached. So ranks that
//             wait for each other's messages in vain have all said by then what they submitted, and whoever differs is named.
//   errors    A rank that fails sends its error to all others, who have a receive posted for it.
//   life      Once a second of waiting in vain: processes of this host that have ended.
#pragma once

#include "runtime/channel/shared_memory.h"
#include "runtime/executor/pending_requests.h"
#include "runtime/mpi/private_communicator.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tacit::runtime {

class watch {
public:
  /// Collective.
  explicit watch(MPI_Comm world);
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  ~watch();

  /// More of the text of a comparison is not heard.
  static constexpr std::size_t longest_text = 239;
  /// The program's k-th point of comparison, for the same k on all ranks; `tasks` names those since the last one.
  void compare(std::uint64_t task, std::uint64_t hash, const std::string& tasks);
  /// Goes on with all of it; returns what has failed elsewhere, or together with others.
  std::optional<std::string> look();
  /// After a second of waiting: a rank that has ended.
  std::optional<std::string> look_for_ended();
  /// Tells the others. They are not waited for.
  void tell(const std::string& error);
  /// The process of another rank with which this one may share memory; null: there is none.
  const process_identity* beside(int rank) const;
  /// Comparisons that not all ranks have come to yet.
  std::size_t open() const { return comparisons_.size(); }

private:
  struct said {
    std::uint64_t task, hash;
    std::array<char, longest_text + 1> tasks;
  };
  struct comparison {
    said mine;
    std::vector<said> all;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::optional<std::string> differing(const comparison& c) const;
  bool ended(int rank) const;
  void post_receive();

  private_communicator comparing_on_, errors_on_;
  int rank_, size_;
  std::deque<comparison> comparisons_;
  std::uint64_t agreed_ = 0; ///< the last task at which all were equal
  std::vector<process_identity> processes_;
  int ended_ = -1; ///< seen once; what it wrote may still be on its way
  double looked_ = 0;
  std::vector<char> heard_;
  MPI_Request hears_ = MPI_REQUEST_NULL;
};

} // namespace tacit::runtime
