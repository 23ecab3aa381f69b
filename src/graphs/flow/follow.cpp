// Dataflow by symbolic execution (seed 000 section 2.3, Algorithms 3 and 4, by meaning).
//
// Every rank has a memory (rank_memory.h) that says of each byte where its content came from, at first that
// it holds its own initial value. Operations are executed on the memories in run order: a send or copy looks
// up what its bytes hold, a receive or copy overwrites its bytes with that, an opaque operation overwrites
// with "unknown". Because a write overwrites, what the memories hold at the end are the final receives, and
// what the entries name are the original sends; nothing is ever split backwards as in the paper's listing.
// The graph is race-free, so any run order gives the same.
//
// A message is handed over when its receive directly follows its send in the run order, which is the common
// case; otherwise its fragments are parked until the receive comes. Cost O(operations + fragments moved):
// fragments can multiply exponentially in crafted graphs, hence two budgets: fragments moved bound the time,
// bytes held the memory. Graphs in which nothing is passed on, or every rank receives once, need none of this (straight.h, single_receives.h);
// where ranks touch many pieces of memory, two walks are faster (rank_by_rank.h).
#include "graphs/flow/flow.h"

#include "graphs/flow/live_bytes.h"
#include "graphs/flow/rank_by_rank.h"
#include "graphs/flow/rank_memory.h"
#include "graphs/flow/separate.h"
#include "graphs/flow/single_receives.h"
#include "graphs/flow/straight.h"
#include "vocabulary/base/amounts.h"
#include "vocabulary/base/huge_pages.h"
#include "vocabulary/calls/reasons.h"

#include <fmt/format.h>
#include <optional>

namespace tacit::graphs {
namespace {

/// Messages whose receive does not follow at once: lists of fragments in one pool, made on first use.
class parking {
public:
  explicit parking(memory_budget& budget)
      : first_(counted_allocator<std::uint32_t>(budget)), pool_(counted_allocator<fragment>(budget)) {}

  void put(std::size_t operations, op_id receive, const message_content& what) {
    if (first_.empty())
      first_.assign(operations, nothing);
    std::uint32_t next = nothing;
    for (std::size_t i = what.size(); i-- > 0;) {
      std::uint32_t slot = free_;
      if (slot == nothing) {
        slot = static_cast<std::uint32_t>(pool_.size());
        pool_.emplace_back();
      } else {
        free_ = pool_[slot].next;
      }
      pool_[slot] = what[i];
      pool_[slot].next = next;
      next = slot;
    }
    first_[index(receive)] = next;
  }

  void take(op_id receive, message_content& out) {
    if (first_.empty())
      return;
    std::uint32_t at = first_[index(receive)];
    while (at != nothing) {
      out.push_back(pool_[at]);
      const std::uint32_t next = pool_[at].next;
      pool_[at].next = free_;
      free_ = at;
      at = next;
    }
  }

private:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  counted_vector<std::uint32_t> first_; ///< per operation
  counted_vector<fragment> pool_;
  std::uint32_t free_ = nothing;
};

/// What a rank holds hangs on three pointers, asked for one after the other: of the one that comes last its tree, of the next one the
/// leaves, of the first one what is in them.
[[gnu::always_inline]] inline void look_into(const rank_memory& last, const rank_memory& next,
                                             const rank_memory& first) {
  last.prefetch_tree();
  next.prefetch_leaves();
  first.prefetch_fragments();
}

/// Trees lie where they were made, which is in no order of ranks.
[[gnu::always_inline]] inline void look_into_next(const counted_vector<rank_memory>& all, std::size_t r) {
  constexpr std::size_t trees = 12, leaves = 8, fragments = 4;
  if (r + trees < all.size())
    look_into(all[r + trees], all[r + leaves], all[r + fragments]);
}

class follower {
public:
  follower(const graph& g, const matching& m, const run_order& o, std::uint64_t most_moved,
           memory_budget& budget)
      : g_(g), m_(m), order_(o.order), most_moved_(most_moved), budget_(budget),
        memory_(counted_allocator<rank_memory>(budget)), parked_(budget),
        content_(counted_allocator<fragment>(budget)) {}
  follower(const follower&) = delete;
  follower& operator=(const follower&) = delete;
  ~follower() {
    for (std::size_t r = 0; has_trees_ && r < memory_.size(); ++r) {
      look_into_next(memory_, r);
      memory_[r] = rank_memory(no_rank);
    }
  }

  /// False if more fragments were moved than allowed; throws over_budget if more memory were needed. Then
  /// `now` says at which operation.
  bool run() {
    reserve_huge(memory_, g_.ranks());
    for (std::uint32_t r = 0; r < g_.ranks(); ++r)
      memory_.emplace_back(rank_id{r});
    for (std::size_t i = 0; i < order_.size(); ++i) {
      look_ahead(i);
      const op_id op = now_ = order_[i];
      content_.clear();
      switch (g_[op].kind) {
      case op_kind::send: {
        load(op);
        const op_id receive = m_.partner[index(op)];
        if (receive == no_op)
          break;
        if (i + 1 < order_.size() && order_[i + 1] == receive) {
          take_in(receive);
          ++i;
        } else {
          parked_.put(g_.size(), receive, content_);
        }
        break;
      }
      case op_kind::recv:
        parked_.take(op, content_);
        take_in(op);
        break;
      case op_kind::reduce:
        load(op);
        combine(op);
        break;
      case op_kind::copy:
        load(op);
        store(op);
        break;
      case op_kind::opaque:
        if (lists_calls_)
          list_call(op);
        overwrite_by_call(op);
        break;
      case op_kind::fence:
        break;
      }
      moved_ += content_.size();
      if (moved_ > most_moved_)
        return false;
    }
    return true;
  }

