/* Ways of one breadth-first search, timed in turns in one process: the example as it is written (two accumulates for each
 * edge), the same with calls of the coalescing run time as the transformation puts them, without and with the annotation's
 * word `collective`, and a hand-coalesced search by
 * messages: every edge is packed for the owner of its end, and each level exchanges what was packed (MPI_Alltoallv), as a good
 * programmer would write it. Every tree is validated. Beside them what no search can do without: looking at each edge of a reached
 * vertex once, and at whose its end is (walk). No way can gain more over another than that other takes times as long as the walk.
 *
 *     bfs_bench allocate|create scale edge_factor rounds one_sided_rounds memory_bytes factor…
 *
 * For each round a line "round R one_sided S two_sided S walk S coalesced:FACTOR S … collective S", seconds of the slowest process; one_sided is
 * measured in the first one_sided_rounds only, because it takes so long, and printed as 0 in the others. */
#define TACIT_NO_MAIN
#include "../../whole_number.h"

#include "../../../examples/annotations/bfs.c"

#include <tacit/coalesce.h>

static void search_coalesced(const graph* graph_, search_state* s, int64_t root, long long factor,
                             long long memory, int flags) {
  const graph g = *graph_;
  const int64_t queue_nwords = s->queue_nwords;
  const unsigned long* const queue_bitmap = s->queue_bitmap;
  MPI_Win p2_win = s->p2_win, q2_win = s->q2_win;
  unsigned long mask[ulong_bits];
  int64_t* const local_vertices = (int64_t*)allocate((size_t)g.own * sizeof(int64_t));
  int64_t i, ei, v_local, w;
  int bitnum;
  for (bitnum = 0; bitnum < ulong_bits; ++bitnum)
    mask[bitnum] = 1ul << bitnum;
  for (v_local = 0; v_local < g.own; ++v_local)
    local_vertices[v_local] = VERTEX_GLOBAL(&g, v_local);
  begin_search(&g, s, root);
  {
    TACIT_COALESCE_GUARDED tacit_coalesce* r =
        tacit_coalesce_begin(factor, memory, flags, __FILE__, __LINE__);
    while (1) {
      tacit_win_fence(r, MPI_MODE_NOPRECEDE, p2_win);
      tacit_win_fence(r, MPI_MODE_NOPRECEDE, q2_win);
      for (i = 0; i < queue_nwords; ++i) {
        if (queue_bitmap[i] == 0)
          continue;
        for (bitnum = 0; bitnum < ulong_bits; ++bitnum) {
          if ((queue_bitmap[i] & mask[bitnum]) == 0)
            continue;
          v_local = i * ulong_bits + bitnum;
          for (ei = g.row_starts[v_local]; ei < g.row_starts[v_local + 1]; ++ei) {
            w = g.neighbors[ei];
            tacit_accumulate(r, &local_vertices[v_local], 1, MPI_INT64_T, VERTEX_OWNER(&g, w),
                             VERTEX_LOCAL(&g, w), 1, MPI_INT64_T, MPI_MIN, p2_win);
            tacit_accumulate(r, &mask[VERTEX_LOCAL(&g, w) % ulong_bits], 1, MPI_UNSIGNED_LONG,
                             VERTEX_OWNER(&g, w), VERTEX_LOCAL(&g, w) / ulong_bits, 1, MPI_UNSIGNED_LONG,
                             MPI_BOR, q2_win);
          }
        }
      }
      tacit_win_fence(r, MPI_MODE_NOSUCCEED, q2_win);
      tacit_win_fence(r, MPI_MODE_NOSUCCEED, p2_win);
      if (!next_level(&g, s))
        break;
    }
  }
  free(local_vertices);
}

/* Pairs (number at the owner, parent) for each process. */
typedef struct {
  int64_t* data;
  int size, capacity;
} packed;

static void pack(packed* to, int64_t local, int64_t parent) {
  if (to->size + 2 > to->capacity) {
    to->capacity = to->capacity ? 2 * to->capacity : 1024;
    to->data = (int64_t*)realloc(to->data, (size_t)to->capacity * sizeof(int64_t));
  }
  to->data[to->size++] = local;
  to->data[to->size++] = parent;
}

static int64_t* joined(packed* parts, int count, int* sizes, int** starts, int* total) {
  for (int i = 0; i < count; ++i)
    sizes[i] = parts[i].size;
  *starts = starts_of(sizes, count, total);
  int64_t* const all = (int64_t*)allocate((size_t)*total * sizeof(int64_t));
  for (int i = 0; i < count; ++i) {
    if (parts[i].size) /* who sends nothing has no memory for it */
      memcpy(all + (*starts)[i], parts[i].data, (size_t)parts[i].size * sizeof(int64_t));
    parts[i].size = 0;
  }
  return all;
}

static void visit(search_state* s, int64_t v, int64_t parent, int64_t* next, int64_t* waiting) {
  if (s->pred[v] == -1) {
    s->pred[v] = parent;
    next[(*waiting)++] = v;
  }
}

