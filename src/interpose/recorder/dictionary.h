// Everything a call record refers to by number: call sites, allocations, datatypes, communicators. Each gets
// its number, and its defining record, when it is first used. One per process; not thread safe (the
// recorder's lock).
#pragma once

#include "interpose/layer/handle_map.h"
#include "interpose/layer/invocation.h"
#include "interpose/recorder/call_path.h"
#include "interpose/recorder/content.h"
#include "interpose/recorder/memory.h"
#include "recordings/record/writer.h"

#include <deque>
#include <string>
#include <vector>

namespace tacit::interpose {

struct known_comm {
  std::uint32_t id = 0;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  bool inter = false;
  std::uint64_t key = 0;
  std::uint64_t children = 0; ///< constructors called on it so far: the same number on all members
};

/// A buffer's address in recorded form.
struct location {
  std::uint32_t allocation = 0;
  std::int64_t offset = 0;
};

class dictionary {
public:
  explicit dictionary(recordings::writer& out) : out_(out) {}

  /// Learns the group of MPI_COMM_WORLD, which names processes, and defines World and Self.
  void start();

  std::uint32_t site(std::uint64_t return_address);
  /// How the program came to this call: a site, or a path of several.
  std::uint32_t path(const invocation& v);
  /// Where a buffer lies: the block is that of its first byte, for a datatype may start away from the address
  /// it is used with (MPI_BOTTOM above all).
  location location_of(const void* buffer, const data_layout* layout);
  /// The block an address lies in, defined in the recording if it is new there.
  const memory_block& block(std::uint64_t address);

  const data_layout* layout(MPI_Datatype type);
  /// That of a call's data: of the first type, if there is one per peer and any peer. Null if it has none.
  const data_layout* layout_of(const data_part& data, bool any_peer = false);
  void forget_type(MPI_Datatype type) { layouts_.erase(bits_of(type)); }

  /// What is known of the communicator; null for MPI_COMM_NULL.
  known_comm* communicator(MPI_Comm comm);
  std::uint32_t comm_id(MPI_Comm comm) {
    const known_comm* known = communicator(comm);
    return known ? known->id : 0;
  }
  void forget_communicator(MPI_Comm comm);
  /// A communicator was made by `call` from the one with id `parent`. `key` as from constructor_key.
  void made(MPI_Comm comm, std::uint32_t parent, mpi_call call, std::uint64_t key);
  /// A number that all callers of this constructor share and no other call of it has, without any
  /// communication: from the parent's key and how many constructors were called on it, which MPI orders alike
  /// on all members. To be mixed with the members of the result. 0: not known.
  std::uint64_t constructor_key(const invocation& v);

private:
  /// Names are not written any more when there is no room to use them.
  bool has_room() const { return out_.room() < recordings::recording_room::calls; }
  struct known_module {
    std::uint64_t begin, end, base;
    std::uint32_t id;
  };
  static std::uint64_t bits_of(MPI_Datatype type);
  const known_module& module_at(std::uint64_t address);
  std::uint32_t define_module(std::uint64_t begin, std::uint64_t end, std::uint64_t base,
                              const std::string& path, const std::vector<unsigned char>& build_id);
  void define_block(const memory_block& block);
  const data_layout* define_layout(data_layout&& layout);
  known_comm& define_communicator(MPI_Comm comm, std::uint32_t parent, mpi_call call, std::uint64_t key,
                                  bool mix_members);
  std::vector<std::uint32_t> world_ranks(MPI_Group group);
  std::vector<std::uint32_t> members(MPI_Comm comm, bool remote);
  std::uint64_t tuple_key(std::uint64_t tuple);

  recordings::writer& out_;
  MPI_Group world_group_{};
  path_finder paths_;
  handle_map<std::uint32_t> sites_;
  handle_map<std::uint32_t> path_ids_; ///< by hash of the addresses
  std::uint32_t last_site_ = 0;        ///< or path
  std::deque<known_module> modules_;
  memory_block last_block_;
  handle_map<const data_layout*> layouts_;             ///< by datatype handle
  handle_map<std::vector<const data_layout*>> shapes_; ///< by content: types come and go, shapes come back
  std::deque<data_layout> all_layouts_;
  handle_map<known_comm*> comms_;
  std::deque<known_comm> all_comms_;
  std::uint32_t last_comm_ = 0;
  handle_map<std::uint64_t> uses_; ///< how often a constructor was called with the same tuple of arguments
};

} // namespace tacit::interpose
