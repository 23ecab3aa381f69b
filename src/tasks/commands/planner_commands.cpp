// Commands of this rank: its share of collectives, its messages, its part of a task, barriers.
#include "tasks/commands/planner_parts.h"

#include <algorithm>

namespace tacit::tasks {

namespace {

command command_for(const planned& p, command_kind kind) {
  command c;
  c.kind = kind;
  c.task = p.at.id;
  c.stream_hash = p.at.hash;
  return c;
}

void add(hash_input& hash, const distribution& p) {
  for (int d = 0; d < dimensions; ++d) {
    const axis_map& map = p.map[d];
    hash.add(static_cast<std::uint64_t>(map.what) << 8 | map.of);
    for (const coordinate word : {map.fixed.begin, map.fixed.end, map.below, map.above, map.granularity})
      hash.add(static_cast<std::uint64_t>(word));
  }
  hash.add(p.across->digest);
  if (p.symbolic())
    return;
  for (const region& piece : *p.listed) {
    hash.add(piece.boxes().size());
    for (const box& b : piece.boxes())
      hash.add(hash_of(&b, sizeof b));
  }
}

std::uint64_t signature_of(const collective& c) {
  hash_input hash;
  hash.add(static_cast<std::uint64_t>(c.kind) << 32 | number_of(c.root));
  for (const exchange_part& part : c.parts) {
    hash.add(index(part.buffer));
    for (const interval& side : part.where.side) {
      hash.add(static_cast<std::uint64_t>(side.begin));
      hash.add(static_cast<std::uint64_t>(side.end));
    }
    add(hash, part.owner);
    add(hash, part.wanted);
    for (const distribution& copy : part.held)
      add(hash, copy);
  }
  return hash.value();
}

} // namespace

void add_to(std::vector<touched>& all, buffer_id buffer, const region& where) {
  if (where.empty())
    return;
  for (touched& t : all)
    if (t.buffer == buffer) {
      t.where = union_of(t.where, where);
      return;
    }
  all.push_back({buffer, where});
}

void planner::emit(batch& out) {
  for (batch::group_of_parts& g : out.collectives)
    emit_collective(out.consumer, g.number, std::move(g.what), g.who);
  emit_messages(out);
}

void planner::emit_collective(const planned& consumer, exchange_id number, collective c, const team& who,
                              task_id partials_of) {
  const std::optional<group> members = who.group_of(options_.me);
  if (!members)
    return;
  c.signature = signature_of(c);
  const own_share& mine = share_of(std::move(c));
  command out = command_for(consumer, command_kind::collective);
  out.members = *members;
  out.sends_to = mine.sends_to;
  out.receives_from = mine.receives_from;
  out.exchange = mine.what;
  out.number = number;
  out.partials_of = partials_of;
  local_.append(std::move(out), mine.reads, mine.writes);
}

/// Loops repeat their exchanges: what this rank has to do in one is kept, the latest used first.
const planner::own_share& planner::share_of(collective&& c) {
  const auto found = std::ranges::find_if(shares_, [&](const own_share& s) {
    return s.what->signature == c.signature && s.what->kind == c.kind && s.what->root == c.root &&
           s.what->parts == c.parts;
  });
  if (found != shares_.end()) {
    std::rotate(shares_.begin(), found, found + 1);
    return shares_.front();
  }
  if (shares_.size() == shares_kept)
    shares_.pop_back();
  shares_.insert(shares_.begin(), make_share(std::move(c)));
  return shares_.front();
}

planner::own_share planner::make_share(collective&& made) const {
  const std::uint32_t me = number_of(options_.me);
  own_share out{std::make_shared<const collective>(std::move(made)), {}, {}, {}, {}};
  const collective& c = *out.what;
  const bool combines = is_reduction(c.kind);
  for (const exchange_part& part : c.parts) {
    const region sent = combines ? part.owner.piece(me) : part.owner.first_copy(me);
    if (c.kind != collective_kind::gather || c.root != options_.me) // who gathers keeps what it has
      add_to(out.reads, part.buffer, intersection(sent, region(part.where)));
    add_to(out.writes, part.buffer, combines ? reduced(part, options_.me) : received(part, options_.me));
    if (c.kind == collective_kind::halo)
      add_neighbors(out, part);
  }
  tidy(out.sends_to);
  tidy(out.receives_from);
  return out;
}

void planner::add_neighbors(own_share& c, const exchange_part& part) const {
  const std::uint32_t me = number_of(options_.me);
  for (const box& mine : intersection(part.owner.first_copy(me), region(part.where)).boxes())
    for_each_holder(part.wanted, mine, [&](std::uint32_t rank, const region&) {
      if (!moved(part, options_.me, rank_id{rank}).empty())
        c.sends_to.push_back(rank_id{rank});
    });
  for (const box& needed : received(part, options_.me).boxes())
    for_each_first_holder(part.owner, needed, [&](std::uint32_t rank, const region&) {
      if (!moved(part, rank_id{rank}, options_.me).empty())
        c.receives_from.push_back(rank_id{rank});
    });
}

void planner::emit_messages(const batch& out) {
  const auto append = [&](command_kind kind, const batch::message& m, const region& what) {
    command c = command_for(out.consumer, kind);
    c.buffer = m.buffer;
    c.peer = m.peer;
    c.transfer = transfer_number(c);
    c.what = what;
    const std::vector<touched> here{{m.buffer, what}}, nothing;
    kind == command_kind::push ? local_.append(std::move(c), here, nothing)
                               : local_.append(std::move(c), nothing, here);
  };
  for (const auto& [m, what] : out.sends)
    append(command_kind::push, m, what);
  for (const auto& [m, what] : out.receives)
    append(command_kind::await_push, m, what);
}

/// This rank's part of a task, if it has one.
void planner::execute(const planned& p) {
  const task& t = p.what->what;
  if (p.what->chunk.empty())
    return;
  command c = command_for(p, t.kind == task_kind::fence ? command_kind::fence : command_kind::execute);
  c.chunk = p.what->chunk;
  c.touches = {p.what, &p.what->mine};
  for (const host_object_id object : t.host_objects)
    local_.touch_object(index(object));
  if (t.kind == task_kind::collective_host)
    local_.touch_object(first_group + t.collective_group);
  local_.append(std::move(c), p.what->reads, p.what->writes);
}

/// Afterwards the task is the producer of what it writes; where two of its accesses write the same, either tells the owner.
void planner::write(const planned& p) {
  for (const demand& d : p.what->written) {
    version made{true, p.at.id, d.where, std::nullopt, {}};
    if (const reduction* r = p.what->partial(d.buffer))
      made.operation = r->operation;
    contents_.write(d.buffer, d.image, made);
  }
}

void planner::barrier(const planned& p) {
  local_.append_barrier(
      command_for(p, p.what->what.kind == task_kind::epoch ? command_kind::epoch : command_kind::horizon));
  contents_.forget_before(p.at.id);
}

} // namespace tacit::tasks
