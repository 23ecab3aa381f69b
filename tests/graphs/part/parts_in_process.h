// What all ranks do when they analyse a graph in parts, in one process: parcels arrive in a random order.
#pragma once

#include "graphs/part/part_plan.h"

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tacit::test {

using namespace graphs;

/// A graph without operations.
inline graph ranks_of(const graph& g) {
  graph out(g.ranks());
  for (std::size_t c = 1; c < g.communicators().size(); ++c)
    out.add_communicator(g.communicators()[c].name, g.communicators()[c].members);
  return out;
}

/// The operations of one rank as a graph of their own.
inline graph part_of_rank(const graph& g, rank_id r) {
  graph out = ranks_of(g);
  std::vector<op_id> now(g.size(), no_op);
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const operation& o = g.operations()[i];
    const op_id op{i};
    if (o.rank != r)
      continue;
    switch (o.kind) {
    case op_kind::send:
      now[i] = out.send(r, g.reads(op), o.peer, o.tag, o.comm);
      break;
    case op_kind::recv:
      now[i] = out.recv(r, g.writes(op), o.peer, o.tag, o.comm);
      break;
    case op_kind::copy:
      now[i] = out.copy(r, g.reads(op), g.writes(op));
      break;
    case op_kind::fence:
      now[i] = out.fence(r, o.comm);
      break;
    default:
      now[i] = out.opaque(r, g.reads(op), g.writes(op));
      break;
    }
  }
  for (const dependency& d : g.dependencies())
    if (g[d.before].rank == r)
      out.depend(now[index(d.before)], now[index(d.after)]);
  for (const auto& [rank, bytes] : g.scratch_bytes())
    if (rank == r)
      out.scratch(rank, bytes);
  for (const auto& [rank, bytes] : g.live_out_bytes())
    if (rank == r)
      out.live_out(rank, bytes);
  return out;
}

class parts_in_process {
public:
  parts_in_process(const graph& g, std::uint64_t seed, flow_options budget = {1u << 20, 1u << 26})
      : random_(seed), budget_(budget) {
    for (std::uint32_t r = 0; r < g.ranks(); ++r)
      parts_.push_back(part_of_rank(g, rank_id{r}));
    for (std::uint32_t r = 0; r < g.ranks() && !g.live_out_bytes().empty(); ++r)
      only_declared_is_read(parts_[r], rank_id{r});
  }

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(parts_.size()); }

  /// Follows all; what all say together. Nothing is delivered from or to a rank that refuses before.
  part_facts follow() {
    part_facts all;
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      const part_refusal why = refusal_of(parts_[r]);
      part_facts mine;
      refuse(mine, rank_id{r}, why);
      merge(all, mine);
    }
    if (all.why != 0)
      return all;
    runs_ = run_all(parts_);
    followed_ = true;
    gets_.resize(ranks());
    for (std::uint32_t r = 0; r < ranks(); ++r)
      merge(all, facts(r));
    return all;
  }

  /// All ranks have found out what remains, whatever that is.
  bool followed() const { return followed_; }
  const std::vector<transfer>& gets(std::uint32_t r) const { return gets_[r]; }
  const graph& part(std::uint32_t r) const { return parts_[r]; }
  const part_run& run(std::uint32_t r) const { return *runs_[r]; }

  /// The finding of all ranks; fills what they give.
  part_finding finding() {
    const part_facts all = follow();
    part_finding v = finding_of(all, ranks());
    gives_.assign(ranks(), {});
    if (v.why != part_refusal::none)
      return v;
    if (!v.claims)
      return compare_with_proposal(all, v);
    for (std::uint32_t r = 0; r < ranks(); ++r)
      for (const taken_bytes& t : sort_by_source(gets_[r], rank_id{r}).from)
        gives_[index(t.source)].push_back({rank_id{r}, t.bytes});
    part_facts shared;
    for (std::uint32_t r = 0; r < ranks(); ++r)
      add_shared(shared, gives_[r]);
    v = settle(v, shared);
    share_lengths(v);
    return v;
  }

  /// The steps of all ranks by the plan of this name. Empty if some rank has none; the first fault that a rank finds goes to `fault`.
  std::optional<plan> steps(const part_finding& v, std::string_view name, std::string& fault) {
    plan all;
    std::vector<graph> followed;
    process_map where; // two ranks to a node
    for (std::uint32_t r = 0; r < ranks(); ++r)
      where.node.push_back(r / 2);
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      const own_part own{parts_[r], rank_id{r}, gets_[r], gives_[r]};
      std::optional<rank_plan> mine = own_steps(v, own, name, where);
      if (!mine)
        return std::nullopt;
      followed.push_back(steps_as_part(*mine, own));
      all.ranks.push_back(std::move(*mine));
    }
    const auto runs = run_all(followed);
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      const own_part own{parts_[r], rank_id{r}, gets_[r], gives_[r]};
      if (check_steps(all.ranks[r], own, followed[r], *runs[r]) != part_refusal::none && fault.empty())
        fault = "rank " + std::to_string(r);
    }
    return all;
  }

  /// Follows these parts until nothing can go on.
  std::vector<std::unique_ptr<part_run>> run_all(const std::vector<graph>& parts) {
    std::vector<std::unique_ptr<part_run>> runs;
    for (std::uint32_t r = 0; r < parts.size(); ++r)
      runs.push_back(std::make_unique<part_run>(parts[r], rank_id{r}, budget_));
    struct mail {
      rank_id from;
      parcel what;
    };
    std::vector<mail> under_way;
    const auto go = [&](std::uint32_t r) {
      runs[r]->advance();
      for (parcel& p : runs[r]->take_parcels()) {
        parcel_bytes += p.bytes.size();
        under_way.push_back({rank_id{r}, std::move(p)});
      }
    };
    for (std::uint32_t r = 0; r < parts.size(); ++r)
      go(r);
    while (!under_way.empty()) {
      std::swap(under_way[random_() % under_way.size()], under_way.back());
      const mail m = std::move(under_way.back());
      under_way.pop_back();
      runs[index(m.what.to)]->deliver(m.from, m.what.bytes);
      go(static_cast<std::uint32_t>(index(m.what.to)));
    }
    return runs;
  }

  std::uint64_t parcel_bytes = 0;

