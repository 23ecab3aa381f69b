#include "graphs/affine/affine_meaning.h"

#include "graphs/plan/plan.h"

#include <algorithm>
#include <numeric>

namespace tacit::graphs {
namespace {

/// Of one rank; more are expanded as quickly as they are compared.
constexpr std::size_t most_stretches = 64;

bool is_apart(const stretch& s, std::uint64_t bytes) {
  const auto stride = static_cast<std::int64_t>(s.stride);
  const std::uint64_t distance = stride < 0 ? 0 - s.stride : s.stride;
  return s.count == 1 || distance >= bytes;
}

struct access {
  byte_range range;
  bool writes;
};

/// Everything may happen at once.
bool is_race_free(std::vector<access>& all) {
  std::sort(all.begin(), all.end(),
            [](const access& a, const access& b) { return a.range.begin < b.range.begin; });
  std::uint64_t touched = 0, written = 0;
  for (const access& a : all) {
    if (a.range.begin < (a.writes ? touched : written))
      return false;
    touched = std::max(touched, a.range.end);
    if (a.writes)
      written = std::max(written, a.range.end);
  }
  return true;
}

std::uint64_t count_of(std::span<const stretch> list) {
  return std::accumulate(list.begin(), list.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const stretch& s) { return sum + s.count; });
}

enum class sources : std::uint8_t { same, apart, mixed };

class meaning_search {
public:
  explicit meaning_search(const affine_graph& g) : g_(g) {
    m_.ranks = static_cast<std::uint32_t>(g.ranks.size());
  }

  affine_search run() {
    affine_refusal why = m_.ranks < 3 ? affine_refusal::few_ranks : alike();
    for (std::uint32_t r = 0; r < m_.ranks && why == affine_refusal::none; ++r)
      why = add_rank(g_.ranks[r]);
    if (why == affine_refusal::none) {
      m_.first.push_back(static_cast<std::uint32_t>(m_.stretches.size()));
      why = match();
    }
    for (std::uint32_t r = 0; r < m_.ranks && why == affine_refusal::none; ++r)
      why = check_memory(rank_id{r});
    if (why == affine_refusal::none)
      why = name_it();
    if (why != affine_refusal::none)
      return {{}, why};
    return {std::move(m_), why};
  }

private:
  affine_refusal alike();
  affine_refusal add_rank(const affine_list& list);
  affine_refusal add_stretches(const affine_list& list, op_kind kind, std::optional<std::uint64_t>& own);
  std::optional<std::uint64_t> take_own(std::size_t begin, std::uint32_t self);
  affine_refusal match();
  bool has_root(std::uint64_t sends, std::uint64_t receives);
  bool each_has_one(bool sends) const;
  affine_refusal check_memory(rank_id r);
  sources sources_of(rank_id r) const;
  affine_refusal name_it();

  const affine_graph& g_;
  affine_meaning m_;
  std::vector<access> accesses_;
};

/// All messages have the same communicator, tag and length.
affine_refusal meaning_search::alike() {
  const affine_run* first = nullptr;
  for (const affine_list& list : g_.ranks) {
    if (list.has_others())
      return affine_refusal::other_operations;
    for (const affine_run& r : list.runs()) {
      first = first ? first : &r;
      if (r.comm != world || r.tag != first->tag || r.data.length != first->data.length || r.data.length == 0)
        return affine_refusal::messages;
    }
  }
  if (!first)
    return affine_refusal::unmatched;
  m_.bytes = first->data.length;
  return affine_refusal::none;
}

/// The address of the piece for the rank itself, which is no part of the stretches any more.
std::optional<std::uint64_t> meaning_search::take_own(std::size_t begin, std::uint32_t self) {
  auto& all = m_.stretches;
  for (std::size_t i = begin; i < all.size(); ++i) {
    if (!all[i].has(self))
      continue;
    stretch before = all[i], behind = all[i];
    const std::uint64_t own = before.address_of(self);
    before.count = self - before.first;
    behind.first = self + 1;
    behind.count = static_cast<std::uint32_t>(all[i].end() - behind.first);
    behind.address = all[i].address_of(behind.first);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    for (const stretch& rest : {behind, before})
      if (rest.count > 0)
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), rest);
    return own;
  }
  return std::nullopt;
}

affine_refusal meaning_search::add_stretches(const affine_list& list, op_kind kind,
                                             std::optional<std::uint64_t>& own) {
  const std::size_t begin = m_.stretches.size();
  m_.first.push_back(static_cast<std::uint32_t>(begin));
  if (!append_stretches(list, kind, m_.stretches))
    return affine_refusal::peers;
  for (std::size_t i = begin; i < m_.stretches.size(); ++i)
    if (m_.stretches[i].end() > (i + 1 < m_.stretches.size() ? m_.stretches[i + 1].first : m_.ranks))
      return affine_refusal::peers; // two messages for one rank
  own = take_own(begin, static_cast<std::uint32_t>(index(list.self())));
  return m_.stretches.size() - begin > most_stretches ? affine_refusal::peers : affine_refusal::none;
}

