#include "graphs/plan/shape.h"

#include "graphs/graph/segments.h"
#include "vocabulary/base/hash.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace tacit::graphs {
namespace {

std::string_view name(step_kind kind) {
  constexpr std::string_view names[] = {"copy", "send", "recv", "collective", "call", "reduce"};
  return names[static_cast<int>(kind)];
}

/// Who is in which communicator.
class groups {
public:
  explicit groups(const graph& g) : g_(g), sorted_(g.communicators().size()) {}
  bool contains(comm_id c, rank_id r) {
    const auto& members = g_.communicators()[index(c)].members;
    if (c == world) // holds every rank by construction
      return index(r) < g_.ranks();
    auto& sorted = sorted_[index(c)];
    if (sorted.size() < members.size()) {
      sorted = members;
      std::sort(sorted.begin(), sorted.end());
    }
    return std::binary_search(sorted.begin(), sorted.end(), r);
  }
  /// Whether it holds all ranks for which there are blocks; all of these exist.
  bool contains(comm_id c, const block_run& run) {
    if (c == world)
      return index(run.peer) < g_.ranks();
    for (std::uint32_t i = 0; i < run.count; ++i)
      if (!contains(c, run.at(i).peer))
        return false;
    return true;
  }
  std::size_t ranks() const { return g_.ranks(); }
  std::size_t size(comm_id c) const { return g_.communicators()[index(c)].members.size(); }

