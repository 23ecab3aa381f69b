// RUN: env TACIT_OVERLAP=apply TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cxx -O2 %verify %s -o - | %check
// RUN: env TACIT_OVERLAP=report TACIT_OVERLAP_MODE=aggressive TACIT_OVERLAP_RENAME=off %cxx -O2 %verify %s -o %t.ll && not grep __tacit_ %t.ll
/* C++: containers, operator new, members, exceptions, templates, lambdas. */
#include <mpi.h>

#include <memory>
#include <vector>

constexpr int n = 65536;

// CHECK-LABEL: define {{.*}}@_Z7vectorsRSt6vectorIdSaIdEES2_i(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
void vectors(std::vector<double>& out, std::vector<double>& work, int peer) {
  MPI_Request request;
  MPI_Isend(out.data(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Wait moved; {{.*}}if it is the same memory}}
  for (double& value : work)
    value = value * 1.5 + 1;
}

// CHECK-LABEL: define {{.*}}@_Z17requests_from_newPdS_i(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer_all(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
double requests_from_new(double* in, double* work, int peer) {
  auto* requests = new MPI_Request[2];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + n, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
  auto* more = new double[n];
  for (int i = 0; i < n; i++)
    more[i] = i;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  // expected-remark@-1 {{MPI_Waitall moved}}
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += work[i] * more[i];
  sum += in[0] + in[n];
  delete[] more;
  delete[] requests;
  return sum;
}

struct halo {
  std::vector<double> out, in;
  MPI_Request requests[2];
  void post(int peer) {
    MPI_Irecv(in.data(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out.data(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[1]);
  }
  void finish() {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // expected-remark@-1 {{MPI_Waitall not moved: request not followed}}
  }
};

// CHECK-LABEL: define {{.*}}@_Z16finish_elsewhereR4halo(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void finish_elsewhere(halo& h) {
  h.finish();
}

// CHECK-LABEL: define {{.*}}@_Z7membersR4haloPdi(
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer_element(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
void members(halo& h, double* work, int peer) {
  h.post(peer);
  MPI_Waitall(2, h.requests, MPI_STATUSES_IGNORE);
  // expected-remark-re@-1 {{MPI_Waitall: 2 of 2 moved; {{.*}}if it is the same memory}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  work[0] += h.in[0];
}

void may_throw();

// CHECK-LABEL: define {{.*}}@_Z21an_exception_may_passPdS_i(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void an_exception_may_pass(double* out, double* work, int peer) {
  MPI_Send(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send not moved: unknown effect}}
  may_throw();
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}

// CHECK-LABEL: define {{.*}}@_Z18buffer_of_an_ownerPdi(
// CHECK: call {{.*}}@__tacit_send(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait(
void buffer_of_an_owner(double* work, int peer) {
  auto out = std::make_unique<double[]>(n);
  out[0] = peer;
  MPI_Send(out.get(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  // expected-remark@-1 {{MPI_Send split}}
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}

// CHECK-LABEL: define {{.*}}@_Z24buffer_that_ends_at_oncePdi(
// CHECK-NOT: call {{.*}}@__tacit_
// CHECK: {{^[}]}}
void buffer_that_ends_at_once(double* work, int peer) {
  {
    auto out = std::make_unique<double[]>(n);
    out[0] = peer;
    MPI_Send(out.get(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    // expected-remark@-1 {{MPI_Send not moved: buffer is written}}
  }
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}

template <class Value>
// CHECK-LABEL: define {{.*}}@_Z9swap_with
// CHECK: call {{.*}}@__tacit_note(
// CHECK: call {{.*}}@__tacit_defer(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_poke(
// CHECK: call {{.*}}@__tacit_wait_overlap(
// CHECK: call {{.*}}@__tacit_wait(
void swap_with(Value* mine, Value* theirs, double* work, int peer, MPI_Datatype type) {
  const auto compute = [&](int i) { work[i] = work[i] * 1.5 + i; };
  MPI_Request request;
  MPI_Isend(mine, n, type, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // expected-remark-re@-1 {{MPI_Wait moved; {{.*}}if it is the same memory}}
  for (int i = 0; i < n; i++)
    compute(i);
  theirs[0] = 0;
}

template void swap_with<float>(float*, float*, double*, int, MPI_Datatype);
