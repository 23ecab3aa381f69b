// What a recorded program means by its messages: the facts that the analysis of a recording produces and that
// reports put into words. Plain data, no pointers into the recording, and no sentences: kinds, numbers, and
// positions in the lists of the analysis. All ranks are ranks of MPI_COMM_WORLD unless said otherwise; all
// times are seconds; all sums are over the ranks and messages that were recorded (see `complete`).
//
// Sums that hold: messages and bytes of all `activities` add up to `messages` and `bytes`, and so do those of
// the matrix; seconds of `activities`, of `collectives` and `other_seconds` add up to
// `communication_seconds`.
#pragma once

#include "recordings/meaning/broadcast_shape.h"
#include "recordings/record/reader.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/base/ids.h"
#include "vocabulary/calls/patterns.h"
#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tacit::recordings {

/// Where in the program a call is made.
struct call_site {
  std::string call;         ///< "MPI_Send"
  std::string module;       ///< file name of the program or library, without folders; empty if unknown
  std::string build_id;     ///< hexadecimal, may be empty
  std::uint64_t offset = 0; ///< of the return address in the module
  std::string function;     ///< from the symbol table, may be empty
  std::uint64_t function_offset = 0;
  std::string file; ///< from debug information, may be empty
  std::uint32_t line = 0;
  std::uint64_t calls = 0; ///< how often, over all ranks
  double seconds = 0;      ///< time in it, over all ranks
};

enum class group_kind : std::uint8_t {
  all,       ///< all ranks, in the order of the world
  reordered, ///< all ranks in another order
  row,       ///< row `number` of a grid
  column,    ///< column `number` of a grid
  some,      ///< none of these
};

/// What the members of a communicator are in the world.
struct group_shape {
  group_kind kind = group_kind::some;
  std::uint32_t number = 0;
  std::uint32_t rows = 0, columns = 0; ///< of the grid
};

