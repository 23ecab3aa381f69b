// Scatters (complete rows of the volume matrix) and gathers (complete columns).
//
// Broadcasts and alltoall have taken theirs; m_ij is what is left from i to j. A scatter of x_i bytes per
// block needs x_i from every pair of row i, a gather y_j from every pair of column j, and they compete for
// the pair (i, j): maximize Σx + Σy (see packing.cpp; greedy loses). Only complete rows and columns take
// part, so the matrix of pairs that is kept is complete rows × complete columns; all else is O(p) memory and
// a constant number of passes over the transfers. The matching costs min(rows, columns)² · max(rows,
// columns); beyond the budget either only scatters or only gathers are taken, whichever is more, and the
// other is reported as not searched.
//
// Which bytes: as for alltoall, whole pieces first. Where a row would have to cut pieces, scatterv takes all
// of the row except the bytes that the packing gives to a column; the columns likewise. Source:
// seed 000 section 2.4 and Algorithm 5 (lines 10–23), by meaning; SEMANTICS 3.
#include "graphs/detect/complete_lines.h"
#include "graphs/detect/family.h"
#include "graphs/detect/line_packing.h"
#include "graphs/detect/uniform.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {

namespace {

/// A row that becomes a scatter.
struct row_choice {
  std::uint32_t source;
  std::uint64_t bytes;              ///< x
  common_lengths lengths;           ///< of all its pairs
  std::vector<std::uint64_t> whole; ///< those of them that fit into x
  bool exact = true;
  block_choice choice;
};

class scatter_gather_search {
public:
  scatter_gather_search(const group_search& search, const complete_lines& lines, pair_sorter& sorter)
      : s_(search), view_(search.view), lines_(lines), sorter_(sorter) {}

  void run(const packing& best) {
    for (std::uint32_t k = 0; k < best.rows.size(); ++k)
      if (best.rows[k] > 0)
        chosen_rows_.push_back(
            {.source = lines_.rows()[k].at, .bytes = best.rows[k], .lengths = {}, .whole = {}, .choice = {}});
    column_bytes_ = best.columns;
    take_rows();
    for (std::uint32_t k = 0; k < column_bytes_.size(); ++k)
      if (column_bytes_[k] > 0)
        take_column(lines_.columns()[k]);
    if (s_.options.vector_forms && s_.options.density < 1.0 && !view_.exhausted())
      take_sparse_lines();
  }

private:
  std::uint32_t others() const { return view_.size() - 1; }

  /// What the packing gives to the column of this position.
  std::uint64_t column_bytes(std::uint32_t j) const {
    const std::uint32_t k = lines_.column_at(j);
    return k == nowhere ? 0 : column_bytes_[k];
  }

  /// Calls visit(k, destination, pieces) for the pairs of chosen_rows_[k].
  template <typename Visit>
  void each_row_pair(Visit visit) {
    if (chosen_rows_.empty())
      return;
    std::vector<std::uint32_t> sources;
    sources.reserve(chosen_rows_.size());
    for (const row_choice& r : chosen_rows_)
      sources.push_back(r.source);
    const position_index at(sources, view_.size());
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      sorter_.each_pair(j, at, [&](std::uint32_t k, std::span<const slice> pieces) { visit(k, j, pieces); });
  }

