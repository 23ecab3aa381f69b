// What a communicator needs before its first neighborhood collective, as a state machine that never blocks:
// a private duplicate, and the certainty that all ranks mean the same thing.
//
//   duplicate (MPI_Comm_idup) → compare (one reduction: do the edges balance, are the choices equal, how many
//   edges join the widest pair, how many pairs exchange messages) → counts → pairs (gather the whole graph
//   and color its edges; only if a rank has several neighbors and the graph is small enough) → ready
//                             → diagnose (only if they do not balance: every pair compares its edges) → error
//
// A rank that runs out of memory on the way must not leave the others waiting: what travels has its memory
// from the beginning, but for the graph, of which every rank says beforehand whether it has room for it, and
// for the diagnosis, the same. Without it there is no coloring, or no diagnosis, on any rank; a rank that
// cannot color goes by distance alone, because rounds are its own affair.
//
// Cost: the duplicate, one reduction of a few words, and for the coloring (neighbors/passes/color.h) a gather
// of one number per rank and one per pair, 4 bytes each, to every rank.
#pragma once

#include "neighbors/passes/neighbor.h"
#include "neighbors/topology/topology.h"
#include "runtime/mpi/private_communicator.h"
#include "runtime/run/driver.h"

#include <array>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>
#include <vector>

namespace tacit::runtime {

class communicator_setup : public execution {
public:
  /// `choices` must be equal on all ranks, and `color` follow from them: find rounds by coloring. With a
  /// `fault` of this rank they must not be equal to what ranks without one choose; it is thrown once the
  /// others have learned of it. Local.
  communicator_setup(MPI_Comm user, const neighbors::neighborhood& n, std::uint64_t choices,
                     std::string fault, bool color);
  ~communicator_setup() override; ///< frees the duplicate
  communicator_setup(const communicator_setup&) = delete;
  communicator_setup& operator=(const communicator_setup&) = delete;

  /// Before `start`: a duplicate that all ranks have made already.
  void adopt(private_communicator duplicate) noexcept { duplicate_ = duplicate.release(); }
  void start() override;
  /// Throws neighbor_error and mpi_error.
  bool progress() override;
  void finish() override;

  bool ready() const { return at_ == stage::ready; }
  /// The user's communicator is still in use.
  bool duplicating() const { return at_ == stage::duplicate; }
  /// `progress` is on the stack: MPICH frees the communicator, and calls what its attributes ask for, from
  /// inside the test that completes the duplicate, if the program had freed it before.
  bool inside() const { return inside_; }
  MPI_Comm comm() const { return comm_; }
  /// Messages that nobody will receive are left in the duplicate: it must not be freed, because MPI may give
  /// its context to a new communicator (MPICH does), where they would be received.
  void abandon() { abandoned_ = true; }
  /// The most edges that lead from one rank to another one.
  int widest() const { return static_cast<int>(most_[0]); }
  /// Some rank has several edges to one rank, or one to itself. Once ready.
  bool has_multiple_edges() const { return most_[0] > 1 || most_[2] > 0; }

  /// Once ready: rounds by an edge coloring, or the program's order if that is as good; none if the graph was
  /// not colored.
  const std::optional<neighbors::edge_rounds>& rounds() const { return rounds_; }
  /// Which it is, and why, for people. Once ready. Empty if there was no memory for it.
  const std::string& order_remark() const { return order_remark_; }

private:
  enum class stage : std::uint8_t { idle, duplicate, compare, counts, pairs, room, diagnose, ready, failed };
  void begin_comparison();
  void compare();
  bool worth_coloring() const;
  void gather_counts();
  void gather_pairs();
  void try_to_color();
  void color_pairs();
  void ask_for_room();
  void gather_lists();
  [[noreturn]] void diagnose_imbalance();
  std::string order_in_words() const;
  void become_ready() noexcept;
  bool advance();

  MPI_Comm user_;
  const neighbors::neighborhood& n_;
  std::uint64_t choices_;
  std::string fault_;
  int rank_ = 0, size_ = 1;
  stage at_ = stage::idle;
  bool inside_ = false, abandoned_ = false;
  MPI_Comm comm_ = MPI_COMM_NULL, duplicate_ = MPI_COMM_NULL;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<std::uint64_t, 3> mine_{}, sum_{}; ///< balance of edges, choices, ranks sent to
  /// Edges of a pair, ranks that one sends to, edges of a rank to itself (1: it has some).
  std::array<std::uint64_t, 3> my_most_{}, most_{};
  bool color_;
  std::vector<std::uint32_t> sent_to_, all_sent_to_; ///< by this rank, by all of them
  std::vector<int> counts_, starts_;                 ///< per rank, in all_sent_to_
  std::optional<neighbors::edge_rounds> rounds_;
  std::uint32_t round_count_ = 0; ///< 0: the program's order
  bool lacks_memory_ = false;     ///< for coloring: some rank; for the diagnosis: this one
  std::uint64_t have_room_ = 0, all_have_room_ = 0;
  std::vector<int> listed_, listed_there_; ///< per rank: edges to it, edges from it
  std::string order_remark_;
};

} // namespace tacit::runtime
