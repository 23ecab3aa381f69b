#include "graphs/generate/generate.h"
#include "graphs/graph/text.h"
#include "surface/report/random_text_graph.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tacit::tests {

using namespace surface;
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string first_error(std::string_view text) {
  diagnostics problems;
  const auto g = graphs::read_graph(text, problems);
  EXPECT_FALSE(g.has_value()) << text;
  return problems.empty() ? "" : problems.front().message;
}

graphs::graph read(std::string_view text) {
  diagnostics problems;
  auto g = graphs::read_graph(text, problems);
  EXPECT_TRUE(g.has_value()) << text << (problems.empty() ? "" : problems.front().message);
  return g ? std::move(*g) : graphs::graph(1);
}

TEST(graph_text, reads_every_statement) {
  const graphs::graph g = read(R"(# a comment
tacit graph 1
ranks 4     # another
comm row = 0..1
comm "odd name" = 3, 1
rank 0 {
  a: send 0x100+64,0x200+8 to 1 tag -7 comm row
  b: recv nothing from 1 comm "odd name" after a
  copy 0+4 -> 8+4 after a, b; fence; opaque reads 0x0+4 writes 1+2, 3+4
  p: put 0+8 to 2 at 16+8
  get 0+8 from 3 at 0+8 after p
  scratch 0x1000+64
  live 0+1, 5+1
}
rank 1 { opaque }
rank 0 { fence comm 2 after a }
)");
  ASSERT_EQ(g.size(), 11u);
  EXPECT_EQ(g[op_id{0}].tag, -7);
  EXPECT_EQ(index(g[op_id{0}].comm), 1u);
  EXPECT_EQ(total_length(g.reads(op_id{0})), 72u);
  EXPECT_EQ(index(g[op_id{1}].comm), 2u);
  EXPECT_TRUE(g.writes(op_id{1}).empty());
  EXPECT_EQ(g.writes(op_id{4}).size(), 2u);
  EXPECT_EQ(g[op_id{6}].kind, graphs::op_kind::recv); // target of the put
  EXPECT_EQ(index(g[op_id{6}].rank), 2u);
  ASSERT_EQ(g.made_pairs().size(), 2u);
  EXPECT_EQ(g.made_pairs()[1].origin, op_id{8}); // a get makes its send first
  EXPECT_EQ(g.dependencies().size(), 5u);
  EXPECT_EQ(g.dependencies().back().before, op_id{0});
  EXPECT_EQ(g.scratch_bytes().size(), 1u);
  EXPECT_EQ(g.live_out_bytes().size(), 2u);
}

TEST(graph_text, reads_reductions) {
  const graphs::graph g = read(R"(tacit graph 1
ranks 2
operator sum = sum int 4
operator "mine!" = "what I do" "a pair" 16 ordered rounds
rank 0 { reduce 0+8,16+8 -> 32+16 by "mine!"; recv 64+8 from 1 tag 3 by sum }
rank 1 { send 0+8 to 0 tag 3 }
)");
  ASSERT_EQ(g.size(), 3u);
  EXPECT_EQ(g[op_id{0}].kind, graphs::op_kind::reduce);
  EXPECT_EQ(g.reads(op_id{0}).size(), 2u);
  EXPECT_EQ(g.reducers()[index(g.reduces_by(op_id{0}))],
            (graphs::reducer{"what I do", "a pair", 16, false, true}));
  EXPECT_EQ(g[op_id{1}].kind, graphs::op_kind::recv);
  EXPECT_EQ(g.reducers()[index(g.reduces_by(op_id{1}))], (graphs::reducer{"sum", "int", 4, true, false}));
  EXPECT_FALSE(g.reduces(op_id{2}));
  const std::string head = "tacit graph 1\nranks 2\n";
  EXPECT_PRED2(contains, first_error(head + "operator s = sum int 0"), "at least 1 byte");
  EXPECT_PRED2(contains, first_error(head + "operator s = sum int 4\noperator s = sum int 8"), "already");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  reduce 0+4 -> 4+4 by s\n}"),
               "there is no operator 's'");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  reduce 0+4 -> 4+4\n}"), "expected 'by'");
}

