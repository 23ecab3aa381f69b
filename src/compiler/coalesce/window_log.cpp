#include "compiler/coalesce/window_log.h"

#include "compiler/coalesce/attribute.h"
#include "compiler/coalesce/datatypes.h"
#include "compiler/coalesce/node.h"
#include "compiler/coalesce/type_map.h"
#include "compiler/hooks/settings.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>
#include <tacit/coalesce.h>
#include <time.h>

namespace tacit::compiler {
namespace {

constexpr std::size_t most_records = 1u << 17; ///< of a process: 15 MB
constexpr int most_said = 4;                   ///< of one comparison
constexpr long most_pairs = 100'000'000;       ///< that are compared: a second or so

long long now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<long long>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/// Under the lock of all watches.
void seen_in_epoch(watch& at, const char* from, const char* to, bool stores) {
  auto& epoch = static_cast<lock_epoch&>(at);
  constexpr std::size_t near = 8; // loops go on with one of the last places
  for (std::size_t i = epoch.runs.size; i-- > 0 && i + near >= epoch.runs.size;) {
    lock_epoch::run& r = epoch.runs.data[i];
    if (r.stores == stores && from <= r.to && r.from <= to) {
      r.from = std::min(r.from, from);
      r.to = std::max(r.to, to);
      return;
    }
  }
  budget memory = unlimited();
  if (epoch.runs.size < most_records && epoch.runs.make_room(memory, 1))
    epoch.runs.push({from, to, stores});
  else
    epoch.lost = true;
}

/// The memory of a target that this process can load from and store to.
void find_memory(MPI_Win win, int target, int rank, lock_epoch& epoch) {
  int* flavor = nullptr;
  int present = 0;
  void* base = nullptr;
  MPI_Aint bytes = 0, *own = nullptr;
  int unit = 1;
  if (MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, static_cast<void*>(&flavor), &present) == MPI_SUCCESS &&
      present && *flavor == MPI_WIN_FLAVOR_SHARED) {
    if (MPI_Win_shared_query(win, target, &bytes, &unit, static_cast<void*>(&base)) != MPI_SUCCESS)
      return;
  } else if (target == rank) {
    if (MPI_Win_get_attr(win, MPI_WIN_BASE, static_cast<void*>(&base), &present) != MPI_SUCCESS || !present)
      return;
    if (MPI_Win_get_attr(win, MPI_WIN_SIZE, static_cast<void*>(&own), &present) != MPI_SUCCESS || !present)
      return;
    bytes = *own;
  }
  epoch.base = bytes > 0 ? static_cast<const char*>(base) : nullptr;
  epoch.low = epoch.base;
  epoch.high = epoch.base ? epoch.base + bytes : nullptr;
  epoch.seen = seen_in_epoch;
}

bool reads(window_access what) {
  return what == window_access::load || what == window_access::get;
}

const char* verb(window_access what) {
  switch (what) {
  case window_access::load:
    return "loads";
  case window_access::store:
    return "stores into";
  case window_access::get:
    return "gets";
  case window_access::put:
    return "puts into";
  case window_access::accumulate:
    return "accumulates into";
  }
  return "accesses";
}

bool at_the_same_time(const access_record& a, const access_record& b, const std::uint64_t* nodes) {
  if (a.fenced || b.fenced)
    return a.fenced && b.fenced;
  return !a.exclusive && !b.exclusive && nodes[a.origin] == nodes[b.origin] && a.begun < b.ended &&
         b.begun < a.ended;
}

bool is_operation(window_access what) {
  return what != window_access::load && what != window_access::store;
}

/// Two operations of one process, by different statements or by one that comes again: whatever lock they have, nothing between them completes the first.
bool in_one_epoch(const access_record& a, const access_record& b) {
  if (a.by_request || b.by_request || a.region == b.region) // a region compares its own itself
    return false;
  if (!is_operation(a.what) || !is_operation(b.what))
    return false;
  return a.fenced || b.fenced ? a.fenced && b.fenced : a.begun < b.ended && b.begun < a.ended;
}

/// What the claim of the first record denies.
bool contradicts(const access_record& claimed, const access_record& other) {
  if (claimed.says == claim::none || (reads(claimed.what) && reads(other.what)))
    return false;
  if (claimed.origin == other.origin && claimed.says != claim::no_overlap) // of locks others are kept out
    return false;
  return claimed.says == claim::no_overlap || claimed.what != window_access::accumulate ||
         other.what != window_access::accumulate;
}

void say(const access_record& claimed, const access_record& other, const int* world) {
  const bool region = claimed.says == claim::no_overlap;
  if (!is_worth_saying({verb(claimed.what), claimed.where}, {verb(other.what), other.where}))
    return;
  std::fprintf(stderr,
               "tacit: rank %d: %s: %s %s bytes %lld to %lld of the window of process %d while rank %d %s "
               "them%s%s, but the pragma says no_overlap [TACIT-%s]\n",
               world[claimed.origin], claimed.where, region ? "this region" : "this statement",
               verb(claimed.what), static_cast<long long>(std::max(claimed.from, other.from)),
               static_cast<long long>(std::min(claimed.to, other.to)), claimed.target, world[other.origin],
               verb(other.what), other.where[0] ? " at " : "", other.where, region ? "150" : "202");
}

bool before(const access_record& a, const access_record& b) {
  if (a.from != b.from)
    return a.from < b.from;
  return a.origin != b.origin ? a.origin < b.origin : a.begun < b.begun;
}

/// False: there were too many pairs.
bool compare_all(access_record* records, std::size_t count, const int* world, const std::uint64_t* nodes) {
  std::sort(records, records + count, before);
  long pairs = 0;
  int said = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count && records[j].from < records[i].to; ++j) {
      const access_record &a = records[i], &b = records[j];
      if (++pairs > most_pairs)
        return false;
      const bool first = contradicts(a, b);
      const bool meet = a.origin == b.origin ? in_one_epoch(a, b) : at_the_same_time(a, b, nodes);
      if (!meet || (!first && !contradicts(b, a)))
        continue;
      say(first ? a : b, first ? b : a, world);
      if (++said == most_said)
        return true;
    }
  return true;
}

