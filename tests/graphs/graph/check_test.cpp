// What check_operations says about malformed operations: the code, the rank, the operation, the bytes, the
// remedy.
#include "graphs/graph/graph.h"
#include "vocabulary/calls/reasons.h"

#include <gtest/gtest.h>

using namespace tacit;
using namespace tacit::graphs;

namespace {

constexpr rank_id r0{0}, r1{1}, r2{2};

void expect_problem(const graph& g, reason code, rank_id rank, op_id op,
                    std::initializer_list<const char*> words) {
  const diagnostics problems = check_operations(g);
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems.front().code, number(code));
  EXPECT_EQ(problems.front().level, severity::error);
  EXPECT_EQ(problems.front().rank, rank);
  EXPECT_EQ(problems.front().op, op);
  EXPECT_FALSE(problems.front().remedy.empty());
  for (const char* word : words)
    EXPECT_NE(problems.front().message.find(word), std::string::npos)
        << "'" << word << "' not in: " << problems.front().message;
}

} // namespace

TEST(check, well_formed_graph_has_no_problems) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 8}, r1, 3);
  const op_id b = g.send(r0, segment{8, 0}, r0);
  g.recv(r1, segment{0, 8}, r0, 3);
  g.recv(r0, segment{0, 0}, r0);
  g.depend(a, b);
  EXPECT_TRUE(check_operations(g).empty());
}

TEST(check, rank_that_does_not_exist) {
  graph g(2);
  const op_id op = g.send(rank_id{7}, segment{0, 8}, r1);
  expect_problem(g, reason::bad_operation, rank_id{7}, op, {"rank 7", "2 ranks"});
}

TEST(check, peer_that_does_not_exist) {
  graph g(2);
  const op_id op = g.send(r0, segment{0, 8}, rank_id{5});
  expect_problem(g, reason::bad_operation, r0, op, {"rank 0 op 0", "8 B at 0x0", "peer 5"});
}

TEST(check, wildcard_source_is_rejected) {
  graph g(2);
  const op_id op = g.recv(r0, segment{0, 8}, no_rank);
  expect_problem(g, reason::bad_operation, r0, op, {"any source"});
}

TEST(check, wildcard_tag_is_rejected) {
  graph g(2);
  const op_id op = g.recv(r0, segment{0, 8}, r1, -1);
  expect_problem(g, reason::bad_operation, r0, op, {"negative tag -1"});
}

TEST(check, negative_tag_of_a_send) {
  graph g(2);
  const op_id op = g.send(r0, segment{0, 8}, r1, -5);
  expect_problem(g, reason::bad_operation, r0, op, {"rank 0 op 0", "negative tag -5"});
}

TEST(check, put_and_get_of_unequal_length) {
  const segment four[] = {{0x10, 4}}, eight[] = {{0x20, 3}, {0x30, 5}};
  graph longer(2), shorter(2), equal(2);
  const op_id put = longer.put(r0, eight, r1, four);
  expect_problem(longer, reason::bad_operation, r0, put, {"rank 0 op 0", "put of 8 B into 4 B"});
  const op_id get = shorter.get(r0, eight, r1, four);
  expect_problem(shorter, reason::bad_operation, r0, get, {"rank 0 op 1", "get of 4 B into 8 B"});
  equal.put(r0, eight, r1, eight);
  equal.get(r0, four, r1, four);
  EXPECT_TRUE(check_operations(equal).empty());
}

TEST(check, unknown_communicator) {
  graph g(2);
  const op_id op = g.send(r0, segment{0, 8}, r1, 0, comm_id{4});
  expect_problem(g, reason::bad_operation, r0, op, {"communicator 4", "does not exist"});
}

TEST(check, rank_outside_its_communicator) {
  graph g(3);
  const comm_id row = g.add_communicator("row", {r0, r1});
  const op_id op = g.send(r2, segment{0, 8}, r0, 0, row);
  expect_problem(g, reason::bad_operation, r2, op, {"communicator row", "rank 2 is no member"});
}

TEST(check, peer_outside_its_communicator) {
  graph g(3);
  const comm_id row = g.add_communicator("row", {r0, r1});
  const op_id op = g.send(r0, segment{0, 8}, r2, 0, row);
  expect_problem(g, reason::bad_operation, r0, op, {"communicator row", "rank 2 is no member"});
}

TEST(check, communicator_members) {
  graph twice(2);
  twice.add_communicator("c", {r0, r0});
  expect_problem(twice, reason::bad_operation, no_rank, no_op, {"communicator c", "rank 0 twice"});
  graph missing(2);
  missing.add_communicator("c", {r0, rank_id{9}});
  expect_problem(missing, reason::bad_operation, no_rank, no_op, {"communicator c", "rank 9", "2 ranks"});
}

TEST(check, dependency_between_ranks) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 8}, r1);
  const op_id b = g.recv(r1, segment{0, 8}, r0);
  g.depend(a, b);
  expect_problem(g, reason::bad_operation, r1, b, {"rank 1 op 1", "rank 0 op 0", "another rank"});
}

