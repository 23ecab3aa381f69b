// The C interface: arguments in, pieces out.
#include "compiler/coalesce/exchange.h"
#include "compiler/coalesce/largest_piece.h"
#include "compiler/coalesce/region.h"
#include "compiler/coalesce/type_map.h"
#include "compiler/hooks/settings.h"

#include <climits>
#include <cstdio>
#include <new>

using namespace tacit::compiler;

namespace {

/// Much is combined only if much is collected: searching a graph of 2^16 vertices, 65536 was 2.3 times as fast as 4096.
constexpr std::size_t usual_factor = 65536;
constexpr std::size_t usual_memory = std::size_t{16} << 20;

int regions_begun = 0;

/// For begin without memory. All processes come to fences of the second, as without it.
tacit_coalesce idle_region(0), idle_collective_region(0, TACIT_COALESCE_COLLECTIVE);

class entered {
public:
  explicit entered(tacit_coalesce* region)
      : locks_(region->flags & TACIT_COALESCE_THREADS ? region : nullptr), checks_(region->checks) {
    if (locks_)
      pthread_mutex_lock(&locks_->one_at_a_time);
    if (checks_) {
      outer_ = current_claim();
      current_claim() = {claim::no_overlap, region->file, region->line, region->number};
    }
  }
  ~entered() {
    if (checks_)
      current_claim() = outer_;
    if (locks_)
      pthread_mutex_unlock(&locks_->one_at_a_time);
  }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

private:
  tacit_coalesce* const locks_;
  const bool checks_;
  claim outer_{};
};

/// Remembers answers of element_of that named a predefined type: those are never freed, so that they cannot get stale.
element_type element_for(MPI_Datatype type) {
  struct answer {
    MPI_Datatype type;
    element_type element;
  };
  static thread_local answer answers[4]; // windows of programs have few types
  static thread_local unsigned next;
  for (const answer& a : answers)
    if (a.element.predefined && a.type == type)
      return a.element;
  const element_type found = element_of(type);
  if (found.predefined)
    answers[next++ % 4] = {type, found};
  return found;
}

/// What an operation of the program names at its target.
struct target_buffer {
  int target;
  MPI_Aint disp;
  long long count;
  MPI_Datatype type;
  MPI_Win win;
};

enum class whose { collected, mpi, nobody };

/// What to do with an operation; the piece is filled for `collected`, and for `mpi` if its bytes there are known (`solid`).
struct decision {
  whose does = whose::mpi;
  region_window* window = nullptr;
  bool known = false;
  piece p{0, 0, nullptr, nullptr};
};

/// Sums of 8 and 16 bits stay one by one: Open MPI 4.1 adds runs of them with instructions that saturate, and single ones not.
bool saturates(MPI_Op op, MPI_Datatype type) {
  return op == MPI_SUM && element_for(type).extent <= 2;
}

bool is_collected_op(MPI_Op op, MPI_Datatype type, bool fetches) {
  if (saturates(op, type))
    return false;
  const MPI_Op with_values[] = {MPI_SUM,  MPI_PROD, MPI_MIN,  MPI_MAX,    MPI_BAND,   MPI_BOR,    MPI_BXOR,
                                MPI_LAND, MPI_LOR,  MPI_LXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};
  for (const MPI_Op known : with_values)
    if (op == known)
      return true;
  return fetches && op == MPI_NO_OP;
}

/// `like`: the counts and types at the origin are the same. `read`, `written`: buffers of the program, or null. What may be in the
/// memory of a device is not collected: neither can we copy it, nor does MPI expect both kinds of memory in one datatype.
decision decide(tacit_coalesce* region, const target_buffer& at, bool like, const void* read,
                const void* written) {
  decision d;
  if (at.target == MPI_PROC_NULL || !region->collects)
    return d;
  d.window = region->window(at.win);
  if (!d.window)
    return d;
  const window_store& store = *d.window->store;
  if (at.target < 0 || at.target >= store.processes) {
    d.window = nullptr;
    return d;
  }
  const element_type element = element_for(at.type);
  if (!element.predefined || !store.collects || at.count <= 0 || at.disp < 0)
    return d;
  const auto bytes = static_cast<unsigned long long>(at.count) * element.extent;
  d.known = bytes <= UINT32_MAX;
  d.p.offset = at.disp * store.unit;
  d.p.bytes = static_cast<std::uint32_t>(bytes);
  if (like && bytes <= largest_piece && (!read || region->is_hosts(read)) &&
      (!written || region->is_hosts(written)))
    d.does = whose::collected;
  return d;
}

/// What only MPI knows of a datatype of the program.
void note_places(claims& claimed, MPI_Aint unit, const target_buffer& at) {
  type_map map = map_of(at.count, at.type);
  each_run(map, [&](MPI_Aint from, MPI_Aint to) {
    claimed.note(at.target, at.disp * unit + from, at.disp * unit + to);
  });
  map.release();
}

/// In front of an operation that is MPI's own.
int clear_the_way(tacit_coalesce* region, const decision& d, const target_buffer& at) {
  if (!d.window) {
    if (region->is_collective() && at.target != MPI_PROC_NULL)
      if (window_store* const store = store_of(at.win))
        store->busy = under_way::anything;
    return MPI_SUCCESS;
  }
  if (region->checks && d.known)
    d.window->claimed.note(at.target, d.p.offset, d.p.end());
  else if (region->checks)
    note_places(d.window->claimed, d.window->store->unit, at);
  d.window->store->busy = under_way::anything;
  return region->send_touching(*d.window, at.target, d.known ? &d.p : nullptr);
}

int put(tacit_coalesce* region, const void* origin, bool like, const target_buffer& at, bool& done) {
  decision d = decide(region, at, like && element_for(at.type).solid, origin, nullptr);
  done = d.does == whose::collected;
  if (!done)
    return clear_the_way(region, d, at);
  d.p.data = static_cast<const char*>(origin);
  return region->collect(*d.window, at.target, {operation::put, MPI_REPLACE, MPI_BYTE}, d.p);
}

int get(tacit_coalesce* region, void* origin, bool like, const target_buffer& at, bool& done) {
  decision d = decide(region, at, like && element_for(at.type).solid, nullptr, origin);
  done = d.does == whose::collected;
  if (!done)
    return clear_the_way(region, d, at);
  d.p.result = static_cast<char*>(origin);
  return region->collect(*d.window, at.target, {operation::get, MPI_NO_OP, MPI_BYTE}, d.p);
}

int accumulate(tacit_coalesce* region, const void* origin, bool like, const target_buffer& at, MPI_Op op,
               bool& done) {
  decision d = decide(region, at, like && is_collected_op(op, at.type, false), origin, nullptr);
  done = d.does == whose::collected;
  if (!done)
    return clear_the_way(region, d, at);
  d.p.data = static_cast<const char*>(origin);
  return region->collect(*d.window, at.target, {operation::accumulate, op, at.type}, d.p);
}

int get_accumulate(tacit_coalesce* region, const void* origin, void* result, bool like,
                   const target_buffer& at, MPI_Op op, bool& done) {
  const void* const read = op == MPI_NO_OP ? nullptr : origin;
  decision d = decide(region, at, like && is_collected_op(op, at.type, true), read, result);
  done = d.does == whose::collected;
  if (!done)
    return clear_the_way(region, d, at);
  d.p.data = static_cast<const char*>(read);
  d.p.result = static_cast<char*>(result);
  return region->collect(*d.window, at.target, {operation::get_accumulate, op, at.type}, d.p);
}

/// Sends, lets MPI synchronize, takes the memory back.
template <typename F>
int synchronize(tacit_coalesce* region, int target, MPI_Win win, F call) {
  region_window* const window = region->collects ? region->window(win) : nullptr;
  if (!window)
    return call();
  const int sent = region->send(*window, target);
  chunk* const left = take_left(*window->store, target);
  const int error = call();
  if (error == MPI_SUCCESS) { // else MPI may still read them
    free_chunks(left, nullptr);
    region->completed(*window, target);
  }
  return first_of(sent, error);
}

/// What is known of epochs of passive target, for reclaiming memory.
void set_passive(tacit_coalesce* region, int target, MPI_Win win, bool passive) {
  region_window* const window = region->collects ? region->window(win) : nullptr;
  if (!window)
    return;
  if (target == TACIT_ALL_TARGETS)
    window->all_passive = passive;
  else if (target >= 0 && target < window->store->processes)
    window->targets[target].passive = passive;
}

} // namespace

