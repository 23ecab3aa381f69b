// Contributions of all ranks combined, by each algorithm, against the same done by one rank in the order of ranks: bitwise.
#include "runtime/executor/combine_together.h"
#include "task_main.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace tacit::runtime {
namespace {

detail::reduction sum_of(std::size_t elements) {
  detail::reduction how;
  how.elements = elements;
  how.element_bytes = sizeof(double);
  how.combine = [](void* into, const void* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      static_cast<double*>(into)[i] += static_cast<const double*>(from)[i];
  };
  return how;
}

/// Of very different sizes, so that another order of additions gives other bits.
std::vector<double> contribution_of(int rank, std::size_t elements, unsigned seed) {
  std::mt19937_64 random(seed * 1000 + static_cast<unsigned>(rank));
  std::vector<double> made(elements);
  for (double& d : made)
    d = std::ldexp(static_cast<double>(random() % 1000003), static_cast<int>(random() % 60) - 30);
  return made;
}

std::vector<double> in_order_of_ranks(int ranks, std::size_t elements, unsigned seed) {
  std::vector<double> sum = contribution_of(0, elements, seed);
  for (int r = 1; r < ranks; ++r) {
    const auto more = contribution_of(r, elements, seed);
    for (std::size_t i = 0; i < elements; ++i)
      sum[i] += more[i];
  }
  return sum;
}

class combine_together_test : public ::testing::Test {
protected:
  combine_together_test() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  ~combine_together_test() override { MPI_Comm_free(&comm_); }

  contributions contributing(const detail::reduction& how, unsigned seed,
                             const std::function<element_range(int)>& wanted) const {
    contributions all;
    all.how = &how;
    const auto mine = contribution_of(rank_, how.elements, seed);
    all.mine.resize(mine.size() * sizeof(double));
    std::memcpy(all.mine.data(), mine.data(), all.mine.size());
    all.me = static_cast<std::size_t>(rank_);
    for (int r = 0; r < ranks_; ++r) {
      all.ranks.push_back(r);
      all.wanted.push_back(wanted(r));
    }
    return all;
  }

  /// Starts it; what has come is compared.
  void start(const contributions& all, unsigned seed) {
    ++open_;
    const element_range mine = all.wanted[all.me];
    combine_together(with_, comm_, seed, all, [this, mine, seed, n = all.how->elements](std::byte* result) {
      --open_;
      const auto expected = in_order_of_ranks(ranks_, n, seed);
      EXPECT_EQ(std::memcmp(result + mine.first * sizeof(double), expected.data() + mine.first,
                            mine.count * sizeof(double)),
                0)
          << "seed " << seed << ", " << n << " elements";
    });
  }
  void finish() {
    while (open_ > 0)
      with_.test();
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1, open_ = 0;
  pending_requests with_;
};

TEST_F(combine_together_test, everybody_wants_all_and_long_arrays_go_in_slices) {
  const auto all_of = [](std::size_t n) { return [n](int) { return element_range{0, n}; }; };
  const detail::reduction brief = sum_of(11), lengthy = sum_of(140003);
  EXPECT_FALSE(in_slices(contributing(brief, 1, all_of(11))));
  EXPECT_EQ(in_slices(contributing(lengthy, 2, all_of(140003))), ranks_ > 2);
  start(contributing(brief, 1, all_of(11)), 1);
  start(contributing(lengthy, 2, all_of(140003)), 2);
  finish();
}

TEST_F(combine_together_test, one_rank_wants_all) {
  const detail::reduction how = sum_of(4001);
  const auto wanted = [](int rank) { return rank == 0 ? element_range{0, 4001} : element_range{}; };
  EXPECT_FALSE(in_slices(contributing(how, 3, wanted)));
  start(contributing(how, 3, wanted), 3);
  finish();
}

TEST_F(combine_together_test, pieces_are_disjoint_or_overlap) {
  const detail::reduction how = sum_of(150000);
  const auto piece = [this](int rank) {
    const auto p = static_cast<std::size_t>(ranks_), r = static_cast<std::size_t>(rank);
    return element_range{150000 * r / p, 150000 * (r + 1) / p - 150000 * r / p};
  };
  const auto wider = [](int rank) {
    const auto first = static_cast<std::size_t>(rank) * 100;
    return element_range{first, 150000 - 2 * first};
  };
  start(contributing(how, 4, piece), 4);
  start(contributing(how, 5, wider), 5);
  finish();
}

TEST_F(combine_together_test, many_are_under_way_and_end_in_any_order) {
  std::vector<detail::reduction> kinds;
  for (const std::size_t n : {3, 139000, 4, 2500, 1, 150000})
    kinds.push_back(sum_of(n));
  for (unsigned i = 0; i < 24; ++i) {
    const detail::reduction& how = kinds[i % kinds.size()];
    start(contributing(how, 10 + i, [&](int) { return element_range{0, how.elements}; }), 10 + i);
    if (i % 5 == static_cast<unsigned>(rank_) % 5)
      with_.test();
  }
  finish();
}

TEST_F(combine_together_test, a_program_reduces_a_long_array_to_the_same_bits_in_every_run) {
  constexpr std::size_t n = 8, bins = 140000;
  const auto run = [&] {
    queue q;
    const buffer<double, 1> sums(bins);
    q.submit([&](handler& h) {
      const auto all = reduction(sums, h, std::plus<double>(), initialize_to_identity());
      h.parallel_for(n, all, [=](std::size_t i, auto& s) {
        for (std::size_t b = 0; b < bins; ++b)
          s[b] += std::ldexp(static_cast<double>(i * 37 + b), static_cast<int>((i * 31 + b) % 50));
      });
    });
    const auto got = q.fence(sums).get();
    return std::vector<double>(got.get_data(), got.get_data() + bins);
  };
  const std::vector<double> once = run();
  EXPECT_EQ(std::memcmp(once.data(), run().data(), bins * sizeof(double)), 0);
  std::vector<double> of_rank_0 = once;
  MPI_Bcast(of_rank_0.data(), bins, MPI_DOUBLE, 0, comm_);
  EXPECT_EQ(std::memcmp(once.data(), of_rank_0.data(), bins * sizeof(double)), 0);
  for (std::size_t b = 0; b < bins; ++b) {
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i)
      expected += std::ldexp(static_cast<double>(i * 37 + b), static_cast<int>((i * 31 + b) % 50));
    EXPECT_NEAR(once[b], expected, expected * 1e-12);
  }
}

} // namespace
} // namespace tacit::runtime

int main(int argc, char** argv) {
  return tacit::test::task_main(argc, argv);
}
