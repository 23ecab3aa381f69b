// What recordings mean: every rule with an example, and the traps that must not become collectives.
#include "recordings/meaning/analysis.h"
#include "recordings/meaning/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tacit::recording {

using namespace recordings;
namespace {

using testing::scene;

std::string dump(const analysis& a) {
  std::string text;
  for (const activity& one : a.activities)
    text += "activity " + std::to_string(static_cast<int>(one.kind)) + ", pattern " +
            (one.found ? std::string(name(*one.found)) : "none") + ", " + std::to_string(one.episodes) +
            " episodes, " + std::to_string(one.messages) + " messages\n";
  return text;
}

/// Analyses a scene; checks what must hold for every analysis.
analysis analyzed(scene& s, const analysis_options& options = {}) {
  s.finish();
  diagnostics problems;
  const recording_set set = s.recorded(problems);
  analysis a = analyze(set, problems, options);
  EXPECT_FALSE(has_errors(problems));
  std::uint64_t messages = 0, bytes = 0, matrix_messages = 0, matrix_bytes = 0;
  double seconds = a.other_seconds;
  for (const activity& one : a.activities) {
    messages += one.messages;
    bytes += one.bytes;
    seconds += one.seconds;
    EXPECT_FALSE(one.obstacles.empty()) << dump(a);
    EXPECT_FALSE(one.before.messages.empty()) << dump(a);
    EXPECT_EQ(one.found.has_value(), one.kind == activity_kind::collective);
    EXPECT_EQ(one.found.has_value(), one.evidence.has_value());
    EXPECT_EQ(one.found.has_value(), !one.moved.has_value());
    for (const std::uint32_t c : one.communicators)
      EXPECT_LT(c, a.communicators.size());
    for (const std::uint32_t site : one.sites)
      EXPECT_LT(site, a.sites.size());
    for (const timeline_message& m : one.before.messages)
      EXPECT_LT(m.step, one.before.steps);
  }
  for (const collective_use& use : a.collectives)
    seconds += use.seconds;
  for (const auto& [pair, entry] : a.matrix) {
    matrix_messages += entry.messages;
    matrix_bytes += entry.bytes;
  }
  EXPECT_EQ(messages, a.messages);
  EXPECT_EQ(bytes, a.bytes);
  EXPECT_EQ(matrix_messages, a.messages);
  EXPECT_EQ(matrix_bytes, a.bytes);
  EXPECT_NEAR(seconds, a.communication_seconds, 1e-9);
  return a;
}

std::vector<activity> collectives_of(const analysis& a) {
  std::vector<activity> found;
  for (const activity& one : a.activities)
    if (one.kind == activity_kind::collective)
      found.push_back(one);
  return found;
}

/// The algorithm of a broadcast, if nothing else sends the same messages.
bool is_algorithm(const activity& a, broadcast_shape shape, bool pipelined = false) {
  return a.algorithm && a.algorithm->shape == shape && a.algorithm->same_as.empty() &&
         a.algorithm->pipelined == pipelined;
}

const root_rule all_four_in_turn{root_rule::kind::in_turn, {0, 1, 2, 3}};

bool has_reason(const activity& a, reason why) {
  return std::any_of(a.obstacles.begin(), a.obstacles.end(),
                     [&](obstacle what) { return code_of(what) == why; });
}

/// A broadcast along a ring from `root`, blocking, as programs write it: other sites for root and the others.
void ring_broadcast(scene& s, std::uint32_t ranks, std::uint32_t root, std::uint64_t address,
                    std::uint64_t bytes) {
  for (std::uint32_t i = 0; i + 1 < ranks; ++i) {
    const std::uint32_t from = (root + i) % ranks, to = (root + i + 1) % ranks;
    s.site = i == 0 ? 1 : 2;
    s.send(from, to, address, bytes);
    s.site = 3;
    s.recv(to, from, address, bytes);
  }
}

TEST(recorded_collectives, ring_broadcasts_from_changing_roots_are_broadcasts_and_never_an_allgather) {
  scene s(4);
  for (std::uint32_t k = 0; k < 12; ++k) {
    s.compute(k % 4, 100, 500);
    ring_broadcast(s, 4, k % 4, 100, 500 - 10 * k); // one tag, one buffer, no synchronization in between
  }
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 1u) << dump(a);
  EXPECT_EQ(found[0].found, pattern::bcast);
  EXPECT_EQ(found[0].episodes, 12u);
  EXPECT_TRUE(is_algorithm(found[0], broadcast_shape::ring));
  EXPECT_EQ(found[0].rule, all_four_in_turn);
  EXPECT_EQ(found[0].smallest, 390u);
  EXPECT_EQ(found[0].largest, 500u);
  EXPECT_EQ(found[0].messages, 36u);
  EXPECT_TRUE(has_reason(found[0], reason::observation_only));
  EXPECT_EQ(a.activities.size(), 1u) << dump(a);
  ASSERT_TRUE(found[0].would_be);
  EXPECT_EQ(found[0].would_be->steps_before, 3u);
  EXPECT_EQ(found[0].would_be->steps_after, 2u);
}

TEST(recorded_collectives, linear_broadcasts_in_turn_are_never_an_allgather) {
  scene s(4);
  for (std::uint32_t root = 0; root < 4; ++root) // every rank has its own place, as in an allgather
    for (std::uint32_t to = 0; to < 4; ++to)
      if (to != root) {
        s.site = 1;
        s.send(root, to, 100 + 200 * root, 200);
        s.site = 2;
        s.recv(to, root, 100 + 200 * root, 200);
      }
  const analysis a = analyzed(s);
  for (const activity& one : collectives_of(a)) {
    EXPECT_EQ(one.found, pattern::bcast) << dump(a);
    EXPECT_TRUE(is_algorithm(one, broadcast_shape::linear));
    EXPECT_EQ(one.episodes, 4u);
  }
  EXPECT_EQ(collectives_of(a).size(), 1u) << dump(a);
}

