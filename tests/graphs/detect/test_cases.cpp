// The small cases of SEMANTICS 3, on transfers written down by hand.
#include "graphs/detect/analyzed.h"

#include "vocabulary/calls/reasons.h"

namespace tacit::graphs {
namespace {

using test::made;
using test::refusal_of;
using test::texts;

const detect_options uniform_only{.vector_forms = false};

reason why(const findings& f, pattern kind) {
  const refusal* r = refusal_of(f, kind);
  return r ? r->why : reason::none;
}

TEST(detect_cases, same_bytes_to_all_are_a_broadcast_and_own_bytes_a_scatter) {
  made b(4);
  for (std::uint32_t j : {0u, 1u, 3u})
    b.move(2, 0x100, j, 8);
  EXPECT_EQ(b.found(), (texts{"bcast 8 root 2"}));
  made s(4);
  for (std::uint32_t j : {0u, 1u, 3u})
    s.move(2, 0x100 + 8 * j, j, 8);
  EXPECT_EQ(s.found(), (texts{"scatter 8 root 2"}));
  made g(4);
  for (std::uint32_t j : {0u, 1u, 3u})
    g.move(j, 0x100, 2, 8);
  EXPECT_EQ(g.found(), (texts{"gather 8 root 2"}));
}

/// Algorithm 5 of the paper, lines 7 and 8, has these two the wrong way round.
TEST(detect_cases, identical_input_per_peer_is_allgather_and_different_input_is_alltoall) {
  made allgather(3), alltoall(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (i == j)
        continue;
      allgather.move(i, 0x100, j, 4);
      alltoall.move(i, 0x100 + 4 * j, j, 4);
    }
  EXPECT_EQ(allgather.found(), (texts{"allgather 4"}));
  EXPECT_EQ(alltoall.found(), (texts{"alltoall 4"}));
}

TEST(detect_cases, alltoall_does_not_eat_the_bytes_of_a_broadcast) {
  made m(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (i == j)
        continue;
      if (i == 0)
        m.move(0, 0x100, j, 4);
      else
        m.move(i, 0x100 + 4 * j, j, 4);
    }
  EXPECT_EQ(m.found(), (texts{"bcast 4 root 0", "scatter 4 root 1", "scatter 4 root 2"}));
}

TEST(detect_cases, rows_against_columns_where_greedy_loses) {
  // Rank 0 could scatter 1 byte, but then ranks 1, 2 and 3 lose one byte each of what they could gather.
  made m(5);
  for (std::uint32_t j = 1; j < 5; ++j)
    m.move(0, 0x100 + j, j, 1);
  for (std::uint32_t j = 1; j < 4; ++j)
    for (std::uint32_t i = 1; i < 5; ++i)
      if (i != j)
        m.move(i, 0x200 + j, j, 1);
  EXPECT_EQ(m.found(uniform_only), (texts{"gather 1 root 1", "gather 1 root 2", "gather 1 root 3"}));
  EXPECT_EQ(why(m.detect(uniform_only), pattern::scatter), reason::used_by_higher);
}

TEST(detect_cases, several_of_one_size_and_shape_become_one_with_several_pieces) {
  made m(3);
  for (std::uint32_t j : {1u, 2u})
    m.move(0, 0x100, j, 8).move(0, 0x200, j, 8);
  const findings f = m.detect();
  ASSERT_EQ(f.found.size(), 1u);
  EXPECT_EQ(f.found[0].bytes, 16u);
  EXPECT_EQ(f.found[0].blocks, 2u);
}

TEST(detect_cases, two_broadcasts_of_one_size_from_two_roots_stay_two) {
  made m(4);
  for (std::uint32_t j = 0; j < 4; ++j) {
    if (j != 0)
      m.move(0, 0x100, j, 8);
    if (j != 3)
      m.move(3, 0x100, j, 8);
  }
  EXPECT_EQ(m.found(), (texts{"bcast 8 root 0", "bcast 8 root 3"}));
}

TEST(detect_cases, the_same_byte_twice_to_everybody_is_broadcast_twice) {
  made m(3);
  for (std::uint32_t j : {1u, 2u})
    m.move(0, 0x100, j, 4).move(0, 0x100, j, 4);
  EXPECT_EQ(m.found(), (texts{"bcast 8 root 0"}));
}

TEST(detect_cases, blocks_cut_differently_at_each_destination_are_still_one_broadcast) {
  made m(4);
  m.move(0, 0x100, 1, 12);
  m.move(0, 0x100, 2, 5).move(0, 0x105, 2, 7);
  m.move(0, 0x108, 3, 4).move(0, 0x100, 3, 8);
  const findings f = m.detect();
  ASSERT_EQ(f.found.size(), 1u);
  EXPECT_EQ(f.found[0].bytes, 12u);
  EXPECT_TRUE(f.residual.empty());
}

TEST(detect_cases, overlapping_ranges_are_broadcast_where_they_reach_all) {
  made m(3);
  m.move(0, 0x100, 1, 10).move(0, 0x104, 2, 10);
  EXPECT_EQ(m.found(uniform_only), (texts{"bcast 6 root 0", "scatter 4 root 0"}));
}

TEST(detect_cases, an_extra_copy_of_part_of_a_broadcast_is_left_and_the_whole_message_taken) {
  made m(4);
  m.move(0, 0x104, 1, 4);
  for (std::uint32_t j : {1u, 2u, 3u})
    m.move(0, 0x100, j, 16);
  const findings f = m.detect();
  ASSERT_EQ(f.found.size(), 1u);
  EXPECT_EQ(f.found[0].blocks, 1u);
  ASSERT_EQ(f.residual.size(), 1u);
  EXPECT_EQ((*f.residual.begin()).length, 4u);
}

TEST(detect_cases, alltoall_takes_whole_messages_and_leaves_random_ones) {
  made m(3);
  m.move(0, 0x900, 1, 10).move(2, 0x900, 0, 100);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j)
      if (i != j)
        m.move(i, 0x100 + 64 * j, j, 64);
  const findings f = m.detect();
  EXPECT_EQ(test::summary(m.g, f), (texts{"alltoall 64"}));
  EXPECT_EQ(f.residual.size(), 2u);
}

TEST(detect_cases, blocks_of_13_and_12_rows_are_an_alltoallv) {
  made m(4);
  const std::uint64_t rows[] = {13, 13, 12, 12};
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = 0; j < 4; ++j)
      if (i != j)
        m.move(i, 0x1000 * (j + 1), j, rows[i] * rows[j]);
  const findings f = m.detect();
  EXPECT_EQ(test::summary(m.g, f), (texts{"alltoallv 169"}));
  EXPECT_EQ(why(f, pattern::alltoall), reason::unequal_sizes);
  EXPECT_TRUE(f.residual.empty());
  EXPECT_EQ(m.found(uniform_only).front(), "alltoall 144");
}

