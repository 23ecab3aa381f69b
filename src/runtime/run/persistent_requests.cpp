#include "runtime/run/persistent_requests.h"

#include <exception>
#include <utility>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tacit::runtime {
namespace {

bool is_complete(MPI_Request request) {
  int complete = 0;
  return MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete != 0;
}

} // namespace

persistent_requests::~persistent_requests() {
  int over = 0;
  MPI_Finalized(&over);
  if (over)
    return;
  bool left = false;
  for (entry& e : *entries_)
    if (e.request != MPI_REQUEST_NULL && is_complete(e.request))
      MPI_Request_free(&e.request);
    else
      left = left || e.request != MPI_REQUEST_NULL;
  if (!left)
    return;
  const std::vector<entry>* const lists = entries_.release();
#ifdef __SANITIZE_ADDRESS__
  __lsan_ignore_object(lists); // meant
#else
  static_cast<void>(lists);
#endif
}

std::size_t persistent_requests::add(comm_id comm, collective_call call) {
  entries_->push_back({comm, std::move(call)});
  return entries_->size() - 1;
}

void persistent_requests::create(const group_communicators& groups) {
  std::exception_ptr first;
  for (entry& e : *entries_)
    try {
      e.call(*persistent_calls(), groups.of(e.comm), &e.request);
    } catch (...) {
      if (!first)
        first = std::current_exception();
    }
  if (first)
    std::rethrow_exception(first);
}

void persistent_requests::start(std::size_t at, MPI_Request* request) {
  entry& e = (*entries_)[at];
  check_mpi(MPI_Start(&e.request), "MPI_Start");
  *request = e.request;
}

} // namespace tacit::runtime
