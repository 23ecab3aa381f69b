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

#include "graphs/cost/driver_prices.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

namespace tacit::graphs {
namespace {

class play {
public:
  play(const plan& p, std::string_view driver, const machine_costs& costs, const process_map& where)
      : p_(p), prices_(driver, costs, where, static_cast<std::uint32_t>(p.ranks.size())),
        ranks_(p.ranks.size()), work_of_node_(prices_.nodes().count(), 0) {}

  /// Infinity as soon as it is more than `most`.
  double run(double most) {
    if (!make_steps())
      return -1;
    while (!ready_.empty()) {
      const event e = ready_.top();
      ready_.pop();
      work(e);
      if (slowest_ > most)
        return std::numeric_limits<double>::infinity();
    }
    return slowest_;
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
    double core = 0, out = 0, in = 0; ///< free again: core and both wires
    std::uint32_t first = 0;          ///< number of its first step
  };
  struct event {
    double at;
    std::uint32_t rank, step; ///< of the rank
    bool operator>(const event& o) const { return std::tie(at, rank, step) > std::tie(o.at, o.rank, o.step); }
  };
  struct expected {
    std::uint32_t source;
    std::int32_t tag;
    std::uint32_t step; ///< of the rank that expects it
    auto operator<=>(const expected&) const = default;
  };

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
    prices_.carry(most_through_memory(), goes_both_ways());
    join_messages(receives);
    list_later();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i)
        if (steps_[ranks_[r].first + i].missing == 0)
          ready_.push({0, r, i});
    return true;
  }
  /// Bytes of the rank with most.
  double most_through_memory() const {
    double most = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      double bytes = 0;
      for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i) {
        const step& s = p_.ranks[r].steps[i];
        const double n = steps_[ranks_[r].first + i].bytes;
        const bool is_message = s.kind == step_kind::send || s.kind == step_kind::recv;
        bytes += is_message && is_memory(prices_.medium_of(r, index(s.peer), n)) ? n : 0;
      }
      most = std::max(most, bytes);
    }
    return most;
  }
  /// Cores are busy with messages that go while others come: where ranks send what is not what they have just received, or take turns on
  /// a core. Who passes on, as in a tree, has one of both at a time.
  bool goes_both_ways() const {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      bool sends = false, receives = false;
      const auto& steps = p_.ranks[r].steps;
      for (const step& s : steps) {
        receives |= s.kind == step_kind::recv;
        sends |= s.kind == step_kind::send &&
                 std::none_of(s.after.begin(), s.after.end(),
                              [&](std::uint32_t before) { return steps[before].kind == step_kind::recv; });
      }
      if ((sends && receives) || ((sends || receives) && prices_.nodes().crowded(prices_.nodes().of(r))))
        return true;
    }
    return false;
  }
  /// Each send finds its receive in the list of the rank that it goes to; most ranks receive little, or in the order of sources.
  void join_messages(std::size_t receives) {
    std::vector<expected> all;
    all.reserve(receives);
    std::vector<std::size_t> first(ranks_.size() + 1, 0);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i)
        if (const step& s = p_.ranks[r].steps[i]; s.kind == step_kind::recv)
          all.push_back({static_cast<std::uint32_t>(index(s.peer)), s.tag, i});
      const auto mine = all.begin() + static_cast<std::ptrdiff_t>(first[r]);
      if (!std::is_sorted(mine, all.end()))
        std::sort(mine, all.end());
      first[r + 1] = all.size();
    }
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      for (std::uint32_t i = 0; i < p_.ranks[r].steps.size(); ++i)
        if (const step& s = p_.ranks[r].steps[i]; s.kind == step_kind::send) {
          const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first[index(s.peer)]),
                     end = all.begin() + static_cast<std::ptrdiff_t>(first[index(s.peer) + 1]);
          const auto behind = std::upper_bound(begin, end, expected{r, s.tag, none});
          if (behind != begin && std::prev(behind)->source == r && std::prev(behind)->tag == s.tag)
            steps_[ranks_[r].first + i].partner = std::prev(behind)->step;
        }
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
      busy =
          mine.bytes == 0 ? 0 : handling + driver_prices::beyond_one(s.writes.size()) + copying(mine.bytes);
      end = start + busy;
      break;
    case step_kind::send:
      busy = prices_.send(prices_.medium_of(e.rank, index(s.peer), mine.bytes), mine.bytes, s.reads.size());
      end = start + busy;
      if (mine.partner != none)
        arrive(e.rank, s, mine, start, end);
      break;
    case step_kind::recv:
      busy =
          prices_.receive(prices_.medium_of(e.rank, index(s.peer), mine.bytes), mine.bytes, s.writes.size());
      end = std::max(start + busy, mine.sent);
      slowest_ = std::max(slowest_, end + until_answered(e.rank, s, mine.bytes));
      break;
    case step_kind::reduce: // reads both operands and writes one
      busy = handling + driver_prices::beyond_one(s.reads.size() + s.writes.size() - 1) +
             combining(mine.bytes, e.rank);
      end = start + busy;
      break;
    default:
      break;
    }
    const std::uint32_t node = prices_.nodes().of(e.rank);
    work_of_node_[node] += busy;
    if (prices_.nodes().crowded(node))
      slowest_ = std::max(slowest_, work_of_node_[node] / prices_.nodes().cores());
    slowest_ = std::max(slowest_, end);
    r.core = end;
    complete(e.rank, e.step, end);
  }

  /// What is longer than the eager limit is complete for its sender when it has got a core again after the receiver has read.
  double until_answered(std::uint32_t rank, const step& s, double bytes) const {
    const medium by = prices_.medium_of(rank, index(s.peer), bytes);
    const bool answered =
        is_mpi_within_node(by) && bytes > static_cast<double>(prices_.model(by).eager_limit);
    return answered ? until_it_runs(index(s.peer), by) : 0;
  }
  /// That a rank which waits for something of this medium gets a core.
  double until_it_runs(std::uint32_t rank, medium by) const {
    const std::uint32_t node = prices_.nodes().of(rank);
    return by != medium::network && prices_.nodes().crowded(node)
               ? change_of_process * prices_.nodes().ranks_to_a_core(node)
               : 0;
  }

  /// As measured; else half as much again as a copy, or as much if the operand that has arrived is still in the caches.
  double combining(double bytes, std::uint32_t rank) const {
    if (const double measured = combine_at(prices_.model(medium::memory), bytes); measured > 0)
      return measured;
    const bool in_cache = bytes <= bytes_still_in_cache && !prices_.nodes().crowded(prices_.nodes().of(rank));
    return (in_cache ? 1 : 1.5) * copying(bytes);
  }

  double copying(double bytes) const { return copy_at(prices_.model(medium::memory), bytes); }

  /// The message of a send that worked from `start` to `end`.
  void arrive(std::uint32_t rank, const step& s, const step_state& send, double start, double end) {
    const std::uint32_t to = index(s.peer);
    const double n = send.bytes;
    const medium by = prices_.medium_of(rank, to, n);
    const double latency = prices_.latency(by);
    const double change = until_it_runs(to, by);
    double first = end, last = end;
    if (is_memory(by)) {
      const machine_model& m = prices_.model(by);
      if (m.channels.empty()) {
        first = std::min(end, start + to_memory(m, bytes_of_a_piece)) + latency + change;
        last = n > bytes_of_a_piece ? end + latency + change + from_memory(m, bytes_of_a_piece) : first;
      } else { // ends may wait for lines while neither is busy
        const double piece = std::min(n, bytes_of_a_piece);
        first = start + change + std::max(channel_at(m, piece) - in_channel(m, piece), 0.0);
        last = std::max(first, start + change + channel_at(m, n));
      }
    } else if (is_mpi_within_node(by)) {
      first = last = end + latency + change;
    } else {
      const double gap = prices_.gap(n);
      rank_state& from = ranks_[rank];
      rank_state& into = ranks_[to];
      from.out = std::max(from.out, end) + gap;
      into.in = std::max(into.in + gap, from.out);
      first = last = into.in + latency;
    }
    steps_[ranks_[to].first + send.partner].sent = last;
    release(to, send.partner, first);
  }

  void complete(std::uint32_t rank, std::uint32_t step, double end) {
    const std::size_t at = std::size_t{ranks_[rank].first} + step;
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
  driver_prices prices_;
  std::vector<rank_state> ranks_;
  std::vector<double> work_of_node_;
  double slowest_ = 0;               ///< so far
  std::vector<step_state> steps_;    ///< of all ranks, one after the other
  std::vector<std::uint32_t> later_; ///< numbers of steps of the same rank
  std::priority_queue<event, std::vector<event>, std::greater<>> ready_;
};

} // namespace

bool has_makespan(std::string_view driver, const machine_costs& costs) {
  return driver == "p2p" || driver == "shm" || (driver == "rma" && !costs.within_node.puts.empty());
}

double makespan(const plan& p, std::string_view driver, const machine_costs& costs, const process_map& where,
                double most) {
  return has_makespan(driver, costs) ? play(p, driver, costs, where).run(most) : -1;
}

} // namespace tacit::graphs
