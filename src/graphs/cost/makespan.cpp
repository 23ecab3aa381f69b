// LogGP, played (Alexandrov and others, 1995): a step is ready when those before it are complete and, if it is a receive, when its
// message has arrived; each rank has one core, which works on what became ready first. Beyond that:
//
//   memory    a long message is cut, so its receiver starts when the first piece is there and ends a piece after the sender
//   node      MPI's messages within a node are moved by cores. What a message takes in a stream (the gap) beyond what its sender is
//             busy with is the receiver's work: an exchange of 1 MiB between two ranks took as long as one way, 80 us
//   network   both ends have a wire beside their core, each for one message at a time
//
// More ranks than cores: work is shared, so a node takes at least its work over its cores; and who waits for a message waits for
// its sender to get a core, too.
#include "graphs/cost/makespan.h"

#include "graphs/cost/message_price.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace tacit::graphs {
namespace {

/// A process gives its core to another one: an exchange of 64 B among four ranks on two cores took 2.5 us, between two 0.1 us.
constexpr double change_of_process = 1000;
/// In which shm cuts long messages.
constexpr double bytes_of_a_piece = 8192;
/// Beyond this a message on its way through memory drives the buffers of both ends out of their caches, and one of MPI's, which is
/// copied once, does not: exchanges of 256 KiB between two ranks took 2.4 to 3.4 times what the model, which measures what has just
/// been written, says of the copies, while MPI's took 0.5 to 0.9 times what it says.
constexpr double bytes_that_stay = 131072, beyond_caches = 4;

double by_memory(double price, double bytes) {
  return bytes > bytes_that_stay ? price * beyond_caches : price;
}

class play {
public:
  play(const plan& p, std::string_view driver, const machine_costs& costs, const placement& where)
      : p_(p), driver_(driver), costs_(costs), where_(where), ranks_(p.ranks.size()) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      ++node_of(r).ranks;
  }
  double run() {
    if (!make_steps())
      return -1;
    while (!ready_.empty()) {
      const event e = ready_.top();
      ready_.pop();
      work(e);
    }
    double slowest = 0;
    for (const rank_state& r : ranks_)
      slowest = std::max(slowest, r.last);
    for (const auto& [id, n] : nodes_)
      if (n.ranks > where_.cores)
        slowest = std::max(slowest, n.work / where_.cores);
    return slowest;
  }

private:
  struct step_state {
    std::uint32_t missing = 0;        ///< steps before it, and its message
    double ready = 0;                 ///< as far as known
    double sent = 0;                  ///< receives: when the last byte is there
    std::vector<std::uint32_t> later; ///< of the same rank
  };
  struct rank_state {
    std::vector<step_state> steps;
    double core = 0, out = 0, in = 0, last = 0; ///< free again: core and both wires; end of the last step
  };
  struct node_state {
    std::uint32_t ranks = 0;
    double work = 0;
  };
  struct event {
    double at;
    std::uint32_t rank, step;
    bool operator>(const event& o) const { return std::tie(at, rank, step) > std::tie(o.at, o.rank, o.step); }
  };
  using message_key = std::tuple<std::uint32_t, std::uint32_t, std::int32_t>;

  node_state& node_of(std::uint32_t r) { return nodes_[where_.node.empty() ? 0 : where_.node[r]]; }
  bool crowded(std::uint32_t r) { return node_of(r).ranks > where_.cores; }
  medium medium_of(std::uint32_t r, rank_id peer, double bytes) const {
    if (!where_.same_node(rank_id{r}, peer))
      return medium::network;
    const bool shares = driver_ == "shm" && where_.longest_in_memory > 0 &&
                        !costs_.within_node.memory.empty() &&
                        bytes <= static_cast<double>(where_.longest_in_memory);
    return shares || index(peer) == r ? medium::memory : medium::node;
  }
  const machine_model& model(medium by) const { return costs_.of(class_of(by)); }

