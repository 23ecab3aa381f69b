// What is said of a run by its examples is what is said of the whole: sums to the last message, and every finding.
#include "recordings/meaning/analysis.h"
#include "recordings/meaning/scene.h"
#include "recordings/meaning/survey.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace tacit::recording {

using namespace recordings;
namespace {

using testing::scene;

std::vector<recording_file> files_of(const scene& s, std::uint32_t ranks) {
  std::vector<recording_file> files;
  for (std::uint32_t r = 0; r < ranks; ++r)
    files.push_back({"rank " + std::to_string(r), [&s, r](std::string&) { return s.file(r); }});
  return files;
}

/// All that a report says in numbers, apart from seconds.
std::string text_of(const analysis& a) {
  std::string text = std::to_string(a.calls) + " calls, " + std::to_string(a.messages) + " messages, " +
                     std::to_string(a.bytes) + " B, unmatched " + std::to_string(a.unmatched_sends) + " " +
                     std::to_string(a.unmatched_receives) + ", cancelled " + std::to_string(a.cancelled) +
                     ", " + std::to_string(a.unmodelled_calls) + " unmodelled, outside " +
                     std::to_string(a.outside_sends) + " " + std::to_string(a.outside_bytes) + " B " +
                     std::to_string(a.outside_receives) + "\n";
  for (const auto& [pair, entry] : a.matrix)
    text += std::to_string(index(pair.first)) + "→" + std::to_string(index(pair.second)) + ": " +
            std::to_string(entry.messages) + ", " + std::to_string(entry.bytes) + " B\n";
  for (const call_site& s : a.sites)
    text += s.call + "+" + std::to_string(s.offset) + ": " + std::to_string(s.calls) + "\n";
  for (const collective_use& c : a.collectives)
    text += c.call + " on " + std::to_string(c.communicator) + ": " + std::to_string(c.calls) + ", " +
            std::to_string(c.bytes) + " B\n";
  std::vector<std::string> cards;
  for (const activity& one : a.activities) {
    std::string card = "card: kind " + std::to_string(static_cast<int>(one.kind)) + ", " +
                       (one.found ? std::string(name(*one.found)) : "no pattern") + ", shape " +
                       std::to_string(static_cast<int>(one.shape)) + ", " + std::to_string(one.episodes) +
                       " times, " + std::to_string(one.messages) + " messages, " + std::to_string(one.bytes) +
                       " B, sizes " + std::to_string(one.smallest) + " to " + std::to_string(one.largest) +
                       ", " + std::to_string(one.distinct_tags) + " tags, rule " +
                       std::to_string(static_cast<int>(one.rule.is)) + ", roots";
    for (const rank_id root : one.roots)
      card += " " + std::to_string(index(root));
    for (const obstacle what : one.obstacles)
      card += ", obstacle " + std::to_string(static_cast<int>(what));
    if (one.would_be)
      card += ", would be " + std::to_string(one.would_be->messages_before) + "→" +
              std::to_string(one.would_be->messages_after) +
              (one.would_be->if_independent ? " in turn" : "") +
              (one.would_be->if_unheard ? " unheard" : "") +
              (one.would_be->if_in_one_array ? " in one array" : "") +
              (one.would_be->if_room ? " with room" : "") + (one.would_be->if_in_order ? " in order" : "");
    cards.push_back(card + ", " + std::to_string(one.sites.size()) + " sites\n");
  }
  std::sort(cards.begin(), cards.end());
  for (const std::string& card : cards)
    text += card;
  return text;
}

void expect_same(scene& s, std::uint32_t ranks, const std::string& what, bool must_leave_out = true) {
  s.finish();
  diagnostics whole_problems, part_problems;
  const std::vector<recording_file> files = files_of(s, ranks);
  const surveyed_run whole = read_run(files, whole_problems);
  const surveyed_run part = read_run(files, part_problems, {.smallest = 0, .novelty = 32, .progress = {}});
  ASSERT_FALSE(whole.survey) << what;
  ASSERT_TRUE(!must_leave_out || part.survey) << what << ": nothing was left out";
  if (part.survey) {
    EXPECT_LT(part.recorded.recordings[0].calls.size() * 2, whole.recorded.recordings[0].calls.size())
        << what;
  }
  const analysis a = analyze_run(whole, whole_problems), b = analyze_run(part, part_problems);
  EXPECT_EQ(text_of(a), text_of(b)) << what;
  EXPECT_NEAR(a.communication_seconds, b.communication_seconds, 1e-9 * a.communication_seconds) << what;
  EXPECT_NEAR(a.other_seconds, b.other_seconds, 1e-6 * a.communication_seconds) << what;
  for (std::size_t i = 0; i < std::min(a.sites.size(), b.sites.size()); ++i)
    EXPECT_NEAR(a.sites[i].seconds, b.sites[i].seconds, 1e-6 * a.communication_seconds) << what;
  for (std::size_t i = 0; i < std::min(a.collectives.size(), b.collectives.size()); ++i)
    EXPECT_NEAR(a.collectives[i].seconds, b.collectives[i].seconds, 1e-6 * a.communication_seconds) << what;
  double of_a = 0, of_b = 0;
  for (const activity& one : a.activities)
    of_a += one.seconds;
  for (const activity& one : b.activities)
    of_b += one.seconds;
  EXPECT_NEAR(of_a, of_b, 1e-5 * a.communication_seconds) << what;
  EXPECT_EQ(whole_problems.size(), part_problems.size()) << what;
}

void broadcast(scene& s, std::uint32_t ranks, std::uint32_t root) {
  s.site = 1;
  s.compute(root, 100, 500);
  for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
    s.send((root + i) % ranks, (root + i + 1) % ranks, 100, 500);
    s.recv((root + i + 1) % ranks, (root + i) % ranks, 100, 500);
  }
}

