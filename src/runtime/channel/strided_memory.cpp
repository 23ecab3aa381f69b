#include "runtime/channel/strided_memory.h"
#include "vocabulary/base/copy_memory.h"

#include <algorithm>
#include <cstring>

namespace tacit::runtime {
namespace {

std::byte* pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

/// `Gather`: packed bytes are written, else read.
template <std::uint64_t Length, bool Gather>
void copy_short(std::byte* packed, std::byte* user, std::int64_t distance, std::uint64_t count) {
  for (; count > 0; --count, packed += Length, user += distance) {
    if constexpr (Gather)
      std::memcpy(packed, user, Length);
    else
      std::memcpy(user, packed, Length);
  }
}

template <bool Gather>
void copy_pieces(std::byte* packed, std::byte* user, std::uint64_t length, std::int64_t distance,
                 std::uint64_t count) {
  switch (length) {
  case 4:
    return copy_short<4, Gather>(packed, user, distance, count);
  case 8:
    return copy_short<8, Gather>(packed, user, distance, count);
  case 12:
    return copy_short<12, Gather>(packed, user, distance, count);
  case 16:
    return copy_short<16, Gather>(packed, user, distance, count);
  case 24:
    return copy_short<24, Gather>(packed, user, distance, count);
  case 32:
    return copy_short<32, Gather>(packed, user, distance, count);
  default:
    for (; count > 0; --count, packed += length, user += distance) {
      if constexpr (Gather)
        copy_memory(packed, user, length);
      else
        copy_memory(user, packed, length);
    }
  }
}

} // namespace

strided_memory::strided_memory(const std::vector<graphs::segment>& bytes) {
  for (const graphs::segment& s : bytes) {
    if (s.length == 0)
      continue;
    bytes_ += s.length;
    ++pieces_;
    if (!runs_.empty() && runs_.back().length == s.length) {
      run& last = runs_.back();
      const auto distance = static_cast<std::int64_t>(s.address - last.address) -
                            last.distance * static_cast<std::int64_t>(last.count - 1);
      if (last.count == 1 || distance == last.distance) {
        last.distance = distance;
        ++last.count;
        continue;
      }
    }
    runs_.push_back({s.address, s.length, 0, 1});
  }
  runs_.shrink_to_fit();
}

void strided_memory::move(std::ptrdiff_t by) {
  for (run& r : runs_)
    r.address += static_cast<std::uint64_t>(by);
}

std::byte* strided_memory::contiguous(std::uint64_t first, std::uint64_t n) const {
  if (runs_.size() != 1 || runs_.front().count != 1)
    return nullptr;
  return first + n <= bytes_ ? pointer(runs_.front().address + first) : nullptr;
}

void strided_memory::seek(std::uint64_t first) {
  if (at_ == first)
    return;
  at_ = run_ = piece_ = done_ = 0;
  while (at_ < first) {
    const run& r = runs_[run_];
    const std::uint64_t left = first - at_;
    if (left >= r.length * r.count) {
      at_ += r.length * r.count;
      ++run_;
      continue;
    }
    piece_ = left / r.length;
    done_ = left % r.length;
    at_ = first;
  }
}

void strided_memory::gather(std::byte* into, std::uint64_t first, std::uint64_t n) {
  walk(
      first, n,
      [&](std::uint64_t offset, std::byte* user, std::uint64_t length, std::int64_t distance,
          std::uint64_t count) { copy_pieces<true>(into + offset, user, length, distance, count); },
      [&](std::uint64_t offset, const std::byte* user, std::uint64_t part) {
        copy_memory(into + offset, user, part);
      });
}

void strided_memory::scatter(const std::byte* from, std::uint64_t first, std::uint64_t n) {
  // Packed bytes are only read.
  auto* const packed = const_cast<std::byte*>(from);
  walk(
      first, n,
      [&](std::uint64_t offset, std::byte* user, std::uint64_t length, std::int64_t distance,
          std::uint64_t count) { copy_pieces<false>(packed + offset, user, length, distance, count); },
      [&](std::uint64_t offset, std::byte* user, std::uint64_t part) {
        copy_memory(user, from + offset, part);
      });
}

} // namespace tacit::runtime
