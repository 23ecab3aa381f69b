#include "graphs/graph/affine_run.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tacit::graphs {
namespace {

std::int64_t signed_number(rank_id r) {
  return static_cast<std::int64_t>(index(r));
}

bool walks(const affine_run& run) {
  return run.peer_step == 1 || run.peer_step == -1;
}

/// How many steps the k-th message is from the first one.
std::uint32_t steps_to(const affine_run& run, std::uint32_t k, rank_id self, std::uint32_t ranks) {
  return run.skips_self && k >= distance_to_self(run, self, ranks) ? k + 1 : k;
}

rank_id peer_of(const affine_run& run, std::uint32_t k, rank_id self, std::uint32_t ranks) {
  if (!walks(run))
    return rank_id{static_cast<std::uint32_t>(signed_number(run.peer) + std::int64_t{run.peer_step} * k)};
  const std::uint64_t steps = steps_to(run, k, self, ranks), from = index(run.peer);
  return rank_id{
      static_cast<std::uint32_t>((run.peer_step == 1 ? from + steps : from + ranks - steps) % ranks)};
}

std::uint64_t address_by_peer(const affine_run& run, rank_id peer) {
  return run.data.address +
         run.per_peer * static_cast<std::uint64_t>(signed_number(peer) - signed_number(run.peer));
}

std::uint64_t address_of(const affine_run& run, std::uint32_t k, rank_id peer) {
  return run.by == advance_by::peer ? address_by_peer(run, peer) : run.data.address + run.stride * k;
}

bool is_like(const affine_run& run, const plain_message& m) {
  return run.kind == m.kind && run.comm == m.comm && run.tag == m.tag && run.data.length == m.data.length;
}

/// With the step from its only message to another one.
affine_run with_step(affine_run run, const plain_message& m, rank_id self, std::uint32_t ranks) {
  const std::int64_t from = signed_number(run.peer), to = signed_number(m.peer), n = ranks;
  const auto goes = [&](std::int64_t steps) { return (from + steps + n) % n == to; };
  const auto passes_self = [&](std::int64_t step) {
    return n > 2 && (from + step + n) % n == signed_number(self) && (from + 2 * step + 2 * n) % n == to &&
           to != from;
  };
  run.peer_step = static_cast<std::int32_t>(to - from);
  for (const std::int32_t step : {1, -1})
    if (to == from + step || (n > 2 && goes(step))) {
      run.peer_step = step;
      return run;
    }
  for (const std::int32_t step : {1, -1})
    if (passes_self(step)) {
      run.peer_step = step;
      run.skips_self = true;
      return run;
    }
  return run;
}

/// The run with its only message and another one like it.
affine_run begun(const affine_run& run, const plain_message& m, rank_id self, std::uint32_t ranks) {
  affine_run out = with_step(run, m, self, ranks);
  out.count = 2;
  const auto by = static_cast<std::int64_t>(m.data.address - run.data.address);
  const std::int64_t peers = signed_number(m.peer) - signed_number(run.peer);
  out.stride = static_cast<std::uint64_t>(by);
  out.by = advance_by::iteration;
  if (peers != 0 && by != std::numeric_limits<std::int64_t>::min() && by % peers == 0) {
    out.per_peer = static_cast<std::uint64_t>(by / peers);
    out.by = advance_by::either;
  }
  return out;
}

/// False if the address fits neither way of advancing that is left.
bool narrow(affine_run& run, const plain_message& m, std::uint32_t k) {
  const bool by_iteration = run.by != advance_by::peer && run.data.address + run.stride * k == m.data.address;
  const bool by_peer = run.by != advance_by::iteration && address_by_peer(run, m.peer) == m.data.address;
  if (!by_iteration && !by_peer)
    return false;
  run.by = by_iteration && by_peer ? advance_by::either : by_peer ? advance_by::peer : advance_by::iteration;
  return true;
}

} // namespace

std::uint32_t distance_to_self(const affine_run& run, rank_id self, std::uint32_t ranks) {
  const std::uint64_t from = index(run.peer), to = index(self);
  return static_cast<std::uint32_t>((run.peer_step == 1 ? to + ranks - from : from + ranks - to) % ranks);
}

plain_message message_of(const affine_run& run, std::uint32_t k, rank_id self, std::uint32_t ranks) {
  const rank_id peer = peer_of(run, k, self, ranks);
  return {run.kind, run.comm, run.tag, peer, {address_of(run, k, peer), run.data.length}};
}