affine_refusal meaning_search::add_rank(const affine_list& list) {
  std::optional<std::uint64_t> from, to;
  affine_refusal why = add_stretches(list, op_kind::send, from);
  if (why == affine_refusal::none)
    why = add_stretches(list, op_kind::recv, to);
  if (why != affine_refusal::none)
    return why;
  if (from.has_value() != to.has_value())
    return affine_refusal::unmatched;
  if (from)
    m_.own.push_back({list.self(), *from, *to});
  return affine_refusal::none;
}

/// All ranks but the root have one message, with the root: a send, or a receive.
bool meaning_search::each_has_one(bool sends) const {
  for (std::uint32_t r = 0; r < m_.ranks; ++r) {
    if (rank_id{r} == m_.root)
      continue;
    const auto one = sends ? m_.sends(rank_id{r}) : m_.receives(rank_id{r});
    const auto none = sends ? m_.receives(rank_id{r}) : m_.sends(rank_id{r});
    if (!none.empty() || one.size() != 1 || one.front().count != 1 || one.front().first != index(m_.root))
      return false;
  }
  return true;
}

/// The only rank that sends and receives so many.
bool meaning_search::has_root(std::uint64_t sends, std::uint64_t receives) {
  for (std::uint32_t r = 0; r < m_.ranks; ++r)
    if (count_of(m_.sends(rank_id{r})) == sends && count_of(m_.receives(rank_id{r})) == receives) {
      m_.root = rank_id{r};
      return true;
    }
  return false;
}

affine_refusal meaning_search::match() {
  const std::uint64_t others = m_.ranks - std::uint64_t{1};
  bool full = true;
  for (std::uint32_t r = 0; r < m_.ranks && full; ++r)
    full = count_of(m_.sends(rank_id{r})) == others && count_of(m_.receives(rank_id{r})) == others;
  if (full)
    m_.kind = pattern::alltoall;
  else if (has_root(others, 0) && each_has_one(false))
    m_.kind = pattern::scatter;
  else if (has_root(0, others) && each_has_one(true))
    m_.kind = pattern::gather;
  else
    return affine_refusal::unmatched;
  return affine_refusal::none;
}

affine_refusal meaning_search::check_memory(rank_id r) {
  accesses_.clear();
  bool good = true;
  const auto add = [&](const stretch& s, bool writes) {
    const std::optional<byte_range> range = range_of(s, m_.bytes);
    good = good && range && range->end <= user_memory_end && (!writes || is_apart(s, m_.bytes));
    if (good)
      accesses_.push_back({*range, writes});
  };
  for (const stretch& s : m_.sends(r))
    add(s, false);
  for (const stretch& s : m_.receives(r))
    add(s, true);
  if (const own_copy* own = m_.own_of(r)) {
    add({0, 1, own->from, 0}, false);
    add({0, 1, own->to, 0}, true);
  }
  return good && is_race_free(accesses_) ? affine_refusal::none : affine_refusal::memory;
}

sources meaning_search::sources_of(rank_id r) const {
  const std::span<const stretch> list = m_.sends(r);
  const auto is_same = [&](const stretch& s) {
    return s.address == list.front().address && (s.count == 1 || s.stride == 0);
  };
  if (std::all_of(list.begin(), list.end(), is_same))
    return sources::same;
  std::vector<access> all;
  for (const stretch& s : list) {
    if (!is_apart(s, m_.bytes))
      return sources::mixed;
    all.push_back({*range_of(s, m_.bytes), true});
  }
  return is_race_free(all) ? sources::apart : sources::mixed;
}

/// With one block for all, or for each.
affine_refusal meaning_search::name_it() {
  if (m_.kind == pattern::gather)
    return affine_refusal::none;
  const rank_id one = m_.kind == pattern::scatter ? m_.root : rank_id{0};
  const sources found = sources_of(one);
  bool alike = found != sources::mixed;
  for (std::uint32_t r = 0; r < m_.ranks && m_.kind == pattern::alltoall && alike; ++r)
    alike = sources_of(rank_id{r}) == found;
  if (!alike)
    return affine_refusal::mixed;
  if (found == sources::same)
    m_.kind = m_.kind == pattern::scatter ? pattern::bcast : pattern::allgather;
  return affine_refusal::none;
}

} // namespace

const own_copy* affine_meaning::own_of(rank_id r) const {
  const auto at = std::lower_bound(own.begin(), own.end(), r,
                                   [](const own_copy& o, rank_id rank) { return o.rank < rank; });
  return at != own.end() && at->rank == r ? &*at : nullptr;
}

std::string_view words(affine_refusal why) {
  switch (why) {
  case affine_refusal::none:
    break;
  case affine_refusal::few_ranks:
    return "there are fewer than three ranks";
  case affine_refusal::other_operations:
    return "not all operations are messages of one piece";
  case affine_refusal::peers:
    return "some run does not go from rank to rank, to each once";
  case affine_refusal::messages:
    return "messages differ in tag or length, or are empty";
  case affine_refusal::unmatched:
    return "not all ranks exchange with all, or with one root";
  case affine_refusal::memory:
    return "blocks lie in each other";
  case affine_refusal::mixed:
    return "some ranks send the same bytes to all and others do not";
  }
  return "it is one collective";
}

affine_search find_meaning(const affine_graph& g) {
  return meaning_search(g).run();
}

} // namespace tacit::graphs
