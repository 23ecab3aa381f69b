// The messages of a run: which receive took which send, and how long the program spent on each.
//
// Recorded receives know their source and tag, wildcards included, so matching needs no simulation: MPI's
// non-overtaking rule pairs the k-th send with the k-th receive of (communicator, source, destination, tag),
// receives counted in the order of posting. Mrecv and Imrecv count where they are called.
#pragma once

#include "recordings/record/reader.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/base/ids.h"
#include "vocabulary/calls/mpi_calls.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tacit::recordings {

/// A communicator of the run, the same on all its members.
struct group {
  std::uint64_t key = 0;
  bool inter = false;
  std::vector<std::uint32_t> members; ///< world ranks in communicator order
};

/// A call site of the run, the same on all ranks: module (build-id or path) and offset.
struct location {
  std::string module_path;
  std::string build_id;
  std::uint64_t offset = 0;
  std::uint16_t call = 0; ///< which MPI function
};

/// How the program came to a call: its site, and where the functions around it were called, outwards.
struct call_path {
  std::uint32_t location = none; ///< index in message_table::locations
  std::vector<std::uint32_t>
      callers; ///< indices in message_table::callers, innermost first; empty if not known
};

struct message {
  std::uint32_t from = 0; ///< world rank
  std::uint32_t to = 0;
  std::uint32_t comm = 0; ///< index in message_table::groups
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t send_call = none;  ///< index in the sender's calls
  std::uint32_t recv_call = none;  ///< where the receive was posted, in the receiver's calls
  std::uint32_t completion = none; ///< in the receiver's completions; none: never seen to complete
  /// The receiver's call that first told the program that the message had come, if one did before it was complete: an
  /// MPI_Request_get_status (the data are there, too) or a probe (how many they are). Else none.
  std::uint32_t told_call = none;
  bool wildcard = false;    ///< received with any source or any tag
  bool consistent = true;   ///< length and content agree on both sides as far as they are known
  double seconds = 0;       ///< in its calls, on both sides; of all that it stands for
  std::uint64_t times = 1;  ///< how many messages it stands for (survey.h)
  std::uint32_t window = 0; ///< part of the run; between them rounds are missing
};

/// What the index of a call or completion of one rank refers to in the tables of the run.
struct rank_index {
  std::vector<std::uint32_t> message_of_call;       ///< of a sending or receiving part, or none
  std::vector<std::uint32_t> message_of_completion; ///< receives and sends, or none
  std::vector<std::uint32_t> group_of_comm;         ///< communicators of the file → groups
  std::vector<std::uint32_t> path_of_call;          ///< calls → paths
};

/// Time and volume of one collective call on one group.
struct collective_total {
  std::uint64_t calls = 0; ///< over all ranks
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// Messages over intercommunicators or with processes outside MPI_COMM_WORLD, which are not followed.
struct outside_messages {
  std::uint64_t sends = 0, bytes = 0, receives = 0; ///< bytes: of the sends
};

struct message_table {
  std::vector<group> groups; ///< [0] is the world
  std::vector<location> locations;
  std::vector<location> callers; ///< places in functions on the way to a call, which is none of MPI
  std::vector<call_path> paths;
  std::vector<double> path_seconds;
  std::vector<double> location_seconds;
  std::vector<std::uint64_t> location_calls;
  std::vector<message> messages;                ///< by (group, source, destination, tag), then in order
  std::vector<rank_index> of_recording;         ///< one for each of recording_set::recordings
  std::vector<std::uint32_t> recording_of_rank; ///< world rank → index in recording_set::recordings, or none
  std::map<std::pair<std::uint16_t, std::uint32_t>, collective_total>
      collectives;                                   ///< (blocking call id, group)
  std::map<std::uint16_t, std::uint64_t> unmodelled; ///< call id → number
  double unmodelled_seconds = 0;
  std::vector<std::uint32_t> location_of_begun; ///< per recording: of the call that never returned, or none
  std::uint64_t calls = 0;
  std::uint64_t counted_calls = 0; ///< of which only counts are known
  struct uncharted {
    std::uint64_t messages = 0, bytes = 0;
    double seconds = 0;
  };
  /// Messages without an example, by sender and receiver (none: not known): what was only counted.
  std::map<std::pair<std::uint32_t, std::uint32_t>, uncharted> without_example;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  outside_messages outside; ///< of the unmatched
  std::uint64_t cancelled = 0;
  double communication_seconds = 0;
  double other_seconds = 0; ///< in neither messages nor collectives
};

/// How many messages these stand for.
inline std::uint64_t count_of(const message_table& table, std::span<const std::uint32_t> messages) {
  std::uint64_t count = 0;
  for (const std::uint32_t id : messages)
    count += table.messages[id].times;
  return count;
}

/// Where a call is.
inline std::uint32_t location_of(const message_table& table, std::uint32_t recording, std::size_t call) {
  return table.paths[table.of_recording[recording].path_of_call[call]].location;
}

/// Places less than this apart may be lines of one function.
inline constexpr std::uint64_t nearby_bytes = 2048;
bool are_nearby(const location& x, const location& y);
/// Whether two paths are the same but for one place, which may be two lines of one function: of the program's, or of one
/// that calls a library to send.
bool are_lines_of_one_function(const message_table& table, std::uint32_t path, std::uint32_t other);

/// The class of a recorded call; `local` for numbers that the table does not know.
call_class class_of(const call& c);

/// A call of a collective, neighborhood collectives included.
bool is_collective(call_class kind);

struct run_survey;

/// Matches all messages. With a survey, `recorded` is what was kept of a run, and all sums are those of the survey. Cost
/// O(records · log records).
message_table match_messages(const recording_set& recorded, diagnostics& problems,
                             const progress_callback& progress, const run_survey* survey = nullptr);

} // namespace tacit::recordings
