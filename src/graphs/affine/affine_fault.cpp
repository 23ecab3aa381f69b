// Validation of what was found, from the runs alone. A run is halved until what is left is even: its peers go up or down one by one, all
// within one stretch of the plan. There its addresses are a formula, and so are the plan's: they are equal if the first two are.
#include "graphs/affine/affine_meaning.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace tacit::graphs {
namespace {

class judge {
public:
  judge(const affine_graph& g, const affine_meaning& m) : g_(g), m_(m) {}

  std::string fault() {
    for (std::uint32_t r = 0; r < m_.ranks && fault_.empty(); ++r)
      judge_rank(g_.ranks[r]);
    return fault_;
  }

private:
  void note(rank_id r, std::string_view what) {
    if (fault_.empty())
      fault_ = fmt::format("rank {}: {}", index(r), what);
  }
  void judge_rank(const affine_list& list);
  void compare(const affine_list& list, const affine_run& run, std::uint32_t first, std::uint32_t last);
  bool agrees(rank_id self, const plain_message& m, const stretch* in) const;
  const stretch* stretch_of(rank_id self, const plain_message& m) const;
  void compare_all(const affine_list& list, op_kind kind);
  void check_peers(rank_id self, std::span<const stretch> blocks, bool with_all, bool with_root);
  void check_bytes(rank_id self);

  const affine_graph& g_;
  const affine_meaning& m_;
  struct portion {
    std::uint32_t first, last; ///< peers
  };
  std::vector<portion> compared_; ///< of one rank's runs of one kind
  std::string fault_;
};

const stretch* judge::stretch_of(rank_id self, const plain_message& m) const {
  for (const stretch& s : m.kind == op_kind::send ? m_.sends(self) : m_.receives(self))
    if (s.has(index(m.peer)))
      return &s;
  return nullptr;
}

/// Whether the plan has this message: in this stretch, or as the rank's own copy.
bool judge::agrees(rank_id self, const plain_message& m, const stretch* in) const {
  if (m.data.length != m_.bytes)
    return false;
  if (m.peer != self)
    return in && in->address_of(index(m.peer)) == m.data.address;
  const own_copy* const own = m_.own_of(self);
  return own && (m.kind == op_kind::send ? own->from : own->to) == m.data.address;
}

/// Messages `first` … `last` of a run.
void judge::compare(const affine_list& list, const affine_run& run, std::uint32_t first, std::uint32_t last) {
  const rank_id self = list.self();
  const auto message = [&](std::uint32_t k) { return message_of(run, k, self, list.ranks()); };
  const plain_message a = message(first), b = message(last);
  const stretch *const in = stretch_of(self, a), *const at_end = stretch_of(self, b);
  const auto distance = static_cast<std::int64_t>(index(b.peer)) - static_cast<std::int64_t>(index(a.peer));
  const bool even = (run.peer_step == 1 || run.peer_step == -1) &&
                    distance == std::int64_t{run.peer_step} * (last - first) && in && in == at_end;
  if (first < last && !even) {
    const std::uint32_t middle = first + (last - first) / 2;
    compare(list, run, first, middle);
    return compare(list, run, middle + 1, last);
  }
  if (!agrees(self, a, in) || (first < last && !agrees(self, message(first + 1), in)))
    note(self, fmt::format("the {} of rank {} is at another place in the graph",
                           run.kind == op_kind::send ? "block for" : "block of", index(a.peer)));
  const auto x = static_cast<std::uint32_t>(index(a.peer)), y = static_cast<std::uint32_t>(index(b.peer));
  compared_.push_back({std::min(x, y), std::max(x, y)});
}

/// No rank is a peer twice.
void judge::compare_all(const affine_list& list, op_kind kind) {
  compared_.clear();
  for (const affine_run& run : list.runs()) {
    if (run.kind != kind)
      continue;
    compare(list, run, 0, run.count - 1);
  }
  std::sort(compared_.begin(), compared_.end(),
            [](const portion& a, const portion& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < compared_.size(); ++i)
    if (compared_[i].first <= compared_[i - 1].last)
      return note(list.self(), "two messages for one rank");
}

/// In the order of ranks, none twice, and as many as the pattern has.
void judge::check_peers(rank_id self, std::span<const stretch> blocks, bool with_all, bool with_root) {
  std::uint64_t next = 0, count = 0;
  for (const stretch& s : blocks) {
    if (s.first < next || s.has(index(self)) || s.count == 0)
      return note(self, "two blocks for one rank");
    next = s.end();
    count += s.count;
  }
  const std::uint64_t wanted = with_all ? m_.ranks - std::uint64_t{1} : with_root ? 1 : 0;
  if (next > m_.ranks || count != wanted ||
      (with_root && !with_all && blocks.front().first != index(m_.root)))
    note(self, "blocks for other ranks than those of the pattern");
}

/// No byte that is written is in another block.
void judge::check_bytes(rank_id self) {
  std::vector<stretch> all(m_.receives(self).begin(), m_.receives(self).end());
  const own_copy* const own = m_.own_of(self);
  if (own)
    all.push_back({0, 1, own->to, 0});
  const std::size_t written = all.size();
  all.insert(all.end(), m_.sends(self).begin(), m_.sends(self).end());
  if (own)
    all.push_back({0, 1, own->from, 0});
  for (std::size_t i = 0; i < written; ++i) {
    const auto apart = std::min(all[i].stride, -all[i].stride);
    if (all[i].count > 1 && apart < m_.bytes)
      return note(self, "two blocks come into the same bytes");
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const auto a = range_of(all[i], m_.bytes), b = range_of(all[j], m_.bytes);
      if (!a || !b || (a->begin < b->end && b->begin < a->end))
        return note(self, "a block comes into bytes of another one");
    }
  }
}

void judge::judge_rank(const affine_list& list) {
  const rank_id self = list.self();
  const bool root = self == m_.root;
  const signature moves = row_of(m_.kind).moves;
  const bool each = moves == signature::each_to_each || moves == signature::each_to_all;
  const bool from_root = moves == signature::root_to_all || moves == signature::root_to_each;
  check_peers(self, m_.sends(self), each || (from_root && root), !from_root && !root);
  check_peers(self, m_.receives(self), each || (!from_root && root), from_root && !root);
  compare_all(list, op_kind::send);
  compare_all(list, op_kind::recv);
  std::uint64_t messages = 0, blocks = m_.own_of(self) ? 2 : 0;
  for (const affine_run& run : list.runs()) {
    if (run.comm != world || g_.ranks.front().runs().empty() ||
        run.tag != g_.ranks.front().runs().front().tag)
      return note(self, "messages that do not match");
    messages += run.count;
  }
  for (const bool sends : {true, false})
    for (const stretch& s : sends ? m_.sends(self) : m_.receives(self)) {
      blocks += s.count;
      const bool other_bytes = s.address != m_.sends(self).front().address || (s.count > 1 && s.stride != 0);
      if (sends && is_shared(m_.kind) && other_bytes)
        note(self, "sends not the same bytes to all");
    }
  if (messages != blocks || messages != list.size())
    note(self, "the graph has other messages");
  check_bytes(self);
}

} // namespace

std::string fault_of(const affine_graph& g, const affine_meaning& m) {
  return judge(g, m).fault();
}

} // namespace tacit::graphs
