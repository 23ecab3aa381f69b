/* What programs transformed by the overlap pass call (src/compiler/pass; seed 001). One slot holds one
 * operation whose completion the compiler has moved. The pass places a zeroed slot in the frame of the
 * function, posts into it or moves the request of a deleted wait into it, and completes it before the first
 * access that could disturb the operation. Completing an empty slot does nothing, so the pass completes
 * unconditionally at every such point and needs no flags (the seed's b<n>).
 *
 * None of these functions is collective. Errors of MPI go through the error handler of the operation's
 * communicator, as they would have at the original call. Every function exists twice: for C and C++ (MPI's C
 * types), and for Fortran (suffix _f: everything by reference, handles are INTEGERs, `ierror` last, as mpif.h
 * and `use mpi` call MPI).
 *
 * The buffer that tacit_wait and tacit_wait_overlap name is not used: it tells the optimizers that run after
 * the pass that the call may read and write it, which keeps accesses to it on their side of the call. */
#ifndef TACIT_HOOKS_OVERLAP_H
#define TACIT_HOOKS_OVERLAP_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One pending operation (or the array of one MPI_Waitall) and the bytes it uses, up to eight ranges; more are
 * merged into one. First word zero: nothing pending. Second word: where the call stands in the source, a string
 * for check mode to tell, or null. Compiled code knows the size, sets these two words, and calls __tacit_wait…
 * only if the first 32 bits are not zero. */
typedef struct tacit_slot {
  uint64_t word[64];
} tacit_slot;

/* The blocking call of the same arguments, but its completion is left to the slot. What the slot held is
 * completed first. */
