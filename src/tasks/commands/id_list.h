// A list of commands, nearly always short: up to four need no memory of their own. Commands are made by one thread and freed by another,
// which makes memory dear.
#pragma once

#include "tasks/space/ids.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tacit::tasks {

class id_list {
public:
  id_list() = default;
  id_list(const std::vector<command_id>& from) { // NOLINT(google-explicit-constructor): it is the same list
    if (from.size() > few_.size())
      many_ = from;
    else
      std::ranges::copy(from, few_.begin());
    size_ = from.size();
  }
  std::size_t size() const { return size_; }
  const command_id* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const command_id* end() const { return begin() + size_; }
  command_id* begin() { return many_.empty() ? few_.data() : many_.data(); }
  command_id* end() { return begin() + size_; }
  friend bool operator==(const id_list& a, const id_list& b) { return std::ranges::equal(a, b); }

private:
  std::array<command_id, 4> few_{};
  std::vector<command_id> many_; ///< five or more, instead
  std::size_t size_ = 0;
};

} // namespace tacit::tasks
