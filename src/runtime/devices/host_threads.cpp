// Kernels on threads of this process.
//
// A launch is cut into blocks, a few for every thread; oneTBB runs them and steals from busy threads. With reductions there are as
// many blocks as the items say, whatever the threads: each combines its own contributions, and the blocks' are combined in their
// order, so that a run gives the same bits every time.
//
// What is over sooner than another thread would wake up runs at once on the thread that launches it: short copies, and kernels whose
// items, as measured the last times, take less than a few microseconds altogether. Other kernels run on the calling thread, too, if
// it offers itself (run()), with the help of others.
//
// Memory: every memory has address space for whole buffers, of which the kernel of the system gives pages as they are touched.
// So an allocation never has to grow and move when a task touches more of a buffer, and an element has the same place in
// every memory. What a rank never touches costs it nothing; columns of a matrix touch all of its pages.
#include "runtime/devices/backend.h"
#include "runtime/devices/work_groups.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <new>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <sys/mman.h>
#include <typeindex>
#include <unordered_map>
#include <utility>

namespace tacit::runtime {

namespace {

std::size_t length(const detail::index_box& box, std::size_t d) {
  return box.to[d] > box.from[d] ? box.to[d] - box.from[d] : 0;
}

/// A grid of blocks over a box: dimension 0 is cut first.
class blocks_of {
public:
  blocks_of(const detail::index_box& box, std::size_t wanted) : box_(box) {
    for (std::size_t d = 0; d < 3; ++d) {
      cuts_[d] = std::clamp<std::size_t>(wanted, std::min<std::size_t>(1, length(box, d)), length(box, d));
      wanted = cuts_[d] ? (wanted + cuts_[d] - 1) / cuts_[d] : 0;
    }
  }
  std::size_t count() const { return cuts_[0] * cuts_[1] * cuts_[2]; }
  detail::index_box operator[](std::size_t number) const {
    detail::index_box block;
    for (std::size_t d = 3; d-- > 0; number /= cuts_[d]) {
      const std::size_t part = number % cuts_[d];
      block.from[d] = box_.from[d] + length(box_, d) * part / cuts_[d];
      block.to[d] = box_.from[d] + length(box_, d) * (part + 1) / cuts_[d];
    }
    return block;
  }

private:
  detail::index_box box_;
  detail::extents cuts_{};
};

std::size_t volume(const detail::index_box& box) {
  return length(box, 0) * length(box, 1) * length(box, 2);
}

/// How long items of each kernel have taken, by the type of the kernel. Any thread may use it.
class kernel_times {
public:
  /// No guess: infinitely long.
  double guess(const kernel_launch& what) const {
    const std::lock_guard lock(mutex_);
    const auto known = seconds_per_item_.find(what.what->kernel.target_type());
    return known == seconds_per_item_.end() ? std::numeric_limits<double>::infinity()
                                            : known->second * static_cast<double>(volume(what.items));
  }
  /// Longer runs count at once, shorter ones by and by: a kernel that may take long must not run in the wrong place often.
  void add(const std::type_info& kernel, std::size_t items, double seconds) {
    const double now = seconds / static_cast<double>(std::max<std::size_t>(1, items));
    const std::lock_guard lock(mutex_);
    double& known = seconds_per_item_.try_emplace(kernel, now).first->second;
    known = now > known ? now : known + (now - known) / 4;
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::type_index, double> seconds_per_item_;
};

/// Below these, waking another thread (5 to 50 us) costs more than the work.
constexpr double longest_at_once = 15e-6;
constexpr std::size_t most_bytes_at_once = 64 * 1024;

/// What the blocks of one launch share.
class launched_kernel {
public:
  launched_kernel(kernel_launch&& what, std::size_t threads)
      : what_(std::move(what)), blocks_(units(what_), block_count(threads)) {
    for (const auto& reduction : what_.what->reductions)
      partials_.emplace_back(blocks_.count() * reduction.elements * reduction.element_bytes);
  }
  std::size_t blocks() const { return blocks_.count(); }

  void run_block(std::size_t number) {
    const auto& reductions = what_.what->reductions;
    std::vector<void*> mine(reductions.size());
    for (std::size_t r = 0; r < reductions.size(); ++r) {
      mine[r] = partial(r, number);
      reductions[r].fill_with_identity(mine[r], reductions[r].elements);
    }
    std::vector<std::max_align_t> local((what_.what->local_bytes + sizeof(std::max_align_t) - 1) /
                                        sizeof(std::max_align_t));
    detail::placement where{what_.accesses.data(), what_.accesses.size(),
                            reinterpret_cast<std::byte*>(local.data())};
    detail::kernel_call call;
    call.where = &where;
    call.items = blocks_[number];
    call.partials = mine.data();
    if (what_.what->grouped)
      call.groups = &work_groups::of_this_thread();
    what_.what->kernel(call);
  }

  std::size_t items() const { return volume(what_.items); }
  const std::type_info& type() const { return what_.what->kernel.target_type(); }

  void combine() {
    const auto& reductions = what_.what->reductions;
    for (std::size_t r = 0; r < reductions.size(); ++r) {
      reductions[r].fill_with_identity(what_.results[r], reductions[r].elements);
      for (std::size_t b = 0; b < blocks(); ++b)
        reductions[r].combine(what_.results[r], partial(r, b), reductions[r].elements);
    }
  }

private:
  /// Items, or groups, counted from the range's start.
  static detail::index_box units(const kernel_launch& what) {
    if (!what.what->grouped)
      return what.items;
    detail::index_box groups;
    for (std::size_t d = 0; d < 3; ++d) {
      groups.from[d] = (what.items.from[d] - what.what->items.from[d]) / what.what->group[d];
      groups.to[d] = (what.items.to[d] - what.what->items.from[d]) / what.what->group[d];
    }
    return groups;
  }
  std::size_t block_count(std::size_t threads) const {
    constexpr std::size_t blocks_per_thread = 4; // so that a thread that is slow or busy can be helped
    constexpr std::size_t blocks_with_reductions = 64;
    const bool reduces = !what_.what->reductions.empty();
    return reduces ? blocks_with_reductions : threads > 1 ? threads * blocks_per_thread : 1;
  }
  void* partial(std::size_t reduction, std::size_t block) {
    const auto& of = what_.what->reductions[reduction];
    return partials_[reduction].data() + block * of.elements * of.element_bytes;
  }

  kernel_launch what_;
  blocks_of blocks_;
  std::vector<std::vector<std::byte>> partials_;
};

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
    const bool at_once = is_short(what);
    auto kernel =
        std::make_shared<launched_kernel>(std::move(what), at_once ? 1 : static_cast<std::size_t>(threads_));
    start([this, kernel, at_once] { run_blocks(*kernel, at_once); }, std::move(done), at_once);
  }

  bool prefers_run(const kernel_launch& what) const override { return !is_short(what); }

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

  bool is_short(const kernel_launch& what) const { return times_.guess(what) < longest_at_once; }

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
