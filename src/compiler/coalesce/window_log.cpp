#include "compiler/coalesce/window_log.h"

#include "compiler/coalesce/attribute.h"
#include "compiler/coalesce/datatypes.h"
#include "compiler/coalesce/type_map.h"
#include "compiler/hooks/settings.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <pthread.h>
#include <tacit/coalesce.h>
#include <time.h>
#define XXH_INLINE_ALL // the library of that name may be missing where programs are linked
#include <xxhash.h>

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

/// Of processes with one clock. TACIT_RANKS_PER_NODE plays more nodes than there are, as everywhere, but never fewer: clocks of two
/// machines cannot be compared.
std::uint64_t node(int rank) {
  const std::size_t each = tacit_count_setting("TACIT_RANKS_PER_NODE", 0, "a number from 1 on");
  char name[MPI_MAX_PROCESSOR_NAME + 1];
  int length = 0;
  if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS)
    length = 0;
  const std::uint64_t words[] = {XXH3_64bits(name, static_cast<std::size_t>(length)),
                                 each > 0 ? static_cast<std::uint64_t>(rank) / each : 0};
  return XXH3_64bits(words, sizeof words);
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

/// What the claim of the first record denies.
bool contradicts(const access_record& claimed, const access_record& other) {
  if (claimed.says == claim::none || (reads(claimed.what) && reads(other.what)))
    return false;
  return claimed.says == claim::no_overlap || claimed.what != window_access::accumulate ||
         other.what != window_access::accumulate;
}

void say(const access_record& claimed, const access_record& other, const int* world) {
  const bool region = claimed.says == claim::no_overlap;
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
      if (a.origin == b.origin || (!first && !contradicts(b, a)) || !at_the_same_time(a, b, nodes))
        continue;
      say(first ? a : b, first ? b : a, world);
      if (++said == most_said)
        return true;
      break; // the next access
    }
  return true;
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

window_log* window_log::make(MPI_Win win, MPI_Comm comm) {
  int wants = checks_claims(), all = 0, *unit = nullptr, present = 0;
  void* const room = wants ? std::calloc(1, sizeof(window_log)) : nullptr;
  wants = room != nullptr;
  if (PMPI_Allreduce(&wants, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all) {
    std::free(room);
    return nullptr;
  }
  auto* const made = new (room) window_log();
  PMPI_Comm_dup(comm, &made->comm_);
  MPI_Comm_rank(comm, &made->rank_);
  MPI_Comm_size(comm, &made->processes_);
  made->world_ = array_of<int>(made->processes_);
  made->units_ = array_of<int>(made->processes_);
  made->nodes_ = array_of<std::uint64_t>(made->processes_);
  made->epochs_ = array_of<lock_epoch>(made->processes_);
  wants = made->world_ && made->units_ && made->nodes_ && made->epochs_ && logs.set(win, made);
  PMPI_Allreduce(&wants, &all, 1, MPI_INT, MPI_MIN, made->comm_);
  if (!all) {
    if (wants)
      logs.remove(win);
    made->release();
    return nullptr;
  }
  const int world = world_rank();
  const std::uint64_t here = node(made->rank_);
  const bool known =
      MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, static_cast<void*>(&unit), &present) == MPI_SUCCESS && present;
  const int own_unit = known ? *unit : 1;
  PMPI_Allgather(&world, 1, MPI_INT, made->world_, 1, MPI_INT, made->comm_);
  PMPI_Allgather(&own_unit, 1, MPI_INT, made->units_, 1, MPI_INT, made->comm_);
  PMPI_Allgather(&here, 1, MPI_UINT64_T, made->nodes_, 1, MPI_UINT64_T, made->comm_);
  for (int t = 0; t < made->processes_; ++t) {
    new (made->epochs_ + t) lock_epoch();
    find_memory(win, t, made->rank_, made->epochs_[t]);
  }
  return made;
}

window_log* window_log::of(MPI_Win win) {
  return logs.of(win);
}

bool window_log::units_differ() const {
  return std::any_of(units_, units_ + processes_, [this](int unit) { return unit != units_[0]; });
}

