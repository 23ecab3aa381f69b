#include "graphs/detect/subgroups.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace tacit::graphs {
namespace {

/// Of a collective that has a root: two messages are no pattern.
constexpr std::uint32_t smallest = 4;
/// Of one in which all exchange.
constexpr std::uint32_t smallest_lattice = 3;
/// Above, a table of all pairs is not made: 2 MiB.
constexpr std::uint32_t most_in_table = 4096;
/// Of more transfers the partners of each rank are not collected, which takes ten times what looking at them takes.
constexpr std::size_t most_for_stars = 1 << 18;

bool moves(const ledger& book, std::uint32_t id) {
  const transfer& t = book[id];
  return t.source != no_rank && t.source != t.destination && t.length > 0 && book.any_free(id);
}

/// Calls visit(transfer) for each that no finding has taken whole.
template <typename Visit>
void each_open(const ledger& book, Visit visit) {
  for (std::uint32_t id = 0; id < book.list().size(); ++id)
    if (moves(book, id))
      visit(book[id]);
}

/// Ranks `distance` apart, `members` of them; such groups side by side fill all ranks.
struct lattice {
  std::uint32_t distance = 1, members = 1;
  auto operator<=>(const lattice&) const = default;

  bool fits(std::uint32_t ranks) const { return ranks % (distance * members) == 0; }
  rank_set group_of(std::uint32_t rank) const {
    const std::uint32_t size = distance * members, first = rank / size * size + rank % distance;
    rank_set out;
    for (std::uint32_t k = 0; k < members; ++k)
      out.push_back(rank_id{first + k * distance});
    return out;
  }
  std::vector<rank_set> groups(std::uint32_t ranks) const {
    std::vector<rank_set> out;
    for (std::uint32_t r = 0; r < ranks; ++r)
      if (r / distance % members == 0)
        out.push_back(group_of(r));
    return out;
  }
};

std::vector<std::uint32_t> divisors_of(std::uint32_t n) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t d = 1; d <= n; ++d)
    if (n % d == 0)
      out.push_back(d);
  return out;
}

/// Who exchanges with the rank that gets most messages, itself among them: that one shows best what groups can be.
std::pair<std::uint32_t, std::vector<bool>> partners_of_busiest(const ledger& book, std::uint32_t ranks) {
  std::vector<std::uint32_t> gets(ranks, 0);
  each_open(book, [&](const transfer& t) { ++gets[index(t.destination)]; });
  const auto busiest = static_cast<std::uint32_t>(std::ranges::max_element(gets) - gets.begin());
  std::vector<bool> sends(ranks, false), receives(ranks, false);
  each_open(book, [&](const transfer& t) {
    if (index(t.destination) == busiest)
      sends[index(t.source)] = true;
    if (index(t.source) == busiest)
      receives[index(t.destination)] = true;
  });
  std::vector<bool> partner(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r)
    partner[r] = r == busiest || (sends[r] && receives[r]);
  return {busiest, std::move(partner)};
}

enum class direction : std::uint8_t { out, in };

/// Bytes of a root for a partner or from it.
struct block {
  direction way;
  rank_id root, partner;
  std::uint64_t bytes;
  auto operator<=>(const block&) const = default;
};

/// Adds to what is sorted the bytes that each pair has altogether, if these are several blocks.
void append_sums(std::vector<block>& blocks) {
  const std::size_t parts = blocks.size();
  const auto pair = [&](std::size_t i) {
    return std::tuple(blocks[i].way, blocks[i].root, blocks[i].partner);
  };
  for (std::size_t first = 0, next = 0; first < parts; first = next) {
    block all = blocks[first];
    for (next = first + 1; next < parts && pair(next) == pair(first); ++next)
      all.bytes += blocks[next].bytes;
    if (next > first + 1)
      blocks.push_back(all);
  }
}

/// With how many others each rank has open transfers.
class hubs {
public:
  hubs(const ledger& book, std::uint32_t ranks) : partners_{counts(ranks), counts(ranks)} {
    std::vector<std::pair<rank_id, rank_id>> pairs;
    each_open(book, [&](const transfer& t) { pairs.emplace_back(t.source, t.destination); });
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [from, to] : pairs) {
      ++partners_[0][index(from)];
      ++partners_[1][index(to)];
    }
  }
  /// Whether a rank has twice as many partners as one of them: neighbors in a halo are alike.
  bool serves(rank_id root, rank_id partner, direction way) const {
    const counts& partners = partners_[way == direction::in];
    return 2 * partners[index(partner)] <= partners[index(root)];
  }
  std::uint32_t partners(rank_id r, direction way) const { return partners_[way == direction::in][index(r)]; }
  bool serves_all(rank_id root, const rank_set& group, direction way) const {
    return std::ranges::all_of(group, [&](rank_id r) { return r == root || serves(root, r, way); });
  }

