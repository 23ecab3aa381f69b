// Reductions in graphs: random programs of messages, copies and reductions, each executed by every driver and compared
// byte for byte with a plain execution, one operation after the other, of what all ranks do. Floating point and operators
// that neither commute nor associate: any other order of operations would give other bytes.
#include "mpi_main.h"
#include "reduction_kinds.h"

#include "oracle/fuzz_count.h"

#include <tacit/tacit.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <list>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace tacit::test;

/// What all ranks do, one operation after the other.
struct operation {
  enum { message, reduce, copy } what;
  int from, to; ///< ranks; the same for local ones
  int read, write, count;
  int tag;
  bool reduces; ///< a message that is combined
  int room;     ///< elements of the receive
};

class random_program {
public:
  random_program(std::uint64_t seed, int ranks) : random_(seed), ranks_(ranks) {
    // Half of the programs combine only in the upper half of the memory, so that there is something to replace beside it.
    zones_ = between(0, 1) == 1;
    const int steps = between(1, 8 * ranks_);
    for (int i = 0; i < steps; ++i)
      add();
  }
  std::vector<operation> list;

private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  void add() {
    operation o{
        operation::message, between(0, ranks_ - 1), between(0, ranks_ - 1), 0, 0, 0, between(0, 1), false, 0};
    const int dice = between(1, 100);
    const bool upper = !zones_ || between(0, 1) == 1;
    const int first = zones_ && upper ? elements / 2 : 0, last = zones_ && !upper ? elements / 2 : elements;
    o.count = between(1, (last - first) / 3);
    o.read = between(first, last - o.count);
    o.write = between(first, last - o.count);
    o.room = o.count + (between(1, 5) == 1 ? between(0, last - o.count - o.write) : 0);
    if (dice <= 25 && upper) {
      o.what = operation::reduce;
      o.to = o.from;
      o.read = between(first, last - 2 * o.count);
      o.write = o.read + o.count + between(0, last - o.read - 2 * o.count);
      if (between(0, 1) == 1)
        std::swap(o.read, o.write);
    } else if (dice <= 35) {
      o.what = operation::copy;
      o.to = o.from;
    } else {
      o.reduces = upper && dice <= 70;
    }
    list.push_back(o);
  }
  std::mt19937_64 random_;
  int ranks_;
  bool zones_;
};

void execute(memory& all, const kind& k, const operation& o) {
  const std::size_t length = all.bytes() / elements * static_cast<std::size_t>(o.count);
  std::vector<unsigned char> carried(all.at(o.from, o.read), all.at(o.from, o.read) + length);
  if (o.what == operation::reduce || (o.what == operation::message && o.reduces))
    MPI_Reduce_local(carried.data(), all.at(o.to, o.write), o.count, k.type, k.op);
  else
    std::memcpy(all.at(o.to, o.write), carried.data(), length);
}

/// This rank's part of a program: an operation waits for those that it must not overlap.
class part {
public:
  part(tacit_graph g, const kind& k, unsigned char* mine, std::size_t extent)
      : g_(g), k_(k), mine_(mine), extent_(extent) {}
  void add(const operation& o) {
    const int me = rank();
    tacit_op op = -1;
    if (o.what == operation::reduce && o.from == me) {
      ASSERT_EQ(tacit_graph_reduce(g_, at(o.read), at(o.write), o.count, k_.type, k_.op, &op), TACIT_SUCCESS);
      order(op, {o.read, o.count}, {o.write, o.count});
    } else if (o.what == operation::copy && o.from == me) {
      ASSERT_EQ(tacit_graph_copy(g_, at(o.read), o.count, k_.type, at(o.write), o.count, k_.type, &op),
                TACIT_SUCCESS);
      order(op, {o.read, o.count}, {o.write, o.count});
    }
    if (o.what != operation::message)
      return;
    if (o.from == me) {
      ASSERT_EQ(tacit_graph_send(g_, at(o.read), o.count, k_.type, o.to, o.tag, &op), TACIT_SUCCESS);
      order(op, {o.read, o.count}, {0, 0});
    }
    if (o.to == me) {
      const int code =
          o.reduces ? tacit_graph_recv_reduce(g_, at(o.write), o.room, k_.type, k_.op, o.from, o.tag, &op)
                    : tacit_graph_recv(g_, at(o.write), o.room, k_.type, o.from, o.tag, &op);
      ASSERT_EQ(code, TACIT_SUCCESS);
      order(op, {0, 0}, {o.write, o.count});
    }
  }

private:
  struct range {
    int first, count;
    bool meets(const range& o) const { return first < o.first + o.count && o.first < first + count; }
  };
  struct known {
    tacit_op op;
    range read, written;
  };
  unsigned char* at(int element) { return mine_ + extent_ * static_cast<std::size_t>(element); }
  void order(tacit_op op, range read, range written) {
    for (const known& before : earlier_)
      if (written.meets(before.read) || written.meets(before.written) || read.meets(before.written))
        tacit_graph_depend(g_, before.op, op);
    earlier_.push_back({op, read, written});
  }
  tacit_graph g_;
  const kind& k_;
  unsigned char* mine_;
  std::size_t extent_;
  std::vector<known> earlier_;
};

