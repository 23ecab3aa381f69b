// One exchange with neighbors on simulated ranks, in all variants that were asked for: run by simulated.py.
//
//   simulated.so PATTERN SIZES VARIANTS ROUNDS
//
// PATTERN   sparse:DEGREE:HOT   every rank sends to DEGREE random others; HOT: none, in (all send to
//                               rank 0), out (rank 0 sends to all), both
//           ascending:DEGREE    the same, without a hot rank, each rank's list in ascending order
//           grid:AxB…           periodic Cartesian grid, its 2 neighbors per dimension
//           cells:AxB…:RADIUS   periodic grid, all cells around a cell and the cell itself
//           wrf:AxB:FIELDS      41 x 81 x 64 points on A x B ranks, periodic in the second dimension
//                               only: sides and corners of the halo, width SIZES instead of bytes
// SIZES     bytes per edge, separated by commas
// VARIANTS  hand (Irecv, Isend, Waitall as a program would write it), or all optimizations of tacit but those
//           listed: all, or without+NAME+NAME
// ROUNDS    how often; the last one counts
//
// With S5_OVERHEADS="SEND RECEIVE NEAR_SEND NEAR_RECEIVE" (seconds) a message keeps its two ends busy for
// less time if both are on one node, which the settings smpi/os, smpi/ois and smpi/or cannot say.
//
// All ranks start a round at the same simulated time; it ends when the last rank has finished. Every byte
// that arrives is compared with what its sender must have sent in that round. One line per size and variant.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <random>
#include <simgrid/s4u/Host.hpp>
#include <smpi/smpi.h>
#include <string>
#include <tacit/tacit.h>
#include <time.h>
#include <vector>

namespace {

struct outgoing {
  int peer;
  int bytes;
};
struct incoming {
  int peer;
  int bytes;
  int slot; ///< of the sender
};

int me = 0, ranks = 0;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "rank %d: %s: %s\n", me, what, tacit_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// The whole text, which must be a number.
int number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    give_up(("no number: " + text).c_str());
  return value;
}

std::vector<int> numbers(const std::string& text, char at) {
  std::vector<int> out;
  for (const std::string& part : split(text, at))
    out.push_back(number(part));
  return out;
}

void check(int code, const char* what) {
  if (code != TACIT_SUCCESS)
    give_up(what);
}

/// Told by one rank; it holds for the whole simulation.
void tell_overheads(const char* text) {
  double send = 0, receive = 0, near_send = 0, near_receive = 0;
  if (std::sscanf(text, "%lf %lf %lf %lf", &send, &receive, &near_send, &near_receive) != 4)
    give_up("S5_OVERHEADS is not four numbers");
  using host = const simgrid::s4u::Host*;
  const auto sending = [=](std::size_t, host from, host to) { return from == to ? near_send : send; };
  smpi_register_op_cost_callback(SmpiOperation::SEND, sending);
  smpi_register_op_cost_callback(SmpiOperation::ISEND, sending);
  smpi_register_op_cost_callback(SmpiOperation::RECV, [=](std::size_t, host from, host to) {
    return from == to ? near_receive : receive;
  });
}

// --- patterns: the edges of this rank, and a communicator with them

struct pattern {
  std::vector<outgoing> out;
  std::vector<incoming> in;
  MPI_Comm comm = MPI_COMM_NULL;
};

MPI_Comm attached(tacit_topology topology) {
  MPI_Comm comm = MPI_COMM_NULL;
  check(tacit_topology_comm(topology, MPI_COMM_WORLD, &comm), "tacit_topology_comm");
  tacit_topology_free(&topology);
  return comm;
}

MPI_Comm graph(const pattern& p) {
  std::vector<int> sources, destinations;
  for (const incoming& e : p.in)
    sources.push_back(e.peer);
  for (const outgoing& e : p.out)
    destinations.push_back(e.peer);
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  check(tacit_topology_graph(static_cast<int>(sources.size()), sources.data(), nullptr,
                             static_cast<int>(destinations.size()), destinations.data(), nullptr, &t),
        "tacit_topology_graph");
  return attached(t);
}

/// Every rank computes the whole graph, and keeps what concerns it.
pattern sparse(int degree, const std::string& hot, int bytes, bool ascending = false) {
  pattern p;
  std::mt19937_64 random(2012);
  for (int from = 0; from < ranks; ++from) {
    std::vector<int> to;
    if (from != 0 && (hot == "in" || hot == "both"))
      to.push_back(0);
    if (from == 0 && (hot == "out" || hot == "both"))
      for (int r = 1; r < ranks; ++r)
        to.push_back(r);
    for (int k = 0; k < degree; ++k)
      to.push_back(static_cast<int>(
          (static_cast<std::uint64_t>(from) + 1 + random() % static_cast<std::uint64_t>(ranks - 1)) %
          static_cast<std::uint64_t>(ranks)));
    if (ascending)
      std::sort(to.begin(), to.end());
    for (std::size_t slot = 0; slot < to.size(); ++slot) {
      if (from == me)
        p.out.push_back({to[slot], bytes});
      if (to[slot] == me)
        p.in.push_back({from, bytes, static_cast<int>(slot)});
    }
  }
  p.comm = graph(p);
  return p;
}