  void find_row_lengths() {
    bool even = true;
    for (const row_choice& r : chosen_rows_)
      even = even && lines_.rows()[lines_.row_at(r.source)].even();
    for (row_choice& r : chosen_rows_)
      if (even)
        r.lengths.add(lines_.rows()[lines_.row_at(r.source)].smallest);
    if (!even)
      each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
        chosen_rows_[k].lengths.add_pieces(pieces);
      });
  }

  void take_rows() {
    find_row_lengths();
    bool all_whole = true;
    for (row_choice& r : chosen_rows_) {
      r.whole = fitting(r.lengths, r.bytes);
      all_whole = all_whole && sum_of(r.whole) == r.bytes;
    }
    if (!all_whole)
      each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
        row_choice& r = chosen_rows_[k];
        r.exact = r.exact &&
                  pick(lengths_of(pieces), r.whole, r.bytes - sum_of(r.whole), completion::exact).has_value();
      });
    std::vector<finding_filler> uniform, rest;
    for (row_choice& r : chosen_rows_) {
      r.choice = choose_block(r.bytes, sum_of(r.whole), s_.options.vector_forms, [&] { return r.exact; });
      uniform.push_back(filler(pattern::scatter, view_.member(r.source)));
      rest.push_back(filler(pattern::scatterv, view_.member(r.source)));
      if (r.choice.bytes > 0)
        uniform.back().expect(others());
    }
    each_row_pair([&](std::uint32_t k, std::uint32_t j, std::span<const slice> pieces) {
      const row_choice& r = chosen_rows_[k];
      if (is_block(pieces, r.choice))
        return uniform[k].add_pair(pieces[0]);
      const std::vector<slice> left = take_block(uniform[k], pieces, r.whole, r.choice);
      if (r.choice.vector_rest)
        take_all_but(rest[k], left, column_bytes(j));
    });
    keep(uniform);
    keep(rest);
  }

  finding_filler filler(pattern kind, rank_id root) const {
    return {s_.book(), {.kind = kind, .comm = view_.comm(), .root = root, .slices = {}}};
  }

  void keep(std::vector<finding_filler>& fillers) {
    for (finding_filler& f : fillers)
      if (!f.empty())
        s_.out.found.push_back(std::move(f.result()));
  }

  /// True if the pair has one piece, which is the block.
  static bool is_block(std::span<const slice> pieces, const block_choice& choice) {
    return pieces.size() == 1 && pieces[0].length == choice.bytes;
  }

  /// Takes one uniform block from a pair; returns what is left of the pieces.
  static std::vector<slice> take_block(finding_filler& into, std::span<const slice> pieces,
                                       std::span<const std::uint64_t> whole, const block_choice& choice) {
    into.next_pair();
    std::vector<slice> left;
    const auto taken = pick_chosen(lengths_of(pieces), whole,
                                   choice.bytes - std::min(choice.bytes, sum_of(whole)), choice.how);
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const slice& s = pieces[k];
      if (taken[k] > 0)
        into.add({s.offset, taken[k], s.transfer});
      if (taken[k] < s.length)
        left.push_back({s.offset + taken[k], s.length - taken[k], s.transfer});
    }
    return left;
  }

  static void take_all_but(finding_filler& into, std::span<const slice> pieces, std::uint64_t spared) {
    std::uint64_t budget = total(pieces) - spared;
    into.next_pair();
    for (const slice& s : pieces) {
      const std::uint64_t length = std::min(budget, s.length);
      if (length > 0)
        into.add({s.offset, length, s.transfer});
      budget -= length;
    }
  }

  void take_column(const line& column) {
    const std::uint32_t j = column.at;
    common_lengths common;
    std::uint64_t smallest = ~std::uint64_t{0};
    if (column.even() && chosen_rows_.empty()) {
      smallest = column.smallest;
      common.add(smallest);
    } else {
      sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        common.add_pieces(pieces);
        smallest = std::min(smallest, total(pieces));
      });
    }
    const auto whole = fitting(common, smallest);
    const block_choice choice = choose_block(smallest, sum_of(whole), s_.options.vector_forms, [&] {
      bool exact = true;
      sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        exact =
            exact && pick(lengths_of(pieces), whole, smallest - sum_of(whole), completion::exact).has_value();
      });
      return exact;
    });
    std::vector<finding_filler> fillers{filler(pattern::gather, view_.member(j)),
                                        filler(pattern::gatherv, view_.member(j))};
    fillers[choice.bytes > 0 ? 0 : 1].expect(view_.into(j).size());
    sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
      if (is_block(pieces, choice))
        return fillers[0].add_pair(pieces[0]);
      const std::vector<slice> left = take_block(fillers[0], pieces, whole, choice);
      if (choice.vector_rest)
        take_all_but(fillers[1], left, 0);
    });
    keep(fillers);
  }

  /// Density below 1: rows, then columns, of which enough pairs have data left.
  void take_sparse_lines() {
    std::vector<std::uint32_t> row_pairs(view_.size(), 0);
    if (view_.untouched())
      for (std::uint32_t i = 0; i < view_.size(); ++i)
        row_pairs[i] = view_.pairs_from(i);
    else
      for (std::uint32_t j = 0; j < view_.size(); ++j)
        sorter_.each_pair(j, [&](std::uint32_t i, auto) { ++row_pairs[i]; });
    chosen_rows_.clear();
    const std::uint32_t lone_row = only_one_that_lacks_a_pair(row_pairs);
    for (std::uint32_t i = 0; i < view_.size(); ++i)
      if (i == lone_row || s_.dense(row_pairs[i], others()))
        chosen_rows_.push_back({.source = i, .bytes = 0, .lengths = {}, .whole = {}, .choice = {}});
    leave_out_broadcasts();
    std::vector<finding_filler> fillers;
    for (const row_choice& r : chosen_rows_)
      fillers.push_back(filler(pattern::scatterv, view_.member(r.source)));
    each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
      take_all_but(fillers[k], pieces, 0);
    });
    keep(fillers);
    std::vector<std::uint32_t> column_pairs(view_.size(), 0);
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      column_pairs[j] =
          view_.untouched() ? view_.pairs_into(j) : sorter_.each_pair(j, [](std::uint32_t, auto) {});
    const std::uint32_t lone_column = only_one_that_lacks_a_pair(column_pairs);
    for (std::uint32_t j = 0; j < view_.size(); ++j) {
      if (j != lone_column && !s_.dense(column_pairs[j], others()))
        continue;
      std::vector<finding_filler> column{filler(pattern::gatherv, view_.member(j))};
      sorter_.each_pair(
          j, [&](std::uint32_t, std::span<const slice> pieces) { take_all_but(column[0], pieces, 0); });
      keep(column);
    }
  }

  /// What a scatter reads it reads once. A row most of whose bytes go to several ranks is a broadcast to some, and not a scatter with
  /// gaps: it is left to groups that have these ranks (subgroups.h), or to messages.
  void leave_out_broadcasts() {
    std::vector<std::vector<segment>> read(chosen_rows_.size());
    each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
      for (const slice& s : pieces)
        read[k].push_back({s_.book()[s.transfer].source_address + s.offset, s.length});
    });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < chosen_rows_.size(); ++k)
      if (!mostly_read_again(read[k]))
        chosen_rows_[kept++] = chosen_rows_[k];
    chosen_rows_.resize(kept);
  }

  /// Half of these bytes or more have been read by one of the others before.
  static bool mostly_read_again(std::vector<segment>& read) {
    std::sort(read.begin(), read.end(),
              [](const segment& a, const segment& b) { return a.address < b.address; });
    std::uint64_t all = 0, again = 0, end = 0;
    for (const segment& s : read) {
      again += std::min(s.length, end - std::min(end, s.address));
      end = std::max(end, s.address + s.length);
      all += s.length;
    }
    return again >= all - again;
  }

  /// On few ranks one empty pair is a large share. A line that lacks one is meant as a whole if no other line does: those of a halo
  /// on four ranks all do. `nowhere`: there is none, or not one alone.
  std::uint32_t only_one_that_lacks_a_pair(std::span<const std::uint32_t> pairs) const {
    if (!s_.alone || !s_.options.vector_forms || s_.options.density > default_density)
      return nowhere;
    std::uint32_t found = nowhere;
    for (std::uint32_t k = 0; k < view_.size(); ++k)
      if (pairs[k] >= 2 && pairs[k] + 1 == others()) {
        if (found != nowhere)
          return nowhere;
        found = k;
      }
    return found;
  }

  const group_search& s_;
  const group_view& view_;
  const complete_lines& lines_;
  pair_sorter& sorter_;
  std::vector<row_choice> chosen_rows_;
  std::vector<std::uint64_t> column_bytes_; ///< y of each complete column
};

