// The replacement G′ at transfer level (SEMANTICS 4).
//
// The transfers are one simultaneous assignment: every source byte is read before it is overwritten (E3). So
// each rank first copies those of its source bytes that the plan overwrites to private scratch memory, in one
// step; after that no step writes what another reads, and everything else runs concurrently: one collective
// per finding, one message per remaining pair of ranks, one local copy per rank, and the zero-byte messages
// and barriers that the policy keeps. Because every byte arrives straight from its origin, a rank waits for
// exactly the ranks its data comes from, which is what makes E4 a matter of set differences
// (synchronization.h).
//
// A finding becomes blocks like this. Between one source and one destination the order of bytes inside a
// block is free, as long as both use the same: pieces are sorted by source address. Broadcast and allgather
// need one order for all destinations: pieces are cut at the break points of all of them, so that all have
// the same list of source pieces; a destination that lacks some (sparse vector collectives) receives them into
// scratch, never into user memory (E2). Findings list their slices by destination and source, so nearly always nothing has
// to be sorted: cost O(transfers), else O(transfers log transfers).
#include "graphs/plan/plan.h"

#include "graphs/graph/segments.h"
#include "graphs/plan/blocks_to_be.h"
#include "graphs/plan/may_replace.h"
#include "graphs/plan/shape.h"
#include "graphs/plan/staging.h"
#include "graphs/plan/synchronization.h"
#include "graphs/plan/transfer_pieces.h"
#include "graphs/plan/waiting.h"
#include "graphs/plan/written_steps.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Of the blocks of one call: what all members need to know to choose the same one.
struct block_sizes {
  std::uint64_t largest = 0, smallest = ~std::uint64_t{0}, blocks = 0, sum = 0;
  std::uint64_t total = 0; ///< the most that a member sends or receives
  void add(std::uint64_t length) {
    largest = std::max(largest, length);
    smallest = std::min(smallest, length);
    sum += length;
    ++blocks;
  }
};

/// Without steps.
std::vector<rank_plan> plans_of(std::uint32_t ranks) {
  std::vector<rank_plan> list;
  reserve_huge(list, ranks);
  list.resize(ranks);
  return list;
}

class planner {
public:
  planner(const graph& g, const transfers& t, const findings& f)
      : g_(g), t_(t), plan_{plans_of(g.ranks()), false, reason::none, {}, {}, {}},
        staged_(g, t, f, plan_.ranks) {}

  void add_residual(const slice_list& residual);
  void add_collective(const finding& f);
  void add_reduction(const finding& f);
  void add_given(const finding& f, std::size_t member, step& call) const;
  void add_barrier(comm_id comm);
  void add_order(const wait_pair& order);
  plan finish();

private:
  rank_plan& at(rank_id r) { return plan_.ranks[index(r)]; }
  /// A step that is to be filled in; the next one of its rank may move it.
  step& add(rank_id r, step_kind kind);
  /// The call of rank r that is being made.
  step& call(rank_id r) { return at(r).steps.back(); }
  bool add_whole_blocks(const finding& f);
  bool add_pairs_in_order(const finding& f);
  std::size_t add_pair(const transfer_piece& p);
  bool add_many_runs(const finding& f, block_sizes& sizes);
  void write_down(const finding& f, block_sizes& sizes);
  void forget_blocks(const finding& f);
  void add_shared_blocks(const finding& f, std::vector<transfer_piece>& pieces);
  void add_pair_blocks(std::vector<transfer_piece>& pieces);
  void make_room(std::span<transfer_piece> pieces);
  const std::vector<rank_id>& members(comm_id c) const { return g_.communicators()[index(c)].members; }
  std::vector<std::uint32_t> positions(comm_id c) const;
  void add_calls(const finding& f);
  void settle_sizes(const finding& f);
  void settle_sizes(const finding& f, const block_sizes& sizes);
  void settle_sizes(const finding& f, const block_sizes& sizes, step& s) const;

  const graph& g_;
  const transfers& t_;
  plan plan_;
  std::int32_t collectives_ = 0;
  staging staged_;
  std::vector<blocks_of_rank>
      blocks_; ///< by rank, of the call that is being made: there may be thousands of calls of few ranks
};

