// A persistent operation, made by all ranks together:
//
// 1. every pair exchanges the sizes of its edges and compares them, so a contradiction is found here and not
//    while the program computes, and messages that are empty can be left out;
// 2. all ranks agree that none has an error, that they leave out the same optimizations, and which driver can
//    run everywhere;
// 3. if all blocks of all ranks have one size, and the topology is a stencil on a torus, messages are
// combined where
//    it pays;
// 4. the driver connects the ranks, which agree again, and the operation is prepared, which they agree on
// last.
//
// Cost: one message per neighbor and three reductions of a few words.
#include "exchange/await.h"
#include "exchange/init_agreement.h"
#include "exchange/neighbor_communicator.h"
#include "exchange/neighbor_error.h"
#include "neighbor/combine.h"
#include "run/mpi_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tacit {
namespace {

/// A rank with an error of its own still takes part in the exchange, with this in place of sizes.
constexpr std::uint64_t no_size = ~std::uint64_t{0};

/// Bytes of all edges with each peer, by channel.
using peer_sizes = std::map<rank_id, std::vector<std::uint64_t>>;

peer_sizes sizes_by_peer(const std::vector<edge>& edges, const std::vector<std::vector<segment>>& blocks) {
  peer_sizes out;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].peer == no_rank)
      continue;
    auto& list = out[edges[i].peer];
    list.resize(std::max<std::size_t>(list.size(), edges[i].channel + 1));
    list[edges[i].channel] = blocks.empty() ? no_size : total_length(blocks[i]);
  }
  return out;
}

/// What the sources of this rank say they will send.
peer_sizes exchange_sizes(const peer_sizes& out, const peer_sizes& in, int tag, MPI_Comm comm) {
  peer_sizes announced = in;
  std::vector<MPI_Request> requests(in.size() + out.size(), MPI_REQUEST_NULL);
  std::size_t next = 0;
  for (auto& [peer, list] : announced)
    check_mpi(MPI_Irecv(list.data(), static_cast<int>(list.size()), MPI_UINT64_T,
                        static_cast<int>(index(peer)), tag, comm, &requests[next++]),
              "MPI_Irecv");
  for (const auto& [peer, list] : out)
    check_mpi(MPI_Isend(list.data(), static_cast<int>(list.size()), MPI_UINT64_T,
                        static_cast<int>(index(peer)), tag, comm, &requests[next++]),
              "MPI_Isend");
  await(std::move(requests), "exchanging the sizes of edges");
  return announced;
}

void compare_sizes(const neighborhood& n, const peer_sizes& expected, const peer_sizes& announced) {
  for (std::size_t i = 0; i < n.sources.size(); ++i) {
    const edge& e = n.sources[i];
    if (e.peer == no_rank)
      continue;
    const std::uint64_t here = expected.at(e.peer)[e.channel], there = announced.at(e.peer)[e.channel];
    if (there != no_size && here != there)
      throw neighbor_error(
          neighbor_error::kind::graph,
          fmt::format("incoming edge {}: {} B expected, but rank {} sends {} B; counts and datatypes on both "
                      "ends of an edge must describe equally many bytes",
                      i, here, index(e.peer), there));
  }
}

/// Bytes of every block of this rank, or 0 if they differ.
std::uint64_t common_size(const neighbor_blocks& blocks) {
  std::uint64_t common = 0;
  for (const auto* side : {&blocks.out, &blocks.in})
    for (const auto& bytes : *side) {
      const std::uint64_t size = total_length(bytes);
      if (size == 0 || (common != 0 && size != common))
        return 0;
      common = size;
    }
  return common;
}

/// One word for what all ranks must have alike for combining; 0: this rank cannot.
std::uint64_t combining_word(const topology* t, const neighbor_blocks& blocks, bool same_block) {
  const std::uint64_t size = common_size(blocks);
  if (!t || size == 0 || !can_combine(*t) || !combining_pays(*t, same_block, size))
    return 0;
  std::uint64_t word = same_block ? 2 : 1;
  const auto add = [&](std::uint64_t x) { word = (word ^ (x + 77)) * 0x9e3779b97f4a7c15ull + (word >> 29); };
  add(size);
  for (const int d : t->shape.dims)
    add(static_cast<std::uint64_t>(d));
  for (const auto& offset : t->offsets)
    for (const int steps : offset)
      add(static_cast<std::uint64_t>(std::int64_t{steps}));
  return word == 0 ? 1 : word;
}

} // namespace