private:
  using counts = std::vector<std::uint32_t>;
  std::array<counts, 2> partners_; ///< that it sends to, that it gets from
};

/// All that roots have for ranks that they serve, or from them; sorted.
std::vector<block> served_blocks(const ledger& book, const hubs& roots) {
  std::vector<block> blocks;
  for (std::uint32_t id = 0; id < book.list().size(); ++id) {
    const transfer& t = book[id];
    if (!moves(book, id))
      continue;
    for (const auto& [way, root, partner] :
         {std::tuple{direction::out, t.source, t.destination}, {direction::in, t.destination, t.source}})
      if (roots.serves(root, partner, way))
        book.each_free(id, [&](const slice& s) { blocks.push_back({way, root, partner, s.length}); });
  }
  std::ranges::sort(blocks);
  return blocks;
}

/// Visits each root that serves some ranks with all that it has for them or from them, if that is one block each: visit(root, blocks, is_alone), the
/// blocks by length, then partner. Alone: it exchanges with nobody else that way.
template <typename Visit>
void each_root(const ledger& book, std::uint32_t ranks, Visit visit) {
  const hubs roots(book, ranks);
  const std::vector<block> blocks = served_blocks(book, roots);
  std::vector<block> single;
  for (auto first = blocks.begin(); first != blocks.end();) {
    const block one = *first;
    single.clear();
    while (first != blocks.end() && first->way == one.way && first->root == one.root) {
      const auto next = std::find_if(first, blocks.end(), [&](const block& b) {
        return std::tie(b.way, b.root, b.partner) != std::tie(first->way, first->root, first->partner);
      });
      if (next == first + 1)
        single.push_back(*first);
      first = next;
    }
    std::ranges::sort(single, {}, [](const block& b) { return std::tuple(b.bytes, b.partner); });
    if (!single.empty())
      visit(one.root, std::span<const block>(single), single.size() == roots.partners(one.root, one.way));
  }
}

rank_set with_root(rank_id root, std::span<const block> blocks) {
  rank_set out{root};
  for (const block& b : blocks)
    out.push_back(b.partner);
  std::ranges::sort(out);
  return out;
}

using rank_pair = std::pair<rank_id, rank_id>; ///< destination, source

/// Calls visit(transfer) for each to such a rank that no finding has taken whole.
template <typename Visit>
void each_open_to(const ledger& book, const rank_set& members, Visit visit) {
  for (const rank_id r : members)
    for (const transfer& t : std::ranges::equal_range(book.list(), r, {}, &transfer::destination))
      if (moves(book, static_cast<std::uint32_t>(&t - book.list().data())))
        visit(t);
}

/// So large a share of the pairs of members exchanges something.
bool are_dense(const ledger& book, const rank_set& members, double density) {
  const auto enough = density * static_cast<double>(members.size()) * static_cast<double>(members.size() - 1);
  std::size_t transfers = 0;
  each_open_to(book, members, [&](const transfer&) { ++transfers; });
  if (static_cast<double>(transfers) < enough)
    return false;
  std::vector<rank_pair> pairs;
  each_open_to(book, members, [&](const transfer& t) { pairs.emplace_back(t.destination, t.source); });
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  return static_cast<double>(pairs.size()) >= enough;
}

/// One member sends or gets everything; what it sends to several is less than half, or broadcasts to some would be left out.
bool have_one_root(const ledger& book, const rank_set& members) {
  bool one_source = true, one_destination = true;
  rank_pair first{no_rank, no_rank};
  std::uint64_t bytes = 0, read_once = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> read; // address and length
  each_open_to(book, members, [&](const transfer& t) {
    if (first.first == no_rank)
      first = {t.destination, t.source};
    one_destination = one_destination && t.destination == first.first;
    one_source = one_source && t.source == first.second;
    bytes += t.length;
    if (one_source)
      read.emplace_back(t.source_address, t.length);
  });
  if (!one_source)
    return one_destination;
  std::ranges::sort(read);
  read.erase(std::ranges::unique(read).begin(), read.end());
  for (const auto& [address, length] : read)
    read_once += length;
  return 2 * read_once > bytes;
}

} // namespace

std::vector<rank_set> components(const ledger& book, std::uint32_t ranks) {
  std::vector<std::uint32_t> parent(ranks);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t r) {
    while (parent[r] != r)
      r = parent[r] = parent[parent[r]];
    return r;
  };
  each_open(book, [&](const transfer& t) { parent[root(index(t.source))] = root(index(t.destination)); });
  std::vector<rank_set> by_root(ranks), out;
  for (std::uint32_t r = 0; r < ranks; ++r)
    by_root[root(r)].push_back(rank_id{r});
  for (rank_set& group : by_root)
    if (group.size() >= smallest && group.size() < ranks)
      out.push_back(std::move(group));
  return out;
}

