// What is prepared at which level of persistence: topology, sizes, buffers.
#include "mpi_main.h"
#include "neighbor_oracle.h"

#include <numeric>

namespace tacit::test {
namespace {

std::string explained(tacit_schedule s) {
  std::vector<char> text(4000);
  EXPECT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr), TACIT_SUCCESS);
  return text.data();
}

bool says(tacit_schedule s, const std::string& what) {
  return explained(s).find(what) != std::string::npos;
}

/// Everybody sends to all others, in ascending order.
MPI_Comm everybody() {
  std::vector<int> others;
  for (int r = 0; r < world_size(); ++r)
    if (r != world_rank())
      others.push_back(r);
  const int n = static_cast<int>(others.size());
  tacit_topology t = TACIT_TOPOLOGY_NULL;
  EXPECT_EQ(tacit_topology_graph(n, others.data(), nullptr, n, others.data(), nullptr, &t), TACIT_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_EQ(tacit_topology_comm(t, MPI_COMM_WORLD, &comm), TACIT_SUCCESS) << tacit_last_error();
  tacit_topology_free(&t);
  return comm;
}

MPI_Info one_key(const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

TEST(levels, the_topology_is_colored_once) {
  MPI_Comm comm = everybody();
  const auto n = static_cast<std::size_t>(world_size());
  std::vector<int> out(n, world_rank()), in(n);
  for (const bool colored : {true, false}) {
    MPI_Info info = colored ? MPI_INFO_NULL : one_key("tacit_neighbor_without", "color");
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_neighbor_alltoall_init(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm, info, &s),
              TACIT_SUCCESS)
        << tacit_last_error();
    const std::string rounds = "posted in " + std::to_string(n - 1) + " rounds by edge coloring";
    EXPECT_TRUE(says(s, colored && n > 2 ? rounds : "posted by distance")) << explained(s);
    std::fill(in.begin(), in.end(), -1);
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
    for (std::size_t i = 0; i + 1 < n; ++i)
      ASSERT_EQ(in[i], static_cast<int>(i) + (static_cast<int>(i) >= world_rank() ? 1 : 0));
    tacit_schedule_free(&s);
    if (!colored)
      MPI_Info_free(&info);
  }
  MPI_Comm_free(&comm);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