int __tacit_send(tacit_slot* slot, const void* buffer, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
int __tacit_recv(tacit_slot* slot, void* buffer, int count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm);
/* MPI_Sendrecv whose receiving half is complete on return and whose sending half is left to the slot. */
int __tacit_sendrecv(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                     int dest, int send_tag, void* recv_buffer, int recv_count, MPI_Datatype recv_type,
                     int source, int recv_tag, MPI_Comm comm, MPI_Status* status);
/* MPI_Send from a copy of the buffer that the hooks own, so that the buffer is free at once. Falls back to
 * MPI_Send where a copy would gain nothing (below the eager limit) or is not possible (memory cap, a derived
 * datatype with gaps). `location`: where in the source, or null. */
int __tacit_send_renamed(const char* location, const void* buffer, int count, MPI_Datatype datatype, int dest,
                         int tag, MPI_Comm comm);

/* Completes what this thread has sent from copies. Blocking; called before this rank may wait for others outside
 * MPI, where it would not let its messages get on. */
void __tacit_complete_copies(void);

/* Called right after the post of an operation whose wait is moved: remembers which bytes the operation of
 * this request uses, until the request is deferred. The request tells several posts in flight apart. Bits of
 * `how`: 1 a receive, 2 only check mode needs to know, 4 a synchronous send. */
void __tacit_note(tacit_slot* slot, const void* buffer, int count, MPI_Datatype datatype, int how,
                  const MPI_Request* request);
/* The same for operations that use several pieces of memory, in check mode only: combined sends and receives, and
 * collectives. `kind`: see tacit_parts in collectives.h. Arrays of counts are null where each rank has the same
 * count. */
void __tacit_note_parts(tacit_slot* slot, int kind, const void* send_buffer, int send_count,
                        const int* send_counts, const int* send_displs, MPI_Datatype send_type,
                        const void* recv_buffer, int recv_count, const int* recv_counts,
                        const int* recv_displs, MPI_Datatype recv_type, int root, MPI_Comm comm,
                        const MPI_Request* request);
/* Replaces MPI_Wait(request, MPI_STATUS_IGNORE): moves the request into the slot and leaves MPI_REQUEST_NULL
 * behind. What the slot held is completed first. */
int __tacit_defer(tacit_slot* slot, MPI_Request* request);
/* The same for one request of a Waitall that stays and completes what is left; `started`: it is a persistent one, see below. */
int __tacit_defer_element(tacit_slot* slot, MPI_Request* request, int started);
/* Replaces MPI_Waitall(count, requests, MPI_STATUSES_IGNORE) where all of its requests are moved; takes a
 * copy of the array. */
int __tacit_defer_all(tacit_slot* slot, int count, MPI_Request* requests);
/* The same for persistent requests, which stay where they are: the slot holds copies of their handles. They
 * must not be started or freed before the slot is complete. */
int __tacit_defer_started(tacit_slot* slot, MPI_Request* request);
int __tacit_defer_all_started(tacit_slot* slot, int count, MPI_Request* requests);

/* Completes what the slot holds, if anything. Blocking. */
void __tacit_wait(tacit_slot* slot, void* buffer);
/* The same, only for those of the pending operations that writing (writes != 0) or reading the bytes
 * [low, high) would disturb: writing disturbs every operation, reading only a receive. For all of them if it
 * is not known which bytes are whose, or if low > high. */
void __tacit_wait_overlap(tacit_slot* slot, void* buffer, const void* low, const void* high, int writes);
/* For a loop whose iterations access [low, high), [low + step, high + step) and so on: how many of them may
 * run before one of the operations in the slot has to be complete; at least 1, because those that the first
 * one would disturb are completed. UINT64_MAX if nothing is pending. */
uint64_t __tacit_until(tacit_slot* slot, void* buffer, uintptr_t low, uintptr_t high, int64_t step,
                       int writes);
/* Called in front of each MPI_Request_free: if the request is active, all calls are as written from then on (program.h says why).
 * Not for requests of which the compiler knows that they are generalized. */
void __tacit_request_freed(const MPI_Request* request);
/* Called behind each MPI_Grequest_start. */
void __tacit_request_made(const MPI_Request* request);
/* Lets MPI progress (MPI_Test on what the slot holds), at most once in a few microseconds. Not blocking. */
void __tacit_poke(tacit_slot* slot);

/* What the compiler adds where the file is compiled for check mode (TACIT_OVERLAP_CHECK=1), which says what goes wrong
 * in the line where it does. `location`: of that line. All are nothing outside check mode.
 * An access to these bytes. Bits of `how`: 1 it writes, 2 it is a copy, which looks at nothing. */
void __tacit_watch_access(const void* bytes, uint64_t length, int how, const char* location);
/* A call by which others may learn how far this rank has come. What the slot `but` holds may be pending, because the
 * call completes it first. */
void __tacit_watch_call(const tacit_slot* but, const char* name, const char* location);
/* Something that may do anything, in the function that has the slot. */
void __tacit_watch_anything(tacit_slot* slot, const char* what, const char* location);
/* The same, in a function that sends from copies. */
void __tacit_watch_copies(const char* what, const char* location);
/* A status or an error code is handed to a function of MPI. */
void __tacit_watch_argument(const void* variable, const char* location);
/* The statuses, from `first` on, that the call which was replaced would have written here; `local`: they end with the function. */
void __tacit_watch_status(tacit_slot* slot, void* statuses, int first, int count, int local);
/* The program looks at the error code of the call that was replaced; `ierror`: Fortran's, else null. */
void __tacit_watch_code(tacit_slot* slot, void* ierror, int local);
/* The function that has the slot returns. */
void __tacit_watch_return(tacit_slot* slot);

/* The blocking collective of the same name, but its completion is left to the slot; with a null slot it is
 * complete on return. They match nonblocking collectives only, so that every rank has to use them
 * (docs/overlap.md, "Collectives"). */
int __tacit_bcast(tacit_slot* slot, void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int __tacit_reduce(tacit_slot* slot, const void* send_buffer, void* recv_buffer, int count,
                   MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
int __tacit_allreduce(tacit_slot* slot, const void* send_buffer, void* recv_buffer, int count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int __tacit_alltoall(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                     void* recv_buffer, int recv_count, MPI_Datatype recv_type, MPI_Comm comm);
int __tacit_alltoallv(tacit_slot* slot, const void* send_buffer, const int* send_counts,
                      const int* send_displs, MPI_Datatype send_type, void* recv_buffer,
                      const int* recv_counts, const int* recv_displs, MPI_Datatype recv_type, MPI_Comm comm);
int __tacit_allgather(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                      void* recv_buffer, int recv_count, MPI_Datatype recv_type, MPI_Comm comm);
int __tacit_allgatherv(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                       void* recv_buffer, const int* recv_counts, const int* recv_displs,
                       MPI_Datatype recv_type, MPI_Comm comm);
int __tacit_gather(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                   void* recv_buffer, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm);
int __tacit_gatherv(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                    void* recv_buffer, const int* recv_counts, const int* recv_displs, MPI_Datatype recv_type,
                    int root, MPI_Comm comm);
int __tacit_scatter(tacit_slot* slot, const void* send_buffer, int send_count, MPI_Datatype send_type,
                    void* recv_buffer, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm);
int __tacit_scatterv(tacit_slot* slot, const void* send_buffer, const int* send_counts,
                     const int* send_displs, MPI_Datatype send_type, void* recv_buffer, int recv_count,
                     MPI_Datatype recv_type, int root, MPI_Comm comm);

void __tacit_request_freed_f(const MPI_Fint* request);
void __tacit_request_made_f(const MPI_Fint* request);
void __tacit_send_f(tacit_slot* slot, const void* buffer, const MPI_Fint* count, const MPI_Fint* datatype,
                    const MPI_Fint* dest, const MPI_Fint* tag, const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_recv_f(tacit_slot* slot, void* buffer, const MPI_Fint* count, const MPI_Fint* datatype,
                    const MPI_Fint* source, const MPI_Fint* tag, const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_sendrecv_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                        const MPI_Fint* send_type, const MPI_Fint* dest, const MPI_Fint* send_tag,
                        void* recv_buffer, const MPI_Fint* recv_count, const MPI_Fint* recv_type,
                        const MPI_Fint* source, const MPI_Fint* recv_tag, const MPI_Fint* comm,
                        MPI_Fint* status, MPI_Fint* ierror);
void __tacit_send_renamed_f(const char* location, const void* buffer, const MPI_Fint* count,
                            const MPI_Fint* datatype, const MPI_Fint* dest, const MPI_Fint* tag,
                            const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_note_f(tacit_slot* slot, const void* buffer, const MPI_Fint* count, const MPI_Fint* datatype,
                    int how, const MPI_Fint* request);
void __tacit_note_parts_f(tacit_slot* slot, int kind, const void* send_buffer, const MPI_Fint* send_count,
                          const MPI_Fint* send_counts, const MPI_Fint* send_displs, const MPI_Fint* send_type,
                          const void* recv_buffer, const MPI_Fint* recv_count, const MPI_Fint* recv_counts,
                          const MPI_Fint* recv_displs, const MPI_Fint* recv_type, const MPI_Fint* root,
                          const MPI_Fint* comm, const MPI_Fint* request);
void __tacit_defer_f(tacit_slot* slot, MPI_Fint* request, MPI_Fint* ierror);
void __tacit_defer_element_f(tacit_slot* slot, MPI_Fint* request, int started, MPI_Fint* ierror);
void __tacit_defer_all_f(tacit_slot* slot, const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* ierror);
void __tacit_defer_started_f(tacit_slot* slot, MPI_Fint* request, MPI_Fint* ierror);
void __tacit_defer_all_started_f(tacit_slot* slot, const MPI_Fint* count, MPI_Fint* requests,
                                 MPI_Fint* ierror);
void __tacit_bcast_f(tacit_slot* slot, void* buffer, const MPI_Fint* count, const MPI_Fint* datatype,
                     const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_reduce_f(tacit_slot* slot, const void* send_buffer, void* recv_buffer, const MPI_Fint* count,
                      const MPI_Fint* datatype, const MPI_Fint* op, const MPI_Fint* root,
                      const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_allreduce_f(tacit_slot* slot, const void* send_buffer, void* recv_buffer, const MPI_Fint* count,
                         const MPI_Fint* datatype, const MPI_Fint* op, const MPI_Fint* comm,
                         MPI_Fint* ierror);
void __tacit_alltoall_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                        const MPI_Fint* send_type, void* recv_buffer, const MPI_Fint* recv_count,
                        const MPI_Fint* recv_type, const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_alltoallv_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_counts,
                         const MPI_Fint* send_displs, const MPI_Fint* send_type, void* recv_buffer,
                         const MPI_Fint* recv_counts, const MPI_Fint* recv_displs, const MPI_Fint* recv_type,
                         const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_allgather_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                         const MPI_Fint* send_type, void* recv_buffer, const MPI_Fint* recv_count,
                         const MPI_Fint* recv_type, const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_allgatherv_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                          const MPI_Fint* send_type, void* recv_buffer, const MPI_Fint* recv_counts,
                          const MPI_Fint* recv_displs, const MPI_Fint* recv_type, const MPI_Fint* comm,
                          MPI_Fint* ierror);
void __tacit_gather_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                      const MPI_Fint* send_type, void* recv_buffer, const MPI_Fint* recv_count,
                      const MPI_Fint* recv_type, const MPI_Fint* root, const MPI_Fint* comm,
                      MPI_Fint* ierror);
void __tacit_gatherv_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                       const MPI_Fint* send_type, void* recv_buffer, const MPI_Fint* recv_counts,
                       const MPI_Fint* recv_displs, const MPI_Fint* recv_type, const MPI_Fint* root,
                       const MPI_Fint* comm, MPI_Fint* ierror);
void __tacit_scatter_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_count,
                       const MPI_Fint* send_type, void* recv_buffer, const MPI_Fint* recv_count,
                       const MPI_Fint* recv_type, const MPI_Fint* root, const MPI_Fint* comm,
                       MPI_Fint* ierror);
void __tacit_scatterv_f(tacit_slot* slot, const void* send_buffer, const MPI_Fint* send_counts,
                        const MPI_Fint* send_displs, const MPI_Fint* send_type, void* recv_buffer,
                        const MPI_Fint* recv_count, const MPI_Fint* recv_type, const MPI_Fint* root,
                        const MPI_Fint* comm, MPI_Fint* ierror);

#ifdef __cplusplus
}
#endif
#endif
