// Reads recordings (format.h) into values. Any bytes can be read: what is malformed ends the recording of
// that rank at the last whole record before it and becomes a diagnostic; memory stays within a small multiple
// of the file size.
//
// Ids of the file become indices into the vectors below (`none` where the file names nothing valid), so that
// whoever uses these values need not check them again. Record counts, lengths and ranks inside calls are as
// recorded: peers may lie outside their communicator.
#pragma once

#include "recordings/record/format.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/base/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::recordings {

inline constexpr std::uint32_t none = 0xffffffff;

/// Called with "reading", "matching", … and the share of that part that is done (0 … 1).
using progress_callback = std::function<void(std::string_view part, double done)>;

struct module_info {
  std::string build_id; ///< hexadecimal
  std::string path;
};

struct site_info {
  std::uint32_t module = none;
  std::uint64_t offset = 0;
};

/// How the program came to a call.
struct path_info {
  std::vector<std::uint32_t> sites; ///< indices, innermost first, each valid; at least one
};

struct communicator_info {
  std::uint32_t id = 0; ///< as in the file: 1 is MPI_COMM_WORLD, 2 MPI_COMM_SELF
  std::uint64_t key = 0;
  std::uint32_t rank = 0;
  bool inter = false;
  std::uint16_t made_by = 0;          ///< call id
  std::vector<std::uint32_t> members; ///< world ranks, or not_in_world
};

struct layout_segment {
  std::int64_t displacement = 0;
  std::uint64_t length = 0;
};

struct layout_info {
  std::uint64_t size = 0;
  std::int64_t extent = 0;
  std::vector<layout_segment> segments; ///< empty with size > 0: positions unknown
};

struct allocation_info {
  memory_kind kind = memory_kind::heap;
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

/// A call_record; site, communicator, layout and allocation are indices or `none`.
struct call {
  std::uint64_t begin = 0; ///< ticks
  std::uint64_t end = 0;
  std::uint64_t count = 0;
  std::int64_t offset = 0;
  std::uint64_t hash = 0;
  std::uint32_t site = none;
  std::uint32_t comm = none;
  std::uint32_t layout = none;
  std::uint32_t allocation = none;
  std::int32_t peer = peer_none;
  std::int32_t tag = 0;
  std::uint32_t requests = 0;
  std::uint32_t path = none;       ///< `site` and where its function was called from, if that is known
  std::uint64_t first_request = 0; ///< in rank_recording::request_ids
  std::uint64_t first_completion =
      0;                           ///< completions inside this call: up to the next call's first_completion
  std::uint64_t first_forward = 0; ///< likewise
  std::uint16_t id = 0;            ///< calls table
  std::uint16_t flags = 0;
  std::uint16_t part = 0;
};

struct completion {
  std::uint64_t request = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
  std::uint64_t tick = 0;
  std::uint64_t call = 0; ///< index of the call it happened in
  std::int32_t source = peer_none;
  std::int32_t tag = 0;
  std::uint16_t flags = 0;
};

struct forward {
  std::uint64_t receive = 0; ///< index in rank_recording::completions, always valid and earlier
  std::uint64_t receive_offset = 0;
  std::uint64_t send_offset = 0;
  std::uint64_t length = 0;
  bool constant = false; ///< all bytes are equal: weak evidence
};

/// Calls or messages of one shape that were only counted (tally_record); site, path and comm are indices or `none`.
struct counted {
  tally_kind what = tally_kind::calls;
  std::uint16_t flags = 0;
  std::uint16_t call = 0; ///< calls table; 0: left out
  std::uint32_t site = none, path = none, comm = none;
  std::int32_t peer = peer_none;
  std::int32_t tag = 0;
  std::uint64_t times = 0, bytes = 0, ticks = 0;
};

/// The call that a rank was in when its recording ended.
struct begun_call {
  std::uint64_t begin = 0; ///< ticks
  std::uint32_t site = none;
  std::uint32_t comm = none;
  std::int32_t peer = peer_none;
  std::int32_t tag = 0;
  std::uint16_t id = 0; ///< calls table
};

struct rank_recording {
  rank_id rank = no_rank;
  std::uint32_t size = 0; ///< of MPI_COMM_WORLD
  bool hashing = false;
  bool finished = false; ///< MPI_Finalize was reached
  double seconds_per_tick = 0;
  std::int64_t start_unix_ns = 0; ///< wall clock at start_tick
  std::uint64_t start_tick = 0;
  std::uint64_t end_tick = 0; ///< at finish, or the last tick seen
  std::uint64_t cpu_ns = 0;
  std::uint64_t in_device = 0; ///< sends and receives of data in device memory
  std::uint64_t recorder_ticks = 0;
  std::uint64_t hash_ticks = 0;
  std::string program;
  std::string library;
  std::vector<module_info> modules;
  std::vector<site_info> sites;
  std::vector<path_info> paths;
  std::vector<communicator_info> communicators;
  std::vector<layout_info> layouts;
  std::vector<allocation_info> allocations;
  std::vector<counted> counts;                ///< what came when the recording was near its limit
  std::optional<std::uint64_t> counting_from; ///< tick after which calls are counted
  std::optional<begun_call> begun;            ///< only if it did not finish
  std::vector<call> calls;
  std::vector<std::uint64_t> request_ids;
  std::vector<completion> completions;
  std::vector<forward> forwards;

