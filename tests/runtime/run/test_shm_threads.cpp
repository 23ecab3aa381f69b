// Driver `shm` under MPI_THREAD_MULTIPLE: several threads of each rank start and complete schedules of their
// own at the same time, some of them two at once, with messages of all protocols.
#include "runtime/run/driver.h"
#include "runtime/run/progress.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <thread>
#include <vector>

namespace {

using namespace tacit;
using namespace tacit::runtime;

constexpr std::size_t sizes[] = {8, 300, 20000, 300000, 1200000};
constexpr int threads = 3, runs = 60;

/// One exchange between two ranks.
struct pair_exchange {
  std::vector<unsigned char> out, in;
  MPI_Comm comm = MPI_COMM_NULL;
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run;

  void make(std::size_t bytes, int rank) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    out.resize(bytes);
    in.resize(bytes);
    program p;
    p.rank = rank;
    p.plan.steps.resize(2);
    p.plan.steps[0].kind = graphs::step_kind::send;
    p.plan.steps[0].reads = {{reinterpret_cast<std::uint64_t>(out.data()), bytes}};
    p.plan.steps[1].kind = graphs::step_kind::recv;
    p.plan.steps[1].writes = {{reinterpret_cast<std::uint64_t>(in.data()), bytes}};
    for (graphs::step& s : p.plan.steps)
      s.peer = rank_id{static_cast<std::uint32_t>(1 - rank)};
    const driver* d = find_driver("shm");
    peers = d->offer(p, comm);
    peers->create();
    run = d->prepare(p, comm, peers.get());
  }
  void start(int value) {
    std::memset(out.data(), value, out.size());
    run->start();
    begin_progress(*run);
  }
  bool complete(int value) {
    wait_for(*run);
    for (const unsigned char c : in)
      if (c != static_cast<unsigned char>(value))
        return false;
    return true;
  }
  void free() {
    run.reset();
    peers.reset();
    MPI_Comm_free(&comm);
  }
};

} // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level < MPI_THREAD_MULTIPLE || size != 2)
    MPI_Abort(MPI_COMM_WORLD, 3);
  std::vector<pair_exchange> all(2 * threads);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].make(sizes[i % std::size(sizes)], rank);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> pool;
  for (std::size_t t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      pair_exchange &first = all[2 * t], &second = all[2 * t + 1];
      for (int i = 0; i < runs; ++i) {
        const int value = 7 * i + static_cast<int>(t) + 1;
        first.start(value);
        second.start(value + 1);
        // The other rank waits in another order.
        const bool swapped = (i + rank) % 2 == 0;
        const bool right = swapped ? second.complete(value + 1) & first.complete(value)
                                   : first.complete(value) & second.complete(value + 1);
        wrong += !right;
      }
    });
  for (std::thread& t : pool)
    t.join();
  for (pair_exchange& o : all)
    o.free();
  int both = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf(both == 0 ? "OK\n" : "%d exchanges brought wrong bytes\n", both);
  MPI_Finalize();
  return both == 0 ? 0 : 1;
}
