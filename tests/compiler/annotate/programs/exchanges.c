// ranks=3
// Exchanges that are easy to get wrong: buffers that other names lead to, bounds and counters that wrap around, places out of order,
// messages between the processes inside the loop, communicators and errors of many kinds. Most of them go in parts nevertheless.
#include <mpi.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rank, size, round_;
static double sum;
static double *whole, *incoming;
static double f(int i, int j) { return (double)((i * 31 + j * 17 + round_ * 7 + rank * 3) % 101) / 8; }
static void add(const double* r, int count) { for (int i = 0; i < count; ++i) sum += r[i] * (i % 13 + 1 + rank); }

// Unsigned bound that wraps, left by break.
static void wrapping_bound(double* a, double* r, size_t n, size_t k, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (size_t i = 0; i < k - n; ++i) {
    if (i == n) break;
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
  }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
// Negative int bound against size_t.
static void negative_bound(double* a, double* r, int n, int limit, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (size_t i = 0; i < limit; ++i) {
    if (i == (size_t)n) break;
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
  }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
// Counter that wraps.
static void wrapping_counter(double* a, double* r, int n, MPI_Comm c) {
  int times = 0;
#pragma mpi overlap MPI_Alltoall(c)
  for (unsigned char i = 0; i < 255; i += 2) {
    if (++times > 200) break;
    for (int p = 0; p < size; ++p) a[p * 256 + i] = f(i, p) + times;
  }
  MPI_Alltoall(a, 256, MPI_DOUBLE, r, 256, MPI_DOUBLE, c);
  add(r, 256 * size);
}
// Stores by the name that the buffer was set from.
static void other_name(int n, MPI_Comm c) {
  double* a = whole;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      whole[i == n - 1 ? 0 : i] += 5;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, incoming, n, MPI_DOUBLE, c);
  }
  add(incoming, n * size);
}
static void touch_whole(int i, int n) { whole[n - 1 - i] = f(i, 9); }
// By a function that names the global.
static void by_function(int n, MPI_Comm c) {
  double* a = whole;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      touch_whole(i, n);
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, incoming, n, MPI_DOUBLE, c);
  }
  add(incoming, n * size);
}
// By a pointer chosen by condition.
static void chosen(double* a, double* b, double* r, int n, int which, MPI_Comm c) {
  double* q = which ? a : b;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      q[n - 1 - i] = f(i, 3);
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
// Reads what arrives by a chosen pointer.
static void chosen_read(double* a, double* b, double* r, int n, int which, MPI_Comm c) {
  const double* q = which ? r : b;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p) + q[i];
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
struct pair { double* to; int n; };
// By a member.
static void member(double* a, double* r, int n, MPI_Comm c) {
  struct pair s = {a, n};
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      s.to[n - 1 - i] = 3 + i;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
struct block { double *send, *receive; int n; };
// By a member that the buffer was read from, here and in a function.
static void store_at(struct block* b, int k, double x) { b->send[k] = x; }
static void members(struct block* b, MPI_Comm c) {
  double *const a = b->send, *const r = b->receive;
  const int n = b->n;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      b->send[n - 1 - i] = 3 + i;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    add(r, n * size);
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      store_at(b, n - 1 - i, 4 + i);
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
// Pragmas of others on the loop and in it.
static void pragmas(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  {
#pragma GCC ivdep
    for (int i = 0; i < n; ++i)
#pragma GCC unroll 4
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
// Size_t everywhere, with products.
static void wide(double* a, double* r, size_t n, size_t m, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (size_t i = 0; i < n; ++i)
    for (size_t p = 0; p < (size_t)size; ++p)
      for (size_t j = 0; j < m; ++j) a[p * n * m + i * m + j] = f(i, p) + j;
  MPI_Alltoall(a, n * m, MPI_DOUBLE, r, n * m, MPI_DOUBLE, c);
  add(r, n * m * size);
}
// Backwards in a block by arithmetic.
static void backwards(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = size - 1; p >= 0; --p) a[p * n + (n - 1 - i)] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = -n; i < 0; ++i)
    for (int p = 0; p < size; ++p) a[p * n - 1 - i] = f(i + n, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = -n; i < 0; ++i)
    for (int p = 0; p < size; ++p) a[p * n + n + i] = f(i + n, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
// Bound changes, counter changes.
static void changing(double* a, double* r, int n, MPI_Comm c) {
  int m = n;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < m; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      if (i == 2 && m > 5) m -= 2;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    add(r, n * size);
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      if (i == 3) { a[0] = 1; ++i; }
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
// Negative places in one block: the block before.
static void across(double* a, double* r, int n, MPI_Comm c) {
  double* b = a + n;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
      b[-1 - i] = 4 + i;
    }
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
// Union, structs.
struct cell { float x, y; int v[3]; };
static void cells(struct cell* a, struct cell* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) {
      struct cell* const e = &a[p * n + i];
      e->x = f(i, p); e->y = 2; e->v[0] = e->v[1] = i;
      (*e).v[2] = p; e->v[1]++; e->v[0] <<= 1;
    }
  MPI_Alltoall(a, n * (int)sizeof *a, MPI_BYTE, r, n * (int)sizeof *a, MPI_BYTE, c);
  for (int i = 0; i < n * size; ++i) sum += r[i].x + r[i].y * i + r[i].v[0] + r[i].v[1] * 3 + r[i].v[2] * (i % 5);
}
// Two-dimensional arrays.
static void matrix(int n, MPI_Comm c) {
  static double a[4][64][8], r[4][64][8];
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < 64; ++i)
    for (int p = 0; p < size; ++p)
      for (int k = 0; k < 8; k += 3) { a[p][i][k] = f(i, k); if (k == 6) break; }
  MPI_Alltoall(a, 512, MPI_DOUBLE, r, 512, MPI_DOUBLE, c);
  add(&r[0][0][0], 512 * size);
}
// Memset, memmove over blocks.
static void bytes(char* a, char* r, int n, MPI_Comm c) {
  char row[64];
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (int i = 0; i < n; ++i) {
      memset(row, 'a' + i % 20, sizeof row);
      for (int p = 0; p < size; ++p) {
        memmove(a + (p * n + i) * 64, row, 64);
        memset(a + (p * n + i) * 64 + 3, p + rank, 5);
      }
      if (i > 0) memcpy(a + i * 64, a + (i - 1) * 64, 32);
    }
    MPI_Alltoall(a, n * 64, MPI_CHAR, r, n * 64, MPI_CHAR, c);
  }
  for (int i = 0; i < n * 64 * size; ++i) sum += r[i] * (i % 7);
}
// A sub-communicator, an inter-communicator.
static void communicators(double* a, double* r, int n) {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
  int procs;
  MPI_Comm_size(half, &procs);
#pragma mpi overlap MPI_Alltoall(half)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < procs; ++p) a[p * n + i] = f(i, p);
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, half);
  add(r, n * procs);
  if (size > 1) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &inter);
    MPI_Comm_remote_size(inter, &procs);
#pragma mpi overlap MPI_Alltoall(inter)
    for (int i = 0; i < n; ++i)
      for (int p = 0; p < procs; ++p) a[p * n + i] = f(i, p);
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, inter);
    add(r, n * procs);
    MPI_Comm_free(&inter);
  }
  MPI_Comm_free(&half);
}
static int whoami(void) { return rank; }
static int how_many(void) { return size; }
static int errors;
static void count_error(MPI_Comm* c, int* code, ...) { (void)c; (void)code; ++errors; }
// Errors.
static void handlers(double* a, double* r, int n, MPI_Comm c) {
  MPI_Errhandler h;
  MPI_Comm_create_errhandler(count_error, &h);
  MPI_Comm_set_errhandler(c, h);
  int bad = -1;
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i) a[i] = f(i, 0);
  MPI_Alltoall(a, bad, MPI_DOUBLE, r, bad, MPI_DOUBLE, c);
  sum += errors;
  errors = 0;
  MPI_Comm_set_errhandler(c, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&h);
}
// Messages between the processes inside the loop, one ahead of the other.
static void chain(double* a, double* r, int n, MPI_Comm c) {
  const int size = how_many(), rank = whoami();
  double token = rank;
  if (rank > 0) MPI_Recv(&token, 1, MPI_DOUBLE, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i) {
#pragma mpi indep MPI_Alltoall(c)
    {
      if (i == n / 2 && rank + 1 < size) MPI_Send(&token, 1, MPI_DOUBLE, rank + 1, 5, MPI_COMM_WORLD);
    }
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p) + token;
  }
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  add(r, n * size);
}
// Directives between loop and call.
static void directives(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 0; i < n; ++i)
    for (int p = 0; p < size; ++p) a[p * n + i] = f(i, p);
