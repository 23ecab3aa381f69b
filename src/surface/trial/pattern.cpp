#include "surface/trial/pattern.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <tacit/tacit.h>

namespace tacit::surface {
namespace {

std::vector<std::vector<int>> offsets_of(std::size_t dimensions, int reach) {
  std::vector<std::vector<int>> list;
  if (reach == 0) {
    for (std::size_t d = 0; d < dimensions; ++d)
      for (const int step : {-1, 1}) {
        list.emplace_back(dimensions, 0);
        list.back()[d] = step;
      }
    return list;
  }
  std::vector<int> at(dimensions, -reach);
  for (;;) {
    bool here = true;
    for (const int c : at)
      here = here && c == 0;
    if (!here)
      list.push_back(at);
    std::size_t d = dimensions;
    while (d > 0 && at[d - 1] == reach)
      at[--d] = -reach;
    if (d == 0)
      return list;
    ++at[d - 1];
  }
}

void number_channels(std::vector<half_edge>& edges) {
  std::map<int, std::uint32_t> next;
  for (half_edge& e : edges)
    e.channel = next[e.peer]++;
}

void make_mpi(pattern& p) {
  std::vector<int> from, to;
  for (const half_edge& e : p.sources)
    if (e.peer != MPI_PROC_NULL)
      from.push_back(e.peer);
  for (const half_edge& e : p.destinations)
    if (e.peer != MPI_PROC_NULL)
      to.push_back(e.peer);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &p.mpi);
  MPI_Comm_set_errhandler(p.mpi, MPI_ERRORS_RETURN);
}

std::string adopt(pattern& p, tacit_topology topology) {
  const int code = tacit_topology_comm(topology, MPI_COMM_WORLD, &p.tacit);
  tacit_topology_free(&topology);
  return code == TACIT_SUCCESS ? "" : tacit_last_error();
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Content of a block: depends on both ranks, the channel and the run, and changes along the block.
std::uint64_t seed_of(int from, int to, std::uint32_t channel, std::uint64_t run) {
  return mixed(
      mixed(mixed(static_cast<std::uint64_t>(from) * 1000003 + static_cast<std::uint64_t>(to)) + channel) +
      run);
}
unsigned char byte_of(std::uint64_t seed, std::int64_t at) {
  return static_cast<unsigned char>(mixed(seed + static_cast<std::uint64_t>(at / 8)) >> (at % 8 * 8));
}

bool lay_out(const std::vector<half_edge>& edges, std::int64_t unit, std::vector<int>& counts,
             std::vector<int>& places, std::vector<unsigned char>& buffer) {
  std::int64_t total = 0;
  for (const half_edge& e : edges) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(e.units, unit, &bytes) || total + bytes > std::numeric_limits<int>::max())
      return false;
    counts.push_back(static_cast<int>(bytes));
    places.push_back(static_cast<int>(total));
    total += bytes;
  }
  buffer.resize(static_cast<std::size_t>(total));
  return true;
}

} // namespace

pattern::~pattern() {
  for (MPI_Comm* c : {&tacit, &mpi})
    if (*c != MPI_COMM_NULL)
      MPI_Comm_free(c);
}

std::string make_stencil(pattern& p, const std::vector<int>& dims, bool periodic, int reach) {
  const auto offsets = offsets_of(dims.size(), reach);
  std::vector<int> flat, periods(dims.size(), periodic ? 1 : 0);
  for (const auto& offset : offsets)
    flat.insert(flat.end(), offset.begin(), offset.end());
  tacit_topology topology = TACIT_TOPOLOGY_NULL;
  if (tacit_topology_stencil(static_cast<int>(dims.size()), dims.data(), periods.data(),
                             static_cast<int>(offsets.size()), flat.data(), &topology) != TACIT_SUCCESS)
    return tacit_last_error();
  if (std::string fault = adopt(p, topology); !fault.empty())
    return fault;
  int in = 0, out = 0;
  tacit_neighbors_count(p.tacit, &in, &out, nullptr);
  std::vector<int> from(static_cast<std::size_t>(in)), to(static_cast<std::size_t>(out));
  tacit_neighbors(p.tacit, in, from.data(), nullptr, out, to.data(), nullptr);
  // A block beyond an open boundary stays what it is: it has no bytes here, so that all variants agree.
  for (const int peer : from)
    p.sources.push_back({peer, peer == MPI_PROC_NULL ? 0 : 1, 0});
  for (const int peer : to)
    p.destinations.push_back({peer, peer == MPI_PROC_NULL ? 0 : 1, 0});
  number_channels(p.sources);
  number_channels(p.destinations);
  make_mpi(p);
  return {};
}

std::string make_graph(pattern& p, const std::string& file) {
  std::ifstream lines(file);
  int from = 0, to = 0;
  std::int64_t units = 0;
  while (lines >> from >> to >> units) {
    if (from < 0 || to < 0 || from >= p.size || to >= p.size || units < 0)
      return fmt::format("{}: an edge from {} to {} with {} units among {} ranks", file, from, to, units,
                         p.size);
    if (from == p.rank)
      p.destinations.push_back({to, units, 0});
    if (to == p.rank)
      p.sources.push_back({from, units, 0});
  }
  if (!lines.eof())
    return file + " could not be read";
  number_channels(p.sources);
  number_channels(p.destinations);
  std::vector<int> sources, destinations;
  for (const half_edge& e : p.sources)
    sources.push_back(e.peer);
  for (const half_edge& e : p.destinations)
    destinations.push_back(e.peer);
  tacit_topology topology = TACIT_TOPOLOGY_NULL;
  if (tacit_topology_graph(static_cast<int>(sources.size()), sources.data(), nullptr,
                           static_cast<int>(destinations.size()), destinations.data(), nullptr,
                           &topology) != TACIT_SUCCESS)
    return tacit_last_error();
  if (std::string fault = adopt(p, topology); !fault.empty())
    return fault;
  make_mpi(p);
  return {};
}

bool exchange_buffers::make(const pattern& p, std::int64_t unit) {
  return lay_out(p.destinations, unit, out_counts, out_places, out) &&
         lay_out(p.sources, unit, in_counts, in_places, in);
}

void exchange_buffers::fill(const pattern& p, std::uint64_t run) {
  for (std::size_t e = 0; e < p.destinations.size(); ++e) {
    const std::uint64_t seed = seed_of(p.rank, p.destinations[e].peer, p.destinations[e].channel, run);
    for (int i = 0; i < out_counts[e]; ++i)
      out[static_cast<std::size_t>(std::ptrdiff_t{out_places[e]} + i)] = byte_of(seed, i);
  }
}

std::string exchange_buffers::check(const pattern& p, std::uint64_t run) const {
  for (std::size_t e = 0; e < p.sources.size(); ++e) {
    const std::uint64_t seed = seed_of(p.sources[e].peer, p.rank, p.sources[e].channel, run);
    for (int i = 0; i < in_counts[e]; ++i)
      if (in[static_cast<std::size_t>(std::ptrdiff_t{in_places[e]} + i)] != byte_of(seed, i))
        return fmt::format("rank {}: byte {} of the block from rank {} (slot {}) is wrong", p.rank, i,
                           p.sources[e].peer, e);
  }
  return {};
}

void exchange_buffers::spoil() {
  std::memset(in.data(), 0x5a, in.size());
}

void exchange_buffers::produce(int value) {
  std::memset(out.data(), value, out.size());
}

void exchange_buffers::consume() {
  for (std::size_t at = 0; at < in.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, in.data() + at, std::min<std::size_t>(8, in.size() - at));
    sum += word;
  }
}

} // namespace tacit::surface