tacit_coalesce* tacit_coalesce_begin(long long factor, long long memory, int flags, const char* file,
                                     int line) {
  const std::size_t limit = memory > 0 ? static_cast<std::size_t>(memory)
                                       : tacit_size_setting("TACIT_COALESCE_MEMORY", usual_memory,
                                                            "a number of bytes, such as 16M");
  void* const room = std::malloc(sizeof(tacit_coalesce));
  if (!room)
    return flags & TACIT_COALESCE_COLLECTIVE ? &idle_collective_region : &idle_region;
  auto* const region = new (room) tacit_coalesce(limit, flags);
  region->factor = factor > 0 ? static_cast<std::size_t>(factor)
                              : tacit_size_setting("TACIT_COALESCE_FACTOR", usual_factor,
                                                   "a number of elements, such as 4096");
  region->file = file;
  region->line = line;
  region->number = __atomic_add_fetch(&regions_begun, 1, __ATOMIC_RELAXED);
  region->collects = region->factor > 1 && !(flags & TACIT_COALESCE_UNITS_DIFFER);
  region->checks = (flags & TACIT_COALESCE_NO_OVERLAP) && checks_claims();
  if (region->checks)
    say_what_is_seen();
  region->plain = region->collects && !region->checks && !(flags & TACIT_COALESCE_THREADS);
  pthread_mutex_init(&region->one_at_a_time, nullptr);
  return region;
}