neighbor_operation neighbor_communicator::persistent(const neighbor_call& call, MPI_Info info) {
  finish_setup();
  const MPI_Comm comm = setup_.comm();
  const int number = next_operation_++;
  init_agreement all(comm, rank_, size_, call.function);
  neighbor_options options = options_;
  neighbor_blocks blocks;
  all.here([&] {
    options = read_neighbor_options(info);
    describe_call(call, edges_, scratch_);
    blocks = blocks_of(call, edges_);
  });
  const peer_sizes expected = sizes_by_peer(edges_.sources, all.failed() ? decltype(blocks.in){} : blocks.in);
  const peer_sizes sent =
      sizes_by_peer(edges_.destinations, all.failed() ? decltype(blocks.out){} : blocks.out);
  peer_sizes announced;
  all.always([&] { announced = exchange_sizes(sent, expected, number * tags_per_operation_, comm); });
  program p, with_combining;
  std::uint64_t combining = 0;
  all.here([&] {
    compare_sizes(edges_, expected, announced);
    p = make_program_of(call, options, true, number);
    const bool same_block = call.send.shape == neighbor_side::form::same;
    combining = options.passes.combine ? combining_word(topology_.get(), blocks, same_block) : 0;
    if (combining != 0)
      with_combining = program_of(
          combined(*topology_, rank_id{static_cast<std::uint32_t>(rank_)}, blocks, same_block), number);
  });
  // From here on both ends of every edge agree, or one of the ranks has an error.
  std::vector<std::uint64_t> words{word_of(options), ~word_of(options), combining, ~combining};
  const std::size_t first_driver = words.size();
  for (const driver* d : drivers()) {
    // Nothing in a neighborhood is a collective call, which is all that coll adds to p2p.
    const bool wanted =
        options.driver.empty() ? d->automatic(p) && d->name() != "coll" : d->name() == options.driver;
    const bool can = !all.failed() && wanted && d->can_run(p, comm).empty() &&
                     (combining == 0 || d->can_run(with_combining, comm).empty());
    words.push_back(can ? 1 : 0);
  }
  all.agree(words);
  const driver* chosen = nullptr;
  for (std::size_t i = 0; i < drivers().size() && !chosen; ++i)
    chosen = words[first_driver + i] ? drivers()[i] : nullptr;
  all.here([&] {
    if (words[0] != ~words[1])
      throw neighbor_error(neighbor_error::kind::environment,
                           "info keys tacit_driver or tacit_neighbor_without differ between the ranks; give "
                           "all ranks the same");
    if (!chosen)
      throw neighbor_error(neighbor_error::kind::environment,
                           fmt::format("no driver can run this operation on all ranks{}{}",
                                       options.driver.empty() ? "" : "; asked for was ", options.driver));
  });
  if (words[2] != 0 && words[2] == ~words[3]) // all ranks can, and alike
    p = std::move(with_combining);
  neighbor_operation out;
  all.here([&] { out.peers_ = chosen->offer(p, comm); });
  std::vector<std::uint64_t> connects{out.peers_ ? 0u : 1u};
  all.agree(connects);
  if (connects[0] == 0) { // some rank has something to connect
    all.always([&] {
      if (out.peers_)
        out.peers_->create();
    });
    connects.clear();
    all.agree(connects);
  }
  all.here([&] {
    out.home_ = shared_from_this();
    out.function_ = call.function;
    out.driver_ = chosen->name().data();
    out.steps_ = summarize(p);
    if (const std::string how = out.peers_ ? out.peers_->describe() : std::string(); !how.empty())
      out.steps_ += "; " + how;
    out.run_ = {chosen->prepare(std::move(p), comm, out.peers_.get()), 0, 0};
  });
  connects.clear();
  all.agree(connects);
  return out;
}

} // namespace tacit
