// Which receive took which send, in recordings.
#include "recordings/meaning/analysis.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"
#include "recordings/meaning/scene.h"

#include <gtest/gtest.h>

namespace tacit::recording {

using namespace recordings;
namespace {

using testing::scene;

struct matched {
  diagnostics problems;
  recording_set set;
  message_table table;
};

matched match_scene(scene& s) {
  s.finish();
  matched m;
  m.set = s.recorded(m.problems);
  m.table = match_messages(m.set, m.problems, {});
  return m;
}

TEST(recorded_messages, pair_in_order_of_posting) {
  scene s(2);
  s.send(0, 1, 0, 10);
  s.send(0, 1, 0, 20);
  s.tag = 5;
  s.send(0, 1, 0, 30);
  s.recv(1, 0, 100, 30); // the other tag first
  s.tag = 0;
  s.recv(1, 0, 200, 10);
  s.recv(1, 0, 300, 20);
  const matched m = match_scene(s);
  ASSERT_EQ(m.table.messages.size(), 3u);
  EXPECT_EQ(m.table.messages[0].bytes, 10u);
  EXPECT_EQ(m.table.messages[1].bytes, 20u);
  EXPECT_EQ(m.table.messages[2].tag, 5);
  for (const message& one : m.table.messages)
    EXPECT_TRUE(one.consistent);
  EXPECT_EQ(m.table.unmatched_sends, 0u);
}

TEST(recorded_messages, those_between_two_groups_are_counted_apart) {
  scene s(4);
  s.comm = s.intercommunicator(5, 77, {0, 1}, {2, 3});
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t r = 0; r < 2; ++r) {
      s.send(r, r + 2, 0, 100);
      s.recv(r + 2, r, 0, 100);
    }
  s.root_of(0, "Bcast", 0, 40);
  s.comm = scene::world_comm;
  s.send(0, 1, 0, 10); // never received
  const matched m = match_scene(s);
  EXPECT_EQ(m.table.messages.size(), 0u);
  EXPECT_EQ(m.table.outside.sends, 6u);
  EXPECT_EQ(m.table.outside.bytes, 600u);
  EXPECT_EQ(m.table.outside.receives, 6u);
  EXPECT_EQ(m.table.unmatched_sends, 7u);
  EXPECT_EQ(m.table.unmatched_receives, 6u);
  diagnostics problems;
  const analysis a = analyze(m.set, problems, {});
  EXPECT_EQ(a.outside_sends, 6u);
  ASSERT_EQ(a.collectives.size(), 1u);
  EXPECT_EQ(a.collectives[0].bytes, 40u);
  for (const diagnostic& d : problems)
    EXPECT_TRUE(d.message.starts_with("1 sends without") || d.message.starts_with("6 sends with 600 B"))
        << d.message;
}

TEST(recorded_messages, nonblocking_receives_pair_in_order_of_posting_not_completion) {
  scene s(2);
  const auto first = s.irecv(1, 0, 100, 10);
  const auto second = s.irecv(1, 0, 200, 20);
  s.send(0, 1, 0, 10);
  s.send(0, 1, 0, 20);
  s.waitall(1, {first, second});
  const matched m = match_scene(s);
  ASSERT_EQ(m.table.messages.size(), 2u);
  EXPECT_LT(m.table.messages[0].recv_call, m.table.messages[1].recv_call);
  EXPECT_EQ(m.table.messages[1].bytes, 20u);
}

TEST(recorded_messages, wildcards_use_the_source_that_was_seen) {
  scene s(3);
  s.send(2, 0, 0, 8);
  s.send(1, 0, 0, 9);
  s.recv(0, 2, 100, 8, true);
  s.recv(0, 1, 200, 9, true);
  const matched m = match_scene(s);
  ASSERT_EQ(m.table.messages.size(), 2u);
  EXPECT_EQ(m.table.messages[0].from, 1u);
  EXPECT_EQ(m.table.messages[0].bytes, 9u);
  EXPECT_TRUE(m.table.messages[0].wildcard);
}

TEST(recorded_messages, communicators_keep_messages_apart_and_rename_ranks) {
  scene s(4);
  s.communicator(7, 70, {3, 1});
  s.communicator(8, 80, {3, 1});
  s.comm = 7;
  s.send(3, 1, 0, 70);
  s.comm = 8;
  s.send(3, 1, 0, 80);
  s.recv(1, 3, 100, 80);
  s.comm = 7;
  s.recv(1, 3, 300, 70);
  const matched m = match_scene(s);
  ASSERT_EQ(m.table.messages.size(), 2u);
  EXPECT_EQ(m.table.messages[0].bytes, 70u);
  EXPECT_EQ(m.table.messages[0].from, 3u);
  EXPECT_NE(m.table.messages[0].comm, m.table.messages[1].comm);
}

TEST(recorded_messages, leftovers_and_cancelled_receives_are_counted) {
  scene s(2);
  s.send(0, 1, 0, 8);
  s.cancel(1, s.irecv(1, 0, 100, 8, true));
  const matched m = match_scene(s);
  EXPECT_EQ(m.table.messages.size(), 0u);
  EXPECT_EQ(m.table.unmatched_sends, 1u);
  EXPECT_EQ(m.table.cancelled, 1u);
  EXPECT_FALSE(m.problems.empty());
}

TEST(recorded_messages, halves_of_sendrecv_and_synchronous_sends) {
  scene s(2);
  s.sendrecv_begin(0, 1, 0, 8);
  s.sendrecv_begin(1, 0, 0, 16);
  s.sendrecv_end(0, 1, 100, 16);
  s.sendrecv_end(1, 0, 100, 8);
  s.send(0, 1, 0, 32, "Ssend");
  s.recv(1, 0, 200, 32);
  s.send(1, 1, 0, 4); // to itself
  s.recv(1, 1, 300, 4);
  const matched m = match_scene(s);
  EXPECT_EQ(m.table.messages.size(), 4u);
  EXPECT_EQ(m.table.unmatched_sends + m.table.unmatched_receives, 0u);
  double seconds = 0;
  for (const message& one : m.table.messages)
    seconds += one.seconds;
  EXPECT_NEAR(seconds, m.table.communication_seconds, 1e-12);
}

TEST(recorded_messages, starts_of_persistent_collectives_count_as_collectives_with_their_waits) {
  scene s(2);
  std::vector<std::uint64_t> halo;
  for (std::uint32_t r = 0; r < 2; ++r)
    halo.push_back(s.collective_init(r, "Neighbor_alltoall_init", 0, 24));
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t r = 0; r < 2; ++r)
      s.waitall(r, {s.start_collective(r, halo[r])});
  const matched m = match_scene(s);
  const message_table& table = m.table;
  EXPECT_TRUE(table.messages.empty());
  ASSERT_EQ(table.collectives.size(), 1u);
  const auto& [key, total] = *table.collectives.begin();
  EXPECT_EQ(call_name(key.first), "MPI_Neighbor_alltoall");
  EXPECT_EQ(total.calls, 6u);
  EXPECT_EQ(total.bytes, 6u * 24u);
  EXPECT_GT(total.seconds, table.other_seconds) << "only the _init calls belong elsewhere";
}

TEST(recorded_messages, forwarded_parts_and_origins) {
  scene s(3);
  s.send(0, 1, 0, 100);
  s.recv(1, 0, 1000, 100);
  s.send(1, 2, 1050, 100); // half forwarded, half own
  s.recv(2, 1, 2000, 100);
  s.send(2, 0, 2000, 50); // only what came from 0
  s.recv(0, 2, 3000, 50);
  const matched m = match_scene(s);
  const provenance p = follow_forwards(m.set, m.table);
  ASSERT_EQ(m.table.messages.size(), 3u); // by channel: 0→1, 1→2, 2→0
  ASSERT_EQ(p.of(1).size(), 1u);
  EXPECT_EQ(p.of(1)[0].length, 50u);
  EXPECT_EQ(p.of(1)[0].source_offset, 50u);
  EXPECT_EQ(p.own_bytes[1], 50u);
  EXPECT_EQ(p.origin[0], 0u);
  EXPECT_EQ(p.origin[1], many_origins);
  EXPECT_EQ(p.own_bytes[2], 0u);
}

} // namespace
} // namespace tacit::recording
