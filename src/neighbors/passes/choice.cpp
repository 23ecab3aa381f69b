#include "neighbors/passes/choice.h"

#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tacit::neighbors {
namespace {

constexpr std::uint64_t no_price = 0, free_of_charge = std::uint64_t{1} << 60;

/// Predictions are no better than this: within it, priority decides.
constexpr double same = 0.10;

/// A driver's own work per message beyond what the model says (finding it, a call, a branch), and per piece
/// of memory beyond the first.
constexpr double handling = 15, piece = 10;

/// Work of this rank's core, and time on the wire, which goes on beside it.
struct busy {
  double core = 0, wire = 0;
};

/// By what a message travels; `is` below says whether a group of messages does.
enum class medium : std::uint8_t { memory, near, far };

template <typename Is, typename Cost>
double sum(const std::vector<message_group>& groups, Is is, Cost cost) {
  double ns = 0;
  for (const message_group& g : groups)
    if (is(g))
      ns += static_cast<double>(g.count) * cost(static_cast<double>(g.bytes));
  return ns;
}

/// Of the shortest copy most is the clock's own time.
double reading_the_clock(const graphs::machine_model& m) {
  return graphs::copy_at(m, 0);
}

template <typename Is>
busy by_messages(const traffic& t, const graphs::machine_model& m, bool near, Is is) {
  busy b;
  b.core = sum(t.sends, is, [&](double n) { return handling + graphs::send_at(m, n); }) +
           sum(t.receives, is, [&](double n) { return handling + graphs::receive_at(m, n); });
  const auto gap = [&](double n) { return graphs::gap_at(m, n); };
  b.wire = sum(t.sends, is, gap);
  const auto packed = [&](const message_group& g) { return g.scattered && is(g); };
  const auto packing = [&](double n) { return std::max(graphs::copy_at(m, n) - reading_the_clock(m), 0.0); };
  const double packs = sum(t.sends, packed, packing) + sum(t.receives, packed, packing);
  if (near) // within a node a wire is a core's work at each end, and what comes in does not travel beside
    b.wire += sum(t.receives, is, gap) + packs;
  else
    b.core += packs;
  return b;
}

template <typename Is>
double through_memory(const traffic& t, const graphs::machine_model& m, Is is) {
  const double clock = reading_the_clock(m);
  return sum(t.sends, is, [&](double n) { return handling + std::max(graphs::copy_at(m, n) - clock, 0.0); }) +
         sum(t.receives, is,
             [&](double n) { return handling + std::max(graphs::fetch_at(m, n) - clock, 0.0); });
}

/// What a cache line takes beyond the read that finds it changed, which every message has anyway.
double line_latency(const graphs::machine_model& m) {
  return std::max(m.flag.median - std::max(graphs::fetch_at(m, 0) - reading_the_clock(m), 0.0), 0.0);
}

template <typename Is>
double by_puts(const traffic& t, const graphs::machine_model& m, Is is) {
  return sum(t.sends, is, [&](double n) { return handling + graphs::put_at(m, n) + graphs::put_at(m, 8); }) +
         sum(t.receives, is, [&](double n) { return handling + graphs::copy_at(m, n); });
}

std::string words(const way& w) {
  return w.ns < 0 ? name(w) + " without price" : name(w) + " " + readable_seconds(w.ns * 1e-9);
}

void add(std::vector<message_group>& groups, std::uint64_t bytes, bool near, bool scattered) {
  if (groups.empty() || groups.back().bytes != bytes || groups.back().near != near ||
      groups.back().scattered != scattered)
    groups.push_back({bytes, 0, near, scattered});
  ++groups.back().count;
}

} // namespace

machine_costs costs_of(const graphs::machine_model& near, const graphs::machine_model& far, bool one_node) {
  machine_costs c{near, far, graphs::cost_of(one_node ? near : far)};
  if (!one_node)
    c.messages.near = std::min(graphs::cost_of(near).overhead / c.messages.overhead, 1.0);
  return c;
}

machine_costs costs_of(const graphs::message_cost& said) {
  return {graphs::model_of(said, true), graphs::model_of(said, false), said};
}

std::string_view name(form f) {
  constexpr std::array<std::string_view, forms> names{"coalesced", "direct", "combined"};
  return names[static_cast<std::size_t>(f)];
}

std::string name(const way& w) {
  return w.driver == own_call ? std::string(own_call) : fmt::format("{} {}", name(w.shape), w.driver);
}

