// What Celerity's generator of command graphs takes for the programs of bench/micro/bench_tasks.cpp: the peer of scheduler.py.
//
// Not built here: it needs Celerity's sources (github.com/celerity/celerity-runtime) with a SYCL implementation, for which SimSYCL is
// enough, as nothing is executed. In Celerity's test/CMakeLists.txt:
//
//   add_executable(celerity_peer .../celerity_peer.cpp)
//   set_test_target_parameters(celerity_peer .../celerity_peer.cpp)
//   target_link_libraries(celerity_peer PRIVATE test_main)
//   target_include_directories(celerity_peer PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
//
// configured with -DCMAKE_BUILD_TYPE=Release -DCELERITY_SYCL_IMPL=SimSYCL -DCELERITY_ENABLE_MPI=OFF -DCELERITY_USE_MIMALLOC=OFF, then
//
//   celerity_peer pattern nodes tasks repetitions
//
// Prints one object of JSON. As there, the node in the middle plans, and a task's time is the processor's.
#include "command_graph.h"
#include "command_graph_generator.h"
#include "task_manager.h"
#include "test_utils.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace celerity;
using detail::error_policy;

constexpr size_t side = 1 << 17; ///< rows of each buffer: more than nodes

/// The task graph and the command graph of one node, which grow until they are destroyed.
class graphs : private detail::task_manager::delegate {
public:
  explicit graphs(size_t nodes)
      : tasks_(nodes, task_graph_, nullptr, this, {error_policy::ignore}),
        commands_(nodes, nodes / 2, command_graph_, nullptr, {error_policy::ignore, error_policy::ignore}),
        buffers_(tasks_, commands_) {
    tasks_.generate_epoch_task(detail::epoch_action::init);
  }
  graphs(const graphs&) = delete;
  graphs& operator=(const graphs&) = delete;
  ~graphs() { tasks_.generate_epoch_task(detail::epoch_action::shutdown); }

  template <int Dims>
  auto buffer(const range<Dims>& size) {
    return buffers_.create_buffer(size, true);
  }
  template <int Dims, typename Accesses>
  void submit(const range<Dims>& size, const Accesses& accesses) {
    tasks_.generate_command_group_task(detail::invoke_command_group_function([=](handler& cgh) {
      accesses(cgh);
      cgh.parallel_for(size, [](item<Dims>) {});
    }));
  }
  size_t commands() const { return count_; }

private:
  void task_created(const detail::task* made) override { count_ += commands_.build_task(*made).size(); }

  detail::task_graph task_graph_;
  detail::task_manager tasks_;
  detail::command_graph command_graph_;
  detail::command_graph_generator commands_;
  test_utils::mock_buffer_factory buffers_;
  size_t count_ = 0;
};

/// Each task reads one buffer and writes the other.
template <int Dims, typename Read>
void both(graphs& into, size_t tasks, const range<Dims>& size, const Read& read) {
  auto from = into.buffer(size), to = into.buffer(size);
  for (size_t t = 0; t < tasks; ++t) {
    into.submit(size, [&](handler& cgh) {
      from.template get_access<access_mode::read>(cgh, read);
      to.template get_access<access_mode::discard_write>(cgh, access::one_to_one());
    });
    std::swap(from, to);
  }
}

/// Tasks of one node that read all, and tasks of all nodes.
template <typename Read>
void to_one_and_back(graphs& into, size_t tasks, const Read& read) {
  const range<1> size(side);
  auto from = into.buffer(size), to = into.buffer(size);
  for (size_t t = 0; t < tasks; ++t) {
    if (t % 2 == 0)
      into.submit(range<1>(1), [&](handler& cgh) {
        from.get_access<access_mode::read>(cgh, access::all());
        to.get_access<access_mode::discard_write>(cgh, access::all());
      });
    else
      into.submit(size, [&](handler& cgh) {
        from.get_access<access_mode::read>(cgh, read);
        to.get_access<access_mode::discard_write>(cgh, access::one_to_one());
      });
    std::swap(from, to);
  }
}

void plan(const std::string& pattern, graphs& into, size_t tasks) {
  const range<1> rows(side);
  const auto turned = [](chunk<2> c) {
    return subrange<2>{{c.offset[1], c.offset[0]}, {c.range[1], c.range[0]}};
  };
  if (pattern == "one_to_one")
    return both(into, tasks, rows, access::one_to_one());
  if (pattern == "stencil")
    return both(into, tasks, rows, access::neighborhood(1));
  if (pattern == "allgather")
    return both(into, tasks, rows, access::all());
  if (pattern == "alltoall")
    return both(into, tasks, range<2>(side, side), turned);
  if (pattern == "gather_scatter")
    return to_one_and_back(into, tasks, access::one_to_one());
  if (pattern == "gather_broadcast")
    return to_one_and_back(into, tasks, access::all());
  std::fprintf(stderr, "celerity_peer: there is no pattern '%s'\n", pattern.c_str());
  std::exit(2);
}

double processor_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "celerity_peer pattern nodes tasks repetitions\n");
    return 2;
  }
  const auto number = [argv](int n) { return static_cast<size_t>(std::atol(argv[n])); };
  const size_t nodes = number(2), tasks = number(3), repetitions = number(4);
  std::vector<double> us;
  size_t commands = 0;
  for (size_t r = 0; r <= repetitions; ++r) {
    graphs planned(nodes);
    const double before = processor_us();
    plan(argv[1], planned, tasks);
    if (r > 0) // the first one touches memory
      us.push_back((processor_us() - before) / static_cast<double>(tasks));
    commands = planned.commands();
  }
  std::sort(us.begin(), us.end());
  std::printf("{\"us\": %.3f, \"least\": %.3f, \"commands per task\": %.2f}\n", us[us.size() / 2], us[0],
              static_cast<double>(commands) / static_cast<double>(tasks));
}
