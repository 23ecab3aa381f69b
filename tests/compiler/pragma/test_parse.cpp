#include "compiler/pragma/parse.h"

#include <gtest/gtest.h>

using namespace tacit::compiler;

namespace {

annotation read(std::string_view text) {
  parsed_pragma made = parse_pragma(text);
  EXPECT_TRUE(made.says) << text << ": " << made.wrong.problem;
  return made.says.value_or(annotation{});
}

malformed fault_of(std::string_view text) {
  const parsed_pragma made = parse_pragma(text);
  EXPECT_FALSE(made.says) << text;
  return made.wrong;
}

std::vector<std::string> texts(const std::vector<written>& items) {
  std::vector<std::string> made;
  for (const written& w : items)
    made.push_back(w.text);
  return made;
}

using list = std::vector<std::string>;

} // namespace

TEST(pragma, figure_5_names_two_windows) {
  const annotation a =
      read("osc_coalesce(p2_win,pred2,int64_t,MPI_INT64_T,\\\n  MPI_COMM_WORLD) (q2_win,queue_bitmap2,"
           "unsigned long,\\\n  MPI_UNSIGNED_LONG,MPI_COMM_WORLD)");
  EXPECT_EQ(a.kind, annotation_kind::osc_coalesce);
  ASSERT_EQ(a.windows.size(), 2U);
  EXPECT_EQ(a.windows[0].window.text, "p2_win");
  EXPECT_EQ(a.windows[0].buffer.text, "pred2");
  EXPECT_EQ(a.windows[0].type.text, "int64_t");
  EXPECT_EQ(texts(a.windows[0].more), (list{"MPI_INT64_T", "MPI_COMM_WORLD"}));
  EXPECT_EQ(a.windows[1].type.text, "unsigned long");
  EXPECT_FALSE(a.no_overlap);
}

TEST(pragma, figure_7_names_communicators) {
  for (const char* text : {"cco MPI_SendRecv(ew_comm,ns_comm)", "indep MPI_SendRecv(ew_comm, ns_comm)"}) {
    const annotation a = read(text);
    ASSERT_EQ(a.groups.size(), 1U) << text;
    EXPECT_EQ(a.groups[0].call, group_call::sendrecv);
    EXPECT_EQ(texts(a.groups[0].expressions), (list{"ew_comm", "ns_comm"}));
  }
}

TEST(pragma, figure_9_names_one_window_and_its_rank) {
  const annotation a = read("rma(win,buf,int,MPI_INT,wsize,wrank)");
  EXPECT_EQ(a.kind, annotation_kind::rma);
  EXPECT_EQ(texts(a.windows.at(0).more), (list{"MPI_INT", "wsize", "wrank"}));
  const annotation b = read("local_ldst(win,buf,int,MPI_INT,wsize,wrank)\\\nno_overlap");
  EXPECT_EQ(b.kind, annotation_kind::local_ldst);
  EXPECT_TRUE(b.no_overlap);
}

TEST(pragma, groups_of_figure_2) {
  const annotation a = read("cco MPI_Send(a.comm, f(x, y)) MPI_Recv(comms[i]) MPI_Wait(r) MPI_Win(w)");
  ASSERT_EQ(a.groups.size(), 4U);
  EXPECT_EQ(texts(a.groups[0].expressions), (list{"a.comm", "f(x, y)"}));
  EXPECT_EQ(a.groups[2].call, group_call::wait);
  EXPECT_EQ(a.groups[3].call, group_call::window);
}

TEST(pragma, a_group_without_expressions_names_all_calls) {
  EXPECT_TRUE(read("cco MPI_Send").groups.at(0).expressions.empty());
  EXPECT_EQ(fault_of("cco MPI_Send()").at, 13U); // all of them: without parentheses
  EXPECT_EQ(read("cco MPI_Send MPI_Recv(c)").groups.size(), 2U);
}

