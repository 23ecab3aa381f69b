#include "compiler/coalesce/exchange.h"

#include "compiler/coalesce/packed_batch.h"

#include <algorithm>

namespace tacit::compiler {

/// What the processes of a window have agreed on.
struct exchange_ground {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, processes = 0;
  char* base = nullptr;          ///< of this process's memory
  MPI_Aint* bytes = nullptr;     ///< of each process's
  growable<char>* out = nullptr; ///< for each process
  growable<char> in;
  struct notice {
    std::uint64_t bytes;
    std::uint64_t quiet; ///< nothing of MPI is under way
  };
  notice *told = nullptr, *heard = nullptr; ///< one for each process
  MPI_Request* requests = nullptr;          ///< two for each process
};

namespace {

template <typename T>
T* array_of(int count) {
  return static_cast<T*>(std::calloc(static_cast<std::size_t>(count), sizeof(T)));
}

template <typename T>
T* attribute_of(MPI_Win win, int key) {
  T* value = nullptr;
  int present = 0;
  return MPI_Win_get_attr(win, key, static_cast<void*>(&value), &present) == MPI_SUCCESS && present ? value
                                                                                                    : nullptr;
}

/// All processes of the window are of this MPI_COMM_WORLD, so that they can make a communicator.
bool is_of_this_world(MPI_Group group, int processes) {
  int *const ranks = array_of<int>(processes), *const there = array_of<int>(processes);
  MPI_Group world;
  bool all = ranks && there && MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS;
  if (all) {
    for (int i = 0; i < processes; ++i)
      ranks[i] = i;
    all = MPI_Group_translate_ranks(group, processes, ranks, world, there) == MPI_SUCCESS &&
          std::find(there, there + processes, MPI_UNDEFINED) == there + processes;
    MPI_Group_free(&world);
  }
  std::free(ranks);
  std::free(there);
  return all;
}

MPI_Comm make_communicator(MPI_Win win, int processes) {
  constexpr int tag = 0x7ac1;
  MPI_Group group;
  MPI_Comm made = MPI_COMM_NULL;
  if (MPI_Win_get_group(win, &group) != MPI_SUCCESS)
    return made;
  if (is_of_this_world(group, processes) &&
      MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made) != MPI_SUCCESS)
    made = MPI_COMM_NULL;
  MPI_Group_free(&group);
  return made;
}

bool has_room(exchange_ground& g) {
  const int n = g.processes;
  g.bytes = array_of<MPI_Aint>(n);
  g.out = array_of<growable<char>>(n);
  g.told = array_of<exchange_ground::notice>(n);
  g.heard = array_of<exchange_ground::notice>(n);
  g.requests = array_of<MPI_Request>(2 * n);
  return g.bytes && g.out && g.told && g.heard && g.requests;
}

/// The target stores into its memory itself, which must not be a device's.
bool is_willing(MPI_Win win, const window_store& store) {
  const int* const model = attribute_of<int>(win, MPI_WIN_MODEL);
  return store.collects && model && *model == MPI_WIN_UNIFIED && !tacit_uses_devices();
}

/// Units and sizes of all; false if the units are not one.
bool exchange_sizes(exchange_ground& g, MPI_Win win, MPI_Aint unit) {
  const auto* const bytes = attribute_of<MPI_Aint>(win, MPI_WIN_SIZE);
  MPI_Aint own = bytes ? *bytes : 0;
  MPI_Aint limits[2] = {unit, -unit}, all[2] = {0, 0};
  return MPI_Allgather(&own, 1, MPI_AINT, g.bytes, 1, MPI_AINT, g.comm) == MPI_SUCCESS &&
         MPI_Allreduce(limits, all, 2, MPI_AINT, MPI_MIN, g.comm) == MPI_SUCCESS && all[0] == -all[1];
}

/// Collective. Null, everywhere, where fences stay what they are.
exchange_ground* agree(MPI_Win win, const window_store& store) {
  const MPI_Comm comm = make_communicator(win, store.processes);
  if (comm == MPI_COMM_NULL)
    return nullptr;
  auto* const made = static_cast<exchange_ground*>(std::calloc(1, sizeof(exchange_ground)));
  if (made) {
    made->comm = comm;
    made->processes = store.processes;
    made->base = attribute_of<char>(win, MPI_WIN_BASE);
  }
  int willing = made && is_willing(win, store) && has_room(*made), all = 0;
  MPI_Allreduce(&willing, &all, 1, MPI_INT, MPI_MIN, comm);
  if (all && exchange_sizes(*made, win, store.unit)) {
    MPI_Comm_rank(comm, &made->rank);
    return made;
  }
  if (made)
    release_ground(made);
  else {
    MPI_Comm mine = comm;
    MPI_Comm_free(&mine);
  }
  return nullptr;
}

/// One fence of one process.
class fence {
public:
  fence(tacit_coalesce& region, region_window* window, window_store& store, MPI_Win win)
      : region_(region), window_(window), store_(store), ground_(*store.ground), win_(win) {}

  int pass(int assertion) {
    pack_waiting();
    if (!tell())
      note(MPI_Win_fence(0, win_));
    deliver();
    // Nothing of MPI has been under way since the last fence, or since the one above.
    if (assertion & MPI_MODE_NOSUCCEED)
      assertion |= MPI_MODE_NOPRECEDE;
    note(MPI_Win_fence(assertion & ~MPI_MODE_NOSTORE, win_));
    return error_;
  }

private:
  void note(int error) { error_ = error_ != MPI_SUCCESS ? error_ : error; }

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
    if (is_packable(b) && b.end() <= ground_.bytes[target] && pack(ground_.out[target], b))
      b.clear();
    else
      note(region_.send_batch(*window_, target, b));
  }

