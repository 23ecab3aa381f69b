// Problem: an algorithm of graphs/generate speaks of blocks in a memory of its own, a collective of a plan of lists of segments at
// each member. Idea: the algorithm is generated once for the members, and every address in it stands for a byte of some block, so
// each segment is looked up by region and number of its block and becomes the same slice of that block's list. Blocks that the
// program has none for (those on their way through a tree, the own slot of a member) get scratch memory of the plan.
//
// Blocks of a vector collective differ in length. They travel as those of the uniform one with the largest block, in whole blocks, each as
// long as the block that it came from: lengths are followed through the generated operations, which stand in an order in which
// they could run. Blocks without bytes leave messages without bytes, which keeps the order of the steps.
//
// Messages keep the dependencies that the weaver found in the data; where it found none at a member, those of the collective's
// step. Tags go on behind those of the plan, counted by pair of ranks. Cost O(operations of the generated graphs).
#include "graphs/choice/generated_form.h"

#include "graphs/choice/combining_form.h"
#include "graphs/graph/segments.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tacit::graphs {
namespace {

constexpr std::uint64_t bytes_of_a_segment = 32768;
constexpr std::uint32_t most_segments = 64;

/// Where ranks stand in groups. Most groups are all ranks in order, and are not looked through.
class positions {
public:
  explicit positions(const graph& g) : g_(g) {}
  std::uint32_t of(comm_id comm, rank_id r) {
    const std::vector<rank_id>& members = g_.communicators()[index(comm)].members;
    if (index(r) < members.size() && members[index(r)] == r)
      return index(r);
    std::unordered_map<rank_id, std::uint32_t>& known = known_[comm];
    if (known.empty())
      for (std::uint32_t i = 0; i < members.size(); ++i)
        known.emplace(members[i], i);
    return known.at(r);
  }

private:
  const graph& g_;
  std::map<comm_id, std::unordered_map<rank_id, std::uint32_t>> known_;
};

/// One collective of a plan: the step of each member.
struct call {
  const step* first = nullptr;
  std::vector<const step*>
      of; ///< by position in the group; null: the member does not take part, so the plan is wrong
};

using calls = std::map<std::pair<comm_id, std::int32_t>, call>;

calls calls_of(const graph& g, const plan& p) {
  calls out;
  positions known(g);
  for (std::uint32_t r = 0; r < p.ranks.size(); ++r)
    for (const step& s : p.ranks[r].steps) {
      if (s.kind != step_kind::collective)
        continue;
      call& c = out[{s.comm, s.tag}];
      c.of.resize(g.communicators()[index(s.comm)].members.size(), nullptr);
      c.first = &s;
      c.of[known.of(s.comm, rank_id{r})] = &s;
    }
  return out;
}

/// The pattern with blocks of one length; the pattern itself if it is that.
pattern uniform_of(pattern kind) {
  for (const pattern_row& row : patterns)
    if (row.vector == kind && row.kind != kind)
      return row.kind;
  return kind;
}

/// Nodes of the members; empty if there is one node, or one member on each.
std::vector<std::uint32_t> nodes_of(const process_map& where, std::span<const rank_id> members) {
  std::vector<std::uint32_t> made;
  if (where.node.empty())
    return made;
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  for (const rank_id r : members)
    made.push_back(
        number.try_emplace(where.node[index(r)], static_cast<std::uint32_t>(number.size())).first->second);
  if (number.size() == 1 || number.size() == members.size())
    made.clear();
  return made;
}

/// How a collective is carried out that is none of messages yet.
struct manner {
  algorithm form;
  vector_collectives vectors;
  const process_map& where;
  bool only_ordered = false; ///< other collectives than reductions that must keep an order stay
};

/// Whether nodes may make partial results of their own. What has to give the bits of the graph is combined as the graph does it, and what does
/// not commute in the order of ranks, so that nodes have to hold neighbors.
bool may_meet_in_nodes(const graph& g, const step& s, std::span<const std::uint32_t> nodes) {
  return s.order == 0 && (g.reducers()[index(s.by)].commutative || are_nodes_in_a_row(nodes));
}

/// The algorithm by which a collective of these members is carried out; nothing if only straight messages, or combining_form.h, can.
std::optional<recipe> recipe_for(const graph& g, const step& s, std::span<const rank_id> group,
                                 std::uint32_t root, const manner& how) {
  const auto& [form, vectors, where, only_ordered] = how;
  const auto members = static_cast<std::uint32_t>(group.size());
  recipe r;
  const bool is_vector = !is_uniform(s.collective);
  if (is_vector && (vectors == vector_collectives::straight || form == algorithm::linear))
    return std::nullopt;
  r.kind = uniform_of(s.collective);
  r.form = form;
  r.ranks = members;
  r.root = root;
  r.block = s.largest_block;
  if (form == algorithm::two_level)
    r.nodes = nodes_of(where, group);
  if (is_reduction(s.collective)) {
    if (r.nodes.empty() || !may_meet_in_nodes(g, s, r.nodes))
      return std::nullopt;
    r.by = g.reducers()[index(s.by)];
  }
  if (s.collective == pattern::barrier) {
    r.form = r.nodes.empty() ? algorithm::dissemination : form;
    return r;
  }
  if (s.largest_block == 0 || (form == algorithm::butterfly && !std::has_single_bit(members)) ||
      (form == algorithm::two_level && r.nodes.empty()))
    return std::nullopt;
  const bool in_segments = form == algorithm::pipelined || form == algorithm::pipelined_binomial;
  if (in_segments) {
    if (is_vector || s.largest_block < 2 * bytes_of_a_segment)
      return std::nullopt;
    r.segments = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(s.largest_block / bytes_of_a_segment, most_segments));
  }
  const std::vector<known_algorithm> known = algorithms_of(r.kind);
  const bool exists =
      std::any_of(known.begin(), known.end(), [&](const known_algorithm& k) { return k.form == r.form; });
  return exists ? std::optional(r) : std::nullopt;
}

