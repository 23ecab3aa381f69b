// Problem: to expand a plan into a graph and to follow that costs as much as the analysis of a graph with a message for every pair
// that a collective serves: 4 million for an alltoall among 2,048 ranks, however few operations the program has.
//
// Idea: nearly all plans are one simultaneous assignment by construction: sources that are overwritten are copied aside in step 0,
// and everything else may happen at once. If no two such steps touch a common byte that one of them writes, the order in which they
// happen does not matter; every byte that is read holds its initial value, or what step 0 has put there. Then what a plan leaves can
// be read off: side by side, the segments that the sender of a message reads and those that its receiver writes. Taken
// rank by rank in the order of addresses, and joined, these are transfers in canonical form, which must be the graph's. Whatever does
// not fit into this picture is left to the expansion, so nothing here needs words for faults.
//
// All steps start (step 0 is local, and nothing else is waited for), so messages and collectives complete if all their sides are
// there: each message is taken by exactly one receive, collectives have all their members (shape.h). What is written are
// destinations of the graph's transfers, so the frame is kept, too.
#include "graphs/plan/at_once.h"

#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tacit::graphs {
namespace {

/// Messages of collectives have keys from here on, above the tags of steps.
constexpr std::int32_t call_key = 1 << 30;
/// Numbers of collectives are small: they are counted from 0.
constexpr std::int32_t most_calls = 1 << 20;

/// What one rank sends another one, until it is received. The segment itself and not where it stands in the plan of its sender: that is
/// far from that of the one before, wherever each rank sends to all.
struct sent_message {
  segment sent; ///< if there is only one; else `length` is 0, and `address` the number of a list
  rank_id source;
  std::int32_t key;
};
/// Instead of the length: the message has been received.
constexpr std::uint64_t is_taken = ~std::uint64_t{0};

/// What one rank sends all other members.
struct shared_block {
  block_bytes sent;
  rank_id source;
  std::int32_t key;
  comm_id comm;
  rank_id last_user = no_rank;
  std::uint32_t uses = 0;
};

/// One collective.
struct call {
  comm_id comm;
  rank_id last = no_rank; ///< who called it, as far as is known
  /// Of all ranks, by rank, if each gives those that it sends to blocks of their own, in the order of ranks: such blocks are looked up
  /// where they stand. Else they are messages, and there is no list.
  std::vector<std::span<const block_run>> of = {};
};

struct staged_piece {
  std::uint64_t scratch, user, length;
};

/// Visits two lists side by side, cut alike: visit(address in a, address in b, length). False if they are not equally long, or if
/// visit says so.
template <typename Visit>
bool in_step(std::span<const segment> a, std::span<const segment> b, Visit&& visit) {
  std::size_t i = 0, k = 0;
  std::uint64_t done_a = 0, done_b = 0;
  while (i < a.size() && k < b.size()) {
    const std::uint64_t length = std::min(a[i].length - done_a, b[k].length - done_b);
    if (!visit(a[i].address + done_a, b[k].address + done_b, length))
      return false;
    done_a += length;
    done_b += length;
    if (done_a == a[i].length)
      ++i, done_a = 0;
    if (done_b == b[k].length)
      ++k, done_b = 0;
  }
  return i == a.size() && k == b.size();
}

std::uint64_t address_of(const segment& s) {
  return s.address;
}
std::uint64_t address_of(const transfer& t) {
  return t.destination_address;
}

template <typename Item>
void sort_by_address(std::vector<Item>& list) {
  const auto before = [](const Item& a, const Item& b) { return address_of(a) < address_of(b); };
  if (!std::is_sorted(list.begin(), list.end(), before))
    std::sort(list.begin(), list.end(), before);
}

bool disjoint(const std::vector<segment>& sorted) {
  return std::adjacent_find(sorted.begin(), sorted.end(), [](const segment& a, const segment& b) {
           return b.address - a.address < a.length;
         }) == sorted.end();
}

/// Both sorted, `writes` disjoint.
template <typename Item>
bool any_common(const std::vector<segment>& reads, const std::vector<Item>& writes) {
  auto next = writes.begin();
  for (const segment& s : reads) {
    while (next != writes.end() && address_of(*next) < s.address &&
           s.address - address_of(*next) >= next->length)
      ++next;
    if (next == writes.end())
      return false;
    if (address_of(*next) < s.address || address_of(*next) - s.address < s.length)
      return true;
  }
  return false;
}

class assignment {
public:
  assignment(const graph& g, const transfers& t, const plan& p)
      : g_(g), wanted_(t.list), p_(p), first_(p.ranks.size() + 1, 0), is_staged_(p.ranks.size(), false) {}

