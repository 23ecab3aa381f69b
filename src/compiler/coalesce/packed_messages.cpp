#include "compiler/coalesce/packed_messages.h"

namespace tacit::compiler {
namespace {

/// Long enough that a rendezvous of its own costs little: one of 256 KiB takes some 50 us within a node.
constexpr std::size_t part_bytes = 256 * 1024;
constexpr std::size_t half_bytes = 2 * part_bytes;
constexpr std::size_t word = sizeof(std::uint64_t); ///< records are words
static_assert(largest_record < part_bytes && half_bytes % word == 0);

int words_of(std::size_t bytes) {
  return static_cast<int>(bytes / word);
}

std::size_t first_part(const char* packed, std::size_t bytes) {
  return bytes <= part_bytes ? bytes : whole_records(packed, bytes, part_bytes);
}

} // namespace

/// Parts that are on their way into one half of the room.
struct packed_messages::arrivals {
  static constexpr int most = 64;
  char* room = nullptr;
  int count = 0;
  MPI_Request requests[most];
  char* places[most];
};

/// The part that is posted next: of the process so many ranks below.
struct packed_messages::position {
  int distance = 1;
  std::uint32_t part = 0;
};

bool packed_messages::make_room(int processes) {
  processes_ = processes;
  out_ = array_of<growable<char>>(processes);
  in_ = static_cast<char*>(std::malloc(2 * half_bytes));
  budget memory = unlimited();
  return out_ && in_ && sends_.make_room(memory, most_parts());
}

void packed_messages::release() {
  budget memory = unlimited();
  for (int p = 0; out_ && p < processes_; ++p)
    out_[p].release(memory);
  sends_.release(memory);
  std::free(out_);
  std::free(in_);
}

/// Each part but the last one of a message is so long that no record fits behind it.
std::size_t packed_messages::most_parts() const {
  return static_cast<std::size_t>(processes_) + packed_ / (part_bytes - largest_record);
}

bool packed_messages::pack(int target, batch& b) {
  growable<char>& out = out_[target];
  const std::size_t before = out.size, all_before = packed_;
  if (!compiler::pack(out, b))
    return false;
  packed_ += out.size - before;
  budget memory = unlimited();
  if (sends_.make_room(memory, most_parts()))
    return true;
  out.size = before;
  packed_ = all_before;
  return false;
}

std::uint32_t packed_messages::parts(int target) const {
  std::uint32_t count = 0;
  const growable<char>& out = out_[target];
  for (std::size_t at = 0; at < out.size; ++count)
    at += first_part(out.data + at, out.size - at);
  return count;
}

void packed_messages::send(int target) {
  const growable<char>& out = out_[target];
  for (std::size_t at = 0; at < out.size;) {
    const std::size_t bytes = first_part(out.data + at, out.size - at);
    MPI_Request request = MPI_REQUEST_NULL;
    note(MPI_Isend(out.data + at, words_of(bytes), MPI_UINT64_T, target, 0, comm_, &request));
    sends_.push(request);
    at += bytes;
  }
}

/// As many as there is room for.
void packed_messages::post(arrivals& half, position& next, const notice* heard) {
  half.count = 0;
  for (std::size_t at = 0; next.distance < processes_ && half.count < arrivals::most;) {
    const int from = (rank_ + processes_ - next.distance) % processes_;
    if (next.part == heard[from].parts) {
      next = {next.distance + 1, 0};
      continue;
    }
    const std::size_t most = heard[from].parts == 1 ? heard[from].bytes : part_bytes;
    if (at + most > half_bytes)
      break;
    MPI_Request& request = half.requests[half.count];
    request = MPI_REQUEST_NULL;
    half.places[half.count++] = half.room + at;
    note(MPI_Irecv(half.room + at, words_of(most), MPI_UINT64_T, from, 0, comm_, &request));
    at += most;
    ++next.part;
  }
}

void packed_messages::take_in(arrivals& half) {
  for (int i = 0; i < half.count; ++i) {
    MPI_Status status;
    int words = 0;
    const int error = MPI_Wait(half.requests + i, &status);
    note(error);
    if (error == MPI_SUCCESS && MPI_Get_count(&status, MPI_UINT64_T, &words) == MPI_SUCCESS && words > 0)
      carry_out(half.places[i], static_cast<std::size_t>(words) * word, base_);
  }
}

int packed_messages::exchange(MPI_Comm comm, int rank, const notice* heard, char* base) {
  comm_ = comm;
  rank_ = rank;
  base_ = base;
  error_ = MPI_SUCCESS;
  arrivals halves[2];
  halves[0].room = in_;
  halves[1].room = in_ + half_bytes;
  position next;
  post(halves[0], next, heard);
  for (int i = 1; i < processes_; ++i)
    send((rank_ + i) % processes_);
  carry_out(out_[rank_].data, out_[rank_].size, base_);
  for (int now = 0; halves[now].count != 0; now = 1 - now) {
    post(halves[1 - now], next, heard);
    take_in(halves[now]);
  }
  note(MPI_Waitall(static_cast<int>(sends_.size), sends_.data, MPI_STATUSES_IGNORE));
  forget();
  return error_;
}

void packed_messages::forget() {
  for (int p = 0; p < processes_; ++p)
    out_[p].size = 0;
  sends_.size = packed_ = 0;
}

} // namespace tacit::compiler