bool extend(affine_run& run, const plain_message& next, rank_id self, std::uint32_t ranks) {
  if (!is_like(run, next))
    return false;
  if (run.count == 1) {
    run = begun(run, next, self, ranks);
    return true;
  }
  affine_run longer = run;
  const std::uint32_t k = longer.count++;
  if (walks(longer) && !longer.skips_self && peer_of(longer, k, self, ranks) == self && next.peer != self)
    longer.skips_self = distance_to_self(longer, self, ranks) == k;
  if (walks(longer) && steps_to(longer, k, self, ranks) >= ranks) // it has been everywhere
    return false;
  if (longer.count == 0 || peer_of(longer, k, self, ranks) != next.peer || !narrow(longer, next, k))
    return false;
  run = longer;
  return true;
}

affine_list::affine_list(rank_id self, std::uint32_t ranks, std::vector<affine_run> runs,
                         std::vector<loop> loops)
    : self_(self), ranks_(ranks), runs_(std::move(runs)), loops_(std::move(loops)) {
  std::size_t used = 0, told = 0;
  for (const loop& l : loops_) {
    if (l.operations == 0 || l.first_run != used || l.body > runs_.size() - used)
      throw std::invalid_argument("a list of runs that is none");
    used += l.body;
    size_ += l.operations;
    told += l.body > 0 ? l.operations : 0;
    has_others_ = has_others_ || l.body == 0;
  }
  std::size_t messages = 0;
  for (const affine_run& r : runs_)
    messages += r.count;
  if (used != runs_.size() || messages != told)
    throw std::invalid_argument("a list of runs that is none");
}

bool affine_list::continues_last(const plain_message& m) {
  if (loops_.empty() || loops_.back().body == 0 || !extend(next_run(loops_.back()), m, self_, ranks_))
    return false;
  ++loops_.back().operations;
  return true;
}

/// Two messages that follow each other, the first of which comes again: a loop that sends and receives.
bool affine_list::becomes_loop_of_two(const plain_message& m) {
  if (loops_.size() < 2)
    return false;
  loop& first = loops_[loops_.size() - 2];
  const loop& second = loops_.back();
  const auto is_one = [](const loop& l) { return l.body == 1 && l.operations == 1; };
  if (!is_one(first) || !is_one(second) || !extend(runs_[first.first_run], m, self_, ranks_))
    return false;
  first.body = 2;
  first.operations = 3;
  loops_.pop_back();
  return true;
}

void affine_list::add(const plain_message& m) {
  if (!continues_last(m) && !becomes_loop_of_two(m)) {
    const auto number = static_cast<std::uint32_t>(runs_.size());
    runs_.push_back({.kind = m.kind, .comm = m.comm, .tag = m.tag, .peer = m.peer, .data = m.data});
    try {
      loops_.push_back({number, 1, 1});
    } catch (...) {
      runs_.pop_back();
      throw;
    }
  }
  ++size_;
}

void affine_list::add_other() {
  if (!loops_.empty() && loops_.back().body == 0)
    ++loops_.back().operations;
  else
    loops_.push_back({static_cast<std::uint32_t>(runs_.size()), 0, 1});
  has_others_ = true;
  ++size_;
}

void affine_list::move_on(cursor& at) const {
  if (++at.operation == loops_[at.loop].operations)
    at = {at.loop + 1, 0};
}

std::optional<plain_message> affine_list::at(const cursor& at) const {
  const loop& l = loops_[at.loop];
  if (l.body == 0)
    return std::nullopt;
  return message_of(runs_[l.first_run + at.operation % l.body], at.operation / l.body, self_, ranks_);
}

std::optional<affine_graph> affine_form(const graph& g) {
  if (!g.dependencies().empty() || !g.made_pairs().empty() || g.communicators().size() > 1 ||
      !g.scratch_bytes().empty() || !g.live_out_bytes().empty())
    return std::nullopt;
  affine_graph out;
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    out.ranks.emplace_back(rank_id{r}, g.ranks());
  for (const operation& op : g.operations()) {
    const bool message = op.kind == op_kind::send || op.kind == op_kind::recv;
    if (!message || op.pooled || index(op.rank) >= g.ranks() || index(op.peer) >= g.ranks())
      return std::nullopt;
    const segment data = op.data.length == 0 ? segment{} : op.data;
    out.ranks[index(op.rank)].add({op.kind, op.comm, op.tag, op.peer, data});
  }
  return out;
}

graph expanded(const affine_graph& g) {
  graph out(static_cast<std::uint32_t>(g.ranks.size()));
  std::size_t operations = 0;
  for (const affine_list& list : g.ranks)
    operations += list.size();
  out.reserve(operations, 0);
  for (const affine_list& list : g.ranks)
    for (auto at = list.begin(); at != list.end(); list.move_on(at)) {
      const plain_message m = list.at(at).value();
      const std::span<const segment> data(&m.data, m.data.length > 0 ? 1 : 0);
      if (m.kind == op_kind::send)
        out.send(list.self(), data, m.peer, m.tag, m.comm);
      else
        out.recv(list.self(), data, m.peer, m.tag, m.comm);
    }
  return out;
}

} // namespace tacit::graphs
