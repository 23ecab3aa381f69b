// Names of symbols as Open MPI, MPICH and Fortran compilers have them.
#include "vocabulary/calls/symbols.h"

#include <gtest/gtest.h>

using namespace tacit;
using namespace tacit::vocabulary;

namespace {

struct expected_symbol {
  const char* name;
  mpi_interface interface;
  bool profiling;
  const char* row; ///< null: none
};

} // namespace

TEST(mpi_symbols, say_the_call_and_its_interface) {
  const expected_symbol all[] = {
      {"MPI_Isend", mpi_interface::c, false, "MPI_Isend"},
      {"PMPI_Isend_c", mpi_interface::c, true, "MPI_Isend"},
      {"MPI_Type_get_extent_x", mpi_interface::c, false, "MPI_Type_get_extent_x"},
      {"MPIX_Neighbor_alltoallw_init", mpi_interface::c, false, "MPI_Neighbor_alltoallw_init"},
      {"MPI_ISEND", mpi_interface::mpif, false, "MPI_Isend"},
      {"mpi_isend", mpi_interface::mpif, false, "MPI_Isend"},
      {"mpi_isend_", mpi_interface::mpif, false, "MPI_Isend"},
      {"mpi_isend__", mpi_interface::mpif, false, "MPI_Isend"},
      {"mpi_win_allocate_cptr_", mpi_interface::mpif, false, "MPI_Win_allocate"},
      {"mpi_wtime_f90_", mpi_interface::mpif, false, "MPI_Wtime"},
      {"pmpi_comm_rank_", mpi_interface::mpif, true, "MPI_Comm_rank"},
      {"mpi_wait_f08_", mpi_interface::f08, false, "MPI_Wait"},
      {"mpi_isend_f08ts_", mpi_interface::f08, false, "MPI_Isend"},
      {"mpi_isend_f08ts_large_", mpi_interface::f08, false, "MPI_Isend"},
      {"pmpir_isend_f08ts_", mpi_interface::f08, true, "MPI_Isend"},
      {"pmpi_isend_f08_", mpi_interface::f08, true, "MPI_Isend"},
      {"mpix_neighbor_alltoall_init_", mpi_interface::mpif, false, "MPI_Neighbor_alltoall_init"},
      {"MPIX_Comm_agree", mpi_interface::c, false, nullptr},
      {"mpi_invented_", mpi_interface::mpif, false, nullptr},
      {"mpi_fortran_bottom_", mpi_interface::none, false, nullptr},
      {"MPI_F_STATUS_IGNORE", mpi_interface::none, false, nullptr},
      {"MPI_UNWEIGHTED", mpi_interface::none, false, nullptr},
      {"mpi_helper", mpi_interface::none, false, nullptr},
      {"mpi4py", mpi_interface::none, false, nullptr},
      {"ompi_isend_f", mpi_interface::none, false, nullptr},
  };
  for (const expected_symbol& e : all) {
    const mpi_symbol seen = understand_symbol(e.name);
    EXPECT_EQ(seen.interface, e.interface) << e.name;
    EXPECT_EQ(seen.profiling, e.profiling) << e.name;
    EXPECT_EQ(seen.row ? seen.row->name : "", e.row ? e.row : "") << e.name;
  }
}

TEST(mpi_symbols, concern_messages_unless_known_not_to) {
  for (const char* name :
       {"MPI_Send", "MPI_Wait", "mpi_type_free_", "MPIX_Comm_agree", "mpi_invented_", "MPI_Put"})
    EXPECT_TRUE(understand_symbol(name).concerns_messages) << name;
  for (const char* name :
       {"MPI_Comm_rank", "MPI_Buffer_iflush", "MPI_Comm_attach_buffer_c", "MPI_Comm_toint",
        "MPI_Abi_get_version", "MPI_Status_set_tag", "MPI_Type_get_value_index", "mpi_alloc_mem_cptr_",
        "mpi_f_sync_reg_", "mpi_wtime_", "MPI_Comm_f2c", "MPI_T_init_thread", "mpi_null_copy_fn_",
        "mpi_sizeof0di4_", "mpi_fortran_bottom_", "main"})
    EXPECT_FALSE(understand_symbol(name).concerns_messages) << name;
}
