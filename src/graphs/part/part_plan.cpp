// A collective is few numbers (pattern, root, ranks, and the bytes of a block or of each block), and so is every algorithm for it. A rank
// makes the plan of all ranks with its own bytes and, for the others, bytes that stand for theirs, and keeps its own steps: who sends what to whom when
// does not depend on where it lies. Two ranks agree on the order of bytes in a block because that is the order in which they lie at
// their origin.
#include "graphs/part/part_plan.h"

#include "graphs/choice/generated_form.h"
#include "graphs/generate/generate.h"
#include "graphs/graph/segments.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Where bytes lie that stand for those of a rank.
constexpr std::uint64_t some_address = 0x1000;

transfers transfers_of(const own_part& own) {
  transfers out;
  out.list = own.gets;
  for (const taken_bytes& t : own.gives)
    for (const segment& s : t.bytes)
      out.list.push_back({s.address, s.address, s.length, own.self, t.source});
  std::sort(out.list.begin(), out.list.end(), [](const transfer& a, const transfer& b) {
    return std::tie(a.destination, a.destination_address, a.source) <
           std::tie(b.destination, b.destination_address, b.source);
  });
  return out;
}

std::uint64_t sum_of_lengths(const part_finding& what) {
  return std::accumulate(what.lengths.begin(), what.lengths.end(), std::uint64_t{0});
}

std::uint64_t largest_of_each_to_each(const part_finding& what, std::uint32_t ranks) {
  std::uint64_t largest = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::uint64_t sent = 0, got = 0;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      sent += length_of_block(what, ranks, r, other);
      got += length_of_block(what, ranks, other, r);
    }
    largest = std::max({largest, sent, got});
  }
  return largest;
}

std::uint64_t largest_total(const part_finding& what, std::uint32_t ranks) {
  switch (what.kind) {
  case pattern::bcast:
    return what.bytes;
  case pattern::allgather: // with the own block
    return ranks * what.bytes;
  case pattern::allgatherv:
  case pattern::gatherv: // of the root nothing is told
  case pattern::scatterv:
    return sum_of_lengths(what);
  case pattern::alltoallv:
    return largest_of_each_to_each(what, ranks);
  default:
    return (ranks - std::uint64_t{1}) * what.bytes;
  }
}

/// This rank's own bytes as one step of the collective, behind a copy of those that it overwrites.
std::optional<rank_plan> as_collective(const part_finding& what, const own_part& own) {
  const std::uint32_t ranks = own.part.ranks();
  const transfers t = transfers_of(own);
  finding f;
  f.kind = what.kind;
  f.root = what.root;
  f.bytes = what.bytes;
  for (std::uint32_t i = 0; i < t.list.size(); ++i)
    f.slices.push_back({0, t.list[i].length, i});
  findings all;
  all.found.push_back(std::move(f));
  plan made = make_plan(graph(ranks), {}, {}, t, all);
  if (made.as_written)
    return std::nullopt;
  rank_plan mine = std::move(made.ranks[index(own.self)]);
  const auto call = std::find_if(mine.steps.begin(), mine.steps.end(),
                                 [](const step& s) { return s.kind == step_kind::collective; });
  if (call == mine.steps.end())
    return std::nullopt;
  call->collective = what.kind; // of the others' blocks the plan knew nothing
  call->largest_block = what.bytes;
  call->largest_total = largest_total(what, ranks);
  return mine;
}

/// The step of a rank whose bytes nobody here knows.
step stand_in_step(const part_finding& what, std::uint32_t ranks, rank_id self) {
  step s;
  s.kind = step_kind::collective;
  s.collective = what.kind;
  s.peer = what.root;
  s.largest_block = what.bytes;
  s.largest_total = largest_total(what, ranks);
  std::uint64_t next = some_address;
  const auto add = [&](block_list& into, rank_id peer, std::uint32_t from, std::uint32_t to) {
    const std::uint64_t length = length_of_block(what, ranks, from, to);
    into.push_back(peer, segment{next, length});
    next += length;
  };
  const auto me = static_cast<std::uint32_t>(index(self)),
             root = static_cast<std::uint32_t>(index(what.root));
  const auto to = [&](std::uint32_t r) { add(s.sends, rank_id{r}, me, r); };
  const auto to_all = [&] { add(s.sends, no_rank, me, me); };
  const auto from = [&](std::uint32_t r) { add(s.receives, rank_id{r}, r, me); };
  const auto each_other = [&](const auto& one) {
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (r != me)
        one(r);
  };
  switch (row_of(what.kind).moves) {
  case signature::root_to_all:
    me == root ? to_all() : from(root);
    break;
  case signature::root_to_each:
    me == root ? each_other(to) : from(root);
    break;
  case signature::each_to_root:
    me == root ? each_other(from) : to(root);
    break;
  case signature::each_to_all:
    to_all();
    each_other(from);
    break;
  default:
    each_other(to);
    each_other(from);
    break;
  }
  return s;
}

/// The algorithm of a plan by its name; messages from origin to destination are the linear one.
std::optional<algorithm> form_of(std::string_view name) {
  return name == written_name || name == straight_name ? algorithm::linear : find_algorithm(name);
}

} // namespace

