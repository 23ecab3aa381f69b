// A ring of ranks that exchange messages of more than 1 MiB, which driver `shm` may read in place.
#pragma once

#include "own_communicator.h"
#include "runtime/run/driver.h"
#include "runtime/run/progress.h"
#include "runtime/shm/peers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tacit::test {

using namespace runtime;

inline constexpr std::size_t bytes = 1200001;

/// A ring of ranks, in one direction or in both.
class large : public own_communicator {
protected:
  void TearDown() override {
    run.reset();
    peers.reset();
    own_communicator::TearDown();
  }
  void connect(bool both_ways) {
    run.reset();
    program p;
    p.rank = rank;
    out.assign(bytes + 100, 0);
    const auto add = [&](graphs::step_kind kind, int peer, std::vector<unsigned char>& memory,
                         std::int32_t tag) {
      graphs::step s;
      s.kind = kind;
      s.peer = rank_id{static_cast<std::uint32_t>(peer)};
      s.tag = tag;
      const auto at = reinterpret_cast<std::uint64_t>(memory.data());
      auto& list = kind == graphs::step_kind::send ? s.reads : s.writes;
      list = {{at, 1000}, {at + 1010, bytes - 1000}}; // a gap, on both sides alike
      p.plan.steps.push_back(s);
    };
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    in.assign(both_ways ? 2 : 1, std::vector<unsigned char>(bytes + 100));
    add(graphs::step_kind::send, next, out, 0);
    add(graphs::step_kind::recv, before, in[0], 0);
    if (both_ways) {
      add(graphs::step_kind::send, before, out, 1);
      add(graphs::step_kind::recv, next, in[1], 1);
    }
    const driver* d = find_driver("shm");
    peers = d->offer(p, comm);
    peers->create();
    run = d->prepare(p, comm, peers.get());
  }
  static unsigned char value(int from, std::size_t i, int round) {
    return static_cast<unsigned char>(from * 71 + static_cast<int>(i % 251) * 7 + round * 101 + 1);
  }
  std::vector<unsigned char> expected(int from, int round) const {
    std::vector<unsigned char> all(bytes + 100, 0);
    for (std::size_t i = 0; i < bytes; ++i)
      all[i < 1000 ? i : i + 10] = value(from, i, round);
    return all;
  }
  void exchange(int round) {
    const auto sent = expected(rank, round);
    std::copy(sent.begin(), sent.end(), out.begin()); // in place
    for (auto& memory : in)
      std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0));
    run->start();
    begin_progress(*run);
    wait_for(*run);
    ASSERT_TRUE(in[0] == expected((rank + size - 1) % size, round)) << "round " << round;
    if (in.size() == 2) {
      ASSERT_TRUE(in[1] == expected((rank + 1) % size, round)) << "round " << round;
    }
  }

  std::vector<unsigned char> out;
  std::vector<std::vector<unsigned char>> in;
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run;
};

} // namespace tacit::test