TEST(detect_cases, an_exact_subset_of_messages_is_preferred_to_cutting) {
  made m(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (i == j)
        continue;
      if (i == 0 && j == 1)
        m.move(0, 0x900, 1, 5).move(0, 0x100, 1, 16).move(0, 0x200, 1, 48);
      else
        m.move(i, 0x100 + 64 * j, j, 64);
    }
  // The pair (0, 1) has 69 bytes in pieces of 5, 16 and 48: 16 and 48 make 64.
  const findings f = m.detect();
  EXPECT_EQ(test::summary(m.g, f), (texts{"alltoall 64"}));
  ASSERT_EQ(f.residual.size(), 1u);
  EXPECT_EQ((*f.residual.begin()).length, 5u);
}

TEST(detect_cases, allgather_of_different_sizes_is_an_allgatherv) {
  made m(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j)
      if (i != j)
        m.move(i, 0x100, j, 3 + i);
  EXPECT_EQ(m.found(), (texts{"allgatherv 5"}));
  EXPECT_EQ(m.found(uniform_only), (texts{"allgather 3", "bcast 1 root 1", "bcast 2 root 2"}));
}

TEST(detect_cases, scatter_and_gather_of_different_sizes_are_vector_forms) {
  made s(4), g(4);
  for (std::uint32_t j = 1; j < 4; ++j) {
    s.move(0, 0x1000 * j, j, 10 * j);
    g.move(j, 0x1000, 0, 10 * j);
  }
  EXPECT_EQ(s.found(), (texts{"scatterv 30 root 0"}));
  EXPECT_EQ(g.found(), (texts{"gatherv 30 root 0"}));
  EXPECT_EQ(why(s.detect(), pattern::scatter), reason::unequal_sizes);
  EXPECT_EQ(s.found(uniform_only), (texts{"scatter 10 root 0"}));
}

