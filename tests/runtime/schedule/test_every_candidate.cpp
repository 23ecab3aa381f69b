// Every candidate of the choice, executed: all plans that are compared for a graph, by each driver that they are compared with, and long
// operands in short pieces. All bytes are compared with those that the operations of the graph leave one after the other; those that it
// does not write are canaries.
#include "mpi_main.h"

#include "graphs/choice/choose.h"
#include "graphs/choice/in_pieces.h"
#include "graphs/compile/compile.h"
#include "graphs/generate/generate.h"
#include "graphs/part/disguised_collective.h"
#include "graphs/plan/sequence.h"
#include "neighbors/leftovers/leftovers.h"
#include "oracle/fuzz_count.h"
#include "oracle/random_graph.h"
#include "oracle/reduction_graph.h"
#include "oracle/simulator.h"
#include "runtime/mpi/collective_calls.h"
#include "runtime/mpi/rank_and_size.h"
#include "runtime/run/driver.h"
#include "runtime/run/pack.h"
#include "runtime/run/progress.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>
#include <unistd.h>

namespace tacit::test {

using namespace runtime;
namespace {

constexpr int rounds = 2;
using memory = std::vector<unsigned char>;

/// Less than 0x40: no sum of floating-point numbers made of such bytes is infinite or no number.
unsigned char initial_byte(std::uint32_t rank, std::uint64_t address, int round) {
  std::uint64_t x = (rank * 1000003ull + address) * 31 + static_cast<std::uint64_t>(round);
  x ^= x >> 15;
  x *= 0x2c1b3c6dull;
  return static_cast<unsigned char>((x ^ (x >> 12)) & 0x3f);
}
unsigned char computed_byte(op_id op, int round) {
  return initial_byte(77, index(op), round);
}

// Operators. Those that are said to round, or not to commute, give other bits in another order.

template <typename Element, Element (*combined)(Element, Element)>
void combine(void* left, void* into, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    Element a, b;
    std::memcpy(&a, static_cast<char*>(left) + static_cast<std::size_t>(i) * sizeof a, sizeof a);
    std::memcpy(&b, static_cast<char*>(into) + static_cast<std::size_t>(i) * sizeof b, sizeof b);
    b = combined(a, b);
    std::memcpy(static_cast<char*>(into) + static_cast<std::size_t>(i) * sizeof b, &b, sizeof b);
  }
}
std::uint32_t in_any_order(std::uint32_t a, std::uint32_t b) {
  return a ^ b;
}
std::uint32_t in_one_grouping(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t x = (a + b) * 0x9e3779b1u;
  return x ^ (x >> 15);
}
std::uint16_t in_one_order(std::uint16_t a, std::uint16_t b) {
  const std::uint32_t x = (a * 3u + b) * 0x9e3779b1u;
  return static_cast<std::uint16_t>(x >> 13);
}
/// Of functions a x + b, in bytes.
std::array<std::uint8_t, 2> one_after_the_other(std::array<std::uint8_t, 2> f,
                                                std::array<std::uint8_t, 2> g) {
  return {static_cast<std::uint8_t>(f[0] * g[0]), static_cast<std::uint8_t>(f[0] * g[1] + f[1])};
}
std::array<std::uint8_t, 2> one_before_the_other(std::array<std::uint8_t, 2> f,
                                                 std::array<std::uint8_t, 2> g) {
  return one_after_the_other(g, f);
}

template <typename Element, Element (*combined)(Element, Element)>
bound_reducer bound(bool commutes) {
  MPI_Op op = MPI_OP_NULL; // as long as the process
  MPI_Op_create(combine<Element, combined>, commutes, &op);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(Element), MPI_BYTE, &type);
  bound_reducer out = bind_reducer(op, type);
  MPI_Type_free(&type);
  return out;
}