void halo(scene& s, std::uint32_t ranks) {
  s.site = 5;
  std::vector<std::vector<std::uint64_t>> requests(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    s.compute(r, 1000, 400);
    requests[r] = {s.irecv(r, (r + 1) % ranks, 3000, 200), s.irecv(r, (r + ranks - 1) % ranks, 3200, 200)};
  }
  for (std::uint32_t r = 0; r < ranks; ++r) {
    requests[r].push_back(s.isend(r, (r + 1) % ranks, 1000, 200));
    requests[r].push_back(s.isend(r, (r + ranks - 1) % ranks, 1200, 200));
  }
  s.site = 6;
  for (std::uint32_t r = 0; r < ranks; ++r)
    s.waitall(r, requests[r]);
}

/// Directions in lines of their own, one after the other.
void halo_in_lines(scene& s, std::uint32_t ranks) {
  for (const std::uint32_t by : {1u, ranks - 1}) {
    s.site = 10 + by;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      s.compute(r, 5000 + 100 * by, 90);
      s.sendrecv_begin(r, (r + by) % ranks, 5000 + 100 * by, 90);
    }
    for (std::uint32_t r = 0; r < ranks; ++r)
      s.sendrecv_end(r, (r + ranks - by) % ranks, 7000 + 100 * by, 90);
  }
}

void tree_to_root(scene& s, std::uint32_t ranks) {
  s.site = 20;
  for (std::uint32_t mask = 1; mask < ranks; mask *= 2)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      if ((r & (2 * mask - 1)) != mask)
        continue;
      s.compute(r, 9000, 128);
      s.send(r, r - mask, 9000, 128);
      s.recv(r - mask, r, 9500, 128);
    }
}

TEST(survey, broadcasts_from_one_root) {
  scene s(5);
  for (int k = 0; k < 6000; ++k)
    broadcast(s, 5, 0);
  expect_same(s, 5, "broadcasts");
}

TEST(survey, broadcasts_from_all_roots_in_turn) {
  scene s(4);
  for (std::uint32_t k = 0; k < 8000; ++k)
    broadcast(s, 4, k % 4);
  expect_same(s, 4, "broadcasts in turn");
}

TEST(survey, halos_and_their_rounds) {
  scene s(6);
  for (int k = 0; k < 3000; ++k)
    halo(s, 6);
  expect_same(s, 6, "halo");
  scene lines(5);
  for (int k = 0; k < 3000; ++k)
    halo_in_lines(lines, 5);
  expect_same(lines, 5, "halo in lines");
}

TEST(survey, shapes) {
  scene s(6);
  for (int k = 0; k < 5000; ++k)
    tree_to_root(s, 6);
  expect_same(s, 6, "tree");
}

TEST(survey, loops_in_loops_with_something_rare) {
  scene s(5);
  for (std::uint32_t outer = 0; outer < 40; ++outer) {
    for (std::uint32_t inner = 0; inner < 60; ++inner) {
      halo(s, 5);
      if (inner % 4 == 0)
        tree_to_root(s, 5);
    }
    broadcast(s, 5, 0);
    s.site = 30;
    s.barrier();
  }
  expect_same(s, 5, "loops in loops");
}

TEST(survey, one_phase_after_the_other) {
  scene s(4);
  for (int k = 0; k < 2500; ++k)
    halo(s, 4);
  s.barrier();
  for (int k = 0; k < 4000; ++k)
    broadcast(s, 4, 2);
  for (int k = 0; k < 2500; ++k)
    halo_in_lines(s, 4);
  s.site = 40;
  s.send(0, 3, 100, 77); // once
  s.recv(3, 0, 100, 77);
  expect_same(s, 4, "phases");
}

TEST(survey, leftovers_and_cancelled_receives) {
  scene s(4);
  const std::uint32_t between = s.intercommunicator(5, 77, {0, 1}, {2, 3});
  for (int k = 0; k < 4000; ++k) {
    broadcast(s, 4, 0);
    if (k % 100 == 0) {
      s.site = 50;
      s.cancel(1, s.irecv(1, 2, 100, 10));
      s.iprobe(2, 1);
      s.comm = between;
      s.send(1, 3, 0, 50);
      s.recv(3, 1, 0, 50, k % 200 == 0);
      s.comm = scene::world_comm;
    }
  }
  s.site = 51;
  s.send(0, 1, 100, 40);
  (void)s.irecv(2, 3, 100, 40);
  expect_same(s, 4, "leftovers");
}

