// A rank that ends in the middle of compiling: test_dead_rank HOW CALL. The last rank kills itself in its CALL-th message of a compilation
// in parts ("parts"), or of the runs in which ranks connect while the graph runs as written ("background"); without one of that number
// it says so and succeeds. The others wait for messages, and whoever started them has to end them.
#include "runtime/schedule/compile_together.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
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

namespace {

using namespace tacit::runtime;

void run(schedule& s) {
  s.start();
  s.wait();
}

bool is_under_way(const schedule& s) {
  return s.explain().text.find("\nanalysis: under way") != std::string::npos;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  const bool in_background = argv[1] == std::string("background");
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
  wanted.background = in_background;
  if (!in_background) {
    wanted.by = compiled_by::distributed;
    wanted.driver = "p2p";
  }
  const bool dies = part.rank() == part.size() - 1;
  if (dies && !in_background)
    left = std::atoi(argv[2]);
  const auto made = compile_together(part, "the test", [&] { return wanted; });
  if (dies && in_background)
    left = std::atoi(argv[2]);
  while (in_background && is_under_way(*made)) // all ranks go over at the same run
    run(*made);
  if (dies && left >= 0)
    std::printf("nobody has ended\n");
  left = -1;
  run(*made);
  made->end();
  MPI_Finalize();
  return 0;
}