/// By the names that the makers of random graphs give.
const bound_reducer& bound_reducer_of(const graphs::reducer& r) {
  using pair = std::array<std::uint8_t, 2>;
  static const std::map<std::string, bound_reducer> all{
      {"or of byte 1", bind_reducer(MPI_BOR, MPI_BYTE)},
      {"maximum of byte 1", bind_reducer(MPI_MAX, MPI_SIGNED_CHAR)},
      {"sum of int 4", bind_reducer(MPI_SUM, MPI_INT)},
      {"sum of double 8", bind_reducer(MPI_SUM, MPI_DOUBLE)},
      {"join of pair 2", bound<pair, one_after_the_other>(false)},
      {"last of pair 2", bound<pair, one_before_the_other>(false)},
      {"own of int 4", bound<std::uint32_t, in_any_order>(true)},
      {"sum of float 4", bound<std::uint32_t, in_one_grouping>(true)}, // not everywhere numbers there
      {"operator of type 1", bind_reducer(MPI_BXOR, MPI_BYTE)},
      {"operator of type 2", bound<std::uint16_t, in_one_order>(false)},
      {"operator of type 4", bound<std::uint32_t, in_one_grouping>(true)},
  };
  return all.at(r.operation + " of " + r.type + " " + std::to_string(r.element));
}

// Random graphs of exactly p ranks.

/// One to three well-known algorithms, on some of the ranks or all, with marks or computations between.
graphs::graph algorithms_in_a_row(std::uint64_t seed, std::uint32_t p) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<graphs::known_algorithm> all(graphs::combining_algorithms().begin(),
                                           graphs::combining_algorithms().end());
  if (below(2) == 0)
    all.assign(graphs::known_algorithms().begin(), graphs::known_algorithms().end());
  const graphs::reducer by = std::array<graphs::reducer, 4>{{{"sum", "int", 4, true, false, true},
                                                             {"sum", "double", 8, true, true, true},
                                                             {"join", "pair", 2, false, false, true},
                                                             {"or", "byte", 1, true, false, true}}}[below(4)];
  sequence out(p);
  const std::uint32_t parts = 1 + below(3);
  for (std::uint32_t made = 0; made < parts;) {
    graphs::graph part(p);
    std::vector<rank_id> members;
    for (std::uint32_t r = 0; r < p; ++r)
      members.push_back(rank_id{r});
    comm_id comm = world;
    if (below(2) == 0) {
      std::shuffle(members.begin(), members.end(), random);
      members.resize(1 + below(p));
      comm = part.add_communicator("some", members);
    }
    const graphs::known_algorithm what = all[below(all.size())];
    graphs::recipe r;
    r.kind = what.kind;
    r.form = what.form;
    r.by = by;
    constexpr std::uint64_t blocks[] = {1, 2, 5, 40, 190, 1500};
    r.block = by.element * blocks[below(6)];
    if (below(10) == 0 && p <= 9)
      r.block = 72'000; // in segments
    r.root = below(members.size());
    r.ranks_per_node = 1 + below(4);
    r.self_block = below(2) == 0;
    r.base = 0x1000;
    r.seed = random();
    r.extra = below(3) == 0 ? 1 + below(2 * p) : 0;
    r.extra_kind = below(2) == 0 ? graphs::extra_messages::disjoint : graphs::extra_messages::dependent;
    diagnostics problems;
    if (!graphs::add_pattern(part, comm, r, problems))
      continue;
    add_extra_messages(part, r);
    if (made++ > 0 && below(3) == 0)
      for (std::uint32_t i = 0; i < p; ++i)
        out.compute(i, {0x1000 + 8 * below(9), 8}, {0x1000 + 8 * below(40), 16});
    else if (made > 1)
      out.mark();
    out.append(part);
    if (made == parts)
      out.declare_as(part);
  }
  return std::move(out.g());
}

graphs::graph random_graph_of(std::uint64_t seed, std::uint32_t p) {
  if (p == 1 || seed % 6 == 0) {
    oracle::random_recipe recipe;
    recipe.min_ranks = recipe.max_ranks = p;
    recipe.high_addresses = false;
    recipe.reductions = seed % 4 == 0;
    recipe.opaques = seed % 3 != 0;
    recipe.one_sided = seed % 5 == 0;
    return oracle::random_graph(seed, recipe);
  }
  switch (seed % 6) {
  case 1:
    return disguised_collective(seed).make(p, p, false);
  case 2:
    return disguised_collective(seed).make_several(p, p);
  case 3:
    return p >= 4 && seed % 4 == 1 ? oracle::scans_along_lines(seed, 1, p) : oracle::reduction_graph(seed, p);
  case 4:
    return algorithms_in_a_row(seed, p);
  default:
    sequence out(p);
    out.append(disguised_collective(seed).make(p, p, false));
    out.mark();
    out.append(seed % 4 == 1 ? disguised_collective(seed + 1).make_several(p, p)
                             : oracle::reduction_graph(seed, p));
    return std::move(out.g());
  }
}

