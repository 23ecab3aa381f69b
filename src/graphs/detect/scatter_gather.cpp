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
#include "graphs/detect/family.h"
#include "graphs/detect/packing.h"
#include "graphs/detect/uniform.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {

namespace {

// Both packings are computed while their cost stays below that of a few passes over a million transfers.
constexpr double cheap_packing = 1 << 24;

/// A complete row or column of the matrix.
struct line {
  std::uint32_t at;                           ///< position of its root
  bool pieces = false;                        ///< some pair has more than one
  std::uint64_t smallest = ~std::uint64_t{0}; ///< volume of a pair
  std::uint64_t largest = 0;
  void add(std::span<const slice> of_pair) {
    const std::uint64_t volume = of_pair.size() == 1 ? of_pair[0].length : total(of_pair);
    pieces |= of_pair.size() > 1;
    smallest = std::min(smallest, volume);
    largest = std::max(largest, volume);
  }
  /// One piece for each pair, all of one length: nothing to look for.
  bool even() const { return !pieces && smallest == largest; }
};

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
  explicit scatter_gather_search(const group_search& search)
      : s_(search), view_(search.view), sorter_(view_) {}

  void run() {
    if (view_.exhausted())
      return explain_nothing_left();
    count_pairs();
    find_complete_lines();
    measure_lines();
    pack_lines();
    take_rows();
    for (std::uint32_t k = 0; k < columns_.size(); ++k)
      if (column_bytes_[k] > 0)
        take_column(columns_[k]);
    if (s_.options.vector_forms && s_.options.density < 1.0 && !view_.exhausted())
      take_sparse_lines();
    explain(pattern::scatter, pattern::scatterv, rows_, [&](std::uint32_t i) { return pairs_from(i); });
    explain(pattern::gather, pattern::gatherv, columns_, [&](std::uint32_t j) { return pairs_into(j); });
  }

private:
  std::uint32_t others() const { return view_.size() - 1; }

  /// Pairs with data in each row and column; the view knows them if it is plain.
  void count_pairs() {
    if (view_.plain())
      return;
    row_pairs_.assign(view_.size(), 0);
    column_pairs_.assign(view_.size(), 0);
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      column_pairs_[j] = sorter_.each_pair(j, [&](std::uint32_t i, auto) { ++row_pairs_[i]; });
  }

  std::uint32_t pairs_from(std::uint32_t i) const {
    return row_pairs_.empty() ? view_.outgoing(i) : row_pairs_[i];
  }
  std::uint32_t pairs_into(std::uint32_t j) const {
    return column_pairs_.empty() ? static_cast<std::uint32_t>(view_.into(j).size()) : column_pairs_[j];
  }

  void find_complete_lines() {
    std::vector<std::uint32_t> rows, columns;
    for (std::uint32_t k = 0; k < view_.size(); ++k) {
      if (pairs_from(k) == others())
        rows.push_back(k);
      if (pairs_into(k) == others())
        columns.push_back(k);
    }
    row_at_ = position_index(rows, view_.size());
    column_at_ = position_index(columns, view_.size());
    for (const std::uint32_t i : rows)
      rows_.push_back({.at = i});
    for (const std::uint32_t j : columns)
      columns_.push_back({.at = j});
  }

  /// Calls visit(row, column, pieces) for each pair of a complete row or column; one of them may be
  /// `nowhere`.
  template <typename Visit>
  void each_complete_pair(Visit visit) {
    for (std::uint32_t j = 0; j < view_.size(); ++j) {
      const std::uint32_t column = column_at_(j);
      if (column != nowhere)
        sorter_.each_pair(
            j, [&](std::uint32_t i, std::span<const slice> pieces) { visit(row_at_(i), column, pieces); });
      else if (!rows_.empty())
        sorter_.each_pair(j, row_at_, [&](std::uint32_t row, std::span<const slice> pieces) {
          visit(row, nowhere, pieces);
        });
    }
  }

  void measure_lines() {
    each_complete_pair([&](std::uint32_t row, std::uint32_t column, std::span<const slice> pieces) {
      if (row != nowhere)
        rows_[row].add(pieces);
      if (column != nowhere)
        columns_[column].add(pieces);
    });
  }

  void pack_lines() {
    packing_problem problem;
    for (const line& row : rows_)
      problem.row_limit.push_back(row.smallest);
    for (const line& column : columns_)
      problem.column_limit.push_back(column.smallest);
    packing best = best_packing(problem);
    for (std::uint32_t k = 0; k < rows_.size(); ++k)
      if (best.rows[k] > 0)
        chosen_rows_.push_back(
            {.source = rows_[k].at, .bytes = best.rows[k], .lengths = {}, .whole = {}, .choice = {}});
    column_bytes_ = std::move(best.columns);
  }