int tacit_coalesce_send(tacit_coalesce* region, MPI_Win win, int target) {
  const entered here(region);
  int error = MPI_SUCCESS;
  for (region_window* w = region->windows; w; w = w->next)
    if (w->store && (win == MPI_WIN_NULL || w->win == win)) {
      error = first_of(error, region->send(*w, target));
      w->store->busy = under_way::anything; // what comes may have operations of its own
      if (region->checks && !sees_synchronizations)
        w->claimed.verify(target, region->file, region->line); // or synchronize
    }
  return error;
}

int tacit_coalesce_end(tacit_coalesce** region) {
  tacit_coalesce* const ended = *region;
  *region = nullptr;
  if (!ended || ended == &idle_region || ended == &idle_collective_region)
    return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  {
    const entered here(ended);
    error = ended->end();
  }
  pthread_mutex_destroy(&ended->one_at_a_time);
  std::free(ended);
  return error;
}

void tacit_coalesce_leave(tacit_coalesce** region) {
  const char* const file = *region && (*region)->file ? (*region)->file : "?";
  const int line = *region ? (*region)->line : 0;
  if (const int error = tacit_coalesce_end(region); error != MPI_SUCCESS)
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: the last operations of this region failed with code %d of MPI, which "
        "no call of the program returned [TACIT-152]\n",
        world_rank(), file, line, error);
}

int tacit_put(tacit_coalesce* region, const void* origin, int origin_count, MPI_Datatype origin_type,
              int target, MPI_Aint target_disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = origin_count == target_count && origin_type == target_type;
  const int error = put(region, origin, like, {target, target_disp, target_count, target_type, win}, done);
  return done ? error
              : first_of(error, MPI_Put(origin, origin_count, origin_type, target, target_disp, target_count,
                                        target_type, win));
}

