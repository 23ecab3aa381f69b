// MPI's native neighborhood collective as a variant (TACIT_DRIVER=mpi): taken only where a verdict of `tacit
// selftest` shows it right, and then right; refused on all ranks alike whatever is wrong with the verdict and
// whichever rank has one. Only rank 0 has the verdicts written here, unless a test says otherwise.
#include "mpi_main.h"
#include "random_call.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>

namespace tacit::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> calls{"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
const std::vector<std::string> kinds{"cart-open", "cart-periodic", "cart-periodic-2", "cart-periodic-1",
                                     "graph",     "graph-multi",   "dist-graph",      "dist-graph-multi"};

/// "Open MPI v4.1.4", "MPICH 4.0.2".
std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text);
  const std::string mpich = "MPICH Version:";
  if (all.rfind(mpich, 0) != 0)
    return all.substr(0, all.find_first_of(",\n\t"));
  const auto start = all.find_first_not_of(" \t", mpich.size());
  return "MPICH " + all.substr(start, all.find_first_of(" \t\n", start) - start);
}

std::string host() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// What is wrong in the libraries that the tests are run with (docs/cli.md): kind and call.
std::set<std::string> known_faults() {
  if (library().rfind("MPICH", 0) == 0)
    return {"cart-periodic-2 alltoallv", "cart-periodic-2 alltoallw", "cart-periodic-1 alltoall",
            "cart-periodic-1 alltoallv", "cart-periodic-1 alltoallw", "graph-multi alltoall",
            "dist-graph alltoallw",      "dist-graph-multi alltoall", "dist-graph-multi alltoallw"};
  std::set<std::string> out;
  for (const std::string kind : {"cart-periodic-2 ", "cart-periodic-1 "})
    for (const std::string call : {"alltoall", "alltoallv", "alltoallw"})
      out.insert(kind + call);
  return out;
}

struct verdict {
  std::string tacit = "selftest", version = library(), machine = host(), ranks = "[1,2]",
              implementation = "mpi";
  std::set<std::string> wrong = known_faults(), missing{};

  std::string text() const {
    std::string cells;
    for (const std::string& kind : kinds)
      for (const std::string& call : calls) {
        const std::string name = kind + " " + call;
        if (missing.count(name))
          continue;
        const bool right = !wrong.count(name);
        for (const std::string mode : {"blocking", "nonblocking", "persistent"})
          cells += (cells.empty() ? "" : ",") + std::string(R"({"implementation":")") + implementation +
                   R"(","topology":")" + kind + R"(","mode":")" + mode + R"(","call":")" + call +
                   R"(","verdict":")" + (right || mode != "nonblocking" ? "right" : "wrong") +
                   R"(","cases":7,"wrong":)" + (right || mode != "nonblocking" ? "0" : "3") + "}";
      }
    return R"({"tacit":")" + tacit + R"(","format":1,"mpi":{"family":"f","version":")" + version +
           R"(","standard":"3.1"},"ranks":)" + ranks + R"(,"seed":1,"cells":[)" + cells + R"(],"machine":")" +
           machine + "\"}\n";
  }
};

