// The text of machine models: what is written is read again, and nothing else is.
#include "graphs/platform/machine_model.h"
#include "graphs/platform/model_file.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    parse_model(text);
  } catch (const model_error& e) {
    return e.what();
  }
  return "accepted";
}

machine_model example() {
  machine_model m = default_model();
  m.channels.clear();
  m.machine = {"node1", "a processor", 2, "Open MPI v4.1.4"};
  m.measured = "2026-11-21";
  return m;
}

/// A folder for the cache, with the environment pointing at it.
class in_a_folder : public testing::Test {
protected:
  in_a_folder() {
    std::string name = (fs::temp_directory_path() / "tacit-model-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    ::unsetenv("TACIT_PLATFORM");
  }
  ~in_a_folder() override { fs::remove_all(folder); }
  void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  fs::path folder;
};

TEST(platform_model, reads_what_it_writes) {
  EXPECT_EQ(parse_model(text_of(example())), example());
  machine_model two_hosts = example();
  two_hosts.one_host = false;
  two_hosts.memory.clear();
  two_hosts.puts.clear();
  two_hosts.flag = {};
  two_hosts.window = window_model::none;
  EXPECT_EQ(parse_model(text_of(two_hosts)), two_hosts);
}

TEST(platform_model, says_whether_cores_share_a_cache) {
  machine_model m = example();
  EXPECT_EQ(text_of(m).find("one_cache"), std::string::npos); // as files of earlier versions
  EXPECT_EQ(m.between(), pair_class::same_node);
  m.one_cache = false;
  EXPECT_EQ(parse_model(text_of(m)), m);
  EXPECT_NE(parse_model(text_of(m)), example());
  EXPECT_EQ(m.between(), pair_class::other_cache);
  m.one_host = false;
  EXPECT_EQ(m.between(), pair_class::other_node);
  EXPECT_NE(model_file(m.machine), model_file(m.machine, pair_class::other_cache));
  EXPECT_NE(model_file(m.machine, pair_class::other_node), model_file(m.machine, pair_class::other_cache));
}

TEST(platform_model, says_what_puts_do_meanwhile_or_nothing) {
  machine_model m = example();
  EXPECT_EQ(text_of(m).find("put_meanwhile"), std::string::npos); // as files of earlier versions
  m.put_meanwhile = {{150, 160, 190}, {80, 90, 95}};
  EXPECT_EQ(parse_model(text_of(m)), m);
  std::string more = text_of(m);
  more.replace(more.find("95.0"), 4, "195.0");
  EXPECT_THROW(parse_model(more), model_error);
}

TEST(platform_model, has_rates_of_one_sided_operations_or_none) {
  machine_model m = example();
  EXPECT_EQ(text_of(m).find("one_sided"), std::string::npos); // as files of earlier versions
  m.put_rate = {{100, 120, 140}, {20, 21, 22}};
  m.get_rate = {{200, 220, 240}, {30, 31, 32}};
  m.accumulate_rate = {{1000, 1100, 1200}, {25, 26, 27}};
  const std::string text = text_of(m);
  EXPECT_EQ(parse_model(text), m);
  EXPECT_NE(parse_model(text), example());
  EXPECT_NE(refusal(replaced(text, "\"coalesced\"", "\"together\"")).find("has no \"coalesced\""),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, "\"accumulate\"", "\"add\"")).find("has no \"accumulate\""),
            std::string::npos);
}

TEST(platform_model, knows_channels_or_not) {
  machine_model m = example();
  EXPECT_EQ(text_of(m).find("channels"), std::string::npos); // as files of earlier versions
  m.channels = {{8, {60, 70, 80}, {90, 100, 110}}, {1024, {200, 210, 220}, {300, 310, 320}}};
  const std::string text = text_of(m);
  EXPECT_EQ(parse_model(text), m);
  EXPECT_NE(parse_model(text), example());
  EXPECT_NE(refusal(replaced(text, "\"exchange\"", "\"both\"")).find("has no \"exchange\""),
            std::string::npos);
  std::string none = text;
  none.replace(none.find('[', none.find("channels")),
               none.find("\"puts\"") - none.find('[', none.find("channels")), "[],");
  EXPECT_NE(refusal(none).find("\"channels\" is no list"), std::string::npos);
}

