#include "interpose/recorder/forward.h"

#include <cstring>

namespace tacit::interpose {

namespace {

// Blocks are small where messages are small, so that a changed byte condemns few others, and at most 256 in a
// long run.
constexpr std::uint64_t smallest_block = 256;
constexpr std::uint64_t most_blocks = 256;

std::uint64_t block_bytes_for(std::uint64_t length) {
  const std::uint64_t wanted = (length + most_blocks - 1) / most_blocks;
  return std::max(smallest_block, (wanted + smallest_block - 1) / smallest_block * smallest_block);
}

const unsigned char* bytes_at(std::uint64_t address) {
  return reinterpret_cast<const unsigned char*>(address);
}

bool all_equal(std::uint64_t address, std::uint64_t length) {
  return length < 2 || std::memcmp(bytes_at(address), bytes_at(address + 1), length - 1) == 0;
}

/// Adds a part, joined to the one before if it continues it on both sides.
void add_part(std::vector<forwarded_part>& parts, const forwarded_part& part) {
  if (!parts.empty()) {
    forwarded_part& last = parts.back();
    if (last.receive == part.receive && last.receive_offset + last.length == part.receive_offset &&
        last.send_offset + last.length == part.send_offset) {
      last.length += part.length;
      last.constant = last.constant && part.constant;
      return;
    }
  }
  parts.push_back(part);
}

} // namespace

void received_table::received(std::uint64_t ordinal, std::span<const owned_run> runs) {
  if (runs.empty())
    return;
  receive kept;
  std::uint64_t packed = 0;
  for (const owned_run& r : runs) {
    const std::uint64_t block = block_bytes_for(r.run.length);
    kept.runs.push_back({r, packed, block, kept.hashes.size()});
    for (std::uint64_t at = 0; at < r.run.length; at += block)
      kept.hashes.push_back(hash_bytes(bytes_at(r.run.address + at), std::min(block, r.run.length - at)));
    packed += r.run.length;
  }
  for (std::uint32_t i = 0; i < kept.runs.size(); ++i) {
    const memory_run& run = kept.runs[i].where.run;
    claim(run.address, run.address + run.length, {run.address + run.length, ordinal, i});
  }
  receives_.emplace(ordinal, std::move(kept));
  order_.push_back(ordinal);
  while (order_.size() > max_receives || (intervals_.size() > max_intervals && !order_.empty()))
    forget_oldest();
}

/// Cuts [begin, end) out of all intervals and gives it to `owner` (to nobody if owner.end is 0).
void received_table::claim(std::uint64_t begin, std::uint64_t end, interval owner) {
  auto at = intervals_.upper_bound(begin);
  if (at != intervals_.begin()) {
    auto before = std::prev(at);
    const interval cut = before->second;
    if (cut.end > begin) {
      if (before->first < begin)
        before->second.end = begin;
      else
        intervals_.erase(before);
      if (cut.end > end)
        intervals_.emplace(end, cut);
    }
  }
  while (at != intervals_.end() && at->first < end) {
    const interval cut = at->second;
    at = intervals_.erase(at);
    if (cut.end > end)
      at = intervals_.emplace(end, cut).first;
  }
  if (owner.end != 0)
    intervals_[begin] = owner;
}

void received_table::forget_oldest() {
  const std::uint64_t ordinal = order_.front();
  order_.pop_front();
  const auto found = receives_.find(ordinal);
  for (const kept_run& r : found->second.runs) {
    const std::uint64_t end = r.where.run.address + r.where.run.length;
    for (auto at = intervals_.lower_bound(r.where.run.address); at != intervals_.end() && at->first < end;)
      at = at->second.ordinal == ordinal ? intervals_.erase(at) : std::next(at);
  }
  receives_.erase(found);
}

std::vector<forwarded_part> received_table::forwarded(std::span<const owned_run> runs) {
  std::vector<forwarded_part> parts;
  std::uint64_t packed = 0;
  for (const owned_run& sent : runs) {
    const std::uint64_t begin = sent.run.address, end = begin + sent.run.length;
    auto at = intervals_.upper_bound(begin);
    if (at != intervals_.begin() && std::prev(at)->second.end > begin)
      --at;
    for (; at != intervals_.end() && at->first < end; ++at) {
      const std::uint64_t from = std::max(begin, at->first), to = std::min(end, at->second.end);
      compare(sent, from, to, packed + (from - begin), at->second, parts);
    }
    packed += sent.run.length;
  }
  return parts;
}

/// Compares the blocks of the owner that touch [begin, end) with what they were when they were received.
void received_table::compare(const owned_run& sent, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t send_offset, const interval& owner,
                             std::vector<forwarded_part>& parts) const {
  const receive& from = receives_.at(owner.ordinal);
  const kept_run& kept = from.runs[owner.run];
  if (kept.where.allocation != sent.allocation)
    return;
  const std::uint64_t run_begin = kept.where.run.address, run_end = run_begin + kept.where.run.length;
  for (std::uint64_t i = (begin - run_begin) / kept.block_bytes; run_begin + i * kept.block_bytes < end;
       ++i) {
    const std::uint64_t block = run_begin + i * kept.block_bytes;
    const std::uint64_t block_end = std::min(block + kept.block_bytes, run_end);
    const bool covered = block >= sent.run.address && block_end <= sent.run.address + sent.run.length;
    if (!covered && !sent.stable)
      continue;
    if (hash_bytes(bytes_at(block), block_end - block) != from.hashes[kept.first_hash + i])
      continue;
    const std::uint64_t first = std::max(begin, block), last = std::min(end, block_end);
    add_part(parts, {owner.ordinal, kept.packed + (first - run_begin), send_offset + (first - begin),
                     last - first, all_equal(first, last - first)});
  }
}

} // namespace tacit::interpose
