// One neighborhood collective of one rank: its arguments, the bytes that it sends, and the bytes that must be
// in its buffers afterwards.
//
// Every byte of a sent element is a function of (exchange, sender, slot, element, iteration), so every rank
// knows what any other one sends. Everything around and between the blocks is filled with canaries. After the
// call the whole receive buffer is compared with what it should be, and the send buffer with what it was.
#pragma once

#include "surface/selftest/implementation.h"
#include "surface/selftest/samples.h"

namespace tacit::surface {

/// How an exchange is to look; equal on all ranks.
struct variant {
  call what = call::allgather;
  std::size_t pair = 0; ///< of datatypes; with w and `mixed`, of the first edge only
  int units = 1;        ///< how many times the pair's counts
  bool vary = false;    ///< with v and w: 0 … 2 * units, different for each block
  bool mixed = false;   ///< with w: another pair of datatypes for each edge
  bool bottom = false;  ///< with w: MPI_BOTTOM and addresses
  bool spread = false;  ///< with v and w: blocks in another order, with gaps, and displacements below zero
  std::uint64_t number = 0; ///< makes its bytes different from those of others
};

class exchange {
public:
  exchange(const variant& how, const topology& where, int rank, const sample_types& types, MPI_Comm comm);
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  const arguments& call_arguments() const { return arguments_; }
  std::string words() const;

  /// Writes what this iteration sends, and garbage where it receives.
  void fill(int iteration);
  /// Empty if both buffers are as they should be after this iteration, else what is wrong first.
  std::string check(int iteration) const;

private:
  struct block {
    std::ptrdiff_t start = 0; ///< of the data pointer within the memory
    int count = 0;
    const sample_type* type = nullptr;
    origin from; ///< receive side: whose block this is; send side: slot of one's own
  };
  struct side {
    std::vector<unsigned char> memory;
    std::vector<block> blocks;
  };
  struct piece { ///< of a block
    std::ptrdiff_t start;
    std::size_t size;
    std::uint64_t number;
  };

  std::size_t pair_of(int sender, int slot) const;
  int units_of(int sender, int slot) const;
  void lay_out(side& layout, side_arguments& given, bool sending, MPI_Comm comm);
  std::ptrdiff_t place_blocks(side& layout, std::vector<std::ptrdiff_t>& places, bool sending) const;
  template <typename Use>
  static void for_each_piece(const block& b, const Use& use);
  void write_blocks(std::vector<unsigned char>& memory, const side& layout, int iteration) const;
  std::string describe(std::ptrdiff_t where, int iteration) const;
  std::string whose(const unsigned char* bytes, const piece& element, int iteration) const;

  variant how_;
  const topology* where_;
  const sample_types* types_;
  int rank_;
  bool gathers_;
  arguments arguments_;
  side send_, recv_;
};

} // namespace tacit::surface
