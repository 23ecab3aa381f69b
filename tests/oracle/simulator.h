// A byte-level simulator, for tests: executes a graph on real memory, one byte at a time, in a random order
// that happens-before allows. It shares no code with the rooms match and flow.
//
// Every byte of every rank starts as itself, the pair (rank, address); an opaque operation writes "unknown,
// by this operation", a reduction what it combines. What the memory holds at the end is the truth that transfers are compared with.
#pragma once

#include "oracle/combination.h"
#include "oracle/happens_before.h"

#include <map>
#include <random>
#include <stdexcept>
#include <string>

namespace tacit::oracle {

/// Only bytes that were written have an entry.
using rank_memory = std::map<std::uint64_t, byte_value>;

class simulator {
public:
  explicit simulator(const graph& g, elements are = elements::equal_if_operands_are)
      : g_(g), hb_(g), elements_(are) {}

  const happens_before& order() const { return hb_; }
  /// What opaque operations have read in the last run.
  const std::map<op_id, std::vector<byte_value>>& read_by_calls() const { return read_by_calls_; }

  /// Runs everything in a random order; throws if the graph cannot finish.
  std::vector<rank_memory> run(std::uint64_t seed) {
    memory_.assign(g_.ranks(), {});
    flying_.assign(g_.size(), {});
    std::mt19937_64 random(seed);
    std::vector<std::size_t> open(hb_.nodes()), ready;
    for (std::size_t n = 0; n < hb_.nodes(); ++n) {
      open[n] = hb_.before(n).size();
      if (open[n] == 0)
        ready.push_back(n);
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const std::size_t pick = random() % ready.size();
      const std::size_t node = ready[pick];
      ready[pick] = ready.back();
      ready.pop_back();
      if (node < g_.size())
        execute(op_id{static_cast<std::uint32_t>(node)});
      ++done;
      for (std::size_t n = 0; n < hb_.nodes(); ++n)
        for (const std::size_t before : hb_.before(n))
          if (before == node && --open[n] == 0)
            ready.push_back(n);
    }
    if (done != hb_.nodes())
      throw std::runtime_error("the graph cannot finish");
    return memory_;
  }

private:
  byte_value load(rank_id rank, std::uint64_t address) const {
    const auto& bytes = memory_[index(rank)];
    const auto found = bytes.find(address);
    return found == bytes.end() ? byte_value{index(rank), address} : found->second;
  }

  std::vector<byte_value> read(op_id op) const { return read(op, g_.reads(op)); }

  std::vector<byte_value> read(op_id op, std::span<const segment> list) const {
    std::vector<byte_value> out;
    for (const segment& s : list)
      for (std::uint64_t i = 0; i < s.length; ++i)
        out.push_back(load(g_[op].rank, s.address + i));
    return out;
  }

  void write(op_id op, const std::vector<byte_value>& what) {
    std::size_t next = 0;
    for (const segment& s : g_.writes(op))
      for (std::uint64_t i = 0; i < s.length && next < what.size(); ++i)
        memory_[index(g_[op].rank)][s.address + i] = what[next++];
    if (next < what.size())
      throw std::runtime_error("message longer than its receive");
  }

  void reduce(op_id op, const std::vector<byte_value>& left) {
    std::vector<byte_value> right = read(op, g_.writes(op));
    right.resize(left.size());
    const reducer_id by = g_.reduces_by(op);
    write(op, combine(by, g_.reducers()[index(by)].element, left, right, elements_));
  }

  void execute(op_id op) {
    switch (g_[op].kind) {
    case op_kind::send:
      flying_[index(hb_.shape.partner[index(op)])] = read(op);
      break;
    case op_kind::recv:
      if (g_.reduces(op))
        reduce(op, flying_[index(op)]);
      else
        write(op, flying_[index(op)]);
      break;
    case op_kind::reduce:
      reduce(op, read(op));
      break;
    case op_kind::copy:
      write(op, read(op));
      break;
    case op_kind::opaque:
      read_by_calls_[op] = read(op);
      for (const segment& s : g_.writes(op))
        for (std::uint64_t i = 0; i < s.length; ++i)
          memory_[index(g_[op].rank)][s.address + i] = {unknown_rank, index(op)};
      break;
    case op_kind::fence:
      break;
    }
  }

