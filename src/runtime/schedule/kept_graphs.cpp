#include "runtime/schedule/kept_graphs.h"

#include "runtime/channel/channel.h"
#include "runtime/mpi/attached.h"
#include "runtime/schedule/schedule.h"
#include "vocabulary/base/launched.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {
namespace {

/// Of one communicator, on the rank that has most: what is kept of many small graphs is far below. Most of it is channels: that of a message
/// of more than 8 KiB takes 272 KiB.
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_entries = 31; // two words each, and one

// What a rank says of an entry: the least of all ranks counts.
// Before places are compared: as long as. Then: equal but for places.
constexpr std::uint64_t differs = 0, elsewhere = 1, equal = 2;
constexpr std::uint64_t in_use = 0, failed = 1, idle = 2, only_steps = 3;

std::size_t word_of_match(std::size_t entry) {
  return 1 + 2 * entry;
}
std::size_t word_of_use(std::size_t entry) {
  return 2 + 2 * entry;
}

std::uint64_t use_of(const kept_graphs::entry& e) {
  if (!e.made)
    return only_steps;
  switch (e.made->now()) {
  case kept_plan::state::lent:
    return in_use;
  case kept_plan::state::failed:
    return failed;
  case kept_plan::state::idle:
    break;
  }
  return idle;
}

graph_computations computations_for(const rank_part& steps, const graph_builder& part) {
  graph_computations out;
  for (const auto& [global, local] : steps.computations)
    out.by_operation[global] = part.computation_of(local);
  return out;
}

/// About what a plan takes, with its scratch memory.
std::uint64_t memory_of(const graphs::rank_plan& plan) {
  const auto blocks = [](const graphs::block_list& list) {
    std::uint64_t sum = list.runs().size() * sizeof(graphs::block_run);
    for (const graphs::block_run& run : list.runs())
      sum += run.bytes.size() * sizeof(graphs::segment);
    return sum;
  };
  std::uint64_t sum = plan.scratch_bytes + plan.steps.size() * sizeof(graphs::step);
  for (const graphs::step& s : plan.steps)
    sum += (s.reads.size() + s.writes.size()) * sizeof(graphs::segment) +
           s.after.size() * sizeof(std::uint32_t) + blocks(s.sends) + blocks(s.receives);
  return sum;
}

/// The channels of what a plan receives through memory; what it sends lies at the receivers.
std::uint64_t memory_of_channels(const graphs::rank_plan& plan) {
  const bool reciprocal = false, canary = true, unattended = false,
             crowded = launched_more_ranks_than_cores();
  std::uint64_t sum = 0;
  for (const graphs::step& s : plan.steps)
    if (s.kind == graphs::step_kind::recv)
      sum +=
          channel_bytes(shape_for(graphs::total_length(s.writes), reciprocal, canary, unattended, crowded));
  return sum;
}

/// Its steps name no memory but that of its graph, so that they can be moved with that.
bool holds(const kept_graphs::entry& e) {
  const moved_buffers same_places(e.relative->buffers, e.relative->buffers);
  return std::all_of(e.part.candidates.begin(), e.part.candidates.end(),
                     [&](const named_program& c) { return same_places.hold(c.steps); });
}

} // namespace

kept_plan::state kept_plan::now() const {
  const std::lock_guard lock(guard_);
  return now_;
}

void kept_plan::lend(graph_computations& calls) noexcept {
  const std::lock_guard lock(guard_);
  std::swap(*calls_, calls);
  now_ = state::lent;
}

void kept_plan::take_back() noexcept {
  bool ends = false;
  {
    const std::lock_guard lock(guard_);
    now_ = plan_->run().failure ? state::failed : state::idle;
    ends = !kept_;
  }
  if (ends)
    plan_->end();
}

void kept_plan::give_up() noexcept {
  const std::lock_guard lock(guard_);
  now_ = state::failed;
  plan_->give_up();
}

void kept_plan::let_go() noexcept {
  bool ends = false;
  {
    const std::lock_guard lock(guard_);
    kept_ = false;
    ends = now_ != state::lent;
  }
  if (ends)
    plan_->end();
}