  bool make_steps() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const std::vector<step>& steps = p_.ranks[r].steps;
      std::vector<step_state>& states = ranks_[r].steps;
      states.resize(steps.size());
      for (std::uint32_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == step_kind::collective)
          return false;
        for (const std::uint32_t before : steps[i].after) {
          states[before].later.push_back(i);
          ++states[i].missing;
        }
        if (steps[i].kind == step_kind::recv) {
          receives_[{index(steps[i].peer), r, steps[i].tag}] = i;
          ++states[i].missing;
        }
      }
      for (std::uint32_t i = 0; i < steps.size(); ++i)
        if (states[i].missing == 0)
          ready_.push({0, r, i});
    }
    return true;
  }

  void work(const event& e) {
    const step& s = p_.ranks[e.rank].steps[e.step];
    rank_state& r = ranks_[e.rank];
    const double start = std::max(r.core, e.at);
    double busy = 0, end = start;
    switch (s.kind) {
    case step_kind::copy:
      busy = total_length(s.writes) == 0
                 ? 0
                 : handling + beyond_one(s.writes.size()) +
                       copy_at(costs_.within_node, static_cast<double>(total_length(s.writes)));
      end = start + busy;
      break;
    case step_kind::send:
      busy = send_work(e.rank, s);
      end = start + busy;
      arrive(e.rank, s, start, end);
      break;
    case step_kind::recv:
      busy = receive_work(e.rank, s);
      end = std::max(start + busy, r.steps[e.step].sent);
      break;
    case step_kind::reduce: // reads both operands and writes one: half as much again as a copy
      busy = handling + beyond_one(s.reads.size() + s.writes.size() - 1) +
             1.5 * copy_at(costs_.within_node, static_cast<double>(total_length(s.writes)));
      end = start + busy;
      break;
    default:
      break;
    }
    node_of(e.rank).work += busy;
    r.core = end;
    complete(e.rank, e.step, end);
  }

  static double beyond_one(std::size_t pieces) {
    return pieces > 1 ? static_cast<double>(pieces - 1) * piece_handling : 0;
  }
  double send_work(std::uint32_t rank, const step& s) const {
    const auto n = static_cast<double>(total_length(s.reads));
    const medium by = medium_of(rank, s.peer, n);
    const machine_model& m = model(by);
    const double pieces = beyond_one(s.reads.size());
    if (by == medium::memory)
      return by_memory(to_memory(m, n), n) + pieces;
    if (driver_ == "rma" && !m.puts.empty())
      return by_put(m, n) + pieces;
    return handling + send_at(m, n) + pieces + (s.reads.size() > 1 ? packing(m, n) : 0);
  }
  double receive_work(std::uint32_t rank, const step& s) const {
    const auto n = static_cast<double>(total_length(s.writes));
    const medium by = medium_of(rank, s.peer, n);
    const machine_model& m = model(by);
    const double pieces = beyond_one(s.writes.size());
    if (by == medium::memory)
      return by_memory(from_memory(m, n), n) + pieces;
    if (driver_ == "rma" && !m.puts.empty())
      return handling + copy_at(m, n) + pieces;
    const double unpacking = s.writes.size() > 1 ? packing(m, n) : 0;
    const double moving = by == medium::node ? gap_at(m, n) - send_at(m, n) : 0;
    return handling + std::max(receive_at(m, n), moving) + pieces + unpacking;
  }

  /// The message of a send that worked from `start` to `end`.
  void arrive(std::uint32_t rank, const step& s, double start, double end) {
    const std::uint32_t to = index(s.peer);
    const auto found = receives_.find({rank, to, s.tag});
    if (found == receives_.end())
      return; // a wrong plan, which others find
    const auto n = static_cast<double>(total_length(s.reads));
    const medium by = medium_of(rank, s.peer, n);
    const machine_model& m = model(by);
    const double change = by != medium::network && crowded(to) ? change_of_process : 0;
    double first = end, last = end;
    if (by == medium::memory) {
      first = std::min(end, start + to_memory(m, bytes_of_a_piece)) + line_latency(m) + change;
      last = n > bytes_of_a_piece ? end + line_latency(m) + change + from_memory(m, bytes_of_a_piece) : first;
    } else if (by == medium::node) {
      first = last = end + (driver_ == "rma" && !m.puts.empty() ? put_at(m, 8) : m.latency()) + change;
    } else {
      const double gap = gap_at(m, n);
      rank_state& from = ranks_[rank];
      rank_state& into = ranks_[to];
      from.out = std::max(from.out, end) + gap;
      into.in = std::max(into.in + gap, from.out);
      first = last = into.in + m.latency();
    }
    step_state& got = ranks_[to].steps[found->second];
    got.sent = last;
    release(to, found->second, first);
  }

  void complete(std::uint32_t rank, std::uint32_t step, double end) {
    ranks_[rank].last = std::max(ranks_[rank].last, end);
    for (const std::uint32_t next : ranks_[rank].steps[step].later)
      release(rank, next, end);
  }
  void release(std::uint32_t rank, std::uint32_t step, double at) {
    step_state& s = ranks_[rank].steps[step];
    s.ready = std::max(s.ready, at);
    if (--s.missing == 0)
      ready_.push({s.ready, rank, step});
  }

  const plan& p_;
  std::string_view driver_;
  const machine_costs& costs_;
  const placement& where_;
  std::vector<rank_state> ranks_;
  std::map<std::uint64_t, node_state> nodes_;
  std::map<message_key, std::uint32_t> receives_; ///< step of the receiver
  std::priority_queue<event, std::vector<event>, std::greater<>> ready_;
};

} // namespace

double makespan(const plan& p, std::string_view driver, const machine_costs& costs, const placement& where) {
  if (driver != "p2p" && driver != "shm" && (driver != "rma" || costs.within_node.puts.empty()))
    return -1;
  return play(p, driver, costs, where).run();
}

} // namespace tacit::graphs