std::vector<int> coordinates(const std::vector<int>& dims, int rank) {
  std::vector<int> at(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d])
    at[d] = rank % dims[d];
  return at;
}

int rank_of(const std::vector<int>& dims, const std::vector<int>& at) {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d)
    rank = rank * dims[d] + (at[d] + dims[d]) % dims[d];
  return rank;
}

int shifted(const std::vector<int>& dims, const std::vector<int>& offset, int sign) {
  std::vector<int> at = coordinates(dims, me);
  for (std::size_t d = 0; d < dims.size(); ++d)
    at[d] += sign * offset[d];
  return rank_of(dims, at);
}

pattern grid(const std::vector<int>& dims, int bytes) {
  pattern p;
  for (std::size_t d = 0; d < dims.size(); ++d)
    for (const int step : {-1, 1}) {
      std::vector<int> offset(dims.size(), 0);
      offset[d] = step;
      const int peer = shifted(dims, offset, 1), slot = static_cast<int>(2 * d) + (step < 0 ? 1 : 0);
      p.out.push_back({peer, bytes});
      p.in.push_back({peer, bytes, slot});
    }
  const std::vector<int> periodic(dims.size(), 1);
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  check(tacit_topology_cart(static_cast<int>(dims.size()), dims.data(), periodic.data(), &t),
        "tacit_topology_cart");
  p.comm = attached(t);
  return p;
}

pattern cells(const std::vector<int>& dims, int radius, int bytes) {
  pattern p;
  std::vector<int> all, offset(dims.size(), -radius);
  for (int slot = 0;; ++slot) {
    all.insert(all.end(), offset.begin(), offset.end());
    p.out.push_back({shifted(dims, offset, 1), bytes});
    p.in.push_back({shifted(dims, offset, -1), bytes, slot});
    std::size_t d = dims.size();
    while (d > 0 && ++offset[d - 1] > radius)
      offset[--d] = -radius;
    if (d == 0)
      break;
  }
  const std::vector<int> periodic(dims.size(), 1);
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  check(tacit_topology_stencil(static_cast<int>(dims.size()), dims.data(), periodic.data(),
                               static_cast<int>(p.out.size()), all.data(), &t),
        "tacit_topology_stencil");
  p.comm = attached(t);
  return p;
}

/// The points of `all` that part i of n has.
int share(int all, int n, int i) {
  return all / n + (i < all % n ? 1 : 0);
}

pattern wrf(const std::vector<int>& dims, int fields, int width) {
  constexpr int points[] = {41, 81}, levels = 64, value = 4;
  pattern p;
  // Bytes from rank `from` in direction (y, x): its whole side, or a corner.
  const auto bytes = [&](const std::vector<int>& from, int y, int x) {
    const int along_y = y != 0 ? width : share(points[0], dims[0], from[0]);
    const int along_x = x != 0 ? width : share(points[1], dims[1], from[1]);
    return along_y * along_x * levels * value * fields;
  };
  // Slots count the directions that exist: fewer at the open boundaries.
  const auto slot_of = [&](const std::vector<int>& from, int to_y, int to_x) {
    int slot = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        if ((y == 0 && x == 0) || from[0] + y < 0 || from[0] + y >= dims[0])
          continue;
        if (y == to_y && x == to_x)
          return slot;
        ++slot;
      }
    return -1;
  };
  const std::vector<int> here = coordinates(dims, me);
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x) {
      if ((y == 0 && x == 0) || here[0] + y < 0 || here[0] + y >= dims[0])
        continue;
      const int peer = rank_of(dims, {here[0] + y, here[1] + x});
      const std::vector<int> there = coordinates(dims, peer);
      p.out.push_back({peer, bytes(here, y, x)});
      p.in.push_back({peer, bytes(there, -y, -x), slot_of(there, -y, -x)});
    }
  p.comm = graph(p);
  return p;
}

pattern make(const std::string& text, int size) {
  const auto part = split(text, ':');
  if (part[0] == "sparse" && part.size() == 3)
    return sparse(number(part[1]), part[2], size);
  if (part[0] == "ascending" && part.size() == 2)
    return sparse(number(part[1]), "none", size, true);
  if (part[0] == "grid" && part.size() == 2)
    return grid(numbers(part[1], 'x'), size);
  if (part[0] == "cells" && part.size() == 3)
    return cells(numbers(part[1], 'x'), number(part[2]), size);
  if (part[0] == "wrf" && part.size() == 3)
    return wrf(numbers(part[1], 'x'), number(part[2]), size);
  give_up("unknown pattern");
}

// --- data

unsigned char byte_of(int sender, int slot, int round, int i) {
  std::uint64_t x = (static_cast<std::uint64_t>(sender) * 4096 + static_cast<std::uint64_t>(slot)) * 64 +
                    static_cast<std::uint64_t>(round) + static_cast<std::uint64_t>(i / 8) * 0x1000000000ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned char>((x ^ (x >> 31)) >> (8 * (i % 8)));
}

