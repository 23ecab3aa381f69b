#include "variants.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mpi.h>
#include <sched.h>
#include <set>
#include <tacit/tacit.h>
#include <thread>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

namespace bench {

buffers::buffers(std::size_t slots, std::size_t bytes_, bool shared)
    : bytes(bytes_), out((slots * bytes + 7) / 8), own(out.size()), in(own) {
  void* memory = nullptr;
  if (shared && tacit_alloc_mem(static_cast<MPI_Aint>(out.size() * 8), &memory) != TACIT_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  if (memory)
    in = {static_cast<std::uint64_t*>(memory), out.size()};
}

buffers::~buffers() {
  if (in.data() != own.data())
    tacit_free_mem(in.data());
}

void buffers::produce(int value) {
  std::memset(out.data(), value, out.size() * 8);
}

void buffers::consume() {
  std::uint64_t sums[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= in.size(); k += 8)
    for (std::size_t j = 0; j < 8; ++j)
      sums[j] += in[k + j];
  for (; k < in.size(); ++k)
    sums[0] += in[k];
  for (const std::uint64_t s : sums)
    sum += s;
}

namespace {

class computation_only : public variant {
public:
  void exchange() override {}
};

class isend : public variant {
public:
  isend(const pattern& p, buffers& b)
      : p_(p), b_(b), requests_(p.sources.size() + p.destinations.size(), MPI_REQUEST_NULL) {}
  void exchange() override {
    const int n = static_cast<int>(b_.bytes);
    std::size_t at = 0;
    for (std::size_t i = 0; i < p_.sources.size(); ++i)
      MPI_Irecv(b_.in_block(i), n, MPI_BYTE, p_.sources[i], p_.receive_tags[i], p_.comm, &requests_[at++]);
    for (std::size_t i = 0; i < p_.destinations.size(); ++i)
      MPI_Isend(b_.out_block(i), n, MPI_BYTE, p_.destinations[i], p_.send_tags[i], p_.comm, &requests_[at++]);
    MPI_Waitall(static_cast<int>(at), requests_.data(), MPI_STATUSES_IGNORE);
  }

private:
  const pattern& p_;
  buffers& b_;
  std::vector<MPI_Request> requests_;
};

/// What goes to and comes from each peer, in memory of one piece; the rank itself is one of its peers.
class by_peer {
public:
  by_peer(const pattern& p, buffers& b) : b_(b) {
    MPI_Comm_rank(p.comm, &rank_);
    group(p.destinations, p.send_tags, to_);
    group(p.sources, p.receive_tags, from_);
  }
  static bool differs(const pattern& p) {
    return std::set<int>(p.destinations.begin(), p.destinations.end()).size() < p.destinations.size();
  }

protected:
  struct message {
    std::vector<std::size_t> slots;
    std::vector<char> memory;
  };
  void gather(const message& m, char* into) const {
    for (const std::size_t slot : m.slots) {
      std::memcpy(into, b_.out_block(slot), b_.bytes);
      into += b_.bytes;
    }
  }
  void scatter(const message& m, const char* from) const {
    for (const std::size_t slot : m.slots) {
      std::memcpy(b_.in_block(slot), from, b_.bytes);
      from += b_.bytes;
    }
  }

  int rank_ = 0;
  std::map<int, message> to_, from_;

private:
  /// By tags, so that blocks that are sent in one message are received in the same order.
  void group(const std::vector<int>& peers, const std::vector<int>& tags, std::map<int, message>& into) {
    std::map<std::pair<int, int>, std::size_t> order;
    for (std::size_t i = 0; i < peers.size(); ++i)
      order[{peers[i], tags[i]}] = i;
    for (const auto& [key, slot] : order) {
      message& m = into[key.first];
      m.slots.push_back(slot);
      m.memory.resize(m.memory.size() + b_.bytes);
    }
  }
  buffers& b_;
};

class packed : public variant, private by_peer {
public:
  packed(const pattern& p, buffers& b) : by_peer(p, b), p_(p), requests_(to_.size() + from_.size()) {}
  using by_peer::differs;
  void exchange() override {
    int at = 0;
    for (auto& [peer, side] : from_)
      if (peer != rank_)
        MPI_Irecv(side.memory.data(), static_cast<int>(side.memory.size()), MPI_BYTE, peer, 0, p_.comm,
                  &requests_[static_cast<std::size_t>(at++)]);
    for (auto& [peer, side] : to_) {
      auto& memory = peer == rank_ ? from_[peer].memory : side.memory;
      gather(side, memory.data());
      if (peer != rank_)
        MPI_Isend(memory.data(), static_cast<int>(memory.size()), MPI_BYTE, peer, 0, p_.comm,
                  &requests_[static_cast<std::size_t>(at++)]);
    }
    MPI_Waitall(at, requests_.data(), MPI_STATUSES_IGNORE);
    for (auto& [peer, side] : from_)
      scatter(side, side.memory.data());
  }

private:
  const pattern& p_;
  std::vector<MPI_Request> requests_;
};

/// Each rank has two places in its memory for each source, used in turn: the flag, then the bytes. The second
/// run after one writes its place again; by then the destination has read it, as it has sent the run between
/// (every neighbor is source and destination).
class bare_flags : public variant, private by_peer {
public:
  bare_flags(const pattern& p, buffers& b) : by_peer(p, b) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    crowded_ = static_cast<unsigned>(ranks) > std::thread::hardware_concurrency();
    std::vector<MPI_Aint> mine(static_cast<std::size_t>(ranks)), theirs(mine.size());
    MPI_Aint bytes = 0;
    for (const auto& [peer, side] : from_) {
      mine[static_cast<std::size_t>(peer)] = bytes;
      bytes += 2 * place_bytes(side);
    }
    MPI_Alltoall(mine.data(), 1, MPI_AINT, theirs.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_allocate_shared(bytes + 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base_, &window_);
    std::memset(base_, 0, static_cast<std::size_t>(bytes) + 64);
    for (const auto& [peer, side] : from_)
      in_.push_back({&side, place(rank_, mine[static_cast<std::size_t>(peer)])});
    for (const auto& [peer, side] : to_)
      out_.push_back({&side, place(peer, theirs[static_cast<std::size_t>(peer)])});
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~bare_flags() override { MPI_Win_free(&window_); }
  void exchange() override {
    ++run_;
    for (const auto& [side, at] : out_) {
      char* const now = at + run_ % 2 * static_cast<std::size_t>(place_bytes(*side));
      gather(*side, now + 8);
      flag(now).store(run_, std::memory_order_release);
    }
    for (const auto& [side, at] : in_) {
      char* const now = at + run_ % 2 * static_cast<std::size_t>(place_bytes(*side));
      while (flag(now).load(std::memory_order_acquire) != run_)
        if (crowded_)
          sched_yield();
      scatter(*side, now + 8);
    }
  }

private:
  struct end {
    const message* side;
    char* at;
  };
  static MPI_Aint place_bytes(const message& m) {
    return static_cast<MPI_Aint>((m.memory.size() + 8 + 63) / 64 * 64);
  }
  /// Where a block begins: each has whole cache lines of its own.
  char* place(int rank, MPI_Aint offset) const {
    MPI_Aint size = 0;
    int unit = 0;
    char* start = nullptr;
    MPI_Win_shared_query(window_, rank, &size, &unit, &start);
    return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(start) + 63) / 64 * 64) + offset;
  }
  static std::atomic_ref<std::uint64_t> flag(char* at) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at));
  }
  bool crowded_ = false; ///< more ranks than cores
  char* base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<end> out_, in_;
  std::uint64_t run_ = 0;
};

