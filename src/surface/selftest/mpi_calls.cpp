// The MPI library's own neighborhood collectives. Persistent calls are MPI-4; Open MPI 4.1 offers them under
// the prefix MPIX_, and Open MPI 5 under their own names although it calls itself MPI 3.1. So are the
// large-count functions ("mpi-large"), which are tested only if asked for: libraries share their code with the
// others.
#include "surface/selftest/each_call.h"
#include "surface/selftest/implementation.h"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT(call) MPI_Neighbor_##call##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PERSISTENT(call) MPIX_Neighbor_##call##_init
#endif

namespace tacit::surface {
namespace {

class requested : public operation {
public:
  MPI_Request request = MPI_REQUEST_NULL;
  int start() override { return MPI_Start(&request); }
  int wait() override { return MPI_Wait(&request, MPI_STATUS_IGNORE); }
  int free() override { return request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Request_free(&request); }
};

using requester = int (*)(const arguments&, MPI_Request*);

#define BLOCKING(call) MPI_Neighbor_##call
#define NONBLOCKING(call) MPI_Ineighbor_##call

int run_blocking(const arguments& a) {
  TACIT_EACH_CALL(a.what, BLOCKING, a.send, a.recv, a.comm);
}

int run_nonblocking(const arguments& a, MPI_Request* request) {
  TACIT_EACH_CALL(a.what, NONBLOCKING, a.send, a.recv, a.comm, request);
}

#ifdef PERSISTENT
int init_persistent(const arguments& a, MPI_Request* request) {
  TACIT_EACH_CALL(a.what, PERSISTENT, a.send, a.recv, a.comm, MPI_INFO_NULL, request);
}
constexpr bool has_persistent = true;
#else
int init_persistent(const arguments&, MPI_Request*) {
  return MPI_ERR_OTHER;
}
constexpr bool has_persistent = false;
#endif

class mpi_calls final : public implementation {
public:
  std::string_view name() const override { return "mpi"; }
  bool offers(call, mode how) const override { return how != mode::persistent || has_persistent; }
  int run(const arguments& a) override { return run_blocking(a); }
  std::unique_ptr<operation> begin(const arguments& a, int& code) override {
    return made(code, a, run_nonblocking);
  }
  std::unique_ptr<operation> init(const arguments& a, int& code) override {
    return made(code, a, init_persistent);
  }

private:
  static std::unique_ptr<operation> made(int& code, const arguments& a, requester function) {
    auto result = std::make_unique<requested>();
    code = function(a, &result->request);
    if (code != MPI_SUCCESS)
      return nullptr;
    return result;
  }
};

#if MPI_VERSION >= 4

#define BLOCKING_C(call) MPI_Neighbor_##call##_c
#define NONBLOCKING_C(call) MPI_Ineighbor_##call##_c
#define PERSISTENT_C(call) MPI_Neighbor_##call##_init_c

class large_request final : public requested {
public:
  explicit large_request(const arguments& a) : send(a.send), recv(a.recv) {}
  large_side send, recv; ///< lists stay until the end of the operation
};

class large_calls final : public implementation {
public:
  std::string_view name() const override { return "mpi-large"; }
  bool offers(call, mode) const override { return true; }
  int run(const arguments& a) override {
    const large_side send(a.send), recv(a.recv);
    TACIT_EACH_CALL(a.what, BLOCKING_C, send, recv, a.comm);
  }
  std::unique_ptr<operation> begin(const arguments& a, int& code) override {
    auto made = std::make_unique<large_request>(a);
    code = [&] { TACIT_EACH_CALL(a.what, NONBLOCKING_C, made->send, made->recv, a.comm, &made->request); }();
    return code == MPI_SUCCESS ? std::move(made) : nullptr;
  }
  std::unique_ptr<operation> init(const arguments& a, int& code) override {
    auto made = std::make_unique<large_request>(a);
    code = [&] {
      TACIT_EACH_CALL(a.what, PERSISTENT_C, made->send, made->recv, a.comm, MPI_INFO_NULL, &made->request);
    }();
    return code == MPI_SUCCESS ? std::move(made) : nullptr;
  }
};

std::unique_ptr<implementation> large_calls_if_any() {
  return std::make_unique<large_calls>();
}

#else
std::unique_ptr<implementation> large_calls_if_any() {
  return nullptr;
}
#endif

} // namespace

std::unique_ptr<implementation> make_mpi_calls() {
  return std::make_unique<mpi_calls>();
}

std::unique_ptr<implementation> make_large_mpi_calls() {
  return large_calls_if_any();
}

} // namespace tacit::surface
