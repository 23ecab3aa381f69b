// A fixture with a communicator of its own, over all ranks, that returns errors.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

namespace tacit::test {

class own_communicator : public ::testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  void TearDown() override { MPI_Comm_free(&comm); }

  int rank = 0, size = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

} // namespace tacit::test
