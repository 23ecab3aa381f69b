#include "compiler/coalesce/exchange.h"

#include "compiler/coalesce/packed_messages.h"

#include <algorithm>

namespace tacit::compiler {

/// What the processes of a window have agreed on.
struct exchange_ground {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, processes = 0;
  char* base = nullptr;                     ///< of this process's memory
  MPI_Aint* bytes = nullptr;                ///< of each process's
  notice *told = nullptr, *heard = nullptr; ///< one for each process
  packed_messages messages;
};

namespace {

template <typename T>
T* attribute_of(MPI_Win win, int key) {
  T* value = nullptr;
  int present = 0;
  return MPI_Win_get_attr(win, key, static_cast<void*>(&value), &present) == MPI_SUCCESS && present ? value
                                                                                                    : nullptr;
}

/// All processes of the window are of this MPI_COMM_WORLD, so that they can make a communicator. The answer is the same on all of
/// them, also without memory for their ranks.
bool is_of_this_world(MPI_Group group, int processes) {
  MPI_Group world;
  if (MPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
    return false;
  bool all = true;
  for (int i = 0, there = 0; all && i < processes; ++i)
    all = MPI_Group_translate_ranks(group, 1, &i, world, &there) == MPI_SUCCESS && there != MPI_UNDEFINED;
  MPI_Group_free(&world);
  return all;
}

/// Its errors come back: they are raised on the window. Collective.
MPI_Comm make_communicator(MPI_Win win) {
  constexpr int tag = 0x7ac1;
  MPI_Group group;
  MPI_Comm made = MPI_COMM_NULL;
  if (MPI_Win_get_group(win, &group) != MPI_SUCCESS)
    return made;
  int processes = 0;
  MPI_Group_size(group, &processes);
  if (is_of_this_world(group, processes) &&
      MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made) != MPI_SUCCESS)
    made = MPI_COMM_NULL;
  MPI_Group_free(&group);
  if (made != MPI_COMM_NULL)
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

bool has_room(exchange_ground& g) {
  g.bytes = array_of<MPI_Aint>(g.processes);
  g.told = array_of<notice>(g.processes);
  g.heard = array_of<notice>(g.processes);
  return g.messages.make_room(g.processes) && g.bytes && g.told && g.heard;
}

/// The target stores into its memory itself, which must not be a device's.
bool is_willing(MPI_Win win, const window_store& store) {
  const int* const model = attribute_of<int>(win, MPI_WIN_MODEL);
  return store.collects && model && *model == MPI_WIN_UNIFIED && !tacit_uses_devices();
}

/// Sizes of all; false, everywhere, if the units are not one.
bool exchange_sizes(exchange_ground& g, MPI_Win win, MPI_Aint unit) {
  const auto* const bytes = attribute_of<MPI_Aint>(win, MPI_WIN_SIZE);
  const MPI_Aint own = bytes ? *bytes : 0;
  const bool known = MPI_Allgather(&own, 1, MPI_AINT, g.bytes, 1, MPI_AINT, g.comm) == MPI_SUCCESS;
  const MPI_Aint limits[3] = {unit, -unit, known};
  MPI_Aint all[3] = {0, 0, 0};
  return MPI_Allreduce(limits, all, 3, MPI_AINT, MPI_MIN, g.comm) == MPI_SUCCESS && all[0] == -all[1] &&
         all[2];
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
enum answer { again, never, always };

answer agree(answer own, MPI_Comm comm) {
  int mine = own, all = never;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
  return static_cast<answer>(all);
}

/// Collective, for who has no store, too. Fences stay what they are unless all processes have a ground.
void find_ground(MPI_Win win, window_store* store) {
  MPI_Comm comm = make_communicator(win);
  if (comm == MPI_COMM_NULL) {
    if (store)
      store->asked = true;
    return;
  }
  exchange_ground* const made = store ? prepare(win, *store, comm) : nullptr;
  const bool can = made && is_willing(win, *store) && has_room(*made);
  answer all = agree(!store ? again : can ? always : never, comm);
  if (all == always && !exchange_sizes(*made, win, store->unit))
    all = never;
  if (store) {
    store->asked = all != again;
    store->ground = all == always ? made : nullptr;
  }
  if (all == always)
    return;
  if (made)
    release_ground(made);
  else
    MPI_Comm_free(&comm);
}

/// One fence of one process.
class fence {
public:
  fence(tacit_coalesce& region, region_window* window, window_store& store, MPI_Win win)
      : region_(region), window_(window), store_(store), ground_(*store.ground), win_(win) {}

  int pass(int assertion) {
    pack_waiting();
    const under_way busy = tell();
    if (busy == under_way::anything)
      note(MPI_Win_fence(0, win_));
    note_own(ground_.messages.exchange(ground_.comm, ground_.rank, ground_.heard, ground_.base));
    // Nothing of MPI has been under way since the last fence, or since the one above.
    if (busy != under_way::gets && (assertion & MPI_MODE_NOSUCCEED))
      assertion |= MPI_MODE_NOPRECEDE;
    note(MPI_Win_fence(assertion & ~MPI_MODE_NOSTORE, win_));
    if (own_error_ != MPI_SUCCESS)
      MPI_Win_call_errhandler(win_, own_error_);
    return first_of(error_, own_error_);
  }

private:
  void note(int error) { error_ = first_of(error_, error); }
  /// Of calls that the window's error handler has not seen.
  void note_own(int error) { own_error_ = first_of(own_error_, error); }

  void pack_waiting() {
    if (!window_)
      return;
    for (std::size_t i = 0; i < window_->waiting.size; ++i) {
      const int target = window_->waiting.data[i];
      region_target& to = window_->targets[target];
      to.waits = false;
      for (batch* b = to.first; b; b = b->next)
        if (!b->empty())
          pack_batch(target, *b);
    }
    window_->waiting.size = 0;
  }

  void pack_batch(int target, batch& b) {
    if (is_packable(b) && b.end() <= ground_.bytes[target] && ground_.messages.pack(target, b))
      b.clear();
    else
      note(region_.send_batch(*window_, target, b));
  }

  /// What is under way of all processes. Without an answer nobody's messages come.
  under_way tell() {
    constexpr int words = sizeof(notice) / sizeof(std::uint64_t);
    for (int p = 0; p < ground_.processes; ++p)
      ground_.told[p] = {ground_.messages.bytes(p), ground_.messages.parts(p), store_.busy};
    const int error =
        MPI_Alltoall(ground_.told, words, MPI_UINT64_T, ground_.heard, words, MPI_UINT64_T, ground_.comm);
    note_own(error);
    if (error != MPI_SUCCESS) {
      ground_.messages.forget();
      std::fill_n(ground_.heard, ground_.processes, notice{0, 0, under_way::anything});
    }
    under_way all = under_way::nothing;
    for (int p = 0; p < ground_.processes; ++p)
      all = std::min(all, ground_.heard[p].busy);
    return all;
  }

  tacit_coalesce& region_;
  region_window* const window_;
  window_store& store_;
  exchange_ground& ground_;
  const MPI_Win win_;
  int error_ = MPI_SUCCESS, own_error_ = MPI_SUCCESS;
};

/// The window's log compares it with what other processes say (window_calls.cpp).
class fence_claimed {
public:
  explicit fence_claimed(const tacit_coalesce& region) {
    claim_of_fence() = {claim::collective, region.file, region.line};
  }
  ~fence_claimed() { claim_of_fence() = {}; }
  fence_claimed(const fence_claimed&) = delete;
  fence_claimed& operator=(const fence_claimed&) = delete;
};

/// Null: fences stay what they are. Collective.
exchange_ground* ground_of(MPI_Win win, window_store* store) {
  if (units_differ) // compiled to check, where the promise may be false
    return nullptr;
  if (!store || !store->asked)
    find_ground(win, store);
  return store ? store->ground : nullptr;
}

} // namespace

int collective_fence(tacit_coalesce& region, int assertion, MPI_Win win) {
  const fence_claimed here(region);
  window_store* const store = store_of(win);
  // Else every process says that there is nothing to complete.
  const bool together = !(assertion & MPI_MODE_NOPRECEDE) && ground_of(win, store);
  if (!store) // nor has the region collected anything
    return MPI_Win_fence(assertion, win);
  region_window* const window = region.collects ? region.window(win) : nullptr;
  chunk* const left = take_left(*store, TACIT_ALL_TARGETS);
  int error = MPI_SUCCESS;
  if (together) {
    error = fence(region, window, *store, win).pass(assertion);
  } else {
    error = window ? region.send(*window, TACIT_ALL_TARGETS) : error;
    error = first_of(error, MPI_Win_fence(assertion, win));
  }
  if (error == MPI_SUCCESS) { // else MPI may still read them
    free_chunks(left, nullptr);
    if (window)
      region.completed(*window, TACIT_ALL_TARGETS);
    store->busy = under_way::nothing;
  }
  return error;
}

void release_ground(exchange_ground* ground) {
  if (!ground)
    return;
  ground->messages.release();
  std::free(ground->bytes);
  std::free(ground->told);
  std::free(ground->heard);
  MPI_Comm_free(&ground->comm);
  std::free(ground);
}

} // namespace tacit::compiler
