#include "graphs/detect/finding_checker.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tacit::test {

using namespace graphs;

namespace {

using byte_list = std::vector<std::uint64_t>; ///< source addresses, in packing order
using pair_bytes = std::map<std::pair<rank_id, rank_id>, byte_list>;

/// Source addresses per pair, in the order of the slices. Empty text if all slices lie in their transfers.
std::string collect(const transfers& t, const finding& f, pair_bytes& pairs) {
  std::set<std::pair<rank_id, rank_id>> closed;
  std::pair<rank_id, rank_id> current{no_rank, no_rank};
  for (const slice s : f.slices) {
    if (s.transfer >= t.list.size())
      return "slice of a transfer that does not exist";
    const transfer& x = t.list[s.transfer];
    if (s.length == 0 || s.offset + s.length > x.length)
      return "slice outside its transfer";
    const std::pair<rank_id, rank_id> pair{x.source, x.destination};
    if (pair != current) {
      if (!closed.insert(pair).second)
        return "slices of a pair are not together";
      current = pair;
    }
    for (std::uint64_t b = 0; b < s.length; ++b)
      pairs[pair].push_back(x.source_address + s.offset + b);
  }
  return {};
}

bool rooted_at_source(pattern k) {
  return k == pattern::bcast || k == pattern::scatter || k == pattern::scatterv;
}
bool rooted_at_destination(pattern k) {
  return k == pattern::gather || k == pattern::gatherv;
}
bool is_vector(pattern k) {
  return k == pattern::allgatherv || k == pattern::alltoallv || k == pattern::scatterv ||
         k == pattern::gatherv;
}
bool same_for_all(pattern k) {
  return k == pattern::bcast || k == pattern::allgather || k == pattern::allgatherv;
}

std::string check_finding(const graph& g, const transfers& t, const finding& f) {
  const auto& members = g.communicators()[index(f.comm)].members;
  const std::set<rank_id> group(members.begin(), members.end());
  if (f.kind == pattern::barrier)
    return f.slices.empty() ? "" : "barrier with data";
  if (f.slices.empty())
    return "empty finding";
  if (is_rooted(f.kind) != (f.root != no_rank))
    return "root missing or too much";
  pair_bytes pairs;
  if (std::string wrong = collect(t, f, pairs); !wrong.empty())
    return wrong;
  for (const auto& [pair, bytes] : pairs) {
    if (pair.first == pair.second || !group.contains(pair.first) || !group.contains(pair.second))
      return "pair outside";
    if (rooted_at_source(f.kind) && pair.first != f.root)
      return "data from another rank than the root";
    if (rooted_at_destination(f.kind) && pair.second != f.root)
      return "data to another rank than the root";
  }
  std::uint64_t largest = 0;
  for (const rank_id i : group)
    for (const rank_id j : group) {
      if (i == j || (rooted_at_source(f.kind) && i != f.root) ||
          (rooted_at_destination(f.kind) && j != f.root))
        continue;
      const auto found = pairs.find({i, j});
      const std::uint64_t bytes = found == pairs.end() ? 0 : found->second.size();
      largest = std::max(largest, bytes);
      if (!is_vector(f.kind) && bytes != f.bytes)
        return fmt::format("{} bytes from {} to {}, {} expected", bytes, index(i), index(j), f.bytes);
      if (!same_for_all(f.kind))
        continue;
      for (const auto& [other, list] : pairs)
        if (other.first == i && (found == pairs.end() || list != found->second))
          return fmt::format("rank {} gets other bytes from {} than rank {}", index(j), index(i),
                             index(other.second));
    }
  if (largest != f.bytes)
    return "wrong size of the largest block";
  return {};
}

} // namespace

std::string check_findings(const graph& g, const transfers& t, const findings& f) {
  std::vector<std::vector<int>> covered;
  for (const transfer& x : t.list)
    covered.emplace_back(x.length, 0);
  const auto cover = [&](const auto& list) {
    for (const slice s : list)
      for (std::uint64_t b = 0; b < s.length; ++b)
        ++covered.at(s.transfer).at(s.offset + b);
  };
  for (const finding& found : f.found) {
    if (std::string wrong = check_finding(g, t, found); !wrong.empty())
      return fmt::format("{}: {}", name(found.kind), wrong);
    cover(found.slices);
  }
  cover(f.residual);
  for (std::size_t k = 0; k < covered.size(); ++k)
    for (const int times : covered[k])
      if (times != 1)
        return fmt::format("a byte of transfer {} is covered {} times", k, times);
  return {};
}

std::vector<std::string> summary(const graph& g, const findings& f) {
  std::vector<std::string> list;
  for (const finding& x : f.found) {
    std::string text;
    if (x.comm != world)
      text += g.communicators()[index(x.comm)].name + " ";
    text += name(x.kind);
    if (x.kind != pattern::barrier)
      text += fmt::format(" {}", x.bytes);
    if (x.root != no_rank)
      text += fmt::format(" root {}", index(x.root));
    list.push_back(text);
  }
  return list;
}

std::map<pattern, std::uint64_t> volumes(const findings& f) {
  std::map<pattern, std::uint64_t> sums;
  for (const finding& x : f.found)
    for (const slice s : x.slices)
      sums[x.kind] += s.length;
  return sums;
}

const refusal* refusal_of(const findings& f, pattern kind, comm_id comm) {
  for (const refusal& r : f.refused)
    if (r.kind == kind && r.comm == comm)
      return &r;
  return nullptr;
}

std::string print(const graph& g, const transfers& t, const findings& f) {
  std::string text = fmt::format("{} ranks\n", g.ranks());
  for (const transfer& x : t.list)
    text += fmt::format("  {} B {}:{:#x} -> {}:{:#x}\n", x.length, index(x.source), x.source_address,
                        index(x.destination), x.destination_address);
  for (const std::string& s : summary(g, f))
    text += "  found " + s + "\n";
  for (const slice& s : f.residual)
    text += fmt::format("  residual {}+{} of {}\n", s.offset, s.length, s.transfer);
  for (const refusal& r : f.refused)
    text += fmt::format("  no {}: {} ({})\n", name(r.kind), r.detail, number(r.why));
  return text;
}

} // namespace tacit::test