TEST(graph_text, numbers_as_labels_give_the_creation_order) {
  const graphs::graph g = read(
      "tacit graph 1\nranks 2\nrank 0 {\n 5: send 0+1 to 1\n}\nrank 1 {\n 2: fence\n 9: fence after 2, 5\n}");
  EXPECT_EQ(g[op_id{0}].kind, graphs::op_kind::fence);
  EXPECT_EQ(g[op_id{1}].kind, graphs::op_kind::send);
  EXPECT_EQ(g.dependencies()[1].before, op_id{1});
}

TEST(graph_text, gives_the_line_of_each_operation) {
  diagnostics problems;
  std::vector<std::uint32_t> lines;
  ASSERT_TRUE(graphs::read_graph("tacit graph 1\nranks 2\nrank 0 {\n\n  put 0+1 to 1 at 0+1\n  fence\n}\n",
                                 problems, &lines));
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{5, 5, 6}));
}

TEST(graph_text, errors_name_line_column_and_what_was_expected) {
  const std::string head = "tacit graph 1\nranks 4\n";
  EXPECT_PRED2(contains, first_error(""), "line 1, column 1: expected 'tacit graph 1'");
  EXPECT_PRED2(contains, first_error("hello"), "found 'hello'");
  EXPECT_PRED2(contains, first_error("tacit graph 2\n"), "version 1");
  EXPECT_PRED2(contains, first_error("tacit graph 1\nranks 0\n"),
               "line 2, column 7: expected at least 1 rank");
  EXPECT_PRED2(contains, first_error("tacit graph 1\nranks 4294967295\n"), "the limit is 16777216");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  send 0+8 too 1\n}"),
               "line 4, column 12: expected 'to', found 'too'");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  send 0x100 to 1\n}"),
               "column 14: expected '+', found 'to'");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  sent 0+1 to 1\n}"), "expected send, recv, copy");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  send 99999999999999999999+1 to 1\n}"), "too large");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  send 0+1 to 1 tag 2147483648\n}"), "too large");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  fence comm row\n}"),
               "declare it above with 'comm NAME");
  EXPECT_PRED2(contains, first_error(head + "comm a = 0\ncomm a = 1\nrank 0 {\n  fence comm a\n}"),
               "several communicators");
  EXPECT_PRED2(contains, first_error(head + "comm a = 3..1"), "smaller rank of a range first");
  EXPECT_PRED2(contains, first_error("tacit graph 1\nranks 16777216\ncomm a = 0..16777215\ncomm b = 0"),
               "too many members");
  EXPECT_PRED2(contains, first_error(head + "comm a = 2, 0..4"), "line 3, column 16: there is no rank 4");
  EXPECT_PRED2(contains, first_error(head + "comm a = 2, 0..3"),
               "line 3, column 6: communicator 'a' names rank 2 twice");
  EXPECT_PRED2(contains, first_error(head + "rank 4 {\n scratch 0+8\n}"),
               "line 3, column 6: there is no rank 4");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n  fence after x\n}"),
               "no operation of rank 0 is labelled 'x'");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n a: fence\n a: fence\n}"),
               "line 5, column 2: the label 'a' is taken by line 4");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n a: fence\n fence after a.target\n}"),
               "no put and no get");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n 1: fence\n fence\n}"),
               "then all operations need one");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n fence\n"), "expected '}'");
  EXPECT_PRED2(contains, first_error(head + "}"), "closes nothing");
  EXPECT_PRED2(contains, first_error(head + "rank 0 {\n \x01\n}"), "found '\\x01'");
}

TEST(graph_text, remedies_name_what_is_allowed) {
  diagnostics problems;
  EXPECT_FALSE(graphs::read_graph("tacit graph 1\nranks 4\nrank 4 { }\ncomm a = 1, 1\n", problems));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_PRED2(contains, problems[0].remedy, "from 0 to 3");
  EXPECT_PRED2(contains, problems[1].remedy, "each member once");
}

