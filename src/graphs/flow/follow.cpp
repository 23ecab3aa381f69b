// Dataflow by symbolic execution (seed 000 section 2.3, Algorithms 3 and 4, by meaning).
//
// Every rank has an interval map from bytes to where their content came from, empty at first: each byte holds
// its own initial value. Operations are executed on the maps in run order: a send or copy looks up what its
// bytes hold, a receive or copy overwrites its bytes with that, an opaque operation overwrites with
// "unknown". Because a write overwrites, what the maps hold at the end are the final receives, and what the
// entries name are the original sends; nothing is ever split backwards as in the paper's listing. The graph
// is race-free, so any run order gives the same.
//
// A message is handed over when its receive directly follows its send in the run order, which is the common
// case; otherwise its fragments are parked until the receive comes. Cost O(operations + fragments moved):
// fragments can multiply exponentially in crafted graphs, hence the budget.
#include "graphs/flow/flow.h"

#include "graphs/flow/interval_map.h"
#include "vocabulary/calls/reasons.h"

#include <fmt/format.h>

namespace tacit::graphs {
namespace {

/// What a message carries: fragments whose `address` is the offset in the message.
using message = std::vector<fragment>;

void append(message& out, const fragment& piece) {
  if (!out.empty() && out.back().continued_by(piece))
    out.back().length += piece.length;
  else
    out.push_back(piece);
}

/// All ranks' maps. A rank's only fragment is kept in its slot; slot.spare is 1 + the index of its tree, once
/// it has one.
class memory {
public:
  explicit memory(std::uint32_t ranks) : slots_(ranks) {}

  /// Appends what the bytes of `s` hold to `out`, the first one at offset `offset`.
  void read(rank_id rank, const segment& s, std::uint64_t offset, message& out) const {
    std::uint64_t at = s.address;
    const std::uint64_t end = s.address + s.length;
    const auto own = [&](std::uint64_t to) {
      if (at < to)
        append(out, {offset + (at - s.address), to - at, at, rank, 0});
      at = to;
    };
    const auto held = [&](const fragment& f) {
      own(std::max(at, f.address));
      fragment piece = f.part(at, std::min(end, f.end()));
      at = piece.end();
      piece.address = offset + (piece.address - s.address);
      append(out, piece);
    };
    const fragment& slot = slots_[index(rank)];
    if (slot.spare != 0)
      trees_[slot.spare - 1].each(s.address, end, held);
    else if (slot.length != 0 && slot.address < end && s.address < slot.end())
      held(slot);
    own(end);
  }

  void assign(rank_id rank, const fragment& f) {
    const fragment& slot = slots_[index(rank)];
    const bool own = f.source == rank && f.source_address == f.address; // its own initial value
    if (slot.spare != 0 && !own)
      return trees_[slot.spare - 1].assign(f);
    erase(rank, {f.address, f.length});
    if (!own)
      insert(rank, f);
  }

  template <typename Visit>
  void each(rank_id rank, Visit&& visit) const {
    const fragment& slot = slots_[index(rank)];
    if (slot.spare != 0)
      trees_[slot.spare - 1].each(visit);
    else if (slot.length != 0)
      visit(slot);
  }

  /// At most this many fragments are visited by `each` over all ranks.
  std::size_t size() const {
    std::size_t count = 0;
    for (const fragment& slot : slots_)
      count += slot.spare != 0 ? trees_[slot.spare - 1].size() : slot.length != 0;
    return count;
  }

  [[gnu::always_inline]] void prefetch(rank_id rank) const { __builtin_prefetch(&slots_[index(rank)]); }

private:
  void erase(rank_id rank, const segment& s) {
    fragment& slot = slots_[index(rank)];
    const std::uint64_t from = s.address, to = s.address + s.length;
    if (slot.spare != 0)
      return trees_[slot.spare - 1].erase(from, to);
    if (slot.length == 0 || slot.end() <= from || to <= slot.address)
      return;
    if (slot.address < from && to < slot.end())
      return grow(slot).erase(from, to);
    if (slot.address < from)
      slot = slot.part(slot.address, from);
    else if (to < slot.end())
      slot = slot.part(to, slot.end());
    else
      slot.length = 0;
  }