class message_maker {
public:
  message_maker(const graph& g, const plan& p, const manner& how) : g_(g), p_(p), how_(how), positions_(g) {
    out_.as_written = p.as_written;
    out_.why_as_written = p.why_as_written;
    out_.detail = p.detail;
    out_.not_used = p.not_used;
    out_.ranks.resize(p.ranks.size());
    for (std::size_t r = 0; r < p.ranks.size(); ++r)
      out_.ranks[r].scratch_bytes = p.ranks[r].scratch_bytes;
    for (const rank_plan& r : p.ranks)
      for (const step& s : r.steps)
        if (is_message(s))
          first_tag_ = std::max(first_tag_, s.tag + 1);
  }

  plan run() {
    prepare();
    for (std::uint32_t r = 0; r < p_.ranks.size(); ++r)
      copy_rank(r);
    return std::move(out_);
  }

private:
  /// Steps of one collective at one member; `after` counts within the list.
  /// Of the memory that an algorithm speaks of.
  enum region : int { input, output, temporary, regions };
  const std::vector<rank_id>& members(const step& s) const {
    return g_.communicators()[index(s.comm)].members;
  }
  void prepare();
  /// Of the collective being made.
  step_list& list_of(std::uint32_t member) { return (*making_)[member]; }
  void by_algorithm(const call& c, const recipe& how);
  void straight(const call& c);
  void combine(const call& c);
  segment_list translated(const call& c, std::uint32_t member, const recipe& how, const memory_layout& layout,
                          std::span<const segment> bytes);
  std::optional<block_bytes> block_of(const call& c, std::uint32_t member, bool output,
                                      std::uint32_t number) const;
  segment scratch_of(const call& c, std::uint32_t member, int region, std::uint32_t number,
                     std::uint64_t length);
  /// A block of the algorithm's memory: member, region, number.
  using block_id = std::tuple<std::uint32_t, int, std::uint32_t>;
  using block_ids = std::vector<block_id>;
  static block_ids whole_blocks(std::uint32_t member, const recipe& how, const memory_layout& layout,
                                std::span<const segment> bytes);
  std::uint64_t length_of(const call& c, const block_id& at) const;
  segment_list of_their_lengths(const call& c, const recipe& how, const block_ids& list);
  void move_lengths(const call& c, const block_ids& from, const block_ids& to);
  void align_scratch(std::span<const rank_id> group);
  std::int32_t next_tag(rank_id from, rank_id to) {
    return first_tag_ + next_[std::uint64_t{index(from)} << 32 | index(to)]++;
  }
  bool is_replaced(const step& s) const {
    return s.kind == step_kind::collective && (!how_.only_ordered || s.order > 0);
  }
  void copy_rank(std::uint32_t r);

