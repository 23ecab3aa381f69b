// Two steps that are cut alike follow each other piece by piece where all that they share is the same bytes in the same order: then piece i of
// the later one touches nothing of the earlier one but its piece i. Otherwise the later one waits for all pieces.
#include "graphs/choice/in_pieces.h"

#include "graphs/choice/plan_traits.h"
#include "graphs/graph/segments.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace tacit::graphs {
namespace {

constexpr std::uint32_t places = 2; ///< one piece arrives while another is combined
constexpr std::uint32_t none = ~std::uint32_t{0};

bool same_bytes(const segment_list& a, const segment_list& b) {
  return !a.empty() && a == b;
}

/// Piece by piece: see above.
bool follows_in_pieces(const step& a, const step& b) {
  bool shares = false;
  for (const auto& [of_a, of_b] :
       {std::pair(&a.writes, &b.reads), std::pair(&a.writes, &b.writes), std::pair(&a.reads, &b.writes)}) {
    if (same_bytes(*of_a, *of_b))
      shares = true;
    else if (overlap(*of_a, *of_b))
      return false;
  }
  return shares;
}

class cutter {
public:
  cutter(const graph& g, const plan& whole, const piece_sizes& sizes)
      : g_(g), whole_(whole), sizes_(sizes), pieces_(whole.ranks.size()) {}

  std::optional<plan> run() {
    for (std::uint32_t r = 0; r < whole_.ranks.size(); ++r)
      pieces_[r].assign(whole_.ranks[r].steps.size(), 0);
    for (std::uint32_t r = 0; r < whole_.ranks.size(); ++r)
      for (std::uint32_t i = 0; i < pieces_[r].size(); ++i)
        cut_reduction(r, i);
    if (messages_.empty())
      return std::nullopt;
    number_messages();
    plan made;
    made.orders = whole_.orders;
    for (std::uint32_t r = 0; r < whole_.ranks.size(); ++r) {
      std::optional<rank_plan> cut = rank_in_pieces(r);
      if (!cut)
        return std::nullopt;
      made.ranks.push_back(std::move(*cut));
    }
    return made;
  }

private:
  using message = std::tuple<rank_id, rank_id, std::int32_t>; ///< from, to, tag
  struct cut_message {
    std::uint64_t piece = 0;
    std::int32_t next_tag = 0; ///< of all pieces but the first
  };

  static message message_of(std::uint32_t r, const step& s) {
    return s.kind == step_kind::send ? message{rank_id{r}, s.peer, s.tag}
                                     : message{s.peer, rank_id{r}, s.tag};
  }

  /// Together with the messages whose bytes it combines.
  void cut_reduction(std::uint32_t r, std::uint32_t i) {
    const step& s = whole_.ranks[r].steps[i];
    // Of what is kept beside collectives it is known that it does what the graph does, not what it means (plan/same_results.h).
    if (s.kind != step_kind::reduce || (s.op != no_op && !whole_.as_written))
      return;
    const reducer& by = g_.reducers()[index(s.by)];
    if (by.varies || !by.anywhere || total_length(s.writes) < sizes_.operand)
      return;
    const std::uint64_t least =
        std::max(sizes_.piece, (total_length(s.writes) + most_pieces - 1) / most_pieces);
    const std::uint64_t piece = (least + by.element - 1) / by.element * by.element;
    for (const std::uint32_t before : s.after) {
      const step& got = whole_.ranks[r].steps[before];
      if (got.kind != step_kind::recv ||
          !(same_bytes(got.writes, s.reads) || same_bytes(got.writes, s.writes)))
        continue;
      cut_message& m = messages_[message_of(r, got)];
      if (m.piece != 0 && m.piece != piece)
        continue;
      m.piece = pieces_[r][before] = pieces_[r][i] = piece;
    }
  }

  /// Tags go on behind those of the plan. The sender's step is cut, too.
  void number_messages() {
    std::map<std::pair<rank_id, rank_id>, std::int32_t> end_of_tags;
    const auto each_send = [&](auto&& use) {
      for (std::uint32_t r = 0; r < whole_.ranks.size(); ++r)
        for (std::uint32_t i = 0; i < pieces_[r].size(); ++i)
          if (const step& s = whole_.ranks[r].steps[i]; s.kind == step_kind::send)
            use(r, i, s);
    };
    each_send([&](std::uint32_t r, std::uint32_t, const step& s) {
      std::int32_t& end = end_of_tags[{rank_id{r}, s.peer}];
      end = std::max(end, s.tag + 1);
    });
    each_send([&](std::uint32_t r, std::uint32_t i, const step& s) {
      const auto cut = messages_.find(message_of(r, s));
      if (cut == messages_.end())
        return;
      const std::uint64_t piece = cut->second.piece;
      std::int32_t& end = end_of_tags[{rank_id{r}, s.peer}];
      cut->second.next_tag = end;
      end += static_cast<std::int32_t>((total_length(s.reads) + piece - 1) / piece);
      pieces_[r][i] = piece;
    });
  }