TEST(recorded_collectives, ring_allgather_is_one_allgather) {
  scene s(5);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t r = 0; r < 5; ++r)
      s.compute(r, 100 + 200 * r, 200);
    for (std::uint32_t step = 0; step < 4; ++step) {
      for (std::uint32_t r = 0; r < 5; ++r)
        s.sendrecv_begin(r, (r + 1) % 5, 100 + 200 * ((r + 5 - step) % 5), 200);
      for (std::uint32_t r = 0; r < 5; ++r)
        s.sendrecv_end(r, (r + 4) % 5, 100 + 200 * ((r + 9 - step) % 5), 200);
    }
    s.barrier();
  }
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 1u) << dump(a);
  EXPECT_EQ(found[0].found, pattern::allgather);
  EXPECT_EQ(found[0].episodes, 3u);
  EXPECT_EQ(found[0].largest, 200u);
}

TEST(recorded_collectives, broadcasts_of_one_moment_name_all_their_roots) {
  scene s(4);
  for (int round = 0; round < 5; ++round) {
    std::vector<std::vector<std::uint64_t>> requests(4);
    for (const std::uint32_t root : {1u, 3u})
      for (std::uint32_t r = 0; r < 4; ++r)
        if (r != root)
          requests[r].push_back(s.irecv(r, root, 4000 + 1000 * root, 600));
    for (const std::uint32_t root : {1u, 3u})
      for (std::uint32_t r = 0; r < 4; ++r)
        if (r != root)
          requests[root].push_back(s.isend(root, r, 100, 600));
    for (std::uint32_t r = 0; r < 4; ++r)
      s.waitall(r, requests[r]);
    s.compute(1, 100, 600);
    s.compute(3, 100, 600);
  }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  const activity& one = a.activities[0];
  EXPECT_EQ(one.found, pattern::bcast);
  EXPECT_EQ(one.episodes, 10u);
  EXPECT_EQ(one.rule.is, root_rule::kind::several);
  EXPECT_EQ(one.roots, (std::vector<rank_id>{rank_id{1}, rank_id{3}}));
  ASSERT_TRUE(one.would_be);
  EXPECT_EQ(one.would_be->collective, pattern::bcast);
  EXPECT_EQ(one.would_be->calls, 2u);
  EXPECT_EQ(one.would_be->messages_after, 6u);
  EXPECT_EQ(one.would_be->bytes_after, one.would_be->bytes_before);
  EXPECT_EQ(one.after.collectives.size(), 2u);
}

TEST(recorded_collectives, changed_content_is_no_broadcast) {
  scene s(4);
  for (int k = 0; k < 6; ++k) {
    for (std::uint32_t r = 0; r < 3; ++r) {
      s.site = r == 0 ? 1 : 2;
      s.send(r, r + 1, 100, 300);
      s.site = 3;
      s.recv(r + 1, r, 100, 300);
      s.compute(r + 1, 100, 300); // every rank works on it before it sends it on
    }
    s.compute(0, 100, 300);
  }
  const analysis a = analyzed(s);
  EXPECT_TRUE(collectives_of(a).empty()) << dump(a);
  ASSERT_EQ(a.activities.size(), 1u);
  EXPECT_EQ(a.activities[0].kind, activity_kind::pipeline) << dump(a);
}

TEST(recorded_collectives, one_changed_byte_stops_the_block_it_is_in) {
  scene s(4);
  s.send(0, 1, 100, 300);
  s.recv(1, 0, 100, 300);
  s.compute(1, 250, 1);
  s.send(1, 2, 100, 300);
  s.recv(2, 1, 100, 300);
  s.send(2, 3, 100, 300);
  s.recv(3, 2, 100, 300);
  const analysis a = analyzed(s);
  EXPECT_TRUE(collectives_of(a).empty()) << dump(a);
}

TEST(recorded_collectives, incomplete_broadcast_is_none) {
  scene s(5);
  for (std::uint32_t r = 0; r < 3; ++r) { // rank 4 gets nothing
    s.send(r, r + 1, 100, 300);
    s.recv(r + 1, r, 100, 300);
  }
  EXPECT_TRUE(collectives_of(analyzed(s)).empty());
}

TEST(recorded_collectives, tiny_blocks_are_evidence_only_if_they_change_together) {
  for (const int rounds : {2, 5}) {
    scene s(4);
    for (int k = 0; k < rounds; ++k) {
      s.compute(0, 100, 8);
      ring_broadcast(s, 4, 0, 100, 8);
    }
    const analysis a = analyzed(s);
    EXPECT_EQ(collectives_of(a).empty(), rounds < 3) << dump(a);
  }
}

TEST(recorded_collectives, small_blocks_that_never_change_are_no_evidence) {
  scene s(4);
  for (int k = 0; k < 5; ++k)
    for (std::uint32_t to = 1; to < 4; ++to) {
      s.site = 1;
      s.send(0, to, 100, 64);
      s.site = 2;
      s.recv(to, 0, 100, 64);
    }
  const analysis a = analyzed(s);
  EXPECT_TRUE(collectives_of(a).empty()) << dump(a);
  ASSERT_EQ(a.activities.size(), 1u);
  EXPECT_TRUE(has_reason(a.activities[0], reason::tiny_blocks));
}

