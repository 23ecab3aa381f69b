/* ranks=3
 * Figure 5 of the paper: one level after the other of a breadth-first search, with one-sided operations of one element each. What the
 * paper prints stands here as it is printed, but for the continued lines of the pragma; the rest is ours. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { vertices_each = 480, edges_each = 7, elts_per_queue_bit = 4, ulong_bits = 64, queue_nwords = 2 };
#define VERTEX_OWNER(v) ((int)((v) / vertices_each))
#define VERTEX_LOCAL(v) ((v) % vertices_each)

static struct {
  int rowstarts[vertices_each + 1];
  int64_t column[vertices_each * edges_each];
} g;

static int64_t neighbor(int64_t v, int edge, int64_t vertices) {
  return (v * 31 + edge * edge * 17 + edge * 5 + 1) % vertices;
}

int main(int argc, char** argv) {
  int rank, size, level = 0, i, bitnum, qelem_idx, ei;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int64_t vertices = (int64_t)size * vertices_each;
  int64_t pred[vertices_each], *pred2;
  unsigned long queue[queue_nwords] = {0}, *queue_bitmap2;
  MPI_Win p2_win, q2_win;
  MPI_Win_allocate(sizeof(int64_t) * vertices_each, sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &pred2, &p2_win);
  MPI_Win_allocate(sizeof queue, sizeof(unsigned long), MPI_INFO_NULL, MPI_COMM_WORLD, &queue_bitmap2, &q2_win);
  int64_t local_vertices[vertices_each];
  unsigned long mask[ulong_bits];
  for (i = 0; i < vertices_each; ++i) {
    pred[i] = INT64_MAX;
    local_vertices[i] = (int64_t)rank * vertices_each + i;
    g.rowstarts[i + 1] = (i + 1) * edges_each;
    for (ei = 0; ei < edges_each; ++ei)
      g.column[i * edges_each + ei] = neighbor(local_vertices[i], ei, vertices);
  }
  for (i = 0; i < ulong_bits; ++i)
    mask[i] = 1UL << i;
  if (rank == 0) {
    pred[3] = 3;
    queue[0] = 1;
  }
#pragma mpi osc_coalesce(p2_win,pred2,int64_t,MPI_INT64_T, \
  MPI_COMM_WORLD) (q2_win,queue_bitmap2,unsigned long, \
  MPI_UNSIGNED_LONG,MPI_COMM_WORLD)
  while (1) {
    memcpy(pred2, pred, sizeof pred);
    memset(queue_bitmap2, 0, sizeof queue);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, p2_win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, q2_win);
    for (i = 0; i < queue_nwords; ++i) {
      if (!queue[i])
        continue;
      for (bitnum = 0; bitnum < ulong_bits; ++bitnum) {
        if (!(queue[i] & mask[bitnum]))
          continue;
        for (qelem_idx = 0; qelem_idx < elts_per_queue_bit;
             ++qelem_idx) {
          const int v_local = (i * ulong_bits + bitnum) * elts_per_queue_bit + qelem_idx;
          if (v_local >= vertices_each || pred[v_local] == INT64_MAX)
            continue;
          const int ei_end = g.rowstarts[v_local + 1];
          for (ei = g.rowstarts[v_local]; ei < ei_end; ++ei) {
            const int64_t w = g.column[ei];
            MPI_Accumulate(&local_vertices[v_local],1,MPI_INT64_T,
  VERTEX_OWNER(w),VERTEX_LOCAL(w),1,MPI_INT64_T,MPI_MIN,p2_win);
            MPI_Accumulate(&mask[(VERTEX_LOCAL(w)/elts_per_queue_bit)%ulong_bits],1,MPI_UNSIGNED_LONG,VERTEX_OWNER(w),
  VERTEX_LOCAL(w)/elts_per_queue_bit/ulong_bits,1,MPI_UNSIGNED_LONG,
  MPI_BOR,q2_win);
          }
        }
      }
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, q2_win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, p2_win);
    int changed = memcmp(pred, pred2, sizeof pred) != 0, any = 0;
    memcpy(pred, pred2, sizeof pred);
    memcpy(queue, queue_bitmap2, sizeof queue);
    MPI_Allreduce(&changed, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    ++level;
    if (!any)
      break;
  }
  int64_t sum = 0, all = 0;
  for (i = 0; i < vertices_each; ++i)
    sum += pred[i] == INT64_MAX ? -1 : pred[i] * (i + 1 + rank);
  MPI_Reduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("levels %d, predecessors %lld\n", level, (long long)all);
  MPI_Win_free(&p2_win);
  MPI_Win_free(&q2_win);
  MPI_Finalize();
  return 0;
}