  bool is_wanted() {
    if (!survey())
      return false;
    collect_messages();
    for (std::uint32_t r = 0; r < p_.ranks.size(); ++r)
      if (!take_in(rank_id{r}))
        return false;
    return next_wanted_ == wanted_.size() && given_ == 0 &&
           std::all_of(shared_.begin(), shared_.end(), [&](const shared_block& s) {
             return s.uses + 1 == g_.communicators()[index(s.comm)].members.size();
           });
  }

private:
  std::span<const step> steps(std::uint32_t r) const {
    return std::span(p_.ranks[r].steps).subspan(is_staged_[r] ? 1 : 0);
  }

  bool survey() {
    for (std::uint32_t r = 0; r < p_.ranks.size(); ++r) {
      if (!survey_waits(r) || (is_staged_[r] && !survey_staging(p_.ranks[r].steps.front())))
        return false;
      if (!staged_first_.empty())
        staged_first_[r + 1] = static_cast<std::uint32_t>(staged_.size());
      for (const step& s : steps(r))
        if (!survey_step(rank_id{r}, s))
          return false;
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::sort(shared_.begin(), shared_.end(), before<shared_block>);
    return std::adjacent_find(shared_.begin(), shared_.end(), equal<shared_block>) == shared_.end();
  }

  /// Either no step waits, or all do for the copy that comes first.
  bool survey_waits(std::uint32_t r) {
    const auto& all = p_.ranks[r].steps;
    if (all.size() > 1 && !all[1].after.empty()) {
      is_staged_[r] = true;
      if (all.front().kind != step_kind::copy || !all.front().after.empty())
        return false;
    }
    return std::all_of(all.begin() + (is_staged_[r] ? 1 : 0), all.end(), [&](const step& s) {
      return is_staged_[r] ? s.after.size() == 1 && s.after.front() == 0 : s.after.empty();
    });
  }

  /// From user memory to ascending scratch memory.
  bool survey_staging(const step& copy) {
    if (staged_first_.empty())
      staged_first_.assign(p_.ranks.size() + 1, 0);
    std::uint64_t end = scratch_base;
    return in_step(copy.reads, copy.writes,
                   [&](std::uint64_t user, std::uint64_t scratch, std::uint64_t length) {
                     if (user >= user_memory_end || scratch < end)
                       return false;
                     staged_.push_back({scratch, user, length});
                     end = scratch + length;
                     return true;
                   });
  }

  bool survey_step(rank_id r, const step& s) {
    switch (s.kind) {
    case step_kind::copy:
      return true;
    case step_kind::send:
      ++first_[index(s.peer) + 1];
      return s.tag < call_key;
    case step_kind::recv:
      return s.tag < call_key;
    case step_kind::collective:
      break;
    case step_kind::call:
    case step_kind::reduce:
      return false;
    }
    if (is_reduction(s.collective) || !is_new_call(r, s))
      return false;
    if (may_look_up(s)) {
      auto& of = calls_[static_cast<std::size_t>(s.tag)].of;
      of.resize(p_.ranks.size());
      of[index(r)] = s.sends.runs();
      given_ += s.sends.size();
      return true;
    }
    for (const block b : s.sends) {
      if (b.bytes.empty())
        continue;
      if (b.peer == no_rank)
        shared_.push_back({b.bytes, r, call_key + s.tag, s.comm});
      else
        ++first_[index(b.peer) + 1];
    }
    return true;
  }

  /// The number of a collective belongs to one communicator, and no rank uses it twice.
  bool is_new_call(rank_id r, const step& s) {
    if (s.tag >= most_calls)
      return false;
    const auto number = static_cast<std::size_t>(s.tag);
    if (number >= calls_.size())
      calls_.resize(number + 1, {s.comm});
    call& known = calls_[number];
    if (known.last == no_rank)
      known.comm = s.comm;
    const bool fresh = known.last != r && known.comm == s.comm;
    known.last = r;
    return fresh;
  }

  static bool may_look_up(const step& s) {
    return s.comm == world && !s.sends.empty() && s.sends.are_in_order() &&
           std::ranges::none_of(s.sends.runs(),
                                [](const block_run& b) { return b.peer == no_rank || b.bytes.empty(); });
  }
  /// The blocks of a rank in a call where they are looked up; none: what it gives are messages.
  std::span<const block_run> looked_up(rank_id r, std::int32_t number) const {
    const std::vector<std::span<const block_run>>& of = calls_[static_cast<std::size_t>(number)].of;
    return of.empty() ? std::span<const block_run>() : of[index(r)];
  }

  /// By destination; within one as the sources come, so nearly always in order.
  void collect_messages() {
    if (first_.back() == 0)
      return; // collectives in which all send alike have none
    reserve_huge(messages_, first_.back());
    messages_.resize(first_.back());
    const auto put = [&](rank_id to, std::span<const segment> sent, rank_id from, std::int32_t key) {
      messages_[first_[index(to)]++] = {sent.size() == 1 ? sent.front() : segment{lists_.size(), 0}, from,
                                        key};
      if (sent.size() != 1)
        lists_.push_back(sent);
    };
    for (std::uint32_t r = 0; r < p_.ranks.size(); ++r)
      for (const step& s : steps(r)) {
        if (s.kind == step_kind::send)
          put(s.peer, s.reads, rank_id{r}, s.tag);
        else if (s.kind == step_kind::collective && looked_up(rank_id{r}, s.tag).empty())
          for (const block b : s.sends)
            if (b.peer != no_rank && !b.bytes.empty())
              put(b.peer, b.bytes, rank_id{r}, call_key + s.tag);
      }
    for (std::size_t r = p_.ranks.size(); r > 0; --r) // filling has moved each begin to the next one
      first_[r] = first_[r - 1];
    first_[0] = 0;
  }

  template <typename Item>
  static bool before(const Item& a, const Item& b) {
    return std::tie(a.source, a.key) < std::tie(b.source, b.key);
  }
  template <typename Item>
  static bool equal(const Item& a, const Item& b) {
    return a.source == b.source && a.key == b.key;
  }

  /// All that rank `r` receives, copies and reads.
  bool take_in(rank_id r) {
    mine_ = std::span(messages_).subspan(first_[index(r)], first_[index(r) + 1] - first_[index(r)]);
    if (!std::is_sorted(mine_.begin(), mine_.end(), before<sent_message>))
      std::sort(mine_.begin(), mine_.end(), before<sent_message>);
    if (std::adjacent_find(mine_.begin(), mine_.end(), equal<sent_message>) != mine_.end())
      return false;
    self_ = r;
    next_message_ = taken_ = 0;
    arrived_.clear();
    hidden_.clear();
    reads_.clear();
    for (const step& s : steps(static_cast<std::uint32_t>(index(r))))
      if (!take_in(s))
        return false;
    return taken_ == mine_.size() && leaves_what_is_wanted() && touches_each_byte_once();
  }

  bool take_in(const step& s) {
    switch (s.kind) {
    case step_kind::copy:
      will_read(s.reads);
      return arrive(self_, s.reads, s.writes);
    case step_kind::send:
      will_read(s.reads);
      return true;
    case step_kind::recv:
      return arrive_message(s.peer, s.tag, s.writes);
    default:
      break;
    }
    for (const block_run& run : s.sends.runs())
      will_read(run.all_bytes());
    const std::span<const block_run> runs = s.receives.runs();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      look_ahead(s, runs, i);
      for (std::uint32_t k = 0; k < runs[i].count; ++k)
        if (const block b = runs[i].at(k); !b.bytes.empty() && !take_in(s, b))
          return false;
    }
    return true;
  }

