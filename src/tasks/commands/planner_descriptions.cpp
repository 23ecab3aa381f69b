// What follows from a task alone, and what is wrong with it: its chunks, what they want and leave.
#include "tasks/commands/planner_parts.h"
#include "tasks/layout/overlap.h"
#include "tasks/mapper/probe.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::tasks {

const reduction* described::partial(buffer_id buffer) const {
  const auto found = std::ranges::find(what.reductions, buffer, &reduction::buffer);
  return found == what.reductions.end() ? nullptr : &*found;
}

namespace {

bool says_the_same(const access& a, const access& b) {
  return a.buffer == b.buffer && a.mode == b.mode && a.how.terms == b.how.terms && a.how.name == b.how.name;
}

/// Of tasks that may be kept.
bool says_the_same(const task& a, const task& b) {
  return a.kind == b.kind &&
         std::ranges::equal(a.accesses, b.accesses,
                            [](const access& x, const access& y) { return says_the_same(x, y); }) &&
         a.reductions == b.reductions && a.shape == b.shape && a.name == b.name &&
         a.host_objects == b.host_objects && a.collective_group == b.collective_group;
}

/// Functors of the user cannot be compared.
bool may_be_kept(const task& t) {
  return std::ranges::none_of(t.accesses, [](const access& a) { return a.how.function != nullptr; });
}

} // namespace

/// Loops submit tasks that say the same again and again: what follows from the latest is kept. That such a task was right
/// once is enough, as elements that are initialized stay so, and what is said of buffers that are gone is forgotten.
std::shared_ptr<const described> planner::description(const task& t,
                                                      const std::shared_ptr<const task>& said) {
  const bool keeps = options_.keep_descriptions && may_be_kept(t);
  if (keeps)
    if (auto known = known_description(t))
      return known;
  const std::size_t problems = problems_.size();
  auto made = describe(t);
  made->said = said;
  if (keeps && problems == problems_.size()) {
    if (descriptions_.size() < descriptions_kept)
      descriptions_.push_back(made);
    else
      descriptions_[oldest_description_++ % descriptions_kept] = made;
  }
  return made;
}

/// Begins behind the one that was asked for last: loops ask for them in turn.
std::shared_ptr<const described> planner::known_description(const task& t) {
  for (std::size_t i = 1; i <= descriptions_.size(); ++i)
    if (const std::size_t at = (used_description_ + i) % descriptions_.size();
        descriptions_[at]->said.get() == &t || says_the_same(descriptions_[at]->what, t)) {
      used_description_ = at;
      return descriptions_[at];
    }
  return nullptr;
}

/// What is wrong with the task is added to problems().
std::shared_ptr<described> planner::describe(task t) {
  t.id = stream_.next();
  if (!recognize(t) || !checks_.check(t, stream_.buffers(), problems_)) {
    t = task{t.id, task_kind::host, t.name + " (rejected)", {}, {}, {}, {}, 0};
    t.shape.global = {};
  }
  auto out = std::make_shared<described>();
  out->digest = digest(t, stream_.buffers());
  for (const access& a : t.accesses) {
    const range& extent = contents_.extent(a.buffer);
    out->by_all.push_back(
        intersection(image(a.how, t.shape.global, t.shape.global, extent), region(box_of(extent))));
  }
  out->what = std::move(t);
  split_up(*out);
  return out;
}

/// Without chunks if nobody has any, or if the task is wrong.
void planner::split_up(described& d) {
  if (d.barrier() || d.what.shape.global.empty())
    return;
  d.chunks = splits_.of(d.what.shape);
  for (const access& a : d.what.accesses)
    add_demands(d, a);
  for (const reduction& r : d.what.reductions)
    add_reduction(d, r);
  d.chunk = d.chunks->chunk(number_of(options_.me));
  for (const access& a : d.what.accesses) {
    const range& extent = contents_.extent(a.buffer);
    d.mine.push_back(intersection(image(a.how, d.chunk, d.chunks->global, extent), region(box_of(extent))));
  }
  for (const demand& wanted : d.wanted)
    add_to(d.reads, wanted.buffer, wanted.mine);
  for (const demand& written : d.written)
    add_to(d.writes, written.buffer, written.mine);
  if (!mappers_agree(d) || has_overlapping_writes(d))
    d.chunks = nullptr;
}

