/* One rank runs out of memory within an _init call, in tacit's own code, after more and more of its allocations: no rank
   may be left waiting, and what the call returns must work, whoever made it. The allocator that the loader finds first is
   this program's; it refuses only what the interposer asks for. */
#define _GNU_SOURCE
#include "ring_of_all.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t bytes);

static uintptr_t first, last; /* of the interposer's code */
static volatile int armed, refused;
static volatile long allowed;

void* malloc(size_t bytes) {
  const uintptr_t from = (uintptr_t)__builtin_return_address(0);
  if (armed && from >= first && from < last && allowed-- <= 0) {
    refused = 1;
    return NULL;
  }
  return __libc_malloc(bytes);
}

static int find_interposer(struct dl_phdr_info* info, size_t size_of_info, void* unused) {
  (void)size_of_info;
  (void)unused;
  if (!strstr(info->dlpi_name, "tacit-interpose"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
      first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      last = first + info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

static void exchange(MPI_Request* r, int* out, const int* in, int* round) {
  ++*round;
  out[0] = 10 * rank + *round;
  out[1] = out[0] + 1000;
  MPI_Start(r);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  CHECK(in[0] == 10 * left + *round + 1000 && in[1] == 10 * right + *round);
}

/* Everything is as if the call had been given enough memory. True if it had. */
static int call_with(long allocations, int is_known) {
  static int out[2], in[2], round;
  MPI_Comm on;
  MPI_Request r;
  MPI_Comm_dup(ring, &on);
  MPI_Comm_set_errhandler(on, MPI_ERRORS_RETURN);
  if (is_known) {
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, on, MPI_INFO_NULL, &r);
    exchange(&r, out, in, &round);
    MPI_Request_free(&r);
  }
  refused = 0;
  allowed = allocations;
  armed = rank == size - 1;
  const int code = MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, on, MPI_INFO_NULL, &r);
  armed = 0;
  CHECK(code == MPI_SUCCESS);
  for (int i = 0; i < 2; ++i)
    exchange(&r, out, in, &round);
  MPI_Request_free(&r);
  MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, on, MPI_INFO_NULL, &r);
  exchange(&r, out, in, &round);
  MPI_Request_free(&r);
  MPI_Comm_free(&on);
  int any = 0, mine = refused;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return !any;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  meet();
  dl_iterate_phdr(find_interposer, NULL);
  int refusals = 0;
  for (int is_known = 0; is_known < 2; ++is_known)
    for (long n = 0; !call_with(n, is_known); n += n < 60 ? 1 : 1 + n / 10)
      ++refusals;
  MPI_Comm_free(&ring);
  MPI_Finalize();
  if (rank == 0)
    printf("%d refusals\ndone\n", refusals);
  return 0;
}
