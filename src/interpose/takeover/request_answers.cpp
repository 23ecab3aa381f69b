#include "interpose/layer/request_queries.h"
#include "interpose/takeover/agreed_groups.h"
#include "interpose/takeover/request_table.h"
#include "runtime/mpi/await.h"

#include <algorithm>

namespace tacit::interpose {

namespace {

/// What MPI says of a request that is null or inactive, and here also of a complete one: nothing but that.
void set_empty(MPI_Status* status) {
  if (!status || status == MPI_STATUS_IGNORE)
    return;
  const int error = status->MPI_ERROR; // only calls that complete several requests set it
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_ERROR = error;
}

/// The requests of a call: ours, and the others with MPI_REQUEST_NULL where ours stand.
struct request_split {
  explicit request_split(const invocation& v) : count(v.request_count) {
    const auto n = static_cast<std::size_t>(std::max(count, 0));
    ours.resize(n);
    others.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      ours[i] = table().find(v.requests[i]);
      any_ours = any_ours || ours[i];
      others[i] = ours[i] ? MPI_REQUEST_NULL : v.requests[i];
    }
  }
  /// What the library has done to the others' handles.
  void give_back(MPI_Request* requests) {
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (!ours[i])
        requests[i] = others[i];
  }
  bool any_active() {
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (ours[i] && ours[i]->active)
        return true;
    return false;
  }

