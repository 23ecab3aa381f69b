// Driver `rma`: messages by one-sided communication, whatever the network: put, flush, flag (traffic.h).
// Collectives of the plan become messages, as in `p2p`. Taken only by name, because a start may have to wait
// until the neighbors call MPI.
#include "runtime/mpi/library_quirks.h"
#include "runtime/rma/flat.h"
#include "runtime/run/builtin_drivers.h"
#include "runtime/run/lower.h"
#include "runtime/shm/flat.h"

namespace tacit::runtime {
namespace {

class polled_rma_source : public polled_work {
public:
  explicit polled_rma_source(rma_source channel) : channel_(std::move(channel)) {}
  bool begin() override { return channel_.post(); }
  bool poll() override { return channel_.poll(); }

private:
  rma_source channel_;
};

class polled_rma_destination : public polled_work {
public:
  explicit polled_rma_destination(rma_destination channel) : channel_(std::move(channel)) {}
  bool begin() override {
    channel_.post();
    return channel_.poll();
  }
  bool poll() override { return channel_.poll(); }

private:
  rma_destination channel_;
};

class rma_lowering : public lowering {
public:
  rma_lowering(const program& p, const rma_peers& peers, rma_traffic& traffic)
      : lowering(p, peers.comm()), peers_(peers), traffic_(traffic) {}

private:
  action_span collective(const graphs::step& s) override { return direct(s); }
  action_span send(const std::vector<graphs::segment>& bytes, int to, int tag) override {
    auto work =
        std::make_unique<polled_rma_source>(make_rma_source(peers_.outgoing(to, tag), bytes, traffic_));
    const action_id id = actions_.add_polled(std::move(work), {"send to", to, graphs::total_length(bytes)});
    return {{id}, {id}};
  }
  action_span recv(const std::vector<graphs::segment>& bytes, int from, int tag) override {
    auto work = std::make_unique<polled_rma_destination>(
        make_rma_destination(peers_.incoming(from, tag), bytes, traffic_));
    const action_id id =
        actions_.add_polled(std::move(work), {"receive from", from, graphs::total_length(bytes)});
    return {{id}, {id}};
  }

  const rma_peers& peers_;
  rma_traffic& traffic_;
};

/// Programs with dependencies. A message is packed when its action starts, so what depends on the send may
/// run before the flush that ends each round.
class rma_actions : public execution {
public:
  rma_actions(const program& p, const rma_peers& peers)
      : let_mpi_progress_(peers.comm()), traffic_(peers), actions_(rma_lowering(p, peers, traffic_).run()) {}
  void start() override {
    actions_.start();
    traffic_.flush();
  }
  bool progress() override {
    const bool done = actions_.progress();
    traffic_.flush();
    if (!done && !actions_.moved())
      let_mpi_progress_();
    return done;
  }
  void finish() override {
    while (!progress())
      take_pause(pause());
  }

private:
  library_probe let_mpi_progress_;
  rma_traffic traffic_;
  action_run actions_;
};

/// Whether all processes of the program are in it, so that nobody else can make a window meanwhile. The same answer on all its ranks.
bool has_all_processes(MPI_Comm comm) {
  int begun = 0, compared = MPI_UNEQUAL;
  MPI_Initialized(&begun); // programs that only have sessions have no world
  return begun && MPI_Comm_compare(comm, MPI_COMM_WORLD, &compared) == MPI_SUCCESS && compared != MPI_UNEQUAL;
}

class rma_driver : public driver {
public:
  std::string_view name() const override { return "rma"; }
  bool automatic(const program&) const override { return false; }
  std::string can_run(const program& p, MPI_Comm comm) const override {
    if (ranks_are_simulated)
      return "it has not been tried on simulated ranks";
    if (p.unattended)
      return "other ranks would wait for this one's attention (TACIT_PROGRESS=waits allows that)";
    int begun = 0, over = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    if (!begun || over)
      return "its windows are freed in MPI_Finalize, and MPI Sessions have none";
    if (mixes_up_windows && !has_all_processes(comm))
      return "it needs a communicator with all processes, because Open MPI mixes up the windows of several "
             "that make them at the same "
             "time";
    if (uses_device_memory(p))
      return why_not_in_device_memory();
    return tags_fit(p, comm);
  }
  std::unique_ptr<connection> offer(const program& p, MPI_Comm comm) const override {
    return std::make_unique<rma_peers>(p, comm);
  }
  std::unique_ptr<execution> prepare(program p, MPI_Comm, connection* peers) const override {
    const auto& made = dynamic_cast<const rma_peers&>(*peers);
    if (is_flat(p))
      return std::make_unique<rma_flat>(p, made);
    return std::make_unique<rma_actions>(p, made);
  }
};

} // namespace

const driver& rma() {
  static const rma_driver instance;
  return instance;
}

} // namespace tacit::runtime