static void search_two_sided(const graph* g, search_state* s, int64_t root) {
  packed* const parts = (packed*)calloc((size_t)g->size, sizeof(packed));
  int* const sizes = (int*)allocate((size_t)g->size * sizeof(int));
  int* const counts = (int*)allocate((size_t)g->size * sizeof(int));
  int64_t* queue = (int64_t*)allocate((size_t)g->own * sizeof(int64_t));
  int64_t* next = (int64_t*)allocate((size_t)g->own * sizeof(int64_t));
  int64_t queued = 0;
  begin_search(g, s, root);
  if (VERTEX_OWNER(g, root) == g->rank)
    queue[queued++] = VERTEX_LOCAL(g, root);
  for (int more = 1; more;) {
    int64_t waiting = 0;
    for (int64_t q = 0; q < queued; ++q) {
      const int64_t v = queue[q], number = VERTEX_GLOBAL(g, v);
      for (int64_t ei = g->row_starts[v]; ei < g->row_starts[v + 1]; ++ei) {
        const int64_t w = g->neighbors[ei];
        if (VERTEX_OWNER(g, w) == g->rank)
          visit(s, VERTEX_LOCAL(g, w), number, next, &waiting);
        else
          pack(&parts[VERTEX_OWNER(g, w)], VERTEX_LOCAL(g, w), number);
      }
    }
    int *send_starts, *starts, sent, received;
    int64_t* const send = joined(parts, g->size, sizes, &send_starts, &sent);
    MPI_Alltoall(sizes, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    starts = starts_of(counts, g->size, &received);
    int64_t* const receive = (int64_t*)allocate((size_t)received * sizeof(int64_t));
    MPI_Alltoallv(send, sizes, send_starts, MPI_INT64_T, receive, counts, starts, MPI_INT64_T,
                  MPI_COMM_WORLD);
    for (int i = 0; i < received; i += 2)
      visit(s, receive[i], receive[i + 1], next, &waiting);
    free(send), free(receive), free(send_starts), free(starts);
    int64_t* const swapped = queue;
    queue = next, next = swapped, queued = waiting;
    more = queued > 0;
    MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  }
  for (int i = 0; i < g->size; ++i)
    free(parts[i].data);
  free(parts), free(sizes), free(counts), free(queue), free(next);
}

static volatile int64_t ends_seen;

/* Of the search before. */
static void walk_edges(const graph* g, const search_state* s) {
  int64_t sum = 0;
  for (int64_t v = 0; v < g->own; ++v)
    for (int64_t ei = g->row_starts[v]; s->pred[v] != -1 && ei < g->row_starts[v + 1]; ++ei)
      sum += VERTEX_OWNER(g, g->neighbors[ei]) ^ VERTEX_LOCAL(g, g->neighbors[ei]);
  ends_seen = sum;
}

enum way { one_sided, two_sided, coalesced, collective, walk };

static int64_t faults;

static double timed(const graph* g, search_state* s, int64_t root, enum way how, long long factor,
                    long long memory) {
  MPI_Barrier(MPI_COMM_WORLD);
  double time = MPI_Wtime(), slowest;
  if (how == one_sided)
    search(g, s, root);
  else if (how == two_sided)
    search_two_sided(g, s, root);
  else if (how == walk)
    walk_edges(g, s);
  else
    search_coalesced(g, s, root, factor, memory, how == collective ? TACIT_COALESCE_COLLECTIVE : 0);
  time = MPI_Wtime() - time;
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  faults += validate(g, s->pred, root);
  return slowest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 7)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int scale = whole_int(argv[2]), edge_factor = whole_int(argv[3]), rounds = whole_int(argv[4]),
            one_sided_rounds = whole_int(argv[5]);
  const long long memory = whole_number_before(argv[6], "");
  graph g = make_graph(scale, edge_factor);
  search_state s = begin_searches(&g, strcmp(argv[1], "create") == 0);
  timed(&g, &s, pick_root(&g, 1000), two_sided, 0, 0); /* warm */
  for (int r = 0; r < rounds; ++r) {
    const int64_t root = pick_root(&g, (uint64_t)r);
    const double single = r < one_sided_rounds ? timed(&g, &s, root, one_sided, 0, 0) : 0;
    const double messages = timed(&g, &s, root, two_sided, 0, 0);
    const double least = timed(&g, &s, root, walk, 0, 0);
    if (g.rank == 0)
      printf("round %d one_sided %.6f two_sided %.6f walk %.6f", r, single, messages, least);
    for (int i = 7; i < argc; ++i) {
      const double time = timed(&g, &s, root, coalesced, whole_number_before(argv[i], ""), memory);
      if (g.rank == 0)
        printf(" coalesced:%s %.6f", argv[i], time);
    }
    const double together = timed(&g, &s, root, collective, 0, memory);
    if (g.rank == 0)
      printf(" collective %.6f\n", together), fflush(stdout);
  }
  if (g.rank == 0)
    printf("faults %lld edges %lld\n", (long long)faults, (long long)(g.vertices * edge_factor));
  end_searches(&s);
  free_graph(&g);
  MPI_Finalize();
  return faults != 0;
}
