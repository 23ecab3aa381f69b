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
#include <array>
#include <queue>
#include <tuple>
#include <unordered_map>

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

/// A price by bytes; most messages of a plan are as long as the one before.
class remembered {
public:
  template <typename Price>
  double of(double bytes, Price&& price) {
    if (bytes != bytes_) {
      bytes_ = bytes;
      price_ = price(bytes);
    }
    return price_;
  }

private:
  double bytes_ = -1, price_ = 0;
};

class play {
public:
  play(const plan& p, std::string_view driver, const machine_costs& costs, const placement& where)
      : p_(p), by_puts_(driver == "rma"), where_(where), ranks_(p.ranks.size()) {
    shares_ = driver == "shm" && where.longest_in_memory > 0 && !costs.within_node.memory.empty();
    for (const medium by : {medium::memory, medium::node, medium::network}) {
      media_[number(by)].model = &costs.of(class_of(by));
      media_[number(by)].latency = latency_of(by);
    }
    find_nodes();
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
    for (const node_state& n : nodes_)
      if (n.ranks > where_.cores)
        slowest = std::max(slowest, n.work / where_.cores);
    return slowest;
  }

private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct step_state {
    double ready = 0;             ///< as far as known
    double sent = 0;              ///< receives: when the last byte is there
    double bytes = 0;             ///< of the message or copy
    std::uint32_t missing = 0;    ///< steps before it, and its message
    std::uint32_t partner = none; ///< sends: the receive, by number; none in a wrong plan, which others find
    std::uint32_t later = 0;      ///< where those that wait for it begin in `later_`
  };
  struct rank_state {
    double core = 0, out = 0, in = 0, last = 0; ///< free again: core and both wires; end of the last step
    std::uint32_t first = 0;                    ///< number of its first step
    std::uint32_t node = 0;
  };
  struct node_state {
    std::uint32_t ranks = 0;
    double work = 0;
  };
  struct event {
    double at;
    std::uint32_t rank, step; ///< of the rank
    bool operator>(const event& o) const { return std::tie(at, rank, step) > std::tie(o.at, o.rank, o.step); }
  };
  struct message_key {
    std::uint64_t ends; ///< source and destination
    std::int32_t tag;
    bool operator==(const message_key&) const = default;
  };
  struct message_hash {
    std::size_t operator()(const message_key& k) const {
      const std::uint64_t x = (k.ends ^ static_cast<std::uint64_t>(k.tag) << 20) * 0x9e3779b97f4a7c15;
      return static_cast<std::size_t>(x ^ x >> 32);
    }
  };
  struct medium_state {
    const machine_model* model = nullptr;
    double latency = 0;
    remembered send, receive, gap;
  };

  static std::size_t number(medium by) { return static_cast<std::size_t>(by); }
  static message_key key_of(std::uint32_t from, std::uint32_t to, std::int32_t tag) {
    return {std::uint64_t{from} << 32 | to, tag};
  }
  bool puts(const machine_model& m) const { return by_puts_ && !m.puts.empty(); }
  double latency_of(medium by) const {
    const machine_model& m = *media_[number(by)].model;
    if (by == medium::memory)
      return line_latency(m);
    return by == medium::node && puts(m) ? put_at(m, 8) : m.latency();
  }

