// A rank repeats a round if its operations, in the order of posting, are the same ones again and again: same
// direction, partner, tag and call path. The shortest such period is found by the failure function of Knuth,
// Morris and Pratt. All ranks must have been through the same number of rounds, and every message must be sent
// and received in the same one; anything else is no round that one call could stand for.
//
// Within a round a send comes after a receive if the program knew of its message when the send was posted. If it reads a
// byte that the receive wrote, or carries forwarded bytes of it, the round is no single exchange (a halo with
// corners, dimension by dimension). If its memory is another one, computation in between, which a recording
// does not see, may still join them. Rounds on the same buffers are compared once.
#include "recordings/meaning/exchange_round.h"

#include "graphs/graph/segments.h"
#include "recordings/meaning/components.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tacit::recordings {
namespace {

using graphs::segment;

struct operation {
  std::uint32_t posted = 0;   ///< position in the rank's calls
  std::uint32_t known = none; ///< receives: from where on the program may do something because of them
  std::uint32_t message = 0;
  bool receives = false;
};

/// What is the same in every round.
using operation_key = std::tuple<bool, std::uint32_t, std::int32_t, std::uint32_t>;

struct rank_operations {
  std::uint32_t recording = 0;
  std::vector<operation> list;
  std::size_t period = 0;
};

std::size_t shortest_period(const std::vector<operation_key>& keys) {
  std::vector<std::size_t> border(keys.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < keys.size(); ++i) {
    while (k > 0 && keys[i] != keys[k])
      k = border[k];
    k += keys[i] == keys[k] ? 1 : 0;
    border[i + 1] = k;
  }
  return keys.size() - border[keys.size()];
}

class round_finder {
public:
  round_finder(const recording_set& recorded, const message_table& table, const provenance& data,
               word_of_messages& word)
      : recorded_(recorded), table_(table), data_(data), word_(word) {}

  exchange_round run(std::span<const std::uint32_t> all) {
    const std::vector<std::uint32_t> messages = of_first_window(all);
    list_operations(messages);
    if (!find_periods() || !find_rounds(messages))
      return {};
    exchange_round out;
    out.order = round_order::at_once;
    for (const auto& [rank, of] : ranks_)
      for (std::size_t k = 0; k < rounds_; ++k)
        compare(of, k, out);
    out.answers = std::ranges::any_of(ranks_, [&](const auto& one) { return answers(one.second); });
    out.shifts = std::ranges::all_of(ranks_, [&](const auto& one) { return shifts(one.second); });
    out.messages = messages_of(messages, rounds_ / 2);
    if (out.order == round_order::at_once)
      for (const std::size_t k : {std::size_t{0}, rounds_ / 2, rounds_ - 1})
        out.told_by_others = out.told_by_others || is_told_by_others(messages_of(messages, k));
    return out;
  }

private:
  std::vector<std::uint32_t> messages_of(std::span<const std::uint32_t> all, std::size_t round) {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t id : all)
      if (round_of_[id] == round)
        found.push_back(id);
    return found;
  }

  bool is_told_by_others(std::span<const std::uint32_t> round) const {
    std::vector<first_call> sends;
    for (const std::uint32_t id : round)
      sends.push_back({table_.messages[id].from, table_.messages[id].send_call});
    return word_.may_come_before(round, sends);
  }

  /// Between two windows rounds are missing, and at the end of one the last round is not whole.
  std::vector<std::uint32_t> of_first_window(std::span<const std::uint32_t> all) {
    std::uint32_t first = none;
    for (const std::uint32_t id : all) {
      first = std::min(first, table_.messages[id].window);
      cut_ = cut_ || table_.messages[id].times != 1;
    }
    std::vector<std::uint32_t> messages;
    for (const std::uint32_t id : all)
      if (table_.messages[id].window == first)
        messages.push_back(id);
    return messages;
  }

  void list_operations(std::span<const std::uint32_t> messages) {
    for (const std::uint32_t id : messages) {
      const message& m = table_.messages[id];
      ranks_[m.from].list.push_back({m.send_call, none, id, false});
      ranks_[m.to].list.push_back({m.recv_call, known_at(recorded_, table_, m), id, true});
    }
    for (auto& [rank, of] : ranks_) {
      of.recording = table_.recording_of_rank[rank];
      std::sort(of.list.begin(), of.list.end(), [](const operation& a, const operation& b) {
        return std::tie(a.posted, a.receives, a.message) < std::tie(b.posted, b.receives, b.message);
      });
    }
  }

  operation_key key_of(const rank_operations& of, const operation& o) const {
    const message& m = table_.messages[o.message];
    return {o.receives, o.receives ? m.from : m.to, m.tag,
            table_.of_recording[of.recording].path_of_call[o.posted]};
  }

  /// False unless all ranks went through the same number of rounds.
  bool find_periods() {
    rounds_ = ~std::size_t{0};
    for (auto& [rank, of] : ranks_) {
      std::vector<operation_key> keys;
      keys.reserve(of.list.size());
      for (const operation& o : of.list)
        keys.push_back(key_of(of, o));
      of.period = shortest_period(keys);
      rounds_ = std::min(rounds_, of.list.size() / of.period);
    }
    for (auto& [rank, of] : ranks_) {
      const std::size_t own = of.list.size() / of.period;
      const std::size_t times = cut_ ? (own + rounds_ / 2) / rounds_ : own / rounds_;
      if (!cut_ && own % rounds_ != 0)
        return false;
      of.period *= times; // a rank with few partners may do the same several times in a round
    }
    if (cut_ && !cut_lists())
      return false;
    return !ranks_.empty() && rounds_ > 1;
  }

