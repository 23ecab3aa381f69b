// Conflicting accesses that nothing orders.
//
// Two operations of a rank conflict if they touch a common byte and one of them writes it; they must be
// ordered by happens-before (D ∪ M ∪ fences). Checking every conflicting pair is not needed: walk the
// operations of a rank in run order and remember per byte the last writer and the readers since; a read is
// checked against the writer, a write against those readers (or the writer, if there are none). If all of
// these are ordered, so is every other pair, by transitivity; if any pair is not ordered, some checked pair
// is not either.
//
// Some filters make this fast. An operation knows how long a prefix of its rank's run order lies before it through
// local dependencies alone (all of it, in a program of blocking calls), and fences of the rank cut its order; both
// answer in O(1). Of a rank with few operations those that local dependencies do not order are compared one by one. A
// rank that reads one buffer and writes another one needs no more than a look at both. Accesses of other ranks are swept by address,
// and only groups of overlapping accesses with a write among them are looked at; the only write of a group is mostly
// a dependency of those who read. Only what remains is searched backwards, first along local dependencies and then
// along all edges, once for all that an operation needs, never past the earliest operation looked for.
//
// A receive counts with the bytes that its message really writes. Cost O(operations + accesses log accesses)
// plus the searches, each bounded by the operations between the two accesses in run order.
#include "graphs/graph/problem_list.h"
#include "graphs/match/dependency_rows.h"
#include "graphs/match/fences.h"
#include "graphs/match/match.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace tacit::graphs {
namespace {

/// Races found before the search gives up: the graph is broken, and each further one costs a full search.
constexpr std::size_t enough = 1000;

struct access {
  std::uint64_t begin, end;
  std::uint32_t local; ///< position of the operation in its rank's run order
  bool write;
};

class race_search {
public:
  race_search(const graph& g, const matching& m, const run_order& o, diagnostics& problems)
      : g_(g), m_(m), order_(o.order), fences_(order_fences(g)),
        before_(g, dependency_rows::direction::predecessors),
        races_(problems, reason::race, severity::error, "unordered conflicting accesses") {}

  void run() {
    group_by_rank();
    for (std::uint32_t r = 0; r < g_.ranks() && races_.counted() < enough; ++r) {
      mine_ = std::span(by_rank_).subspan(first_of_[r], first_of_[r + 1] - first_of_[r]);
      if (mine_.size() < 2)
        continue;
      if (mine_.size() <= few && unordered_are_apart())
        continue;
      collect();
      if (plainly_apart())
        continue;
      compute_prefixes();
      join();
      sweep();
    }
    if (races_.counted() >= enough)
      races_.stopped_early();
  }

private:
  void group_by_rank() {
    first_of_.assign(g_.ranks() + 1, 0);
    for (const op_id op : order_)
      ++first_of_[index(g_[op].rank) + 1];
    for (std::size_t r = 1; r < first_of_.size(); ++r)
      first_of_[r] += first_of_[r - 1];
    by_rank_.resize(order_.size());
    local_.assign(g_.size(), 0);
    std::vector<std::uint32_t> filled(g_.ranks(), 0);
    for (const op_id op : order_) {
      const std::size_t r = index(g_[op].rank);
      local_[index(op)] = filled[r]++;
      by_rank_[first_of_[r] + local_[index(op)]] = op;
    }
  }

  /// As many operations have room for a bit each in one word.
  static constexpr std::size_t few = 64;

  /// Of few operations it is known exactly which are ordered by local dependencies, and the others are compared one by one. False if
  /// some of these may touch the same bytes, or if there is so much to compare that a sweep is cheaper.
  bool unordered_are_apart() {
    if (all_in_a_row())
      return true;
    lists_.clear();
    std::size_t left = 8 * mine_.size();
    for (std::uint32_t i = 0; i < mine_.size(); ++i) {
      if (!put_in_order(i))
        return false;
      const lists& mine = lists_.back();
      left += 8 * (mine.writes.size() + mine.reads.size());
      std::uint64_t others = ~ordered_[i] & ((std::uint64_t{1} << i) - 1);
      for (; others != 0; others &= others - 1) {
        const lists& other = lists_[static_cast<std::size_t>(__builtin_ctzll(others))];
        if (mine.writes.empty() && other.writes.empty())
          continue;
        const std::size_t cost =
            mine.writes.size() + mine.reads.size() + other.writes.size() + other.reads.size();
        if (cost > left || meet(mine.writes, other.writes) || meet(mine.writes, other.reads) ||
            meet(mine.reads, other.writes))
          return false;
        left -= cost;
      }
    }
    return true;
  }