#ifndef WITHOUT_MPI
  MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
#endif
  add(r, n * size);
}
// All kinds of odd bounds.
static void bounds(double* a, double* r, int n, MPI_Comm c) {
  short s;
#pragma mpi overlap MPI_Alltoall(c)
  {
    for (s = 0; s <= n - 1; s++)
      for (long p = 0; p < size; ++p) a[p * n + s] = f(s, p);
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
    add(r, n * size);
    for (int i = n % 3; i < n / 2 + (n + 1) / 2; ++i)
      for (unsigned p = 0; p < (unsigned)size; ++p) a[(int)p * n + i] = f(i, p);
    MPI_Alltoall(a, n, MPI_DOUBLE, r, n, MPI_DOUBLE, c);
  }
  add(r, n * size);
}
// What is sent is made from what is sent.
static void running(double* a, double* r, int n, MPI_Comm c) {
#pragma mpi overlap MPI_Alltoall(c)
  for (int i = 1; i < n; ++i)
    for (int p = 0; p < size; ++p) {
      a[p * n + i] = a[p * n + i - 1] * 0.5 + 1;
      a[p * n + i - 1] += 1;
    }
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
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm c;
  MPI_Comm_dup(MPI_COMM_WORLD, &c);
  const size_t most = 400000;
  whole = calloc(most, sizeof *whole); incoming = calloc(most, sizeof *whole);
  double *a = calloc(most, sizeof *a), *r = calloc(most, sizeof *a), *b = calloc(most, sizeof *a);
  const int sizes[] = {1, 2, 5, 700};
  for (int t = 0; t < 4; ++t)
    for (round_ = 0; round_ < 4; ++round_) {
      const int n = sizes[t];
      double before;
#define STEP(x) \
  before = sum; \
  x; \
  said(#x, sum - before)
      STEP(wrapping_bound(a, r, n, n - 1, c));
      STEP(negative_bound(a, r, n, -1, c));
      STEP(wrapping_counter(a, r, n, c));
      STEP(other_name(n, c));
      STEP(by_function(n, c));
      STEP(chosen(a, b, r, n, 1, c));
      STEP(chosen_read(a, b, r, n, 1, c));
      STEP(member(a, r, n, c));
      STEP(members(&(struct block){a, r, n}, c));
      STEP(pragmas(a, r, n, c));
      STEP(wide(a, r, n, 7, c));
      STEP(backwards(a, r, n, c));
      STEP(changing(a, r, n, c));
      STEP(across(a, r, n, c));
      STEP(cells((struct cell*)a, (struct cell*)r, n, c));
      STEP(matrix(n, c));
      STEP(bytes((char*)a, (char*)r, n, c));
      memset(a, 0, most * sizeof *a); memset(r, 0, most * sizeof *a);
      STEP(communicators(a, r, n));
      STEP(handlers(a, r, n, c));
      STEP(chain(a, r, n, c));
      STEP(directives(a, r, n, c));
      STEP(bounds(a, r, n, c));
      STEP(running(a, r, n, c));
      sum = sum - (long)(sum / 1e6) * 1e6;
    }
  MPI_Comm_free(&c);
  MPI_Finalize();
  return 0;
}