/// Real bytes of all ranks while operations run one after the other, each as soon as it can.
class execution_of_graph {
public:
  execution_of_graph(const graphs::graph& g, std::uint64_t first, std::uint64_t end, int round)
      : g_(g), first_(first), round_(round), flying_(g.size()) {
    for (std::uint32_t r = 0; r < g.ranks(); ++r) {
      all.emplace_back(end - first);
      written.emplace_back(end - first);
      for (std::size_t i = 0; i < all[r].size(); ++i)
        all[r][i] = initial_byte(r, first + i, round);
    }
  }
  std::vector<memory> all;     ///< by rank, from the first address on
  std::vector<memory> written; ///< 1 where it was

  void run(const oracle::happens_before& hb) {
    std::vector<std::size_t> open(hb.nodes()), ready;
    std::vector<std::vector<std::size_t>> after(hb.nodes());
    for (std::size_t n = 0; n < hb.nodes(); ++n) {
      open[n] = hb.before(n).size();
      for (const std::size_t before : hb.before(n))
        after[before].push_back(n);
      if (open[n] == 0)
        ready.push_back(n);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i] < g_.size())
        execute(op_id{static_cast<std::uint32_t>(ready[i])}, hb.shape.partner[ready[i]]);
      for (const std::size_t n : after[ready[i]])
        if (--open[n] == 0)
          ready.push_back(n);
    }
    EXPECT_EQ(ready.size(), hb.nodes()) << "the graph cannot finish";
  }

private:
  memory read(op_id op, std::span<const graphs::segment> list) const {
    memory out;
    for (const graphs::segment& s : list) {
      const unsigned char* from = all[index(g_[op].rank)].data() + (s.address - first_);
      out.insert(out.end(), from, from + s.length);
    }
    return out;
  }
  void write(op_id op, const memory& what) {
    std::size_t next = 0;
    for (const graphs::segment& s : g_.writes(op))
      for (std::uint64_t i = 0; i < s.length && next < what.size(); ++i) {
        all[index(g_[op].rank)][s.address + i - first_] = what[next++];
        written[index(g_[op].rank)][s.address + i - first_] = 1;
      }
  }
  void reduce(op_id op, const memory& left) {
    const graphs::reducer& r = g_.reducers()[index(g_.reduces_by(op))];
    const bound_reducer& by = bound_reducer_of(r);
    memory into = read(op, g_.writes(op));
    into.resize(left.size());
    MPI_Reduce_local(left.data(), into.data(), static_cast<int>(left.size() / r.element), by.type,
                     by.operation);
    write(op, into);
  }
  void execute(op_id op, op_id partner) {
    switch (g_[op].kind) {
    case graphs::op_kind::send:
      flying_[index(partner)] = read(op, g_.reads(op));
      break;
    case graphs::op_kind::recv:
      g_.reduces(op) ? reduce(op, flying_[index(op)]) : write(op, flying_[index(op)]);
      break;
    case graphs::op_kind::reduce:
      reduce(op, read(op, g_.reads(op)));
      break;
    case graphs::op_kind::copy:
      write(op, read(op, g_.reads(op)));
      break;
    case graphs::op_kind::opaque:
      write(op, memory(total_length(g_.writes(op)), computed_byte(op, round_)));
      break;
    case graphs::op_kind::fence:
      break;
    }
  }

  const graphs::graph& g_;
  std::uint64_t first_;
  int round_;
  std::vector<memory> flying_; ///< per receive: its message
};

struct candidate {
  std::uint32_t plan = 0;
  std::string driver, name;
};

/// What rank 0 has found out.
struct candidates {
  graphs::graph g{1};
  std::vector<graphs::named_plan> plans;
  std::vector<candidate> all;
};

