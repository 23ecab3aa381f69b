// A value for every buffer that is still alive, by the buffer's number.
//
// Numbers grow and are never given twice. Of a buffer that was destroyed a pointer is left; who visits all buffers visits those
// alive, so that programs that make buffers in a loop pay for those that they hold.
#pragma once

#include "tasks/space/ids.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace tacit::tasks {

template <typename T>
class by_buffer {
public:
  /// Of the next buffer.
  void add(T value) {
    alive_.push_back(buffer_id{static_cast<std::uint32_t>(values_.size())});
    values_.push_back(std::make_unique<T>(std::move(value)));
  }
  T& operator[](buffer_id id) { return *values_[index(id)]; }
  const T& operator[](buffer_id id) const { return *values_[index(id)]; }
  /// From now on there is none for this buffer. A second time nothing happens.
  void drop(buffer_id id) {
    const auto found = std::ranges::lower_bound(alive_, id);
    if (found == alive_.end() || *found != id)
      return;
    alive_.erase(found);
    values_[index(id)].reset();
  }
  bool has(buffer_id id) const { return index(id) < values_.size() && values_[index(id)] != nullptr; }
  std::size_t alive() const { return alive_.size(); }
  template <typename Visit>
  void visit_all(Visit&& visit) {
    for (const buffer_id id : alive_)
      visit((*this)[id]);
  }

private:
  std::vector<std::unique_ptr<T>> values_;
  std::vector<buffer_id> alive_; ///< in increasing order
};

} // namespace tacit::tasks