  /// Leaves out the last rounds, which may not be whole.
  bool cut_lists() {
    constexpr std::size_t most_cut = 2;
    for (const auto& [rank, of] : ranks_)
      rounds_ = std::min(rounds_, of.list.size() / of.period);
    if (rounds_ <= most_cut + 1)
      return false;
    rounds_ -= most_cut;
    for (auto& [rank, of] : ranks_)
      of.list.resize(rounds_ * of.period);
    return true;
  }

  /// False if a message leaves the round it was sent in.
  bool find_rounds(std::span<const std::uint32_t> messages) {
    for (const std::uint32_t id : messages)
      round_of_[id] = none;
    for (const auto& [rank, of] : ranks_)
      for (std::size_t at = 0; at < of.list.size(); ++at) {
        const auto round = static_cast<std::uint32_t>(at / of.period);
        std::uint32_t& known = round_of_[of.list[at].message];
        if (known != none && known != round)
          return false;
        known = round;
      }
    return true;
  }

  const call& call_of(const rank_operations& of, const operation& o) const {
    return recorded_.recordings[of.recording].calls[o.posted];
  }

  std::vector<segment> memory_of(const rank_operations& of, const operation& o) const {
    return sorted_memory_runs(recorded_.recordings[of.recording], call_of(of, o),
                              table_.messages[o.message].bytes);
  }

  void compare(const rank_operations& of, std::size_t k, exchange_round& out) {
    const std::span<const operation> round = std::span(of.list).subspan(k * of.period, of.period);
    bool later = false;
    buffers_key key{of.recording, {}};
    for (const operation& o : round) {
      const call& c = call_of(of, o);
      key.second.emplace_back(c.allocation, c.offset, c.layout, table_.messages[o.message].bytes, o.receives);
    }
    for (const operation& send : round) {
      for (const operation& receive : round)
        if (!send.receives && receive.receives && is_before(receive, send)) {
          later = true;
          if (forwards(send.message, receive.message))
            out.order = round_order::dependent;
        }
    }
    if (later)
      out.order = std::max(out.order, round_order::in_turn);
    if (compared_.insert(std::move(key)).second)
      compare_memory(of, round, out);
  }

  std::uint32_t peer_of(const operation& o) const {
    const message& m = table_.messages[o.message];
    return o.receives ? m.from : m.to;
  }

  /// The first send to some rank comes after the first receive from it.
  bool answers(const rank_operations& of) const {
    const std::span<const operation> round = std::span(of.list).first(of.period);
    return std::ranges::any_of(round, [&](const operation& receive) {
      const auto send = std::ranges::find_if(
          round, [&](const operation& o) { return !o.receives && peer_of(o) == peer_of(receive); });
      return receive.receives && send != round.end() && is_before(receive, *send);
    });
  }

  /// Each send is one half of a Sendrecv whose other half receives from another rank; or there is one partner only.
  bool shifts(const rank_operations& of) const {
    const std::span<const operation> round = std::span(of.list).first(of.period);
    const auto& calls = recorded_.recordings[of.recording].calls;
    const bool one_partner =
        std::ranges::all_of(round, [&](const operation& o) { return peer_of(o) == peer_of(round[0]); });
    return one_partner || std::ranges::all_of(round, [&](const operation& send) {
             return send.receives || std::ranges::any_of(round, [&](const operation& o) {
                      return o.receives && o.posted == send.posted + 1 && peer_of(o) != peer_of(send) &&
                             calls[o.posted].begin == calls[send.posted].begin &&
                             calls[o.posted].id == calls[send.posted].id;
                    });
           });
  }

  static bool is_before(const operation& receive, const operation& send) {
    return receive.known != none && receive.known < send.posted;
  }

  bool forwards(std::uint32_t sent, std::uint32_t received) const {
    const auto pieces = data_.of(sent);
    return std::any_of(pieces.begin(), pieces.end(), [&](const piece& p) { return p.source == received; });
  }

  void compare_memory(const rank_operations& of, std::span<const operation> round, exchange_round& out) {
    std::vector<std::vector<segment>> memory;
    memory.reserve(round.size());
    for (const operation& o : round)
      memory.push_back(memory_of(of, o));
    for (std::size_t s = 0; s < round.size(); ++s)
      for (std::size_t r = 0; r < round.size(); ++r) {
        if (round[s].receives || !round[r].receives || !graphs::overlap_in_order(memory[s], memory[r]))
          continue;
        if (is_before(round[r], round[s]))
          out.order = round_order::dependent;
        else
          out.overlapping = true;
      }
  }

  using buffers_key =
      std::pair<std::uint32_t,
                std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint32_t, std::uint64_t, bool>>>;

  const recording_set& recorded_;
  const message_table& table_;
  const provenance& data_;
  word_of_messages& word_;
  std::map<std::uint32_t, rank_operations> ranks_;
  std::map<std::uint32_t, std::uint32_t> round_of_; ///< message → round
  std::set<buffers_key> compared_;
  std::size_t rounds_ = 0;
  bool cut_ = false; ///< the messages are examples for others
};

} // namespace

exchange_round find_round(const recording_set& recorded, const message_table& table, const provenance& data,
                          word_of_messages& word, std::span<const std::uint32_t> messages) {
  return round_finder(recorded, table, data, word).run(messages);
}

} // namespace tacit::recordings
