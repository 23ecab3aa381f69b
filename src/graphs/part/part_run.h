// One rank's part of a graph, followed without the parts of the others (SEMANTICS 5.1): messages carry, instead of bytes, where these
// bytes were when the graph began. Read part_run.cpp first.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/flow/memory_budget.h"
#include "graphs/flow/rank_memory.h"
#include "graphs/graph/graph.h"
#include "graphs/part/part_refusal.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

namespace tacit::graphs {

/// What one rank tells another one: any number of messages of the graph.
struct parcel {
  rank_id to = no_rank;
  std::vector<std::byte> bytes;
};

class part_run {
public:
  /// The graph holds the operations of `self` alone, all of which `refusal_of` accepts; it must outlive the run. `names`: what its
  /// communicators are called by all their members, not 0, the graph's own left out; empty if all ranks number them alike. Throws
  /// over_budget.
  part_run(const graph& part, rank_id self, const flow_options& budget,
           std::span<const std::uint64_t> names = {});
  part_run(const part_run&) = delete;
  part_run& operator=(const part_run&) = delete;

  /// Carries out whatever waits for nothing. After it only `deliver` can bring more to do.
  void advance();
  /// What others have to be told since it was last called.
  std::vector<parcel> take_parcels();
  /// What `from` has told. Throws std::runtime_error if it makes no sense.
  void deliver(rank_id from, std::span<const std::byte> bytes);

  /// Operations that have not been carried out.
  std::uint64_t left() const { return left_; }
  bool done() const { return left_ == 0; }
  /// The first operation that has not been carried out; no_op if all have.
  op_id first_left() const;
  /// What went wrong here so far.
  part_refusal fault() const { return fault_; }
  /// What remains of what was moved, in canonical form. All is `done`, without a fault.
  std::vector<transfer> result() const;

private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct message {
    std::uint64_t comm; ///< its name
    std::int32_t tag;
    std::uint32_t
        number; ///< among those between these two ranks with this communicator and tag, in order of creation
  };
  /// Operations of one kind with the same peer, communicator and tag, in order of creation: `count` of `list` from `first` on.
  struct channel {
    std::uint32_t peer;
    std::uint64_t comm;
    std::int32_t tag;
    std::uint32_t first, count;
  };
  struct channels {
    std::vector<channel> all; ///< sorted by peer, communicator and tag
    std::vector<std::uint32_t> list;
    const channel* find(std::uint32_t peer, const message& which) const;
  };
  struct outbox {
    rank_id to;
    std::vector<std::byte> bytes;
    std::size_t last = ~std::size_t{0}; ///< where its last run begins
  };

  channels channels_of(op_kind kind) const;
  std::uint64_t name_of(comm_id comm) const;
  void number_sends();
  void list_successors();
  void carry_out(std::uint32_t op);
  void complete(std::uint32_t op);
  void release(std::uint32_t op);
  void load(std::uint32_t op);
  void store(std::uint32_t op);
  void send(std::uint32_t op);
  /// The message in `content_`.
  void arrive(std::uint32_t from, message which);
  void append_run(outbox& box, message which);
  bool extend_run(outbox& box, message which) const;
  void count_moved(std::size_t fragments);
  void give_up();
  void note(part_refusal why) { fault_ = fault_ == part_refusal::none ? why : fault_; }

  const graph& g_;
  rank_id self_;
  std::vector<std::uint64_t> names_;
  std::uint64_t most_moved_, moved_ = 0, left_;
  memory_budget budget_;
  rank_memory memory_;
  message_content content_;
  part_refusal fault_ = part_refusal::none;
  bool given_up_ = false;              ///< `memory_` is not to be used any more
  std::vector<std::uint32_t> missing_; ///< per operation: what it waits for, its message included
  std::vector<char> carried_out_;
  std::vector<std::uint32_t> after_, first_after_; ///< the operations that wait for each
  std::vector<std::uint32_t> number_;              ///< of a send's message
  channels receives_;
  const channel* last_channel_ = nullptr;
  std::unordered_map<std::uint32_t, std::vector<fragment>> parked_;
  std::deque<std::uint32_t> ready_;
  std::vector<outbox> boxes_;
  std::vector<std::uint32_t> box_of_; ///< by rank
};

/// If any rank says what is read afterwards, nothing else is, on any rank (flow/live_bytes.h): to be called on all ranks then.
void only_declared_is_read(graph& part, rank_id self);

/// True if two operations of the part touch a byte that one of them writes, and the part's own dependencies do not order them. Messages
/// may: then this is no race, but only who knows all parts can tell.
bool may_race(const graph& part, rank_id self);

} // namespace tacit::graphs