  int count;
  short_list<taken_request*, 16> ours;
  short_list<MPI_Request, 16> others;
  bool any_ours = false;
};

bool ignores_statuses(const invocation& v) {
  return !v.statuses || v.statuses == MPI_STATUSES_IGNORE;
}

MPI_Status* status_at(const invocation& v, int i) {
  return ignores_statuses(v) ? nullptr : v.statuses + i;
}

// --- one request

int answer_one(invocation& v, taken_request& r, bool blocking) {
  MPI_Request& handle = v.requests[0];
  if (r.active && blocking)
    wait_until_complete(r);
  const bool done = !r.active || is_complete(r);
  if (v.flag)
    *v.flag = done;
  if (!done)
    return MPI_SUCCESS;
  set_empty(v.status);
  if (!r.active)
    return MPI_SUCCESS;
  const comm_handle home = r.home;
  const int code = tell(r, handle);
  return code == MPI_SUCCESS ? code : raise_error(*home, code);
}

int answer_query(const invocation& v, taken_request& r) {
  const bool done = !r.active || is_complete(r);
  *v.flag = done;
  if (done)
    set_empty(v.status);
  return MPI_SUCCESS;
}

int answer_start(invocation& v) {
  request_split split(v);
  for (int i = 0; i < v.request_count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int code = split.ours[at] ? start(*split.ours[at]) : MPI_Start(&v.requests[i]);
    if (code != MPI_SUCCESS)
      return split.ours[at] ? raise_error(*split.ours[at]->home, code) : code;
  }
  return MPI_SUCCESS;
}

int answer_free(invocation& v, taken_request& r) {
  v.requests[0] = MPI_REQUEST_NULL;
  table().remove(r);
  if (r.active && !is_complete(r))
    table().keep_until_complete(&r);
  else
    delete &r;
  return MPI_SUCCESS;
}

// --- several requests

/// All of ours are complete: tells the program. `library`: what the call said of the others.
int tell_all(invocation& v, request_split& split, int library) {
  int code = library;
  comm_handle failed;
  for (int i = 0; i < v.request_count; ++i) {
    taken_request* const r = split.ours[static_cast<std::size_t>(i)];
    if (!r)
      continue;
    set_empty(status_at(v, i));
    comm_handle home = r->home;
    const int one = r->active ? tell(*r, v.requests[i]) : MPI_SUCCESS;
    if (one == MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
      continue;
    if (one != MPI_SUCCESS && code == MPI_SUCCESS && !ignores_statuses(v))
      for (int k = 0; k < v.request_count; ++k)
        v.statuses[k].MPI_ERROR = MPI_SUCCESS;
    if (one != MPI_SUCCESS && code == MPI_SUCCESS) {
      code = MPI_ERR_IN_STATUS;
      failed = std::move(home);
    }
    if (MPI_Status* const status = status_at(v, i))
      status->MPI_ERROR = one;
  }
  return failed ? raise_error(*failed, code) : code;
}

int answer_all(invocation& v, request_split& split, bool blocking) {
  for (std::size_t i = 0; i < split.ours.size(); ++i) {
    taken_request* const r = split.ours[i];
    if (!r || !r->active)
      continue;
    if (blocking)
      wait_until_complete(*r);
    else if (!is_complete(*r)) {
      *v.flag = 0;
      return MPI_SUCCESS;
    }
  }
  MPI_Status* const statuses = ignores_statuses(v) ? MPI_STATUSES_IGNORE : v.statuses;
  int code = MPI_SUCCESS;
  if (blocking)
    code = MPI_Waitall(split.count, split.others.data(), statuses);
  else
    code = MPI_Testall(split.count, split.others.data(), v.flag, statuses);
  split.give_back(v.requests);
  if (!blocking && code == MPI_SUCCESS && !*v.flag)
    return code;
  return tell_all(v, split, code);
}

/// One look at all. True if there is something to say.
bool look_for_any(invocation& v, request_split& split, int& code) {
  bool active = false;
  for (std::size_t i = 0; i < split.ours.size(); ++i) {
    taken_request* const r = split.ours[i];
    if (!r || !r->active)
      continue;
    active = true;
    if (!is_complete(*r))
      continue;
    *v.done_index = static_cast<int>(i);
    set_empty(v.status);
    const comm_handle home = r->home;
    code = tell(*r, v.requests[i]);
    if (code != MPI_SUCCESS)
      raise_error(*home, code);
    return true;
  }
  int found = 1;
  *v.done_index = MPI_UNDEFINED;
  code = MPI_Testany(split.count, split.others.data(), v.done_index, &found,
                     v.status ? v.status : MPI_STATUS_IGNORE);
  split.give_back(v.requests);
  return code != MPI_SUCCESS || (found && (*v.done_index != MPI_UNDEFINED || !active));
}

int answer_any(invocation& v, request_split& split, bool blocking) {
  int code = MPI_SUCCESS;
  bool found = look_for_any(v, split, code);
  while (blocking && !found) {
    runtime::offer_core();
    found = look_for_any(v, split, code);
  }
  if (v.flag)
    *v.flag = found;
  return code;
}

/// One look at all; the number found, or MPI_UNDEFINED if there is nothing to wait for.
int look_for_some(invocation& v, request_split& split, int& code) {
  int found = 0;
  bool failed = false;
  comm_handle home;
  for (int i = 0; i < v.request_count; ++i) {
    taken_request* const r = split.ours[static_cast<std::size_t>(i)];
    if (!r || !r->active || !is_complete(*r))
      continue;
    MPI_Status* const status = status_at(v, found);
    set_empty(status);
    v.done_indices[found++] = i;
    comm_handle of = r->home;
    const int one = tell(*r, v.requests[i]);
    if (status)
      status->MPI_ERROR = one;
    if (one != MPI_SUCCESS && !failed)
      failed = true, home = std::move(of);
  }
  int more = 0;
  code = MPI_Testsome(split.count, split.others.data(), &more, v.done_indices + found,
                      ignores_statuses(v) ? MPI_STATUSES_IGNORE : v.statuses + found);
  split.give_back(v.requests);
  if (more == MPI_UNDEFINED) {
    if (found == 0 && !split.any_active() && code == MPI_SUCCESS)
      return MPI_UNDEFINED;
    more = 0;
  }
  if (failed && code == MPI_SUCCESS) {
    for (int i = found; i < found + more && !ignores_statuses(v); ++i)
      v.statuses[i].MPI_ERROR = MPI_SUCCESS;
    code = raise_error(*home, MPI_ERR_IN_STATUS);
  }
  return found + more;
}

int answer_some(invocation& v, request_split& split, bool blocking) {
  int code = MPI_SUCCESS;
  *v.done_count = look_for_some(v, split, code);
  while (blocking && code == MPI_SUCCESS && *v.done_count == 0) {
    runtime::offer_core();
    *v.done_count = look_for_some(v, split, code);
  }
  return code;
}

// --- queries of several requests, which tell and change nothing

int answer_query_all(const invocation& v, request_split& split) {
  *v.flag = 1;
  for (std::size_t i = 0; i < split.ours.size(); ++i)
    if (taken_request* const r = split.ours[i]; r && r->active && !is_complete(*r))
      *v.flag = 0;
  if (!*v.flag)
    return MPI_SUCCESS;
  MPI_Status* const statuses = ignores_statuses(v) ? MPI_STATUSES_IGNORE : v.statuses;
  const int code = query_all(split.count, split.others.data(), v.flag, statuses);
  for (int i = 0; code == MPI_SUCCESS && *v.flag && i < split.count; ++i)
    if (split.ours[static_cast<std::size_t>(i)])
      set_empty(status_at(v, i));
  return code;
}

int answer_query_any(const invocation& v, request_split& split) {
  for (std::size_t i = 0; i < split.ours.size(); ++i) {
    taken_request* const r = split.ours[i];
    if (!r || !r->active || !is_complete(*r))
      continue;
    *v.flag = 1;
    *v.done_index = static_cast<int>(i);
    set_empty(v.status);
    return MPI_SUCCESS;
  }
  const int code = query_any(split.count, split.others.data(), v.done_index, v.flag,
                             v.status ? v.status : MPI_STATUS_IGNORE);
  if (*v.done_index == MPI_UNDEFINED && split.any_active())
    *v.flag = 0;
  return code;
}

int answer_query_some(const invocation& v, request_split& split) {
  int found = 0;
  for (int i = 0; i < split.count; ++i) {
    taken_request* const r = split.ours[static_cast<std::size_t>(i)];
    if (!r || !r->active || !is_complete(*r))
      continue;
    set_empty(status_at(v, found));
    v.done_indices[found++] = i;
  }
  int more = 0;
  const int code = query_some(split.count, split.others.data(), &more, v.done_indices + found,
                              ignores_statuses(v) ? MPI_STATUSES_IGNORE : v.statuses + found);
  if (more == MPI_UNDEFINED && (found > 0 || split.any_active()))
    more = 0;
  *v.done_count = more == MPI_UNDEFINED ? more : found + more;
  return code;
}

std::optional<int> answer_single(invocation& v) {
  taken_request* const r = table().find(v.requests[0]);
  if (!r)
    return std::nullopt;
  switch (v.call) {
  case mpi_call::Wait:
    return answer_one(v, *r, true);
  case mpi_call::Test:
    return answer_one(v, *r, false);
  case mpi_call::Request_get_status:
    return answer_query(v, *r);
  case mpi_call::Start:
    return answer_start(v);
  case mpi_call::Request_free:
    return answer_free(v, *r);
  case mpi_call::Cancel:
    return raise_error(*r->home, MPI_ERR_REQUEST); // collective operations cannot be cancelled
  default:
    return std::nullopt;
  }
}

std::optional<int> answer_several(invocation& v) {
  request_split split(v);
  if (!split.any_ours)
    return std::nullopt;
  switch (v.call) {
  case mpi_call::Waitall:
    return answer_all(v, split, true);
  case mpi_call::Testall:
    return answer_all(v, split, false);
  case mpi_call::Waitany:
    return answer_any(v, split, true);
  case mpi_call::Testany:
    return answer_any(v, split, false);
  case mpi_call::Waitsome:
    return answer_some(v, split, true);
  case mpi_call::Testsome:
    return answer_some(v, split, false);
  case mpi_call::Startall:
    return answer_start(v);
  case mpi_call::Request_get_status_all:
    return answer_query_all(v, split);
  case mpi_call::Request_get_status_any:
    return answer_query_any(v, split);
  case mpi_call::Request_get_status_some:
    return answer_query_some(v, split);
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<int> answer_for_requests(invocation& v) {
  if (table().empty() || !v.requests)
    return std::nullopt;
  switch (v.call) {
  case mpi_call::Wait:
  case mpi_call::Test:
  case mpi_call::Request_get_status:
  case mpi_call::Start:
  case mpi_call::Request_free:
  case mpi_call::Cancel:
    return answer_single(v);
  default:
    return v.request_count > 0 ? answer_several(v) : std::nullopt;
  }
}

} // namespace tacit::interpose