/// Collective. Also false where MPI refuses to tell the others, for good.
bool is_true_of_all(const own_communicator& own, bool here) {
  double least = here ? 1 : 0;
  return least_of_all(own, &least, 1) && least == 1;
}

/// Windows of other threads are made at any time. Who frees the log is window_log::end.
constinit attribute<on_windows, window_log> logs(nullptr);

} // namespace

class window_log::locked {
public:
  explicit locked(const window_log& log) : guard_(log.guard_) { pthread_mutex_lock(&guard_); }
  ~locked() { pthread_mutex_unlock(&guard_); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

private:
  pthread_mutex_t& guard_;
};

bool window_log::find_processes(MPI_Win win) {
  int *unit = nullptr, present = 0;
  const bool known =
      MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, static_cast<void*>(&unit), &present) == MPI_SUCCESS && present;
  bool told = tell_all(own_, world_rank(), world_);
  told &= tell_all(own_, known ? *unit : 1, units_);
  told &= tell_all(own_, node_of(own_.rank), nodes_);
  for (int t = 0; t < own_.processes; ++t) {
    new (epochs_ + t) lock_epoch();
    find_memory(win, t, own_.rank, epochs_[t]);
  }
  return told;
}

window_log* window_log::make(MPI_Win win, MPI_Comm comm) {
  own_communicator own = make_own_communicator(comm);
  if (own.handle == MPI_COMM_NULL)
    return nullptr;
  void* const room = checks_claims() ? std::calloc(1, sizeof(window_log)) : nullptr;
  if (!is_true_of_all(own, room != nullptr)) {
    free_own_communicator(own);
    std::free(room);
    return nullptr;
  }
  auto* const made = new (room) window_log();
  made->own_ = own;
  made->world_ = array_of<int>(own.processes);
  made->units_ = array_of<int>(own.processes);
  made->nodes_ = array_of<std::uint64_t>(own.processes);
  made->epochs_ = array_of<lock_epoch>(own.processes);
  const bool can = made->world_ && made->units_ && made->nodes_ && made->epochs_ && logs.set(win, made);
  if (is_true_of_all(own, can) && made->find_processes(win))
    return made;
  if (can)
    logs.remove(win);
  made->release();
  return nullptr;
}

window_log* window_log::of(MPI_Win win) {
  return logs.of(win);
}

bool window_log::units_differ() const {
  return std::any_of(units_, units_ + own_.processes, [this](int unit) { return unit != units_[0]; });
}

