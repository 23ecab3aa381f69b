// Which ranks of a program share memory with this one, and where the channels between them lie.
//
// Made once per schedule, by point-to-point messages between ranks that exchange messages in the program
// only:
//   1. hello     who I am (host, process, cores), and tag and size of every message I shall send you;
//   2. memory    to peers on this host: where each of your messages goes (a part of this rank's shared
//                memory, channel/memory_pool.h), or why there is none; which of your parts I do not use any
//                more; and a word by which you find out whether you can read my memory for large messages
//                (channel/direct_read.h);
//   3. answer    whether I could open yours.
// A pair uses channels if both say yes; in any other case it goes by MPI, and the reason is kept for the
// explanation. So a node may mix both, and nothing that is forbidden or exhausted on one rank makes another
// one wait. Sizes that do not fit together are an error at the receiver.
//
// Terminates: every rank sends in all three rounds, to all its peers, before it waits, whatever has happened
// to it. A rank that fails (out of memory, an error of MPI) keeps its first failure, sends empty messages
// from then on and throws at the end, when nobody waits for it any more; that is why the caller must let all
// ranks agree whether one has failed. While it waits it progresses other schedules.
#pragma once

#include "runtime/channel/channel.h"
#include "runtime/channel/direct_read.h"
#include "runtime/channel/memory_pool.h"
#include "runtime/channel/shared_buffers.h"
#include "runtime/channel/shared_cache.h"
#include "runtime/channel/shared_memory.h"
#include "runtime/run/driver.h"
#include "runtime/run/message_survey.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mpi.h>
#include <optional>
#include <sched.h>
#include <span>
#include <string>
#include <vector>

namespace tacit::runtime {

/// Bytes of the longest message that may go through shared memory: none if the user or the MPI library
/// (simulated ranks) forbids it, any length promises nothing. `unattended`: in such a program.
std::uint64_t longest_in_memory(bool unattended);

/// Where a channel lies in the memory of this process.
struct channel_location {
  channel_shape shape;
  std::byte* memory = nullptr;
  std::int64_t source_process = 0;      ///< incoming and direct: whose memory can be read
  std::vector<graphs::segment> targets; ///< outgoing and placed: this process's view of where it is received
};

source_channel make_source(const channel_location& location, std::span<const graphs::segment> bytes);
/// `bytes` may be longer than the message.
destination_channel make_destination(const channel_location& location,
                                     std::span<const graphs::segment> bytes);

class shm_peers : public connection {
public:
  /// Finds the messages; makes nothing. Local. `may_place`: messages may be written straight into memory of
  /// the program that is shared (channel/shared_buffers.h), because it stays where it is.
  shm_peers(const program& p, MPI_Comm comm, bool may_place);
  void create() override;
  std::string describe() const override;

  /// The channel of a message, or null: it goes by MPI.
  const channel_location* outgoing(int to, int tag) const;
  const channel_location* incoming(int from, int tag) const;
  /// A peer that shares memory with this rank.
  const process_identity& process(int rank) const { return peers_.at(rank).process; }
  /// More ranks here than cores: whoever waits must give its core away.
  bool oversubscribed() const { return oversubscribed_; }
  /// Which peers share no cache with this rank, of those to which it sends large messages. Whoever runs the
  /// program calls mark() before its messages and look() after them, in every `runs_per_mark`th run.
  shared_caches& distances() const { return distances_; }
  /// Tells the peers whether this rank has given its core away.
  void set_absent(bool absent) const {
    if (absence_)
      absence_->store(absent, std::memory_order_relaxed);
  }
  /// What the peer has told last, as far as this rank can see; false if it cannot.
  bool absent(int rank) const { return is_set(absence(rank)); }
  /// What `absent` looks at; may be null.
  const std::atomic<std::uint32_t>* absence(int rank) const { return peers_.at(rank).absence; }
  static bool is_set(const std::atomic<std::uint32_t>* word) {
    return word && word->load(std::memory_order_relaxed) != 0;
  }

private:
  struct peer {
    std::vector<planned_message> out, in; ///< by tag; after hello `in` has the sizes that will arrive
    std::vector<channel_location> out_locations, in_locations;
    std::vector<std::vector<shared_location>> in_rooms; ///< by incoming message; empty: it is not placed
    process_identity process;
    cpu_set_t cores{};
    bool unattended = false, canary = true;    ///< what both ends want, see program
    bool crowded = false;                      ///< both ends are told that there are more ranks than cores
    std::string why_not;                       ///< empty: shares memory
    std::optional<std::string> why_not_direct; ///< if it sends large messages; empty: they are read in place
    shown_part theirs;
    const std::atomic<std::uint32_t>* absence = nullptr; ///< in `theirs`
    cache_mark* mark = nullptr;                          ///< for it, in `mine_`, if it sends large messages
    std::vector<std::byte> message;                      ///< under way to it in this round
  };
  using bytes = std::vector<std::byte>;
  /// Does `work` unless this rank has failed; keeps what it throws.
  template <typename Work>
  void attempt(Work&& work);
  /// Sends what `make` gives to each peer, then hands what they sent to `take`. Throws nothing.
  template <typename Make, typename Take>
  void exchange(Make&& make, Take&& take);
  void send(int rank, const bytes& message);
  bytes receive(int rank);
  void await_sends();
  static void await_all(std::span<MPI_Request> requests, int& code);
  bytes hello(const peer& to, const process_identity& me, const cpu_set_t& cores) const;
  void take_hello(int rank, peer& from, const bytes& message, const process_identity& me);
  void check_sizes(int rank, peer& from, const std::vector<planned_message>& sent);
  static channel_shape shape_of(const peer& each, const planned_message& m);
  static void check_attendance(peer& each);
  void make_memory();
  void find_rooms(const program& p);
  std::vector<shared_location> room_for(int from, const planned_message& m) const;
  bytes memory_for(const peer& to);
  std::string take_targets(peer& from, class unpacker& in);
  void take_memory(int rank, peer& from, const bytes& message);
  static void read_directly(peer& from, const readable_word& word);
  bytes answer_to(const peer& to) const;
  void take_answer(int rank, peer& from, const bytes& message);
  void count_cores(const cpu_set_t& mine);

  MPI_Comm comm_;
  int rank_ = 0, tag_ = 0;
  bool unattended_ = false; ///< see program
  bool canary_ = true;      ///< see program
  std::map<int, peer> peers_;
  std::map<std::pair<int, int>, std::vector<graphs::segment>>
      rooms_; ///< by source and tag: shared memory to receive in
  std::map<std::uint64_t, std::shared_ptr<const shared_region>> buffers_; ///< of peers, by secret
  std::string refusal_; ///< why this rank has no memory to share
  std::string error_;   ///< sizes that do not fit
  std::exception_ptr failure_;
  std::vector<MPI_Request> requests_; ///< of this round's messages
  lent_part mine_;
  std::uint64_t readable_ = 0; ///< what peers read to find out whether they can
  readable_word word_;
  bool oversubscribed_ = false;
  mutable shared_caches distances_;               ///< what is known of time, not of messages
  std::atomic<std::uint32_t>* absence_ = nullptr; ///< this rank's, in `mine_`
};

} // namespace tacit::runtime
