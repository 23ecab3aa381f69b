// The messages of a part of the program (a phase on one communicator) are read as a stream, from the beginning. At
// each place every known shape says how many of the next operations of each rank would belong to it; they count if
// they are closed (nothing crosses their edges, nothing else lies in between) and have exactly the partners, sizes
// and contents of the shape. Otherwise the next operations that belong together are passed over.
//
// Contents decide where shapes alone would lie: in an allreduce by recursive doubling the ranks of each group that
// has exchanged hold the same value, so they send the same bytes on; the same exchanges in a halo send different
// ones. Zero-byte messages are one stream for the whole communicator: the two halves of a barrier are often written
// in different lines.
#include "recordings/meaning/shapes.h"

#include "recordings/meaning/folded_allreduce.h"
#include "recordings/meaning/known_messages.h"
#include "recordings/meaning/star_to_root.h"
#include "recordings/meaning/stream.h"
#include "recordings/meaning/versions.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t most_skips = 2000; ///< in a row, after which nothing is looked for in a stream
constexpr std::uint32_t most_ranks = 1u << 12;
constexpr std::ptrdiff_t rounds_beyond_chance = 3; ///< for every pair to meet is no chance

class shape_reader {
public:
  shape_reader(const recording_set& recorded, const message_table& table, const provenance& data,
               stream& messages, std::uint32_t group)
      : recorded_(recorded), table_(table), known_{recorded, table, data}, in_(messages), group_(group),
        q_(messages.ranks()), log_(static_cast<std::uint32_t>(std::bit_width(q_ - 1))) {}

  /// Shapes of messages that belong to one phase.
  std::vector<shaped_messages> of_phase() {
    using reader = result (shape_reader::*)();
    static constexpr reader readers[] = {&shape_reader::exchanges_by_bits,  &shape_reader::folded,
                                         &shape_reader::dissemination,      &shape_reader::central_barrier,
                                         &shape_reader::every_pair,         &shape_reader::ring_of_chunks,
                                         &shape_reader::prefix_by_doubling, &shape_reader::prefix_of_shifted,
                                         &shape_reader::tree_to_root,       &shape_reader::tree_from_root,
                                         &shape_reader::turns_to_root};
    std::vector<shaped_messages> all = run(readers);
    const auto is_through_one_buffer = [](const shaped_messages& one) {
      return one.shape == message_shape::alltoall || one.shape == message_shape::alltoallv;
    };
    if (std::count_if(all.begin(), all.end(), is_through_one_buffer) < rounds_beyond_chance)
      std::erase_if(all, is_through_one_buffer);
    return all;
  }

  /// Shapes that programs write in several lines, among all that is left of a group.
  std::vector<shaped_messages> of_group() {
    using reader = result (shape_reader::*)();
    static constexpr reader readers[] = {&shape_reader::folded, &shape_reader::turns_to_root};
    return run(readers);
  }

private:
  using result = std::optional<shaped_messages>;

  std::vector<shaped_messages> run(std::span<result (shape_reader::* const)()> readers) {
    std::vector<shaped_messages> all;
    for (std::uint32_t skipped = 0; skipped < most_skips;) {
      if (const auto found = here(readers)) {
        all.push_back(*found);
        skipped = 0;
      } else {
        if (!in_.skip())
          break;
        ++skipped;
      }
    }
    return all;
  }

  result here(std::span<result (shape_reader::* const)()> readers) {
    if (in_.at_end())
      return {};
    for (const auto one : readers)
      if (result found = (this->*one)())
        return found;
    return {};
  }

  const message& of(const stream_operation& o) const { return known_.of(o); }
  const call& sent_by(std::uint32_t id) const { return known_.sent_by(id); }
  bool is_hashed(std::uint32_t id) const { return known_.is_hashed(id); }
  bool passes_on(std::uint32_t id) const { return known_.passes_on(id); }

