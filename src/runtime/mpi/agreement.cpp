#include "runtime/mpi/agreement.h"

#include "runtime/mpi/mpi_error.h"
#include "surface/capi/errors.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <tacit/tacit.h>

namespace tacit::runtime {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30; // counts are int
constexpr std::uint64_t nothing = ~std::uint64_t{0};

const char* remedy(int code) {
  switch (code) {
  case TACIT_ERR_MEMORY:
    return "give the rank more memory, or compile smaller graphs";
  case TACIT_ERR_MPI:
    return "see what MPI says; free communicators, requests and datatypes that are not needed";
  case TACIT_ERR_INTERNAL:
    return "please report this with the program";
  default:
    return "";
  }
}

} // namespace

void agreement::fail(int code, const std::string& text) noexcept {
  if (code_ != TACIT_SUCCESS)
    return;
  code_ = code;
  std::snprintf(text_.data(), text_.size(), "%s", text.c_str());
}

void agreement::keep(const char* stage) noexcept {
  int code = TACIT_ERR_MEMORY;
  try {
    std::string text;
    bool complete = false;
    code = surface::code_of_exception(text, &complete);
    fail(code, complete ? text
                        : fmt::format("rank {}: {}, {}: {}. Remedy: {}", rank_, function_, stage, text,
                                      remedy(code)));
  } catch (...) { // no memory to say so
    if (code_ == TACIT_SUCCESS)
      std::snprintf(text_.data(), text_.size(), "rank %d: %s, %s: out of memory. Remedy: %s", rank_,
                    function_, stage, remedy(TACIT_ERR_MEMORY));
    code_ = code_ == TACIT_SUCCESS ? code : code_;
  }
}

void agreement::agree() {
  int first = code_ == TACIT_SUCCESS ? size_ : rank_, lowest = size_;
  check_mpi(MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  if (lowest == size_)
    return;
  check_mpi(MPI_Bcast(&code_, 1, MPI_INT, lowest, comm_), "MPI_Bcast");
  check_mpi(MPI_Bcast(text_.data(), static_cast<int>(text_.size()), MPI_CHAR, lowest, comm_), "MPI_Bcast");
  throw surface::api_error(code_, text_.data());
}

void send_bytes(const std::vector<std::byte>* bytes, int to, MPI_Comm comm) {
  const std::uint64_t size = bytes ? bytes->size() : nothing;
  check_mpi(MPI_Send(&size, 1, MPI_UINT64_T, to, 0, comm), "MPI_Send");
  int ready = 0;
  check_mpi(MPI_Recv(&ready, 1, MPI_INT, to, 1, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  if (!bytes || !ready)
    return;
  for (std::size_t at = 0; at < bytes->size(); at += piece)
    check_mpi(MPI_Send(bytes->data() + at, static_cast<int>(std::min(piece, bytes->size() - at)), MPI_BYTE,
                       to, 2, comm),
              "MPI_Send");
}

void receive_bytes(std::vector<std::byte>& into, int from, MPI_Comm comm) {
  std::uint64_t size = 0;
  check_mpi(MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  int ready = 1;
  std::exception_ptr lacking;
  try {
    into.resize(size == nothing ? 0 : size);
  } catch (...) {
    lacking = std::current_exception();
    ready = 0;
  }
  check_mpi(MPI_Send(&ready, 1, MPI_INT, from, 1, comm), "MPI_Send");
  if (lacking)
    std::rethrow_exception(lacking);
  for (std::size_t at = 0; at < into.size(); at += piece)
    check_mpi(MPI_Recv(into.data() + at, static_cast<int>(std::min(piece, into.size() - at)), MPI_BYTE, from,
                       2, comm, MPI_STATUS_IGNORE),
              "MPI_Recv");
}

} // namespace tacit::runtime
