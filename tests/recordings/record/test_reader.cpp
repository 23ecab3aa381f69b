// The reader of recordings: what it keeps, and that no bytes can hurt it.
#include "recordings/meaning/analysis.h"
#include "recordings/meaning/scene.h"
#include "recordings/record/reader.h"
#include "vocabulary/calls/reasons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>

namespace tacit::recording {

using namespace recordings;
namespace {

using testing::scene;

bool has_reason(const diagnostics& problems, reason why) {
  return std::any_of(problems.begin(), problems.end(),
                     [&](const diagnostic& d) { return d.code == number(why); });
}

/// A recording with at least one record of every kind.
scene busy_scene() {
  scene s(4);
  s.communicator(7, 99, {3, 1, 2});
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t r = 0; r < 3; ++r) {
      s.send(r, r + 1, 100, 200);
      s.recv(r + 1, r, 100, 200);
    }
    s.compute(0, 100, 200);
    std::vector<std::vector<std::uint64_t>> requests(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      requests[r].push_back(s.irecv(r, (r + 3) % 4, 2000, 64, true));
      requests[r].push_back(s.isend(r, (r + 1) % 4, 1000, 64));
    }
    for (std::uint32_t r = 0; r < 4; ++r)
      s.waitall(r, requests[r]);
    s.comm = 7;
    s.sendrecv_begin(1, 3, 500, 40);
    s.sendrecv_begin(3, 1, 500, 40);
    s.sendrecv_end(1, 3, 600, 40);
    s.sendrecv_end(3, 1, 600, 40);
    s.comm = scene::world_comm;
    s.iprobe(2, 1);
    s.barrier();
  }
  s.cancel(0, s.irecv(0, 1, 10, 10, true));
  s.finish();
  return s;
}

TEST(recording_reader, keeps_what_was_recorded) {
  diagnostics problems;
  const recording_set set = busy_scene().recorded(problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(set.ranks, 4u);
  ASSERT_EQ(set.recordings.size(), 4u);
  const rank_recording& r = set.recordings[3];
  EXPECT_EQ(r.rank, rank_id{3});
  EXPECT_TRUE(r.finished);
  EXPECT_EQ(r.program, "prog");
  ASSERT_EQ(r.communicators.size(), 2u);
  EXPECT_EQ(r.communicators[1].members, (std::vector<std::uint32_t>{3, 1, 2}));
  EXPECT_EQ(r.communicators[1].rank, 0u);
  ASSERT_FALSE(r.calls.empty());
  EXPECT_EQ(r.modules[r.sites[r.calls[0].site].module].path, "/bin/prog");
  ASSERT_EQ(r.completions_of(0).size(), 1u) << "the first call of rank 3 is a blocking receive";
  EXPECT_EQ(r.completions_of(0)[0].source, 2);
  const rank_recording& first = set.recordings[1];
  EXPECT_EQ(first.forwards_of(1).size(), 1u) << "rank 1 forwards what it received";
}

TEST(recording_reader, stops_at_the_first_incomplete_record) {
  scene s = busy_scene();
  const std::size_t whole = s.file(1).size();
  std::size_t last = ~std::size_t{0};
  for (std::size_t bytes = whole; bytes > 200; bytes -= 8) {
    s.file(1).resize(bytes);
    diagnostics problems;
    const auto one = read_rank(s.file(1), "file", problems);
    ASSERT_TRUE(one);
    EXPECT_LE(one->calls.size(), last);
    last = one->calls.size();
    if (bytes < whole) {
      EXPECT_FALSE(one->finished);
      EXPECT_TRUE(has_reason(problems, reason::recording_incomplete)) << bytes;
    }
  }
}

TEST(recording_reader, an_aborted_rank_gives_lower_bounds) {
  scene s = busy_scene();
  s.file(2).resize(s.file(2).size() / 16 * 8);
  diagnostics problems;
  const analysis a = analyze(s.recorded(problems), problems);
  EXPECT_TRUE(has_reason(problems, reason::recording_incomplete));
  EXPECT_FALSE(has_errors(problems));
  EXPECT_FALSE(a.complete);
  EXPECT_GT(a.messages, 0u);
  EXPECT_GT(a.unmatched_sends + a.unmatched_receives, 0u);
}

TEST(recording_reader, missing_and_foreign_ranks_are_reported) {
  scene four = busy_scene(), two(2);
  two.finish();
  diagnostics problems;
  std::vector<rank_recording> all;
  for (const std::uint32_t r : {0u, 1u, 3u})
    all.push_back(*read_rank(four.file(r), "file", problems));
  all.push_back(*read_rank(two.file(0), "file", problems));
  all.push_back(*read_rank(four.file(1), "file", problems));
  ASSERT_TRUE(problems.empty());
  const recording_set set = join_ranks(std::move(all), problems);
  EXPECT_EQ(set.ranks, 4u);
  EXPECT_EQ(set.recordings.size(), 3u);
  EXPECT_EQ(problems.size(), 3u) << "another size, a second rank 1, no rank 2";
  EXPECT_TRUE(has_reason(problems, reason::recording_incomplete));
  EXPECT_TRUE(has_reason(problems, reason::bad_file));
}

TEST(recording_reader, other_files_are_no_recordings) {
  diagnostics problems;
  const std::vector<std::byte> text(500, std::byte{'x'});
  EXPECT_FALSE(read_rank(text, "text", problems));
  EXPECT_FALSE(read_rank({}, "nothing", problems));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(has_errors(problems));
  EXPECT_NE(problems[0].message.find("text"), std::string::npos);
  problems.clear();
  const recording_set none_there = read_recording("/nonexistent-folder", problems);
  EXPECT_TRUE(none_there.recordings.empty());
  EXPECT_TRUE(has_reason(problems, reason::bad_file));
}

TEST(recording_reader, another_version_is_refused_by_name) {
  scene s = busy_scene();
  s.file(0)[16] = std::byte{200};
  diagnostics problems;
  EXPECT_FALSE(read_rank(s.file(0), "file", problems));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].message.find("format 200"), std::string::npos);
}

