// For TSan: items of one kernel add to one variable. If it is not reported, nothing that TSan says of programs of tasks counts, for
// instance because a library between it and the kernel orders everything, or is suppressed as a whole.
#include <atomic>
#include <cstdio>
#include <tacit/tasks.hpp>
#include <thread>

namespace {

int racing = 0;                   ///< touched by all items
std::atomic<int> threads_here{0}; ///< orders nothing: relaxed
thread_local bool counted = false;

} // namespace

int main() {
  tacit::queue q;
  const tacit::buffer<int, 1> x(64);
  q.submit([&](tacit::handler& h) {
    const tacit::accessor to(x, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
    h.parallel_for(x.get_range(), [=](std::size_t i) {
      if (!counted)
        threads_here.fetch_add(1, std::memory_order_relaxed);
      counted = true;
      while (threads_here.load(std::memory_order_relaxed) < 2) // whatever else runs: two threads have items
        std::this_thread::yield();
      to[i] = ++racing;
    });
  });
  q.wait();
  std::printf("%d items\n", racing);
}
