// Problem: a tree gathers through ranks in its middle, whose memory for the blocks of others keeps them afterwards. Unless it is declared
// as scratch they are results, which a gather does not deliver; they stay messages, and the tree is no gather.
//
// Idea: leave out the bytes that a rank receives and sends on or copies, and search again. If everything that is left belongs to
// collectives, and it did not before, those bytes are what stood in the way. (Bytes that are passed on and wanted, as in a broadcast
// through a tree, leave a worse search behind.)
#include "graphs/detect/scratch_hint.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

namespace tacit::graphs {
namespace {

using ranges = std::span<const segment>; ///< sorted, apart

bool has_vector_forms(const findings& f) {
  return std::any_of(f.found.begin(), f.found.end(),
                     [](const finding& x) { return x.kind != pattern::barrier && !is_uniform(x.kind); });
}

/// Bytes that travel and belong to no finding.
bool messages_left(const findings& f, const transfers& t) {
  return std::any_of(f.residual.begin(), f.residual.end(), [&](const slice& s) {
    return t.list[s.transfer].source != t.list[s.transfer].destination;
  });
}

/// What sends and copies of each rank read: one list for all ranks, since nearly all of them have a few pieces.
class passed_on {
public:
  explicit passed_on(const graph& g) : first_(std::size_t{g.ranks()} + 1, 0) {
    each_read(g, [&](rank_id r, const segment&) { ++first_[index(r) + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    list_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    each_read(g, [&](rank_id r, const segment& s) { list_[next[index(r)]++] = s; });
    std::size_t kept = 0;
    for (std::size_t r = 0; r + 1 < first_.size(); ++r)
      kept = join(r, kept);
    first_.back() = kept;
  }
  ranges of(rank_id r) const {
    return std::span(list_).subspan(first_[index(r)], first_[index(r) + 1] - first_[index(r)]);
  }

  template <typename Visit>
  static void each_read(const graph& g, Visit&& visit) {
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      const operation& op = g[op_id{i}];
      if (op.kind == op_kind::send || op.kind == op_kind::copy)
        for (const segment& s : g.reads(op_id{i}))
          if (s.length > 0)
            visit(op.rank, s);
    }
  }

private:
  /// Sorts what a rank reads, joins what overlaps and puts it at `kept`; returns where that ends.
  std::size_t join(std::size_t rank, std::size_t kept) {
    const std::span mine = std::span(list_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
    std::sort(mine.begin(), mine.end(),
              [](const segment& a, const segment& b) { return a.address < b.address; });
    const std::size_t begin = first_[rank] = kept;
    for (const segment& s : mine) {
      segment* const last = kept > begin ? &list_[kept - 1] : nullptr;
      if (last && s.address - last->address <= last->length)
        last->length = std::max(last->length, s.address - last->address + s.length);
      else
        list_[kept++] = s;
    }
    return kept;
  }

  std::vector<std::size_t> first_; ///< per rank: begin in `list_`
  std::vector<segment> list_;
};

/// Whether bytes may arrive where a rank reads what it sends or copies: as most programs have a buffer for each, one stretch of memory a
/// rank nearly always says no.
bool may_pass_on(const graph& g, const transfers& t) {
  struct span_of_bytes {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
  };
  std::vector<span_of_bytes> reads(g.ranks());
  passed_on::each_read(g, [&](rank_id r, const segment& s) {
    span_of_bytes& mine = reads[index(r)];
    mine.first = std::min(mine.first, s.address);
    mine.last = std::max(mine.last, s.address + (s.length - 1));
  });
  return std::any_of(t.list.begin(), t.list.end(), [&](const transfer& x) {
    const span_of_bytes& mine = reads[index(x.destination)];
    return x.destination_address <= mine.last && mine.first <= x.destination_address + (x.length - 1);
  });
}

struct remainder {
  transfers rest; ///< without the bytes that are passed on
  std::uint64_t bytes = 0;
  std::size_t ranks = 0;     ///< that pass on
  transfer first;            ///< one that is, in part at least
  std::uint64_t address = 0; ///< of the first such byte
};

/// The parts of a transfer that lie outside of the ranges; the number of bytes inside.
std::uint64_t cut(const transfer& t, ranges out, std::vector<transfer>& rest, std::uint64_t& first) {
  std::uint64_t at = t.destination_address, inside = 0;
  const std::uint64_t end = at + t.length;
  const auto keep_until = [&](std::uint64_t next) {
    if (next > at)
      rest.push_back(
          {at, t.source_address + (at - t.destination_address), next - at, t.source, t.destination});
  };
  auto range = std::upper_bound(out.begin(), out.end(), at,
                                [](std::uint64_t a, const segment& s) { return a < s.address + s.length; });
  for (; range != out.end() && range->address < end; ++range) {
    keep_until(std::max(at, range->address));
    const std::uint64_t from = std::max(at, range->address),
                        to = std::min(end, range->address + range->length);
    if (inside == 0)
      first = from;
    inside += to - from;
    at = to;
  }
  keep_until(end);
  return inside;
}

remainder without_passed_on(const graph& g, const transfers& t) {
  const passed_on out(g);
  remainder made;
  rank_id last = no_rank;
  for (const transfer& each : t.list) {
    std::uint64_t first = 0;
    const bool counts = each.source != no_rank && each.source != each.destination;
    const std::uint64_t inside =
        counts ? cut(each, out.of(each.destination), made.rest.list, first) : std::uint64_t{0};
    if (!counts)
      made.rest.list.push_back(each);
    if (inside == 0)
      continue;
    if (made.bytes == 0) {
      made.first = each;
      made.address = first;
    }
    made.bytes += inside;
    made.ranks += each.destination != last ? 1 : 0; // the list is sorted by destination
    last = each.destination;
  }
  return made;
}

/// "gather among 8 ranks".
std::string words(const graph& g, const findings& f) {
  std::string text;
  std::size_t shown = 0;
  for (const finding& x : f.found) {
    if (shown++ == 3)
      return text + " and more";
    text += fmt::format("{}{} among {} ranks", text.empty() ? "" : ", ", name(x.kind),
                        g.communicators()[index(x.comm)].members.size());
  }
  return text;
}

} // namespace

void hint_at_scratch(const graph& g, const matching& m, const run_order& o, const transfers& t,
                     const findings& found, const detect_options& options, diagnostics& problems) {
  if (!t.complete || !g.live_out_bytes().empty())
    return;
  const bool left = messages_left(found, t);
  if (!left && !has_vector_forms(found))
    return;
  if (!may_pass_on(g, t))
    return;
  const remainder without = without_passed_on(g, t);
  if (without.bytes == 0)
    return;
  detect_options named = options;
  named.subgroups = false;
  const findings then = detect(g, m, o, without.rest, named);
  const bool better = left || !has_vector_forms(then);
  const bool moves = std::any_of(then.found.begin(), then.found.end(),
                                 [](const finding& f) { return f.kind != pattern::barrier; });
  if (!moves || messages_left(then, without.rest) || !better)
    return;
  problems.push_back(
      {number(reason::undeclared_scratch), severity::remark, without.first.destination, no_op,
       fmt::format(
           "{} B on {} ranks, the first at {:#x} of rank {}, are received, passed on and kept; without them "
           "the messages were: {}",
           without.bytes, without.ranks, without.address, index(without.first.destination), words(g, then)),
       "if nobody reads them afterwards, declare them as scratch (tacit_graph_scratch)"});
}

} // namespace tacit::graphs