void check(std::uint64_t seed, const kind& k, const char* driver) {
  const random_program program(seed, size());
  memory start(k, size(), seed), truth(k, size(), seed), used(k, size(), seed);
  for (const operation& o : program.list)
    execute(truth, k, o);
  tacit_graph g;
  tacit_schedule s;
  ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
  add_if_needed(g, k);
  part mine(g, k, used.at(rank(), 0), used.bytes() / elements);
  for (const operation& o : program.list)
    mine.add(o);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (*driver)
    MPI_Info_set(info, "tacit_driver", driver);
  ASSERT_EQ(tacit_compile(g, info, &s), TACIT_SUCCESS) << tacit_last_error();
  MPI_Info_free(&info);
  tacit_graph_free(&g); // the schedule keeps what it needs
  const std::string wanted = truth.packed(truth.at(rank(), 0));
  for (int run = 0; run < 2; ++run) {
    std::memcpy(used.at(rank(), 0), start.at(rank(), 0), start.bytes());
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    ASSERT_TRUE(used.packed(used.at(rank(), 0)) == wanted)
        << "seed " << seed << ", " << k.name << ", driver '" << driver << "', run " << run << ", rank "
        << rank();
  }
  tacit_schedule_free(&s);
}

class reductions : public testing::Test {
protected:
  void SetUp() override { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
};

TEST_F(reductions, random_programs_equal_a_plain_execution) {
  const kinds known;
  const std::uint64_t programs = tacit::oracle::from_environment("TACIT_FUZZ_COUNT", 24);
  const std::uint64_t first = tacit::oracle::fuzz_seed();
  const char* const drivers[] = {"", "p2p", "shm", "coll", "rma"};
  for (std::uint64_t seed = first; seed < first + programs && !HasFailure(); ++seed) {
    const kind& k = known.all[seed % known.all.size()];
    for (const char* driver : drivers)
      if (*driver != 'r' || seed % 8 == seed / 8 % 8) // making windows takes long
        check(seed, k, driver);
  }
  EXPECT_FALSE(overlapped) << "an operator of the program was called while it ran";
}

/// One of the ways in which programs reduce by hand. `mine` is the operand of each rank, `result` has room for as many elements.
enum class by_hand { linear, tree, linear_for_all, tree_for_all, each_for_itself };

struct reduction_by_hand {
  tacit_graph g;
  const kind& k;
  std::size_t extent;
  int count;

