// Problem: where messages have many pieces, most of the time it takes to follow them is looking for each piece in the memory of its rank. What
// makes that quick (cut_memory.h) is too much to be kept for all ranks at a time.
//
// Idea: two walks. The first one goes through the operations of one rank after the other, so that one memory is needed at a time, and it
// stays in the cache. Whose bytes a message brings is not known then, so memory says which message brought them, and from which byte on;
// for each message it is noted where its bytes were found, in the same words, or that they were there at first. The second walk goes
// through the messages in run order and puts what they carry in the place of those words: what a message is made of has been sent before it,
// so it is known. At last the same is done with what the memories held at their ends. A copy is a message of a rank to itself.
//
// A race-free graph means the same in any run order, and what one rank does in it depends on the others by its messages alone.
#include "graphs/flow/rank_by_rank.h"

#include "graphs/flow/cut_memory.h"
#include "graphs/flow/live_bytes.h"
#include "graphs/flow/numbered_items.h"
#include "graphs/match/operations_by_rank.h"
#include "vocabulary/base/huge_pages.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::graphs {
namespace {

/// Bytes that an operation reads or a rank holds at its end: of which message, named by the operation that reads it, and from which byte on.
/// Of `initial` ones `from` is the number of an address.
struct noted {
  std::uint32_t length;
  std::uint32_t message;
  std::uint32_t from;
};
constexpr std::uint32_t initial = cut_memory::initial, unknown = cut_memory::unknown;

/// Bytes that a rank holds at its end.
struct left_behind {
  std::uint64_t address;
  noted bytes;
};

/// What a message carries up to a byte; it begins where the one before ends.
struct carried {
  std::uint32_t end;
  rank_id source;
  std::uint64_t address;
};

class two_walks {
public:
  two_walks(const graph& g, const matching& m, const run_order& o, const flow_options& options,
            memory_budget& budget)
      : g_(g), m_(m), order_(o.order), options_(options), budget_(budget),
        messages_(counted_allocator<message>(budget)), ends_(counted_allocator<std::uint32_t>(budget)),
        notes_(budget), addresses_(budget), left_(budget), carried_(budget), memory_(budget),
        all_(counted_allocator<segment>(budget)), filled_(counted_allocator<segment>(budget)),
        noted_(counted_allocator<noted>(budget)), initial_(counted_allocator<std::uint64_t>(budget)),
        values_(counted_allocator<carried>(budget)) {}

  std::optional<transfers> run() {
    reserve_huge(messages_, g_.size());
    messages_.resize(g_.size());
    walk_ranks();
    if (!walk_messages())
      return {};
    list_transfers();
    return std::move(made_);
  }

private:
  /// Of a send or a copy.
  struct message {
    std::uint32_t first = 0; ///< in `notes_`, and from its turn on in `carried_`
    std::uint32_t count = 0;
    std::uint32_t last = 0; ///< which of `carried_` was looked at last
  };

  void walk_ranks() {
    const std::size_t listed = g_.size() * sizeof(op_id) + g_.ranks() * sizeof(std::uint32_t);
    budget_.take(listed);
    const operations_by_rank by_rank(g_, order_);
    live_bytes live(g_);
    ends_.reserve(g_.ranks());
    for (std::uint32_t r = 0; r < g_.ranks(); ++r) {
      const std::span<const op_id> mine = by_rank.of(r);
      memory_.start_anew(pieces_of(mine));
      if (mine.size() > most_one_by_one)
        cut_for_all(mine);
      for (const op_id& op : mine) {
        look_ahead(by_rank, &op);
        run(op);
      }
      leave(rank_id{r}, live);
      ends_.push_back(left_.size());
    }
    budget_.give_back(listed);
  }

  /// Pieces of memory that these operations read and write.
  std::size_t pieces_of(std::span<const op_id> mine) const {
    std::size_t count = 0;
    for (const op_id op : mine)
      count += g_.reads(op).size() + g_.writes(op).size();
    return count;
  }

  /// To make cuts moves all those behind them, so a rank makes them once if it has many operations.
  static constexpr std::size_t most_one_by_one = 40;
  void cut_for_all(std::span<const op_id> mine) {
    all_.clear();
    for (const op_id op : mine)
      for (const auto list : {g_.reads(op), g_[op].kind == op_kind::recv ? sent_part(op) : g_.writes(op)})
        all_.insert(all_.end(), list.begin(), list.end());
    memory_.cut(all_);
  }