void explain_nothing_left(const group_search& s) {
  const group_view& view = s.view;
  const bool taken = view.transfer_count() > 0;
  const std::string text =
      taken ? "all data belong to higher patterns" : "no bytes move between the ranks of the group";
  s.refuse(pattern::scatter, taken ? reason::used_by_higher : reason::incomplete_row, text);
  s.refuse(pattern::gather, taken ? reason::used_by_higher : reason::incomplete_column, text);
}

template <typename Pairs>
void explain_lines(const group_search& s, pattern uniform, pattern vector, const std::vector<line>& complete,
                   Pairs pairs) {
  const group_view& view = s.view;
  if (s.found(uniform))
    return;
  const bool rows = uniform == pattern::scatter;
  if (s.found(vector) && !complete.empty())
    return s.refuse(uniform, reason::unequal_sizes,
                    fmt::format("complete, but blocks differ in size; found as {}", name(vector)));
  if (!complete.empty())
    return s.refuse(uniform, reason::used_by_higher,
                    fmt::format("rank {} {} all others, but its bytes make more as {}s",
                                view.rank(complete.front().at), rows ? "sends to" : "receives from",
                                rows ? "gather" : "scatter"));
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < view.size(); ++k)
    if (pairs(k) > pairs(best))
      best = k;
  // One pair is a message, not a line with gaps.
  const bool sparse =
      s.options.vector_forms && s.options.density < 1.0 && !s.found(vector) && pairs(best) > 1;
  const reason why = sparse ? reason::low_density : rows ? reason::incomplete_row : reason::incomplete_column;
  s.refuse(uniform, why,
           fmt::format("best candidate, rank {}, {} {} of {} ranks", view.rank(best),
                       rows ? "sends to" : "receives from", pairs(best), view.size() - 1));
}

