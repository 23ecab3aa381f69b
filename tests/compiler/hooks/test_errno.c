/* Hooks that stand where the program calls no function of MPI leave its errno alone. Run with a tool whose functions change it. */
#include "compiler/hooks/overlap.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { n = 1000, mine = 4321 };
static double in[n], out[n];
static int wrong;

static void begin(tacit_slot* slot) {
  MPI_Request request;
  memset(slot, 0, sizeof *slot);
  MPI_Isend(out, n, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
  __tacit_recv(slot, in, n, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (errno == mine) { /* MPI's own: here the program calls it */
    printf("the tool does not change errno\n");
    wrong = 1;
  }
  errno = mine;
}

static void end(tacit_slot* slot, const char* hook) {
  if (errno != mine) {
    printf("%s changes errno\n", hook);
    wrong = 1;
  }
  __tacit_wait(slot, in);
  errno = mine;
}

int main(int argc, char** argv) {
  tacit_slot slot;
  MPI_Init(&argc, &argv);
  errno = mine;
  begin(&slot);
  __tacit_wait(&slot, in);
  end(&slot, "__tacit_wait");
  begin(&slot);
  __tacit_wait_overlap(&slot, in, in + 3, in + 5, 0);
  end(&slot, "__tacit_wait_overlap");
  begin(&slot);
  (void)__tacit_until(&slot, in, (uintptr_t)in, (uintptr_t)(in + 1), sizeof *in, 0);
  end(&slot, "__tacit_until");
  begin(&slot);
  for (int i = 0; i < 100000; i++)
    __tacit_poke(&slot);
  end(&slot, "__tacit_poke");
  MPI_Request request;
  MPI_Irecv(in, n, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &request);
  __tacit_send_renamed("", out, n, MPI_DOUBLE, 0, 2, MPI_COMM_SELF);
  errno = mine;
  __tacit_complete_copies();
  end(&slot, "__tacit_complete_copies");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return wrong;
}
