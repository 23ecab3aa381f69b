// Executed equivalence: every plan through every driver, all user-visible bytes compared with the byte
// simulator of the graph. Every byte of the arena that the graph does not write is a canary. Buffer contents
// change from run to run.
#include "runtime/run/driver.h"

#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "mpi_main.h"
#include "oracle/random_graph.h"
#include "oracle/simulator.h"
#include "runtime/mpi/collective_calls.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/run/pack.h"
#include "runtime/run/progress.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <map>

namespace tacit::test {

using namespace runtime;
namespace {

int world_rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
int world_size() {
  int n = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

/// Scatters whose root was told to read some byte twice, and all, of this rank.
int scatters_that_overlap = 0, scatters = 0;

void look_at_scatter(const int counts[], const int displacements[], int root, MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != root)
    return;
  ++scatters;
  std::vector<std::pair<int, int>> blocks; // begin, end
  for (int i = 0; i < size; ++i)
    if (i != root && counts[i] > 0)
      blocks.emplace_back(displacements[i], displacements[i] + counts[i]);
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (blocks[i].first < blocks[i - 1].second) {
      ++scatters_that_overlap;
      return;
    }
}

/// Private communicators of the first n ranks, in order or reversed; made once.
MPI_Comm first_ranks(int n, bool reversed) {
  static std::map<std::pair<int, bool>, MPI_Comm> made;
  const auto [found, fresh] = made.try_emplace({n, reversed}, MPI_COMM_NULL);
  if (fresh) {
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() < n ? 0 : MPI_UNDEFINED,
                   reversed ? -world_rank() : world_rank(), &found->second);
    if (found->second != MPI_COMM_NULL)
      MPI_Comm_set_errhandler(found->second, MPI_ERRORS_RETURN);
  }
  return found->second;
}

unsigned char initial_byte(std::uint32_t rank, std::uint64_t address, int round) {
  std::uint64_t x = (rank * 1000003ull + address) * 31 + static_cast<std::uint64_t>(round);
  x ^= x >> 15;
  x *= 0x2c1b3c6dull;
  x ^= x >> 12;
  return static_cast<unsigned char>(x);
}

unsigned char computed_byte(std::uint64_t op, int round) {
  return initial_byte(77, op, round);
}

struct span_of_addresses {
  std::uint64_t first = ~std::uint64_t{0}, end = 0;
};

span_of_addresses touched(const graphs::graph& g) {
  span_of_addresses all;
  for (std::uint32_t i = 0; i < g.size(); ++i)
    for (const auto list : {g.reads(op_id{i}), g.writes(op_id{i})})
      for (const graphs::segment& s : list) {
        all.first = std::min(all.first, s.address);
        all.end = std::max(all.end, s.address + s.length);
      }
  if (all.first > all.end)
    all = {0, 0};
  return all;
}

/// One rank's memory of a graph: real bytes with canaries on both sides.
class arena {
public:
  arena(const graphs::graph& g, std::uint32_t rank)
      : rank_(rank), span_(touched(g)), bytes_(span_.end - span_.first + 2 * canary) {}
  void fill(int round) {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      bytes_[i] = initial_byte(rank_, address_of(i), round);
  }
  std::uint64_t address_of(std::size_t i) const { return span_.first - canary + i; }
  void relocate(graphs::segment_list& list) const {
    for (graphs::segment& s : list)
      if (s.address < graphs::scratch_base)
        s.address = reinterpret_cast<std::uint64_t>(bytes_.data()) + (s.address - span_.first) + canary;
  }
  void relocate(graphs::rank_plan& plan) const {
    for (graphs::step& s : plan.steps) {
      relocate(s.reads);
      relocate(s.writes);
      for (graphs::block_run& run : s.sends.runs())
        relocate(run.bytes);
      for (graphs::block_run& run : s.receives.runs())
        relocate(run.bytes);
    }
  }
  /// First byte that differs from what the simulator says, or empty.
  std::string compare(const graphs::graph& g, const oracle::rank_memory& truth, int round) const {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const auto found = truth.find(address_of(i));
      if (found != truth.end() && !oracle::is_live(g, rank_id{rank_}, address_of(i)))
        continue;
      const unsigned char expected = found == truth.end() ? initial_byte(rank_, address_of(i), round)
                                     : found->second.first == oracle::unknown_rank
                                         ? computed_byte(found->second.second, round)
                                         : initial_byte(found->second.first, found->second.second, round);
      if (bytes_[i] != expected)
        return "rank " + std::to_string(rank_) + " byte " + std::to_string(address_of(i)) +
               (found == truth.end() ? " must not be written" : " is wrong") + " in round " +
               std::to_string(round);
    }
    return {};
  }
  void compute(const graphs::graph& g, op_id op, int round) {
    for (const graphs::segment& s : g.writes(op))
      std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(s.address - span_.first + canary), s.length,
                  computed_byte(index(op), round));
  }