private:
  part_facts facts(std::uint32_t r) {
    part_facts mine;
    const rank_id self{r};
    part_refusal why = runs_[r]->fault();
    if (why == part_refusal::none && !runs_[r]->done())
      why = part_refusal::stuck;
    if (why == part_refusal::none && may_race(parts_[r], self))
      why = part_refusal::race;
    followed_ = followed_ && why == part_refusal::none;
    if (why == part_refusal::none) {
      gets_[r] = runs_[r]->result();
      mine = facts_of(sort_by_source(gets_[r], self), self, ranks(), parts_[r].size(), gets_[r].size());
    }
    refuse(mine, self, why);
    return mine;
  }

  void share_lengths(part_finding& v) const {
    const std::size_t told = v.why == part_refusal::none ? lengths_to_tell(v.kind, ranks()) : 0;
    v.lengths.resize(told * ranks());
    for (std::uint32_t r = 0; r < ranks() && told > 0; ++r)
      tell_lengths(v.kind, sort_by_source(gets_[r], rank_id{r}), gives_[r],
                   std::span(v.lengths).subspan(r * told, told));
  }

  part_finding compare_with_proposal(const part_facts& all, part_finding v) {
    const std::vector<segment> block = bytes_of(all.proposed[v.root == rank_id{0} ? 1 : 0]);
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      if (rank_id{r} == v.root)
        continue;
      if (sort_by_source(gets_[r], rank_id{r}).from.front().bytes != block)
        v.why = part_refusal::mixed;
      gives_[index(v.root)].push_back({rank_id{r}, block});
    }
    return v;
  }

  std::mt19937_64 random_;
  flow_options budget_;
  bool followed_ = false;
  std::vector<graph> parts_;
  std::vector<std::unique_ptr<part_run>> runs_;
  std::vector<std::vector<transfer>> gets_;
  std::vector<std::vector<taken_bytes>> gives_;
};

} // namespace tacit::test
