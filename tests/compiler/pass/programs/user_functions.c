// options: rename=off
// assume: user_code data
/* Calls of MPI that run functions of the user, which read what was received and write what was sent. What each case prints
 * must not depend on where the pass completes the messages. */
#include <mpi.h>
#include <stdio.h>

#define CALLBACK __attribute__((noinline, used)) static

enum { n = 40000, steps = 3000 };
double inbox[n], outbox[n], work[steps], seen, results[200];
const char* names[200];
int cases;
int touching;

static void touch(void) {
  if (!touching)
    return;
  seen = 0;
  for (int i = 0; i < n; i++) {
    seen += inbox[i];
    outbox[i] = -1;
  }
}

CALLBACK int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  touch();
  return *flag = 0;
}
CALLBACK int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  touch();
  return MPI_SUCCESS;
}
CALLBACK int copy_of_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra, (void)in, (void)out;
  touch();
  return *flag = 0;
}
CALLBACK int delete_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  touch();
  return MPI_SUCCESS;
}
CALLBACK void handle_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  touch();
}
CALLBACK int query_request(void* extra, MPI_Status* status) {
  (void)extra;
  MPI_Status_set_cancelled(status, 0);
  MPI_Status_set_elements(status, MPI_INT, 0);
  touch();
  return MPI_SUCCESS;
}
CALLBACK int free_request(void* extra) {
  (void)extra;
  touch();
  return MPI_SUCCESS;
}
CALLBACK int cancel_request(void* extra, int complete) {
  (void)extra, (void)complete;
  touch();
  return MPI_SUCCESS;
}
CALLBACK void operate(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
  touch();
}

static int comm_key, type_key, old_key;
static MPI_Comm mine;
static MPI_Datatype type;
static MPI_Op op;
static MPI_Request request;
static int answer, x, y, finished;

static void finish(void) {
  if (!finished)
    MPI_Grequest_complete(request);
  finished = 1;
}

/* What every case has before it: attributes in place, a generalized request that is complete. */
static void prepare(void) {
  touching = finished = 0;
  MPI_Comm_set_attr(mine, comm_key, 0);
  MPI_Attr_put(mine, old_key, 0);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_attr(type, type_key, 0);
  MPI_Grequest_start(query_request, free_request, cancel_request, 0, &request);
  touching = 1;
}
static void tidy(void) {
  touching = 0;
  if (request != MPI_REQUEST_NULL) {
    finish();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (type != MPI_DATATYPE_NULL)
    MPI_Type_free(&type);
}

#define COMPUTE                                                                                              \
  for (int i = 0; i < steps; i++)                                                                            \
  work[i] = work[i] * 1.0001 + i

#define CASES(DO)                                                                                            \
  DO(comm_delete_attr, MPI_Comm_delete_attr(mine, comm_key))                                                 \
  DO(comm_set_attr, MPI_Comm_set_attr(mine, comm_key, 0))                                                    \
  DO(attr_put, MPI_Attr_put(mine, old_key, 0))                                                               \
  DO(attr_delete, MPI_Attr_delete(mine, old_key))                                                            \
  DO(type_dup, MPI_Datatype copy; MPI_Type_dup(type, &copy))                                                 \
  DO(type_free, MPI_Type_free(&type))                                                                        \
  DO(type_set_attr, MPI_Type_set_attr(type, type_key, 0))                                                    \
  DO(type_delete_attr, MPI_Type_delete_attr(type, type_key))                                                 \
  DO(call_errhandler, MPI_Comm_call_errhandler(mine, MPI_ERR_OTHER))                                         \
  DO(grequest_wait, finish(); MPI_Wait(&request, MPI_STATUS_IGNORE))                                         \
  DO(grequest_test, finish(); MPI_Test(&request, &answer, MPI_STATUS_IGNORE))                                \
  DO(grequest_free, finish(); MPI_Request_free(&request))                                                    \
  DO(grequest_cancel, MPI_Cancel(&request))                                                                  \
  DO(grequest_get_status, finish(); MPI_Request_get_status(request, &answer, MPI_STATUS_IGNORE))             \
  DO(reduce_local, MPI_Reduce_local(&x, &y, 1, MPI_INT, op))                                                 \
  DO(reduce, MPI_Reduce(&x, &y, 1, MPI_INT, op, 0, mine))                                                    \
  DO(allreduce, MPI_Allreduce(&x, &y, 1, MPI_INT, op, mine))                                                 \
  DO(scan, MPI_Scan(&x, &y, 1, MPI_INT, op, mine))                                                           \
  DO(ireduce, MPI_Request r; MPI_Iallreduce(&x, &y, 1, MPI_INT, op, mine, &r);                               \
     MPI_Wait(&r, MPI_STATUS_IGNORE))

#define RECEIVING(name, ...)                                                                                 \
  __attribute__((noinline)) static void receiving_##name(int peer) {                                         \
    MPI_Recv(inbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                              \
    __VA_ARGS__;                                                                                             \
    COMPUTE;                                                                                                 \
  }
#define WAITING(name, ...)                                                                                   \
  __attribute__((noinline)) static void waiting_##name(int peer) {                                           \
    MPI_Request posted;                                                                                      \
    MPI_Irecv(inbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &posted);                                       \
    MPI_Wait(&posted, MPI_STATUS_IGNORE);                                                                    \
    __VA_ARGS__;                                                                                             \
    COMPUTE;                                                                                                 \
  }