  void list_calls() { lists_calls_ = true; }
  const counted_vector<rank_memory>& result() const { return memory_; }
  std::vector<reduction> take_reductions() { return std::move(reductions_); }
  std::vector<operands_of_call> take_calls() { return std::move(calls_); }
  std::uint64_t moved() const { return moved_; }
  op_id now() const { return now_; }

private:
  /// The order of a large tree jumps about in memory: ask early for the operations, later for their ranks'
  /// slots. Two at a time, because a send and its receive are done in one step.
  /// (Inlined by force: GCC 12 takes a function that only prefetches for one without effect and drops the
  /// call.)
  [[gnu::always_inline]] void look_ahead(std::size_t i) const {
    constexpr std::size_t operations = 40, slots = 20; // measured: shorter is too late, longer gains nothing
    if (i + operations + 1 >= order_.size())
      return;
    __builtin_prefetch(&g_[order_[i + operations]]);
    __builtin_prefetch(&g_[order_[i + operations + 1]]);
    __builtin_prefetch(&memory_of(order_[i + slots]));
    __builtin_prefetch(&memory_of(order_[i + slots + 1]));
    __builtin_prefetch(&m_.partner[index(order_[i + slots])]);
    if (has_trees_)
      look_into_trees(i);
  }
  [[gnu::always_inline]] void look_into_trees(std::size_t i) const {
    constexpr std::size_t trees = 14, leaves = 9, fragments = 4;
    for (std::size_t k = 0; k < 2; ++k)
      look_into(memory_of(order_[i + trees + k]), memory_of(order_[i + leaves + k]),
                memory_of(order_[i + fragments + k]));
  }

  const rank_memory& memory_of(op_id op) const { return memory_[index(g_[op].rank)]; }
  rank_memory& memory_of(op_id op) { return memory_[index(g_[op].rank)]; }

  void load(op_id op) { load(op, g_.reads(op), ~std::uint64_t{0}, content_); }

  /// What the first `length` bytes of a list hold.
  void load(op_id op, std::span<const segment> list, std::uint64_t length, message_content& into) {
    std::uint64_t offset = 0;
    for (segment s : list) {
      s.length = std::min(s.length, length - offset);
      if (s.length == 0)
        continue;
      memory_of(op).read(s, offset, into);
      offset += s.length;
    }
  }

  void take_in(op_id receive) {
    if (g_.reduces(receive))
      combine(receive);
    else
      store(receive);
  }

  /// The content is the left operand; what the operation writes to is the right one and the result.
  void combine(op_id op) {
    if (content_.empty())
      return;
    reduction made{op, next_base_, content_.back().end(), {}, {}};
    message_content right{counted_allocator<fragment>(budget_)};
    load(op, g_.writes(op), made.length, right);
    moved_ += content_.size() + right.size();
    budget_.take(sizeof(reduction) + (content_.size() + right.size()) * sizeof(fragment));
    made.left.assign(content_.begin(), content_.end());
    made.right.assign(right.begin(), right.end());
    for (fragment& f : made.left)
      f.next = 0;
    content_.clear();
    content_.push_back({0, made.length, made.base, combined, 0});
    next_base_ += made.length + 1; // a gap, so that two reductions are never taken for one
    reductions_.push_back(std::move(made));
    store(op);
  }

  /// Writes the content over the first bytes of the operation's segments; a longer receive keeps its tail.
  void store(op_id op) {
    std::uint64_t offset = 0;
    std::size_t next = 0;
    for (const segment& s : g_.writes(op)) {
      const std::uint64_t end = offset + s.length;
      while (next < content_.size() && content_[next].address < end && offset < end) {
        const std::uint64_t stop = std::min(end, content_[next].end());
        fragment piece = content_[next].part(offset, stop);
        piece.address = s.address + (s.length - (end - offset));
        rank_memory& memory = memory_of(op);
        memory.write(piece, budget_);
        has_trees_ |= memory.has_tree();
        if (stop == content_[next].end())
          ++next;
        offset = stop;
      }
      if (next == content_.size())
        return;
    }
  }

  void list_call(op_id op) {
    message_content read{counted_allocator<fragment>(budget_)};
    load(op, g_.reads(op), ~std::uint64_t{0}, read);
    moved_ += read.size();
    calls_.push_back({op, {read.begin(), read.end()}});
    for (fragment& f : calls_.back().read)
      f.next = 0;
  }

