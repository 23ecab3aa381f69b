// Collecting and sending (seed 003, Figures 5 and 6).
//
// An operation goes into the batch of its window, target, operator and datatype; what it could not be reordered with, batches of
// other operators that touch the same places, is sent first. A batch is sent
//
//     when it has `factor` elements          when memory is at its limit
//     when an operation must come after it   at the end of an epoch, in front of unsafe statements, at the end of the region
//
// After it was sent its packed bytes belong to MPI until the next synchronization; they count against the limit. At the limit
// operations become MPI's own calls, as the seed has it, but in an epoch of passive target MPI_Win_flush_local gives memory back.
//
// Data of puts and accumulates are copied: packing them is what makes one message of them, and naming them where they are would
// take a second list of blocks (12 B an element, for elements of mostly 8). What is large is not collected at all
// (largest_piece): there is nothing to gain. Gets are not copied: MPI writes to where the program wants them, so that they are complete
// exactly when MPI says so, also if the synchronization is out of sight.
#include "compiler/coalesce/region.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>

using namespace tacit::compiler;

namespace tacit::compiler {
namespace {

int no_memory(MPI_Win win) {
  MPI_Win_call_errhandler(win, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

/// Two gets do not disturb each other.
bool order_matters(operation a, operation b) {
  return a != operation::get || b != operation::get;
}

void note_sent(window_store& store, operation what) {
  store.busy = std::min(store.busy, what == operation::get ? under_way::gets : under_way::anything);
}

template <typename T>
T* allocate(budget& memory, std::size_t count) {
  if (!memory.take(count * sizeof(T)))
    return nullptr;
  T* const made = static_cast<T*>(std::malloc(count * sizeof(T)));
  if (!made) {
    memory.give(count * sizeof(T));
    return nullptr;
  }
  for (std::size_t i = 0; i < count; ++i)
    new (made + i) T();
  return made;
}

/// What tacit_collect_in_line does for an operator; none: nothing.
std::optional<tacit_in_line_op> op_in_line(MPI_Op op, arithmetic kind) {
  const struct {
    MPI_Op op;
    tacit_in_line_op how;
    bool needs_sign;
  } known[] = {{MPI_MIN, TACIT_IN_LINE_MIN, true},    {MPI_MAX, TACIT_IN_LINE_MAX, true},
               {MPI_SUM, TACIT_IN_LINE_SUM, false},   {MPI_BOR, TACIT_IN_LINE_BOR, false},
               {MPI_BAND, TACIT_IN_LINE_BAND, false}, {MPI_BXOR, TACIT_IN_LINE_BXOR, false}};
  for (const auto& row : known)
    if (row.op == op && (kind == arithmetic::sign || (kind == arithmetic::no_sign && !row.needs_sign)))
      return row.how;
  return std::nullopt;
}

void free_batches(region_window& window) {
  budget& memory = window.region->memory;
  for (int t = 0; t < window.processes; ++t)
    for (batch* b = window.targets[t].first; b;) {
      batch* const next = b->next;
      b->release(memory);
      memory.give(sizeof *b);
      std::free(b);
      b = next;
    }
  memory.give(static_cast<std::size_t>(window.processes) * sizeof *window.targets);
  std::free(window.targets);
  window.targets = nullptr;
  window.processes = 0;
}

} // namespace

void window_is_gone(region_window& window) {
  if (window.waiting.size)
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: MPI_Win_free while operations of this region were not sent: they are lost; "
        "tacit_coalesce_send belongs in front of it [TACIT-151]\n",
        world_rank(), window.region->file ? window.region->file : "?", window.region->line);
  window.region->hide_window(window);
  free_chunks(window.in_flight, &window.region->memory);
  window.in_flight = nullptr;
  window.store = nullptr;
  window.win = MPI_WIN_NULL;
  free_batches(window);
}

} // namespace tacit::compiler

void tacit_coalesce::hide_window(const region_window& window) {
  for (tacit_in_line& at : in_line) {
    if (at.processes == 0 || at.win != window.win)
      continue;
    for (int t = 0; t < window.processes; ++t)
      for (batch* b = window.targets[t].first; b; b = b->next)
        b->numbered.hide();
    memory.give(static_cast<std::size_t>(at.processes) * sizeof *at.of);
    std::free(at.of);
    at = {};
  }
}

/// Where the program may add to a batch without a call; null: it may not. Who comes first has the places.
tacit_in_line* tacit_coalesce::in_line_of(region_window& window, const batch& b) {
  tacit_in_line* free = nullptr;
  for (tacit_in_line& at : in_line) {
    if (at.processes == 0)
      free = free ? free : &at;
    else if (at.win == window.win && at.op == b.key.op && at.type == b.key.type)
      return &at;
  }
  const auto how = op_in_line(b.key.op, b.element.kind);
  const bool unit_fits = (window.unit & (window.unit - 1)) == 0 && window.unit <= b.element_bytes;
  if (!free || !how || !unit_fits || (b.element_bytes != 4 && b.element_bytes != 8))
    return nullptr;
  auto* const of = allocate<tacit_numbered>(memory, static_cast<std::size_t>(window.processes));
  if (!of)
    return nullptr;
  const int shift =
      __builtin_ctz(b.element_bytes) - __builtin_ctzll(static_cast<unsigned long long>(window.unit));
  *free = {window.win,       b.key.op, b.key.type,  *how, b.element_bytes == 8,
           window.processes, shift,    UINTPTR_MAX, of};
  return free;
}

/// Batches of one target may be in each other's way, so that only one that is alone can grow out of sight.
void tacit_coalesce::show(region_window& window, int target, batch& b) {
  const std::size_t most = is_collective() ? SIZE_MAX : factor - 1;
  if (!plain || b.next || window.targets[target].first != &b || !b.combine || b.elements() >= most)
    return;
  if (tacit_in_line* const at = in_line_of(window, b))
    b.show(memory, at->of[target], most - b.elements());
}

/// Places are bytes here, which only this process's unit says (TACIT_COALESCE_UNITS_DIFFER). In a program that checks, operations on
/// such a window are MPI's own.
void tacit_coalesce::check_units(window_store& store, MPI_Win win) const {
  if (!store.collects || !units_differ || !units_differ(win))
    return;
  store.collects = false;
  std::fprintf(stderr,
               "tacit: rank %d: %s:%d: the displacement units of this window differ among its processes: "
               "nothing may be "
               "collected for it [TACIT-154]\n",
               world_rank(), file ? file : "?", line);
}

region_window* tacit_coalesce::add_window(MPI_Win win) {
  window_store* const store = store_of(win);
  region_window* const made = store ? allocate<region_window>(memory, 1) : nullptr;
  if (!made)
    return nullptr;
  made->targets = allocate<region_target>(memory, static_cast<std::size_t>(store->processes));
  if (!made->targets) {
    memory.give(sizeof *made);
    std::free(made);
    return nullptr;
  }
  check_units(*store, win);
  made->win = win;
  made->store = store;
  made->processes = store->processes;
  made->unit = store->unit;
  made->region = this;
  made->next = windows;
  windows = made;
  begin_use(*store, *made);
  return made;
}

region_window* tacit_coalesce::window(MPI_Win win) {
  for (region_window* w = windows; w; w = w->next)
    if (w->win == win && w->store)
      return w;
  return add_window(win);
}

batch* tacit_coalesce::add_batch(region_target& to, const batch_key& key) {
  batch* const made = allocate<batch>(memory, 1);
  if (!made)
    return nullptr;
  const element_type element = element_of(key.type);
  made->key = key;
  made->element = element;
  made->element_bytes = static_cast<std::uint32_t>(element.extent);
  if (key.what == operation::accumulate && !(flags & TACIT_COALESCE_NO_OVERLAP))
    made->combine = combiner_of(key.op, element);
  if (to.first)
    to.first->numbered.hide(); // nothing in line beside another batch
  made->next = to.first;
  to.first = made;
  return made;
}

batch* tacit_coalesce::batch_for(region_window& window, int target, const batch_key& key, const piece& p,
                                 int& error) {
  const bool may_overlap = !(flags & TACIT_COALESCE_NO_OVERLAP);
  batch* own = nullptr;
  for (batch* b = window.targets[target].first; b; b = b->next)
    if (b->key == key)
      own = b;
    else if (may_overlap && b->touches(p) && order_matters(b->key.what, key.what))
      error = first_of(error, send_batch(window, target, *b));
  return own ? own : add_batch(window.targets[target], key);
}

/// The target is among those for which something waits.
void tacit_coalesce::await(region_window& window, int target) {
  if (window.targets[target].waits)
    return;
  window.targets[target].waits = true;
  window.waiting.push(target);
}

int tacit_coalesce::collect(region_window& window, int target, const batch_key& key, piece p) {
  int error = MPI_SUCCESS;
  if (checks)
    window.claimed.note(target, p.offset, p.end());
  batch* const b = batch_for(window, target, key, p, error);
  const std::size_t processes = static_cast<std::size_t>(window.store->processes);
  if (!b || !window.waiting.make_room(memory, window.waiting.size ? 1 : processes)) {
    const element_type element = element_of(key.type);
    return first_of(error, send_piece(window, target, key, static_cast<std::uint32_t>(element.extent), p));
  }
  b->insert(memory, p);
  if (p.bytes) {
    error = first_of(error, send_batch(window, target, *b));
    b->insert(memory, p);
  }
  if (p.bytes && reclaim(window, target))
    b->insert(memory, p);
  if (p.bytes) {
    error = first_of(error, send_batch(window, target, *b)); // the front of the piece may be in it
    error = first_of(error, send_piece(window, target, key, b->element_bytes, p));
  }
  if (b->elements() >= factor && !is_collective())
    return first_of(error, send_batch(window, target, *b));
  if (b->empty())
    return error;
  await(window, target);
  show(window, target, *b);
  return error;
}

/// MPI reads the user's own buffer.
int tacit_coalesce::send_piece(region_window& window, int target, const batch_key& key,
                               std::uint32_t element_bytes, const piece& p) {
  note_sent(*window.store, key.what);
  message m({window.win, target, window.store->unit}, key, element_bytes);
  m.add(p.offset, p.bytes, p.data, p.result);
  return m.send();
}

/// True if memory came back: only in an epoch of passive target may MPI be asked to be done with a buffer.
bool tacit_coalesce::reclaim(region_window& window, int target) {
  if (!window.in_flight || !(window.all_passive || window.targets[target].passive))
    return false;
  if (MPI_Win_flush_local(target, window.win) != MPI_SUCCESS)
    return false;
  free_chunks(take_chunks(window.in_flight, target), &memory);
  return true;
}

/// The data belong to MPI until a synchronization.
int tacit_coalesce::launch(region_window& window, int target, char* data, std::size_t counted) {
  auto* const c = static_cast<chunk*>(std::malloc(sizeof(chunk)));
  if (!data || !c) {
    std::free(c);
    return no_memory(window.win);
  }
  *c = {window.in_flight, target, counted, data};
  window.in_flight = c;
  return MPI_SUCCESS;
}

int tacit_coalesce::send_values(region_window& window, int target, batch& b) {
  b.numbered.hide();
  const std::size_t in_table = b.numbered.elements() * b.element_bytes,
                    in_lines = b.lines.elements() * b.element_bytes;
  auto* const packed = static_cast<char*>(std::malloc(in_table + in_lines));
  if (const int error = launch(window, target, packed, in_table + in_lines); error != MPI_SUCCESS)
    return error;
  b.numbered.give_reserve(in_table);
  b.lines.give_reserve(in_lines);
  message m({window.win, target, window.store->unit}, b.key, b.element_bytes);
  char* at = packed;
  const auto add = [&](MPI_Aint offset, unsigned elements, const char* values) {
    const std::uint32_t run = elements * b.element_bytes;
    std::memcpy(at, values, run);
    m.add(offset, run, at, nullptr);
    at += run;
  };
  b.numbered.for_each_run(b.element_bytes, add);
  if (in_lines)
    b.lines.for_each_run(b.element_bytes, add);
  return m.send();
}

int tacit_coalesce::send_listed(region_window& window, int target, batch& b) {
  bool stay = true;
  if (b.key.what != operation::get) // gets may read one place twice, and their results are where they are
    b.list.arrange(b.key.what == operation::put, stay);
  char* packed = nullptr;
  if (const std::size_t bytes = b.list.data_bytes()) {
    std::size_t counted = bytes;
    packed = stay ? b.list.detach_data(counted) : static_cast<char*>(std::malloc(bytes));
    if (packed && !stay)
      b.list.give_reserve(bytes);
    if (const int error = launch(window, target, packed, counted); error != MPI_SUCCESS)
      return error;
  }
  message m({window.win, target, window.store->unit}, b.key, b.element_bytes);
  std::uint32_t layer = 0;
  std::size_t at = 0;
  for (const listed& e : b.list) {
    if (e.layer != layer)
      m.send();
    layer = e.layer;
    if (packed && !stay)
      std::memcpy(packed + at, b.list.data() + e.packed, e.bytes);
    m.add(e.offset, e.bytes, packed ? packed + at : nullptr, e.result);
    at += e.bytes;
  }
  return m.send();
}

int tacit_coalesce::send_batch(region_window& window, int target, batch& b) {
  if (b.empty())
    return MPI_SUCCESS;
  note_sent(*window.store, b.key.what);
  const int error = b.combine ? send_values(window, target, b) : send_listed(window, target, b);
  b.clear();
  return error;
}

int tacit_coalesce::send_target(region_window& window, int target) {
  int error = MPI_SUCCESS;
  for (batch* b = window.targets[target].first; b; b = b->next)
    error = first_of(error, send_batch(window, target, *b));
  return error;
}

int tacit_coalesce::send_touching(region_window& window, int target, const piece* p) {
  if (flags & TACIT_COALESCE_NO_OVERLAP)
    return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  for (batch* b = window.targets[target].first; b; b = b->next)
    if (!p || b->touches(*p))
      error = first_of(error, send_batch(window, target, *b));
  return error;
}

int tacit_coalesce::send(region_window& window, int target) {
  int error = MPI_SUCCESS;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < window.waiting.size; ++i) {
    const int t = window.waiting.data[i];
    if (target != TACIT_ALL_TARGETS && t != target) {
      window.waiting.data[kept++] = t;
      continue;
    }
    window.targets[t].waits = false;
    error = first_of(error, send_target(window, t));
  }
  window.waiting.size = kept;
  return error;
}

void tacit_coalesce::completed(region_window& window, int target) {
  if (window.in_flight)
    free_chunks(take_chunks(window.in_flight, target), &memory);
  if (checks)
    window.claimed.verify(target, file, line);
}

void tacit_coalesce::release(region_window& window) {
  if (checks) // its synchronization stands behind the region
    window.claimed.verify(TACIT_ALL_TARGETS, file, line);
  if (window.store) {
    hide_window(window);
    free_batches(window);
    end_use(*window.store, window);
  }
  window.waiting.release(memory);
  window.claimed.release();
  std::free(&window);
}

int tacit_coalesce::end() {
  int error = MPI_SUCCESS;
  while (windows) {
    region_window* const next = windows->next;
    if (windows->store)
      error = first_of(error, send(*windows, TACIT_ALL_TARGETS));
    release(*windows);
    windows = next;
  }
  return error;
}