TEST(recorded_collectives, without_hashes_no_collective_is_claimed) {
  scene s(4, false);
  ring_broadcast(s, 4, 0, 100, 500);
  for (std::uint32_t to = 1; to < 4; ++to) {
    s.send(0, to, 100, 64);
    s.recv(to, 0, 100, 64);
  }
  const analysis a = analyzed(s);
  EXPECT_FALSE(a.hashing);
  EXPECT_TRUE(collectives_of(a).empty()) << dump(a);
}

TEST(recorded_collectives, two_ranks_are_trivial) {
  scene s(4);
  s.communicator(7, 70, {0, 1});
  s.communicator(8, 80, {2, 3});
  for (int k = 0; k < 4; ++k)
    for (std::uint32_t row = 0; row < 2; ++row) {
      s.comm = 7 + row;
      s.send(2 * row, 2 * row + 1, 100, 500);
      s.recv(2 * row + 1, 2 * row, 100, 500);
    }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u);
  EXPECT_EQ(a.activities[0].kind, activity_kind::trivial);
  EXPECT_EQ(code_of(a.activities[0].obstacles[0]), reason::trivial_group);
  EXPECT_EQ(a.activities[0].communicators.size(), 2u);
}

TEST(recorded_collectives, a_probe_is_the_first_reason) {
  scene s(4);
  s.tag = 33;
  s.iprobe(2, 1);
  ring_broadcast(s, 4, 0, 100, 500);
  const auto found = collectives_of(analyzed(s));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(code_of(found[0].obstacles[0]), reason::observed_probe);
}

TEST(recorded_collectives, a_probe_on_another_tag_is_no_reason) {
  scene s(4);
  s.tag = 34;
  s.iprobe(2, 1);
  s.tag = 33;
  ring_broadcast(s, 4, 0, 100, 500);
  const auto found = collectives_of(analyzed(s));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(code_of(found[0].obstacles[0]), reason::observation_only);
}

TEST(recorded_collectives, a_probe_counts_only_for_the_message_it_looks_at) {
  scene s(4);
  ring_broadcast(s, 4, 0, 100, 500);
  s.iprobe(2, 1); // for the receive that comes next, by other calls
  s.send(1, 2, 3000, 40);
  s.site = 9;
  s.recv(2, 1, 3000, 40);
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 1u) << dump(a);
  EXPECT_EQ(code_of(found[0].obstacles[0]), reason::observation_only);
}

TEST(recorded_collectives, rows_of_a_grid_are_named) {
  scene s(8);
  s.communicator(7, 70, {0, 1, 2, 3});
  s.communicator(8, 80, {4, 5, 6, 7});
  s.communicator(9, 90, {0, 4});
  for (std::uint32_t k = 0; k < 8; ++k)
    for (std::uint32_t row = 0; row < 2; ++row) {
      s.comm = 7 + row;
      s.compute(4 * row + k % 4, 100, 400);
      for (std::uint32_t i = 0; i < 3; ++i) {
        s.send(4 * row + (k + i) % 4, 4 * row + (k + i + 1) % 4, 100, 400);
        s.recv(4 * row + (k + i + 1) % 4, 4 * row + (k + i) % 4, 100, 400);
      }
    }
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 1u) << dump(a);
  EXPECT_EQ(found[0].communicators.size(), 2u);
  EXPECT_EQ(found[0].rule, all_four_in_turn);
  EXPECT_EQ(found[0].episodes, 16u);
  EXPECT_EQ(found[0].group_size, 4u);
  const group_shape shape = a.communicators[found[0].communicators[1]].shape;
  EXPECT_EQ(shape.kind, group_kind::row);
  EXPECT_EQ(shape.number, 1u);
  EXPECT_EQ(shape.rows, 2u);
  EXPECT_EQ(shape.columns, 4u);
  EXPECT_EQ(a.communicators[found[0].would_be->communicator].shape.kind, group_kind::row);
}

TEST(recorded_collectives, scatter_and_gather_by_loops) {
  scene s(5);
  for (int k = 0; k < 4; ++k) {
    for (std::uint32_t to = 1; to < 5; ++to) {
      s.site = 1;
      s.send(0, to, 100 * to, 100);
      s.site = 2;
      s.recv(to, 0, 100, 100);
      s.compute(to, 100, 100);
    }
    for (std::uint32_t from = 1; from < 5; ++from) {
      s.site = 3;
      s.send(from, 0, 100, 100);
      s.site = 4;
      s.recv(0, from, 100 * from, 100);
    }
    s.compute(0, 100, 400);
  }
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 2u) << dump(a);
  EXPECT_TRUE(
      std::any_of(found.begin(), found.end(), [](const activity& c) { return c.found == pattern::scatter; }));
  EXPECT_TRUE(
      std::any_of(found.begin(), found.end(), [](const activity& c) { return c.found == pattern::gather; }));
  for (const activity& one : found)
    EXPECT_EQ(one.episodes, 4u) << dump(a);
}

TEST(recorded_collectives, alltoall_of_nonblocking_messages) {
  scene s(4);
  for (int k = 0; k < 3; ++k) {
    std::vector<std::vector<std::uint64_t>> requests(4);
    for (std::uint32_t r = 0; r < 4; ++r)
      for (std::uint32_t other = 0; other < 4; ++other)
        if (other != r) {
          s.site = 1;
          requests[r].push_back(s.irecv(r, other, 4000 + 100 * other, 100));
          s.site = 2;
          requests[r].push_back(s.isend(r, other, 100 * other, 100));
        }
    for (std::uint32_t r = 0; r < 4; ++r)
      s.waitall(r, requests[r]);
    for (std::uint32_t r = 0; r < 4; ++r)
      s.compute(r, 0, 400);
  }
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 1u) << dump(a);
  EXPECT_EQ(found[0].found, pattern::alltoall);
  EXPECT_EQ(found[0].episodes, 3u);
}