std::vector<rank_set> lattices(const ledger& book, std::uint32_t ranks) {
  const auto [busiest, partner] = partners_of_busiest(book, ranks);
  return lattices_around(busiest, partner);
}

std::vector<rank_set> lattices_around(std::uint32_t busiest, const std::vector<bool>& partner) {
  const auto ranks = static_cast<std::uint32_t>(partner.size());
  std::vector<lattice> found;
  std::vector<bool> explained(ranks, false);
  const std::vector<std::uint32_t> divisors = divisors_of(ranks);
  for (const std::uint32_t distance : divisors)
    for (const std::uint32_t members : divisors) {
      const lattice one{distance, members};
      if (members < smallest_lattice || members == ranks || distance > ranks / members || !one.fits(ranks))
        continue;
      const rank_set group = one.group_of(busiest);
      if (!std::ranges::all_of(group, [&](rank_id r) { return partner[index(r)]; }))
        continue;
      found.push_back(one);
      for (const rank_id r : group)
        explained[index(r)] = true;
    }
  // Neighbors in a halo of several ranks exchange with each other, too, but with as many outside of such a group.
  const auto count = [](const std::vector<bool>& set) { return std::ranges::count(set, true) - 1; };
  if (found.empty() || 2 * count(explained) <= count(partner))
    return {};
  std::ranges::stable_sort(found, std::greater<>(), &lattice::members);
  std::vector<rank_set> out;
  for (const lattice& one : found) {
    std::vector<rank_set> groups = one.groups(ranks);
    std::move(groups.begin(), groups.end(), std::back_inserter(out));
  }
  return out;
}

std::vector<rank_set> stars(const ledger& book, std::uint32_t ranks) {
  if (book.open() > most_for_stars)
    return {};
  std::map<std::tuple<rank_id, std::uint64_t, std::uint64_t>, rank_set>
      receivers; // by the bytes that are sent
  each_open(book, [&](const transfer& t) {
    receivers[{t.source, t.source_address, t.length}].push_back(t.destination);
  });
  const hubs roots(book, ranks);
  std::vector<rank_set> most;
  std::map<std::size_t, std::vector<rank_set>> by_size;
  for (auto& [bytes, group] : receivers) {
    const rank_id root = std::get<rank_id>(bytes);
    group.push_back(root);
    std::ranges::sort(group);
    group.erase(std::unique(group.begin(), group.end()), group.end());
    if (group.size() < smallest || group.size() == ranks)
      continue;
    const bool alone = group.size() > ranks / 2 || roots.serves_all(root, group, direction::out);
    (alone ? most : by_size[group.size()]).push_back(std::move(group));
  }
  const auto is_in_lattice = [&](const rank_set& group) {
    const lattice one{static_cast<std::uint32_t>(index(group[1]) - index(group[0])),
                      static_cast<std::uint32_t>(group.size())};
    return one.distance <= ranks / one.members && one.fits(ranks) && one.group_of(index(group[0])) == group;
  };
  for (auto& [size, groups] : by_size) // neighbors of each rank of a grid lie in lattices now and then
    if (std::ranges::all_of(groups, is_in_lattice))
      std::move(groups.begin(), groups.end(), std::back_inserter(most));
  return most;
}

std::vector<rank_set> fans(const ledger& book, std::uint32_t ranks) {
  if (book.open() > most_for_stars)
    return {};
  std::vector<block> blocks = served_blocks(book, hubs(book, ranks));
  append_sums(blocks);
  // By length, then partner.
  std::ranges::sort(blocks, {}, [](const block& b) { return std::tuple(b.way, b.root, b.bytes, b.partner); });
  blocks.erase(std::ranges::unique(blocks).begin(), blocks.end());
  std::vector<rank_set> out;
  for (auto first = blocks.begin(); first != blocks.end();) {
    rank_set group{first->root};
    auto next = first;
    for (; next != blocks.end() && next->way == first->way && next->root == first->root &&
           next->bytes == first->bytes;
         ++next)
      group.push_back(next->partner);
    first = next;
    if (group.size() < smallest || group.size() == ranks)
      continue;
    std::ranges::sort(group);
    out.push_back(std::move(group));
  }
  std::ranges::stable_sort(out, std::greater<>(), &rank_set::size);
  return out;
}

