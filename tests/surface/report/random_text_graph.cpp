#include "surface/report/random_text_graph.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::tests {

using namespace surface;
namespace {

std::uint64_t below(std::mt19937_64& random, std::uint64_t limit) {
  return random() % limit;
}

std::vector<graphs::segment> random_segments(std::mt19937_64& random) {
  std::vector<graphs::segment> list(below(random, 4));
  for (graphs::segment& s : list)
    s = below(random, 8) == 0 ? graphs::segment{random(), random()}
                              : graphs::segment{below(random, 64), below(random, 9)};
  return list;
}

auto sorted_dependencies(const graphs::graph& g) {
  std::vector<std::pair<op_id, op_id>> list;
  for (const graphs::dependency& d : g.dependencies())
    list.emplace_back(d.after, d.before);
  std::sort(list.begin(), list.end());
  return list;
}

auto by_rank(std::span<const std::pair<rank_id, graphs::segment>> bytes) {
  std::vector<std::pair<rank_id, graphs::segment>> list(bytes.begin(), bytes.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return list;
}

bool same_pair(const graphs::made_pair& a, const graphs::made_pair& b) {
  return a.send == b.send && a.recv == b.recv && a.origin == b.origin;
}

} // namespace

graphs::graph random_text_graph(std::mt19937_64& random) {
  const auto p = static_cast<std::uint32_t>(1 + below(random, 6));
  graphs::graph g(p);
  const std::string names[] = {"row",   "column", "row",         "", "a b", "quote\" \\ \n\t#{};",
                               "world", "7",      "\xc3\xa9\x01"};
  for (std::uint64_t i = below(random, 5); i > 0; --i) {
    std::vector<rank_id> members;
    for (std::uint32_t r = 0; r < p; ++r)
      members.push_back(rank_id{r});
    std::shuffle(members.begin(), members.end(), random);
    members.resize(1 + below(random, p));
    if (below(random, 2) == 0)
      std::sort(members.begin(), members.end());
    g.add_communicator(names[below(random, std::size(names))], members);
  }
  std::vector<graphs::reducer_id> reducers;
  for (std::uint64_t i = below(random, 4); i > 0; --i)
    reducers.push_back(g.add_reducer(
        {names[below(random, std::size(names))], names[below(random, std::size(names))],
         static_cast<std::uint32_t>(1 + below(random, 16)), below(random, 2) == 0, below(random, 2) == 0}));
  for (std::uint64_t i = below(random, 24); i > 0; --i) {
    const auto rank = rank_id{static_cast<std::uint32_t>(below(random, p))};
    const auto peer = rank_id{static_cast<std::uint32_t>(below(random, p))};
    const auto comm = comm_id{static_cast<std::uint16_t>(below(random, g.communicators().size()))};
    const auto tag = static_cast<std::int32_t>(below(random, 3) == 0 ? random() : below(random, 2));
    const auto by = reducers.empty() ? graphs::no_reducer : reducers[below(random, reducers.size())];
    switch (below(random, reducers.empty() ? 7 : 9)) {
    case 0:
      g.send(rank, random_segments(random), peer, tag, comm);
      break;
    case 1:
      g.recv(rank, random_segments(random), peer, tag, comm);
      break;
    case 2:
      g.copy(rank, random_segments(random), random_segments(random));
      break;
    case 3:
      g.opaque(rank, random_segments(random), random_segments(random));
      break;
    case 4:
      g.fence(rank, comm);
      break;
    case 5:
      g.put(rank, random_segments(random), peer, random_segments(random));
      break;
    case 7:
      g.reduce(rank, random_segments(random), random_segments(random), by);
      break;
    case 8:
      g.recv_reduce(rank, random_segments(random), peer, by, tag, comm);
      break;
    case 6:
      g.get(rank, random_segments(random), peer, random_segments(random));
      break;
    }
  }
  const auto any_op = [&] { return op_id{static_cast<std::uint32_t>(below(random, g.size()))}; };
  for (std::uint64_t i = g.size() == 0 ? 0 : below(random, 16); i > 0; --i) {
    const op_id before = any_op();
    g.depend(before, any_op());
  }
  for (std::uint64_t i = below(random, 4); i > 0; --i)
    g.scratch(rank_id{static_cast<std::uint32_t>(below(random, p))}, {below(random, 99), below(random, 9)});
  for (std::uint64_t i = below(random, 4); i > 0; --i)
    g.live_out(rank_id{static_cast<std::uint32_t>(below(random, p))}, {random(), random()});
  return g;
}

std::string difference(const graphs::graph& a, const graphs::graph& b) {
  if (a.ranks() != b.ranks())
    return "number of ranks";
  if (a.size() != b.size())
    return fmt::format("{} against {} operations", a.size(), b.size());
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const op_id id{i};
    const graphs::operation &x = a[id], &y = b[id];
    if (x.kind != y.kind || x.comm != y.comm || x.rank != y.rank || x.peer != y.peer || x.tag != y.tag)
      return fmt::format("operation {}: {} against {}", i, graphs::describe(a, id), graphs::describe(b, id));
    if (!std::ranges::equal(a.reads(id), b.reads(id)) || !std::ranges::equal(a.writes(id), b.writes(id)))
      return fmt::format("bytes of operation {}", i);
    if (a.reduces_by(id) != b.reduces_by(id))
      return fmt::format("operator of operation {}", i);
  }
  if (!std::ranges::equal(a.reducers(), b.reducers()))
    return "operators";
  if (!std::ranges::equal(a.made_pairs(), b.made_pairs(), same_pair))
    return "pairs of put and get";
  if (a.communicators().size() != b.communicators().size())
    return "number of communicators";
  for (std::size_t c = 0; c < a.communicators().size(); ++c)
    if (a.communicators()[c].name != b.communicators()[c].name ||
        a.communicators()[c].members != b.communicators()[c].members)
      return fmt::format("communicator {}", c);
  if (sorted_dependencies(a) != sorted_dependencies(b))
    return "dependencies";
  if (by_rank(a.scratch_bytes()) != by_rank(b.scratch_bytes()))
    return "scratch bytes";
  if (by_rank(a.live_out_bytes()) != by_rank(b.live_out_bytes()))
    return "live bytes";
  return "";
}

} // namespace tacit::tests