graph stand_in(const part_finding& what, std::uint32_t ranks) {
  graph g(ranks);
  std::vector<std::uint64_t> sent(ranks, some_address), got(ranks, some_address + (1ull << 40));
  for (std::uint32_t from = 0; from < ranks; ++from) {
    const step s = stand_in_step(what, ranks, rank_id{from});
    for (const block b : s.sends)
      for (std::uint32_t to = 0; to < ranks; ++to)
        if (to != from && (b.peer == no_rank || b.peer == rank_id{to})) {
          g.send(rank_id{from}, b.bytes.front(), rank_id{to});
          g.recv(rank_id{to}, segment{got[to], b.bytes.front().length}, rank_id{from});
          got[to] += b.bytes.front().length;
        }
  }
  return g;
}

std::optional<rank_plan> own_steps(const part_finding& what, const own_part& own, std::string_view name,
                                   const process_map& where) {
  std::optional<rank_plan> mine = as_collective(what, own);
  return mine ? steps_in_form(what, *std::move(mine), {own.self, own.part.ranks()}, name, where) : mine;
}

std::optional<rank_plan> steps_in_form(const part_finding& what, rank_plan collective, rank_among self,
                                       std::string_view name, const process_map& where) {
  if (name == "collectives")
    return collective;
  const std::optional<algorithm> form = form_of(name);
  if (!form)
    return std::nullopt;
  const graph none(self.ranks);
  plan all;
  all.ranks.resize(self.ranks);
  for (std::uint32_t r = 0; r < self.ranks; ++r)
    if (rank_id{r} != self.rank)
      all.ranks[r].steps.push_back(stand_in_step(what, self.ranks, rank_id{r}));
  all.ranks[index(self.rank)] = std::move(collective);
  constexpr auto vectors = vector_collectives::by_algorithm; // as graphs/choice has it
  if (*form != algorithm::linear && !has_form(none, all, *form, vectors, where))
    return std::nullopt;
  plan messages = with_messages(none, all, *form, vectors, where);
  return std::move(messages.ranks[index(self.rank)]);
}

graph steps_as_part(const rank_plan& steps, const own_part& own, const group_members& groups) {
  constexpr std::int32_t of_collectives = 1 << 30; // messages of plans have small tags
  graph g(own.part.ranks());
  const std::vector<rank_id> everybody = g.communicators().front().members;
  std::vector<std::vector<op_id>> made(steps.steps.size());
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const step& s = steps.steps[i];
    const std::int32_t tag = of_collectives + s.tag;
    switch (s.kind) {
    case step_kind::send:
      made[i].push_back(g.send(own.self, s.reads, s.peer, s.tag));
      break;
    case step_kind::recv:
      made[i].push_back(g.recv(own.self, s.writes, s.peer, s.tag));
      break;
    case step_kind::copy:
      made[i].push_back(g.copy(own.self, s.reads, s.writes));
      break;
    case step_kind::collective:
      for (const block b : s.sends)
        for (const rank_id r : s.comm == world ? everybody : groups.at(s.comm))
          if (r != own.self && (b.peer == no_rank || b.peer == r))
            made[i].push_back(g.send(own.self, b.bytes, r, tag));
      for (const block b : s.receives)
        made[i].push_back(g.recv(own.self, b.bytes, b.peer, tag));
      break;
    default: // is not in plans of what is analysed here; what runs no step leaves other bytes
      break;
    }
    for (const std::uint32_t before : s.after)
      for (const op_id b : made[before])
        for (const op_id a : made[i])
          g.depend(b, a);
  }
  for (const auto& [rank, bytes] : own.part.scratch_bytes())
    g.scratch(rank, bytes);
  for (const auto& [rank, bytes] : own.part.live_out_bytes())
    g.live_out(rank, bytes);
  g.scratch(own.self, {scratch_base, steps.scratch_bytes});
  return g;
}

namespace {

/// Of the program's memory.
std::vector<segment> written(const graph& g) {
  std::vector<segment> all;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    for (const segment& s : g.writes(op_id{i}))
      if (s.address < user_memory_end)
        all.push_back(s);
  return normalized(std::move(all));
}

std::vector<segment> got(const std::vector<transfer>& gets) {
  std::vector<segment> all;
  for (const transfer& t : gets)
    all.push_back({t.destination_address, t.length});
  return normalized(std::move(all));
}

} // namespace

part_refusal check_steps(const rank_plan& steps, const own_part& own, const graph& as_part,
                         const part_run& followed) {
  const bool known = std::none_of(steps.steps.begin(), steps.steps.end(), [](const step& s) {
    return s.kind == step_kind::call || s.kind == step_kind::reduce;
  });
  if (!known || !followed.done() || followed.fault() != part_refusal::none || followed.result() != own.gets)
    return part_refusal::check;
  if (first_outside(written(as_part), got(own.gets)).length > 0)
    return part_refusal::check;
  return may_race(as_part, own.self) ? part_refusal::check : part_refusal::none;
}

} // namespace tacit::graphs
