/* TACIT_OVERLAP_STATISTICS=1: says when the program ends how often each moved call ran and where its
 * operations were completed, so that one can see whether a move was worth anything. Off, it costs a load and
 * a branch.
 *
 * A call site is the return address of the hook; a table of fixed size counts what happens to the
 * operations of each. The site of the call that a thread is in stands in a variable of the thread, so that
 * the functions between need not hand it on. When MPI ends rank 0 prints. */
#define _GNU_SOURCE /* dladdr */

#include "compiler/hooks/statistics.h"

#include "compiler/hooks/finalize.h"
#include "compiler/hooks/program.h"
#include "compiler/hooks/settings.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { most_sites = 1024 };

typedef struct site {
  const void* address;
  unsigned long calls, copies, pending, ended[endings];
  double since, seconds; /* of the last post; pending altogether */
} site;

static site sites[most_sites]; /* the first one: those that found no room */
static uint32_t site_count = 1;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int asked_to_print;
static _Thread_local uint32_t current;

int tacit_counts(void) {
  static _Atomic int once;
  if (once == 0)
    once = tacit_switch_setting("TACIT_OVERLAP_STATISTICS") + 1;
  return once == 2;
}

static void take_lock(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
  }
}

static void unlock(void) {
  atomic_flag_clear_explicit(&lock, memory_order_release);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The address as addr2line expects it: the call, not what comes after it. */
static void print_site(const site* one) {
  Dl_info where = {0};
  const char* file = "?";
  unsigned long at = (unsigned long)one->address;
  if (one->address && dladdr(one->address, &where) && where.dli_fname) {
    file = where.dli_fname;
    at -= (unsigned long)where.dli_fbase + 1;
  }
  fprintf(stderr,
          "tacit: overlap at %s 0x%lx: %lu calls, %lu pending, %lu copies; completed %lu at the placement, "
          "%lu by a guard, %lu while polling, %lu for the next, %lu at once; %.1f us pending\n",
          file, at, one->calls, one->pending, one->copies, one->ended[at_its_placement],
          one->ended[by_a_guard], one->ended[by_progress], one->ended[for_the_next], one->ended[at_once],
          one->pending ? 1e6 * one->seconds / (double)one->pending : 0);
}

static int at_finalize(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value, (void)extra;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (uint32_t i = 0; rank == 0 && i < site_count; ++i)
    if (sites[i].calls > 0)
      print_site(&sites[i]);
  return MPI_SUCCESS;
}

/* Nobody prints if MPI has no room for an attribute. */
static void print_at_finalize(void) {
  if (asked_to_print || !tacit_world_is_up())
    return;
  asked_to_print = 1;
  (void)tacit_call_at_finalize(at_finalize);
}

void tacit_count_call(const void* address) {
  take_lock();
  print_at_finalize();
  uint32_t i = 1;
  while (i < site_count && sites[i].address != address)
    ++i;
  if (i == most_sites)
    i = 0;
  else if (i == site_count)
    sites[site_count++].address = address;
  ++sites[i].calls;
  current = i;
  unlock();
}

void tacit_count_copy(void) {
  take_lock();
  ++sites[current].copies;
  unlock();
}

void tacit_count_post(slot_state* slot) {
  take_lock();
  slot->site = current;
  ++sites[current].pending;
  sites[current].since = now();
  unlock();
}

void tacit_count_end(const slot_state* slot, enum ending how) {
  take_lock();
  site* one = &sites[slot->site];
  ++one->ended[how];
  one->seconds += now() - one->since;
  unlock();
}
