#include "runtime/exchange/communicator_setup.h"

#include "neighbors/passes/color.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

/// Ranks and pairs of a graph that is colored. Every rank does that: 9 ms for 30,000 pairs of ranks with some
/// 30 neighbors each, 35 ms if all pairs have one rank in common.
constexpr std::uint64_t most_colored = 32768;
/// In place of a count.
constexpr int no_room = -1;

} // namespace

communicator_setup::communicator_setup(MPI_Comm user, const neighbors::neighborhood& n, std::uint64_t choices,
                                       std::string fault, bool color)
    : user_(user), n_(n), choices_(choices), fault_(std::move(fault)), color_(color) {
  rank_ = rank_in(user);
  size_ = size_of(user);
  sent_to_ = neighbors::ranks_sent_to(n_, rank_id{static_cast<std::uint32_t>(rank_)});
  if (!color_)
    return;
  counts_.resize(static_cast<std::size_t>(size_) + 1); // the last one is this rank's own
  starts_.resize(counts_.size());
}

communicator_setup::~communicator_setup() {
  int over = 0;
  MPI_Finalized(&over);
  if (!over && !abandoned_ && comm_ != MPI_COMM_NULL)
    MPI_Comm_free(&comm_);
}

void communicator_setup::start() {
  if (duplicate_ == MPI_COMM_NULL)
    check_mpi(start_duplicate(user_, &duplicate_, requests_.data()), "MPI_Comm_idup");
  at_ = stage::duplicate;
}

void communicator_setup::begin_comparison() {
  comm_ = duplicate_;
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  const auto me = rank_id{static_cast<std::uint32_t>(rank_)};
  mine_ = {neighbors::edge_balance(n_, me), choices_, sent_to_.size()};
  for (const auto* edges : {&n_.sources, &n_.destinations})
    for (const neighbors::edge& e : *edges) {
      my_most_[0] = std::max<std::uint64_t>(my_most_[0], e.channel + 1);
      my_most_[2] = std::max<std::uint64_t>(my_most_[2], e.peer == me);
    }
  my_most_[1] = sent_to_.size();
  check_mpi(start_allreduce(mine_.data(), sum_.data(), 3, MPI_UINT64_T, MPI_SUM, comm_, requests_.data()),
            "MPI_Iallreduce");
  check_mpi(start_allreduce(my_most_.data(), most_.data(), 3, MPI_UINT64_T, MPI_MAX, comm_, &requests_[1]),
            "MPI_Iallreduce");
  at_ = stage::compare;
}

void communicator_setup::compare() {
  if (!fault_.empty())
    throw neighbor_error(neighbor_error::kind::environment, fault_);
  if (sum_[1] != choices_ * static_cast<std::uint64_t>(size_))
    throw neighbor_error(
        neighbor_error::kind::environment,
        "TACIT_DRIVER, TACIT_NEIGHBOR_GROUPING, TACIT_NEIGHBOR_WITHOUT, TACIT_NEIGHBOR_FEEDBACK, "
        "TACIT_MESSAGE_COST, TACIT_PERSISTENT, TACIT_PROGRESS or TACIT_CHECK differ between the ranks of the "
        "communicator, or some rank does not understand its own (its message says what), or their "
        "versions of tacit differ; set them alike on all nodes");
  if (sum_[0] == 0) {
    if (worth_coloring())
      gather_counts();
    else
      become_ready();
    return;
  }
  ask_for_room();
}

/// The lists of edges for the diagnosis, and whether all ranks have them.
void communicator_setup::ask_for_room() {
  const auto size = static_cast<std::uint32_t>(size_);
  try {
    const std::vector<int> to = neighbors::edge_counts(n_.destinations, size),
                           from = neighbors::edge_counts(n_.sources, size);
    listed_there_.resize(2 * to.size());
    for (std::uint32_t r = 0; r < size; ++r) {
      listed_.push_back(to[r]);
      listed_.push_back(from[r]);
    }
  } catch (const std::bad_alloc&) {
    lacks_memory_ = true;
  }
  have_room_ = lacks_memory_ ? 0 : 1;
  check_mpi(start_allreduce(&have_room_, &all_have_room_, 1, MPI_UINT64_T, MPI_MIN, comm_, requests_.data()),
            "MPI_Iallreduce");
  at_ = stage::room;
}

void communicator_setup::gather_lists() {
  if (all_have_room_ == 0)
    throw neighbor_error(neighbor_error::kind::graph,
                         "the neighborhoods of the ranks contradict each other: some rank lists an edge that "
                         "its other end does not list; there was no memory to find out which");
  check_mpi(
      MPI_Ialltoall(listed_.data(), 2, MPI_INT, listed_there_.data(), 2, MPI_INT, comm_, requests_.data()),
      "MPI_Ialltoall");
  at_ = stage::diagnose;
}

/// Equal on all ranks. Ranks that send to one other rank at most have nothing to put into an order.
bool communicator_setup::worth_coloring() const {
  return color_ && most_[1] > 1 && sum_[2] + static_cast<std::uint64_t>(size_) <= most_colored;
}