int tacit_get(tacit_coalesce* region, void* origin, int origin_count, MPI_Datatype origin_type, int target,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = origin_count == target_count && origin_type == target_type;
  const int error = get(region, origin, like, {target, target_disp, target_count, target_type, win}, done);
  return done ? error
              : first_of(error, MPI_Get(origin, origin_count, origin_type, target, target_disp, target_count,
                                        target_type, win));
}

int tacit_accumulate_any(tacit_coalesce* region, const void* origin, int origin_count,
                         MPI_Datatype origin_type, int target, MPI_Aint target_disp, int target_count,
                         MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  if (region->plain && origin_count == 1 && target_count == 1 && origin_type == target_type &&
      region->combine_again(origin, target_type, target, target_disp, op, win))
    return MPI_SUCCESS;
  const entered here(region);
  bool done;
  const bool like = origin_count == target_count && origin_type == target_type;
  const int error =
      accumulate(region, origin, like, {target, target_disp, target_count, target_type, win}, op, done);
  return done ? error
              : first_of(error, MPI_Accumulate(origin, origin_count, origin_type, target, target_disp,
                                               target_count, target_type, op, win));
}

int tacit_get_accumulate(tacit_coalesce* region, const void* origin, int origin_count,
                         MPI_Datatype origin_type, void* result, int result_count, MPI_Datatype result_type,
                         int target, MPI_Aint target_disp, int target_count, MPI_Datatype target_type,
                         MPI_Op op, MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = result_count == target_count && result_type == target_type &&
                    (op == MPI_NO_OP || (origin_count == target_count && origin_type == target_type));
  const int error = get_accumulate(region, origin, result, like,
                                   {target, target_disp, target_count, target_type, win}, op, done);
  return done ? error
              : first_of(error, MPI_Get_accumulate(origin, origin_count, origin_type, result, result_count,
                                                   result_type, target, target_disp, target_count,
                                                   target_type, op, win));
}

int tacit_fetch_and_op(tacit_coalesce* region, const void* origin, void* result, MPI_Datatype datatype,
                       int target, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  const entered here(region);
  bool done;
  const int error =
      get_accumulate(region, origin, result, true, {target, target_disp, 1, datatype, win}, op, done);
  return done ? error
              : first_of(error, MPI_Fetch_and_op(origin, result, datatype, target, target_disp, op, win));
}

int tacit_compare_and_swap(tacit_coalesce* region, const void* origin, const void* compare, void* result,
                           MPI_Datatype datatype, int target, MPI_Aint target_disp, MPI_Win win) {
  const entered here(region);
  const target_buffer at{target, target_disp, 1, datatype, win};
  const int error = clear_the_way(region, decide(region, at, false, nullptr, nullptr), at);
  return first_of(error, MPI_Compare_and_swap(origin, compare, result, datatype, target, target_disp, win));
}

#if MPI_VERSION >= 4
int tacit_put_c(tacit_coalesce* region, const void* origin, MPI_Count origin_count, MPI_Datatype origin_type,
                int target, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_type,
                MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = origin_count == target_count && origin_type == target_type;
  const int error = put(region, origin, like, {target, target_disp, target_count, target_type, win}, done);
  return done ? error
              : first_of(error, MPI_Put_c(origin, origin_count, origin_type, target, target_disp,
                                          target_count, target_type, win));
}

int tacit_get_c(tacit_coalesce* region, void* origin, MPI_Count origin_count, MPI_Datatype origin_type,
                int target, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_type,
                MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = origin_count == target_count && origin_type == target_type;
  const int error = get(region, origin, like, {target, target_disp, target_count, target_type, win}, done);
  return done ? error
              : first_of(error, MPI_Get_c(origin, origin_count, origin_type, target, target_disp,
                                          target_count, target_type, win));
}

