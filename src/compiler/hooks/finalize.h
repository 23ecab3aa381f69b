/* What the hooks do when MPI ends. */
#ifndef TACIT_HOOKS_FINALIZE_H
#define TACIT_HOOKS_FINALIZE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MPI_Finalize calls `what` first thing, as it deletes the attributes of MPI_COMM_SELF then, the newest first (MPI-4.1, 11.4.1).
 * Zero if MPI has no room for an attribute. */
int tacit_call_at_finalize(MPI_Comm_delete_attr_function* what);

#ifdef __cplusplus
}
#endif

#endif