  std::vector<rank_id> peers; ///< for use within one check

private:
  const graph& g_;
  std::vector<std::vector<rank_id>> sorted_; ///< members; made on first use
};

std::string_view check_bytes(const plan& p, std::uint32_t rank, std::span<const segment> list) {
  for (const segment& s : list) {
    if (s.length == 0)
      return "an empty segment";
    const std::uint64_t last = s.address + (s.length - 1);
    if (last < s.address)
      return "a segment that wraps around";
    if (p.as_written || last < user_memory_end)
      continue;
    if (s.address < scratch_base)
      return "a segment that runs into scratch memory";
    const std::uint64_t size = p.ranks[rank].scratch_bytes, offset = s.address - scratch_base;
    if (offset > size || s.length > size - offset)
      return "a segment beyond its scratch memory";
  }
  return {};
}

/// Nearly always they are in order, so that those that follow each other are all that can be equal.
bool any_twice(groups& all, const block_list& blocks) {
  if (blocks.are_in_order())
    return false;
  all.peers.clear();
  for (const block b : blocks)
    all.peers.push_back(b.peer);
  std::sort(all.peers.begin(), all.peers.end());
  return std::adjacent_find(all.peers.begin(), all.peers.end()) != all.peers.end();
}

/// `own_allowed`: there may be a block for the rank itself.
std::string_view check_blocks(groups& all, const step& s, std::uint32_t rank, const block_list& blocks,
                              bool shared_allowed, bool own_allowed = false) {
  for (const block_run& run : blocks.runs()) {
    if (run.count > 1 && (run.bytes.size() != 1 || index(run.peer) + run.count > all.ranks()))
      return "blocks in a row that are none";
    if (shared_allowed && run.peer == no_rank && blocks.size() == 1)
      continue;
    if (index(run.peer) <= rank && rank - index(run.peer) < run.count && !own_allowed)
      return "a block for the rank itself (the call would copy it)";
    if (!all.contains(s.comm, run))
      return "a block for a rank outside the group";
  }
  return any_twice(all, blocks) ? "two blocks for one rank" : std::string_view{};
}

/// Which blocks a rank may have in a call: how many sent, how many received, at most and (uniform) at least.
struct block_counts {
  std::size_t sends, receives;
  bool exact;
};

/// `first`, `last`: whether the rank is that of the group.
block_counts expected_blocks(pattern kind, bool root, bool first, bool last, std::size_t n) {
  const std::size_t others = n - 1;
  const bool exact = is_uniform(kind);
  switch (row_of(kind).moves) {
  case signature::root_to_all:
    return {root ? 1u : 0u, root ? 0u : 1u, exact};
  case signature::each_to_all:
    return {1, others, exact};
  case signature::each_to_each:
    return {others, others, exact};
  case signature::root_to_each:
    return {root ? others : 0, root ? 0u : 1u, exact};
  case signature::each_to_root:
    return {root ? 0u : 1u, root ? others : 0, exact};
  case signature::all_into_root:
    return {1, root ? 1u : 0u, exact};
  case signature::all_into_all:
    return {1, 1, exact};
  case signature::all_into_each:
    return {n, 1, exact};
  case signature::up_to_each:
    return {1, first ? 0u : 1u, exact};
  case signature::before_each:
    return {last ? 0u : 1u, first ? 0u : 1u, exact};
  case signature::no_data:
    break;
  }
  return {0, 0, exact};
}

/// Operands of all members, each once, if they have to be combined in an order.
std::string_view check_order(const graph& g, const plan& p, const step& s) {
  const auto members = static_cast<std::uint32_t>(g.communicators()[index(s.comm)].members.size());
  const bool right =
      s.order == 0 || (s.order <= p.orders.size() && !is_scan(s.collective) && is_reduction(s.collective) &&
                       is_evaluation_of(p.orders[s.order - 1], members));
  return right ? std::string_view{} : "an order that is none of its group";
}

/// Whole elements of an operator that all ranks have; MPI's buffers must not overlap.
std::string_view check_reduction(const graph& g, const step& s) {
  if (index(s.by) >= g.reducers().size() || !g.reducers()[index(s.by)].anywhere)
    return "an operator that not all ranks have";
  const std::uint32_t element = g.reducers()[index(s.by)].element;
  if (s.largest_block % element != 0)
    return "parts of elements";
  for (const block_run& a : s.sends.runs()) {
    if (total_length(a.bytes) % element != 0)
      return "parts of elements";
    for (const block_run& b : s.receives.runs())
      if (overlap(a.all_bytes(), b.all_bytes()))
        return "a result that overlaps its operand";
  }
  return {};
}

/// In a reduce-scatter a rank gets as much as it gives of its own block.
std::string_view check_own_block(const step& s, std::uint32_t rank) {
  std::uint64_t own = 0, got = 0;
  if (const auto given = s.sends.find(rank_id{rank}, rank))
    own = total_length(given->bytes);
  for (const block_run& run : s.receives.runs())
    got += total_length(run.all_bytes());
  return own == got ? std::string_view{} : "a result that is not as long as its operand";
}

std::string_view check_collective(groups& all, const graph& g, const plan& p, std::uint32_t rank,
                                  const step& s) {
  if (index(s.comm) >= g.communicators().size())
    return "an unknown communicator";
  if (!all.contains(s.comm, rank_id{rank}))
    return "a communicator without this rank";
  if (is_rooted(s.collective) && !all.contains(s.comm, s.peer))
    return "a root outside the group";
  if (s.tag < 0)
    return "a negative number";
  const bool reduces = is_reduction(s.collective);
  const bool each = row_of(s.collective).moves == signature::all_into_each;
  const bool shared = is_shared(s.collective) || (reduces && !each);
  if (auto fault = check_blocks(all, s, rank, s.sends, shared, each); !fault.empty())
    return fault;
  if (auto fault = check_blocks(all, s, rank, s.receives, reduces); !fault.empty())
    return fault;
  if (auto fault = reduces ? check_reduction(g, s) : std::string_view{}; !fault.empty())
    return fault;
  if (auto fault = check_order(g, p, s); !fault.empty())
    return fault;
  if (auto fault = each ? check_own_block(s, rank) : std::string_view{}; !fault.empty())
    return fault;
  for (const block_run& run : s.sends.runs())
    if (shared != (run.peer == no_rank))
      return "a block for the wrong receivers";
  const auto& members = g.communicators()[index(s.comm)].members;
  const bool first = members.front() == rank_id{rank}, last = members.back() == rank_id{rank};
  const auto allowed = expected_blocks(s.collective, index(s.peer) == rank, first, last, all.size(s.comm));
  if (s.sends.size() > allowed.sends || s.receives.size() > allowed.receives)
    return "too many blocks";
  if (allowed.exact && (s.sends.size() != allowed.sends || s.receives.size() != allowed.receives))
    return "missing blocks";
  std::uint64_t sent = 0, got = 0;
  for (const auto* blocks : {&s.sends, &s.receives})
    for (const block_run& run : blocks->runs()) {
      const std::uint64_t length = total_length(run.bytes);
      if (run.count > 1 && length > ~std::uint64_t{0} / run.count)
        return "a segment that wraps around";
      if (auto fault = check_bytes(p, rank, run.all_bytes()); !fault.empty())
        return fault;
      if (length > s.largest_block || (allowed.exact && length != s.largest_block))
        return "a block of another size";
      (blocks == &s.sends ? sent : got) += run.count * length;
    }
  const bool gathers = row_of(s.collective).moves == signature::each_to_all;
  if ((gathers ? sent + got : std::max(sent, got)) > s.largest_total)
    return "more bytes than it claims";
  return {};
}

std::string_view check_step(groups& all, const graph& g, const plan& p, std::uint32_t rank,
                            std::uint32_t number) {
  const step& s = p.ranks[rank].steps[number];
  for (const std::uint32_t before : s.after)
    if (before >= number)
      return "a dependency on a later step";
  if (auto fault = check_bytes(p, rank, s.reads); !fault.empty())
    return fault;
  if (auto fault = check_bytes(p, rank, s.writes); !fault.empty())
    return fault;
  const bool message = is_message(s);
  if (message && (index(s.peer) >= g.ranks() || s.tag < 0))
    return "a peer or tag that does not exist";
  if (s.kind == step_kind::copy && total_length(s.reads) != total_length(s.writes))
    return "unequal lengths";
  if (s.kind == step_kind::call && (index(s.op) >= g.size() || g[s.op].kind != op_kind::opaque))
    return "a call of something that is no computation of the program";
  if (s.kind == step_kind::reduce) {
    const bool of_collective = s.op == no_op && index(s.by) < g.reducers().size() &&
                               g.reducers()[index(s.by)].anywhere &&
                               total_length(s.writes) % g.reducers()[index(s.by)].element == 0;
    if (!of_collective && (index(s.op) >= g.size() || !g.reduces(s.op) || g.reduces_by(s.op) != s.by))
      return "a reduction that the graph does not have";
    if (total_length(s.reads) != total_length(s.writes) || overlap(s.reads, s.writes))
      return "operands of unequal lengths, or that overlap";
  }
  if (s.kind == step_kind::collective)
    return check_collective(all, g, p, rank, s);
  if (!s.sends.empty() || !s.receives.empty())
    return "blocks outside a collective";
  return {};
}

/// To a reduce-scatter all members give blocks of the same lengths.
bool give_alike(const step& a, const step& b) {
  return row_of(a.collective).moves != signature::all_into_each ||
         std::equal(a.sends.begin(), a.sends.end(), b.sends.begin(), b.sends.end(),
                    [](const block& x, const block& y) {
                      return x.peer == y.peer && total_length(x.bytes) == total_length(y.bytes);
                    });
}

bool alike(const step& a, const step& b) {
  return a.collective == b.collective && a.tag == b.tag && a.by == b.by && a.order == b.order &&
         a.largest_block == b.largest_block && a.largest_total == b.largest_total &&
         (!is_rooted(a.collective) || a.peer == b.peer) && give_alike(a, b);
}

/// The calls of one rank on each communicator.
class calls_of_rank {
public:
  void look_at(const rank_plan& r) {
    for (const comm_id c : used_)
      calls_[index(c)].clear();
    used_.clear();
    for (const step& s : r.steps)
      if (s.kind == step_kind::collective)
        add(s);
  }
  std::span<const comm_id> used() const { return used_; }
  const std::vector<const step*>& on(comm_id c) {
    calls_.resize(std::max(calls_.size(), index(c) + 1));
    return calls_[index(c)];
  }

private:
  void add(const step& s) {
    if (on(s.comm).empty())
      used_.push_back(s.comm);
    calls_[index(s.comm)].push_back(&s);
  }
  std::vector<std::vector<const step*>> calls_; ///< per communicator
  std::vector<comm_id> used_;
};

/// All members call the same collectives in the same order, per communicator. Each step was found to be on a communicator that holds
/// its rank, so it is enough to compare those who call any with the first one of them, and to count them.
class agreement {
public:
  explicit agreement(const graph& g) : g_(g), all_(g.communicators().size()) {}