int tacit_accumulate_c(tacit_coalesce* region, const void* origin, MPI_Count origin_count,
                       MPI_Datatype origin_type, int target, MPI_Aint target_disp, MPI_Count target_count,
                       MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = origin_count == target_count && origin_type == target_type;
  const int error =
      accumulate(region, origin, like, {target, target_disp, target_count, target_type, win}, op, done);
  return done ? error
              : first_of(error, MPI_Accumulate_c(origin, origin_count, origin_type, target, target_disp,
                                                 target_count, target_type, op, win));
}

int tacit_get_accumulate_c(tacit_coalesce* region, const void* origin, MPI_Count origin_count,
                           MPI_Datatype origin_type, void* result, MPI_Count result_count,
                           MPI_Datatype result_type, int target, MPI_Aint target_disp, MPI_Count target_count,
                           MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  const entered here(region);
  bool done;
  const bool like = result_count == target_count && result_type == target_type &&
                    (op == MPI_NO_OP || (origin_count == target_count && origin_type == target_type));
  const int error = get_accumulate(region, origin, result, like,
                                   {target, target_disp, target_count, target_type, win}, op, done);
  return done ? error
              : first_of(error, MPI_Get_accumulate_c(origin, origin_count, origin_type, result, result_count,
                                                     result_type, target, target_disp, target_count,
                                                     target_type, op, win));
}
#endif

int tacit_win_fence(tacit_coalesce* region, int assertion, MPI_Win win) {
  const entered here(region);
  if (region->is_collective())
    return collective_fence(*region, assertion, win);
  return synchronize(region, TACIT_ALL_TARGETS, win, [&] { return MPI_Win_fence(assertion, win); });
}

int tacit_win_complete(tacit_coalesce* region, MPI_Win win) {
  const entered here(region);
  return synchronize(region, TACIT_ALL_TARGETS, win, [&] { return MPI_Win_complete(win); });
}

int tacit_win_unlock(tacit_coalesce* region, int target, MPI_Win win) {
  const entered here(region);
  set_passive(region, target, win, false);
  return synchronize(region, target, win, [&] { return MPI_Win_unlock(target, win); });
}

int tacit_win_unlock_all(tacit_coalesce* region, MPI_Win win) {
  const entered here(region);
  set_passive(region, TACIT_ALL_TARGETS, win, false);
  return synchronize(region, TACIT_ALL_TARGETS, win, [&] { return MPI_Win_unlock_all(win); });
}

int tacit_win_flush(tacit_coalesce* region, int target, MPI_Win win) {
  const entered here(region);
  return synchronize(region, target, win, [&] { return MPI_Win_flush(target, win); });
}

int tacit_win_flush_all(tacit_coalesce* region, MPI_Win win) {
  const entered here(region);
  return synchronize(region, TACIT_ALL_TARGETS, win, [&] { return MPI_Win_flush_all(win); });
}

int tacit_win_flush_local(tacit_coalesce* region, int target, MPI_Win win) {
  const entered here(region);
  return synchronize(region, target, win, [&] { return MPI_Win_flush_local(target, win); });
}

int tacit_win_flush_local_all(tacit_coalesce* region, MPI_Win win) {
  const entered here(region);
  return synchronize(region, TACIT_ALL_TARGETS, win, [&] { return MPI_Win_flush_local_all(win); });
}

int tacit_win_lock(tacit_coalesce* region, int lock_type, int target, int assertion, MPI_Win win) {
  const entered here(region);
  set_passive(region, target, win, true);
  return MPI_Win_lock(lock_type, target, assertion, win);
}

int tacit_win_lock_all(tacit_coalesce* region, int assertion, MPI_Win win) {
  const entered here(region);
  set_passive(region, TACIT_ALL_TARGETS, win, true);
  return MPI_Win_lock_all(assertion, win);
}