  std::span<const std::uint64_t> requests_of(const call& c) const {
    return std::span(request_ids).subspan(c.first_request, c.requests);
  }
  std::span<const completion> completions_of(std::size_t call_index) const {
    const std::uint64_t end =
        call_index + 1 < calls.size() ? calls[call_index + 1].first_completion : completions.size();
    return std::span(completions)
        .subspan(calls[call_index].first_completion, end - calls[call_index].first_completion);
  }
  std::span<const forward> forwards_of(std::size_t call_index) const {
    const std::uint64_t end =
        call_index + 1 < calls.size() ? calls[call_index + 1].first_forward : forwards.size();
    return std::span(forwards).subspan(calls[call_index].first_forward,
                                       end - calls[call_index].first_forward);
  }
};

/// The recordings of one run.
struct recording_set {
  std::uint32_t ranks = 0;                ///< size of MPI_COMM_WORLD; 0 if nothing was readable
  std::vector<rank_recording> recordings; ///< by rank, at most one for each
};

/// Sees calls and what completed in them as they are read, in place of having them kept.
class record_sink {
public:
  virtual ~record_sink() = default;
  /// `so_far` holds what the file has defined until here, and no calls.
  virtual void take(const rank_recording& so_far, const call& c, std::span<const std::uint64_t> requests) = 0;
  virtual void take(const rank_recording& so_far, const completion& done) = 0;
};

struct read_options {
  record_sink* sink = nullptr;
  /// Whether a call is kept, with what completed in it; asked for each, with its number in the file. Forwarding from what
  /// was left out is left out, too.
  std::function<bool(const rank_recording& so_far, std::uint64_t number, const call& c)> keep;
};

/// The recording of one rank from its bytes; nothing if it does not even start as one (a diagnostic says
/// why). `name` stands for the file in diagnostics.
std::optional<rank_recording> read_rank(std::span<const std::byte> bytes, const std::string& name,
                                        diagnostics& problems, const read_options& options = {});

/// How many records a file holds, without unfolding them. Cost O(folded records).
std::uint64_t count_records(std::span<const std::byte> bytes);

/// Joins recordings of single ranks into a run: two of one rank, or of another size than the rest, are left
/// out, and missing or aborted ranks reported (reasons 63 and 80).
recording_set join_ranks(std::vector<rank_recording> recordings, diagnostics& problems);

/// One file of a run: its name, and its bytes whenever they are asked for.
struct recording_file {
  std::string name;
  std::function<std::vector<std::byte>(std::string& trouble)> load;
};

/// The files in a folder, by rank; what the folder says of itself, or lacks, becomes a diagnostic.
std::vector<recording_file> list_recording(const std::string& folder, diagnostics& problems);

using rank_reading = std::function<std::optional<rank_recording>(
    std::size_t file, std::span<const std::byte> bytes, const std::string& name, diagnostics& problems)>;
/// Reads all files, one after the other.
recording_set read_files(std::span<const recording_file> files, diagnostics& problems,
                         const progress_callback& progress, const rank_reading& read);

/// All recordings in a folder. Missing ranks, aborted runs and unreadable files become diagnostics (reasons
/// 63, 80).
recording_set read_recording(const std::string& folder, diagnostics& problems,
                             const progress_callback& progress = {});

} // namespace tacit::recordings
