#include "interpose/layer/request_queries.h"

#include "interpose/layer/mpi_library.h"
#include "interpose/layer/slots.h"

namespace tacit::interpose {

namespace {

MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

int query(MPI_Request request, int* flag, MPI_Status* status) {
  // It may be called when this interposer has stepped aside because the library is another one.
  static const bool understood = library_interface(nullptr) == interface_name();
  if (!understood)
    return MPI_ERR_OTHER;
  return TACIT_PMPI(Request_get_status)(request, flag, status);
}

int made_of_one_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  *flag = 1;
  for (int i = 0; i < count && *flag; ++i)
    if (const int code = query(requests[i], flag, status_at(statuses, i)); code != MPI_SUCCESS)
      return code;
  return MPI_SUCCESS;
}

int made_of_one_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  bool active = false;
  *index = MPI_UNDEFINED;
  *flag = 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == handles().request_null)
      continue;
    active = true;
    const int code = query(requests[i], flag, status);
    if (code == MPI_SUCCESS && !*flag)
      continue;
    *index = i;
    return code;
  }
  // There is none: the status of a request that is null.
  return active ? MPI_SUCCESS : query(handles().request_null, flag, status);
}

int made_of_one_some(int count, const MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) {
  bool active = false;
  *found = 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == handles().request_null)
      continue;
    active = true;
    int flag = 0;
    if (const int code = query(requests[i], &flag, status_at(statuses, *found)); code != MPI_SUCCESS)
      return code;
    if (flag)
      indices[(*found)++] = i;
  }
  if (!active)
    *found = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/// The library's function, or what stands for it.
template <typename Function>
Function* function_or(const char* name, Function* substitute) {
  void* const found = find_mpi_symbol(name, nullptr);
  return found ? reinterpret_cast<Function*>(found) : substitute;
}

} // namespace

int query_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  static const auto ask = function_or("PMPI_Request_get_status_all", made_of_one_all);
  return ask(count, requests, flag, statuses);
}

int query_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  static const auto ask = function_or("PMPI_Request_get_status_any", made_of_one_any);
  return ask(count, requests, index, flag, status);
}

int query_some(int count, const MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) {
  static const auto ask = function_or("PMPI_Request_get_status_some", made_of_one_some);
  return ask(count, requests, found, indices, statuses);
}

void* substitute_for(std::string_view name) {
  if (name == "MPI_Request_get_status_all")
    return reinterpret_cast<void*>(&made_of_one_all);
  if (name == "MPI_Request_get_status_any")
    return reinterpret_cast<void*>(&made_of_one_any);
  if (name == "MPI_Request_get_status_some")
    return reinterpret_cast<void*>(&made_of_one_some);
  return nullptr;
}

} // namespace tacit::interpose
