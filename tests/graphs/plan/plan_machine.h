// Executes a plan byte by byte in a random order that its steps allow, for tests. Shares no code with the
// expander that validation uses: messages and blocks are moved one by one at any time after both sides have
// started, either buffered (read when the send starts) or not, and in `strict` runs nothing is buffered and a
// collective completes only when all members have started it.
#pragma once

#include "graphs/plan/plan.h"
#include "oracle/random_graph.h"
#include "oracle/simulator.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tacit::test {

using namespace graphs;

using oracle::byte_value;
using oracle::rank_memory;

/// For messages of failing tests: the seed and the graph.
inline std::string show(const graph& g, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + "\n" + oracle::print(g);
}

struct machine_result {
  std::vector<rank_memory> memory; ///< written bytes, scratch included
  std::vector<bool> finished;      ///< per rank: all its steps completed
  std::vector<std::pair<op_id, std::vector<byte_value>>>
      calls; ///< in the order of execution, and what they read
  bool all_finished() const {
    return std::all_of(finished.begin(), finished.end(), [](bool f) { return f; });
  }
};

class plan_machine {
public:
  plan_machine(const graph& g, const plan& p, std::uint64_t seed, bool strict, rank_id absent = no_rank)
      : g_(g), p_(p), random_(seed), strict_(strict), absent_(absent) {}

  machine_result run() {
    set_up();
    for (auto all = possible(); !all.empty(); all = possible())
      perform(all[random_() % all.size()]);
    return result();
  }

  /// Executes the plan in every order that its steps allow: `visit` is called with each end that can be reached. Each state is looked at
  /// once, whatever order leads to it; false if there are more than `most`. Where messages may be buffered, all of them may. How operands of
  /// collectives are grouped is not tried in all ways.
  template <typename Visit>
  static bool run_in_every_order(const graph& g, const plan& p, bool strict, std::size_t most,
                                 Visit&& visit) {
    plan_machine first(g, p, 1, strict);
    first.set_up();
    for (wire& w : first.wires_)
      w.buffered = !strict;
    std::set<std::string> seen{first.key()};
    std::vector<plan_machine> open{std::move(first)};
    while (!open.empty()) {
      plan_machine now = std::move(open.back());
      open.pop_back();
      const std::vector<action> all = now.possible();
      if (all.empty())
        visit(now.result());
      for (const action& a : all) {
        plan_machine next = now;
        next.perform(a);
        if (!seen.insert(next.key()).second)
          continue;
        if (seen.size() > most)
          return false;
        open.push_back(std::move(next));
      }
    }
    return true;
  }

private:
  enum class step_state { waiting, started, done };
  struct place {
    std::size_t rank, step;
  };
  /// Bytes that go from one step to another.
  struct wire {
    place from, to;
    segment_list reads;
    segment_list writes;
    std::vector<byte_value> buffer;
    bool buffered = false, read = false, written = false;
  };
  struct action {
    enum { start, read, move, complete, give, combine } what;
    std::size_t rank = 0, number = 0; ///< step, or wire, or reduction and the place of the member in it
  };

  /// A collective that combines: what members have given so far.
  struct reduction_call {
    std::vector<place> members;
    std::vector<std::map<rank_id, std::vector<byte_value>>> given; ///< for whom; no_rank: for all
    std::vector<bool> gave;
    std::vector<bool> combined; ///< who has the result
  };

  void set_up() {
    const std::size_t n = g_.ranks();
    out_.memory.resize(n);
    state_.resize(n);
    for (std::size_t r = 0; r < n; ++r)
      state_[r].assign(p_.ranks[r].steps.size(), step_state::waiting);
    make_wires();
  }

  machine_result result() const {
    machine_result out = out_;
    for (const auto& steps : state_)
      out.finished.push_back(
          std::all_of(steps.begin(), steps.end(), [](step_state s) { return s == step_state::done; }));
    return out;
  }