void window_log::release() {
  budget memory = unlimited();
  for (int t = 0; epochs_ && t < processes_; ++t)
    epochs_[t].runs.release(memory);
  records_.release(memory);
  PMPI_Comm_free(&comm_);
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
  made.origin = rank_;
  made.what = what;
  made.says = by.says;
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

void window_log::note(int target, MPI_Aint from, MPI_Aint to, window_access what) {
  access_record made = blank(target, what, current_claim());
  lock_epoch& epoch = epochs_[target];
  if (made.says == claim::none && epoch.held)
    made = blank(target, what, epoch.by);
  made.from = from;
  made.to = to;
  made.fenced = !epoch.held && !all_locked_ && !started_;
  made.exclusive = epoch.held && epoch.exclusive;
  made.begun = now();
  if (records_.size) { // places of one call, and loops over neighbors
    access_record& last = records_.back();
    if (last.ended == 0 && last.to == from && last.target == target && last.what == what &&
        last.says == made.says && std::strcmp(last.where, made.where) == 0) {
      last.to = to;
      return;
    }
  }
  push(made);
}

void window_log::copy(int target, MPI_Aint from, MPI_Aint to, window_access what) {
  const locked one(*this);
  if (target >= 0 && target < processes_ && from < to)
    note(target, from, to, what);
}

void window_log::operation(int target, MPI_Aint disp, MPI_Count count, MPI_Datatype type,
                           window_access what) {
  if (target < 0 || target >= processes_ || count <= 0)
    return;
  const MPI_Aint at = disp * units_[target];
  type_map map = map_of(count, type);
  const locked one(*this);
  lost_ |= !map.known;
  if (map.known && !map.mask) {
    note(target, at + map.low, at + map.low + map.bytes, what);
    return;
  }
  for (MPI_Aint from = 0, to = 0; map.known && from < map.bytes; from = to) {
    for (to = from; to < map.bytes && map.has(to) == map.has(from);)
      ++to;
    if (map.has(from))
      note(target, at + map.low + from, at + map.low + to, what);
  }
  map.release();
}

void window_log::lock(int target, bool exclusive, const claim& by) {
  if (target < 0 || target >= processes_)
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
  return processes_ > 1 && target >= 0 && target < processes_ && epochs_[target].held &&
         epochs_[target].by.says != claim::none;
}

void window_log::loads_and_stores_end(int target) {
  const locked one(*this);
  if (target < 0 || target >= processes_ || !epochs_[target].held || !epochs_[target].base)
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
  if (target >= 0 && target < processes_)
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
  int here[2] = {says, !says}, anywhere[2] = {0, 0};
  PMPI_Allreduce(here, anywhere, 2, MPI_INT, MPI_MAX, comm_);
  if (says && anywhere[1])
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: another process of the window comes to this fence outside of the region, "
        "but the pragma says collective [TACIT-155]\n",
        world_[rank_], by.file ? by.file : "?", by.line);
}

void window_log::compare() {
  const auto processes = static_cast<std::size_t>(processes_);
  std::sort(records_.data, records_.data + records_.size,
            [](const access_record& a, const access_record& b) { return a.target < b.target; });
  // Nothing is claimed mostly.
  int claims = std::any_of(records_.data, records_.data + records_.size,
                           [](const access_record& r) { return r.says != claim::none; }),
      any = 0;
  PMPI_Allreduce(&claims, &any, 1, MPI_INT, MPI_MAX, comm_);
  int* const counts = array_of<int>(4 * processes_);
  int enough = counts != nullptr, all = 0;
  PMPI_Allreduce(&enough, &all, 1, MPI_INT, MPI_MIN, comm_);
  if (any && all) {
    int *const sent = counts, *const from = counts + processes, *const got = counts + 2 * processes,
               *const to = counts + 3 * processes;
    constexpr int bytes = static_cast<int>(sizeof(access_record));
    for (std::size_t i = 0; i < records_.size; ++i)
      sent[records_.data[i].target] += bytes;
    PMPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm_);
    long total = 0;
    for (std::size_t p = 0; p < processes; ++p) {
      from[p] = p ? from[p - 1] + sent[p - 1] : 0;
      to[p] = static_cast<int>(total);
      total += got[p];
    }
    auto* const arrived =
        static_cast<access_record*>(std::malloc(static_cast<std::size_t>(std::max(total, 1L))));
    enough = arrived && total <= INT_MAX;
    PMPI_Allreduce(&enough, &all, 1, MPI_INT, MPI_MIN, comm_);
    if (all) {
      PMPI_Alltoallv(records_.data, sent, from, MPI_BYTE, arrived, got, to, MPI_BYTE, comm_);
      lost_ |= !compare_all(arrived, static_cast<std::size_t>(total) / sizeof(access_record), world_, nodes_);
    }
    std::free(arrived);
  }
  lost_ |= any && !all;
  std::free(counts);
  if (lost_)
    std::fprintf(stderr,
                 "tacit: rank %d: not all accesses of a window could be compared: too many, or of "
                 "datatypes that span too much [TACIT-150]\n",
                 world_[rank_]);
  lost_ = false;
  records_.size = 0;
}

} // namespace tacit::compiler
