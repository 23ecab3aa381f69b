// Fewer page faults for large arrays that are written once.
#pragma once

#include "vocabulary/base/spoken.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tacit::vocabulary {

/// Asks the system to back this memory by huge pages where it can. Advice only: what is there stays, and
/// where there are no huge pages (or the range holds none) nothing happens. Worth it for fresh arrays of
/// megabytes: clearing small pages one fault at a time took a third of the time of detecting an alltoall.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// Has the system put this memory into huge pages now, where it can (Linux 6.1): also where a page here and there has been written already,
/// for which advice comes too late. Else nothing happens.
void move_to_huge_pages(void* memory, std::size_t bytes);

/// Makes room in a vector that has none yet, for arrays of which a pass needs some as long as a large graph.
template <typename Vector>
void reserve_huge(Vector& list, std::size_t items) {
  list.reserve(items);
  prefer_huge_pages(list.data(), items * sizeof(typename Vector::value_type));
}

/// Many arrays that are made one after the other, and so lie side by side nearly always: each is too short for huge pages, all together are
/// not. What lies between them is moved with them. malloc has written the length of each into its first page, so advice would do nothing.
class arrays_side_by_side {
public:
  template <typename List>
  void add(List& list, std::size_t items) {
    const auto begin = reinterpret_cast<std::uintptr_t>(list.data());
    const std::size_t bytes = items * sizeof(typename List::value_type);
    begin_ = std::min(begin_, begin);
    end_ = std::max(end_, begin + bytes);
    bytes_ += bytes;
  }
  void move_to_huge_pages() const {
    if (begin_ < end_ && end_ - begin_ <= 2 * bytes_) // else they lie scattered among other memory
      vocabulary::move_to_huge_pages(reinterpret_cast<void*>(begin_), end_ - begin_);
  }

private:
  std::uintptr_t begin_ = ~std::uintptr_t{0}, end_ = 0;
  std::size_t bytes_ = 0;
};

} // namespace tacit::vocabulary
