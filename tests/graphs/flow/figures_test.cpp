// The running example of seed 000 (Figures 1–5): an alltoall of one element each on four processes by a
// butterfly. Element k of process r is meant for process r xor k. In round one a process exchanges its
// elements 1 and 3 with its neighbor r xor 1, in round two its elements 2 and 3 with r xor 2; the second
// message waits for the first receive.
#include "graphs/flow/analysis.h"

using namespace tacit;
using namespace tacit::graphs;

namespace {

struct butterfly {
  graph g{4};
  op_id first_send[4], first_receive[4], second_send[4], second_receive[4];

  butterfly() {
    const segment odd[] = {{1, 1}, {3, 1}};
    for (std::uint32_t r = 0; r < 4; ++r) {
      const rank_id me{r}, neighbor{r ^ 1}, far{r ^ 2};
      first_send[r] = g.send(me, odd, neighbor);
      first_receive[r] = g.recv(me, odd, neighbor);
      second_send[r] = g.send(me, segment{2, 2}, far);
      second_receive[r] = g.recv(me, segment{2, 2}, far);
      g.depend(first_send[r], first_receive[r]);
      g.depend(first_receive[r], second_send[r]);
      g.depend(second_send[r], second_receive[r]);
    }
  }
};

} // namespace

TEST(paper, figure_1_butterfly_is_well_formed) {
  const butterfly b;
  const analysis a = analyze(b.g);
  EXPECT_TRUE(a.problems.empty());
  EXPECT_EQ(b.g.size(), 16u);
}

TEST(paper, figure_2_and_3_matching) {
  const butterfly b;
  const analysis a = analyze(b.g);
  for (std::uint32_t r = 0; r < 4; ++r) {
    EXPECT_EQ(a.matched.partner[index(b.first_send[r])], b.first_receive[r ^ 1]);
    EXPECT_EQ(a.matched.partner[index(b.second_send[r])], b.second_receive[r ^ 2]);
  }
}

TEST(paper, figure_3_second_send_becomes_ready_when_the_first_receive_is_done) {
  const butterfly b;
  const analysis a = analyze(b.g);
  const auto place = [&](op_id op) { return std::find(a.order.order.begin(), a.order.order.end(), op); };
  for (std::uint32_t r = 0; r < 4; ++r) {
    EXPECT_LT(place(b.first_send[r]) - a.order.order.begin(), 8); // all of round one is ready at the start
    EXPECT_LT(place(b.first_receive[r]), place(b.second_send[r]));
  }
}

TEST(paper, figure_4_final_tuples) {
  // The paper lists process 0: (0,0,1,0,0), (0,1,1,1,1), (0,2,1,2,2), (0,3,1,3,3). The first says that
  // element 0 stays where it is: an identity, which canonical transfers leave out.
  const butterfly b;
  const std::vector<transfer> all = transfers_of(b.g);
  ASSERT_GE(all.size(), 3u);
  EXPECT_EQ(std::vector<transfer>(all.begin(), all.begin() + 3),
            (std::vector<transfer>{moved(0, 1, 1, 1, 1), moved(0, 2, 2, 2, 1), moved(0, 3, 3, 3, 1)}));
  std::vector<transfer> everybody;
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t k = 1; k < 4; ++k)
      everybody.push_back(moved(r, k, r ^ k, k, 1));
  EXPECT_EQ(all, everybody);
}

TEST(paper, figure_5_split_of_the_message_from_process_0_to_process_2) {
  // Its first element is process 0's own, its second one came from process 1: one message, two assignments.
  const butterfly b;
  const std::vector<transfer> all = transfers_of(b.g);
  const auto at_2 = [](const transfer& t) { return index(t.destination) == 2 && t.destination_address >= 2; };
  std::vector<transfer> split;
  std::copy_if(all.begin(), all.end(), std::back_inserter(split), at_2);
  EXPECT_EQ(split, (std::vector<transfer>{moved(2, 2, 0, 2, 1), moved(2, 3, 1, 3, 1)}));
}

TEST(paper, wait_sets_of_the_butterfly_are_complete) {
  const butterfly b;
  const analysis a = analyze(b.g);
  const auto& everyone = b.g.communicators()[0].members;
  EXPECT_TRUE(wait_sets_complete(b.g, a.matched, a.order, everyone, sync_paths::all));
  EXPECT_FALSE(wait_sets_complete(b.g, a.matched, a.order, everyone, sync_paths::explicit_only));
}
