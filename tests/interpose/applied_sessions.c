/* Programs of MPI Sessions, by the first argument:
   only     never calls MPI_Init
   both     calls MPI_Init, too
   made     communicators made of communicators, duplicates, and those of a second session
   leaked   leaves its communicators and a persistent operation to MPI_Session_finalize
   again    opens a session after the last one has been finalized */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PROFILING_NAME
#define SEND PMPI_Send
#else
#define SEND MPI_Send
#endif

static int rank, size;

static void exchange(MPI_Comm ring, int rounds) {
  MPI_Request request;
  int me, n;
  MPI_Comm_rank(ring, &me);
  MPI_Comm_size(ring, &n);
  for (int i = 0; i < rounds; ++i) {
    const int out[2] = {10 * me, 10 * me + 1}, left = (me + n - 1) % n, right = (me + 1) % n;
    int in[2] = {-1, -1};
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    if (in[0] != 10 * left + 1 || in[1] != 10 * right)
      MPI_Abort(ring, 1);
    in[0] = in[1] = -1;
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (in[0] != 10 * left + 1 || in[1] != 10 * right)
      MPI_Abort(ring, 1);
  }
}

static MPI_Comm ring_of(MPI_Comm comm) {
  MPI_Comm ring;
  int n, yes = 1;
  MPI_Comm_size(comm, &n);
  MPI_Cart_create(comm, 1, &n, &yes, 0, &ring);
  return ring;
}

static MPI_Comm comm_of(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Comm all;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Group_free(&group);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  return all;
}

static void free_both(MPI_Comm* a, MPI_Comm* b) {
  MPI_Comm_free(a);
  MPI_Comm_free(b);
}

static void communicators_of_communicators(MPI_Comm all) {
  MPI_Session other;
  MPI_Comm half, copy, delayed, ring, more;
  MPI_Request request;
  MPI_Comm_split(all, rank / 2, rank, &half);
  ring = ring_of(half);
  exchange(ring, 1);
  MPI_Comm_dup(ring, &copy);
  exchange(copy, 1);
  MPI_Comm_idup(copy, &delayed, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  exchange(delayed, 1);
  free_both(&copy, &half);
  free_both(&delayed, &ring);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
  more = comm_of(other, "tacit.more");
  ring = ring_of(more);
  exchange(ring, 1);
  free_both(&ring, &more);
  MPI_Session_finalize(&other);
  ring = ring_of(all);
  exchange(ring, 1);
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "only";
  const int both = strcmp(what, "both") == 0;
  const int times = strcmp(what, "again") == 0 ? 2 : 1;
  if (both)
    MPI_Init(&argc, &argv);
  for (int time = 0; time < times; ++time) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm all = comm_of(session, "tacit.test"), ring = ring_of(all);
    exchange(ring, 3);
    if (argc > 2) /* never */
      SEND(what, 1, MPI_CHAR, 0, 0, all);
    if (strcmp(what, "made") == 0)
      communicators_of_communicators(all);
    if (strcmp(what, "leaked") == 0) {
      static int out[2], in[2];
      MPI_Request request;
      MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      free_both(&ring, &all);
    }
    MPI_Session_finalize(&session);
  }
  if (both)
    MPI_Finalize();
  if (rank == 0)
    printf("done\n");
  return 0;
}
