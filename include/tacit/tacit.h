/* tacit: communication graphs that are compiled into schedules.
 *
 * A graph says what every rank sends, receives, copies, combines and computes, and in which order. tacit_compile finds
 * out what the whole graph means as a movement of data, recognises MPI's collective operations in it, and
 * makes a schedule that does the same thing: the same bytes at the same addresses, and nothing else written.
 * Every schedule is checked by replay before it is returned; a graph that cannot be replaced runs as written,
 * and tacit_explain says why. docs/graphs.md tells all of this at length. (T. Hoefler, T. Schneider: Runtime
 * Detection and Optimization of Collective Communication Patterns, PACT 2012.)
 *
 *     tacit_graph graph;
 *     tacit_schedule schedule;
 *     tacit_graph_create(MPI_COMM_WORLD, &graph);
 *     for (int i = 0; i < size; i++) {
 *         tacit_graph_send(graph, &out[i], 1, MPI_DOUBLE, i, 0, NULL);
 *         tacit_graph_recv(graph, &in[i], 1, MPI_DOUBLE, i, 0, NULL);
 *     }
 *     tacit_compile(graph, MPI_INFO_NULL, &schedule);   // an alltoall
 *     tacit_graph_free(&graph);
 *     while (...) { fill(out); tacit_run(schedule); use(in); }
 *     tacit_schedule_free(&schedule);
 *
 * Errors. Every function returns TACIT_SUCCESS or one of the codes below. Before an error is returned, the
 * error handler of the graph's communicator is called (of MPI_COMM_WORLD if there is no valid handle) with an
 * MPI error code of tacit's own class, whose string says what is wrong; so with MPI_ERRORS_ARE_FATAL, MPI's
 * default, the program aborts, and with MPI_ERRORS_RETURN it goes on. tacit_last_error gives the whole text:
 * it names rank, operation, bytes and remedy. An error in the graph of one rank is an error of tacit_compile
 * on all ranks, with the same text.
 *
 * Threads. The library starts no thread (but one for tacit_background, which calls nothing of MPI; MPI's standard
 * wants MPI_THREAD_FUNNELED there) and asks nothing of MPI beyond the level the program has chosen.
 * Under MPI_THREAD_MULTIPLE different threads may use different graphs and schedules at the same time; one
 * graph or one schedule must not be used by two threads at once. Below that level all calls must come as
 * MPI's rules for that level say. Collective functions must be called in the same order on all ranks of a
 * communicator.
 *
 * Progress. A schedule advances inside tacit_start, tacit_test, tacit_wait and tacit_run. Waiting for one
 * schedule advances all schedules of the process that have been started.
 *
 * Calls are allowed between MPI_Init and MPI_Finalize. After MPI_Finalize only the functions that free may be
 * called.
 */
#ifndef TACIT_TACIT_H
#define TACIT_TACIT_H

#include <mpi.h>
#include <stddef.h>

#define TACIT_VERSION_MAJOR 0
#define TACIT_VERSION_MINOR 1
#define TACIT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* What one rank contributes to a communication graph. */
typedef struct tacit_graph_s* tacit_graph;
/* A compiled graph: like a persistent request, started and completed any number of times. */
typedef struct tacit_schedule_s* tacit_schedule;
/* An operation of the local graph: 0, 1, 2 ... in order of creation. */
typedef int tacit_op;
/* A communicator in the local graph: TACIT_COMM_GRAPH, or one that tacit_graph_add_comm gave. */
typedef int tacit_comm;
#define TACIT_COMM_GRAPH 0

#define TACIT_GRAPH_NULL ((tacit_graph)0)
#define TACIT_SCHEDULE_NULL ((tacit_schedule)0)

/* Return codes. */
enum {
  TACIT_SUCCESS = 0,
  TACIT_ERR_ARGUMENT = 1,    /* null handle, negative count, rank or tag out of range ... */
  TACIT_ERR_GRAPH = 2,       /* the graph as a whole is malformed: unmatched, cyclic, racing ... */
  TACIT_ERR_STATE = 3,       /* schedule is active, MPI is not running, call from a computation */
  TACIT_ERR_MPI = 4,         /* an MPI function failed */
  TACIT_ERR_MEMORY = 5,      /* out of memory */
  TACIT_ERR_ENVIRONMENT = 6, /* info key or TACIT_ variable unknown or not understood */
  TACIT_ERR_INTERNAL = 7     /* a bug in tacit */
};

/* Forms of tacit_explain. */
enum { TACIT_EXPLAIN_TEXT = 0, TACIT_EXPLAIN_JSON = 1 };