/// A cache folder of rank `owner` with this verdict (empty text: none), and other ones, empty, of all others.
class cache {
public:
  explicit cache(const std::string& text, int owner = 0) {
    std::string name = (fs::temp_directory_path() / "tacit-native-call-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    if (world_rank() != owner || text.empty())
      return;
    std::string file = "selftest-" + host() + "-" + library() + ".json";
    for (char& c : file)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
        c = '-';
    fs::create_directories(folder_ / "tacit");
    std::ofstream(folder_ / "tacit" / file) << text;
  }
  ~cache() { fs::remove_all(folder_); }

private:
  fs::path folder_;
};

class variable {
public:
  variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~variable() { unsetenv(name_); }

private:
  const char* name_;
};

MPI_Comm grid(std::vector<int> dims, std::vector<int> periods) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

MPI_Comm line_of_ranks() {
  return grid({world_size()}, {0});
}

std::string explained(tacit_schedule s) {
  std::vector<char> text(6000);
  EXPECT_EQ(tacit_explain(s, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr), TACIT_SUCCESS);
  return text.data();
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// True on all ranks or on none; a failure otherwise.
bool alike(bool here) {
  int mine = here, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_TRUE(sum == 0 || sum == world_size()) << "rank " << world_rank() << " alone differs";
  return here;
}

/// What becomes of an alltoall on a line of ranks with the driver that the environment names: the error, or
/// the explanation after some right runs.
std::string outcome_on(MPI_Comm comm) {
  const int left = world_rank() - 1, right = world_rank() + 1;
  std::vector<int> out(64), in(64);
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  const int code =
      tacit_neighbor_alltoall_init(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &s);
  if (!alike(code == TACIT_SUCCESS)) {
    EXPECT_EQ(code, TACIT_ERR_ENVIRONMENT);
    return tacit_last_error();
  }
  for (int run = 0; run < 3; ++run) {
    out[0] = world_rank() * 100 + run;
    out[1] = out[0] + 50;
    in[0] = in[1] = -1;
    EXPECT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
    EXPECT_EQ(in[0], left < 0 ? -1 : left * 100 + 50 + run);
    EXPECT_EQ(in[1], right == world_size() ? -1 : right * 100 + run);
  }
  const std::string text = explained(s);
  tacit_schedule_free(&s);
  return text;
}

std::string outcome_on_a_line() {
  MPI_Comm comm = line_of_ranks();
  const std::string text = outcome_on(comm);
  MPI_Comm_free(&comm);
  return text;
}

TEST(native_call, moves_what_plain_sends_move_where_it_is_shown_right) {
  const cache here(verdict().text());
  const variable forced("TACIT_DRIVER", "mpi");
  const types_of_sixteen_bytes types;
  std::map<collective, int> taken;
  int refused = 0;
  const std::uint64_t seeds = world_size() <= 2 ? 60 : 30;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    topology_maker maker(seed * 11);
    random_topology t = maker.make();
    MPI_Comm_set_errhandler(t.comm, MPI_ERRORS_RETURN);
    for (std::uint64_t k = 0; k < 5; ++k) {
      const random_call c(t, seed * 1000 + k, types.all);
      arena send(arena_bytes), got(arena_bytes), expected(arena_bytes);
      tacit_schedule s = TACIT_SCHEDULE_NULL;
      const int code = c.call(2, (seed + k) % 2, send.data(), got.data(), &s);
      if (!alike(code == TACIT_SUCCESS)) {
        ASSERT_EQ(code, TACIT_ERR_ENVIRONMENT) << tacit_last_error();
        const std::string why = tacit_last_error();
        ASSERT_TRUE(says(why, "driver mpi, MPI's native call, is not possible here: ")) << why;
        ASSERT_EQ(says(t.what, "own "), says(why, "the topology is tacit's own")) << why << t.what;
        ASSERT_EQ(!says(t.what, "own "), says(why, "is wrong in the selftest of 20")) << why << t.what;
        ++refused;
        continue;
      }
      ASSERT_TRUE(says(explained(s), "driver mpi: MPI_Ineighbor_" + calls[static_cast<std::size_t>(c.what)]))
          << explained(s);
      ++taken[c.what];
      for (std::uint64_t run = 0; run < 3; ++run) {
        fill(send, seed + run);
        fill(got, seed + run + 50);
        expected = got;
        plain_exchange(t.edges, send.data(), c.out_blocks(), expected.data(), c.in_blocks(), MPI_COMM_WORLD);
        ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error() << " seed " << seed << ", call " << k
                                               << ", run " << run << " on " << t.what;
        ASSERT_EQ(compare(got, expected), "")
            << "rank " << world_rank() << ", seed " << seed << ", call " << k << ", run " << run
            << ", collective " << static_cast<int>(c.what) << " on " << t.what;
      }
      tacit_schedule_free(&s);
    }
    MPI_Comm_free(&t.comm);
  }
  for (std::size_t c = 0; c < calls.size(); ++c)
    EXPECT_GT(taken[static_cast<collective>(c)], 0) << calls[c];
  EXPECT_GT(refused, 0);
}

TEST(native_call, is_refused_on_all_ranks_without_a_verdict_that_shows_it_right) {
  struct wrong_file {
    std::string text, why;
  };
  std::vector<wrong_file> files{{"", "; `tacit selftest` makes one"},
                                {"{", " is damaged; `tacit selftest` makes one"},
                                {"[]", " is damaged"},
                                {R"({"tacit":"selftest","format":1})", " is damaged"},
                                {std::string(2 << 20, ' '), " is too long for a verdict"}};
  verdict v;
  v.version = "MPICH 1.0";
  files.push_back({v.text(), "is of another library (MPICH 1.0, not "});
  v = {};
  v.machine = "elsewhere";
  files.push_back({v.text(), "is of another machine (elsewhere)"});
  v = {};
  v.tacit = "machine model";
  files.push_back({v.text(), "is no verdict of this version"});
  v = {};
  v.ranks = "[1]";
  files.push_back({v.text(), "was made on one rank only"});
  v = {};
  v.implementation = "tacit";
  files.push_back({v.text(), "does not cover nonblocking alltoall on cart-open"});
  v = {};
  v.missing = {"cart-open alltoall"};
  files.push_back({v.text(), "does not cover nonblocking alltoall on cart-open; `tacit selftest --full`"});
  v = {};
  v.wrong.insert("cart-open alltoall");
  files.push_back({v.text(), "nonblocking alltoall on cart-open is wrong in the selftest of 20"});
  std::string without_cases = verdict().text();
  for (auto at = without_cases.find("\"cases\":7"); at != std::string::npos;
       at = without_cases.find("\"cases\":7"))
    without_cases.replace(at, 9, "\"cases\":0");
  files.push_back({without_cases, "does not cover nonblocking alltoall on cart-open"});
  for (const wrong_file& f : files) {
    const cache here(f.text);
    {
      const variable forced("TACIT_DRIVER", "mpi");
      const std::string text = outcome_on_a_line();
      EXPECT_TRUE(says(text, "rank 0: tacit_neighbor_alltoall_init: driver mpi, MPI's native call, is not"))
          << text;
      EXPECT_TRUE(says(text, f.why)) << text;
      EXPECT_TRUE(says(text, "tacit selftest")) << text;
    }
    const std::string text = outcome_on_a_line();
    EXPECT_TRUE(says(text, "mpi, the library's native call, is not possible: ")) << text;
    EXPECT_TRUE(says(text, f.why)) << text;
  }
}

TEST(native_call, the_verdict_of_rank_0_counts_for_all) {
  const variable forced("TACIT_DRIVER", "mpi");
  {
    const cache only_here(verdict().text(), 0);
    EXPECT_TRUE(says(outcome_on_a_line(), "mpi, the library's native call, is right by the selftest of 20"));
  }
  if (world_size() > 1) {
    const cache only_there(verdict().text(), 1);
    EXPECT_TRUE(
        says(outcome_on_a_line(), "driver mpi, MPI's native call, is not possible here: there is no "));
  }
}

TEST(native_call, every_kind_of_dimension_must_be_right) {
  const variable forced("TACIT_DRIVER", "mpi");
  const int p = world_size();
  struct shape {
    std::vector<int> dims, periods;
    std::string kind;
  };
  std::vector<shape> shapes{{{1, p}, {1, 0}, "cart-periodic-1"}, {{p, 1}, {0, 0}, ""}};
  if (p > 2)
    shapes.push_back({{p}, {1}, "cart-periodic"});
  if (p == 2)
    shapes.push_back({{p}, {1}, "cart-periodic-2"});
  for (const shape& s : shapes)
    for (const std::string& kind : kinds) {
      verdict v;
      v.wrong = {kind + " allgather"};
      const cache here(v.text());
      MPI_Comm comm = grid(s.dims, s.periods);
      int out = world_rank();
      std::vector<int> in(2 * s.dims.size(), -1);
      tacit_schedule made = TACIT_SCHEDULE_NULL;
      const int code =
          tacit_neighbor_allgather_init(&out, 1, MPI_INT, in.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &made);
      const bool has_open = s.periods.back() == 0;
      EXPECT_EQ(code == TACIT_SUCCESS, kind != s.kind && !(has_open && kind == "cart-open"))
          << kind << " is wrong, on " << (s.kind.empty() ? "cart-open" : s.kind);
      tacit_schedule_free(&made);
      MPI_Comm_free(&comm);
    }
}

// Blocks of a mebibyte do not arrive without attention; here nobody but MPI gives any.
TEST(native_call, goes_on_while_the_program_waits_in_mpi) {
  const cache here(verdict().text());
  const variable forced("TACIT_DRIVER", "mpi");
  MPI_Comm comm = line_of_ranks();
  const int count = 1 << 18;
  std::vector<int> out(2 * count, world_rank()), in(2 * count, -1);
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_neighbor_alltoall_init(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm,
                                         MPI_INFO_NULL, &s),
            TACIT_SUCCESS)
      << tacit_last_error();
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(tacit_start(s), TACIT_SUCCESS);
    if (world_rank() == 0) // the others come when they have what rank 0 sends
      MPI_Barrier(MPI_COMM_WORLD);
    ASSERT_EQ(tacit_wait(s), TACIT_SUCCESS);
    if (world_rank() != 0)
      MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(in[0], world_rank() - 1 < 0 ? -1 : world_rank() - 1);
    EXPECT_EQ(in.back(), world_rank() + 1 == world_size() ? -1 : world_rank() + 1);
  }
  tacit_schedule_free(&s);
  MPI_Comm_free(&comm);
}

