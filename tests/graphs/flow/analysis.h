// The passes up to the transfers in one call, for tests: every pass must be free of errors.
#pragma once

#include "graphs/flow/flow.h"
#include "graphs/graph/graph.h"
#include "graphs/match/match.h"

#include <gtest/gtest.h>
#include <ostream>

namespace tacit::graphs {

inline void PrintTo(const transfer& t, std::ostream* out) {
  *out << "(" << index(t.destination) << ":" << t.destination_address << "+" << t.length << " = ";
  if (t.source == no_rank)
    *out << "unknown of op " << t.source_address << ")";
  else
    *out << index(t.source) << ":" << t.source_address << ")";
}

struct analysis {
  diagnostics problems;
  matching matched;
  run_order order;
  transfers moved;
};

inline analysis analyze(const graph& g, const flow_options& options = {}) {
  analysis a;
  a.problems = check_operations(g);
  EXPECT_FALSE(has_errors(a.problems)) << a.problems.front().message;
  a.matched = match(g, a.problems);
  a.order = order_operations(g, a.matched, a.problems);
  check_races(g, a.matched, a.order, a.problems);
  EXPECT_FALSE(has_errors(a.problems)) << a.problems.front().message;
  a.moved = follow(g, a.matched, a.order, a.problems, options);
  return a;
}

inline std::vector<transfer> transfers_of(const graph& g) {
  return analyze(g).moved.list;
}

/// `length` bytes at (destination, to) come from (source, from).
inline transfer moved(std::uint32_t destination, std::uint64_t to, std::uint32_t source, std::uint64_t from,
                      std::uint64_t length) {
  return {to, from, length, rank_id{source}, rank_id{destination}};
}
inline transfer unknown(std::uint32_t destination, std::uint64_t to, op_id by, std::uint64_t length) {
  return {to, index(by), length, no_rank, rank_id{destination}};
}

} // namespace tacit::graphs
