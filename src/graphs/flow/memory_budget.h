// Bounded memory: what the containers of one pass hold together, with an end.
//
// Fragments can multiply exponentially in crafted graphs, and how many bytes one takes depends on who holds
// it, so counting fragments bounds no memory. Here every block that a container asks for is counted as the
// allocator of the C library takes it, before it is taken; one that would exceed the limit is refused by
// over_budget, which the pass catches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

namespace tacit::graphs {

/// Thrown inside a pass: going on would take more memory than the budget allows.
struct over_budget {};

class memory_budget {
public:
  explicit memory_budget(std::uint64_t limit = ~std::uint64_t{0}) : limit_(limit) {}
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;

  /// Counts a block before it is allocated; throws over_budget if it does not fit.
  void take(std::size_t bytes) {
    const std::uint64_t block = with_header(bytes);
    if (block > limit_ - held_)
      throw over_budget{};
    held_ += block;
  }
  void give_back(std::size_t bytes) { held_ -= with_header(bytes); }
  std::uint64_t held() const { return held_; }

private:
  /// glibc puts 8 bytes before a block, rounds up to 16 and gives at least 32.
  static constexpr std::uint64_t with_header(std::size_t bytes) {
    return std::max<std::uint64_t>(32, (std::uint64_t{bytes} + 8 + 15) / 16 * 16);
  }

  std::uint64_t limit_;
  std::uint64_t held_ = 0;
};

/// Allocates for containers that share a budget. The budget must outlive them.
template <typename T>
class counted_allocator {
public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  explicit counted_allocator(memory_budget& budget) : budget_(&budget) {}
  template <typename U>
  counted_allocator(const counted_allocator<U>& other) : budget_(&other.budget()) {}

  T* allocate(std::size_t count) {
    budget_->take(count * sizeof(T));
    try {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    } catch (...) {
      budget_->give_back(count * sizeof(T));
      throw;
    }
  }
  void deallocate(T* memory, std::size_t count) {
    budget_->give_back(count * sizeof(T));
    ::operator delete(memory);
  }
  memory_budget& budget() const { return *budget_; }
  friend bool operator==(const counted_allocator&, const counted_allocator&) = default;

private:
  memory_budget* budget_;
};

template <typename T>
using counted_vector = std::vector<T, counted_allocator<T>>;

} // namespace tacit::graphs
