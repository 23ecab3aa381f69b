// Persistent operations that receive in memory of tacit_alloc_mem: every byte right in every run, nothing
// else touched, with long messages written where they are received.
#include "mpi_main.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tacit/tacit.h>
#include <vector>

namespace tacit::test {
namespace {

/// Everybody exchanges blocks with all others.
class placed : public ::testing::Test {
protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int r = 0; r < size; ++r)
      if (r != rank)
        others.push_back(r);
    const int n = static_cast<int>(others.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, others.data(), MPI_UNWEIGHTED, n, others.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  }
  void TearDown() override {
    if (in) {
      EXPECT_EQ(tacit_free_mem(in), TACIT_SUCCESS);
    }
    MPI_Comm_free(&comm);
  }
  static std::size_t bytes(int from, int to) {
    constexpr std::size_t sizes[] = {40000, 600000, 100, 1300003};
    return sizes[(3 * from + to) % 4];
  }
  static char value(int from, int to, std::size_t i, int run) {
    return static_cast<char>(from * 71 + to * 13 + static_cast<int>(i % 10007) * 7 + run * 101 + 1);
  }
  void allocate(std::size_t total) {
    ASSERT_EQ(tacit_alloc_mem(static_cast<MPI_Aint>(total), &in), TACIT_SUCCESS) << tacit_last_error();
  }
  /// Blocks with gaps of 5 bytes: `elements` of `type`, each of 1 byte and `stride` further than the last
  /// one.
  void exchange(MPI_Datatype type, std::size_t stride) {
    std::vector<int> send_counts, receive_counts, send_places, receive_places;
    std::size_t out_bytes = 0, in_bytes = 0;
    for (const int r : others) {
      send_counts.push_back(static_cast<int>(bytes(rank, r)));
      receive_counts.push_back(static_cast<int>(bytes(r, rank)));
      send_places.push_back(static_cast<int>(out_bytes));
      receive_places.push_back(static_cast<int>(in_bytes / stride));
      out_bytes += bytes(rank, r);
      in_bytes += (bytes(r, rank) + 5) * stride;
    }
    std::vector<char> out(out_bytes), expected(in_bytes, 'x');
    allocate(in_bytes);
    std::memset(in, 'x', in_bytes);
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_neighbor_alltoallv_init(out.data(), send_counts.data(), send_places.data(), MPI_CHAR, in,
                                            receive_counts.data(), receive_places.data(), type, comm,
                                            MPI_INFO_NULL, &s),
              TACIT_SUCCESS)
        << tacit_last_error();
    explained.assign(8000, '\0');
    tacit_explain(s, TACIT_EXPLAIN_TEXT, explained.data(), explained.size(), nullptr);
    for (int run = 0; run < 40; ++run) {
      for (std::size_t k = 0; k < others.size(); ++k) {
        for (std::size_t i = 0; i < bytes(rank, others[k]); ++i)
          out[static_cast<std::size_t>(send_places[k]) + i] = value(rank, others[k], i, run);
        for (std::size_t i = 0; i < bytes(others[k], rank); ++i)
          expected[(static_cast<std::size_t>(receive_places[k]) + i) * stride] =
              value(others[k], rank, i, run);
      }
      ASSERT_EQ(tacit_start(s), TACIT_SUCCESS);
      ASSERT_EQ(tacit_wait(s), TACIT_SUCCESS) << tacit_last_error();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), static_cast<char*>(in))) << "run " << run;
    }
    tacit_schedule_free(&s);
  }
  bool says(const char* what) const { return explained.find(what) != std::string::npos; }
  /// MPICH has nobody to attend to a message that waits for its destination, unless the program promises to.
  static bool attended() {
#ifdef OPEN_MPI
    return true;
#else
    const char* const progress = std::getenv("TACIT_PROGRESS");
    return progress && std::string(progress) == "waits";
#endif
  }
  bool receives_long_messages() const {
    return std::any_of(others.begin(), others.end(), [&](int r) { return bytes(r, rank) >= 32 * 1024; });
  }

  int rank = 0, size = 0;
  std::vector<int> others;
  MPI_Comm comm = MPI_COMM_NULL;
  void* in = nullptr;
  std::string explained;
};