  void move_into(const unsigned char* from, unsigned char* into, tacit_op* op) const {
    tacit_graph_copy(g, from, count, k.type, into, count, k.type, op);
  }
  tacit_op combine_arrival(unsigned char* into, int from, tacit_op after) const {
    tacit_op op = -1;
    EXPECT_EQ(tacit_graph_recv_reduce(g, into, count, k.type, k.op, from, 1, &op), TACIT_SUCCESS);
    tacit_graph_depend(g, after, op);
    return op;
  }
  /// All to the root, one after the other.
  tacit_op linear(unsigned char* mine, unsigned char* result, int root) const {
    tacit_op last = -1;
    if (rank() != root) {
      tacit_graph_send(g, mine, count, k.type, root, 1, &last);
      return last;
    }
    move_into(mine, result, &last);
    for (int r = 0; r < size(); ++r)
      if (r != root)
        last = combine_arrival(result, r, last);
    return last;
  }
  tacit_op tree(unsigned char* mine, unsigned char* result, int root, bool for_all) const {
    const int v = (rank() - root + size()) % size();
    const auto real = [&](int x) { return (x + root) % size(); };
    tacit_op last = -1;
    move_into(mine, result, &last);
    if (v != 0 && !for_all) // a partial result, which nobody reads
      tacit_graph_scratch(g, result, count, k.type);
    for (int d = 1; d < size(); d *= 2) {
      if (v & d) {
        tacit_op op = -1;
        tacit_graph_send(g, result, count, k.type, real(v - d), 1, &op);
        tacit_graph_depend(g, last, op);
        return op;
      }
      if (v + d < size())
        last = combine_arrival(result, real(v + d), last);
    }
    return last;
  }
  void spread(unsigned char* result, int root, tacit_op after) const {
    if (rank() != root) {
      tacit_op op = -1;
      tacit_graph_recv(g, result, count, k.type, root, 2, &op);
      tacit_graph_depend(g, after, op);
      return;
    }
    for (int r = 0; r < size(); ++r) {
      tacit_op op = -1;
      if (r == root)
        continue;
      tacit_graph_send(g, result, count, k.type, r, 2, &op);
      tacit_graph_depend(g, after, op);
    }
  }
  void spread_if(bool wanted, unsigned char* result, int root, tacit_op after) const {
    if (wanted)
      spread(result, root, after);
  }
  void each_for_itself(unsigned char* mine, unsigned char* result) const {
    tacit_op last = -1;
    move_into(mine, result, &last);
    for (int r = 0; r < size(); ++r) {
      if (r == rank())
        continue;
      tacit_graph_send(g, mine, count, k.type, r, 1, nullptr);
      last = combine_arrival(result, r, last);
    }
  }
};

/// What the graph leaves, step by step.
void reduce_plainly(by_hand how, const kind& k, int count, int root, memory& all, memory& results) {
  const bool for_all = how != by_hand::linear && how != by_hand::tree;
  const std::size_t length = all.bytes() / elements * static_cast<std::size_t>(count);
  const int n = size();
  for (int at = 0; at < n; ++at) {
    const int hub = how == by_hand::each_for_itself ? at : root;
    if (!for_all && at != root)
      continue;
    std::vector<std::vector<unsigned char>> part;
    for (int v = 0; v < n; ++v)
      part.emplace_back(all.at((v + hub) % n, 0), all.at((v + hub) % n, 0) + length);
    if (how == by_hand::tree || how == by_hand::tree_for_all) {
      for (int d = 1; d < n; d *= 2)
        for (int v = 0; v + d < n; v += 2 * d)
          MPI_Reduce_local(part[static_cast<std::size_t>(v + d)].data(),
                           part[static_cast<std::size_t>(v)].data(), count, k.type, k.op);
    } else {
      for (int r = 0; r < n; ++r)
        if (r != hub)
          MPI_Reduce_local(part[static_cast<std::size_t>((r - hub + n) % n)].data(), part[0].data(), count,
                           k.type, k.op);
    }
    std::memcpy(results.at(at, 0), part[0].data(), length);
  }
}

/// Replaced, by each driver, and compared with the graph as it is written: to the last bit where nothing else is permitted.
void check_by_hand(std::uint64_t seed, const kind& k, by_hand how, const char* driver, bool permitted,
                   bool replaced, const char* plan = "") {
  const int count = 1 + static_cast<int>(seed % elements), root = static_cast<int>(seed / 3) % size();
  memory start(k, size(), seed), used(k, size(), seed), truth(k, size(), seed + 1),
      results(k, size(), seed + 1);
  reduce_plainly(how, k, count, root, start, truth);
  tacit_graph g;
  ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
  add_if_needed(g, k);
  const reduction_by_hand by{g, k, used.bytes() / elements, count};
  unsigned char *const mine = used.at(rank(), 0), *const result = results.at(rank(), 0);
  if (how == by_hand::each_for_itself)
    by.each_for_itself(mine, result);
  else if (how == by_hand::linear || how == by_hand::linear_for_all)
    by.spread_if(how == by_hand::linear_for_all, result, root, by.linear(mine, result, root));
  else
    by.spread_if(how == by_hand::tree_for_all, result, root,
                 by.tree(mine, result, root, how == by_hand::tree_for_all));
  tacit_schedule s = compiled(g, driver, permitted, "always", plan);
  ASSERT_NE(s, TACIT_SCHEDULE_NULL);
  tacit_graph_free(&g);
  const bool for_all = how != by_hand::linear && how != by_hand::tree;
  const std::string text = explain(s);
  EXPECT_EQ(text.find(for_all ? "\nfound: allreduce" : "\nfound: reduce") != std::string::npos, replaced)
      << k.name << "\n"
      << text;
  if (replaced) {
    EXPECT_EQ(text.find("runs as written"), std::string::npos) << text;
  }
  EXPECT_NE(text.find(plan), std::string::npos) << text;
  for (int run = 0; run < 5; ++run) {
    std::memcpy(mine, start.at(rank(), 0), start.bytes());
    std::memset(result, 0x5a, results.bytes());
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    if (for_all || rank() == root)
      k.expect_equal(result, truth.at(rank(), 0), count, permitted);
    EXPECT_EQ(used.packed(mine), start.packed(start.at(rank(), 0))) << "an operand was changed";
    if (rank() != root && how == by_hand::linear) {
      EXPECT_EQ(result[0], 0x5a) << "written beside the root";
    }
    ASSERT_FALSE(testing::Test::HasFailure())
        << k.name << ", way " << static_cast<int>(how) << ", driver '" << driver << "', seed " << seed << "\n"
        << text;
  }
  tacit_schedule_free(&s);
}

TEST_F(reductions, by_hand_are_replaced_by_collectives_where_no_bit_changes) {
  if (size() < 3)
    GTEST_SKIP() << "no collective on fewer than three ranks";
  const kinds known;
  std::uint64_t seed = tacit::oracle::fuzz_seed();
  std::vector<const char*> drivers{"coll", "p2p", "shm", ""};
#ifdef OPEN_MPI
  drivers.push_back("pcoll");
#endif
  for (const kind& k : known.all)
    for (const by_hand how : {by_hand::linear, by_hand::tree, by_hand::linear_for_all, by_hand::tree_for_all,
                              by_hand::each_for_itself})
      for (const bool permitted : {false, true}) {
        const char* const driver = drivers[seed % drivers.size()];
        // Numbers in floating point, in the order of the graph; but if each rank combines for itself there are as many orders as ranks.
        const bool in_order = k.number && how != by_hand::each_for_itself;
        check_by_hand(++seed, k, how, driver, permitted,
                      k.any_order || in_order || (permitted && k.everywhere && k.commutes));
        if (HasFatalFailure())
          return;
      }
}

/// Two ranks of a node, or one: sums in floating point, in the order of the graph or any, and what the program adds, whether it commutes or not.
TEST_F(reductions, of_nodes_go_through_leaders) {
  if (size() < 3)
    GTEST_SKIP() << "no collective on fewer than three ranks";
  setenv("TACIT_RANKS_PER_NODE", "2", 1);
  const kinds known;
  std::uint64_t seed = tacit::oracle::fuzz_seed();
  for (const kind& k : known.all)
    for (const by_hand how : {by_hand::linear, by_hand::tree, by_hand::linear_for_all, by_hand::tree_for_all})
      for (const bool permitted : {false, true})
        if ((k.any_order || k.number || (permitted && k.everywhere && k.commutes)) && !HasFatalFailure()) {
          ++seed;
          check_by_hand(seed, k, how, seed % 2 == 0 ? "p2p" : "shm", permitted, true, "two-level");
        }
  unsetenv("TACIT_RANKS_PER_NODE");
}

/// From the last rank down to the first, as MPI_Reduce must have it if the operator does not commute; ranks that only send have none.
TEST_F(reductions, an_operator_that_all_ranks_have_keeps_their_order) {
  if (size() < 3)
    GTEST_SKIP() << "no collective on fewer than three ranks";
  const kinds known;
  const kind& k = *std::find_if(known.all.begin(), known.all.end(),
                                [](const kind& x) { return x.added && x.fill == fill_words<4>; });
  const int last = size() - 1;
  for (const bool added : {false, true})
    for (const char* driver : {"coll", "p2p", "shm", ""}) {
      memory used(k, size(), 7), truth(k, size(), 7), results(k, size(), 8);
      for (int r = last - 1; r >= 0; --r)
        MPI_Reduce_local(truth.at(r, 0), truth.at(last, 0), elements, k.type, k.op);
      tacit_graph g;
      ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
      if (added) {
        add_if_needed(g, k);
      }
      const reduction_by_hand by{g, k, used.bytes() / elements, elements};
      unsigned char *const mine = used.at(rank(), 0), *const result = results.at(rank(), 0);
      tacit_op op = -1;
      if (rank() == last) {
        by.move_into(mine, result, &op);
        for (int r = last - 1; r >= 0; --r)
          op = by.combine_arrival(result, r, op);
      } else
        tacit_graph_send(g, mine, elements, k.type, last, 1, nullptr);
      tacit_schedule s = compiled(g, driver, true, "always");
      ASSERT_NE(s, TACIT_SCHEDULE_NULL);
      tacit_graph_free(&g);
      EXPECT_EQ(explain(s).find("\nfound: reduce") != std::string::npos, added) << explain(s);
      for (int run = 0; run < 3; ++run) {
        ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
        if (rank() == last) {
          k.expect_equal(result, truth.at(last, 0), elements, false);
        }
      }
      tacit_schedule_free(&s);
    }
}

struct alignas(16) fraction {
  long value, weight; ///< the weight is never zero
};
bool strange_operand = false; ///< elements that no rank has given, or that lie where none can

/// The larger value; if they are equal, the left operand: commutes but for the weights.
void larger(void* in, void* inout, int* count, MPI_Datatype*) {
  strange_operand = strange_operand || reinterpret_cast<std::uintptr_t>(in) % alignof(fraction) != 0 ||
                    reinterpret_cast<std::uintptr_t>(inout) % alignof(fraction) != 0;
  for (int i = 0; i < *count; ++i) {
    fraction a, b;
    std::memcpy(&a, static_cast<const fraction*>(in) + i, sizeof a);
    std::memcpy(&b, static_cast<const fraction*>(inout) + i, sizeof b);
    strange_operand = strange_operand || a.weight == 0 || b.weight == 0;
    std::memcpy(static_cast<fraction*>(inout) + i, a.value >= b.value ? &a : &b, sizeof a);
  }
}

/// In an exclusive scan the last rank gives nothing, operands that are only sent lie anywhere, and all ranks of an allreduce
/// go on with the same bits.
TEST_F(reductions, functions_of_the_program_get_what_ranks_give) {
  if (size() < 3)
    GTEST_SKIP() << "no collective on fewer than three ranks";
  constexpr int count = 5, bytes = count * static_cast<int>(sizeof(fraction));
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op_create(larger, 1, &op);
  MPI_Type_contiguous(2, MPI_LONG, &type);
  MPI_Type_commit(&type);
  const int last = size() - 1;
  for (const bool scans : {false, true})
    for (const char* driver : {"coll", "p2p", "shm", ""}) {
      std::vector<fraction> all(static_cast<std::size_t>(2 * count), fraction{7, rank() + 1}), result(count),
          sum(count);
      // What is only sent lies one byte behind where an element could.
      char* const mine = reinterpret_cast<char*>(all.data()) + (scans || rank() == 0 ? 0 : 1);
      for (int i = 0; i < count; ++i) {
        const fraction x{7, rank() + 1};
        std::memcpy(mine + i * static_cast<int>(sizeof x), &x, sizeof x);
      }
      tacit_graph g;
      ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
      ASSERT_EQ(tacit_graph_add_operator(g, op, type), TACIT_SUCCESS) << tacit_last_error();
      tacit_op before = -1, next = -1;
      if (scans) {
        tacit_graph_scratch(g, sum.data(), count, type);
        if (rank() > 0)
          tacit_graph_recv(g, result.data(), count, type, rank() - 1, 1, &before);
        if (rank() < last) {
          tacit_graph_copy(g, mine, count, type, sum.data(), count, type, &next);
          if (rank() > 0) {
            tacit_op added = -1;
            tacit_graph_reduce(g, result.data(), sum.data(), count, type, op, &added);
            tacit_graph_depend(g, before, added);
            tacit_graph_depend(g, next, added);
            next = added;
          }
          tacit_op sent = -1;
          tacit_graph_send(g, sum.data(), count, type, rank() + 1, 1, &sent);
          tacit_graph_depend(g, next, sent);
        }
      } else if (rank() == 0) {
        tacit_graph_copy(g, mine, count, type, result.data(), count, type, &before);
        for (int from = 1; from < size(); ++from, before = next) {
          tacit_graph_recv_reduce(g, result.data(), count, type, op, from, 1, &next);
          tacit_graph_depend(g, before, next);
        }
        for (int to = 1; to < size(); ++to) {
          tacit_graph_send(g, result.data(), count, type, to, 2, &next);
          tacit_graph_depend(g, before, next);
        }
      } else {
        tacit_graph_send(g, mine, bytes, MPI_BYTE, 0, 1, nullptr);
        tacit_graph_recv(g, result.data(), count, type, 0, 2, nullptr);
      }
      tacit_schedule s = compiled(g, driver, true, "always");
      ASSERT_NE(s, TACIT_SCHEDULE_NULL);
      tacit_graph_free(&g);
      EXPECT_NE(explain(s).find(scans ? "\nfound: exscan" : "\nfound: allreduce"), std::string::npos)
          << explain(s);
      for (int run = 0; run < 3; ++run) {
        ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
        for (const fraction& x : result)
          EXPECT_EQ(x.value, scans && rank() == 0 ? 0 : 7) << driver;
        long weight = result.front().weight, least = 0, most = 0;
        MPI_Allreduce(&weight, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&weight, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
        if (!scans && (std::string(driver) == "p2p" || std::string(driver) == "shm")) {
          EXPECT_EQ(least, most) << "ranks go on with different bits, driver " << driver;
        }
      }
      EXPECT_FALSE(strange_operand) << driver << ", scan: " << scans;
      tacit_schedule_free(&s);
    }
  MPI_Type_free(&type);
  MPI_Op_free(&op);
}

TEST_F(reductions, operators_are_added_by_all_ranks_alike) {
  const kinds known;
  tacit_graph g;
  const auto fresh = [&] { ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS); };
  const auto expect_fault = [&](const char* text) {
    const std::string said = tacit_last_error();
    EXPECT_NE(said.find(text), std::string::npos) << said;
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    EXPECT_NE(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_SUCCESS) << "the error is kept";
    tacit_graph_free(&g);
  };
  fresh();
  EXPECT_EQ(tacit_graph_add_operator(g, MPI_SUM, MPI_DOUBLE), TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_add_operator(g, known.adding, known.pair), TACIT_SUCCESS);
  tacit_graph_free(&g);
  fresh();
  EXPECT_EQ(tacit_graph_add_operator(g, rank() == 0 ? MPI_OP_NULL : known.adding, known.pair),
            TACIT_ERR_ARGUMENT);
  expect_fault("MPI_OP_NULL");
  if (size() < 2)
    return;
  fresh();
  EXPECT_EQ(tacit_graph_add_operator(g, known.adding, rank() == 0 ? known.pair : known.matrix),
            TACIT_ERR_ARGUMENT);
  expect_fault("elements have 8 B on one rank and 16 B on another");
  fresh();
  EXPECT_EQ(tacit_graph_add_operator(g, rank() == 0 ? MPI_SUM : known.mixing, MPI_UNSIGNED),
            TACIT_ERR_ARGUMENT);
  expect_fault("others something else");
  MPI_Op one_way = MPI_OP_NULL;
  MPI_Op_create(add_and_flip, rank() == 0 ? 0 : 1, &one_way);
  fresh();
  EXPECT_EQ(tacit_graph_add_operator(g, one_way, known.pair), TACIT_ERR_ARGUMENT);
  expect_fault("commutes on one rank");
  MPI_Op_free(&one_way);
}

TEST_F(reductions, messages_beside_a_reduction_are_replaced) {
  if (size() < 3)
    GTEST_SKIP() << "no collective on fewer than three ranks";
  std::vector<int> slots(static_cast<std::size_t>(size()), -7);
  int mine = rank(), sum = 10 + rank();
  tacit_graph g;
  tacit_schedule s;
  ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
  tacit_op last = -1;
  for (int i = 0; i < size(); ++i) {
    if (i != rank()) {
      tacit_graph_send(g, &mine, 1, MPI_INT, i, 5, nullptr);
      tacit_graph_recv(g, &slots[static_cast<std::size_t>(i)], 1, MPI_INT, i, 5, nullptr);
    }
    if (rank() == 0 && i > 0) {
      tacit_op op = -1;
      tacit_graph_recv_reduce(g, &sum, 1, MPI_INT, MPI_SUM, i, 6, &op);
      if (last >= 0)
        tacit_graph_depend(g, last, op);
      last = op;
    }
  }
  if (rank() > 0)
    tacit_graph_send(g, &sum, 1, MPI_INT, 0, 6, nullptr);
  ASSERT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_NE(explain(s).find("found: allgather"), std::string::npos) << explain(s);
  tacit_graph_free(&g);
  for (int run = 0; run < 3; ++run) {
    mine = 100 * run + rank();
    sum = 10 + rank() + run;
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
    int wanted = 0;
    for (int i = 0; i < size(); ++i) {
      wanted += 10 + i + run;
      EXPECT_EQ(slots[static_cast<std::size_t>(i)], i == rank() ? -7 : 100 * run + i);
    }
    EXPECT_EQ(sum, rank() == 0 ? wanted : 10 + rank() + run);
  }
  tacit_schedule_free(&s);
}

/// All send, then all receive: with messages that MPI does not buffer nobody would come to receive.
TEST_F(reductions, what_is_combined_arrives_while_ranks_send) {
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  constexpr int count = 1 << 18;
  for (const char* driver : {"", "p2p", "shm", "coll"}) {
    std::vector<int> numbers(count);
    tacit_graph g;
    tacit_schedule s;
    tacit_op sent = -1, got = -1;
    ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
    tacit_graph_send(g, numbers.data(), count, MPI_INT, next, 0, &sent);
    tacit_graph_recv_reduce(g, numbers.data(), count, MPI_INT, MPI_SUM, before, 0, &got);
    tacit_graph_depend(g, sent, got);
    MPI_Info info;
    MPI_Info_create(&info);
    if (*driver)
      MPI_Info_set(info, "tacit_driver", driver);
    ASSERT_EQ(tacit_compile(g, info, &s), TACIT_SUCCESS) << tacit_last_error();
    MPI_Info_free(&info);
    EXPECT_EQ(explain(s).find("TACIT-005"), std::string::npos) << explain(s);
    tacit_graph_free(&g);
    for (int run = 0; run < 3; ++run) {
      for (int i = 0; i < count; ++i)
        numbers[static_cast<std::size_t>(i)] = rank() + i % 13 + run;
      ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
      int wrong = 0;
      for (int i = 0; i < count; ++i)
        wrong += numbers[static_cast<std::size_t>(i)] != rank() + before + 2 * (i % 13 + run);
      EXPECT_EQ(wrong, 0) << driver;
    }
    tacit_schedule_free(&s);
  }
}

/// To rank 0 and back, combined there while the next piece is on its way.
TEST_F(reductions, long_operands_are_combined_in_pieces) {
  if (size() == 1)
    return;
  constexpr int count = (1 << 18) + 77;
  for (const char* driver : {"p2p", "shm"}) {
    std::vector<int> numbers(count);
    tacit_graph g;
    tacit_schedule s;
    ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
    tacit_op last = -1, now = -1;
    const auto in_order = [&] {
      if (last != -1)
        tacit_graph_depend(g, last, now);
      last = now;
    };
    for (int peer = 1; peer < size(); ++peer)
      if (rank() == 0) {
        tacit_graph_recv_reduce(g, numbers.data(), count, MPI_INT, MPI_SUM, peer, 0, &now);
        in_order();
      } else if (rank() == peer) {
        tacit_graph_send(g, numbers.data(), count, MPI_INT, 0, 0, &now);
        in_order();
        tacit_graph_recv(g, numbers.data(), count, MPI_INT, 0, 1, &now);
        in_order();
      }
    for (int peer = 1; rank() == 0 && peer < size(); ++peer) {
      tacit_graph_send(g, numbers.data(), count, MPI_INT, peer, 1, &now);
      in_order();
    }
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_driver", driver);
    MPI_Info_set(info, "tacit_plan", "as written in pieces");
    ASSERT_EQ(tacit_compile(g, info, &s), TACIT_SUCCESS) << tacit_last_error();
    MPI_Info_free(&info);
    tacit_graph_free(&g);
    for (int run = 0; run < 3; ++run) {
      for (int i = 0; i < count; ++i)
        numbers[static_cast<std::size_t>(i)] = rank() + i % 13 + run;
      ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
      int wrong = 0;
      for (int i = 0; i < count; ++i)
        wrong += numbers[static_cast<std::size_t>(i)] != size() * (size() - 1) / 2 + size() * (i % 13 + run);
      EXPECT_EQ(wrong, 0) << driver << ", run " << run;
    }
    tacit_schedule_free(&s);
  }
}

/// A communicator keeps compiled graphs (TACIT_GRAPHS_KEPT): one with another operator is another graph, whatever its handle
/// was used for before, and one with other buffers gets them.
TEST_F(reductions, graphs_that_are_built_again_get_their_own_operators_and_buffers) {
  const auto left_of = [](void* in, void* inout, int* count, MPI_Datatype*) {
    std::memcpy(inout, in, static_cast<std::size_t>(*count) * sizeof(int));
  };
  const auto right_of = [](void*, void*, int*, MPI_Datatype*) {};
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  std::list<std::vector<int>> buffers; // none is freed, so that places differ
  for (int round = 0; round < 24; ++round) {
    const bool own = round % 4 >= 2, second = round % 2 == 1, derived = round > 6 && round < 18;
    MPI_Op op = second ? MPI_PROD : MPI_SUM;
    if (own)
      MPI_Op_create(second ? static_cast<MPI_User_function*>(left_of)
                           : static_cast<MPI_User_function*>(right_of),
                    0, &op);
    MPI_Datatype type = MPI_INT;
    if (derived && own) {
      MPI_Type_contiguous(1, MPI_INT, &type);
      MPI_Type_commit(&type);
    }
    if (round < 12) {
      buffers.emplace_back(3);
      buffers.emplace_back(3);
    }
    std::vector<int>& in = buffers.back();
    std::vector<int>& out = *std::prev(buffers.end(), 2);
    out.assign(3, rank() + 2);
    in.assign(3, 5);
    tacit_graph g;
    tacit_schedule s;
    ASSERT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
    tacit_graph_send(g, out.data(), 3, type, next, 0, nullptr);
    ASSERT_EQ(tacit_graph_recv_reduce(g, in.data(), 3, type, op, before, 0, nullptr), TACIT_SUCCESS);
    ASSERT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_SUCCESS) << tacit_last_error();
    tacit_graph_free(&g);
    if (derived && own)
      MPI_Type_free(&type);
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
    const int sent = before + 2;
    const int wanted = own ? (second ? sent : 5) : second ? sent * 5 : sent + 5;
    EXPECT_EQ(in, std::vector<int>(3, wanted)) << "round " << round;
    tacit_schedule_free(&s);
    if (own)
      MPI_Op_free(&op);
  }
}

