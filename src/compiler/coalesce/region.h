// Regions: which windows they use, what is collected for each target, and what is on its way.
#pragma once

#include "compiler/coalesce/batch.h"
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/message.h"
#include "compiler/coalesce/window_store.h"
#include "compiler/hooks/devices.h"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <pthread.h>
#include <tacit/coalesce.h>

namespace tacit::compiler {

/// What is collected for one process of a window.
struct region_target {
  batch* first = nullptr; ///< one for each operation and datatype seen
  bool waits = false;     ///< it is among `waiting` of the window
  bool passive = false;   ///< in an epoch of passive target, as far as this region has seen
};

struct region_window {
  MPI_Win win = MPI_WIN_NULL;
  window_store* store = nullptr; ///< null: the window was freed
  tacit_coalesce* region = nullptr;
  region_target* targets = nullptr;
  int processes = 0; ///< as the store has it; none after the window was freed
  MPI_Aint unit = 1;
  growable<int> waiting; ///< targets for which something is collected
  chunk* in_flight = nullptr;
  bool all_passive = false; ///< MPI_Win_lock_all, likewise
  claims claimed;           ///< check mode: what was accessed since the last synchronization
  region_window* next_user = nullptr;
  region_window* next = nullptr; ///< of the region
};

/// From MPI_Win_free. What was still collected is lost, which is said.
void window_is_gone(region_window& window);

} // namespace tacit::compiler

struct tacit_coalesce {
  explicit tacit_coalesce(std::size_t limit, int asked = 0) : memory(limit), flags(asked) {
    for (std::uintptr_t& page : host_pages)
      page = UINTPTR_MAX;
  }

  tacit_in_line in_line[TACIT_IN_LINE] = {}; ///< first: programs look there without a call
  tacit::compiler::budget memory;
  std::size_t factor = 1;
  int flags;
  const char* file = nullptr;
  int line = 0;
  int number = 0;        ///< of this process's regions, in the order in which they began
  bool collects = false; ///< else every operation is MPI's own
  bool checks = false;
  bool plain =
      false; ///< neither locks nor checks: combine_again may be tried, and the program may collect in line
  pthread_mutex_t one_at_a_time;
  pthread_t thread = pthread_self();                 ///< that has made it
  tacit::compiler::region_window* windows = nullptr; ///< the last one used first
  static constexpr std::size_t kept_pages = 64;
  std::uintptr_t host_pages[kept_pages]; ///< of buffers, each at its number modulo kept_pages; at first none

  /// Whether the processor may read and write a buffer of the program's. No library of devices may have been loaded; whether one has
  /// is asked for pages that were not seen lately only, because a page stays what it is while its region lasts. Several are kept: a
  /// search adds from two arrays in turns, and asking for each, with one page kept, was half of its instructions.
  bool is_hosts(const void* buffer) {
    constexpr std::uintptr_t page_bytes = 4096;
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(buffer) / page_bytes;
    std::uintptr_t& kept = host_pages[page % kept_pages];
    if (page == kept)
      return true;
    if (tacit_uses_devices())
      return false;
    kept = page;
    return true;
  }

  bool is_collective() const { return flags & TACIT_COALESCE_COLLECTIVE; }

  /// Most operations of programs that gain much: one element more for a place that has a value, in a window and for a target with
  /// one batch only. False, and nothing has happened, in all other cases.
  bool combine_again(const void* value, MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op,
                     MPI_Win win) {
    if (!is_hosts(value))
      return false;
    for (tacit_in_line& at : in_line)
      if (at.win == win && at.op == op && at.type == type) {
        at.page = reinterpret_cast<std::uintptr_t>(value) >> TACIT_PAGE_BITS;
        if (tacit_collect_in_line(&at, value, target, disp))
          return true;
      }
    for (tacit::compiler::region_window* w = windows; w; w = w->next) {
      if (w->win != win)
        continue;
      if (target < 0 || target >= w->processes)
        return false;
      const tacit::compiler::batch* const b = w->targets[target].first;
      return b && !b->next && b->combine && b->key.op == op && b->key.type == type && disp >= 0 &&
             b->lines.combine_again(disp * w->unit, b->element_bytes, value, b->combine);
    }
    return false;
  }
  /// Null: operations on this window are MPI's own.
  tacit::compiler::region_window* window(MPI_Win win);
  /// The batch for the operation, after whatever must come before it was sent; null without memory. Codes of MPI in `error`.
  tacit::compiler::batch* batch_for(tacit::compiler::region_window& window, int target,
                                    const tacit::compiler::batch_key& key, const tacit::compiler::piece& p,
                                    int& error);
  int collect(tacit::compiler::region_window& window, int target, const tacit::compiler::batch_key& key,
              tacit::compiler::piece p);
  /// In front of an operation that is MPI's own: sends what touches the place; null: any place.
  int send_touching(tacit::compiler::region_window& window, int target, const tacit::compiler::piece* p);
  int send(tacit::compiler::region_window& window, int target);
  int send_batch(tacit::compiler::region_window& window, int target, tacit::compiler::batch& b);
  /// After a synchronization of the window that completed what was sent to the target.
  void completed(tacit::compiler::region_window& window, int target);
  /// Programs add nothing for it without a call any more.
  void hide_window(const tacit::compiler::region_window& window);
  int end();

private:
  tacit::compiler::batch* add_batch(tacit::compiler::region_target& to,
                                    const tacit::compiler::batch_key& key);
  void await(tacit::compiler::region_window& window, int target);
  bool reclaim(tacit::compiler::region_window& window, int target);
  int launch(tacit::compiler::region_window& window, int target, char* data, std::size_t counted);
  int send_values(tacit::compiler::region_window& window, int target, tacit::compiler::batch& b);
  int send_listed(tacit::compiler::region_window& window, int target, tacit::compiler::batch& b);
  int send_piece(tacit::compiler::region_window& window, int target, const tacit::compiler::batch_key& key,
                 std::uint32_t element_bytes, const tacit::compiler::piece& p);
  int send_target(tacit::compiler::region_window& window, int target);
  tacit::compiler::region_window* add_window(MPI_Win win);
  tacit_in_line* in_line_of(tacit::compiler::region_window& window, const tacit::compiler::batch& b);
  void show(tacit::compiler::region_window& window, int target, tacit::compiler::batch& b);
  void check_units(tacit::compiler::window_store& store, MPI_Win win) const;
  void release(tacit::compiler::region_window& window);
};

static_assert(offsetof(tacit_coalesce, in_line) == 0);