/// A rank that gives all others equally many bytes, or gets them from all others, where nothing else moves: one look at each rank.
/// False, with nothing done, where it is otherwise. Between two ranks a message is both.
bool take_only_line(const group_search& s) {
  const group_view& view = s.view;
  const std::uint32_t others = view.size() - 1;
  if (!view.has_all() || !view.plain() || view.common_length() == 0 || others < 2 ||
      view.transfer_count() != others)
    return false;
  for (std::uint32_t k = 0; k < view.size(); ++k) {
    const bool row = view.outgoing(k) == others;
    if (!row && view.into(k).size() != others)
      continue;
    finding_filler line(s.book(), {.kind = row ? pattern::scatter : pattern::gather,
                                   .comm = view.comm(),
                                   .root = view.member(k),
                                   .slices = {}});
    line.add_all(view.common_length(), others);
    s.out.found.push_back(std::move(line.result()));
    return true;
  }
  return false;
}

/// `from` and `into` count the pairs with data from and to a member.
template <typename From, typename Into>
void explain(const group_search& s, const std::vector<line>& rows, const std::vector<line>& columns,
             From from, Into into) {
  explain_lines(s, pattern::scatter, pattern::scatterv, rows, from);
  explain_lines(s, pattern::gather, pattern::gatherv, columns, into);
}

} // namespace

void find_scatter_gather(const group_search& search) {
  const group_view& view = search.view;
  if (view.exhausted())
    return explain_nothing_left(search);
  if (take_only_line(search))
    return explain(
        search, {}, {}, [&](std::uint32_t i) { return view.pairs_from(i); },
        [&](std::uint32_t j) { return view.pairs_into(j); });
  pair_sorter sorter(view);
  const complete_lines lines(view, sorter);
  scatter_gather_search(search, lines, sorter).run(pack_lines(search, lines, sorter));
  explain(
      search, lines.rows(), lines.columns(), [&](std::uint32_t i) { return lines.pairs_from(i); },
      [&](std::uint32_t j) { return lines.pairs_into(j); });
}

} // namespace tacit::graphs