step& planner::add(rank_id r, step_kind kind) {
  auto& steps = at(r).steps;
  const bool waits = staged_.at(r) && !steps.empty();
  step& s = steps.emplace_back();
  s.kind = kind;
  if (waits)
    s.after.push_back(0);
  return s;
}

/// For a step at either end of each pair; where there are few, lists may grow. Only lists of several pages are moved to huge ones: malloc
/// has written to the page in which each begins, and such pages are copied, which took a large part of compiling random messages.
void planner::make_room(std::span<transfer_piece> pieces) {
  constexpr std::size_t several_pages = 16 << 10;
  if (pieces.size() < g_.ranks() / 16)
    return;
  std::vector<std::uint32_t> more(g_.ranks(), 0);
  each_pair(pieces, [&](std::span<const transfer_piece> pair) {
    ++more[index(pair.front().source)];
    if (pair.front().source != pair.front().destination)
      ++more[index(pair.front().destination)];
  });
  vocabulary::arrays_side_by_side all;
  for (std::uint32_t r = 0; r < g_.ranks(); ++r)
    if (auto& steps = at(rank_id{r}).steps; more[r] > 1) {
      steps.reserve(steps.size() + more[r]);
      if (more[r] * sizeof(step) >= several_pages)
        all.add(steps, steps.size() + more[r]);
    }
  all.move_to_huge_pages();
}

void planner::add_residual(const slice_list& residual) {
  std::vector<transfer_piece> pieces;
  pieces.reserve(residual.size());
  for (const slice& s : residual)
    pieces.push_back(piece_of(t_, s));
  sort_by_source(pieces, g_.ranks());
  sort_if_needed(pieces, [](const transfer_piece& a, const transfer_piece& b) {
    return std::tie(a.source, a.destination, a.destination_address) <
           std::tie(b.source, b.destination, b.destination_address);
  });
  make_room(pieces);
  const transfer_piece* const end = pieces.data() + pieces.size();
  each_pair(pieces, [&](std::span<const transfer_piece> pair) {
    constexpr std::ptrdiff_t lists = 24, ends = 12; // receivers may lie anywhere
    if (end - pair.data() > lists) {
      __builtin_prefetch(&at(pair.data()[lists].destination));
      // As numbers: behind the last step there may be none yet.
      const auto next = reinterpret_cast<std::uintptr_t>(at(pair.data()[ends].destination).steps.end());
      for (std::uintptr_t line = next; line < next + sizeof(step); line += 64)
        __builtin_prefetch(reinterpret_cast<const void*>(line), 1);
    }
    const rank_id source = pair.front().source, destination = pair.front().destination;
    bytes reads, writes;
    reads.reserve(pair.size());
    writes.reserve(pair.size());
    for (const transfer_piece& p : pair) {
      append(reads, {p.source_address, p.length});
      append(writes, {p.destination_address, p.length});
    }
    if (source == destination) {
      step& copy = add(source, step_kind::copy);
      copy.reads = staged_.from(source, std::move(reads));
      copy.writes = std::move(writes);
      return;
    }
    step& send = add(source, step_kind::send);
    send.peer = destination;
    send.reads = staged_.from(source, std::move(reads));
    step& recv = add(destination, step_kind::recv);
    recv.peer = source;
    recv.writes = std::move(writes);
  });
}

std::vector<std::uint32_t> planner::positions(comm_id c) const {
  std::vector<std::uint32_t> position(g_.ranks(), ~0u);
  const auto& group = members(c);
  for (std::uint32_t i = 0; i < group.size(); ++i)
    position[index(group[i])] = i;
  return position;
}

/// Visits the slices of a finding as pieces: visit(piece). False as soon as visit says so.
template <typename Visit>
bool each_slice(const transfers& t, const finding& f, Visit&& visit) {
  return std::ranges::all_of(f.slices, [&](const slice& s) { return visit(piece_of(t, s)); });
}

/// Likewise the slices of pairs of different ranks that are one piece each. False, too, if they are not in order.
template <typename Visit>
bool each_pair_in_order(const transfers& t, const finding& f, Visit&& visit) {
  std::pair<rank_id, rank_id> last{no_rank, no_rank};
  return each_slice(t, f, [&](const transfer_piece& p) {
    const std::pair pair(p.destination, p.source);
    if (p.source == p.destination || (last.first != no_rank && pair <= last))
      return false;
    last = pair;
    return visit(p);
  });
}

