// Collective functions in which any rank may fail at any point: work is done in stages, what a rank throws is
// kept, and after each stage all ranks go on or all throw the same error. So none is left waiting for
// another.
//
// A rank that is out of memory must still be able to say so. So an agreement has all the memory that it needs
// from the start: from the moment in which a rank fails to the end of `agree` nothing is allocated here (what
// MPI does inside is its own affair), and the error that is thrown carries its text in itself. Whatever else
// the process has under way goes on while it waits for the other ranks.
//
// Cost: one reduction per agreement; if a rank has failed, a broadcast of 8 KiB.
#pragma once

#include "runtime/mpi/errors.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tacit::runtime {

class agreement {
public:
  /// Words that ranks may compare in one agreement.
  static constexpr std::size_t most_words = 67;

  /// `comm` must return errors (a private_communicator does), and nobody else may use it for collective calls before the agreement ends.
  /// `function` is what the user has called.
  agreement(MPI_Comm comm, int rank, int size, const char* function)
      : comm_(comm), rank_(rank), size_(size), function_(function) {}

  /// About something that all ranks can do without: who fails in it has no error here. Begun and ended while nothing is to be agreed here.
  agreement about_a_part() const { return {comm_, rank_, size_, function_}; }

  /// Keeps an error of this rank, unless it has one.
  void fail(const call_error& e) noexcept;
  bool failed() const { return error_.has_value(); }
  /// Runs `body` if this rank has no error; keeps what it throws, with rank, stage and remedy in its text.
  /// True if it threw nothing.
  template <typename Body>
  bool here(const char* stage, Body&& body) {
    return !failed() && always(stage, body);
  }
  /// Runs `body` in any case: the parts that other ranks wait for.
  template <typename Body>
  bool always(const char* stage, Body&& body) {
    try {
      body();
      return true;
    } catch (...) {
      keep(stage);
      return false;
    }
  }
  // The same for functions that have one stage only, or whose errors say it.
  template <typename Body>
  bool here(Body&& body) {
    return here(nullptr, body);
  }
  template <typename Body>
  bool always(Body&& body) {
    return always(nullptr, body);
  }

  /// Collective. Throws the error of the lowest rank that has one, on all ranks; else each of `words`, as
  /// many on all ranks, becomes its minimum over all ranks.
  void agree(std::span<std::uint64_t> words = {});

private:
  void keep(const char* stage) noexcept;
  /// The lowest rank with an error; as many as there are ranks if none has one.
  int compare(std::span<std::uint64_t> words);
  [[noreturn]] void throw_error_of(int rank);

  MPI_Comm comm_;
  int rank_, size_;
  const char* function_;
  std::optional<call_error> error_;
};

/// Sends to a rank that calls receive_bytes, or tells it that there is nothing (`bytes` null: this rank has
/// an error). Of what does not fit into the first 16 KiB the receiver says first whether it has the memory, so neither waits for the
/// other for ever. Blocking; what is under way goes on meanwhile.
void send_bytes(const std::vector<std::byte>* bytes, int to, MPI_Comm comm);
void receive_bytes(std::vector<std::byte>& into, int from, MPI_Comm comm);

} // namespace tacit::runtime
