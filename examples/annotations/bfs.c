/* Breadth-first search by one-sided communication, after the one-sided code of Graph500 and Figure 5a of seed 003: for every edge
 * that leaves the current level two accumulates of one element each. Without the pragma's transformation it is correct and slow.
 *
 *     bfs [scale [edges per vertex [searches [create]]]] */
#include "graph.h"

enum { ulong_bits = 8 * sizeof(unsigned long) };

typedef struct {
  int64_t *pred, *pred2;
  unsigned long *queue_bitmap, *queue_bitmap2;
  int64_t queue_nwords;
  MPI_Win p2_win, q2_win;
  int created; /* not by MPI */
} search_state;

/* Windows of MPI's own memory, or of memory that is given, as Graph500 has them. The latter Open MPI makes only where processes of
 * a node may read each other's memory, and then every access goes through the kernel. */
static void* make_window(size_t length, int bytes, int created, MPI_Win* win) {
  void* memory;
  if (created) {
    MPI_Alloc_mem((MPI_Aint)(length * (size_t)bytes), MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, (MPI_Aint)(length * (size_t)bytes), bytes, MPI_INFO_NULL, MPI_COMM_WORLD, win);
  } else {
    MPI_Win_allocate((MPI_Aint)(length * (size_t)bytes), bytes, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, win);
  }
  return memory;
}

static search_state begin_searches(const graph* g, int created) {
  search_state s;
  s.created = created;
  s.queue_nwords = (g->own + ulong_bits - 1) / ulong_bits;
  s.pred = (int64_t*)allocate((size_t)g->own * sizeof(int64_t));
  s.queue_bitmap = (unsigned long*)allocate((size_t)s.queue_nwords * sizeof(unsigned long));
  s.pred2 = (int64_t*)make_window((size_t)g->own, sizeof(int64_t), created, &s.p2_win);
  s.queue_bitmap2 =
      (unsigned long*)make_window((size_t)s.queue_nwords, sizeof(unsigned long), created, &s.q2_win);
  return s;
}

static void end_searches(search_state* s) {
  MPI_Win_free(&s->p2_win);
  MPI_Win_free(&s->q2_win);
  if (s->created) {
    MPI_Free_mem(s->pred2);
    MPI_Free_mem(s->queue_bitmap2);
  }
  free(s->pred);
  free(s->queue_bitmap);
}

/* What came becomes the next level; zero if nothing did. */
static int next_level(const graph* g, search_state* s) {
  int more = 0;
  for (int64_t i = 0; i < s->queue_nwords; ++i) {
    unsigned long word = s->queue_bitmap2[i];
    for (int bit = 0; bit < ulong_bits && word >> bit; ++bit) {
      const int64_t v = i * ulong_bits + bit;
      if (!(word >> bit & 1))
        continue;
      if (s->pred[v] == -1)
        s->pred[v] = s->pred2[v], more = 1;
      else
        word &= ~(1ul << bit);
    }
    s->queue_bitmap[i] = word;
    s->queue_bitmap2[i] = 0;
  }
  for (int64_t v = 0; v < g->own; ++v)
    s->pred2[v] = INT64_MAX;
  MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return more;
}

static void begin_search(const graph* g, search_state* s, int64_t root) {
  for (int64_t v = 0; v < g->own; ++v)
    s->pred[v] = -1, s->pred2[v] = INT64_MAX;
  for (int64_t i = 0; i < s->queue_nwords; ++i)
    s->queue_bitmap[i] = s->queue_bitmap2[i] = 0;
  if (VERTEX_OWNER(g, root) == g->rank) {
    s->pred[VERTEX_LOCAL(g, root)] = root;
    s->queue_bitmap[VERTEX_LOCAL(g, root) / ulong_bits] |= 1ul << (VERTEX_LOCAL(g, root) % ulong_bits);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void search(const graph* graph_, search_state* s, int64_t root) {
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
  // clang-format off
#pragma mpi osc_coalesce(p2_win, pred2, int64_t, MPI_INT64_T, MPI_COMM_WORLD) \
                        (q2_win, queue_bitmap2, unsigned long, MPI_UNSIGNED_LONG, MPI_COMM_WORLD) collective
  // clang-format on
  while (1) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, p2_win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, q2_win);
    for (i = 0; i < queue_nwords; ++i) {
      if (queue_bitmap[i] == 0)
        continue;
      for (bitnum = 0; bitnum < ulong_bits; ++bitnum) {
        if ((queue_bitmap[i] & mask[bitnum]) == 0)
          continue;
        v_local = i * ulong_bits + bitnum;
        for (ei = g.row_starts[v_local]; ei < g.row_starts[v_local + 1]; ++ei) {
          w = g.neighbors[ei];
          MPI_Accumulate(&local_vertices[v_local], 1, MPI_INT64_T, VERTEX_OWNER(&g, w), VERTEX_LOCAL(&g, w),
                         1, MPI_INT64_T, MPI_MIN, p2_win);
          MPI_Accumulate(&mask[VERTEX_LOCAL(&g, w) % ulong_bits], 1, MPI_UNSIGNED_LONG, VERTEX_OWNER(&g, w),
                         VERTEX_LOCAL(&g, w) / ulong_bits, 1, MPI_UNSIGNED_LONG, MPI_BOR, q2_win);
        }
      }
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, q2_win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, p2_win);
    if (!next_level(&g, s))
      break;
  }
  free(local_vertices);
}

#ifndef TACIT_NO_MAIN /* bench/papers/s4 measures `search` beside others */
int main(int argc, char** argv) {
  const int scale = argc > 1 ? atoi(argv[1]) : 10;
  const int edge_factor = argc > 2 ? atoi(argv[2]) : 12;
  const int searches = argc > 3 ? atoi(argv[3]) : 4;
  int64_t faults = 0, edges = 0;
  double seconds = 0;
  MPI_Init(&argc, &argv);
  graph g = make_graph(scale, edge_factor);
  search_state s = begin_searches(&g, argc > 4 && strcmp(argv[4], "create") == 0);
  for (int n = 0; n < searches; ++n) {
    const int64_t root = pick_root(&g, (uint64_t)n);
    const double start = MPI_Wtime();
    search(&g, &s, root);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds += MPI_Wtime() - start;
    edges += edges_seen(&g, s.pred);
    faults += validate(&g, s.pred, root);
  }
  if (g.rank == 0)
    printf("bfs: %d searches of 2^%d vertices on %d processes, %.3g edges a second, %lld faults: %s\n",
           searches, scale, g.size, (double)edges / seconds, (long long)faults, faults ? "WRONG" : "OK");
  end_searches(&s);
  free_graph(&g);
  MPI_Finalize();
  return faults != 0;
}
#endif
