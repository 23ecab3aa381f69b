// Terms against the byte simulator, which knows of each element what it was made of, step by step.
#include "graphs/flow/analysis.h"
#include "graphs/flow/terms.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "oracle/simulator.h"

#include <algorithm>
#include <optional>

using namespace tacit;
using namespace tacit::graphs;
using namespace tacit::oracle;

namespace {

/// An element with its operands.
struct element {
  reducer_id by;
  std::vector<operand> operands;
  friend bool operator==(const element&, const element&) = default;
};
using element_map = std::map<std::pair<std::uint32_t, std::uint64_t>, element>; ///< by rank and address

/// The number of an element of which these are all bytes, in order.
std::optional<std::uint64_t> whole(const std::vector<byte_value>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i].first != combined_rank || bytes[i].second != (bytes.front().second & ~0xffull) + i)
      return std::nullopt;
  return bytes.front().second >> 8;
}

bool write_out(reducer_id by, const std::vector<byte_value>& bytes, std::vector<operand>& out) {
  if (const auto number = whole(bytes)) {
    const combination& c = combinations::all()[*number];
    return c.by == by && write_out(by, c.left, out) && write_out(by, c.right, out);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i].first >= combined_rank || bytes[i].first != bytes.front().first ||
        bytes[i].second != bytes.front().second + i)
      return false;
  out.push_back({rank_id{bytes.front().first}, bytes.front().second});
  return true;
}

element_map elements_of(const graph& g, const std::vector<rank_memory>& memory) {
  element_map out;
  for (std::uint32_t r = 0; r < g.ranks(); ++r)
    for (const auto& [address, value] : memory[r]) {
      if (value.first != combined_rank || (value.second & 0xff) != 0)
        continue;
      const reducer_id by = combinations::all()[value.second >> 8].by;
      const std::uint64_t size = g.reducers()[index(by)].element;
      std::vector<byte_value> bytes;
      bool live = true;
      for (std::uint64_t i = 0; i < size; ++i) {
        const auto found = memory[r].find(address + i);
        live = live && found != memory[r].end() && is_live(g, rank_id{r}, address + i);
        if (live)
          bytes.push_back(found->second);
      }
      element made{by, {}};
      if (!live || !whole(bytes) || !write_out(by, bytes, made.operands))
        continue;
      if (g.reducers()[index(by)].commutative)
        std::sort(made.operands.begin(), made.operands.end());
      out[{r, address}] = made;
    }
  return out;
}

element_map elements_of(const graph& g, const terms& all) {
  element_map out;
  for (const term& x : all.list) {
    const std::uint64_t size = g.reducers()[index(x.by)].element;
    EXPECT_EQ(x.length % size, 0u);
    for (std::uint64_t at = 0; at < x.length; at += size) {
      element made{x.by, x.operands};
      for (operand& o : made.operands)
        o.address += at;
      out[{static_cast<std::uint32_t>(index(x.destination)), x.destination_address + at}] = made;
    }
  }
  return out;
}

std::vector<operand> ranks(std::initializer_list<std::uint32_t> list) {
  std::vector<operand> out;
  for (const std::uint32_t r : list)
    out.push_back({rank_id{r}, 100});
  return out;
}

} // namespace

TEST(terms, equal_what_elements_were_made_of) {
  std::size_t compared = 0, nested = 0;
  for (std::uint64_t i = 0; i < fuzz_count() && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = fuzz_seed() + i;
    const graph g = random_graph(seed, {.max_steps = 16, .opaques = i % 4 == 0, .reductions = true});
    const analysis a = analyze(g);
    const terms ours = terms_of(g, a.moved);
    ASSERT_TRUE(ours.complete);
    // Halves of two elements that equal operands made are an element for those who know that they are equal; a term
    // is what one combination made.
    const element_map truth = elements_of(g, simulator(g, elements::told_apart).run(seed));
    EXPECT_TRUE(elements_of(g, ours) == truth) << "seed " << seed << "\n" << print(g);
    compared += truth.size();
    nested += static_cast<std::size_t>(std::count_if(
        truth.begin(), truth.end(), [](const auto& e) { return e.second.operands.size() > 2; }));
  }
  EXPECT_GT(compared, fuzz_count());
  EXPECT_GT(nested, fuzz_count() / 20);
}

TEST(terms, say_operands_order_and_grouping) {
  graph g(4);
  const reducer_id by = g.add_reducer({"own", "type", 4, false, true});
  const segment sum[] = {{100, 8}};
  op_id last = no_op;
  for (std::uint32_t r = 1; r < 4; ++r) {
    g.send(rank_id{r}, segment{100, 8}, rank_id{0});
    const op_id op = g.recv_reduce(rank_id{0}, sum, rank_id{r}, by);
    if (last != no_op)
      g.depend(last, op);
    last = op;
  }
  const analysis a = analyze(g);
  const terms found = terms_of(g, a.moved);
  ASSERT_EQ(found.list.size(), 1u);
  const term& x = found.list.front();
  EXPECT_EQ(x.operands, ranks({3, 2, 1, 0}));
  EXPECT_EQ(x.grouped, grouping::rightmost);
  EXPECT_EQ(x.length, 8u);
  EXPECT_EQ(describe(g, x), "own of type over ranks 3..0");
  EXPECT_FALSE(terms_of(g, a.moved, 5).complete);
}

TEST(terms, ranks_in_intervals) {
  const auto text = [](std::initializer_list<std::uint32_t> list) {
    std::string out;
    for (const rank_interval& i : rank_intervals(ranks(list)))
      out += std::to_string(index(i.first)) + "-" + std::to_string(index(i.last)) + " ";
    return out;
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({4}), "4-4 ");
  EXPECT_EQ(text({2, 3, 0, 1}), "2-3 0-1 ");
  EXPECT_EQ(text({3, 2, 1, 2, 5}), "3-1 2-2 5-5 ");
  EXPECT_EQ(text({1, 1, 2}), "1-1 1-2 ");
}
