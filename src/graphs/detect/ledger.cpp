#include "graphs/detect/ledger.h"

#include <algorithm>
#include <numeric>

namespace tacit::graphs {

void ledger::take_part(const slice& s) {
  ++cuts_;
  const std::size_t destination = index(list_[s.transfer].destination);
  if (destination >= cut_at_.size())
    cut_at_.resize(destination + 1);
  cut_at_[destination] = true;
  auto& parts = cut_[s.transfer];
  if (state_[s.transfer] == state::free)
    parts.push_back({0, list_[s.transfer].length, s.transfer});
  state_[s.transfer] = state::cut;
  std::vector<slice> left;
  for (const slice& p : parts) {
    const std::uint64_t end = p.offset + p.length, taken_end = s.offset + s.length;
    if (p.offset < s.offset)
      left.push_back({p.offset, std::min(end, s.offset) - p.offset, s.transfer});
    if (end > taken_end) {
      const std::uint64_t begin = std::max(p.offset, taken_end);
      left.push_back({begin, end - begin, s.transfer});
    }
  }
  parts = std::move(left);
  if (parts.empty()) {
    state_[s.transfer] = state::taken;
    --open_;
  }
}

slice_list ledger::rest() const {
  slice_list result;
  if (open_ == 0)
    return result;
  result.expect(open_);
  for (std::uint32_t id = 0; id < list_.size(); ++id)
    each_free(id, [&](const slice& s) { result.push_back(s); });
  return result;
}

group_view::group_view(ledger& book, comm_id comm, std::span<const rank_id> members, std::uint32_t ranks)
    : book_(book), comm_(comm), members_(members), ranks_(ranks), first_(members_.size() + 1, 0),
      sent_(members_.size()) {
  if (members_.size() < ranks) {
    positions_.assign(ranks, nowhere);
    for (std::uint32_t i = 0; i < size(); ++i)
      positions_[index(members_[i])] = i;
  }
  collect();
  open_before_ = book.open();
  cuts_before_ = book.cuts();
}

void group_view::note_several(std::uint32_t position) {
  if (one_each_.empty())
    one_each_.assign(size(), true);
  one_each_[position] = false;
}

void group_view::note_repeated(std::uint32_t from, std::uint32_t into) {
  if (repeated_ == 0) {
    repeated_from_.assign(size(), 0);
    repeated_into_.assign(size(), 0);
  }
  ++repeated_;
  ++repeated_from_[from];
  ++repeated_into_[into];
}

void group_view::collect() {
  const auto list = book_.list();
  std::uint32_t count = 0;
  const auto leave_out = [&] { // from now on the ids are not consecutive any more
    if (!all_)
      return;
    active_.resize(count);
    std::iota(active_.begin(), active_.end(), 0u);
    all_ = false;
  };
  all_ = true;
  auto at = list.begin();
  const auto look_ahead = [&] { // sources may lie anywhere
    constexpr std::ptrdiff_t ahead = 16;
    if (list.end() - at <= ahead || index(at[ahead].source) >= ranks_)
      return;
    if (const std::uint32_t soon = position(at[ahead].source); soon != nowhere)
      __builtin_prefetch(&sent_[soon], 1);
  };
  for (std::uint32_t i = 0; i < size(); ++i) {
    first_[i] = count;
    if (at != list.end() && at->destination < members_[i]) {
      leave_out();
      at = std::lower_bound(at, list.end(), members_[i],
                            [](const transfer& t, rank_id rank) { return t.destination < rank; });
    }
    for (; at != list.end() && at->destination == members_[i]; ++at) {
      look_ahead();
      const auto id = static_cast<std::uint32_t>(at - list.begin());
      if (at->source == no_rank || at->source == at->destination || at->length == 0) {
        leave_out();
        continue;
      }
      const std::uint32_t from = position(at->source);
      if (from == nowhere || !book_.any_free(id)) {
        leave_out();
        continue;
      }
      if (!all_)
        active_.push_back(id);
      ++count;
      sender& sent = sent_[from];
      ++sent.transfers;
      shortest_ = std::min(shortest_, at->length);
      longest_ = std::max(longest_, at->length);
      const bool repeated = sent.last_destination == i;
      if (repeated)
        note_repeated(from, i);
      if (repeated || !book_.whole(id))
        note_several(i);
      sent.last_destination = i;
    }
  }
  first_[size()] = count;
}

} // namespace tacit::graphs
