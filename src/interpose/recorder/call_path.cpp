#include "interpose/recorder/call_path.h"

#include <pthread.h>
#include <unwind.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define TACIT_READS_STACK __attribute__((no_sanitize("address")))
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TACIT_READS_STACK __attribute__((no_sanitize_address))
#endif
#ifndef TACIT_READS_STACK
#define TACIT_READS_STACK
#endif

namespace tacit::interpose {

namespace {

// A larger frame is taken for a mistake of the unwind tables: a word that far away is not read.
constexpr std::uint64_t largest_frame = std::uint64_t{1} << 20;

TACIT_READS_STACK std::uint64_t word_at(std::uint64_t address) {
  return *reinterpret_cast<const volatile std::uint64_t*>(address);
}

/// A frame of the program: where it will go on, and the stack pointer then.
struct seen_frame {
  std::uint64_t address = 0;
  std::uint64_t stack = 0;
};

struct seen_frames {
  std::uint64_t from = 0;
  std::size_t skipped = 0;
  std::size_t count = 0;
  std::array<seen_frame, path_finder::max_steps + 2>
      frame; ///< with the one after the last, whose address is looked up
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* argument) {
  constexpr std::size_t most_of_ours = 24; // between the wrapper and here
  auto& seen = *static_cast<seen_frames*>(argument);
  const seen_frame now{_Unwind_GetIP(context), _Unwind_GetCFA(context)};
  if (seen.count == 0 && now.address != seen.from)
    return ++seen.skipped < most_of_ours ? _URC_NO_REASON : _URC_END_OF_STACK;
  if (now.address == 0)
    return _URC_END_OF_STACK;
  seen.frame[seen.count++] = now;
  return seen.count < seen.frame.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Where between two stack pointers a return address is kept: on x86-64 right below the upper one, elsewhere in the
/// frame's record. 0 if nowhere.
std::uint64_t slot_of(std::uint64_t address, std::uint64_t low, std::uint64_t high) {
  for (std::uint64_t at = high - 8; at >= low && at < high; at -= 8)
    if (word_at(at) == address)
      return at;
  return 0;
}

/// The stack that a thread was started on; a distance that was learned elsewhere must not lead beyond its end.
struct stack_bounds {
  std::uint64_t low = 0, high = 0;
  bool contains(std::uint64_t address) const { return address >= low && address < high; }
};

const stack_bounds& own_stack() {
  thread_local stack_bounds known;
  if (known.high != 0)
    return known;
  known.low = known.high = 1; // no stack, if it cannot be learned
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return known;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
    known = {reinterpret_cast<std::uint64_t>(low), reinterpret_cast<std::uint64_t>(low) + bytes};
  pthread_attr_destroy(&attributes);
  return known;
}

} // namespace

std::span<const std::uint64_t> path_finder::find(const void* from, const void* anchor) {
  const auto first = reinterpret_cast<std::uint64_t>(from), base = reinterpret_cast<std::uint64_t>(anchor);
  const bool check = --until_check_ == 0;
  if (check)
    until_check_ = checked_once_in;
  if (!own_stack().contains(base)) // a coroutine's: where it ends is not known
    found_ = {{first}, 1, true};
  else if (found_ = walk(first, base); !found_.whole || check) {
    unwind(first, base);
    found_ = walk(first, base);
  }
  return std::span(found_.address).first(found_.frames);
}

/// The step from the anchor to the frame that the call returns to; null if it is not known.
const path_finder::step* path_finder::first_step(std::uint64_t from, std::uint64_t anchor) {
  for (handle_map<step>& steps : first_) {
    const step* way = steps.find(from);
    if (way &&
        (way->ends() || (anchor + way->to_slot < own_stack().high && word_at(anchor + way->to_slot) == from)))
      return way;
  }
  return nullptr;
}

path_finder::path path_finder::walk(std::uint64_t from, std::uint64_t anchor) {
  const std::uint64_t end = own_stack().high - 8;
  path p;
  p.address[p.frames++] = from;
  p.whole = false;
  const step* way = first_step(from, anchor);
  if (!way)
    return p;
  std::uint64_t stack = anchor + way->to_frame, last = from;
  if (!way->ends())
    way = next_.find(from);
  for (std::size_t steps = 0; way && steps < max_steps; ++steps) {
    if (way->ends() || p.frames == max_frames) {
      p.whole = true;
      return p;
    }
    if (stack + way->to_slot > end)
      return p;
    const std::uint64_t next = word_at(stack + way->to_slot);
    stack += way->to_frame;
    way = next_.find(next);
    if (way && next != last)
      p.address[p.frames++] = next;
    last = next;
  }
  p.whole = way != nullptr;
  return p;
}

void path_finder::learn(handle_map<step>& steps, std::uint64_t address, step seen) {
  step* known = steps.find(address);
  if (!known)
    steps[address] = seen;
  else if (known->to_slot != seen.to_slot || known->to_frame != seen.to_frame)
    known->varies = true;
}

void path_finder::unwind(std::uint64_t from, std::uint64_t anchor) {
  ++unwound_;
  seen_frames seen;
  seen.from = from;
  _Unwind_Backtrace(take_frame, &seen);
  if (seen.count == 0)
    return learn(first_[0], from, {});
  const auto step_to = [](std::uint64_t stack, const seen_frame& next) {
    const std::uint64_t distance = next.stack - stack;
    const std::uint64_t slot = distance < largest_frame ? slot_of(next.address, stack, next.stack) : 0;
    return slot == 0
               ? step{}
               : step{static_cast<std::uint32_t>(slot - stack), static_cast<std::uint32_t>(distance), false};
  };
  if (!first_step(from, anchor))
    learn(first_[first_[0].find(from) ? 1 : 0], from, step_to(anchor, seen.frame[0]));
  for (std::size_t i = 0; i + 1 < seen.count; ++i)
    learn(next_, seen.frame[i].address, step_to(seen.frame[i].stack, seen.frame[i + 1]));
  if (seen.count < seen.frame.size()) // the stack ends here
    learn(next_, seen.frame[seen.count - 1].address, {});
}

} // namespace tacit::interpose