  /// The k-th send and receive of a rank among its next operations.
  struct step {
    const stream_operation* send = nullptr;
    const stream_operation* receive = nullptr;
  };
  /// Empty unless the next 2 · count operations of the rank are as many sends as receives.
  std::vector<step> steps_of(std::uint32_t rank, std::uint32_t count) const {
    const auto next = in_.next(rank, 2 * count);
    if (next.size() != 2 * count)
      return {};
    std::vector<step> steps(count);
    std::size_t sends = 0, receives = 0;
    for (const stream_operation& o : next) {
      std::size_t& at = o.receives ? receives : sends;
      if (at == count)
        return {};
      (o.receives ? steps[at].receive : steps[at].send) = &o;
      ++at;
    }
    return steps;
  }
  /// Those of all ranks; empty if one has none.
  std::vector<std::vector<step>> all_steps(std::uint32_t count) const {
    std::vector<std::vector<step>> all;
    for (std::uint32_t r = 0; r < q_; ++r) {
      all.push_back(steps_of(r, count));
      if (all.back().empty())
        return {};
    }
    return all;
  }

  result take(const portion& count, message_shape shape, pattern kind = pattern::bcast,
              std::uint32_t root = none) {
    if (!in_.is_closed(count))
      return {};
    shaped_messages found;
    found.messages = in_.messages(count);
    found.shape = shape;
    found.kind = kind;
    found.root = root;
    found.group = group_;
    for (const std::uint32_t id : found.messages)
      found.block = std::max(found.block, table_.messages[id].bytes);
    in_.advance(count);
    return found;
  }

  // Exchanges with the rank whose number differs in one bit, each bit once.

  result exchanges_by_bits() {
    if (!std::has_single_bit(q_) || q_ < 4)
      return {};
    const auto steps = all_steps(log_);
    if (steps.empty())
      return {};
    std::uint32_t seen = 0;
    std::vector<std::uint64_t> bytes;
    for (std::uint32_t k = 0; k < log_; ++k) {
      const std::uint32_t bit = steps[0][k].send->peer;
      if (!std::has_single_bit(bit) || (seen & bit) != 0)
        return {};
      seen |= bit;
      bytes.push_back(of(*steps[0][k].send).bytes);
      for (std::uint32_t r = 0; r < q_; ++r)
        if (steps[r][k].send->peer != (r ^ bit) || steps[r][k].receive->peer != (r ^ bit) ||
            of(*steps[r][k].send).bytes != bytes[k])
          return {};
    }
    const portion all(q_, 2 * log_);
    const auto sizes = [&](auto&& next) {
      for (std::uint32_t k = 1; k < log_; ++k)
        if (bytes[k] != next(bytes[k - 1]))
          return false;
      return true;
    };
    if (sizes([](std::uint64_t b) { return b; })) {
      if (bytes[0] == 0)
        return take(all, message_shape::no_shape, pattern::barrier);
      return agrees_by_groups(steps) ? take(all, message_shape::allreduce) : result{};
    }
    if (bytes.back() > 0 && sizes([](std::uint64_t b) { return b / 2; }))
      return nothing_passed_on(steps) ? take(all, message_shape::reduce_scatter) : result{};
    return {};
  }

  /// From the second step on, ranks that have exchanged with each other send the same bytes; in the first one they
  /// do not all.
  bool agrees_by_groups(const std::vector<std::vector<step>>& steps) const {
    bool differ = false;
    std::uint32_t mask = 0;
    for (std::uint32_t k = 0; k < log_; ++k) {
      for (std::uint32_t r = 0; r < q_; ++r) {
        const std::uint32_t id = steps[r][k].send->message, first = steps[r & ~mask][k].send->message;
        if (!is_hashed(id) || !is_hashed(first))
          return false;
        if (sent_by(id).hash != sent_by(first).hash)
          return false;
        differ = differ || (k == 0 && sent_by(id).hash != sent_by(steps[0][0].send->message).hash);
      }
      mask |= steps[0][k].send->peer;
    }
    return differ;
  }

  result folded() {
    const auto count = folded_allreduce(known_, in_);
    return count ? take(*count, message_shape::allreduce) : result{};
  }

  bool nothing_passed_on(const std::vector<std::vector<step>>& steps) const {
    for (const auto& rank : steps)
      for (const step& s : rank)
        if (passes_on(s.send->message) || !is_hashed(s.send->message))
          return false;
    return true;
  }

  // Barriers.

