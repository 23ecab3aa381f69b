// Bytes that travel between ranks: integers, strings and lists in the machine's own representation (all ranks
// of a communicator run the same build on the same architecture, which compile checks by a version word).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tacit::runtime {

class packer {
public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  template <typename List>
  void put_list(const List& list) {
    using element = typename List::value_type;
    static_assert(std::is_trivially_copyable_v<element>);
    put<std::uint64_t>(list.size());
    append(list.data(), list.size() * sizeof(element));
  }
  /// Without their number: `get_list` does not read them.
  void put_bytes(const std::vector<std::byte>& bytes) { append(bytes.data(), bytes.size()); }
  void put_text(const std::string& text) { put_list(std::vector<char>(text.begin(), text.end())); }
  /// Makes room for so many bytes more.
  void reserve(std::size_t bytes) {
    if (bytes > bytes_.size() - end_)
      bytes_.resize(end_ + bytes);
  }
  std::vector<std::byte> take() {
    bytes_.resize(end_);
    end_ = 0;
    return std::move(bytes_);
  }

private:
  void append(const void* from, std::size_t bytes) {
    if (bytes > bytes_.size() - end_)
      reserve(std::max(bytes, bytes_.size()));
    if (bytes > 0)
      std::memcpy(bytes_.data() + end_, from, bytes);
    end_ += bytes;
  }

  // To let it grow with each value took a third of the time of signing a graph.
  std::vector<std::byte> bytes_; ///< longer than what is packed
  std::size_t end_ = 0;          ///< of what is packed
};

/// Throws std::runtime_error if the bytes end early.
class unpacker {
public:
  explicit unpacker(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  template <typename T>
  T get() {
    T value;
    copy(&value, sizeof value);
    return value;
  }
  template <typename T>
  std::vector<T> get_list() {
    const auto n = get<std::uint64_t>();
    if (n > (bytes_.size() - at_) / sizeof(T))
      throw std::runtime_error("packed data ends early");
    std::vector<T> list(n);
    copy(list.data(), n * sizeof(T));
    return list;
  }
  std::string get_text() {
    const auto list = get_list<char>();
    return {list.begin(), list.end()};
  }

private:
  void copy(void* into, std::size_t n) {
    if (n > bytes_.size() - at_)
      throw std::runtime_error("packed data ends early");
    if (n > 0)
      std::memcpy(into, bytes_.data() + at_, n);
    at_ += n;
  }
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

} // namespace tacit::runtime
