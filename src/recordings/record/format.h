// The recording of one rank: a file that grows by whole records and can be read however the run ended.
//
// A recording folder holds one file per rank, `rank-00000.rec` …, written by the interposer and read by this
// room (and by nothing else). A file is a sequence of records; each starts with a record_header and is a
// multiple of 8 bytes. All integers are little endian. The reader stops at the first incomplete record
// (`bytes` 0, not a multiple of 8, or past the end); a file without a `finish` record is an aborted run and
// is analysed as far as it goes. Records refer only to ids defined earlier in the same file; unknown kinds
// are skipped. Folded records (fold.h) stand for those that they hold.
//
// While a rank runs, its newest records are in `rank-00000.tail`, memory shared with the kernel, so that they
// survive kill -9: a tail_header, then two halves, one of which holds records. The recording is the first
// bytes of the .rec file followed by the records of that half. A rank that finishes removes its tail.
// `load_recording` (writer.h) joins the two.
//
// Addresses are relative to the allocation (malloc block, static data of a module, stack, other mapping) they
// lie in, so that they mean the same in every run and in every version of a reused buffer.
#pragma once

#include <cstdint>

namespace tacit::recordings {

/// Empty file in the folder of the recordings: a rank could not write any more (disk full, no permission).
inline constexpr const char* stop_mark = "recording-stopped";

inline constexpr char magic[8] = {'T', 'A', 'C', 'I', 'T', 'R', 'E', 'C'};
inline constexpr std::uint32_t format_version = 2;

enum class record_kind : std::uint16_t {
  start = 1,    ///< run_start, then program name and MPI library version (strings)
  module,       ///< module_record, then build-id bytes and path
  site,         ///< site_record: a call site
  communicator, ///< communicator_record, then members
  layout,       ///< layout_record, then segments: a datatype
  allocation,   ///< allocation_record: a block of memory that buffers lie in
  call,         ///< call_record, then `requests` request ids (std::uint64_t)
  completion,   ///< completion_record: one request (or blocking receive) completed, inside the call before it
  forward,      ///< forward_record: a send reads bytes received earlier, seen unchanged
  finish,       ///< finish_record: MPI_Finalize was reached
  begun,        ///< begun_record: a call that has not returned; only ever the last record of a tail
  path,         ///< path_record, then sites: how the program came to a call
  folded,       ///< folded_record: others, as what is new in them (fold.h)
  tally, ///< tally_record: calls or messages that are only counted, because the recording is near its limit
};

struct tail_header {
  char magic[8];
  std::uint64_t
      position; ///< length of the .rec file that the records continue; its lowest bit is the half in use
  std::uint64_t half_bytes; ///< half h starts at sizeof(tail_header) + h * half_bytes
};

struct record_header {
  std::uint16_t kind = 0;  ///< record_kind
  std::uint16_t flags = 0; ///< per kind
  std::uint32_t bytes = 0; ///< whole record with header and padding, a multiple of 8
};

struct run_start {
  record_header header;
  char magic[8];
  std::uint32_t version;
  std::uint32_t rank;
  std::uint32_t size;
  std::uint32_t hashing;      ///< 1: content hashes are recorded
  double seconds_per_tick;    ///< of all time stamps (calibrated time-stamp counter)
  std::int64_t start_unix_ns; ///< wall clock at tick `start_tick`
  std::uint64_t start_tick;
  std::uint32_t program_bytes; ///< lengths of the strings that follow
  std::uint32_t library_bytes;
};

struct module_record {
  record_header header;
  std::uint32_t id;
  std::uint32_t build_id_bytes;
  std::uint32_t path_bytes;
  std::uint32_t reserved;
  // build-id bytes, path bytes
};

struct site_record {
  record_header header;
  std::uint32_t id; ///< 0 is "unknown"
  std::uint32_t module;
  std::uint64_t offset; ///< return address minus module base
};

/// Stands for its innermost site wherever a record names one: ids of paths and of sites are of one kind.
struct path_record {
  record_header header;
  std::uint32_t id;
  std::uint32_t frames; ///< at least 2
  // std::uint32_t sites[frames]: of the call, then of the calls of the functions around it, outwards; functions that
  // call themselves count once; padded to 8 bytes
};

inline constexpr std::uint32_t not_in_world = 0xffffffff;

struct communicator_record {
  record_header header;
  std::uint32_t id;     ///< local id; 0 is MPI_COMM_NULL, 1 MPI_COMM_WORLD, 2 MPI_COMM_SELF
  std::uint32_t parent; ///< local id it was made from, or 0
  std::uint64_t key;  ///< the same number on every member: names the communicator across ranks (0: not known)
  std::uint32_t rank; ///< this process in it
  std::uint32_t size;
  std::uint16_t call;  ///< call id (calls table) that made it
  std::uint16_t inter; ///< 1: intercommunicator (members are the local group; remote group not recorded)
  std::uint32_t reserved;
  // std::uint32_t members[size]: world ranks in communicator order (not_in_world: none); padded to 8 bytes
};

struct layout_record {
  record_header header;
  std::uint32_t id; ///< 0: unknown; else a datatype as it was when first used
  std::uint32_t
      segments; ///< number of segments that follow; 0 with size > 0: too many to list, positions unknown
  std::uint64_t size;  ///< bytes of data in one element
  std::int64_t extent; ///< distance between elements
  // { std::int64_t displacement; std::uint64_t length; } [segments], in packing order, coalesced
};

enum class memory_kind : std::uint32_t { heap = 1, module_data, stack, mapping };

struct allocation_record {
  record_header header;
  std::uint32_t id; ///< a new id each time memory is allocated anew
  memory_kind kind;
  std::uint64_t base; ///< address in this run, only to relate blocks
  std::uint64_t bytes;
  std::uint32_t module; ///< for module_data
  std::uint32_t reserved;
};

/// A call that began and has not returned. It stands behind the newest record of a tail and gives way to the next
/// one, so it costs no room; with several threads in MPI it is the call that began last.
struct begun_record {
  record_header header;
  std::uint16_t call; ///< id in the calls table
  std::uint16_t reserved;
  std::uint32_t site;  ///< or path
  std::uint64_t begin; ///< ticks
  std::uint32_t comm;
  std::int32_t peer; ///< as in call_record
  std::int32_t tag;
  std::uint32_t reserved2;
};

// Flags of call_record.header.flags
inline constexpr std::uint16_t call_failed = 1;         ///< returned an error code
inline constexpr std::uint16_t call_status_ignored = 2; ///< no status was asked for
inline constexpr std::uint16_t call_bottom = 4;         ///< buffer was MPI_BOTTOM (address 0)
inline constexpr std::uint16_t call_hash_valid = 8;     ///< `hash` is the hash of the packed bytes
inline constexpr std::uint16_t call_unknown = 16;       ///< outside the model: its effect on data is ⊤
inline constexpr std::uint16_t call_in_place = 32;
inline constexpr std::uint16_t call_flag_true = 64;  ///< Test*, Iprobe: flag was true
inline constexpr std::uint16_t call_in_device = 128; ///< not hashed: the data are in device memory

// Values of call_record.peer and completion_record.source that are no rank, whatever numbers the MPI library
// uses.
inline constexpr std::int32_t peer_any = -1;  ///< MPI_ANY_SOURCE
inline constexpr std::int32_t peer_null = -2; ///< MPI_PROC_NULL
inline constexpr std::int32_t peer_none = -3; ///< not applicable
inline constexpr std::int32_t peer_root = -4; ///< MPI_ROOT (intercommunicators)
inline constexpr std::int32_t any_tag = -1;

/// One MPI call, written when it returns (MPI_Abort: when it begins). Several records of one call have the
/// same `begin`:
/// - Calls with two data parts (Sendrecv, most collectives) are two records: what this rank sends, then what
///   it receives (`part` 1). A part that is not significant at this rank (receive part of a Gather away from
///   the root) is left out.
/// - Start and Startall are one record per request started, with the data, peer and tag of the persistent
///   request, `part` 1 if it receives, and two request ids: the new one and the one its *_init call had.
///   Each has its own hash.
/// - Mrecv and Imrecv carry communicator, source and tag of the probe that found the message, with
/// any_source/any_tag kept.
/// - Completion calls list the requests they were given (0: null or inactive); completion records say which
/// completed.
/// - Polls that found nothing (Test*, Iprobe, Improbe without call_flag_true) with the same site and
///   arguments are one record, from the first to the last, with their number in `count`, as long as only such
///   polls (up to four different ones in turn) follow each other.
/// - v- and w-collectives: `count` is the sum of the counts, `layout` that of the (first) datatype.
struct call_record {
  record_header header;
  std::uint16_t call;  ///< id in the calls table (src/vocabulary/calls/mpi_calls.h)
  std::uint16_t part;  ///< 1: this record describes the receiving half
  std::uint32_t site;  ///< or path
  std::uint64_t begin; ///< ticks
  std::uint64_t end;
  std::uint32_t comm; ///< local communicator id
  std::int32_t peer;  ///< rank in comm; see peer_… below; root for rooted collectives
  std::int32_t tag;   ///< any_tag, or 0 where there is none
  std::uint32_t layout;
  std::uint64_t count;
  std::uint32_t allocation; ///< that the first byte of data lies in; 0 unknown
  std::uint32_t requests;   ///< number of request ids that follow (posting calls: 1, completions: those
                            ///< completed or waited for)
  std::int64_t offset;      ///< buffer address minus allocation base (allocation 0: the address itself)
  std::uint64_t hash;       ///< sends: hash of the packed bytes when the send was posted or started
  // std::uint64_t request_ids[requests]: unique over the run; a persistent request gets a new one at each
  // start
};

// Flags of completion_record.header.flags
inline constexpr std::uint16_t completion_cancelled = 1;
inline constexpr std::uint16_t completion_hash_valid = 2;
inline constexpr std::uint16_t completion_any_source =
    4; ///< posted with MPI_ANY_SOURCE; source is the resolved one
inline constexpr std::uint16_t completion_any_tag = 8;
inline constexpr std::uint16_t completion_failed = 16;    ///< with an error; its data is undefined
inline constexpr std::uint16_t completion_in_device = 32; ///< as call_in_device

/// A request completed (also a blocking receive, with request = 0 meaning "the call before"). Requests that
/// are freed while active (MPI_Request_free) never complete here.
struct completion_record {
  record_header header;
  std::uint64_t request;
  std::int32_t source; ///< resolved rank in the communicator; peer_none for sends and collectives
  std::int32_t tag;
  std::uint64_t bytes; ///< received (packed) bytes
  std::uint64_t hash;  ///< of the packed received bytes; only its lower 32 bits survive folding
  std::uint64_t tick;
};

// Flags of forward_record.header.flags
inline constexpr std::uint16_t forward_constant = 1; ///< all bytes are equal (cleared memory?): weak evidence

/// Observed forwarding: packed bytes [send_offset, +length) of the send `call` just before this record are
/// packed bytes [receive_offset, +length) of an earlier receive, at the same addresses and with unchanged
/// content since.
/// Forward records follow the record of the send they belong to directly.
struct forward_record {
  record_header header;
  std::uint64_t receive; ///< ordinal of the completion_record in this file (0 = first)
  std::uint64_t receive_offset;
  std::uint64_t send_offset;
  std::uint64_t length;
};

/// What a tally_record counts.
enum class tally_kind : std::uint16_t {
  calls = 1,   ///< calls; their time is whole, what they did for the others below included
  sends,       ///< messages sent
  receives,    ///< messages received, when they were complete
  collectives, ///< collective calls, and the bytes that this rank contributed
  cancelled,   ///< receives
  failed,      ///< receives that completed with an error
};

// Flags of tally_record.header.flags
inline constexpr std::uint16_t tally_wildcard = 1; ///< received with any source or any tag
inline constexpr std::uint16_t tally_posted_before =
    2;                                          ///< the call that posted the receives has a call record
inline constexpr std::uint16_t tally_mixed = 4; ///< of several lengths and tags

/// From some moment on a recording that is near its limit counts. Rows of equal shape may come several times; they
/// add up. Where even shapes are too many, fields are left out: first tag and length, then all but `call`, then that.
struct tally_record {
  record_header header;
  std::uint16_t call; ///< id in the calls table, of messages that of the call that began them; 0: left out
  tally_kind what;
  std::uint32_t site; ///< or path; of the call that posted
  std::uint32_t comm;
  std::int32_t peer; ///< as in call_record and completion_record
  std::int32_t tag;
  std::uint32_t reserved;
  std::uint64_t times;
  std::uint64_t bytes; ///< of all of them
  std::uint64_t ticks; ///< spent on them
  std::uint64_t end;   ///< tick of the last one
};

/// Whole records in the place of which it stands, never one of its own kind.
struct folded_record {
  record_header header;
  std::uint32_t records;   ///< how many
  std::uint32_t raw_bytes; ///< of them together
  // Lengths of the parts that follow, one after the other; the whole is padded to 8 bytes.
  std::uint32_t
      ops_bytes; ///< numbers: records as expected, then the shape of the next one plus 1, or 0 for a new one
  std::uint32_t numbers_bytes; ///< times and counts
  std::uint32_t hashes_bytes;
  std::uint32_t texts_bytes; ///< new shapes
  std::uint32_t flags_bytes; ///< a bit for each hash: it is that of the last record of this shape
  std::uint32_t forget;      ///< 1: all shapes so far are forgotten
};

struct finish_record {
  record_header header;
  std::uint64_t tick;
  std::uint64_t records;
  std::uint64_t cpu_ns;         ///< CPU time of the process at Finalize
  std::uint64_t recorder_ticks; ///< time spent in the recorder itself
  std::uint64_t hash_ticks;     ///< of which for content hashes
};

} // namespace tacit::recordings
