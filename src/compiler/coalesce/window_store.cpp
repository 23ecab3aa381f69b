#include "compiler/coalesce/window_store.h"

#include "compiler/coalesce/attribute.h"
#include "compiler/coalesce/exchange_ground.h"
#include "compiler/coalesce/region.h"

#include <pthread.h>
#include <tacit/coalesce.h>

namespace tacit::compiler {
namespace {

pthread_mutex_t stores = PTHREAD_MUTEX_INITIALIZER;

struct locked {
  locked() { pthread_mutex_lock(&stores); }
  ~locked() { pthread_mutex_unlock(&stores); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;
};

/// MPI_Win_free: all operations are complete. The ground goes outside of the lock, as other processes may be waited for there.
int forget_store(MPI_Win, int, void* value, void*) {
  auto* const store = static_cast<window_store*>(value);
  {
    const locked all;
    for (region_window* user = store->users; user; user = user->next_user)
      window_is_gone(*user);
  }
  free_chunks(store->left, nullptr);
  release_ground(store->ground);
  std::free(store);
  return MPI_SUCCESS;
}

constinit attribute<on_windows, window_store> stores_of_windows(forget_store);

/// And of no other, which may be collecting.
bool is_of_this_thread(const tacit_coalesce& region) {
  return !(region.flags & TACIT_COALESCE_THREADS) && pthread_equal(region.thread, pthread_self());
}

bool is_dynamic(MPI_Win win) {
  int* flavor = nullptr;
  int present = 0;
  return MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, static_cast<void*>(&flavor), &present) != MPI_SUCCESS ||
         !present || *flavor == MPI_WIN_FLAVOR_DYNAMIC;
}

window_store* make_store(MPI_Win win) {
  auto* const store = static_cast<window_store*>(std::calloc(1, sizeof(window_store)));
  MPI_Group group;
  if (!store || MPI_Win_get_group(win, &group) != MPI_SUCCESS) {
    std::free(store);
    return nullptr;
  }
  MPI_Group_size(group, &store->processes);
  MPI_Group_free(&group);
  int* unit = nullptr;
  int present = 0;
  const bool known =
      MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, static_cast<void*>(&unit), &present) == MPI_SUCCESS &&
      present && *unit > 0;
  store->unit = known ? *unit : 1;
  store->collects = known && !is_dynamic(win);
  if (!stores_of_windows.set(win, store)) {
    std::free(store);
    return nullptr;
  }
  return store;
}

} // namespace

window_store* store_of(MPI_Win win) {
  const locked all;
  window_store* const found = stores_of_windows.of(win);
  return found ? found : make_store(win);
}

void synchronized(MPI_Win win, int target) {
  const locked all;
  const window_store* const store = stores_of_windows.of(win);
  for (region_window* user = store ? store->users : nullptr; user; user = user->next_user)
    if (user->region->checks && is_of_this_thread(*user->region))
      user->claimed.verify(target, user->region->file, user->region->line);
}

const tacit_coalesce* region_with_waiting(MPI_Win win, int target) {
  const locked all;
  const window_store* const store = stores_of_windows.of(win);
  for (const region_window* user = store ? store->users : nullptr; user; user = user->next_user) {
    const tacit_coalesce& region = *user->region;
    if (!is_of_this_thread(region))
      continue;
    const bool waits = target == TACIT_ALL_TARGETS
                           ? user->waiting.size > 0
                           : target >= 0 && target < user->processes && user->targets[target].waits;
    if (waits)
      return &region;
  }
  return nullptr;
}

void begin_use(window_store& store, region_window& user) {
  const locked all;
  user.next_user = store.users;
  store.users = &user;
  store.busy = under_way::anything; // what was called before, nobody has seen
}

void end_use(window_store& store, region_window& user) {
  const locked all;
  region_window** at = &store.users;
  while (*at != &user)
    at = &(*at)->next_user;
  *at = user.next_user;
  chunk* left = user.in_flight;
  user.in_flight = nullptr;
  while (left) {
    chunk* const next = left->next;
    left->next = store.left;
    store.left = left;
    left = next;
  }
}

chunk* take_chunks(chunk*& list, int target) {
  chunk* taken = nullptr;
  for (chunk** at = &list; *at;) {
    chunk* const c = *at;
    if (target != TACIT_ALL_TARGETS && c->target != target) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    c->next = taken;
    taken = c;
  }
  return taken;
}

chunk* take_left(window_store& store, int target) {
  const locked all;
  return take_chunks(store.left, target);
}

void free_chunks(chunk* list, budget* memory) {
  while (list) {
    chunk* const next = list->next;
    if (memory)
      memory->give(list->counted);
    std::free(list->data);
    std::free(list);
    list = next;
  }
}

} // namespace tacit::compiler
