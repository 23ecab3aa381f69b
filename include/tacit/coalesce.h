/* What programs with `#pragma mpi osc_coalesce`, `rma`, `local_ldst` and `overlap` call after their transformation (seed 003). People
 * read such programs, and may write these calls themselves. C99 and C++; link libtacit-coalesce.a (`tacit --coalesce`).
 *
 * COALESCING. A region collects small one-sided operations and sends those for one window, target and operation as one MPI
 * call with a datatype that names all their places:
 *
 *     tacit_coalesce* r = tacit_coalesce_begin(0, 0, 0, __FILE__, __LINE__);
 *     MPI_Win_fence(0, win);
 *     for (…)
 *       tacit_accumulate(r, &x, 1, MPI_LONG, owner, place, 1, MPI_LONG, MPI_MIN, win);   // MPI_Accumulate(&x, …)
 *     tacit_win_fence(r, 0, win);                                                        // MPI_Win_fence(0, win)
 *     tacit_coalesce_end(&r);
 *
 * Rules for who writes or emits such calls:
 *  1. Inside a region every one-sided call on its windows is the one below with the same name; a call that has none here
 *     (MPI_Rput, MPI_Rget, MPI_Raccumulate, MPI_Rget_accumulate) follows a tacit_coalesce_send(r, win, TACIT_ALL_TARGETS).
 *  2. Every call that ends an epoch, or completes operations, on these windows is the one below with the same name. It sends
 *     what was collected, calls MPI, and then takes the memory back.
 *  3. In front of whatever may synchronize a window in a way that is not visible (an unknown function: the seed's "unsafe
 *     statement"), and in front of MPI_Win_free, stands tacit_coalesce_send(r, MPI_WIN_NULL, TACIT_ALL_TARGETS).
 *  4. Calls that open epochs may stay MPI's. tacit_win_lock and tacit_win_lock_all only let more memory be used again
 *     before the epoch ends.
 *  5. A region ends on every way out of the block: `return`, `break`, `goto`, exceptions. TACIT_COALESCE_GUARDED lets GCC and
 *     Clang do that (C and C++). tacit_coalesce_end sends what is left; what was sent completes at the next
 *     synchronization, wherever it is, as with MPI.
 *  6. A window has the same displacement unit on all of its processes (MPI does not tell a process the units of others).
 *     Where it has not, the flag TACIT_COALESCE_UNITS_DIFFER makes every operation MPI's own call.
 *
 * Unlike with MPI, the origin buffer of put, accumulate, get_accumulate, fetch_and_op may be used again at once when an
 * operation was collected, but do not count on it: an operation that is not collected is MPI's own call. Results of gets (also
 * of get_accumulate, fetch_and_op) arrive when MPI says so, at the synchronization.
 *
 * What is kept of MPI's semantics: accumulates of one process to one place take effect in the order of the program and
 * element by element atomically; operations to one place are combined before they are sent only where the result has the same
 * bits. Errors are raised by MPI, at the call that sends. None of these functions is collective unless MPI's is. A region
 * belongs to one thread; several threads may have a region each. With TACIT_COALESCE_THREADS a region may be shared by threads.
 *
 * LOCAL LOADS AND STORES. tacit_local_put and tacit_local_get are MPI_Put and MPI_Get, but plain copies where the target's memory
 * can be reached; whether it can is found out at run time, once per window. There is nothing to end or free:
 *
 *     const tacit_local local[1] = {*tacit_local_of(win, MPI_INT, 0)};
 *     MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win);
 *     for (…)
 *       tacit_local_put(local, &rank, 1, MPI_INT, i, j, 1, MPI_INT, win);
 *     tacit_local_sync(local);                                                           // in front of each end of an epoch
 *     MPI_Win_unlock(i, win);
 *
 * Accumulates stay MPI's: plain stores could come between their loads and stores. After plain stores, an MPI_Win_fence must not
 * be told MPI_MODE_NOSTORE: tacit_local_assert takes that out.
 *
 * PIPELINED EXCHANGES. An MPI_Alltoall of what the loop in front of it computes, in parts or in rows of one-sided puts that travel while the
 * loop goes on:
 *
 *     tacit_pipeline exchange;                        // rows of 8 doubles; row i is a part of each process's block
 *     const tacit_pipeline_store stores[] = {{0, 64, 64, {{8LL * block, 0, size - 1}}}};
 *     tacit_pipeline_begin(&exchange, TACIT_PIPELINE_MEASURED, NULL, array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm, 0, rows - 1,
 *                          stores, 1, __FILE__, __LINE__);
 *     for (int i = 0; i < rows; ++i) {
 *       tacit_pipeline_reached(&exchange, i);
 *       …                                             // stores in places 64 * i … 64 * i + 63 of each block
 *     }
 *     tacit_pipeline_alltoall(&exchange, array, block, MPI_DOUBLE, received, block, MPI_DOUBLE, comm);
 *
 * All processes of the communicator come here together, with the same datatype, and use it for nothing else until the exchange ends. Each
 * gives the stores of its own loop: a part leaves a process when no later iteration stores into it, in the worst case behind the loop.
 * The list of stores lasts until the exchange ends. */
