// Which calls may run functions of the user, by the MPI standard: every call of the table, section by section
// of MPI-4.1 (deprecated and removed calls by its chapters 16 and 17; what MPI-5.0 adds is marked). A call that
// is added to the table has to be added here, from the standard and not from the table: the compiler moves
// completions over whatever runs nothing of the user.
//
// Any call may run an error handler when it fails. Functions that a call hands to MPI run later: those of
// attributes, generalized requests and data representations in the calls that say so here; operations of
// nonblocking and persistent reductions, and delete functions of datatypes that messages under way still use,
// in any call that lets MPI progress.
#include "vocabulary/calls/mpi_calls.h"
#include "vocabulary/calls/symbols.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

using namespace tacit;
using namespace tacit::vocabulary;

namespace {

struct section {
  const char* users;
  const char* calls;
};

// clang-format off
constexpr section standard[] = {
  // 3.2.1: standard send
  {"", "Send"},
  // 3.2.4: receive
  {"", "Recv"},
  // 3.2.5: status of a receive
  {"", "Get_count"},
  // 3.4: modes of sends
  {"", "Bsend Rsend Ssend"},
  // 3.6: buffer for Bsend
  {"", "Buffer_attach Buffer_detach"},
  // 3.7.2: nonblocking posts
  {"", "Isend Ibsend Irsend Issend Irecv"},
  // 3.7.3: completion: if the request is a generalized one, query_fn, and free_fn once it is complete (13.2)
  {"requests", "Wait Test Request_free"},
  // 3.7.5: completion of several, the same
  {"requests", "Waitall Waitany Waitsome Testall Testany Testsome"},
  // 3.7.6: query_fn of a generalized request that is complete (13.2)
  {"requests", "Request_get_status"},
  // 3.8.1, 3.8.2: probes
  {"", "Probe Iprobe Mprobe Improbe"},
  // 3.8.3: matched receives
  {"", "Mrecv Imrecv"},
  // 3.8.4: cancel_fn of a generalized request (13.2)
  {"requests", "Cancel"},
  // 3.8.4: what a status says
  {"", "Test_cancelled"},
  // 3.9: persistent posts; started ones are messages
  {"", "Send_init Bsend_init Rsend_init Ssend_init Recv_init Start Startall"},
  // 3.2.7, and its nonblocking form: combined
  {"", "Sendrecv Sendrecv_replace Isendrecv Isendrecv_replace"},
  // 4.2.1, 4.2.2: partitioned
  {"", "Psend_init Precv_init Pready Pready_range Pready_list Parrived"},
  // 5.1.2, 5.1.3, 5.1.4: datatypes from datatypes: attributes are not copied (7.7.4)
  {"",
   "Type_contiguous Type_vector Type_create_hvector Type_indexed Type_create_hindexed "
   "Type_create_indexed_block Type_create_hindexed_block Type_create_struct Type_create_subarray "
   "Type_create_darray"},
  // 5.1.5, 5.1.7, 5.1.8: addresses, sizes, extents
  {"",
   "Get_address Aint_add Aint_diff Type_size Type_size_x Type_get_extent Type_get_extent_x "
   "Type_create_resized Type_get_true_extent Type_get_true_extent_x"},
  // 5.1.9: commit
  {"", "Type_commit"},
  // 5.1.9: free: delete functions (7.7.4)
  {"attributes", "Type_free"},
  // 5.1.10: dup: copy functions (7.7.4)
  {"attributes", "Type_dup"},
  // 5.1.11: counts of basic elements
  {"", "Get_elements Get_elements_x"},
  // 5.1.13: decoding
  {"", "Type_get_envelope Type_get_contents"},
  // 5.2, 5.3: packing: no representation of the user is known to them, external32 only
  {"", "Pack Unpack Pack_size Pack_external Unpack_external Pack_external_size"},
  // 6.3 to 6.8: collectives that move data
  {"", "Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw"},
  // 6.9.1, 6.9.6, 6.9.7, 6.10, 6.11: reductions by an operation of the user (6.9.5)
  {"operation", "Reduce Allreduce Reduce_local Reduce_scatter_block Reduce_scatter Scan Exscan"},
  // 6.9.5: an operation of the user
  {"takes_function", "Op_create"},
  // 6.9.5, 6.9.7: a handle that goes away, a question
  {"", "Op_free Op_commutative"},
  // 6.12: the same, nonblocking
  {"",
   "Ibarrier Ibcast Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall Ialltoallv "
   "Ialltoallw"},
  // 6.12: reductions, nonblocking
  {"operation", "Ireduce Iallreduce Ireduce_scatter_block Ireduce_scatter Iscan Iexscan"},
  // 6.13: persistent
  {"",
   "Barrier_init Bcast_init Gather_init Gatherv_init Scatter_init Scatterv_init Allgather_init "
   "Allgatherv_init Alltoall_init Alltoallv_init Alltoallw_init"},
  // 6.13: reductions, persistent
  {"operation", "Reduce_init Allreduce_init Reduce_scatter_block_init Reduce_scatter_init Scan_init Exscan_init"},
  // 7.3: groups have no attributes
  {"",
   "Group_size Group_rank Group_translate_ranks Group_compare Comm_group Group_union "
   "Group_intersection Group_difference Group_incl Group_excl Group_range_incl Group_range_excl "
   "Group_free Group_from_session_pset"},
  // 7.4.1: questions
  {"", "Comm_size Comm_rank Comm_compare"},
  // 7.4.2: dup: copy functions (7.7.2)
  {"attributes", "Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info"},
  // 7.4.2: communicators that copy no attributes (7.7.2)
  {"", "Comm_create Comm_create_group Comm_split Comm_split_type"},
  // 7.4.2, 7.6.2: take the error handler of what they make
  {"sets_handler", "Comm_create_from_group Intercomm_create_from_groups"},
  // 7.4.3: free: delete functions (7.7.2)
  {"attributes", "Comm_free"},
  // 7.4.4: hints
  {"", "Comm_set_info Comm_get_info"},
  // 7.6.1, 7.6.2: intercommunicators
  {"", "Comm_test_inter Comm_remote_size Comm_remote_group Intercomm_create Intercomm_merge"},
  // 7.7.2: copy and delete functions
  {"takes_function", "Comm_create_keyval Win_create_keyval Type_create_keyval"},
  // 7.7.2, 7.7.3, 7.7.4: the delete function of the value that goes away
  {"attributes", "Comm_set_attr Comm_delete_attr Win_set_attr Win_delete_attr Type_set_attr Type_delete_attr"},
  // 7.7.2, 7.7.3, 7.7.4: key values and questions
  {"", "Comm_free_keyval Win_free_keyval Type_free_keyval Comm_get_attr Win_get_attr Type_get_attr"},
  // 7.8: names
  {"", "Comm_set_name Comm_get_name Type_set_name Type_get_name Win_set_name Win_get_name"},
  // 8.5: topologies: new communicators without attributes, and questions
  {"",
   "Cart_create Dims_create Graph_create Dist_graph_create Dist_graph_create_adjacent Topo_test "
   "Graphdims_get Graph_get Cartdim_get Cart_get Cart_rank Cart_coords Graph_neighbors_count "
   "Graph_neighbors Dist_graph_neighbors_count Dist_graph_neighbors Cart_shift Cart_sub Cart_map "
   "Graph_map"},
  // 8.6, 8.7, 8.8: neighborhood collectives
  {"",
   "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw "
   "Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv "
   "Ineighbor_alltoallw Neighbor_allgather_init Neighbor_allgatherv_init Neighbor_alltoall_init "
   "Neighbor_alltoallv_init Neighbor_alltoallw_init"},
  // 9.1, 9.2: versions, memory
  {"", "Get_version Get_library_version Get_processor_name Alloc_mem Free_mem"},
  // 9.3: error handlers
  {"takes_function", "Comm_create_errhandler Win_create_errhandler File_create_errhandler Session_create_errhandler"},
  // 9.3: what an error does
  {"sets_handler", "Comm_set_errhandler Win_set_errhandler File_set_errhandler Session_set_errhandler"},
  // 9.3.1 to 9.3.5, 9.4: questions about errors
  {"",
   "Comm_get_errhandler Win_get_errhandler File_get_errhandler Session_get_errhandler "
   "Errhandler_free Error_string Error_class"},
  // 9.5.1: codes of the user
  {"", "Add_error_class Add_error_code Add_error_string"},
  // 9.5.2: run an error handler
  {"handler", "Comm_call_errhandler Win_call_errhandler File_call_errhandler Session_call_errhandler"},
  // 9.6: clocks
  {"", "Wtime Wtick"},
  // 10: info
  {"",
   "Info_create Info_create_env Info_set Info_delete Info_get Info_get_string Info_get_valuelen "
   "Info_get_nkeys Info_get_nthkey Info_dup Info_free"},
  // 11.2.1, 11.2.3, 11.4, 11.6: beginning, end, threads
  {"", "Init Init_thread Initialized Finalized Abort Query_thread Is_thread_main"},
  // 11.2.2, 11.2.4: deletes the attributes of MPI_COMM_SELF
  {"attributes", "Finalize"},
  // 11.3: takes an error handler
  {"sets_handler", "Session_init"},
  // 11.3: sessions
  {"",
   "Session_finalize Session_get_num_psets Session_get_nth_pset Session_get_info "
   "Session_get_pset_info"},
  // 11.8, 11.9: other processes
  {"",
   "Comm_spawn Comm_spawn_multiple Comm_get_parent Open_port Close_port Comm_accept Comm_connect "
   "Publish_name Unpublish_name Lookup_name"},
  // 11.10.5: sockets
  {"", "Comm_join"},
  // 11.10.4: frees the communicator
  {"attributes", "Comm_disconnect"},
  // 12.2.1 to 12.2.4, 12.2.7: windows
  {"",
   "Win_create Win_allocate Win_allocate_shared Win_shared_query Win_create_dynamic Win_attach "
   "Win_detach Win_get_group Win_set_info Win_get_info"},
  // 12.2.5: free: delete functions (7.7.3)
  {"attributes", "Win_free"},
  // 12.3: one-sided: predefined operations only (12.3.4)
  {"",
   "Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap Rput Rget Raccumulate "
   "Rget_accumulate"},
  // 12.5: synchronization
  {"",
   "Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock Win_lock_all Win_unlock "
   "Win_unlock_all Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync"},
  // 13.2: query, free and cancel functions
  {"takes_function", "Grequest_start"},
  // 13.2: they run where the request is completed
  {"", "Grequest_complete"},
  // 13.3: statuses
  {"", "Status_set_elements Status_set_elements_x Status_set_cancelled"},
  // 14.2: files
  {"",
   "File_open File_close File_delete File_set_size File_preallocate File_get_size File_get_group "
   "File_get_amode File_set_info File_get_info"},
  // 14.3: dtype_file_extent_fn of a representation (14.5.3)
  {"conversion", "File_set_view"},
  // 14.3: a question
  {"", "File_get_view"},
  // 14.4: conversion functions of a representation (14.5.3)
  {"conversion",
   "File_read_at File_read_at_all File_write_at File_write_at_all File_iread_at File_iread_at_all "
   "File_iwrite_at File_iwrite_at_all File_read File_read_all File_write File_write_all File_iread "
   "File_iread_all File_iwrite File_iwrite_all File_read_shared File_write_shared File_iread_shared "
   "File_iwrite_shared File_read_ordered File_write_ordered File_read_at_all_begin "
   "File_read_at_all_end File_write_at_all_begin File_write_at_all_end File_read_all_begin "
   "File_read_all_end File_write_all_begin File_write_all_end File_read_ordered_begin "
   "File_read_ordered_end File_write_ordered_begin File_write_ordered_end"},
  // 14.4: positions
  {"", "File_seek File_seek_shared File_get_position File_get_position_shared File_get_byte_offset"},
  // 14.5.1: dtype_file_extent_fn
  {"conversion", "File_get_type_extent"},
  // 14.5.3: a representation
  {"takes_function", "Register_datarep"},
  // 14.6: consistency
  {"", "File_set_atomicity File_get_atomicity File_sync"},
  // 15.2.4: for a profiling library, whose function it calls
  {"tool", "Pcontrol"},
  // 16.1: deprecated: copy and delete functions
  {"takes_function", "Keyval_create"},
  // 16.1: deprecated: the delete function of the value that goes away
  {"attributes", "Attr_put Attr_delete"},
  // 16.1: deprecated
  {"", "Keyval_free Attr_get"},
  // 17.1: removed: an error handler
  {"takes_function", "Errhandler_create"},
  // 17.1: removed: what an error does
  {"sets_handler", "Errhandler_set"},
  // 17.1: removed
  {"", "Errhandler_get Address Type_extent Type_hindexed Type_hvector Type_lb Type_struct Type_ub"},
  // 3.6, new in MPI-4.1: buffers for Bsend of communicators and sessions; attaching, waiting until they are empty
  {"",
   "Comm_attach_buffer Comm_detach_buffer Comm_flush_buffer Comm_iflush_buffer Session_attach_buffer "
   "Session_detach_buffer Session_flush_buffer Session_iflush_buffer Buffer_flush Buffer_iflush"},
  // 3.7.6, new in MPI-4.1: query_fn of generalized requests that are complete (13.2)
  {"requests", "Request_get_status_all Request_get_status_any Request_get_status_some"},
  // 3.2.5, 13.3, new in MPI-4.1: fields of statuses
  {"",
   "Status_get_error Status_get_source Status_get_tag Status_set_error Status_set_source Status_set_tag"},
  // 6.9.4, new in MPI-4.1: the type of a pair for MPI_MAXLOC
  {"", "Type_get_value_index"},
  // 9.1.2, new in MPI-4.1: what the machine has
  {"", "Get_hw_resource_info"},
  // 9.5.1, new in MPI-4.1: codes of the user that go away
  {"", "Remove_error_class Remove_error_code Remove_error_string"},
  // MPI-5.0, 19.3: handles as integers
  {"",
   "Comm_fromint Comm_toint Errhandler_fromint Errhandler_toint File_fromint File_toint Group_fromint "
   "Group_toint Info_fromint Info_toint Message_fromint Message_toint Op_fromint Op_toint "
   "Request_fromint Request_toint Session_fromint Session_toint Type_fromint Type_toint Win_fromint "
   "Win_toint"},
  // MPI-5.0, 20: the binary interface
  {"",
   "Abi_get_fortran_booleans Abi_get_fortran_info Abi_get_info Abi_get_version "
   "Abi_set_fortran_booleans Abi_set_fortran_info"},
  // In no standard: hints of a session in Open MPI 5
  {"", "Session_set_info"},
  // 19.1.9, 19.3.5: Fortran's types and statuses
  {"",
   "Type_create_f90_complex Type_create_f90_integer Type_create_f90_real Type_match_size "
   "Status_c2f08 Status_f2f08"},
};
// clang-format on

std::map<std::string, std::string> calls_of_the_standard() {
  std::map<std::string, std::string> made;
  for (const section& one : standard) {
    std::istringstream names(one.calls);
    for (std::string name; names >> name;)
      EXPECT_TRUE(made.emplace("MPI_" + name, one.users).second) << name << " stands twice";
  }
  return made;
}

} // namespace

