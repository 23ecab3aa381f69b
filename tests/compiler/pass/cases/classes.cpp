// options: mode=aggressive rename=off
/* C++: containers, operator new, members, exceptions, templates, lambdas. */
#include <mpi.h>

#include <memory>
#include <vector>

constexpr int n = 65536;

void vectors(std::vector<double>& out, std::vector<double>& work, int peer) {
  MPI_Request request;
  MPI_Isend(out.data(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE); // guarded
  for (double& value : work)
    value = value * 1.5 + 1;
}

double requests_from_new(double* in, double* work, int peer) {
  auto* requests = new MPI_Request[2];
  MPI_Irecv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + n, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
  auto* more = new double[n];
  for (int i = 0; i < n; i++)
    more[i] = i;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // moved
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
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // stays TACIT-100
  }
};

void finish_elsewhere(halo& h) {
  h.finish();
}

void members(halo& h, double* work, int peer) {
  h.post(peer);
  MPI_Waitall(2, h.requests, MPI_STATUSES_IGNORE); // guarded
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
  work[0] += h.in[0];
}

void may_throw();

void an_exception_may_pass(double* out, double* work, int peer) {
  MPI_Send(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // stays TACIT-109
  may_throw();
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}

void buffer_of_an_owner(double* work, int peer) {
  auto out = std::make_unique<double[]>(n);
  out[0] = peer;
  MPI_Send(out.get(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // moved
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}

void buffer_that_ends_at_once(double* work, int peer) {
  {
    auto out = std::make_unique<double[]>(n);
    out[0] = peer;
    MPI_Send(out.get(), n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); // stays TACIT-104
  }
  for (int i = 0; i < n; i++)
    work[i] = work[i] * 1.5 + i;
}

template <class Value>
void swap_with(Value* mine, Value* theirs, double* work, int peer, MPI_Datatype type) {
  const auto compute = [&](int i) { work[i] = work[i] * 1.5 + i; };
  MPI_Request request;
  MPI_Isend(mine, n, type, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE); // guarded
  for (int i = 0; i < n; i++)
    compute(i);
  theirs[0] = 0;
}

template void swap_with<float>(float*, float*, double*, int, MPI_Datatype);