#ifndef TACIT_COALESCE_H
#define TACIT_COALESCE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- regions ---- */

typedef struct tacit_coalesce tacit_coalesce;

enum {
  /* The pragma's `no_overlap`: no two operations between two synchronizations touch a common byte. */
  TACIT_COALESCE_NO_OVERLAP = 1,
  /* Several threads use the region at once (MPI_THREAD_MULTIPLE); each call takes a lock. */
  TACIT_COALESCE_THREADS = 2,
  /* Displacement units differ among the processes of a window: nothing is collected. */
  TACIT_COALESCE_UNITS_DIFFER = 4,
  /* The pragma's `collective`: all processes of a window come to each tacit_win_fence of the region together, each with a region that has
   * this flag. What was collected then travels in packed messages, and its target carries it out. */
  TACIT_COALESCE_COLLECTIVE = 8
};
enum { TACIT_ALL_TARGETS = -1 };

/* factor: how many elements are collected for one window, target and operation before they are sent; 1 collects nothing. With
 * TACIT_COALESCE_COLLECTIVE they wait for the fence, however many they are.
 * memory: how many bytes this process may use for the region; beyond, operations are MPI's own calls.
 * 0 for either: what TACIT_COALESCE_FACTOR, TACIT_COALESCE_MEMORY say, else the defaults (docs/coalescing.md).
 * file, line: of the pragma, for messages; the string is not copied. Never null: without memory, a region that collects nothing. */
tacit_coalesce* tacit_coalesce_begin(long long factor, long long memory, int flags, const char* file,
                                     int line);
/* Sends what was collected for this window (MPI_WIN_NULL: all) and target (TACIT_ALL_TARGETS: all). Local; completes nothing. */
int tacit_coalesce_send(tacit_coalesce* region, MPI_Win win, int target);
/* Sends what is left and sets *region to null; with null already, nothing happens. The code of the first error. */
int tacit_coalesce_end(tacit_coalesce** region);

/* The same where nobody takes the code: what it would be is said on stderr (TACIT-152). Transformed programs call it.
 * A variable whose end of life ends its region:  TACIT_COALESCE_GUARDED tacit_coalesce* r = tacit_coalesce_begin(…); */
void tacit_coalesce_leave(tacit_coalesce** region);
#define TACIT_COALESCE_GUARDED __attribute__((cleanup(tacit_coalesce_leave)))

/* ---- operations: MPI's of the same name, with the region in front ---- */

int tacit_put(tacit_coalesce* region, const void* origin, int origin_count, MPI_Datatype origin_type,
              int target, MPI_Aint target_disp, int target_count, MPI_Datatype target_type, MPI_Win win);
