// Plans with balancing trees and with aggregation between nodes, on real ranks, by every driver that moves
// bytes: many small graphs with a hot rank, every byte of the ranks' memory compared with what the plan
// without either means.
#include "mpi_main.h"
#include "neighbors/passes/neighbor_machine.h"
#include "neighbors/passes/spread_plans.h"
#include "own_communicator.h"
#include "runtime/run/driver.h"
#include "runtime/run/progress.h"

#include <algorithm>
#include <memory>

namespace tacit::test {

using namespace runtime;
namespace {

constexpr std::uint64_t arena = 600000; ///< random cases read from 1000 and write from 500000 on

class spread : public own_communicator {
protected:
  static unsigned char byte_of(std::uint64_t value, int round) {
    return static_cast<unsigned char>((value * 0x9e3779b97f4a7c15ull >> 56) +
                                      static_cast<unsigned>(round) * 37);
  }
  std::uint64_t initial(std::uint64_t address) const {
    return neighbor_machine::initial(static_cast<std::size_t>(rank), address);
  }
  /// This rank's plan, in real memory.
  program program_at(graphs::rank_plan plan, const std::vector<unsigned char>& memory) const {
    for (graphs::step& s : plan.steps)
      for (auto* list : {&s.reads, &s.writes})
        for (graphs::segment& g : *list)
          if (g.address < graphs::scratch_base)
            g.address += reinterpret_cast<std::uint64_t>(memory.data());
    program p;
    p.rank = rank;
    p.exact_sizes = true;
    p.plan = std::move(plan);
    return p;
  }
  /// Runs the plan several times, from two places where the driver can move buffers.
  void run_and_compare(const graphs::rank_plan& plan, const neighbor_machine::memory& meaning,
                       const std::string& name) {
    std::vector<unsigned char> memory(2 * arena);
    const program p = program_at(plan, memory);
    const driver* d = find_driver(name);
    ASSERT_EQ(d->can_run(p, comm), "");
    const std::unique_ptr<connection> peers = d->offer(p, comm);
    if (peers)
      peers->create();
    std::unique_ptr<execution> run = d->prepare(p, comm, peers.get());
    std::ptrdiff_t place = 0;
    for (int round = 0; round < 4; ++round) {
      if (name == "shm" && round == 2) {
        place = arena;
        ASSERT_TRUE(run->rebind(place, place));
      }
      for (std::uint64_t at = 0; at < arena; ++at)
        memory[at + static_cast<std::uint64_t>(place)] = byte_of(initial(at), round);
      run->start();
      begin_progress(*run);
      wait_for(*run);
      for (std::uint64_t at = 0; at < arena; ++at) {
        const auto written = meaning.find(at);
        const std::uint64_t value = written == meaning.end() ? initial(at) : written->second;
        ASSERT_EQ(memory[at + static_cast<std::uint64_t>(place)], byte_of(value, round))
            << name << " round " << round << " byte " << at;
      }
    }
    MPI_Barrier(comm);
    run.reset();
    if (peers)
      peers->end();
  }
  void run_everywhere(const std::vector<graphs::rank_plan>& direct,
                      const std::vector<graphs::rank_plan>& plans, std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    neighbor_machine machine(direct, seed);
    ASSERT_EQ(machine.run(), "");
    for (const char* name : {"shm", "p2p", "rma"})
      run_and_compare(plans[static_cast<std::size_t>(rank)], machine.written[static_cast<std::size_t>(rank)],
                      name);
  }
  /// Graphs with a hot rank for as many ranks as there are here.
  template <typename Test>
  void each_case(int wanted, Test&& test) {
    for (std::uint64_t seed = 1; wanted > 0; ++seed) {
      random_case c(seed, static_cast<std::uint32_t>(size));
      if (c.size != static_cast<std::uint32_t>(size))
        continue;
      c.make_blocks(false);
      test(c, seed);
      --wanted;
    }
  }
};

TEST_F(spread, trees_are_right_by_every_driver) {
  if (size < 5)
    GTEST_SKIP() << "wants helpers";
  std::size_t trees = 0;
  each_case(12, [&](const random_case& c, std::uint64_t seed) {
    const auto direct = direct_plans(c);
    const planted p = plant(direct, eager());
    trees += p.trees.size();
    run_everywhere(direct, p.plans, seed);
  });
  EXPECT_GT(trees, 0u);
}

TEST_F(spread, aggregation_is_right_by_every_driver) {
  std::size_t aggregated_messages = 0;
  each_case(size < 5 ? 4 : 8, [&](const random_case& c, std::uint64_t seed) {
    std::vector<std::uint64_t> identities;
    for (std::uint32_t r = 0; r < c.size; ++r)
      identities.push_back(r / 2);
    const auto direct = direct_plans(c);
    const auto plans = through_nodes(direct, neighbors::map_of_nodes(identities), 1000);
    for (const graphs::rank_plan& plan : plans)
      aggregated_messages += static_cast<std::size_t>(std::count_if(
          plan.steps.begin(), plan.steps.end(), [](const graphs::step& s) { return s.tag >= 5; }));
    run_everywhere(direct, plans, seed);
  });
  EXPECT_GT(aggregated_messages, 4u);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
