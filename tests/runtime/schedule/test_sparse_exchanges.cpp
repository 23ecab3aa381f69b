// Irregular messages on real ranks, by every plan that the choice has for them: neighborhood exchanges in rounds, through trees and between
// nodes among these, alone and beside a collective. Every byte is compared with what the messages say.
#include "mpi_main.h"
#include "oracle/fuzz_count.h"
#include "own_cache.h"

#include "runtime/mpi/rank_and_size.h"
#include "runtime/schedule/compile_together.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <random>
#include <vector>

namespace tacit::runtime {
namespace {

/// Messages that cost much, bytes that cost little: trees pay on few ranks. MPICH does not go on with steps in other calls, in which nobody
/// waits here. A machine that was measured, or a kept choice, would make other plans of it.
[[maybe_unused]] const bool said = [] {
  setenv("TACIT_MESSAGE_COST", "1000,10,1,1", 0);
  setenv("TACIT_PROGRESS", "waits", 0);
  return true;
}();

struct sparse_message {
  int from, to;
  std::size_t length, source, target; ///< bytes of the memory that is sent from, and received in
};

/// All ranks know all of it.
class sparse_exchange {
public:
  sparse_exchange(std::uint64_t seed, int ranks)
      : random_(seed), ranks_(ranks), sent_(static_cast<std::size_t>(ranks), 0),
        got_(static_cast<std::size_t>(ranks), 0) {
    const bool many =
        ranks > 12; // where helpers pay, if most ranks do little, and no collective takes what they do
    const int per_rank = many ? 1 : below(4) == 0 ? 12 : 3;
    for (int i = below(per_rank * ranks); i-- > 0;)
      add(below(ranks), below(ranks), 1 + static_cast<std::size_t>(below(below(4) == 0 ? 4000 : 24)));
    if (many || below(2) == 0) { // a rank from which, or to which, most others send
      const int hot = below(ranks);
      const bool gathers = below(2) == 0, same = below(2) == 0;
      std::vector<int> partners;
      for (int r = 0; r < ranks; ++r)
        if (r != hot && below(many ? 3 : 8) != 0)
          partners.push_back(r);
      for (int block = 0; block < (many ? 2 : 1);
           ++block) // of one each, or of equal ones, collectives are made
        for (const int r : partners) {
          const std::size_t length = many ? 8 + static_cast<std::size_t>(r) : 8;
          gathers ? add(r, hot, length) : add(hot, r, length, same && r > 0);
        }
    }
    if (below(3) == 0) {
      const int root = below(ranks);
      for (int r = 0; r < ranks; ++r)
        if (r != root)
          add(root, r, 40, !list_.empty() && list_.back().from == root && list_.back().length == 40);
    }
  }
  const std::vector<sparse_message>& list() const { return list_; }

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void add(int from, int to, std::size_t length, bool same_as_last = false) {
    auto& sent = sent_[static_cast<std::size_t>(from)];
    auto& got = got_[static_cast<std::size_t>(to)];
    const bool again = same_as_last && sent >= length;
    list_.push_back({from, to, length, again ? sent - length : sent, got});
    sent += again ? 0 : length;
    got += length;
  }

  std::mt19937_64 random_;
  int ranks_;
  std::vector<std::size_t> sent_, got_;
  std::vector<sparse_message> list_;
};

constexpr std::size_t memory = 1 << 16;

char value(int rank, std::size_t i, int round) {
  return static_cast<char>(static_cast<std::size_t>(rank) * 131 + i * 7 +
                           static_cast<std::size_t>(round) * 37);
}

class sparse_run {
public:
  explicit sparse_run(const sparse_exchange& all) : all_(all), mine_(memory), got_(memory) {
    for (const sparse_message& m : all.list()) {
      if (m.to == part_.rank())
        part_.recv({{reinterpret_cast<std::uint64_t>(got_.data() + m.target), m.length}}, m.from, 1);
      if (m.from == part_.rank())
        part_.send({{reinterpret_cast<std::uint64_t>(mine_.data() + m.source), m.length}}, m.to, 1);
    }
  }
  const graph_builder& part() const { return part_; }
  std::string run(schedule& s, int round) {
    std::vector<char> wanted(memory, 'x');
    std::fill(got_.begin(), got_.end(), 'x');
    for (std::size_t i = 0; i < memory; ++i)
      mine_[i] = value(part_.rank(), i, round);
    for (const sparse_message& m : all_.list())
      for (std::size_t i = 0; m.to == part_.rank() && i < m.length; ++i)
        wanted[m.target + i] = value(m.from, m.source + i, round);
    s.start();
    s.wait();
    for (std::size_t i = 0; i < memory; ++i)
      if (got_[i] != wanted[i])
        return fmt::format("rank {} byte {}", part_.rank(), i);
    return {};
  }

private:
  const sparse_exchange& all_;
  graph_builder part_{MPI_COMM_WORLD};
  std::vector<char> mine_, got_;
};

/// As the answer to a name that no plan has lists them.
std::vector<std::string> plans_of(const graph_builder& part) {
  compile_request wanted;
  wanted.plan = "?";
  std::vector<std::string> names;
  try {
    compile_together(part, "the test", [&] { return wanted; })->end();
  } catch (const call_error& e) {
    const std::string text = e.what();
    std::size_t at = text.find("the plans of this graph are ");
    while (at != std::string::npos && (at = text.find('"', at)) != std::string::npos) {
      const std::size_t end = text.find('"', at + 1);
      names.push_back(text.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return names;
}

TEST(sparse_exchanges, arrive_by_every_plan) {
  std::map<std::string, int> seen;
  const std::uint64_t graphs = oracle::fuzz_count() / 40;
  for (std::uint64_t i = 0; i < graphs; ++i) {
    const std::uint64_t seed = oracle::fuzz_seed() + i;
    const sparse_exchange all(seed, size_of(MPI_COMM_WORLD));
    sparse_run here(all);
    for (const std::string& name : plans_of(here.part())) {
      compile_request wanted;
      wanted.plan = name;
      const auto made = compile_together(here.part(), "the test", [&] { return wanted; });
      for (int round = 0; round < 3; ++round) {
        const std::string fault = here.run(*made, round);
        EXPECT_EQ(fault, "") << "seed " << seed << " by " << name;
      }
      made->end();
      ++seen[name];
    }
  }
  int rounds = 0, trees = 0, nodes = 0;
  for (const auto& [name, times] : seen) {
    rounds += name.ends_with("neighborhood in rounds") ? times : 0;
    trees += name.ends_with("neighborhood through trees") ? times : 0;
    nodes += name.ends_with("neighborhood between nodes") ? times : 0;
    if (rank_in(MPI_COMM_WORLD) == 0)
      std::cout << "  " << times << " " << name << "\n";
  }
  const int size = size_of(MPI_COMM_WORLD);
  if (size > 4) {
    EXPECT_GT(rounds, 0);
  }
  if (size > 12) {
    EXPECT_GT(trees, 0);
  }
  if (std::getenv("TACIT_RANKS_PER_NODE") && size > 2) {
    EXPECT_GT(nodes, 0);
  }
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  const tacit::test::own_cache nothing_is_known;
  return tacit::test::mpi_main(argc, argv);
}
