#include "runtime/run/lower.h"

#include "graphs/graph/segments.h"
#include "runtime/channel/pieces.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/memory_kind.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/tags.h"
#include "runtime/run/reducing.h"
#include "vocabulary/base/copy_memory.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <new>
#include <stdexcept>

namespace tacit::runtime {
std::string tags_fit(const program& p, MPI_Comm comm) {
  const int half = highest_tag(comm) / 2, reserved = tag_of_nothing(comm);
  for (const graphs::step& s : p.plan.steps) {
    const bool collective = s.kind == graphs::step_kind::collective;
    if (s.tag >= (collective ? half / tags_per_collective : reserved))
      return fmt::format("{} number {} needs a tag beyond MPI_TAG_UB / 2 = {} (remedy: compile the graph as "
                         "several, one behind the other, or have fewer and longer messages{})",
                         collective ? "collective" : "message", s.tag, half,
                         collective ? "; tacit_replace=false leaves collectives out" : "");
  }
  return {};
}

void append(action_span& all, const action_span& more) {
  all.first.insert(all.first.end(), more.first.begin(), more.first.end());
  all.last.insert(all.last.end(), more.last.begin(), more.last.end());
}

void copy_bytes(std::span<const graphs::segment> from, std::span<const graphs::segment> into) {
  each_paired_piece(from, into, [](std::uint64_t there, std::uint64_t here, std::uint64_t n) {
    copy_memory(reinterpret_cast<void*>(here), reinterpret_cast<const void*>(there), n);
  });
}

lowering::lowering(const program& p, MPI_Comm comm)
    : program_(p), comm_(comm), half_of_tags_(highest_tag(comm) / 2) {}

std::vector<graphs::segment> lowering::resolve(std::span<const graphs::segment> bytes) const {
  std::vector<graphs::segment> out(bytes.begin(), bytes.end());
  if (!scratch_)
    return out;
  for (graphs::segment& s : out)
    if (s.address >= graphs::scratch_base)
      s.address = s.address - graphs::scratch_base + reinterpret_cast<std::uint64_t>(scratch_);
  return out;
}

action_list lowering::run() {
  try {
    if (program_.plan.scratch_bytes > 0)
      scratch_ = actions_.allocate(program_.plan.scratch_bytes);
  } catch (const std::bad_alloc&) {
    throw memory_error(fmt::format("no memory for {} B of scratch", program_.plan.scratch_bytes));
  }
  make_room_for_own_messages();
  std::vector<std::vector<action_id>> last;
  last.reserve(program_.plan.steps.size());
  for (const graphs::step& s : program_.plan.steps) {
    action_span span = lower_or_name(s);
    if (span.first.empty()) { // nothing to do here, but others may wait for it
      span.first.push_back(actions_.add_local([] {}));
      span.last = span.first;
    }
    for (const std::uint32_t before : s.after)
      for (const action_id b : last[before])
        for (const action_id a : span.first)
          actions_.complete_before(b, a);
    if (span.last.size() > 1) { // one action to wait for, so that edges stay linear
      const action_id join = actions_.add_local([] {});
      for (const action_id b : span.last)
        actions_.complete_before(b, join);
      span.last = {join};
    }
    last.push_back(std::move(span.last));
  }
  return std::move(actions_);
}

action_span lowering::lower_or_name(const graphs::step& s) {
  try {
    return lower(s);
  } catch (const mpi_error& e) {
    throw mpi_error(e.code, describe(program_, s) + ": " + e.what());
  } catch (const std::bad_alloc&) {
    throw memory_error(describe(program_, s) + ": no memory for its buffers and lists");
  }
}

action_span lowering::lower(const graphs::step& s) {
  switch (s.kind) {
  case graphs::step_kind::copy:
    return copy(resolve(s.reads), resolve(s.writes));
  case graphs::step_kind::send:
    if (is_sent_here(s))
      return keep_own_message(s);
    return send(resolve(s.reads), rank_of(s.peer), s.tag);
  case graphs::step_kind::recv:
    if (rank_of(s.peer) == program_.rank)
      return take_own_message(s);
    return recv(resolve(s.writes), rank_of(s.peer), s.tag);
  case graphs::step_kind::collective:
    if (s.order > 0) // choice/generated_form.h
      throw std::logic_error("a reduction that must keep an order was not made into messages");
    return collective(s);
  case graphs::step_kind::call: {
    const action_id id = actions_.add_local([call = program_.call, op = s.op] { call(op); });
    return {{id}, {id}};
  }
  case graphs::step_kind::reduce:
    return reduce(s);
  }
  return {};
}

action_span lowering::reduce(const graphs::step& s) {
  const action_id id = actions_.add_local(
      reducing(program_.reducers.at(s.by), resolve(s.reads), resolve(s.writes), program_.in_device));
  return {{id}, {id}};
}

bool lowering::is_sent_here(const graphs::step& s) const {
  return s.kind == graphs::step_kind::send && rank_of(s.peer) == program_.rank;
}

/// Before any step, as nothing says which of the two ends comes first in the list.
void lowering::make_room_for_own_messages() {
  for (const graphs::step& s : program_.plan.steps) {
    if (!is_sent_here(s))
      continue;
    const std::uint64_t length = graphs::total_length(s.reads);
    try {
      own_messages_[s.tag].kept = {{reinterpret_cast<std::uint64_t>(actions_.allocate(length)), length}};
    } catch (const std::bad_alloc&) {
      throw memory_error(describe(program_, s) + ": no memory for its buffers and lists");
    }
  }
}

action_span lowering::keep_own_message(const graphs::step& s) {
  own_message& message = own_messages_.at(s.tag);
  const action_span span = copy(resolve(s.reads), message.kept);
  message.sent = span.last.front();
  order_own_message(message);
  return span;
}

action_span lowering::take_own_message(const graphs::step& s) {
  own_message& message = own_messages_.at(s.tag);
  const action_span span = copy(message.kept, resolve(s.writes));
  message.taken = span.first.front();
  order_own_message(message);
  return span;
}

/// What was read is written: as soon as both are known.
void lowering::order_own_message(const own_message& message) {
  if (message.sent && message.taken)
    actions_.complete_before(*message.sent, *message.taken);
}

/// By a message of the rank to itself, which MPI copies.
std::function<void()> lowering::copy_by_mpi(const std::vector<graphs::segment>& from,
                                            const std::vector<graphs::segment>& into) {
  return [out = actions_.absolute_type(from), in = actions_.absolute_type(into), me = program_.rank,
          comm = comm_,
          tag = 2 * half_of_tags_] { // of no message of the plan
    check_mpi(MPI_Sendrecv(MPI_BOTTOM, 1, out, me, tag, MPI_BOTTOM, 1, in, me, tag, comm, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
  };
}

std::function<void()> lowering::copying(const std::vector<graphs::segment>& from,
                                        const std::vector<graphs::segment>& into) {
  if (in_device_memory(from) || in_device_memory(into))
    return copy_by_mpi(from, into);
  return [from, into] { copy_bytes(from, into); };
}

/// Reads everything before it writes anything: one memmove does, several pieces that overlap go through a
/// buffer, and so does what MPI copies, which allows no overlap.
action_span lowering::copy(const std::vector<graphs::segment>& from,
                           const std::vector<graphs::segment>& into) {
  const bool moved_at_once =
      from.size() == 1 && into.size() == 1 && !in_device_memory(from) && !in_device_memory(into);
  if (moved_at_once || !graphs::overlap(from, into)) {
    const action_id id = actions_.add_local(copying(from, into));
    return {{id}, {id}};
  }
  const std::uint64_t length = graphs::total_length(from);
  const std::vector<graphs::segment> between{
      {reinterpret_cast<std::uint64_t>(actions_.allocate(length)), length}};
  const action_id id = actions_.add_local([first = copying(from, between), then = copying(between, into)] {
    first();
    then();
  });
  return {{id}, {id}};
}

lowering::message_memory lowering::message_bytes(const std::vector<graphs::segment>& bytes) {
  if (bytes.size() > 1 || graphs::total_length(bytes) > INT_MAX)
    return {MPI_BOTTOM, 1, actions_.absolute_type(bytes)};
  const graphs::segment s = bytes.empty() ? graphs::segment{} : bytes.front();
  return {reinterpret_cast<void*>(s.address), static_cast<int>(s.length), MPI_BYTE};
}

// Posted anew in each run, as in a loop of the program: with the persistent requests of Open MPI 4.1 the root of a linear broadcast
// of small messages cannot run ahead of the others.
action_span lowering::send(const std::vector<graphs::segment>& bytes, int to, int tag) {
  const auto post = [at = message_bytes(bytes), to, tag, comm = comm_](MPI_Request* posted) {
    check_mpi(MPI_Isend(at.where, at.count, at.type, to, tag, comm, posted), "MPI_Isend");
  };
  const action_id id = actions_.add_posted(post, {"send to", to, graphs::total_length(bytes)});
  return {{id}, {id}};
}

action_span lowering::recv(const std::vector<graphs::segment>& bytes, int from, int tag) {
  const auto post = [at = message_bytes(bytes), from, tag, comm = comm_](MPI_Request* posted) {
    check_mpi(MPI_Irecv(at.where, at.count, at.type, from, tag, comm, posted), "MPI_Irecv");
  };
  const action_id id = actions_.add_posted(post, {"receive from", from, graphs::total_length(bytes)});
  return {{id}, {id}};
}

int lowering::collective_tag(const graphs::step& s, int round) const {
  return half_of_tags_ + s.tag * tags_per_collective + round;
}

action_span lowering::direct(const graphs::step& s) {
  const rank_group& group = program_.group(s.comm);
  if (s.collective == pattern::barrier)
    return dissemination(s, group);
  if (is_scan(s.collective))
    return scan_in_a_chain(s, group);
  if (row_of(s.collective).moves == signature::all_into_each)
    return combine_at_each(s, group);
  if (is_reduction(s.collective))
    return combine_at_one(s, group);
  const int tag = collective_tag(s, 0);
  action_span all;
  for (const graphs::block b : s.receives)
    if (!b.bytes.empty())
      append(all, recv(resolve(b.bytes), rank_of(b.peer), tag));
  for (const graphs::block b : s.sends) {
    if (b.bytes.empty())
      continue;
    if (b.peer != no_rank) {
      append(all, send(resolve(b.bytes), rank_of(b.peer), tag));
      continue;
    }
    for (const int to : group.members)
      if (to != program_.rank)
        append(all, send(resolve(b.bytes), to, tag));
  }
  return all;
}

action_span lowering::combine_at_one(const graphs::step& s, const rank_group& group) {
  const int hub = s.peer == no_rank ? group.members.front() : rank_of(s.peer);
  const int there = collective_tag(s, 0), back = collective_tag(s, 1);
  const std::vector<graphs::segment> given = resolve(s.sends.front().bytes);
  const std::vector<graphs::segment> result =
      s.receives.empty() ? std::vector<graphs::segment>{} : resolve(s.receives.front().bytes);
  action_span all;
  if (program_.rank != hub) {
    all = send(given, hub, there);
    if (!result.empty())
      append(all, recv(result, hub, back));
    return all;
  }
  const action_span last = combine_here(s, group, given, result, there, all);
  for (const int to : group.members) {
    if (s.peer != no_rank || to == hub)
      continue;
    const action_span sent = send(result, to, back);
    for (const action_id b : last.last)
      for (const action_id a : sent.first)
        actions_.complete_before(b, a);
    all.last.insert(all.last.end(), sent.last.begin(), sent.last.end());
  }
  return all;
}

action_span lowering::combine_here(const graphs::step& s, const rank_group& group,
                                   const std::vector<graphs::segment>& own,
                                   const std::vector<graphs::segment>& result, int tag, action_span& all) {
  action_span last;
  for (std::size_t i = group.members.size(); i-- > 0;) {
    const int from = group.members[i];
    const bool first = i + 1 == group.members.size(); // goes where the result will be
    std::vector<graphs::segment> operand = own;
    action_span got;
    if (from != program_.rank) {
      operand = first ? result : own_memory(graphs::total_length(own));
      got = recv(operand, from, tag);
    }
    if (first) {
      last = from == program_.rank ? copy(own, result) : got;
      append(all, last);
      continue;
    }
    append(all, got);
    last = {{combine_after(s, operand, result, {&got, &last})}, {}};
    last.last = last.first;
    append(all, {{}, last.last});
  }
  return last;
}

std::vector<graphs::segment> lowering::own_memory(std::uint64_t length) {
  return {{reinterpret_cast<std::uint64_t>(actions_.allocate(length)), length}};
}

action_id lowering::combine_after(const graphs::step& s, const std::vector<graphs::segment>& from,
                                  const std::vector<graphs::segment>& into,
                                  std::initializer_list<const action_span*> after) {
  const action_id combine =
      actions_.add_local(reducing(program_.reducers.at(s.by), from, into, program_.in_device));
  for (const action_span* before : after)
    for (const action_id b : before->last)
      actions_.complete_before(b, combine);
  return combine;
}

action_span lowering::combine_at_each(const graphs::step& s, const rank_group& group) {
  const int tag = collective_tag(s, 0);
  std::vector<graphs::segment> own;
  action_span all;
  for (const graphs::block b : s.sends)
    if (rank_of(b.peer) == program_.rank)
      own = resolve(b.bytes);
    else
      append(all, send(resolve(b.bytes), rank_of(b.peer), tag));
  if (!own.empty())
    combine_here(s, group, own, resolve(s.receives.front().bytes), tag, all);
  return all;
}

action_span lowering::scan_in_a_chain(const graphs::step& s, const rank_group& group) {
  const auto me = static_cast<std::size_t>(
      std::find(group.members.begin(), group.members.end(), program_.rank) - group.members.begin());
  const int tag = collective_tag(s, 0);
  const bool last = me + 1 == group.members.size(), inclusive = s.collective == pattern::scan;
  const auto given = s.sends.empty() ? std::vector<graphs::segment>{} : resolve(s.sends.front().bytes);
  if (me == 0)
    return last ? action_span{} : send(given, group.members[1], tag);
  const auto result = resolve(s.receives.front().bytes);
  const auto before = inclusive ? own_memory(s.largest_block) : result;
  const action_span got = recv(before, group.members[me - 1], tag);
  action_span all = got;
  if (!inclusive && last)
    return all;
  const auto up_to = inclusive ? result : own_memory(s.largest_block);
  const action_span copied = copy(given, up_to);
  append(all, copied);
  const action_id combined = combine_after(s, before, up_to, {&got, &copied});
  append(all, {{}, {combined}});
  if (!last) {
    const action_span sent = send(up_to, group.members[me + 1], tag);
    for (const action_id after : sent.first)
      actions_.complete_before(combined, after);
    append(all, {{}, sent.last});
  }
  return all;
}

action_span lowering::dissemination(const graphs::step& s, const rank_group& group) {
  const auto n = static_cast<int>(group.members.size());
  const auto me = static_cast<int>(std::find(group.members.begin(), group.members.end(), program_.rank) -
                                   group.members.begin());
  action_span all;
  for (int round = 0, distance = 1; distance < n; ++round, distance *= 2) {
    const int tag = collective_tag(s, round);
    action_span now = recv({}, group.members[static_cast<std::size_t>((me - distance + n) % n)], tag);
    append(now, send({}, group.members[static_cast<std::size_t>((me + distance) % n)], tag));
    for (const action_id before : all.last)
      for (const action_id after : now.first)
        actions_.complete_before(before, after);
    if (all.first.empty())
      all.first = now.first;
    all.last = now.last;
  }
  return all;
}

} // namespace tacit::runtime