/* ==================================================================================================
 * Graphs
 *
 * All functions of this section but tacit_graph_add_comm are local and do not block. They only describe: no
 * data is read or written before the schedule runs. Buffers are given as in MPI, as address, count and
 * datatype; the datatype is read at once, need not be committed and may be freed afterwards. Buffers must
 * stay where they are as long as the schedule is used. Ranks are ranks of the graph's communicator. `op`,
 * where the name of the new operation is stored, may be NULL.
 *
 * Errors of all functions: TACIT_ERR_ARGUMENT, TACIT_ERR_STATE (MPI not running, call from a computation,
 * in which only tacit_graph_free is allowed) and TACIT_ERR_MEMORY. A function that fails adds nothing;
 * tacit_compile then fails on all ranks with the first such error, so that it is safe to check only there. */

/* Makes an empty graph for this rank. `comm` must be an intracommunicator; it is used until tacit_compile,
 * which reports TACIT_ERR_ARGUMENT if it has been freed before. Errors: TACIT_ERR_ARGUMENT (null or
 * intercommunicator), TACIT_ERR_STATE (MPI not running), TACIT_ERR_MEMORY, TACIT_ERR_MPI. */
int tacit_graph_create(MPI_Comm comm, tacit_graph* graph);

/* Frees the graph and sets it to TACIT_GRAPH_NULL. Schedules made from it stay valid. Freeing the null handle
 * is allowed and does nothing. */
int tacit_graph_free(tacit_graph* graph);

/* Sends `count` elements to rank `dest`; with MPI_PROC_NULL nothing happens, whatever the buffer is, and *op
 * becomes an operation that does nothing. Completes when the buffer has been read. The k-th send and the k-th receive between two
 * ranks with one tag belong together, in order of creation. A message without bytes moves no data but
 * orders: the receiver waits for the sender, and this order is kept in every schedule. Tags are 0 ...
 * INT_MAX. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_send(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                     int tag, tacit_op* op);

/* Receives into `buf` from rank `source`; with MPI_PROC_NULL nothing happens. The message may be shorter than
 * the buffer; longer is an error of the graph. MPI_ANY_SOURCE and MPI_ANY_TAG are refused: which message they
 * take depends on time, and a graph has one meaning. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_recv(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                     int tag, tacit_op* op);

/* Makes a further communicator known to the graph: its messages match among themselves, and collectives are
 * looked for in its group, too, as in the groups of all others. All members must be in the graph's
 * communicator. A communicator that was added may be added again: it counts as another one, like a duplicate,
 * and so does the graph's own. Collective over `comm` (the only function of this section that is): all its
 * members add it to their part of one graph; an error of one is an error of all. `comm` may be freed
 * afterwards. Errors: TACIT_ERR_ARGUMENT, TACIT_ERR_MEMORY, TACIT_ERR_MPI. */
int tacit_graph_add_comm(tacit_graph graph, MPI_Comm comm, tacit_comm* added);

/* As tacit_graph_send, tacit_graph_recv and tacit_graph_fence, on a communicator of the graph: `dest` and
 * `source` are ranks in it, and only its members fence. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_send_on(tacit_graph graph, tacit_comm comm, const void* buf, MPI_Count count,
                        MPI_Datatype datatype, int dest, int tag, tacit_op* op);
int tacit_graph_recv_on(tacit_graph graph, tacit_comm comm, void* buf, MPI_Count count, MPI_Datatype datatype,
                        int source, int tag, tacit_op* op);
int tacit_graph_fence_on(tacit_graph graph, tacit_comm comm, tacit_op* op);

/* Writes `count` elements at `buf` to rank `target`, at `target_address` in its memory (absolute, as
 * MPI_Get_address gives it there) in the layout of `target_count` elements of `target_datatype`, of equal
 * size. The target adds nothing to its own graph; tacit_graph_fence orders one-sided operations with the
 * target's own. With MPI_PROC_NULL nothing happens, and what is said of its memory is not looked at. Errors:
 * TACIT_ERR_ARGUMENT. Source: section 2.1 of the paper. */
int tacit_graph_put(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype, int target,
                    MPI_Aint target_address, MPI_Count target_count, MPI_Datatype target_datatype,
                    tacit_op* op);

/* The reverse of tacit_graph_put: reads from rank `target` into `buf`. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_get(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype, int target,
                    MPI_Aint target_address, MPI_Count target_count, MPI_Datatype target_datatype,
                    tacit_op* op);

/* Copies locally. Source and destination have equal size and may overlap: everything is read before anything
 * is written. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_copy(tacit_graph graph, const void* from, MPI_Count from_count, MPI_Datatype from_datatype,
                     void* to, MPI_Count to_count, MPI_Datatype to_datatype, tacit_op* op);

/* Combines locally, as MPI_Reduce_local does: into[i] = from[i] op into[i]. `operation` is any operator that
 * MPI_Reduce_local takes for the datatype, the program's own ones included; it must not be freed as long as
 * the schedule is used. The operands must not overlap. A schedule combines in the order of the graph, or in
 * that of a collective (MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter, MPI_Scan, MPI_Exscan) where no order
 * changes a bit, as with MPI's operators on integers (but sums and products of 8 and 16 bits, which libraries
 * let overflow in more than one way), or where tacit_allow_reassociation permits other bits. Other
 * sums and products in floating point may be combined elsewhere, in the order of the graph, so with its bits
 * (which of two NaNs is left is not promised).
 * Operators of the program keep the order; they are called on the thread that progresses the schedule, never
 * two at once, and must not communicate (for those of all ranks see tacit_graph_add_operator). Messages and
 * copies that no reduction touches, directly or through others, are replaced as if it were not there. Errors:
 * TACIT_ERR_ARGUMENT (no operator, or one of MPI's that does not combine such elements; operands that overlap are
 * reported by tacit_compile), TACIT_ERR_MPI. */
