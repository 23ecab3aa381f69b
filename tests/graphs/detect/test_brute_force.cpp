// Detection against exhaustive packing.
//
// Exhaustive up to relabelling: two and three ranks with three one-byte slots each, at most eight transfers.
// What a slot gets is nothing or a slot of another rank; the order of a rank's slots is a relabelling, so
// each rank gets one of the 84 multisets of up to three of the six remote slots: 84³ graphs on three ranks.
// (Local copies take no part in detection; they have a test of their own.) The default run takes every 7th
// graph, TACIT_TEST_FULL=1 all of them, in all orders of the slots too, both as single bytes and coalesced.
//
// Sampled: four ranks, up to 14 bytes, patterns planted among noise.
#include "graphs/detect/analyzed.h"
#include "oracle/brute_detect.h"
#include "oracle/fuzz_count.h"

#include <cstdlib>
#include <random>

namespace tacit::graphs {
namespace {

using oracle::counts;

bool full_run() {
  return std::getenv("TACIT_TEST_FULL") != nullptr;
}

struct bytes_by_class {
  std::uint64_t allgather = 0, bcast = 0, alltoall = 0, lines = 0;
};

bytes_by_class bytes_of(const findings& f) {
  bytes_by_class b;
  for (const auto& [kind, bytes] : test::volumes(f)) {
    if (kind == pattern::allgather || kind == pattern::allgatherv)
      b.allgather += bytes;
    else if (kind == pattern::bcast)
      b.bcast += bytes;
    else if (kind == pattern::alltoall || kind == pattern::alltoallv)
      b.alltoall += bytes;
    else
      b.lines += bytes;
  }
  return b;
}

bytes_by_class bytes_of(const counts& c, std::uint64_t p) {
  return {static_cast<std::uint64_t>(c[0]) * p * (p - 1), static_cast<std::uint64_t>(c[1]) * (p - 1),
          static_cast<std::uint64_t>(c[2]) * p * (p - 1), static_cast<std::uint64_t>(c[3]) * (p - 1)};
}

/// Uniform forms: exactly the best volumes. Vector forms: at least as much covered up to each class. Both:
/// every finding is what it says.
std::string compare(const graph& g, const transfers& t, const counts& best) {
  const findings uniform = detect(g, {}, {}, t, {.vector_forms = false, .smallest_group = 2});
  if (std::string wrong = test::check_findings(g, t, uniform); !wrong.empty())
    return wrong + "\n" + test::print(g, t, uniform);
  const bytes_by_class want = bytes_of(best, g.ranks()), u = bytes_of(uniform);
  if (u.allgather != want.allgather || u.bcast != want.bcast || u.alltoall != want.alltoall ||
      u.lines != want.lines)
    return "uniform volumes differ from the best packing\n" + test::print(g, t, uniform);

  const findings vector = detect(g, {}, {}, t, {.smallest_group = 2});
  if (std::string wrong = test::check_findings(g, t, vector); !wrong.empty())
    return wrong + "\n" + test::print(g, t, vector);
  const bytes_by_class v = bytes_of(vector);
  std::uint64_t have = v.allgather, least = want.allgather;
  bool enough = have >= least;
  enough = enough && (have += v.bcast) >= (least += want.bcast);
  enough = enough && (have += v.alltoall) >= (least += want.alltoall);
  enough = enough && (have += v.lines) >= (least += want.lines);
  return enough ? "" : "vector collectives cover less than uniform ones\n" + test::print(g, t, vector);
}

constexpr std::uint64_t nothing = ~std::uint64_t{0};

/// What the three slots of each rank get: the number of a remote slot, or nothing.
using assignment = std::vector<std::array<std::uint64_t, 3>>;

transfers moves(const assignment& slots, bool coalesce) {
  const auto p = static_cast<std::uint32_t>(slots.size());
  transfers t;
  for (std::uint32_t j = 0; j < p; ++j)
    for (std::uint64_t s = 0; s < 3; ++s) {
      if (slots[j][s] == nothing)
        continue;
      const auto other = static_cast<std::uint32_t>(slots[j][s] / 3);
      const transfer x{coalesce ? s : 2 * s, slots[j][s] % 3, 1, rank_id{other + (other >= j ? 1 : 0)},
                       rank_id{j}};
      transfer* last = t.list.empty() ? nullptr : &t.list.back();
      if (coalesce && last && last->destination == x.destination && last->source == x.source &&
          last->source_address + last->length == x.source_address &&
          last->destination_address + last->length == x.destination_address)
        ++last->length;
      else
        t.list.push_back(x);
    }
  return t;
}

/// Multisets of up to three of `remote` slots, ascending, nothing last.
std::vector<std::array<std::uint64_t, 3>> multisets(std::uint64_t remote) {
  std::vector<std::array<std::uint64_t, 3>> list;
  const auto value = [&](std::uint64_t k) { return k == remote ? nothing : k; };
  for (std::uint64_t a = 0; a <= remote; ++a)
    for (std::uint64_t b = a; b <= remote; ++b)
      for (std::uint64_t c = b; c <= remote; ++c)
        list.push_back({value(a), value(b), value(c)});
  return list;
}

std::size_t transfer_count(const assignment& slots) {
  std::size_t count = 0;
  for (const auto& rank : slots)
    count += static_cast<std::size_t>(3 - std::count(rank.begin(), rank.end(), nothing));
  return count;
}

/// Calls check(assignment) for every order of the slots of every rank.
template <typename Check>
void each_order(assignment slots, std::size_t rank, Check check) {
  if (rank == slots.size())
    return check(slots);
  std::sort(slots[rank].begin(), slots[rank].end());
  do
    each_order(slots, rank + 1, check);
  while (std::next_permutation(slots[rank].begin(), slots[rank].end()));
}

void check_exhaustively(std::uint32_t p) {
  const graph g(p);
  const auto choices = multisets(3 * (p - 1));
  std::size_t combinations = 1, graphs = 0;
  for (std::uint32_t k = 0; k < p; ++k)
    combinations *= choices.size();
  for (std::size_t code = 0; code < combinations; ++code) {
    assignment slots;
    for (std::size_t k = 0, rest = code; k < p; ++k, rest /= choices.size())
      slots.push_back(choices[rest % choices.size()]);
    if (transfer_count(slots) > 8)
      continue;
    const counts best = oracle::brute_detect(p, moves(slots, false).list);
    const auto check = [&](const assignment& s) {
      for (const bool coalesce : {false, true}) {
        ++graphs;
        ASSERT_EQ(compare(g, moves(s, coalesce), best), "") << "combination " << code;
      }
    };
    if (full_run())
      each_order(slots, 0, check);
    else
      check(slots);
    if (testing::Test::HasFatalFailure())
      return;
  }
  ::testing::Test::RecordProperty("graphs", static_cast<int>(graphs));
  std::printf("%zu graphs on %u ranks\n", graphs, p);
}

TEST(detect_brute_force, two_ranks_with_three_slots_exhaustively) {
  check_exhaustively(2);
}

TEST(detect_brute_force, three_ranks_with_three_slots_exhaustively) {
  check_exhaustively(3);
}

/// Up to 14 bytes among `p` ranks: planted patterns of 1 to 3 bytes and noise.
transfers random_moves(std::uint32_t p, std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t below) { return static_cast<std::uint32_t>(random() % below); };
  std::vector<std::vector<transfer>> into(p);
  std::uint64_t bytes = 0;
  const auto move = [&](std::uint32_t from, std::uint64_t address, std::uint32_t to, std::uint64_t length) {
    if (bytes + length > 14 || from == to)
      return;
    bytes += length;
    into[to].push_back({0, address, length, rank_id{from}, rank_id{to}});
  };
  while (bytes < 14 && pick(20) != 0) {
    const std::uint32_t kind = pick(6), root = pick(p), address = pick(4);
    const std::uint64_t length = pick(4) == 0 ? 2 : 1;
    for (std::uint32_t i = 0; i < p; ++i)
      for (std::uint32_t j = 0; j < p; ++j) {
        if (kind == 0 && i == root)
          move(i, address, j, length); // broadcast
        if (kind == 1 && i == root)
          move(i, pick(4), j, length); // scatter
        if (kind == 2 && j == root)
          move(i, pick(4), j, length); // gather
        if (kind == 3 && pick(8) != 0)
          move(i, pick(5), j, 1); // nearly an alltoall
        if (kind == 4 && pick(8) != 0)
          move(i, address, j, 1); // nearly an allgather
      }
    if (kind == 5)
      move(pick(p), pick(4), pick(p), 1 + pick(3));
  }
  transfers t;
  for (auto& list : into) {
    std::shuffle(list.begin(), list.end(), random);
    std::uint64_t at = 0;
    for (transfer& x : list) {
      x.destination_address = at;
      at += x.length + 1;
      t.list.push_back(x);
    }
  }
  return t;
}

void check_samples(std::uint32_t p, std::uint64_t samples) {
  const std::uint64_t seed = oracle::fuzz_seed();
  std::printf("%llu samples, seed %llu\n", static_cast<unsigned long long>(samples),
              static_cast<unsigned long long>(seed));
  const graph g(p);
  std::mt19937_64 random(seed);
  counts seen{};
  for (std::uint64_t k = 0; k < samples; ++k) {
    const transfers t = random_moves(p, random);
    const counts best = oracle::brute_detect(p, t.list);
    for (std::size_t c = 0; c < best.size(); ++c)
      seen[c] += best[c] > 0 ? 1 : 0;
    ASSERT_EQ(compare(g, t, best), "") << "sample " << k << " of seed " << seed;
  }
  for (std::size_t c = 0; c < seen.size(); ++c)
    if (p < 5 || c % 2 == 1) { // an allgather among five ranks needs more bytes
      EXPECT_GT(seen[c], 0) << "the samples never have class " << c;
    }
}

TEST(detect_brute_force, three_ranks_with_up_to_fourteen_bytes_sampled) {
  check_samples(3, 5 * oracle::fuzz_count());
}
TEST(detect_brute_force, four_ranks_with_up_to_fourteen_bytes_sampled) {
  check_samples(4, 10 * oracle::fuzz_count());
}
TEST(detect_brute_force, five_ranks_with_up_to_fourteen_bytes_sampled) {
  check_samples(5, 5 * oracle::fuzz_count());
}

} // namespace
} // namespace tacit::graphs
