/* Of programs/returned_request.c. */
#include <mpi.h>
extern double a[], seen;
MPI_Request* place(void);
static int query(void* extra, MPI_Status* status) {
  (void)extra;
  seen = a[200000 - 1];
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int done(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}
static int cancel(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}
void begin(void) {
  MPI_Grequest_start(query, done, cancel, 0, place());
  MPI_Grequest_complete(*place());
}
