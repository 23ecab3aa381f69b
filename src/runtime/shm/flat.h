// The fast path of driver `shm`: a program whose steps do not depend on each other, as that of every
// neighborhood collective without combining. Starting gathers all messages straight into their slots and
// makes the local copies; progress polls what has not arrived. Flat arrays, no calls through pointers, no
// allocation. What has no channel (peers on other hosts, messages to oneself) runs beside it as actions.
#pragma once

#include "runtime/channel/channel.h"
#include "runtime/run/action_run.h"
#include "runtime/shm/peers.h"
#include "runtime/shm/wait.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tacit::runtime {

/// True if the program has the form described above.
bool is_flat(const program& p);

class shm_flat final : public execution {
public:
  /// Throws as driver::prepare.
  shm_flat(const program& p, MPI_Comm comm, const shm_peers& peers);
  void start() override;
  bool progress() override;
  void finish() override;
  double pause() const override;
  void rest(double pause) const override { wait_.rest(pause); }
  bool rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) override;

private:
  struct local_copy {
    std::uint64_t from, into, bytes;
  };
  /// Indices of channels under way; the array is never resized.
  struct pending {
    std::vector<std::uint32_t> list;
    std::size_t count = 0;
  };
  /// What is awaited through a channel.
  struct awaited {
    action_note note;
    const std::atomic<std::uint32_t>* absence; ///< of the peer
  };
  void add(const graphs::step& s, const shm_peers& peers);
  void add_copy(const graphs::step& s);
  void prepare_rest(std::ptrdiff_t reads, std::ptrdiff_t writes);
  template <typename Channel>
  static bool poll(std::vector<Channel>& channels, pending& under_way);
  template <typename Visit>
  void each_awaited(Visit&& visit) const;
  bool nothing_left() const { return receiving_.count == 0 && sending_.count == 0 && !actions_under_way_; }
  void end_run();
  void note_distances();

  MPI_Comm comm_;
  shared_caches* distances_; ///< null: no message depends on them
  std::uint32_t runs_ = 0;
  program rest_; ///< steps that run as actions
  std::vector<source_channel> out_;
  std::vector<destination_channel> in_;
  std::vector<awaited> out_notes_, in_notes_;
  std::vector<local_copy> copies_;
  std::unique_ptr<action_run> actions_; ///< null: there are none
  pending sending_, receiving_;
  bool actions_under_way_ = false, active_ = false;
  bool places_ = false; ///< some messages may go straight into user memory of the destination
  shm_wait wait_;
  std::ptrdiff_t reads_ = 0, writes_ = 0; ///< as of the last rebind
};

} // namespace tacit::runtime