  /// True if all processes are quiet.
  bool tell() {
    constexpr int words = sizeof(exchange_ground::notice) / sizeof(std::uint64_t);
    for (int p = 0; p < ground_.processes; ++p)
      ground_.told[p] = {ground_.out[p].size, store_.quiet};
    note(MPI_Alltoall(ground_.told, words, MPI_UINT64_T, ground_.heard, words, MPI_UINT64_T, ground_.comm));
    return std::all_of(ground_.heard, ground_.heard + ground_.processes,
                       [](const exchange_ground::notice& n) { return n.quiet != 0; });
  }

  /// What comes is carried out in an order of its own, so that rounding is the same in each run.
  void deliver() {
    if (!make_room())
      return;
    int posted = 0;
    std::size_t at = 0;
    for (int i = 1; i < ground_.processes; ++i)
      if (const std::size_t bytes = ground_.heard[from(i)].bytes) {
        note(MPI_Irecv(ground_.in.data + at, words_of(bytes), MPI_UINT64_T, from(i), 0, ground_.comm,
                       ground_.requests + posted++));
        at += bytes;
      }
    const int received = posted;
    for (int i = 1; i < ground_.processes; ++i) {
      const int to = (ground_.rank + i) % ground_.processes;
      if (const growable<char>& out = ground_.out[to]; out.size != 0)
        note(MPI_Isend(out.data, words_of(out.size), MPI_UINT64_T, to, 0, ground_.comm,
                       ground_.requests + posted++));
    }
    carry_out(ground_.out[ground_.rank].data, ground_.out[ground_.rank].size, ground_.base);
    carry_out_arriving();
    note(MPI_Waitall(posted - received, ground_.requests + received, MPI_STATUSES_IGNORE));
    for (int p = 0; p < ground_.processes; ++p)
      ground_.out[p].size = 0;
  }

  void carry_out_arriving() {
    int taken = 0;
    std::size_t at = 0;
    for (int i = 1; i < ground_.processes; ++i)
      if (const std::size_t bytes = ground_.heard[from(i)].bytes) {
        note(MPI_Wait(ground_.requests + taken++, MPI_STATUS_IGNORE));
        carry_out(ground_.in.data + at, bytes, ground_.base);
        at += bytes;
      }
  }

  bool make_room() {
    std::size_t all = 0;
    for (int p = 0; p < ground_.processes; ++p)
      all += p == ground_.rank ? 0 : ground_.heard[p].bytes;
    budget unlimited(SIZE_MAX / 2);
    ground_.in.size = 0;
    if (ground_.in.make_room(unlimited, all))
      return true;
    MPI_Win_call_errhandler(win_, MPI_ERR_NO_MEM);
    note(MPI_ERR_NO_MEM);
    return false;
  }

  int from(int distance) const { return (ground_.rank + ground_.processes - distance) % ground_.processes; }
  /// Records are words of 8 bytes.
  static int words_of(std::size_t bytes) { return static_cast<int>(bytes / sizeof(std::uint64_t)); }

  tacit_coalesce& region_;
  region_window* const window_;
  window_store& store_;
  exchange_ground& ground_;
  const MPI_Win win_;
  int error_ = MPI_SUCCESS;
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
exchange_ground* ground_of(MPI_Win win, window_store& store) {
  if (units_differ) // compiled to check, where the promise may be false
    return nullptr;
  if (!store.asked)
    store.ground = agree(win, store);
  store.asked = true;
  return store.ground;
}

} // namespace

int collective_fence(tacit_coalesce& region, int assertion, MPI_Win win) {
  const fence_claimed here(region);
  window_store* const store = store_of(win);
  if (!store) {
    MPI_Win_call_errhandler(win, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
  region_window* const window = region.collects ? region.window(win) : nullptr;
  chunk* const left = take_left(*store, TACIT_ALL_TARGETS);
  int error = MPI_SUCCESS;
  const bool precedes =
      !(assertion & MPI_MODE_NOPRECEDE); // else every process says that there is nothing to complete
  if (precedes && ground_of(win, *store)) {
    error = fence(region, window, *store, win).pass(assertion);
  } else {
    error = window ? region.send(*window, TACIT_ALL_TARGETS) : error;
    error = first_of(error, MPI_Win_fence(assertion, win));
  }
  if (error == MPI_SUCCESS) { // else MPI may still read them
    free_chunks(left, nullptr);
    if (window)
      region.completed(*window, TACIT_ALL_TARGETS);
    store->quiet = true;
  }
  return error;
}

void release_ground(exchange_ground* ground) {
  if (!ground)
    return;
  budget unlimited(SIZE_MAX / 2);
  for (int p = 0; ground->out && p < ground->processes; ++p)
    ground->out[p].release(unlimited);
  ground->in.release(unlimited);
  std::free(ground->bytes);
  std::free(ground->out);
  std::free(ground->told);
  std::free(ground->heard);
  std::free(ground->requests);
  MPI_Comm_free(&ground->comm);
  std::free(ground);
}

} // namespace tacit::compiler