  result dissemination() {
    const auto steps = all_steps(log_);
    if (steps.empty())
      return {};
    for (std::uint32_t k = 0; k < log_; ++k)
      for (std::uint32_t r = 0; r < q_; ++r) {
        const std::uint32_t by = 1u << k;
        if (of(*steps[r][k].send).bytes > 0 || steps[r][k].send->peer != (r + by) % q_ ||
            steps[r][k].receive->peer != (r + q_ - by) % q_)
          return {};
      }
    return take(portion(q_, 2 * log_), message_shape::no_shape, pattern::barrier);
  }

  /// A tree to a root and back from it, without data.
  result central_barrier() {
    for (std::uint32_t r = 0; r < q_; ++r) {
      const auto first = in_.next(r, 1);
      if (first.empty() || of(first[0]).bytes > 0)
        return {};
    }
    std::vector<std::uint32_t> parent(q_, none);
    for (std::uint32_t r = 0; r < q_; ++r) {
      const auto ahead = in_.next(r, 2 * q_);
      const auto send = std::find_if(ahead.begin(), ahead.end(), [](const auto& o) { return !o.receives; });
      if (send == ahead.end())
        return {};
      parent[r] = send->peer;
    }
    for (std::uint32_t r = 0; r < q_; ++r) // the root first answers a rank whose parent it is
      if (parent[parent[r]] == r && in_.next(r, 1)[0].receives)
        if (result found = up_and_down(r, parent))
          return found;
    return {};
  }

  result up_and_down(std::uint32_t root, const std::vector<std::uint32_t>& parent) {
    std::vector<std::uint32_t> children(q_, 0);
    for (std::uint32_t r = 0; r < q_; ++r)
      if (r != root)
        ++children[parent[r]];
    portion count(q_);
    for (std::uint32_t r = 0; r < q_; ++r) {
      count[r] = 2 * children[r] + (r == root ? 0 : 2);
      if (!is_up_and_down(r, root, parent, children[r]))
        return {};
    }
    return reaches(parent, root) ? take(count, message_shape::no_shape, pattern::barrier) : result{};
  }

  /// Hears from all children, asks the parent, hears from it, tells all children.
  bool is_up_and_down(std::uint32_t r, std::uint32_t root, const std::vector<std::uint32_t>& parent,
                      std::uint32_t children) const {
    const std::uint32_t up = children + (r == root ? 0 : 1);
    const auto next = in_.next(r, 2 * up);
    if (next.size() != 2 * up)
      return false;
    std::multiset<std::uint32_t> heard, told;
    for (std::uint32_t k = 0; k < next.size(); ++k) {
      const bool asks = r != root && k == children, is_asked = r != root && k == children + 1;
      const bool receives = k < children || is_asked;
      if (of(next[k]).bytes > 0 || next[k].receives != receives)
        return false;
      if (asks || is_asked) {
        if (next[k].peer != parent[r])
          return false;
      } else {
        (receives ? heard : told).insert(next[k].peer);
        if (next[k].peer == root || parent[next[k].peer] != r)
          return false;
      }
    }
    return heard == told && std::set(heard.begin(), heard.end()).size() == heard.size();
  }

  // Every pair of ranks once.

  result every_pair() {
    const auto steps = all_steps(q_ - 1);
    if (steps.empty())
      return {};
    bool equal = true, shared = true, apart = true;
    for (std::uint32_t r = 0; r < q_; ++r) {
      std::vector<bool> to(q_, false), from(q_, false);
      for (const step& s : steps[r]) {
        if (to[s.send->peer] || from[s.receive->peer] || s.send->peer == r || of(*s.send).bytes == 0 ||
            !is_hashed(s.send->message) || passes_on(s.send->message))
          return {};
        to[s.send->peer] = from[s.receive->peer] = true;
        equal = equal && of(*s.send).bytes == of(*steps[0][0].send).bytes;
        shared = shared && sent_by(s.send->message).hash == sent_by(steps[r][0].send->message).hash;
      }
      if (sends_what_came(r, 2 * (q_ - 1)))
        return {};
      apart = apart && sends_from_everywhere_else(r, 2 * (q_ - 1));
    }
    if (!shared &&
        !apart) { // one buffer, filled anew for each exchange: perhaps with what the last one brought
      const message_shape shape = equal ? message_shape::alltoall : message_shape::alltoallv;
      return q_ >= 4 ? take(portion(q_, 2 * (q_ - 1)), shape) : result{};
    }
    const pattern kind = shared ? (equal ? pattern::allgather : pattern::allgatherv)
                                : (equal ? pattern::alltoall : pattern::alltoallv);
    return take(portion(q_, 2 * (q_ - 1)), message_shape::no_shape, kind);
  }

