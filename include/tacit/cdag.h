/* The names of the paper (T. Hoefler, T. Schneider: Runtime Detection and Optimization of Collective
 * Communication Patterns, PACT 2012, section 1.2) on top of tacit.h. Buffers are bytes, peers are ranks of
 * MPI_COMM_WORLD, tags are 0.
 *
 * The paper prints one call as "cDAG CompileGraph(g)", with a space where the underscore belongs. Define
 * TACIT_CDAG_AS_PRINTED before including this header to compile that line, too; it defines the macros cDAG
 * and CompileGraph.
 *
 * Errors are reported as tacit.h says, through the error handler of MPI_COMM_WORLD; functions that return
 * handles return the null handle after an error. */
#ifndef TACIT_CDAG_H
#define TACIT_CDAG_H

#include <tacit/tacit.h>

typedef tacit_graph cDAG_graph;
typedef tacit_schedule cDAG_Schedule;
typedef tacit_op cDAG_op;

#ifdef TACIT_CDAG_AS_PRINTED
#define cDAG
#define CompileGraph cDAG_CompileGraph
#endif

/* An empty graph of this rank. Local. */
static inline cDAG_graph cDAG_CreateGraph(void) {
  tacit_graph graph = TACIT_GRAPH_NULL;
  tacit_graph_create(MPI_COMM_WORLD, &graph);
  return graph;
}

/* Adds a message of `bytes` bytes to rank `peer`; returns the operation, or -1. Local, moves nothing. */
static inline cDAG_op cDAG_Send(cDAG_graph graph, const void* buffer, MPI_Count bytes, int peer) {
  tacit_op op = -1;
  tacit_graph_send(graph, buffer, bytes, MPI_BYTE, peer, 0, &op);
  return op;
}

/* Adds the receive of a message of at most `bytes` bytes from rank `peer`; returns the operation, or -1.
 * Local. */
static inline cDAG_op cDAG_Recv(cDAG_graph graph, void* buffer, MPI_Count bytes, int peer) {
  tacit_op op = -1;
  tacit_graph_recv(graph, buffer, bytes, MPI_BYTE, peer, 0, &op);
  return op;
}

/* `after` starts when `before` has completed. Local. */
static inline int cDAG_Depend(cDAG_graph graph, cDAG_op before, cDAG_op after) {
  return tacit_graph_depend(graph, before, after);
}

/* Detects, transforms and compiles. Collective over MPI_COMM_WORLD. The graph stays usable. */
static inline cDAG_Schedule cDAG_CompileGraph(cDAG_graph graph) {
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
  tacit_compile(graph, MPI_INFO_NULL, &schedule);
  return schedule;
}

/* Runs the schedule once; blocks until it is complete. It can be run again. */
static inline int cDAG_Run(cDAG_Schedule schedule) {
  return tacit_run(schedule);
}

/* Frees the graph. Local. */
static inline int cDAG_FreeGraph(cDAG_graph graph) {
  return tacit_graph_free(&graph);
}

/* Frees the schedule. Collective. */
static inline int cDAG_FreeSchedule(cDAG_Schedule schedule) {
  return tacit_schedule_free(&schedule);
}

#endif