  const graph& g_;
  const plan& p_;
  manner how_;
  positions positions_;
  plan out_;
  std::int32_t first_tag_ = 0;
  std::unordered_map<std::uint64_t, std::int32_t> next_;
  std::map<std::pair<comm_id, std::int32_t>, std::vector<step_list>> made_; ///< by position in the group
  std::vector<step_list>* making_ = nullptr;
  /// Of the collective being made: scratch memory of blocks by member and region, then by number; 0: none yet.
  std::vector<std::vector<std::uint64_t>> scratch_;
  /// Likewise the lengths of a vector collective's blocks that have moved, plus 1.
  std::vector<std::vector<std::uint64_t>> lengths_;
};

void message_maker::prepare() {
  for (const auto& [key, c] : calls_of(g_, p_)) {
    const step& s = *c.first;
    if (how_.only_ordered && s.order == 0)
      continue;
    const auto n = static_cast<std::uint32_t>(members(s).size());
    const std::uint32_t root = is_rooted(s.collective) ? positions_.of(s.comm, s.peer) : 0;
    making_ = &made_[key];
    making_->resize(n);
    scratch_.assign(n * std::size_t{regions}, {});
    lengths_.assign(is_uniform(s.collective) ? 0 : n * std::size_t{regions}, {});
    if (const std::optional<recipe> how = recipe_for(g_, s, members(s), root, how_))
      by_algorithm(c, *how);
    else
      is_reduction(s.collective) ? combine(c) : straight(c);
  }
}

std::optional<block_bytes> bytes_for(const block_list& blocks, rank_id peer, std::size_t about) {
  const std::optional<block> found = blocks.find(peer, about);
  return found ? std::optional(found->bytes) : std::nullopt;
}

/// The bytes of the plan that a block of the algorithm's memory stands for; nothing if it has none.
std::optional<block_bytes> message_maker::block_of(const call& c, std::uint32_t member, bool output,
                                                   std::uint32_t number) const {
  const step& s = *c.of[member];
  const std::vector<rank_id>& group = members(s);
  switch (row_of(s.collective).moves) {
  case signature::root_to_all: // works in the input block at every member
    if (output || number != 0)
      return std::nullopt;
    return s.sends.empty() ? bytes_for(s.receives, s.peer, 0) : s.sends.front().bytes;
  case signature::each_to_all:
    return output        ? bytes_for(s.receives, group[number], number)
           : number == 0 ? bytes_for(s.sends, no_rank, 0)
                         : std::nullopt;
  case signature::root_to_each:
    return output ? (number == 0 ? bytes_for(s.receives, s.peer, 0) : std::nullopt)
                  : bytes_for(s.sends, group[number], number);
  case signature::each_to_root:
    return output        ? bytes_for(s.receives, group[number], number)
           : number == 0 ? bytes_for(s.sends, s.peer, 0)
                         : std::nullopt;
  case signature::each_to_each:
    return bytes_for(output ? s.receives : s.sends, group[number], number);
  case signature::all_into_root:
  case signature::all_into_all:
    return number == 0 ? bytes_for(output ? s.receives : s.sends, no_rank, 0) : std::nullopt;
  case signature::all_into_each:
    return !output       ? bytes_for(s.sends, group[number], number)
           : number == 0 ? bytes_for(s.receives, no_rank, 0)
                         : std::nullopt;
  case signature::no_data:
  case signature::up_to_each:
  case signature::before_each:
    break;
  }
  return std::nullopt;
}

segment message_maker::scratch_of(const call& c, std::uint32_t member, int region, std::uint32_t number,
                                  std::uint64_t length) {
  std::vector<std::uint64_t>& addresses =
      scratch_[member * std::size_t{regions} + static_cast<unsigned>(region)];
  if (addresses.size() <= number)
    addresses.resize(std::max<std::size_t>(number + std::size_t{1}, 2 * addresses.size()), 0);
  std::uint64_t& address = addresses[number];
  if (address == 0) {
    rank_plan& mine = out_.ranks[index(members(*c.first)[member])];
    address = scratch_base + mine.scratch_bytes;
    mine.scratch_bytes += length;
  }
  return {address, length};
}

