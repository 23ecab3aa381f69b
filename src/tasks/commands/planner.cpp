#include "tasks/commands/planner.h"

#include "tasks/layout/overlap.h"
#include "tasks/mapper/probe.h"

#include <fmt/format.h>
#include <map>

namespace tacit::tasks {
namespace {

std::uint32_t number_of(rank_id rank) {
  return static_cast<std::uint32_t>(index(rank));
}

command command_for(const planned& p, command_kind kind) {
  command c;
  c.kind = kind;
  c.task = p.at.id;
  c.stream_hash = p.at.hash;
  return c;
}

/// Of a push and its await_push, on both sides.
std::uint64_t transfer_number(const command& c) {
  return index(c.task) << 20 | index(c.buffer);
}

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

/// What one task exchanges: collectives, those of the same kind among the same ranks in one, and messages, one for each pair of
/// ranks and buffer.
struct planner::batch {
  struct group_of_parts {
    exchange_id number;
    collective what;
    team who;
  };
  struct message {
    buffer_id buffer{};
    rank_id peer = no_rank;
    auto operator<=>(const message&) const = default;
  };
  const planned& consumer;
  std::vector<group_of_parts> collectives;
  std::map<message, region> sends, receives;

  template <typename Number>
  exchange_id add(const classified& found, exchange_part part, const Number& next_number) {
    for (group_of_parts& g : collectives)
      if (g.what.kind == *found.kind && g.what.root == found.root && g.who == found.who) {
        g.what.parts.push_back(std::move(part));
        return g.number;
      }
    collective c;
    c.kind = *found.kind;
    c.root = found.root;
    c.parts.push_back(std::move(part));
    collectives.push_back({next_number(), std::move(c), found.who});
    return collectives.back().number;
  }
};

const reduction* described::partial(buffer_id buffer) const {
  const auto found = std::ranges::find(what.reductions, buffer, &reduction::buffer);
  return found == what.reductions.end() ? nullptr : &*found;
}

planner::planner(planner_options options)
    : options_(options), stream_(options.horizon_step), splits_(options.ranks), contents_(options.ranks) {
  task horizon;
  horizon.kind = task_kind::horizon;
  horizon_ = describe(std::move(horizon));
}

buffer_id planner::create_buffer(buffer b) {
  contents_.add_buffer(b);
  checks_.add_buffer(b);
  local_.add_buffer(b.extent);
  return stream_.create_buffer(std::move(b));
}

void planner::destroy_buffer(buffer_id buffer) {
  stop_foreseeing(); // tasks before can be ordered now only
  std::erase_if(descriptions_, [&](const auto& d) {
    return std::ranges::find(d->what.accesses, buffer, &access::buffer) != d->what.accesses.end() ||
           d->partial(buffer);
  });
  checks_.drop_buffer(buffer);
  stream_.drop_buffer(buffer);
  destroyed_.push_back(buffer);
  if (window_.empty())
    flush();
}

task_id planner::submit(const task& t, const std::shared_ptr<const task>& said) {
  if (const box all = box_of(range{{options_.ranks, 1, 1}});
      t.shape.split == split_rule::per_rank && t.shape.global != all) {
    task shaped = t;
    shaped.shape.global = all;
    return submit(shaped, nullptr);
  }
  if (horizon_is_due())
    accept(horizon_);
  const task_id id = stream_.next();
  accept(description(t, said));
  return id;
}

// --- what follows from a task alone

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
    one.weights.assign(options_.ranks, 0);
    one.weights[first] = 1;
  }
  if (r.include_current)
    p.wanted.push_back(demand_of(r.buffer, {splits_.of(one), all().terms[0], extent, nullptr}));
  p.written.push_back(demand_of(r.buffer, {p.chunks, all().terms[0], extent, nullptr}));
}

// --- what happens

bool planner::horizon_is_due() const {
  return foreseen_ ? is_foreseen(*horizon_, stream_.next()) : stream_.horizon_is_due();
}

/// Whether the task is the next one of a window that is known. When a horizon is due follows from the tasks since the last one, and what
/// a task comes after is only shown: so it need not be found. Something that was in no window, as nobody has a chunk, would count, too.
bool planner::foresees(const planned& p) {
  if (!options_.replay || options_.keep_graphs)
    return false;
  if (!foreseen_ && window_.empty() && stream_.fresh())
    foreseen_ = windows_.beginning_with(p.what);
  return foreseen_ && is_foreseen(*p.what, p.at.id);
}

/// Numbers count, too: a task that is in no window may lie between.
bool planner::is_foreseen(const described& what, task_id number) const {
  const std::size_t at = window_.size();
  return foreseen_->tasks[at].get() == &what &&
         (at == 0 || foreseen_->steps[at] == index(number) - index(window_[0].at.id));
}