int tacit_graph_reduce(tacit_graph graph, const void* from, void* into, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op operation, tacit_op* op);

/* As tacit_graph_recv, but what arrives is combined with what is in the buffer: buf[i] = message[i] op buf[i].
 * The message consists of whole elements and may be shorter than the buffer; the rest then stays as it is. It is
 * received as early as it comes, into memory of the schedule: only combining waits for what the operation depends
 * on, so that two ranks may both send to each other before they receive. The second one is on a communicator of
 * the graph, as tacit_graph_recv_on. Errors: those of tacit_graph_reduce. */
int tacit_graph_recv_reduce(tacit_graph graph, void* buf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Op operation, int source, int tag, tacit_op* op);
int tacit_graph_recv_reduce_on(tacit_graph graph, tacit_comm comm, void* buf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op operation, int source, int tag, tacit_op* op);

/* Says that `operation`, a function of the program, is the same one on all ranks, on elements of `datatype`, so
 * that collectives may combine by it, also with ranks that only send. To be called before the operations that use
 * it; the operator must stay valid as long as the schedule is used, the datatype as long as the graph. In which
 * order a function rounds is not known, so tacit_allow_reassociation must permit collectives (MPI takes every
 * operator to be associative); operators that do not commute, as MPI_Op_create was told, keep the order of the
 * ranks. A collective of MPI calls the function on any thread that is inside MPI, several at once if the program
 * has several there, for as many elements at a time as it likes, and need not give all ranks the same bits if the
 * function commutes only nearly. Elements with gaps or of several pieces, and those longer than 2^31 - 1 bytes, are
 * combined as written. MPI's own operators need it only on datatypes that tacit does not know. Without this call such
 * reductions run as written (TACIT-055). Collective over the graph's communicator; blocks; an error of one rank is an
 * error of all, but for a null graph handle, which leaves the others waiting. Errors: TACIT_ERR_ARGUMENT (no
 * operator or datatype; elements of different lengths; an operator that commutes on one rank only; MPI's own on one
 * rank only; the communicator has been freed), TACIT_ERR_MEMORY, TACIT_ERR_MPI. */
int tacit_graph_add_operator(tacit_graph graph, MPI_Op operation, MPI_Datatype datatype);

/* A computation of the program: `function(context)` is called each time the schedule runs, after everything
 * it depends on, on the thread that progresses the schedule. It must touch no other bytes than the ones given
 * (several buffers: tacit_graph_computew), must not communicate and must not call tacit. What
 * communicates before, between and behind computations is replaced as if they ended stages (tacit_graph_stage,
 * below) where that is predicted to be faster, whatever the computations take, if each of them depends on all that its
 * rank receives before it, and all that is sent behind it depends on it: what goes on beside messages stays beside them.
 * Messages and copies are replaced as well if no byte of theirs is touched by a computation, directly or through others, and no
 * computation depends on them or they on one; not where messages without bytes or tacit_policy=keep_sync keep orders.
 * All stays as written with tacit_progress=as_written, beside one-sided operations and fences, where ranks take turns, as in
 * a wave, where messages of two ranks wait for each other in a circle, and where calls of tacit_graph_stage do not fit.
 * Errors: TACIT_ERR_ARGUMENT. */
typedef void tacit_compute_function(void* context);
int tacit_graph_compute(tacit_graph graph, tacit_compute_function* function, void* context, const void* reads,
                        MPI_Count read_count, MPI_Datatype read_datatype, void* writes, MPI_Count write_count,
                        MPI_Datatype write_datatype, tacit_op* op);

