// Every rank finds another model of the machine, or none: all make the same choice all the same, the one that
// rank 0's model asks for, and the results are right. FIRST_RANK says what rank 0 finds.
#include "mpi_main.h"

#include <tacit/tacit.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace tacit::test {
namespace {

namespace fs = std::filesystem;

struct case_of_first_rank {
  const char* name;
  const char* driver; ///< that all ranks take
  const char* origin; ///< that all ranks name
};
constexpr std::array<case_of_first_rank, 5> all_cases{
    {{"cheap messages", "p2p", "machine model: measured 2026-11-21"},
     {"costly messages", "shm", "machine model: measured 2026-11-21"},
     {"missing", "shm", "machine model: the documented defaults, because there is no "},
     {"damaged", "shm", "is damaged: it is no JSON"},
     {"default", "shm", "machine model: the documented defaults, because TACIT_PLATFORM is"}}};

case_of_first_rank this_case() {
  const char* wanted = std::getenv("FIRST_RANK");
  for (const case_of_first_rank& c : all_cases)
    if (wanted && std::string(wanted) == c.name)
      return c;
  return {"", "", ""};
}

/// As `tacit platform` writes it: all sizes of messages cost the same, and all copies.
std::string model(int message, int copy) {
  const auto flat = [](int ns) {
    const std::string n = std::to_string(ns);
    return "[" + n + "," + n + "," + n + "]";
  };
  std::string messages, copies;
  for (const int bytes : {8, 1 << 20}) {
    const std::string start = (bytes == 8 ? R"({"bytes":)" : R"(,{"bytes":)") + std::to_string(bytes);
    messages += start + R"(,"one_way":)" + flat(3 * message) + R"(,"send":)" + flat(message) +
                R"(,"receive":)" + flat(message) + R"(,"gap":)" + flat(message) + "}";
    copies += start + R"(,"copy":)" + flat(copy) + R"(,"fetch":)" + flat(copy) + "}";
  }
  return R"({"tacit":"machine model","format":1,"machine":{"host":"h","cpu":"c","cores":2,"mpi":"m"},)"
         R"("one_host":true,"measured":"2026-11-21","core_share_percent":100,"eager_limit":4096,)"
         R"("eager_always":false,"window":"unified","flag":)" +
         flat(copy) + R"(,"progress_percent":[0,0,0],"messages":[)" + messages + R"(],"memory":[)" + copies +
         R"(],"puts":[]})";
}

/// The file that a rank finds; empty: none.
std::string found_by(int rank, const std::string& first) {
  const std::string cheap = model(10, 100000), costly = model(100000, 10);
  if (rank == 0)
    return first == "cheap messages"    ? cheap
           : first == "costly messages" ? costly
           : first == "damaged"         ? "{"
                                        : "";
  const std::array<std::string, 3> others{costly, cheap, ""};
  return others[static_cast<std::size_t>(rank - 1 + (first == "cheap messages" ? 0 : 1)) % 3];
}

fs::path file_of(int rank) {
  return fs::temp_directory_path() /
         ("tacit-agreement-" + std::to_string(::getpid()) + "-" + std::to_string(rank));
}

/// Variable FIRST_RANK tells which files there are.
void give_models(int rank) {
  const std::string text = found_by(rank, this_case().name);
  const fs::path file = file_of(rank);
  fs::remove(file);
  if (!text.empty())
    std::ofstream(file) << text;
  const bool none = rank == 0 && std::string(this_case().name) == "default";
  setenv("TACIT_PLATFORM", none ? "default" : file.c_str(), 1);
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

std::string explained(tacit_schedule s) {
  std::array<char, 4000> text{};
  EXPECT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr), TACIT_SUCCESS);
  return text.data();
}

std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos)
    return "";
  const std::size_t start = text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', at) - start);
}

/// The same on all ranks?
void expect_alike(const std::string& text) {
  std::array<char, 2000> first{};
  text.copy(first.data(), first.size() - 1);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, first.data());
}

/// Every rank with every other one: rank 0 has as many messages as there are others.
void exchange_with_all(MPI_Comm comm, int count) {
  const auto size = static_cast<std::size_t>(world_size());
  std::vector<int> out(size * static_cast<std::size_t>(count)), in(out.size());
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_neighbor_alltoall_init(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm,
                                         MPI_INFO_NULL, &s),
            TACIT_SUCCESS)
      << tacit_last_error();
  const std::string said = explained(s);
  EXPECT_NE(said.find(std::string("predicted: coalesced ") + this_case().driver), std::string::npos) << said;
  EXPECT_NE(said.find(std::string("driver ") + this_case().driver), std::string::npos) << said;
  EXPECT_NE(said.find(this_case().origin), std::string::npos) << said;
  expect_alike(line_with(said, "predicted: "));
  expect_alike(line_with(said, "machine model: "));
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = world_rank() * 1000 + static_cast<int>(i) / count + round, in[i] = -1;
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(in[i], static_cast<int>(i) / count * 1000 + world_rank() + round) << "round " << round;
  }
  tacit_schedule_free(&s);
}

TEST(agreement, all_ranks_choose_by_the_model_of_the_first) {
  std::vector<int> everybody;
  for (int r = 0; r < world_size(); ++r)
    everybody.push_back(r);
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, world_size(), everybody.data(), MPI_UNWEIGHTED,
                                           world_size(), everybody.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                           &comm),
            MPI_SUCCESS);
  for (const int count : {1, 100, 20000})
    exchange_with_all(comm, count);
  MPI_Comm_free(&comm);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = tacit::test::world_rank();
  tacit::test::give_models(rank);
  const int failed = tacit::test::run_tests(argc, argv);
  std::filesystem::remove(tacit::test::file_of(rank));
  MPI_Finalize();
  return failed;
}