  void find_nodes() {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const std::uint64_t id = where_.node.empty() ? 0 : where_.node[r];
      ranks_[r].node = numbers.emplace(id, static_cast<std::uint32_t>(numbers.size())).first->second;
      nodes_.resize(numbers.size());
      ++nodes_[ranks_[r].node].ranks;
    }
  }
  bool crowded(std::uint32_t r) const { return nodes_[ranks_[r].node].ranks > where_.cores; }
  medium medium_of(std::uint32_t r, std::uint32_t peer, double bytes) const {
    if (ranks_[r].node != ranks_[peer].node)
      return medium::network;
    const bool shares = shares_ && bytes <= static_cast<double>(where_.longest_in_memory);
    return shares || peer == r ? medium::memory : medium::node;
  }

  /// False if there are collectives.
  bool make_steps() {
    std::size_t all = 0, receives = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].first = static_cast<std::uint32_t>(all);
      all += p_.ranks[r].steps.size();
    }
    steps_.resize(all);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i) {
        const step& s = p_.ranks[r].steps[i];
        if (s.kind == step_kind::collective)
          return false;
        receives += s.kind == step_kind::recv;
        step_state& mine = steps_[ranks_[r].first + i];
        mine.bytes = static_cast<double>(total_length(s.kind == step_kind::send ? s.reads : s.writes));
        mine.missing = static_cast<std::uint32_t>(s.after.size()) + (s.kind == step_kind::recv ? 1 : 0);
        for (const std::uint32_t before : s.after)
          ++steps_[ranks_[r].first + before].later;
      }
    join_messages(receives);
    list_later();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i)
        if (steps_[ranks_[r].first + i].missing == 0)
          ready_.push({0, r, i});
    return true;
  }
  void join_messages(std::size_t receives) {
    std::unordered_map<message_key, std::uint32_t, message_hash> step_of;
    step_of.reserve(receives);
    const auto each = [&](step_kind kind, auto&& visit) {
      for (std::uint32_t r = 0; r < ranks_.size(); ++r)
        for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i)
          if (const step& s = p_.ranks[r].steps[i]; s.kind == kind)
            visit(r, s, i);
    };
    each(step_kind::recv, [&](std::uint32_t r, const step& s, std::uint32_t i) {
      step_of[key_of(index(s.peer), r, s.tag)] = i;
    });
    each(step_kind::send, [&](std::uint32_t r, const step& s, std::uint32_t i) {
      const auto found = step_of.find(key_of(r, index(s.peer), s.tag));
      if (found != step_of.end())
        steps_[ranks_[r].first + i].partner = found->second;
    });
  }
  /// From how many wait for each step to where their list begins. A list ends where the next one begins.
  void list_later() {
    std::uint32_t end = 0;
    for (step_state& s : steps_)
      s.later = end += s.later;
    later_.resize(end);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      for (auto i = static_cast<std::uint32_t>(p_.ranks[r].steps.size()); i-- > 0;)
        for (const std::uint32_t before : p_.ranks[r].steps[i].after)
          later_[--steps_[ranks_[r].first + before].later] = i;
  }

  void work(const event& e) {
    const step& s = p_.ranks[e.rank].steps[e.step];
    rank_state& r = ranks_[e.rank];
    const step_state& mine = steps_[r.first + e.step];
    const double start = std::max(r.core, e.at);
    double busy = 0, end = start;
    switch (s.kind) {
    case step_kind::copy:
      busy = mine.bytes == 0 ? 0 : handling + beyond_one(s.writes.size()) + copying(mine.bytes);
      end = start + busy;
      break;
    case step_kind::send:
      busy = send_work(e.rank, s, mine.bytes);
      end = start + busy;
      if (mine.partner != none)
        arrive(e.rank, s, mine, start, end);
      break;
    case step_kind::recv:
      busy = receive_work(e.rank, s, mine.bytes);
      end = std::max(start + busy, mine.sent);
      break;
    case step_kind::reduce: // reads both operands and writes one: half as much again as a copy
      busy = handling + beyond_one(s.reads.size() + s.writes.size() - 1) + 1.5 * copying(mine.bytes);
      end = start + busy;
      break;
    default:
      break;
    }
    nodes_[r.node].work += busy;
    r.core = end;
    complete(e.rank, e.step, end);
  }

  double copying(double bytes) const { return copy_at(*media_[number(medium::memory)].model, bytes); }
  static double beyond_one(std::size_t pieces) {
    return pieces > 1 ? static_cast<double>(pieces - 1) * piece_handling : 0;
  }
  double send_work(std::uint32_t rank, const step& s, double bytes) {
    const medium by = medium_of(rank, index(s.peer), bytes);
    medium_state& state = media_[number(by)];
    const machine_model& m = *state.model;
    const double message = state.send.of(bytes, [&](double n) {
      if (by == medium::memory)
        return by_memory(to_memory(m, n), n);
      return puts(m) ? by_put(m, n) : handling + send_at(m, n);
    });
    const bool packs = by != medium::memory && !puts(m) && s.reads.size() > 1;
    return message + beyond_one(s.reads.size()) + (packs ? packing(m, bytes) : 0);
  }
  double receive_work(std::uint32_t rank, const step& s, double bytes) {
    const medium by = medium_of(rank, index(s.peer), bytes);
    medium_state& state = media_[number(by)];
    const machine_model& m = *state.model;
    const double message = state.receive.of(bytes, [&](double n) {
      if (by == medium::memory)
        return by_memory(from_memory(m, n), n);
      if (puts(m))
        return handling + copy_at(m, n);
      const double moving = by == medium::node ? gap_at(m, n) - send_at(m, n) : 0;
      return handling + std::max(receive_at(m, n), moving);
    });
    const bool unpacks = by != medium::memory && !puts(m) && s.writes.size() > 1;
    return message + beyond_one(s.writes.size()) + (unpacks ? packing(m, bytes) : 0);
  }

  /// The message of a send that worked from `start` to `end`.
  void arrive(std::uint32_t rank, const step& s, const step_state& send, double start, double end) {
    const std::uint32_t to = index(s.peer);
    const double n = send.bytes;
    const medium by = medium_of(rank, to, n);
    medium_state& state = media_[number(by)];
    const machine_model& m = *state.model;
    const double change = by != medium::network && crowded(to) ? change_of_process : 0;
    double first = end, last = end;
    if (by == medium::memory) {
      first = std::min(end, start + to_memory(m, bytes_of_a_piece)) + state.latency + change;
      last = n > bytes_of_a_piece ? end + state.latency + change + from_memory(m, bytes_of_a_piece) : first;
    } else if (by == medium::node) {
      first = last = end + state.latency + change;
    } else {
      const double gap = state.gap.of(n, [&](double bytes) { return gap_at(m, bytes); });
      rank_state& from = ranks_[rank];
      rank_state& into = ranks_[to];
      from.out = std::max(from.out, end) + gap;
      into.in = std::max(into.in + gap, from.out);
      first = last = into.in + state.latency;
    }
    steps_[ranks_[to].first + send.partner].sent = last;
    release(to, send.partner, first);
  }

  void complete(std::uint32_t rank, std::uint32_t step, double end) {
    rank_state& r = ranks_[rank];
    r.last = std::max(r.last, end);
    const std::size_t at = std::size_t{r.first} + step;
    const std::size_t behind = at + 1 < steps_.size() ? steps_[at + 1].later : later_.size();
    for (std::size_t i = steps_[at].later; i < behind; ++i)
      release(rank, later_[i], end);
  }
  void release(std::uint32_t rank, std::uint32_t step, double at) {
    step_state& s = steps_[ranks_[rank].first + step];
    s.ready = std::max(s.ready, at);
    if (--s.missing == 0)
      ready_.push({s.ready, rank, step});
  }

  const plan& p_;
  bool by_puts_, shares_ = false;
  const placement& where_;
  std::array<medium_state, 3> media_;
  std::vector<rank_state> ranks_;
  std::vector<node_state> nodes_;
  std::vector<step_state> steps_;    ///< of all ranks, one after the other
  std::vector<std::uint32_t> later_; ///< numbers of steps of the same rank
  std::priority_queue<event, std::vector<event>, std::greater<>> ready_;
};

} // namespace

double makespan(const plan& p, std::string_view driver, const machine_costs& costs, const placement& where) {
  if (driver != "p2p" && driver != "shm" && (driver != "rma" || costs.within_node.puts.empty()))
    return -1;
  return play(p, driver, costs, where).run();
}

} // namespace tacit::graphs