  bool take_in(const step& s, const block& b) {
    const std::int32_t key = call_key + s.tag;
    if (is_shared(s.collective)) {
      const shared_block* const theirs = take_shared(b.peer, key);
      return theirs && arrive(b.peer, theirs->sent, b.bytes);
    }
    const std::span<const block_run> theirs = looked_up(b.peer, s.tag);
    if (theirs.empty())
      return arrive_message(b.peer, key, b.bytes);
    const std::optional<block> given = find_block(theirs, self_, index(self_));
    --given_; // a call has one block at most for a pair of ranks, so each is taken once if all are
    return given && arrive(b.peer, given->bytes, b.bytes);
  }

  /// Each sender has its blocks elsewhere.
  void look_ahead(const step& s, std::span<const block_run> runs, std::size_t i) const {
    constexpr std::size_t ahead = 12;
    if (is_shared(s.collective) || i + ahead >= runs.size())
      return;
    if (const auto given = looked_up(runs[i + ahead].peer, s.tag); index(self_) < given.size())
      __builtin_prefetch(&given[index(self_)]);
  }

  /// Receives come in the order of sources, too, so that the next message is nearly always the one.
  bool arrive_message(rank_id source, std::int32_t key, std::span<const segment> into) {
    const sent_message wanted{{}, source, key};
    if (next_message_ == mine_.size() || !equal(mine_[next_message_], wanted))
      next_message_ = static_cast<std::size_t>(
          std::lower_bound(mine_.begin(), mine_.end(), wanted, before<sent_message>) - mine_.begin());
    if (next_message_ == mine_.size() || !equal(mine_[next_message_], wanted))
      return false;
    segment& sent = mine_[next_message_++].sent;
    const segment only = std::exchange(sent, {0, is_taken});
    if (only.length == is_taken)
      return false;
    ++taken_;
    if (only.length == 0)
      return arrive(source, lists_[only.address], into);
    return arrive(source, std::span(&only, 1), into);
  }