TEST(pragma, expressions_without_a_comma_between_are_refused) {
  const malformed wrong = fault_of("cco MPI_SendRecv(c d)");
  EXPECT_EQ(wrong.at, 19U);
  EXPECT_EQ(wrong.problem, "expected ',' behind 'c', found 'd'");
  EXPECT_EQ(wrong.expected,
            "#pragma mpi cco MPI_Send|MPI_Recv|MPI_SendRecv|MPI_Wait|MPI_Win[(EXPRESSION, ...)]...");
  EXPECT_EQ(fault_of("indep MPI_Win(a, grid->win other)").at, 27U);
  EXPECT_EQ(fault_of("cco MPI_Send(c[1] + n c)").problem, "expected ',' behind 'n', found 'c'");
  EXPECT_EQ(fault_of("cco MPI_Send(c 1)").at, 15U);
  EXPECT_EQ(fault_of("rma(w b, int, MPI_INT)").at, 6U);
  EXPECT_EQ(fault_of("rma(w, b, int, MPI_INT size, rank)").problem,
            "expected ',' behind 'MPI_INT', found 'size'");
}

TEST(pragma, words_that_belong_together_need_no_comma) {
  const annotation a = read("cco MPI_Send(sizeof x, a and b, not c, (my type) x, f(unsigned long) , p -> c)");
  EXPECT_EQ(texts(a.groups.at(0).expressions),
            (list{"sizeof x", "a and b", "not c", "(my type) x", "f(unsigned long)", "p -> c"}));
  EXPECT_EQ(read("rma(w, b, unsigned long int, MPI_UNSIGNED_LONG)").windows.at(0).type.text,
            "unsigned long int");
}

TEST(pragma, types_have_commas_in_angles) {
  const annotation a = read("rma(w, b, std::pair<int, long>, T)");
  EXPECT_EQ(a.windows.at(0).type.text, "std::pair<int, long>");
}

TEST(pragma, literals_hide_brackets) {
  EXPECT_EQ(texts(read("cco MPI_Send(table[')'], name(\"),\\\"\"))").groups.at(0).expressions),
            (list{"table[')']", "name(\"),\\\"\")"}));
}

TEST(pragma, comments_are_blanks) {
  EXPECT_EQ(read("cco /* all */ MPI_Send // of them").groups.size(), 1U);
}

TEST(pragma, a_window_may_be_what_a_pointer_leads_to) {
  EXPECT_EQ(read("rma(*wp, (b), int, MPI_INT)").windows.at(0).window.text, "*wp");
  EXPECT_EQ(fault_of("rma(4, b, int, MPI_INT)").at, 4U);
}

TEST(pragma, clauses) {
  const annotation a =
      read("osc_coalesce (w, b, int, MPI_INT) no_overlap factor(64) memory(1048576) transformed");
  EXPECT_TRUE(a.no_overlap && a.transformed);
  EXPECT_EQ(a.factor, 64U);
  EXPECT_EQ(a.memory_limit, 1048576U);
  EXPECT_EQ(read("rma (w, b, int, MPI_INT) incoherent").caches, coherence::incoherent);
}

TEST(pragma, says_whether_and_how_before_the_platform_does) {
  EXPECT_EQ(read("overlap MPI_Alltoall(c) puts").when, wish::puts);
  EXPECT_EQ(read("overlap MPI_Alltoall measured transformed").when, wish::measured);
  EXPECT_EQ(read("osc_coalesce (w, b, int, MPI_INT) never").when, wish::never);
  EXPECT_EQ(read("osc_coalesce (w, b, int, MPI_INT) factor(8) always").when, wish::always);
  EXPECT_EQ(read("osc_coalesce (w, b, int, MPI_INT)").when, wish::as_platform);
  EXPECT_NE(fault_of("overlap MPI_Alltoall never puts").problem.find("was said already"), std::string::npos);
  EXPECT_NE(fault_of("osc_coalesce (w, b, int, MPI_INT) puts").problem.find("'puts' cannot stand here"),
            std::string::npos);
  EXPECT_FALSE(fault_of("cco MPI_Send never").problem.empty());
  EXPECT_EQ(read("cco MPI_Send always").when, wish::always);
}

