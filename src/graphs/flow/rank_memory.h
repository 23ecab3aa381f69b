// The memory of one rank while a graph is followed: what each of its bytes holds, in terms of initial values.
//
// A byte that nothing has written holds its own initial value, and so does one that got it back; such bytes
// have no entry. All others belong to exactly one fragment, fragments are sorted and as long as possible, so
// equal memories have equal fragments (`each`), however they came about.
//
// Almost every rank of a large graph holds one fragment, which lies in place: 32 bytes a rank, nothing
// allocated. A second one moves both to a tree on the heap.
#pragma once

#include "graphs/flow/fragment_tree.h"
#include "graphs/graph/graph.h"

#include <cstdint>
#include <memory>

namespace tacit::graphs {

/// What a message carries: fragments whose `address` is the offset in the message, sorted, without gaps, as
/// long as possible.
using message_content = counted_vector<fragment>;

/// Appends what follows directly behind the last fragment.
inline void append(message_content& content, const fragment& piece) {
  if (!content.empty() && content.back().continued_by(piece))
    content.back().length += piece.length;
  else
    content.push_back(piece);
}

class rank_memory {
public:
  /// The memory of rank `self` before anything was written.
  explicit rank_memory(rank_id self) : self_(self) {}
  rank_memory(rank_memory&& other) noexcept { *this = std::move(other); }
  rank_memory& operator=(rank_memory&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(length_, other.length_);
    std::swap(value_, other.value_);
    std::swap(source_, other.source_);
    std::swap(self_, other.self_);
    return *this;
  }
  ~rank_memory() {
    if (fragment_tree* const many = tree()) {
      memory_budget& budget = many->budget();
      delete many;
      budget.give_back(sizeof(fragment_tree));
    }
  }

  /// Appends what the bytes of `s` hold to `content`, the first one at offset `offset`.
  void read(const segment& s, std::uint64_t offset, message_content& content) const {
    std::uint64_t at = s.address;
    const std::uint64_t end = s.address + s.length;
    const auto initial = [&](std::uint64_t to) {
      if (at < to)
        append(content, {offset + (at - s.address), to - at, at, self_, 0});
      at = to;
    };
    const auto held = [&](const fragment& f) {
      initial(std::max(at, f.address));
      fragment piece = f.part(at, std::min(end, f.end()));
      at = piece.end();
      piece.address = offset + (piece.address - s.address);
      append(content, piece);
    };
    if (const fragment_tree* const many = tree())
      many->each(s.address, end, held);
    else if (const fragment f = only(); f.length != 0 && f.address < end && s.address < f.end())
      held(f);
    initial(end);
  }

  /// The bytes of `f` now hold its value. Throws over_budget, and is then undefined but for destruction.
  void write(const fragment& f, memory_budget& budget) {
    const bool initial = f.source == self_ && f.source_address == f.address;
    fragment_tree* const many = tree();
    if (many && !initial)
      return many->assign(f);
    forget(f.address, f.end(), budget);
    if (!initial)
      insert(f, budget);
  }

  /// Calls visit(fragment) for each fragment, in the order of addresses.
  template <typename Visit>
  void each(Visit&& visit) const {
    fragment last = length_ != 0 ? only() : fragment{};
    if (const fragment_tree* const many = tree())
      many->each([&](const fragment& f) { // leaves join only what lies in one of them
        if (last.length != 0 && last.continued_by(f)) {
          last.length += f.length;
          return;
        }
        if (last.length != 0)
          visit(last);
        last = f;
      });
    if (last.length != 0)
      visit(last);
  }

  bool has_tree() const { return tree() != nullptr; }
  // See fragment_tree.h.
  [[gnu::always_inline]] void prefetch_tree() const {
    if (const fragment_tree* const many = tree())
      many->prefetch();
  }
  [[gnu::always_inline]] void prefetch_leaves() const {
    if (const fragment_tree* const many = tree())
      many->prefetch_leaves();
  }
  [[gnu::always_inline]] void prefetch_fragments() const {
    if (const fragment_tree* const many = tree())
      many->prefetch_fragments();
  }

  /// At least as many fragments as `each` visits.
  std::size_t size() const {
    const fragment_tree* const many = tree();
    return many ? many->size() : length_ != 0;
  }

private:
  fragment only() const { return {address_, length_, value_, source_, 0}; }
  fragment_tree* tree() const {
    return length_ == 0 ? reinterpret_cast<fragment_tree*>(value_) : nullptr; // as put there by grow
  }

  void keep(const fragment& f) {
    address_ = f.address;
    length_ = f.length;
    value_ = f.length == 0 ? 0 : f.source_address;
    source_ = f.source;
  }

  /// The bytes [from, to) hold their initial value again.
  void forget(std::uint64_t from, std::uint64_t to, memory_budget& budget) {
    if (fragment_tree* const many = tree())
      return many->erase(from, to);
    const fragment f = only();
    if (f.length == 0 || f.end() <= from || to <= f.address)
      return;
    if (f.address < from && to < f.end())
      grow(budget).erase(from, to);
    else if (f.address < from)
      keep(f.part(f.address, from));
    else if (to < f.end())
      keep(f.part(to, f.end()));
    else
      keep({});
  }

  /// All bytes of `f` must hold their initial value.
  void insert(const fragment& f, memory_budget& budget) {
    if (fragment_tree* const many = tree())
      many->insert(f);
    else if (length_ == 0)
      keep(f);
    else if (only().continued_by(f))
      length_ += f.length;
    else
      grow(budget).insert(f);
  }

  fragment_tree& grow(memory_budget& budget) {
    budget.take(sizeof(fragment_tree));
    auto many = std::make_unique<fragment_tree>(budget);
    many->insert(only());
    length_ = 0;
    value_ = reinterpret_cast<std::uint64_t>(many.get());
    return *many.release();
  }

  // The only fragment; if `length_` is 0, `value_` is the address of the tree instead, or 0.
  std::uint64_t address_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t value_ = 0;
  rank_id source_ = no_rank;
  rank_id self_ = no_rank;
};
static_assert(sizeof(rank_memory) == 32);

} // namespace tacit::graphs
