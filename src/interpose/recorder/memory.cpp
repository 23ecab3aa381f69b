#include "interpose/recorder/memory.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <sched.h>
#include <unistd.h>
#include <vector>

extern "C" void* __libc_stack_end; // NOLINT: glibc's name for where main's stack began

namespace tacit::interpose {

namespace {

std::atomic<bool> following{false};

/// Held for a tree operation only. Not a std::mutex: it is taken inside malloc, and reset in forked children.
class spin_lock {
public:
  void lock() {
    for (int spins = 0; held_.test_and_set(std::memory_order_acquire);)
      if (++spins % 64 == 0)
        sched_yield();
  }
  void unlock() { held_.clear(std::memory_order_release); }

private:
  std::atomic_flag held_ = ATOMIC_FLAG_INIT;
};

struct heap_block {
  std::uint64_t bytes = 0;
  std::uint32_t id = 0;
};

struct state {
  spin_lock lock;
  std::map<std::uint64_t, heap_block>
      heap; ///< by base; nodes are smaller than what is followed, so no recursion
  std::map<std::uint64_t, memory_block> rest; ///< modules, stacks, mappings that were asked for, by base
  std::uint32_t last_id = 0;
};

// Never destroyed: free is called until the very end of the process.
state& memory() {
  static state& it = *new state;
  return it;
}

struct locked {
  explicit locked(state& s) : s_(s) { s_.lock.lock(); }
  ~locked() { s_.lock.unlock(); }
  state& s_;
};

/// Static data of a module, found among the loaded ones.
struct module_search {
  std::uint64_t address;
  memory_block found;
  bool hit = false;
};

int look_into_module(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<module_search*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.address - (info->dlpi_addr + part.p_vaddr) >= part.p_memsz)
      continue;
    search.found.kind = recordings::memory_kind::module_data;
    search.found.base = info->dlpi_addr + part.p_vaddr;
    search.found.bytes = part.p_memsz;
    search.found.module_base = info->dlpi_addr;
    search.hit = true;
    return 1;
  }
  return 0;
}

/// The line of /proc/self/maps that holds the address. Read without stdio, which might call malloc at a bad
/// moment.
bool find_mapping(std::uint64_t address, memory_block& found) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  char text[4096];
  std::size_t have = 0;
  bool hit = false;
  for (;;) {
    const ssize_t done = read(file, text + have, sizeof text - 1 - have);
    if (done <= 0)
      break;
    have += static_cast<std::size_t>(done);
    text[have] = 0;
    char* line = text;
    while (char* end = std::strchr(line, '\n')) {
      *end = 0;
      unsigned long from = 0, to = 0;
      if (std::sscanf(line, "%lx-%lx", &from, &to) == 2 && address - from < to - from) {
        found.base = from;
        found.bytes = to - from;
        found.kind =
            std::strstr(line, "[stack]") ? recordings::memory_kind::stack : recordings::memory_kind::mapping;
        hit = true;
      }
      line = end + 1;
    }
    if (hit)
      break;
    have = static_cast<std::size_t>(text + have - line);
    std::memmove(text, line, have);
    if (have == sizeof text - 1)
      have = 0; // a line longer than any path: skip it
  }
  close(file);
  return hit;
}

// The main stack grows down and starts at a random place: name addresses relative to a fixed distance below
// main's frame, so that the same frame has the same offset in every run.
constexpr std::uint64_t stack_reach = 64u << 20;

void anchor_stack(memory_block& block) {
  const std::uint64_t end = block.base + block.bytes;
  block.base = reinterpret_cast<std::uint64_t>(__libc_stack_end) - stack_reach;
  block.bytes = end - block.base;
}

/// A block that is not heap and was not asked for before; clipped to what is not known yet, because the
/// kernel joins neighboring mappings and ids must stay what they are.
memory_block add_rest(state& s, std::uint64_t address) {
  module_search search{address, {}, false};
  // dl_iterate_phdr takes the loader's lock; it never allocates.
  dl_iterate_phdr(look_into_module, &search);
  memory_block block = search.found;
  if (!search.hit && !find_mapping(address, block))
    return {};
  const locked hold(s);
  if (block.kind == recordings::memory_kind::stack) {
    anchor_stack(block);
    const auto known = s.rest.find(block.base);
    if (known != s.rest.end())
      return known->second; // it has grown beyond its reach: offsets become negative
  } else {
    auto above = s.rest.upper_bound(address);
    std::uint64_t end = block.base + block.bytes;
    if (above != s.rest.end())
      end = std::min(end, above->first);
    if (above != s.rest.begin()) {
      const memory_block& below = std::prev(above)->second;
      block.base = std::max(block.base, std::min(address, below.base + below.bytes));
    }
    block.bytes = end - block.base;
  }
  block.id = ++s.last_id;
  s.rest[block.base] = block;
  block.fresh = true;
  return block;
}

} // namespace

void follow_memory(bool on) {
  memory();
  following.store(on, std::memory_order_release);
}

bool following_memory() {
  return following.load(std::memory_order_relaxed);
}

void block_allocated(const void* base, std::size_t bytes) {
  state& s = memory();
  const locked hold(s);
  s.heap[reinterpret_cast<std::uint64_t>(base)] = {bytes, 0};
}

void block_freed(const void* base) {
  state& s = memory();
  const locked hold(s);
  s.heap.erase(reinterpret_cast<std::uint64_t>(base));
}

memory_block find_block(std::uint64_t address) {
  state& s = memory();
  {
    const locked hold(s);
    auto above = s.heap.upper_bound(address);
    if (above != s.heap.begin()) {
      auto& [base, heap] = *std::prev(above);
      if (address - base < heap.bytes) {
        const bool fresh = heap.id == 0;
        if (fresh)
          heap.id = ++s.last_id;
        return {heap.id, recordings::memory_kind::heap, base, heap.bytes, 0, fresh};
      }
    }
    auto rest_above = s.rest.upper_bound(address);
    if (rest_above != s.rest.begin()) {
      const memory_block& known = std::prev(rest_above)->second;
      if (known.contains(address))
        return known;
    }
  }
  return address < 4096 ? memory_block{} : add_rest(s, address);
}

void memory_after_fork() {
  following.store(false, std::memory_order_relaxed);
  memory().lock.unlock();
}

} // namespace tacit::interpose
