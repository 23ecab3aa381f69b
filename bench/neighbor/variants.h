// Variants of exchanging one block per edge, on the same buffers: those a program can take with MPI, and tacit's.
#pragma once

#include "patterns.h"

#include <memory>
#include <span>

namespace bench {

/// Blocks of `bytes` by slot. `shared`: received in memory of tacit_alloc_mem.
struct buffers {
  buffers(std::size_t slots, std::size_t bytes_, bool shared);
  ~buffers();
  buffers(const buffers&) = delete;
  buffers& operator=(const buffers&) = delete;
  void produce(int value);
  void consume();
  std::size_t bytes;
  std::vector<std::uint64_t> out, own;
  std::span<std::uint64_t> in; ///< `own`, or shared
  std::uint64_t sum = 0;
  char* out_block(std::size_t slot) { return reinterpret_cast<char*>(out.data()) + slot * bytes; }
  char* in_block(std::size_t slot) { return reinterpret_cast<char*>(in.data()) + slot * bytes; }
};

class variant {
public:
  virtual ~variant() = default;
  virtual void exchange() = 0;
  std::string name;
};

/// Collective, as are destructors. What cannot be had here (a persistent collective in an old MPI) is left
/// out.
///   compute       nothing: what producing and consuming cost
///   flag          flag and payload of each neighbor written into shared memory by hand, with a yield after
///   every
///                 look in vain if there are more ranks than cores: what an exchange cannot do without
///   tacit         tacit_neighbor_alltoall_init with the driver that is chosen without wishes; "tacit edges":
///                 one message per edge (without coalescing), "tacit p2p": through MPI's messages
///   isend         MPI_Irecv and MPI_Isend per edge; "packed": one per neighbor, blocks gathered by hand
///   persistent    the same with MPI_Startall
///   neighbor      MPI_Neighbor_alltoall; "neighbor init" its persistent form
std::vector<std::unique_ptr<variant>> make_variants(const pattern& p, buffers& b);

/// Making and freeing tacit's operation; what is measured of it is the first.
class tacit_variant : public variant {
public:
  tacit_variant(const pattern& p, buffers& b, const char* key = nullptr, const char* value = nullptr);
  ~tacit_variant() override;
  void exchange() override;
  std::string explain() const;

private:
  void* schedule_;
};

} // namespace bench