struct buffers {
  std::vector<unsigned char> out, in;
  std::vector<int> out_counts, out_places, in_counts, in_places;

  explicit buffers(const pattern& p) {
    int place = 0;
    for (const outgoing& e : p.out) {
      out_counts.push_back(e.bytes);
      out_places.push_back(place);
      place += e.bytes;
    }
    out.resize(static_cast<std::size_t>(place) + 1);
    place = 0;
    for (const incoming& e : p.in) {
      in_counts.push_back(e.bytes);
      in_places.push_back(place);
      place += e.bytes;
    }
    in.resize(static_cast<std::size_t>(place) + 1);
  }
  void fill(const pattern& p, int round) {
    for (std::size_t s = 0; s < p.out.size(); ++s)
      for (int i = 0; i < p.out[s].bytes; ++i)
        out[static_cast<std::size_t>(out_places[s] + i)] = byte_of(me, static_cast<int>(s), round, i);
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0xee));
  }
  long wrong(const pattern& p, int round) const {
    long n = 0;
    for (std::size_t s = 0; s < p.in.size(); ++s)
      for (int i = 0; i < p.in[s].bytes; ++i)
        n += in[static_cast<std::size_t>(in_places[s] + i)] != byte_of(p.in[s].peer, p.in[s].slot, round, i);
    return n;
  }
};

// --- variants

class exchange {
public:
  virtual ~exchange() = default;
  virtual void run() = 0;
};

class by_hand : public exchange {
public:
  by_hand(const pattern& p, buffers& b) : p_(p), b_(b), requests_(p.in.size() + p.out.size()) {}
  void run() override {
    MPI_Request* next = requests_.data();
    for (std::size_t s = 0; s < p_.in.size(); ++s)
      MPI_Irecv(&b_.in[static_cast<std::size_t>(b_.in_places[s])], p_.in[s].bytes, MPI_BYTE, p_.in[s].peer,
                p_.in[s].slot, p_.comm, next++);
    for (std::size_t s = 0; s < p_.out.size(); ++s)
      MPI_Isend(&b_.out[static_cast<std::size_t>(b_.out_places[s])], p_.out[s].bytes, MPI_BYTE,
                p_.out[s].peer, static_cast<int>(s), p_.comm, next++);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

private:
  const pattern& p_;
  buffers& b_;
  std::vector<MPI_Request> requests_;
};

class by_tacit : public exchange {
public:
  by_tacit(const pattern& p, buffers& b, const std::string& without) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_neighbor_without", without.c_str());
    check(tacit_neighbor_alltoallv_init(b.out.data(), b.out_counts.data(), b.out_places.data(), MPI_BYTE,
                                        b.in.data(), b.in_counts.data(), b.in_places.data(), MPI_BYTE, p.comm,
                                        info, &schedule_),
          "tacit_neighbor_alltoallv_init");
    MPI_Info_free(&info);
  }
  ~by_tacit() override { tacit_schedule_free(&schedule_); }
  void run() override {
    check(tacit_start(schedule_), "tacit_start");
    check(tacit_wait(schedule_), "tacit_wait");
  }

private:
  tacit_schedule schedule_ = TACIT_SCHEDULE_NULL;
};

exchange* made(const std::string& variant, const pattern& p, buffers& b) {
  if (variant == "hand")
    return new by_hand(p, b);
  std::string without = variant == "all" ? "" : variant.substr(variant.find('+') + 1);
  std::replace(without.begin(), without.end(), '+', ',');
  return new by_tacit(p, b, without);
}

/// All ranks return at the same simulated time.
double together() {
  double now = MPI_Wtime(), latest = 0;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double at = latest + 0.05, left = at - MPI_Wtime();
  const timespec pause{0, static_cast<long>(left * 1e9)};
  nanosleep(&pause, nullptr);
  return at;
}

/// What the last rank needed since `start`.
double seconds_since(double start) {
  double mine = MPI_Wtime() - start, longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

void measure(const pattern& p, int size, const std::string& variant, int rounds) {
  buffers b(p);
  double start = together();
  exchange* e = made(variant, p, b);
  const double setup = seconds_since(start);
  double seconds = 0;
  long wrong = 0, all_wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    b.fill(p, round);
    start = together();
    e->run();
    seconds = seconds_since(start);
    wrong += b.wrong(p, round);
  }
  delete e;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0)
    std::printf("result %d %s %.9f %.9f %ld\n", size, variant.c_str(), seconds, setup, all_wrong);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5)
    give_up("usage: PATTERN SIZES VARIANTS ROUNDS");
  if (const char* overheads = std::getenv("S5_OVERHEADS"); overheads != nullptr && me == 0)
    tell_overheads(overheads);
  for (const int size : numbers(argv[2], ',')) {
    pattern p = make(argv[1], size);
    for (const std::string& variant : split(argv[3], ','))
      measure(p, size, variant, number(argv[4]));
    MPI_Comm_free(&p.comm);
  }
  if (me == 0)
    std::printf("finished\n");
  MPI_Finalize();
  return 0;
}