  /// Finds out which operations come before each one through local dependencies. True if all do, as in a program of blocking calls: then
  /// nobody minds what they touch.
  bool all_in_a_row() {
    ordered_.assign(mine_.size(), 0);
    bool in_a_row = true;
    for (std::uint32_t i = 0; i < mine_.size(); ++i) {
      look_ahead(i);
      for (const op_id earlier : before_[mine_[i]]) {
        const std::uint32_t k = local_[index(earlier)];
        ordered_[i] |= ordered_[k] | std::uint64_t{1} << k;
      }
      in_a_row = in_a_row && ordered_[i] == (std::uint64_t{1} << i) - 1;
    }
    return in_a_row;
  }

  /// The operations of a rank may lie anywhere. Those of the next ranks come behind them in the list.
  [[gnu::always_inline]] void look_ahead(std::uint32_t i) const {
    constexpr std::size_t places = 24, rows = 16, named = 8;
    const op_id* const at = mine_.data() + i;
    const auto left = static_cast<std::size_t>(by_rank_.data() + by_rank_.size() - at);
    if (left <= places)
      return;
    before_.prefetch(at[places]);
    before_.prefetch_row(at[rows]);
    if (const auto earlier = before_[at[named]]; !earlier.empty())
      __builtin_prefetch(&local_[index(earlier.front())]);
  }

  /// What an operation reads and writes, both ascending. A receive may write less.
  struct lists {
    std::span<const segment> reads, writes;
  };

  /// False if a list has a byte twice.
  bool put_in_order(std::uint32_t local) {
    constexpr auto meets_next = [](const segment& x, const segment& y) {
      return y.address < x.address + x.length;
    };
    const auto is_in_order = [&](std::span<const segment> list) {
      return std::adjacent_find(list.begin(), list.end(), meets_next) == list.end();
    };
    lists own{g_.reads(mine_[local]), g_.writes(mine_[local])};
    sorted_.resize(std::max(sorted_.size(), std::size_t{2} * local + 2));
    for (const auto& [list, copy] : {std::pair(&own.reads, &sorted_[std::size_t{2} * local]),
                                     std::pair(&own.writes, &sorted_[std::size_t{2} * local + 1])}) {
      if (is_in_order(*list))
        continue;
      copy->assign(list->begin(), list->end());
      std::sort(copy->begin(), copy->end(),
                [](const segment& x, const segment& y) { return x.address < y.address; });
      *list = *copy;
      if (!is_in_order(*list))
        return false;
    }
    lists_.push_back(own);
    return true;
  }

  static bool meet(std::span<const segment> a, std::span<const segment> b) {
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
      if (a[i].address + a[i].length <= b[k].address)
        ++i;
      else if (b[k].address + b[k].length <= a[i].address)
        ++k;
      else
        return true;
    }
    return false;
  }

  void collect() {
    reads_.clear();
    writes_.clear();
    constexpr std::size_t ahead = 16, partners = 8; // the operations of a rank may lie anywhere
    for (std::uint32_t i = 0; i < mine_.size(); ++i) {
      if (i + ahead < mine_.size()) {
        __builtin_prefetch(&g_[mine_[i + ahead]]);
        __builtin_prefetch(&m_.partner[index(mine_[i + ahead])]);
        if (const op_id partner = m_.partner[index(mine_[i + partners])]; partner != no_op)
          __builtin_prefetch(&g_[partner]);
      }
      const op_id op = mine_[i];
      for (const segment& s : g_.reads(op))
        add(s.address, s.length, i, false);
      std::uint64_t left = ~std::uint64_t{0};
      if (g_[op].kind == op_kind::recv)
        left = m_.partner[index(op)] == no_op ? 0 : g_.message_length(m_.partner[index(op)]);
      for (const segment& s : g_.writes(op)) {
        add(s.address, std::min(s.length, left), i, true);
        left -= std::min(s.length, left);
      }
    }
    for (std::vector<access>* list : {&reads_, &writes_})
      if (!std::is_sorted(list->begin(), list->end(), lower))
        std::sort(list->begin(), list->end(), lower);
  }

  static bool lower(const access& a, const access& b) { return a.begin < b.begin; }

  void add(std::uint64_t address, std::uint64_t length, std::uint32_t local, bool write) {
    if (length > 0)
      (write ? writes_ : reads_).push_back({address, address + length, local, write});
  }