class persistent : public variant {
public:
  persistent(const pattern& p, buffers& b) {
    const int n = static_cast<int>(b.bytes);
    requests_.resize(p.sources.size() + p.destinations.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < p.sources.size(); ++i)
      MPI_Recv_init(b.in_block(i), n, MPI_BYTE, p.sources[i], p.receive_tags[i], p.comm, &requests_[at++]);
    for (std::size_t i = 0; i < p.destinations.size(); ++i)
      MPI_Send_init(b.out_block(i), n, MPI_BYTE, p.destinations[i], p.send_tags[i], p.comm, &requests_[at++]);
  }
  ~persistent() override {
    for (MPI_Request& r : requests_)
      MPI_Request_free(&r);
  }
  void exchange() override {
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

private:
  std::vector<MPI_Request> requests_;
};

class neighbor : public variant {
public:
  neighbor(const pattern& p, buffers& b) : p_(p), b_(b) {}
  void exchange() override {
    const int n = static_cast<int>(b_.bytes);
    MPI_Neighbor_alltoall(b_.out.data(), n, MPI_BYTE, b_.in.data(), n, MPI_BYTE, p_.comm);
  }

private:
  const pattern& p_;
  buffers& b_;
};

#if MPI_VERSION >= 4 || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define HAVE_PERSISTENT_COLLECTIVES
class neighbor_init : public variant {
public:
  neighbor_init(const pattern& p, buffers& b) {
    const int n = static_cast<int>(b.bytes);
#if MPI_VERSION >= 4
    MPI_Neighbor_alltoall_init(b.out.data(), n, MPI_BYTE, b.in.data(), n, MPI_BYTE, p.comm, MPI_INFO_NULL,
                               &request_);
#else
    MPIX_Neighbor_alltoall_init(b.out.data(), n, MPI_BYTE, b.in.data(), n, MPI_BYTE, p.comm, MPI_INFO_NULL,
                                &request_);
#endif
  }
  ~neighbor_init() override { MPI_Request_free(&request_); }
  void exchange() override {
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }

private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};
#endif

} // namespace