void communicator_setup::become_ready() noexcept {
  at_ = stage::ready;
  try {
    order_remark_ = order_in_words();
  } catch (const std::bad_alloc&) { // for people only
  }
}

std::string communicator_setup::order_in_words() const {
  if (rounds_ && round_count_ == 0)
    return "posted in the program's order, which edge coloring does not better";
  if (rounds_)
    return fmt::format("posted in {} rounds by edge coloring", round_count_);
  if (!color_)
    return "posted by distance";
  if (lacks_memory_)
    return "posted by distance: there was no memory for edge coloring";
  if (most_[1] <= 1)
    return "posted by distance: no rank sends to more than one other";
  return fmt::format("posted by distance: {} messages of {} ranks are too many to color", sum_[2], size_);
}

/// A rank without room for the graph says so in place of its count.
void communicator_setup::gather_counts() {
  counts_.back() = static_cast<int>(sent_to_.size());
  try {
    all_sent_to_.resize(static_cast<std::size_t>(sum_[2]) + 1); // never without memory
  } catch (const std::bad_alloc&) {
    counts_.back() = no_room;
  }
  check_mpi(start_allgather(&counts_.back(), counts_.data(), 1, MPI_INT, comm_, requests_.data()),
            "MPI_Iallgather");
  at_ = stage::counts;
}

void communicator_setup::gather_pairs() {
  lacks_memory_ = std::find(counts_.begin(), counts_.end(), no_room) != counts_.end(); // on all ranks
  if (lacks_memory_) {
    become_ready();
    return;
  }
  starts_.front() = 0;
  for (std::size_t r = 0; r + 1 < counts_.size(); ++r)
    starts_[r + 1] = starts_[r] + counts_[r];
  check_mpi(start_allgatherv(sent_to_.data(), static_cast<int>(sent_to_.size()), all_sent_to_.data(),
                             counts_.data(), starts_.data(), MPI_UINT32_T, comm_, requests_.data()),
            "MPI_Iallgatherv");
  at_ = stage::pairs;
}

void communicator_setup::try_to_color() {
  try {
    color_pairs();
  } catch (const std::bad_alloc&) {
    rounds_.reset();
    lacks_memory_ = true;
  }
  sent_to_ = {};
  all_sent_to_ = {};
  counts_ = starts_ = {};
  become_ready();
}

void communicator_setup::color_pairs() {
  std::vector<neighbors::arc> arcs;
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(size_); ++r)
    for (int i = starts_[r]; i < starts_[r + 1]; ++i)
      arcs.push_back({rank_id{r}, rank_id{all_sent_to_[static_cast<std::size_t>(i)]}});
  const neighbors::arc_coloring coloring = neighbors::color_arcs(arcs, static_cast<std::uint32_t>(size_));
  const bool pays = neighbors::coloring_pays(arcs, coloring, static_cast<std::uint32_t>(size_));
  rounds_ = pays ? neighbors::colored_rounds(n_, rank_id{static_cast<std::uint32_t>(rank_)}, arcs, coloring)
                 : neighbors::listed_rounds(n_);
  round_count_ = pays ? coloring.colors : 0;
}

void communicator_setup::diagnose_imbalance() {
  std::vector<int> sent_here, received_from_here;
  for (std::size_t r = 0; r < static_cast<std::size_t>(size_); ++r) {
    sent_here.push_back(listed_there_[2 * r]);
    received_from_here.push_back(listed_there_[2 * r + 1]);
  }
  std::string fault = neighbors::first_imbalance(n_, rank_id{static_cast<std::uint32_t>(rank_)}, sent_here,
                                                 received_from_here);
  if (fault.empty())
    fault = "the neighborhoods of other ranks contradict each other; their messages say which";
  throw neighbor_error(neighbor_error::kind::graph, fault);
}

bool communicator_setup::advance() {
  while (at_ != stage::ready) {
    if (at_ == stage::failed || at_ == stage::idle)
      return true;
    int done = 0;
    check_mpi(MPI_Testall(2, requests_.data(), &done, MPI_STATUSES_IGNORE), "setting up the communicator");
    if (!done)
      return false;
    if (at_ == stage::duplicate)
      begin_comparison();
    else if (at_ == stage::compare)
      compare();
    else if (at_ == stage::counts)
      gather_pairs();
    else if (at_ == stage::pairs)
      try_to_color();
    else if (at_ == stage::room)
      gather_lists();
    else
      diagnose_imbalance();
  }
  return true;
}

bool communicator_setup::progress() {
  if (inside_)
    return false;
  inside_ = true;
  try {
    const bool done = advance();
    inside_ = false;
    return done;
  } catch (...) {
    inside_ = false;
    at_ = stage::failed;
    throw;
  }
}

void communicator_setup::finish() {
  while (!progress()) {
    inside_ = true;
    const int code = MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
    inside_ = false;
    if (code != MPI_SUCCESS)
      at_ = stage::failed;
    check_mpi(code, "setting up the communicator");
  }
}

} // namespace tacit::runtime
