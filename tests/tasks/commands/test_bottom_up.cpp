// Top-down against bottom-up: what the planner calls a collective, the exact detection of `graphs/detect` finds among the
// messages of the same program planned without discovery.
#include "plan_machine.h"
#include "program_text.h"

#include "graphs/detect/detect.h"

#include <gtest/gtest.h>

namespace tacit::tasks {
namespace {

using oracle::division;
using oracle::job;
using oracle::program;
using oracle::touch;
using oracle::way;

constexpr std::uint64_t element_bytes = 8, received_at = 1ull << 40; ///< apart from what is sent

std::uint64_t address_of(const oracle::element_of& e, const oracle::where& extent) {
  const auto at = (e.at[0] * extent[1] + e.at[1]) * extent[2] + e.at[2];
  return static_cast<std::uint64_t>(at) * element_bytes;
}

/// What arrives, as transfers: by destination and address, neighbors from the same rank together.
graphs::transfers transfers_of(const plan_machine& run, const program& p) {
  std::map<std::pair<int, std::uint64_t>, int> source;
  for (const oracle::arrival& a : run.arrivals)
    source[{a.to, address_of(a.what, p.buffers[0])}] = a.from;
  graphs::transfers out;
  for (const auto& [at, from] : source) {
    const auto [to, address] = at;
    if (!out.list.empty())
      if (graphs::transfer& last = out.list.back();
          last.destination == rank_id{static_cast<std::uint32_t>(to)} &&
          last.source == rank_id{static_cast<std::uint32_t>(from)} &&
          last.source_address + last.length == address) {
        last.length += element_bytes;
        continue;
      }
    out.list.push_back({received_at + address, address, element_bytes,
                        rank_id{static_cast<std::uint32_t>(from)}, rank_id{static_cast<std::uint32_t>(to)}});
  }
  return out;
}

std::string base_name(pattern kind) {
  switch (kind) {
  case pattern::bcast:
    return "broadcast";
  case pattern::scatter:
  case pattern::scatterv:
    return "scatter";
  case pattern::gather:
  case pattern::gatherv:
    return "gather";
  case pattern::allgather:
  case pattern::allgatherv:
    return "allgather";
  case pattern::alltoall:
  case pattern::alltoallv:
    return "alltoall";
  default:
    return "other";
  }
}

/// The collectives that bottom-up detection finds, in its order; " rest" behind them if they do not explain all messages.
std::string found_bottom_up(const program& p) {
  const oracle::expectation expected = oracle::expect(p);
  plan_machine by_messages(p, expected, {false, false, 1, 4, false});
  by_messages.run();
  EXPECT_EQ(by_messages.trouble, "");
  const graphs::findings found = graphs::detect(graphs::graph(static_cast<std::uint32_t>(p.ranks)), {}, {},
                                                transfers_of(by_messages, p));
  std::string out;
  for (const graphs::finding& f : found.found)
    out += (out.empty() ? "" : " ") + base_name(f.kind);
  return found.residual.empty() ? out : out + " rest";
}

std::string found_top_down(const program& p) {
  const oracle::expectation expected = oracle::expect(p);
  plan_machine planned(p, expected, {true, true, 1, 4, false});
  planned.run();
  EXPECT_EQ(planned.trouble, "");
  return planned.collectives.size() == 1 && planned.collectives.begin()->second == 1 && planned.messages == 0
             ? planned.collectives.begin()->first
             : "";
}

program producer_and_consumer(int ranks, const oracle::where& extent, const touch& writer, division from,
                              const touch& reader, division to) {
  job produce, consume;
  produce.size = consume.size = extent;
  produce.uses = {{0, false, true, writer}};
  consume.uses = {{0, true, false, reader}};
  produce.split = from;
  consume.split = to;
  return {ranks, {extent}, {produce, consume}};
}

TEST(bottom_up, finds_every_collective_that_the_planner_names) {
  const touch one{way::one_to_one}, every{way::all}, turned{way::transposed, {1, 0, 2}};
  struct example {
    touch reader;
    division from, to;
    const char* kind;
  };
  const example examples[] = {{every, division::single, division::rows, "broadcast"},
                              {one, division::single, division::rows, "scatter"},
                              {every, division::rows, division::single, "gather"},
                              {every, division::rows, division::rows, "allgather"},
                              {every, division::tiles, division::rows, "allgather"},
                              {turned, division::rows, division::rows, "alltoall"}};
  for (int ranks = 3; ranks <= 8; ++ranks)
    for (const int side : {8, 11})
      for (const example& e : examples) {
        const program p = producer_and_consumer(ranks, {side, side, 1}, one, e.from, e.reader, e.to);
        EXPECT_EQ(found_top_down(p), e.kind) << text_of(p);
        // Where pieces differ by an element, the common part of all blocks comes first, and then what some have more.
        EXPECT_EQ(found_bottom_up(p).find(e.kind), 0u) << text_of(p);
      }
}

// The planner leaves nothing to be found: what is one collective of all ranks bottom-up has a name top-down, too.
TEST(bottom_up, finds_nothing_that_the_planner_leaves) {
  const oracle::where square{6, 6, 1};
  const std::vector<touch> readers{{way::one_to_one},        {way::all},
                                   {way::slice, {0, 0, 0}},  {way::slice, {1, 0, 0}},
                                   {way::around, {1, 0, 0}}, {way::around, {6, 6, 0}},
                                   {way::cross, {1, 1, 0}},  {way::transposed, {1, 0, 2}},
                                   {way::even, {1, 0, 0}},   {way::fixed, {1, 1, 0}, {5, 4, 1}}};
  const std::vector<touch> writers{{way::one_to_one}, {way::transposed, {1, 0, 2}}, {way::even, {1, 0, 0}}};
  for (int ranks = 3; ranks <= 6; ++ranks)
    for (const touch& writer : writers)
      for (const touch& reader : readers)
        for (const division from : {division::rows, division::single})
          for (const division to : {division::rows, division::tiles, division::single}) {
            const program p = producer_and_consumer(ranks, square, writer, from, reader, to);
            if (!oracle::expect(p).valid)
              continue;
            const std::string found = found_bottom_up(p);
            if (!found.empty() && found.find(' ') == std::string::npos) {
              EXPECT_NE(found_top_down(p), "") << found << " is found bottom-up only: " << text_of(p);
            }
          }
}

} // namespace
} // namespace tacit::tasks
