// The words for what recordings mean, from facts made by hand.
#include "surface/report/recording_words.h"

#include <gtest/gtest.h>

namespace tacit::tests {

using namespace recordings;
using namespace surface;
namespace {

communicator_summary row_of_grid(std::uint32_t number) {
  return {{group_kind::row, number, 2, 4}, {}};
}

TEST(recording_words, a_collective_has_its_count_groups_roots_and_algorithm) {
  analysis a;
  a.communicators = {{{group_kind::all}, {}}, row_of_grid(0), row_of_grid(1)};
  activity x;
  x.kind = activity_kind::collective;
  x.found = pattern::bcast;
  x.algorithm = broadcast_algorithm{broadcast_shape::ring, {broadcast_shape::chain}, 4, false, true};
  x.rule = {root_rule::kind::in_turn, {0, 1, 2, 3}};
  x.communicators = {1, 2};
  x.group_size = 4;
  x.episodes = 16;
  x.smallest = x.largest = 512;
  EXPECT_EQ(title_of(x), "broadcast, pipelined ring or equal");
  EXPECT_EQ(sentence_of(a, x), "16 broadcasts on 2 row communicators of 4 ranks, roots cycle 0,1,2,3, 512 B, "
                               "algorithm: pipelined ring or equal");
  x.rule = {root_rule::kind::several, {}};
  EXPECT_EQ(title_of(x), "broadcast, pipelined ring or equal with several roots at once");
  replacement r;
  r.collective = pattern::bcast;
  r.calls = 2;
  EXPECT_EQ(call_text(a, r), "2 × MPI_Bcast on a communicator");
  r.communicator = 2;
  r.calls = 1;
  EXPECT_EQ(call_text(a, r), "MPI_Bcast on a row communicator");
  EXPECT_EQ(certainty_of(x).find("proved"), std::string::npos);
}

TEST(recording_words, traffic_is_named_by_its_statistics) {
  const analysis a;
  activity x;
  x.group_size = 6;
  x.moved = traffic{};
  x.moved->messages = x.moved->in_two_way_rings = 10;
  EXPECT_EQ(title_of(x), "shift around a ring, both ways");
  x.kind = activity_kind::trivial;
  x.moved->self = 10;
  EXPECT_EQ(title_of(x), "messages of a rank to itself");
  EXPECT_NE(detail_of(a, x, obstacle::one_or_two_ranks).find("one rank"), std::string::npos);
  x.moved->self = 0;
  x.moved->changed = 8;
  EXPECT_NE(sentence_of(a, x).find("8 of 10 messages send other content from memory that was received"),
            std::string::npos);
}

TEST(recording_words, memory_that_is_used_again_proves_no_computation) {
  const analysis a;
  activity x;
  x.group_size = 6;
  x.moved = traffic{};
  x.moved->messages = 10;
  x.moved->changed = 8;
  for (const activity_kind kind : {activity_kind::pipeline, activity_kind::changed_exchange}) {
    x.kind = kind;
    const obstacle what =
        kind == activity_kind::pipeline ? obstacle::computed_on_the_way : obstacle::changed_content;
    const std::string all = title_of(x) + sentence_of(a, x) + detail_of(a, x, what);
    EXPECT_NE(all.find("8 of 10 messages send other content from memory that was received into"),
              std::string::npos);
    EXPECT_TRUE(all.find("by its memory") != std::string::npos || all.find("perhaps") != std::string::npos)
        << all;
    EXPECT_TRUE(all.find("use their memory again") != std::string::npos ||
                all.find("memory is used again") != std::string::npos)
        << all;
  }
}

TEST(recording_words, a_doubted_collective_says_why_it_does_not_count) {
  const analysis a;
  activity x;
  x.moved = traffic{};
  x.episodes = 3;
  x.largest = 8;
  x.doubted = doubted_collective{pattern::bcast, doubt::tiny, {}};
  EXPECT_EQ(title_of(x), "small messages, passed on");
  EXPECT_NE(sentence_of(a, x).find("in the shape of 3 broadcasts"), std::string::npos);
  EXPECT_NE(detail_of(a, x, obstacle::small_or_constant).find("blocks of 8 B"), std::string::npos);
  x.doubted->why = doubt::dependent;
  EXPECT_EQ(title_of(x), "broadcast by its shape");
  EXPECT_NE(detail_of(a, x, obstacle::foreign_data_first).find("Only if it does not, MPI_Bcast"),
            std::string::npos);
  EXPECT_NE(detail_of(a, x, obstacle::foreign_data_first).find("data of others"), std::string::npos);
}

TEST(recording_words, a_shape_is_never_called_the_collective_itself) {
  const analysis a;
  activity x;
  x.moved = traffic{};
  x.episodes = 3;
  for (int i = 1; i <= static_cast<int>(message_shape::allgather_or_allreduce); ++i) {
    x.shape = static_cast<message_shape>(i);
    EXPECT_TRUE(title_of(x).ends_with(" by its shape")) << i;
    EXPECT_FALSE(shapes_of(x).empty()) << i;
    EXPECT_NE(detail_of(a, x, obstacle::computed_unseen).find("Only if it is that, MPI_"), std::string::npos)
        << i;
  }
  x.shape = message_shape::alltoall;
  EXPECT_NE(detail_of(a, x, obstacle::computed_unseen).find("those of an alltoall;"), std::string::npos);
  x.shape = message_shape::scan;
  EXPECT_NE(detail_of(a, x, obstacle::computed_unseen).find("those of a scan;"), std::string::npos);
}

TEST(recording_words, advice_says_what_memory_the_call_needs) {
  replacement r;
  r.collective = pattern::scatter;
  EXPECT_EQ(condition_of(r), "");
  r.if_in_one_array = true;
  EXPECT_NE(condition_of(r).find("with all blocks in one array"), std::string::npos);
  replacement room;
  room.if_room = true;
  room.collective = pattern::allgather;
  EXPECT_NE(condition_of(room).find("MPI_Allreduce needs none"), std::string::npos);
  room.collective = pattern::gatherv; // no reduction has operands of different lengths
  EXPECT_TRUE(condition_of(room).ends_with("one after the other"));
  room.if_no_signals = true;
  EXPECT_TRUE(condition_of(room).starts_with("if nobody has to wait for the messages without data"));
  room.if_in_order = true;
  EXPECT_NE(condition_of(room).find("; with the blocks side by side"), std::string::npos);
}

TEST(recording_words, a_doubted_exchange_names_its_messages_without_data) {
  const analysis a;
  activity x;
  x.moved = traffic{};
  x.doubted = doubted_collective{pattern::alltoallv, doubt::dependent, {}};
  EXPECT_EQ(detail_of(a, x, obstacle::foreign_data_first).find("carry no data"), std::string::npos);
  x.moved->empty = 3;
  EXPECT_NE(detail_of(a, x, obstacle::foreign_data_first).find("3 messages carry no data"),
            std::string::npos);
}

TEST(recording_words, an_activity_names_what_else_its_lines_do) {
  analysis a;
  a.activities.resize(3);
  a.activities[0].found = pattern::bcast;
  a.activities[0].episodes = 427;
  a.activities[0].sites = {0, 1};
  a.activities[1].moved = traffic{};
  a.activities[1].messages = 12;
  a.activities[1].moved->messages = 12;
  a.activities[1].sites = {1, 2};
  a.activities[2].moved = traffic{};
  a.activities[2].sites = {3};
  EXPECT_EQ(same_lines_text(a, a.activities[0]), "point-to-point messages (12 messages)");
  EXPECT_EQ(same_lines_text(a, a.activities[1]), "broadcast (427 times)");
  EXPECT_EQ(same_lines_text(a, a.activities[2]), "");
}

TEST(recording_words, every_obstacle_has_a_code_and_a_sentence) {
  const analysis a;
  for (int i = 0; i <= static_cast<int>(obstacle::no_fixed_round); ++i) {
    EXPECT_NE(code_of(static_cast<obstacle>(i)), reason::none) << i;
    EXPECT_TRUE(detail_of(a, activity{}, static_cast<obstacle>(i)).ends_with('.')) << i;
  }
}

TEST(recording_words, locations_and_groups) {
  call_site s;
  EXPECT_EQ(location_text(s), "an unknown location");
  s.module = "hpcc";
  s.offset = 0x4f20;
  EXPECT_EQ(location_text(s), "hpcc+0x4f20");
  s.function = "ring";
  s.function_offset = 0x1a;
  EXPECT_EQ(location_text(s), "ring+0x1a (hpcc)");
  s.file = "/build/bcast.c";
  s.line = 120;
  EXPECT_EQ(location_text(s), "bcast.c:120 (ring)");
  EXPECT_EQ(shape_text(row_of_grid(1)), "row 1 of a 2x4 grid");
  EXPECT_EQ(shape_text({{}, {rank_id{0}, rank_id{2}}}), "ranks 0,2");
  EXPECT_EQ(communicator_name(0), "world");
  EXPECT_EQ(communicator_name(3), "communicator 3");
}

} // namespace
} // namespace tacit::tests