TEST(recorded_collectives, results_that_depend_on_tasks_are_no_gather) {
  // Each rank adds its part to what it got and sends all on: the shape of a gather along a chain.
  scene s(4);
  for (int k = 0; k < 4; ++k) {
    for (std::uint32_t r = 3; r > 0; --r) {
      s.site = 1;
      s.send(r, r - 1, 100, 100 * (4 - r));
      s.site = 2;
      s.recv(r - 1, r, 100, 100 * (4 - r));
    }
    for (std::uint32_t r = 0; r < 4; ++r)
      s.compute(r, 100, 400);
  }
  const analysis a = analyzed(s);
  EXPECT_TRUE(collectives_of(a).empty()) << dump(a);
}

TEST(recorded_collectives, a_farm_of_workers_is_no_collective) {
  scene s(5);
  std::uint32_t worker = 1;
  for (std::uint32_t w = 1; w < 5; ++w) {
    s.site = 1;
    s.compute(0, 0, 50);
    s.send(0, w, 0, 50);
    s.site = 2;
    s.recv(w, 0, 0, 50);
  }
  for (int task = 0; task < 40; ++task) {
    worker = 1 + (worker * 7 + static_cast<std::uint32_t>(task)) % 4;
    s.site = 3;
    s.compute(worker, 100, 60);
    s.send(worker, 0, 100, 60);
    s.site = 4;
    s.recv(0, worker, 200, 60, true);
    s.site = 5;
    s.compute(0, 0, 50);
    s.send(0, worker, 0, 50);
    s.site = 2;
    s.recv(worker, 0, 0, 50);
  }
  const analysis a = analyzed(s);
  EXPECT_TRUE(collectives_of(a).empty()) << dump(a);
  EXPECT_TRUE(std::any_of(a.activities.begin(), a.activities.end(), [](const activity& one) {
    return one.kind == activity_kind::irregular && has_reason(one, reason::wildcard);
  })) << dump(a);
}

TEST(recorded_collectives, segments_of_one_buffer_are_pipelined) {
  scene s(5);
  for (int k = 0; k < 3; ++k) {
    s.compute(0, 1000, 2000);
    for (std::uint64_t piece = 0; piece < 5; ++piece)
      ring_broadcast(s, 5, 0, 1000 + 400 * piece, 400);
  }
  const analysis a = analyzed(s);
  const auto found = collectives_of(a);
  ASSERT_EQ(found.size(), 1u) << dump(a);
  EXPECT_TRUE(is_algorithm(found[0], broadcast_shape::ring, true));
  EXPECT_EQ(found[0].episodes, 3u) << dump(a);
  EXPECT_EQ(found[0].largest, 2000u);
}

TEST(recorded_traffic, halo_exchange) {
  scene s(6);
  for (int k = 0; k < 10; ++k) {
    std::vector<std::vector<std::uint64_t>> requests(6);
    for (std::uint32_t r = 0; r < 6; ++r)
      for (const std::uint32_t other : {(r + 1) % 6, (r + 5) % 6}) {
        requests[r].push_back(s.irecv(r, other, 5000 + 100 * other, 100));
        requests[r].push_back(s.isend(r, other, 100, 100));
      }
    for (std::uint32_t r = 0; r < 6; ++r) {
      s.waitall(r, requests[r]);
      s.compute(r, 100, 100);
    }
  }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::neighbor_exchange) << dump(a);
  EXPECT_EQ(a.activities[0].episodes, 10u);
  EXPECT_EQ(code_of(a.activities[0].obstacles[0]), reason::neighbor_exchange);
}

/// Exchanges of a periodic 3x4 grid, dimension by dimension, with Sendrecv: rows of `row` bytes and columns.
void grid_halo(scene& s, bool corners) {
  const auto exchange = [&](std::uint32_t site, auto peer, std::uint64_t from, std::uint64_t to) {
    s.site = site;
    for (std::uint32_t r = 0; r < 12; ++r)
      s.sendrecv_begin(r, peer(r, 1), from, 128);
    for (std::uint32_t r = 0; r < 12; ++r)
      s.sendrecv_end(r, peer(r, -1), to, 128);
  };
  const auto along = [](std::uint32_t r, int by) {
    return r / 4 * 4 + (r % 4 + static_cast<std::uint32_t>(4 + by)) % 4;
  };
  const auto across = [](std::uint32_t r, int by) {
    return (r + static_cast<std::uint32_t>(12 + 4 * by)) % 12;
  };
  for (std::uint32_t r = 0; r < 12; ++r)
    s.compute(r, 0, 8192);
  exchange(1, along, 0, 1024);
  exchange(2, [&](std::uint32_t r, int by) { return along(r, -by); }, 256, 2048);
  // With corners, the second dimension sends half of what the first one brought.
  exchange(3, across, corners ? 1024 + 64 : 512, 4096);
  exchange(4, [&](std::uint32_t r, int by) { return across(r, -by); }, corners ? 2048 + 64 : 768, 5120);
}

TEST(recorded_traffic, a_halo_whose_corners_are_carried_on_is_not_advised_to_be_one_call) {
  for (const bool corners : {false, true}) {
    scene s(12);
    for (std::uint32_t round = 0; round < 6; ++round)
      grid_halo(s, corners);
    const analysis a = analyzed(s);
    for (const activity& one : a.activities) {
      if (corners) {
        EXPECT_FALSE(one.would_be) << dump(a);
        EXPECT_TRUE(has_reason(one, reason::carried_on)) << dump(a);
      } else {
        ASSERT_TRUE(one.would_be) << dump(a);
        EXPECT_TRUE(one.would_be->if_independent) << dump(a);
      }
    }
  }
}