  void insert(rank_id rank, const fragment& f) { // the place is free
    fragment& slot = slots_[index(rank)];
    if (slot.spare != 0)
      trees_[slot.spare - 1].insert(f);
    else if (slot.length == 0)
      slot = f;
    else if (slot.continued_by(f))
      slot.length += f.length;
    else
      grow(slot).insert(f);
  }

  fragment_tree& grow(fragment& slot) {
    trees_.emplace_back();
    trees_.back().insert(slot);
    slot.spare = static_cast<std::uint32_t>(trees_.size());
    return trees_.back();
  }

  std::vector<fragment> slots_;
  std::vector<fragment_tree> trees_;
};

/// Messages whose receive does not follow at once: lists of fragments in one pool, made on first use.
class parking {
public:
  void put(std::size_t operations, op_id receive, const message& what) {
    if (first_.empty())
      first_.assign(operations, nothing);
    std::uint32_t next = nothing;
    for (std::size_t i = what.size(); i-- > 0;) {
      std::uint32_t place = free_;
      if (place == nothing) {
        place = static_cast<std::uint32_t>(pool_.size());
        pool_.emplace_back();
      } else {
        free_ = pool_[place].spare;
      }
      pool_[place] = what[i];
      pool_[place].spare = next;
      next = place;
    }
    first_[index(receive)] = next;
  }

  void take(op_id receive, message& out) {
    if (first_.empty())
      return;
    std::uint32_t at = first_[index(receive)];
    while (at != nothing) {
      out.push_back(pool_[at]);
      const std::uint32_t next = pool_[at].spare;
      pool_[at].spare = free_;
      free_ = at;
      at = next;
    }
  }

private:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  std::vector<std::uint32_t> first_; ///< per operation
  std::vector<fragment> pool_;
  std::uint32_t free_ = nothing;
};

class follower {
public:
  follower(const graph& g, const matching& m, const run_order& o, std::uint64_t budget)
      : g_(g), m_(m), order_(o.order), budget_(budget), memory_(g.ranks()) {}

  /// False if the budget was exceeded; then `where` says at which operation.
  bool run(op_id& where) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      look_ahead(i);
      const op_id op = order_[i];
      content_.clear();
      switch (g_[op].kind) {
      case op_kind::send: {
        load(op);
        const op_id receive = m_.partner[index(op)];
        if (receive == no_op)
          break;
        if (i + 1 < order_.size() && order_[i + 1] == receive) {
          store(receive);
          ++i;
        } else {
          parked_.put(g_.size(), receive, content_);
        }
        break;
      }
      case op_kind::recv:
        parked_.take(op, content_);
        store(op);
        break;
      case op_kind::copy:
        load(op);
        store(op);
        break;
      case op_kind::opaque:
        overwrite_unknown(op);
        break;
      case op_kind::fence:
        break;
      }
      moved_ += content_.size();
      if (moved_ > budget_) {
        where = op;
        return false;
      }
    }
    return true;
  }

  const memory& result() const { return memory_; }
  std::uint64_t moved() const { return moved_; }

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
    memory_.prefetch(g_[order_[i + slots]].rank);
    memory_.prefetch(g_[order_[i + slots + 1]].rank);
    __builtin_prefetch(&m_.partner[index(order_[i + slots])]);
  }

  void load(op_id op) {
    std::uint64_t offset = 0;
    for (const segment& s : g_.reads(op)) {
      if (s.length == 0)
        continue;
      memory_.read(g_[op].rank, s, offset, content_);
      offset += s.length;
    }
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
        memory_.assign(g_[op].rank, piece);
        if (stop == content_[next].end())
          ++next;
        offset = stop;
      }
      if (next == content_.size())
        return;
    }
  }

  void overwrite_unknown(op_id op) {
    for (const segment& s : g_.writes(op))
      if (s.length > 0)
        memory_.assign(g_[op].rank, {s.address, s.length, index(op), no_rank, 0});
  }

  const graph& g_;
  const matching& m_;
  const std::vector<op_id>& order_;
  std::uint64_t budget_;
  std::uint64_t moved_ = 0;
  memory memory_;
  parking parked_;
  message content_;
};

