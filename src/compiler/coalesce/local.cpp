// Local loads and stores: which memory of a window this process can reach by plain copies, and one-sided operations that use it
// (seed 003, Figure 10).
//
// What can be reached is a property of the window, found out once and kept as an attribute of it, so that it goes with the
// window and handles that MPI gives out again bring nothing stale:
//
//     own memory           if the memory model is unified (else stores and puts go to different copies)
//     others' memory       of a window made by MPI_Win_allocate_shared, likewise, if asked for (TACIT_LOCAL_NODE)
//     anything else        not: MPI_Win_create_dynamic has no one base, and other memory is not mapped
//
// In programs that have loaded a library of devices nothing can be reached: a window, or what is put, may be in a device's memory.
// That is asked with each tacit_local_of, and with each copy that is not one element of this process's own memory.
//
// Why a plain store may stand for MPI_Put: what MPI leaves undefined for a put (a concurrent access to the same bytes) is what
// would be a data race of the store. The store is earlier than the put could be, which no correct program can see. Visibility at
// the end of the epoch needs one memory barrier (tacit_local_sync), as MPI_Win_sync is one in the unified model.
#include <tacit/coalesce.h>

#include "compiler/coalesce/attribute.h"
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/datatypes.h"
#include "compiler/hooks/devices.h"

#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace tacit::compiler {
namespace {

const tacit_local nothing_local{nullptr, 0, 0, 0, MPI_DATATYPE_NULL, 0, -1, 0, nullptr, &nothing_local};

/// One answer of tacit_local_of; a window has a list of them.
struct answer {
  tacit_local local;
  MPI_Datatype asked;
  answer* next;
};

pthread_mutex_t all_answers = PTHREAD_MUTEX_INITIALIZER;

int forget(MPI_Win, int, void* first, void*) {
  for (answer* a = static_cast<answer*>(first); a;) {
    answer* const next = a->next;
    std::free(const_cast<tacit_local_memory*>(a->local.memory));
    std::free(a);
    a = next;
  }
  return MPI_SUCCESS;
}

constinit attribute<on_windows, answer> answers(forget);

/// What MPI itself keeps with a window, or null.
template <typename T>
const T* of_mpi(MPI_Win win, int key) {
  void* value = nullptr;
  int present = 0;
  return MPI_Win_get_attr(win, key, &value, &present) == MPI_SUCCESS && present ? static_cast<const T*>(value)
                                                                                : nullptr;
}

bool is_kind(MPI_Win win, int key, int kind) {
  const int* const value = of_mpi<int>(win, key);
  return value && *value == kind;
}

tacit_local_memory own_memory(MPI_Win win) {
  void* base = nullptr;
  int present = 0;
  const MPI_Aint* const bytes = of_mpi<MPI_Aint>(win, MPI_WIN_SIZE);
  const int* const unit = of_mpi<int>(win, MPI_WIN_DISP_UNIT);
  if (MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &present) != MPI_SUCCESS || !present || !bytes || !unit)
    return {nullptr, 0, 1};
  return {static_cast<char*>(base), *bytes, *unit};
}

tacit_local_memory shared_memory(MPI_Win win, int process) {
  void* base = nullptr;
  MPI_Aint bytes = 0;
  int unit = 1;
  if (MPI_Win_shared_query(win, process, &bytes, &unit, static_cast<void*>(&base)) != MPI_SUCCESS)
    return {nullptr, 0, 1};
  return {static_cast<char*>(base), bytes, unit};
}

void fill(MPI_Win win, int own, tacit_local& local, tacit_local_memory* memory) {
  const bool reachable = local.coherent && !is_kind(win, MPI_WIN_CREATE_FLAVOR, MPI_WIN_FLAVOR_DYNAMIC);
  const bool others =
      (local.flags & TACIT_LOCAL_NODE) && is_kind(win, MPI_WIN_CREATE_FLAVOR, MPI_WIN_FLAVOR_SHARED);
  for (int process = 0; process < local.processes; ++process) {
    memory[process] = {nullptr, 0, 1};
    if (reachable && process == own)
      memory[process] = own_memory(win);
    else if (reachable && others)
      memory[process] = shared_memory(win, process);
  }
  local.memory = memory;
  if (memory[own].base && memory[own].unit == static_cast<MPI_Aint>(local.type_bytes) &&
      local.type != MPI_DATATYPE_NULL) {
    local.own = own;
    local.own_places = static_cast<std::size_t>(memory[own].bytes) / local.type_bytes;
    local.own_base = memory[own].base;
  }
}

