#include "graphs/generate/weaver.h"

#include <algorithm>
#include <utility>

namespace tacit::graphs {

weaver::weaver(graph& g, comm_id comm, const memory_layout& layout, std::uint64_t block,
               std::uint32_t segments, reducer_id by)
    : g_(g), comm_(comm), members_(g.communicators()[index(comm)].members), layout_(layout), block_(block),
      segments_(segments), by_(by), state_(members_.size()) {}

std::vector<segment> weaver::bytes(const pieces& list) const {
  const std::array<std::uint64_t, 3> bases{layout_.input, layout_.output, layout_.scratch};
  std::vector<segment> result;
  for (const piece& p : list) {
    const std::uint64_t base = bases[static_cast<std::size_t>(p.where)] + p.index * block_;
    const auto first = static_cast<std::uint64_t>(std::max(p.segment, 0));
    const std::uint64_t last = p.segment < 0 ? segments_ : first + 1;
    const std::uint64_t begin = block_ * first / segments_, end = block_ * last / segments_;
    if (!result.empty() && result.back().address + result.back().length == base + begin)
      result.back().length += end - begin;
    else
      result.push_back({base + begin, end - begin});
  }
  return result;
}

template <typename Visit>
void weaver::each_state(std::uint32_t member, const pieces& list, Visit visit) {
  for (const piece& p : list) {
    auto& known = state_[member].pieces[static_cast<std::size_t>(p.where)];
    const std::size_t first =
        std::size_t{p.index} * segments_ + static_cast<std::size_t>(std::max(p.segment, 0));
    const std::size_t count = p.segment < 0 ? segments_ : 1;
    if (known.size() < first + count)
      known.resize(first + count);
    for (std::size_t i = first; i < first + count; ++i)
      visit(known[i]);
  }
}

void weaver::remember(std::uint32_t before, op_id after) {
  if (before != none && before != index(after))
    found_.push_back(before);
}

void weaver::order(std::uint32_t member, op_id op, const pieces& reads, const pieces& writes) {
  const auto id = static_cast<std::uint32_t>(index(op));
  found_.clear();
  for (const op_id before : state_[member].awaited)
    remember(static_cast<std::uint32_t>(index(before)), op);
  each_state(member, reads, [&](piece_state& s) {
    remember(s.writer, op);
    readers_.push_back({id, s.readers});
    s.readers = static_cast<std::uint32_t>(readers_.size() - 1);
  });
  each_state(member, writes, [&](piece_state& s) {
    remember(s.writer, op);
    for (std::uint32_t r = s.readers; r != none; r = readers_[r].next)
      remember(readers_[r].op, op);
    s = {id, none};
  });
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  for (const std::uint32_t before : found_)
    g_.depend(op_id{before}, op);
  state_[member].recent.push_back(op);
}

void weaver::message(std::uint32_t from, const pieces& source, std::uint32_t to, const pieces& target) {
  order(from, g_.send(members_[from], bytes(source), members_[to], 0, comm_), source, {});
  order(to, g_.recv(members_[to], bytes(target), members_[from], 0, comm_), {}, target);
}

void weaver::signal(std::uint32_t from, std::uint32_t to) {
  const member_state& s = state_[from];
  const op_id sent = g_.send(members_[from], segment{}, members_[to], 0, comm_);
  if (const op_id before = s.hearing_round == round_ ? s.heard : s.hearing; before != no_op)
    g_.depend(before, sent);

  member_state& t = state_[to];
  const op_id received = g_.recv(members_[to], segment{}, members_[from], 0, comm_);
  if (t.hearing != no_op)
    g_.depend(t.hearing, received);
  if (t.hearing_round != round_)
    t.heard = t.hearing;
  t.hearing = received;
  t.hearing_round = round_;
}

void weaver::copy(std::uint32_t member, const pieces& source, const pieces& target) {
  order(member, g_.copy(members_[member], bytes(source), bytes(target)), source, target);
}

void weaver::combine(std::uint32_t member, const pieces& source, const pieces& target) {
  order(member, g_.reduce(members_[member], bytes(source), bytes(target), by_), source, target);
}

void weaver::wait(std::uint32_t member) {
  state_[member].awaited = std::exchange(state_[member].recent, {});
}

void weaver::declare_scratch() {
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::uint64_t used = state_[i].pieces[static_cast<std::size_t>(region::scratch)].size() / segments_;
    if (used > 0)
      g_.scratch(members_[i], {layout_.scratch, used * block_});
  }
}

} // namespace tacit::graphs