/// Segments of the algorithm's memory as segments of the plan.
segment_list message_maker::translated(const call& c, std::uint32_t member, const recipe& how,
                                       const memory_layout& layout, std::span<const segment> bytes) {
  segment_list out;
  for (segment s : bytes)
    while (s.length > 0) {
      const int where = s.address >= layout.scratch ? temporary : s.address >= layout.output ? output : input;
      const std::uint64_t base = where == temporary ? layout.scratch
                                 : where == output  ? layout.output
                                                    : layout.input;
      const auto number = static_cast<std::uint32_t>((s.address - base) / how.block);
      std::uint64_t skip = (s.address - base) % how.block;
      std::uint64_t left = std::min(s.length, how.block - skip);
      s = {s.address + left, s.length - left};
      const std::optional<block_bytes> whole =
          where == temporary ? std::nullopt : block_of(c, member, where == output, number);
      if (!whole) {
        append(out, {scratch_of(c, member, where, number, how.block).address + skip, left});
        continue;
      }
      for (const segment& piece : *whole) {
        const std::uint64_t passed = std::min(skip, piece.length),
                            taken = std::min(piece.length - passed, left);
        append(out, {piece.address + passed, taken});
        skip -= passed;
        left -= taken;
      }
    }
  return out;
}

/// The blocks that segments consist of, where no algorithm cuts a block.
message_maker::block_ids message_maker::whole_blocks(std::uint32_t member, const recipe& how,
                                                     const memory_layout& layout,
                                                     std::span<const segment> bytes) {
  block_ids out;
  for (const segment& s : bytes)
    for (std::uint64_t at = s.address; at < s.address + s.length; at += how.block) {
      const int where = at >= layout.scratch ? temporary : at >= layout.output ? output : input;
      const std::uint64_t base = where == temporary ? layout.scratch
                                 : where == output  ? layout.output
                                                    : layout.input;
      out.emplace_back(member, where, static_cast<std::uint32_t>((at - base) / how.block));
    }
  return out;
}

std::uint64_t message_maker::length_of(const call& c, const block_id& at) const {
  const auto& [member, where, number] = at;
  const auto& moved = lengths_[member * std::size_t{regions} + static_cast<unsigned>(where)];
  if (number < moved.size() && moved[number] > 0)
    return moved[number] - 1;
  const std::optional<block_bytes> bytes = where == input ? block_of(c, member, false, number) : std::nullopt;
  return bytes ? total_length(*bytes) : 0;
}

segment_list message_maker::of_their_lengths(const call& c, const recipe& how, const block_ids& list) {
  segment_list out;
  for (const block_id& at : list) {
    const auto& [member, where, number] = at;
    std::uint64_t left = length_of(c, at);
    if (left == 0)
      continue;
    const std::optional<block_bytes> given =
        where == temporary ? std::nullopt : block_of(c, member, where == output, number);
    if (!given) {
      append(out, {scratch_of(c, member, where, number, how.block).address, left});
      continue;
    }
    for (const segment& piece : *given) {
      append(out, {piece.address, std::min(piece.length, left)});
      left -= std::min(piece.length, left);
    }
  }
  return out;
}

void message_maker::move_lengths(const call& c, const block_ids& from, const block_ids& to) {
  std::vector<std::uint64_t> lengths;
  for (const block_id& at : from)
    lengths.push_back(length_of(c, at));
  for (std::size_t i = 0; i < std::min(to.size(), lengths.size()); ++i) {
    const auto& [member, where, number] = to[i];
    auto& moved = lengths_[member * std::size_t{regions} + static_cast<unsigned>(where)];
    if (moved.size() <= number)
      moved.resize(std::max<std::size_t>(number + std::size_t{1}, 2 * moved.size()), 0);
    moved[number] = lengths[i] + 1;
  }
}

