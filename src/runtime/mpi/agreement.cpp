#include "runtime/mpi/agreement.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/core.h>

namespace tacit::runtime {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30; // counts are int
constexpr std::uint64_t nothing = ~std::uint64_t{0};

/// An error on its way to the other ranks.
struct error_message {
  call_error::kind why{};
  std::array<char, call_error::most_text> text{};
};

} // namespace

void agreement::fail(const call_error& e) noexcept {
  if (!failed())
    error_ = e;
}

void agreement::keep(const char* stage) noexcept {
  if (failed())
    return;
  const call_error e = current_error();
  if (e.complete) {
    error_ = e;
    return;
  }
  const char* const remedy = remedy_for(e.why);
  std::array<char, call_error::most_text> text{};
  fmt::format_to_n(text.data(), text.size() - 1, "rank {}: {}{}{}: {}{}{}", rank_, function_,
                   stage ? ", " : "", stage ? stage : "", e.what(), *remedy ? ". Remedy: " : "",
                   remedy); // needs no memory
  error_.emplace(e.why, text.data(), true);
}

int agreement::compare(std::span<std::uint64_t> words) {
  assert(words.size() <= most_words);
  std::array<std::uint64_t, 1 + most_words> mine{}, least{};
  mine[0] = static_cast<std::uint64_t>(failed() ? rank_ : size_);
  std::copy(words.begin(), words.end(), mine.begin() + 1);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allreduce(mine.data(), least.data(), static_cast<int>(1 + words.size()), MPI_UINT64_T,
                            MPI_MIN, comm_, &request),
            "MPI_Iallreduce");
  await(request, "MPI_Iallreduce");
  std::copy_n(least.begin() + 1, words.size(), words.begin());
  return static_cast<int>(least[0]);
}

void agreement::throw_error_of(int rank) {
  error_message said;
  if (rank_ == rank) {
    said.why = error_->why;
    std::snprintf(said.text.data(), said.text.size(), "%s", error_->what());
  }
  broadcast(&said, sizeof said, MPI_BYTE, rank, comm_);
  throw call_error(said.why, said.text.data(), true);
}

void agreement::agree(std::span<std::uint64_t> words) {
  if (const int lowest = compare(words); lowest != size_)
    throw_error_of(lowest);
}

namespace {

/// As MPI_Send and MPI_Recv, while what is under way goes on.
void send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, count, type, to, tag, comm, &request), "MPI_Isend");
  await(request, "MPI_Isend");
}

void receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, count, type, from, tag, comm, &request), "MPI_Irecv");
  await(request, "MPI_Irecv");
}

} // namespace

namespace {

/// The length, and as much as has room beside it without memory of its own.
struct first_message {
  std::uint64_t size = 0;
  std::array<std::byte, (std::size_t{16} << 10) - sizeof(std::uint64_t)> data;
};

constexpr std::size_t head = offsetof(first_message, data);

} // namespace

void send_bytes(const std::vector<std::byte>* bytes, int to, MPI_Comm comm) {
  first_message first; // NOLINT(cppcoreguidelines-pro-type-member-init): only what is sent is written
  first.size = bytes ? bytes->size() : nothing;
  const std::size_t at_once = bytes ? std::min(bytes->size(), first.data.size()) : 0;
  if (at_once > 0)
    std::memcpy(first.data.data(), bytes->data(), at_once);
  send(&first, static_cast<int>(head + at_once), MPI_BYTE, to, 0, comm);
  if (!bytes || bytes->size() == at_once)
    return;
  int ready = 0;
  receive(&ready, 1, MPI_INT, to, 1, comm);
  if (!ready)
    return;
  for (std::size_t at = at_once; at < bytes->size(); at += piece)
    send(bytes->data() + at, static_cast<int>(std::min(piece, bytes->size() - at)), MPI_BYTE, to, 2, comm);
}

void receive_bytes(std::vector<std::byte>& into, int from, MPI_Comm comm) {
  first_message first;
  receive(&first, sizeof first, MPI_BYTE, from, 0, comm);
  const std::size_t size = first.size == nothing ? 0 : first.size;
  const std::size_t at_once = std::min(size, first.data.size());
  int ready = 1;
  std::exception_ptr lacking;
  try {
    into.resize(size);
    std::copy_n(first.data.begin(), at_once, into.begin());
  } catch (...) {
    lacking = std::current_exception();
    ready = 0;
  }
  if (size > at_once)
    send(&ready, 1, MPI_INT, from, 1, comm);
  if (lacking)
    std::rethrow_exception(lacking);
  for (std::size_t at = at_once; at < into.size(); at += piece)
    receive(into.data() + at, static_cast<int>(std::min(piece, into.size() - at)), MPI_BYTE, from, 2, comm);
}

} // namespace tacit::runtime