TEST(detect_cases, density_admits_a_sparse_vector_form_and_counts_pairs) {
  made m(4);
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = 0; j < 4; ++j)
      if (i != j && !(i == 1 && j == 2))
        m.move(i, 0x100 + 64 * j, j, 8);
  EXPECT_EQ(m.found({.density = 0.9}), (texts{"alltoallv 8"}));
  const findings f = m.detect();
  EXPECT_EQ(why(f, pattern::alltoall), reason::missing_pairs);
  EXPECT_EQ(refusal_of(f, pattern::alltoall)->detail,
            "11 of 12 pairs have data of their own; rank 1 sends nothing to rank 2");
  EXPECT_EQ(why(m.detect({.density = 0.95}), pattern::alltoall), reason::low_density);
}

TEST(detect_cases, an_empty_pair_costs_no_collective) {
  made all(8), blocks(8), to_one(8), from_one(8), ring(4);
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t j = 0; j < 8; ++j) {
      if (i == j || (i == 2 && j == 5))
        continue;
      all.move(i, 0x100 + 64 * j, j, 8);
      blocks.move(i, 0x100, j, 8);
    }
  for (std::uint32_t j = 1; j < 7; ++j) {
    to_one.move(j, 0x100, 0, 8);
    from_one.move(0, 0x100 + 64 * j, j, 8);
  }
  for (std::uint32_t i = 0; i < 4; ++i)
    for (const std::uint32_t j : {(i + 1) % 4, (i + 3) % 4})
      ring.move(i, 0x100 + 64 * j, j, 8);
  EXPECT_EQ(all.found(), (texts{"alltoallv 8"}));
  EXPECT_EQ(
      blocks.found(),
      (texts{"allgatherv 8"})); // rank 2's block reaches six of seven: no scatter that reads it six times
  EXPECT_EQ(to_one.found(), (texts{"gatherv 8 root 0"}));
  EXPECT_EQ(from_one.found(), (texts{"scatterv 8 root 0"}));
  EXPECT_EQ(ring.found(), texts{}); // two of three pairs
}

TEST(detect_cases, an_empty_pair_costs_no_rooted_collective_of_four_ranks) {
  made to_one(4), from_one(4), with_another(4), line(4), three(3), both(4);
  for (const std::uint32_t j : {1u, 3u}) {
    to_one.move(j, 0x100, 0, 8 * j);
    from_one.move(0, 0x100 + 64 * j, j, 8);
    with_another.move(0, 0x100 + 64 * j, j, 8);
    both.move(0, 0x100 + 64 * j, j, 8).move(2, 0x100 + 64 * j, j, 8);
  }
  with_another.move(3, 0x100, 2, 5);
  for (std::uint32_t i = 0; i + 1 < 4; ++i) // a halo without wrap-around
    line.move(i, 0x100, i + 1, 8).move(i + 1, 0x200, i, 8);
  three.move(0, 0x100, 2, 8);
  EXPECT_EQ(to_one.found(), (texts{"gatherv 24 root 0"}));
  EXPECT_EQ(from_one.found(), (texts{"scatterv 8 root 0"}));
  EXPECT_EQ(with_another.found(), (texts{"scatterv 8 root 0"}));
  EXPECT_EQ(from_one.found({.density = 0.8}), texts{});
  EXPECT_EQ(from_one.found(uniform_only), texts{});
  EXPECT_EQ(both.found(), texts{});
  EXPECT_EQ(line.found(), texts{});
  EXPECT_EQ(three.found(), texts{});
}