traffic traffic_of(const graphs::rank_plan& plan, const std::function<bool(rank_id)>& is_near) {
  traffic t;
  std::vector<std::size_t> depth(plan.steps.size(), 0); // messages received on the longest way to here
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const graphs::step& s = plan.steps[i];
    for (const std::uint32_t before : s.after)
      depth[i] = std::max(depth[i], depth[before]);
    if (s.kind == graphs::step_kind::send) {
      add(t.sends, graphs::total_length(s.reads), is_near(s.peer), s.reads.size() > 1);
      t.pieces += s.reads.empty() ? 0 : s.reads.size() - 1;
    }
    if (s.kind == graphs::step_kind::recv) {
      add(t.receives, graphs::total_length(s.writes), is_near(s.peer), s.writes.size() > 1);
      t.pieces += s.writes.empty() ? 0 : s.writes.size() - 1;
      ++depth[i];
    }
    if (s.kind == graphs::step_kind::copy) {
      ++t.copies;
      t.copied_bytes += graphs::total_length(s.writes);
    }
    t.rounds = std::max(t.rounds, depth[i]);
  }
  if (!t.sends.empty())
    t.rounds = std::max<std::size_t>(t.rounds, 1);
  return t;
}

traffic traffic_by_edge(const neighborhood& n, rank_id rank, const neighbor_blocks& blocks,
                        const neighbor_passes& passes, const std::function<bool(rank_id)>& is_near) {
  traffic t;
  const auto each = [&](const std::vector<edge>& edges,
                        const std::vector<std::vector<graphs::segment>>& bytes, auto&& visit) {
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (const std::uint64_t length = graphs::total_length(bytes[i]);
          edges[i].peer != no_rank && (length > 0 || !passes.empty))
        visit(edges[i].peer, length, bytes[i].empty() ? 0 : bytes[i].size() - 1);
  };
  each(n.destinations, blocks.out, [&](rank_id peer, std::uint64_t length, std::size_t pieces) {
    if (peer == rank && passes.self) {
      ++t.copies;
      t.copied_bytes += length;
      return;
    }
    add(t.sends, length, is_near(peer), pieces > 0);
    t.pieces += pieces;
  });
  each(n.sources, blocks.in, [&](rank_id peer, std::uint64_t length, std::size_t pieces) {
    if (peer == rank && passes.self)
      return;
    add(t.receives, length, is_near(peer), pieces > 0);
    t.pieces += pieces;
  });
  t.rounds = t.sends.empty() && t.receives.empty() ? 0 : 1;
  return t;
}

double predicted(const traffic& t, std::string_view driver, const machine_costs& costs,
                 std::uint64_t longest_in_memory) {
  if (driver != "p2p" && driver != "shm" && (driver != "rma" || costs.near.puts.empty()))
    return -1;
  const bool shares = driver == "shm" && longest_in_memory > 0 && !costs.near.memory.empty();
  const auto medium_of = [&](const message_group& g) {
    if (!g.near)
      return medium::far;
    return shares && g.bytes <= longest_in_memory ? medium::memory : medium::near;
  };
  const double rounds = static_cast<double>(t.rounds);
  double core = static_cast<double>(t.copies) * handling + static_cast<double>(t.pieces) * piece +
                (t.copies > 0 ? graphs::copy_at(costs.near, static_cast<double>(t.copied_bytes)) : 0);
  double wire = 0, latency = 0;
  for (const medium by : {medium::memory, medium::near, medium::far}) {
    const graphs::machine_model& m = by == medium::far ? costs.far : costs.near;
    const auto is = [&](const message_group& g) { return medium_of(g) == by; };
    if (std::none_of(t.sends.begin(), t.sends.end(), is) &&
        std::none_of(t.receives.begin(), t.receives.end(), is))
      continue;
    if (by == medium::memory) {
      core += through_memory(t, m, is);
      latency = std::max(latency, line_latency(m));
    } else if (driver == "rma" && !m.puts.empty()) {
      core += by_puts(t, m, is);
      latency = std::max(latency, graphs::put_at(m, 8));
    } else {
      const busy b = by_messages(t, m, by == medium::near, is);
      core += b.core;
      wire += b.wire;
      latency = std::max(latency, m.latency());
    }
  }
  return rounds * latency + (t.rounds > 1 ? core + wire : std::max(core, wire));
}

std::size_t cheapest(std::span<const way> ways) {
  double least = -1;
  for (const way& w : ways)
    if (w.ns >= 0 && (least < 0 || w.ns < least))
      least = w.ns;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (ways[i].ns >= 0 && ways[i].ns <= least * (1 + same))
      return i;
  return 0;
}

std::string reason_for(std::span<const way> ways, std::size_t taken) {
  std::string why = "predicted: " + words(ways[taken]);
  const char* before = "; not ";
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (i != taken) {
      why += before + words(ways[i]);
      before = ", ";
    }
  return why;
}

std::uint64_t word_of_price(double ns) {
  if (!(ns >= 0))
    return no_price;
  return free_of_charge - static_cast<std::uint64_t>(std::min(ns * 10, 1e17));
}

double price_of_word(std::uint64_t word) {
  return word == no_price ? -1 : static_cast<double>(free_of_charge - word) / 10;
}

} // namespace tacit::neighbors
