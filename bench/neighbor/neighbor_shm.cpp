// Two ranks, each the other's only neighbor: what one exchange costs, by size and by way of doing it.
//
//   mpiexec -n 2 neighbor_shm [blocks [bytes…]]
//
// Each iteration rewrites the send buffer, exchanges and reads the receive buffer. All ways run in one
// process, in short blocks, one after the other, again and again; the table shows the 10th percentile of the
// blocks in microseconds. `flag` is the floor: payload and flag written into shared memory by hand, with
// nothing around it.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <mpi.h>
#include <string>
#include <tacit/tacit.h>
#include <vector>

namespace {

constexpr std::size_t largest = 1 << 20;

struct way {
  std::string name;
  std::function<void()> exchange;
};

struct pair_of_ranks {
  int rank = 0, other = 0;
  std::vector<char> out, in;
  std::uint64_t sum = 0;

  void produce(std::size_t n, int i) { std::memset(out.data(), i, n); }
  void consume(std::size_t n) {
    for (std::size_t k = 0; k < n; k += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, in.data() + k, std::min<std::size_t>(8, n - k));
      sum += word;
    }
  }
};

/// Both sides in one window: for each rank two cache lines, the flag last in each.
class bare_flag {
public:
  bare_flag(std::size_t bytes, pair_of_ranks& p) : p_(p), bytes_(bytes) {
    char* base = nullptr;
    MPI_Win_allocate_shared(4 * 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
    mine_ = align(base);
    MPI_Aint size = 0;
    int unit = 0;
    char* there = nullptr;
    MPI_Win_shared_query(window_, p.other, &size, &unit, &there);
    theirs_ = align(there);
    std::memset(mine_, 0, 2 * 64);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~bare_flag() { MPI_Win_free(&window_); }
  void exchange() {
    ++run_;
    const std::size_t slot = run_ % 2 * 64;
    std::memcpy(theirs_ + slot, p_.out.data(), bytes_);
    flag(theirs_, slot).store(run_, std::memory_order_release);
    while (flag(mine_, slot).load(std::memory_order_acquire) != run_) {
    }
    std::memcpy(p_.in.data(), mine_ + slot, bytes_);
  }

private:
  static char* align(char* p) {
    return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64);
  }
  std::atomic_ref<std::uint64_t> flag(char* base, std::size_t slot) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(base + slot + 56));
  }
  pair_of_ranks& p_;
  std::size_t bytes_; ///< at most 56
  MPI_Win window_ = MPI_WIN_NULL;
  char *mine_ = nullptr, *theirs_ = nullptr;
  std::uint64_t run_ = 0;
};

double percentile10(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  return list[list.size() / 10];
}

tacit_schedule compiled(pair_of_ranks& p, std::size_t bytes, const char* driver) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_replace", "false"); // two messages, not an alltoall
  MPI_Info_set(info, "tacit_driver", driver);
  tacit_graph graph;
  tacit_schedule schedule;
  tacit_graph_create(MPI_COMM_WORLD, &graph);
  tacit_graph_send(graph, p.out.data(), static_cast<MPI_Count>(bytes), MPI_BYTE, p.other, 0, nullptr);
  tacit_graph_recv(graph, p.in.data(), static_cast<MPI_Count>(bytes), MPI_BYTE, p.other, 0, nullptr);
  if (tacit_compile(graph, info, &schedule) != TACIT_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  tacit_graph_free(&graph);
  MPI_Info_free(&info);
  return schedule;
}

