// Conflicting accesses that nothing orders.
//
// Two operations of a rank conflict if they touch a common byte and one of them writes it; they must be
// ordered by happens-before (D ∪ M ∪ fences). Checking every conflicting pair is not needed: walk the
// operations of a rank in run order and remember per byte the last writer and the readers since; a read is
// checked against the writer, a write against those readers (or the writer, if there are none). If all of
// these are ordered, so is every other pair, by transitivity; if any pair is not ordered, some checked pair
// is not either.
//
// Some filters make this fast. Ranks that use their memory plainly are seen without a list of their operations (plain_ranks.h). Of the
// others, an operation knows how long a prefix of its rank's run order lies before it through
// local dependencies alone (all of it, in a program of blocking calls), and fences of the rank cut its order; both
// answer in O(1). Of a rank with few operations those that local dependencies do not order are compared one by one
// (few_operations.h). A rank that reads one buffer and writes another one needs no more than a look at both. Accesses of other
// ranks are swept by address,
// and only groups of overlapping accesses with a write among them are looked at; the only write of a group is mostly
// a dependency of those who read. Only what remains is searched backwards (backward_search.h), once for all that an operation
// needs.
//
// A receive counts with the bytes that its message really writes. Cost O(operations + accesses log accesses)
// plus the searches, each bounded by the operations between the two accesses in run order.
#include "graphs/graph/problem_list.h"
#include "graphs/match/backward_search.h"
#include "graphs/match/dependency_rows.h"
#include "graphs/match/fences.h"
#include "graphs/match/few_operations.h"
#include "graphs/match/match.h"
#include "graphs/match/plain_ranks.h"

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
  race_search(const graph& g, const matching& m, const run_order& o, const std::vector<std::uint32_t>& ranks,
              diagnostics& problems)
      : ranks_(ranks), g_(g), m_(m), fences_(order_fences(g)),
        before_(g, dependency_rows::direction::predecessors), by_rank_(g, o.order),
        few_(g, by_rank_, before_), search_(g, m, o.order, fences_, by_rank_, before_),
        races_(problems, reason::race, severity::error, "unordered conflicting accesses") {}

  void run() {
    for (const std::uint32_t r : ranks_) {
      if (races_.counted() >= enough)
        break;
      mine_ = by_rank_.of(r);
      if (mine_.size() < 2)
        continue;
      if (mine_.size() <= few_operations::most && few_.are_apart(mine_))
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
        const std::uint32_t position = by_rank_.local[index(earlier)];
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
    wanted_.clear();
    for (std::size_t i = 0; i < needs_.size(); ++i)
      if (i == 0 || needs_[i].earlier != needs_[i - 1].earlier)
        wanted_.push_back(mine_[needs_[i].earlier]);
    if (!search_.finds_all(mine_[me], wanted_))
      report(me);
  }

  void report(std::uint32_t me) {
    for (std::size_t i = 0; i < needs_.size();) {
      std::size_t j = i;
      while (j < needs_.size() && needs_[j].earlier == needs_[i].earlier)
        ++j;
      const op_id first = mine_[needs_[i].earlier];
      if (search_.missed(first) && races_.count())
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

  const std::vector<std::uint32_t>& ranks_; ///< to be searched
  const graph& g_;
  const matching& m_;
  const fence_order fences_;
  const dependency_rows before_;
  const places_by_rank by_rank_;
  few_operations few_;
  backward_search search_;
  problem_list races_;

  std::span<const op_id> mine_;        ///< the operations of the current rank
  std::vector<access> reads_, writes_; ///< of the current rank, sorted
  std::vector<access> accesses_;       ///< both
  std::vector<std::uint32_t> prefix_, earlier_;
  std::vector<std::uint64_t> cuts_; ///< bounds of the cells of the current group
  std::vector<cell> cells_;
  std::vector<requirement> needs_;
  std::vector<op_id> wanted_; ///< those that are needed, each once
};

} // namespace

void check_races(const graph& g, const matching& m, const run_order& o, diagnostics& problems) {
  if (o.order.size() < g.size())
    return; // a cycle: already said
  if (const std::vector<std::uint32_t> ranks = ranks_to_search(g); !ranks.empty())
    race_search(g, m, o, ranks, problems).run();
}

} // namespace tacit::graphs
