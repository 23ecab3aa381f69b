// Kernels by Kokkos.
//
// A launch is one Kokkos::parallel_for over the blocks of the kernel (launched_kernel.h), in Kokkos's default execution space of the
// host: Serial, OpenMP or Threads, as Kokkos was built. Devices with memories of their own have them from Kokkos, and copies between
// memories are Kokkos::deep_copy of their pieces of consecutive bytes.
//
// Not on GPUs: a kernel reaches the library as a std::function, compiled for the host by the program's own compiler, which no device can
// call. It would have to be instantiated as a Kokkos kernel where the program is compiled, in a header.
//
// One thread makes all calls of Kokkos, one after the other: some of its spaces know only the thread that has initialised them, and may
// not run two kernels at a time. It starts with the first backend, and Kokkos ends with the last of them and not before static
// objects go, as Kokkos cannot be initialised twice. A program that has initialised Kokkos itself keeps it. Host tasks may wait
// for others, and therefore run on threads of their own.
#include "runtime/devices/backend.h"

#ifdef TACIT_WITH_KOKKOS

#include "runtime/devices/launched_kernel.h"
#include "runtime/devices/serial_thread.h"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <future>
#include <mutex>
#include <new>
#include <utility>

namespace tacit::runtime {

namespace {

using space = Kokkos::DefaultHostExecutionSpace;
using bytes_of_memory =
    Kokkos::View<std::byte*, space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using constant_bytes =
    Kokkos::View<const std::byte*, space::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The thread that has initialised Kokkos, and ends it.
class kokkos_thread {
public:
  explicit kokkos_thread(int threads) {
    std::promise<void> ready;
    post([&] { initialize(threads), ready.set_value(); });
    ready.get_future().wait();
  }
  kokkos_thread(const kokkos_thread&) = delete;
  kokkos_thread& operator=(const kokkos_thread&) = delete;
  ~kokkos_thread() {
    post([this] {
      if (ours_)
        Kokkos::finalize();
    });
  }
  void post(std::function<void()> what) { thread_.post(std::move(what)); }

  /// The number of threads is that of the first call.
  static std::shared_ptr<kokkos_thread> of_this_process(int threads) {
    static const auto only = std::make_shared<kokkos_thread>(threads);
    return only;
  }

private:
  void initialize(int threads) {
    if (Kokkos::is_initialized())
      return;
#if KOKKOS_VERSION >= 30700
    Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(threads).set_disable_warnings(true));
#else
    Kokkos::InitArguments arguments;
    arguments.num_threads = threads;
    arguments.disable_warnings = true;
    Kokkos::initialize(arguments);
#endif
    ours_ = true;
  }

  bool ours_ = false; ///< that thread's
  serial_thread thread_;
};

/// The first error among threads.
class first_error {
public:
  void note(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_)
      error_ = std::move(error);
  }
  void rethrow() const {
    if (error_)
      std::rethrow_exception(error_);
  }

private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

class kokkos final : public backend {
public:
  kokkos(int threads, int separate_devices)
      : threads_(threads), separate_(separate_devices), host_(make_host_threads(threads, 0)),
        thread_(kokkos_thread::of_this_process(threads)) {}

  std::string name() const override { return std::string("Kokkos, ") + space::name(); }
  int devices() const override { return std::max(1, separate_); }
  int memories() const override { return 1 + separate_; }
  memory_number memory_of(int device) const override { return separate_ ? 1 + device : host_memory; }

  detail::allocation allocate(memory_number memory, const detail::index_box& box,
                              const detail::extents& range, std::size_t element_bytes) override {
    if (memory == host_memory)
      return host_->allocate(memory, box, range, element_bytes);
    detail::allocation made; // for the whole buffer, as on host threads
    made.range = range;
    made.data = Kokkos::kokkos_malloc<space::memory_space>(
        "tacit", std::max<std::size_t>(1, range[0] * range[1] * range[2] * element_bytes));
    if (!made.data)
      throw std::bad_alloc();
    return made;
  }
  void release(memory_number memory, const detail::allocation& which, std::size_t element_bytes) override {
    if (memory == host_memory)
      host_->release(memory, which, element_bytes);
    else
      Kokkos::kokkos_free<space::memory_space>(which.data);
  }

  void copy(memory_number, memory_number, const box_copy& what, when_done done) override {
    start([what] { for_each_piece(what, &copy_piece); }, std::move(done));
  }

  void launch(int, kernel_launch&& what, when_done done) override {
    const auto kernel =
        std::make_shared<launched_kernel>(std::move(what), static_cast<std::size_t>(threads_));
    start([kernel] { run_blocks(*kernel); }, std::move(done));
  }

  void run_on_host(std::function<void()> what, when_done done) override {
    host_->run_on_host(std::move(what), std::move(done));
  }

private:
  template <typename Work>
  void start(Work&& work, when_done done) {
    thread_->post([work = std::forward<Work>(work), done = std::move(done)] { done(error_of(work)); });
  }

  static void copy_piece(std::byte* to, const std::byte* from, std::size_t bytes) {
    Kokkos::deep_copy(bytes_of_memory(to, bytes), constant_bytes(from, bytes));
  }

  static void run_blocks(launched_kernel& kernel) {
    first_error error; // exceptions must not leave a parallel region
    const Kokkos::RangePolicy<space, Kokkos::Schedule<Kokkos::Dynamic>> blocks(0, kernel.blocks());
    Kokkos::parallel_for("tacit", blocks, [&](std::size_t b) {
      try {
        kernel.run_block(b);
      } catch (...) {
        error.note(std::current_exception());
      }
    });
    Kokkos::fence();
    error.rethrow();
    kernel.combine();
  }

  int threads_, separate_;
  std::unique_ptr<backend> host_; ///< the host's memory, and host tasks
  std::shared_ptr<kokkos_thread> thread_;
};

} // namespace

std::unique_ptr<backend> make_kokkos(int threads, int separate_devices) {
  return std::make_unique<kokkos>(threads, separate_devices);
}

} // namespace tacit::runtime

#else

namespace tacit::runtime {

std::unique_ptr<backend> make_kokkos(int, int) {
  throw task_error("tasks: this tacit was built without Kokkos (-DTACIT_WITH_KOKKOS=ON)");
}

} // namespace tacit::runtime

#endif