int tacit_get(tacit_coalesce* region, void* origin, int origin_count, MPI_Datatype origin_type, int target,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_type, MPI_Win win);
/* MPI_Accumulate of anything; tacit_accumulate below is faster for single numbers. */
int tacit_accumulate_any(tacit_coalesce* region, const void* origin, int origin_count,
                         MPI_Datatype origin_type, int target, MPI_Aint target_disp, int target_count,
                         MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int tacit_get_accumulate(tacit_coalesce* region, const void* origin, int origin_count,
                         MPI_Datatype origin_type, void* result, int result_count, MPI_Datatype result_type,
                         int target, MPI_Aint target_disp, int target_count, MPI_Datatype target_type,
                         MPI_Op op, MPI_Win win);
int tacit_fetch_and_op(tacit_coalesce* region, const void* origin, void* result, MPI_Datatype datatype,
                       int target, MPI_Aint target_disp, MPI_Op op, MPI_Win win);
int tacit_compare_and_swap(tacit_coalesce* region, const void* origin, const void* compare, void* result,
                           MPI_Datatype datatype, int target, MPI_Aint target_disp, MPI_Win win);

#if MPI_VERSION >= 4
int tacit_put_c(tacit_coalesce* region, const void* origin, MPI_Count origin_count, MPI_Datatype origin_type,
                int target, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_type,
                MPI_Win win);
int tacit_get_c(tacit_coalesce* region, void* origin, MPI_Count origin_count, MPI_Datatype origin_type,
                int target, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_type,
                MPI_Win win);
int tacit_accumulate_c(tacit_coalesce* region, const void* origin, MPI_Count origin_count,
                       MPI_Datatype origin_type, int target, MPI_Aint target_disp, MPI_Count target_count,
                       MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int tacit_get_accumulate_c(tacit_coalesce* region, const void* origin, MPI_Count origin_count,
                           MPI_Datatype origin_type, void* result, MPI_Count result_count,
                           MPI_Datatype result_type, int target, MPI_Aint target_disp, MPI_Count target_count,
                           MPI_Datatype target_type, MPI_Op op, MPI_Win win);
#endif

/* How a region begins: what can be collected without a call. Of its own functions, not of programs. */
enum { TACIT_IN_LINE = 4, TACIT_PAGE_BITS = 12 };
enum tacit_in_line_op {
  TACIT_IN_LINE_MIN,
  TACIT_IN_LINE_MAX,
  TACIT_IN_LINE_SUM,
  TACIT_IN_LINE_BOR,
  TACIT_IN_LINE_BAND,
  TACIT_IN_LINE_BXOR
};
/* Values for the first places of one process, each at its number; those whose bit is set are there. */
typedef struct tacit_numbered {
  char* values;
  uint64_t* present;
  size_t places; /* 0: none */
  size_t room;   /* so many more may be there */
} tacit_numbered;
typedef struct tacit_in_line {
  MPI_Win win;
  MPI_Op op;
  MPI_Datatype type;
  enum tacit_in_line_op how;
  int is_wide;    /* integers of 8 bytes; else of 4 */
  int processes;  /* 0: nothing is collected here */
  int shift;      /* a displacement over this many bits is a place, if none of those is set */
  uintptr_t page; /* a page of the program that is memory of the processor */
  tacit_numbered* of;
} tacit_in_line;

static inline int64_t tacit_in_line_load(const void* from, int is_wide) {
  int64_t wide;
  int32_t narrow;
  if (is_wide)
    return memcpy(&wide, from, 8), wide;
  return memcpy(&narrow, from, 4), narrow;
}

/* False: nothing has happened. */
static inline int tacit_collect_in_line(tacit_in_line* at, const void* origin, int target, MPI_Aint disp) {
  tacit_numbered* to;
  size_t place;
  uint64_t* word;
  char* kept;
  int64_t value;
  if (target < 0 || target >= at->processes || (uintptr_t)origin >> TACIT_PAGE_BITS != at->page)
    return 0;
  to = at->of + target;
  place = (size_t)disp >> at->shift;
  if (place >= to->places || place << at->shift != (size_t)disp)
    return 0;
  word = to->present + place / 64;
  kept = to->values + (place << (at->is_wide ? 3 : 2));
  value = tacit_in_line_load(origin, at->is_wide);
  if (*word >> place % 64 & 1) {
    const int64_t old = tacit_in_line_load(kept, at->is_wide);
    switch (at->how) {
    case TACIT_IN_LINE_MIN:
      value = old < value ? old : value;
      break;
    case TACIT_IN_LINE_MAX:
      value = old > value ? old : value;
      break;
    case TACIT_IN_LINE_SUM:
      value = (int64_t)((uint64_t)old + (uint64_t)value);
      break;
    case TACIT_IN_LINE_BOR:
      value |= old;
      break;
    case TACIT_IN_LINE_BAND:
      value &= old;
      break;
    case TACIT_IN_LINE_BXOR:
      value ^= old;
      break;
    }
  } else {
    if (to->room == 0)
      return 0;
    --to->room;
    *word |= (uint64_t)1 << place % 64;
  }
  if (at->is_wide) {
    memcpy(kept, &value, 8);
  } else {
    const int32_t half = (int32_t)value;
    memcpy(kept, &half, 4);
  }
  return 1;
}

static inline int tacit_accumulate(tacit_coalesce* region, const void* origin, int origin_count,
                                   MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                                   int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  if (origin_count == 1 && target_count == 1 && origin_type == target_type) {
    tacit_in_line* at = (tacit_in_line*)(void*)region;
    int i;
    for (i = 0; i < TACIT_IN_LINE; ++i, ++at)
      if (at->win == win && at->op == op && at->type == target_type) {
        if (tacit_collect_in_line(at, origin, target, target_disp))
          return MPI_SUCCESS;
        break;
      }
  }
  return tacit_accumulate_any(region, origin, origin_count, origin_type, target, target_disp, target_count,
                              target_type, op, win);
}

/* ---- synchronization: MPI's of the same name, with the region in front ---- */

int tacit_win_fence(tacit_coalesce* region, int assertion, MPI_Win win);
int tacit_win_complete(tacit_coalesce* region, MPI_Win win);
int tacit_win_unlock(tacit_coalesce* region, int target, MPI_Win win);
int tacit_win_unlock_all(tacit_coalesce* region, MPI_Win win);
int tacit_win_flush(tacit_coalesce* region, int target, MPI_Win win);
int tacit_win_flush_all(tacit_coalesce* region, MPI_Win win);
int tacit_win_flush_local(tacit_coalesce* region, int target, MPI_Win win);
int tacit_win_flush_local_all(tacit_coalesce* region, MPI_Win win);
/* Optional (rule 4). */
int tacit_win_lock(tacit_coalesce* region, int lock_type, int target, int assertion, MPI_Win win);
int tacit_win_lock_all(tacit_coalesce* region, int assertion, MPI_Win win);

/* ---- local loads and stores ---- */

/* The part of a window that one process exposes and this process can reach; no base: not reachable. */
typedef struct tacit_local_memory {
  char* base;
  MPI_Aint bytes;
  MPI_Aint unit;
} tacit_local_memory;

/* Belongs to the window and goes with it. Read-only for programs. */
typedef struct tacit_local {
  const tacit_local_memory* memory; /* one for each process of the window's group */
  int processes;
  int coherent;      /* nonzero: the window's memory model is MPI_WIN_UNIFIED */
  int flags;         /* as given to tacit_local_of */
  MPI_Datatype type; /* a predefined datatype, or MPI_DATATYPE_NULL */
  size_t type_bytes;
  int own; /* this process, if its memory consists of elements of the type: its displacement unit is their size */
  size_t own_places; /* their number */
  char* own_base;
  const struct tacit_local* kept; /* that of the window; copies are faster, as no store can change them */
} tacit_local;

enum {
  /* The pragma's `no_overlap`: accesses of different processes never touch a common byte. */
  TACIT_LOCAL_NO_OVERLAP = 1,
  /* Memory of other processes in a shared window counts, too; not where the block locks MPI_LOCK_EXCLUSIVE, because MPI may take such a lock
   * only with the first operation. */
  TACIT_LOCAL_NODE = 2
};

/* What can be reached in this window; type: the datatype of most accesses (the pragma's), made fast. Local; cheap from the
 * second call with the same arguments on. Never null: in doubt nothing can be reached. */
tacit_local* tacit_local_of(MPI_Win win, MPI_Datatype type, int flags);

/* Where the bytes are, or null if they must be accessed through MPI. */
static inline void* tacit_local_access(const tacit_local* local, int target, MPI_Aint target_disp,
                                       MPI_Aint bytes) {
  const tacit_local_memory* memory;
  MPI_Aint offset;
  if (target < 0 || target >= local->processes)
    return NULL;
  memory = local->memory + target;
  offset = target_disp * memory->unit;
  return memory->base && target_disp >= 0 && offset + bytes <= memory->bytes ? memory->base + offset : NULL;
}

/* MPI_Put and MPI_Get of anything; the two below are faster for single elements. */
int tacit_local_put_any(const tacit_local* local, const void* origin, int origin_count,
                        MPI_Datatype origin_type, int target, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_type, MPI_Win win);
int tacit_local_get_any(const tacit_local* local, void* origin, int origin_count, MPI_Datatype origin_type,
                        int target, MPI_Aint target_disp, int target_count, MPI_Datatype target_type,
                        MPI_Win win);

/* Bytes of an element of local->type, if an operation is on that type: where the compiler sees which one it is, a number that it knows. */
static inline size_t tacit_local_bytes(const tacit_local* local, MPI_Datatype type) {
#define TACIT_LOCAL_BYTES(known, of_c)                                                                       \
  if (__builtin_constant_p(type == (known)) && type == (known))                                              \
    return sizeof(of_c);
  TACIT_LOCAL_BYTES(MPI_INT, int)
  TACIT_LOCAL_BYTES(MPI_UNSIGNED, unsigned)
  TACIT_LOCAL_BYTES(MPI_FLOAT, float)
  TACIT_LOCAL_BYTES(MPI_DOUBLE, double)
  TACIT_LOCAL_BYTES(MPI_LONG, long)
  TACIT_LOCAL_BYTES(MPI_UNSIGNED_LONG, unsigned long)
  TACIT_LOCAL_BYTES(MPI_INT32_T, int)
  TACIT_LOCAL_BYTES(MPI_UINT32_T, unsigned)
  TACIT_LOCAL_BYTES(MPI_INT64_T, long long)
  TACIT_LOCAL_BYTES(MPI_UINT64_T, unsigned long long)
#undef TACIT_LOCAL_BYTES
  return local->type_bytes;
}

/* How many elements of 4 or 8 bytes lie in this process's own memory, if the operation is on one of those; else none. Without branches, so
 * that compilers find it out once in front of a loop, of whose operations one comparison is left. */
static inline size_t tacit_local_own_places(const tacit_local* local, int origin_count,
                                            MPI_Datatype origin_type, int target, int target_count,
                                            MPI_Datatype target_type) {
#ifdef TACIT_CHECKED /* every access is seen */
  return (void)local, (void)origin_count, (void)origin_type, (void)target, (void)target_count,
         (void)target_type, (size_t)0;
#else
  const size_t bytes = tacit_local_bytes(local, origin_type);
  const int is_own = (origin_count == 1) & (target_count == 1) & (target == local->own) &
                     (origin_type == local->type) & (target_type == local->type) &
                     ((bytes == 4) | (bytes == 8));
  size_t places = is_own ? local->own_places : 0;
#ifdef __clang__
  __asm__("" : "+r"(places)); /* or both conditions are asked each time; GCC would keep it in memory then */
#endif
  return places;
#endif
}

static inline int tacit_local_put(const tacit_local* local, const void* origin, int origin_count,
                                  MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                                  int target_count, MPI_Datatype target_type, MPI_Win win) {
  const size_t at = (size_t)target_disp;
  if (__builtin_expect(
          at < tacit_local_own_places(local, origin_count, origin_type, target, target_count, target_type),
          1)) {
    const void* hidden = origin; /* or compilers warn of the branch for the other size */
    __asm__("" : "+r"(hidden));
    if (tacit_local_bytes(local, origin_type) == 4)
      memcpy(local->own_base + at * 4, hidden, 4);
    else
      memcpy(local->own_base + at * 8, hidden, 8);
    return MPI_SUCCESS;
  }
  return tacit_local_put_any(local->kept, origin, origin_count, origin_type, target, target_disp,
                             target_count, target_type, win);
}

static inline int tacit_local_get(const tacit_local* local, void* origin, int origin_count,
                                  MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                                  int target_count, MPI_Datatype target_type, MPI_Win win) {
  const size_t at = (size_t)target_disp;
  if (__builtin_expect(
          at < tacit_local_own_places(local, origin_count, origin_type, target, target_count, target_type),
          1)) {
    void* hidden = origin; /* or compilers warn of the branch for the other size */
    __asm__("" : "+r"(hidden));
    if (tacit_local_bytes(local, origin_type) == 4)
      memcpy(hidden, local->own_base + at * 4, 4);
    else
      memcpy(hidden, local->own_base + at * 8, 8);
    return MPI_SUCCESS;
  }
  return tacit_local_get_any(local->kept, origin, origin_count, origin_type, target, target_disp,
                             target_count, target_type, win);
}

#if MPI_VERSION >= 4
/* With large counts, which are MPI's own calls if they do not fit into an int. */
static inline int tacit_local_put_c(const tacit_local* local, const void* origin, MPI_Count origin_count,
                                    MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                                    MPI_Count target_count, MPI_Datatype target_type, MPI_Win win) {
  return origin_count == (int)origin_count && target_count == (int)target_count
             ? tacit_local_put(local, origin, (int)origin_count, origin_type, target, target_disp,
                               (int)target_count, target_type, win)
             : MPI_Put_c(origin, origin_count, origin_type, target, target_disp, target_count, target_type,
                         win);
}

static inline int tacit_local_get_c(const tacit_local* local, void* origin, MPI_Count origin_count,
                                    MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                                    MPI_Count target_count, MPI_Datatype target_type, MPI_Win win) {
  return origin_count == (int)origin_count && target_count == (int)target_count
             ? tacit_local_get(local, origin, (int)origin_count, origin_type, target, target_disp,
                               (int)target_count, target_type, win)
             : MPI_Get_c(origin, origin_count, origin_type, target, target_disp, target_count, target_type,
                         win);
}
#endif

/* In front of a call that ends an epoch: plain stores so far are visible to who synchronizes with it. */
static inline void tacit_local_sync(const tacit_local* local) {
  (void)local;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The `assert` of an MPI_Win_fence, or MPI_Win_post, that follows plain stores. */
static inline int tacit_local_assert(const tacit_local* local, int assertion) {
  (void)local;
  return assertion & ~MPI_MODE_NOSTORE;
}

/* The seed's mpi_ldst_coh and mpi_ldst_incoh: the lock that suffices for loads and stores. An exclusive lock becomes a shared one
 * only with TACIT_LOCAL_NO_OVERLAP, and where the window is unified. Where tacit_local_coherent is zero, loads and stores should
 * be MPI_Get and MPI_Put, and with those a shared lock suffices, too, if nothing overlaps: tacit_local_rma_lock_type. */
static inline int tacit_local_coherent(const tacit_local* local) {
  return local->coherent;
}
static inline int tacit_local_lock_type(const tacit_local* local, int lock_type) {
  return lock_type == MPI_LOCK_EXCLUSIVE && (local->flags & TACIT_LOCAL_NO_OVERLAP) && local->coherent
             ? MPI_LOCK_SHARED
             : lock_type;
}
static inline int tacit_local_rma_lock_type(const tacit_local* local, int lock_type) {
  return lock_type == MPI_LOCK_EXCLUSIVE && (local->flags & TACIT_LOCAL_NO_OVERLAP) ? MPI_LOCK_SHARED
                                                                                    : lock_type;
}

/* ---- checked programs ---- */

/* What `tacit cc --annotations=check` makes of overlapped messages and relaxed locks, so that claims which are not true are said with
 * rank and line (TACIT-150, 202): MPI's calls of the same name. Until a receive is complete the program's buffer is filled with 0xA5
 * and what arrives is kept elsewhere; of what is sent a copy is kept and compared. file and line: of the call as the program has it; not
 * copied. Every completion of such a request is one of these, too. */
int tacit_checked_isend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm comm, MPI_Request* request, const char* file, int line);
int tacit_checked_irsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm comm, MPI_Request* request, const char* file, int line);
int tacit_checked_irecv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Request* request, const char* file, int line);
int tacit_checked_wait(MPI_Request* request, MPI_Status* status);
int tacit_checked_waitall(int count, MPI_Request* requests, MPI_Status* statuses);
/* From here on this thread is in a statement that is said to be independent; null: it is not. */
void tacit_checked_statement(const char* file, int line);
/* tacit_local_lock_type for the next MPI_Win_lock of this thread, with loads, stores and operations of that epoch compared with those of
 * other processes. */