/// With prices so low that no algorithm is left out because it cannot pay.
graphs::choice_request everything(std::uint64_t seed, std::uint32_t p) {
  graphs::choice_request wanted;
  wanted.costs = graphs::costs_of(graphs::message_cost{.overhead = 100, .latency = 1e-6});
  wanted.where.cores = 64;
  wanted.where.longest_in_memory = std::uint64_t{1} << 30;
  const std::uint64_t nodes =
      seed / 6 % 4; // none, or in a row, or dealt out; the kind of graph goes by seed % 6
  for (std::uint32_t r = 0; r < p && nodes > 0; ++r)
    wanted.where.node.push_back(nodes < 3 ? r / 2 : r % ((p + 2) / 3));
  wanted.persistent = persistent_calls() != nullptr;
  wanted.leftovers = neighbors::with_neighborhoods;
  wanted.most = 1000;
  wanted.all_played_up_to = std::numeric_limits<std::size_t>::max();
  return wanted;
}

candidates candidates_of(std::uint64_t seed, std::uint32_t p) {
  candidates out;
  out.g = random_graph_of(seed, p);
  graphs::compile_options options;
  if (seed % 7 == 0)
    options.planning.policy = graphs::sync_policy::keep_sync;
  const graphs::compilation c = graphs::compile(out.g, options);
  EXPECT_FALSE(has_errors(c.problems)) << c.problems.front().message;
  if (has_errors(c.problems))
    return out;
  EXPECT_NE(c.schedule.why_as_written, reason::validation_failed)
      << c.schedule.detail << "\nseed " << seed << "\n"
      << oracle::print(out.g);
  out.g = with_groups(std::move(out.g), c.groups);
  graphs::choice chosen = graphs::choose(out.g, c, options, everything(seed, p));
  out.plans = std::move(chosen.plans);
  for (const graphs::variant& v : chosen.variants)
    out.all.push_back({static_cast<std::uint32_t>(v.plan), v.driver, out.plans[v.plan].name});
  const std::size_t whole = out.plans.size();
  for (std::size_t i = 0; i < whole; ++i) {
    if (std::optional<graphs::plan> cut =
            graphs::in_pieces(out.g, out.plans[i].steps, {.operand = 16, .piece = 8});
        cut && graphs::validate(out.g, c.matched, c.order, c.moved, *cut, options.planning).empty()) {
      for (const char* driver : {"shm", "p2p"})
        out.all.push_back({static_cast<std::uint32_t>(out.plans.size()), driver,
                           out.plans[i].name + std::string(graphs::cut_in_pieces)});
      out.plans.push_back({"", std::move(*cut)});
    }
  }
  // Making a window takes many ranks on few cores longer than all the rest.
  for (std::uint32_t i = 0; seed % 8 == 3 && i < whole; ++i)
    out.all.push_back({i, "rma", out.plans[i].name});
  return out;
}

constexpr std::uint64_t canary = 64;

/// Of one rank: the bytes that it is to have, those that nobody may read, its computations, operators and steps, and what is tried.
std::vector<std::byte> packed_for(const candidates& from, std::uint32_t rank, std::uint64_t first,
                                  const std::vector<execution_of_graph>& truth) {
  packer out;
  out.put(first);
  for (const execution_of_graph& t : truth)
    out.put_list(t.all[rank]);
  memory ignored = truth.front().written[rank];
  for (std::uint64_t i = 0; i < ignored.size(); ++i)
    ignored[i] = ignored[i] != 0 && !oracle::is_live(from.g, rank_id{rank}, first + i);
  out.put_list(ignored);
  std::vector<std::pair<op_id, std::vector<graphs::segment>>> calls;
  for (std::uint32_t i = 0; i < from.g.size(); ++i)
    if (const op_id op{i}; from.g[op].kind == graphs::op_kind::opaque && from.g[op].rank == rank_id{rank})
      calls.emplace_back(op,
                         std::vector<graphs::segment>(from.g.writes(op).begin(), from.g.writes(op).end()));
  out.put<std::uint64_t>(calls.size());
  for (const auto& [op, writes] : calls) {
    out.put(op);
    out.put_list(writes);
  }
  out.put<std::uint64_t>(from.g.reducers().size());
  for (const graphs::reducer& r : from.g.reducers()) {
    out.put_text(r.operation);
    out.put_text(r.type);
    out.put(r.element);
  }
  out.put<std::uint64_t>(from.plans.size());
  for (const graphs::named_plan& p : from.plans)
    pack(out, make_program(from.g, p.steps.ranks[rank], rank_id{rank}));
  out.put<std::uint64_t>(from.all.size());
  for (const candidate& c : from.all) {
    out.put(c.plan);
    out.put_text(c.driver);
    out.put_text(c.name);
  }
  return out.take();
}

