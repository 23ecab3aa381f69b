// MPI_Reduce_local wants elements as they lie in memory, with their gaps (MPI_DOUBLE_INT has 12 bytes of data in
// 16), and a step has the bytes of data alone, in pieces. Where both operands lie as MPI wants them, which is so
// for arrays of the program and for arrivals of types without gaps, MPI works in place. Otherwise both are laid
// out in memory of their own before, and the result is copied back. Elements in place are combined without MPI where the result is
// the same bit for bit (`own_loop`), a few always and many if that is faster.
//
// MPI calls an operator of the program from here, on the thread that progresses the schedule, and never two at once,
// for progress.h lets one thread in at a time. (In a collective MPI calls it from wherever it is.)
#include "runtime/run/reducing.h"

#include "runtime/mpi/datatype.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/lower.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

namespace tacit::runtime {
namespace {

using bytes = std::vector<graphs::segment>;

/// Beyond, what MPI's call costs does not count, and it may have better code for this processor, or worse.
constexpr std::uint64_t most_by_own_loop = 1024;

void combine(const bound_reducer& by, const std::byte* from, std::byte* into, std::uint64_t count,
             std::int64_t extent) {
  constexpr std::uint64_t most = INT_MAX;
  for (std::uint64_t done = 0; done < count; done += most) {
    const auto offset = static_cast<std::int64_t>(done) * extent;
    check_mpi(MPI_Reduce_local(from + offset, into + offset, static_cast<int>(std::min(most, count - done)),
                               by.type, by.operation),
              "MPI_Reduce_local");
  }
}

/// Seconds of combining two pages, at least.
template <typename Combine>
double seconds_of(Combine&& combine_pages) {
  constexpr int times = 5, calls = 8;
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call)
      combine_pages();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

/// Measured once for each loop, in some 30 us. Ranks may find different answers, as results are the same.
bool is_faster_than_mpi(element_loop loop, const bound_reducer& by, std::uint64_t element) {
  static std::mutex one_at_a_time;
  static std::map<element_loop, bool> known;
  const std::lock_guard lock(one_at_a_time);
  const auto found = known.find(loop);
  if (found != known.end())
    return found->second;
  constexpr std::size_t page = 4096;
  alignas(std::max_align_t) std::byte from[page] = {}, into[page] = {};
  const std::uint64_t count = page / element;
  const double ours = seconds_of([&] { loop(from, into, count); });
  const double of_mpi =
      seconds_of([&] { combine(by, from, into, count, static_cast<std::int64_t>(element)); });
  return known[loop] = ours < of_mpi;
}

/// Elements of a type in memory of our own.
class laid_out {
public:
  laid_out(const layout& element, std::uint64_t count) {
    std::int64_t low = 0, high = 0;
    for (const layout_segment& s : element.segments) {
      low = std::min(low, s.displacement);
      high = std::max(high, s.displacement + static_cast<std::int64_t>(s.length));
    }
    const auto far = static_cast<std::int64_t>(count - 1) * element.extent;
    low += std::min<std::int64_t>(far, 0);
    high += std::max<std::int64_t>(far, 0);
    low = low / alignment * alignment - (low < 0 ? alignment : 0); // so that the first element is aligned
    // Zero, for an operator of the program may look at gaps.
    memory_ = std::make_unique<std::max_align_t[]>(static_cast<std::size_t>((high - low) / alignment + 1));
    base_ = reinterpret_cast<std::byte*>(memory_.get()) - low;
    bytes_ = segments_of(base_, count, element);
  }
  std::byte* base() const { return base_; }
  const bytes& data() const { return bytes_; }

private:
  static constexpr std::int64_t alignment = alignof(std::max_align_t);
  std::unique_ptr<std::max_align_t[]> memory_;
  std::byte* base_ = nullptr;
  bytes bytes_;
};

/// Where the first element would be if the bytes lay as the type has them; null if they do not.
std::byte* in_place(const bytes& list, const layout& element, std::uint64_t count) {
  auto* const base = reinterpret_cast<std::byte*>(
      list.front().address - static_cast<std::uint64_t>(element.segments.front().displacement));
  if (element.segments.size() == 1 && static_cast<std::uint64_t>(element.extent) == element.size)
    return list.size() == 1 ? base : nullptr;
  return segments_of(base, count, element) == list ? base : nullptr;
}

} // namespace

std::function<void()> reducing(const bound_reducer& by, bytes from, bytes into, bool in_device) {
  const std::uint64_t length = graphs::total_length(into);
  if (length == 0)
    return [] {};
  const layout element = flatten(by.type);
  const std::uint64_t count = length / element.size;
  std::byte* source = in_place(from, element, count);
  if (!lies_well(by, reinterpret_cast<std::uint64_t>(source)))
    source = nullptr;
  std::byte* const target = in_place(into, element, count);
  const std::int64_t extent = element.extent;
  if (source && target && !in_device)
    if (const element_loop loop = own_loop(by.operation, by.type);
        loop && (length <= most_by_own_loop || is_faster_than_mpi(loop, by, element.size)))
      return [loop, source, target, count] { loop(source, target, count); };
  if (source && target)
    return [by, source, target, count, extent] { combine(by, source, target, count, extent); };
  return [by, from = std::move(from), into = std::move(into), count, extent,
          left = std::make_shared<laid_out>(element, count),
          right = std::make_shared<laid_out>(element, count)] {
    copy_bytes(from, left->data());
    copy_bytes(into, right->data());
    combine(by, left->base(), right->base(), count, extent);
    copy_bytes(right->data(), into);
  };
}

} // namespace tacit::runtime