// Of one call many operations, started in another order on each rank: on one communicator MPI would mix them.
TEST(native_call, operations_start_in_any_order) {
  const cache here(verdict().text());
  const variable forced("TACIT_DRIVER", "mpi");
  MPI_Comm comm = line_of_ranks();
  constexpr std::size_t n = 6;
  std::vector<std::array<int, 2>> out(n), in(n);
  std::vector<tacit_schedule> s(n, TACIT_SCHEDULE_NULL);
  std::vector<std::size_t> order(n);
  for (std::size_t k = 0; k < n; ++k) {
    order[k] = k;
    ASSERT_EQ(tacit_neighbor_alltoall_init(out[k].data(), 1, MPI_INT, in[k].data(), 1, MPI_INT, comm,
                                           MPI_INFO_NULL, &s[k]),
              TACIT_SUCCESS);
  }
  for (int run = 0; run < 20; ++run) {
    std::shuffle(order.begin(), order.end(),
                 std::mt19937_64(static_cast<std::uint64_t>(world_rank() * 100 + run)));
    for (std::size_t k = 0; k < n; ++k) {
      out[k].fill(world_rank() * 1000 + static_cast<int>(k) * 10 + run);
      in[k].fill(-1);
    }
    for (const std::size_t k : order)
      ASSERT_EQ(tacit_start(s[k]), TACIT_SUCCESS);
    for (std::size_t k = 0; k < n; ++k) {
      ASSERT_EQ(tacit_wait(s[k]), TACIT_SUCCESS) << tacit_last_error();
      const int each = static_cast<int>(k) * 10 + run;
      ASSERT_EQ(in[k][0], world_rank() == 0 ? -1 : (world_rank() - 1) * 1000 + each);
      ASSERT_EQ(in[k][1], world_rank() + 1 == world_size() ? -1 : (world_rank() + 1) * 1000 + each);
    }
  }
  for (tacit_schedule& each : s)
    tacit_schedule_free(&each);
  MPI_Comm_free(&comm);
}

