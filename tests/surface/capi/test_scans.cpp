// Scans and reduce-scatters that programs write by hand, on real processes: replaced by each driver where that may be, and compared byte
// for byte with a plain execution of the operations in the order of the graph.
#include "mpi_main.h"
#include "reduction_kinds.h"

#include "oracle/fuzz_count.h"

#include <tacit/tacit.h>

#include <cstdlib>
#include <unistd.h>

namespace {

using namespace tacit::test;

enum class way {
  scan_in_a_chain,
  scan_by_each,
  scan_in_place,
  exscan_in_a_chain,
  exscan_by_each,
  exscan_in_place,
  scatter_linear,
  scatter_ring,
  scatter_uneven,
};
constexpr way ways[] = {way::scan_in_a_chain,   way::scan_by_each,   way::scan_in_place,
                        way::exscan_in_a_chain, way::exscan_by_each, way::exscan_in_place,
                        way::scatter_linear,    way::scatter_ring,   way::scatter_uneven};

const char* pattern_of(way how) {
  if (how <= way::scan_in_place)
    return "scan";
  if (how <= way::exscan_in_place)
    return "exscan";
  return how == way::scatter_uneven ? "reduce_scatter" : "reduce_scatter_block";
}
bool is_in_place(way how) {
  return how == way::scan_in_place || how == way::exscan_in_place;
}

/// Elements of the blocks of a reduce-scatter, and where they begin.
struct blocks {
  std::vector<int> first, count;
};
blocks blocks_of(way how, int count) {
  blocks out;
  int at = 0;
  for (int b = 0; b < size(); ++b) {
    const int uneven = size() > 3 && b + 1 == size() ? 0 : 1 + b % 3;
    out.first.push_back(at);
    out.count.push_back(how == way::scatter_uneven ? uneven : std::min(count, elements / size()));
    at += out.count.back();
  }
  return out;
}

/// The part of this rank.
class scan_by_hand {
public:
  scan_by_hand(tacit_graph g, const kind& k, std::size_t extent, int count)
      : g_(g), k_(k), extent_(extent), count_(count), beside_(extent * elements), before_(extent * elements) {
  }

