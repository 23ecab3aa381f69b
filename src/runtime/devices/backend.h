// Where kernels run: devices, each with a memory. The executor knows this interface only.
//
// Memory 0 is the host's: MPI sends from it and receives into it, and host tasks run on it. A device may use it directly, or have
// one of its own; then the executor copies between them. Nothing here blocks for long: work is started, and `done` is
// called when it has ended, with what it has thrown: from any thread, or, where the work is short, before the call returns. Who starts work sees to it that what it needs has ended before.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tacit/tasks/library.hpp>
#include <utility>
#include <vector>

namespace tacit::runtime {

using memory_number = int;
inline constexpr memory_number host_memory = 0;

using when_done = std::function<void(std::exception_ptr)>;

/// Does the work; what it has thrown, or null.
template <typename Work>
std::exception_ptr error_of(Work& work) noexcept {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// A kernel on one device.
struct kernel_launch {
  const detail::command_group* what = nullptr; ///< lives until `done`
  detail::index_box items;                     ///< of what->items; in an nd-range whole groups
  std::vector<detail::allocation> accesses;    ///< one for each of what->accesses, in the device's memory
  /// One for each of what->reductions, in the host's memory: gets the combined contributions of these items (not what the buffer
  /// held before). The order in which they are combined follows from `items` alone.
  std::vector<void*> results;
};

/// A box of elements out of one allocation into another; both have it.
struct box_copy {
  detail::index_box box;
  detail::allocation from, to;
  std::size_t element_bytes = 0;
};

class backend {
public:
  virtual ~backend() = default;
  virtual std::string name() const = 0;
  virtual int devices() const = 0;
  virtual int memories() const = 0;
  /// The memory that kernels of a device work in.
  virtual memory_number memory_of(int device) const = 0;

  /// Uninitialised memory for a box of a buffer that is `range` large. It may be larger than the box, and what lies outside
  /// must not be touched. Throws std::bad_alloc.
  virtual detail::allocation allocate(memory_number memory, const detail::index_box& box,
                                      const detail::extents& range, std::size_t element_bytes) = 0;
  virtual void release(memory_number memory, const detail::allocation& which, std::size_t element_bytes) = 0;

  virtual void copy(memory_number from, memory_number to, const box_copy& what, when_done done) = 0;
  virtual void launch(int device, kernel_launch&& what, when_done done) = 0;
  /// Runs a kernel on the calling thread if it is over sooner than another one would wake up; `error` is what it has thrown, or
  /// null. False: it is still to be launched.
  virtual bool run_if_short(int /*device*/, kernel_launch& /*what*/, std::exception_ptr& /*error*/) {
    return false;
  }
  /// Whether run() is the better way for kernels that are not short, if its caller has nothing else to do.
  virtual bool prefers_run() const { return false; }
  /// Runs a kernel on the calling thread, others helping; `done` is called before it returns.
  virtual void run(int device, kernel_launch&& what, when_done done) {
    launch(device, std::move(what), std::move(done));
  }
  /// Runs a function on a thread of the host.
  virtual void run_on_host(std::function<void()> what, when_done done) = 0;
};

/// Kernels on threads of this process, by oneTBB. With `separate` devices each has a memory of its own, as those of GPUs are, so
/// that what keeps memories coherent can be tried everywhere; 0 of them: one device, in the host's memory.
std::unique_ptr<backend> make_host_threads(int threads, int separate_devices);

/// Kernels by Kokkos, in its default execution space of the host; devices' own memories are Kokkos's. Throws task_error where tacit
/// was built without it.
std::unique_ptr<backend> make_kokkos(int threads, int separate_devices);

/// By the name that a user knows: "threads", "kokkos".
std::unique_ptr<backend> make_backend(std::string_view name, int threads, int separate_devices);

/// Calls `copy` for pieces of consecutive bytes, which together are the box.
void for_each_piece(const box_copy& what,
                    const std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>& copy);

/// Copies a box between two allocations that this process can reach, element rows at a time.
void copy_box(const box_copy& what);

} // namespace tacit::runtime
