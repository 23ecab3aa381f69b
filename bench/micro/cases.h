// The graphs that the micro benchmarks analyse.
#pragma once

#include "graphs/generate/generate.h"
#include "heap.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace tacit::bench {

using namespace graphs;

struct graph_case {
  pattern kind;
  algorithm form;
  std::uint32_t ranks;
};

inline constexpr graph_case cases[] = {
    {pattern::bcast, algorithm::binomial, 300'000},
    {pattern::bcast, algorithm::binomial, 1'000'000},
    {pattern::bcast, algorithm::linear, 300'000},
    {pattern::alltoall, algorithm::linear, 2'048},
    {pattern::alltoall, algorithm::bruck, 1'024},
    {pattern::alltoall, algorithm::butterfly, 1'024},
    {pattern::allgather, algorithm::recursive_doubling, 2'048},
    {pattern::barrier, algorithm::dissemination, 2'048},
};

inline std::string label(const graph_case& c) {
  return std::string(name(c.kind)) + "/" + std::string(name(c.form)) + "/" + std::to_string(c.ranks);
}

/// The graph of the case, in vectors without slack as a careful builder makes them. The last one asked for is
/// kept; `bytes` is what it holds on the heap.
inline const graph& graph_of(const graph_case& wanted, std::int64_t* bytes = nullptr) {
  static std::unique_ptr<graph> kept;
  static std::string kept_label;
  static std::int64_t kept_bytes = 0;
  if (kept_label != label(wanted)) {
    kept.reset();
    diagnostics problems;
    const auto made =
        generate({.kind = wanted.kind, .form = wanted.form, .ranks = wanted.ranks, .block = 64}, problems);
    if (!made)
      throw std::runtime_error(problems.front().message);
    const std::int64_t before = heap_bytes();
    kept = std::make_unique<graph>(*made); // a copy takes exactly what it needs
    kept_bytes = heap_bytes() - before;
    kept_label = label(wanted);
  }
  if (bytes != nullptr)
    *bytes = kept_bytes;
  return *kept;
}

} // namespace tacit::bench