private:
  static constexpr std::size_t canary = 64;
  std::uint32_t rank_;
  span_of_addresses span_;
  std::vector<unsigned char> bytes_;
};

struct prepared {
  std::unique_ptr<arena> memory;
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run; // after its peers
  oracle::rank_memory truth;
  int round = 0;
};

void pack_truth(packer& into, const oracle::rank_memory& truth) {
  into.put<std::uint64_t>(truth.size());
  for (const auto& [address, value] : truth) {
    into.put(address);
    into.put(value.first);
    into.put(value.second);
  }
}

oracle::rank_memory unpack_truth(unpacker& from) {
  oracle::rank_memory truth;
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto address = from.get<std::uint64_t>();
    const auto rank = from.get<std::uint32_t>();
    truth[address] = {rank, from.get<std::uint64_t>()};
  }
  return truth;
}

/// Rank 0 compiles and simulates, and sends everybody its program and its truth.
std::vector<std::byte> share(const graphs::graph& g, const graphs::compile_options& options, MPI_Comm comm,
                             int rank) {
  std::vector<std::byte> mine;
  if (rank != 0) {
    MPI_Status status;
    MPI_Probe(0, 0, comm, &status);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    mine.resize(static_cast<std::size_t>(size));
    MPI_Recv(mine.data(), size, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    return mine;
  }
  const graphs::compilation c = graphs::compile(g, options);
  EXPECT_FALSE(has_errors(c.problems)) << c.problems.front().message;
  EXPECT_NE(c.schedule.why_as_written, reason::validation_failed) << c.schedule.detail;
  const auto truth = oracle::simulator(g).run(1);
  const graphs::graph with_all = with_groups(g, c.groups);
  for (std::uint32_t r = g.ranks(); r-- > 0;) {
    packer out;
    pack(out, make_program(with_all, c.schedule.ranks[r], rank_id{r}));
    pack_truth(out, truth[r]);
    mine = out.take();
    if (r > 0)
      MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, static_cast<int>(r), 0, comm);
  }
  return mine;
}

std::unique_ptr<prepared> prepare(const graphs::graph& g, const std::vector<std::byte>& shared,
                                  std::string_view driver_name, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  auto out = std::make_unique<prepared>();
  unpacker from(shared);
  program mine = unpack_program(from);
  out->truth = unpack_truth(from);
  out->memory = std::make_unique<arena>(g, static_cast<std::uint32_t>(rank));
  out->memory->relocate(mine.plan);
  mine.call = [&g, data = out.get()](op_id op) { data->memory->compute(g, op, data->round); };
  const driver* d = find_driver(driver_name);
  EXPECT_EQ(d->can_run(mine, comm), "");
  out->peers = d->offer(mine, comm);
  if (out->peers)
    out->peers->create();
  out->run = d->prepare(std::move(mine), comm, out->peers.get());
  return out;
}

