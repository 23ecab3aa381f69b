// Regions. First state: every operation is MPI's own call, which is correct and gains nothing.
#include <tacit/coalesce.h>

struct tacit_coalesce {};

static tacit_coalesce only_region;

tacit_coalesce* tacit_coalesce_begin(long long, long long, int, const char*, int) {
  return &only_region;
}
int tacit_coalesce_send(tacit_coalesce*, MPI_Win, int) {
  return MPI_SUCCESS;
}
int tacit_coalesce_end(tacit_coalesce** region) {
  *region = nullptr;
  return MPI_SUCCESS;
}
void tacit_coalesce_leave(tacit_coalesce** region) {
  tacit_coalesce_end(region);
}
int tacit_put(tacit_coalesce*, const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc,
              MPI_Datatype tt, MPI_Win w) {
  return MPI_Put(o, oc, ot, t, d, tc, tt, w);
}
int tacit_get(tacit_coalesce*, void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc, MPI_Datatype tt,
              MPI_Win w) {
  return MPI_Get(o, oc, ot, t, d, tc, tt, w);
}
int tacit_accumulate(tacit_coalesce*, const void* o, int oc, MPI_Datatype ot, int t, MPI_Aint d, int tc,
                     MPI_Datatype tt, MPI_Op op, MPI_Win w) {
  return MPI_Accumulate(o, oc, ot, t, d, tc, tt, op, w);
}
int tacit_get_accumulate(tacit_coalesce*, const void* o, int oc, MPI_Datatype ot, void* r, int rc,
                         MPI_Datatype rt, int t, MPI_Aint d, int tc, MPI_Datatype tt, MPI_Op op, MPI_Win w) {
  return MPI_Get_accumulate(o, oc, ot, r, rc, rt, t, d, tc, tt, op, w);
}
int tacit_fetch_and_op(tacit_coalesce*, const void* o, void* r, MPI_Datatype type, int t, MPI_Aint d,
                       MPI_Op op, MPI_Win w) {
  return MPI_Fetch_and_op(o, r, type, t, d, op, w);
}
int tacit_compare_and_swap(tacit_coalesce*, const void* o, const void* c, void* r, MPI_Datatype type, int t,
                           MPI_Aint d, MPI_Win w) {
  return MPI_Compare_and_swap(o, c, r, type, t, d, w);
}
#if MPI_VERSION >= 4
int tacit_put_c(tacit_coalesce*, const void* o, MPI_Count oc, MPI_Datatype ot, int t, MPI_Aint d,
                MPI_Count tc, MPI_Datatype tt, MPI_Win w) {
  return MPI_Put_c(o, oc, ot, t, d, tc, tt, w);
}
int tacit_get_c(tacit_coalesce*, void* o, MPI_Count oc, MPI_Datatype ot, int t, MPI_Aint d, MPI_Count tc,
                MPI_Datatype tt, MPI_Win w) {
  return MPI_Get_c(o, oc, ot, t, d, tc, tt, w);
}
int tacit_accumulate_c(tacit_coalesce*, const void* o, MPI_Count oc, MPI_Datatype ot, int t, MPI_Aint d,
                       MPI_Count tc, MPI_Datatype tt, MPI_Op op, MPI_Win w) {
  return MPI_Accumulate_c(o, oc, ot, t, d, tc, tt, op, w);
}
int tacit_get_accumulate_c(tacit_coalesce*, const void* o, MPI_Count oc, MPI_Datatype ot, void* r,
                           MPI_Count rc, MPI_Datatype rt, int t, MPI_Aint d, MPI_Count tc, MPI_Datatype tt,
                           MPI_Op op, MPI_Win w) {
  return MPI_Get_accumulate_c(o, oc, ot, r, rc, rt, t, d, tc, tt, op, w);
}
#endif
int tacit_win_fence(tacit_coalesce*, int assertion, MPI_Win w) {
  return MPI_Win_fence(assertion, w);
}
int tacit_win_complete(tacit_coalesce*, MPI_Win w) {
  return MPI_Win_complete(w);
}
int tacit_win_unlock(tacit_coalesce*, int target, MPI_Win w) {
  return MPI_Win_unlock(target, w);
}
int tacit_win_unlock_all(tacit_coalesce*, MPI_Win w) {
  return MPI_Win_unlock_all(w);
}
int tacit_win_flush(tacit_coalesce*, int target, MPI_Win w) {
  return MPI_Win_flush(target, w);
}
int tacit_win_flush_all(tacit_coalesce*, MPI_Win w) {
  return MPI_Win_flush_all(w);
}
int tacit_win_flush_local(tacit_coalesce*, int target, MPI_Win w) {
  return MPI_Win_flush_local(target, w);
}
int tacit_win_flush_local_all(tacit_coalesce*, MPI_Win w) {
  return MPI_Win_flush_local_all(w);
}
int tacit_win_lock(tacit_coalesce*, int lock_type, int target, int assertion, MPI_Win w) {
  return MPI_Win_lock(lock_type, target, assertion, w);
}
int tacit_win_lock_all(tacit_coalesce*, int assertion, MPI_Win w) {
  return MPI_Win_lock_all(assertion, w);
}