int tacit_checked_lock_type(const tacit_local* local, int lock_type, const char* file, int line);

/* ---- pipelined exchanges ---- */

enum { TACIT_PIPELINE_PARTS = 8, TACIT_PIPELINE_RANGES = 3 };

/* Whether to pipeline. What the variable TACIT_PIPELINE says on any process comes before it. */
enum {
  TACIT_PIPELINE_NEVER,    /* MPI_Alltoall behind the loop */
  TACIT_PIPELINE_ALWAYS,   /* in parts, wherever it is possible */
  TACIT_PIPELINE_MEASURED, /* all ways in turns at first, then what was fastest on the slowest process */
  TACIT_PIPELINE_PREDICTED, /* MPI_Alltoall at first; then what the costs say for a loop that takes as long as it did */
  TACIT_PIPELINE_PUTS /* in rows of one-sided puts, wherever it is possible */
};

/* Of the machine that the program was transformed for (`tacit platform`); LogGP's L, G and o, and the same of one-sided puts, which are
 * not thought of if their latency is zero. */
typedef struct tacit_pipeline_costs {
  double latency;      /* seconds that the smallest message is under way, while no process is busy with it */
  double of_byte;      /* seconds for each byte, which all messages of a process share */
  double progress;     /* what part of a message moves while the processes compute: 0 to 1 */
  double send;         /* seconds that a process is busy with each message that it sends */
  double receive;      /* and with each that it receives */
  double put;          /* seconds that a process is busy with each put of a row */
  double put_latency;  /* seconds until the smallest put is complete at its target */
  double put_of_byte;  /* seconds for each byte of puts */
  double put_progress; /* what part of a put moves while the processes compute */
  double copy;         /* seconds for each byte that is copied out of a window */
  double
      cores; /* of the node within which all this was measured; less than zero: between nodes; zero: that is not known.
                          Other processes, on several nodes, on one, or more than there are cores, measure instead */
} tacit_pipeline_costs;

