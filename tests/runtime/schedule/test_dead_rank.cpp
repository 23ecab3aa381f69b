// A rank that ends in the middle of compiling: test_dead_rank CALL. The last rank kills itself in its CALL-th message of a compilation in
// parts; without one of that number it says so and succeeds. The others wait in calls of MPI, and whoever started them has to end them.
#include "runtime/schedule/compile_together.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

int left = -1; // messages until the end

void count_down() {
  if (left >= 0 && left-- == 0)
    std::raise(SIGKILL);
}

} // namespace

// What the library calls while it compiles.
extern "C" int MPI_Isend(const void* buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  count_down();
  return PMPI_Isend(buf, count, type, to, tag, comm, request);
}
extern "C" int MPI_Iallreduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  count_down();
  return PMPI_Iallreduce(from, into, count, type, op, comm, request);
}

extern "C" int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          MPI_Request* request) {
  count_down();
  return PMPI_Ibcast(data, count, type, root, comm, request);
}

int main(int argc, char** argv) {
  using namespace tacit::runtime;
  if (argc != 2)
    return 2;
  MPI_Init(&argc, &argv);
  graph_builder part(MPI_COMM_WORLD);
  std::vector<unsigned char> got(64 * static_cast<std::size_t>(part.size())), mine(64);
  const auto at = [](const unsigned char* from) -> graph_builder::bytes {
    return {{reinterpret_cast<std::uint64_t>(from), 64}};
  };
  for (int peer = 0; peer < part.size(); ++peer)
    if (peer != part.rank()) {
      part.recv(at(&got[64 * static_cast<std::size_t>(peer)]), peer, 0);
      part.send(at(mine.data()), peer, 0);
    }
  compile_request wanted;
  wanted.by = compiled_by::distributed;
  wanted.driver = "p2p";
  const bool dies = part.rank() == part.size() - 1;
  if (dies)
    left = std::atoi(argv[1]);
  const auto made = compile_together(part, "the test", [&] { return wanted; });
  if (dies && left >= 0)
    std::printf("nobody has ended\n");
  left = -1;
  made->start();
  made->wait();
  made->end();
  MPI_Finalize();
  return 0;
}