/// Two neighbors on a ring, everything posted before anything is waited for; to the right only in some rounds.
void rounds_on_ring(scene& s, bool sometimes_empty) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t bytes = sometimes_empty && round % 3 == 1 ? 0 : 1024;
    std::vector<std::vector<std::uint64_t>> requests(6);
    s.site = 1;
    for (std::uint32_t r = 0; r < 6; ++r) {
      s.compute(r, 0, 2048);
      requests[r] = {s.irecv(r, (r + 5) % 6, 3000, 1024), s.irecv(r, (r + 1) % 6, 5000, 1024)};
    }
    s.site = 2;
    for (std::uint32_t r = 0; r < 6; ++r) {
      requests[r].push_back(s.isend(r, (r + 1) % 6, 0, bytes));
      requests[r].push_back(s.isend(r, (r + 5) % 6, 1024, 1024));
    }
    s.site = 3;
    for (std::uint32_t r = 0; r < 6; ++r)
      s.waitall(r, requests[r]);
  }
}

/// Two neighbors on a ring; what is sent to the left may depend on what came from there, of which the program knows before
/// it waits: by a question about its request or by a probe.
void told_on_ring(scene& s, std::string_view question) {
  const bool probes = question == "Iprobe";
  for (int round = 0; round < 10; ++round) {
    std::vector<std::vector<std::uint64_t>> requests(6);
    const auto receive = [&](std::uint32_t r) {
      s.site = 1;
      requests[r].push_back(s.irecv(r, (r + 5) % 6, 3000, 1024));
      requests[r].push_back(s.irecv(r, (r + 1) % 6, 5000, 1024));
    };
    for (std::uint32_t r = 0; r < 6; ++r) {
      s.compute(r, 0, 2048);
      if (!probes)
        receive(r);
      s.site = 2;
      requests[r].push_back(s.isend(r, (r + 1) % 6, 0, 1024));
    }
    for (std::uint32_t r = 0; r < 6; ++r) {
      s.site = 3;
      if (probes)
        s.found(r, (r + 5) % 6);
      else if (!question.empty())
        s.told(r, question, question == "Request_get_status" ? requests[r][0] : 0);
      s.site = 4;
      requests[r].push_back(s.isend(r, (r + 5) % 6, 1024, 1024));
      if (probes)
        receive(r);
    }
    s.site = 5;
    for (std::uint32_t r = 0; r < 6; ++r)
      s.waitall(r, requests[r]);
  }
}

TEST(recorded_traffic, what_a_rank_has_asked_about_may_be_what_it_sends) {
  for (const std::string_view question :
       {"", "Request_get_status", "Request_get_status_any", "Request_get_status_some", "Iprobe"}) {
    scene s(6);
    told_on_ring(s, question);
    const analysis a = analyzed(s);
    ASSERT_EQ(a.activities.size(), 1u) << question << dump(a);
    ASSERT_TRUE(a.activities[0].would_be) << question << dump(a);
    EXPECT_EQ(a.activities[0].would_be->if_independent, !question.empty()) << question << dump(a);
    EXPECT_FALSE(a.activities[0].would_be->if_unheard) << question << dump(a);
  }
}

TEST(recorded_traffic, what_a_rank_has_asked_about_may_be_in_its_part_of_an_alltoall) {
  for (const bool asks : {false, true}) {
    scene s(4);
    for (int round = 0; round < 10; ++round) {
      std::vector<std::vector<std::uint64_t>> requests(4);
      for (std::uint32_t r = 0; r < 4; ++r) {
        s.compute(r, 0, 3072);
        s.site = 1;
        for (std::uint32_t by = 1; by < 4; ++by)
          requests[r].push_back(s.irecv(r, (r + by) % 4, 4096 + by * 1024, 1024));
        s.site = 2;
        for (std::uint32_t by = 1; by < 3; ++by)
          requests[r].push_back(s.isend(r, (r + by) % 4, by * 1024 - 1024, 1024));
      }
      for (std::uint32_t r = 0; r < 4; ++r) {
        if (asks)
          s.told(r, "Request_get_status", requests[r][1]);
        requests[r].push_back(s.isend(r, (r + 3) % 4, 2048, 1024));
      }
      s.site = 3;
      for (std::uint32_t r = 0; r < 4; ++r)
        s.waitall(r, requests[r]);
    }
    const analysis a = analyzed(s);
    ASSERT_EQ(a.activities.size(), 1u) << dump(a);
    EXPECT_EQ(a.activities[0].found.has_value(), !asks) << dump(a);
  }
}