TEST_F(reductions, what_cannot_be_combined_is_refused) {
  int a[4] = {}, b[4] = {};
  const auto fresh = [] {
    tacit_graph g = TACIT_GRAPH_NULL;
    EXPECT_EQ(tacit_graph_create(MPI_COMM_WORLD, &g), TACIT_SUCCESS);
    return g;
  };
  tacit_graph g = fresh();
  EXPECT_EQ(tacit_graph_reduce(g, a, b, 4, MPI_INT, MPI_OP_NULL, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_reduce(g, a, b, 4, MPI_INT, MPI_REPLACE, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_reduce(g, a, b, -1, MPI_INT, MPI_SUM, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_recv_reduce(g, a, 4, MPI_INT, MPI_SUM, size(), 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_recv_reduce(g, a, 4, MPI_DATATYPE_NULL, MPI_SUM, 0, 0, nullptr), TACIT_ERR_ARGUMENT);
  tacit_graph_free(&g);

  g = fresh();
  const kinds known;
  double x[2] = {}, y[2] = {};
  EXPECT_EQ(tacit_graph_reduce(g, x, y, 2, MPI_DOUBLE, MPI_BAND, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("bitwise and does not combine elements of type double"),
            std::string::npos)
      << tacit_last_error();
  EXPECT_EQ(tacit_graph_reduce(g, x, y, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_reduce(g, a, b, 4, MPI_INT, MPI_MAXLOC, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_reduce(g, a, b, 2, MPI_2INT, MPI_SUM, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_recv_reduce(g, a, 16, MPI_BYTE, MPI_SUM, 0, 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_graph_recv_reduce(g, a, 2, known.pair, MPI_SUM, 0, 0, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_NE(std::string(tacit_last_error()).find("type of the program"), std::string::npos)
      << tacit_last_error();
  tacit_graph_free(&g);

  tacit_schedule s = TACIT_SCHEDULE_NULL;
  g = fresh();
  EXPECT_EQ(tacit_graph_reduce(g, a, a + 1, 3, MPI_INT, MPI_SUM, nullptr), TACIT_SUCCESS);
  EXPECT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_ERR_GRAPH);
  EXPECT_NE(std::string(tacit_last_error()).find("overlap"), std::string::npos) << tacit_last_error();
  tacit_graph_free(&g);

  g = fresh();
  EXPECT_EQ(tacit_graph_send(g, a, 6, MPI_BYTE, rank(), 0, nullptr), TACIT_SUCCESS);
  EXPECT_EQ(tacit_graph_recv_reduce(g, b, 4, MPI_INT, MPI_SUM, rank(), 0, nullptr), TACIT_SUCCESS);
  EXPECT_EQ(tacit_compile(g, MPI_INFO_NULL, &s), TACIT_ERR_GRAPH);
  EXPECT_NE(std::string(tacit_last_error()).find("whole number of elements"), std::string::npos)
      << tacit_last_error();
  tacit_graph_free(&g);
}

} // namespace

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
