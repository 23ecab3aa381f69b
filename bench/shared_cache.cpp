// What messages cost between two cores that share a cache, and between two that share none: three ways to move a block, in turns,
// while the distance is measured all the time, because the cores of a virtual machine move. Two processes, one bound to each core;
// built and run by bench/shared_cache.py.
//
// The distance is what src/runtime/channel/shared_cache.h finds out. Each window of exchanges has a look before and one after; it
// counts only if both say the same. A line of output: near or apart, bytes, way, nanoseconds an exchange.
#include "runtime/channel/shared_cache.h"
#include "runtime/channel/copy_past_caches.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace tacit::runtime;

constexpr std::uint64_t sizes[] = {1100, 8192, 65536, 1 << 20};
enum way : std::uint32_t { through_cache, past_caches, in_place, ways };
constexpr const char* names[] = {"through", "past", "in_place"};
constexpr std::uint32_t marks = 5; ///< more than the median is of

/// What both processes see. `sent` and `received` count exchanges.
struct meeting {
  alignas(128) std::atomic<std::uint64_t> sent = 0;
  alignas(128) std::atomic<std::uint64_t> received = 0;
  alignas(128) std::atomic<bool> refused = false;
  cache_mark line;
  alignas(4096) std::byte slot[1 << 20];
};

void bind(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0)
    std::exit(2);
}

void await(const std::atomic<std::uint64_t>& count, std::uint64_t wanted) {
  for (std::uint32_t looks = 1; count.load(std::memory_order_acquire) < wanted; ++looks)
    if (looks % 4096 != 0)
      __builtin_ia32_pause();
    else
      sched_yield(); // the other one may wait for this core, where others run, too
}

/// All that happens, in the same order in both processes.
template <typename Exchange, typename Probe, typename Window>
void schedule(std::uint32_t rounds, Exchange exchange, Probe probe, Window window) {
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (const std::uint64_t bytes : sizes)
      for (std::uint32_t how = 0; how < ways; ++how) {
        const auto times = static_cast<std::uint32_t>((std::uint64_t{1} << 21) / bytes / 8 + 4);
        exchange(bytes, static_cast<way>(how)); // warms up
        probe();
        window(bytes, static_cast<way>(how), times);
        probe();
      }
}

void send(meeting& m, const std::byte* source, std::uint64_t& count, std::uint64_t bytes, way how) {
  if (how == through_cache)
    std::memcpy(m.slot, source, bytes);
  else if (how == past_caches)
    copy_past_caches(m.slot, source, bytes);
  order_copies();
  m.sent.store(++count, std::memory_order_release);
  await(m.received, count);
}

int sender(meeting& m, const std::byte* source, std::uint32_t rounds) {
  std::uint64_t count = 0;
  shared_caches distance;
  distance.show(&m.line);
  schedule(
      rounds, [&](std::uint64_t bytes, way how) { send(m, source, count, bytes, how); },
      [&] {
        for (std::uint32_t k = 0; k < marks; ++k) {
          distance.mark();
          send(m, source, count, 0, in_place);
        }
      },
      [&](std::uint64_t bytes, way how, std::uint32_t times) {
        for (std::uint32_t k = 0; k < times; ++k)
          send(m, source, count, bytes, how);
      });
  return 0;
}

bool take(meeting& m, pid_t peer, const std::byte* source, std::byte* to, std::uint64_t bytes, way how) {
  if (how != in_place) {
    std::memcpy(to, m.slot, bytes);
    return true;
  }
  const iovec here{to, bytes}, there{const_cast<std::byte*>(source), bytes};
  return bytes == 0 || process_vm_readv(peer, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

int receiver(meeting& m, pid_t peer, const std::byte* source, std::uint32_t rounds) {
  std::vector<std::byte> to(1 << 20);
  std::uint64_t count = 0;
  shared_caches distance;
  distance.watch(0, &m.line);
  const auto receive = [&](std::uint64_t bytes, way how) {
    await(m.sent, ++count);
    if (!take(m, peer, source, to.data(), bytes, how))
      m.refused = true;
    m.received.store(count, std::memory_order_release);
  };
  bool before = false;
  std::uint64_t last_bytes = 0;
  way last = ways;
  double ns = 0;
  schedule(
      rounds, receive,
      [&] {
        for (std::uint32_t k = 0; k < marks; ++k) {
          await(m.sent, ++count);
          distance.look();
          m.received.store(count, std::memory_order_release);
        }
        const bool apart = distance.shares_no_cache(0);
        if (last != ways && apart == before && !m.refused)
          std::printf("%s %llu %s %.0f\n", apart ? "apart" : "near",
                      static_cast<unsigned long long>(last_bytes), names[last], ns);
        before = apart;
        last = ways;
      },
      [&](std::uint64_t bytes, way how, std::uint32_t times) {
        m.refused = false;
        const auto start = std::chrono::steady_clock::now();
        for (std::uint32_t k = 0; k < times; ++k)
          receive(bytes, how);
        ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
             times;
        last_bytes = bytes;
        last = how;
      });
  return 0;
}

} // namespace

int main(int count, char** words) {
  const auto rounds = static_cast<std::uint32_t>(count == 2 ? std::strtoul(words[1], nullptr, 10) : 0);
  if (rounds == 0) {
    std::fprintf(stderr, "usage: shared_cache ROUNDS\n");
    return 2;
  }
  void* const memory =
      mmap(nullptr, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 2;
  auto& m = *new (memory) meeting;
  std::vector<std::byte> source(1 << 20, std::byte{1});
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    bind(1);
    const int status = receiver(m, parent, source.data(), rounds);
    std::fflush(stdout);
    _exit(status);
  }
  bind(0);
  sender(m, source.data(), rounds);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}