  void leave(rank_id r, live_bytes& live) {
    fragment whole{};
    const auto put = [&] {
      if (whole.length > 0)
        live.filter(r, whole, [&](const fragment& f) {
          const auto by = f.source == no_rank ? unknown : static_cast<std::uint32_t>(index(f.source));
          const left_behind one{
              f.address,
              {static_cast<std::uint32_t>(f.length), by, static_cast<std::uint32_t>(f.source_address)}};
          left_.add({&one, 1});
        });
    };
    memory_.each_written([&](std::uint64_t address, std::uint64_t length, const cut_memory::value& v) {
      const fragment next{address, length, v.from, v.message == unknown ? no_rank : rank_id{v.message}, 0};
      if (whole.length > 0 && whole.continued_by(next)) {
        whole.length += length;
        return;
      }
      put();
      whole = next;
    });
    put();
  }

  /// The operations of a rank, and their partners, may lie anywhere. Those of the next ranks come behind them in the list.
  [[gnu::always_inline]] void look_ahead(const operations_by_rank& by_rank, const op_id* at) const {
    constexpr std::ptrdiff_t operations = 20, partners = 10;
    if (by_rank.list.data() + by_rank.list.size() - at <= operations)
      return;
    __builtin_prefetch(&g_[at[operations]]);
    __builtin_prefetch(&m_.partner[index(at[operations])]);
    __builtin_prefetch(&messages_[index(at[operations])], 1);
    if (const op_id partner = m_.partner[index(at[partners])]; partner != no_op)
      __builtin_prefetch(&g_[partner]);
  }

  void run(op_id op) {
    switch (g_[op].kind) {
    case op_kind::send:
      read(op);
      break;
    case op_kind::copy:
      read(op);
      write(g_.writes(op), static_cast<std::uint32_t>(index(op)));
      break;
    case op_kind::recv:
      if (const op_id send = m_.partner[index(op)]; send != no_op)
        write(sent_part(op), static_cast<std::uint32_t>(index(send)));
      break;
    case op_kind::opaque:
      overwrite_unknown(g_.writes(op), static_cast<std::uint32_t>(index(op)));
      break;
    case op_kind::reduce:
    case op_kind::fence:
      break;
    }
  }

  void read(op_id op) {
    const std::span<const segment> list = g_.reads(op);
    const auto note_all = [&] {
      noted_.clear();
      return memory_.each(list, [&](std::uint64_t address, std::uint64_t length, const cut_memory::value& v) {
        note(address, static_cast<std::uint32_t>(length), v);
      });
    };
    if (!note_all()) {
      memory_.cut(list);
      note_all();
    }
    for (noted& n : noted_)
      if (n.message == initial)
        n.from = addresses_.add({&initial_[n.from], 1});
    messages_[index(op)] = {notes_.add(noted_), static_cast<std::uint32_t>(noted_.size()), 0};
  }

  void note(std::uint64_t address, std::uint32_t length, const cut_memory::value& v) {
    if (noted_.empty())
      initial_.clear();
    const bool same = !noted_.empty() && noted_.back().message == v.message;
    if (v.message == initial) {
      if (same && initial_.back() + noted_.back().length == address) {
        noted_.back().length += length;
        return;
      }
      noted_.push_back({length, initial, static_cast<std::uint32_t>(initial_.size())});
      initial_.push_back(address);
      return;
    }
    if (same && v.from == noted_.back().from + (v.message == unknown ? 0 : noted_.back().length))
      noted_.back().length += length;
    else
      noted_.push_back({length, v.message, v.from});
  }

  /// What the message that a receive takes fills.
  std::span<const segment> sent_part(op_id receive) {
    const std::span<const segment> all = g_.writes(receive);
    const op_id send = m_.partner[index(receive)];
    if (send == no_op)
      return {};
    const std::uint64_t length = g_.message_length(send);
    if (length >= g_.message_length(receive))
      return all;
    filled_.clear();
    for (std::uint64_t left = length; segment s : all) {
      s.length = std::min(s.length, left);
      left -= s.length;
      filled_.push_back(s);
    }
    return filled_;
  }

  void write(std::span<const segment> list, std::uint32_t sent) {
    const auto write_all = [&] {
      std::uint32_t offset = 0;
      return memory_.each(list, [&](std::uint64_t, std::uint64_t length, cut_memory::value& v) {
        v = {sent, offset};
        offset += static_cast<std::uint32_t>(length);
      });
    };
    if (!write_all()) {
      memory_.cut(list);
      write_all();
    }
  }