std::vector<rank_set> even_fans(const ledger& book, std::uint32_t ranks) {
  if (book.open() > most_for_stars)
    return {};
  std::vector<rank_set> out;
  each_root(book, ranks, [&](rank_id root, std::span<const block> blocks, bool) {
    std::size_t best = 0, most = 0;
    for (std::size_t first = 0, end = 0; first < blocks.size(); ++first) {
      while (end < blocks.size() && 4 * blocks[end].bytes <= 5 * blocks[first].bytes)
        ++end;
      if (end - first > most) {
        best = first;
        most = end - first;
      }
    }
    const auto chosen = blocks.subspan(best, most);
    if (chosen.front().bytes != chosen.back().bytes && most + 1 >= smallest && most + 1 < ranks)
      out.push_back(with_root(root, chosen));
  });
  std::ranges::stable_sort(out, std::greater<>(), &rank_set::size);
  return out;
}

std::vector<rank_set> uneven_fans(const ledger& book, std::uint32_t ranks) {
  if (book.open() > most_for_stars)
    return {};
  std::vector<rank_set> out;
  each_root(book, ranks, [&](rank_id root, std::span<const block> blocks, bool alone) {
    if (alone && blocks.size() + 1 >= smallest && blocks.size() + 1 < ranks)
      out.push_back(with_root(root, blocks));
  });
  std::ranges::stable_sort(out, std::greater<>(), &rank_set::size);
  return out;
}

std::vector<rank_set> most_ranks(const ledger& book, std::uint32_t ranks) {
  if (ranks > most_in_table)
    return {};
  std::vector<bool> sends(std::size_t{ranks} * ranks, false);
  each_open(book, [&](const transfer& t) {
    sends[index(t.source) * std::size_t{ranks} + index(t.destination)] = true;
  });
  const auto exchange = [&](std::uint32_t a, std::uint32_t b) {
    return sends[a * std::size_t{ranks} + b] && sends[b * std::size_t{ranks} + a];
  };
  std::vector<std::uint32_t> left, partners(ranks, 0);
  for (std::uint32_t a = 0; a < ranks; ++a) {
    for (std::uint32_t b = 0; b < ranks; ++b)
      partners[a] += a != b && exchange(a, b);
    if (partners[a] >= ranks / 2)
      left.push_back(a);
  }
  for (const std::uint32_t a : left) {
    partners[a] = 0;
    for (const std::uint32_t b : left)
      partners[a] += a != b && exchange(a, b);
  }
  while (left.size() > ranks / 2 && left.size() >= smallest) {
    const auto poorest = std::ranges::min_element(left, {}, [&](std::uint32_t r) { return partners[r]; });
    if (partners[*poorest] + 1 == left.size()) {
      rank_set out;
      for (const std::uint32_t r : left)
        out.push_back(rank_id{r});
      return out.size() < ranks ? std::vector<rank_set>{out} : std::vector<rank_set>{};
    }
    const std::uint32_t gone = *poorest;
    left.erase(poorest);
    for (const std::uint32_t r : left)
      partners[r] -= exchange(gone, r);
  }
  return {};
}

bool exchange_as_a_whole(const ledger& book, const rank_set& members, double density) {
  return are_dense(book, members, density) || (members.size() >= smallest && have_one_root(book, members));
}

bool concerns_fewer(const ledger& book, std::uint32_t ranks, const detect_options& options) {
  std::vector<bool> exchanges(ranks, false);
  each_open(book,
            [&](const transfer& t) { exchanges[index(t.source)] = exchanges[index(t.destination)] = true; });
  rank_set some;
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (exchanges[r])
      some.push_back(rank_id{r});
  return some.size() >= std::max(smallest, options.smallest_group) && some.size() < ranks &&
         are_dense(book, some, options.density);
}

std::string name_of_group(const std::vector<rank_id>& members) {
  const auto rank = [&](std::size_t i) { return static_cast<std::int64_t>(index(members[i])); };
  const auto distance = rank(1) - rank(0);
  bool even = true;
  for (std::size_t i = 1; i < members.size(); ++i)
    even = even && rank(i) - rank(i - 1) == distance;
  if (even)
    return fmt::format("ranks-{}-{}{}", rank(0), rank(members.size() - 1),
                       std::abs(distance) == 1 ? std::string() : fmt::format("-by-{}", std::abs(distance)));
  constexpr std::size_t shown = 6;
  if (members.size() > shown) {
    const auto [lowest, highest] = std::ranges::minmax(members);
    return fmt::format("{}-ranks-of-{}-{}", members.size(), index(lowest), index(highest));
  }
  std::string text = "ranks";
  for (std::size_t i = 0; i < members.size(); ++i)
    text += fmt::format("-{}", rank(i));
  return text;
}

std::string new_name(const std::vector<rank_id>& members, std::span<const communicator> known,
                     std::span<const communicator> groups) {
  std::string name = name_of_group(members);
  const auto has = [&](const communicator& c) { return c.name == name; };
  if (std::ranges::any_of(known, has) || std::ranges::any_of(groups, has))
    name += fmt::format("-group-{}", groups.size() + 1);
  return name;
}

} // namespace tacit::graphs
