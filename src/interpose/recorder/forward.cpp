#include "interpose/recorder/forward.h"

#include <cstring>

namespace tacit::interpose {

namespace {

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

/// How often these very bytes were received before without a send that touched them.
std::uint32_t received_table::idle_before(const memory_run& run) const {
  const auto at = intervals_.find(run.address);
  if (at == intervals_.end() || at->second.end != run.address + run.length || at->second.touched)
    return 0;
  return at->second.idle + 1;
}

bool received_table::is_worth_hashing(std::span<const owned_run> runs) const {
  for (const owned_run& r : runs)
    if (const std::uint32_t idle = idle_before(r.run); idle < idle_receives || idle % idle_receives == 0)
      return true;
  return false;
}

/// A place for this receive: that of the one whose bytes it takes, if it lies in one run. Its runs are set.
received_table::receive& received_table::renew(std::uint64_t ordinal, std::span<const owned_run> runs) {
  std::unordered_map<std::uint64_t, receive>::node_type place;
  const memory_run& first = runs[0].run;
  if (const auto at = intervals_.find(first.address); runs.size() == 1 && at != intervals_.end())
    if (const auto old = receives_.find(at->second.ordinal);
        old->second.runs.size() == 1 && at->second.end == first.address + first.length &&
        old->second.runs[0].where.run.length == first.length)
      place = receives_.extract(old);
  if (place) {
    place.key() = ordinal;
    place.mapped().runs.clear();
    place.mapped().hashes.clear();
  }
  receive& kept = place ? receives_.insert(std::move(place)).position->second : receives_[ordinal];
  std::uint64_t packed = 0;
  for (const owned_run& r : runs) {
    kept.runs.push_back({r, packed, content_block_bytes(r.run.length), 0});
    packed += r.run.length;
  }
  return kept;
}

void received_table::received(std::uint64_t ordinal, std::span<const owned_run> runs,
                              std::span<const std::uint64_t> blocks) {
  if (runs.empty())
    return;
  receive& kept = renew(ordinal, runs);
  if (runs.size() == 1 && !blocks.empty()) {
    kept.hashes.assign(blocks.begin(), blocks.end());
    return claim_runs(ordinal, kept);
  }
  for (kept_run& k : kept.runs) {
    const memory_run& run = k.where.run;
    k.first_hash = kept.hashes.size();
    for (std::uint64_t at = 0; at < run.length; at += k.block_bytes)
      kept.hashes.push_back(hash_bytes(bytes_at(run.address + at), std::min(k.block_bytes, run.length - at)));
  }
  claim_runs(ordinal, kept);
}

void received_table::received_unseen(std::uint64_t ordinal, std::span<const owned_run> runs) {
  if (!runs.empty())
    claim_runs(ordinal, renew(ordinal, runs));
}

void received_table::claim_runs(std::uint64_t ordinal, const receive& kept) {
  for (std::uint32_t i = 0; i < kept.runs.size(); ++i) {
    const memory_run& run = kept.runs[i].where.run;
    claim(run.address, run.address + run.length,
          {run.address + run.length, ordinal, i, idle_before(run), false});
  }
  order_.push_back(ordinal);
  while (receives_.size() > max_receives || (intervals_.size() > max_intervals && !order_.empty()))
    forget_oldest();
  if (order_.size() > 4 * max_receives)
    std::erase_if(order_, [this](std::uint64_t one) { return !receives_.contains(one); });
}

/// Cuts [begin, end) out of all intervals and gives it to `owner` (to nobody if owner.end is 0).
void received_table::claim(std::uint64_t begin, std::uint64_t end, interval owner) {
  if (const auto same = intervals_.find(begin);
      owner.end != 0 && same != intervals_.end() && same->second.end == end) {
    same->second = owner;
    return;
  }
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
  if (found == receives_.end())
    return; // another receive has taken all its bytes
  for (const kept_run& r : found->second.runs) {
    const std::uint64_t end = r.where.run.address + r.where.run.length;
    for (auto at = intervals_.lower_bound(r.where.run.address); at != intervals_.end() && at->first < end;)
      at = at->second.ordinal == ordinal ? intervals_.erase(at) : std::next(at);
  }
  receives_.erase(found);
}

/// The first interval that ends behind the beginning of these bytes.
received_table::interval_map::iterator received_table::first_in(memory_run bytes) {
  auto at = intervals_.upper_bound(bytes.address);
  if (at != intervals_.begin() && std::prev(at)->second.end > bytes.address)
    --at;
  return at;
}

bool received_table::touches(memory_run bytes) const {
  const auto at = const_cast<received_table*>(this)->first_in(bytes);
  return at != intervals_.end() && at->first < bytes.address + bytes.length;
}

std::vector<forwarded_part> received_table::forwarded(std::span<const owned_run> runs,
                                                      std::span<const std::uint64_t> blocks) {
  std::vector<forwarded_part> parts;
  std::uint64_t packed = 0;
  if (runs.size() != 1)
    blocks = {};
  for (const owned_run& sent : runs) {
    const std::uint64_t begin = sent.run.address, end = begin + sent.run.length;
    for (auto at = first_in(sent.run); at != intervals_.end() && at->first < end; ++at) {
      const std::uint64_t from = std::max(begin, at->first), to = std::min(end, at->second.end);
      at->second.touched = true;
      compare(sent, from, to, packed + (from - begin), at->second, blocks, parts);
    }
    packed += sent.run.length;
  }
  return parts;
}

/// Compares the blocks of the owner that touch [begin, end) with what they were when they were received.
void received_table::compare(const owned_run& sent, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t send_offset, const interval& owner,
                             std::span<const std::uint64_t> blocks,
                             std::vector<forwarded_part>& parts) const {
  const receive& from = receives_.at(owner.ordinal);
  const kept_run& kept = from.runs[owner.run];
  if (kept.where.allocation != sent.allocation || from.hashes.empty())
    return;
  const bool same_run =
      sent.run.address == kept.where.run.address && sent.run.length == kept.where.run.length;
  const std::uint64_t run_begin = kept.where.run.address, run_end = run_begin + kept.where.run.length;
  for (std::uint64_t i = (begin - run_begin) / kept.block_bytes; run_begin + i * kept.block_bytes < end;
       ++i) {
    const std::uint64_t block = run_begin + i * kept.block_bytes;
    const std::uint64_t block_end = std::min(block + kept.block_bytes, run_end);
    const bool covered = block >= sent.run.address && block_end <= sent.run.address + sent.run.length;
    if (!covered && !sent.stable)
      continue;
    const std::uint64_t now =
        same_run && !blocks.empty() ? blocks[i] : hash_bytes(bytes_at(block), block_end - block);
    if (now != from.hashes[kept.first_hash + i])
      continue;
    const std::uint64_t first = std::max(begin, block), last = std::min(end, block_end);
    add_part(parts, {owner.ordinal, kept.packed + (first - run_begin), send_offset + (first - begin),
                     last - first, all_equal(first, last - first)});
  }
}

} // namespace tacit::interpose
