#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "surface/report/fake_analysis.h"
#include "surface/report/graph_page.h"
#include "surface/report/html.h"
#include "surface/report/recording_page.h"
#include "surface/report/text.h"
#include "surface/report/wrap.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tacit::tests {

using namespace surface;
namespace {

using namespace surface;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++n;
  return n;
}

/// Every element is closed in order, and no quote is open: what an XML parser would insist on.
std::string structure_error(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos)
      return "tag without end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    if (tag.starts_with("!DOCTYPE") || tag.ends_with("/"))
      continue;
    if (count(tag, "\"") % 2 != 0)
      return "odd quotes in <" + tag + ">";
    const std::string name =
        tag.substr(tag.starts_with("/"), tag.find_first_of(" \n") - tag.starts_with("/"));
    if (!tag.starts_with("/")) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes <" + (open.empty() ? "" : open.back()) + ">";
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

/// With KEEP_PAGES=folder in the environment the pages are kept to be looked at.
std::string kept(const std::string& name, std::string html) {
  if (const char* folder = std::getenv("KEEP_PAGES"))
    std::ofstream(std::string(folder) + "/" + name) << html;
  return html;
}

void expect_safe_page(const std::string& html) {
  EXPECT_LT(html.size(), html_limit);
  EXPECT_EQ(structure_error(html), "");
  EXPECT_FALSE(contains(html, "<script"));
  EXPECT_FALSE(contains(html, "<img"));
  EXPECT_FALSE(contains(html, "http://")) << "nothing may be loaded";
  EXPECT_FALSE(contains(html, "https://"));
  EXPECT_FALSE(contains(html, "url("));
}

std::string html_of_graph(const graphs::graph& g) {
  const graphs::compilation c = graphs::compile(g);
  const graphs::graph with_all = with_groups(g, c.groups);
  return html_of(page_of({"some <graph>", with_all, c, {}}));
}

TEST(pages, recording_of_four_ranks_says_it_all) {
  const auto a = fake_analysis(4, 1, false);
  const std::string html =
      kept("four.html", html_of(page_of(a, {}, {"mpiexec -n 4 solver", "solver.tacit", "exit code 0"})));
  expect_safe_page(html);
  for (const char* part :
       {"Broadcast, ring, 427 times", "Collectives found", "Other messages", "41 % of MPI time",
        "MPI_Bcast on a row communicator", "cycle 0,1,2,3", "panel.c:118 (broadcast_panel)",
        "Left alone, because", "id=\"TACIT-041\"", "href=\"#TACIT-041\"", "MPI_Allreduce", "content hashes",
        "observed in this run", "mpiexec -n 4 solver", "rank 0 to rank 1"})
    EXPECT_TRUE(contains(html, part)) << part;
}

TEST(pages, large_and_hostile_input_stays_small_and_safe) {
  const auto a = fake_analysis(64, 200, true);
  diagnostics problems;
  for (int i = 0; i < 3000; ++i)
    problems.push_back(
        {.code = 63, .message = "rank <b>7</b> " + std::string(2000, 'x'), .remedy = "\xf0\x28\x8c\x28"});
  const std::string html =
      kept("hostile.html", html_of(page_of(a, problems, {std::string(100000, '<'), "", ""})));
  expect_safe_page(html);
  EXPECT_TRUE(contains(html, "are left out of this page"));
}

TEST(pages, pictures_of_many_ranks_are_cut_with_a_note) {
  for (const std::uint32_t ranks : {1u, 2u, 16u, 64u, 65u, 1000u}) {
    const std::string html = kept("ranks" + std::to_string(ranks) + ".html",
                                  html_of(page_of(fake_analysis(ranks, 1, false), {}, {})));
    expect_safe_page(html);
    EXPECT_EQ(contains(html, "ranks that take part are drawn") || contains(html, "Each cell joins"),
              ranks > 64)
        << ranks;
  }
}

TEST(pages, an_empty_recording_is_said_to_be_empty) {
  const recordings::analysis nothing;
  const std::string html = html_of(page_of(nothing, {}, {}));
  expect_safe_page(html);
  EXPECT_TRUE(contains(html, "Nothing was recorded"));
  EXPECT_TRUE(contains(text_of(page_of(nothing, {}, {})), "Nothing was recorded"));
  EXPECT_FALSE(contains(html, "nan"));
}

TEST(pages, neighborhood_collectives_are_told_of_apply) {
  recordings::analysis a = fake_analysis(4, 1, false);
  EXPECT_FALSE(contains(text_of(page_of(a, {}, {})), "--apply"));
  a.collectives.push_back({"MPI_Neighbor_alltoall", 0, 1000, 4000, 2.5, 0.31});
  EXPECT_TRUE(
      contains(text_of(page_of(a, {}, {})), "31 % of the MPI time is in 1,000 neighborhood collectives"));
}

TEST(pages, shapes_of_collectives_are_told_apart_from_collectives) {
  recordings::analysis a = fake_analysis(4, 1, false);
  std::erase_if(a.activities, [](const recordings::activity& x) { return x.found.has_value(); });
  const auto says = [&a](const std::string& part) {
    return std::ranges::any_of(page_of(a, {}, {}).headlines,
                               [&part](const std::string& line) { return contains(line, part); });
  };
  EXPECT_TRUE(says("No collective was recognised"));
  a.activities.front().shape = recordings::message_shape::chain; // may be a pipeline
  EXPECT_TRUE(says("No collective was recognised"));
  a.activities.front().shape = recordings::message_shape::alltoall;
  EXPECT_FALSE(says("No collective was recognised"));
  EXPECT_TRUE(says("One pattern has the shape of a collective"));
  a.activities.front().shape = recordings::message_shape::no_shape;
  a.activities.front().doubted = {pattern::alltoall, recordings::doubt::tiny, {}};
  EXPECT_TRUE(says("No collective was recognised"));
  a.activities.front().doubted->why = recordings::doubt::dependent; // an alltoall by its shape
  EXPECT_TRUE(says("One pattern has the shape of a collective"));
}