/// What reaches all other members in one piece, as nearly all blocks do: there is nothing to cut, and nothing is missing. Each call is
/// written down once, from the slices themselves. False, with nothing done, where it is otherwise.
bool planner::add_whole_blocks(const finding& f) {
  const std::size_t n = members(f.comm).size();
  const bool rooted = is_rooted(f.kind);
  std::vector<segment> given(rooted ? 1 : g_.ranks()); // by source; length 0: it is none
  const auto given_by = [&](rank_id r) -> segment& { return given[rooted ? 0 : index(r)]; };
  std::size_t sources = 0;
  block_sizes sizes;
  const bool whole = each_pair_in_order(t_, f, [&](const transfer_piece& p) {
    if (rooted && p.source != f.root)
      return false;
    segment& block = given_by(p.source);
    if (block.length == 0) {
      block = {p.source_address, p.length};
      ++sources;
      sizes.add(p.length);
    }
    return block == segment{p.source_address, p.length};
  });
  if (!whole || f.slices.size() != sources * (n - 1))
    return false;
  std::vector<rank_id> group = members(f.comm);
  if (!std::is_sorted(group.begin(), group.end())) // as the slices are
    std::sort(group.begin(), group.end());
  sizes.total = rooted ? sizes.largest : sizes.sum;
  auto next = f.slices.begin();
  for (const rank_id r : group) {
    step& s = add(r, step_kind::collective);
    s.comm = f.comm;
    s.peer = rooted ? f.root : no_rank;
    s.tag = collectives_;
    settle_sizes(f, sizes, s); // now: later it would have to be fetched again
    const bool gives = (!rooted || r == f.root) && given_by(r).length > 0;
    if (gives)
      s.sends.push_back(no_rank, staged_.from(r, {given_by(r)}));
    for (; next != f.slices.end() && t_.list[(*next).transfer].destination == r; ++next) {
      const transfer_piece p = piece_of(t_, *next);
      s.receives.push_back(p.source, segment{p.destination_address, p.length});
    }
  }
  return true;
}