TEST(user_functions, every_call_of_the_table_says_what_the_standard_says) {
  auto expected = calls_of_the_standard();
  for (const call_row& row : call_rows()) {
    const auto found = expected.find(std::string(row.name));
    if (found == expected.end()) {
      ADD_FAILURE() << row.name << " is not in this test: look it up in the standard, and add it";
      continue;
    }
    EXPECT_EQ(row.users, found->second) << row.name;
    expected.erase(found);
  }
  for (const auto& [name, users] : expected)
    ADD_FAILURE() << name << " is not in the table";
}

TEST(user_functions, an_operation_is_run_where_one_is_given) {
  for (const call_row& row : call_rows()) {
    const auto roles = parameter_roles(row);
    EXPECT_EQ(has(row, user_function::operation), std::ranges::find(roles, param_role::op) != roles.end())
        << row.name;
  }
}

TEST(user_functions, handing_over_a_function_runs_none) {
  EXPECT_TRUE(may_run_user_code(*find_call("Comm_delete_attr")));
  EXPECT_TRUE(may_run_user_code(*find_call("Wait")));
  EXPECT_FALSE(may_run_user_code(*find_call("Comm_create_keyval")));
  EXPECT_FALSE(may_run_user_code(*find_call("Comm_set_errhandler")));
  EXPECT_FALSE(may_run_user_code(*find_call("Send")));
}

// A condition that depends on whether the program calls something has to know it by all of its names.
TEST(user_functions, error_handlers_are_seen_under_every_name) {
  for (const char* name :
       {"MPI_Comm_set_errhandler", "PMPI_Comm_set_errhandler", "mpi_comm_set_errhandler_",
        "mpi_comm_set_errhandler__", "mpi_comm_set_errhandler", "pmpi_comm_set_errhandler_",
        "MPI_COMM_SET_ERRHANDLER", "mpi_comm_set_errhandler_f08_", "pmpi_comm_set_errhandler_f08_",
        "mpi_comm_set_errhandler_f08ts_", "_QMmpi_f08Pmpi_comm_set_errhandler_f08",
        "__mpi_f08_MOD_mpi_comm_set_errhandler_f08", "MPI_Errhandler_set", "mpi_win_set_errhandler_f08_",
        "mpi_file_set_errhandler_", "PMPI_Session_init"}) {
    const call_row* row = understand_symbol(name).row;
    ASSERT_NE(row, nullptr) << name;
    EXPECT_TRUE(has(*row, user_function::sets_handler)) << name;
  }
}
