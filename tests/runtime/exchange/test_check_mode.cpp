// Check mode (TACIT_CHECK=1) from inside: a wrong plan is planted, all ranks learn of it with rank and edge,
// and a message per edge runs instead.
#include "runtime/exchange/check_together.h"
#include "runtime/exchange/local_plan.h"
#include "runtime/exchange/prepare.h"
#include "runtime/run/progress.h"

#include "mpi_main.h"
#include "own_communicator.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace tacit::test {
namespace {

using namespace runtime;

/// Slot 0 is the rank itself, slot 1 the next rank of a ring.
class check_mode : public own_communicator {
protected:
  void SetUp() override {
    own_communicator::SetUp();
    meant_.what = planted_.what = neighbors::topology::kind::stencil;
    meant_.shape = planted_.shape = {{size}, {true}};
    meant_.offsets = {{0}, {1}};
    planted_.offsets = {{1}, {0}};
    const rank_id me{static_cast<std::uint32_t>(rank)};
    edges_ = meant_.of(me);
    distances_ = neighbors::rotated_rounds(edges_, me, static_cast<std::uint32_t>(size));
    agreement all(comm, rank, size, "check_mode");
    model_ = *agree_on_model(rank, size, comm, all);
    sizes_.emplace(edges_);
  }

  exchange_site site(const neighbors::topology& t) {
    exchange_site s;
    s.comm = comm;
    s.rank = rank;
    s.size = size;
    s.edges = &edges_;
    s.topology = &t;
    s.distances = &distances_;
    s.sizes = &*sizes_;
    s.model = &model_;
    s.native_comms = std::make_shared<native_communicators>();
    return s;
  }

  neighbor_call call() {
    neighbor_side out, in;
    out.blocks = in.blocks = neighbor_side::listing::equal;
    out.count = in.count = 1;
    out.type = in.type = MPI_INT;
    out.buffer = out_.data();
    in.buffer = in_.data();
    return {"check_mode", out, in};
  }

  /// Prepared with dimensions combined, by a topology that need not be the one that is meant; run once.
  exchange_report run_with(const neighbors::topology& t, bool check) {
    neighbor_options options;
    options.blocks = neighbors::grouping::combined;
    options.check = check;
    const neighbor_call c = call();
    exchange_request request{c, options};
    request.first_tag = 1000;
    prepared_exchange made = prepare(site(t), request);
    made.run->start();
    begin_progress(*made.run);
    wait_for(*made.run);
    return made.report;
  }

  bool data_are_right() const { return in_[0] == 10 * rank && in_[1] == 10 * ((rank + size - 1) % size) + 1; }

  neighbors::topology meant_, planted_;
  neighbors::neighborhood edges_;
  neighbors::edge_rounds distances_;
  agreed_model model_;
  std::optional<edge_sizes> sizes_;
  std::vector<int> out_, in_{-1, -1};
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(check_mode, right_plans_are_taken) {
  out_ = {10 * rank, 10 * rank + 1};
  const exchange_report said = run_with(meant_, true);
  EXPECT_TRUE(data_are_right());
  EXPECT_TRUE(says(said.text(), "combined: ")) << said.text();
  EXPECT_TRUE(says(said.text(), "TACIT_CHECK: the plans of all ranks together do what the call means"))
      << said.text();
}

TEST_F(check_mode, wrong_plans_are_found_and_not_used) {
  out_ = {10 * rank, 10 * rank + 1};
  run_with(planted_, false);
  EXPECT_FALSE(data_are_right()) << "nothing is planted";
  in_ = {-1, -1};
  const exchange_report said = run_with(planted_, true);
  EXPECT_TRUE(data_are_right());
  EXPECT_EQ(said.variant(), "direct p2p");
  EXPECT_TRUE(says(said.text(),
                   "TACIT_CHECK: the plan failed its check and is not used, a message per edge is: "
                   "rank 0, incoming edge 0 from rank 0: "))
      << said.text();
}

TEST_F(check_mode, one_wrong_rank_is_named_to_all) {
  out_ = {10 * rank, 10 * rank + 1};
  const neighbor_call c = call();
  const neighbors::neighbor_blocks blocks = blocks_of(c, edges_);
  graphs::rank_plan plan = plain_plan(site(meant_), blocks);
  agreement all(comm, rank, size, "check_mode");
  EXPECT_TRUE(check_together(site(meant_), "right", blocks, plan, 5, all).right);
  if (rank == 1)
    std::swap(plan.steps[0].writes, plan.steps[1].writes);
  const checked_together found = check_together(site(meant_), "planted", blocks, plan, 5, all);
  EXPECT_FALSE(found.right);
  EXPECT_EQ(found.plan_fault.rfind("rank 1, incoming edge 0 from rank 1: ", 0), 0u) << found.plan_fault;
  // A call that contradicts itself is nobody's plan's fault.
  neighbors::neighbor_blocks less = blocks;
  if (rank == 1)
    less.in[1][0].length = 2;
  const checked_together call_fault =
      check_together(site(meant_), "contradiction", less, plain_plan(site(meant_), less), 5, all);
  EXPECT_FALSE(call_fault.right);
  EXPECT_EQ(call_fault.plan_fault, "");
  EXPECT_TRUE(says(call_fault.call_fault, "rank 1, incoming edge 1 from rank 0: 2 B expected, 4 B sent"))
      << call_fault.call_fault;
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // which variants are compared must not depend on the machine
  return tacit::test::mpi_main(argc, argv);
}