/// Ranks with even numbers send everything at once and wait for what comes from the left. What that was comes another way
/// to the ranks with odd numbers before they send to the left.
void told_by_others(scene& s, std::string_view way, std::uint32_t other) {
  for (int round = 0; round < 10; ++round) {
    std::vector<std::vector<std::uint64_t>> requests(6);
    for (std::uint32_t r = 0; r < 6; ++r) {
      s.compute(r, 0, 3072);
      s.site = 1;
      requests[r] = {s.irecv(r, (r + 5) % 6, 3000, 1024), s.irecv(r, (r + 1) % 6, 5000, 1024)};
      s.site = 2;
      requests[r].push_back(s.isend(r, (r + 1) % 6, 0, 1024));
      s.site = 4;
      if (r % 2 == 0)
        requests[r].push_back(s.isend(r, (r + 5) % 6, 1024, 1024));
    }
    for (std::uint32_t r = 0; r < 6; r += 2) {
      s.site = 5;
      s.waitall(r, {requests[r][0]});
      requests[r].erase(requests[r].begin());
    }
    s.site = 6;
    if (way == "Barrier")
      s.barrier();
    for (std::uint32_t r = 0; r < 6; r += 2)
      if (way == "Put")
        s.unmodelled(r, way);
      else if (way == "message") {
        const std::uint32_t comm = std::exchange(s.comm, other);
        s.send(r, r + 1, 2048, 512);
        s.recv(r + 1, r, 8192, 512);
        s.comm = comm;
      }
    for (std::uint32_t r = 1; r < 6; r += 2) {
      s.site = 7;
      if (way == "Put")
        s.unmodelled(r, "Win_unlock");
      s.site = 4;
      requests[r].push_back(s.isend(r, (r + 5) % 6, 1024, 1024));
    }
    s.site = 8;
    for (std::uint32_t r = 0; r < 6; ++r)
      s.waitall(r, requests[r]);
  }
}

TEST(recorded_traffic, what_others_have_got_may_come_another_way_before_a_rank_sends) {
  for (const std::string_view way : {"", "Barrier", "Put", "message"}) {
    scene s(6);
    told_by_others(s, way, s.communicator(5, 77, {0, 1, 2, 3, 4, 5}));
    const analysis a = analyzed(s);
    const auto halo = std::ranges::find_if(
        a.activities, [](const activity& one) { return one.kind == activity_kind::neighbor_exchange; });
    ASSERT_NE(halo, a.activities.end()) << way << dump(a);
    ASSERT_TRUE(halo->would_be) << way << dump(a);
    EXPECT_FALSE(halo->would_be->if_independent) << way << dump(a);
    EXPECT_EQ(halo->would_be->if_unheard, !way.empty()) << way << dump(a);
  }
}

/// A broadcast in which rank 2 first waits for rank 1, which has got its block.
TEST(recorded_collectives, a_broadcast_that_some_rank_waits_for_in_another_has_a_condition) {
  for (const bool waits : {false, true}) {
    scene s(4);
    for (int round = 0; round < 10; ++round) {
      s.compute(0, 0, 1024);
      for (const std::uint32_t r : {1u, 2u, 3u}) {
        s.tag = 0;
        s.site = 1;
        s.send(0, r, 0, 1024);
        if (waits && r == 2) {
          s.tag = 1;
          s.site = 2;
          s.compute(1, 8192, 64);
          s.send(1, 2, 8192, 64);
          s.recv(2, 1, 8192, 64);
          s.tag = 0;
        }
        s.site = 3;
        s.recv(r, 0, 0, 1024);
      }
    }
    const analysis a = analyzed(s);
    const auto bcast =
        std::ranges::find_if(a.activities, [](const activity& one) { return one.found == pattern::bcast; });
    ASSERT_NE(bcast, a.activities.end()) << dump(a);
    EXPECT_FALSE(bcast->would_be->if_unheard) << dump(a);
    EXPECT_EQ(bcast->would_be->if_in_time, waits) << dump(a);
  }
}

/// A gather whose root tells one rank after the other, by other messages, to send.
TEST(recorded_collectives, a_gather_of_what_the_root_asks_for_has_a_condition) {
  for (const bool asks : {false, true}) {
    scene s(4);
    const std::uint32_t other = s.communicator(5, 77, {0, 1, 2, 3});
    for (int round = 0; round < 10; ++round)
      for (std::uint32_t r = 1; r < 4; ++r) {
        if (asks) {
          const std::uint32_t comm = std::exchange(s.comm, other);
          s.compute(0, 8192, 64);
          s.site = 1;
          s.send(0, r, 8192, 64);
          s.site = 2;
          s.recv(r, 0, 8192, 64);
          s.comm = comm;
        }
        s.compute(r, 0, 1024);
        s.site = 3;
        s.send(r, 0, 0, 1024);
        s.site = 4;
        s.recv(0, r, r * 1024, 1024);
      }
    const analysis a = analyzed(s);
    const auto gather =
        std::ranges::find_if(a.activities, [](const activity& one) { return one.found == pattern::gather; });
    ASSERT_NE(gather, a.activities.end()) << dump(a);
    EXPECT_EQ(gather->would_be->if_unheard, asks) << dump(a);
  }
}

TEST(recorded_traffic, messages_without_data_are_waited_for_as_a_call_is_not) {
  for (const bool sometimes_empty : {false, true}) {
    scene s(6);
    rounds_on_ring(s, sometimes_empty);
    const analysis a = analyzed(s);
    ASSERT_EQ(a.activities.size(), 1u) << dump(a);
    ASSERT_TRUE(a.activities[0].would_be) << dump(a);
    EXPECT_EQ(a.activities[0].would_be->if_no_signals, sometimes_empty) << dump(a);
  }
}

TEST(recorded_traffic, one_round_is_compared_with_one_call) {
  scene s(6);
  rounds_on_ring(s, false);
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  ASSERT_TRUE(a.activities[0].would_be) << dump(a);
  const replacement& r = *a.activities[0].would_be;
  EXPECT_EQ(r.messages_before, 12u);
  EXPECT_EQ(r.messages_after, 12u);
  EXPECT_LE(r.steps_after, r.steps_before);
  EXPECT_FALSE(r.if_independent);
  EXPECT_FALSE(r.if_separate);
}