int copies = 0;
int count_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  ++copies;
  *flag = 1;
  return MPI_SUCCESS;
}

// MPI has only so many communicators. Ranks give up operations in different order.
TEST(native_call, communicators_are_used_again) {
  const cache here(verdict().text());
  const variable forced("TACIT_DRIVER", "mpi");
  MPI_Comm comm = line_of_ranks();
  int key = MPI_KEYVAL_INVALID, out[2] = {world_rank(), world_rank()}, in[2] = {};
  MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(comm, key, nullptr);
  copies = 0;
  for (int round = 0; round < 20; ++round) {
    tacit_schedule s[4] = {};
    for (tacit_schedule& each : s)
      ASSERT_EQ(tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &each),
                TACIT_SUCCESS)
          << "round " << round << ": " << tacit_last_error();
    for (tacit_schedule& each : s) {
      in[0] = in[1] = -1;
      ASSERT_EQ(tacit_run(each), TACIT_SUCCESS);
      ASSERT_EQ(in[0], world_rank() - 1);
    }
    for (int k = 0; k < 4; ++k)
      tacit_schedule_free(&s[(k + world_rank() + round) % 4]);
  }
  EXPECT_EQ(copies, 1 + 4) << "tacit's duplicate, and one for each operation that is there at a time";
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&comm);
}