TEST(detect_cases, what_has_one_root_is_not_called_a_sparse_alltoall) {
  made s(5), g(5), b(5);
  for (std::uint32_t j = 1; j < 5; ++j) {
    s.move(0, 0x100 + 64 * j, j, 8);
    g.move(j, 0x100, 0, 8);
    b.move(0, 0x100, j, 8);
  }
  EXPECT_EQ(why(s.detect(), pattern::alltoall), reason::missing_pairs);
  EXPECT_EQ(refusal_of(s.detect(), pattern::alltoall)->detail,
            "4 of 20 pairs have data of their own, all from rank 0");
  EXPECT_EQ(refusal_of(g.detect(), pattern::alltoall)->detail,
            "4 of 20 pairs have data of their own, all to rank 0");
  EXPECT_EQ(why(g.detect(), pattern::scatter), reason::incomplete_row);
  EXPECT_EQ(why(s.detect(), pattern::gather), reason::incomplete_column);
  EXPECT_EQ(why(b.detect(), pattern::allgather), reason::no_common_block);
}

TEST(detect_cases, sparse_scatterv_and_gatherv_follow_the_density) {
  made s(5), g(5);
  for (std::uint32_t j = 1; j < 4; ++j) {
    s.move(0, 0x1000 * j, j, 4);
    g.move(j, 0x1000, 0, 4);
  }
  EXPECT_EQ(s.found({.density = 0.75}), (texts{"scatterv 4 root 0"}));
  EXPECT_EQ(g.found({.density = 0.75}), (texts{"gatherv 4 root 0"}));
  EXPECT_EQ(s.found({.density = 0.8}), texts{});
}

TEST(detect_cases, groups_of_one_and_two_ranks_are_trivial) {
  made two(2), one(1);
  two.move(0, 0x100, 1, 8);
  const findings f = two.detect();
  EXPECT_TRUE(f.found.empty());
  EXPECT_EQ(f.residual.size(), 1u);
  for (const pattern kind : {pattern::bcast, pattern::alltoall, pattern::barrier})
    EXPECT_EQ(why(f, kind), reason::trivial_group);
  EXPECT_EQ(why(one.detect(), pattern::gather), reason::trivial_group);
  EXPECT_EQ(two.found({.smallest_group = 2}), (texts{"bcast 8 root 0"}));
  EXPECT_EQ(why(one.detect({.smallest_group = 0}), pattern::gather), reason::trivial_group);
}

TEST(detect_cases, local_copies_and_unknown_bytes_take_no_part_and_stay) {
  made m(3);
  m.move(0, 0x100, 0, 8).unknown(1, 8).unknown(2, 8);
  for (std::uint32_t j : {1u, 2u})
    m.move(0, 0x100, j, 8);
  const findings f = m.detect();
  EXPECT_EQ(test::summary(m.g, f), (texts{"bcast 8 root 0"}));
  EXPECT_EQ(f.residual.size(), 3u);
}

TEST(detect_cases, an_incomplete_broadcast_names_its_best_candidate) {
  made m(8);
  for (std::uint32_t j : {0u, 1u, 2u, 4u, 6u})
    m.move(3, 0x100, j, 8);
  const findings f = m.detect();
  EXPECT_TRUE(f.found.empty());
  EXPECT_EQ(why(f, pattern::bcast), reason::no_common_block);
  EXPECT_EQ(refusal_of(f, pattern::bcast)->detail,
            "best candidate, rank 3 at 0x100, reaches 5 of 7 ranks, not rank 5");
  EXPECT_EQ(refusal_of(f, pattern::scatter)->detail, "best candidate, rank 3, sends to 5 of 7 ranks");
  EXPECT_EQ(refusal_of(f, pattern::gather)->detail, "best candidate, rank 0, receives from 1 of 7 ranks");
}