/* As tacit_graph_send_on, tacit_graph_recv_on, tacit_graph_copy and tacit_graph_compute, on several buffers in place of
 * one: piece i is counts[i] elements of datatypes[i] at addresses[i], which is absolute, as MPI_Get_address gives it. They
 * mean what one struct datatype of all pieces on MPI_BOTTOM means: bytes follow each other in the order of the pieces, and
 * both ends of a message or copy may be cut otherwise. The arrays are read at once. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_sendw(tacit_graph graph, tacit_comm comm, int pieces, const MPI_Aint addresses[],
                      const MPI_Count counts[], const MPI_Datatype datatypes[], int dest, int tag,
                      tacit_op* op);
int tacit_graph_recvw(tacit_graph graph, tacit_comm comm, int pieces, const MPI_Aint addresses[],
                      const MPI_Count counts[], const MPI_Datatype datatypes[], int source, int tag,
                      tacit_op* op);
int tacit_graph_copyw(tacit_graph graph, int from_pieces, const MPI_Aint from_addresses[],
                      const MPI_Count from_counts[], const MPI_Datatype from_datatypes[], int to_pieces,
                      const MPI_Aint to_addresses[], const MPI_Count to_counts[],
                      const MPI_Datatype to_datatypes[], tacit_op* op);
int tacit_graph_computew(tacit_graph graph, tacit_compute_function* function, void* context, int read_pieces,
                         const MPI_Aint read_addresses[], const MPI_Count read_counts[],
                         const MPI_Datatype read_datatypes[], int write_pieces,
                         const MPI_Aint write_addresses[], const MPI_Count write_counts[],
                         const MPI_Datatype write_datatypes[], tacit_op* op);

/* As tacit_graph_recv_reduce_on, into several buffers: piece i is counts[i] elements of `datatype` at addresses[i], and the
 * message is combined with them in the order of the pieces. For tacit_graph_reduce, puts, gets and scratch memory call those
 * once for each buffer: it means the same. Errors: those of tacit_graph_reduce. */
int tacit_graph_recv_reducew(tacit_graph graph, tacit_comm comm, int pieces, const MPI_Aint addresses[],
                             const MPI_Count counts[], MPI_Datatype datatype, MPI_Op operation, int source,
                             int tag, tacit_op* op);

/* Everything that any rank created before its k-th fence, one-sided operations included, completes before
 * anything that any rank created after its k-th fence starts. Every rank must create equally many fences;
 * they need no dependencies. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_fence(tacit_graph graph, tacit_op* op);

/* Ends a stage: everything that this rank created before completes before anything that it creates later starts, without a
 * dependency for each pair. No other rank is waited for. If all ranks that do anything have equally many stages and every message
 * has both its ends in one of them, each stage is also looked at by itself: the two transposes of a pencil decomposition are then two
 * alltoalls. Computations end stages without being asked to. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_stage(tacit_graph graph, tacit_op* op);

/* Says that `before` has completed before `after` starts; `before` must have been created first. Operations
 * without dependency are concurrent, in whatever order they were created. Errors: TACIT_ERR_ARGUMENT. */
int tacit_graph_depend(tacit_graph graph, tacit_op before, tacit_op after);

/* Declares bytes whose contents nobody reads after the schedule: intermediate buffers. Whether they are
 * written is then left to the schedule, which makes more graphs replaceable by less communication. Errors:
 * TACIT_ERR_ARGUMENT. */
int tacit_graph_scratch(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype);

/* Declares bytes whose contents are read after the schedule. If any rank declares some, all other bytes of
 * all ranks are scratch; if none does, everything that the graph writes is live. Errors:
 * TACIT_ERR_ARGUMENT. */
int tacit_graph_live_out(tacit_graph graph, const void* buf, MPI_Count count, MPI_Datatype datatype);

/* ==================================================================================================
 * Schedules */

