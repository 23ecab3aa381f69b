// Collective commands. They are started in the order of their exchanges, which is the same on all ranks, though they may become
// ready in another one; they complete in any order.
//
// An exchange of all ranks can be one nonblocking collective of MPI: broadcast, scatter, gather, allgather, alltoall. Where what
// ranks contribute lies in one piece, an allgather needs no copies at all. From the second time on it is a persistent one
// (native_exchange.h), if the library has such that can be relied on. Exchanges of a part of the ranks, halos, what is
// too long for MPI's counts, and those of few ranks, where a collective has no steps to save, go as messages between those who
// have something for each other: the same bytes. Which of both is faster for an exchange that is repeated is measured (variant_trials.h). What a signature needs is computed once, and its messages are persistent from
// the second time on (message_set.h); long ones are sent before others are taken in. Between two ranks they need no tags: both start them in the order of the exchanges. In exchanges of all
// ranks messages within a node go through its memory from the third time on (node_channels.h).
//
// Reductions: every rank contributes the combination of its items; the contributions are combined in the order of ranks, so that
// every rank gets the same bits, every time (combine_together.h).
#pragma once

#include "runtime/executor/combine_together.h"
#include "runtime/executor/local_buffer.h"
#include "runtime/executor/message_set.h"
#include "runtime/executor/native_exchange.h"
#include "runtime/executor/pending_requests.h"
#include "runtime/executor/variant_trials.h"
#include "runtime/mpi/private_communicator.h"
#include "tasks/commands/command.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace tacit::runtime {

/// What a task contributes to a reduction on this rank.
struct partial_result {
  const detail::reduction* how = nullptr;
  std::shared_ptr<const void> of; ///< keeps `how`
  std::vector<std::byte> bytes;
};

/// Whether it is a reduction.
bool reduces(tasks::collective_kind kind);

class exchanges {
public:
  struct surroundings {
    std::function<local_buffer&(tasks::buffer_id)> buffer;
    backend* on;
    pending_requests* requests;
    node_channels::process_of beside; ///< with whose memory
    bool may_use_memory;              ///< of this node, as far as this rank knows: its ranks have a core each
  };
  /// Collective.
  exchanges(MPI_Comm world, surroundings around);
  /// After an error: MPI may still use the memory of what is under way.
  void abandon() noexcept;

  /// To be called for all exchanges in their order, before they can start.
  void expect(tasks::command_id id);
  /// Its command is ready, and stays where it is until `done` is called, when this rank's part is complete. `partial`: of reductions.
  void start(const tasks::command* command, std::optional<partial_result> partial, task_function done);
  /// Starts what has become ready.
  void go_on();

private:
  struct piece {
    std::size_t part; ///< of the exchange
    tasks::region what;
    std::size_t at = 0; ///< where it begins in the packed message
  };
  /// Of and for one other rank.
  struct packet {
    int rank = 0;
    std::vector<piece> pieces;
    std::size_t bytes = 0;
  };
  struct local_plan {
    std::vector<packet> sends, receives; ///< by rank
    std::size_t uses = 0;
    std::shared_ptr<message_set> repeated; ///< from the second use on
  };
  struct under_way;

  /// An exchange of all ranks, by signature: one collective of MPI, or messages of which some may go through the node's memory.
  struct repeated_exchange {
    std::shared_ptr<native_exchange> native; ///< null: messages
    std::shared_ptr<message_set> shared;     ///< from the second use on, if all ranks may have one
    std::shared_ptr<tried_exchange> tried = std::make_shared<tried_exchange>();
    std::size_t uses = 0, uses_of_native = 0; ///< by messages, and by a collective
    bool connects = false, under_way = false;
    /// What all ranks start as the same one has to wait until the one before has ended here, or is connected, or it is known which.
    bool may_start() const { return !under_way && (!shared || shared->connected()) && !tried->agreeing; }
  };
  std::shared_ptr<local_plan> plan(const tasks::command& c);
  std::shared_ptr<local_plan> make_plan(const tasks::command& c);
  std::shared_ptr<native_exchange> make_native(const tasks::collective& x, const local_plan& p);
  std::shared_ptr<native_exchange> alltoall_of(const tasks::collective& x, const local_plan& p) const;
  std::shared_ptr<native_exchange> in_place(const tasks::collective& x);
  std::optional<tasks::region> piece_in_place(const tasks::collective& x, int rank) const;
  MPI_Datatype element_type(std::size_t bytes);
  packet make_packet(const tasks::collective& x, int from, int to) const;
  bool receives_from(const tasks::command& c, int from, int to) const;
  void prepare(under_way& u);
  void begin(const std::shared_ptr<under_way>& u);
  std::shared_ptr<repeated_exchange> repeated_of(const under_way& u);
  void connect(const under_way& u);
  std::shared_ptr<message_set> new_messages(const under_way& u) const;
  void ended(const std::shared_ptr<under_way>& u);
  void agree(std::vector<double> mine, std::function<void(const std::vector<double>&)> then);
  void begin_native(const std::shared_ptr<under_way>& u);
  void begin_messages(const std::shared_ptr<under_way>& u);
  void begin_channels(const std::shared_ptr<under_way>& u);
  std::shared_ptr<message_set> messages_of(const under_way& u);
  message_set::message laid_out(const tasks::collective& x, const packet& p) const;
  void begin_reduction(const std::shared_ptr<under_way>& u);
  void arrived(const std::shared_ptr<under_way>& u);
  void arrived_reduction(under_way& u, std::byte* result);
  element_range wanted_elements(const tasks::collective& x, int rank, std::size_t elements) const;
  void pack_into(const under_way& u, const packet& p, std::byte* into) const;
  void unpack_from(const under_way& u, const packet& p, const std::byte* from) const;
  void spread_to_devices(const under_way& u) const;
  private_communicator collectives_, messages_, reductions_, connecting_;
  int rank_, size_;
  surroundings around_;
  known_variant known_; ///< of exchanges of all ranks, the same on all
  variant_trials trials_;
  std::deque<std::shared_ptr<under_way>> in_order_;
  std::map<tasks::command_id, std::shared_ptr<under_way>> expected_;
  std::map<std::uint64_t, std::shared_ptr<local_plan>> plans_; ///< by signature
  /// Changes in the order of exchanges only, so that all ranks have the same: it decides which are persistent, and connected.
  std::map<std::uint64_t, std::shared_ptr<repeated_exchange>> repeated_;
  int connections_ = 0;                          ///< how many were made, the same on all ranks
  std::map<std::size_t, MPI_Datatype> elements_; ///< by size
};

} // namespace tacit::runtime
