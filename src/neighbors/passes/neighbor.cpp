#include "neighbors/passes/neighbor.h"

#include "graphs/graph/segments.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tacit::neighbors {
namespace {

struct named_pass {
  std::string_view name;
  bool neighbor_passes::* on;
};

constexpr std::array<named_pass, 11> all_passes{{{"self", &neighbor_passes::self},
                                                 {"coalesce", &neighbor_passes::coalesce},
                                                 {"order", &neighbor_passes::order},
                                                 {"color", &neighbor_passes::color},
                                                 {"combine", &neighbor_passes::combine},
                                                 {"tree", &neighbor_passes::tree},
                                                 {"aggregate", &neighbor_passes::aggregate},
                                                 {"static", &neighbor_passes::regions},
                                                 {"canary", &neighbor_passes::canary},
                                                 {"place", &neighbor_passes::place},
                                                 {"empty", &neighbor_passes::empty}}};

/// Appends, joining what continues the last segment.
void append_joined(graphs::segment_list& list, const graphs::segment_list& more) {
  for (const graphs::segment& s : more)
    graphs::append(list, s);
}

/// Pieces that continue each other as one, in the memory of the list.
std::vector<graphs::segment> joined(std::vector<graphs::segment> bytes) {
  std::size_t kept = 0;
  for (const graphs::segment& s : bytes) {
    if (s.length == 0)
      continue;
    graphs::segment* const last = kept > 0 ? &bytes[kept - 1] : nullptr;
    if (last && last->address + last->length == s.address)
      last->length += s.length;
    else
      bytes[kept++] = s;
  }
  bytes.resize(kept);
  return bytes;
}

graphs::step message(graphs::step_kind kind, const edge& e, std::vector<graphs::segment> bytes) {
  graphs::step s;
  s.kind = kind;
  s.peer = e.peer;
  s.tag = static_cast<std::int32_t>(e.channel);
  (kind == graphs::step_kind::send ? s.reads : s.writes) = joined(std::move(bytes));
  return s;
}

} // namespace

neighbor_passes no_passes() {
  neighbor_passes none;
  for (const named_pass& p : all_passes)
    none.*(p.on) = false;
  return none;
}

std::string leave_out(neighbor_passes& passes, std::string_view names) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto found = std::find_if(all_passes.begin(), all_passes.end(),
                                    [&](const named_pass& p) { return p.name == name; });
    if (found == all_passes.end())
      return std::string(name);
    passes.*(found->on) = false;
  }
  return {};
}

std::uint64_t word_of(const neighbor_passes& passes) {
  std::uint64_t word = 0;
  for (const named_pass& p : all_passes)
    word = 2 * word + (passes.*(p.on) ? 1 : 0);
  return word;
}

edge_rounds rotated_rounds(const neighborhood& n, rank_id rank, std::uint32_t size) {
  const auto distance = [size](rank_id from, rank_id to) {
    return from == no_rank || to == no_rank
               ? 0
               : static_cast<std::uint32_t>((index(to) + size - index(from)) % size);
  };
  edge_rounds rounds;
  for (const edge& e : n.sources)
    rounds.in.push_back(distance(e.peer, rank));
  for (const edge& e : n.destinations)
    rounds.out.push_back(distance(rank, e.peer));
  return rounds;
}

std::string own_mismatch(const neighborhood& n, rank_id rank, const neighbor_blocks& blocks) {
  std::unordered_map<std::uint32_t, std::size_t> own; // incoming edges by channel, which is theirs alone
  for (std::size_t j = 0; j < n.sources.size(); ++j)
    if (n.sources[j].peer == rank)
      own.emplace(n.sources[j].channel, j);
  for (std::size_t i = 0; i < n.destinations.size(); ++i) {
    if (n.destinations[i].peer != rank)
      continue;
    const auto found = own.find(n.destinations[i].channel);
    if (found == own.end())
      continue;
    const std::uint64_t sent = graphs::total_length(blocks.out[i]),
                        expected = graphs::total_length(blocks.in[found->second]);
    if (sent != expected)
      return fmt::format("its outgoing edge {} leads to its own incoming edge {}, but {} B are sent and {} B "
                         "expected; counts and datatypes on both ends of an edge must describe equally many "
                         "bytes",
                         i, found->second, sent, expected);
  }
  return {};
}