/* Compiles the graphs of all ranks into one schedule. Collective over the graph's communicator; blocks. The
 * graph is not changed and may be freed or compiled again. The schedule communicates on communicators of its
 * own; the graph's communicator may be freed. Errors of the schedule call the error handler that it has now,
 * with a communicator of the schedule.
 *
 * Of a graph that the communicator keeps (tacit_graphs_kept) nothing is gathered. Other graphs are gathered to
 * rank 0, analysed there, and every rank gets its part; time and memory on rank 0 grow with the sum of all
 * graphs. If some rank has 4,096 operations or more, and there are three ranks or more, and sends, receives and
 * copies of bytes alone, all ranks first look at their own parts together (tacit_compile, below). If all is one
 * collective of all ranks, nothing is gathered. Else, if nothing is wrong with any part, and no more transfers
 * are left than the graph has operations, rank 0 gets what moves in the end. It gets the graph in all other cases,
 * and where nothing that replaces the graph follows from what moves (docs/graphs.md).
 *
 * Compiling declares the region collective: like a collective operation of MPI, the schedule may make any
 * rank wait for any other one, whether or not the graph does. So every rank must start its schedule without
 * waiting for another rank to complete its own; a rank that starts late delays others. Example: rank 0 sends
 * a buffer to all others, which is replaced by a broadcast, and rank 1 starts its schedule only after it has
 * got a message that rank 7 sends when its own schedule is complete. As written this ends, because rank 7
 * needs nothing from rank 1. With the broadcast it may hang, because MPI may reach rank 7 through rank 1 (on
 * 8 ranks under Open MPI it does hang). A program that does such things says tacit_progress=as_written.
 *
 * Info keys (rank 0's values count; the environment variable overrides the key):
 *
 *   key             variable               values
 *   tacit_policy    TACIT_POLICY           data (default): keep the orders that messages without bytes and
 *                                          fences express, and relax those that only data implies;
 *                                          keep_sync: every rank waits at least for the ranks for which it
 *                                          waits in the graph
 *   tacit_progress  TACIT_GRAPH_PROGRESS   collective (default): as above; as_written: no rank may wait for
 *                                          one for which it does not wait in the graph, whatever MPI buffers.
 *                                          Collectives then replace messages only where all members wait for
 *                                          each other, and graphs in which a sender would have to wait for a
 *                                          receiver of which it hears nothing run as written (TACIT-045)
 *   tacit_driver    TACIT_DRIVER           shm, coll, pcoll (MPI's persistent collectives), p2p, rma (one-sided)
 *                                          or dry (does nothing, not even copies); without it what is
 *                                          predicted to be fastest. mpi, which concerns
 *                                          neighborhood collectives, is allowed and ignored
 *   tacit_plan      TACIT_PLAN             the plan to take, by the name that tacit_explain has for it: "as written",
 *                                          "straight messages", "collectives", "binomial", ...; without it what is
 *                                          predicted to be fastest
 *   tacit_density   TACIT_DENSITY          0 ... 1 (default 0.75): the share of pairs that a vector collective
 *                                          must have
 *   tacit_budget    TACIT_BUDGET           what the analysis may take before it gives up: fragments moved, or
 *                                          memory such as 512MiB
 *   tacit_replace   TACIT_REPLACE          true (default): where that is predicted to be faster, and what all ranks
 *                                          compile together (tacit_compile) wherever possible, as nobody knows
 *                                          there what the graph as written would take; always: wherever possible;
 *                                          false: run the graph as written
 *   tacit_allow_reassociation  TACIT_ALLOW_REASSOCIATION   false (default), or true: reductions that round, as sums
 *                                          in floating point do, may be replaced by collectives of MPI, which
 *                                          combine in an order of their own
 *   tacit_compile   TACIT_COMPILE          auto (default): as above; central: rank 0 analyses all graphs;
 *                                          distributed: all ranks first look at their own parts, however few
 *                                          operations they have. tacit_explain says who did it, and why
 *   tacit_patterns  TACIT_PATTERNS         a file with descriptions of patterns (docs/patterns.md), which rank 0
 *                                          reads; tacit_explain says which of them the graph has
 *   tacit_tune      TACIT_TUNE             auto (default): of a graph that as written by MPI's messages is
 *                                          predicted to take 5 us or more, after ten runs up to 500 of each try
 *                                          what was chosen, the graph as written by MPI's messages unless it
 *                                          is predicted to take more than ten times as long, and others, six
 *                                          in all: the cheapest three through memory that are predicted to take
 *                                          at most four times as long, and what else is predicted to take at
 *                                          most twice as long. Beside what was chosen none of more than 512
 *                                          steps a rank, of more than 64 at most four in all, and of graphs of
 *                                          more than 10,000 operations mostly no algorithms;
 *                                          all ranks go on with what was chosen unless
 *                                          another one is faster by more than 3 %. They try again after a hundred
 *                                          times as many runs, and after twice as many each time nothing
 *                                          has changed, what was not four times as slow; so it all
 *                                          stays prepared. Not of graphs that rely on
 *                                          buffers of MPI, of reductions with tacit_allow_reassociation, of what
 *                                          all ranks compile together or rank 0 in the background, of kept graphs
 *                                          that were used again more than three times and have to connect anew,
 *                                          with tacit_driver, tacit_plan or tacit_replace=always,
 *                                          and of no more than 256 schedules at a time (docs/graphs.md). On: the first
 *                                          runs try the graph as written, MPI's collectives and what else is
 *                                          predicted to be fast, and all ranks go on with the fastest (the graph
 *                                          as written unless another one is faster by more than 3 %).
 *                                          The 16th run after each trial, and tacit_schedule_free before it,
 *                                          may wait until all ranks have started the last one, so there are none
 *                                          with tacit_progress as_written.
 *                                          Rank 0 keeps what "on" measured in a file beside the machine model,
 *                                          and later runs that compile an equal graph on as many ranks, which
 *                                          share nodes alike, take what was fastest without measuring; "again"
 *                                          measures all the same. Off: predictions alone decide. tacit_explain
 *                                          has the times, and on rank 0 what became of the file
 *   tacit_graphs_kept  TACIT_GRAPHS_KEPT   0 ... 31 (default 16): how many compiled graphs a communicator keeps.
 *                                          A graph that is equal on all ranks to one of them (operations,
 *                                          bytes, dependencies, options) is not compiled again; its buffers
 *                                          may lie elsewhere. tacit_explain says "kept:" then
 *   tacit_background  TACIT_BACKGROUND     off (default), or on: returns as soon as it is known that nothing is
 *                                          wrong with the graph, which runs as written while a thread of rank 0
 *                                          finds out what it means. Runs 1, 2, 4 ... 64, 128, 192 ... of the
 *                                          schedule then ask rank 0, and are complete when all ranks have
 *                                          started them. When it has a result, all ranks connect while further
 *                                          runs go on as written, and then go over to the new form at the same
 *                                          run; nobody waits for that. The thread calls nothing of MPI and
 *                                          nothing of the program's. Where
 *                                          it is not possible (with tacit_tune on or again, tacit_plan, tacit_replace false,
 *                                          tacit_progress as_written, tacit_driver rma, tacit_compile
 *                                          distributed) the whole graph is compiled at once. tacit_explain says
 *                                          "analysis:", and which run. Such a schedule is not kept
 *                                          (tacit_graphs_kept), but takes the steps of an equal graph that is
 *
 * Other keys are ignored, unless they start with tacit_ and nothing of tacit knows them, which is an error. What
 * messages cost is said by the variable TACIT_MESSAGE_COST alone: the key tacit_message_cost is ignored here.
 * (TACIT_PROGRESS is another matter: it says who progresses messages, docs/neighborhood.md.)
 *
 * Errors, equal on all ranks: TACIT_ERR_GRAPH, TACIT_ERR_ENVIRONMENT, TACIT_ERR_MEMORY, TACIT_ERR_MPI, and
 * that of the first call on the graph that failed (TACIT_ERR_ARGUMENT, TACIT_ERR_STATE); a rank that fails
 * alone, for want of memory or in MPI, is named. Errors of the calling rank alone: a null graph handle, which
 * names no communicator, and a graph whose communicator has been freed (TACIT_ERR_ARGUMENT). */