TEST(pages, time_in_no_message_and_no_collective_is_told) {
  recordings::analysis a = fake_analysis(4, 1, false);
  a.communication_seconds = 1;
  a.unmodelled_seconds = 0.3;
  a.other_seconds = 0.35; // 0.3 of it are told of by themselves
  EXPECT_FALSE(contains(text_of(page_of(a, {}, {})), "no part of a message"));
  a.other_seconds = 0.85;
  EXPECT_TRUE(
      contains(text_of(page_of(a, {}, {})), "55 % of the MPI time is in calls that are no part of a"));
}

TEST(pages, calls_that_did_not_return_are_in_no_share_of_time) {
  recordings::analysis a = fake_analysis(4, 1, false);
  EXPECT_FALSE(contains(text_of(page_of(a, {}, {})), "In calls that returned"));
  a.ends.push_back({});
  EXPECT_TRUE(contains(text_of(page_of(a, {}, {})), "In calls that returned, "));
}

TEST(pages, summary_has_at_most_the_lines_asked_for) {
  for (const std::uint32_t copies : {0u, 1u, 50u}) {
    const std::string text = summary_of(page_of(fake_analysis(64, copies, true), {}, {}), 14);
    EXPECT_LE(std::ranges::count(text, '\n'), 14);
    for (const char c : text)
      EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST(pages, json_of_a_recording_is_valid_and_complete) {
  const auto parsed = nlohmann::json::parse(json_of(fake_analysis(16, 3, true), {}, {}));
  EXPECT_EQ(parsed["activities"].size(), 9u);
  EXPECT_EQ(parsed["activities"][0]["pattern"], "bcast");
  EXPECT_EQ(parsed["activities"][0]["left_alone"][0]["code"], "TACIT-041");
  EXPECT_EQ(parsed["activities"][2]["could_become"], nullptr);
  EXPECT_EQ(parsed["ranks"], 16);
}

TEST(pages, graphs_of_every_algorithm_give_safe_pages) {
  for (const graphs::known_algorithm& k : graphs::known_algorithms())
    for (const std::uint32_t p : {1u, 4u, 8u, 64u}) {
      graphs::recipe r{.kind = k.kind, .form = k.form, .ranks = p};
      diagnostics problems;
      if (const auto g = graphs::generate(r, problems))
        expect_safe_page(html_of_graph(*g));
    }
}

TEST(pages, a_graph_page_names_what_was_found_and_what_was_not) {
  graphs::recipe r{.kind = pattern::alltoall, .form = graphs::algorithm::butterfly, .ranks = 4, .block = 1};
  diagnostics problems;
  const auto g = graphs::generate(r, problems);
  const graphs::compilation c = graphs::compile(*g);
  const page p = page_of({"figure 1", *g, c, {}});
  EXPECT_EQ(p.headlines.front(), "8 messages do the work of one alltoall on all 4 ranks, 1 B per block.");
  const std::string text = text_of(p);
  for (const char* part : {"alltoall on all 4 ranks", "TACIT-021",
                           "rank 0        0x2001      1  rank 1   0x1000", "rank 0        1–3"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  EXPECT_EQ(p.before.steps, 3u); // two rounds of messages
  EXPECT_EQ(p.after.calls.size(), 1u);
  const auto parsed = nlohmann::json::parse(json_of(graph_analysis{"figure 1", *g, c, {}}));
  EXPECT_EQ(parsed["findings"][0]["pattern"], "alltoall");
  EXPECT_EQ(parsed["transfers"].size(), 12u);
  EXPECT_EQ(parsed["wait_sets"][0], (nlohmann::json{1, 2, 3}));
  EXPECT_EQ(parsed["plan"]["as_written"], false);
  EXPECT_EQ(count(dot_of({"figure 1", *g, c, {}}), "penwidth"), 8u);
}

TEST(pages, a_graph_with_errors_gives_its_problems) {
  graphs::graph g(2);
  g.send(rank_id{0}, graphs::segment{0, 8}, rank_id{1});
  const graphs::compilation c = graphs::compile(g);
  const page p = page_of({"broken", g, c, std::vector<std::uint32_t>{12}});
  EXPECT_TRUE(contains(p.headlines.front(), "1 error"));
  EXPECT_TRUE(contains(text_of(p), "error TACIT-002, line 12"));
  expect_safe_page(html_of(p));
}

TEST(pages, escaping_leaves_no_markup_and_only_utf_8) {
  EXPECT_EQ(escaped("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escaped("\xff\xc0\xaf\xed\xa0\x80z"),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
  EXPECT_EQ(escaped("µ €"), "µ €");
  EXPECT_EQ(escaped("abcdef", 3), "abc…");
}

TEST(pages, numbers_for_people) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(51200), "50 KiB");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(~0ull), "16 EiB");
  EXPECT_EQ(readable_seconds(0), "0 ns");
  EXPECT_EQ(readable_seconds(3.2e-6), "3.2 µs");
  EXPECT_EQ(readable_seconds(0.9999), "1 s");
  EXPECT_EQ(wrapped("aa bb cc", 5, 2), "aa bb\n  cc");
  EXPECT_EQ(wrapped("", 5), "");
  EXPECT_EQ(wrapped("takes 11 % of all", 8), "takes\n11 % of\nall"); // a number keeps its unit
  EXPECT_EQ(wrapped("aa bb", 5, 1, 3), "aa\n bb");                   // behind three other characters
}

} // namespace
} // namespace tacit::tests
