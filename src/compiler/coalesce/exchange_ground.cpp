// Two things are not as simple as they look.
//
// The communicators of windows whose fences two threads pass at the same time may be made at the same time, and then MPI wants
// different tags, the same on all processes of a window. But nothing names a window alike on all of its processes. So a tag belongs to a
// process of the world, the first one of the window, and that one lets windows go one by one:
//
//     MPI_Win_fence             now all are here, and none of them waits for another window
//     a mutex of the first one
//     MPI_Win_fence             now it is the turn of this window
//     MPI_Comm_create_group
//     MPI_Win_fence             now all have their communicator
//
// Without the first fence the mutex could be held for a process that is in another fence, which waits for the mutex.
//
// What a process answers, its unit and its size go to each other one as messages, one after the other. So who has no memory takes part, and no
// process learns less than another.
#include "compiler/coalesce/exchange_ground.h"

#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/once_more.h"
#include "compiler/hooks/devices.h"

#include <algorithm>
#include <pthread.h>

namespace tacit::compiler {
namespace {

template <typename T>
T* attribute_of(MPI_Win win, int key) {
  T* value = nullptr;
  int present = 0;
  return MPI_Win_get_attr(win, key, static_cast<void*>(&value), &present) == MPI_SUCCESS && present ? value
                                                                                                    : nullptr;
}

/// The processes of a window.
class window_group {
public:
  explicit window_group(MPI_Win win) {
    if (!succeeds_once_more([&] { return MPI_Win_get_group(win, &group_); }))
      return;
    MPI_Group_size(group_, &processes_);
    MPI_Group_rank(group_, &rank_);
  }
  ~window_group() {
    if (group_ != MPI_GROUP_NULL)
      MPI_Group_free(&group_);
  }
  window_group(const window_group&) = delete;
  window_group& operator=(const window_group&) = delete;