TEST(recorded_traffic, init_and_finalize_are_no_time_of_the_program) {
  scene s(3);
  s.send(0, 1, 0, 100);
  s.recv(1, 0, 0, 100);
  const analysis a = analyzed(s);
  EXPECT_GT(a.program_seconds, 0);
  EXPECT_LE(a.communication_seconds, a.program_seconds);
}

TEST(recorded_traffic, pairwise_exchange_by_sendrecv) {
  scene s(4);
  for (const std::uint32_t mask : {1u, 2u, 3u})
    for (std::uint32_t r = 0; r < 4; ++r)
      if ((r ^ mask) > r) {
        s.sendrecv_begin(r, r ^ mask, 100, 300);
        s.sendrecv_begin(r ^ mask, r, 100, 300);
        s.sendrecv_end(r, r ^ mask, 2000, 300);
        s.sendrecv_end(r ^ mask, r, 2000, 300);
        s.compute(r, 100, 300); // each exchange sends something new
        s.compute(r ^ mask, 100, 300);
      }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::pairwise) << dump(a);
  EXPECT_EQ(code_of(a.activities[0].obstacles[0]), reason::pairwise);
}

TEST(recorded_traffic, pairs_that_all_meet_through_one_buffer_are_in_the_shape_of_an_alltoall) {
  for (const int rounds : {2, 3}) {
    scene s(4);
    for (int round = 0; round < rounds; ++round)
      for (const std::uint32_t mask : {1u, 2u, 3u}) {
        for (std::uint32_t r = 0; r < 4; ++r)
          s.sendrecv_begin(r, r ^ mask, 100, 300);
        for (std::uint32_t r = 0; r < 4; ++r) {
          s.sendrecv_end(r, r ^ mask, 2000, 300);
          s.compute(r, 100, 300);
        }
      }
    const analysis a = analyzed(s);
    ASSERT_EQ(a.activities.size(), 1u) << dump(a);
    EXPECT_EQ(a.activities[0].shape,
              rounds < 3 ? message_shape::no_shape : message_shape::alltoall_or_reduce_scatter)
        << dump(a);
  }
}

TEST(recorded_traffic, a_few_unanswered_messages_do_not_change_the_name) {
  scene s(4);
  const auto exchange = [&](std::uint32_t r, std::uint32_t other) {
    s.sendrecv_begin(r, other, 100, 300);
    s.sendrecv_begin(other, r, 100, 300);
    s.sendrecv_end(r, other, 2000, 300);
    s.sendrecv_end(other, r, 2000, 300);
    s.compute(r, 100, 300);
    s.compute(other, 100, 300);
  };
  for (int round = 0; round < 20; ++round)
    for (const std::uint32_t mask : {1u, 2u, 3u, 1u}) // the last one again: rounds are no alltoall
      for (std::uint32_t r = 0; r < 4; ++r)
        if ((r ^ mask) > r)
          exchange(r, r ^ mask);
  for (int odd = 0; odd < 3; ++odd) {
    for (std::uint32_t r = 0; r < 3; ++r)
      s.sendrecv_begin(r, (r + 1) % 3, 100, 300);
    for (std::uint32_t r = 0; r < 3; ++r)
      s.sendrecv_end(r, (r + 2) % 3, 2000, 300);
  }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::pairwise) << dump(a);
}

TEST(recorded_traffic, shifts_around_changing_rings_in_both_directions) {
  scene s(6);
  const std::vector<std::vector<std::uint32_t>> rings{
      {0, 1, 2, 3, 4, 5}, {0, 2, 4, 1, 3, 5}, {0, 3, 1, 5, 2, 4}, {0, 5, 1, 4, 2, 3}};
  for (int round = 0; round < 8; ++round) {
    const std::vector<std::uint32_t>& ring = rings[static_cast<std::size_t>(round) % rings.size()];
    std::vector<std::vector<std::uint64_t>> requests(6);
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::uint32_t r = ring[i], right = ring[(i + 1) % 6], left = ring[(i + 5) % 6];
      requests[r] = {s.irecv(r, left, 2000, 300), s.irecv(r, right, 3000, 300), s.isend(r, right, 100, 300),
                     s.isend(r, left, 500, 300)};
    }
    for (std::uint32_t r = 0; r < 6; ++r) {
      s.waitall(r, requests[r]);
      s.compute(r, 100, 700);
    }
  }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::point_to_point) << dump(a);
  EXPECT_EQ(a.activities[0].moved->in_two_way_rings, a.messages);
}

TEST(recorded_traffic, messages_of_a_rank_to_itself_are_called_so) {
  scene s(1);
  for (int k = 0; k < 3; ++k)
    s.sendrecv(0, 0, 100, 0, 2000, 300);
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::trivial);
  EXPECT_EQ(a.activities[0].moved->self, 3u);
  EXPECT_EQ(a.activities[0].obstacles[0], obstacle::one_or_two_ranks);
}

TEST(recorded_traffic, two_ranks_that_change_what_they_got_are_trivial_and_said_to_do_so) {
  scene s(2);
  for (int k = 0; k < 5; ++k) {
    s.sendrecv_begin(0, 1, 100, 300);
    s.sendrecv_begin(1, 0, 100, 300);
    s.sendrecv_end(0, 1, 100, 300);
    s.sendrecv_end(1, 0, 100, 300);
    s.compute(0, 100, 300);
    s.compute(1, 100, 300);
  }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::trivial);
  EXPECT_EQ(a.activities[0].moved->changed, 8u);
  EXPECT_EQ(a.activities[0].messages, 10u);
}

