// Problem: in most programs ranks send what they have and receive into other memory. To keep what all memories hold, and to find
// there again what nobody has written, costs several times as much as to write down what is sent where.
//
// Idea: if no rank reads a byte that an operation of it writes, all that is read holds its initial value, whenever it is
// read; and if none is written twice, all that is written is left behind, in whatever order. So each message, side by side what
// its send reads and its receive writes, is the transfers that it leaves. They are counted by destination and written where they
// belong. Mostly the messages to a rank come in the order of addresses; else they are sorted. Then two that write the same byte are
// neighbors, and the bytes have to be followed after all.
//
// What is sure to be read and written is told apart by one stretch of memory each: a receive counts with all that it has room for. It
// is seen at the first operation that meets the other stretch, so a graph that passes on costs nearly nothing here.
#include "graphs/flow/straight.h"

#include "graphs/flow/live_transfers.h"
#include "graphs/flow/waiting_messages.h"
#include "graphs/graph/patience_sort.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tacit::graphs {
namespace {

/// Of one rank.
struct stretches {
  std::uint64_t read_begin = ~std::uint64_t{0}, read_end = 0;
  std::uint64_t write_begin = ~std::uint64_t{0}, write_end = 0;

  void read(const segment& s) {
    if (s.length == 0)
      return;
    read_begin = std::min(read_begin, s.address);
    read_end = std::max(read_end, s.address + s.length);
  }
  void write(const segment& s) {
    if (s.length == 0)
      return;
    write_begin = std::min(write_begin, s.address);
    write_end = std::max(write_end, s.address + s.length);
  }
  bool meet() const { return read_begin < write_end && write_begin < read_end; }
};

class straight_walk {
public:
  straight_walk(const graph& g, const matching& m, const run_order& o, const flow_options& options)
      : g_(g), m_(m), order_(o), options_(options), next_(g.ranks() + std::size_t{1}, 0) {}

  std::optional<transfers> run() {
    if (!passes_nothing_on())
      return {};
    if (!is_counted_)
      count();
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    each_that_waits(g_, m_, order_, [&](op_id send) { made_.fragments += fragments_of(send); });
    const std::size_t pieces = next_.back();
    const std::size_t held = next_.size() * sizeof(std::size_t) + copies() * pieces * sizeof(transfer);
    if (made_.fragments > options_.fragment_budget || held > options_.memory_budget)
      return {};
    vocabulary::reserve_huge(made_.list, pieces);
    place();
    made_.apart = true;
    if (!join())
      return {};
    return std::move(made_);
  }

private:
  /// Counts the transfers as well, if each message and its ends are one piece, as then nobody needs to look at the other end.
  bool passes_nothing_on() {
    if (g_.has_reductions())
      return false;
    is_counted_ = !g_.has_empty_sends();
    std::vector<stretches> of_rank; // as long as is needed: where bytes are passed on, that is seen soon
    of_rank.reserve(g_.ranks());
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const operation& op = g_[op_id{i}];
      if (index(op.rank) >= of_rank.size())
        of_rank.resize(std::min(2 * index(op.rank) + 64, std::size_t{g_.ranks()}));
      stretches& mine = of_rank[index(op.rank)];
      if (op.kind == op_kind::opaque)
        return false;
      if (op.pooled) {
        is_counted_ = false;
        for (const segment& s : g_.reads(op_id{i}))
          mine.read(s);
        for (const segment& s : g_.writes(op_id{i}))
          mine.write(s);
      } else if (op.kind == op_kind::send) {
        ++made_.fragments;
        mine.read(op.data);
      } else if (op.kind == op_kind::recv) {
        next_[index(op.rank) + 1] += m_.partner[i] != no_op && op.data.length > 0;
        mine.write(op.data);
      }
      if (mine.meet())
        return false;
    }
    return true;
  }

  /// Where not all bytes are live, those that are become another list.
  std::size_t copies() const { return has_dead_bytes(g_) ? 2 : 1; }

  /// The operation that reads what this one writes; no_op: it writes nothing.
  op_id source_of(op_id id) const {
    const op_kind kind = g_[id].kind;
    return kind == op_kind::recv ? m_.partner[index(id)] : kind == op_kind::copy ? id : no_op;
  }

