// Runs a graph byte by byte, in a random order that its dependencies and matches allow. Two runs that differ
// reveal a missing dependency.
#pragma once

#include "graphs/graph/graph.h"

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace tacit::test {

using namespace graphs;

using token = std::pair<std::uint32_t, std::uint64_t>; ///< initial value of (rank, address)
using memory = std::map<token, token>; ///< (rank, address) → value, where it is not the initial one

struct naive_result {
  memory bytes;
  std::size_t stuck = 0; ///< operations that could never run
};

inline naive_result naive_run(const graph& g, std::uint64_t seed) {
  using channel = std::tuple<std::size_t, std::size_t, std::size_t, std::int32_t>;
  std::mt19937_64 random(seed);
  naive_result result;
  const auto read = [&](std::uint32_t rank, std::uint64_t address) {
    const auto found = result.bytes.find({rank, address});
    return found == result.bytes.end() ? token{rank, address} : found->second;
  };
  const auto gather = [&](std::uint32_t rank, std::span<const segment> from) {
    std::deque<token> payload;
    for (const segment& s : from)
      for (std::uint64_t b = 0; b < s.length; ++b)
        payload.push_back(read(rank, s.address + b));
    return payload;
  };
  const auto scatter = [&](std::uint32_t rank, std::span<const segment> into, std::deque<token> payload) {
    for (const segment& s : into)
      for (std::uint64_t b = 0; b < s.length && !payload.empty(); ++b, payload.pop_front())
        result.bytes[{rank, s.address + b}] = payload.front();
  };

  std::vector<std::uint32_t> waits(g.size(), 0), partner(g.size(), 0);
  std::vector<std::vector<std::uint32_t>> releases(g.size());
  for (const dependency& d : g.dependencies()) {
    ++waits[index(d.after)];
    releases[index(d.before)].push_back(static_cast<std::uint32_t>(index(d.after)));
  }
  std::map<channel, std::deque<std::uint32_t>> sends;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (const operation& op = g[op_id{i}]; op.kind == op_kind::send)
      sends[{index(op.comm), index(op.rank), index(op.peer), op.tag}].push_back(i);
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (const operation& op = g[op_id{i}]; op.kind == op_kind::recv) {
      auto& queue = sends[{index(op.comm), index(op.peer), index(op.rank), op.tag}];
      ++waits[i];
      if (queue.empty())
        continue; // never released: counted as stuck
      releases[queue.front()].push_back(i);
      partner[i] = queue.front();
      queue.pop_front();
    }

  std::vector<std::deque<token>> payloads(g.size());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    if (waits[i] == 0)
      ready.push_back(i);
  std::size_t done = 0;
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const std::uint32_t i = ready.back();
    ready.pop_back();
    ++done;
    const operation& op = g[op_id{i}];
    const auto rank = static_cast<std::uint32_t>(index(op.rank));
    if (op.kind == op_kind::send)
      payloads[i] = gather(rank, g.reads(op_id{i}));
    if (op.kind == op_kind::recv)
      scatter(rank, g.writes(op_id{i}), std::move(payloads[partner[i]]));
    if (op.kind == op_kind::copy)
      scatter(rank, g.writes(op_id{i}), gather(rank, g.reads(op_id{i})));
    for (const std::uint32_t next : releases[i])
      if (--waits[next] == 0)
        ready.push_back(next);
  }
  result.stuck = g.size() - done;
  for (const auto& [rank, s] : g.scratch_bytes()) {
    const auto id = static_cast<std::uint32_t>(index(rank));
    result.bytes.erase(result.bytes.lower_bound({id, s.address}),
                       result.bytes.lower_bound({id, s.address + s.length}));
  }
  std::erase_if(result.bytes, [](const auto& entry) { return entry.first == entry.second; });
  return result;
}

} // namespace tacit::test