  /// No two sends of the next operations read the same memory.
  bool sends_from_everywhere_else(std::uint32_t rank, std::uint32_t count) const {
    std::vector<graphs::segment> read;
    for (const stream_operation& o : in_.next(rank, count)) {
      if (o.receives)
        continue;
      const message& m = of(o);
      const rank_recording& r = recorded_.recordings[table_.recording_of_rank[m.from]];
      const std::vector<graphs::segment> runs = sorted_memory_runs(r, r.calls[m.send_call], m.bytes);
      read.insert(read.end(), runs.begin(), runs.end());
    }
    std::sort(read.begin(), read.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
    for (std::size_t i = 1; i < read.size(); ++i)
      if (read[i - 1].address + read[i - 1].length > read[i].address)
        return false;
    return !read.empty();
  }

  /// A send of the next operations reads where an earlier one of them received.
  bool sends_what_came(std::uint32_t rank, std::uint32_t count) const {
    std::vector<graphs::segment> came;
    for (const stream_operation& o : in_.next(rank, count)) {
      const message& m = of(o);
      const rank_recording& r = recorded_.recordings[table_.recording_of_rank[o.receives ? m.to : m.from]];
      for (const graphs::segment& s :
           sorted_memory_runs(r, r.calls[o.receives ? m.recv_call : m.send_call], m.bytes)) {
        if (o.receives)
          came.push_back(s);
        else if (std::any_of(came.begin(), came.end(), [&](const graphs::segment& c) {
                   return c.address < s.address + s.length && s.address < c.address + c.length;
                 }))
          return true;
      }
    }
    return false;
  }

  // Q - 1 shifts to the next rank, each of another chunk.

  result ring_of_chunks() {
    const auto steps = all_steps(q_ - 1);
    if (steps.empty())
      return {};
    const std::uint32_t by = (steps[0][0].send->peer + q_) % q_;
    if (by != 1 && by != q_ - 1)
      return {};
    for (std::uint32_t r = 0; r < q_; ++r) {
      std::vector<graphs::segment> chunks;
      for (const step& s : steps[r]) {
        const std::uint32_t id = s.send->message;
        const bool next = s.send->peer == (r + by) % q_ && s.receive->peer == (r + q_ - by) % q_;
        if (!next || table_.messages[id].bytes == 0 || passes_on(id) || !is_hashed(id))
          return {};
        const auto runs =
            memory_runs(recorded_.recordings[table_.recording_of_rank[table_.messages[id].from]], sent_by(id),
                        table_.messages[id].bytes);
        if (runs.size() != 1)
          return {};
        chunks.push_back(runs[0]);
      }
      std::sort(chunks.begin(), chunks.end(),
                [](const auto& a, const auto& b) { return a.address < b.address; });
      for (std::size_t i = 1; i < chunks.size(); ++i)
        if (chunks[i - 1].address + chunks[i - 1].length > chunks[i].address)
          return {};
    }
    return take(portion(q_, 2 * (q_ - 1)), message_shape::reduce_scatter);
  }

  // In step k each rank sends to the one 2^k further on, if there is one. An exclusive scan sends no other messages than an
  // inclusive one: the operand of its own that a rank adds at the end, or does not, stays with it.

  result prefix_by_doubling() { return prefix(0); }

  /// Each rank's operand goes to the next rank, and all but the first one go on as above with what they got.
  result prefix_of_shifted() { return prefix(1); }

  result prefix(std::uint32_t first) {
    if (q_ < 4)
      return {};
    portion count(q_);
    std::uint64_t bytes = 0;
    for (std::uint32_t r = 0; r < q_; ++r) {
      std::vector<std::uint32_t> to, from;
      const auto add_step = [&](std::uint32_t by, std::uint32_t lowest) {
        if (r >= lowest && r + by < q_)
          to.push_back(r + by);
        if (r >= lowest + by)
          from.push_back(r - by);
      };
      if (first > 0)
        add_step(1, 0);
      for (std::uint32_t by = 1; by < q_ - first; by *= 2)
        add_step(by, first);
      count[r] = static_cast<std::uint32_t>(to.size() + from.size());
      if (!is_prefix_of_rank(r, to, from, first, bytes))
        return {};
    }
    return take(count, message_shape::scan);
  }

  /// The next operations of the rank have these partners, and all are equally long. What came in a first step to the next rank
  /// is passed on in the second one, by the rank that gets nothing else also later; nothing else is.
  bool is_prefix_of_rank(std::uint32_t rank, const std::vector<std::uint32_t>& to,
                         const std::vector<std::uint32_t>& from, std::uint32_t first,
                         std::uint64_t& bytes) const {
    const auto next = in_.next(rank, static_cast<std::uint32_t>(to.size() + from.size()));
    if (next.size() != to.size() + from.size())
      return false;
    std::size_t sends = 0, receives = 0;
    for (const stream_operation& o : next) {
      const std::vector<std::uint32_t>& wanted = o.receives ? from : to;
      std::size_t& at = o.receives ? receives : sends;
      if (at == wanted.size() || o.peer != wanted[at] || of(o).bytes == 0)
        return false;
      const std::uint32_t sender = o.receives ? o.peer : rank;
      const bool goes_on = first > 0 && at > 0 && (at == 1 || sender == first);
      if (passes_on(o.message) != goes_on)
        return false;
      ++at;
      bytes = bytes == 0 ? of(o).bytes : bytes;
      if (of(o).bytes != bytes)
        return false;
    }
    return true;
  }

  // Trees: each rank but the root sends once, after it has heard from all that send to it.

  result tree_to_root() {
    std::vector<std::uint32_t> parent(q_, none), before(q_, 0), children(q_, 0);
    for (std::uint32_t r = 0; r < q_; ++r)
      for (const stream_operation& o : in_.next(r, q_)) {
        if (!o.receives) {
          parent[r] = o.peer;
          break;
        }
        ++before[r];
      }
    for (std::uint32_t root = 0; root < q_; ++root) {
      if (before[root] == 0)
        continue;
      std::fill(children.begin(), children.end(), 0);
      bool tree = true;
      for (std::uint32_t r = 0; r < q_ && tree; ++r)
        if (r != root) {
          tree = parent[r] != none;
          children[tree ? parent[r] : 0] += 1;
        }
      portion count(q_);
      for (std::uint32_t r = 0; r < q_ && tree; ++r) {
        tree = r == root ? children[r] > 0 && children[r] <= before[r] : children[r] == before[r];
        count[r] = children[r] + (r == root ? 0 : 1);
      }
      if (!tree || !reaches(parent, root))
        continue;
      if (const auto shape = shape_to_root(parent, root, count))
        if (result found = take(count, *shape, pattern::gather, root))
          return found;
    }
    return {};
  }

  bool reaches(const std::vector<std::uint32_t>& parent, std::uint32_t root) const {
    for (std::uint32_t r = 0; r < q_; ++r) {
      std::uint32_t at = r, steps = 0;
      while (at != root && at != none && steps++ < q_)
        at = parent[at];
      if (at != root)
        return false;
    }
    return true;
  }

  std::optional<message_shape> shape_to_root(const std::vector<std::uint32_t>& parent, std::uint32_t root,
                                             const portion& count) const {
    bool star = true, upward = true, downward = true;
    std::uint64_t bytes = 0;
    for (std::uint32_t r = 0; r < q_; ++r)
      for (const stream_operation& o : in_.next(r, count[r])) {
        if (o.receives)
          continue;
        if (of(o).bytes == 0 || passes_on(o.message) || !is_hashed(o.message) ||
            (bytes != 0 && of(o).bytes != bytes))
          return {};
        bytes = of(o).bytes;
        star = star && parent[r] == root;
        upward = upward && parent[r] == r + 1;
        downward = downward && r > 0 && parent[r] == r - 1;
      }
    if (q_ > 2 && (upward || downward))
      return message_shape::chain;
    if (!star)
      return message_shape::reduce;
    return receives_into_one_place(root, count[root]) ? std::optional(message_shape::gather_or_reduce)
                                                      : std::nullopt;
  }

  bool receives_into_one_place(std::uint32_t rank, std::uint32_t count) const {
    std::set<std::pair<std::uint32_t, std::int64_t>> places;
    for (const stream_operation& o : in_.next(rank, count)) {
      const message& m = of(o);
      const call& c = recorded_.recordings[table_.recording_of_rank[m.to]].calls[m.recv_call];
      places.emplace(c.allocation, c.offset);
    }
    return count > 1 && places.size() == 1;
  }

  result turns_to_root() {
    const auto found = star_to_root(known_, in_);
    return found ? take(found->count, found->shape, pattern::gather, found->root) : result{};
  }

  /// The same bytes down a tree: each rank but the root receives once, and then sends.
  result tree_from_root() {
    for (std::uint32_t root = 0; root < q_; ++root) {
      const auto first = in_.next(root, 1);
      if (first.empty() || first[0].receives)
        continue;
      std::vector<std::uint32_t> children(q_, 0), parent(q_, none);
      bool tree = of(first[0]).bytes > 0 && is_hashed(first[0].message);
      const std::uint64_t bytes = of(first[0]).bytes, hash = sent_by(first[0].message).hash;
      for (std::uint32_t r = 0; r < q_ && tree; ++r) {
        const auto got = in_.next(r, 1);
        if (r == root)
          continue;
        tree = !got.empty() && got[0].receives && of(got[0]).bytes == bytes && is_hashed(got[0].message) &&
               sent_by(got[0].message).hash == hash;
        if (!tree)
          break;
        parent[r] = got[0].peer;
        ++children[parent[r]];
      }
      if (!tree || !reaches(parent, root))
        continue;
      portion count(q_);
      for (std::uint32_t r = 0; r < q_; ++r)
        count[r] = children[r] + (r == root ? 0 : 1);
      if (result found = take(count, message_shape::no_shape, pattern::bcast, root))
        return found;
    }
    return {};
  }

  const recording_set& recorded_;
  const message_table& table_;
  const known_messages known_;
  stream& in_;
  const std::uint32_t group_, q_, log_;
};

} // namespace