std::string run_once(const graphs::graph& g, prepared& p, int round) {
  p.round = round;
  p.memory->fill(round);
  p.run->start();
  begin_progress(*p.run);
  wait_for(*p.run);
  return p.memory->compare(g, p.truth, round);
}

/// A message that lies unreceived on the same communicator while programs run, as one of a rank's next program
/// may: what waits in memory must not take it for progress.
class bystander {
public:
  explicit bystander(MPI_Comm comm) : comm_(comm) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    from_ = (rank + ranks - 1) % ranks;
    MPI_Isend(&sent_, 1, MPI_INT, (rank + 1) % ranks, tag, comm, &request_);
    while (!there()) {
    }
  }
  ~bystander() {
    int received = 0;
    MPI_Recv(&received, 1, MPI_INT, from_, tag, comm_, MPI_STATUS_IGNORE);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    EXPECT_EQ(received, sent_);
  }
  bystander(const bystander&) = delete;
  bystander& operator=(const bystander&) = delete;

private:
  static constexpr int tag = 12345; // less than half of the least MPI_TAG_UB, more than any program here has
  bool there() const {
    int found = 0;
    MPI_Iprobe(from_, tag, comm_, &found, MPI_STATUS_IGNORE);
    return found != 0;
  }
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int sent_ = 7, from_ = 0;
};

void expect_equivalent(const graphs::graph& g, const graphs::compile_options& options,
                       const std::string& what, bool reversed, int rounds) {
  static int graphs = 0; // counted on all ranks of the world
  // Making a window takes many ranks on few cores longer than all the rest.
  int all = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const bool of_all = static_cast<int>(g.ranks()) == all;
  const bool with_windows = (++graphs % 4 == 0 || g.ranks() <= 4) && (of_all || !mixes_up_windows);
  const MPI_Comm comm = first_ranks(static_cast<int>(g.ranks()), reversed);
  if (comm == MPI_COMM_NULL)
    return;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto shared = share(g, options, comm, rank);
  for (const char* name : {"coll", "pcoll", "p2p", "shm", "rma"}) {
    if (std::string_view(name) == "rma" && !with_windows)
      continue;
    if (std::string_view(name) == "pcoll" && !persistent_calls())
      continue;
    const auto data = prepare(g, shared, name, comm);
    const bystander unreceived(comm);
    const int times =
        std::string_view(name) == "pcoll" ? 3 : rounds; // libraries have failed when starting again
    for (int round = 0; round < times; ++round)
      EXPECT_EQ(run_once(g, *data, round), "") << name << ": " << what;
  }
}

/// One failing rank must not leave the others hanging in the next case.
bool any_failure() {
  int mine = ::testing::Test::HasFailure(), any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return any != 0;
}

bool few_iterations() {
  return std::getenv("TACIT_FEW_ITERATIONS") != nullptr;
}

graphs::graph known(const graphs::known_algorithm& what, std::uint32_t ranks, std::uint64_t block,
                    std::uint64_t seed) {
  graphs::recipe r;
  r.kind = what.kind;
  r.form = what.form;
  r.ranks = ranks;
  r.block = block;
  r.root = static_cast<std::uint32_t>(seed % ranks);
  r.self_block = seed % 2 == 0;
  r.extra = seed % 3 == 0 ? 3 : 0;
  r.extra_kind = seed % 2 == 0 ? graphs::extra_messages::disjoint : graphs::extra_messages::dependent;
  r.extra_bytes = 9;
  r.seed = seed;
  diagnostics problems;
  auto g = graphs::generate(r, problems);
  return g ? std::move(*g) : graphs::graph(ranks);
}

