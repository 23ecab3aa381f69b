// Collective functions in which any rank may fail at any point: work is done in stages, what a rank throws is
// kept, and after each stage all ranks go on or all throw the same error. So none is left waiting for
// another.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::runtime {

class agreement {
public:
  /// `comm` must return errors.
  agreement(MPI_Comm comm, int rank, int size, const char* function)
      : comm_(comm), rank_(rank), size_(size), function_(function) {}

  /// Keeps an error of this rank, unless it has one.
  void fail(int code, const std::string& text) noexcept;
  /// Runs `body` if this rank has no error; keeps what it throws, as text with rank, stage and remedy.
  template <typename Body>
  bool here(const char* stage, Body&& body) {
    return code_ == 0 && always(stage, body);
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
  /// Collective. Throws the error of the lowest rank that has one, on all ranks. Allocates nothing unless
  /// there is one.
  void agree();

private:
  void keep(const char* stage) noexcept;

  MPI_Comm comm_;
  int rank_, size_;
  const char* function_; ///< of the C API
  int code_ = 0;
  std::array<char, 8192> text_{}; ///< an array: keeping "out of memory" must not need memory
};

/// Sends to a rank that calls receive_bytes, or tells it that there is nothing (`bytes` null: this rank has
/// an error). The receiver says first whether it has the memory, so neither waits for the other for ever.
void send_bytes(const std::vector<std::byte>* bytes, int to, MPI_Comm comm);
void receive_bytes(std::vector<std::byte>& into, int from, MPI_Comm comm);

} // namespace tacit::runtime