#define SENDING(name, ...)                                                                                   \
  __attribute__((noinline)) static void sending_##name(int peer) {                                           \
    MPI_Send(outbox, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);                                                \
    __VA_ARGS__;                                                                                             \
    COMPUTE;                                                                                                 \
  }
CASES(RECEIVING)
CASES(WAITING)
CASES(SENDING)

static double late(double start) {
  for (int round = 0; round < 100; round++)
    COMPUTE;
  return start + work[1] * 0;
}

static void fill(double* values) {
  for (int i = 0; i < n; i++)
    values[i] = i % 7 + 1;
}

static void run(const char* name, void (*receiving)(int), void (*sending)(int), int rank) {
  prepare();
  seen = 0;
  names[++cases] = name;
  if (rank == 1) {
    for (int i = 0; i < n; i++)
      inbox[i] = -3;
    receiving(0);
    results[cases] = seen;
  } else {
    fill(outbox);
    outbox[0] = late(outbox[0]);
    MPI_Send(outbox, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  }
  tidy();
  if (!sending)
    return;
  prepare();
  names[++cases] = name;
  if (rank == 1) {
    fill(outbox);
    sending(0);
  } else {
    MPI_Status status;
    inbox[0] = late(0);
    MPI_Recv(inbox, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &status);
    seen = 0;
    for (int i = 0; i < n; i++)
      seen += inbox[i];
    results[cases] = seen;
  }
  tidy();
}

int main(int argc, char** argv) {
  int rank;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_SELF, &mine);
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &comm_key, 0);
  MPI_Keyval_create(copy_attribute, delete_attribute, &old_key, 0);
  MPI_Type_create_keyval(copy_of_type, delete_of_type, &type_key, 0);
  MPI_Comm_create_errhandler(handle_error, &handler);
  MPI_Comm_set_errhandler(mine, handler);
  MPI_Op_create(operate, 1, &op);
#define RUN(name, ...)                                                                                       \
  run(#name, receiving_##name, sending_##name, rank);                                                        \
  run(#name, waiting_##name, 0, rank);
  CASES(RUN)
  touching = 0;
  static double sums[200];
  MPI_Reduce(results, sums, 200, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i <= cases; i++)
    printf("%s: %g\n", names[i], sums[i]);
  MPI_Comm_free(&mine);
  MPI_Finalize();
  return 0;
}