/// Of what rank 0 sends to every rank, this one's.
std::vector<std::byte> shared(const candidates& from, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<std::byte> mine;
  std::uint64_t size = 0;
  if (rank != 0) {
    MPI_Recv(&size, 1, MPI_UINT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
    mine.resize(size);
    MPI_Recv(mine.data(), static_cast<int>(size), MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    return mine;
  }
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), end = 0;
  for (std::uint32_t i = 0; i < from.g.size(); ++i)
    for (const auto list : {from.g.reads(op_id{i}), from.g.writes(op_id{i})})
      for (const graphs::segment& s : list) {
        first = std::min(first, s.address);
        end = std::max(end, s.address + s.length);
      }
  first = std::min(first, end);
  const oracle::happens_before hb(from.g);
  std::vector<execution_of_graph> truth;
  for (int round = 0; round < rounds; ++round) {
    truth.emplace_back(from.g, first - canary, end + canary, round); // addresses may wrap around
    truth.back().run(hb);
  }
  for (std::uint32_t r = from.g.ranks(); r-- > 0;) {
    mine = packed_for(from, r, first - canary, truth);
    size = mine.size();
    if (r > 0) {
      MPI_Send(&size, 1, MPI_UINT64_T, static_cast<int>(r), 0, comm);
      MPI_Send(mine.data(), static_cast<int>(size), MPI_BYTE, static_cast<int>(r), 0, comm);
    }
  }
  return mine;
}

/// What this rank has of the candidates: one after the other is executed.
class executed_candidates {
public:
  executed_candidates(const std::vector<std::byte>& bytes, MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    unpacker in(bytes);
    first_ = in.get<std::uint64_t>();
    for (memory& m : truth_)
      m = in.get_list<unsigned char>();
    ignored_ = in.get_list<unsigned char>();
    bytes_.resize(ignored_.size());
    for (auto n = in.get<std::uint64_t>(); n > 0; --n) {
      const auto op = in.get<op_id>();
      calls_[op] = in.get_list<graphs::segment>();
    }
    const auto reducers = in.get<std::uint64_t>();
    for (std::uint32_t i = 0; i < reducers; ++i) {
      graphs::reducer r;
      r.operation = in.get_text();
      r.type = in.get_text();
      r.element = in.get<std::uint32_t>();
      reducers_[graphs::reducer_id{i}] = bound_reducer_of(r);
    }
    const auto moved_by =
        reinterpret_cast<std::ptrdiff_t>(bytes_.data()) - static_cast<std::ptrdiff_t>(first_);
    for (auto n = in.get<std::uint64_t>(); n > 0; --n) {
      plans_.push_back(moved(unpack_program(in), moved_by, moved_by));
      plans_.back().reducers = reducers_;
      plans_.back().call = [this](op_id op) { compute(op); };
    }
    for (auto n = in.get<std::uint64_t>(); n > 0; --n) {
      candidate c;
      c.plan = in.get<std::uint32_t>();
      c.driver = in.get_text();
      c.name = in.get_text();
      all.push_back(std::move(c));
    }
  }
  std::vector<candidate> all;
  bool combines() const { return !reducers_.empty(); }

  /// What is wrong, at this rank. Collective.
  std::string run(const candidate& c) {
    const driver* d = find_driver(c.driver);
    program mine = plans_[c.plan];
    std::string why_not = d->can_run(mine, comm_);
    int can = why_not.empty() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, comm_);
    if (can == 0)
      return "cannot run: " + why_not;
    const std::unique_ptr<connection> peers = d->offer(mine, comm_);
    if (peers)
      peers->create();
    const std::unique_ptr<execution> run = d->prepare(std::move(mine), comm_, peers.get());
    std::string fault;
    for (round_ = 0; round_ < rounds; ++round_) {
      for (std::size_t i = 0; i < bytes_.size(); ++i)
        bytes_[i] = initial_byte(static_cast<std::uint32_t>(rank_), first_ + i, round_);
      run->start();
      begin_progress(*run);
      wait_for(*run);
      fault += first_difference();
    }
    return fault;
  }

private:
  void compute(op_id op) {
    for (const graphs::segment& s : calls_.at(op))
      std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(s.address - first_), s.length,
                  computed_byte(op, round_));
  }
  std::string first_difference() const {
    const memory& expected = truth_[static_cast<std::size_t>(round_)];
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (ignored_[i] == 0 && bytes_[i] != expected[i])
        return "rank " + std::to_string(rank_) + " byte " + std::to_string(first_ + i) +
               " is wrong in round " + std::to_string(round_) + ". ";
    return {};
  }

  MPI_Comm comm_;
  int rank_ = 0, round_ = 0;
  std::uint64_t first_ = 0;
  std::array<memory, rounds> truth_;
  memory ignored_, bytes_;
  std::map<op_id, std::vector<graphs::segment>> calls_;
  std::map<graphs::reducer_id, bound_reducer> reducers_;
  std::vector<program> plans_;
};

