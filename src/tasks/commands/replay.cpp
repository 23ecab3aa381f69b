#include "tasks/commands/replay.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tacit::tasks {
namespace {

template <typename T>
void tidy_up(std::vector<T>& of) {
  std::ranges::sort(of);
  of.erase(std::ranges::unique(of).begin(), of.end());
}

bool consists_of(const known_window& w, const std::vector<planned>& window, bool fresh) {
  if (w.fresh != fresh || w.tasks.size() != window.size())
    return false;
  for (std::size_t i = 0; i < window.size(); ++i)
    if (w.tasks[i] != window[i].what || w.steps[i] != index(window[i].at.id) - index(window[0].at.id))
      return false;
  return true;
}

known_window made_of(const std::vector<planned>& window, bool fresh) {
  known_window out;
  out.fresh = fresh;
  for (const planned& p : window) {
    out.tasks.push_back(p.what);
    out.steps.push_back(index(p.at.id) - index(window[0].at.id));
    for (const access& a : p.what->what.accesses)
      out.buffers.push_back(a.buffer);
    for (const reduction& r : p.what->what.reductions)
      out.buffers.push_back(r.buffer);
    for (const host_object_id object : p.what->what.host_objects)
      out.objects.push_back(index(object));
    if (p.what->what.kind == task_kind::collective_host)
      out.objects.push_back(first_group + p.what->what.collective_group);
  }
  tidy_up(out.buffers);
  tidy_up(out.objects);
  return out;
}

/// The same as an object: the formulas for all ranks look at that, too.
bool same(const distribution& a, const distribution& b) {
  return a.across == b.across && a.listed == b.listed && a.map == b.map && a.extent == b.extent;
}

/// But for the producer.
bool same(const version& a, const version& b) {
  return a.initialized == b.initialized && a.operation == b.operation && same(a.owner, b.owner) &&
         std::ranges::equal(a.copies, b.copies,
                            [](const distribution& x, const distribution& y) { return same(x, y); });
}

/// Which producers have moved on, and which have stayed.
class producers {
public:
  explicit producers(std::uint64_t further) : further_(further) {}
  /// False: it has become another one.
  bool add(task_id then, task_id now) {
    if (then == now)
      stay_below_ = std::max<std::uint64_t>(stay_below_, index(then) + 1);
    else if (index(now) - index(then) == further_)
      move_from_ = std::min<std::uint64_t>(move_from_, index(then));
    else
      return false;
    return stay_below_ <= move_from_;
  }
  std::uint64_t stay_below() const { return stay_below_; }

private:
  std::uint64_t further_;
  std::uint64_t stay_below_ = 0, move_from_ = std::numeric_limits<std::uint64_t>::max();
};

bool same(const region_map<version>& then, const region_map<version>& now, producers& who) {
  return std::ranges::equal(then.entries(), now.entries(), [&](const auto& a, const auto& b) {
    return a.where == b.where && same(a.value, b.value) && who.add(a.value.producer, b.value.producer);
  });
}

} // namespace

known_window* known_windows::beginning_with(const std::shared_ptr<const described>& first) {
  for (std::size_t i = 1; i <= known_.size(); ++i) {
    known_window& w = *known_[(used_ + i) % known_.size()];
    if (w.fresh && w.ends_in_barrier() && w.tasks[0] == first)
      return &w;
  }
  return nullptr;
}

known_window& known_windows::of(const std::vector<planned>& window, bool fresh) {
  for (std::size_t i = 1; i <= known_.size(); ++i)
    if (const std::size_t at = (used_ + i) % known_.size(); consists_of(*known_[at], window, fresh)) {
      used_ = at;
      return *known_[at];
    }
  used_ = known_.size() < most ? known_.size() : oldest_++ % most;
  if (used_ == known_.size())
    known_.push_back(nullptr);
  known_[used_] = std::make_unique<known_window>(made_of(window, fresh));
  return *known_[used_];
}

bool worth_recording(const known_window& w) {
  constexpr std::size_t at_first = 8;
  return !w.too_long && w.came >= 2 && (w.came <= at_first || std::has_single_bit(w.came));
}

recorded_plan& room_for_plan(known_window& w) {
  constexpr std::size_t most_plans = 4; // of a window that is reached in several ways in turn
  if (w.plans.size() == most_plans)
    w.plans.erase(w.plans.begin());
  return w.plans.emplace_back();
}

std::vector<region_map<version>> contents_of(const contents& all, const std::vector<buffer_id>& buffers) {
  std::vector<region_map<version>> out;
  for (const buffer_id b : buffers)
    out.push_back(all.of(b));
  return out;
}

std::optional<moved_numbers> matches(const known_window& w, const recorded_plan& plan, task_id first,
                                     exchange_id next_exchange, const contents& now,
                                     const local_commands& here) {
  moved_numbers out;
  out.tasks = index(first) - index(plan.first);
  out.exchanges = index(next_exchange) - index(plan.first_exchange);
  producers who(out.tasks);
  for (std::size_t i = 0; i < w.buffers.size(); ++i)
    if (!same(plan.found[i], now.of(w.buffers[i]), who))
      return std::nullopt;
  const std::optional<renumbering> commands = here.matches(plan.found_here, w.buffers, w.objects);
  if (!commands)
    return std::nullopt;
  out.commands = *commands;
  out.stay_below = who.stay_below();
  return out;
}

} // namespace tacit::tasks
