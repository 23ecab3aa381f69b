// What a collective is told from others by, and who needs what a reduction includes.
#include "tasks/commands/planner.h"

#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

constexpr buffer_id array{0};
constexpr coordinate array_length = 16;

task kernel_of(coordinate items, std::vector<access> accesses) {
  task t;
  t.shape.global = box_of(range{{items, 1, 1}});
  t.accesses = std::move(accesses);
  return t;
}

/// No mapper of the catalogue: each item touches the one that lies `by` behind it, around the end.
mapper rotated(coordinate by) {
  return from_function("rotated", [by](const box& chunk, const box&, const range& extent) {
    std::vector<box> out;
    for (coordinate x = chunk[0].begin; x < chunk[0].end; ++x) {
      const coordinate at = (x + by) % extent[0];
      out.push_back(box_of({at, 0, 0}, {at + 1, 1, 1}));
    }
    return region(std::move(out));
  });
}

planner planner_on(std::uint32_t ranks, int me = 0) {
  planner_options options;
  options.ranks = ranks;
  options.me = rank_id{static_cast<std::uint32_t>(me)};
  planner out(options);
  out.create_buffer({"P", 1, {{array_length, 1, 1}}, 8, false});
  return out;
}

TEST(signatures, copies_of_unknown_shape_count) {
  planner p = planner_on(4);
  task wait;
  wait.kind = task_kind::epoch;
  std::vector<std::uint64_t> found;
  for (const coordinate by : {3, 7, 3}) {
    p.submit(kernel_of(array_length, {{array, access_mode::discard_write, one_to_one()}}));
    p.submit(kernel_of(array_length, {{array, access_mode::read, rotated(by)}}));
    p.submit(wait); // no look-ahead beyond it
    p.submit(kernel_of(array_length, {{array, access_mode::read, all()}}));
    p.submit(wait);
    for (const command& c : p.take())
      if (c.kind == command_kind::collective)
        found.push_back(c.exchange->signature);
  }
  ASSERT_TRUE(p.problems().empty());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0], found[1]) << "ranks have other parts already, so that something else moves";
  EXPECT_EQ(found[0], found[2]);
}

TEST(reductions, first_chunk_on_a_later_rank_gets_what_is_included) {
  for (int rank = 0; rank < 3; ++rank) {
    planner p = planner_on(3, rank);
    p.submit(kernel_of(1, {{array, access_mode::discard_write, all()}})); // rank 0 has it
    task sum = kernel_of(array_length, {});
    sum.shape.weights = std::vector<std::uint32_t>{0, 1, 1};
    sum.reductions = {{array, 1, true}};
    p.submit(sum);
    p.flush();
    coordinate arrives = 0;
    for (const command& c : p.take())
      if (c.kind == command_kind::collective)
        for (const exchange_part& part : c.exchange->parts)
          arrives += received(part, rank_id{static_cast<std::uint32_t>(rank)}).volume();
      else if (c.kind == command_kind::await_push)
        arrives += c.what.volume();
    ASSERT_TRUE(p.problems().empty()) << p.problems()[0].message;
    EXPECT_EQ(arrives, rank == 1 ? array_length : 0) << "rank " << rank;
  }
}

} // namespace
} // namespace tacit::tasks
