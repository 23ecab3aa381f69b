// One buffer in the memories of this rank.
//
// For every element the set of memories that hold its current value is known. Who reads brings what its memory lacks by copies
// from one that has it; who writes leaves its memory as the only one. Copies run beside everything else; one that is under way
// counts as there, and whoever needs it waits for it. Who overwrites a region waits for the copies under way that touch it.
//
// All calls come from the executor's thread. Whether two commands may run at the same time is not looked at here: the command
// graph says it.
#pragma once

#include "runtime/devices/backend.h"
#include "tasks/space/region_map.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

namespace tacit::runtime {

using task_function = std::function<void()>;

class local_buffer {
public:
  /// `post` runs a function on the executor's thread; `failed` takes what a copy has thrown, there too.
  local_buffer(backend& on, const detail::buffer_description& what, std::function<void(task_function)> post,
               std::function<void(std::exception_ptr)> failed);
  local_buffer(const local_buffer&) = delete;
  local_buffer& operator=(const local_buffer&) = delete;
  /// Nothing may be under way.
  ~local_buffer();

  std::size_t element_bytes() const { return what_.element_bytes; }
  const detail::extents& range() const { return what_.range; }
  detail::index_box whole() const { return {{0, 0, 0}, what_.range}; }

  /// The memory's allocation, which is made if there is none.
  const detail::allocation& in(memory_number memory);
  /// Starts copies, so that the memory gets the current value of every element that has one. Returns for how many copies the
  /// caller has to wait: `arrived` is called once for each.
  std::size_t bring(memory_number to, const tasks::region& what, const task_function& arrived);
  /// For how many copies under way the caller has to wait before it overwrites a region.
  std::size_t quiet(const tasks::region& what, const task_function& arrived);
  /// From now on only this memory has current values.
  void written(memory_number in, const tasks::region& what);
  bool busy() const { return !copies_.empty(); }

private:
  using memory_set = std::uint64_t;
  /// What it has is current; who has what need not be known.
  bool one_memory() const { return allocations_.size() == 1; }
  struct copy_under_way {
    tasks::box where;
    memory_number from, to;
    std::vector<task_function> waiters;
  };
  void start_copies(memory_set holders, memory_number to, const tasks::box& where);
  void start_copy(memory_number from, memory_number to, const tasks::box& where);

  backend& on_;
  detail::buffer_description what_;
  std::function<void(task_function)> post_;
  std::function<void(std::exception_ptr)> failed_;
  std::vector<detail::allocation> allocations_;
  tasks::region_map<memory_set> holders_;
  std::list<copy_under_way> copies_;
};

/// Where the elements of a region lie in one allocation, one after the other in the order of the region.
std::size_t bytes_of(const tasks::region& what, std::size_t element_bytes);
void pack(const tasks::region& what, const detail::allocation& from, std::size_t element_bytes,
          std::byte* into);
void unpack(const tasks::region& what, const std::byte* from, const detail::allocation& into,
            std::size_t element_bytes);
/// The first byte of a region whose elements lie side by side in this order, else null.
std::byte* contiguous(const tasks::region& what, const detail::allocation& in, std::size_t element_bytes);

} // namespace tacit::runtime