  const graph& g_;
  happens_before hb_;
  elements elements_;
  std::vector<rank_memory> memory_;
  std::map<op_id, std::vector<byte_value>> read_by_calls_;
  std::vector<std::vector<byte_value>> flying_; ///< per receive: its message
};

/// Would the graph finish if no message were ever buffered? One-sided pairs need no partner's action.
inline bool finishes_unbuffered(const graph& g) {
  const happens_before hb(g);
  const structure& shape = hb.shape;
  std::vector<bool> started(hb.nodes(), false), done(hb.nodes(), false);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t n = 0; n < hb.nodes(); ++n) {
      const bool is_message = n < g.size() && shape.partner[n] != no_op;
      const std::size_t partner = is_message ? index(shape.partner[n]) : n;
      if (!started[n]) {
        bool may = true;
        bool by_message =
            is_message && g.operations()[n].kind == op_kind::recv; // this edge, not a dependency too
        for (const std::size_t before : hb.before(n)) {
          if (by_message && before == partner)
            by_message = false;
          else if (!done[before])
            may = false;
        }
        if (may)
          started[n] = moved = true;
      }
      const bool buffered = is_message && shape.one_sided(op_id{static_cast<std::uint32_t>(n)}) &&
                            g.operations()[n].kind == op_kind::send;
      if (started[n] && !done[n] && (buffered || started[partner]))
        done[n] = moved = true;
    }
  }
  for (const bool d : done)
    if (!d)
      return false;
  return true;
}

/// Bytes whose final value somebody may read.
inline bool is_live(const graph& g, rank_id rank, std::uint64_t address) {
  const auto declared = [&](auto ranges) {
    for (const auto& [r, s] : ranges)
      if (r == rank && address >= s.address && address - s.address < s.length)
        return true;
    return false;
  };
  return g.live_out_bytes().empty() ? !declared(g.scratch_bytes()) : declared(g.live_out_bytes());
}

/// A graph in words, for failing tests.
inline std::string print(const graph& g) {
  std::string text = "ranks " + std::to_string(g.ranks()) + "\n";
  for (const communicator& c : g.communicators()) {
    text += "communicator " + c.name + ":";
    for (const rank_id r : c.members)
      text += " " + std::to_string(index(r));
    text += "\n";
  }
  const auto bytes = [&](const char* what, std::span<const segment> list) {
    for (const segment& s : list)
      text += std::string(what) + std::to_string(s.address) + "+" + std::to_string(s.length);
  };
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const operation& op = g[op_id{i}];
    text += describe(g, op_id{i});
    if (op.kind == op_kind::fence)
      text += " on " + g.communicators()[index(op.comm)].name;
    bytes(" reads ", g.reads(op_id{i}));
    bytes(" writes ", g.writes(op_id{i}));
    for (const dependency& d : g.dependencies())
      if (d.after == op_id{i})
        text += " after " + std::to_string(index(d.before));
    for (const made_pair& pair : g.made_pairs())
      if (pair.origin == op_id{i})
        text += " one-sided with " + std::to_string(index(pair.send) + index(pair.recv) - i);
    text += "\n";
  }
  for (const auto& [rank, s] : g.scratch_bytes()) {
    text += "scratch of rank " + std::to_string(index(rank));
    bytes(" ", std::span(&s, 1));
    text += "\n";
  }
  for (const auto& [rank, s] : g.live_out_bytes()) {
    text += "live out of rank " + std::to_string(index(rank));
    bytes(" ", std::span(&s, 1));
    text += "\n";
  }
  return text;
}

} // namespace tacit::oracle