TEST(platform_model, knows_exchanges_and_combining_or_not) {
  machine_model m = example();
  EXPECT_EQ(text_of(m).find("exchange"), std::string::npos); // as files of earlier versions
  EXPECT_EQ(text_of(m).find("combine"), std::string::npos);
  m.messages.front().exchange = {700, 800, 900};
  m.memory.back().combine = {40, 50, 60};
  const std::string text = text_of(m);
  EXPECT_EQ(parse_model(text), m);
  EXPECT_NE(parse_model(text), example());
  EXPECT_NE(refusal(replaced(text, "\"combine\"", "\"combined\"")), "accepted");
}

TEST(platform_model, refuses_with_the_reason) {
  const std::string good = text_of(example());
  EXPECT_NE(refusal("").find("no JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("no object"), std::string::npos);
  EXPECT_NE(refusal("{}").find("has no \"tacit\""), std::string::npos);
  EXPECT_EQ(refusal(replaced(good, "machine model", "selftest")), "it is no machine model");
  EXPECT_NE(refusal(replaced(good, "\"format\": 1", "\"format\": 2")).find("reads format 1"),
            std::string::npos);
  EXPECT_NE(
      refusal(replaced(good, "\"eager_limit\": 4096", "\"eager_limit\": -4096")).find("no whole number"),
      std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"bytes\": 64,", "\"bytes\": 8,")).find("do not rise"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"unified\"", "\"both\"")).find("neither none"), std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"one_host\": true", "\"one_host\": 1")).find("neither true"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"measured\"", "\"other\": 1, \"measured\"")).find("does not know"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(2 << 20, ' ')).find("bytes"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '[')).find("deeper than 16"), std::string::npos);
}

TEST(platform_model, refuses_numbers_without_sense) {
  machine_model m = example();
  m.messages[1].gap = {5, 4, 6};
  EXPECT_NE(refusal(text_of(m)).find("do not rise"), std::string::npos);
  m = example();
  m.messages[1].gap.high = 1e300;
  EXPECT_NE(refusal(text_of(m)).find("no number"), std::string::npos);
  m = example();
  m.progress = {0, 50, 130};
  EXPECT_NE(refusal(text_of(m)).find("progress_percent"), std::string::npos);
  m = example();
  m.messages.clear();
  EXPECT_NE(refusal(text_of(m)).find("messages"), std::string::npos);
}

TEST(platform_model, survives_any_damage) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::string good = text_of(example());
  for (int i = 0; i < 3000; ++i) {
    std::string text = good.substr(0, random() % 4 == 0 ? random() % good.size() : good.size());
    for (unsigned k = random() % 4; k > 0 && !text.empty(); --k)
      text[random() % text.size()] = static_cast<char>(random());
    try {
      const machine_model m = parse_model(text);
      EXPECT_FALSE(m.messages.empty());
      EXPECT_GE(one_way_at(m, 1e6), 0);
    } catch (const model_error&) {
    }
  }
}

TEST(platform_model, continues_between_and_beyond_the_sizes) {
  machine_model m = example();
  m.messages = {{100, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {10, 10, 10}, {}},
                {200, {2, 2, 2}, {2, 2, 2}, {3, 3, 3}, {30, 30, 30}, {}}};
  EXPECT_EQ(gap_at(m, 1), 10);
  EXPECT_EQ(gap_at(m, 150), 20);
  EXPECT_EQ(gap_at(m, 300), 50);
  EXPECT_EQ(send_at(m, 1e9), 2);
  EXPECT_EQ(m.latency(), 0); // never negative
}