TEST_F(placed, every_run_brings_every_byte) {
  exchange(MPI_CHAR, 1);
  EXPECT_EQ(says("written where they are received"), attended() && receives_long_messages()) << explained;
}

TEST_F(placed, elements_may_lie_apart) {
  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, 2, &every_second);
  MPI_Type_commit(&every_second);
  exchange(every_second, 2);
  MPI_Type_free(&every_second);
}

/// `piece` bytes of the receive buffer, then a gap of as many; from and to all others.
TEST_F(placed, short_pieces_go_through_slots) {
  for (const int piece : {8, 128}) {
    constexpr int length = 640000;
    const std::size_t n = others.size();
    MPI_Datatype apart = MPI_DATATYPE_NULL;
    MPI_Type_vector(length / piece, piece, 2 * piece, MPI_CHAR, &apart);
    MPI_Type_commit(&apart);
    std::vector<char> out(length), expected(2 * length * n + 1, 'x');
    allocate(expected.size());
    std::memset(in, 'x', expected.size());
    const std::vector<int> send_counts(n + 1, length), receive_counts(n + 1, 1);
    const std::vector<MPI_Aint> send_places(n + 1, 0);
    const std::vector<MPI_Datatype> send_types(n + 1, MPI_CHAR), receive_types(n + 1, apart);
    std::vector<MPI_Aint> receive_places;
    for (std::size_t k = 0; k <= n; ++k)
      receive_places.push_back(static_cast<MPI_Aint>(2 * length * k));
    tacit_schedule s = TACIT_SCHEDULE_NULL;
    ASSERT_EQ(tacit_neighbor_alltoallw_init(out.data(), send_counts.data(), send_places.data(),
                                            send_types.data(), in, receive_counts.data(),
                                            receive_places.data(), receive_types.data(), comm, MPI_INFO_NULL,
                                            &s),
              TACIT_SUCCESS)
        << tacit_last_error();
    explained.assign(8000, '\0');
    tacit_explain(s, TACIT_EXPLAIN_TEXT, explained.data(), explained.size(), nullptr);
    EXPECT_EQ(says("written where they are received"), attended() && piece == 128 && n > 0) << explained;
    for (int run = 0; run < 10; ++run) {
      for (std::size_t i = 0; i < length; ++i)
        out[i] = value(rank, 0, i, run);
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < length; ++i)
          expected[2 * length * k + i / piece * 2 * piece + i % piece] = value(others[k], 0, i, run);
      ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), static_cast<char*>(in))) << "run " << run;
    }
    tacit_schedule_free(&s);
    MPI_Type_free(&apart);
    EXPECT_EQ(tacit_free_mem(in), TACIT_SUCCESS);
    in = nullptr;
  }
}

TEST_F(placed, can_be_left_out) {
  setenv("TACIT_NEIGHBOR_WITHOUT", "place", 1);
  exchange(MPI_CHAR, 1);
  unsetenv("TACIT_NEIGHBOR_WITHOUT");
  EXPECT_FALSE(says("written where they are received")) << explained;
}

TEST(memory, wrong_arguments_are_errors) {
  void* memory = nullptr;
  int local = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQ(tacit_alloc_mem(-1, &memory), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_alloc_mem(1, nullptr), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_free_mem(&local), TACIT_ERR_ARGUMENT);
  EXPECT_EQ(tacit_free_mem(nullptr), TACIT_ERR_ARGUMENT);
  ASSERT_EQ(tacit_alloc_mem(0, &memory), TACIT_SUCCESS);
  EXPECT_EQ(tacit_free_mem(memory), TACIT_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