TEST(detect_cases, a_graph_knows_whether_it_holds_empty_messages_or_fences) {
  graph bytes(3), empty(3), no_segments(3), fence(3);
  bytes.send(rank_id{0}, segment{0x100, 1}, rank_id{1});
  empty.send(rank_id{0}, segment{0x100, 0}, rank_id{1});
  no_segments.send(rank_id{0}, std::span<const segment>{}, rank_id{1});
  fence.fence(rank_id{0});
  EXPECT_FALSE(bytes.has_empty_sends());
  EXPECT_TRUE(empty.has_empty_sends());
  EXPECT_TRUE(no_segments.has_empty_sends());
  EXPECT_TRUE(fence.has_fences() && !fence.has_empty_sends());
}

TEST(detect_cases, nothing_moves_nothing_found) {
  made m(4);
  const findings f = m.detect();
  EXPECT_TRUE(f.found.empty());
  EXPECT_EQ(f.refused.size(), 6u);
  EXPECT_EQ(why(f, pattern::barrier), reason::wait_set_incomplete);
}

TEST(detect_cases, what_a_higher_pattern_took_is_said_to_be_taken) {
  made m(3);
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j)
      if (i != j)
        m.move(i, 0x100, j, 4);
  const findings f = m.detect();
  for (const pattern kind : {pattern::alltoall, pattern::bcast, pattern::scatter, pattern::gather})
    EXPECT_EQ(why(f, kind), reason::used_by_higher) << name(kind);
}

TEST(detect_cases, rows_of_a_grid_are_searched_on_their_communicators) {
  made m(6); // 2 × 3
  m.g.add_communicator("row0", {rank_id{0}, rank_id{1}, rank_id{2}});
  m.g.add_communicator("row1", {rank_id{5}, rank_id{4}, rank_id{3}});
  m.g.add_communicator("row1 again", {rank_id{3}, rank_id{4}, rank_id{5}});
  m.g.add_communicator("column0", {rank_id{0}, rank_id{3}});
  m.move(0, 0x100, 1, 8).move(0, 0x100, 2, 8).move(4, 0x100, 3, 8).move(4, 0x100, 5, 8).move(0, 0x900, 3, 8);
  const findings f = m.detect();
  EXPECT_EQ(test::summary(m.g, f), (texts{"row0 bcast 8 root 0", "row1 bcast 8 root 4"}));
  EXPECT_EQ(refusal_of(f, pattern::bcast, comm_id{4})->why, reason::trivial_group);
  EXPECT_EQ(refusal_of(f, pattern::bcast, comm_id{3}), nullptr) << "the same members twice";
  EXPECT_EQ(f.residual.size(), 1u);
}

/// An alltoall of equal blocks is taken as a whole only where there is nothing else, before or behind it.
TEST(detect_cases, an_alltoall_of_some_ranks_leaves_what_others_get) {
  for (const std::uint32_t first : {0u, 2u}) {
    made m(5);
    m.g.add_communicator("three", {rank_id{first}, rank_id{first + 1}, rank_id{first + 2}});
    for (std::uint32_t i = first; i < first + 3; ++i)
      for (std::uint32_t j = first; j < first + 3; ++j)
        if (i != j)
          m.move(i, 0x100 + 8 * j, j, 8);
    const std::uint32_t other = first == 0 ? 3 : 0;
    m.move(other, 0x100, other + 1, 8);
    const findings f = m.detect();
    EXPECT_EQ(test::summary(m.g, f), (texts{"three alltoall 8"})) << first;
    EXPECT_EQ(f.residual.size(), 1u) << first;
  }
}