TEST(native_call, keeps_freed_types_and_moved_buffers) {
  const cache here(verdict().text());
  MPI_Comm comm = line_of_ranks();
  const variable forced("TACIT_DRIVER", "mpi"), level("TACIT_PERSISTENT", "buffers");
  MPI_Datatype type = MPI_DATATYPE_NULL; // not committed
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  std::vector<int> out(100), in(100, -1);
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_neighbor_allgather_init(out.data(), 1, type, in.data(), 1, type, comm, MPI_INFO_NULL, &s),
            TACIT_SUCCESS)
      << tacit_last_error();
  MPI_Type_free(&type);
  const int left = world_rank() - 1, right = world_rank() + 1 == world_size() ? -1 : world_rank() + 1;
  std::iota(out.begin(), out.end(), 0);
  out[0] = out[2] = world_rank();
  ASSERT_EQ(tacit_run(s), TACIT_SUCCESS) << tacit_last_error();
  EXPECT_EQ(in[0], left);
  EXPECT_EQ(in[1], -1);
  EXPECT_EQ(in[2], left);
  EXPECT_EQ(in[3], right);
  EXPECT_EQ(in[5], right);
  tacit_schedule_free(&s);
  for (int round = 0; round < 30; ++round) { // prepared once, then moved
    int *const from = out.data() + 2 * round, *const to = in.data() + round;
    from[0] = from[1] = world_rank() * 100 + round;
    std::fill(in.begin(), in.end(), -1);
    ASSERT_EQ(tacit_neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm), TACIT_SUCCESS)
        << tacit_last_error();
    EXPECT_EQ(to[0], left < 0 ? -1 : left * 100 + round);
    EXPECT_EQ(to[1], right < 0 ? -1 : right * 100 + round);
    EXPECT_EQ(to[2], -1);
  }
  MPI_Comm_free(&comm);
}

TEST(native_call, counts_beyond_int_are_refused) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants an edge";
  const cache here(verdict().text());
  const variable forced("TACIT_DRIVER", "mpi");
  MPI_Comm comm = line_of_ranks();
  char out[1], in[1];
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  for (const MPI_Count count : {MPI_Count{3000000000}, MPI_Count{1} << 30}) { // the second block begins at
    EXPECT_EQ(
        tacit_neighbor_alltoall_init_c(out, count, MPI_BYTE, in, count, MPI_BYTE, comm, MPI_INFO_NULL, &s),
        TACIT_ERR_ENVIRONMENT);
    EXPECT_TRUE(says(tacit_last_error(), "are larger than an int")) << tacit_last_error();
  }
  MPI_Comm_free(&comm);
}