  /// No byte is written twice, and none is read that is written: the rank has a buffer for each.
  bool plainly_apart() const {
    for (std::size_t i = 1; i < writes_.size(); ++i)
      if (writes_[i].begin < writes_[i - 1].end)
        return false;
    if (reads_.empty() || writes_.empty() || writes_.back().end <= reads_.front().begin)
      return true;
    return std::all_of(reads_.begin(), reads_.end(),
                       [&](const access& a) { return a.end <= writes_.front().begin; });
  }

  void join() {
    accesses_.resize(reads_.size() + writes_.size());
    std::merge(reads_.begin(), reads_.end(), writes_.begin(), writes_.end(), accesses_.begin(), lower);
  }

  /// Cuts the accesses into groups that no byte connects, and looks at those where a conflict is possible.
  void sweep() {
    for (std::size_t i = 0; i < accesses_.size();) {
      std::uint64_t end = accesses_[i].end;
      bool writes = accesses_[i].write, several = false;
      std::size_t j = i + 1;
      for (; j < accesses_.size() && accesses_[j].begin < end; ++j) {
        end = std::max(end, accesses_[j].end);
        writes |= accesses_[j].write;
        several |= accesses_[j].local != accesses_[i].local;
      }
      if (writes && several)
        check_group({accesses_.data() + i, j - i});
      if (races_.counted() >= enough)
        return;
      i = j;
    }
  }

  /// A group with one write, as where a message is passed on: who touches its bytes comes directly before or after it, or is known
  /// to. False if it takes more to say so.
  bool ordered_around_one_write(std::span<const access> group) {
    const auto write = std::find_if(group.begin(), group.end(), [](const access& a) { return a.write; });
    const auto another = std::find_if(write + 1, group.end(), [](const access& a) { return a.write; });
    return another == group.end() && std::all_of(group.begin(), group.end(), [&](const access& a) {
             if (a.local == write->local || a.end <= write->begin || write->end <= a.begin)
               return true;
             const std::uint32_t earlier = std::min(a.local, write->local),
                                 later = std::max(a.local, write->local);
             return directly_before(earlier, later) || before_for_sure(earlier, later);
           });
  }

  void check_group(std::span<access> group) {
    if (ordered_around_one_write(group))
      return;
    cuts_.clear();
    for (const access& a : group) {
      cuts_.push_back(a.begin);
      cuts_.push_back(a.end);
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    cells_.resize(std::max(cells_.size(), cuts_.size()));
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      cells_[c].writer = nobody;
      cells_[c].readers.clear();
    }
    std::sort(group.begin(), group.end(), [](const access& a, const access& b) { return a.local < b.local; });
    for (std::size_t i = 0; i < group.size() && races_.counted() < enough;) {
      std::size_t j = i;
      while (j < group.size() && group[j].local == group[i].local)
        ++j;
      visit(group.subspan(i, j - i));
      i = j;
    }
  }

  /// All accesses of one operation within the group.
  void visit(std::span<const access> own) {
    const std::uint32_t me = own.front().local;
    needs_.clear();
    for (const access& a : own)
      each_cell(a, [&](std::size_t c) {
        const cell& at = cells_[c];
        if (a.write ? at.readers.empty() : !follows_a_reader(at, me))
          need(me, at.writer, c);
        else if (a.write)
          for (const std::uint32_t reader : at.readers)
            need(me, reader, c);
      });
    if (!needs_.empty())
      resolve(me);
    for (const access& a : own)
      if (!a.write)
        each_cell(a, [&](std::size_t c) { add_reader(cells_[c], me); });
    for (const access& a : own)
      if (a.write)
        each_cell(a, [&](std::size_t c) {
          cells_[c].writer = me;
          cells_[c].readers.clear();
        });
  }

