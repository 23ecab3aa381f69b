// Fixture of the tests of one driver: every rank exchanges with every other one, over many runs, sizes and
// buffers. Whatever is not written stays zero.
#pragma once

#include "own_communicator.h"
#include "runtime/run/driver.h"
#include "runtime/run/progress.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tacit::test {

using namespace runtime;

/// Sizes of messages of which some go one way only, and some not at all.
inline long some_one_way_and_none(int from, int to) {
  const int x = (from * 31 + to * 17) % 9;
  return x == 0 ? -1 : from < to && (from + to) % 3 == 0 ? -1 : x * x * 100 + from;
}

class all_pairs : public own_communicator {
protected:
  explicit all_pairs(const char* driver_name) : driver_(driver_name) {}
  void TearDown() override {
    run.reset();
    peers.reset();
    own_communicator::TearDown();
  }
  /// A block of `bytes(from, to)` from every rank to every other one, none where it is negative.
  template <typename Bytes>
  void connect(Bytes&& bytes, bool chained = false) {
    program p;
    p.rank = rank;
    p.unattended = unattended;
    const auto add = [&](graphs::step_kind kind, int peer, long n, std::vector<unsigned char>& memory) {
      if (peer == rank || n < 0)
        return;
      graphs::step s;
      s.kind = kind;
      s.peer = rank_id{static_cast<std::uint32_t>(peer)};
      s.tag = 5;
      auto& list = kind == graphs::step_kind::send ? s.reads : s.writes;
      const auto at =
          reinterpret_cast<std::uint64_t>(memory.data()) + static_cast<std::uint64_t>(peer) * stride;
      if (n > 2) // in two parts, to gather and to scatter
        list = {{at, 1}, {at + 3, static_cast<std::uint64_t>(n) - 1}};
      else if (n > 0)
        list = {{at, static_cast<std::uint64_t>(n)}};
      if (chained && !p.plan.steps.empty())
        s.after = {static_cast<std::uint32_t>(p.plan.steps.size() - 1)};
      p.plan.steps.push_back(s);
    };
    out.assign(static_cast<std::size_t>(size) * stride + moved, 0);
    in = out;
    for (int r = 0; r < size; ++r)
      add(graphs::step_kind::send, r, bytes(rank, r), out);
    for (int r = 0; r < size; ++r)
      add(graphs::step_kind::recv, r, bytes(r, rank), in);
    const driver* d = find_driver(driver_);
    ASSERT_EQ(d->can_run(p, comm), "");
    peers = d->offer(p, comm);
    peers->create();
    run = d->prepare(p, comm, peers.get());
  }
  static unsigned char value(int from, int to, std::size_t i, int round) {
    return static_cast<unsigned char>(from * 71 + to * 13 + static_cast<int>(i) * 7 + round * 101 + 1);
  }
  static std::size_t place(std::size_t i) { return i == 0 ? 0 : i + 2; }
  /// Runs once with the buffers `shift` bytes further; returns what is wrong.
  template <typename Bytes>
  std::string exchange(Bytes&& bytes, int round, std::size_t shift = 0) {
    std::fill(out.begin(), out.end(), static_cast<unsigned char>(0));
    std::fill(in.begin(), in.end(), static_cast<unsigned char>(0));
    const auto at = [&](int peer, long n, long i) {
      return static_cast<std::size_t>(peer) * stride + shift +
             (n > 2 ? place(static_cast<std::size_t>(i)) : static_cast<std::size_t>(i));
    };
    for (int r = 0; r < size; ++r)
      for (long i = 0, n = bytes(rank, r); i < n; ++i)
        out[at(r, n, i)] = value(rank, r, static_cast<std::size_t>(i), round);
    run->start();
    begin_progress(*run);
    wait_for(*run);
    for (int r = 0; r < size; ++r) {
      if (r == rank)
        continue;
      std::vector<unsigned char> expected(stride, 0);
      const long n = bytes(r, rank);
      for (long i = 0; i < n; ++i)
        expected[at(0, n, i) - shift] = value(r, rank, static_cast<std::size_t>(i), round);
      if (std::memcmp(expected.data(), in.data() + static_cast<std::size_t>(r) * stride + shift,
                      stride - moved) != 0)
        return "rank " + std::to_string(rank) + " has wrong bytes from " + std::to_string(r) + " in round " +
               std::to_string(round);
    }
    return {};
  }
  template <typename Bytes>
  void expect_right(Bytes&& bytes, int rounds, bool chained = false) {
    connect(bytes, chained);
    for (int round = 0; round < rounds; ++round)
      ASSERT_EQ(exchange(bytes, round), "");
  }

  static constexpr std::size_t moved = 64;
  std::size_t stride = 40000; ///< from block to block
  bool unattended = false;    ///< programs of this rank
  std::vector<unsigned char> out, in;
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run;

private:
  const char* driver_;
};

} // namespace tacit::test