TEST(pragma, a_collective_and_the_loop_that_produces_its_data) {
  EXPECT_EQ(read("overlap MPI_Alltoall(array)").groups.at(0).call, group_call::collective);
  EXPECT_EQ(read("indep MPI_Alltoall(array)").groups.at(0).call, group_call::collective);
  EXPECT_EQ(fault_of("overlap MPI_Send(c)").at, 8U);
  EXPECT_EQ(fault_of("cco MPI_Alltoall(array)").at, 4U);
}

TEST(pragma, unknown_words_are_answered_with_the_nearest) {
  const malformed a = fault_of("indpe MPI_Send(c)");
  EXPECT_EQ(a.at, 0U);
  EXPECT_EQ(a.problem, "there is no annotation 'indpe' (did you mean indep?)");
  EXPECT_EQ(fault_of("cco MPI_Snd(c)").problem,
            "'MPI_Snd' is no communication that can be named here (did you mean MPI_Send?)");
  EXPECT_EQ(fault_of("rma(w,b,int,MPI_INT) no_overlap").at, 21U);
  EXPECT_EQ(fault_of("local_ldst(w,b,int,MPI_INT) nooverlap").problem,
            "'nooverlap' cannot stand here (did you mean no_overlap?)");
}

TEST(pragma, faults_say_where_and_what_form) {
  const malformed a = fault_of("osc_coalesce(win, buf)");
  EXPECT_EQ(a.at, 21U);
  EXPECT_EQ(a.problem, "expected ',' behind the buffer, found ')'");
  EXPECT_EQ(a.expected, form_of(annotation_kind::osc_coalesce));
  EXPECT_EQ(fault_of("").problem, "expected an annotation, found the end of the line");
  EXPECT_EQ(fault_of("cco (a)").problem, "expected a communication such as MPI_Send, found '('");
  EXPECT_EQ(fault_of("rma w").problem, "expected a window in parentheses, found 'w'");
  EXPECT_EQ(fault_of("cco MPI_Send(a").problem,
            "expected ')' at the end of the expressions, found the end of the line");
  EXPECT_EQ(fault_of("cco MPI_Send(a[1)").problem, "nothing opened this ')'");
  EXPECT_EQ(fault_of("cco MPI_Recv()").problem,
            "expected an expression, found ')'; without parentheses all calls of the kind are named");
  EXPECT_EQ(fault_of("osc_coalesce(w,b,int,MPI_INT) factor(99999999999999999999)").problem,
            "the number is too large: factor can be 9223372036854775807 at most");
  EXPECT_EQ(fault_of("osc_coalesce(w,b,int,MPI_INT) factor(9223372036854775808)").problem,
            "the number is too large: factor can be 9223372036854775807 at most");
  EXPECT_EQ(fault_of("rma(w,b,int,MPI_INT) (").problem, "expected a window, found the end of the line");
  EXPECT_EQ(fault_of("osc_coalesce(w,b,int,T) factor(0)").problem, "expected a positive number, found '0'");
  EXPECT_EQ(fault_of("cco MPI_Send(c) ;").at, 16U);
}

TEST(pragma, what_was_read_is_written_as_the_same) {
  for (const char* text :
       {"osc_coalesce (w, b, int, MPI_INT, c) no_overlap factor(3)", "cco MPI_SendRecv(a, b)",
        "local_ldst (w, b, int, MPI_INT) no_overlap coherent transformed",
        "overlap MPI_Alltoall(c) puts transformed",
        "osc_coalesce (w, b, int, MPI_INT) no_overlap factor(8) always"})
    EXPECT_EQ(write_pragma(read(text)), text);
}