TEST(drivers, every_algorithm_on_every_size) {
  std::uint64_t seed = 0;
  const auto n = static_cast<std::uint32_t>(world_size());
  for (const graphs::known_algorithm& what : graphs::known_algorithms()) {
    for (std::uint32_t ranks = n > 9 ? n : 1; ranks <= n; ++ranks) {
      ++seed;
      // Blocks below and above the packing limit of 1 KiB.
      const graphs::graph g = known(what, ranks, seed % 3 == 0 ? 1500 : 5 + seed % 7, seed);
      const std::string label = std::string(name(what.kind)) + " " + std::string(graphs::name(what.form)) +
                                " on " + std::to_string(ranks);
      expect_equivalent(g, {}, label, seed % 4 == 0, 1);
    }
    ASSERT_FALSE(any_failure());
  }
}

TEST(drivers, random_graphs) {
  const std::uint64_t cases = few_iterations() ? 60 : 150;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    oracle::random_recipe recipe;
    recipe.max_ranks = std::min<std::uint32_t>(9, static_cast<std::uint32_t>(world_size()));
    recipe.high_addresses = false;
    recipe.opaques = seed % 3 == 0;
    const graphs::graph g = oracle::random_graph(seed, recipe);
    graphs::compile_options options;
    if (seed % 5 == 0)
      options.planning.policy = graphs::sync_policy::keep_sync;
    if (seed % 4 == 0)
      options.disabled = {"replace"};
    else if (seed % 7 == 0)
      options.disabled = {"detect"}; // straight messages
    expect_equivalent(g, options, "random graph, seed " + std::to_string(seed), seed % 2 == 0, 2);
    if (seed % 10 == 0) {
      ASSERT_FALSE(any_failure()) << "up to seed " << seed;
    }
  }
}

/// Rank 0 has a part for each other rank, and each gets some bytes of the parts on both sides, too.
graphs::graph parts_with_borders(std::uint32_t ranks, std::uint64_t part, std::uint64_t border) {
  graphs::graph g(ranks);
  for (std::uint32_t r = 1; r < ranks; ++r) {
    g.send(rank_id{0}, graphs::segment{0x10000 + r * part - border, part + 2 * border}, rank_id{r}, 0);
    g.recv(rank_id{r}, graphs::segment{0x10000, part + 2 * border}, rank_id{0}, 0);
  }
  return g;
}

TEST(drivers, no_scatter_reads_bytes_twice) {
  const auto n = static_cast<std::uint32_t>(world_size());
  if (n < 4)
    GTEST_SKIP() << "what two blocks share all others get: a broadcast";
  scatters = scatters_that_overlap = 0;
  expect_equivalent(parts_with_borders(n, 2000, 100), {}, "parts with borders", false, 2);
  expect_equivalent(parts_with_borders(n, 2000, 0), {}, "parts", false, 2);
  EXPECT_EQ(scatters_that_overlap, 0);
  EXPECT_EQ(scatters > 0, world_rank() == 0);
  ASSERT_FALSE(any_failure());
}

TEST(drivers, stand_in_the_table_of_settings) {
  for (const driver* d : drivers())
    EXPECT_TRUE(word_index(row_of(setting::driver), d->name())) << d->name();
}

TEST(drivers, names) {
  EXPECT_EQ(drivers().front()->name(), "shm");
  EXPECT_EQ(find_driver("p2p")->name(), "p2p");
  EXPECT_EQ(find_driver("rma")->name(), "rma");
  EXPECT_EQ(find_driver("dry")->name(), "dry");
  EXPECT_EQ(find_driver("pcoll")->name(), "pcoll");
  EXPECT_EQ(find_driver("nonsense"), nullptr);
}

} // namespace
} // namespace tacit::test

// What the driver calls.
extern "C" int MPI_Iscatterv(const void* from, const int counts[], const int displacements[],
                             MPI_Datatype type, void* into, int count, MPI_Datatype type_here, int root,
                             MPI_Comm comm, MPI_Request* request) {
  tacit::test::look_at_scatter(counts, displacements, root, comm);
  return PMPI_Iscatterv(from, counts, displacements, type, into, count, type_here, root, comm, request);
}

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
