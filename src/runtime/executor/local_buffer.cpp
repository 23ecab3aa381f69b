#include "runtime/executor/local_buffer.h"

#include "runtime/executor/shapes.h"

#include <cstring>
#include <stdexcept>

namespace tacit::runtime {

namespace {

constexpr std::uint64_t bit(memory_number memory) {
  return std::uint64_t{1} << memory;
}

/// A dense box of elements somewhere.
detail::allocation dense(const tasks::box& where, void* data) {
  detail::allocation made;
  made.data = data;
  for (int d = 0; d < tasks::dimensions; ++d) {
    made.offset[static_cast<std::size_t>(d)] = static_cast<std::size_t>(where[d].begin);
    made.range[static_cast<std::size_t>(d)] = static_cast<std::size_t>(where[d].length());
  }
  return made;
}

} // namespace

local_buffer::local_buffer(backend& on, const detail::buffer_description& what,
                           std::function<void(task_function)> post,
                           std::function<void(std::exception_ptr)> failed)
    : on_(on), what_(what), post_(std::move(post)), failed_(std::move(failed)),
      allocations_(static_cast<std::size_t>(on.memories())),
      holders_(tasks::box_of(to_range(what.range)), what.host_data ? bit(host_memory) : 0) {
  if (what.host_data)
    std::memcpy(in(host_memory).data, what.host_data,
                bytes_of(tasks::region(to_box(whole())), what.element_bytes));
  what_.host_data = nullptr;
}

local_buffer::~local_buffer() {
  for (std::size_t m = 0; m < allocations_.size(); ++m)
    if (allocations_[m].data)
      on_.release(static_cast<memory_number>(m), allocations_[m], what_.element_bytes);
}

const detail::allocation& local_buffer::in(memory_number memory) {
  auto& there = allocations_[static_cast<std::size_t>(memory)];
  if (!there.data)
    there = on_.allocate(memory, whole(), what_.range, what_.element_bytes);
  return there;
}

std::size_t local_buffer::bring(memory_number to, const tasks::region& what, const task_function& arrived) {
  if (one_memory())
    return 0;
  std::vector<std::pair<tasks::box, memory_set>> missing;
  holders_.query(what, [&](const tasks::box& where, memory_set holders) {
    if (holders && !(holders & bit(to)))
      missing.emplace_back(where, holders);
  });
  for (const auto& [where, holders] : missing)
    start_copies(holders, to, where);
  std::size_t waits = 0;
  for (copy_under_way& c : copies_)
    if (c.to == to && overlap(tasks::region(c.where), what)) {
      c.waiters.push_back(arrived);
      ++waits;
    }
  return waits;
}

std::size_t local_buffer::quiet(const tasks::region& what, const task_function& arrived) {
  std::size_t waits = 0;
  for (copy_under_way& c : copies_)
    if (overlap(tasks::region(c.where), what)) {
      c.waiters.push_back(arrived);
      ++waits;
    }
  return waits;
}

void local_buffer::written(memory_number in, const tasks::region& what) {
  if (one_memory())
    return;
  holders_.assign(what, bit(in));
}

/// Each element comes from a memory that has it already, not from one that waits for it itself. There is one, as every copy has such
/// a source; but two devices that exchange their borders have no common one.
void local_buffer::start_copies(memory_set holders, memory_number to, const tasks::box& where) {
  tasks::region rest(where);
  for (memory_number from = 0; !rest.empty() && from < on_.memories(); ++from) {
    if (!(holders & bit(from)))
      continue;
    tasks::region there = rest;
    for (const copy_under_way& c : copies_)
      if (c.to == from)
        there = difference(there, tasks::region(c.where));
    rest = difference(rest, there);
    for (const tasks::box& b : there.boxes())
      start_copy(from, to, b);
  }
  if (!rest.empty())
    throw std::logic_error("a buffer's elements are in no memory");
}

void local_buffer::start_copy(memory_number from, memory_number to, const tasks::box& where) {
  const auto mine = copies_.insert(copies_.end(), {where, from, to, {}});
  holders_.update(where, [&](memory_set& holders) { holders |= bit(to); });
  box_copy what{to_index_box(where), in(from), in(to), what_.element_bytes};
  on_.copy(from, to, what, [this, mine](std::exception_ptr error) {
    post_([this, mine, error = std::move(error)] {
      const auto waiters = std::move(mine->waiters);
      copies_.erase(mine);
      if (error)
        failed_(error);
      for (const auto& w : waiters)
        w();
    });
  });
}

std::size_t bytes_of(const tasks::region& what, std::size_t element_bytes) {
  return static_cast<std::size_t>(what.volume()) * element_bytes;
}

void pack(const tasks::region& what, const detail::allocation& from, std::size_t element_bytes,
          std::byte* into) {
  for (const tasks::box& b : what.boxes()) {
    copy_box({to_index_box(b), from, dense(b, into), element_bytes});
    into += static_cast<std::size_t>(b.volume()) * element_bytes;
  }
}

void unpack(const tasks::region& what, const std::byte* from, const detail::allocation& into,
            std::size_t element_bytes) {
  for (const tasks::box& b : what.boxes()) {
    copy_box({to_index_box(b), dense(b, const_cast<std::byte*>(from)), into, element_bytes});
    from += static_cast<std::size_t>(b.volume()) * element_bytes;
  }
}

std::byte* contiguous(const tasks::region& what, const detail::allocation& in, std::size_t element_bytes) {
  if (what.boxes().size() != 1)
    return nullptr;
  const detail::index_box b = to_index_box(what.boxes()[0]);
  // After the first dimension of more than one index, all others have to be whole.
  bool more = false;
  std::size_t offset = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t length = b.to[d] - b.from[d];
    if (more && length != in.range[d])
      return nullptr;
    more |= length > 1;
    offset = offset * in.range[d] + (b.from[d] - in.offset[d]);
  }
  return static_cast<std::byte*>(in.data) + offset * element_bytes;
}

} // namespace tacit::runtime