  /// Ranks are added in ascending order.
  void add(const plan& p, std::uint32_t rank) {
    if (!fault_.empty())
      return;
    mine_.look_at(p.ranks[rank]);
    for (const comm_id c : mine_.used())
      compare(rank, c);
  }

  /// The first difference, in words; empty if there is none.
  std::string fault() const {
    if (!fault_.empty())
      return fault_;
    for (std::size_t c = 0; c < all_.size(); ++c)
      if (all_[c].members > 0 && all_[c].members < g_.communicators()[c].members.size())
        return fmt::format("{} of {} members call collectives on communicator {}", all_[c].members,
                           g_.communicators()[c].members.size(), g_.communicators()[c].name);
    return {};
  }

private:
  struct expected {
    std::uint32_t rank = 0; ///< who called them first
    std::uint32_t members = 0;
    std::vector<const step*> calls;
  };

  void compare(std::uint32_t rank, comm_id c) {
    expected& first = all_[index(c)];
    const auto& calls = mine_.on(c);
    if (first.members++ == 0) {
      first.rank = rank;
      first.calls = calls;
      return;
    }
    const auto& name = g_.communicators()[index(c)].name;
    if (calls.size() != first.calls.size()) {
      fault_ = fmt::format("ranks {} and {} call {} and {} collectives on communicator {}", first.rank, rank,
                           first.calls.size(), calls.size(), name);
      return;
    }
    for (std::size_t k = 0; k < calls.size() && fault_.empty(); ++k)
      if (!alike(*first.calls[k], *calls[k]))
        fault_ = fmt::format("ranks {} and {} differ in collective {} on communicator {}", first.rank, rank,
                             k, name);
  }

