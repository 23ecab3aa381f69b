// Executes plans whose steps are independent of each other: messages and local copies that all start at once.
// That is what neighborhood collectives mostly are, and what must cost no more than the Irecv and Isend that
// a program would write itself.
//
// Idea: three flat arrays (receives, sends, copies) and one array of requests; no action list, no allocation
// after construction. Messages are posted anew in each run rather than started as persistent requests,
// because Open MPI's Startall costs 25-85 % more than Irecv and Isend for 8-16 B (measured), and because the
// buffers may then move from run to run. Data in pieces is packed by memcpy up to `largest_packed` bytes;
// beyond, a datatype of the pieces relative to the first one saves the copy. Where a buffer is in device
// memory nothing is packed, and local copies are messages of the rank to itself. Cost of a run: one MPI call
// per message and one MPI_Testall or MPI_Waitall.
//
// A message of another length than its receive is an error: longer ones MPI reports, shorter ones are found
// by their count. All requests are completed before an error is thrown, so that none is left behind.
#pragma once

#include "runtime/mpi/mpi_error.h"
#include "runtime/run/driver.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tacit::runtime {

/// A message that failed or had the wrong length.
struct message_error : mpi_error {
  message_error(int code_, const std::string& what, bool incoming_, int peer_)
      : mpi_error(code_, what), incoming(incoming_), peer(peer_) {}
  bool incoming;
  int peer;
};

/// A message described by a datatype instead of a list of pieces.
struct typed_message {
  bool incoming = false;
  int peer = 0, tag = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL; ///< committed; one element of it, relative to MPI_BOTTOM, is all
  std::uint64_t bytes = 0;
};

/// True if all steps are messages and copies that wait for no other step and use no scratch memory.
bool is_flat(const graphs::rank_plan& plan);

class flat_run : public execution {
public:
  /// `plan` must be flat, `comm` must return errors. `in_device`: buffers are in device memory, or will be
  /// after rebind; else that is found out. Throws mpi_error and std::bad_alloc; local.
  flat_run(const graphs::rank_plan& plan, MPI_Comm comm, bool in_device = false);
  /// These messages only; frees their types, also if it throws.
  flat_run(std::vector<typed_message> messages, MPI_Comm comm);
  ~flat_run() override;
  flat_run(const flat_run&) = delete;
  flat_run& operator=(const flat_run&) = delete;

  void start() override;
  bool progress() override;
  void finish() override;
  bool rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) override;

private:
  struct piece {
    std::uint64_t user;   ///< address in the program's memory
    std::uint64_t staged; ///< in staging memory, or where a copy goes
    std::uint64_t length;
  };
  struct message {
    std::uint64_t address = 0; ///< of the data or of its staging memory
    std::uint64_t bytes = 0;
    MPI_Datatype type = MPI_BYTE;
    int count = 0;
    int peer = 0;
    int tag = 0;
    std::uint32_t first_piece = 0, end_piece = 0; ///< packed ones
    bool packed = false;
  };
  void add_message(const graphs::step& s);
  void add_message(bool incoming, std::span<const graphs::segment> bytes, int peer, int tag);
  void add_messages_to_itself(const graphs::step& s);
  void make_requests();
  void add_copy(const graphs::step& s);
  MPI_Datatype relative_type(std::span<const graphs::segment> bytes);
  void post_receive(std::size_t i);
  void post_send(std::size_t i);
  void take_in();
  void check(int code, const char* call);
  void fail(const message_error& e);
  const message& at(std::size_t request) const;
  bool is_receive(std::size_t request) const { return request < receives_.size(); }

  MPI_Comm comm_;
  bool only_mpi_copies_ = false; ///< a buffer is in device memory
  int copies_by_mpi_ = 0;
  std::vector<message> receives_, sends_;
  std::vector<piece> pieces_; ///< of packed messages
  std::vector<piece> copies_; ///< user: from, staged: into
  std::vector<std::unique_ptr<std::byte[]>> staging_;
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Request> requests_; ///< receives, then sends
  std::vector<MPI_Status> statuses_;
  std::exception_ptr first_error_;
  std::ptrdiff_t bound_reads_ = 0, bound_writes_ = 0; ///< where rebind has moved the buffers
  bool active_ = false;
};

} // namespace tacit::runtime