  void overwrite_unknown(std::span<const segment> list, std::uint32_t op) {
    memory_.cut(list);
    memory_.each(list,
                 [&](std::uint64_t, std::uint64_t, cut_memory::value& v) { v = {cut_memory::unknown, op}; });
  }

  /// False if more fragments are moved than is allowed, or if messages carry much more than ranks have noted: whoever executes one operation
  /// after the other has to keep only what is held at one time. Messages are moved once if they are handed over at once, and twice if they have to
  /// wait for their receive.
  bool walk_messages() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      look_ahead(i);
      const op_id op = order_[i];
      if (g_[op].kind != op_kind::send && g_[op].kind != op_kind::copy)
        continue;
      resolve(op);
      const op_id receive = m_.partner[index(op)];
      const bool waits = receive != no_op && (i + 1 == order_.size() || order_[i + 1] != receive);
      made_.fragments += messages_[index(op)].count * (waits ? std::uint64_t{2} : 1);
      constexpr std::uint64_t times = 4, at_least = 1 << 16;
      if (made_.fragments > options_.fragment_budget || carried_.size() > times * notes_.size() + at_least)
        return false;
    }
    return true;
  }

  /// A message, what it is made of, and what those messages carry may lie anywhere.
  [[gnu::always_inline]] void look_ahead(std::size_t i) const {
    constexpr std::size_t operations = 32, notes = 24, sources = 16, values = 8;
    if (i + operations >= order_.size())
      return;
    __builtin_prefetch(&g_[order_[i + operations]]);
    __builtin_prefetch(&messages_[index(order_[i + operations])]);
    if (const message& m = messages_[index(order_[i + notes])]; m.count > 0)
      __builtin_prefetch(notes_.at(m.first));
    if (const message& m = messages_[index(order_[i + sources])]; m.count > 0)
      if (const noted& n = *notes_.at(m.first); n.message < messages_.size())
        __builtin_prefetch(&messages_[n.message], 1);
    if (const message& m = messages_[index(order_[i + values])]; m.count > 0)
      if (const noted& n = *notes_.at(m.first); n.message < messages_.size())
        if (const message& s = messages_[n.message]; s.first < carried_.size())
          __builtin_prefetch(carried_.at(s.first));
  }

  void resolve(op_id op) {
    message& made = messages_[index(op)];
    if (made.count == 0)
      return;
    const noted* const notes = notes_.at(made.first);
    const rank_id own = g_[op].rank;
    std::size_t count = 0;
    std::uint32_t end = 0;
    std::uint64_t continued_at = 0; // the address at which the last value is continued
    for (std::uint32_t i = 0; i < made.count; ++i) {
      each_value(notes[i], own, [&](std::uint32_t length, rank_id source, std::uint64_t address) {
        end += length;
        const bool continues = count > 0 && values_[count - 1].source == source && continued_at == address;
        continued_at = source == no_rank ? address : address + length;
        if (continues) {
          values_[count - 1].end = end;
          return;
        }
        if (count == values_.size())
          values_.resize(2 * count + 64, {});
        values_[count++] = {end, source, address};
      });
    }
    made = {carried_.add({values_.data(), count}), static_cast<std::uint32_t>(count), 0};
  }

  /// Visits where the bytes came from, piece by piece: visit(length, source, address). They were read or are held by rank `own`.
  template <typename Visit>
  void each_value(const noted& n, rank_id own, Visit&& visit) {
    if (n.message == initial)
      return visit(n.length, own, *addresses_.at(n.from));
    if (n.message == unknown)
      return visit(n.length, no_rank, n.from);
    message& from = messages_[n.message];
    const carried* const values = carried_.at(from.first);
    const std::uint32_t end = n.from + n.length;
    std::uint32_t i = first_behind(values, from, n.from);
    for (std::uint32_t at = n.from;; ++i) {
      const carried& v = values[i];
      const std::uint32_t begin = i == 0 ? 0 : values[i - 1].end, stop = std::min(end, v.end);
      visit(stop - at, v.source, v.source == no_rank ? v.address : v.address + (at - begin));
      at = stop;
      if (at == end)
        break;
    }
    from.last = i;
  }

  /// The first value that ends behind a byte. What is passed on mostly lies beside what was passed on before.
  static std::uint32_t first_behind(const carried* values, const message& m, std::uint32_t byte) {
    constexpr std::uint32_t near = 4;
    const auto search = [&](std::uint32_t begin, std::uint32_t end) {
      const auto is_before = [&](const carried& v) { return v.end <= byte; };
      return static_cast<std::uint32_t>(std::partition_point(values + begin, values + end, is_before) -
                                        values);
    };
    std::uint32_t i = m.last;
    if (i > 0 && values[i - 1].end > byte) {
      const std::uint32_t close = i - std::min(i, near);
      for (--i; i > close; --i)
        if (values[i - 1].end <= byte)
          return i;
      return search(0, i);
    }
    const std::uint32_t close = std::min(m.count, i + near);
    for (; i < close; ++i)
      if (values[i].end > byte)
        return i;
    return search(i, m.count);
  }

  /// In canonical form: what lies side by side was perhaps brought by two messages.
  void list_transfers() {
    std::size_t at_most = 0;
    each_left([&](rank_id r, const left_behind& x) {
      each_value(x.bytes, r, [&](std::uint32_t, rank_id, std::uint64_t) { ++at_most; });
    });
    budget_.take(at_most * sizeof(transfer));
    std::vector<transfer>& list = made_.list;
    reserve_huge(list, at_most);
    each_left([&](rank_id r, const left_behind& x) {
      std::uint64_t to = x.address;
      each_value(x.bytes, r, [&](std::uint32_t length, rank_id source, std::uint64_t address) {
        add({to, address, length, source, r});
        to += length;
      });
    });
  }

  void add(const transfer& x) {
    if (x.source == x.destination && x.source_address == x.destination_address)
      return; // its own initial value
    std::vector<transfer>& list = made_.list;
    if (!list.empty()) {
      transfer& last = list.back();
      if (last.destination == x.destination && last.source == x.source &&
          last.destination_address + last.length == x.destination_address &&
          x.source_address == last.source_address + (x.source == no_rank ? 0 : last.length)) {
        last.length += x.length;
        return;
      }
    }
    list.push_back(x);
  }

  template <typename Visit>
  void each_left(Visit&& visit) {
    constexpr std::uint32_t messages = 24, values = 12;
    std::uint32_t i = 0;
    const std::uint32_t all = left_.size();
    const auto soon = [&](std::uint32_t at) { return left_.at(at)->bytes.message; };
    for (std::uint32_t r = 0; r < g_.ranks(); ++r)
      for (; i < ends_[r]; ++i) {
        if (i + messages < all) {
          if (const auto m = soon(i + messages); m < messages_.size())
            __builtin_prefetch(&messages_[m], 1);
          if (const auto m = soon(i + values); m < messages_.size())
            __builtin_prefetch(carried_.at(messages_[m].first) + messages_[m].last);
        }
        visit(rank_id{r}, *left_.at(i));
      }
  }

  const graph& g_;
  const matching& m_;
  const std::vector<op_id>& order_;
  const flow_options& options_;
  memory_budget& budget_;
  counted_vector<message> messages_;   ///< by operation
  counted_vector<std::uint32_t> ends_; ///< by rank, in `left_`
  numbered_items<noted> notes_;
  numbered_items<std::uint64_t> addresses_;
  numbered_items<left_behind> left_; ///< rank by rank, in the order of addresses
  numbered_items<carried> carried_;

  // Of the rank that is looked at.
  cut_memory memory_;
  counted_vector<segment> all_; ///< that it reads and writes
  counted_vector<segment> filled_;

  // Of the message that is looked at.
  counted_vector<noted> noted_; ///< of initial bytes with numbers in `initial_`
  counted_vector<std::uint64_t> initial_;
  counted_vector<carried> values_;
  transfers made_;
};

bool fits(const graph& g) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  return !g.has_reductions() && g.size() < unknown &&
         std::ranges::all_of(g.operations(), [](const operation& op) { return op.data.length < most; });
}

} // namespace

std::optional<transfers> follow_rank_by_rank(const graph& g, const matching& m, const run_order& o,
                                             const flow_options& options) {
  if (o.order.size() < g.size() || !fits(g))
    return {};
  memory_budget budget(options.memory_budget);
  try {
    return two_walks(g, m, o, options, budget).run();
  } catch (const over_budget&) {
    return {};
  }
}

} // namespace tacit::graphs