  MPI_Group get() const { return group_; }
  bool is_first() const { return rank_ == 0; }
  /// The number of the first one in MPI_COMM_WORLD; negative unless all are of it. The same on all of them, also without memory for their
  /// numbers.
  int first_in_world() const {
    MPI_Group world;
    if (processes_ == 0 || !succeeds_once_more([&] { return MPI_Comm_group(MPI_COMM_WORLD, &world); }))
      return -1;
    int first = -1;
    bool all = true;
    for (int i = processes_ - 1; all && i >= 0; --i)
      all = MPI_Group_translate_ranks(group_, 1, &i, world, &first) == MPI_SUCCESS && first != MPI_UNDEFINED;
    MPI_Group_free(&world);
    return all ? first : -1;
  }

private:
  MPI_Group group_ = MPI_GROUP_NULL;
  int processes_ = 0, rank_ = 0;
};

pthread_mutex_t windows_that_begin_here = PTHREAD_MUTEX_INITIALIZER;

/// Of one window of all that have the same first process. Collective.
class turn {
public:
  turn(MPI_Win win, bool is_first) : win_(win), is_first_(is_first) {
    MPI_Win_fence(0, win_);
    if (is_first_)
      pthread_mutex_lock(&windows_that_begin_here);
    MPI_Win_fence(0, win_);
  }
  ~turn() {
    MPI_Win_fence(0, win_);
    if (is_first_)
      pthread_mutex_unlock(&windows_that_begin_here);
  }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

private:
  const MPI_Win win_;
  const bool is_first_;
};

/// Of the last tags there are, which programs hardly use for groups of their own.
int tag_of(int first_in_world) {
  int* most = nullptr;
  int present = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &present);
  constexpr int promised = 32767; // by the standard
  return (present ? *most : promised) - first_in_world;
}

/// Its errors come back: they are raised on the window. Collective.
MPI_Comm make_communicator(MPI_Win win) {
  const window_group group(win);
  const int first = group.first_in_world();
  if (first < 0)
    return MPI_COMM_NULL;
  const turn here(win, group.is_first());
  const MPI_Comm made = made_once_more([&](MPI_Comm* comm) {
    return MPI_Comm_create_group(MPI_COMM_WORLD, group.get(), tag_of(first), comm);
  });
  if (made != MPI_COMM_NULL)
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

bool has_room(exchange_ground& g) {
  g.bytes = array_of<MPI_Aint>(g.processes);
  return g.messages.make_room(g.processes) && g.bytes;
}

/// The target stores into its memory itself, which must not be a device's.
bool is_willing(MPI_Win win, const window_store& store) {
  const int* const model = attribute_of<int>(win, MPI_WIN_MODEL);
  return store.collects && model && *model == MPI_WIN_UNIFIED && !tacit_uses_devices();
}

/// Null if there is no memory.
exchange_ground* prepare(MPI_Win win, const window_store& store, MPI_Comm comm) {
  auto* const made = static_cast<exchange_ground*>(std::calloc(1, sizeof(exchange_ground)));
  if (!made)
    return nullptr;
  made->comm = comm;
  made->processes = store.processes;
  made->base = attribute_of<char>(win, MPI_WIN_BASE);
  MPI_Comm_rank(comm, &made->rank);
  return made;
}

/// Of several answers the least is that of all. Who has no store cannot keep it: then all ask again.
enum class answer : int { again, never, always };

/// What a process tells each other one.
struct terms {
  answer says;
  MPI_Aint unit, bytes; ///< of its window memory
};

terms terms_of(MPI_Win win, const window_store* store, bool can) {
  const auto* const bytes = attribute_of<MPI_Aint>(win, MPI_WIN_SIZE);
  return {!store ? answer::again
          : can  ? answer::always
                 : answer::never,
          store ? store->unit : 0, bytes ? *bytes : 0};
}

/// Collective: calls f(process, its terms) for each other process. Needs no memory.
template <typename F>
void tell_terms(const terms& own, MPI_Comm comm, F f) {
  int rank = 0, processes = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  for (int distance = 1; distance < processes; ++distance) {
    const int from = (rank + processes - distance) % processes, to = (rank + distance) % processes;
    terms theirs{answer::again, 0, 0};
    MPI_Request come = MPI_REQUEST_NULL, gone = MPI_REQUEST_NULL;
    begun_once_more(come, [&](MPI_Request* request) {
      return MPI_Irecv(&theirs, sizeof theirs, MPI_BYTE, from, 0, comm, request);
    });
    begun_once_more(gone, [&](MPI_Request* request) {
      return MPI_Isend(&own, sizeof own, MPI_BYTE, to, 0, comm, request);
    });
    MPI_Wait(&come, MPI_STATUS_IGNORE);
    MPI_Wait(&gone, MPI_STATUS_IGNORE);
    f(from, theirs);
  }
}

/// Fences stay what they are unless all processes have a ground.
void find_ground(MPI_Win win, window_store* store) {
  MPI_Comm comm = make_communicator(win);
  if (comm == MPI_COMM_NULL) {
    if (store)
      store->asked = true;
    return;
  }
  exchange_ground* const made = store ? prepare(win, *store, comm) : nullptr;
  const bool can = made && is_willing(win, *store) && has_room(*made);
  const terms own = terms_of(win, store, can);
  answer all = own.says;
  if (can)
    made->bytes[made->rank] = own.bytes;
  tell_terms(own, comm, [&](int process, const terms& theirs) {
    all = std::min({all, theirs.says, theirs.unit == own.unit ? answer::always : answer::never});
    if (can)
      made->bytes[process] = theirs.bytes;
  });
  if (store) {
    store->asked = all != answer::again;
    store->ground = all == answer::always ? made : nullptr;
  }
  if (all == answer::always)
    return;
  if (made)
    release_ground(made);
  else
    MPI_Comm_free(&comm);
}

} // namespace

exchange_ground* ground_of(MPI_Win win, window_store* store) {
  if (units_differ) // compiled to check, where the promise may be false
    return nullptr;
  if (!store || !store->asked)
    find_ground(win, store);
  return store ? store->ground : nullptr;
}

void release_ground(exchange_ground* ground) {
  if (!ground)
    return;
  ground->messages.release();
  std::free(ground->bytes);
  MPI_Comm_free(&ground->comm);
  std::free(ground);
}

} // namespace tacit::compiler