  packing best_packing(packing_problem& problem) {
    if (rows_.empty() || columns_.empty())
      return pack(problem, true);
    const double by_rows = packing_cost(rows_.size(), columns_.size(), true);
    const double by_columns = packing_cost(rows_.size(), columns_.size(), false);
    if (std::min(by_rows, by_columns) > static_cast<double>(s_.options.budget))
      return one_side(problem);
    fill_pairs(problem);
    if (by_rows + by_columns > cheap_packing)
      return pack(problem, by_rows <= by_columns);
    packing large_rows = pack(problem, true), large_columns = pack(problem, false);
    const line_lengths lengths = common_of_lines();
    return lengths.whole_bytes(large_columns) > lengths.whole_bytes(large_rows) ? large_columns : large_rows;
  }

  /// The common piece lengths of the complete rows and columns.
  struct line_lengths {
    std::vector<common_lengths> rows, columns;
    /// Bytes of those scatters and gathers that need no cut.
    std::uint64_t whole_bytes(const packing& p) const {
      std::uint64_t bytes = 0;
      for (std::size_t k = 0; k < rows.size(); ++k)
        if (sum(fitting(rows[k], p.rows[k])) == p.rows[k])
          bytes += p.rows[k];
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (sum(fitting(columns[k], p.columns[k])) == p.columns[k])
          bytes += p.columns[k];
      return bytes;
    }
  };

  line_lengths common_of_lines() {
    line_lengths common{std::vector<common_lengths>(rows_.size()),
                        std::vector<common_lengths>(columns_.size())};
    each_complete_pair([&](std::uint32_t row, std::uint32_t column, std::span<const slice> pieces) {
      if (row != nowhere)
        add_lengths(common.rows[row], pieces);
      if (column != nowhere)
        add_lengths(common.columns[column], pieces);
    });
    return common;
  }

  packing one_side(const packing_problem& problem) {
    packing only{problem.row_limit, problem.column_limit};
    double rows = 0, columns = 0;
    for (const std::uint64_t x : only.rows)
      rows += static_cast<double>(x);
    for (const std::uint64_t y : only.columns)
      columns += static_cast<double>(y);
    auto& dropped = rows >= columns ? only.columns : only.rows;
    std::fill(dropped.begin(), dropped.end(), 0);
    s_.refuse(rows >= columns ? pattern::gather : pattern::scatter, reason::not_searched,
              fmt::format("weighing {} scatters against {} gathers would take more than {} steps",
                          only.rows.size(), only.columns.size(), s_.options.budget));
    return only;
  }

  void fill_pairs(packing_problem& problem) {
    problem.both.assign(rows_.size() * columns_.size(), packing_problem::free_pair);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      sorter_.each_pair(columns_[c].at, row_at_, [&](std::uint32_t row, std::span<const slice> pieces) {
        problem.both[row * columns_.size() + c] = total(pieces);
      });
  }

  /// What the packing gives to the column of this position.
  std::uint64_t column_bytes(std::uint32_t j) const {
    const std::uint32_t k = column_at_(j);
    return k == nowhere ? 0 : column_bytes_[k];
  }

  static std::vector<std::uint64_t> lengths(std::span<const slice> pieces) {
    std::vector<std::uint64_t> list;
    list.reserve(pieces.size());
    for (const slice& s : pieces)
      list.push_back(s.length);
    return list;
  }

  static void add_lengths(common_lengths& common, std::span<const slice> pieces) {
    if (pieces.size() == 1)
      common.add(pieces.front().length);
    else
      common.add(lengths(pieces));
  }

  static std::uint64_t sum(std::span<const std::uint64_t> list) {
    std::uint64_t result = 0;
    for (const std::uint64_t x : list)
      result += x;
    return result;
  }

  /// The common lengths as far as they fit into a block of `limit` bytes.
  static std::vector<std::uint64_t> fitting(const common_lengths& common, std::uint64_t limit) {
    const auto all = common.sorted();
    if (common.sum() <= limit)
      return {all.begin(), all.end()};
    std::vector<std::uint64_t> kept;
    if (const auto exact = pick(all, {}, limit, completion::exact)) {
      for (const std::uint64_t taken : *exact)
        if (taken > 0)
          kept.push_back(taken);
      return kept;
    }
    for (std::size_t k = all.size(); k-- > 0;)
      if (all[k] <= limit) {
        limit -= all[k];
        kept.insert(kept.begin(), all[k]);
      }
    return kept;
  }