  std::optional<rank_plan> rank_in_pieces(std::uint32_t r) const {
    const step_list& steps = whole_.ranks[r].steps;
    const std::vector<std::uint32_t> combined_by = passing_operands(r);
    std::vector<std::uint32_t> first{0}; // piece of each step, and the end
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      first.push_back(first.back() + count_of(r, i));
    rank_plan made;
    made.scratch_bytes = whole_.ranks[r].scratch_bytes;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      const step& s = steps[i];
      for (std::uint32_t k = 0; k < count_of(r, i); ++k) {
        step one = count_of(r, i) == 1 ? s : step_in_piece(r, i, k);
        one.after.clear();
        for (const std::uint32_t before : s.after) {
          const bool alike = pieces_[r][i] != 0 && pieces_[r][before] == pieces_[r][i] &&
                             count_of(r, before) == count_of(r, i) && follows_in_pieces(steps[before], s);
          const std::uint32_t from = alike ? first[before] + k : first[before];
          for (std::uint32_t at = from; at < (alike ? from + 1 : first[before + 1]); ++at)
            one.after.push_back(at);
        }
        if (combined_by[i] != none && k >= places) {
          one.writes = bytes_between(s.writes, k % places * pieces_[r][i],
                                     k % places * pieces_[r][i] + total_length(one.writes));
          one.after.push_back(first[combined_by[i]] + k - places);
        }
        for (const std::uint32_t before : s.after)
          if (combined_by[before] == i && k >= places)
            one.reads = bytes_between(s.reads, k % places * pieces_[r][i],
                                      k % places * pieces_[r][i] + total_length(one.reads));
        made.steps.push_back(std::move(one));
      }
    }
    if (!put_in_order(made.steps))
      return std::nullopt;
    return made;
  }

  std::uint32_t count_of(std::uint32_t r, std::uint32_t i) const {
    const step& s = whole_.ranks[r].steps[i];
    const std::uint64_t piece = pieces_[r][i];
    const std::uint64_t length = std::max(total_length(s.reads), total_length(s.writes));
    return static_cast<std::uint32_t>(piece == 0 ? 1 : (length + piece - 1) / piece);
  }

  /// Of a message that arrives in scratch memory that nobody but one reduction looks at, this reduction: `places` pieces of that memory are
  /// enough, and stay in the caches.
  std::vector<std::uint32_t> passing_operands(std::uint32_t r) const {
    const step_list& steps = whole_.ranks[r].steps;
    struct use {
      segment bytes;
      std::uint32_t step;
    };
    std::vector<use> uses;
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      for (const segment_list* list : {&steps[i].reads, &steps[i].writes})
        for (const segment& s : *list)
          if (s.address >= scratch_base)
            uses.push_back({s, i});
    std::sort(uses.begin(), uses.end(), [](const use& a, const use& b) {
      return std::pair(a.bytes.address, a.step) < std::pair(b.bytes.address, b.step);
    });
    std::vector<std::uint32_t> by(steps.size(), none);
    std::uint64_t end = 0; // of all before
    for (std::size_t u = 0; u < uses.size(); ++u) {
      const segment& s = uses[u].bytes;
      if (u + 1 < uses.size() && uses[u + 1].bytes == s && end <= s.address &&
          (u + 2 == uses.size() || uses[u + 2].bytes.address >= s.address + s.length)) {
        const step &got = steps[uses[u].step], &combine = steps[uses[u + 1].step];
        if (got.kind == step_kind::recv && pieces_[r][uses[u].step] != 0 &&
            combine.kind == step_kind::reduce && pieces_[r][uses[u + 1].step] == pieces_[r][uses[u].step] &&
            same_bytes(got.writes, combine.reads) && got.writes.size() == 1)
          by[uses[u].step] = uses[u + 1].step;
      }
      end = std::max(end, s.address + s.length);
    }
    return by;
  }

  step step_in_piece(std::uint32_t r, std::uint32_t i, std::uint32_t k) const {
    const step& s = whole_.ranks[r].steps[i];
    const std::uint64_t piece = pieces_[r][i];
    step one;
    one.kind = s.kind;
    one.comm = s.comm;
    one.peer = s.peer;
    one.by = s.by;
    one.tag = s.tag;
    if (is_message(s) && k > 0)
      one.tag = messages_.at(message_of(r, s)).next_tag + static_cast<std::int32_t>(k - 1);
    one.reads = bytes_between(s.reads, k * piece, (k + 1) * piece);
    one.writes = bytes_between(s.writes, k * piece, (k + 1) * piece);
    return one;
  }

  /// A step behind all that it waits for; else as they stand. False: some wait for each other.
  static bool put_in_order(step_list& steps) {
    std::vector<std::vector<std::uint32_t>> next(steps.size());
    std::vector<std::size_t> open(steps.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      open[i] = steps[i].after.size();
      for (const std::uint32_t before : steps[i].after)
        next[before].push_back(i);
      if (open[i] == 0)
        ready.push(i);
    }
    std::vector<std::uint32_t> now(steps.size());
    step_list ordered;
    while (!ready.empty()) {
      const std::uint32_t i = ready.top();
      ready.pop();
      now[i] = static_cast<std::uint32_t>(ordered.size());
      for (std::uint32_t& before : steps[i].after)
        before = now[before];
      ordered.push_back(std::move(steps[i]));
      for (const std::uint32_t later : next[i])
        if (--open[later] == 0)
          ready.push(later);
    }
    const bool all = ordered.size() == steps.size();
    steps = std::move(ordered);
    return all;
  }

  const graph& g_;
  const plan& whole_;
  const piece_sizes sizes_;
  std::vector<std::vector<std::uint64_t>> pieces_; ///< by rank and step: bytes of a piece; 0: stays whole
  std::map<message, cut_message> messages_;
};

} // namespace

bool has_long_operands(const graph& g) {
  if (g.size() > largest_cut_graph)
    return false;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (const op_id op{i}; g.reduces(op) && total_length(g.writes(op)) >= piece_sizes().operand)
      return true;
  return false;
}

std::optional<plan> in_pieces(const graph& g, const plan& whole, const piece_sizes& sizes) {
  if (g.size() > largest_cut_graph || has_collectives(whole))
    return std::nullopt;
  for (const rank_plan& r : whole.ranks)
    for (const step& s : r.steps)
      if (s.kind == step_kind::call)
        return std::nullopt;
  return cutter(g, whole, sizes).run();
}

} // namespace tacit::graphs
