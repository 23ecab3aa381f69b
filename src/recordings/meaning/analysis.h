// What a recorded program means by its messages: the values that the analysis of a recording produces and
// that reports render. Plain data, no pointers into the recording. All ranks are ranks of MPI_COMM_WORLD
// unless said otherwise; all times are seconds; all sums are over the ranks and messages that were recorded
// (see `complete`).
//
// Sums that hold: messages and bytes of all `activities` add up to `messages` and `bytes`, and so do those of
// the matrix; seconds of `activities`, of `collectives` and `other_seconds` add up to
// `communication_seconds`.
#pragma once

#include "recordings/record/reader.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/base/ids.h"
#include "vocabulary/calls/patterns.h"
#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::recordings {

/// Where in the program a call is made.
struct call_site {
  std::string call;         ///< "MPI_Send"
  std::string module;       ///< file name of the program or library, without folders
  std::string build_id;     ///< hexadecimal, may be empty
  std::uint64_t offset = 0; ///< of the return address in the module
  std::string function;     ///< from the symbol table, may be empty
  std::string file;         ///< from debug information, may be empty
  std::uint32_t line = 0;
  std::string text;        ///< best that is known: "bcast.c:120 (ring)", "ring+0x1a (hpcc)" or "hpcc+0x4f20"
  std::uint64_t calls = 0; ///< how often, over all ranks
  double seconds = 0;      ///< time in it, over all ranks
};

/// A communicator as named in the sentences below.
struct communicator_summary {
  std::string name;  ///< "world", or "communicator 3"
  std::string shape; ///< "all ranks", "row 0 of a 2x4 grid", "every 2nd rank from 1", "" (none of these)
  std::vector<rank_id> members;
};

/// A collective operation that the program calls itself.
struct collective_use {
  std::string call;               ///< "MPI_Allreduce"
  std::uint32_t communicator = 0; ///< index in analysis.communicators
  std::uint64_t calls = 0; ///< operations: calls over all ranks divided by the size of the communicator
  std::uint64_t bytes = 0; ///< contributed by all ranks together (their send parts; a broadcast: the root's)
  double seconds = 0;      ///< over all ranks
  double time_share = 0;   ///< of communication_seconds
};

/// Why something was left as it is.
struct left_alone {
  reason why = reason::none;
  std::string detail; ///< one sentence about this program, with numbers
};