  template <typename Visit>
  void each_cell(const access& a, Visit&& visit_cell) {
    auto c = static_cast<std::size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), a.begin) - cuts_.begin());
    for (; cuts_[c] < a.end; ++c)
      visit_cell(c);
  }

  struct cell {
    std::uint32_t writer;
    std::vector<std::uint32_t> readers; ///< since the writer; those before another reader may be left out
  };

  /// Readers that are looked at to keep the list short; in chains the last ones matter.
  static constexpr std::size_t recent = 16;

  static std::span<const std::uint32_t> last_readers(const cell& at) {
    return std::span(at.readers).last(std::min(recent, at.readers.size()));
  }

  /// A direct predecessor of `me` reads the same value: it has been checked against the writer.
  bool follows_a_reader(const cell& at, std::uint32_t me) const {
    const auto readers = last_readers(at);
    return std::any_of(readers.begin(), readers.end(),
                       [&](std::uint32_t r) { return directly_before(r, me); });
  }

  /// A reader that is known to be before the new one says nothing more.
  void add_reader(cell& at, std::uint32_t me) const {
    if (!at.readers.empty() && at.readers.back() == me)
      return;
    const auto begin = at.readers.end() - static_cast<std::ptrdiff_t>(std::min(recent, at.readers.size()));
    const auto said = [&](std::uint32_t r) { return before_for_sure(r, me) || directly_before(r, me); };
    at.readers.erase(std::remove_if(begin, at.readers.end(), said), at.readers.end());
    at.readers.push_back(me);
  }

  bool directly_before(std::uint32_t earlier, std::uint32_t me) const {
    const auto direct = before_[mine_[me]];
    return direct.size() <= 4 && std::find(direct.begin(), direct.end(), mine_[earlier]) != direct.end();
  }

  /// Notes that `earlier` must be before `me`, unless that is clear.
  void need(std::uint32_t me, std::uint32_t earlier, std::size_t c) {
    if (earlier == nobody || earlier == me || before_for_sure(earlier, me))
      return;
    needs_.push_back({earlier, static_cast<std::uint32_t>(c)});
  }

  bool before_for_sure(std::uint32_t earlier, std::uint32_t later) const {
    if (earlier < prefix_[later])
      return true;
    if (!fences_.any())
      return false;
    const op_id cut = fences_.after[index(mine_[earlier])], last = fences_.before[index(mine_[later])];
    return cut != no_op && last != no_op && cut <= last;
  }

  /// prefix_[i] = n: operations 0 … n-1 of the rank's run order are before operation i by local dependencies
  /// alone.
  void compute_prefixes() {
    prefix_.assign(mine_.size(), 0);
    for (std::uint32_t i = 0; i < mine_.size(); ++i) {
      std::uint32_t reach = 0;
      earlier_.clear();
      for (const op_id earlier : before_[mine_[i]]) {
        const std::uint32_t position = local_[index(earlier)];
        reach = std::max(reach, prefix_[position]);
        earlier_.push_back(position);
      }
      if (earlier_.size() > 1)
        std::sort(earlier_.begin(), earlier_.end());
      for (const std::uint32_t position : earlier_)
        if (position == reach)
          ++reach;
      prefix_[i] = reach;
    }
  }

  struct requirement {
    std::uint32_t earlier;
    std::uint32_t cell;
  };

  void resolve(std::uint32_t me) {
    std::sort(needs_.begin(), needs_.end(), [](const requirement& a, const requirement& b) {
      return a.earlier != b.earlier ? a.earlier < b.earlier : a.cell < b.cell;
    });
    if (wanted_.empty()) {
      wanted_.assign(g_.size(), 0);
      seen_.assign(g_.size(), 0);
    }
    ++query_;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      if (i > 0 && needs_[i].earlier == needs_[i - 1].earlier)
        continue;
      wanted_[index(mine_[needs_[i].earlier])] = query_;
      ++missing;
    }
    const op_id start = mine_[me];
    if (missing > 0)
      missing = search_locally(start, needs_.front().earlier, missing);
    if (missing > 0)
      missing = search_everywhere(start, missing);
    if (missing > 0)
      report(me);
  }

  bool found(op_id op) {
    if (wanted_[index(op)] != query_)
      return false;
    wanted_[index(op)] = 0;
    return true;
  }

  std::size_t search_locally(op_id start, std::uint32_t earliest, std::size_t missing) {
    stack_.assign(1, start);
    while (!stack_.empty() && missing > 0) {
      const op_id op = stack_.back();
      stack_.pop_back();
      for (const op_id earlier : before_[op]) {
        if (local_[index(earlier)] < earliest || seen_[index(earlier)] == query_)
          continue;
        seen_[index(earlier)] = query_;
        if (found(earlier))
          --missing;
        stack_.push_back(earlier);
      }
    }
    return missing;
  }

  std::size_t search_everywhere(op_id start, std::size_t missing) {
    if (position_.empty()) {
      position_.resize(g_.size());
      for (std::uint32_t i = 0; i < order_.size(); ++i)
        position_[index(order_[i])] = i;
      group_seen_.assign(fences_.members.size(), 0);
    }
    const std::uint32_t wanted = query_;
    std::uint32_t earliest = ~std::uint32_t{0};
    for (const requirement& r : needs_)
      if (wanted_[index(mine_[r.earlier])] == wanted)
        earliest = std::min(earliest, position_[index(mine_[r.earlier])]);
    ++stamp_;
    stack_.assign(1, start);
    const auto reach = [&](op_id op) {
      if (position_[index(op)] < earliest || everywhere_[index(op)] == stamp_)
        return;
      everywhere_[index(op)] = stamp_;
      if (found(op))
        --missing;
      stack_.push_back(op);
    };
    everywhere_.resize(g_.size(), 0);
    while (!stack_.empty() && missing > 0) {
      const op_id op = stack_.back();
      stack_.pop_back();
      for (const op_id earlier : before_[op])
        reach(earlier);
      if (g_[op].kind == op_kind::recv && m_.partner[index(op)] != no_op)
        reach(m_.partner[index(op)]);
      if (fences_.any())
        reach_over_fences(op, reach);
    }
    return missing;
  }

  template <typename Reach>
  void reach_over_fences(op_id op, Reach&& reach) {
    if (fences_.before[index(op)] != no_op)
      reach(fences_.before[index(op)]);
    const std::uint32_t group = fences_.group[index(op)];
    if (group == no_group || group_seen_[group] == stamp_)
      return;
    group_seen_[group] = stamp_;
    for (op_id other = fences_.first_awaited[group]; other != no_op;
         other = fences_.next_awaited[index(other)])
      reach(other);
    for (const op_id fence : fences_.members[group])
      for (const op_id earlier : before_[fence])
        reach(earlier);
  }

  void report(std::uint32_t me) {
    for (std::size_t i = 0; i < needs_.size();) {
      std::size_t j = i;
      while (j < needs_.size() && needs_[j].earlier == needs_[i].earlier)
        ++j;
      const op_id first = mine_[needs_[i].earlier];
      if (wanted_[index(first)] == query_ && races_.count())
        races_.add(
            g_[first].rank, first, describe_race(first, mine_[me], std::span(needs_).subspan(i, j - i)),
            fmt::format("add a dependency between op {} and op {}, or use different buffers",
                        std::min(index(first), index(mine_[me])), std::max(index(first), index(mine_[me]))));
      i = j;
    }
  }

  std::string describe_race(op_id a, op_id b, std::span<const requirement> where) const {
    if (b < a)
      std::swap(a, b);
    std::string bytes;
    std::size_t ranges = 0;
    for (std::size_t i = 0; i < where.size(); ++ranges) {
      const std::uint64_t begin = cuts_[where[i].cell];
      std::uint64_t end = cuts_[where[i].cell + 1];
      for (++i; i < where.size() && cuts_[where[i].cell] <= end; ++i)
        end = cuts_[where[i].cell + 1];
      if (ranges < 3)
        bytes += fmt::format("{}[{:#x}, {:#x})", ranges == 0 ? "" : ", ", begin, end);
    }
    if (ranges > 3)
      bytes += fmt::format(" and {} more ranges", ranges - 3);
    return fmt::format(
        "{} and {} both touch the bytes {}, at least one writes them, and nothing orders the two",
        describe(g_, a), describe(g_, b), bytes);
  }

  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  const graph& g_;
  const matching& m_;
  const std::vector<op_id>& order_;
  fence_order fences_;
  dependency_rows before_;
  problem_list races_;

  std::vector<std::uint32_t> first_of_; ///< per rank: begin in by_rank_
  std::vector<op_id> by_rank_;          ///< operations of each rank in run order
  std::vector<std::uint32_t> local_;    ///< per operation: position within its rank
  std::span<const op_id> mine_;         ///< the current rank's part of by_rank_
  std::vector<access> reads_, writes_;  ///< of the current rank, sorted
  std::vector<access> accesses_;        ///< both
  // Of few operations:
  std::vector<std::uint64_t> ordered_; ///< which come before it
  std::vector<lists> lists_;
  std::vector<std::vector<segment>> sorted_; ///< copies of those that are not in order
  std::vector<std::uint32_t> prefix_, earlier_;
  std::vector<std::uint64_t> cuts_; ///< bounds of the cells of the current group
  std::vector<cell> cells_;

  std::vector<requirement> needs_;
  std::vector<std::uint32_t> wanted_, seen_, everywhere_, position_, group_seen_; ///< made on first use
  std::uint32_t query_ = 0, stamp_ = 0;
  std::vector<op_id> stack_;
};

} // namespace

void check_races(const graph& g, const matching& m, const run_order& o, diagnostics& problems) {
  if (o.order.size() < g.size())
    return; // a cycle: already said
  race_search(g, m, o, problems).run();
}

} // namespace tacit::graphs