/// Which bytes of each rank are live-out, as a filter over ascending fragments of ascending ranks.
class liveness {
public:
  explicit liveness(const graph& g) : keep_(!g.live_out_bytes().empty()) {
    const auto declared = keep_ ? g.live_out_bytes() : g.scratch_bytes();
    for (const auto& [rank, bytes] : declared)
      if (bytes.length > 0)
        ranges_.push_back({rank, bytes});
    std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second.address < b.second.address;
    });
    unite();
  }

  /// Calls visit for each live part of f.
  template <typename Visit>
  void filter(rank_id rank, const fragment& f, Visit&& visit) {
    if (ranges_.empty()) {
      if (!keep_)
        visit(f);
      return;
    }
    while (at_ < ranges_.size() &&
           (ranges_[at_].first < rank || (ranges_[at_].first == rank && end_of(at_) <= f.address)))
      ++at_;
    std::uint64_t from = f.address;
    for (std::size_t i = at_;
         i < ranges_.size() && ranges_[i].first == rank && ranges_[i].second.address < f.end(); ++i) {
      const std::uint64_t start = std::max(f.address, ranges_[i].second.address),
                          end = std::min(f.end(), end_of(i));
      if (keep_)
        visit(f.part(start, end));
      else if (from < start)
        visit(f.part(from, start));
      from = end;
    }
    if (!keep_ && from < f.end())
      visit(f.part(from, f.end()));
  }

private:
  std::uint64_t end_of(std::size_t i) const { return ranges_[i].second.address + ranges_[i].second.length; }

  void unite() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      auto& last = ranges_[kept == 0 ? 0 : kept - 1];
      if (kept > 0 && last.first == ranges_[i].first && ranges_[i].second.address <= end_of(kept - 1))
        last.second.length = std::max(end_of(kept - 1), end_of(i)) - last.second.address;
      else
        ranges_[kept++] = ranges_[i];
    }
    ranges_.resize(kept);
  }

  bool keep_; ///< the ranges are what is live, not what is dead
  std::vector<std::pair<rank_id, segment>> ranges_;
  std::size_t at_ = 0;
};

/// Calls visit(rank, fragment) for every maximal live fragment in destination order.
template <typename Visit>
void each_final(const graph& g, const memory& held, liveness& live, Visit&& visit) {
  for (std::uint32_t r = 0; r < g.ranks(); ++r) {
    fragment last; // length 0: nothing held back yet
    const auto emit = [&](const fragment& f) {
      if (last.length != 0 && last.continued_by(f)) {
        last.length += f.length;
        return;
      }
      if (last.length != 0)
        visit(rank_id{r}, last);
      last = f;
    };
    held.each(rank_id{r}, [&](const fragment& f) { live.filter(rank_id{r}, f, emit); });
    if (last.length != 0)
      visit(rank_id{r}, last);
  }
}

} // namespace

transfers follow(const graph& g, const matching& m, const run_order& o, diagnostics& problems,
                 const flow_options& options) {
  follower walk(g, m, o, options.fragment_budget);
  op_id where = no_op;
  if (!walk.run(where)) {
    problems.push_back(
        {number(reason::fragment_budget), severity::warning, g[where].rank, where,
         fmt::format("{}: following the bytes needed more than {} fragments; the graph runs as written",
                     describe(g, where), options.fragment_budget),
         "raise the fragment budget (--budget) to analyse it all the same"});
    return {{}, false, walk.moved()};
  }
  transfers out;
  out.fragments = walk.moved();
  out.list.reserve(walk.result().size()); // the largest product of a large graph should not grow by doubling
  liveness live(g);
  each_final(g, walk.result(), live, [&](rank_id rank, const fragment& f) {
    out.list.push_back({f.address, f.source_address, f.length, f.source, rank});
  });
  return out;
}

} // namespace tacit::graphs