  const graph& g_;
  std::vector<expected> all_; ///< by communicator
  calls_of_rank mine_;
  std::string fault_;
};

} // namespace

std::string describe_step(const plan& p, std::uint32_t rank, std::uint32_t number) {
  const step& s = p.ranks[rank].steps[number];
  return fmt::format("rank {} step {} ({})", rank, number,
                     s.kind == step_kind::collective ? tacit::vocabulary::name(s.collective) : name(s.kind));
}

std::string check_shape(const graph& g, const plan& p) {
  if (p.ranks.size() != g.ranks())
    return fmt::format("plan for {} ranks, graph of {}", p.ranks.size(), g.ranks());
  groups all(g);
  agreement calls(g);
  for (std::uint32_t r = 0; r < g.ranks(); ++r) {
    for (std::uint32_t i = 0; i < p.ranks[r].steps.size(); ++i)
      if (auto fault = check_step(all, g, p, r, i); !fault.empty())
        return fmt::format("{} has {}", describe_step(p, r, i), fault);
    calls.add(p, r);
  }
  return calls.fault();
}

namespace {

/// Worklist over steps. A step starts when everything in `after` has completed and, if it is a collective,
/// the previous collective of this rank on the same communicator has started. A group of steps (the two sides
/// of a message, the members of a collective) completes when all of it has started.
class progress_run {
public:
  progress_run(const graph& g, const plan& p) : p_(p), base_(g.ranks() + 1, 0) {
    for (std::uint32_t r = 0; r < g.ranks(); ++r)
      base_[r + 1] = base_[r] + static_cast<std::uint32_t>(p.ranks[r].steps.size());
    const std::size_t n = base_.back();
    waiting_.assign(n, 0);
    party_.resize(n);
    rank_.resize(n);
    first_successor_.assign(n, none);
    make_edges();
  }

  /// The number of a step that never completes, or `none`.
  std::uint32_t stuck() {
    for (const auto& [key, message] : party_of_[0])
      if (parties_[message].size() != 2)
        return parties_[message].front(); // a side is missing, or a tag is used twice
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < waiting_.size(); ++i)
      if (waiting_[i] == 0)
        ready.push_back(i);
    std::vector<bool> done(waiting_.size(), false);
    while (!ready.empty()) {
      const std::uint32_t started = ready.back();
      ready.pop_back();
      release(first_on_start(started), ready);
      if (--not_started_[party_[started]] > 0)
        continue;
      for (const std::uint32_t member : parties_[party_[started]]) {
        done[member] = true;
        release(first_successor_[member], ready);
      }
    }
    for (std::uint32_t i = 0; i < done.size(); ++i)
      if (!done[i])
        return i;
    return none;
  }