TEST(check, dependency_on_an_operation_that_does_not_exist) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 8}, r1);
  g.depend(a, op_id{12});
  expect_problem(g, reason::bad_operation, no_rank, no_op, {"op 12 does not exist"});
}

TEST(check, dependency_against_creation_order) {
  graph g(2);
  const op_id a = g.send(r0, segment{0, 8}, r1);
  const op_id b = g.send(r0, segment{8, 8}, r1);
  g.depend(b, a);
  expect_problem(g, reason::creation_order, r0, a, {"rank 0 op 0", "rank 0 op 1", "created later"});
  graph self(1);
  const op_id c = self.opaque(r0, {}, {});
  self.depend(c, c);
  expect_problem(self, reason::creation_order, r0, c, {"same operation"});
}

TEST(check, receive_that_writes_a_byte_twice) {
  graph g(2);
  const segment into[] = {{0x10, 8}, {0x17, 4}};
  const op_id op = g.recv(r0, into, r1);
  expect_problem(g, reason::bad_operation, r0, op, {"[0x17, 0x18)", "twice"});
}

TEST(check, send_may_read_a_byte_twice_and_opaque_may_write_it_twice) {
  graph g(1);
  const segment twice[] = {{0, 8}, {4, 8}};
  g.opaque(r0, twice, twice);
  g.send(r0, twice, r0);
  EXPECT_TRUE(check_operations(g).empty());
}

TEST(check, empty_segments_never_overlap) {
  graph g(1);
  const segment into[] = {{0, 8}, {4, 0}};
  g.recv(r0, into, r0);
  EXPECT_TRUE(check_operations(g).empty());
}

TEST(check, copy_lengths_differ) {
  graph g(1);
  const segment from[] = {{0, 8}}, into[] = {{16, 4}};
  const op_id op = g.copy(r0, from, into);
  expect_problem(g, reason::bad_operation, r0, op, {"reads 8 B", "writes 4 B"});
}

TEST(check, address_runs_past_the_end) {
  graph g(2);
  const op_id op = g.send(r0, segment{~0ull - 3, 8}, r1);
  expect_problem(g, reason::bad_operation, r0, op, {"past the last address", "8 B"});
  graph scratch(1);
  scratch.scratch(r0, {~0ull, 2});
  expect_problem(scratch, reason::bad_operation, no_rank, no_op,
                 {"scratch", "rank 0", "past the last address"});
}

TEST(check, many_problems_are_counted) {
  graph g(2);
  for (int i = 0; i < 1000; ++i)
    g.send(r0, segment{0, 8}, rank_id{9});
  const diagnostics problems = check_operations(g);
  EXPECT_EQ(problems.size(), 21u);
  EXPECT_NE(problems.back().message.find("980 more"), std::string::npos);
}

TEST(check, reductions_combine_whole_elements_of_separate_operands) {
  const segment four[] = {{0, 4}}, eight[] = {{8, 8}}, other_eight[] = {{16, 8}}, touching[] = {{12, 8}};
  const auto with = [&](auto&& add) {
    graph g(2);
    add(g, g.add_reducer({"sum", "double", 8, true, true}));
    return g;
  };
  expect_problem(with([&](graph& g, reducer_id by) { g.reduce(r0, four, four, by); }), reason::bad_operation,
                 r0, op_id{0}, {"no whole number of elements of 8 B", "sum of double"});
  expect_problem(with([&](graph& g, reducer_id by) { g.reduce(r1, four, eight, by); }), reason::bad_operation,
                 r1, op_id{0}, {"4 B with 8 B"});
  expect_problem(with([&](graph& g, reducer_id by) { g.reduce(r0, eight, touching, by); }),
                 reason::bad_operation, r0, op_id{0}, {"overlap"});
  expect_problem(with([&](graph& g, reducer_id) { g.reduce(r0, eight, other_eight, no_reducer); }),
                 reason::bad_operation, r0, op_id{0}, {"no operator"});
  expect_problem(with([&](graph& g, reducer_id) { g.reduce(r0, eight, other_eight, reducer_id{7}); }),
                 reason::bad_operation, r0, op_id{0}, {"does not exist"});
  EXPECT_TRUE(
      check_operations(with([&](graph& g, reducer_id by) { g.reduce(r0, eight, other_eight, by); })).empty());
  const segment high[] = {{(1ull << 63) - 4, 8}};
  const graph g = with([&](graph& made, reducer_id by) { made.reduce(r0, eight, high, by); });
  diagnostics problems;
  check_addresses(g, problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems.front().message.find("2^63"), std::string::npos);
}

TEST(check, what_is_wrong_with_a_list_is_said_of_every_operation_that_has_it) {
  graph g(2);
  std::vector<segment> list;
  for (std::uint64_t i = 0; i < 12; ++i)
    list.push_back({64 - 4 * i, 4});
  g.send(r0, list, r1);
  g.recv(r1, list, r0);
  EXPECT_TRUE(check_operations(g).empty());
  list.back().address += 1; // a byte of the piece before
  g.send(r0, list, r1);     // which may be read twice
  EXPECT_TRUE(check_operations(g).empty());
  g.recv(r1, list, r0);
  g.recv(r1, list, r0);
  EXPECT_EQ(check_operations(g).size(), 2u);
}
