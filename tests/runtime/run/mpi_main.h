// main() of a GoogleTest executable under mpiexec: every rank runs the same tests, only rank 0 reports
// successes, and the run fails if any rank fails or the launcher gave another number of ranks than the test
// asked for.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mpi.h>

namespace tacit::test {

/// Between MPI_Init and MPI_Finalize, for programs with something to do around them.
inline int run_tests(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* expected = std::getenv("TACIT_EXPECTED_RANKS");
  if (expected && std::atoi(expected) != size) {
    std::fprintf(stderr, "rank %d: communicator of %d ranks, expected %s: wrong mpiexec for this MPI?\n",
                 rank, size, expected);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank != 0)
    delete listeners.Release(listeners.default_result_printer());
  const int failed = RUN_ALL_TESTS();
  if (failed && rank != 0)
    for (int i = 0; i < ::testing::UnitTest::GetInstance()->total_test_suite_count(); ++i) {
      const auto* suite = ::testing::UnitTest::GetInstance()->GetTestSuite(i);
      for (int j = 0; j < suite->total_test_count(); ++j) {
        const auto* result = suite->GetTestInfo(j)->result();
        for (int k = 0; k < result->total_part_count(); ++k)
          if (result->GetTestPartResult(k).failed())
            std::fprintf(stderr, "rank %d: %s.%s: %s\n", rank, suite->name(), suite->GetTestInfo(j)->name(),
                         result->GetTestPartResult(k).message());
      }
    }
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return any;
}

inline int mpi_main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int failed = run_tests(argc, argv);
  MPI_Finalize();
  return failed;
}

} // namespace tacit::test