TEST(graph_text, communicators_of_one_name_are_told_apart_by_number) {
  diagnostics problems;
  const std::string text = "tacit graph 1\nranks 2\ncomm a = 0\ncomm a = 1\nrank 1 { fence comm 2 }\n";
  const auto g = graphs::read_graph(text, problems);
  ASSERT_TRUE(g);
  EXPECT_EQ((*g)[op_id{0}].comm, comm_id{2});
  EXPECT_TRUE(check_operations(*g).empty());
}

TEST(graph_text, reports_several_mistakes_at_once_but_not_endlessly) {
  diagnostics problems;
  std::string text = "tacit graph 1\nranks 4\nrank 0 {\n";
  EXPECT_FALSE(graphs::read_graph(text + "  send\n  fence\n  recv 0+1 to 2\n}\n", problems));
  EXPECT_EQ(problems.size(), 2u);
  for (const diagnostic& d : problems)
    EXPECT_EQ(d.code, number(reason::bad_file));
  for (int i = 0; i < 1000; ++i)
    text += "  bad\n";
  problems.clear();
  EXPECT_FALSE(graphs::read_graph(text, problems));
  EXPECT_EQ(problems.size(), 20u);
}

TEST(graph_text, round_trip_of_known_algorithms) {
  for (const graphs::known_algorithm& k : graphs::known_algorithms())
    for (const std::uint32_t p : {1u, 2u, 4u, 8u}) {
      graphs::recipe r{.kind = k.kind, .form = k.form, .ranks = p};
      r.extra = 5;
      diagnostics problems;
      const auto g = graphs::generate(r, problems);
      if (!g)
        continue;
      EXPECT_EQ(difference(*g, read(write_graph(*g))), "")
          << name(k.kind) << ' ' << graphs::name(k.form) << ' ' << p;
    }
}

TEST(graph_text, round_trip_of_random_graphs) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 3000; ++i) {
    const graphs::graph g = random_text_graph(random);
    const std::string text = graphs::write_graph(g);
    ASSERT_EQ(difference(g, read(text)), "") << "seed " << seed << ", graph " << i << "\n" << text;
  }
}

/// The reader takes any bytes: it gives a graph, or problems with a place, and what it gives can be written
/// and read.
TEST(graph_text, a_target_that_does_not_exist_can_be_written_too) {
  const graphs::graph g = read("tacit graph 1\nranks 1\nrank 0 {\n  get 0x0+8 from 70 at 0x10+8\n}\n");
  EXPECT_EQ(difference(g, read(write_graph(g))), "") << write_graph(g);
}

TEST(graph_text, survives_random_mutations) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  const std::string pieces[] = {"send",
                                "recv",
                                "{",
                                "}",
                                "\n",
                                " after ",
                                "0x",
                                "+",
                                ",",
                                "..",
                                "->",
                                "\"",
                                "\\",
                                ".target",
                                "rank 1",
                                "comm",
                                "tacit",
                                "4294967295",
                                "18446744073709551615",
                                "put",
                                "get",
                                ":",
                                "#",
                                ";"};
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = graphs::write_graph(random_text_graph(random));
    for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, random() % 8);
        break;
      case 2:
        text.insert(at, pieces[random() % std::size(pieces)]);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      }
    }
    diagnostics problems;
    const auto g = graphs::read_graph(text, problems);
    ASSERT_NE(g.has_value(), has_errors(problems)) << "seed " << seed << "\n" << text;
    for (const diagnostic& d : problems)
      ASSERT_PRED2(contains, d.message, "line ") << "seed " << seed;
    if (!g)
      continue;
    ++accepted;
    ASSERT_EQ(difference(*g, read(write_graph(*g))), "") << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(accepted, 100) << "the mutations should leave some texts valid";
}

} // namespace
} // namespace tacit::tests