  /// With what nobody knows, or with names of their own.
  void overwrite_by_call(op_id op) {
    for (const segment& s : g_.writes(op)) {
      if (s.length == 0)
        continue;
      fragment made{s.address, s.length, index(op), no_rank, 0};
      if (lists_calls_)
        made = {s.address, s.length, s.address, computed_by(g_, calls_.size() - 1), 0};
      memory_of(op).write(made, budget_);
    }
  }

  const graph& g_;
  const matching& m_;
  const std::vector<op_id>& order_;
  std::uint64_t most_moved_;
  bool lists_calls_ = false;
  std::uint64_t moved_ = 0;
  op_id now_ = no_op;
  bool has_trees_ = false; ///< some rank holds several fragments
  std::vector<reduction> reductions_;
  std::vector<operands_of_call> calls_;
  std::uint64_t next_base_ = 0;
  memory_budget& budget_;
  counted_vector<rank_memory> memory_; ///< by rank
  parking parked_;
  message_content content_;
};

/// All live bytes, in the order of their destinations. Parts of one fragment that are live have others
/// between them, and fragments are as long as possible, so nothing is left to join. What is held grows by the
/// list.
std::vector<transfer> list_transfers(const graph& g, const counted_vector<rank_memory>& held,
                                     memory_budget& budget) {
  std::size_t at_most = 0;
  for (std::size_t r = 0; r < held.size(); ++r) {
    look_into_next(held, r);
    at_most += held[r].size();
  }
  budget.take(at_most * sizeof(transfer));
  std::vector<transfer> list;
  reserve_huge(list, at_most); // the largest product of a large graph should not grow by doubling
  live_bytes live(g);
  for (std::uint32_t r = 0; r < held.size(); ++r) {
    look_into_next(held, r);
    held[r].each([&](const fragment& whole) {
      live.filter(rank_id{r}, whole, [&](const fragment& f) {
        list.push_back({f.address, f.source_address, f.length, f.source, rank_id{r}});
      });
    });
  }
  return list;
}

diagnostic given_up(const graph& g, op_id where, const std::string& needed) {
  const bool at_operation = where != no_op;
  return {
      number(reason::fragment_budget),
      severity::warning,
      at_operation ? g[where].rank : no_rank,
      where,
      fmt::format("{}following the bytes needed more than {}; the graph runs as written",
                  at_operation ? describe(g, where) + ": " : "", needed),
      "raise the budget (--budget, TACIT_BUDGET) to analyse it all the same: fragments as a number, memory "
      "with a unit such as 8GiB"};
}

/// Where a rank touches a few pieces of memory, all that it holds is as quickly fetched as its operations are.
bool ranks_do_much(const graph& g) {
  constexpr std::size_t of_a_rank = 64, together = 1 << 12; // measured
  std::size_t pieces = 0;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    pieces += g[op_id{i}].pooled ? g.reads(op_id{i}).size() + g.writes(op_id{i}).size() : 1;
  return pieces >= together && pieces / of_a_rank >= g.ranks();
}

std::optional<transfers> follow_a_short_way(const graph& g, const matching& m, const run_order& o,
                                            const flow_options& options) {
  if (std::optional<transfers> straight = follow_straight(g, m, o, options))
    return straight;
  if (std::optional<transfers> received = follow_single_receives(g, m, o, options))
    return received;
  return ranks_do_much(g) ? follow_rank_by_rank(g, m, o, options) : std::nullopt;
}

transfers follow_in_run_order(const graph& g, const matching& m, const run_order& o, diagnostics& problems,
                              const flow_options& options, bool lists_calls) {
  memory_budget budget(options.memory_budget);
  follower walk(g, m, o, options.fragment_budget, budget);
  if (lists_calls)
    walk.list_calls();
  try {
    if (walk.run()) {
      transfers t;
      t.list = list_transfers(g, walk.result(), budget);
      t.reductions = walk.take_reductions();
      t.calls = walk.take_calls();
      t.fragments = walk.moved();
      return t;
    }
    problems.push_back(given_up(g, walk.now(), fmt::format("{} fragments", options.fragment_budget)));
  } catch (const over_budget&) {
    problems.push_back(given_up(g, walk.now(), readable_bytes(options.memory_budget)));
  }
  transfers nothing;
  nothing.complete = false;
  nothing.fragments = walk.moved();
  return nothing;
}

} // namespace

transfers follow(const graph& g, const matching& m, const run_order& o, diagnostics& problems,
                 const flow_options& options) {
  if (g.size() == 0) // no memory for ranks that do nothing: there may be millions
    return {};
  std::optional<transfers> known = follow_a_short_way(g, m, o, options);
  transfers t = known ? *std::move(known) : follow_in_run_order(g, m, o, problems, options, false);
  if (!t.reductions.empty())
    separate(g, m, o, t);
  return t;
}

transfers follow_with_calls(const graph& g, const matching& m, const run_order& o, diagnostics& problems,
                            const flow_options& options) {
  transfers t = follow_in_run_order(g, m, o, problems, options, true);
  if (!t.reductions.empty())
    separate(g, m, o, t);
  return t;
}

} // namespace tacit::graphs