int tacit_compile(tacit_graph graph, MPI_Info info, tacit_schedule* schedule);

/* Starts the schedule: local, does not block. From now on, until completion, buffers that it reads must not
 * be written and buffers that it writes must not be touched. All ranks must start it, equally often, and none
 * may wait for another one's schedule to complete before (see tacit_compile); several schedules may be under
 * way. Errors: TACIT_ERR_STATE if it is active, TACIT_ERR_MPI. A schedule in which MPI has failed on this
 * rank, here or below, is neither active nor complete: every further call reports the same error, its buffers
 * are undefined, and it can only be freed. Other ranks are not told, as in MPI, and may wait for this one. */
int tacit_start(tacit_schedule schedule);

/* Progresses; *flag becomes 1 if the schedule is complete or was not active, else 0 (also after an error).
 * Local, does not block. Errors: TACIT_ERR_ARGUMENT (no place for the flag), TACIT_ERR_MPI. */
int tacit_test(tacit_schedule schedule, int* flag);

/* Blocks until the schedule is complete; returns at once if it was not active. Not collective, but completes
 * only if the other ranks have started the schedule, too. Errors: TACIT_ERR_MPI. */
int tacit_wait(tacit_schedule schedule);

/* Does tacit_start, then tacit_wait; blocks. Errors of both. */
int tacit_run(tacit_schedule schedule);

/* Frees the schedule and sets it to TACIT_SCHEDULE_NULL. Collective over its communicator if tacit_compile
 * made it (it frees communicators), local if it belongs to a neighborhood collective. The null handle is
 * allowed. Errors: TACIT_ERR_STATE if it is active; it is then not freed. */
int tacit_schedule_free(tacit_schedule* schedule);

/* Tells what was found, what was left alone and why, and what this rank does when the schedule runs. Writes
 * at most `size` bytes with the terminating zero into `text` (which may be NULL if size is 0), and to
 * *needed, if not NULL, the bytes that the whole text takes with its zero. `format` is TACIT_EXPLAIN_TEXT or
 * TACIT_EXPLAIN_JSON. Local. Errors: TACIT_ERR_ARGUMENT. */
int tacit_explain(tacit_schedule schedule, int format, char* text, size_t size, size_t* needed);

