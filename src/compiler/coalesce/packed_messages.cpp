#include "compiler/coalesce/packed_messages.h"

#include "compiler/coalesce/once_more.h"

#include <algorithm>

namespace tacit::compiler {
namespace {

/// Long enough that a rendezvous of its own costs little: one of 256 KiB takes some 50 us within a node.
constexpr std::size_t segment_bytes = 256 * 1024;
constexpr std::size_t half_bytes = 2 * segment_bytes;
/// Of a first message: with MPI's own header it stays below 4 KiB, up to which Open MPI sends within a node without asking.
constexpr std::size_t first_bytes = 4000;
constexpr std::size_t word = sizeof(std::uint64_t); ///< headers and records are words
static_assert(largest_record < segment_bytes && half_bytes % word == 0 && first_bytes % word == 0);
static_assert(sizeof(message_header) % word == 0);

enum tag : int { first_tag, segment_tag };

int words_of(std::size_t bytes) {
  return static_cast<int>(bytes / word);
}

std::size_t first_segment(const char* packed, std::size_t bytes) {
  return bytes <= segment_bytes ? bytes : whole_records(packed, bytes, segment_bytes);
}

} // namespace

/// Segments that are on their way into one half of the room.
struct packed_messages::arrivals {
  static constexpr int most = 64;
  char* room = nullptr;
  int count = 0;
  MPI_Request requests[most];
  char* places[most];
};

/// The segment that is posted next: of the process so many ranks below.
struct packed_messages::position {
  int distance = 1;
  std::uint32_t segment = 0;
};

bool packed_messages::make_room(int processes) {
  processes_ = processes;
  out_ = array_of<growable<char>>(processes);
  firsts_ = static_cast<char*>(std::malloc(static_cast<std::size_t>(processes) * first_bytes));
  first_requests_ = array_of<MPI_Request>(processes);
  in_ = static_cast<char*>(std::malloc(2 * half_bytes));
  budget memory = unlimited();
  bool all = out_ && firsts_ && first_requests_ && in_ && sends_.make_room(memory, most_requests());
  for (int p = 0; all && p < processes; ++p) {
    all = out_[p].make_room(memory, first_bytes);
    out_[p].size = sizeof(message_header);
  }
  return all;
}

void packed_messages::release() {
  budget memory = unlimited();
  for (int p = 0; out_ && p < processes_; ++p)
    out_[p].release(memory);
  sends_.release(memory);
  std::free(out_);
  std::free(firsts_);
  std::free(first_requests_);
  std::free(in_);
}

/// A first message for each process, and segments, of which each but the last one of a process is so long that no record fits behind it.
std::size_t packed_messages::most_requests() const {
  return 2 * static_cast<std::size_t>(processes_) + packed_ / (segment_bytes - largest_record);
}

bool packed_messages::pack(int target, batch& b) {
  growable<char>& out = out_[target];
  const std::size_t before = out.size, all_before = packed_;
  if (!compiler::pack(out, b))
    return false;
  packed_ += out.size - before;
  budget memory = unlimited();
  if (sends_.make_room(memory, most_requests()))
    return true;
  out.size = before;
  packed_ = all_before;
  return false;
}

std::uint32_t packed_messages::segments(int target) const {
  std::uint32_t count = 0;
  const growable<char>& out = out_[target];
  if (out.size > first_bytes)
    for (std::size_t at = sizeof(message_header); at < out.size; ++count)
      at += first_segment(out.data + at, out.size - at);
  return count;
}

void packed_messages::send_first(int target, under_way busy) {
  const growable<char>& out = out_[target];
  const message_header header{out.size - sizeof header, segments(target), busy};
  std::memcpy(out.data, &header, sizeof header);
  const std::size_t bytes = header.segments == 0 ? out.size : sizeof header;
  note(begun_once_more(sends_.add(), [&](MPI_Request* request) {
    return MPI_Isend(out.data, words_of(bytes), MPI_UINT64_T, target, first_tag, comm_, request);
  }));
}

void packed_messages::send_segments(int target) {
  const growable<char>& out = out_[target];
  if (out.size <= first_bytes)
    return;
  for (std::size_t at = sizeof(message_header); at < out.size;) {
    const std::size_t bytes = first_segment(out.data + at, out.size - at);
    note(begun_once_more(sends_.add(), [&](MPI_Request* request) {
      return MPI_Isend(out.data + at, words_of(bytes), MPI_UINT64_T, target, segment_tag, comm_, request);
    }));
    at += bytes;
  }
}

char* packed_messages::first_of_process(int from) const {
  return firsts_ + static_cast<std::size_t>(from) * first_bytes;
}

message_header packed_messages::header_of(int from) const {
  message_header header;
  std::memcpy(&header, first_of_process(from), sizeof header);
  return header;
}

/// What does not come says that nothing follows, and that anything may be under way.
under_way packed_messages::begin(MPI_Comm comm, int rank, under_way busy) {
  comm_ = comm;
  rank_ = rank;
  error_ = MPI_SUCCESS;
  constexpr message_header none{0, 0, under_way::anything};
  first_requests_[rank] = MPI_REQUEST_NULL;
  for (int distance = 1; distance < processes_; ++distance) {
    const int from = below(distance);
    std::memcpy(first_of_process(from), &none, sizeof none);
    note(begun_once_more(first_requests_[from], [&](MPI_Request* request) {
      return MPI_Irecv(first_of_process(from), words_of(first_bytes), MPI_UINT64_T, from, first_tag, comm_,
                       request);
    }));
  }
  for (int distance = 1; distance < processes_; ++distance)
    send_first((rank_ + distance) % processes_, busy);
  for (int distance = 1; distance < processes_; ++distance)
    send_segments((rank_ + distance) % processes_);
  note(MPI_Waitall(processes_, first_requests_, MPI_STATUSES_IGNORE));
  for (int distance = 1; distance < processes_; ++distance)
    busy = std::min(busy, header_of(below(distance)).busy);
  return busy;
}

void packed_messages::carry_out_short(int from, char* base) {
  const message_header header = header_of(from);
  if (header.segments == 0)
    carry_out(first_of_process(from) + sizeof header, header.bytes, base);
}

/// As many as there is room for.
void packed_messages::post(arrivals& half, position& next) {
  half.count = 0;
  for (std::size_t at = 0; next.distance < processes_ && half.count < arrivals::most;) {
    const int from = below(next.distance);
    const message_header header = header_of(from);
    if (next.segment == header.segments) {
      next = {next.distance + 1, 0};
      continue;
    }
    const std::size_t most = header.segments == 1 ? header.bytes : segment_bytes;
    if (at + most > half_bytes)
      break;
    half.places[half.count] = half.room + at;
    note(begun_once_more(half.requests[half.count++], [&](MPI_Request* request) {
      return MPI_Irecv(half.room + at, words_of(most), MPI_UINT64_T, from, segment_tag, comm_, request);
    }));
    at += most;
    ++next.segment;
  }
}

void packed_messages::take_in(arrivals& half, char* base) {
  for (int i = 0; i < half.count; ++i) {
    MPI_Status status;
    int words = 0;
    const int error = MPI_Wait(half.requests + i, &status);
    note(error);
    if (error == MPI_SUCCESS && MPI_Get_count(&status, MPI_UINT64_T, &words) == MPI_SUCCESS && words > 0)
      carry_out(half.places[i], static_cast<std::size_t>(words) * word, base);
  }
}

int packed_messages::complete(char* base) {
  arrivals halves[2];
  halves[0].room = in_;
  halves[1].room = in_ + half_bytes;
  position next;
  post(halves[0], next);
  const growable<char>& own = out_[rank_];
  carry_out(own.data + sizeof(message_header), own.size - sizeof(message_header), base);
  for (int distance = 1; distance < processes_; ++distance)
    carry_out_short(below(distance), base);
  for (int now = 0; halves[now].count != 0; now = 1 - now) {
    post(halves[1 - now], next);
    take_in(halves[now], base);
  }
  note(MPI_Waitall(static_cast<int>(sends_.size), sends_.data, MPI_STATUSES_IGNORE));
  for (int p = 0; p < processes_; ++p)
    out_[p].size = sizeof(message_header);
  sends_.size = packed_ = 0;
  return error_;
}

} // namespace tacit::compiler