TEST(detect_cases, a_subgroup_may_use_the_rest_of_a_message_that_a_larger_group_cut) {
  made m(4);
  m.g.add_communicator("three", {rank_id{0}, rank_id{1}, rank_id{2}});
  m.move(0, 0x100, 1, 12).move(0, 0x100, 2, 12).move(0, 0x100, 3, 8);
  EXPECT_EQ(m.found(), (texts{"bcast 8 root 0", "three bcast 4 root 0"}));
}

TEST(detect_cases, cuts_in_one_group_leave_whole_transfers_of_another_as_they_are) {
  made m(7);
  m.g.add_communicator("left", {rank_id{0}, rank_id{1}, rank_id{2}, rank_id{3}});
  m.g.add_communicator("right", {rank_id{4}, rank_id{5}, rank_id{6}});
  m.move(0, 0x100, 1, 12).move(0, 0x100, 2, 12).move(0, 0x100, 3, 8); // cut at 1 and 2, whole at 3
  for (std::uint32_t i : {4u, 5u, 6u})
    for (std::uint32_t j : {4u, 5u, 6u})
      if (i != j)
        m.move(i, 0x100 + 64 * j, j, 8);
  const findings f = m.detect(uniform_only);
  EXPECT_EQ(test::summary(m.g, f), (texts{"left bcast 8 root 0", "right alltoall 8"}));
  ASSERT_EQ(f.residual.size(), 2u);
  for (const slice& s : f.residual) {
    EXPECT_EQ(s.offset, 8u);
    EXPECT_EQ(s.length, 4u);
  }
}

TEST(detect_cases, what_is_left_of_cut_transfers_is_searched_beside_whole_ones) {
  made m(4);
  for (std::uint32_t j : {1u, 2u, 3u}) // 8 bytes go to all, and further ones of their own
    m.move(0, 0x100, j, j == 3 ? 8 : 12).move(1, 0x100 + 64 * j, j == 1 ? 0 : j, 6);
  m.move(0, 0x900, 3, 4);
  EXPECT_EQ(m.found(uniform_only), (texts{"bcast 8 root 0", "scatter 4 root 0", "scatter 6 root 1"}));
}

TEST(detect_cases, bytes_at_the_very_end_of_the_address_space_are_bytes_too) {
  made m(4);
  const std::uint64_t end = ~std::uint64_t{0};
  m.move(0, end - 7, 1, 8).move(0, end - 3, 2, 4).move(0, end - 7, 2, 4).move(0, end - 7, 3, 8);
  EXPECT_EQ(m.found(), (texts{"bcast 8 root 0"}));
}

TEST(detect_cases, huge_blocks_are_counted_without_overflow) {
  graph g(3);
  transfers t;
  const std::uint64_t huge = (std::uint64_t{1} << 63) - 1;
  for (std::uint32_t j = 0; j < 3; ++j)
    for (std::uint32_t i = 0; i < 3; ++i)
      if (i != j)
        t.list.push_back({i * (huge / 2), 5 * j, huge / 2, rank_id{i}, rank_id{j}});
  const findings f = detect(g, {}, {}, t);
  ASSERT_FALSE(f.found.empty());
  std::uint64_t covered = 0;
  for (const finding& x : f.found)
    for (const slice s : x.slices)
      covered += s.length / 3;
  EXPECT_GT(covered, huge / 3);
}

TEST(detect_cases, a_search_that_gets_too_long_says_so) {
  made m(4);
  for (std::uint32_t j : {1u, 2u, 3u})
    for (std::uint32_t k = 0; k < 40; ++k)
      m.move(0, 0x100 + 2 * k, j, 1);
  const findings f = m.detect({.budget = 20});
  EXPECT_EQ(why(f, pattern::bcast), reason::not_searched);
  EXPECT_EQ(m.found(), (texts{"bcast 40 root 0"}));
}

TEST(detect_cases, transfers_that_were_given_up_are_not_searched) {
  made m(3);
  m.t.complete = false;
  EXPECT_EQ(why(m.detect(), pattern::bcast), reason::fragment_budget);
}

} // namespace
} // namespace tacit::graphs
