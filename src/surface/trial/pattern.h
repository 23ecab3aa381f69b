// The neighborhood that is tried: a communicator of tacit's, one of MPI's with the same edges, and what each
// block has to contain.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

namespace tacit::surface {

/// One block per edge, in slot order. Sizes are in units: a size on the command line says how many bytes one
/// unit has.
struct half_edge {
  int peer = 0;
  std::int64_t units = 1;
  std::uint32_t channel = 0; ///< which of the edges between these two ranks, in this direction
};

struct pattern {
  int rank = 0, size = 1;
  std::vector<half_edge> sources, destinations;
  MPI_Comm tacit = MPI_COMM_NULL; ///< with a topology of tacit's
  MPI_Comm mpi = MPI_COMM_NULL;   ///< with a distributed graph of MPI's
  ~pattern();
};

/// A stencil: `dims` such as {2, 2}; all neighbors up to `reach` steps away in every dimension, or, if reach
/// is 0, the two of each dimension. Collective. Returns why not, or empty.
std::string make_stencil(pattern& p, const std::vector<int>& dims, bool periodic, int reach);

/// Lines "from to units" in the file, each a block; the order of the lines is that of the slots. Collective.
/// Returns why not, or empty.
std::string make_graph(pattern& p, const std::string& file);

/// The buffers of all edges, for one size of blocks.
struct exchange_buffers {
  std::vector<unsigned char> out, in;
  std::vector<int> out_counts, out_places, in_counts, in_places;
  std::uint64_t sum = 0;

  /// False if they do not fit.
  bool make(const pattern& p, std::int64_t unit);
  /// What this rank sends in this run, byte by byte.
  void fill(const pattern& p, std::uint64_t run);
  /// Empty, or the first byte that is wrong.
  std::string check(const pattern& p, std::uint64_t run) const;
  void spoil();
  /// As a program that has computed new values and uses what it got: all bytes.
  void produce(int value);
  void consume();
};

} // namespace tacit::surface
