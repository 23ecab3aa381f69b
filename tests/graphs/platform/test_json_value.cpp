// JSON read inside programs of users: compared with nlohmann::json, and read where memory is refused.
#include "failing_memory.h"

#include "graphs/platform/json_value.h"
#include "graphs/platform/machine_model.h"
#include "graphs/platform/selftest_verdict.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace tacit::graphs {
namespace {

using json = nlohmann::ordered_json;

bool same(const json& expected, const json_value& read) {
  if (expected.is_object()) {
    if (!read.fields() || read.fields()->size() != expected.size())
      return false;
    for (const auto& [key, value] : expected.items())
      if (!read.find(key) || !same(value, *read.find(key)))
        return false;
    return true;
  }
  if (expected.is_array()) {
    if (!read.elements() || read.elements()->size() != expected.size())
      return false;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!same(expected[i], (*read.elements())[i]))
        return false;
    return true;
  }
  if (expected.is_string())
    return read.text() && *read.text() == expected.get<std::string>();
  if (expected.is_boolean())
    return read.truth() && *read.truth() == expected.get<bool>();
  if (expected.is_number_unsigned())
    return read.whole() && *read.whole() == expected.get<std::uint64_t>() && read.number();
  if (expected.is_number())
    return !read.whole() && read.number() && *read.number() == expected.get<double>();
  return !read.fields() && !read.elements() && !read.text() && !read.truth() && !read.number();
}

json random_value(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 8 : 6)) {
  case 0:
    return nullptr;
  case 1:
    return random() % 2 == 0;
  case 2:
    return std::uint64_t{random()} << (random() % 33);
  case 3:
    return -static_cast<std::int64_t>(random()) - 1;
  case 4:
    return static_cast<double>(random()) / 7 - 1e8;
  case 5:
    return std::string(random() % 40, static_cast<char>('a' + random() % 26)) + "\"\\\n\u00e9";
  case 6: {
    json list = json::array();
    for (auto n = random() % 5; n > 0; --n)
      list.push_back(random_value(random, depth - 1));
    return list;
  }
  default: {
    json object = json::object();
    for (auto n = random() % 5; n > 0; --n)
      object["key " + std::to_string(random() % 100)] = random_value(random, depth - 1);
    return object;
  }
  }
}

TEST(json_values, are_those_that_nlohmann_reads) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 3000; ++i) {
    const json all = random_value(random, 1 + static_cast<int>(random() % 8));
    const std::string text = all.dump(static_cast<int>(random() % 3) - 1);
    EXPECT_TRUE(same(all, parse_json(text))) << text;
    const std::string cut = text.substr(0, random() % text.size());
    if (!json::accept(cut)) {
      EXPECT_THROW(parse_json(cut), json_error) << cut;
    }
  }
}

TEST(json_values, keep_the_first_of_two_and_count_both) {
  const json_value read = parse_json(R"({"a": 1, "a": 2})");
  EXPECT_EQ(*read.find("a")->whole(), 1u);
  EXPECT_EQ(read.fields()->size(), 2u);
}

TEST(json_values, do_not_nest_without_end) {
  EXPECT_NO_THROW(parse_json(std::string(16, '[') + std::string(16, ']')));
  EXPECT_THROW(parse_json(std::string(17, '[') + std::string(17, ']')), json_error);
  EXPECT_THROW(parse_json(std::string(1'000'000, '[')), json_error);
}

/// `read` at every allocation that can fail, alone and with all that follow: it may throw, and must not end the process.
template <typename Read>
void with_failing_memory(const Read& read) {
  for (const bool all : {false, true}) {
    long n = 1;
    for (any_has_failed = true; any_has_failed; ++n) {
      any_has_failed = false;
      all_following_fail = all;
      allocation_to_fail = n;
      bool thrown = false;
      try {
        read();
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      allocation_to_fail = 0;
      EXPECT_TRUE(thrown || !any_has_failed || !all) << n; // what a stream has caught itself, once, aside
    }
    EXPECT_GT(n, 20);
  }
  all_following_fail = false;
}

TEST(json_values, can_be_destroyed_without_memory) {
  machine_model m = default_model();
  m.machine = {"node1", "a processor", 2, "Open MPI v4.1.4"};
  m.measured = "2026-11-21";
  const std::string model = text_of(m);
  with_failing_memory([&] { parse_model(model); });
}

TEST(json_values, of_a_kept_verdict_can_be_destroyed_without_memory) {
  std::string name = (std::filesystem::temp_directory_path() / "tacit-json-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const std::filesystem::path file = selftest_file("An MPI 1.2");
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file)
      << R"({"tacit":"selftest","format":1,"mpi":{"version":"An MPI 1.2"},"ranks":[1,2],"cells":[{"implementation":"mpi",)"
         R"("topology":"graph","mode":"nonblocking","call":"alltoall","verdict":"right","cases":3,"wrong":0}]})";
  ASSERT_EQ(load_selftest("An MPI 1.2", "nonblocking").of("graph", "alltoall"), "right");
  with_failing_memory([&] { load_selftest("An MPI 1.2", "nonblocking"); });
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace tacit::graphs