/// Sent and not yet received, by pair of members. The weaver makes each receive right behind its send, so that nearly always there is one.
template <typename Message>
class by_pair {
public:
  void add(std::uint32_t from, std::uint32_t to, Message m) {
    if (is_there_)
      others_[last_ends_].push_back(std::move(last_));
    last_ends_ = {from, to};
    last_ = std::move(m);
    is_there_ = true;
  }
  const Message& first(std::uint32_t from, std::uint32_t to) const {
    const auto earlier = others_.find({from, to});
    return earlier == others_.end() ? last_ : earlier->second.front();
  }
  void remove_first(std::uint32_t from, std::uint32_t to) {
    const auto earlier = others_.find({from, to});
    if (earlier == others_.end()) {
      is_there_ = false;
      return;
    }
    earlier->second.pop_front();
    if (earlier->second.empty())
      others_.erase(earlier);
  }

private:
  using ends = std::pair<std::uint32_t, std::uint32_t>;
  ends last_ends_;
  Message last_{};
  bool is_there_ = false;
  std::map<ends, std::deque<Message>> others_; ///< before it
};

/// Elements that are combined begin where they may: blocks are whole elements.
void message_maker::align_scratch(std::span<const rank_id> group) {
  constexpr std::uint64_t alignment = 64;
  for (const rank_id r : group) {
    std::uint64_t& end = out_.ranks[index(r)].scratch_bytes;
    end = (end + alignment - 1) / alignment * alignment;
  }
}

void message_maker::by_algorithm(const call& c, const recipe& how) {
  struct message {
    std::int32_t tag = 0;
    block_ids blocks;
  };
  by_pair<message> under_way;
  const step& s = *c.first;
  const std::vector<rank_id>& group = members(s);
  graph forms(how.ranks);
  diagnostics problems;
  if (!add_pattern(forms, world, how, problems))
    return straight(c);
  const memory_layout layout = layout_of(how, how.ranks);
  if (is_reduction(s.collective))
    align_scratch(group);
  std::vector<std::uint32_t> position(forms.size()); // of each operation in the list of its member
  next_.reserve(next_.size() + forms.size() / 2);
  for (std::uint32_t i = 0; i < forms.size(); ++i) {
    const op_id id{i};
    const operation& op = forms[id];
    const std::uint32_t member = index(op.rank), peer = op.peer == no_rank ? member : index(op.peer);
    step made;
    made.kind = op.kind == op_kind::send   ? step_kind::send
                : op.kind == op_kind::recv ? step_kind::recv
                : forms.reduces(id)        ? step_kind::reduce
                                           : step_kind::copy;
    if (is_message(made))
      made.peer = group[peer];
    if (made.kind == step_kind::reduce)
      made.by = s.by;
    block_ids blocks; // that a message of a vector collective carries
    if (is_uniform(s.collective)) {
      made.reads = translated(c, member, how, layout, forms.reads(id));
      made.writes = translated(c, member, how, layout, forms.writes(id));
    } else {
      const block_ids reads = whole_blocks(member, how, layout, forms.reads(id)),
                      writes = whole_blocks(member, how, layout, forms.writes(id));
      made.reads = of_their_lengths(c, how, reads);
      if (made.kind == step_kind::send)
        blocks = reads;
      else if (made.kind != step_kind::reduce) // by which lengths stay
        move_lengths(c, made.kind == step_kind::recv ? under_way.first(peer, member).blocks : reads, writes);
      made.writes = of_their_lengths(c, how, writes);
    }
    if (made.kind == step_kind::send) {
      made.tag = next_tag(group[member], group[peer]);
      under_way.add(member, peer, {made.tag, std::move(blocks)});
    } else if (made.kind == step_kind::recv) {
      made.tag = under_way.first(peer, member).tag;
      under_way.remove_first(peer, member);
    }
    step_list& list = list_of(member);
    position[i] = static_cast<std::uint32_t>(list.size());
    list.push_back(std::move(made));
  }
  for (const dependency& d : forms.dependencies())
    list_of(index(forms[d.after].rank))[position[index(d.after)]].after.push_back(position[index(d.before)]);
}

