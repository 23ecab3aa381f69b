/* The graph of Graph500 (R-MAT with its parameters; both directions of every edge, no loops), distributed over processes: vertex v
 * belongs to process v mod p, where it is number v / p. And the validation of a search's tree. */
#ifndef TACIT_EXAMPLE_GRAPH_H
#define TACIT_EXAMPLE_GRAPH_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int rank, size;
  int64_t vertices;    /* of all */
  int64_t own;         /* of this process */
  int64_t* row_starts; /* own + 1 */
  int64_t* neighbors;  /* numbers of all */
} graph;

#define VERTEX_OWNER(g, v) ((int)((v) % (g)->size))
#define VERTEX_LOCAL(g, v) ((v) / (g)->size)
#define VERTEX_GLOBAL(g, local) ((local) * (g)->size + (g)->rank)

/* The same numbers on every machine and for every number of processes (splitmix64). */
static inline uint64_t random_bits(uint64_t seed) {
  uint64_t z = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A permutation of the vertices: the factor is odd. */
static inline int64_t renumbered(int64_t vertex, int scale) {
  const uint64_t mask = ((uint64_t)1 << scale) - 1;
  return (int64_t)(((uint64_t)vertex * 0x2545f4914f6cdd1du + 0x1234567u) & mask);
}

/* Quadrants with probabilities 0.57, 0.19, 0.19, 0.05, one for each bit; then vertices are renumbered, so that those with many
 * edges do not lie together. */
static void rmat_edge(uint64_t number, int scale, int64_t* from, int64_t* to) {
  *from = *to = 0;
  for (int bit = 0; bit < scale; ++bit) {
    const double r = (double)(random_bits(number * 64 + (uint64_t)bit) >> 11) / 9007199254740992.0;
    *from = 2 * *from + (r >= 0.76);
    *to = 2 * *to + ((r >= 0.57 && r < 0.76) || r >= 0.95);
  }
  *from = renumbered(*from, scale);
  *to = renumbered(*to, scale);
}

static void* allocate(size_t bytes) {
  void* const made = malloc(bytes ? bytes : 1);
  if (!made)
    MPI_Abort(MPI_COMM_WORLD, 3);
  return made;
}

/* This process's share of the edges, both directions: calls use(state, from, to). */
static void for_each_edge(int rank, int size, int scale, int64_t edges, void (*use)(void*, int64_t, int64_t),
                          void* state) {
  for (int64_t e = rank; e < edges; e += size) {
    int64_t from, to;
    rmat_edge((uint64_t)e, scale, &from, &to);
    if (from == to)
      continue;
    use(state, from, to);
    use(state, to, from);
  }
}

typedef struct {
  int size;
  int *counts, *filled;
  int64_t* pairs;
} edge_sorter;

static void count_edge(void* state, int64_t from, int64_t to) {
  edge_sorter* const s = (edge_sorter*)state;
  (void)to;
  s->counts[from % s->size] += 2;
}
static void place_edge(void* state, int64_t from, int64_t to) {
  edge_sorter* const s = (edge_sorter*)state;
  int* const at = &s->filled[from % s->size];
  s->pairs[(*at)++] = from;
  s->pairs[(*at)++] = to;
}

static int* starts_of(const int* counts, int size, int* total) {
  int* const starts = (int*)allocate((size_t)size * sizeof(int));
  *total = 0;
  for (int i = 0; i < size; ++i) {
    starts[i] = *total;
    *total += counts[i];
  }
  return starts;
}

static graph make_graph(int scale, int edge_factor) {
  graph g;
  int sent, received;
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.size);
  g.vertices = (int64_t)1 << scale;
  g.own = (g.vertices - g.rank + g.size - 1) / g.size;
  edge_sorter s = {g.size, (int*)calloc((size_t)g.size, sizeof(int)), NULL, NULL};
  for_each_edge(g.rank, g.size, scale, g.vertices * edge_factor, count_edge, &s);
  int* const send_starts = starts_of(s.counts, g.size, &sent);
  s.filled = (int*)allocate((size_t)g.size * sizeof(int));
  memcpy(s.filled, send_starts, (size_t)g.size * sizeof(int));
  s.pairs = (int64_t*)allocate((size_t)sent * sizeof(int64_t));
  for_each_edge(g.rank, g.size, scale, g.vertices * edge_factor, place_edge, &s);
  int* const counts = (int*)allocate((size_t)g.size * sizeof(int));
  MPI_Alltoall(s.counts, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
  int* const starts = starts_of(counts, g.size, &received);
  int64_t* const pairs = (int64_t*)allocate((size_t)received * sizeof(int64_t));
  MPI_Alltoallv(s.pairs, s.counts, send_starts, MPI_INT64_T, pairs, counts, starts, MPI_INT64_T,
                MPI_COMM_WORLD);
  g.row_starts = (int64_t*)calloc((size_t)g.own + 2, sizeof(int64_t));
  g.neighbors = (int64_t*)allocate((size_t)received / 2 * sizeof(int64_t));
  for (int i = 0; i < received; i += 2)
    ++g.row_starts[VERTEX_LOCAL(&g, pairs[i]) + 2];
  for (int64_t v = 2; v < g.own + 2; ++v)
    g.row_starts[v] += g.row_starts[v - 1];
  for (int i = 0; i < received; i += 2)
    g.neighbors[g.row_starts[VERTEX_LOCAL(&g, pairs[i]) + 1]++] = pairs[i + 1];
  free(s.counts), free(s.filled), free(s.pairs), free(send_starts), free(counts), free(starts), free(pairs);
  return g;
}

static void free_graph(graph* g) {
  free(g->row_starts);
  free(g->neighbors);
}

/* A vertex with neighbors, the same everywhere. */
static int64_t pick_root(const graph* g, uint64_t number) {
  for (uint64_t attempt = 0;; ++attempt) {
    const int64_t root = (int64_t)(random_bits(~(number * 1000 + attempt)) % (uint64_t)g->vertices);
    int good = 0;
    if (VERTEX_OWNER(g, root) == g->rank)
      good = g->row_starts[VERTEX_LOCAL(g, root) + 1] > g->row_starts[VERTEX_LOCAL(g, root)];
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (good)
      return root;
  }
}

/* The distance of every vertex from the root along its parents, -1 without one; -2: not a tree. */
static int64_t* levels_of(const int64_t* parent, int64_t vertices, int64_t root) {
  int64_t* const level = (int64_t*)allocate((size_t)vertices * sizeof(int64_t));
  for (int64_t v = 0; v < vertices; ++v)
    level[v] = parent[v] < 0 ? -1 : -2;
  if (parent[root] == root)
    level[root] = 0;
  for (int64_t start = 0; start < vertices; ++start) {
    int64_t length = 0, v = start;
    while (level[v] == -2 && length <= vertices) {
      v = parent[v];
      ++length;
    }
    if (level[v] < 0)
      continue;
    int64_t at = level[v] + length;
    for (v = start; level[v] == -2; v = parent[v])
      level[v] = at--;
  }
  return level;
}

/* Graph500's rules 1 to 5, on every process for its own vertices. `parent`: of own vertices; -1 where the search did not come.
 * The number of faults of all processes. */
static int64_t validate(const graph* g, const int64_t* parent, int64_t root) {
  int64_t faults = 0;
  int* const counts = (int*)allocate((size_t)g->size * sizeof(int));
  int own = (int)g->own, total;
  MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
  int* const starts = starts_of(counts, g->size, &total);
  int64_t* const gathered = (int64_t*)allocate((size_t)total * sizeof(int64_t));
  int64_t* const all = (int64_t*)allocate((size_t)total * sizeof(int64_t));
  MPI_Allgatherv(parent, own, MPI_INT64_T, gathered, counts, starts, MPI_INT64_T, MPI_COMM_WORLD);
  memset(all, -1, (size_t)total * sizeof(int64_t));
  for (int64_t v = 0; v < g->vertices; ++v) {
    all[v] = gathered[starts[v % g->size] + v / g->size];
    if (all[v] >= g->vertices || all[v] < -1)
      all[v] = -1, ++faults;
  }
  int64_t* const level = levels_of(all, g->vertices, root);
  faults += level[root] != 0;
  for (int64_t local = 0; local < g->own; ++local) {
    const int64_t v = VERTEX_GLOBAL(g, local);
    int has_edge = v == root || all[v] < 0;
    for (int64_t e = g->row_starts[local]; e < g->row_starts[local + 1]; ++e) {
      const int64_t w = g->neighbors[e];
      has_edge |= all[v] == w && level[v] == level[w] + 1;
      faults += (level[v] < 0) != (level[w] < 0) || level[v] > level[w] + 1 || level[w] > level[v] + 1;
    }
    faults += !has_edge || level[v] == -2;
  }
  free(counts), free(starts), free(gathered), free(all), free(level);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return faults;
}

/* Edges that a search looks at, for edges per second: those of the tree's vertices, once for both directions. */
static inline int64_t edges_seen(const graph* g, const int64_t* parent) {
  int64_t edges = 0;
  for (int64_t local = 0; local < g->own; ++local)
    if (parent[local] >= 0)
      edges += g->row_starts[local + 1] - g->row_starts[local];
  MPI_Allreduce(MPI_IN_PLACE, &edges, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return edges / 2;
}

#endif
