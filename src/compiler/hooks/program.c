#define _GNU_SOURCE /* dladdr1 */

#include "compiler/hooks/program.h"
#include "compiler/hooks/overlap.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct function {
  const char* profiling; /* without the P: what programs and tools define */
  void (*wrapped)(void);
  void (*own)(void);
} function;

/* What hooks stand for, and what they call instead. */
#define C(name) {"PMPI_" #name, (void (*)(void))MPI_##name, (void (*)(void))PMPI_##name}
static const function in_c[] = {C(Send), C(Isend),   C(Recv), C(Irecv),   C(Sendrecv),
                                C(Wait), C(Waitall), C(Test), C(Testall), {NULL, NULL, NULL}};
#undef C
static const function in_fortran[] = {{"pmpi_send_", NULL, NULL},     {"pmpi_isend_", NULL, NULL},
                                      {"pmpi_recv_", NULL, NULL},     {"pmpi_irecv_", NULL, NULL},
                                      {"pmpi_sendrecv_", NULL, NULL}, {"pmpi_wait_", NULL, NULL},
                                      {"pmpi_waitall_", NULL, NULL},  {NULL, NULL, NULL}};

static const struct link_map* library_with(const void* address) {
  Dl_info where;
  void* library = NULL;
  return address && dladdr1(address, &where, &library, RTLD_DL_LINKMAP) ? library : NULL;
}

/* Nonzero for the address of a jump to a function: executables that are linked to fixed addresses have such ones, and everybody
 * takes them for the functions' addresses, dlsym too. */
static int is_jump(const void* address) {
  Dl_info where;
  void* symbol = NULL;
  return address && dladdr1(address, &where, &symbol, RTLD_DL_SYMENT) && symbol &&
         ((const ElfW(Sym)*)symbol)->st_shndx == SHN_UNDEF;
}

/* Looked up by name: what code has as the address of a function may be that of a jump. */
static const struct link_map* library_of(const char* function) {
  const void* address = dlsym(RTLD_DEFAULT, function);
  return library_with(is_jump(address) ? dlsym(RTLD_NEXT, function) : address);
}

/* Nonzero if the linker has put a function of the executable into MPI's place (--wrap). */
static int is_replaced(const function* one, const struct link_map* own) {
  const void* called = (const void*)one->wrapped;
  return called && library_with(called) == own && !is_jump(called);
}

/* Nonzero unless all of these are MPI's own, or all those of one library that is not where this code is. */
static int wraps(const function* one) {
  static const char here = 0;
  const struct link_map *own = library_with(&here), *tool = NULL;
  int mpis = 0;
  for (; one->profiling; ++one) {
    const struct link_map *mpi = library_of(one->profiling), *has = library_of(one->profiling + 1);
    if (!mpi && one->wrapped != one->own) /* MPI is an archive, in which both are one */
      return 1;
    if (mpi && mpi != own && is_replaced(one, own))
      return 1;
    if (!mpi || !has || has == mpi)
      mpis = 1;
    else if (has == own || !has->l_prev || (tool && tool != has)) /* nothing is in front of the executable */
      return 1;
    else
      tool = has;
  }
  return tool && mpis;
}

int tacit_program_wraps(void) {
  static _Atomic int once;
  if (once == 0)
    once = 1 + (wraps(in_c) || wraps(in_fortran));
  return once == 2;
}

static int is_threaded(void) {
  static _Atomic int once;
  if (once == 0) {
    int level = MPI_THREAD_MULTIPLE;
    if (!tacit_world_is_up() || MPI_Query_thread(&level) != MPI_SUCCESS)
      return 1;
    once = 1 + (level == MPI_THREAD_MULTIPLE);
  }
  return once == 2;
}

/* Handles of generalized requests, also of those that have ended since: to ask for their status runs a function of the program. */
enum { most_generalized = 64 };
static MPI_Request generalized[most_generalized];
static int generalized_count;
static atomic_flag generalized_lock = ATOMIC_FLAG_INIT;
static _Atomic int freed_while_active;

static void lock_generalized(void) {
  while (atomic_flag_test_and_set_explicit(&generalized_lock, memory_order_acquire)) {
  }
}

static int may_be_generalized(MPI_Request request) {
  lock_generalized();
  int found = generalized_count > most_generalized;
  for (int i = 0; i < generalized_count && !found; ++i)
    found = generalized[i] == request;
  atomic_flag_clear_explicit(&generalized_lock, memory_order_release);
  return found;
}

void __tacit_request_made(const MPI_Request* request) {
  if (may_be_generalized(*request))
    return;
  lock_generalized();
  if (generalized_count < most_generalized)
    generalized[generalized_count] = *request;
  if (generalized_count <= most_generalized)
    ++generalized_count;
  atomic_flag_clear_explicit(&generalized_lock, memory_order_release);
}

void __tacit_request_freed(const MPI_Request* request) {
  if (freed_while_active || *request == MPI_REQUEST_NULL)
    return;
  int complete = 0;
  freed_while_active = may_be_generalized(*request) ||
                       MPI_Request_get_status(*request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                       !complete;
}

int tacit_calls_as_written(void) {
  return freed_while_active || tacit_program_wraps() || is_threaded();
}

int tacit_world_is_up(void) {
  int begun = 0, ended = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}