tacit_variant::tacit_variant(const pattern& p, buffers& b, const char* key, const char* value) {
  const int n = static_cast<int>(b.bytes);
  MPI_Info info = MPI_INFO_NULL;
  if (key) {
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
  }
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
  if (tacit_neighbor_alltoall_init(b.out.data(), n, MPI_BYTE, b.in.data(), n, MPI_BYTE, p.tacit, info,
                                   &schedule) != TACIT_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  schedule_ = schedule;
  if (key)
    MPI_Info_free(&info);
}

tacit_variant::~tacit_variant() {
  auto schedule = static_cast<tacit_schedule>(schedule_);
  tacit_schedule_free(&schedule);
}

void tacit_variant::exchange() {
  auto schedule = static_cast<tacit_schedule>(schedule_);
  tacit_start(schedule);
  tacit_wait(schedule);
}

std::string tacit_variant::explain() const {
  char text[2048] = {};
  tacit_explain(static_cast<tacit_schedule>(schedule_), TACIT_EXPLAIN_TEXT, text, sizeof text, nullptr);
  return text;
}

std::vector<std::unique_ptr<variant>> make_variants(const pattern& p, buffers& b) {
  std::vector<std::unique_ptr<variant>> variants;
  const auto add = [&](const char* name, std::unique_ptr<variant> made) {
    made->name = name;
    variants.push_back(std::move(made));
  };
  add("tacit", std::make_unique<tacit_variant>(p, b));
  add("isend", std::make_unique<isend>(p, b));
  add("compute", std::make_unique<computation_only>());
  add("flag", std::make_unique<bare_flags>(p, b));
  if (packed::differs(p)) {
    add("tacit edges", std::make_unique<tacit_variant>(p, b, "tacit_neighbor_without", "coalesce,combine"));
    add("packed", std::make_unique<packed>(p, b));
  }
  add("tacit p2p", std::make_unique<tacit_variant>(p, b, "tacit_driver", "p2p"));
  add("persistent", std::make_unique<persistent>(p, b));
  add("neighbor", std::make_unique<neighbor>(p, b));
#ifdef HAVE_PERSISTENT_COLLECTIVES
  add("neighbor init", std::make_unique<neighbor_init>(p, b));
#endif
  return variants;
}

} // namespace bench