/* A counter of a loop around a store, apart from that of the pipelined loop: how far a step of it moves the store, and its values. */
typedef struct tacit_pipeline_range {
  long long stride; /* bytes; 0: no counter */
  long long first, last;
} tacit_pipeline_range;

/* Where a store of the loop goes: bytes from the beginning of the send buffer, for all counters at zero. */
typedef struct tacit_pipeline_store {
  long long from;
  long long step;  /* bytes for each step of the pipelined loop's counter */
  long long bytes; /* how many are stored */
  tacit_pipeline_range inner[TACIT_PIPELINE_RANGES];
} tacit_pipeline_store;

/* Read-only for programs. */
typedef struct tacit_pipeline {
  long long next;  /* the counter's value at which something is to be done */
  long long pause; /* iterations from one look at what is under way to the next */
  int way;         /* 0: MPI_Alltoall; 1: in parts; 2: in rows of one-sided puts */
  int parts;
  int posted;
  int error;
  MPI_Request requests[TACIT_PIPELINE_PARTS];
  long long ready; /* from this value of the counter on, nothing is stored into the next part */
  const tacit_pipeline_store* stores;
  int store_count;
  const void* origin;
  void* target;
  int count;
  int type_bytes;
  MPI_Datatype type;
  MPI_Comm comm;
  long long first, last;  /* values of the counter */
  double begun, computed; /* when the loop began and ended */
  void* known;            /* of this exchange by all processes, or null */
  void* among;            /* the exchanges of the communicator */
  int is_new;             /* nothing is: behind this exchange the processes agree on those to come */
  const char* file;
  int line, asked;
  tacit_pipeline_costs costs;
  char* sent; /* in check mode: what the parts were when they left */
  int processes;
  int whole; /* in check mode: blocks that cannot be cut here */
} tacit_pipeline;

