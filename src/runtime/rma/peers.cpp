#include "runtime/rma/peers.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/tags.h"
#include "runtime/run/progress.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <utility>

namespace tacit::runtime {
namespace {

constexpr MPI_Aint line = 64; ///< all that is in a window, and so its size, is a multiple of it
static_assert(line % unit_of_allocated_windows == 0);
/// Larger messages go in pieces: a window need not be twice as large as all messages together.
constexpr std::uint64_t largest_piece = 256 * 1024;
constexpr std::uint32_t slots_of_pieces = 4;

constexpr std::uint64_t whole_lines(std::uint64_t n, std::uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// The rule of protocol.h without acknowledgements holds for windows, too, but it is used only where a slot
/// belongs to each of two messages: with several pieces a flag could then change twice between two looks at
/// it (traffic.h).
channel_shape rma_shape(std::uint64_t bytes, bool reciprocal) {
  channel_shape shape;
  shape.bytes = bytes;
  shape.piece_bytes = std::min(bytes, largest_piece);
  if (bytes > largest_piece) {
    shape.pieces = static_cast<std::uint32_t>((bytes + largest_piece - 1) / largest_piece);
    shape.slots = slots_of_pieces;
  }
  shape.stride = static_cast<std::uint32_t>(
      whole_lines(shape.piece_bytes + sizeof(std::uint64_t), static_cast<std::uint64_t>(line)));
  shape.reciprocal = reciprocal && shape.pieces == 1;
  shape.counted = !shape.reciprocal;
  return shape;
}

/// One acknowledgement per slot, all in one line or more of their own.
MPI_Aint acknowledgement_bytes(const channel_shape& shape) {
  return static_cast<MPI_Aint>(whole_lines(shape.slots * sizeof(std::uint64_t), line));
}

bool separate_wanted() {
  return given(setting::rma_model) == "separate";
}

} // namespace

rma_peers::rma_peers(const program& p, MPI_Comm comm)
    : comm_(comm), rank_(p.rank), tag_(highest_tag(comm)), windows_(rma_windows::of(comm)) {
  const message_survey found = survey_messages(p, comm);
  for (const auto& [peer, list] : found.out)
    for (const planned_message& m : list) {
      out_[{peer, m.tag}] = {rma_shape(m.bytes, found.in.contains(peer)), peer, 0, 0};
      with_[peer].to_destination.push_back({m.tag, static_cast<std::int64_t>(m.bytes), 0});
    }
  for (const auto& [peer, list] : found.in)
    for (const planned_message& m : list) {
      in_[{peer, m.tag}] = {rma_shape(m.bytes, found.out.contains(peer)), peer, 0, 0};
      with_[peer].from_source.emplace_back();
    }
  for (auto& [peer, each] : with_) {
    each.to_source.resize(each.from_source.size());
    each.from_destination.resize(each.to_destination.size());
  }
  requests_.reserve(2 * with_.size() + 1);
  size_ = line; // nobody has an empty part: Open MPI and MPICH have had errors there
  place_acknowledgements();
  room_ = windows_->make_room(); // last: the destructor gives it back
}

/// Local: the window is freed when all ranks have given it up (windows.h).
rma_peers::~rma_peers() {
  windows_->give_back(room_);
  if (window_)
    window_->in_use = false;
}

void rma_peers::end() {
  if (window_ && window_->handle != MPI_WIN_NULL)
    windows_->free(*window_);
  window_.reset();
}

void rma_peers::place_acknowledgements() {
  for (auto& [peer, each] : with_)
    for (announced& a : each.to_destination) {
      message_location& location = out_.at({peer, static_cast<int>(a.tag)});
      location.here = a.offset = size_;
      size_ += acknowledgement_bytes(location.shape);
    }
}

void rma_peers::place_slots() {
  for (auto& [peer, each] : with_)
    for (std::size_t i = 0; i < each.from_source.size(); ++i) {
      const announced& a = each.from_source[i];
      const auto found = in_.find({peer, static_cast<int>(a.tag)});
      if (found == in_.end())
        continue; // an error that check_sizes has found
      message_location& location = found->second;
      location.shape = rma_shape(static_cast<std::uint64_t>(a.bytes), !each.to_destination.empty());
      location.there = static_cast<MPI_Aint>(a.offset);
      location.here = size_;
      each.to_source[i] = {a.tag, a.bytes, size_};
      size_ += static_cast<MPI_Aint>(location.shape.slots) * location.shape.stride;
    }
}

/// Others wait for what this rank does after an error, so keeping it throws nothing.
void rma_peers::keep(int code, const char* text) {
  if (code_ != MPI_SUCCESS)
    return;
  code_ = code;
  try {
    error_ = text;
  } catch (const std::bad_alloc&) { // then there is only the code
  }
}

/// Keeps an error whose text `text` makes, as far as there is memory for it.
template <typename Text>
void rma_peers::note_fault(Text&& text) {
  try {
    keep(MPI_ERR_OTHER, std::string(text()).c_str());
  } catch (const std::bad_alloc&) {
    keep(MPI_ERR_NO_MEM, "");
  }
}

void rma_peers::note(int code, const char* call) {
  if (code == MPI_SUCCESS)
    return;
  try {
    check_mpi(code, call);
  } catch (const mpi_error& e) {
    keep(code, e.what());
  } catch (const std::bad_alloc&) {
    keep(code, call);
  }
}

void rma_peers::await(std::vector<MPI_Request>& requests) {
  for (int done = 0; !done;) {
    const int code =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    note(code, "connecting by one-sided communication");
    if (code != MPI_SUCCESS)
      done =
          std::all_of(requests.begin(), requests.end(), [](MPI_Request r) { return r == MPI_REQUEST_NULL; });
    if (done)
      return;
    progress_under_way();
    offer_core();
  }
}

/// One message to every peer that has something to hear, of a length that both ends know.
void rma_peers::talk(std::vector<announced> conversation::* said,
                     std::vector<announced> conversation::* heard) {
  requests_.clear();
  const auto bytes = [](const std::vector<announced>& list) {
    return static_cast<int>(list.size() * sizeof(announced));
  };
  for (auto& [peer, each] : with_)
    if (auto& list = each.*heard; !list.empty())
      note(MPI_Irecv(list.data(), bytes(list), MPI_BYTE, peer, tag_, comm_, &requests_.emplace_back()),
           "MPI_Irecv");
  for (auto& [peer, each] : with_)
    if (auto& list = each.*said; !list.empty())
      note(MPI_Isend(list.data(), bytes(list), MPI_BYTE, peer, tag_, comm_, &requests_.emplace_back()),
           "MPI_Isend");
  await(requests_);
}

/// A receive may be longer than its message, as in MPI.
void rma_peers::check_sizes(int from, const conversation& with) {
  std::size_t i = 0;
  for (const auto& [key, location] : in_) {
    if (key.first != from)
      continue;
    const announced& a = with.from_source[i++];
    if (a.tag != key.second || static_cast<std::uint64_t>(a.bytes) > location.shape.bytes)
      note_fault([&] {
        return fmt::format("rank {} sends to rank {} a message of {} B with tag {}, but {} B with tag {} are "
                           "expected: both sides must give the same counts",
                           from, rank_, a.bytes, a.tag, location.shape.bytes, key.second);
      });
  }
}

/// The bits that all ranks have; all of them wait for each other.
std::uint64_t rma_peers::agree_on(std::uint64_t bits) {
  std::uint64_t common = 0;
  requests_.clear();
  note(MPI_Iallreduce(&bits, &common, 1, MPI_UINT64_T, MPI_BAND, comm_, &requests_.emplace_back()),
       "MPI_Iallreduce");
  await(requests_);
  return common;
}

/// True if no rank has an error.
bool rma_peers::agreed() {
  const bool all = agree_on(code_ == MPI_SUCCESS ? 1 : 0) == 1;
  if (!all)
    keep(MPI_ERR_OTHER,
         "another rank cannot communicate one-sidedly; its message says why, and another driver helps");
  return all;
}

void rma_peers::make_window() {
  void* memory = nullptr;
  std::array<char, 100> call{};
  std::snprintf(call.data(), call.size(),
                "MPI_Win_allocate of %lld B for messages by one-sided communication",
                static_cast<long long>(size_));
  note(MPI_Win_allocate(size_, 1, MPI_INFO_NULL, windows_->communicator(comm_), &memory, &room_->handle),
       call.data());
  if (code_ == MPI_SUCCESS) {
    memory_ = static_cast<std::byte*>(memory);
    prepare_window(room_->handle);
  }
  if (agreed()) {
    windows_->add(room_);
    window_ = std::move(room_);
  } // else, where it exists it cannot be freed: that is collective
}

void rma_peers::prepare_window(MPI_Win window) {
  if (reinterpret_cast<std::uintptr_t>(memory_) % sizeof(std::uint64_t) != 0)
    keep(MPI_ERR_OTHER, "MPI_Win_allocate gave memory that is not aligned to 8 B");
  note(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  note(MPI_Win_lock_all(0, window), "MPI_Win_lock_all");
  std::memset(memory_, 0, static_cast<std::size_t>(size_));
  note(MPI_Win_sync(window), "MPI_Win_sync"); // into the public copy, before anybody hears of success
  int* model = nullptr;
  int found = 0;
  note(MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &found), "MPI_Win_get_attr");
  unified_ = found && *model == MPI_WIN_UNIFIED && !separate_wanted();
}

void rma_peers::create() {
  talk(&conversation::to_destination, &conversation::from_source);
  if (code_ == MPI_SUCCESS)
    for (const auto& [peer, each] : with_)
      check_sizes(peer, each);
  if (code_ == MPI_SUCCESS)
    place_slots();
  talk(&conversation::to_source, &conversation::from_destination);
  for (const auto& [peer, each] : with_)
    for (std::size_t i = 0; i < each.from_destination.size(); ++i)
      out_.at({peer, static_cast<int>(each.to_destination[i].tag)}).there =
          static_cast<MPI_Aint>(each.from_destination[i].offset);
  if (agreed()) {
    windows_->free(agree_on(windows_->given_up()));
    make_window();
  }
  if (code_ == MPI_ERR_NO_MEM && error_.empty())
    throw std::bad_alloc();
  if (code_ != MPI_SUCCESS)
    throw mpi_error(code_, error_);
}

std::string rma_peers::describe() const {
  return fmt::format("messages put into a window of {} B here, flags {}", size_,
                     unified_ ? "read in memory" : "fetched through MPI");
}

} // namespace tacit::runtime
