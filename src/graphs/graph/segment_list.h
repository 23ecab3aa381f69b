// A list of segments that keeps its only one in place.
//
// Nearly every message and every block of a plan is one piece of memory. As a std::vector it costs an allocation, and so 32 bytes of
// heap beside the 24 of the vector; a plan of 2,048 ranks that exchange blocks has 8 million of them. This one has the size of the vector,
// and no heap until there is a second segment. It is read as a span; only what a plan consists of is kept so.
#pragma once

#include "graphs/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tacit::graphs {

class segment_list {
public:
  using value_type = segment;
  using iterator = segment*;
  using const_iterator = const segment*;

  segment_list() = default;
  segment_list(std::initializer_list<segment> list) { insert_at_end(list.begin(), list.size()); }
  segment_list(std::span<const segment> list) { insert_at_end(list.data(), list.size()); }
  segment_list(const std::vector<segment>& list) { insert_at_end(list.data(), list.size()); }
  segment_list(const segment_list& other) { insert_at_end(other.data(), other.size()); }
  segment_list(segment_list&& other) noexcept
      : in_place_(std::exchange(other.in_place_, {})), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 1)) {}
  segment_list& operator=(const segment_list& other) {
    if (this != &other) {
      clear();
      insert_at_end(other.data(), other.size());
    }
    return *this;
  }
  segment_list& operator=(segment_list&& other) noexcept {
    std::swap(in_place_, other.in_place_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~segment_list() { release(); }

  segment* data() { return capacity_ == 1 ? &in_place_ : on_heap(); }
  const segment* data() const { return capacity_ == 1 ? &in_place_ : on_heap(); }
  segment* begin() { return data(); }
  segment* end() { return data() + size_; }
  const segment* begin() const { return data(); }
  const segment* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  segment& operator[](std::size_t i) { return data()[i]; }
  const segment& operator[](std::size_t i) const { return data()[i]; }
  segment& front() { return *data(); }
  const segment& front() const { return *data(); }
  segment& back() { return data()[size_ - 1]; }
  const segment& back() const { return data()[size_ - 1]; }

  void push_back(segment s) { insert_at_end(&s, 1); }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void reserve(std::size_t count) {
    if (count > capacity_)
      move_to_heap(count);
  }
  /// Puts segments behind the others, without joining any; they may be those of this list.
  void insert_at_end(const segment* first, std::size_t count) {
    if (count > capacity_ - size_)
      grow_and_insert(first, count);
    else if (count > 0) {
      std::copy_n(first, count, data() + size_);
      size_ += static_cast<std::uint32_t>(count);
    }
  }

  friend bool operator==(const segment_list& a, const segment_list& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  /// The address of what is on the heap stands where the only segment would.
  segment* on_heap() const { return reinterpret_cast<segment*>(in_place_.address); }
  void release() {
    if (capacity_ > 1)
      std::allocator<segment>().deallocate(on_heap(), capacity_);
  }
  segment* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("more segments than a list can hold");
    return std::allocator<segment>().allocate(count);
  }
  void take(segment* memory, std::size_t capacity) {
    release();
    in_place_.address = reinterpret_cast<std::uint64_t>(memory);
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void move_to_heap(std::size_t count) {
    segment* const memory = allocate(count);
    std::uninitialized_copy_n(data(), size_, memory);
    take(memory, count);
  }
  void grow_and_insert(const segment* first, std::size_t count) {
    const std::size_t capacity =
        std::max<std::size_t>(size_ + count, size_ == 0 ? 0 : 2 * std::size_t{size_});
    segment* const memory = allocate(capacity);
    std::uninitialized_copy_n(data(), size_, memory);
    std::uninitialized_copy_n(first, count, memory + size_); // before what may hold them is freed
    take(memory, capacity);
    size_ += static_cast<std::uint32_t>(count);
  }

  segment in_place_{};
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 1; ///< 1: in place
};

static_assert(sizeof(segment_list) == 24);

/// Puts segments behind others, without joining any; they may be those of the list itself.
inline void append(segment_list& list, std::span<const segment> more) {
  list.insert_at_end(more.data(), more.size());
}

} // namespace tacit::graphs