/// Replaces functors of the user by the terms that they equal. False if one is no homomorphism.
bool planner::recognize(task& t) {
  bool right = true;
  for (access& a : t.accesses) {
    if (a.how.symbolic() || index(a.buffer) >= stream_.buffers().size())
      continue;
    probed found;
    try {
      found = probe(*a.how.function, t.shape.global, contents_.extent(a.buffer));
    } catch (const std::exception& e) {
      right = false;
      problems_.push_back(
          problem(reason::bad_task,
                  fmt::format("{}: mapper {} on {} throws: {}", name_of(t), a.how.name,
                              name_of(a.buffer, stream_.buffers()[index(a.buffer)]), e.what()),
                  "A range mapper has to answer for every part of the execution range."));
      continue;
    }
    if (found.recognized)
      a.how.terms = {*found.recognized};
    if (!found.counterexample)
      continue;
    right = false;
    const auto& [first, second] = *found.counterexample;
    problems_.push_back(
        problem(reason::mapper_not_homomorphic,
                fmt::format("{}: mapper {} on {} maps {} and {} together to something else than each of them",
                            name_of(t), a.how.name, name_of(a.buffer, stream_.buffers()[index(a.buffer)]),
                            text_of(first), text_of(second)),
                "Let what a chunk touches be the union of what its items touch."));
  }
  return right;
}

/// Compares this rank's chunk through functors that were recognised: what was not asked then may differ.
bool planner::mappers_agree(const described& d) {
  for (const access& a : d.what.accesses) {
    const range& extent = contents_.extent(a.buffer);
    if (!a.how.function || !a.how.symbolic() || d.chunk.empty() ||
        image(a.how, d.chunk, d.chunks->global, extent) ==
            (*a.how.function)(d.chunk, d.chunks->global, extent))
      continue;
    problems_.push_back(problem(
        reason::mapper_not_homomorphic,
        fmt::format("{}: mapper {} on {} maps chunk {} to something else than its items", name_of(d.what),
                    a.how.name, name_of(a.buffer, stream_.buffers()[index(a.buffer)]), text_of(d.chunk)),
        "Let what a chunk touches be the union of what its items touch."));
    return false;
  }
  return true;
}

bool planner::has_overlapping_writes(const described& p) {
  for (std::size_t i = 0; i < p.written.size(); ++i) {
    const buffer_id buffer = p.written[i].buffer;
    std::vector<distribution> places;
    for (std::size_t k = 0; k < p.written.size(); ++k)
      if (p.written[k].buffer == buffer) {
        if (k < i)
          break; // looked at with the first one
        places.push_back(p.written[k].where);
      }
    if (p.partial(buffer))
      continue;
    if (const auto found = find_overlap(places, number_of(options_.me))) {
      problems_.push_back(problem(reason::overlapping_writes,
                                  fmt::format("{}: ranks {} and {} both write {} of {}", name_of(p.what),
                                              found->first, found->second, text_of(found->where),
                                              name_of(buffer, stream_.buffers()[index(buffer)])),
                                  "Write through a mapper that maps disjoint chunks to disjoint regions."));
      return true;
    }
  }
  return false;
}

demand planner::demand_of(buffer_id buffer, distribution where) const {
  region image = where.image(), mine = where.piece(number_of(options_.me));
  return {buffer, std::move(where), std::move(image), std::move(mine)};
}

/// One demand for each term of a mapper; of a functor of the user, the regions of all ranks.
void planner::add_demands(described& p, const access& a) const {
  const range& extent = contents_.extent(a.buffer);
  std::vector<distribution> places;
  for (const term& t : a.how.terms)
    places.push_back(simplified({p.chunks, t, extent, nullptr}));
  if (!a.how.symbolic()) {
    std::vector<region> listed;
    for (std::uint32_t rank = 0; rank < p.chunks->chunks(); ++rank)
      listed.push_back(intersection(image(a.how, p.chunks->chunk(rank), p.chunks->global, extent),
                                    region(box_of(extent))));
    places.push_back({p.chunks, {}, extent, std::make_shared<const std::vector<region>>(std::move(listed))});
  }
  for (distribution& place : places) {
    if (reads(a.mode))
      p.wanted.push_back(demand_of(a.buffer, place));
    if (writes(a.mode))
      p.written.push_back(demand_of(a.buffer, std::move(place)));
  }
}

/// The rank with the first chunk needs the earlier value, if it is to be combined, too; every chunk leaves a partial value.
void planner::add_reduction(described& p, const reduction& r) {
  const range& extent = contents_.extent(r.buffer);
  geometry one;
  one.global = box_of(range{});
  one.split = split_rule::none;
  if (const std::uint32_t first = p.chunks->axes[0].first_part();
      first > 0) { // weights that leave nothing to rank 0
    one.split = split_rule::one_dim;
    std::vector<std::uint32_t> all_to_it(options_.ranks, 0);
    all_to_it[first] = 1;
    one.weights = std::move(all_to_it);
  }
  if (r.include_current)
    p.wanted.push_back(demand_of(r.buffer, {splits_.of(one), all().terms[0], extent, nullptr}));
  p.written.push_back(demand_of(r.buffer, {p.chunks, all().terms[0], extent, nullptr}));
}

} // namespace tacit::tasks