  /// Calls visit(k, destination, pieces) for the pairs of chosen_rows_[k].
  template <typename Visit>
  void each_row_pair(Visit visit) {
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
      even = even && rows_[row_at_(r.source)].even();
    for (row_choice& r : chosen_rows_)
      if (even)
        r.lengths.add(rows_[row_at_(r.source)].smallest);
    if (!even)
      each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
        add_lengths(chosen_rows_[k].lengths, pieces);
      });
  }

  void take_rows() {
    if (chosen_rows_.empty())
      return;
    find_row_lengths();
    bool all_whole = true;
    for (row_choice& r : chosen_rows_) {
      r.whole = fitting(r.lengths, r.bytes);
      all_whole = all_whole && sum(r.whole) == r.bytes;
    }
    if (!all_whole)
      each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
        row_choice& r = chosen_rows_[k];
        r.exact =
            r.exact && pick(lengths(pieces), r.whole, r.bytes - sum(r.whole), completion::exact).has_value();
      });
    std::vector<finding_filler> uniform, rest;
    for (row_choice& r : chosen_rows_) {
      r.choice = choose_block(r.bytes, sum(r.whole), s_.options.vector_forms, [&] { return r.exact; });
      uniform.push_back(filler(pattern::scatter, view_.member(r.source)));
      rest.push_back(filler(pattern::scatterv, view_.member(r.source)));
      if (r.choice.bytes > 0)
        uniform.back().reserve(others());
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
    const auto taken =
        pick_chosen(lengths(pieces), whole, choice.bytes - std::min(choice.bytes, sum(whole)), choice.how);
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
        add_lengths(common, pieces);
        smallest = std::min(smallest, total(pieces));
      });
    }
    const auto whole = fitting(common, smallest);
    const block_choice choice = choose_block(smallest, sum(whole), s_.options.vector_forms, [&] {
      bool exact = true;
      sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        exact = exact && pick(lengths(pieces), whole, smallest - sum(whole), completion::exact).has_value();
      });
      return exact;
    });
    std::vector<finding_filler> fillers{filler(pattern::gather, view_.member(j)),
                                        filler(pattern::gatherv, view_.member(j))};
    fillers[choice.bytes > 0 ? 0 : 1].reserve(view_.into(j).size());
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
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      sorter_.each_pair(j, [&](std::uint32_t i, auto) { ++row_pairs[i]; });
    chosen_rows_.clear();
    std::vector<finding_filler> fillers;
    const std::uint32_t lone_row = only_one_that_lacks_a_pair(row_pairs);
    for (std::uint32_t i = 0; i < view_.size(); ++i)
      if (i == lone_row || s_.dense(row_pairs[i], others())) {
        chosen_rows_.push_back({.source = i, .bytes = 0, .lengths = {}, .whole = {}, .choice = {}});
        fillers.push_back(filler(pattern::scatterv, view_.member(i)));
      }
    each_row_pair([&](std::uint32_t k, std::uint32_t, std::span<const slice> pieces) {
      take_all_but(fillers[k], pieces, 0);
    });
    keep(fillers);
    std::vector<std::uint32_t> column_pairs(view_.size(), 0);
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      column_pairs[j] = sorter_.each_pair(j, [](std::uint32_t, auto) {});
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

  void explain_nothing_left() {
    const bool taken = view_.transfer_count() > 0;
    const std::string text =
        taken ? "all data belong to higher patterns" : "no bytes move between the ranks of the group";
    s_.refuse(pattern::scatter, taken ? reason::used_by_higher : reason::incomplete_row, text);
    s_.refuse(pattern::gather, taken ? reason::used_by_higher : reason::incomplete_column, text);
  }

  template <typename Pairs>
  void explain(pattern uniform, pattern vector, const std::vector<line>& complete_lines, Pairs pairs) {
    if (s_.found(uniform))
      return;
    const bool rows = uniform == pattern::scatter;
    if (s_.found(vector) && !complete_lines.empty())
      return s_.refuse(uniform, reason::unequal_sizes,
                       fmt::format("complete, but blocks differ in size; found as {}", name(vector)));
    if (!complete_lines.empty())
      return s_.refuse(uniform, reason::used_by_higher,
                       fmt::format("rank {} {} all others, but its bytes make more as {}s",
                                   view_.rank(complete_lines.front().at), rows ? "sends to" : "receives from",
                                   rows ? "gather" : "scatter"));
    std::uint32_t best = 0;
    for (std::uint32_t k = 1; k < view_.size(); ++k)
      if (pairs(k) > pairs(best))
        best = k;
    // One pair is a message, not a line with gaps.
    const bool sparse =
        s_.options.vector_forms && s_.options.density < 1.0 && !s_.found(vector) && pairs(best) > 1;
    const reason why = sparse ? reason::low_density
                       : rows ? reason::incomplete_row
                              : reason::incomplete_column;
    s_.refuse(uniform, why,
              fmt::format("best candidate, rank {}, {} {} of {} ranks", view_.rank(best),
                          rows ? "sends to" : "receives from", pairs(best), others()));
  }

  const group_search& s_;
  const group_view& view_;
  pair_sorter sorter_;
  std::vector<std::uint32_t> row_pairs_, column_pairs_; ///< by position; empty if the view knows them
  std::vector<line> rows_, columns_;                    ///< the complete ones
  position_index row_at_, column_at_;                   ///< index in rows_, columns_
  std::vector<row_choice> chosen_rows_;
  std::vector<std::uint64_t> column_bytes_; ///< y of each of columns_
};

} // namespace

void find_scatter_gather(const group_search& search) {
  scatter_gather_search(search).run();
}

} // namespace tacit::graphs
