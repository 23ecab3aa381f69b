// From findings to a schedule: what each rank will really do instead of the graph (SEMANTICS 4, rules E0–E9).
//
// A plan always replaces at transfer level: the collectives found, plus every residual transfer sent straight
// from origin to destination, plus the synchronization that the policy keeps. Per rank it is a small DAG of
// steps that any driver can execute; the same form also holds the graph "as written", which is what runs when
// replacing is not legal. Operations that reductions and computations concern (flow/separate.h) keep their steps, in the order that
// their data need, beside what replaces the rest. All sources that the plan overwrites are staged first (E3: the transfers are one
// simultaneous assignment).
#pragma once

#include "graphs/detect/detect.h"
#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "graphs/graph/segment_list.h"
#include "graphs/match/match.h"
#include "graphs/plan/block_list.h"
#include "vocabulary/calls/patterns.h"
#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::graphs {

/// All bytes that a plan uses of the program lie below this address.
inline constexpr std::uint64_t user_memory_end = 1ull << 63;

/// Addresses at and above this one are offsets into the rank's private scratch memory, not user memory. The
/// bytes between the two belong to nobody, so that a list never takes a user's last byte and the first one of
/// scratch for one piece, wherever pieces that continue each other are merged.
inline constexpr std::uint64_t scratch_base = user_memory_end + 4096;

enum class step_kind : std::uint8_t {
  copy,       ///< reads → writes, local
  send,       ///< reads to peer
  recv,       ///< writes from peer
  collective, ///< one collective call of `kind` on `comm`
  call,       ///< the opaque operation `op` of the graph
  reduce, ///< writes = reads ⊕ writes, local, by `by`; does what the operation `op` of the graph does, if it is one's
};

using step_numbers = one_in_place<std::uint32_t>;

struct step {
  step_kind kind = step_kind::copy;
  pattern collective = pattern::bcast;
  comm_id comm = world;
  rank_id peer = no_rank;     ///< send, recv: other side; collective: root if rooted
  std::int32_t tag = 0;       ///< send, recv: private, unique per (source, destination) within the plan;
                              ///< collective: its number within the plan, equal on all members
  op_id op = no_op;           ///< call, reduce: the operation of the graph
  reducer_id by = no_reducer; ///< reduce; collective: if it is a reduction
  std::uint32_t order = 0;    ///< collective: 0, or number + 1 of how it combines, in `plan::orders`
  segment_list reads;         ///< copy, send, reduce
  segment_list writes;        ///< copy, recv, reduce
  block_list sends;           ///< collective: blocks this rank contributes
  block_list receives;        ///< collective: blocks this rank gets
  /// Collective: bytes of the largest block of any member, so that all choose alike.
  std::uint64_t largest_block = 0;
  /// Collective: the most bytes any member sends or receives, own block included.
  std::uint64_t largest_total = 0;
  step_numbers after; ///< indices of earlier steps of this rank that must have completed
};

using step_list = one_in_place<step>;

inline bool is_message(const step& s) {
  return s.kind == step_kind::send || s.kind == step_kind::recv;
}

struct rank_plan {
  step_list steps;
  std::uint64_t scratch_bytes = 0; ///< size of the private scratch memory
};

enum class sync_policy : std::uint8_t {
  data,      ///< keep orders expressed by zero-byte messages and fences; relax what payloads imply (default)
  keep_sync, ///< keep every wait set
};

/// What may be assumed of the program around the graph (E5).
enum class region_progress : std::uint8_t {
  collective, ///< every rank starts without waiting for others to complete, as with collectives (default)
  as_written, ///< nothing: no rank may wait for one that it does not wait for in the graph
};

struct plan {
  std::vector<rank_plan> ranks;
  bool as_written = false; ///< the graph itself, nothing replaced
  reason why_as_written = reason::none;
  std::string detail;
  std::vector<refusal> not_used; ///< findings that are sent as messages all the same, with the reason
  /// Of reductions that must combine so, by positions in their groups: no driver carries out those, messages have to take their
  /// place (choice/generated_form.h).
  std::vector<evaluation> orders;
};

struct plan_options {
  sync_policy policy = sync_policy::data;
  region_progress progress = region_progress::collective;
  bool reassociate = false; ///< reductions may combine in another order although it gives other bits
};

/// The replacement G′. Legal by construction; `validate` checks it anyway before first use.
plan make_plan(const graph& g, const matching& m, const run_order& o, const transfers& t, const findings& f,
               const plan_options& options = {});

/// The graph as written, as steps; fences become barriers of their group.
plan plan_as_written(const graph& g, const matching& m, const run_order& o, reason why, std::string detail);

/// Where validation found the first difference, as far as it can say: a rank and one of its bytes.
struct fault_location {
  rank_id rank = no_rank;
  std::uint64_t address = 0;
};

/// What `validate` says of a plan that may be right, but whose waits nobody can compare with the graph's, pair by pair.
inline constexpr std::string_view too_many_to_compare = "too many ranks to compare wait sets";

/// Translation validation: expands the plan into a graph of its own (collectives by their MPI meaning),
/// follows it and compares transfers (E1), written bytes (E2), races (E3), synchronization under the policy
/// (E4), deadlock freedom with rendezvous semantics and the waits that the program allows (E5; not for plans
/// as written, which may rely on buffering as the graph does). Returns an empty string if the plan is right,
/// else the first difference. Cost as match + flow of the expanded plan. `where` (may be null): filled in if
/// there is a difference.
std::string validate(const graph& g, const matching& m, const run_order& o, const transfers& t, const plan& p,
                     const plan_options& options = {}, fault_location* where = nullptr);

} // namespace tacit::graphs
