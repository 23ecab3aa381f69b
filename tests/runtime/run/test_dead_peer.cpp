// A peer that dies in the middle: whoever waits for it gets an error that names it instead of waiting for
// ever. The launcher would end the survivor, so that one ignores the first signal and is quick.
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/driver.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main(int argc, char** argv) {
  using namespace tacit;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2)
    MPI_Abort(MPI_COMM_WORLD, 3);
  std::uint64_t out = 0, in = 0;
  const auto address = [](std::uint64_t& word) {
    return std::vector<graphs::segment>{{reinterpret_cast<std::uint64_t>(&word), sizeof word}};
  };
  tacit::runtime::program p;
  p.rank = rank;
  p.plan.steps.resize(2);
  p.plan.steps[0].kind = graphs::step_kind::send;
  p.plan.steps[0].reads = address(out);
  p.plan.steps[1].kind = graphs::step_kind::recv;
  p.plan.steps[1].writes = address(in);
  for (graphs::step& s : p.plan.steps)
    s.peer = graphs::rank_id{static_cast<std::uint32_t>(1 - rank)};
  const tacit::runtime::driver* d = tacit::runtime::find_driver("shm");
  const auto peers = d->offer(p, MPI_COMM_WORLD);
  peers->create();
  const auto run = d->prepare(p, MPI_COMM_WORLD, peers.get());
  for (out = 1; out < 4; ++out) {
    run->start();
    run->finish();
  }
  if (in != 3)
    MPI_Abort(MPI_COMM_WORLD, 4);
  std::signal(SIGTERM, SIG_IGN);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1)
    std::raise(SIGKILL);
  try {
    run->start();
    run->finish();
  } catch (const tacit::runtime::mpi_error& e) {
    std::fprintf(stderr, "rank 0 says: %s\n", e.what());
    std::fflush(stderr);
    _exit(0);
  }
  std::fprintf(stderr, "rank 0 noticed nothing\n");
  _exit(1);
}
