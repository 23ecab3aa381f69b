// ranks=3
// The same for what only C++ has, and for threads.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
static int rank, size, round_;
static double sum;
static double f(int i, int j) noexcept { return (double)((i * 31 + j * 17 + round_ * 7 + rank * 3) % 101) / 8; }
static void add(const double* r, int count, double& to = sum) { for (int i = 0; i < count; ++i) to += r[i] * (i % 13 + 1 + rank); }
static void narrowing(double* a, double* r, size_t n, unsigned m, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (size_t i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p)
      for (unsigned j = 0; j < m; ++j) a[p * n * m + i * m + j] = f(i, p) + j;
  MPI_Alltoall(a, n * m, MPI_DOUBLE, r, n * m, MPI_DOUBLE, c);
  add(r, n * m * size);
}
template <class T> static void templated(T* a, T* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
static void vectors(std::vector<double>& v, std::vector<double>& w, int n, MPI_Comm c) {
  double* const a = v.data();
  double* const r = w.data();
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
    v[n - 1 - i] = 7 + i;
  }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p) + w[0];
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
static void references(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) {
      double& x = a[p * n + i];
      x = f(i, p);
      if (i == n - 1) { double& y = a[p * n]; y = -3; }
    }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
  double& zero = a[0];
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
    zero += 1;
  }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
static void by_lambda(double* a, double* r, int n, MPI_Comm c) {
  const auto put = [=](int k, double x) { a[k] = x; };
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
    put(n - 1 - i, i);
  }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
struct grid {
  double *a, *r; int n; MPI_Comm c;
  void step() {
#pragma mpi overlap MPI_Alltoall(c)
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    add(r, n * size);
  }
  void local_step() {
    double *const s = a, *const t = r; const int m = n; const MPI_Comm d = c;
#pragma mpi overlap MPI_Alltoall(d)
    for (int i = 0; i < m; ++i) {
      for (int p = 0; p < size; ++p) s[p * m + i] = f(i, p);
      a[m - 1 - i] = 5;
    }
    MPI_Alltoall(s, m, MPI_DOUBLE, t, m, MPI_DOUBLE, d);
    add(r, n * size);
  }
  void local_step_2() {
    double *const s = a, *const t = r; const int m = n; const MPI_Comm d = c;
#pragma mpi overlap MPI_Alltoall(d)
    for (int i = 0; i < m; ++i) {
      for (int p = 0; p < size; ++p) s[p * m + i] = f(i, p);
      put(m - 1 - i);
    }
    MPI_Alltoall(s, m, MPI_DOUBLE, t, m, MPI_DOUBLE, d);
    add(r, n * size);
  }
  void put(int k) noexcept { a[k] = 6; }
};
static void inner_pragma(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
#pragma GCC unroll 4
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
#pragma omp simd
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
#pragma mpi indep MPI_Alltoall(c)
    for (int p = 0; p < size; ++p) r[0] += 0, a[p * n + i] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
static void work(int n, MPI_Comm c, double* to) {
  std::vector<double> v(n * size), w(n * size);
  double *const a = v.data(), *const r = w.data();
  for (int t = 0; t < 20; ++t) {
#pragma mpi overlap MPI_Alltoall(c)
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p) a[p * n + i] = (i * 7 + p + t) % 31 + rank;
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    add(r, n * size, *to);
  }
}
static void threads(int n) {
  MPI_Comm one, two;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &two);
  double x = 0, y = 0;
  std::thread other(work, n, one, &x);
  work(n, two, &y);
  other.join();
  sum += x + 2 * y;
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}
static double identity(double x) { if (x > 1e300) throw 1; return x; }
static void throwing(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) a[p * n + i] = identity(f(i, p));
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
static void conversions(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (auto i = 0L; i <= n - 1L; ++i)
    for (int p = 0; p < size; ++p) *(a + (p * n + i)) = std::sqrt(f(int(i), p));
  (void)MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (auto i = 0L; i <= n - 1L; ++i)
    for (int p = 0; p < size; ++p) *(a + (p * n + i)) = std::sqrt(f(int(i), p));
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
// What a step added to the sum, of all processes, in the last round.
static void said(const char* step, double value) {
  double all[64];
  MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int p = 0; rank == 0 && round_ == 3 && p < size; ++p)
    printf("%d %s %.17g\n", p, step, all[p]);
}
int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm c;
  MPI_Comm_dup(MPI_COMM_WORLD, &c);
  const size_t most = 400000;
  std::vector<double> v(most), w(most);
  double *a = v.data(), *r = w.data();
  const int sizes[] = {1, 2, 5, 700};
  for (int t = 0; t < 4; ++t)
    for (round_ = 0; round_ < 4; ++round_) {
      const int n = sizes[t];
      double before;
#define STEP(x) \
  before = sum; \
  x; \
  said(#x, sum - before)
      STEP(narrowing(a, r, n, 7, c));
      STEP(templated(a, r, n, c));
      STEP(vectors(v, w, n, c));
      STEP(references(a, r, n, c));
      STEP(by_lambda(a, r, n, c));
      STEP((grid{a, r, n, c}.step()));
      STEP((grid{a, r, n, c}.local_step()));
      STEP((grid{a, r, n, c}.local_step_2()));
      STEP(inner_pragma(a, r, n, c));
      if (provided == MPI_THREAD_MULTIPLE && round_ == 3 && n < 700) {
        STEP(threads(n));
      }
      STEP(throwing(a, r, n, c));
      STEP(conversions(a, r, n, c));
      sum = sum - (long)(sum / 1e6) * 1e6;
    }
  MPI_Comm_free(&c);
  MPI_Finalize();
}
