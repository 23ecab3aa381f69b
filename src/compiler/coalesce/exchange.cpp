#include "compiler/coalesce/exchange.h"

#include "compiler/coalesce/exchange_ground.h"

namespace tacit::compiler {
namespace {

/// One fence of one process.
class fence {
public:
  fence(tacit_coalesce& region, region_window* window, window_store& store, MPI_Win win)
      : region_(region), window_(window), store_(store), ground_(*store.ground), win_(win) {}

  int pass(int assertion) {
    pack_waiting();
    const under_way busy = ground_.messages.begin(ground_.comm, ground_.rank, store_.busy);
    if (busy == under_way::anything)
      note(MPI_Win_fence(0, win_));
    const int own_error = ground_.messages.complete(ground_.base);
    // Nothing of MPI has been under way since the last fence, or since the one above.
    if (busy != under_way::gets && (assertion & MPI_MODE_NOSUCCEED))
      assertion |= MPI_MODE_NOPRECEDE;
    note(MPI_Win_fence(assertion & ~MPI_MODE_NOSTORE, win_));
    if (own_error != MPI_SUCCESS) // which the window's error handler has not seen
      MPI_Win_call_errhandler(win_, own_error);
    return first_of(error_, own_error);
  }

private:
  void note(int error) { error_ = first_of(error_, error); }

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

} // namespace tacit::compiler