/// What is under way, for whoever waits in vain.
char under_way[200];

void says_what_hangs(int) {
  [[maybe_unused]] const auto said = write(STDERR_FILENO, under_way, std::strlen(under_way));
  _exit(9);
}

TEST(every_candidate, moves_and_combines_what_the_graph_does) {
  std::array<MPI_Comm, 2> comms{MPI_COMM_NULL, MPI_COMM_NULL}; // in order and reversed
  for (int i : {0, 1}) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, i == 0 ? rank_in(MPI_COMM_WORLD) : -rank_in(MPI_COMM_WORLD),
                   &comms[static_cast<std::size_t>(i)]);
    MPI_Comm_set_errhandler(comms[static_cast<std::size_t>(i)], MPI_ERRORS_RETURN);
  }
  std::signal(SIGALRM, says_what_hangs);
  const auto p = static_cast<std::uint32_t>(size_of(MPI_COMM_WORLD));
  const std::uint64_t first = oracle::fuzz_seed(), count = oracle::from_environment("TACIT_FUZZ_COUNT", 60);
  std::map<std::string, std::size_t> executed; // by name of the plan and driver
  std::size_t all = 0, wrong = 0, combined_in_two_levels = 0;
  for (std::uint64_t seed = first; seed < first + count && wrong < 10; ++seed) {
    const MPI_Comm comm = comms[seed % 2];
    const candidates found = rank_in(comm) == 0 ? candidates_of(seed, p) : candidates{};
    executed_candidates here(shared(found, comm), comm);
    for (const candidate& c : here.all) {
      const std::string what = c.name + " by " + c.driver + ", seed " + std::to_string(seed);
      std::snprintf(under_way, sizeof under_way, "rank %d waits: %s\n", rank_in(comm), what.c_str());
      alarm(120);
      const std::string fault = here.run(c);
      alarm(0);
      int any = fault.empty() ? 0 : 1;
      MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, comm);
      EXPECT_EQ(fault, "") << what;
      if (any != 0 && rank_in(comm) == 0)
        ADD_FAILURE() << what << "\n" << oracle::print(found.g);
      wrong += any != 0;
      ++all;
      ++executed[c.name + " by " + c.driver];
      combined_in_two_levels += here.combines() && c.name.starts_with("two-level");
    }
  }
  if (rank_in(MPI_COMM_WORLD) == 0) {
    for (const auto& [name, times] : executed)
      std::printf("%8zu %s\n", times, name.c_str());
    std::printf("every candidate: %d ranks, %llu graphs, %zu executed, %zu wrong\n", static_cast<int>(p),
                static_cast<unsigned long long>(count), all, wrong);
    if (p > 2 && count >= 24) {
      EXPECT_GT(combined_in_two_levels, 0u);
    }
  }
  EXPECT_GT(all, (p > 2 && count > 40 ? 6 : 1) * count);
  for (MPI_Comm& comm : comms)
    MPI_Comm_free(&comm);
}

} // namespace
} // namespace tacit::test

int main(int argc, char** argv) {
  return tacit::test::mpi_main(argc, argv);
}