lent_graph::~lent_graph() {
  if (holds_)
    from_->give_up();
}

explanation lent_graph::explain() const {
  explanation known = from_->plan().explain();
  return note_.empty() ? known : with_kept(known, note_);
}

void lent_graph::end() noexcept {
  holds_ = false;
  from_->take_back();
}

std::shared_ptr<kept_graphs> kept_graphs::of_all(MPI_Comm comm, const char* function) {
  if (auto found = attached<kept_graphs>::of(comm))
    return found;
  auto own = private_communicator::like(comm);
  agreement all(own.comm(), own.rank(), own.size(), function);
  std::shared_ptr<kept_graphs> made;
  bool is_attached = false;
  all.here("making room for compiled graphs", [&] {
    made = std::make_shared<kept_graphs>(own.rank(), own.size());
    attached<kept_graphs>::set(comm, made);
    is_attached = true;
  });
  try {
    all.agree();
  } catch (...) { // some rank has none: all make one in the next call
    if (is_attached)
      attached<kept_graphs>::set(comm, nullptr);
    throw;
  }
  made->own_ = std::move(own); // the agreement has used it
  return made;
}

kept_graphs::kept_graphs(int rank, int size) : rank_(rank), size_(size) {
  entries_.reserve(most_entries);
}

void kept_graphs::let_go() noexcept {
  for (entry& e : entries_)
    if (e.made)
      e.made->let_go();
  entries_.clear();
  MPI_Comm comm = own_.release();
  private_communicator::free(comm);
}

kept_graphs::lookup kept_graphs::look(message circumstances, const graph_builder& part,
                                      const compile_request& wanted) const {
  lookup out;
  out.circumstances = std::move(circumstances);
  out.exact = signature_of(out.circumstances, part.values());
  out.hash_without_places = hash_without_places(part.values());
  out.words[0] = rank_ == 0 ? std::min<std::uint64_t>(wanted.kept, most_entries) : most_entries;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const entry& e = entries_[i];
    out.words[word_of_use(i)] = use_of(e);
    if (e.exact != out.exact) {
      const bool maybe = e.movable && e.hash_without_places == out.hash_without_places;
      out.words[word_of_match(i)] = maybe ? elsewhere : differs;
      continue;
    }
    out.words[word_of_match(i)] = equal;
    if (out.words[word_of_use(i)] != idle)
      continue;
    auto plan = std::make_unique<lent_graph>(
        e.made, fmt::format("compiled before on this communicator, used {} times since", e.uses + 1));
    lent_graph* const bare = plan.get();
    out.ready.push_back(
        {i, std::make_unique<schedule>(std::move(plan)), bare, computations_for(e.part, part)});
  }
  return out;
}

bool kept_graphs::may_have_moved(const lookup& found) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (found.words[0] > 0 && found.words[word_of_match(i)] != differs)
      return true;
  return false;
}

void kept_graphs::compare_places(lookup& found, const graph_builder& part) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entry& e = entries_[i];
    std::uint64_t& match = found.words[word_of_match(i)];
    if (match == differs || e.exact == found.exact)
      continue;
    if (!found.relative)
      found.relative = without_places(found.circumstances, part.values());
    if (!e.relative)
      e.relative = without_places(e.exact);
    match = e.relative->signature == found.relative->signature && holds(e) ? elsewhere : differs;
  }
}

std::unique_ptr<schedule> kept_graphs::lend(lookup& found) noexcept {
  ++compilations_;
  for (lookup::prepared& each : found.ready)
    if (found.words[0] > 0 && found.words[word_of_match(each.entry)] == equal &&
        found.words[word_of_use(each.entry)] == idle) {
      entry& e = entries_[each.entry];
      e.last_use = compilations_;
      ++e.uses;
      e.made->lend(each.calls);
      each.plan->hold();
      return std::move(each.made);
    }
  return nullptr;
}

std::optional<std::size_t> kept_graphs::known(const lookup& found) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; found.words[0] > 0 && i < entries_.size(); ++i) {
    if (found.words[word_of_match(i)] != differs &&
        (!best || found.words[word_of_use(i)] > found.words[word_of_use(*best)]))
      best = i;
  }
  return best;
}