/* ==================================================================================================
 * Neighborhood collectives
 *
 * The five neighborhood collectives of MPI with MPI's argument order, on communicators with a Cartesian,
 * graph or distributed graph topology, or with one of the topologies below. They mean what MPI-4.1 section
 * 8.6 says, also where MPI libraries are wrong: on periodic dimensions of size 1 and 2 the block sent in
 * slot s arrives in slot s^1 of its dimension (Example 8.10), parallel edges of a graph match k-th to k-th,
 * and the receive block of an open boundary (MPI_PROC_NULL) is not touched. Any datatype and MPI_BOTTOM may
 * be used, MPI_IN_PLACE may not.
 *
 * All members of the communicator must call the same sequence of neighborhood collectives of tacit on it, as
 * with any collective operation; these match only each other, never MPI's. They communicate on a private
 * duplicate, made at the first call and kept with the communicator, as are the plans of earlier calls; both
 * go with MPI_Comm_free, or with the last schedule that uses them.
 *
 * The two ends of an edge must describe equally many bytes. If they do not, a blocking or nonblocking
 * operation fails at the receiver when the message arrives, and an _init call fails on all ranks.
 * Neighborhoods that contradict each other (rank a lists an edge to b that b does not list) are an error of
 * the first call, on all ranks. Errors of all functions: TACIT_ERR_ARGUMENT, TACIT_ERR_GRAPH (edges or sizes
 * that contradict each other), TACIT_ERR_MEMORY, TACIT_ERR_MPI, TACIT_ERR_ENVIRONMENT (TACIT_ variables),
 * TACIT_ERR_STATE.
 *
 * Environment: TACIT_DRIVER forces a driver; TACIT_NEIGHBOR_GROUPING is coalesced, direct or combined;
 * TACIT_NEIGHBOR_WITHOUT names optimizations to leave out, separated by commas (docs/neighborhood.md lists
 * them); TACIT_MESSAGE_COST says what messages cost; TACIT_PERSISTENT, TACIT_NEIGHBOR_FEEDBACK and
 * TACIT_PROGRESS as docs/neighborhood.md has them; all must be equal on all ranks. What is not forced is
 * chosen by the machine model that `tacit platform` keeps, as rank 0 finds it (docs/platform.md). */

/* A process topology that lives in this library: for MPI libraries without, and for relative neighbors. */
typedef struct tacit_topology_s* tacit_topology;
#define TACIT_TOPOLOGY_NULL ((tacit_topology)0)

/* Makes a grid, as MPI_Cart_create has it: ranks in row-major order, slots 2d and 2d+1 are the neighbors in
 * negative and positive direction of dimension d. `dims` are sizes of 1 or more; `periods` are 0 or not.
 * Local. Errors: TACIT_ERR_ARGUMENT, TACIT_ERR_MEMORY. */
int tacit_topology_cart(int ndims, const int dims[], const int periods[], tacit_topology* topology);

/* Makes a grid with any neighbors, the same relative ones on all ranks: block i goes to the rank at offset i,
 * and block i comes from the rank at minus offset i. `offsets` has `count` rows of `ndims` numbers. Local.
 * Errors: TACIT_ERR_ARGUMENT, TACIT_ERR_MEMORY. */
int tacit_topology_stencil(int ndims, const int dims[], const int periods[], int count, const int offsets[],
                           tacit_topology* topology);

/* Tells this rank's edges of any graph, as MPI_Dist_graph_create_adjacent has them. The weights may be NULL
 * or MPI_UNWEIGHTED. MPI_PROC_NULL is allowed as a neighbor. Local. Errors: TACIT_ERR_ARGUMENT,
 * TACIT_ERR_MEMORY. */
int tacit_topology_graph(int indegree, const int sources[], const int sourceweights[], int outdegree,
                         const int destinations[], const int destweights[], tacit_topology* topology);

/* Makes a duplicate of `comm` with the topology attached, for the functions below; MPI_Comm_dup of it keeps
 * the topology, which may be freed. Collective; an error of one rank is an error of all. Errors:
 * TACIT_ERR_ARGUMENT (grid and communicator differ in size, rank out of range), TACIT_ERR_MEMORY,
 * TACIT_ERR_MPI. */
int tacit_topology_comm(tacit_topology topology, MPI_Comm comm, MPI_Comm* newcomm);

/* As tacit_topology_comm with the ranks given to the processes anew (`reorder` of MPI_Cart_create and
 * MPI_Dist_graph_create_adjacent): neighbors, the heavier their edge the more, come onto one core, cache,
 * package or node where that can be. Nodes are told apart by MPI_Get_processor_name, the rest by hwloc as far
 * as processes are bound. The topology speaks of ranks of newcomm: whoever gets rank r there has the edges
 * that rank r of comm gave. Ranks stay as they are where nothing is gained. Attributes of comm are not
 * copied. Collective; takes O(edges) time and memory on rank 0. Errors as above. */
int tacit_topology_comm_reordered(tacit_topology topology, MPI_Comm comm, MPI_Comm* newcomm);

/* Frees the topology and sets it to TACIT_TOPOLOGY_NULL. Local. */
int tacit_topology_free(tacit_topology* topology);

/* Tell the neighborhood of this rank in the topology of `comm`, MPI's or ours, as
 * MPI_Dist_graph_neighbors_count and MPI_Dist_graph_neighbors do for one kind of topology: at most `maxin`
 * sources and `maxout` destinations with their weights (which may be NULL), MPI_PROC_NULL at open
 * boundaries. Local. Errors: TACIT_ERR_ARGUMENT (no topology). */
int tacit_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted);
int tacit_neighbors(MPI_Comm comm, int maxin, int sources[], int sourceweights[], int maxout,
                    int destinations[], int destweights[]);

