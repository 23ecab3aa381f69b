// Kernels on threads of this process.
//
// A launch is cut into blocks, a few for every thread (launched_kernel.h); oneTBB runs them and steals from busy threads.
//
// What is over sooner than another thread would wake up runs at once on the thread that launches it: short copies, and kernels whose
// items, as measured the last times, take less than a few microseconds altogether. Other kernels run on the calling thread, too, if
// it offers itself (run()), with the help of others.
//
// Memory: every memory has address space for whole buffers, of which the kernel of the system gives pages as they are touched.
// So an allocation never has to grow and move when a task touches more of a buffer, and an element has the same place in
// every memory. What a rank never touches costs it nothing; columns of a matrix touch all of its pages.
#include "runtime/devices/backend.h"
#include "runtime/devices/launched_kernel.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <new>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <sys/mman.h>
#include <unordered_map>
#include <utility>

namespace tacit::runtime {

namespace {

/// How long items of each kernel have taken, by the type of the kernel. Any thread may use it.
class kernel_times {
public:
  /// No guess: infinitely long.
  double guess(const kernel_launch& what) const {
    const std::lock_guard lock(mutex_);
    const auto known = seconds_per_item_.find(&what.what->kernel.target_type());
    return known == seconds_per_item_.end() ? std::numeric_limits<double>::infinity()
                                            : known->second * static_cast<double>(volume(what.items));
  }
  /// Longer runs count at once, shorter ones by and by: a kernel that may take long must not run in the wrong place often.
  void add(const std::type_info& kernel, std::size_t items, double seconds) {
    const double now = seconds / static_cast<double>(std::max<std::size_t>(1, items));
    const std::lock_guard lock(mutex_);
    double& known = seconds_per_item_.try_emplace(&kernel, now).first->second;
    known = now > known ? now : known + (now - known) / 4;
  }

private:
  mutable std::mutex mutex_;
  /// By address, as names of kernels are long. Of a type that two libraries share there may be two, each with a time of its own.
  std::unordered_map<const std::type_info*, double> seconds_per_item_;
};

/// Below these, waking another thread (5 to 50 us) costs more than the work.
constexpr double longest_at_once = 15e-6;
constexpr std::size_t most_bytes_at_once = 64 * 1024;

class host_threads final : public backend {
public:
  host_threads(int threads, int separate_devices)
      : threads_(threads), separate_(separate_devices),
        most_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads) + 1),
        arena_(threads, 0) {}

  std::string name() const override {
    return separate_ ? "host threads with separate memories" : "host threads";
  }
  int devices() const override { return std::max(1, separate_); }
  int memories() const override { return 1 + separate_; }
  memory_number memory_of(int device) const override { return separate_ ? 1 + device : host_memory; }

  detail::allocation allocate(memory_number, const detail::index_box&, const detail::extents& range,
                              std::size_t element_bytes) override {
    detail::allocation made;
    made.range = range;
    const std::size_t bytes = bytes_of(made, element_bytes);
    made.data =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made.data == MAP_FAILED)
      throw std::bad_alloc();
    return made;
  }
  void release(memory_number, const detail::allocation& which, std::size_t element_bytes) override {
    munmap(which.data, bytes_of(which, element_bytes));
  }

  void copy(memory_number, memory_number, const box_copy& what, when_done done) override {
    start([what] { copy_box(what); }, std::move(done),
          volume(what.box) * what.element_bytes <= most_bytes_at_once);
  }

  void launch(int, kernel_launch&& what, when_done done) override {
    auto kernel = std::make_shared<launched_kernel>(std::move(what), static_cast<std::size_t>(threads_));
    start([this, kernel] { run_blocks(*kernel, false); }, std::move(done), false);
  }

  bool run_if_short(int, kernel_launch& what, std::exception_ptr& error) override {
    if (times_.guess(what) >= longest_at_once)
      return false;
    launched_kernel kernel(std::move(what), 1);
    const auto work = [&] { run_blocks(kernel, true); };
    error = error_of(work);
    return true;
  }

  bool prefers_run() const override { return true; }

  void run(int, kernel_launch&& what, when_done done) override {
    launched_kernel kernel(std::move(what), static_cast<std::size_t>(threads_));
    const auto work = [&] {
      if (threads_ == 1)
        run_blocks(kernel, true);
      else
        arena_.execute([&] { run_blocks(kernel, false); });
    };
    done(error_of(work));
  }

  void run_on_host(std::function<void()> what, when_done done) override {
    start(std::move(what), std::move(done), false);
  }

private:
  static std::size_t bytes_of(const detail::allocation& which, std::size_t element_bytes) {
    return std::max<std::size_t>(1, which.range[0] * which.range[1] * which.range[2] * element_bytes);
  }

  void run_blocks(launched_kernel& kernel, bool alone) {
    const auto before = std::chrono::steady_clock::now();
    if (alone || kernel.blocks() == 1)
      for (std::size_t b = 0; b < kernel.blocks(); ++b)
        kernel.run_block(b);
    else
      tbb::parallel_for(std::size_t{0}, kernel.blocks(), [&](std::size_t b) { kernel.run_block(b); });
    kernel.combine();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    times_.add(kernel.type(), kernel.items(), took.count());
  }

  template <typename Work>
  void start(Work&& work, when_done done, bool at_once) {
    auto all = [work = std::forward<Work>(work), done = std::move(done)] { done(error_of(work)); };
    if (at_once)
      all();
    else
      arena_.enqueue(std::move(all));
  }

  kernel_times times_;
  int threads_, separate_;
  tbb::global_control most_; // all workers, and a thread of the program's that has none of the work
  tbb::task_arena arena_;
};

} // namespace

std::unique_ptr<backend> make_host_threads(int threads, int separate_devices) {
  return std::make_unique<host_threads>(threads, separate_devices);
}

} // namespace tacit::runtime
