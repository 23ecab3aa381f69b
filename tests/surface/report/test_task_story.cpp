// Programs of tasks in reports: what tasks.json says, drawn and in words.
#include "surface/report/html.h"
#include "surface/report/task_story.h"
#include "surface/report/text.h"

#include <gtest/gtest.h>

namespace tacit::tests {
namespace {

using namespace surface;

constexpr std::string_view written = R"json({
  "ranks": 4, "rank": 0, "left_out": 2,
  "buffers": [{"name": "x<y"}, {"name": ""}],
  "tasks": [
    {"id": 1, "kind": "kernel", "name": "make", "after": [0]},
    {"id": 2, "kind": "kernel", "name": "smooth", "after": [1]},
    {"id": 3, "kind": "horizon", "name": "", "after": [2]},
    {"id": 4, "kind": "kernel", "name": "make", "after": [2]},
    {"id": 5, "kind": "kernel", "name": "smooth", "after": [4]},
    {"id": 6, "kind": "host", "name": "", "after": [5]}],
  "exchanges": [
    {"producer": 1, "consumer": 2, "buffer": 0, "collective": "halo", "exchange": 0, "ahead": false},
    {"producer": 4, "consumer": 5, "buffer": 0, "collective": "halo", "exchange": 1, "ahead": false},
    {"producer": 5, "consumer": 6, "buffer": 1, "reason": "TACIT-322"}],
  "commands": [
    {"id": 0, "kind": "epoch", "task": 0, "after": []},
    {"id": 1, "kind": "execute", "task": 1, "after": [0]},
    {"id": 2, "kind": "collective", "collective": "halo", "exchange": 0, "replaces": 4, "task": 2, "after": [1]},
    {"id": 3, "kind": "execute", "task": 2, "after": [2]},
    {"id": 4, "kind": "collective", "collective": "halo", "exchange": 1, "replaces": 4, "task": 5, "after": [3]},
    {"id": 5, "kind": "push", "task": 6, "after": [3]}]
})json";

task_story story() {
  std::string fault;
  const auto read = read_task_story(written, fault);
  EXPECT_TRUE(read) << fault;
  return read.value_or(task_story{});
}

TEST(task_story, joins_what_repeats) {
  const task_story s = story();
  EXPECT_EQ(s.tasks, 5u);
  ASSERT_EQ(s.graph.rows.size(), 3u);
  EXPECT_EQ(s.graph.rows[0].label, "make");
  EXPECT_EQ(s.graph.rows[0].count, 2u);
  EXPECT_EQ(s.graph.rows[2].label, "host without a name");
  ASSERT_EQ(s.exchanges.size(), 2u);
  EXPECT_EQ(s.exchanges[0].collective, "halo");
  EXPECT_EQ(s.exchanges[0].times, 2u);
  EXPECT_EQ(s.exchanges[0].replaced, 4u);
  EXPECT_EQ(s.exchanges[1].buffer, "buffer 1");
  EXPECT_EQ(number(s.exchanges[1].why), 322);
  ASSERT_EQ(s.commands.rows.size(), 4u);
  EXPECT_EQ(s.commands.rows[1].label, "halo for smooth");
  EXPECT_EQ(s.commands.rows[1].count, 2u);
  EXPECT_EQ(s.commands.rows[3].kind, diagram::style::message);
}

TEST(task_story, is_a_headline_a_section_and_two_pictures) {
  page p;
  p.title = "program";
  p.tasks = story();
  EXPECT_EQ(headline_of(*p.tasks),
            "5 tasks on 4 ranks: what they need of each other comes by 2 halos, 1 exchange by messages.");
  const std::string html = html_of(p);
  for (const char* part : {"id=\"tasks\"", "id=\"commands\"", "smooth needs x&lt;y", "<strong>halo</strong>",
                           "in place of 4 messages of rank 0", "href=\"#TACIT-322\"",
                           "class=\"figure diagram\"", "2 later tasks and exchanges are left out"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("x<y"), std::string::npos) << "names are escaped";
  const std::string text = text_of(p, 0);
  EXPECT_NE(text.find("smooth needs x<y of make, 2 times, by halo"), std::string::npos) << text;
  EXPECT_NE(text.find("by messages (TACIT-322"), std::string::npos) << text;
}

TEST(task_story, says_what_is_wrong_with_a_file) {
  for (const std::string_view wrong :
       {"", "{", "[]", R"({"ranks": "four"})", R"({"ranks": 4, "rank": 0})",
        R"({"ranks":1,"rank":0,"buffers":[],"tasks":[7],"exchanges":[],"commands":[]})"}) {
    std::string fault;
    EXPECT_FALSE(read_task_story(wrong, fault)) << wrong;
    EXPECT_FALSE(fault.empty());
  }
}

TEST(task_story, draws_a_part_of_what_is_large) {
  diagram large;
  for (std::size_t i = 0; i < 5000; ++i) {
    large.rows.push_back({"row " + std::to_string(i)});
    large.arcs.push_back({i, (i * 7) % 5000, "x"});
  }
  EXPECT_LT(svg_of(large).size(), 100'000u);
  EXPECT_NE(cut_note(large).find("Of 5000 rows"), std::string::npos);
}

} // namespace
} // namespace tacit::tests