TEST(platform_model, names_libraries_shortly) {
  EXPECT_EQ(short_library_name("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI v4.1.4");
  EXPECT_EQ(short_library_name("MPICH Version:\t4.0.2\nMPICH Release date:\tThu"), "MPICH 4.0.2");
  EXPECT_EQ(short_library_name("MPICH Version:"), "MPICH ");
  EXPECT_EQ(short_library_name(""), "");
}

TEST(platform_model, quartiles) {
  EXPECT_EQ(spread_of({3, 1, 2, 5, 4}), (spread{2, 3, 4}));
  EXPECT_EQ(spread_of({7}), (spread{7, 7, 7}));
}

TEST_F(in_a_folder, says_where_a_model_is_from) {
  const machine_identity here = this_machine("Open MPI v4.1.4, package");
  machine_model m = example();
  m.machine = here;
  const fs::path file = model_file(here);
  EXPECT_EQ(file.parent_path(), folder / "tacit");
  EXPECT_NE(load_model_for(here).origin.find("there is no"), std::string::npos);
  EXPECT_EQ(load_model_for(here).model, default_model());

  write(file, text_of(m));
  EXPECT_TRUE(load_model_for(here).measured);
  EXPECT_EQ(load_model_for(here).model, m);

  write(file, text_of(m).substr(0, 300));
  EXPECT_FALSE(load_model_for(here).measured);
  EXPECT_NE(load_model_for(here).origin.find("is damaged"), std::string::npos);
  EXPECT_NE(load_model_for(here).origin.find("`tacit platform`"), std::string::npos);

  m.core_share = 40;
  write(file, text_of(m));
  EXPECT_TRUE(load_model(file, &here).measured);
  EXPECT_NE(load_model_for(here).origin.find("was busy"), std::string::npos);
  EXPECT_EQ(load_model_for(here).model, default_model());
  m.one_host = false;
  write(model_file(here, pair_class::other_node), text_of(m));
  EXPECT_NE(load_model_between(pair_class::other_node, here).origin.find("was busy"), std::string::npos);
  EXPECT_FALSE(load_model_between(pair_class::other_node, here).measured);
  m.core_share = 100;
  write(model_file(here, pair_class::other_node), text_of(m));
  EXPECT_EQ(load_model_between(pair_class::other_node, here).model, m);
  write(model_file(here, pair_class::other_cache), text_of(m));
  EXPECT_NE(load_model_between(pair_class::other_cache, here).origin.find("is a model of two hosts"),
            std::string::npos);
  write(file, text_of(m));
  EXPECT_NE(load_model_for(here).origin.find("not of one host"), std::string::npos);
  m.one_host = true;

  m.machine.cpu = "another processor";
  write(file, text_of(m));
  EXPECT_NE(load_model_for(here).origin.find("of another machine (another processor"), std::string::npos);
  m.machine.host = "elsewhere";
  write(file, text_of(m));
  EXPECT_NE(load_model_for(here).origin.find("host elsewhere"), std::string::npos);
  EXPECT_EQ(load_model_for(here).model, default_model());

  ::setenv("TACIT_PLATFORM", file.c_str(), 1); // named, so it is meant
  EXPECT_TRUE(load_model_for(here).measured);
  ::setenv("TACIT_PLATFORM", folder.c_str(), 1);
  EXPECT_NE(load_model_for(here).origin.find("could not be read"), std::string::npos);
  ::setenv("TACIT_PLATFORM", "default", 1);
  EXPECT_FALSE(load_model_for(here).measured);
  ::unsetenv("TACIT_PLATFORM");
}

TEST_F(in_a_folder, a_network_has_a_model_of_its_own) {
  const machine_identity here = this_machine("MPICH Version: 4.0.2");
  EXPECT_NE(model_file(here), model_file(here, pair_class::other_node));
  EXPECT_EQ(model_file(here).filename().string().find_first_of(" /"), std::string::npos);
}

} // namespace
} // namespace tacit::graphs