/// A communicator on which something was communicated.
struct communicator_summary {
  group_shape shape;
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

/// What keeps an activity as it is. Which numbers belong to it stands beside each.
enum class obstacle : std::uint8_t {
  probed_operations,   ///< receivers probe for messages of collectives: collective_evidence
  wildcard_operations, ///< collectives with wildcard receives: collective_evidence
  observed_only,       ///< a recording proves nothing about other runs
  one_or_two_ranks,    ///< a collective would be the same messages
  fixed_partners,      ///< a neighborhood collective: traffic::most_partners
  pairs,               ///< exchanges of pairs of ranks
  changed_content,     ///< computation between receiving and sending: traffic::changed
  computed_on_the_way, ///< every rank of a pipeline computes before it sends on
  changing_partners,   ///< no order was recognised: traffic::rounds, traffic::sizes
  only_forwarded,      ///< data is passed on, but reaches no whole group: traffic::forwarded
  no_pattern,          ///< nothing of the kind was seen
  wildcard_messages,   ///< messages received with wildcards: traffic::wildcards
  probed_messages,     ///< receivers probe for these messages
  small_or_constant,   ///< blocks of the doubted collective that look alike by chance
  foreign_data_first,  ///< a rank contributes to the doubted collective after it got data of others
  computed_unseen,     ///< the shape of a reduction or scan: what is computed is not recorded
  carried_on,          ///< a later message of a round carries what an earlier one of it brought
  no_fixed_round,      ///< the messages of a neighbor exchange repeat in no fixed order
};
/// The reason code of an obstacle.
reason code_of(obstacle what);

/// What the messages could become, by a simple count for one typical episode or one round: before and after
/// are always of the same messages.
struct replacement {
  std::optional<pattern> collective; ///< none: a neighborhood collective on the graph of the partners
  std::uint64_t calls = 1;           ///< of the collective
  std::uint32_t communicator = 0;    ///< index in analysis.communicators
  std::uint64_t messages_before = 0; ///< per episode
  std::uint64_t messages_after = 0;  ///< of the collective's usual algorithm (binomial tree, …)
  std::uint32_t steps_before = 0;    ///< longest chain of messages that wait for each other
  std::uint32_t steps_after = 0;
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  bool if_independent = false; ///< only if nothing sent late in the episode depends on what came early in it
  bool if_unheard = false;     ///< only if nothing sent depends on what the episode brought others before
  bool if_in_time = false;     ///< only if nobody waits for who has made the call before it makes it itself
  bool if_separate = false;    ///< only if it gets buffers of its own: the program's overlap
  bool if_no_signals = false;  ///< only if nobody has to wait for the messages without data
  bool if_in_one_array =
      false;            ///< only with all blocks at once: some rank sends several from the same memory
  bool if_room = false; ///< only with room for all blocks: some rank receives several into the same memory
  bool if_in_order = false; ///< only with blocks side by side in the order of the ranks, where they are not
};

/// One message of a timeline.
struct timeline_message {
  rank_id from = no_rank;
  rank_id to = no_rank;
  std::uint32_t step = 0; ///< column; a message is sent in `step` and can be used from step + 1 on
  std::uint64_t bytes = 0;
  bool forwarded = false; ///< carries bytes that its sender received before
};
/// One collective call of a timeline.
struct timeline_collective {
  pattern kind = pattern::bcast;
  rank_id root = no_rank;
  std::uint32_t step = 0;
  std::uint64_t bytes = 0;
  std::vector<rank_id> members;
};
/// What each rank does step by step: one row per rank in `ranks`, `steps` columns.
struct timeline {
  std::vector<rank_id> ranks;
  std::uint32_t steps = 0;
  std::vector<timeline_message> messages;
  std::vector<timeline_collective> collectives;
  bool cut = false; ///< only the first messages are listed
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

/// Which roots the operations of an activity have, in order of use.
struct root_rule {
  enum class kind : std::uint8_t {
    unrooted,
    always,  ///< cycle[0]
    in_turn, ///< those of `cycle` one after the other
    vary,    ///< no rule
    several, ///< one operation has several roots
  };
  kind is = kind::unrooted;
  std::vector<std::uint32_t> cycle; ///< positions in the communicator
  friend bool operator==(const root_rule&, const root_rule&) = default;
};

/// Statistics of messages, whatever they form.
struct traffic {
  std::uint64_t messages = 0;
  std::uint64_t wildcards = 0; ///< received with any source or any tag
  std::uint64_t forwarded = 0; ///< mostly bytes received before, unchanged
  std::uint64_t changed = 0;   ///< sent from where a receive of the same kind had been, with other content
  std::uint64_t in_pairs = 0;  ///< in episodes that are an exchange of two ranks
  std::uint64_t in_rings =
      0; ///< in episodes where each rank sends one message and receives one, three ranks or more
  std::uint64_t in_two_way_rings = 0; ///< in episodes where each rank exchanges with its neighbors on a ring
  std::uint64_t answered = 0;         ///< between ranks of which the other sends at least a third as often
  std::uint64_t self = 0;             ///< from a rank to itself
  std::uint64_t empty = 0;            ///< without data
  std::uint32_t ranks = 0;            ///< that take part
  std::uint32_t most_partners = 0;    ///< ranks that one rank sends to
  std::uint32_t fewest_partners = 0;
  double rounds = 0;       ///< messages per pair of ranks, on average
  std::uint64_t sizes = 0; ///< distinct sizes (counted up to 1000)
};

/// Nearly all messages are exchanges of two ranks with nothing else in between.
bool one_partner_at_a_time(const traffic& t);

/// Why a collective that was seen does not count.
enum class doubt : std::uint8_t {
  no_doubt,
  tiny,      ///< too few bytes to be evidence, or the same bytes every time
  dependent, ///< a rank contributes after it got foreign data
  rare,      ///< seen by shape alone, and most of the phase has another shape
};

/// A collective that the messages have the shape of.
struct doubted_collective {
  pattern kind = pattern::bcast;
  doubt why = doubt::tiny;
  std::optional<broadcast_algorithm> algorithm;
};

/// What messages have the shape of, by their counts, partners, sizes and order alone. What the program computes in
/// between is not in a recording.
enum class message_shape : std::uint8_t {
  no_shape,
  reduce,           ///< up a tree, every message equally long
  gather_or_reduce, ///< every rank's messages to the root, as long as those of any other
  chain,            ///< from rank to rank: a scan, a reduction along a chain, or a step of a pipeline
  allreduce,        ///< recursive doubling, perhaps folded: who has exchanged sends the same on
  reduce_scatter,   ///< recursive halving, or a ring with a chunk for each step
  scan,             ///< inclusive or exclusive: to the rank 2^k further on, perhaps one further first
  gatherv,          ///< messages of every rank to the root, of different lengths
  alltoall,         ///< every two ranks exchange once, through one buffer
  alltoallv,        ///< the same, of different lengths
  alltoall_or_reduce_scatter, ///< every two ranks exchange once, and each block arrives where the last one was
  alltoallv_or_reduce_scatter, ///< the same; all that arrives at one rank is equally long
  allgather_or_allreduce, ///< each rank sends one block to all others; they arrive where the last one was
};

/// How the messages of collectives were received.
struct collective_evidence {
  std::uint64_t episodes = 0;
  std::uint64_t wildcards = 0;    ///< episodes with a receive from any source or with any tag
  std::uint64_t probed = 0;       ///< episodes with messages that were probed for
  std::uint64_t probes = 0;       ///< how many calls probed for them
  std::uint64_t sparse = 0;       ///< alltoallvs in which some pairs of ranks have nothing for each other
  bool assumed_unchanged = false; ///< memory sent twice in one operation was taken for the same bytes
};

/// What one part of the program (a set of call paths) does with its messages.
struct activity {
  activity_kind kind = activity_kind::point_to_point;
  std::optional<pattern> found;                  ///< for activity_kind::collective
  std::optional<broadcast_algorithm> algorithm;  ///< of broadcasts found
  std::optional<collective_evidence> evidence;   ///< for activity_kind::collective
  std::optional<traffic> moved;                  ///< for all other kinds
  std::optional<doubted_collective> doubted;     ///< for all other kinds
  message_shape shape = message_shape::no_shape; ///< for all other kinds
  std::uint32_t group_size = 0;                  ///< ranks of each of its communicators
  std::vector<std::uint32_t> communicators;      ///< indices in analysis.communicators
  std::vector<rank_id> roots; ///< distinct roots in order of first use, for rooted patterns
  root_rule rule;
  std::uint64_t episodes = 0; ///< how often the pattern occurs
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;    ///< in all messages
  std::uint64_t smallest = 0; ///< bytes of one episode's data (broadcasts: the block; else one message)
  std::uint64_t largest = 0;
  double seconds = 0;             ///< in the calls of these messages and their completion, over all ranks
  double time_share = 0;          ///< of communication_seconds
  std::vector<std::int32_t> tags; ///< the distinct tags in ascending order, at most 16 of them
  std::uint64_t distinct_tags = 0;
  std::vector<std::uint32_t> sites; ///< indices in analysis.sites, most time first
  /// Where the functions around these calls were called, innermost first: indices in analysis.callers. Most time first,
  /// at most 16; empty if it is not known, or if the calls are in the main program itself.
  std::vector<std::vector<std::uint32_t>> called_from;
  std::vector<obstacle> obstacles;     ///< why it is left as it is, most important first; never empty
  std::optional<replacement> would_be; ///< what it could become
  timeline before;                     ///< an example episode as executed
  timeline after;                      ///< the same with the replacement; empty without one
};

/// Where the recording of a rank ends that never reached MPI_Finalize.
struct rank_end {
  rank_id rank = no_rank;
  double seconds = 0;   ///< from the first rank's start to the last that was seen of this one
  bool inside = false;  ///< in a call that did not return
  bool aborted = false; ///< the call is MPI_Abort
  std::uint32_t site =
      none; ///< of that call, or of the last one that returned: index in analysis.sites, or none
  rank_id peer = no_rank; ///< whom it waited for, in the world, if the call names one
};

/// Messages from one rank to another.
struct matrix_entry {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// All that was found out about a recording, as `analyze` returns it.
struct analysis {
  std::string program;
  std::string library;
  std::uint32_t ranks = 0;          ///< size of MPI_COMM_WORLD
  std::uint32_t recorded_ranks = 0; ///< whose file was readable
  bool complete = true;             ///< all ranks reached MPI_Finalize; otherwise sums are lower bounds
  bool hashing = false;             ///< content hashes were recorded: forwarding could be observed
  std::uint64_t in_device = 0;      ///< sends and receives of bytes in device memory, which have no hashes
  double wall_seconds = 0;          ///< end of MPI_Init to end of MPI_Finalize, longest rank
  double program_seconds = 0;       ///< between MPI_Init and MPI_Finalize, over all ranks
  double cpu_seconds = 0;           ///< over all ranks
  double communication_seconds = 0; ///< in MPI calls between Init and Finalize, over all ranks
  double recorder_seconds = 0;      ///< spent in the recorder, over all ranks, hashing included
  double hash_seconds = 0;          ///< of which for content hashes
  double other_seconds = 0; ///< communication_seconds in neither activities nor collectives (probes, …)
  std::uint64_t calls = 0;
  std::uint64_t messages = 0;       ///< matched
  std::uint64_t bytes = 0;          ///< in matched messages
  std::uint64_t counted_calls = 0;  ///< of `calls`: only counted, as the recording was near its limit
  double counting_from_seconds = 0; ///< from then on, after the first rank's start
  /// What was sent later, after the first rank's start, is only in the sums, as messages do not repeat; 0: all is looked at.
  double kept_until_seconds = 0;
  std::uint64_t without_example =
      0; ///< of `messages`: in no activity, as they are only in the sums and look like none before
  double without_example_seconds = 0; ///< spent on them
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  /// Of the unmatched: over intercommunicators, or with processes outside MPI_COMM_WORLD.
  std::uint64_t outside_sends = 0, outside_bytes = 0, outside_receives = 0;
  std::uint64_t cancelled = 0;
  std::vector<rank_end> ends;                ///< of ranks that did not finish, earliest first
  double unmodelled_seconds = 0;             ///< in calls outside the model, over all ranks
  std::uint64_t unmodelled_calls = 0;        ///< outside the model (one-sided, I/O, unknown)
  std::vector<std::string> unmodelled_names; ///< which
  std::vector<communicator_summary>
      communicators; ///< those on which something was communicated; [0] is world
  std::map<std::pair<rank_id, rank_id>, matrix_entry>
      matrix; ///< (source, destination), only pairs with messages
  std::vector<call_site> sites;
  std::vector<call_site> callers;          ///< places on the way to calls; they have no call and no numbers
  std::vector<collective_use> collectives; ///< most time first
  std::vector<activity> activities;        ///< most time first
};

struct analysis_options {
  std::uint64_t smallest_evidence =
      64; ///< blocks with fewer bytes are no evidence that data is the same (reason 65)
  std::uint32_t largest_picture = 400; ///< messages listed in one timeline
  progress_callback progress;
};

/// What the program means by its messages. `problems` gets what is missing or contradictory in the recording
/// (reasons 2, 3, 63, 64, 80). Never fails: an empty recording gives an empty analysis. Cost O(records · log
/// records), memory about 250 bytes per call.
analysis analyze(const recording_set& recorded, diagnostics& problems, const analysis_options& options = {});
/// The same of a run that was surveyed: sums are those of the whole run, examples those of the calls that were kept.
struct surveyed_run;
analysis analyze_run(const surveyed_run& run, diagnostics& problems, const analysis_options& options = {});

} // namespace tacit::recordings