graphs::rank_plan posted(const neighborhood& n, neighbor_blocks blocks) {
  graphs::rank_plan plan;
  plan.steps.reserve(n.sources.size() + n.destinations.size());
  for (std::size_t i = 0; i < n.sources.size(); ++i)
    if (n.sources[i].peer != no_rank)
      plan.steps.push_back(message(graphs::step_kind::recv, n.sources[i], std::move(blocks.in[i])));
  for (std::size_t i = 0; i < n.destinations.size(); ++i)
    if (n.destinations[i].peer != no_rank)
      plan.steps.push_back(message(graphs::step_kind::send, n.destinations[i], std::move(blocks.out[i])));
  return plan;
}

graphs::rank_plan without_own_messages(graphs::rank_plan plan, rank_id rank) {
  std::map<std::int32_t, graphs::step> copies; // by channel
  for (graphs::step& s : plan.steps) {
    if (!graphs::is_message(s) || s.peer != rank)
      continue;
    graphs::step& c = copies[s.tag];
    c.kind = graphs::step_kind::copy;
    (s.kind == graphs::step_kind::send ? c.reads : c.writes) =
        std::move(s.kind == graphs::step_kind::send ? s.reads : s.writes);
  }
  erase_if(plan.steps, [&](const graphs::step& s) { return graphs::is_message(s) && s.peer == rank; });
  for (auto& [channel, c] : copies)
    if (!c.reads.empty())
      plan.steps.push_back(std::move(c));
  return plan;
}

graphs::rank_plan coalesced(graphs::rank_plan plan) {
  const auto key = [](const graphs::step& s) {
    if (!graphs::is_message(s))
      return std::tuple(2, rank_id{0}, 0);
    return std::tuple(s.kind == graphs::step_kind::recv ? 0 : 1, s.peer, s.tag);
  };
  std::stable_sort(plan.steps.begin(), plan.steps.end(),
                   [&](const graphs::step& a, const graphs::step& b) { return key(a) < key(b); });
  graphs::rank_plan out;
  out.scratch_bytes = plan.scratch_bytes;
  for (graphs::step& s : plan.steps) {
    if (graphs::is_message(s))
      s.tag = 0;
    if (graphs::is_message(s) && !out.steps.empty() && out.steps.back().kind == s.kind &&
        out.steps.back().peer == s.peer) {
      append_joined(out.steps.back().reads, s.reads);
      append_joined(out.steps.back().writes, s.writes);
    } else {
      out.steps.push_back(std::move(s));
    }
  }
  return out;
}

graphs::rank_plan in_rounds(graphs::rank_plan plan, const neighborhood& n, const edge_rounds& rounds) {
  std::map<rank_id, std::uint32_t> in, out; // the earliest round of each peer
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    const auto [at, fresh] = in.try_emplace(n.sources[i].peer, rounds.in[i]);
    at->second = std::min(at->second, rounds.in[i]);
  }
  for (std::size_t i = 0; i < n.destinations.size(); ++i) {
    const auto [at, fresh] = out.try_emplace(n.destinations[i].peer, rounds.out[i]);
    at->second = std::min(at->second, rounds.out[i]);
  }
  const auto key = [&](const graphs::step& s) -> std::pair<int, std::uint32_t> {
    if (s.kind == graphs::step_kind::recv)
      return {0, in.at(s.peer)};
    if (s.kind == graphs::step_kind::send)
      return {1, out.at(s.peer)};
    return {2, 0};
  };
  std::stable_sort(plan.steps.begin(), plan.steps.end(),
                   [&](const graphs::step& a, const graphs::step& b) { return key(a) < key(b); });
  return plan;
}

graphs::rank_plan without_empty_messages(graphs::rank_plan plan) {
  erase_if(plan.steps, [](const graphs::step& s) {
    return graphs::is_message(s) && s.reads.empty() && s.writes.empty();
  });
  return plan;
}

graphs::rank_plan plan_neighbor(const neighborhood& n, rank_id rank, neighbor_blocks blocks,
                                const edge_rounds& rounds, const neighbor_passes& passes, bool sizes_known) {
  graphs::rank_plan plan = posted(n, std::move(blocks));
  // One step per edge from here on; steps are independent of each other.
  if (passes.self)
    plan = without_own_messages(std::move(plan), rank);
  if (passes.coalesce)
    plan = coalesced(std::move(plan));
  // At most one message per peer and direction, or one per channel; both ends have the same ones.
  if (passes.empty && sizes_known)
    plan = without_empty_messages(std::move(plan));
  if (passes.order)
    plan = in_rounds(std::move(plan), n, rounds);
  return plan;
}

} // namespace tacit::neighbors
