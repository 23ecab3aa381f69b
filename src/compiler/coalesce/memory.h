// Memory that counts against the limit of a region, and arrays in it. Nothing here throws: no memory is an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tacit::compiler {

/// Zeros; null if there is no memory.
template <typename T>
T* array_of(int count) {
  return static_cast<T*>(std::calloc(static_cast<std::size_t>(count), sizeof(T)));
}

/// How many bytes a region may still use.
class budget {
public:
  explicit budget(std::size_t limit) : left_(limit) {}
  bool take(std::size_t bytes) {
    if (bytes > left_)
      return false;
    left_ -= bytes;
    return true;
  }
  void give(std::size_t bytes) { left_ += bytes; }

private:
  std::size_t left_;
};

/// For what counts against no limit.
inline budget unlimited() {
  return budget(SIZE_MAX / 2);
}

/// Makes `reserved` at least `needed`, in steps.
inline bool reserve(budget& memory, std::size_t& reserved, std::size_t needed) {
  constexpr std::size_t step = 4096;
  while (reserved < needed) {
    if (!memory.take(step))
      return false;
    reserved += step;
  }
  return true;
}

/// An array of plain values that grows within a budget. Whoever owns it calls release().
template <typename T>
struct growable {
  T* data = nullptr;
  std::size_t size = 0, capacity = 0;

  /// False, and nothing has changed, if there is no memory.
  bool make_room(budget& memory, std::size_t more) {
    if (size + more <= capacity)
      return true;
    std::size_t wanted = capacity ? 2 * capacity : 64;
    while (wanted < size + more)
      wanted *= 2;
    if (!memory.take((wanted - capacity) * sizeof(T)))
      return false;
    void* const grown = std::realloc(data, wanted * sizeof(T));
    if (!grown) {
      memory.give((wanted - capacity) * sizeof(T));
      return false;
    }
    data = static_cast<T*>(grown);
    capacity = wanted;
    return true;
  }
  void push(const T& value) { data[size++] = value; }
  /// The place of one more, for which there is room.
  T& add() { return data[size++]; }
  T& back() { return data[size - 1]; }
  /// Gives the memory away, with its bytes that count against the budget.
  T* detach(std::size_t& bytes) {
    T* const given = data;
    bytes = capacity * sizeof(T);
    data = nullptr;
    size = capacity = 0;
    return given;
  }
  void release(budget& memory) {
    memory.give(capacity * sizeof(T));
    std::free(data);
    data = nullptr;
    size = capacity = 0;
  }
};

} // namespace tacit::compiler