  const shared_block* take_shared(rank_id source, std::int32_t key) {
    const shared_block wanted{block_bytes(std::span<const segment>()), source, key, world};
    if (next_shared_ == shared_.size() || !equal(shared_[next_shared_], wanted))
      next_shared_ = static_cast<std::size_t>(
          std::lower_bound(shared_.begin(), shared_.end(), wanted, before<shared_block>) - shared_.begin());
    if (next_shared_ == shared_.size() || !equal(shared_[next_shared_], wanted))
      return nullptr;
    shared_block& found = shared_[next_shared_];
    if (shared_.size() > 1)
      ++next_shared_;
    if (found.last_user == self_)
      return nullptr;
    found.last_user = self_;
    ++found.uses;
    return &found;
  }

  void will_read(std::span<const segment> list) {
    if (list.size() == 1)
      return reads_.push_back(list.front());
    reads_.insert(reads_.end(), list.begin(), list.end());
  }

  bool arrive(rank_id source, std::span<const segment> from, std::span<const segment> into) {
    if (from.size() == 1 && into.size() == 1)
      return from.front().length == into.front().length &&
             arrive(source, from.front().address, into.front().address, from.front().length);
    return in_step(from, into, [&](std::uint64_t at, std::uint64_t to, std::uint64_t length) {
      return arrive(source, at, to, length);
    });
  }
  bool arrive(rank_id source, std::uint64_t at, std::uint64_t to, std::uint64_t length) {
    if (to >= scratch_base) {
      hidden_.push_back({to, length});
      return true;
    }
    if (at >= scratch_base)
      return arrive_staged(source, at, to, length);
    arrived_.push_back({to, at, length, source, self_});
    return true;
  }

  /// Bytes that step 0 of their rank has copied aside come from where it read them.
  bool arrive_staged(rank_id source, std::uint64_t at, std::uint64_t to, std::uint64_t length) {
    if (!is_staged_[index(source)])
      return false;
    const auto begin = staged_.begin() + staged_first_[index(source)],
               end = staged_.begin() + staged_first_[index(source) + 1];
    auto piece = std::upper_bound(
        begin, end, at, [](std::uint64_t address, const staged_piece& p) { return address < p.scratch; });
    if (piece != begin)
      --piece;
    for (; length > 0; ++piece) {
      if (piece == end || at < piece->scratch || at - piece->scratch >= piece->length)
        return false;
      const std::uint64_t offset = at - piece->scratch, part = std::min(length, piece->length - offset);
      arrived_.push_back({to, piece->user + offset, part, source, self_});
      at += part;
      to += part;
      length -= part;
    }
    return true;
  }

  /// Joins what has arrived, and compares it with the transfers to this rank.
  bool leaves_what_is_wanted() {
    sort_by_address(arrived_);
    for (std::size_t i = 0; i < arrived_.size();) {
      transfer whole = arrived_[i];
      for (++i; i < arrived_.size(); ++i) {
        const transfer& next = arrived_[i];
        if (next.destination_address - whole.destination_address < whole.length) // written twice
          return false;
        if (next.destination_address - whole.destination_address != whole.length ||
            next.source != whole.source || next.source_address != whole.source_address + whole.length)
          break;
        whole.length += next.length;
      }
      if (next_wanted_ == wanted_.size() || wanted_[next_wanted_++] != whole)
        return false;
    }
    return next_wanted_ == wanted_.size() || wanted_[next_wanted_].destination != self_;
  }

  bool touches_each_byte_once() {
    sort_by_address(hidden_);
    sort_by_address(reads_);
    return disjoint(hidden_) && !any_common(reads_, arrived_) && !any_common(reads_, hidden_);
  }

  const graph& g_;
  const std::vector<transfer>& wanted_;
  const plan& p_;
  std::vector<std::uint32_t> first_; ///< per destination: begin in messages_
  std::vector<bool> is_staged_;      ///< per rank: step 0 copies aside, all others come after it
  std::vector<sent_message> messages_;
  std::vector<std::span<const segment>> lists_; ///< of messages of several segments, or of none
  std::vector<shared_block> shared_;
  std::vector<call> calls_;                 ///< by number
  std::uint64_t given_ = 0;                 ///< blocks that are looked up and have not been so far
  std::vector<std::uint32_t> staged_first_; ///< per rank: begin in staged_; empty if no rank has any
  std::vector<staged_piece> staged_;
  std::size_t next_wanted_ = 0;

  // Of the current rank.
  std::span<sent_message> mine_;
  std::size_t next_message_ = 0, taken_ = 0;
  std::size_t next_shared_ = 0;
  rank_id self_ = no_rank;
  std::vector<transfer> arrived_; ///< in user memory
  std::vector<segment> hidden_;   ///< what it gets in scratch memory
  std::vector<segment> reads_;
};

} // namespace

bool is_right_at_once(const graph& g, const transfers& t, const plan& p) {
  return assignment(g, t, p).is_wanted();
}

} // namespace tacit::graphs
