// Which calls are `local` in the table, and why, by MPI-4.1: others are neither told anything by such a call, nor does what it
// says depend on what they do. The compiler moves completions over these calls: what a message tells need not come before them. A call that
// is added to the table as local has to be added here, from the standard and not from the table.
//
// Not local, although they move no message: what is seen of a file that others change (14.6.1: its size, the shared pointer, its atomicity),
// ports and names under which others find this process (11.9), waiting until buffered messages have left (3.6).
#include "vocabulary/calls/mpi_calls.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

using namespace tacit;
using namespace tacit::vocabulary;

namespace {

struct local_calls {
  const char* why;
  const char* calls;
};

// clang-format off
constexpr local_calls of_the_standard[] = {
  {"what a handle of this process says, which nothing changes",
   "Comm_compare Comm_group Comm_rank Comm_remote_group Comm_remote_size Comm_size Comm_test_inter Cart_coords Cart_get Cart_rank "
   "Cart_shift Cartdim_get Dist_graph_neighbors Dist_graph_neighbors_count Graph_get Graph_neighbors Graph_neighbors_count "
   "Graphdims_get Topo_test Group_compare Group_rank Group_size Group_translate_ranks File_get_amode File_get_group "
   "Win_get_group Win_shared_query Op_commutative"},
  {"computes a rank: all take part, and none is told anything", "Cart_map Graph_map"},
  {"makes or changes an object that only this process has",
   "Group_difference Group_excl Group_free Group_incl Group_intersection Group_range_excl Group_range_incl Group_union "
   "Group_from_session_pset Op_create Op_free Info_create Info_create_env Info_delete Info_dup Info_free Info_get Info_get_nkeys "
   "Info_get_nthkey Info_get_string Info_get_valuelen Info_set Errhandler_free"},
  {"hints: where all have to give them, none is told anything",
   "Comm_get_info Comm_set_info File_get_info File_set_info Win_get_info Win_set_info Session_get_info Session_set_info"},
  {"what this process knows of process sets, which no call of others changes",
   "Session_get_nth_pset Session_get_num_psets Session_get_pset_info"},
  {"names, attributes and error handlers of this process; what their functions do is in user_functions_test.cpp",
   "Comm_get_name Comm_set_name Type_get_name Type_set_name Win_get_name Win_set_name Attr_delete Attr_get Attr_put "
   "Comm_create_keyval Comm_delete_attr Comm_free_keyval Comm_get_attr Comm_set_attr Keyval_create Keyval_free Type_create_keyval "
   "Type_delete_attr Type_free_keyval Type_get_attr Type_set_attr Win_create_keyval Win_delete_attr Win_free_keyval Win_get_attr "
   "Win_set_attr Comm_call_errhandler Comm_create_errhandler Comm_get_errhandler Comm_set_errhandler Errhandler_create "
   "Errhandler_get Errhandler_set File_call_errhandler File_create_errhandler File_get_errhandler File_set_errhandler "
   "Session_call_errhandler Session_create_errhandler Session_get_errhandler Session_set_errhandler Win_call_errhandler "
   "Win_create_errhandler Win_get_errhandler Win_set_errhandler Register_datarep"},
  {"datatypes and addresses",
   "Address Aint_add Aint_diff Get_address Type_commit Type_extent Type_get_contents Type_get_envelope Type_get_extent "
   "Type_get_extent_x Type_get_true_extent Type_get_true_extent_x Type_get_value_index Type_lb Type_match_size Type_size "
   "Type_size_x Type_ub"},
  {"memory of this process, by its arguments", "Alloc_mem Free_mem Buffer_attach Pack Pack_external Pack_external_size Pack_size Reduce_local "
   "Unpack Unpack_external"},
  {"what a status or an error code says",
   "Get_count Get_elements Get_elements_x Status_c2f08 Status_f2f08 Status_get_error Status_get_source Status_get_tag "
   "Status_set_cancelled Status_set_elements Status_set_elements_x Status_set_error Status_set_source Status_set_tag "
   "Test_cancelled Add_error_class Add_error_code Add_error_string Error_class Error_string Remove_error_class "
   "Remove_error_code Remove_error_string"},
  {"a file as this process has opened it: its view, its own pointer, what it asked for itself",
   "File_get_atomicity File_get_byte_offset File_get_position File_get_type_extent File_get_view"},
  {"the library, the machine and the clock",
   "Dims_create Finalized Get_hw_resource_info Get_library_version Get_processor_name Get_version Initialized Is_thread_main "
   "Query_thread Wtick Wtime Abi_get_fortran_booleans Abi_get_fortran_info Abi_get_info Abi_get_version "
   "Abi_set_fortran_booleans Abi_set_fortran_info"},
  {"handles as integers",
   "Comm_fromint Comm_toint Errhandler_fromint Errhandler_toint File_fromint File_toint Group_fromint Group_toint Info_fromint "
   "Info_toint Message_fromint Message_toint Op_fromint Op_toint Request_fromint Request_toint Session_fromint Session_toint "
   "Type_fromint Type_toint Win_fromint Win_toint"},
};
// clang-format on

std::set<std::string> local_by_the_standard() {
  std::set<std::string> made;
  for (const local_calls& one : of_the_standard) {
    std::istringstream names(one.calls);
    for (std::string name; names >> name;)
      EXPECT_TRUE(made.insert("MPI_" + name).second) << name << " stands twice";
  }
  return made;
}

} // namespace

TEST(local_calls, nobody_else_sees_them_or_is_seen_by_them) {
  auto expected = local_by_the_standard();
  for (const call_row& row : call_rows()) {
    const bool known = expected.erase(std::string(row.name)) != 0;
    EXPECT_EQ(known, row.kind == call_class::local) << row.name << ": look it up in the standard";
  }
  for (const std::string& name : expected)
    ADD_FAILURE() << name << " is not in the table";
}