void message_maker::straight(const call& c) {
  const step& s = *c.first;
  const std::vector<rank_id>& group = members(s);
  for (std::uint32_t m = 0; m < group.size(); ++m)
    for (const block b : c.of[m]->receives) {
      const std::uint32_t from = positions_.of(s.comm, b.peer);
      const step& theirs = *c.of[from];
      std::optional<block_bytes> bytes = bytes_for(theirs.sends, group[m], m);
      if (!bytes)
        bytes = bytes_for(theirs.sends, no_rank, 0);
      if (!bytes)
        continue;
      step send, recv;
      send.kind = step_kind::send;
      recv.kind = step_kind::recv;
      send.peer = group[m];
      recv.peer = b.peer;
      send.tag = recv.tag = next_tag(b.peer, group[m]);
      send.reads = std::span<const segment>(*bytes);
      recv.writes = std::span<const segment>(b.bytes);
      list_of(from).push_back(std::move(send));
      list_of(m).push_back(std::move(recv));
    }
}

void message_maker::combine(const call& c) {
  const std::vector<rank_id>& group = members(*c.first);
  const std::uint32_t order = c.first->order;
  const std::vector<std::uint32_t> nodes =
      how_.form == algorithm::two_level ? nodes_of(how_.where, group) : std::vector<std::uint32_t>();
  std::vector<step_list> made =
      combine_by_messages(g_, group, c.of, order > 0 ? &p_.orders[order - 1] : nullptr, how_.form, nodes,
                          out_.ranks, [&](rank_id from, rank_id to) { return next_tag(from, to); });
  for (std::uint32_t m = 0; m < group.size(); ++m)
    list_of(m) = std::move(made[m]);
}

/// The rank's steps, collectives replaced by what was made for them.
void message_maker::copy_rank(std::uint32_t r) {
  step_list& out = out_.ranks[r].steps;
  if (const step_list& given = p_.ranks[r].steps;
      given.size() == 1 && is_replaced(given.front())) { // nothing comes before it
    out = std::move(
        made_[{given.front().comm, given.front().tag}][positions_.of(given.front().comm, rank_id{r})]);
    return;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> now(
      p_.ranks[r].steps.size()); // of each step: first, behind the last
  for (std::size_t i = 0; i < now.size(); ++i) {
    const step& s = p_.ranks[r].steps[i];
    std::vector<std::uint32_t> after;
    for (const std::uint32_t before : s.after)
      for (std::uint32_t k = now[before].first; k < now[before].second; ++k)
        after.push_back(k);
    const auto first = static_cast<std::uint32_t>(out.size());
    if (!is_replaced(s)) {
      out.push_back(s);
      out.back().after = after;
    } else {
      for (step& made : made_[{s.comm, s.tag}][positions_.of(s.comm, rank_id{r})]) {
        for (std::uint32_t& before : made.after)
          before += first;
        if (made.after.empty())
          made.after = after;
        out.push_back(std::move(made));
      }
      if (out.size() == first && !after.empty()) { // what comes after it still comes after what was before it
        step nothing;
        nothing.after = after;
        out.push_back(std::move(nothing));
      }
    }
    now[i] = {first, static_cast<std::uint32_t>(out.size())};
  }
}

} // namespace

bool has_form(const graph& g, const plan& p, algorithm form, vector_collectives vectors,
              const process_map& where) {
  for (const auto& [key, c] : calls_of(g, p)) {
    const step& s = *c.first;
    const std::vector<rank_id>& members = g.communicators()[index(s.comm)].members;
    const bool nodes = form == algorithm::two_level && !nodes_of(where, members).empty();
    if (is_reduction(s.collective) &&
        has_combining_form(g, s, static_cast<std::uint32_t>(members.size()), form, nodes))
      return true;
    const std::optional<recipe> how = recipe_for(g, s, members, 0, {form, vectors, where});
    if (how && how->form == form)
      return true;
  }
  return false;
}

plan with_messages(const graph& g, const plan& p, algorithm form, vector_collectives vectors,
                   const process_map& where) {
  return message_maker(g, p, {form, vectors, where}).run();
}

plan with_ordered_by_messages(const graph& g, const plan& p) {
  return p.orders.empty()
             ? p
             : message_maker(g, p, {algorithm::linear, vector_collectives::straight, {}, true}).run();
}

} // namespace tacit::graphs
