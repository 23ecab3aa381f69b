// What MPI or another rank may still read and write after an error: kept to the end of the process, where leak checkers find it.
#pragma once

#include <deque>
#include <mutex>
#include <utility>

namespace tacit::runtime {

/// Keeps `what`, whose destructor is never called.
template <class T>
T& leave_under_way(T what) {
  static std::mutex mutex;
  static auto& kept = *new std::deque<T>;
  const std::lock_guard lock(mutex);
  return kept.emplace_back(std::move(what));
}

} // namespace tacit::runtime