TEST(recorded_traffic, exchange_of_changed_rows) {
  scene s(4);
  for (int k = 0; k < 6; ++k)
    for (std::uint32_t r = 0; r < 4; r += 2) {
      const std::uint32_t other = k % 2 == 0 ? r + 1 : (r + 3) % 4;
      s.sendrecv_begin(r, other, 100, 300);
      s.sendrecv_begin(other, r, 100, 300);
      s.sendrecv_end(r, other, 100, 300);
      s.sendrecv_end(other, r, 100, 300);
      s.compute(r, 100, 300);
      s.compute(other, 100, 300);
    }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].kind, activity_kind::changed_exchange) << dump(a);
  EXPECT_EQ(code_of(a.activities[0].obstacles[0]), reason::content_changed);
}

TEST(recorded_traffic, irregular_updates_with_wildcards) {
  scene s(4);
  std::uint32_t state = 12345; // no rank may go through all others in turn: that would be a scatter
  for (std::uint32_t k = 0; k < 60; ++k) {
    state = state * 1103515245u + 12345u;
    const std::uint32_t from = (k * 7 + 1) % 4, to = (from + 1 + (state >> 16) % 3) % 4;
    const auto request = s.irecv(to, from, 3000, 1000, true);
    s.compute(from, 100, 200);
    s.send(from, to, 100, 50 + k, "Isend");
    s.waitall(to, {request});
  }
  const analysis a = analyzed(s);
  for (const activity& one : a.activities) {
    EXPECT_EQ(one.kind, activity_kind::irregular) << dump(a);
    EXPECT_TRUE(has_reason(one, reason::wildcard));
  }
}

/// Everybody exchanges with both neighbors on a ring, from two lines of one function, which calls others to send and receive.
void exchange_by_library(scene& s, std::uint32_t ranks, std::uint32_t caller) {
  for (std::uint32_t r = 0; r < ranks; ++r)
    s.compute(r, 100, 600);
  for (const std::uint32_t direction : {0u, 1u})
    for (std::uint32_t r = 0; r < ranks; ++r) {
      s.callers = {20 + direction, caller};
      s.site = 7;
      s.send(r, direction == 0 ? (r + 1) % ranks : (r + ranks - 1) % ranks, 100 + 300 * direction, 300);
    }
  for (const std::uint32_t direction : {0u, 1u})
    for (std::uint32_t r = 0; r < ranks; ++r) {
      s.callers = {22 + direction, caller};
      s.site = 8;
      s.recv(r, direction == 0 ? (r + ranks - 1) % ranks : (r + 1) % ranks, 2000 + 300 * direction, 300);
    }
}

void broadcast_by_library(scene& s, std::uint32_t ranks, std::uint32_t caller) {
  s.compute(0, 100, 500);
  s.callers = {30, caller};
  for (std::uint32_t r = 1; r < ranks; ++r) {
    s.site = 7;
    s.send(0, r, 100, 500);
    s.site = 8;
    s.recv(r, 0, 100, 500);
  }
}

TEST(call_paths, a_library_that_sends_everything_from_one_line_is_told_apart_by_who_calls_it) {
  scene s(6);
  for (std::uint32_t k = 0; k < 8; ++k) {
    broadcast_by_library(s, 6, 40);
    exchange_by_library(s, 6, 50);
  }
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 2u) << dump(a);
  const activity& broadcasts = a.activities[a.activities[0].found ? 0 : 1];
  const activity& halo = a.activities[a.activities[0].found ? 1 : 0];
  EXPECT_EQ(broadcasts.found, pattern::bcast) << dump(a);
  EXPECT_EQ(broadcasts.episodes, 8u);
  EXPECT_EQ(halo.kind, activity_kind::neighbor_exchange) << dump(a);
  EXPECT_EQ(halo.messages, 8u * 12);
  EXPECT_EQ(broadcasts.sites.size(), 2u);
  EXPECT_EQ(halo.sites.size(), 2u);
  EXPECT_EQ(halo.called_from.size(), 4u);
  ASSERT_EQ(broadcasts.called_from.size(), 1u);
  EXPECT_EQ(a.callers[broadcasts.called_from[0][0]].offset, 0x1000u + 16 * 30);
  EXPECT_EQ(a.sites.size(), 2u);
}

TEST(call_paths, what_is_the_same_from_several_callers_is_one_finding) {
  scene s(6);
  for (std::uint32_t k = 0; k < 9; ++k)
    broadcast_by_library(s, 6, 40 + 100 * (k % 3));
  const analysis a = analyzed(s);
  ASSERT_EQ(a.activities.size(), 1u) << dump(a);
  EXPECT_EQ(a.activities[0].episodes, 9u);
  EXPECT_EQ(a.activities[0].called_from.size(), 3u);
}

TEST(recorded_traffic, collectives_that_the_program_calls_are_listed) {
  scene s(3);
  s.barrier();
  s.barrier();
  const analysis a = analyzed(s);
  ASSERT_EQ(a.collectives.size(), 1u);
  EXPECT_EQ(a.collectives[0].call, "MPI_Barrier");
  EXPECT_EQ(a.collectives[0].calls, 2u);
  EXPECT_EQ(a.collectives[0].communicator, 0u);
  EXPECT_EQ(a.communicators[0].shape.kind, group_kind::all);
}

TEST(recorded_traffic, answers_are_the_same_every_time) {
  const auto run = [] {
    scene s(4);
    for (std::uint32_t k = 0; k < 8; ++k) {
      s.compute(k % 4, 100, 500);
      ring_broadcast(s, 4, k % 4, 100, 500);
    }
    return dump(analyzed(s));
  };
  EXPECT_EQ(run(), run());
}

} // namespace
} // namespace tacit::recording
