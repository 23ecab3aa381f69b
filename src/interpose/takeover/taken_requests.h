// Requests of neighborhood collectives that were taken over, among the library's own.
//
// Problem. The program holds an MPI_Request for what only we can complete. It passes it, mixed with requests
// of the library, to Wait, Test and their relatives, converts it to Fortran and back, frees it while it is
// active, starts it again.
//
// Idea. The handle is that of a generalized request (MPI_Grequest_start) which is never completed: a real
// handle of the library, unlike all its others, that costs nothing while it lies there. All meaning is here:
// a table leads from the handle to the operation, and calls that may meet one answer for it. A call with an
// array asks the library about the others with our entries replaced by MPI_REQUEST_NULL, which every such
// call allows and to which it gives the empty status; so indices and statuses need no translation. If ever a
// wait passed us by (the coverage check is to prevent it), it would hang rather than pretend to be complete.
// Handles are used again, so that a nonblocking operation costs no call of MPI for its handle.
//
// Why not complete the generalized request and let the library wait: persistent operations have no such
// request, and the wait would have to come here all the same to progress the operation.
//
// Waiting for several is waiting for ours first and then, in the library, for the others. That is no
// deadlock: waiting for ours calls MPI, which progresses the others; and ours, once started, are progressed
// by the library or need nobody's attention (takeover.cpp), so it may block afterwards.
//
// Cost of a call without our requests. None while the program has none of ours: the interests below are off.
// While it has, a look per request at a filter (layer/interests.h), and calls that may block progress what is
// under way.
#pragma once

#include "interpose/layer/interests.h"
#include "interpose/layer/invocation.h"
#include "interpose/layer/staging.h"
#include "interpose/takeover/taken_comms.h"

#include <optional>

namespace tacit::interpose {

/// The request that the program gets. Local. Throws mpi_error and std::bad_alloc; then the operation is dropped.
MPI_Request adopt(runtime::neighbor_operation operation, comm_handle home, call_staging staging,
                  bool persistent);
/// The program does not get it after all. Needs no memory.
void drop_adopted(MPI_Request handle);

/// MPI's native call does this operation, in the run that is under way or was the last.
bool is_native(const runtime::neighbor_operation& operation);

/// Starts what `adopt` returned for a nonblocking call. Returns MPI's code; an error has been raised.
int start_adopted(MPI_Request handle);

/// Answers the call if one of our requests is among those it was given. Blocks as the call does.
std::optional<int> answer_for_requests(invocation& v);

/// The interests in calls that may meet requests of ours or that may block. They are on while there are such
/// requests.
interest_bits request_interests();
/// Names the calls that they are interested in; once.
void name_request_calls();
/// Progresses what is under way, and drops what has completed and nobody asks for any more. Does not block.
void look_after_requests();
/// Before MPI_Finalize: completes what the program has freed while it was active, and drops the rest.
void release_requests();

/// `text` on stderr, from the first call that fails.
void say_failure(const std::string& text);
/// The code that stands for the exception being handled, and what it says.
int code_of_failure(const runtime::neighbor_operation* operation, std::string& text);

} // namespace tacit::interpose