/// What the messages would become, by a simple count for one typical episode.
struct replacement {
  std::string call;                  ///< "MPI_Bcast on a row communicator", "MPI_Neighbor_alltoallv"
  std::uint64_t messages_before = 0; ///< per episode
  std::uint64_t messages_after = 0;  ///< of the collective's usual algorithm (binomial tree, …)
  std::uint32_t steps_before = 0;    ///< longest chain of messages that wait for each other
  std::uint32_t steps_after = 0;
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

/// One message or one collective call in a picture.
struct lane_message {
  rank_id from = no_rank;
  rank_id to = no_rank;
  std::uint32_t step = 0; ///< column; a message is sent in `step` and can be used from step + 1 on
  std::uint64_t bytes = 0;
  bool forwarded = false; ///< carries bytes that its sender received before
};
struct lane_collective {
  pattern kind = pattern::bcast;
  rank_id root = no_rank;
  std::uint32_t step = 0;
  std::uint64_t bytes = 0;
  std::vector<rank_id> members;
};
/// Rank-by-step lanes: one row per rank in `ranks`, `steps` columns.
struct lanes {
  std::vector<rank_id> ranks;
  std::uint32_t steps = 0;
  std::vector<lane_message> messages;
  std::vector<lane_collective> collectives;
  bool cut = false; ///< only the first messages are shown
};

enum class activity_kind : std::uint8_t {
  collective,        ///< messages that form a collective: `found` says which
  trivial,           ///< on a group of one or two ranks: a message, or an exchange
  neighbor_exchange, ///< few fixed partners, as in a halo exchange
  pairwise,          ///< each rank exchanges with one partner at a time
  changed_exchange,  ///< same addresses received and sent on with other content: computation in between
  pipeline,          ///< each rank receives, computes, sends on
  irregular,         ///< partners or sizes change from round to round
  point_to_point,    ///< none of these
};
/// "collective", "neighbor exchange", …
std::string_view name(activity_kind kind);

/// What one part of the program (a set of call sites) does with its messages.
struct activity {
  activity_kind kind = activity_kind::point_to_point;
  std::optional<pattern> found; ///< for activity_kind::collective
  std::string title;            ///< short: "broadcast, ring", "neighbor exchange", "irregular exchange"
  std::string sentence; ///< complete: "427 broadcasts on 1 communicator of 4 ranks, roots cycle 0,1,2,3, …"
  std::string
      algorithm; ///< collectives: "ring", "modified ring", "two rings", "spread and roll", …; else empty
  std::string certainty;                    ///< "observed in this run": never a proof
  std::vector<std::uint32_t> communicators; ///< indices in analysis.communicators
  std::vector<rank_id> roots;               ///< distinct roots in order of first use, for rooted patterns
  std::string root_rule;      ///< "always 0", "cycle 0,1,2,3", "vary", "several at once"; may be empty
  std::uint64_t episodes = 0; ///< how often the pattern occurs
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;    ///< in all messages
  std::uint64_t smallest = 0; ///< bytes of one episode's data (broadcasts: the block; else one message)
  std::uint64_t largest = 0;
  double seconds = 0;             ///< in the calls of these messages and their completion, over all ranks
  double time_share = 0;          ///< of communication_seconds
  std::vector<std::int32_t> tags; ///< the distinct tags in ascending order, at most 16 of them
  std::uint64_t distinct_tags = 0;
  std::vector<std::uint32_t> sites;    ///< indices in analysis.sites, most time first
  std::vector<left_alone> reasons;     ///< why it is left as it is, most important first; never empty
  std::optional<replacement> would_be; ///< what it could become
  lanes before;                        ///< an example episode as executed
  lanes after;                         ///< the same with the replacement; empty without one
};

/// Messages from one rank to another.
struct matrix_entry {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Result of `analyze`.
struct analysis {
  std::string program;
  std::string library;
  std::uint32_t ranks = 0;          ///< size of MPI_COMM_WORLD
  std::uint32_t recorded_ranks = 0; ///< whose file was readable
  bool complete = true;             ///< all ranks reached MPI_Finalize; otherwise sums are lower bounds
  bool hashing = false;             ///< content hashes were recorded: forwarding could be observed
  double wall_seconds = 0;          ///< MPI_Init to MPI_Finalize, longest rank
  double cpu_seconds = 0;           ///< over all ranks
  double communication_seconds = 0; ///< in MPI calls between Init and Finalize, over all ranks
  double recorder_seconds = 0;      ///< spent in the recorder, over all ranks, hashing included
  double hash_seconds = 0;          ///< of which for content hashes
  double other_seconds = 0; ///< communication_seconds in neither activities nor collectives (probes, …)
  std::uint64_t calls = 0;
  std::uint64_t messages = 0; ///< matched
  std::uint64_t bytes = 0;    ///< in matched messages
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t unmodelled_calls = 0;        ///< outside the model (one-sided, I/O, unknown)
  std::vector<std::string> unmodelled_names; ///< which
  std::vector<communicator_summary>
      communicators; ///< those on which something was communicated; [0] is world
  std::map<std::pair<rank_id, rank_id>, matrix_entry>
      matrix; ///< (source, destination), only pairs with messages
  std::vector<call_site> sites;
  std::vector<collective_use> collectives; ///< most time first
  std::vector<activity> activities;        ///< most time first
};

struct analysis_options {
  std::uint64_t smallest_evidence =
      64; ///< blocks with fewer bytes are no evidence that data is the same (reason 65)
  std::uint32_t largest_picture = 400; ///< messages shown in one picture
  progress_callback progress;
};

/// What the program means by its messages. `problems` gets what is missing or contradictory in the recording
/// (reasons 2, 3, 63, 64, 80). Never fails: an empty recording gives an empty analysis. Cost O(records · log
/// records), memory about 250 bytes per call.
analysis analyze(const recording_set& recorded, diagnostics& problems, const analysis_options& options = {});

} // namespace tacit::recordings
