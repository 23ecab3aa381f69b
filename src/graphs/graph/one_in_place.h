// A list that keeps its only item in place.
//
// Nearly every message and every block of a plan is one piece of memory, nearly every rank has one block or one step, and a step waits
// for one other one, if for any. As a std::vector each of these lists costs an allocation, and so 16 to 32 bytes of heap beside its items;
// a plan of 2,048 ranks that exchange blocks has 8 million of them, and one of a million ranks that take part in one call is a million times
// two pieces of memory instead of one array. This list has no heap until there is a second item. It has what plans need of a vector and is read
// as a span; only what a plan consists of is kept so. Unlike with a vector, an item that is alone moves when its list does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tacit::graphs {

template <typename Item>
class one_in_place {
public:
  using value_type = Item;
  using iterator = Item*;
  using const_iterator = const Item*;

  one_in_place() noexcept {}
  one_in_place(std::initializer_list<Item> list) { insert_at_end(list.begin(), list.size()); }
  one_in_place(std::span<const Item> list) { insert_at_end(list.data(), list.size()); }
  one_in_place(const std::vector<Item>& list) { insert_at_end(list.data(), list.size()); }
  one_in_place(const one_in_place& other) { insert_at_end(other.data(), other.size()); }
  one_in_place(one_in_place&& other) noexcept { take(other); }
  one_in_place& operator=(const one_in_place& other) {
    if (this != &other) {
      clear();
      insert_at_end(other.data(), other.size());
    }
    return *this;
  }
  one_in_place& operator=(one_in_place&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~one_in_place() { release(); }

  Item* data() { return is_in_place() ? &only_ : many_; }
  const Item* data() const { return is_in_place() ? &only_ : many_; }
  Item* begin() { return data(); }
  Item* end() { return data() + size_; }
  const Item* begin() const { return data(); }
  const Item* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Item& operator[](std::size_t i) { return data()[i]; }
  const Item& operator[](std::size_t i) const { return data()[i]; }
  Item& front() { return *data(); }
  const Item& front() const { return *data(); }
  Item& back() { return data()[size_ - 1]; }
  const Item& back() const { return data()[size_ - 1]; }

  template <typename... Of>
  Item& emplace_back(Of&&... of) {
    if (size_ == capacity_) {
      grow_by(1, [&](Item* at) { std::construct_at(at, std::forward<Of>(of)...); });
      return back();
    }
    Item* const made = std::construct_at(data() + size_, std::forward<Of>(of)...);
    ++size_; // it is there, which may have failed
    return *made;
  }
  void push_back(const Item& item) { emplace_back(item); }
  void push_back(Item&& item) { emplace_back(std::move(item)); }
  void pop_back() { std::destroy_at(data() + --size_); }
  void clear() { shrink(0); }
  void reserve(std::size_t count) {
    if (count > capacity_)
      move_to(allocate(count), count);
  }
  void resize(std::size_t count) {
    shrink(std::min<std::size_t>(size_, count));
    reserve(count);
    std::uninitialized_value_construct_n(end(), count - size_);
    size_ = static_cast<std::uint32_t>(count);
  }
  /// Puts items behind the others; they may be those of this list.
  void insert_at_end(const Item* first, std::size_t count) {
    if (count > capacity_ - size_)
      return grow_by(count, [&](Item* at) { std::uninitialized_copy_n(first, count, at); });
    std::uninitialized_copy_n(first, count, end());
    size_ += static_cast<std::uint32_t>(count);
  }
  iterator erase(iterator first, iterator last) {
    shrink(static_cast<std::size_t>(std::move(last, end(), first) - begin()));
    return first;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }

  friend bool operator==(const one_in_place& a, const one_in_place& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  static_assert(std::is_nothrow_move_constructible_v<Item>);

  /// Whether the heap is used is asked with the same words everywhere, so that compilers see that it is read only where it was set.
  bool is_in_place() const { return capacity_ == 1; }
  static Item* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("more items than a list can hold");
    return std::allocator<Item>().allocate(count);
  }
  /// Of a list of `count` items, so that lists that grow do so rarely.
  std::size_t roomy(std::size_t count) const { return std::max<std::size_t>(count, 2 * std::size_t{size_}); }
  /// Makes items behind the others in new memory, before the list's own, of which they may be made, are moved there.
  template <typename Make>
  void grow_by(std::size_t count, Make&& make) {
    const std::size_t capacity = roomy(size_ + count);
    Item* const memory = allocate(capacity);
    try {
      make(memory + size_);
    } catch (...) {
      std::allocator<Item>().deallocate(memory, capacity);
      throw;
    }
    move_to(memory, capacity);
    size_ += static_cast<std::uint32_t>(count);
  }
  void move_to(Item* memory, std::size_t capacity) {
    std::uninitialized_move_n(data(), size_, memory);
    release();
    many_ = memory;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void shrink(std::size_t count) {
    std::destroy(begin() + count, end());
    size_ = static_cast<std::uint32_t>(count);
  }
  void release() {
    std::destroy_n(data(), size_);
    if (!is_in_place())
      std::allocator<Item>().deallocate(many_, capacity_);
  }
  /// Of the other one, which is empty then; nothing here may need to be freed.
  void take(one_in_place& other) {
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 1);
    if (!is_in_place()) {
      many_ = other.many_;
    } else if (size_ == 1) {
      std::construct_at(&only_, std::move(other.only_));
      std::destroy_at(&other.only_);
    }
  }

  // Before the items, so that whoever looks for what is on the heap needs one cache line, however large an item is.
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 1; ///< 1: in place
  union {
    Item only_;
    Item* many_; ///< owned, if the capacity is not 1
  };
};

template <typename Item, typename Condition>
void erase_if(one_in_place<Item>& list, Condition&& is_out) {
  list.erase(std::remove_if(list.begin(), list.end(), is_out), list.end());
}

} // namespace tacit::graphs