/// Broadcast and allgather: what one source sends, all other members receive in the same order.
void planner::add_shared_blocks(const finding& f, std::vector<transfer_piece>& pieces) {
  sort_if_needed(pieces, [](const transfer_piece& a, const transfer_piece& b) {
    return std::tie(a.destination, a.source) < std::tie(b.destination, b.source);
  });
  const std::vector<std::uint32_t> position = positions(f.comm);
  const auto& group = members(f.comm);
  sort_by_source(pieces, g_.ranks());
  for (std::size_t first = 0; first < pieces.size();) {
    const rank_id source = pieces[first].source;
    std::size_t end = first;
    while (end < pieces.size() && pieces[end].source == source)
      ++end;
    std::vector<transfer_piece> own(pieces.begin() + static_cast<std::ptrdiff_t>(first),
                                    pieces.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
    cut_alike(own);

    bytes sent;
    std::vector<bytes> received(group.size());
    for (std::size_t i = 0; i < own.size();) { // all pieces with the same source bytes
      std::size_t same = i;
      std::uint32_t copies = 1; // the same bytes may go to several places of one destination
      for (std::uint32_t run = 0; same < own.size() && own[same].source_address == own[i].source_address;
           ++same) {
        run = same > i && own[same].destination == own[same - 1].destination ? run + 1 : 1;
        copies = std::max(copies, run);
      }
      std::vector<std::uint32_t> have(group.size(), 0);
      for (; i < same; ++i) {
        const std::uint32_t to = position[index(own[i].destination)];
        append(received[to], {own[i].destination_address, own[i].length});
        ++have[to];
      }
      const segment block{own[same - 1].source_address, own[same - 1].length};
      for (std::uint32_t c = 0; c < copies; ++c)
        append(sent, block);
      for (std::uint32_t to = 0; to < group.size(); ++to)
        for (; group[to] != source && have[to] < copies; ++have[to]) {
          append(received[to], {scratch_base + at(group[to]).scratch_bytes, block.length});
          at(group[to]).scratch_bytes += block.length;
        }
    }
    call(source).sends.push_back(no_rank, staged_.from(source, sent));
    for (std::uint32_t to = 0; to < group.size(); ++to)
      if (group[to] != source)
        call(group[to]).receives.push_back(source, std::move(received[to]));
  }
}

/// Alltoall, scatter and gather: every pair has its own block.
void planner::add_pair_blocks(std::vector<transfer_piece>& pieces) {
  sort_if_needed(pieces, [](const transfer_piece& a, const transfer_piece& b) {
    return std::tie(a.destination, a.source) < std::tie(b.destination, b.source);
  });
  each_pair(pieces, [&](std::span<transfer_piece> pair) {
    const rank_id source = pair.front().source, destination = pair.front().destination;
    sort_if_needed(pair, [](const transfer_piece& a, const transfer_piece& b) {
      return std::tie(a.source_address, a.destination_address) <
             std::tie(b.source_address, b.destination_address);
    });
    bytes reads, writes;
    for (const transfer_piece& p : pair) {
      append(reads, {p.source_address, p.length});
      append(writes, {p.destination_address, p.length});
    }
    call(source).sends.push_back(destination, staged_.from(source, std::move(reads)));
    call(destination).receives.push_back(source, std::move(writes));
  });
}

/// How many blocks a uniform call of n ranks moves.
std::uint64_t uniform_blocks(pattern kind, std::uint64_t n) {
  switch (row_of(kind).moves) {
  case signature::root_to_all:
    return 1;
  case signature::each_to_all:
    return n;
  case signature::each_to_each:
    return n * (n - 1);
  case signature::root_to_each:
  case signature::each_to_root:
    return n - 1;
  case signature::no_data:
  case signature::all_into_root:
  case signature::all_into_all:
  case signature::all_into_each:
  case signature::up_to_each:
  case signature::before_each:
    break;
  }
  return 0;
}

void planner::settle_sizes(const finding& f) {
  block_sizes sizes;
  for (const rank_id r : members(f.comm)) {
    std::uint64_t sent = 0, got = 0;
    for (const block b : call(r).sends) {
      const std::uint64_t length = total_length(b.bytes);
      sizes.add(length);
      sent += length;
    }
    for (const block b : call(r).receives)
      got += total_length(b.bytes);
    const bool keeps_own = row_of(f.kind).moves == signature::each_to_all;
    sizes.total = std::max(sizes.total, keeps_own ? sent + got : std::max(sent, got));
  }
  settle_sizes(f, sizes);
}

/// A "uniform" finding whose blocks turn out to differ (or to be missing) is called by its vector collective.
void planner::settle_sizes(const finding& f, const block_sizes& sizes, step& s) const {
  const bool uniform =
      sizes.largest == sizes.smallest && sizes.blocks == uniform_blocks(f.kind, members(f.comm).size());
  s.collective = uniform ? f.kind : row_of(f.kind).vector;
  s.largest_block = sizes.largest;
  s.largest_total = sizes.total;
}

void planner::settle_sizes(const finding& f, const block_sizes& sizes) {
  for (const rank_id r : members(f.comm))
    settle_sizes(f, sizes, call(r));
}

/// A block for each pair of ranks, from the slices themselves, if they are in order and make one piece a pair, as nearly always. False,
/// with nothing done, where it is otherwise.
bool planner::add_pairs_in_order(const finding& f) {
  blocks_.resize(g_.ranks());
  block_sizes sizes;
  // Mostly blocks lie side by side and make a few runs a rank. Where each is a run of its own, room is made for them first.
  const std::size_t few = 8 * members(f.comm).size();
  std::size_t runs = 0;
  bool in_order = each_pair_in_order(t_, f, [&](const transfer_piece& p) {
    sizes.add(p.length);
    runs += add_pair(p);
    return runs <= few;
  });
  if (runs > few) {
    forget_blocks(f);
    sizes = {};
    in_order = add_many_runs(f, sizes);
  }
  if (in_order)
    write_down(f, sizes);
  forget_blocks(f);
  return in_order;
}

/// The calls of the members, with their blocks.
void planner::write_down(const finding& f, block_sizes& sizes) {
  add_calls(f);
  for (const rank_id r : members(f.comm)) {
    blocks_of_rank& own = blocks_[index(r)];
    sizes.total = std::max({sizes.total, own.sent.total(), own.got.total()});
    call(r).sends = own.sent.take();
    call(r).receives = own.got.take();
  }
  settle_sizes(f, sizes);
}

void planner::forget_blocks(const finding& f) {
  for (const rank_id r : members(f.comm))
    blocks_[index(r)] = {};
}

/// How many runs the block begins, at both ends.
std::size_t planner::add_pair(const transfer_piece& p) {
  blocks_to_be &sent = blocks_[index(p.source)].sent, &got = blocks_[index(p.destination)].got;
  const segment read{p.source_address, p.length}, written{p.destination_address, p.length};
  const bool sends_anew = staged_.at(p.source) ? sent.add(p.destination, staged_.from(p.source, {read}))
                                               : sent.add(p.destination, read);
  return std::size_t{sends_anew} + got.add(p.source, written);
}

/// Into lists that are side by side, as long as they are going to be: those of sources are filled in turns. False if the slices are not in
/// order.
bool planner::add_many_runs(const finding& f, block_sizes& sizes) {
  std::vector<runs_to_be> sent(g_.ranks()), got(g_.ranks());
  const bool in_order = each_pair_in_order(t_, f, [&](const transfer_piece& p) {
    sent[index(p.source)].add(p.destination, {p.source_address, p.length});
    got[index(p.destination)].add(p.source, {p.destination_address, p.length});
    return true;
  });
  if (!in_order)
    return false;
  give_room(blocks_, &blocks_of_rank::sent, sent);
  give_room(blocks_, &blocks_of_rank::got, got);
  constexpr std::size_t ahead = 12; // the block after the last one of each source lies elsewhere
  auto soon = f.slices.begin();
  for (std::size_t i = 0; i < ahead && soon != f.slices.end(); ++i)
    ++soon;
  for (const slice s : f.slices) {
    if (soon != f.slices.end()) {
      __builtin_prefetch(blocks_[index(t_.list[(*soon).transfer].source)].sent.runs_end(), 1);
      ++soon;
    }
    sizes.add(s.length);
    add_pair(piece_of(t_, s));
  }
  return true;
}

/// The step of each member.
void planner::add_calls(const finding& f) {
  for (const rank_id r : members(f.comm)) {
    step& s = add(r, step_kind::collective);
    s.comm = f.comm;
    s.peer = is_rooted(f.kind) ? f.root : no_rank;
    s.tag = collectives_;
  }
}

void planner::add_collective(const finding& f) {
  if (!f.slices.empty() && (is_shared(f.kind) ? add_whole_blocks(f) : add_pairs_in_order(f))) {
    ++collectives_;
    return;
  }
  std::vector<transfer_piece> pieces;
  pieces.reserve(f.slices.size());
  prefer_huge_pages(pieces.data(), f.slices.size() * sizeof(transfer_piece));
  slice_list local;
  for (const slice s : f.slices) {
    const transfer& x = t_.list[s.transfer];
    if (x.source == x.destination)
      local.push_back(s);
    else
      pieces.push_back(piece_of(t_, s));
  }
  if (!local.empty())
    add_residual(local);
  if (pieces.empty())
    return;
  add_calls(f);
  if (is_shared(f.kind))
    add_shared_blocks(f, pieces);
  else
    add_pair_blocks(pieces);
  settle_sizes(f);
  ++collectives_;
}

/// What a member gives to one of the others by a reduce-scatter, itself included, or to all together.
void planner::add_given(const finding& f, std::size_t member, step& call) const {
  const rank_id r = members(f.comm)[member];
  const std::vector<rank_id> all{no_rank};
  const bool each = row_of(f.kind).moves == signature::all_into_each;
  for (const rank_id to : each ? members(f.comm) : all) {
    bytes given;
    for (const combined_piece& p : f.combined)
      if (p.owner == to && member < p.operands.size())
        append(given, {p.operands[member], p.length});
    if (!given.empty())
      call.sends.push_back(to, staged_.from(r, given));
  }
}

void planner::add_reduction(const finding& f) {
  const auto& group = members(f.comm);
  if (!f.order.empty())
    plan_.orders.push_back(f.order);
  const auto order = f.order.empty() ? 0 : static_cast<std::uint32_t>(plan_.orders.size());
  std::uint64_t length = 0; // of all that a member gives
  for (const combined_piece& p : f.combined)
    length += p.length;
  for (std::size_t i = 0; i < group.size(); ++i) {
    step& call = add(group[i], step_kind::collective);
    call.collective = f.kind;
    call.comm = f.comm;
    call.peer = f.root;
    call.by = f.by;
    call.order = order;
    call.tag = collectives_;
    call.largest_block = f.bytes;
    call.largest_total = length;
    add_given(f, i, call);
    bytes results;
    for (const combined_piece& p : f.combined)
      for (std::size_t k = 0; k < p.results.size(); ++k)
        if (owner_of(f, p, k, group) == group[i])
          append(results, {p.results[k], p.length});
    if (!results.empty())
      call.receives.push_back(no_rank, std::move(results));
  }
  ++collectives_;
}

void planner::add_barrier(comm_id comm) {
  for (const rank_id r : members(comm)) {
    step& call = add(r, step_kind::collective);
    call.collective = pattern::barrier;
    call.comm = comm;
    call.tag = collectives_;
  }
  ++collectives_;
}

void planner::add_order(const wait_pair& order) {
  constexpr std::int32_t tag = 1; // tag 0 is the pair's data
  step& send = add(order.other, step_kind::send);
  send.peer = order.waiter;
  send.tag = tag;
  step& recv = add(order.waiter, step_kind::recv);
  recv.peer = order.other;
  recv.tag = tag;
}

plan planner::finish() {
  return std::move(plan_);
}

struct usable_findings {
  findings used;
  std::vector<refusal> not_used; ///< the others, whose bytes are residual
};

/// Policy `as_written`: any member of a collective may wait for any other one, so a collective is used only
/// where the graph makes all members wait for each other; the bytes of others are sent as messages.
usable_findings findings_within_waits(const graph& g, const matching& m, const run_order& o,
                                      const findings& f) {
  usable_findings out;
  out.used.residual = f.residual;
  for (const finding& found : f.found) {
    rank_id waiter = no_rank, other = no_rank;
    if (wait_sets_complete(g, m, o, g.communicators()[index(found.comm)].members, sync_paths::all, &waiter,
                           &other)) {
      out.used.found.push_back(found);
      continue;
    }
    std::ranges::copy(found.slices, std::back_inserter(out.used.residual));
    out.not_used.push_back(
        {found.kind, found.comm, reason::progress,
         fmt::format("rank {} might wait for rank {}, for which it does not wait in the graph", index(waiter),
                     index(other))});
  }
  return out;
}

} // namespace

