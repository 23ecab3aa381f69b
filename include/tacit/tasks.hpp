// Data-parallel programs on MPI: buffers over all ranks, tasks that say which parts they read and write, and no messages. What
// has to travel follows from what the tasks say; where it is a collective operation, it runs as one.
//
//   #include <tacit/tasks.hpp>
//
//   int main() {
//     tacit::queue q;
//     tacit::buffer<double, 1> x(n), y(n);
//     q.submit([&](tacit::handler& h) {
//       tacit::accessor to(x, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
//       h.parallel_for(x.get_range(), [=](tacit::item<1> i) { to[i] = double(i[0]); });
//     });
//     q.submit([&](tacit::handler& h) {
//       tacit::accessor from(x, h, tacit::access::all(), tacit::read_only);
//       tacit::accessor to(y, h, tacit::access::one_to_one(), tacit::write_only, tacit::no_init);
//       h.parallel_for(y.get_range(), [=](tacit::item<1> i) { to[i] = from[n - 1 - i[0]]; });
//     });
//     double first = q.fence(y).get()[0];
//   }
//
// Every rank runs the same program and submits the same tasks in the same order. Tasks run when what they read is there, beside
// each other and beside communication where they do not depend on each other. The program itself goes on at once; it sees what
// tasks did by fence() and wait(). Types and words are those of Celerity, and so, largely, of SYCL.
//
// MPI: initialised with MPI_THREAD_MULTIPLE when the first of these objects is made, and finalised at the end of the program,
// unless the program has done so itself. Launch with mpiexec; on one rank, without.
#pragma once

#include <tacit/tasks/handler.hpp>
#include <tacit/tasks/simulation.hpp>

#include <future>
#include <memory>

namespace tacit {

/// What a fence copied of a buffer.
template <typename T, int Dims>
class buffer_snapshot {
public:
  buffer_snapshot() = default;
  buffer_snapshot(const subrange<Dims>& of, std::unique_ptr<T[]> data) : of_(of), data_(std::move(data)) {}
  id<Dims> get_offset() const { return of_.offset; }
  range<Dims> get_range() const { return of_.range; }
  subrange<Dims> get_subrange() const { return of_; }
  const T* get_data() const { return data_.get(); }
  /// Counted from the offset.
  const T& operator[](const id<Dims>& at) const { return data_[detail::linear_index(of_.range, at)]; }
  decltype(auto) operator[](std::size_t index) const
    requires(Dims > 0)
  {
    return detail::subscript<Dims>(*this, index);
  }
  const T& operator*() const
    requires(Dims == 0)
  {
    return data_[0];
  }

private:
  subrange<Dims> of_;
  std::unique_ptr<T[]> data_;
};

struct barrier_tag {};
/// wait(barrier): for all ranks.
inline constexpr barrier_tag barrier{};

/// Where tasks are submitted. All queues of a program are one; the last that goes waits for all that was submitted.
class queue {
public:
  queue() : open_(std::make_shared<opened>()) {}

  /// Calls `describe` with a handler, at once. Throws task_error if the task cannot run as it is described, or if an earlier
  /// one has failed.
  template <typename Describe>
  void submit(Describe&& describe) {
    detail::command_group group;
    handler made(group);
    describe(made);
    if (group.has_task)
      detail::submit(std::move(group));
  }

  /// The contents of a buffer, or of a part of it, on every rank. All ranks call it.
  template <typename T, int Dims>
  [[nodiscard]] std::future<buffer_snapshot<T, Dims>> fence(const buffer<T, Dims>& of,
                                                            const subrange<Dims>& part) {
    struct state {
      std::promise<buffer_snapshot<T, Dims>> promise;
      std::unique_ptr<T[]> data;
    };
    auto kept = std::make_shared<state>();
    kept->data = std::make_unique_for_overwrite<T[]>(part.range.size());
    auto result = kept->promise.get_future();
    detail::fence_buffer(
        of.number(), detail::box_of(part.offset, part.range), kept->data.get(),
        [=] { kept->promise.set_value(buffer_snapshot<T, Dims>(part, std::move(kept->data))); },
        [=](std::exception_ptr why) { kept->promise.set_exception(why); });
    return result;
  }
  template <typename T, int Dims>
  [[nodiscard]] std::future<buffer_snapshot<T, Dims>> fence(const buffer<T, Dims>& of) {
    return fence(of, subrange<Dims>(id<Dims>(), of.get_range()));
  }
  /// A copy of this rank's object, after all tasks submitted before that use it.
  template <typename T>
  [[nodiscard]] std::future<T> fence(const host_object<T>& of) {
    auto promise = std::make_shared<std::promise<T>>();
    auto result = promise->get_future();
    detail::fence_host_object(
        of.number(), [promise, instance = of.instance()] { promise->set_value(*instance); },
        [promise](std::exception_ptr why) { promise->set_exception(why); });
    return result;
  }

  /// Until all that was submitted has run on this rank.
  void wait() { detail::wait(false); }
  /// Until it has run on all ranks. Who has initialised MPI may finalise it after this, or when the last queue has gone.
  void wait(barrier_tag) { detail::wait(true); }

private:
  struct opened {
    opened() { detail::open_queue(); }
    opened(const opened&) = delete;
    opened& operator=(const opened&) = delete;
    ~opened() { detail::close_queue(); }
  };
  std::shared_ptr<opened> open_;
};

} // namespace tacit