/// It is another window: what was left out is caught up with.
void planner::stop_foreseeing() {
  if (!std::exchange(foreseen_, nullptr))
    return;
  for (planned& p : window_)
    stream_.order(p.what->what, p.what->by_all, p.at);
}

void planner::accept(std::shared_ptr<const described> what) {
  planned p{stream_.number(what->digest), std::move(what)};
  if (window_.empty() && !foreseen_)
    fresh_ = stream_.fresh();
  const bool foreseen = foresees(p);
  if (!foreseen)
    stop_foreseeing();
  if (!foreseen || p.what->barrier())
    stream_.order(p.what->what, p.what->by_all, p.at);
  const task& t = p.what->what;
  if (options_.keep_graphs && tasks_.size() < options_.most_kept)
    tasks_.push_back({p.at.id, t.kind, t.name, p.at.after});
  else if (options_.keep_graphs)
    ++left_out_;
  if (!p.what->barrier() && !p.what->chunks)
    return;
  const bool last = p.what->barrier() || t.kind == task_kind::fence || !options_.look_ahead;
  window_.push_back(std::move(p));
  if (last)
    flush();
}

void planner::flush() {
  if (!window_.empty()) {
    if (window_.back().what->barrier())
      foreseen_ = nullptr;
    stop_foreseeing();
    plan_window();
  }
  window_.clear();
  for (const buffer_id buffer : destroyed_) {
    contents_.drop_buffer(buffer);
    local_.drop_buffer(buffer);
  }
  destroyed_.clear();
}

void planner::plan_window() {
  if (options_.replay && options_.keep_descriptions) {
    known_window& w = windows_.of(window_, fresh_);
    ++w.came;
    goes_on_ = replay(w);
    if (goes_on_)
      return;
    if (worth_recording(w))
      return plan_and_record(w);
  }
  for (std::size_t position = 0; position < window_.size(); ++position)
    plan(position);
}

void planner::plan_and_record(known_window& w) {
  recorded_plan& r = room_for_plan(w);
  r.first = window_[0].at.id;
  r.first_exchange = next_exchange_;
  r.found = contents_of(contents_, w.buffers);
  r.found_here = local_.state_of(w.buffers, w.objects);
  recording_ = &r;
  for (std::size_t position = 0; position < window_.size(); ++position) {
    const std::size_t before = local_.made();
    plan(position);
    for (std::size_t c = before; c < local_.made(); ++c) {
      r.commands.push_back(local_.made(c));
      r.of_task.push_back(static_cast<std::uint32_t>(position));
    }
  }
  recording_ = nullptr;
  if (r.commands.size() > most_commands) {
    w.too_long = true;
    return w.plans.pop_back();
  }
  r.next_exchange = next_exchange_;
  r.left = contents_of(contents_, w.buffers);
  r.left_here = local_.state_of(w.buffers, w.objects);
}

bool planner::replay(known_window& w) {
  for (const recorded_plan& plan : w.plans)
    if (const auto now = matches(w, plan, window_[0].at.id, next_exchange_, contents_, local_)) {
      replay(w, plan, *now);
      ++replayed_;
      return true;
    }
  return false;
}

void planner::replay(const known_window& w, const recorded_plan& plan, const moved_numbers& now) {
  local_.expect(plan.commands.size());
  for (std::size_t c = 0; c < plan.commands.size(); ++c)
    local_.add_again(again(plan, c, now));
  for (exchange_edge edge : plan.edges) {
    edge.producer = now.task(edge.producer);
    edge.consumer = now.task(edge.consumer);
    edge.number = edge.kind ? now.exchange(edge.number) : edge.number;
    note(edge);
  }
  if (w.ends_in_barrier())
    contents_.forget_before(window_.back().at.id);
  for (std::size_t i = 0; i < w.buffers.size(); ++i) {
    region_map<version>& buffer = contents_.of(w.buffers[i]);
    buffer = plan.left[i];
    buffer.revalue([&](version& v) { v.producer = now.task(v.producer); });
  }
  local_.become(plan.left_here, now.commands, w.buffers, w.objects, w.ends_in_barrier());
  next_exchange_ = now.exchange(plan.next_exchange);
}

command planner::again(const recorded_plan& plan, std::size_t number, const moved_numbers& now) const {
  const planned& p = window_[plan.of_task[number]];
  command c = plan.commands[number];
  c.id = now.commands(c.id);
  for (command_id& before : c.after)
    before = now.commands(before);
  c.task = p.at.id;
  c.stream_hash = p.at.hash;
  if (c.kind == command_kind::push || c.kind == command_kind::await_push)
    c.transfer = transfer_number(c);
  if (c.kind == command_kind::collective) {
    c.number = now.exchange(c.number);
    c.partials_of = is_reduction(c.exchange->kind) ? now.task(c.partials_of) : c.partials_of;
  }
  return c;
}

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
