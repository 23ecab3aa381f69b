// The plan of the N-body simulation (Listing 1 of the CPD paper) on simulated ranks: the program of bench/papers/s3/scaling.py.
//
//   smpirun … s3_nbody_simulated.so BODIES STEPS DISCOVER SECONDS_PER_INTERACTION SECONDS_PER_COPY
//
// SimGrid's SMPI runs each rank as one thread of one process, and the executor of tasks has several, so that a whole program of tasks
// cannot run under it. Here each rank plans with the library's own planner and carries the commands out itself, in their order: MPI's
// calls are simulated, kernels take the time that their interactions are said to take, and planning takes none (in a real
// run it is done beside the kernels). A device gets what has arrived by one copy for each message, or one for a collective (sections 1.6
// and 3.3 of the paper); each takes SECONDS_PER_COPY. Bytes travel, but mean nothing.
#include "tasks/commands/planner.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mpi.h>
#include <smpi/smpi.h>
#include <string>
#include <vector>

using namespace tacit::tasks;
using tacit::vocabulary::rank_id;

namespace {

constexpr int body_bytes = 24;

struct model {
  double per_interaction = 0, per_copy = 0;
};

class simulated_rank {
public:
  simulated_rank(coordinate bodies, const planner_options& options, const model& costs)
      : bodies_(bodies), costs_(costs), planned_(options),
        memory_(static_cast<char*>(SMPI_SHARED_MALLOC(static_cast<std::size_t>(bodies) * body_bytes))) {
    for (int b = 0; b < 2; ++b)
      planned_.create_buffer({"", 1, range{{bodies, 1, 1}}, body_bytes, true});
  }
  simulated_rank(const simulated_rank&) = delete;
  simulated_rank& operator=(const simulated_rank&) = delete;
  ~simulated_rank() { SMPI_SHARED_FREE(memory_); }

  void step() {
    submit({{buffer_id{0}, access_mode::read, all()}, {buffer_id{1}, access_mode::read_write, one_to_one()}});
    submit({{buffer_id{1}, access_mode::read, one_to_one()},
            {buffer_id{0}, access_mode::read_write, one_to_one()}});
  }
  /// All that was submitted.
  void finish() {
    task epoch;
    epoch.kind = task_kind::epoch;
    planned_.submit(epoch);
    carry_out();
    while (!pending_.empty())
      complete(pending_.begin()->first);
  }
  std::size_t messages() const { return messages_; }
  std::size_t collectives() const { return collectives_; }

private:
  struct under_way {
    MPI_Request request = MPI_REQUEST_NULL;
    bool arrives = false; ///< something for the device
  };

  void submit(std::vector<tacit::tasks::access> accesses) {
    task t;
    t.shape.dims = 1;
    t.shape.global = box_of(range{{bodies_, 1, 1}});
    t.accesses = std::move(accesses);
    all_read_[static_cast<std::uint64_t>(planned_.submit(t))] =
        t.accesses[0].mode == access_mode::read && t.accesses[0].buffer == buffer_id{0};
    carry_out();
  }

  void carry_out() {
    for (const command& c : planned_.take()) {
      for (const command_id before : c.after)
        complete(before);
      switch (c.kind) {
      case command_kind::execute:
        if (all_read_.at(static_cast<std::uint64_t>(c.task)))
          smpi_execute(static_cast<double>(c.chunk[0].length()) * static_cast<double>(bodies_) *
                       costs_.per_interaction);
        break;
      case command_kind::push:
      case command_kind::await_push:
        message(c);
        break;
      case command_kind::collective:
        allgather(c);
        break;
      default: // epochs and horizons have nothing to do, and no task here is a fence
        break;
      }
    }
  }

  void message(const command& c) {
    const auto tag = static_cast<int>(c.transfer % 32768);
    under_way& u = pending_[static_cast<std::uint64_t>(c.id)];
    const auto bytes = static_cast<int>(c.what.volume()) * body_bytes;
    if (c.kind == command_kind::push)
      MPI_Isend(memory_, bytes, MPI_BYTE, static_cast<int>(c.peer), tag, MPI_COMM_WORLD, &u.request);
    else
      MPI_Irecv(memory_, bytes, MPI_BYTE, static_cast<int>(c.peer), tag, MPI_COMM_WORLD, &u.request),
          u.arrives = true;
    ++messages_;
  }

  void allgather(const command& c) {
    if (c.exchange->kind != collective_kind::allgather || c.exchange->parts.size() != 1)
      std::abort(); // Listing 1 has nothing else
    std::vector<int> counts, offsets;
    int at = 0;
    for (std::uint32_t r = 0; r < c.members.size(); ++r) {
      counts.push_back(static_cast<int>(contribution(c.exchange->parts[0], c.members.member(r)).volume()) *
                       body_bytes);
      offsets.push_back(at);
      at += counts.back();
    }
    // Blocking, as what comes next needs it; and SMPI has real algorithms for blocking collectives only.
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, memory_, counts.data(), offsets.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
    smpi_execute(costs_.per_copy);
    ++collectives_;
  }

  void complete(command_id id) { complete(static_cast<std::uint64_t>(id)); }
  void complete(std::uint64_t id) {
    const auto found = pending_.find(id);
    if (found == pending_.end())
      return;
    MPI_Wait(&found->second.request, MPI_STATUS_IGNORE);
    if (found->second.arrives)
      smpi_execute(costs_.per_copy);
    pending_.erase(found);
  }

  coordinate bodies_;
  model costs_;
  planner planned_;
  char* memory_;
  std::map<std::uint64_t, bool> all_read_;
  std::map<std::uint64_t, under_way> pending_;
  std::size_t messages_ = 0, collectives_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 6)
    return 2;
  int me = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  planner_options options;
  options.ranks = static_cast<std::uint32_t>(ranks);
  options.me = static_cast<rank_id>(me);
  options.discover = std::string(argv[3]) != "0";
  simulated_rank here(std::atoll(argv[1]), options, {std::atof(argv[4]), std::atof(argv[5])});
  const int steps = std::atoi(argv[2]);
  here.step(); // reads what the host has initialised: no exchange
  here.finish();
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = MPI_Wtime();
  for (int t = 0; t < steps; ++t)
    here.step();
  here.finish();
  double mine = MPI_Wtime() - before, longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (me == 0)
    std::printf("result %.9g seconds a step, %zu messages, %zu collectives\n", longest / steps,
                here.messages(), here.collectives());
  MPI_Finalize();
  return 0;
}