answer* make_answer(MPI_Win win, MPI_Datatype type, int flags) {
  MPI_Group group;
  int own = 0, processes = 0;
  if (MPI_Win_get_group(win, &group) != MPI_SUCCESS)
    return nullptr;
  MPI_Group_rank(group, &own);
  MPI_Group_size(group, &processes);
  MPI_Group_free(&group);
  auto* const made = static_cast<answer*>(std::malloc(sizeof(answer)));
  auto* const memory = static_cast<tacit_local_memory*>(
      std::calloc(static_cast<std::size_t>(processes), sizeof(tacit_local_memory)));
  if (!made || !memory) {
    std::free(made);
    std::free(memory);
    return nullptr;
  }
  const element_type element = element_of(type);
  const bool unified = is_kind(win, MPI_WIN_MODEL, MPI_WIN_UNIFIED);
  *made = {{memory, processes, unified, flags, element.solid ? type : MPI_DATATYPE_NULL, element.extent, -1,
            0, nullptr, &made->local},
           type,
           nullptr};
  fill(win, own, made->local, memory);
  return made;
}

/// Under the mutex.
const tacit_local* find_or_make(MPI_Win win, MPI_Datatype type, int flags) {
  answer* const first = answers.of(win);
  for (const answer* a = first; a; a = a->next)
    if (a->local.flags == flags && a->asked == type)
      return &a->local;
  answer* const made = make_answer(win, type, flags);
  if (!made)
    return &nothing_local;
  if (first) { // behind the first, which the attribute names
    made->next = first->next;
    first->next = made;
  } else if (!answers.set(win, made)) {
    forget(win, MPI_KEYVAL_INVALID, made, nullptr);
    return &nothing_local;
  }
  return &made->local;
}

/// Where `count` elements of this type are, if a plain copy can do the operation.
void* place_of(const tacit_local* local, int count, MPI_Datatype type, int other_count,
               MPI_Datatype other_type, int target, MPI_Aint disp, std::size_t& bytes) {
  const bool reachable = target >= 0 && target < local->processes && local->memory[target].base;
  if (!reachable || count != other_count || type != other_type || count < 0)
    return nullptr;
  const element_type element = element_of(type);
  bytes = static_cast<std::size_t>(count) * element.extent;
  void* const place =
      element.solid ? tacit_local_access(local, target, disp, static_cast<MPI_Aint>(bytes)) : nullptr;
  return place && !tacit_uses_devices() ? place : nullptr;
}

void tell(const tacit_local* local, MPI_Win win, int target, MPI_Aint disp, std::size_t bytes, bool stores) {
  if (told_of_copies)
    told_of_copies(win, target, disp * local->memory[target].unit, bytes, stores);
}

} // namespace
} // namespace tacit::compiler

using namespace tacit::compiler;

tacit_local* tacit_local_of(MPI_Win win, MPI_Datatype type, int flags) {
  // It stands before statements that may find out that there is no window.
  if (win == MPI_WIN_NULL || win == MPI_Win{})
    return const_cast<tacit_local*>(&nothing_local);
  pthread_mutex_lock(&all_answers);
  const tacit_local* const found = tacit_uses_devices() ? &nothing_local : find_or_make(win, type, flags);
  pthread_mutex_unlock(&all_answers);
  return const_cast<tacit_local*>(found);
}

int tacit_local_put_any(const tacit_local* local, const void* origin, int origin_count,
                        MPI_Datatype origin_type, int target, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_type, MPI_Win win) {
  std::size_t bytes = 0;
  if (void* const place =
          place_of(local, origin_count, origin_type, target_count, target_type, target, target_disp, bytes)) {
    std::memmove(place, origin, bytes);
    tell(local, win, target, target_disp, bytes, true);
    return MPI_SUCCESS;
  }
  return MPI_Put(origin, origin_count, origin_type, target, target_disp, target_count, target_type, win);
}

int tacit_local_get_any(const tacit_local* local, void* origin, int origin_count, MPI_Datatype origin_type,
                        int target, MPI_Aint target_disp, int target_count, MPI_Datatype target_type,
                        MPI_Win win) {
  std::size_t bytes = 0;
  if (const void* const place =
          place_of(local, origin_count, origin_type, target_count, target_type, target, target_disp, bytes)) {
    std::memmove(origin, place, bytes);
    tell(local, win, target, target_disp, bytes, false);
    return MPI_SUCCESS;
  }
  return MPI_Get(origin, origin_count, origin_type, target, target_disp, target_count, target_type, win);
}