  void make(way how, unsigned char* mine, unsigned char* result) {
    const bool first = rank() == 0, last = rank() + 1 == size();
    switch (how) {
    case way::scan_in_a_chain:
    case way::scan_in_place: {
      unsigned char* const into = how == way::scan_in_place ? mine : result;
      tacit_op op = into == mine ? -1 : copy(mine, into, {});
      if (!first)
        op = take(into, rank() - 1, count_, {op});
      if (!last)
        send(into, rank() + 1, count_, {op});
      break;
    }
    case way::scan_by_each: {
      tacit_op op = copy(mine, result, {});
      for (int from = rank() - 1; from >= 0; --from)
        op = take(result, from, count_, {op});
      send_to_later(mine);
      break;
    }
    case way::exscan_in_a_chain:
    case way::exscan_in_place:
      pass_on(mine, how == way::exscan_in_place ? before_.data() : result, first, last);
      if (how == way::exscan_in_place && !first) {
        tacit_graph_scratch(g_, before_.data(), count_, k_.type);
        copy(before_.data(), mine, {received_, copied_, combined_});
      }
      break;
    case way::exscan_by_each: {
      tacit_op op = first ? -1 : receive(result, rank() - 1);
      for (int from = rank() - 2; from >= 0; --from)
        op = take(result, from, count_, {op});
      send_to_later(mine);
      break;
    }
    case way::scatter_ring:
      round_the_ring(blocks_of(how, count_), mine, result);
      break;
    default:
      scatter(blocks_of(how, count_), mine, result);
    }
  }

private:
  using ops = std::initializer_list<tacit_op>;
  unsigned char* at(unsigned char* from, int element) const {
    return from + extent_ * static_cast<std::size_t>(element);
  }
  tacit_op after(tacit_op op, ops before) const {
    for (const tacit_op b : before)
      if (b >= 0)
        tacit_graph_depend(g_, b, op);
    return op;
  }
  tacit_op copy(const unsigned char* from, unsigned char* into, ops before, int count = -1) const {
    tacit_op op = -1;
    const int n = count < 0 ? count_ : count;
    EXPECT_EQ(tacit_graph_copy(g_, from, n, k_.type, into, n, k_.type, &op), TACIT_SUCCESS);
    return after(op, before);
  }
  tacit_op send(const unsigned char* from, int to, int count, ops before) const {
    tacit_op op = -1;
    EXPECT_EQ(tacit_graph_send(g_, from, count, k_.type, to, 1, &op), TACIT_SUCCESS);
    return after(op, before);
  }
  tacit_op receive(unsigned char* into, int from) const {
    tacit_op op = -1;
    EXPECT_EQ(tacit_graph_recv(g_, into, count_, k_.type, from, 1, &op), TACIT_SUCCESS);
    return op;
  }
  /// into = what arrives ⊕ into
  tacit_op take(unsigned char* into, int from, int count, ops before) const {
    tacit_op op = -1;
    EXPECT_EQ(tacit_graph_recv_reduce(g_, into, count, k_.type, k_.op, from, 1, &op), TACIT_SUCCESS);
    return after(op, before);
  }
  void send_to_later(const unsigned char* mine) const {
    for (int to = rank() + 1; to < size(); ++to)
      send(mine, to, count_, {});
  }
  void pass_on(unsigned char* mine, unsigned char* result, bool first, bool last) {
    received_ = copied_ = combined_ = -1;
    if (first) {
      send(mine, 1, count_, {});
      return;
    }
    received_ = receive(result, rank() - 1);
    if (last)
      return;
    tacit_graph_scratch(g_, beside_.data(), count_, k_.type);
    copied_ = copy(mine, beside_.data(), {});
    EXPECT_EQ(tacit_graph_reduce(g_, result, beside_.data(), count_, k_.type, k_.op, &combined_),
              TACIT_SUCCESS);
    after(combined_, {received_, copied_});
    send(beside_.data(), rank() + 1, count_, {combined_});
  }
  void scatter(const blocks& all, unsigned char* mine, unsigned char* result) const {
    const auto me = static_cast<std::size_t>(rank());
    tacit_op op = -1;
    if (all.count[me] > 0)
      op = copy(at(mine, all.first[me]), result, {}, all.count[me]);
    for (std::size_t other = 0; other < all.count.size(); ++other) {
      if (other == me)
        continue;
      if (all.count[other] > 0)
        send(at(mine, all.first[other]), static_cast<int>(other), all.count[other], {});
      if (all.count[me] > 0)
        op = take(result, static_cast<int>(other), all.count[me], {op});
    }
  }
  /// The block of each rank starts behind it and comes to it last.
  void round_the_ring(const blocks& all, unsigned char* mine, unsigned char* result) {
    const int n = size();
    for (int of = 0; of < n; ++of) {
      const int count = all.count[static_cast<std::size_t>(of)],
                first = all.first[static_cast<std::size_t>(of)];
      const int place = (rank() - of - 1 + 2 * n) % n; // 0: where it starts, n - 1: the owner
      unsigned char* const own = at(mine, first);
      if (place == 0) {
        send(own, (rank() + 1) % n, count, {});
        continue;
      }
      unsigned char* const into = place + 1 == n ? result : at(beside_.data(), first);
      tacit_op op = copy(own, into, {}, count);
      op = take(into, (rank() + n - 1) % n, count, {op});
      if (place + 1 < n) {
        tacit_graph_scratch(g_, into, count, k_.type);
        send(into, (rank() + 1) % n, count, {op});
      }
    }
  }