void measure(std::size_t bytes, int blocks, pair_of_ranks& p) {
  const int n = static_cast<int>(bytes);
  std::vector<way> ways;
  bare_flag bare(std::min<std::size_t>(bytes, 56), p);
  if (bytes <= 56)
    ways.push_back({"flag", [&] { bare.exchange(); }});
  tacit_schedule shm = compiled(p, bytes, "shm");
  ways.push_back({"tacit_run", [&] { tacit_run(shm); }});
  ways.push_back({"start+wait", [&] {
                    tacit_start(shm);
                    tacit_wait(shm);
                  }});
  tacit_schedule p2p = compiled(p, bytes, "p2p");
  ways.push_back({"tacit p2p", [&] { tacit_run(p2p); }});
  MPI_Request persistent[2];
  MPI_Recv_init(p.in.data(), n, MPI_BYTE, p.other, 1, MPI_COMM_WORLD, &persistent[0]);
  MPI_Send_init(p.out.data(), n, MPI_BYTE, p.other, 1, MPI_COMM_WORLD, &persistent[1]);
  ways.push_back({"persistent", [&] {
                    MPI_Startall(2, persistent);
                    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
                  }});
  ways.push_back({"isend", [&] {
                    MPI_Request r[2];
                    MPI_Irecv(p.in.data(), n, MPI_BYTE, p.other, 2, MPI_COMM_WORLD, &r[0]);
                    MPI_Isend(p.out.data(), n, MPI_BYTE, p.other, 2, MPI_COMM_WORLD, &r[1]);
                    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
                  }});
  ways.push_back({"sendrecv", [&] {
                    MPI_Sendrecv(p.out.data(), n, MPI_BYTE, p.other, 3, p.in.data(), n, MPI_BYTE, p.other, 3,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                  }});
  MPI_Comm neighbors;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &p.other, MPI_UNWEIGHTED, 1, &p.other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &neighbors);
  ways.push_back({"neighbor", [&] {
                    MPI_Neighbor_alltoall(p.out.data(), n, MPI_BYTE, p.in.data(), n, MPI_BYTE, neighbors);
                  }});

  const int iterations = static_cast<int>(std::max<std::size_t>(20, 400 / (1 + bytes / 4096)));
  std::vector<std::vector<double>> times(ways.size());
  for (int block = 0; block < blocks; ++block)
    for (std::size_t w = 0; w < ways.size(); ++w) {
      MPI_Barrier(MPI_COMM_WORLD);
      ways[w].exchange(); // both are here now
      const double start = MPI_Wtime();
      for (int i = 0; i < iterations; ++i) {
        p.produce(bytes, i);
        ways[w].exchange();
        p.consume(bytes);
      }
      times[w].push_back((MPI_Wtime() - start) / iterations * 1e6);
    }
  std::string line = fmt::format("{:>8}", bytes);
  double ours = 0, best = 1e9;
  if (bytes > 56)
    line += fmt::format(" {:>10}", "");
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const double t = percentile10(times[w]);
    line += fmt::format(" {:>10.3f}", t);
    if (ways[w].name == "tacit_run")
      ours = t;
    if (ways[w].name == "persistent" || ways[w].name == "isend" || ways[w].name == "sendrecv" ||
        ways[w].name == "neighbor")
      best = std::min(best, t);
  }
  if (p.rank == 0)
    fmt::print("{} {:>9.2f}x\n", line, best / ours);
  MPI_Comm_free(&neighbors);
  for (MPI_Request& r : persistent)
    MPI_Request_free(&r);
  tacit_schedule_free(&shm);
  tacit_schedule_free(&p2p);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  pair_of_ranks p;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (p.rank == 0)
      fmt::print(stderr, "two ranks, please\n");
    MPI_Finalize();
    return 1;
  }
  p.other = 1 - p.rank;
  p.out.resize(largest);
  p.in.resize(largest);
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 50;
  std::vector<std::size_t> sizes;
  for (int i = 2; i < argc; ++i)
    sizes.push_back(std::min(largest, static_cast<std::size_t>(std::atol(argv[i]))));
  if (sizes.empty())
    sizes = {8, 56, 64, 256, 1024, 4096, 8192, 16384, 65536, 262144};
  if (p.rank == 0)
    fmt::print("{:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "bytes", "flag",
               "tacit_run", "start+wait", "tacit p2p", "persistent", "isend", "sendrecv", "neighbor",
               "MPI/ours");
  for (const std::size_t bytes : sizes)
    measure(bytes, blocks, p);
  if (p.rank == 0 && p.sum == 0)
    fmt::print("\n");
  MPI_Finalize();
  return 0;
}
