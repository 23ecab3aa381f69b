/* A program outside tacit's source tree: every rank sends one number to every other one; tacit sees an
 * allgather. Prints what was found, then checks the numbers over three runs with changing contents. */
#include <tacit/tacit.h>

#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, wrong = 0, mine, all[256];
  char text[4096];
  tacit_graph graph;
  tacit_schedule schedule;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  tacit_graph_create(MPI_COMM_WORLD, &graph);
  for (int i = 0; i < size && i < 256; i++) {
    tacit_graph_send(graph, &mine, 1, MPI_INT, i, 0, NULL);
    tacit_graph_recv(graph, &all[i], 1, MPI_INT, i, 0, NULL);
  }
  tacit_compile(graph, MPI_INFO_NULL, &schedule);
  tacit_graph_free(&graph);
  tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text, sizeof text, NULL);
  if (rank == 0)
    fputs(text, stderr);

  for (int round = 0; round < 3; round++) {
    mine = 100 * round + rank;
    tacit_run(schedule);
    for (int i = 0; i < size && i < 256; i++)
      wrong += all[i] != 100 * round + i;
  }
  tacit_schedule_free(&schedule);
  if (rank == 0)
    printf("%d ranks, %d wrong numbers\n", size, wrong);
  MPI_Finalize();
  return wrong != 0;
}
