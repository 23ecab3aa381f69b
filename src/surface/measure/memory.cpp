// What shared memory costs: a flag from core to core, and copying bytes that the other core has just written. The flags are C++ atomics.
#include "runtime/channel/copy_past_caches.h"
#include "surface/measure/pair.h"

#include <atomic>
#include <cstring>
#include <thread>

namespace tacit::surface {
namespace {

constexpr std::size_t line = 64, largest = 1 << 20;
/// Long messages go through rings of this size (runtime/channel), so the other core read most lines a while ago.
constexpr std::size_t ring = 1 << 18;

class shared_pair {
public:
  explicit shared_pair(const pair& p)
      : p_(p), memory_(p, p.first() ? largest + 2 * line : 0), base_(reinterpret_cast<char*>(memory_.of(0))) {
  }

  char* data() const { return base_ + 2 * line; }
  /// Where message number `n` of so many bytes lies in the ring.
  char* slot(std::uint64_t n, std::size_t bytes) const {
    return data() + (2 * bytes <= ring ? n % (ring / bytes) * bytes : 0);
  }
  void tell(std::uint64_t value) const { flag(p_.rank).store(value, std::memory_order_release); }
  /// Gives the core away after a while: there may be only one.
  void hear(std::uint64_t value) const {
    for (int i = 0; flag(p_.other()).load(std::memory_order_acquire) != value; ++i)
      if (i > 20000)
        std::this_thread::yield();
  }

private:
  std::atomic_ref<std::uint64_t> flag(int of) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(base_ + static_cast<std::size_t>(of) * line));
  }
  const pair& p_;
  pair_memory memory_;
  char* base_; ///< two lines with flags, then the data
};

graphs::spread flag_cost(const pair& p, const shared_pair& s, std::uint64_t& turn) {
  constexpr int count = 200;
  std::vector<double> list;
  for (sampling k(p); k.more();) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
      ++turn;
      if (p.first()) {
        s.tell(turn);
        s.hear(turn);
      } else {
        s.hear(turn);
        s.tell(turn);
      }
    }
    list.push_back((now() - start) / count / 2);
  }
  return graphs::spread_of(std::move(list));
}

/// Both combine what has just been copied with what lies there, as receivers of a reduction do.
graphs::spread combining(const pair& p, std::uint64_t bytes) {
  const std::size_t count = bytes / sizeof(std::int64_t);
  std::vector<std::int64_t> sent(count, 1), arrived(count), total(count, 0);
  const int repeats = bytes < 4096 ? 16 : 1;
  std::vector<double> list;
  for (sampling taken(p); taken.more();) {
    double all = 0;
    for (int i = 0; i < repeats; ++i) {
      std::memcpy(arrived.data(), sent.data(), bytes);
      const double start = now();
      MPI_Reduce_local(arrived.data(), total.data(), static_cast<int>(count), MPI_INT64_T, MPI_SUM);
      all += now() - start;
    }
    list.push_back(all / repeats);
  }
  return graphs::spread_of(std::move(list));
}

/// Rank 1 writes, rank 0 copies what it wrote, and then what it has just written itself: once into memory of its own, and once to
/// where rank 1 wrote and then reads, which is how messages travel (by the better way, as channels do).
graphs::memory_cost copies(const pair& p, const shared_pair& s, std::uint64_t bytes, std::uint64_t& turn) {
  std::vector<char> mine(bytes), source(bytes);
  std::vector<double> fetch, copy, fill, fill_past_caches;
  const int repeats = bytes < 4096 ? 16 : 1;
  int k = 0;
  std::uint64_t n = 0;
  for (sampling taken(p); taken.more(); ++k) {
    double fetching = 0, copying = 0, filling = 0;
    for (int i = 0; i < repeats; ++i, ++n) {
      ++turn;
      if (!p.first()) {
        std::memset(s.slot(n, bytes), k, bytes);
        s.tell(turn);
        s.hear(turn);
        std::memcpy(mine.data(), s.slot(n, bytes), bytes); // as a receiver
        volatile char keep = mine[static_cast<std::size_t>(k) % bytes];
        static_cast<void>(keep);
        ++turn;
        s.tell(turn);
        s.hear(turn);
        continue;
      }
      s.hear(turn);
      char* const there = s.slot(n, bytes);
      const double start = now();
      std::memcpy(mine.data(), there, bytes);
      const double middle = now();
      std::memset(source.data(), k + 1, bytes);
      const double later = now();
      std::memcpy(mine.data(), source.data(), bytes);
      copying += now() - later;
      fetching += middle - start;
      volatile char keep = mine[static_cast<std::size_t>(k) % bytes];
      static_cast<void>(keep);
      std::memcpy(there, mine.data(), bytes);
      s.tell(turn);
      ++turn;
      s.hear(turn); // the other core has read all of it
      const double before = now();
      if (k % 2 == 0) {
        std::memcpy(s.slot(n + 1, bytes), source.data(), bytes);
      } else {
        runtime::copy_past_caches(reinterpret_cast<std::byte*>(s.slot(n + 1, bytes)),
                                  reinterpret_cast<const std::byte*>(source.data()), bytes);
        runtime::order_copies();
      }
      filling += now() - before;
      s.tell(turn);
    }
    (k % 2 == 0 ? fill : fill_past_caches).push_back(filling / repeats);
    fetch.push_back(fetching / repeats);
    copy.push_back(copying / repeats);
  }
  const graphs::spread plain = graphs::spread_of(std::move(fill)),
                       past = graphs::spread_of(std::move(fill_past_caches));
  return {bytes,
          graphs::spread_of(std::move(copy)),
          graphs::spread_of(std::move(fetch)),
          past.median < plain.median ? past : plain,
          {}};
}

} // namespace

double flag_time(const pair& p) {
  const shared_pair s(p);
  std::uint64_t turn = 0;
  flag_cost(p, s, turn);
  return flag_cost(p, s, turn).median;
}

memory_result memory_costs(const pair& p) {
  const shared_pair s(p);
  std::uint64_t turn = 0;
  memory_result out;
  flag_cost(p, s, turn);
  out.flag = flag_cost(p, s, turn);
  for (const std::uint64_t bytes : sizes()) {
    out.costs.push_back(copies(p, s, bytes, turn));
    out.costs.back().combine = combining(p, bytes);
  }
  return out;
}

} // namespace tacit::surface