void window_log::release() {
  budget memory = unlimited();
  for (int t = 0; epochs_ && t < own_.processes; ++t)
    epochs_[t].runs.release(memory);
  records_.release(memory);
  free_own_communicator(own_);
  std::free(world_);
  std::free(units_);
  std::free(nodes_);
  std::free(epochs_);
  pthread_mutex_destroy(&guard_);
  std::free(this);
}

void window_log::end(MPI_Win win) {
  window_log* const log = of(win);
  if (!log)
    return;
  log->compare();
  logs.remove(win);
  log->release();
}

access_record window_log::blank(int target, window_access what, const claim& by) const {
  access_record made{};
  made.target = target;
  made.origin = own_.rank;
  made.what = what;
  made.says = by.says;
  made.region = by.region;
  if (by.says == claim::none)
    return made;
  char text[PATH_MAX + 16];
  const int length = std::snprintf(text, sizeof text, "%s:%d", by.file ? by.file : "?", by.line);
  const int skipped = std::max(0, length - static_cast<int>(sizeof made.where) + 1);
  std::snprintf(made.where, sizeof made.where, "%s", text + skipped);
  return made;
}

void window_log::push(const access_record& r) {
  budget memory = unlimited();
  if (records_.size < most_records && records_.make_room(memory, 1))
    records_.push(r);
  else
    lost_ = true;
}

void window_log::note(int target, MPI_Aint from, MPI_Aint to, window_access what, bool by_request) {
  access_record made = blank(target, what, current_claim());
  lock_epoch& epoch = epochs_[target];
  if (made.says == claim::none && epoch.held)
    made = blank(target, what, epoch.by);
  made.from = from;
  made.to = to;
  made.fenced = !epoch.held && !all_locked_ && !started_;
  made.exclusive = epoch.held && epoch.exclusive;
  made.by_request = by_request;
  made.begun = now();
  if (records_.size) { // places of one call, and loops over neighbors
    access_record& last = records_.back();
    if (last.ended == 0 && last.to == from && last.target == target && last.what == what &&
        last.says == made.says && last.region == made.region && last.by_request == by_request &&
        std::strcmp(last.where, made.where) == 0) {
      last.to = to;
      return;
    }
  }
  push(made);
}

void window_log::copy(int target, MPI_Aint from, MPI_Aint to, window_access what) {
  const locked one(*this);
  if (target >= 0 && target < own_.processes && from < to)
    note(target, from, to, what, false);
}

void window_log::operation(int target, MPI_Aint disp, MPI_Count count, MPI_Datatype type, window_access what,
                           bool by_request) {
  if (target < 0 || target >= own_.processes || count <= 0)
    return;
  const MPI_Aint at = disp * units_[target];
  type_map map = map_of(count, type);
  const locked one(*this);
  lost_ |= !map.known;
  each_run(map, [&](MPI_Aint from, MPI_Aint to) { note(target, at + from, at + to, what, by_request); });
  map.release();
}

void window_log::lock(int target, bool exclusive, const claim& by) {
  if (target < 0 || target >= own_.processes)
    return;
  const locked one(*this);
  lock_epoch& epoch = epochs_[target];
  epoch.held = true;
  epoch.exclusive = exclusive;
  epoch.by = by;
  epoch.begun = now();
  epoch.runs.size = 0;
  if (epoch.base)
    begin_watch(epoch);
}

void window_log::lock_all() {
  const locked one(*this);
  all_locked_ = true;
}

void window_log::start() {
  const locked one(*this);
  started_ = true;
}

bool window_log::is_relaxed(int target) const {
  const locked one(*this);
  return own_.processes > 1 && target >= 0 && target < own_.processes && epochs_[target].held &&
         epochs_[target].by.says != claim::none;
}

void window_log::loads_and_stores_end(int target) {
  const locked one(*this);
  if (target < 0 || target >= own_.processes || !epochs_[target].held || !epochs_[target].base)
    return;
  lock_epoch& epoch = epochs_[target];
  end_watch(epoch);
  lost_ |= epoch.lost;
  for (std::size_t i = 0; i < epoch.runs.size; ++i) {
    const lock_epoch::run& r = epoch.runs.data[i];
    access_record made = blank(target, r.stores ? window_access::store : window_access::load, epoch.by);
    made.from = r.from - epoch.base;
    made.to = r.to - epoch.base;
    made.exclusive = epoch.exclusive;
    made.begun = epoch.begun;
    made.ended = now();
    push(made);
  }
  epoch.runs.size = 0;
}