  tacit_graph g_;
  const kind& k_;
  std::size_t extent_;
  int count_;
  std::vector<unsigned char> beside_, before_;
  tacit_op received_ = -1, copied_ = -1, combined_ = -1;
};

/// What each rank's result is, in the order in which the graph combines; where there is none, what was there.
void scan_plainly(way how, const kind& k, int count, memory& start, memory& results) {
  const std::size_t extent = start.bytes() / elements;
  const int n = size();
  const auto part = [&](int of, int first, int length) {
    return std::vector<unsigned char>(start.at(of, first),
                                      start.at(of, first) + extent * static_cast<std::size_t>(length));
  };
  const auto put_in_front = [&](std::vector<unsigned char> left, std::vector<unsigned char>& into,
                                int length) {
    MPI_Reduce_local(left.data(), into.data(), length, k.type, k.op);
  };
  const bool scatters = how >= way::scatter_linear, exclusive = !scatters && how >= way::exscan_in_a_chain;
  const bool chain = how == way::scan_in_a_chain || how == way::scan_in_place ||
                     how == way::exscan_in_a_chain || how == way::exscan_in_place;
  const blocks all = blocks_of(how, count);
  for (int r = 0; r < n; ++r) {
    const int last = exclusive ? r - 1 : r;
    const auto me = static_cast<std::size_t>(r);
    const int length = scatters ? all.count[me] : count, first = scatters ? all.first[me] : 0;
    if ((!scatters && last < 0) || length == 0)
      continue;
    std::vector<unsigned char> sum;
    if (chain) { // ((x0 ⊕ x1) ⊕ x2) …
      sum = part(0, 0, length);
      for (int i = 1; i <= last; ++i) {
        std::vector<unsigned char> next = part(i, 0, length);
        put_in_front(sum, next, length);
        sum = next;
      }
    } else if (how == way::scatter_ring) {
      sum = part((r + 1) % n, first, length);
      for (int i = 2; i <= n; ++i) {
        std::vector<unsigned char> next = part((r + i) % n, first, length);
        put_in_front(sum, next, length);
        sum = next;
      }
    } else if (scatters) {
      sum = part(r, first, length);
      for (int i = 0; i < n; ++i)
        if (i != r)
          put_in_front(part(i, first, length), sum, length);
    } else {
      sum = part(last, 0, length);
      for (int i = last - 1; i >= 0; --i)
        put_in_front(part(i, 0, length), sum, length);
    }
    std::memcpy(results.at(r, 0), sum.data(), sum.size());
  }
}

void check(std::uint64_t seed, const kind& k, way how, const char* driver, bool permitted,
           const char* replace) {
  const bool in_order = how < way::scatter_linear;
  const bool replaced = k.any_order || (permitted && k.everywhere && (in_order || k.commutes));
  const int count = 1 + static_cast<int>(seed % elements);
  memory start(k, size(), seed), used(k, size(), seed), truth(k, size(), seed + 1),
      results(k, size(), seed + 1);
  scan_plainly(how, k, count, start, truth);
  tacit_graph g;
  ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
  add_if_needed(g, k);
  unsigned char *const mine = used.at(rank(), 0), *const result = results.at(rank(), 0);
  scan_by_hand by(g, k, used.bytes() / elements, count);
  by.make(how, mine, result);
  const tacit_schedule s = compiled(g, driver, permitted, replace);
  ASSERT_NE(s, TACIT_SCHEDULE_NULL);
  tacit_graph_free(&g);
  const std::string text = explain(s);
  const std::string found = std::string("\nfound: ") + pattern_of(how) + " among";
  EXPECT_EQ(text.find(found) != std::string::npos, replaced) << k.name << " " << found << "\n" << text;
  const blocks all = blocks_of(how, count);
  const bool scatters = how >= way::scatter_linear;
  const int wanted = scatters ? all.count[static_cast<std::size_t>(rank())] : count;
  const bool any = scatters || how <= way::scan_in_place || rank() > 0;
  for (int run = 0; run < 4; ++run) {
    std::memcpy(mine, start.at(rank(), 0), start.bytes());
    std::memcpy(result, truth.at(rank(), 0), start.bytes());
    unsigned char* const at = is_in_place(how) ? mine : result;
    if (!is_in_place(how) && any)
      std::memset(result, 0x5a, results.bytes() / elements * static_cast<std::size_t>(wanted));
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    if (any)
      k.expect_equal(at, truth.at(rank(), 0), wanted, permitted);
    if (!is_in_place(how)) {
      EXPECT_EQ(used.packed(mine), start.packed(start.at(rank(), 0))) << "an operand was changed";
      k.expect_equal(result + results.bytes() / elements * static_cast<std::size_t>(any ? wanted : 0),
                     truth.at(rank(), any ? wanted : 0), elements - (any ? wanted : 0), false);
    }
    ASSERT_FALSE(testing::Test::HasFailure())
        << k.name << ", way " << static_cast<int>(how) << ", driver '" << driver << "', seed " << seed << "\n"
        << text;
  }
  tacit_schedule s_to_free = s;
  tacit_schedule_free(&s_to_free);
}

class scans : public testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (size() < 3)
      GTEST_SKIP() << "no collective on fewer than three ranks";
  }
};

