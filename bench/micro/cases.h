// The graphs that the micro benchmarks analyse.
#pragma once

#include "graphs/detect/detect.h"
#include "graphs/generate/generate.h"
#include "heap.h"

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace tacit::bench {

using namespace graphs;

/// How the graph of a case comes about.
enum class maker : std::uint8_t {
  algorithm,       ///< a generated collective
  random_messages, ///< blocking calls between random ranks, which read and write random pieces of 1 KiB
  strided_ring,    ///< each rank sends its neighbor 16 messages of 512 pieces
};

struct graph_case {
  pattern kind = pattern::bcast;
  algorithm form = algorithm::linear;
  std::uint32_t ranks = 0;
  maker made_by = maker::algorithm;
};

inline constexpr graph_case cases[] = {
    {pattern::bcast, algorithm::binomial, 300'000},
    {pattern::bcast, algorithm::binomial, 1'000'000},
    {pattern::bcast, algorithm::linear, 300'000},
    {pattern::alltoall, algorithm::linear, 2'048},
    {pattern::alltoall, algorithm::bruck, 1'024},
    {pattern::alltoall, algorithm::butterfly, 1'024},
    {pattern::allgather, algorithm::recursive_doubling, 2'048},
    {pattern::allgather, algorithm::butterfly, 4'096},
    {pattern::barrier, algorithm::dissemination, 2'048},
    {.ranks = 12'500, .made_by = maker::random_messages},  // 100,000 messages
    {.ranks = 125'000, .made_by = maker::random_messages}, // 1,000,000
    {.ranks = 1'024, .made_by = maker::strided_ring},
};

inline std::string label(const graph_case& c) {
  switch (c.made_by) {
  case maker::random_messages:
    return "random-messages/" + std::to_string(c.ranks);
  case maker::strided_ring:
    return "512-segments/" + std::to_string(c.ranks);
  case maker::algorithm:
    break;
  }
  return std::string(name(c.kind)) + "/" + std::string(name(c.form)) + "/" + std::to_string(c.ranks);
}

/// Eight messages a rank, each between two random ranks. Every rank makes its calls one after the other in one global
/// order, so there are no races, and bytes are overwritten and passed on in part. Nothing lies near to anything: neither
/// the operations of a rank nor the ranks that an operation concerns.
inline graph random_messages(std::uint32_t ranks) {
  std::mt19937_64 random(ranks);
  graph g(ranks);
  const std::uint32_t messages = 8 * ranks;
  g.reserve(2 * std::size_t{messages}, 2 * std::size_t{messages});
  std::vector<op_id> last(ranks, no_op);
  const auto called = [&](rank_id r, op_id op) {
    if (last[index(r)] != no_op)
      g.depend(last[index(r)], op);
    last[index(r)] = op;
  };
  const auto piece = [&] { return segment{0x1000 + 8 * (random() % 128), 64}; };
  for (std::uint32_t i = 0; i < messages; ++i) {
    const rank_id from{static_cast<std::uint32_t>(random() % ranks)};
    const rank_id to{static_cast<std::uint32_t>((index(from) + 1 + random() % (ranks - 1)) % ranks)};
    const auto tag = static_cast<std::int32_t>(random() % 4);
    called(from, g.send(from, piece(), to, tag));
    called(to, g.recv(to, piece(), from, tag));
  }
  return g;
}

/// Columns of a matrix, as a vector datatype lists them.
inline graph strided_ring(std::uint32_t ranks) {
  constexpr std::uint32_t messages = 16, pieces = 512;
  graph g(ranks);
  g.reserve(2 * std::size_t{messages} * ranks, 0);
  std::vector<segment> column(pieces);
  const auto at = [&](std::uint64_t base, std::uint64_t number) {
    for (std::uint64_t i = 0; i < pieces; ++i)
      column[i] = {base + (i * messages + number) * 16, 8};
    return std::span<const segment>(column);
  };
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t k = 0; k < messages; ++k) {
      const auto tag = static_cast<std::int32_t>(k);
      g.send(rank_id{r}, at(0x10'0000, k), rank_id{(r + 1) % ranks}, tag);
      g.recv(rank_id{r}, at(0x80'0000, k), rank_id{(r + ranks - 1) % ranks}, tag);
    }
  return g;
}

inline graph made_graph(const graph_case& wanted) {
  if (wanted.made_by == maker::random_messages)
    return random_messages(wanted.ranks);
  if (wanted.made_by == maker::strided_ring)
    return strided_ring(wanted.ranks);
  diagnostics problems;
  auto made =
      generate({.kind = wanted.kind, .form = wanted.form, .ranks = wanted.ranks, .block = 64}, problems);
  if (!made)
    throw std::runtime_error(problems.front().message);
  return *std::move(made);
}

/// The graph of the case, in vectors without slack as a careful builder makes them. The last one asked for is
/// kept; `bytes` is what it holds on the heap.
inline const graph& graph_of(const graph_case& wanted, std::int64_t* bytes = nullptr) {
  static std::unique_ptr<graph> kept;
  static std::string kept_label;
  static std::int64_t kept_bytes = 0;
  if (kept_label != label(wanted)) {
    kept.reset();
    const graph made = made_graph(wanted);
    const std::int64_t before = heap_bytes();
    kept = std::make_unique<graph>(made); // a copy takes exactly what it needs
    kept_bytes = heap_bytes() - before;
    kept_label = label(wanted);
  }
  if (bytes != nullptr)
    *bytes = kept_bytes;
  return *kept;
}

/// Whether the first collective found is the one that the graph is; graphs that are none may have none.
inline bool is_expected(const graph_case& c, const findings& f) {
  return c.made_by != maker::algorithm || (!f.found.empty() && f.found.front().kind == c.kind);
}

} // namespace tacit::bench