void window_log::complete(int target) {
  const long long at = now();
  for (std::size_t i = 0; i < records_.size; ++i) {
    access_record& r = records_.data[i];
    if (r.ended == 0 && (target == TACIT_ALL_TARGETS || r.target == target))
      r.ended = at;
  }
}

void window_log::completed(int target) {
  const locked one(*this);
  complete(target);
}

void window_log::unlocked(int target) {
  const locked one(*this);
  complete(target);
  if (target >= 0 && target < own_.processes)
    epochs_[target].held = false;
}

void window_log::unlocked_all() {
  const locked one(*this);
  complete(TACIT_ALL_TARGETS);
  all_locked_ = false;
}

void window_log::started_epoch_completed() {
  const locked one(*this);
  complete(TACIT_ALL_TARGETS);
  started_ = false;
}

void window_log::fenced(const claim& by) {
  const bool says = by.says == claim::collective;
  if (!is_true_of_all(own_, says) && says)
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: another process of the window comes to this fence outside of the region, "
        "but the pragma says collective [TACIT-155]\n",
        world_[own_.rank], by.file ? by.file : "?", by.line);
}

/// What the others have accessed here, sorted by nothing; null if there was none, or no memory for it. Collective.
access_record* window_log::arrivals(const int* sent, const int* from, int* got, std::size_t& count) {
  const auto word = static_cast<int>(sizeof(int));
  bool told = tell_each_other(
      own_, [&](int to) { return some_bytes{const_cast<int*>(sent + to), word}; },
      [&](int source) { return some_bytes{got + source, word}; });
  got[own_.rank] = sent[own_.rank];
  long total = 0;
  for (int p = 0; p < own_.processes; ++p)
    total += got[p];
  auto* const made = static_cast<access_record*>(std::malloc(static_cast<std::size_t>(std::max(total, 1L))));
  if (!is_true_of_all(own_, told && made)) {
    std::free(made);
    return nullptr;
  }
  auto* next = reinterpret_cast<char*>(made);
  const auto mine = [&](int to) {
    return some_bytes{reinterpret_cast<char*>(records_.data) + from[to], sent[to]};
  };
  if (sent[own_.rank] > 0)
    std::memcpy(next, mine(own_.rank).data, static_cast<std::size_t>(sent[own_.rank]));
  next += sent[own_.rank];
  told = tell_each_other(own_, mine, [&](int source) {
    const some_bytes place{next, got[source]};
    next += got[source];
    return place;
  });
  lost_ |= !told;
  count = told ? static_cast<std::size_t>(total) / sizeof(access_record) : 0;
  return made;
}

void window_log::compare() {
  const auto processes = static_cast<std::size_t>(own_.processes);
  std::sort(records_.data, records_.data + records_.size,
            [](const access_record& a, const access_record& b) { return a.target < b.target; });
  // Nothing is claimed mostly.
  const bool claims = std::any_of(records_.data, records_.data + records_.size,
                                  [](const access_record& r) { return r.says != claim::none; });
  const bool any = !is_true_of_all(own_, !claims);
  int* const counts = any ? array_of<int>(3 * own_.processes) : nullptr;
  if (any && is_true_of_all(own_, counts != nullptr) && counts) {
    int *const sent = counts, *const from = counts + processes, *const got = counts + 2 * processes;
    for (std::size_t i = 0; i < records_.size; ++i)
      sent[records_.data[i].target] += static_cast<int>(sizeof(access_record));
    for (std::size_t p = 1; p < processes; ++p)
      from[p] = from[p - 1] + sent[p - 1];
    std::size_t count = 0;
    access_record* const all = arrivals(sent, from, got, count);
    lost_ |= !all || !compare_all(all, count, world_, nodes_);
    std::free(all);
  } else {
    lost_ |= any;
  }
  std::free(counts);
  if (lost_)
    std::fprintf(stderr,
                 "tacit: rank %d: not all accesses of a window could be compared: too many, or of "
                 "datatypes that span too much [TACIT-150]\n",
                 world_[own_.rank]);
  lost_ = false;
  records_.size = 0;
}

} // namespace tacit::compiler