/* For the bound of an unsigned counter in 64 bits: one that has wrapped around, as that of `i < n - k` does, is larger than any place. */
static inline long long tacit_pipeline_bound(long long value) {
  const long long larger = 0x0fffffffffffffff;
  return value < 0 || value > larger ? larger : value;
}

/* Before a loop whose counter goes up from `first` to `last`. Collective over comm, but never blocks: what all processes do for this line,
 * communicator and amount is agreed in the call behind the loop, the first time, and once more after measuring. So all processes come here
 * together and with one datatype. They may come from different lines, if each time those come together that did the first time, with that
 * communicator and amount: a process that comes from a line that is new to it, or from that of another exchange, while others do not, is not
 * understood, and is waited for. With TACIT_COALESCE_CHECK=1 that is said (TACIT-155), and the exchange is made all the same. For that the first exchange of a
 * communicator makes one of ours with the same processes, which goes with it; so does the window of puts.
 * costs: for TACIT_PIPELINE_PREDICTED. */
void tacit_pipeline_begin(tacit_pipeline* exchange, int when, const tacit_pipeline_costs* costs,
                          const void* origin, int origin_count, MPI_Datatype origin_type, void* target,
                          int target_count, MPI_Datatype target_type, MPI_Comm comm, long long first,
                          long long last, const tacit_pipeline_store* stores, int store_count,
                          const char* file, int line);
void tacit_pipeline_advance(tacit_pipeline* exchange, long long counter);
/* At the beginning of each iteration: all earlier ones are done. */
static inline void tacit_pipeline_reached(tacit_pipeline* exchange, long long counter) {
  if (counter >= exchange->next)
    tacit_pipeline_advance(exchange, counter);
}
/* MPI_Alltoall, or what is left of it. With the arguments that tacit_pipeline_begin had. */
int tacit_pipeline_alltoall(tacit_pipeline* exchange, const void* origin, int origin_count,
                            MPI_Datatype origin_type, void* target, int target_count,
                            MPI_Datatype target_type, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