std::vector<shaped_messages> find_shapes(const recording_set& recorded, const message_table& table,
                                         const provenance& data, const episode_list& episodes,
                                         const fact_table& facts, const std::vector<phase>& phases) {
  using part = std::pair<std::uint32_t, phase>; // messages without data: the whole group
  std::map<part, std::vector<std::uint32_t>> parts;
  for (std::uint32_t e = 0; e < episodes.size(); ++e) {
    const episode_facts& f = facts.of_episode[e];
    const std::size_t ranks = table.groups[f.group].members.size();
    if ((f.seen && f.why_not == doubt::no_doubt) || ranks < 3 || ranks > most_ranks ||
        table.groups[f.group].inter)
      continue;
    const auto ids = episodes.of(e);
    const bool empty =
        std::all_of(ids.begin(), ids.end(), [&](std::uint32_t id) { return table.messages[id].bytes == 0; });
    std::vector<std::uint32_t>& list = parts[{f.group, empty ? phase{none, 0} : phases[e]}];
    list.insert(list.end(), ids.begin(), ids.end());
  }
  std::vector<shaped_messages> all;
  if (parts.empty())
    return all;
  group_positions positions(table);
  const std::vector<group_activity> around = list_group_activity(recorded, table, positions);
  for (const auto& [where, messages] : parts) {
    stream read(recorded, table, positions, where.first, messages, around[where.first]);
    auto found = shape_reader(recorded, table, data, read, where.first).of_phase();
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  std::set<std::uint32_t> taken;
  for (const shaped_messages& one : all)
    taken.insert(one.messages.begin(), one.messages.end());
  std::map<std::uint32_t, std::vector<std::uint32_t>> left; // by group
  for (const auto& [where, messages] : parts)
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(left[where.first]),
                 [&](std::uint32_t id) { return !taken.contains(id); });
  for (const auto& [group, messages] : left) {
    stream read(recorded, table, positions, group, messages, around[group]);
    auto found = shape_reader(recorded, table, data, read, group).of_group();
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return all;
}

} // namespace tacit::recordings
