#include "tasks/commands/planner.h"

#include <algorithm>

namespace tacit::tasks {

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
// --- the window

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

} // namespace tacit::tasks
