// The library that is to be right: on MPI's communicators with MPI's counts, and on topologies of its own
// with large counts.
#ifdef TACIT_SELFTEST_LIBRARY
#include "surface/selftest/each_call.h"
#include "surface/selftest/implementation.h"

#include <tacit/tacit.h>

namespace tacit::surface {
namespace {

class scheduled final : public operation {
public:
  explicit scheduled(const arguments& a) : send(a.send), recv(a.recv) {}
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
  large_side send, recv; ///< lists stay until the end of the operation

  int start() override { return tacit_start(schedule); }
  /// Blocks or polls, in turn.
  int wait() override {
    if (++waits_ % 3 != 0)
      return tacit_wait(schedule);
    int flag = 0, code = TACIT_SUCCESS;
    while (code == TACIT_SUCCESS && !flag)
      code = tacit_test(schedule, &flag);
    return code;
  }
  int free() override { return tacit_schedule_free(&schedule); }

private:
  static inline unsigned waits_ = 0;
};

#define TACIT_BLOCKING(call) tacit_neighbor_##call
#define TACIT_BLOCKING_C(call) tacit_neighbor_##call##_c
#define TACIT_NONBLOCKING(call) tacit_ineighbor_##call
#define TACIT_NONBLOCKING_C(call) tacit_ineighbor_##call##_c
#define TACIT_PERSISTENT(call) tacit_neighbor_##call##_init
#define TACIT_PERSISTENT_C(call) tacit_neighbor_##call##_init_c

int run_plain(const arguments& a) {
  TACIT_EACH_CALL(a.what, TACIT_BLOCKING, a.send, a.recv, a.comm);
}
int run_large(const arguments& a) {
  const large_side send(a.send), recv(a.recv);
  TACIT_EACH_CALL(a.what, TACIT_BLOCKING_C, send, recv, a.comm);
}
int begin_plain(const arguments& a, scheduled& made) {
  TACIT_EACH_CALL(a.what, TACIT_NONBLOCKING, a.send, a.recv, a.comm, &made.schedule);
}
int begin_large(const arguments& a, scheduled& made) {
  TACIT_EACH_CALL(a.what, TACIT_NONBLOCKING_C, made.send, made.recv, a.comm, &made.schedule);
}
int init_plain(const arguments& a, scheduled& made) {
  TACIT_EACH_CALL(a.what, TACIT_PERSISTENT, a.send, a.recv, a.comm, MPI_INFO_NULL, &made.schedule);
}
int init_large(const arguments& a, scheduled& made) {
  TACIT_EACH_CALL(a.what, TACIT_PERSISTENT_C, made.send, made.recv, a.comm, MPI_INFO_NULL, &made.schedule);
}

using maker_function = int (*)(const arguments&, scheduled&);

std::unique_ptr<operation> make_operation(const arguments& a, int& code, maker_function make) {
  auto made = std::make_unique<scheduled>(a);
  code = make(a, *made);
  if (code != TACIT_SUCCESS)
    return nullptr;
  return made;
}

class tacit_calls : public implementation {
public:
  std::string_view name() const override { return "tacit"; }
  bool offers(call, mode) const override { return true; }
  int run(const arguments& a) override { return run_plain(a); }
  std::unique_ptr<operation> begin(const arguments& a, int& code) override {
    return make_operation(a, code, begin_plain);
  }
  std::unique_ptr<operation> init(const arguments& a, int& code) override {
    return make_operation(a, code, init_plain);
  }
  std::string words(int code) const override {
    return std::string(tacit_error_string(code)) + ": " + tacit_last_error();
  }
};

class tacit_topology_calls final : public tacit_calls {
public:
  std::string_view name() const override { return "tacit-topology"; }
  MPI_Comm make(topology& where, MPI_Comm all) override {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    tacit_topology made = TACIT_TOPOLOGY_NULL;
    if (where.made_by == maker::cart) {
      tacit_topology_cart(static_cast<int>(where.sizes.size()), where.sizes.data(), where.periodic.data(),
                          &made);
    } else {
      const std::vector<int>&from = where.sources[static_cast<std::size_t>(rank)],
            &to = where.destinations[static_cast<std::size_t>(rank)];
      tacit_topology_graph(static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                           static_cast<int>(to.size()), to.data(), nullptr, &made);
    }
    MPI_Comm comm = MPI_COMM_NULL;
    tacit_topology_comm(made, all, &comm);
    tacit_topology_free(&made);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
  }
  int run(const arguments& a) override { return run_large(a); }
  std::unique_ptr<operation> begin(const arguments& a, int& code) override {
    return make_operation(a, code, begin_large);
  }
  std::unique_ptr<operation> init(const arguments& a, int& code) override {
    return make_operation(a, code, init_large);
  }
};

} // namespace

std::unique_ptr<implementation> make_tacit_calls() {
  return std::make_unique<tacit_calls>();
}

std::unique_ptr<implementation> make_tacit_topology_calls() {
  return std::make_unique<tacit_topology_calls>();
}

} // namespace tacit::surface
#endif