TEST(native_call, is_tried_at_run_time) {
  const cache here(verdict().text());
  MPI_Comm comm = line_of_ranks();
  const variable waits("TACIT_PROGRESS", "waits"), feedback("TACIT_NEIGHBOR_FEEDBACK", "2");
  int out[2], in[2];
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  ASSERT_EQ(tacit_neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, &s),
            TACIT_SUCCESS)
      << tacit_last_error();
  EXPECT_TRUE(says(explained(s), "feedback: 3 variants will be tried after 2 runs")) << explained(s);
  EXPECT_TRUE(says(explained(s), "it has no price, so it is taken only by name or after a trial"));
  for (int run = 0; run < 100; ++run) {
    out[0] = out[1] = world_rank() * 1000 + run;
    in[0] = in[1] = -1;
    ASSERT_EQ(tacit_run(s), TACIT_SUCCESS);
    ASSERT_EQ(in[0], world_rank() == 0 ? -1 : (world_rank() - 1) * 1000 + run);
    ASSERT_EQ(in[1], world_rank() + 1 == world_size() ? -1 : (world_rank() + 1) * 1000 + run);
  }
  const std::string text = explained(s);
  const std::size_t at = text.find("feedback after ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_TRUE(says(text.substr(at), " mpi ")) << text;
  tacit_schedule_free(&s);
  MPI_Comm_free(&comm);
}

// A grouping is asked for, or a driver: MPI's native call is no candidate.
TEST(native_call, is_not_taken_where_something_else_is_asked_for) {
  const cache here(verdict().text());
  for (const char* name : {"", "TACIT_NEIGHBOR_GROUPING", "TACIT_DRIVER"}) {
    std::unique_ptr<variable> asked;
    if (*name)
      asked = std::make_unique<variable>(name, std::string(name) == "TACIT_DRIVER" ? "p2p" : "coalesced");
    const std::string text = outcome_on_a_line();
    EXPECT_FALSE(says(text, "driver mpi")) << text;
    EXPECT_EQ(says(text, "mpi without price"), !*name) << text;
  }
}

TEST(native_call, sizes_are_compared_before) {
  if (world_size() == 1)
    GTEST_SKIP() << "wants an edge";
  const cache here(verdict().text());
  const variable forced("TACIT_DRIVER", "mpi");
  MPI_Comm comm = line_of_ranks();
  int out[4] = {}, in[4] = {};
  tacit_schedule s = TACIT_SCHEDULE_NULL;
  const int places[] = {0, 2}, ones[] = {1, 1}, mine[] = {1, world_rank() == 0 ? 2 : 1};
  EXPECT_EQ(tacit_neighbor_alltoallv_init(out, mine, places, MPI_INT, in, ones, places, MPI_INT, comm,
                                          MPI_INFO_NULL, &s),
            TACIT_ERR_GRAPH);
  EXPECT_TRUE(says(tacit_last_error(), "B expected, but rank")) << tacit_last_error();
  // Both ends of every edge agree, but MPI has one size for all.
  const int to = world_rank() % 2 == 0 ? 2 : 1, from = 3 - to;
  EXPECT_EQ(tacit_neighbor_alltoall_init(out, to, MPI_INT, in, from, MPI_INT, comm, MPI_INFO_NULL, &s),
            TACIT_ERR_ENVIRONMENT);
  EXPECT_TRUE(says(tacit_last_error(), "differ in size, which MPI's call does not allow"))
      << tacit_last_error();
  MPI_Comm_free(&comm);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // choices must not depend on the machine
  return tacit::test::mpi_main(argc, argv);
}
