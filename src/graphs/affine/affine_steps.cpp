// As a collective: one step with a block for each message, behind a copy of the own block. Nothing has to be saved before it is
// overwritten, because no block of these runs lies in another one. Messages straight from origin to destination are the runs
// themselves; other algorithms are made as in parts (part/part_plan.h).
#include "graphs/affine/affine_steps.h"

#include "graphs/choice/choose.h"
#include "graphs/graph/segments.h"
#include "graphs/part/part_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tacit::graphs {
namespace {

struct own_message {
  rank_id peer;
  segment data;
};

/// What one rank takes part with, by peer.
struct own_messages {
  std::vector<own_message> sends, receives; ///< with the others
  std::optional<segment> from, to;          ///< the own block
};

own_messages expand(const affine_list& runs) {
  own_messages out;
  for (auto at = runs.begin(); at != runs.end(); runs.move_on(at)) {
    const std::optional<plain_message> m = runs.at(at);
    if (!m)
      continue;
    const bool sends = m->kind == op_kind::send;
    if (m->peer == runs.self())
      (sends ? out.from : out.to) = m->data;
    else
      (sends ? out.sends : out.receives).push_back({m->peer, m->data});
  }
  for (auto* const list : {&out.sends, &out.receives})
    std::sort(list->begin(), list->end(),
              [](const own_message& a, const own_message& b) { return a.peer < b.peer; });
  return out;
}

std::uint64_t largest_total(const part_finding& what, std::uint64_t ranks) {
  switch (row_of(what.kind).moves) {
  case signature::root_to_all:
    return what.bytes;
  case signature::each_to_all: // with the own block
    return ranks * what.bytes;
  default:
    return (ranks - 1) * what.bytes;
  }
}

rank_plan as_collective(const own_messages& own, const part_finding& what, std::uint32_t ranks) {
  rank_plan out;
  if (own.from && own.to) {
    step& copy = out.steps.emplace_back();
    copy.kind = step_kind::copy;
    copy.reads = {*own.from};
    copy.writes = {*own.to};
  }
  step& call = out.steps.emplace_back();
  call.kind = step_kind::collective;
  call.collective = what.kind;
  call.peer = what.root;
  call.largest_block = what.bytes;
  call.largest_total = largest_total(what, ranks);
  if (is_shared(what.kind) && !own.sends.empty()) {
    call.sends.push_back(no_rank, own.sends.front().data);
  } else {
    for (const own_message& m : own.sends)
      call.sends.push_back(m.peer, m.data);
  }
  for (const own_message& m : own.receives)
    call.receives.push_back(m.peer, m.data);
  return out;
}

/// The runs themselves, in the order in which the program has made them.
rank_plan as_written(const affine_list& runs, const own_messages& own) {
  rank_plan out;
  out.steps.reserve(runs.size());
  for (auto at = runs.begin(); at != runs.end(); runs.move_on(at)) {
    const std::optional<plain_message> m = runs.at(at);
    const bool sends = m && m->kind == op_kind::send, own_block = m && m->peer == runs.self();
    if (!m || (own_block && sends))
      continue;
    step& s = out.steps.emplace_back();
    s.kind = own_block ? step_kind::copy : sends ? step_kind::send : step_kind::recv;
    s.peer = own_block ? no_rank : m->peer;
    if (sends)
      s.reads = {m->data};
    else
      s.writes = {m->data};
    if (own_block && own.from)
      s.reads = {*own.from};
  }
  return out;
}

/// The collective, which is the last step, as messages.
rank_plan straight(rank_plan steps, const own_messages& own) {
  steps.steps.pop_back();
  steps.steps.reserve(steps.steps.size() + own.sends.size() + own.receives.size());
  for (const own_message& m : own.receives) {
    step& s = steps.steps.emplace_back();
    s.kind = step_kind::recv;
    s.peer = m.peer;
    s.writes = {m.data};
  }
  for (const own_message& m : own.sends) {
    step& s = steps.steps.emplace_back();
    s.kind = step_kind::send;
    s.peer = m.peer;
    s.reads = {m.data};
  }
  return steps;
}

std::vector<segment> of_user(std::vector<segment> list) {
  std::erase_if(list, [](const segment& s) { return s.address >= user_memory_end; });
  return list;
}

void add(std::span<const segment> more, std::vector<segment>& to) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The steps write the bytes that the rank receives into and no others, and read no byte that it does not send or has received (E1 and
/// E2, as far as one rank can tell; which algorithm moves what to whom is validated where it is chosen, and does not depend on
/// addresses). Some algorithms bring a byte twice: of a broadcast in pieces, those that are passed on come round again.
bool keeps_to(const rank_plan& steps, const own_messages& own) {
  std::vector<segment> written, read, receives, sends;
  for (const step& s : steps.steps) {
    add(s.writes, written);
    add(s.reads, read);
    for (const block_run& b : s.receives.runs())
      add(b.all_bytes(), written);
    for (const block_run& b : s.sends.runs())
      add(b.all_bytes(), read);
  }
  for (const own_message& m : own.receives)
    receives.push_back(m.data);
  for (const own_message& m : own.sends)
    sends.push_back(m.data);
  if (own.from && own.to) {
    receives.push_back(*own.to);
    sends.push_back(*own.from);
  }
  add(receives, sends);
  return normalized(of_user(std::move(written))) == normalized(std::move(receives)) &&
         first_outside(normalized(of_user(std::move(read))), normalized(std::move(sends))).length == 0;
}

} // namespace

bool keeps_to(const rank_plan& steps, const affine_list& runs) {
  return keeps_to(steps, expand(runs));
}

std::optional<rank_plan> steps_of(const affine_list& runs, const part_finding& what, std::string_view plan) {
  const own_messages own = expand(runs);
  rank_plan collective = as_collective(own, what, runs.ranks());
  std::optional<rank_plan> steps;
  if (plan == written_name)
    steps = as_written(runs, own);
  else if (plan == straight_name)
    steps = straight(std::move(collective), own);
  else
    steps = steps_in_form(what, std::move(collective), {runs.self(), runs.ranks()}, plan, {});
  if (steps && !keeps_to(*steps, own))
    return std::nullopt;
  return steps;
}

} // namespace tacit::graphs
