// Queries of several requests (MPI-4.1): the library's own, or, of a library that has none, as many queries of one.
//
// Of one request MPI does not say whether it is inactive or complete: where the library has no such function, an inactive
// persistent request counts as complete.
#pragma once

#include <mpi.h>
#include <string_view>

namespace tacit::interpose {

int query_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses);
int query_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status);
int query_some(int count, const MPI_Request* requests, int* found, int* indices, MPI_Status* statuses);

/// What stands for the function of this name ("MPI_Request_get_status_all") where the library has none; null if nothing
/// can.
void* substitute_for(std::string_view name);

} // namespace tacit::interpose
