// Test shorthands: hand-made transfers, and whole graphs taken through all passes up to detection.
#pragma once

#include "graphs/detect/detect.h"
#include "graphs/detect/finding_checker.h"
#include "graphs/generate/generate.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tacit::test {

using namespace graphs;

/// A graph without operations and transfers written down directly. Every transfer arrives behind the earlier
/// ones of its destination, with a gap, so that nothing coalesces.
struct made {
  explicit made(std::uint32_t ranks) : g(ranks), next(ranks, 0x10000) {}

  made& move(std::uint32_t from, std::uint64_t address, std::uint32_t to, std::uint64_t length) {
    t.list.push_back({next[to], address, length, rank_id{from}, rank_id{to}});
    next[to] += length + 16;
    return *this;
  }
  made& unknown(std::uint32_t to, std::uint64_t length) {
    t.list.push_back({next[to], 0, length, no_rank, rank_id{to}});
    next[to] += length + 16;
    return *this;
  }

  findings detect(const detect_options& options = {}) {
    std::sort(t.list.begin(), t.list.end(), [](const transfer& a, const transfer& b) {
      return a.destination != b.destination ? a.destination < b.destination
                                            : a.destination_address < b.destination_address;
    });
    findings f = tacit::graphs::detect(g, {}, {}, t, options);
    EXPECT_EQ(check_findings(g, t, f), "") << print(g, t, f);
    return f;
  }

  std::vector<std::string> found(const detect_options& options = {}) { return summary(g, detect(options)); }

  graph g;
  transfers t;
  std::vector<std::uint64_t> next;
};

struct analyzed {
  transfers t;
  findings f;
};

inline analyzed analyze(const graph& g, const detect_options& options = {}) {
  diagnostics problems = check_operations(g);
  const matching m = match(g, problems);
  const run_order o = order_operations(g, m, problems);
  analyzed a;
  a.t = follow(g, m, o, problems);
  EXPECT_FALSE(has_errors(problems)) << (problems.empty() ? "" : problems.front().message);
  a.f = detect(g, m, o, a.t, options);
  EXPECT_EQ(check_findings(g, a.t, a.f), "") << print(g, a.t, a.f);
  return a;
}

using texts = std::vector<std::string>;

} // namespace tacit::test
