// Driver `shm`: messages between ranks of one host go through channels in shared memory, all others are
// persistent point-to-point messages; collectives of the plan become messages, as in `p2p`. Programs without
// dependencies take the fast path (flat.h), all others the engine of actions with channels as polled
// work.
#include "runtime/mpi/library_quirks.h"
#include "runtime/run/builtin_drivers.h"
#include "runtime/run/lower.h"
#include "runtime/shm/flat.h"
#include "runtime/shm/peers.h"
#include "runtime/shm/wait.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tacit::runtime {
namespace {

class polled_source : public polled_work {
public:
  explicit polled_source(source_channel& channel) : channel_(channel) {}
  bool begin() override { return channel_.post(); }
  bool poll() override { return channel_.poll(); }

private:
  source_channel& channel_;
};

class polled_destination : public polled_work {
public:
  explicit polled_destination(destination_channel& channel) : channel_(channel) {}
  /// Looked at by whoever has begun it, when this rank has sent: a line of what is not there yet would have to be fetched back from here.
  bool begin() override {
    channel_.post();
    return false;
  }
  bool poll() override { return channel_.poll(); }

private:
  destination_channel& channel_;
};

/// The channels of a program; they count its messages, so they outlive the actions, which are made anew when
/// buffers move.
struct channels {
  using key = std::pair<int, int>; ///< peer, tag
  std::map<key, source_channel> out;
  std::map<key, destination_channel> in;
};

class shm_lowering : public lowering {
public:
  shm_lowering(const program& p, MPI_Comm comm, const shm_peers& peers, channels& made)
      : lowering(p, comm), peers_(peers), channels_(made) {}

private:
  action_span collective(const graphs::step& s) override { return direct(s); }
  action_span send(const std::vector<graphs::segment>& bytes, int to, int tag) override {
    const channel_location* location = peers_.outgoing(to, tag);
    if (!location)
      return lowering::send(bytes, to, tag);
    source_channel fresh = make_source(*location, bytes);
    const auto [at, added] = channels_.out.try_emplace({to, tag}, fresh);
    at->second.port.use_payload_of(std::move(fresh.port));
    const action_id id = actions_.add_polled(std::make_unique<polled_source>(at->second),
                                             {"send to", to, location->shape.bytes});
    return {{id}, {id}};
  }
  action_span recv(const std::vector<graphs::segment>& bytes, int from, int tag) override {
    const channel_location* location = peers_.incoming(from, tag);
    if (!location)
      return lowering::recv(bytes, from, tag);
    destination_channel fresh = make_destination(*location, bytes);
    const auto [at, added] = channels_.in.try_emplace({from, tag}, fresh);
    at->second.port.use_payload_of(std::move(fresh.port));
    const action_id id = actions_.add_polled(std::make_unique<polled_destination>(at->second),
                                             {"receive from", from, location->shape.bytes});
    return {{id}, {id}};
  }

  const shm_peers& peers_;
  channels& channels_;
};

/// Executes programs whose steps depend on each other.
class shm_actions : public execution {
public:
  shm_actions(program p, MPI_Comm comm, const shm_peers& peers)
      : program_(std::move(p)), comm_(comm), peers_(peers), actions_(make_actions(program_)),
        wait_(comm, peers) {}
  void start() override {
    if (++runs_ % runs_per_mark == 0)
      peers_.distances().mark();
    wait_.begin();
    actions_->start();
    while (!actions_->progress() && actions_->moved()) { // this rank may be elsewhere until it waits
    }
  }
  bool progress() override {
    bool moved = false; // what one message lets begin may wait for one that is there, too
    while (!actions_->progress()) {
      if (actions_->moved()) {
        moved = true;
        continue;
      }
      if (moved)
        wait_.news();
      else
        wait_.nothing_new([this](auto&& visit) { actions_->each_polled(visit); });
      return false;
    }
    end_run();
    return true;
  }
  void finish() override {
    while (!progress())
      if (const double idle = pause(); idle >= 0)
        rest(idle);
      else
        let_lines_arrive();
  }
  double pause() const override {
    return wait_.pause([this] {
      bool absent = false;
      actions_->each_polled([&](const action_note& note) { absent = absent || peers_.absent(note.peer); });
      return absent;
    });
  }
  void rest(double pause) const override { wait_.rest(pause); }
  bool rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) override {
    const std::pair wanted(reads, writes);
    if (bound_ == wanted)
      return true;
    if (std::any_of(program_.plan.steps.begin(), program_.plan.steps.end(),
                    [](const graphs::step& s) { return s.kind == graphs::step_kind::call; }))
      return false; // nobody tells the computations
    bound_.reset(); // should there be no memory for the actions
    actions_ = make_actions(moved(program_, reads, writes));
    bound_ = wanted;
    return true;
  }

private:
  std::unique_ptr<action_run> make_actions(const program& p) {
    auto made = std::make_unique<action_run>(shm_lowering(p, comm_, peers_, channels_).run());
    note_distances();
    return made;
  }
  /// Where messages go both ways the peers have taken those before this run's, whose slots the next run writes; a slot of those that run
  /// ahead is at worst fetched back once more.
  void end_run() {
    if (runs_ % runs_per_mark == 0 && peers_.distances().look())
      note_distances();
    for (auto& [to, channel] : channels_.out)
      channel.claim_next();
  }
  void note_distances() {
    for (auto& [to, channel] : channels_.out)
      channel.port.far = peers_.distances().shares_no_cache(to.first);
  }

  program program_;
  MPI_Comm comm_;
  std::uint32_t runs_ = 0;
  const shm_peers& peers_;
  channels channels_;
  std::unique_ptr<action_run> actions_;
  shm_wait wait_;
  std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> bound_{{0, 0}}; ///< by the last rebind
};

class shm_driver : public driver {
public:
  std::string_view name() const override { return "shm"; }
  /// Collectives are MPI's business unless somebody wants it otherwise.
  bool automatic(const program& p) const override {
    return std::none_of(p.plan.steps.begin(), p.plan.steps.end(),
                        [](const graphs::step& s) { return s.kind == graphs::step_kind::collective; });
  }
  std::string can_run(const program& p, MPI_Comm comm) const override {
    if (ranks_are_simulated)
      return "simulated ranks share no memory";
    if (uses_device_memory(p))
      return why_not_in_device_memory();
    if (p.unattended && !is_flat(p))
      return "its steps depend on each other, so that other ranks would wait for this one's attention "
             "(TACIT_PROGRESS=waits allows that)";
    return tags_fit(p, comm);
  }
  std::uint64_t longest_in_memory(bool unattended) const override {
    return runtime::longest_in_memory(unattended);
  }
  std::unique_ptr<connection> offer(const program& p, MPI_Comm comm) const override {
    return std::make_unique<shm_peers>(p, comm, p.fixed_buffers && is_flat(p));
  }
  std::unique_ptr<execution> prepare(program p, MPI_Comm comm, connection* peers) const override {
    const auto& made = dynamic_cast<const shm_peers&>(*peers);
    if (is_flat(p))
      return std::make_unique<shm_flat>(p, comm, made);
    return std::make_unique<shm_actions>(std::move(p), comm, made);
  }
};

} // namespace

const driver& shm() {
  static const shm_driver instance;
  return instance;
}

} // namespace tacit::runtime