rank_part kept_graphs::steps_of(std::size_t at, lookup& found, const graph_builder& part) const {
  const entry& e = entries_[at];
  // What is compiled again and again is run few times each, so that no trial of it would end.
  constexpr std::uint64_t often = 3;
  rank_part out = e.part;
  if (out.trial.of_finalists && e.uses > often)
    out.variants.resize(1);
  if (e.exact == found.exact)
    return out;
  if (!found.relative)
    found.relative = without_places(found.circumstances, part.values());
  const moved_buffers map(e.relative->buffers, found.relative->buffers);
  for (named_program& c : out.candidates)
    map.move(c.steps);
  return out;
}

std::uint64_t kept_graphs::bytes() const {
  std::uint64_t sum = 0;
  for (const entry& e : entries_)
    sum += e.bytes;
  return sum;
}

void kept_graphs::forget(std::size_t at) {
  if (entries_[at].made)
    entries_[at].made->end();
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::optional<std::size_t> kept_graphs::oldest_idle() const {
  std::optional<std::size_t> oldest;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].idle && (!oldest || entries_[i].last_use < entries_[*oldest].last_use))
      oldest = i;
  return oldest;
}

kept_graphs::room kept_graphs::make_room(const lookup& found, std::optional<std::size_t> same) {
  room out;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::uint64_t use = found.words[word_of_use(i)];
    entries_[i].idle = use == idle || use == only_steps;
    if (use != failed)
      continue;
    entries_[i].made->give_up(); // it may be another rank that has failed
    entries_[i].made->end();
    entries_[i].made.reset();
    entries_[i].idle = true;
  }
  const std::uint64_t most = found.words[0];
  out.keep = most > 0;
  if (same && entries_[*same].idle && out.keep) {
    out.instead_of = same;
    if (auto before = std::move(entries_[*same].made))
      out.own = before->end();
    entries_[*same].made.reset();
    return out;
  }
  while (entries_.size() + (out.keep ? 1 : 0) > most) {
    const auto oldest = oldest_idle();
    if (!oldest)
      break;
    if (auto before = std::exchange(entries_[*oldest].made, nullptr))
      out.own = before->end();
    forget(*oldest);
  }
  out.keep = out.keep && entries_.size() < most;
  return out;
}

kept_graphs::entry kept_graphs::make_entry(lookup& found, const graph_builder& part, rank_part steps) {
  entry out;
  out.exact = std::move(found.exact);
  out.hash_without_places = found.hash_without_places;
  out.relative = std::move(found.relative);
  out.movable = is_movable(part.values());
  out.part = std::move(steps);
  out.bytes = 3 * out.exact.bytes.size(); // with the graph without places, later
  for (named_program& c : out.part.candidates) {
    c.steps.call = {};
    out.bytes += memory_of(c.steps.plan);
  }
  for (const program_variant& v : out.part.variants)
    if (v.driver == "shm")
      out.bytes += memory_of_channels(out.part.candidates[v.candidate].steps.plan);
  return out;
}

/// The most bytes of all ranks, and whether all can be moved.
std::array<std::uint64_t, 2> kept_graphs::words_of(const entry& made) {
  return {most_bytes - std::min(made.bytes, most_bytes), made.movable ? std::uint64_t{1} : std::uint64_t{0}};
}

bool kept_graphs::keep(room& where, entry made, const std::array<std::uint64_t, 2>& words) {
  made.bytes = most_bytes - words[0];
  made.movable = words[1] != 0;
  made.last_use = compilations_;
  if (where.instead_of) {
    made.uses = entries_[*where.instead_of].uses + 1;
    entries_[*where.instead_of] = std::move(made);
    return true;
  }
  while (bytes() + made.bytes >= most_bytes) {
    const auto oldest = oldest_idle();
    if (!oldest)
      return false;
    forget(*oldest);
  }
  entries_.push_back(std::move(made));
  return true;
}

} // namespace tacit::runtime