TEST(survey, persistent_collectives) {
  scene s(4);
  s.site = 70;
  std::vector<std::uint64_t> inits;
  for (std::uint32_t r = 0; r < 4; ++r)
    inits.push_back(s.collective_init(r, "Neighbor_alltoall_init", 0, 24));
  for (int k = 0; k < 5000; ++k) {
    broadcast(s, 4, 0);
    s.site = 71;
    for (std::uint32_t r = 0; r < 4; ++r)
      s.waitall(r, {s.start_collective(r, inits[r])});
  }
  expect_same(s, 4, "persistent collectives");
}

TEST(survey, random_programs) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t ranks = 3 + seed % 4;
    scene s(ranks);
    const std::uint32_t loops = 1 + random() % 3;
    for (std::uint32_t l = 0; l < loops; ++l) {
      std::vector<std::function<void()>> body;
      for (std::uint32_t k = 0; k < 1 + random() % 3; ++k) {
        const std::uint32_t root = random() % ranks;
        const std::function<void()> parts[] = {
            [&s, ranks, root] { broadcast(s, ranks, root); }, [&s, ranks] { halo(s, ranks); },
            [&s, ranks] { halo_in_lines(s, ranks); }, [&s, ranks] { tree_to_root(s, ranks); },
            [&s] {
              s.site = 60;
              s.barrier();
            }};
        body.push_back(parts[random() % 5]);
      }
      for (std::uint32_t k = 0; k < 1500 + random() % 1000; ++k)
        for (const auto& part : body)
          part();
    }
    expect_same(s, ranks, "seed " + std::to_string(seed), false);
  }
}

TEST(survey, of_a_long_run_that_does_not_repeat_the_first_part_is_kept) {
  constexpr std::uint32_t ranks = 3, count = 4000, most = 1000;
  scene s(ranks);
  std::mt19937 random(5);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t from = random() % ranks, to = (from + 1 + random() % (ranks - 1)) % ranks;
    s.site = random() % 7;
    s.compute(from, 100, 5000);
    const std::uint64_t bytes = 1 + random() % 4000;
    s.send(from, to, 100, bytes);
    s.recv(to, from, 8000, bytes);
  }
  s.finish();
  diagnostics whole_problems, part_problems;
  const std::vector<recording_file> files = files_of(s, ranks);
  const surveyed_run whole = read_run(files, whole_problems);
  const surveyed_run part =
      read_run(files, part_problems, {.smallest = 0, .novelty = 32, .most = most, .progress = {}});
  ASSERT_TRUE(part.survey);
  std::size_t kept = 0;
  for (const rank_recording& r : part.recorded.recordings)
    kept += r.calls.size();
  EXPECT_LE(kept, 2 * (most + 1) + 2 * ranks); // both halves, MPI_Init and MPI_Finalize
  EXPECT_GE(kept, 2 * most);
  const analysis a = analyze_run(whole, whole_problems), b = analyze_run(part, part_problems);
  EXPECT_EQ(a.kept_until_seconds, 0);
  EXPECT_GT(b.kept_until_seconds, 0);
  EXPECT_EQ(a.calls, b.calls);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NEAR(a.communication_seconds, b.communication_seconds, 1e-9 * a.communication_seconds);
  std::uint64_t in_cards = 0;
  for (const activity& one : b.activities)
    in_cards += one.messages;
  EXPECT_GT(in_cards, most / 2);
  EXPECT_EQ(in_cards + b.without_example, b.messages);
  for (const auto& [pair, entry] : a.matrix) {
    EXPECT_EQ(entry.messages, b.matrix.at(pair).messages);
    EXPECT_EQ(entry.bytes, b.matrix.at(pair).bytes);
  }
  EXPECT_EQ(std::count_if(part_problems.begin(), part_problems.end(),
                          [](const diagnostic& d) {
                            return d.code == static_cast<std::uint16_t>(reason::analysis_limited);
                          }),
            1);
}

TEST(survey, damaged_and_missing_recordings_are_read_as_always) {
  scene s(3);
  for (int k = 0; k < 3000; ++k)
    broadcast(s, 3, 0);
  s.finish();
  s.file(1).resize(s.file(1).size() / 16 * 8);
  s.file(2).clear();
  diagnostics problems;
  const surveyed_run run = read_run(files_of(s, 3), problems, {.smallest = 0, .novelty = 32, .progress = {}});
  EXPECT_FALSE(problems.empty());
  const analysis a = analyze_run(run, problems);
  EXPECT_GT(a.messages, 1000u);
}

} // namespace
} // namespace tacit::recording