TEST_F(scans, by_hand_are_replaced_where_no_bit_changes) {
  const kinds known;
  std::vector<const char*> drivers{"coll", "p2p", "shm", ""};
#ifdef OPEN_MPI
  drivers.push_back("pcoll");
#endif
  std::uint64_t seed = tacit::oracle::fuzz_seed();
  const std::uint64_t rounds = tacit::oracle::from_environment("TACIT_FUZZ_COUNT", 1);
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (const kind& k : known.all)
      for (const way how : ways)
        for (const bool permitted : {false, true}) {
          const char* const driver = drivers[seed % drivers.size()];
          ++seed;
          check(seed, k, how, driver, permitted, seed % 4 == 0 ? "true" : "always");
          if (HasFatalFailure())
            return;
        }
}

TEST_F(scans, by_each_driver_of_integers) {
  const kinds known;
  std::uint64_t seed = tacit::oracle::fuzz_seed();
  for (const char* driver : {"coll", "p2p", "shm", "rma"})
    for (const way how : ways)
      check(++seed, known.all.front(), how, driver, false, "always");
}

/// What tacit_explain says of a ring shift with patterns of a file that says so; a file with mistakes costs nothing but notes.
std::string explained_with_patterns(const std::string& text) {
  char name[] = "patterns-XXXXXX";
  char file[sizeof name + 16] = {};
  if (rank() == 0) {
    const int opened = mkstemp(name);
    EXPECT_GE(opened, 0);
    EXPECT_EQ(write(opened, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(opened);
    std::memcpy(file, name, sizeof name);
  }
  MPI_Bcast(file, sizeof file, MPI_CHAR, 0, MPI_COMM_WORLD);
  int out = 10 + rank(), in = -1;
  tacit_graph g;
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  EXPECT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  tacit_graph_send(g, &out, 1, MPI_INT, next, 0, nullptr);
  tacit_graph_recv(g, &in, 1, MPI_INT, before, 0, nullptr);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_patterns", file);
  EXPECT_EQ(tacit_compile(g, info, &s), TACIT_SUCCESS) << tacit_last_error();
  MPI_Info_free(&info);
  EXPECT_EQ(tacit_run(s), TACIT_SUCCESS);
  EXPECT_EQ(in, 10 + before);
  const std::string said = explain(s);
  tacit_schedule_free(&s);
  tacit_graph_free(&g);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0)
    unlink(name);
  return said;
}

TEST_F(scans, and_patterns_of_ones_own_are_told_by_explain) {
  const std::string head = "tacit patterns 1\npattern \"ring shift\" says \"to the next\"\n";
  std::string said = explained_with_patterns(head + "each r: sends block to (r + 1) % p\n");
  EXPECT_NE(
      said.find("found: ring shift among " + std::to_string(size()) + " ranks, block 4 B: to the next\n"),
      std::string::npos)
      << said;
  said = explained_with_patterns(head + "each r: sends block to r + 1\n");
  EXPECT_NE(said.find("not found: ring shift (TACIT-030: rank " + std::to_string(size() - 1) +
                      " also sends 4 B to rank 0)"),
            std::string::npos)
      << said;
  said = explained_with_patterns(head + "each r: sends block to r +\n");
  EXPECT_NE(said.find("note: TACIT-080"), std::string::npos) << said;
  EXPECT_NE(said.find("line 4, column 1: expected a number"), std::string::npos) << said;
}

} // namespace

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
