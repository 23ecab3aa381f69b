// What is exchanged for a task: nothing, a collective, or messages, and what later tasks of the window have to do with it.
#include "tasks/commands/planner_parts.h"

#include <algorithm>

namespace tacit::tasks {

void planner::plan(std::size_t position) {
  const planned& p = window_[position];
  if (p.what->barrier())
    return barrier(p);
  batch out{p, {}, {}, {}};
  for (const demand& d : p.what->wanted)
    if (any_of(d, [](const box&, const version& v) { return v.operation.has_value(); }))
      combine_partials(out, d, position);
  // Most find what they want where they want it, and copies of what is known are long.
  for (const demand& d : p.what->wanted)
    if (any_of(d, [&](const box& where, const version& v) {
          return v.initialized && !satisfied(where, v.owner, d.where, v.copies);
        }))
      satisfy(out, d, position);
  emit(out);
  execute(p);
  write(p);
}

/// Whether the test holds for a part of what a task wants: test(box, version).
template <typename Test>
bool planner::any_of(const demand& d, const Test& test) const {
  bool any = false;
  contents_.query(d.buffer, d.image, [&](const box& b, const version& v) { any = any || test(b, v); });
  return any;
}

/// What of a region is initialized, with a copy of what is known of it, as what is known changes meanwhile.
std::vector<planner::piece> planner::pieces_of(buffer_id buffer, const region& where) const {
  std::vector<piece> out;
  contents_.query(buffer, where, [&](const box& b, const version& v) {
    if (v.initialized)
      out.push_back({b, v});
  });
  return out;
}

void planner::combine_partials(batch& out, const demand& d, std::size_t position) {
  for (const piece& p : pieces_of(d.buffer, d.image))
    if (p.what.operation)
      combine(out, p.where, p.what, d, position);
}

void planner::satisfy(batch& out, const demand& d, std::size_t position) {
  for (piece& p : pieces_of(d.buffer, d.image))
    exchange(out, {d.buffer, p.where, std::move(p.what.owner), d.where, std::move(p.what.copies)},
             p.what.producer, position);
}

void planner::exchange(batch& out, exchange_part part, task_id producer, std::size_t position) {
  if (satisfied(part.where, part.owner, part.wanted, part.held))
    return;
  exchange_edge edge{producer, out.consumer.at.id,    part.buffer, part.where,
                     {},       reason::discovery_off, {},          false};
  classified found;
  found.why_not = reason::discovery_off;
  if (options_.discover)
    found = choose(part, position, edge.ahead);
  if (!found.kind && found.why_not == reason::none)
    return;
  edge.kind = found.kind;
  edge.why_not = found.why_not;
  if (found.kind)
    edge.number = out.add(found, part, [this] { return number_exchange(); });
  else
    send_messages(out, part);
  note(edge);
  contents_.add_copy(part.buffer, part.where, part.wanted);
}

exchange_id planner::number_exchange() {
  return std::exchange(next_exchange_, exchange_id{index(next_exchange_) + 1});
}

void planner::note(exchange_edge edge) {
  if (options_.keep_graphs && recording_)
    recording_->edges.push_back(edge);
  if (options_.keep_graphs && edges_.size() < options_.most_kept)
    edges_.push_back(edge);
  else if (options_.keep_graphs)
    ++left_out_;
}

/// The collective for what later tasks want, if it covers what is wanted now; else for what is wanted now.
classified planner::choose(exchange_part& part, std::size_t position, bool& ahead) const {
  const box what = intersection(part.where, part.wanted.image().hull());
  classified best = classify(part);
  for (const distribution& later : later_demands(part.buffer, what, position)) {
    exchange_part larger = part;
    larger.wanted = later;
    if (later == part.wanted || !covers(later, part.wanted, what))
      continue;
    if (classified found = classify(larger); found.kind) {
      part = std::move(larger);
      best = std::move(found);
      ahead = true;
    }
  }
  return best;
}

/// Where the result of a reduction goes: where one of the tasks that want it wants it, if that serves the others; else
/// everywhere.
distribution planner::best_for_all(const box& what, const demand& d, std::size_t position) const {
  std::vector<distribution> all_wanted = later_demands(d.buffer, what, position);
  all_wanted.push_back(d.where);
  for (const distribution& candidate : all_wanted)
    if (std::ranges::all_of(all_wanted, [&](const distribution& p) { return covers(candidate, p, what); }))
      return candidate;
  return contents_.everywhere(contents_.extent(d.buffer));
}

/// Combines partial values where they are wanted. From then on these ranks own the result.
void planner::combine(batch& out, const box& where, const version& partial, const demand& d,
                      std::size_t position) {
  const box what = intersection(where, d.image.hull());
  distribution wanted = options_.look_ahead ? best_for_all(what, d, position) : d.where;
  classified found = classify_reduction(partial.owner, wanted, what, options_.ranks);
  if (*found.kind == collective_kind::allreduce)
    wanted = contents_.everywhere(contents_.extent(d.buffer));
  collective c;
  const exchange_id number = number_exchange();
  c.kind = *found.kind;
  c.root = found.root;
  c.parts.push_back({d.buffer, what, partial.owner, wanted, {}});
  note({partial.producer, out.consumer.at.id, d.buffer, what, c.kind, reason::none, number, false});
  emit_collective(out.consumer, number, std::move(c), found.who, partial.producer);
  contents_.write(d.buffer, what, {true, partial.producer, wanted, std::nullopt, {}});
}

/// What tasks later in the window want of a box as it is now: until somebody writes into it.
std::vector<distribution> planner::later_demands(buffer_id buffer, const box& where,
                                                 std::size_t position) const {
  const auto writes_it = [&](const planned& p) {
    return std::ranges::any_of(
        p.what->written, [&](const demand& d) { return d.buffer == buffer && overlap(d.image, where); });
  };
  std::vector<distribution> out;
  for (std::size_t k = position; k < window_.size(); ++k) {
    if (k > position)
      for (const demand& d : window_[k].what->wanted)
        if (d.buffer == buffer && d.where.symbolic() && overlap(d.image, where))
          out.push_back(d.where);
    if (writes_it(window_[k]))
      break;
  }
  return out;
}

/// This rank's messages of a part, both directions. Only ranks that own or want something of it are looked at.
void planner::send_messages(batch& out, const exchange_part& part) const {
  const std::uint32_t me = number_of(options_.me);
  const auto add = [](std::map<batch::message, region>& all, buffer_id buffer, std::uint32_t peer,
                      const region& what) {
    if (what.empty())
      return;
    region& all_to_peer = all[{buffer, rank_id{peer}}];
    all_to_peer = union_of(all_to_peer, what);
  };
  for (const box& mine : intersection(part.owner.first_copy(me), region(part.where)).boxes())
    for_each_holder(part.wanted, mine, [&](std::uint32_t rank, const region&) {
      add(out.sends, part.buffer, rank, moved(part, options_.me, rank_id{rank}));
    });
  for (const box& needed : intersection(part.wanted.piece(me), region(part.where)).boxes())
    for_each_first_holder(part.owner, needed, [&](std::uint32_t rank, const region&) {
      add(out.receives, part.buffer, rank, moved(part, rank_id{rank}, options_.me));
    });
}

} // namespace tacit::tasks