  /// Equal for machines that can do the same from here on.
  std::string key() const {
    std::string out;
    const auto add = [&](const auto& number) {
      out.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const auto add_values = [&](const std::vector<byte_value>& values) {
      add(values.size());
      for (const byte_value& v : values) {
        add(v.first);
        add(v.second);
      }
    };
    for (const auto& steps : state_)
      for (const step_state s : steps)
        add(s);
    for (const rank_memory& memory : out_.memory) {
      add(memory.size());
      for (const auto& [address, v] : memory) {
        add(address);
        add(v.first);
        add(v.second);
      }
    }
    for (const auto& [op, read] : out_.calls) {
      add(op);
      add_values(read);
    }
    for (const wire& w : wires_) {
      add(w.read);
      add(w.written);
      add_values(w.written ? std::vector<byte_value>{} : w.buffer);
    }
    for (const reduction_call& c : reductions_)
      for (std::size_t i = 0; i < c.members.size(); ++i) {
        add(static_cast<char>(c.gave[i] + 2 * c.combined[i]));
        for (const auto& [whom, values] : c.given[i])
          add_values(values);
      }
    return out;
  }

  const step& at(place x) const { return p_.ranks[x.rank].steps[x.step]; }
  step_state& state(place x) { return state_[x.rank][x.step]; }

  void add_wire(place from, std::span<const segment> reads, place to, std::span<const segment> writes) {
    wires_.push_back({from, to, reads, writes, {}, !strict_ && random_() % 2 == 0, false, false});
  }

  std::vector<std::vector<place>> calls_on(comm_id c) const {
    std::vector<std::vector<place>> calls; // [k][member]
    for (const rank_id r : g_.communicators()[index(c)].members) {
      std::size_t k = 0;
      const auto& steps = p_.ranks[index(r)].steps;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind != step_kind::collective || steps[i].comm != c)
          continue;
        if (calls.size() <= k)
          calls.emplace_back();
        calls[k++].push_back({index(r), i});
      }
    }
    return calls;
  }

  void make_wires() {
    for (std::size_t r = 0; r < g_.ranks(); ++r)
      for (std::size_t i = 0; i < p_.ranks[r].steps.size(); ++i) {
        const step& s = p_.ranks[r].steps[i];
        if (s.kind != step_kind::send)
          continue;
        const auto& there = p_.ranks[index(s.peer)].steps;
        for (std::size_t j = 0; j < there.size(); ++j)
          if (there[j].kind == step_kind::recv && index(there[j].peer) == r && there[j].tag == s.tag)
            add_wire({r, i}, s.reads, {index(s.peer), j}, there[j].writes);
      }
    for (std::size_t c = 0; c < g_.communicators().size(); ++c)
      for (const auto& call : calls_on(comm_id{static_cast<std::uint16_t>(c)})) {
        calls_.push_back(call);
        if (is_reduction(at(call.front()).collective)) {
          const std::size_t n = call.size();
          reductions_.push_back({call, std::vector<std::map<rank_id, std::vector<byte_value>>>(n),
                                 std::vector<bool>(n, false), std::vector<bool>(n, false)});
          continue;
        }
        for (const place a : call)
          for (const place b : call)
            wire_blocks(a, b);
      }
  }

  void wire_blocks(place a, place b) {
    if (a.rank == b.rank)
      return;
    for (const block& out : at(a).sends) {
      if (out.peer != no_rank && index(out.peer) != b.rank)
        continue;
      for (const block& in : at(b).receives)
        if (index(in.peer) == a.rank)
          add_wire(a, out.bytes, b, in.bytes);
    }
  }

  bool may_start(place x) {
    if (state(x) != step_state::waiting || rank_id{static_cast<std::uint32_t>(x.rank)} == absent_)
      return false;
    for (const std::uint32_t before : at(x).after)
      if (state({x.rank, before}) != step_state::done)
        return false;
    if (at(x).kind != step_kind::collective)
      return true;
    for (std::size_t i = 0; i < x.step; ++i) // collectives of a communicator are called in order
      if (at({x.rank, i}).kind == step_kind::collective && at({x.rank, i}).comm == at(x).comm &&
          state({x.rank, i}) == step_state::waiting)
        return false;
    return true;
  }

  bool all_started(place x) {
    for (const auto& call : calls_)
      if (std::any_of(call.begin(), call.end(),
                      [&](place y) { return y.rank == x.rank && y.step == x.step; }))
        return std::all_of(call.begin(), call.end(),
                           [&](place y) { return state(y) != step_state::waiting; });
    return true;
  }

  bool may_complete(place x) {
    if (state(x) != step_state::started)
      return false;
    const step& s = at(x);
    const bool together = s.kind == step_kind::collective && (strict_ || s.collective == pattern::barrier);
    if (together && !all_started(x))
      return false;
    for (const reduction_call& c : reductions_)
      for (std::size_t i = 0; i < c.members.size(); ++i)
        if (c.members[i].rank == x.rank && c.members[i].step == x.step)
          return c.gave[i] && (s.receives.empty() || c.combined[i]);
    bool wired = false;
    for (const wire& w : wires_) {
      const bool mine_out = w.from.rank == x.rank && w.from.step == x.step;
      const bool mine_in = w.to.rank == x.rank && w.to.step == x.step;
      if (mine_out && !w.read)
        return false;
      if (mine_in && !w.written)
        return false;
      wired = wired || mine_out || mine_in;
    }
    return wired || (s.kind != step_kind::send && s.kind != step_kind::recv);
  }

  std::vector<action> possible() {
    std::vector<action> all;
    for (std::size_t r = 0; r < state_.size(); ++r)
      for (std::size_t i = 0; i < state_[r].size(); ++i) {
        if (may_start({r, i}))
          all.push_back({action::start, r, i});
        if (may_complete({r, i}))
          all.push_back({action::complete, r, i});
      }
    for (std::size_t w = 0; w < wires_.size(); ++w) {
      const wire& x = wires_[w];
      const bool from = state(x.from) != step_state::waiting, to = state(x.to) != step_state::waiting;
      if (!x.read && from && (x.buffered || to))
        all.push_back({action::read, 0, w});
      if (x.read && !x.written && to)
        all.push_back({action::move, 0, w});
    }
    for (std::size_t c = 0; c < reductions_.size(); ++c) {
      const reduction_call& x = reductions_[c];
      for (std::size_t i = 0; i < x.members.size(); ++i) {
        if (!x.gave[i] && state(x.members[i]) != step_state::waiting)
          all.push_back({action::give, i, c});
        if (may_combine(x, i))
          all.push_back({action::combine, i, c});
      }
    }
    return all;
  }

  /// A member gets its result when those whose operands it consists of have given them: in scans not all.
  static std::pair<std::size_t, std::size_t> operands_of(pattern kind, std::size_t member, std::size_t n) {
    return {0, kind == pattern::scan ? member + 1 : kind == pattern::exscan ? member : n};
  }
  bool may_combine(const reduction_call& x, std::size_t member) {
    if (x.combined[member] || at(x.members[member]).receives.empty() ||
        state(x.members[member]) == step_state::waiting)
      return false;
    const auto [first, end] = operands_of(at(x.members[member]).collective, member, x.members.size());
    return std::all_of(x.gave.begin() + static_cast<std::ptrdiff_t>(first),
                       x.gave.begin() + static_cast<std::ptrdiff_t>(end), [](bool gave) { return gave; });
  }

  /// The expression that ends before `end`, which moves to its beginning.
  std::vector<byte_value> in_order(const evaluation& e, std::size_t& end,
                                   const std::vector<std::vector<byte_value>>& parts, reducer_id by) {
    const std::uint32_t last = e[--end];
    if (last != combine_both)
      return parts[last];
    const std::vector<byte_value> right = in_order(e, end, parts, by), left = in_order(e, end, parts, by);
    return oracle::combine(by, g_.reducers()[index(by)].element, left, right);
  }

  /// In any order and grouping that the operator allows, as MPI does, or as the step says.
  std::vector<byte_value> combined(std::vector<std::vector<byte_value>> parts, reducer_id by,
                                   std::uint32_t order) {
    if (order > 0) {
      const evaluation& e = p_.orders[order - 1];
      std::size_t end = e.size();
      return in_order(e, end, parts, by);
    }
    if (g_.reducers()[index(by)].commutative)
      std::shuffle(parts.begin(), parts.end(), random_);
    while (parts.size() > 1) {
      const auto left = static_cast<std::ptrdiff_t>(random_() % (parts.size() - 1));
      parts[static_cast<std::size_t>(left)] =
          oracle::combine(by, g_.reducers()[index(by)].element, parts[static_cast<std::size_t>(left)],
                          parts[static_cast<std::size_t>(left) + 1]);
      parts.erase(parts.begin() + left + 1);
    }
    return parts.front();
  }

  /// All get one result of an allreduce; those of other collectives are made for each member by itself.
  void combine(reduction_call& c, std::size_t member) {
    const step& mine = at(c.members[member]);
    const auto [first, end] = operands_of(mine.collective, member, c.members.size());
    const rank_id wanted = row_of(mine.collective).moves == signature::all_into_each
                               ? rank_id{static_cast<std::uint32_t>(c.members[member].rank)}
                               : no_rank;
    std::vector<std::vector<byte_value>> parts;
    for (std::size_t i = first; i < end; ++i)
      parts.push_back(c.given[i].at(wanted));
    const std::vector<byte_value> result = combined(std::move(parts), mine.by, mine.order);
    const bool for_all = mine.collective == pattern::allreduce;
    for (std::size_t i = 0; i < c.members.size(); ++i) {
      if (i != member && !for_all)
        continue;
      for (const block& b : at(c.members[i]).receives)
        store(c.members[i].rank, b.bytes, result);
      c.combined[i] = true;
    }
  }

  void perform(const action& a) {
    switch (a.what) {
    case action::start:
      start({a.rank, a.number});
      break;
    case action::complete:
      state_[a.rank][a.number] = step_state::done;
      break;
    case action::give: {
      reduction_call& c = reductions_[a.number];
      const place m = c.members[a.rank];
      for (const block& b : at(m).sends)
        c.given[a.rank][b.peer] = load(m.rank, b.bytes);
      c.gave[a.rank] = true;
      break;
    }
    case action::combine:
      combine(reductions_[a.number], a.rank);
      break;
    case action::read:
      wires_[a.number].buffer = load(wires_[a.number].from.rank, wires_[a.number].reads);
      wires_[a.number].read = true;
      break;
    case action::move:
      store(wires_[a.number].to.rank, wires_[a.number].writes, wires_[a.number].buffer);
      wires_[a.number].written = true;
      break;
    }
  }

  void start(place x) {
    state(x) = step_state::started;
    const step& s = at(x);
    if (s.kind == step_kind::copy)
      store(x.rank, s.writes, load(x.rank, s.reads));
    if (s.kind == step_kind::reduce)
      store(x.rank, s.writes,
            oracle::combine(s.by, g_.reducers()[index(s.by)].element, load(x.rank, s.reads),
                            load(x.rank, s.writes)));
    if (s.kind == step_kind::call) {
      out_.calls.emplace_back(s.op, load(x.rank, s.reads));
      for (const segment& w : s.writes)
        for (std::uint64_t i = 0; i < w.length; ++i)
          out_.memory[x.rank][w.address + i] = {oracle::unknown_rank, index(s.op)};
    }
  }

  std::vector<byte_value> load(std::size_t rank, std::span<const segment> from) const {
    std::vector<byte_value> out;
    for (const segment& s : from)
      for (std::uint64_t i = 0; i < s.length; ++i) {
        const auto found = out_.memory[rank].find(s.address + i);
        out.push_back(found != out_.memory[rank].end()
                          ? found->second
                          : byte_value{static_cast<std::uint32_t>(rank), s.address + i});
      }
    return out;
  }
  void store(std::size_t rank, std::span<const segment> into, const std::vector<byte_value>& what) {
    std::size_t next = 0;
    for (const segment& s : into)
      for (std::uint64_t i = 0; i < s.length && next < what.size(); ++i)
        out_.memory[rank][s.address + i] = what[next++];
  }

  const graph& g_;
  const plan& p_;
  std::mt19937_64 random_;
  bool strict_;
  rank_id absent_;
  std::vector<std::vector<step_state>> state_;
  std::vector<wire> wires_;
  std::vector<std::vector<place>> calls_;
  std::vector<reduction_call> reductions_;
  machine_result out_;
};

} // namespace tacit::test