plan make_plan(const graph& g, const matching& m, const run_order& o, const transfers& t, const findings& f,
               const plan_options& options) {
  auto [why, detail] = may_replace(g, t);
  added_synchronization orders;
  if (why == reason::none) {
    orders = missing_synchronization(g, m, o, t, options.policy);
    if (!orders.impossible.empty()) {
      why = reason::synchronization;
      detail = orders.impossible;
    }
  }
  const bool limited = options.progress == region_progress::as_written;
  // A message without bytes may say that a computation has run; what takes its place here would not wait for that.
  const bool all_stays = g.has_computations() && (limited || keeps_orders(g, options.policy));
  if (why == reason::none && !t.kept_operations.empty() && ((t.list.empty() && f.found.empty()) || all_stays))
    std::tie(why, detail) = why_all_is_kept(g, t);
  if (why != reason::none)
    return plan_as_written(g, m, o, why, std::move(detail));

  usable_findings usable; // in place of `f`, if not all of it may be used
  if (limited)
    usable = findings_within_waits(g, m, o, f);
  const findings& used = limited ? usable.used : f;
  planner p(g, t, used);
  for (const finding& found : used.found)
    is_reduction(found.kind) ? p.add_reduction(found) : p.add_collective(found);
  p.add_residual(used.residual);
  for (const comm_id comm : orders.barriers)
    p.add_barrier(comm);
  for (const wait_pair& order : orders.messages)
    p.add_order(order);
  plan made = p.finish();
  if (!t.kept_operations.empty()) {
    add_kept_operations(g, m, t, made);
    if (std::string stuck = check_progress(g, made); !stuck.empty()) // as in a graph that relies on buffering
      return plan_as_written(g, m, o,
                             g.has_computations() ? reason::opaque_reaches_output : reason::reduction_kept,
                             std::move(stuck));
  }
  if (limited)
    if (std::string grown = grown_waits(g, m, o, made); !grown.empty())
      return plan_as_written(g, m, o, reason::progress, std::move(grown));
  made.not_used = std::move(usable.not_used);
  return made;
}

} // namespace tacit::graphs