  /// Visits what is moved to the operation side by side: visit(from, to, length).
  template <typename Visit>
  void each_piece(op_id from, op_id to, Visit&& visit) const {
    const operation &sent = g_[from], &received = g_[to];
    if (!sent.pooled && !received.pooled) {
      if (const std::uint64_t length = std::min(sent.data.length, received.data.length); length > 0)
        visit(sent.data.address, received.data.address, length);
      return;
    }
    const auto reads = g_.reads(from), writes = g_.writes(to);
    std::size_t i = 0, k = 0;
    std::uint64_t read = 0, written = 0;
    while (i < reads.size() && k < writes.size()) {
      const std::uint64_t length = std::min(reads[i].length - read, writes[k].length - written);
      if (length > 0)
        visit(reads[i].address + read, writes[k].address + written, length);
      read += length;
      written += length;
      if (read == reads[i].length)
        ++i, read = 0;
      if (written == writes[k].length)
        ++k, written = 0;
    }
  }

  /// As many fragments as the message is when it is read: segments that continue each other are one.
  std::uint64_t fragments_of(op_id from) const {
    std::uint64_t count = 0, end = 0;
    for (const segment& s : g_.reads(from))
      if (s.length > 0) {
        count += count == 0 || s.address != end;
        end = s.address + s.length;
      }
    return count;
  }

  void count() {
    std::fill(next_.begin(), next_.end(), 0);
    made_.fragments = 0;
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      const op_id op{i};
      const op_kind kind = g_[op].kind;
      if (kind == op_kind::send || kind == op_kind::copy)
        made_.fragments += fragments_of(op);
      if (const op_id from = source_of(op); from != no_op)
        each_piece(from, op,
                   [&](std::uint64_t, std::uint64_t, std::uint64_t) { ++next_[index(g_[op].rank) + 1]; });
    }
  }

  /// Each source sends to all others, and what each of these gets lies elsewhere.
  [[gnu::always_inline]] void look_ahead(op_id soon) const {
    if (const op_id partner = m_.partner[index(soon)]; partner != no_op)
      __builtin_prefetch(&g_[partner]);
    if (g_[soon].kind == op_kind::recv)
      __builtin_prefetch(made_.list.data() + next_[index(g_[soon].rank)], 1);
  }

  void place() {
    constexpr std::uint32_t ahead = 24; // operations
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
      if (i + ahead < g_.size())
        look_ahead(op_id{i + ahead});
      const op_id from = source_of(op_id{i});
      if (from == no_op)
        continue;
      const rank_id source = g_[from].rank, destination = g_[op_id{i}].rank;
      std::size_t& next = next_[index(destination)];
      each_piece(from, op_id{i}, [&](std::uint64_t at, std::uint64_t to, std::uint64_t length) {
        put(next++, {to, at, length, source, destination});
      });
    }
  }

  /// Mostly operations are listed rank by rank, and so are transfers: then each page is written once.
  void put(std::size_t at, const transfer& t) {
    std::vector<transfer>& list = made_.list;
    if (at == list.size())
      return list.push_back(t);
    if (at > list.size())
      list.resize(next_.back());
    list[at] = t;
  }

  /// Puts the transfers in canonical form. False if a byte is written twice.
  bool join() {
    std::vector<transfer>& list = made_.list;
    std::size_t kept = 0, begin = 0;
    for (std::uint32_t r = 0; r < g_.ranks(); ++r) { // filling has moved each begin to the next one
      const std::size_t end = next_[r];
      sorter_.sort(std::span(list.data() + begin, end - begin), [](const transfer& a, const transfer& b) {
        return a.destination_address < b.destination_address;
      });
      while (begin < end) {
        const std::size_t first = begin;
        transfer whole = list[begin];
        for (++begin; begin < end; ++begin) {
          const transfer& next = list[begin];
          if (next.destination_address - whole.destination_address < whole.length)
            return false;
          if (next.destination_address - whole.destination_address != whole.length ||
              next.source != whole.source || next.source_address != whole.source_address + whole.length)
            break;
          whole.length += next.length;
        }
        if (kept != first || begin - first > 1) // else it is there, and memory that is only read costs less
          list[kept] = whole;
        ++kept;
      }
    }
    list.resize(kept);
    keep_what_is_live(g_, list);
    return true;
  }

  const graph& g_;
  const matching& m_;
  const run_order& order_;
  const flow_options& options_;
  std::vector<std::size_t> next_; ///< per destination: where its next transfer is put
  bool is_counted_ = false;       ///< how many there are is known without a look at both ends of messages
  patience_sorter<transfer> sorter_;
  transfers made_;
};

} // namespace

std::optional<transfers> follow_straight(const graph& g, const matching& m, const run_order& o,
                                         const flow_options& options) {
  if (o.order.size() < g.size() ||
      g.ranks() > options.memory_budget / (sizeof(stretches) + sizeof(std::size_t)))
    return {};
  return straight_walk(g, m, o, options).run();
}

} // namespace tacit::graphs