TEST(recording_reader, an_empty_run_has_an_empty_analysis) {
  diagnostics problems;
  const analysis nothing = analyze({}, problems);
  EXPECT_EQ(nothing.messages, 0u);
  scene s(1);
  s.finish();
  const analysis alone = analyze(s.recorded(problems), problems);
  EXPECT_EQ(alone.ranks, 1u);
  EXPECT_TRUE(alone.complete);
  EXPECT_TRUE(alone.activities.empty());
}

/// Calls visit(kind, bytes of the record) for each record of a file.
template <typename Visit>
void each_record(std::vector<std::byte>& file, Visit visit) {
  for (std::size_t at = 0; at + sizeof(record_header) <= file.size();) {
    record_header h;
    std::memcpy(&h, file.data() + at, sizeof h);
    visit(static_cast<record_kind>(h.kind), file.data() + at);
    at += h.bytes;
  }
}

TEST(recording_reader, elements_without_bytes_end_the_walk_over_a_buffer) {
  for (std::uint32_t damaged = 0; damaged < 4; ++damaged) {
    scene s = busy_scene();
    each_record(s.file(damaged), [&](record_kind kind, std::byte* record) {
      const std::uint64_t nothing = 0, many = 1ull << 60;
      if (kind == record_kind::layout)
        std::memcpy(record + sizeof(layout_record) + 8, &nothing, 8); // the length of its only segment
      if (kind == record_kind::call)
        std::memcpy(record + offsetof(call_record, count), &many, 8);
    });
    diagnostics problems;
    std::vector<rank_recording> all;
    for (std::uint32_t r = 0; r < 4; ++r)
      if (auto one = read_rank(s.file(r), "file", problems))
        all.push_back(std::move(*one));
    EXPECT_EQ(all.size(), 4u);
    analyze(join_ranks(std::move(all), problems), problems); // ends
  }
}

TEST(recording_reader, survives_random_damage) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const scene original = busy_scene();
  for (int round = 0; round < 3000; ++round) {
    diagnostics problems;
    std::vector<rank_recording> all;
    for (std::uint32_t r = 0; r < 4; ++r) {
      std::vector<std::byte> bytes = original.file(r);
      for (auto changes = random() % 6; changes > 0; --changes) {
        const std::size_t at = random() % bytes.size();
        if (random() % 4 == 0)
          bytes.resize(at);
        else if (random() % 2 == 0)
          bytes[at] = static_cast<std::byte>(random());
        else
          bytes[at / 8 * 8] = static_cast<std::byte>(random() % 16);
        if (bytes.empty())
          break;
      }
      if (auto one = read_rank(bytes, "file", problems))
        all.push_back(std::move(*one));
    }
    const recording_set set = join_ranks(std::move(all), problems);
    const analysis a = analyze(set, problems);
    std::uint64_t messages = 0;
    for (const activity& one : a.activities)
      messages += one.messages;
    ASSERT_EQ(messages, a.messages);
  }
}

} // namespace
} // namespace tacit::recording
