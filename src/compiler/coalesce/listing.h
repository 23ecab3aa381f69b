// Operations in the order of the program, with their bytes packed one behind the other: what cannot be combined, and all puts and
// gets. Before they are sent they are put in order of their places, and in layers: operations of one layer touch no common byte, so
// that one MPI call may do them all (MPI forbids datatypes with overlapping entries at the target), and of two operations that do
// the later one is in a later layer, so that MPI's order of calls keeps the order of the program.
#pragma once

#include "compiler/coalesce/memory.h"

#include <mpi.h>

namespace tacit::compiler {

struct listed {
  MPI_Aint offset; ///< in the target's window memory, bytes
  std::uint32_t bytes;
  std::uint32_t layer;
  std::size_t packed;  ///< where its bytes are
  std::uint64_t order; ///< of the program
  char* result;        ///< get, get_accumulate: where the target's bytes go
};

class listing {
public:
  /// False if there is no memory. `data` null: nothing to pack. Neighbors may become one entry.
  bool append(budget& memory, MPI_Aint offset, std::uint32_t bytes, const char* data, char* result);
  /// Puts entries in order of layer, then place. `last_wins`: an entry that a later one covers exactly is dropped.
  /// Gives the number of layers. `stay`: the packed bytes are in the same order as the entries afterwards.
  std::uint32_t arrange(bool last_wins, bool& stay);

  std::size_t size() const { return entries_.size; }
  const listed* begin() const { return entries_.data; }
  const listed* end() const { return entries_.data + entries_.size; }
  const char* data() const { return data_.data; }
  std::size_t data_bytes() const { return data_.size; }
  /// As with line_table.
  void give_reserve(std::size_t bytes) { reserved_ -= bytes; }
  char* detach_data(std::size_t& bytes) { return data_.detach(bytes); }
  void clear() { entries_.size = data_.size = 0; }
  void release(budget& memory);

private:
  std::uint32_t layer_cluster(std::size_t from, std::size_t to, bool last_wins);

  growable<listed> entries_;
  growable<char> data_;
  std::size_t reserved_ = 0;
};

} // namespace tacit::compiler
