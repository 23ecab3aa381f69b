// Driver `shm`: messages between ranks of one host go through channels in shared memory, all others are
// persistent point-to-point messages; collectives of the plan become messages, as in `p2p`. Programs without
// dependencies take the fast path (shm_flat.h), all others the engine of tasks with channels as polled work.
#include "run/builtin_drivers.h"
#include "run/lower.h"
#include "run/message_survey.h"
#include "run/shm_flat.h"
#include "run/shm_peers.h"
#include "run/shm_wait.h"

#include <algorithm>

namespace tacit {
namespace {

class polled_source : public polled_work {
public:
  explicit polled_source(source_channel channel) : channel_(std::move(channel)) {}
  bool begin() override { return channel_.post(); }
  bool poll() override { return channel_.poll(); }

private:
  source_channel channel_;
};

class polled_destination : public polled_work {
public:
  explicit polled_destination(destination_channel channel) : channel_(std::move(channel)) {}
  bool begin() override {
    channel_.post();
    return channel_.poll();
  }
  bool poll() override { return channel_.poll(); }

private:
  destination_channel channel_;
};

class shm_lowering : public lowering {
public:
  shm_lowering(const program& p, MPI_Comm comm, const shm_peers& peers) : lowering(p, comm), peers_(peers) {}

private:
  task_span collective(const step& s) override { return direct(s); }
  task_span send(const std::vector<segment>& bytes, int to, int tag) override {
    const channel_place* place = peers_.outgoing(to, tag);
    if (!place)
      return lowering::send(bytes, to, tag);
    const task_id id = tasks_.add_polled(std::make_unique<polled_source>(make_source(*place, bytes)),
                                         {"send to", to, place->shape.bytes});
    return {{id}, {id}};
  }
  task_span recv(const std::vector<segment>& bytes, int from, int tag) override {
    const channel_place* place = peers_.incoming(from, tag);
    if (!place)
      return lowering::recv(bytes, from, tag);
    const task_id id =
        tasks_.add_polled(std::make_unique<polled_destination>(make_destination(*place, bytes)),
                          {"receive from", from, place->shape.bytes});
    return {{id}, {id}};
  }

  const shm_peers& peers_;
};

/// Programs with dependencies.
class shm_tasks : public execution {
public:
  shm_tasks(task_list tasks, MPI_Comm comm, const shm_peers& peers)
      : tasks_(std::move(tasks)), wait_(comm, peers) {}
  void start() override {
    wait_.news();
    tasks_.start();
  }
  bool progress() override {
    if (tasks_.progress())
      return true;
    if (tasks_.moved())
      wait_.news();
    else
      wait_.nothing_new([this](auto&& visit) { tasks_.each_polled(visit); });
    return false;
  }
  void finish() override {
    while (!progress())
      wait_.relax();
  }
  void relax() override { wait_.relax(); }

private:
  task_run tasks_;
  shm_wait wait_;
};

class shm_driver : public driver {
public:
  std::string_view name() const override { return "shm"; }
  /// Collectives are MPI's business unless somebody wants it otherwise.
  bool automatic(const program& p) const override {
    return std::none_of(p.plan.steps.begin(), p.plan.steps.end(),
                        [](const step& s) { return s.kind == step_kind::collective; });
  }
  std::string can_run(const program& p, MPI_Comm comm) const override {
#ifdef SMPI_H
    return "simulated ranks share no memory";
#endif
    if (receives_own_message_early(p))
      return "a message to the rank itself is received before it is sent";
    return tags_fit(p, comm);
  }
  std::unique_ptr<connection> offer(const program& p, MPI_Comm comm) const override {
    return std::make_unique<shm_peers>(p, comm);
  }
  std::unique_ptr<execution> prepare(program p, MPI_Comm comm, connection* peers) const override {
    const auto& made = dynamic_cast<const shm_peers&>(*peers);
    if (is_flat(p))
      return std::make_unique<shm_flat>(p, comm, made);
    return std::make_unique<shm_tasks>(shm_lowering(p, comm, made).run(), comm, made);
  }
};

} // namespace

const driver& shm() {
  static const shm_driver instance;
  return instance;
}

} // namespace tacit