  std::pair<std::uint32_t, std::uint32_t> rank_and_step(std::uint32_t i) const {
    return {rank_[i], i - base_[rank_[i]]};
  }
  static constexpr std::uint32_t none = ~0u;

private:
  struct edge {
    std::uint32_t to, next;
  };
  std::uint32_t first_on_start(std::uint32_t i) const {
    const auto found = next_collective_.find(i);
    return found == next_collective_.end() ? none : found->second;
  }
  void release(std::uint32_t at, std::vector<std::uint32_t>& ready) {
    for (; at != none; at = edges_[at].next)
      if (--waiting_[edges_[at].to] == 0)
        ready.push_back(edges_[at].to);
  }
  void add_edge(std::uint32_t& first, std::uint32_t to) {
    edges_.push_back({to, first});
    first = static_cast<std::uint32_t>(edges_.size() - 1);
    ++waiting_[to];
  }
  std::uint32_t party_of(std::uint64_t key, int kind, std::uint64_t more) {
    auto [found, fresh] = party_of_[kind].try_emplace({key, more}, parties_.size());
    if (fresh)
      parties_.emplace_back();
    return static_cast<std::uint32_t>(found->second);
  }
  void join(std::uint32_t i, std::uint32_t party) {
    party_[i] = party;
    parties_[party].push_back(i);
  }
  void make_edges() {
    for (std::uint32_t r = 0; r + 1 < base_.size(); ++r) {
      std::unordered_map<comm_id, std::pair<std::uint32_t, std::uint32_t>>
          last; // last call on it, how many so far
      for (std::uint32_t i = base_[r]; i < base_[r + 1]; ++i) {
        const step& s = p_.ranks[r].steps[i - base_[r]];
        rank_[i] = r;
        for (const std::uint32_t before : s.after)
          add_edge(first_successor_[base_[r] + before], i);
        const auto tag = static_cast<std::uint64_t>(s.tag);
        if (s.kind == step_kind::send) {
          join(i, party_of(std::uint64_t{r} << 32 | index(s.peer), 0, tag));
        } else if (s.kind == step_kind::recv) {
          join(i, party_of(static_cast<std::uint64_t>(index(s.peer)) << 32 | r, 0, tag));
        } else if (s.kind == step_kind::collective) {
          const auto before = last.find(s.comm);
          const std::uint32_t number = before == last.end() ? 0 : before->second.second;
          if (before != last.end())
            add_edge(next_collective_.try_emplace(before->second.first, none).first->second, i);
          last[s.comm] = {i, number + 1};
          join(i, party_of(index(s.comm), 1, number));
        } else {
          parties_.emplace_back();
          join(i, static_cast<std::uint32_t>(parties_.size() - 1));
        }
      }
    }
    not_started_.resize(parties_.size());
    for (std::size_t i = 0; i < parties_.size(); ++i)
      not_started_[i] = parties_[i].size();
  }

  const plan& p_;
  std::vector<std::uint32_t> base_, waiting_, party_, rank_, first_successor_;
  std::vector<edge> edges_;
  std::unordered_map<std::uint32_t, std::uint32_t> next_collective_; ///< released when the step starts
  struct hash_pair {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& p) const {
      hashed_words both;
      both.add(p.first);
      both.add(p.second);
      return both.value();
    }
  };
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::size_t, hash_pair>
      party_of_[2]; // messages, calls
  std::vector<std::vector<std::uint32_t>> parties_;
  std::vector<std::size_t> not_started_;
};

} // namespace

std::string check_progress(const graph& g, const plan& p) {
  progress_run run(g, p);
  const std::uint32_t stuck = run.stuck();
  if (stuck == progress_run::none)
    return {};
  const auto [rank, number] = run.rank_and_step(stuck);
  return fmt::format("{} can never complete", describe_step(p, rank, number));
}

} // namespace tacit::graphs
