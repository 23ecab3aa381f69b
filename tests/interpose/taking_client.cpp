// A client for tests: does MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall and the persistent form in the
// library's place, for one int per neighbor on a ring of two, without communication: what arrives is 7000 +
// the neighbor's place. Requests are generalized requests, which the library knows; completing one is this
// client's affair, also among others in an array. It fails, and is retired, at an exchange of no element.
#include "interpose/layer/clients.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/recorder/recorder.h"

#include <cstdlib>
#include <map>
#include <stdexcept>

namespace tacit::interpose {

namespace {

struct taken_request {
  int* into = nullptr;
  bool persistent = false;
  bool active = false;
};

extern "C" int query_nothing(void*, MPI_Status* status) {
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = 77;
  return MPI_SUCCESS;
}
extern "C" int free_nothing(void*) {
  return MPI_SUCCESS;
}
extern "C" int cancel_nothing(void*, int) {
  return MPI_SUCCESS;
}

class taker : public client {
public:
  bool wanted() const override { return std::getenv("TEST_TAKER") != nullptr; }
  const char* does() const override { return "taken over"; }
  interest_bits interests() const override { return calls_.bit(); }
  bool start(const invocation&) override {
    calls_.add_all().switch_on();
    return true;
  }
  void end() override {}
  void forked() override {}
  bool takes_over() const override { return true; }

  std::optional<int> instead(invocation& v) override {
    switch (v.call) {
    case mpi_call::Neighbor_alltoall:
      if (v.send.count == 0)
        throw std::runtime_error("asked to fail");
      exchange(static_cast<int*>(const_cast<void*>(v.recv.buffer)));
      return MPI_SUCCESS;
    case mpi_call::Ineighbor_alltoall:
    case mpi_call::Neighbor_alltoall_init:
      return make(v);
    case mpi_call::Start:
      return start_one(v);
    case mpi_call::Wait:
    case mpi_call::Test:
    case mpi_call::Waitall:
    case mpi_call::Waitany:
      return complete(v);
    case mpi_call::Request_free:
      return free_one(v);
    default:
      return std::nullopt;
    }
  }

private:
  static void exchange(int* into) {
    into[0] = 7000;
    into[1] = 7001;
  }

  static MPI_Request fresh_handle() {
    MPI_Request made{};
    TACIT_PMPI(Grequest_start)(query_nothing, free_nothing, cancel_nothing, nullptr, &made);
    return made;
  }
  static void drop_handle(MPI_Request handle) {
    TACIT_PMPI(Grequest_complete)(handle);
    TACIT_PMPI(Request_free)(&handle);
  }

  std::optional<int> make(invocation& v) {
    const bool persistent = v.kind == call_class::neighbor_init;
    *v.new_request = fresh_handle();
    taken_[bits(*v.new_request)] = {static_cast<int*>(const_cast<void*>(v.recv.buffer)), persistent,
                                    !persistent};
    return MPI_SUCCESS;
  }

  std::optional<int> start_one(invocation& v) {
    const auto found = taken_.find(bits(v.requests[0]));
    if (found == taken_.end())
      return std::nullopt;
    found->second.active = true;
    return MPI_SUCCESS;
  }

  std::optional<int> free_one(invocation& v) {
    const auto found = taken_.find(bits(v.requests[0]));
    if (found == taken_.end())
      return std::nullopt;
    drop_handle(v.requests[0]);
    taken_.erase(found);
    v.requests[0] = handles().request_null;
    return MPI_SUCCESS;
  }

  void finish(MPI_Request& handle, MPI_Status* status) {
    taken_request& r = taken_.at(bits(handle));
    exchange(r.into);
    if (status)
      query_nothing(nullptr, status);
    r.active = false;
    if (r.persistent)
      return;
    drop_handle(handle);
    taken_.erase(bits(handle));
    handle = handles().request_null;
  }

  /// Ours at once; the others are the library's.
  std::optional<int> complete(invocation& v) {
    int ours = 0;
    for (int i = 0; i < v.request_count; ++i)
      ours += taken_.contains(bits(v.requests[i]));
    if (ours == 0)
      return std::nullopt;
    MPI_Status* const one = v.status == MPI_STATUS_IGNORE ? nullptr : v.status;
    if (v.call == mpi_call::Waitall) {
      for (int i = 0; i < v.request_count; ++i) {
        MPI_Status* const status = v.statuses == MPI_STATUSES_IGNORE ? nullptr : v.statuses + i;
        if (taken_.contains(bits(v.requests[i])))
          finish(v.requests[i], status);
        else
          TACIT_PMPI(Wait)(&v.requests[i], status ? status : MPI_STATUS_IGNORE);
      }
      return MPI_SUCCESS;
    }
    for (int i = 0; i < v.request_count; ++i) {
      if (!taken_.contains(bits(v.requests[i])))
        continue;
      finish(v.requests[i], one);
      if (v.done_index)
        *v.done_index = i;
      if (v.flag)
        *v.flag = 1;
      break;
    }
    return MPI_SUCCESS;
  }

  interest calls_{attention::described};
  std::map<std::uint64_t, taken_request> taken_;
};

} // namespace

std::span<client* const> all_clients() {
  static taker& only = *new taker;
  static client* const all[] = {&recorder(), &only};
  return all;
}

} // namespace tacit::interpose