/* Sets options of the neighborhood collectives on `comm`, for all calls to come, by the info keys
 * tacit_persistent, tacit_driver, tacit_neighbor_grouping, tacit_neighbor_without, tacit_message_cost and
 * tacit_neighbor_feedback. Other keys are not looked at, unless they start with tacit_ and nothing of tacit
 * knows them. What MPI_Comm_get_info reports counts as well, but MPI libraries drop keys they do not know
 * (MPI_Comm_set_info of Open MPI, all of MPICH's), so this is the way that always works. A duplicate does
 * not inherit it.
 *
 * tacit_persistent says what stays the same from call to call: none, topology, sizes or buffers. If not
 * given, plans are kept and found again, whatever other ranks do. With sizes and buffers the user promises
 * that all ranks repeat their calls alike: either all make a blocking call with counts, displacements and
 * datatypes for the first time, or none does. The first one is then prepared as by an _init function, with
 * sizes compared; with buffers, drivers connected too. Collective, with equal values on all ranks; no
 * operation may be under way. Errors: TACIT_ERR_ENVIRONMENT (values unknown or unequal), TACIT_ERR_MPI. */
int tacit_comm_set_info(MPI_Comm comm, MPI_Info info);

/* Give and take back memory for buffers, aligned to pages, zero; *(void**)base is where it is, as with
 * MPI_Alloc_mem. Persistent neighborhood collectives that receive long messages (32 KiB or more) from ranks
 * of the same host in such memory need one copy instead of two. Where it cannot be shared it is ordinary
 * memory, as are further buffers when they would take more than half of the descriptors that the process may
 * have (ulimit -n; one for each buffer that is shared). After fork parent and child write the same memory.
 * Local; MPI need not be initialized. tacit_free_mem takes what tacit_alloc_mem gave; no operation may use
 * it any more. Errors: TACIT_ERR_MEMORY, TACIT_ERR_ARGUMENT (a negative size, no place, memory of somebody
 * else). */
int tacit_alloc_mem(MPI_Aint size, void* base);
int tacit_free_mem(void* base);

/* These block until this rank's part is complete. The first call on a communicator waits for all its
 * members. */
int tacit_neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                              MPI_Comm comm);
int tacit_neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int tacit_neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int tacit_neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);

/* These are nonblocking and local, also the first one on a communicator. *schedule is under way when the
 * call returns; complete it with tacit_wait or tacit_test, then free it with tacit_schedule_free, which is
 * local for neighborhood collectives. It cannot be started again. */
int tacit_ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              int recvcount, MPI_Datatype recvtype, MPI_Comm comm, tacit_schedule* schedule);
int tacit_ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                               MPI_Comm comm, tacit_schedule* schedule);
int tacit_ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, tacit_schedule* schedule);
int tacit_ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                              tacit_schedule* schedule);
int tacit_ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                              tacit_schedule* schedule);
int tacit_ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                tacit_schedule* schedule);
int tacit_ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                 MPI_Datatype recvtype, MPI_Comm comm, tacit_schedule* schedule);
int tacit_ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               tacit_schedule* schedule);
int tacit_ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                tacit_schedule* schedule);
int tacit_ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                tacit_schedule* schedule);

/* These are persistent, on every MPI: nothing is sent before tacit_start. Buffers, counts, displacements and
 * datatypes are read here, once; the counts and displacements may be changed and the datatypes freed
 * afterwards, the buffers must stay where they are. Collective and blocking: sizes are exchanged and
 * compared, and drivers connect. Schedules of one communicator are initialized in the same order on all
 * ranks; they may be started in any order and several at once. Info keys, equal on all ranks: tacit_driver,
 * tacit_neighbor_grouping, tacit_neighbor_without, tacit_neighbor_feedback (runs after which other variants are
 * tried, docs/neighborhood.md), tacit_message_cost and tacit_persistent, as the variables above, which
 * override them. */
int tacit_neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                  tacit_schedule* schedule);
int tacit_neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Info info, tacit_schedule* schedule);
int tacit_neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                 tacit_schedule* schedule);
int tacit_neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                  tacit_schedule* schedule);
int tacit_neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                  const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                  MPI_Info info, tacit_schedule* schedule);
int tacit_neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                    MPI_Info info, tacit_schedule* schedule);
int tacit_neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                     tacit_schedule* schedule);
int tacit_neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, tacit_schedule* schedule);
int tacit_neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    tacit_schedule* schedule);
int tacit_neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                    tacit_schedule* schedule);

/* ==================================================================================================
 * About the library and its errors. These functions are local and may be called at any time. */

/* Gives a few words for a return code; never NULL. */
const char* tacit_error_string(int code);

/* Gives the whole text of the last error on the calling thread, "" if there was none; valid until its next
 * error. */
const char* tacit_last_error(void);

/* Gives the version of the library that is running; any pointer may be NULL. */
int tacit_version(int* major, int* minor, int* patch);

#ifdef __cplusplus
}
#endif

#endif
