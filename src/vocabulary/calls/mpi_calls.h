// What every MPI call is, without any MPI header: numbers, names, classes, blocking twins and parameter
// roles.
//
// The interposer's generator reads the same table (mpi_calls.def) as text; the compiler pass and the report
// use this interface. One row describes a whole family of symbols (C, large count, three Fortran ones).
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tacit::vocabulary {

/// Stable numbers; the names are MPI's own, without the prefix.
enum class mpi_call : std::uint16_t {
  none = 0,
#define TACIT_CALL(number, name, kind, twin, roles, users) name = (number),
#include "vocabulary/calls/mpi_calls.def"
#undef TACIT_CALL
};

/// What kind of thing a call does; calls of one class are handled alike.
enum class call_class : std::uint8_t {
  init,
  finalize,
  abort,
  pcontrol,
  send,
  recv,
  sendrecv, ///< blocking
  isend,
  irecv,
  isendrecv, ///< nonblocking
  send_init,
  recv_init,
  start, ///< persistent
  probe,
  mprobe,
  mrecv,
  imrecv,
  complete, ///< Wait*, Test*
  request_query,
  cancel,
  request_free,
  collective,
  icollective,
  collective_init,
  neighbor,
  ineighbor,
  neighbor_init, ///< neighborhood collectives
  comm_make,
  comm_idup,
  comm_free,
  type_make,
  type_free,
  buffering, ///< buffers for Bsend: may wait until messages have left, or give a request of that; moves none
  unknown,   ///< its effect on data is ⊤
  local,     ///< no message, no completion, nothing that another process sees
};

/// What a parameter means. The direction follows from the role: see `writes`.
enum class param_role : std::uint8_t {
  in_buf,
  out_buf,
  inout_buf,
  send_buf,
  recv_buf,
  count,
  datatype,
  send_count,
  send_type,
  recv_count,
  recv_type,
  send_counts,
  send_displs,
  send_types,
  recv_counts,
  recv_displs,
  recv_types,
  dest,
  source,
  tag,
  send_tag,
  recv_tag,
  root,
  op,
  comm,
  group,
  request,
  request_value,
  new_request,
  requests,
  request_count,
  status,
  statuses,
  flag,
  done_index,
  done_count,
  done_indices,
  message,
  new_message,
  new_comm,
  comm_freed,
  new_type,
  type_freed,
  info,
  argc,
  argv,
  thread_level,
  thread_level_out,
  error_code,
  level,
  color,
  key,
  string_tag,
  peer_comm,
  local_leader,
  remote_leader,
  ndims, ///< topologies
  dims,
  periods,
  remain_dims,
  reorder,
  node_count, ///< of a graph, or of the nodes that a process describes
  graph_index,
  graph_edges,
  degrees,
  in_degree,
  sources,
  source_weights,
  out_degree,
  destinations,
  dest_weights,
  weights,
  window,
  file,
  rest,  ///< "..."
  other, ///< irrelevant to communication, or of a call outside the model
};

/// What a call has to do with functions that the user has given to MPI. Error handlers are not named where a
/// call runs one because of an error: any call may.
enum class user_function : std::uint8_t {
  attributes,     ///< runs the copy or delete functions of cached attributes
  requests,       ///< runs the query, free or cancel function of a generalized request that it is given
  operation,      ///< runs the function of a reduction operation; if it is not blocking, in later calls too
  handler,        ///< runs an error handler without an error
  conversion,     ///< runs the functions of a data representation
  tool,           ///< runs what a profiling library, which the program may bring, has for it
  takes_function, ///< gives MPI a function of the user
  sets_handler,   ///< decides what an error does
};

struct call_row {
  mpi_call id = mpi_call::none;
  std::string_view name; ///< with "MPI_"
  call_class kind = call_class::local;
  mpi_call twin = mpi_call::none; ///< the blocking call of the same meaning, if this one is not blocking
  std::string_view roles;         ///< names of param_role, separated by blanks
  std::string_view users;         ///< names of user_function, separated by blanks
};

/// All rows in numeric order (row i has number i + 1).
std::span<const call_row> call_rows();
/// The row of a number, or nullptr.
const call_row* find_call(std::uint16_t number);
/// The row of "Send" or "MPI_Send", or nullptr.
const call_row* find_call(std::string_view name);
/// "MPI_Send"-style name of a number; "an unknown call" if there is none.
std::string_view call_name(std::uint16_t number);

/// True if the call has to do with functions of the user in this way.
bool has(const call_row& row, user_function how);
/// True if the call may run functions of the user without an error.
bool may_run_user_code(const call_row& row);
/// The roles of a call's parameters, in order.
std::vector<param_role> parameter_roles(const call_row& row);
/// True if the call may write what the parameter points to (before it returns, or until its request
/// completes).
bool writes(param_role role);
/// True if the parameter points to message data.
bool is_buffer(param_role role);

} // namespace tacit::vocabulary
